package floor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	lru "github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/ebbmem/ebb/benchmarks/peer"
	"github.com/ebbmem/ebb/benchmarks/workload"
)

// Folder has a [Memory] for each user. Only the most recently used ones are open.
type Folder struct {
	Memory // provides driver and address

	MaxOpen int

	dir    string
	open   *lru.LRU[string, *Memory]
	closed error // errors of closing
}

// Open makes the folder.
func (f *Folder) Open(_ context.Context, dir string) (err error) {
	f.dir = dir
	f.open, err = lru.NewLRU(f.MaxOpen, func(_ string, m *Memory) { f.closed = errors.Join(f.closed, m.Close(context.Background())) })
	return err
}

// of returns the memory of a user.
func (f *Folder) of(ctx context.Context, user string) (*Memory, error) {
	if m, ok := f.open.Get(user); ok {
		return m, nil
	}
	dir := filepath.Join(f.dir, user)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	m := &Memory{Driver: f.Driver, DSN: f.DSN}
	if err := m.Open(ctx, dir); err != nil {
		return nil, fmt.Errorf("open %s: %w", dir, err)
	}
	f.open.Add(user, m)
	return m, f.closed
}

// Load stores the turns of each user in one transaction.
func (f *Folder) Load(ctx context.Context, turns []workload.Turn) error {
	byUser := make(map[string][]workload.Turn)
	for _, t := range turns {
		byUser[t.User] = append(byUser[t.User], t)
	}
	for user, turns := range byUser {
		m, err := f.of(ctx, user)
		if err != nil {
			return err
		}
		if err := m.Load(ctx, turns); err != nil {
			return err
		}
	}
	return nil
}

// Insert stores one turn.
func (f *Folder) Insert(ctx context.Context, t workload.Turn) error {
	m, err := f.of(ctx, t.User)
	if err != nil {
		return err
	}
	return m.Insert(ctx, t)
}

// Search asks the user's file.
func (f *Folder) Search(ctx context.Context, user, query string) (found peer.Found, err error) {
	m, err := f.of(ctx, user)
	if err != nil {
		return found, err
	}
	return m.Search(ctx, user, query)
}

// Close closes all files.
func (f *Folder) Close(context.Context) error {
	f.open.Purge()
	return f.closed
}
