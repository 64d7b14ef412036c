package server

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ebbmem/ebb/internal/link"
	"github.com/ebbmem/ebb/internal/strictjson"
	"github.com/ebbmem/ebb/schema"
)

// Token describes a token and its rights. The token file contains only the hash; the
// token itself is shown once.
type Token struct {
	Name    string `json:"name"`
	Hash    string `json:"hash"` // SHA-256 of the token, in hexadecimal
	User    string `json:"user,omitempty"`
	Tenant  string `json:"tenant,omitempty"`
	Service bool   `json:"service,omitempty"` // each request names its user
	// Host means that messages with role user are the user's own words.
	Host       bool      `json:"host,omitempty"`
	WriteTurns bool      `json:"write_turns,omitempty"` // offer the MCP tool record_turn
	Metrics    bool      `json:"metrics,omitempty"`     // reads /metrics, and nothing of any user
	Created    time.Time `json:"created"`
}

// Whose describes for people the user of a token and its role, such as "anna, as
// client".
func (t *Token) Whose() string {
	whose := strings.TrimPrefix(t.Tenant+"/"+t.User, "/")
	switch {
	case t.Metrics:
		return "/metrics"
	case t.Service:
		whose = "any user"
	}
	if t.Host {
		return whose + ", as host"
	}
	return whose + ", as client"
}

// Tokens is the token file of a memory. It is safe for concurrent use.
type Tokens struct {
	path string

	mu   sync.Mutex
	read fs.FileInfo // of the version in byHash
	// settled is set if that version was not new when it was read: another one of the
	// same moment looks the same to a coarse clock.
	settled bool
	byHash  map[string]Token
}

// sameVersion reports whether a file was neither replaced nor written between two looks.
func sameVersion(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && a.ModTime().Equal(b.ModTime()) && a.Size() == b.Size()
}

// TokensOf returns the token file of a memory file: its path plus ".tokens".
func TokensOf(db string) *Tokens { return &Tokens{path: db + ".tokens"} }

// TokensFor returns the token file of a memory: the one that the variable EBB_TOKENS
// names, or that of a memory in a file. For a memory on a server without the variable it
// returns an error, and no tokens.
func TokensFor(db string) (*Tokens, error) {
	if file := os.Getenv("EBB_TOKENS"); file != "" {
		return &Tokens{path: file}, nil
	}
	if schema.IsServer(db) {
		return &Tokens{}, errors.New("name the file that holds the tokens with EBB_TOKENS; processes that share a memory on a server can share it")
	}
	return TokensOf(db), nil
}

// prefix starts every token, so that secret scanners recognise it.
const prefix = "ebb_"

// hashOf returns the hash under which a token is stored. Tokens are random, so an
// unsalted hash cannot be reversed by guessing.
func hashOf(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// Validate returns a [*schema.InvalidError] naming the first unusable field.
func (t *Token) Validate() error {
	if t.Name == "" || strings.TrimSpace(t.Name) != t.Name {
		return &schema.InvalidError{Field: "name", Reason: "is empty or begins or ends with a space"}
	}
	if err := schema.ValidLabel("name", t.Name); err != nil {
		return err
	}
	if t.Metrics && (t.Service || t.Host || t.WriteTurns) {
		return &schema.InvalidError{Field: "metrics", Reason: "cannot be read by a token that may do something else"}
	}
	if t.Service || t.Metrics {
		if t.User != "" || t.Tenant != "" {
			return &schema.InvalidError{Field: "user", Reason: "cannot be given for a service, which names the user in each request, nor for metrics"}
		}
		return nil
	}
	return schema.Scope{User: t.User, Tenant: t.Tenant}.Validate()
}

// Add generates a token, stores its hash with the rights of t, and returns it.
func (f *Tokens) Add(t Token) (token string, err error) {
	if err := t.Validate(); err != nil {
		return "", err
	}
	unlock, err := f.lock()
	if err != nil {
		return "", err
	}
	defer unlock()
	all, err := f.load()
	if err != nil {
		return "", err
	}
	if slices.ContainsFunc(all, func(other Token) bool { return other.Name == t.Name }) {
		return "", &schema.InvalidError{Field: "name", Reason: "is that of another token; revoke it first, or choose another name"}
	}
	token = prefix + strings.ToLower(rand.Text()+rand.Text())
	t.Hash, t.Created = hashOf(token), time.Now().UTC().Truncate(time.Second)
	return token, f.write(append(all, t))
}

// List returns the tokens, oldest first.
func (f *Tokens) List() ([]Token, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.load()
}

// lock keeps other goroutines and other processes from changing the file: two changes at
// once could bring a revoked token back.
func (f *Tokens) lock() (unlock func(), err error) {
	f.mu.Lock()
	leave, err := link.LockFolder(filepath.Dir(f.path))
	if err != nil {
		f.mu.Unlock()
		return nil, err
	}
	return func() { leave(); f.mu.Unlock() }, nil
}

// Revoke removes a token by name. A running server refuses the token from its next
// request on. It returns [schema.ErrNotFound] for an unknown name.
func (f *Tokens) Revoke(name string) error {
	unlock, err := f.lock()
	if err != nil {
		return err
	}
	defer unlock()
	all, err := f.load()
	if err != nil {
		return err
	}
	left := slices.DeleteFunc(slices.Clone(all), func(t Token) bool { return t.Name == name })
	if len(left) == len(all) {
		return fmt.Errorf("no token is called %q: %w", name, schema.ErrNotFound)
	}
	return f.write(left)
}

// Find looks up a token. It rereads the file if it has changed.
func (f *Tokens) Find(token string) (t Token, known bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	info, err := os.Stat(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return Token{}, false, nil
	}
	if err != nil {
		return Token{}, false, err
	}
	if f.byHash == nil || !f.settled || !sameVersion(info, f.read) {
		all, err := f.load()
		if err != nil {
			return Token{}, false, err
		}
		f.byHash, f.read = make(map[string]Token, len(all)), info
		f.settled = time.Since(info.ModTime()) > time.Second
		for _, t := range all {
			f.byHash[t.Hash] = t
		}
	}
	t, known = f.byHash[hashOf(token)] // the timing of a lookup by hash reveals nothing about a token
	return t, known, nil
}

// maxTokens is the largest size of a token file, in bytes.
const maxTokens = 16 << 20

// load reads the file, which must belong to the user who runs this program: another one
// could otherwise admit themselves. A missing file has no tokens.
func (f *Tokens) load() ([]Token, error) {
	if f.path == "" {
		return nil, nil
	}
	path, err := filepath.EvalSymlinks(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	raw, err := link.ReadPrivate(path, maxTokens)
	if err != nil {
		return nil, err
	}
	return parseTokens(raw)
}

// parseTokens reads the content of a token file.
func parseTokens(raw []byte) ([]Token, error) {
	var file struct {
		Tokens []Token `json:"tokens"`
	}
	if err := strictjson.Decode(raw, &file); err != nil {
		return nil, errors.New("the file of tokens is damaged")
	}
	for i := range file.Tokens {
		t := &file.Tokens[i]
		if hash, err := hex.DecodeString(t.Hash); err != nil || len(hash) != sha256.Size || t.Hash != strings.ToLower(t.Hash) || t.Validate() != nil {
			return nil, errors.New("the file of tokens is damaged")
		}
	}
	return file.Tokens, nil
}

// write replaces the file atomically.
func (f *Tokens) write(all []Token) error {
	raw, err := json.MarshalIndent(map[string]any{"tokens": all}, "", "  ")
	if err != nil {
		return err
	}
	f.byHash = nil
	return link.WriteFile(f.path, raw, 0o600)
}
