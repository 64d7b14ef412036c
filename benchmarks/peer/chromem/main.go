// Chromem is chromem-go, the vector store most Go programs would begin with,
// persistent, with a collection for each user.
package main

import (
	"context"
	"path/filepath"
	"runtime"
	"strconv"

	chromem "github.com/philippgille/chromem-go"

	"github.com/ebbmem/ebb/benchmarks/peer"
	"github.com/ebbmem/ebb/benchmarks/words"
	"github.com/ebbmem/ebb/benchmarks/workload"
)

func main() { peer.Serve(&memory{}) }

type memory struct {
	db    *chromem.DB
	bare  *chromem.Collection // of vectors without texts, in memory
	added int
}

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

func (m *memory) Search(ctx context.Context, user, query string) (peer.Found, error) {
	c := m.db.GetCollection(user, embed)
	if c == nil {
		return peer.Found{}, nil
	}
	found, err := c.Query(ctx, query, min(10, c.Count()), nil, nil)
	return peer.Found{Results: len(found)}, err
}

func (m *memory) AddVectors(ctx context.Context, vectors [][]float32) (err error) {
	if m.bare == nil {
		if m.bare, err = chromem.NewDB().CreateCollection("vectors", nil, embed); err != nil {
			return err
		}
	}
	documents := make([]chromem.Document, len(vectors))
	for i, v := range vectors {
		documents[i] = chromem.Document{ID: strconv.Itoa(m.added), Content: "-", Embedding: v}
		m.added++
	}
	return m.bare.AddDocuments(ctx, documents, runtime.NumCPU())
}

func (m *memory) Nearest(ctx context.Context, query []float32) ([]int, error) {
	found, err := m.bare.QueryEmbedding(ctx, query, 10, nil, nil)
	places := make([]int, len(found))
	for i, f := range found {
		if places[i], err = strconv.Atoi(f.ID); err != nil {
			return nil, err
		}
	}
	return places, err
}

func (m *memory) Close(context.Context) error { return nil }
