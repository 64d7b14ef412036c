// Chromem is chromem-go, the vector store most Go programs would begin with,
// persistent, with a collection for each user.
package main

import (
	"context"
	"path/filepath"
	"runtime"

	chromem "github.com/philippgille/chromem-go"

	"github.com/ebbmem/ebb/benchmarks/peer"
	"github.com/ebbmem/ebb/benchmarks/words"
	"github.com/ebbmem/ebb/benchmarks/workload"
)

func main() { peer.Serve(&memory{}) }

type memory struct{ db *chromem.DB }

func (m *memory) Open(_ context.Context, dir string) (err error) {
	m.db, err = chromem.NewPersistentDB(filepath.Join(dir, "chromem"), false)
	return err
}

func embed(_ context.Context, text string) ([]float32, error) { return words.Vector(text), nil }

func document(t workload.Turn) chromem.Document {
	return chromem.Document{ID: t.ID, Content: t.Text, Metadata: map[string]string{"session": t.Session, "speaker": t.Speaker, "role": t.Role}}
}

func (m *memory) Load(ctx context.Context, turns []workload.Turn) error {
	users := make(map[string][]chromem.Document)
	for _, t := range turns {
		users[t.User] = append(users[t.User], document(t))
	}
	for user, documents := range users {
		c, err := m.db.GetOrCreateCollection(user, nil, embed)
		if err != nil {
			return err
		}
		if err := c.AddDocuments(ctx, documents, runtime.NumCPU()); err != nil {
			return err
		}
	}
	return nil
}

func (m *memory) Insert(ctx context.Context, t workload.Turn) error {
	c, err := m.db.GetOrCreateCollection(t.User, nil, embed)
	if err != nil {
		return err
	}
	return c.AddDocument(ctx, document(t))
}

func (m *memory) Search(ctx context.Context, user, query string) (int, error) {
	c := m.db.GetCollection(user, embed)
	if c == nil {
		return 0, nil
	}
	found, err := c.Query(ctx, query, min(10, c.Count()), nil, nil)
	return len(found), err
}

func (m *memory) Close(context.Context) error { return nil }
