package sqlite

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

// Key encrypts a file at rest. The zero value is no key: the file is plain. A Key
// never reveals its secret: not when formatted with any verb, not as JSON or text,
// not in a log, and not to a dumper that reads unexported fields by reflection.
type Key struct {
	secret func() []byte // a closure, which reflection cannot read
}

// NewKey makes a key of 32 secret bytes, which it copies. They must be random, as
// from crypto/rand or a key management service; a password is not.
//
// Errors: [*InvalidError] for another length, or for 32 zero bytes, which is an
// uninitialised buffer.
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

// ParseKey reads a key from the content of a file or an environment variable: 32
// raw bytes, or 64 hexadecimal digits with optional white space around them, as
// written by `openssl rand -hex 32`. Any text of 32 bytes is taken as raw.
//
// Errors: [*InvalidError], which does not quote the text.
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

// IsZero reports whether there is no key.
func (k Key) IsZero() bool { return k.secret == nil }

// Derive derives 32 bytes for another purpose from the key: HKDF-SHA256 (RFC 5869).
// They reveal nothing about the key, nor about the bytes derived for other
// purposes. Without a key, the result depends on salt and purpose alone and is no
// secret.
func (k Key) Derive(salt []byte, purpose string) ([]byte, error) {
	var secret []byte
	if !k.IsZero() {
		secret = k.secret()
	}
	return hkdf.Key(sha256.New, secret, salt, purpose, KeySize)
}

// String states whether there is a key, and nothing else about it.
func (k Key) String() string {
	if k.IsZero() {
		return "no key"
	}
	return "a key (not shown)"
}

// Format prints String for every verb.
func (k Key) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(k.String())) }

// LogValue returns String for structured logs.
func (k Key) LogValue() slog.Value { return slog.StringValue(k.String()) }

// MarshalText returns String. It cannot be decoded.
func (k Key) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// The reasons why a key does not fit a file. All of them wrap [ErrKey]; the file
// was not touched.
var (
	ErrKey = errors.New("the key does not fit the file")
	// ErrKeyMissing means that the file is encrypted and no key was given.
	ErrKeyMissing = fmt.Errorf("%w: it is encrypted, and no key was given", ErrKey)
	// ErrKeyWrong means that the file was encrypted with another key.
	ErrKeyWrong = fmt.Errorf("%w: it was encrypted with another one", ErrKey)
	// ErrKeyUnneeded means that a key was given for a file that is not encrypted.
	ErrKeyUnneeded = fmt.Errorf("%w: it is not encrypted; open it without a key, or make a backup with one to encrypt it", ErrKey)
)
