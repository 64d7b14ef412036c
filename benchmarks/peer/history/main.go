// History is langchaingo's own memory on disk, memory/sqlite3. It keeps turns
// and reads all of a session back; it has no search.
package main

import (
	"context"
	"database/sql"
	"path/filepath"

	_ "github.com/mattn/go-sqlite3"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/memory/sqlite3"

	"github.com/ebbmem/ebb/benchmarks/peer"
	"github.com/ebbmem/ebb/benchmarks/workload"
)

func main() { peer.Serve(&memory{sessions: make(map[string]*sqlite3.SqliteChatMessageHistory)}) }

type memory struct {
	db       *sql.DB
	sessions map[string]*sqlite3.SqliteChatMessageHistory
}

func (m *memory) Open(_ context.Context, dir string) (err error) {
	m.db, err = sql.Open("sqlite3", filepath.Join(dir, "history.db"))
	return err
}

func (m *memory) Load(ctx context.Context, turns []workload.Turn) error {
	for _, t := range turns {
		if err := m.Insert(ctx, t); err != nil {
			return err
		}
	}
	return nil
}

func (m *memory) Insert(ctx context.Context, t workload.Turn) error {
	h := m.sessions[t.User]
	if h == nil {
		h = sqlite3.NewSqliteChatMessageHistory(sqlite3.WithDB(m.db), sqlite3.WithSession(t.User))
		m.sessions[t.User] = h
	}
	if t.Role == "assistant" {
		return h.AddMessage(ctx, llms.AIChatMessage{Content: t.Text})
	}
	return h.AddMessage(ctx, llms.HumanChatMessage{Content: t.Text})
}

func (m *memory) Search(context.Context, string, string) (peer.Found, error) {
	return peer.Found{}, peer.ErrNotOffered
}

func (m *memory) Close(context.Context) error { return m.db.Close() }
