package schema

import "github.com/ebbmem/ebb/internal/sqlite"

// KeySize is the length of a [Key] in bytes.
const KeySize = sqlite.KeySize

// Key encrypts a file at rest. The zero value is no key: the file is plain.
// It never shows what it holds: not when printed with any verb, not as JSON or
// text, not in a log, and not to a dumper that looks through unexported fields.
type Key = sqlite.Key

// NewKey makes a key of 32 secret bytes, which it copies. They must be random,
// as from crypto/rand or a key management service: a password is not.
//
// Errors: [*InvalidError] for another length, or for 32 zeroes.
func NewKey(secret []byte) (Key, error) { return sqlite.NewKey(secret) }

// ParseKey reads a key as a file or an environment variable holds it: 32 raw
// bytes, or 64 hexadecimal digits with space around them, as written by
// `openssl rand -hex 32`. What is 32 bytes long is taken as raw.
//
// Errors: [*InvalidError], without what was read.
func ParseKey(text []byte) (Key, error) { return sqlite.ParseKey(text) }

// Why a file and a key do not go together. All of them are [ErrKey]; the file
// was not touched.
var (
	ErrKey = sqlite.ErrKey
	// ErrKeyMissing means the file is encrypted and no key was given.
	ErrKeyMissing = sqlite.ErrKeyMissing
	// ErrKeyWrong means the file was encrypted with another key.
	ErrKeyWrong = sqlite.ErrKeyWrong
	// ErrKeyUnneeded means a key was given for a file that is not encrypted.
	ErrKeyUnneeded = sqlite.ErrKeyUnneeded
)
