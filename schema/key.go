package schema

import (
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"strings"
)

// KeySize is the length of a [Key] in bytes.
const KeySize = 32

// Key encrypts a file at rest. The zero value is no key: the file is plain.
// It never shows what it holds: not when printed with any verb, not as JSON or
// text, not in a log, and not to a dumper that looks through unexported fields.
type Key struct {
	secret func() []byte // what a function holds, reflection cannot reach
}

// NewKey makes a key of 32 secret bytes, which it copies. They must be random,
// as from crypto/rand or a key management service: a password is not.
//
// Errors: [*InvalidError] for another length, or for 32 zeroes, which nobody
// has filled.
func NewKey(secret []byte) (Key, error) {
	if len(secret) != KeySize {
		return Key{}, &InvalidError{Field: "key", Reason: fmt.Sprintf("has %d bytes; it must have %d random ones", len(secret), KeySize)}
	}
	var kept, unset [KeySize]byte
	copy(kept[:], secret)
	if kept == unset {
		return Key{}, &InvalidError{Field: "key", Reason: "is all zeroes; fill it with random bytes"}
	}
	return Key{func() []byte { return kept[:] }}, nil
}

// ParseKey reads a key as a file or an environment variable holds it: 32 raw
// bytes, or 64 hexadecimal digits with space around them, as written by
// `openssl rand -hex 32`. What is 32 bytes long is taken as raw.
//
// Errors: [*InvalidError], without what was read.
func ParseKey(text []byte) (Key, error) {
	if len(text) == KeySize {
		return NewKey(text)
	}
	secret, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(secret) != KeySize {
		return Key{}, &InvalidError{Field: "key", Reason: "is neither 32 bytes nor 64 hexadecimal digits; `openssl rand -hex 32` makes one"}
	}
	return NewKey(secret)
}

// IsZero reports that there is no key.
func (k Key) IsZero() bool { return k.secret == nil }

// Derive makes 32 bytes for another purpose out of the key: HKDF-SHA256 (RFC
// 5869). They tell nothing about the key, nor about those of other purposes.
// No key derives what anybody can who has the salt.
func (k Key) Derive(salt []byte, purpose string) ([]byte, error) {
	var secret []byte
	if !k.IsZero() {
		secret = k.secret()
	}
	return hkdf.Key(sha256.New, secret, salt, purpose, KeySize)
}

// String says whether there is a key, and nothing else about it.
func (k Key) String() string {
	if k.IsZero() {
		return "no key"
	}
	return "a key (not shown)"
}

// Format is String for every verb.
func (k Key) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(k.String())) }

// LogValue is String for structured logs.
func (k Key) LogValue() slog.Value { return slog.StringValue(k.String()) }

// MarshalText is String for encoders. There is no way back.
func (k Key) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// Why a file and a key do not go together. All of them are [ErrKey]; the file
// was not touched.
var (
	ErrKey = errors.New("the key does not fit the file")
	// ErrKeyMissing means the file is encrypted and no key was given.
	ErrKeyMissing = fmt.Errorf("%w: it is encrypted, and no key was given", ErrKey)
	// ErrKeyWrong means the file was encrypted with another key.
	ErrKeyWrong = fmt.Errorf("%w: it was encrypted with another one", ErrKey)
	// ErrKeyUnneeded means a key was given for a file that is not encrypted.
	ErrKeyUnneeded = fmt.Errorf("%w: it is not encrypted; open it without a key, or make a backup with one to encrypt it", ErrKey)
)
