package tools_test

import (
	"context"
	"path/filepath"
	"regexp"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/ebbmem/ebb/recall"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/tools"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// noon is a Saturday.
var noon = time.Date(2026, 5, 16, 12, 0, 0, 0, time.UTC)

// host is one database and the tools of one session over it.
type host struct {
	t     testing.TB
	db    *schema.DB
	scope schema.Scope
	all   []*tools.Tool
	shown []recall.Result
	mu    sync.Mutex
	news  []string // contents announced as stored
	fault []error
	trust schema.Trust

	storing func() // called in the write that stores a claim; may be nil
	between func() // called between the reads of a call and its write; may be nil
}

func openDB(t testing.TB) *schema.DB {
	t.Helper()
	db, err := schema.Open(t.Context(), filepath.Join(t.TempDir(), "memory.db"), &schema.Options{Now: func() time.Time { return noon }})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

func newHost(t testing.TB, db *schema.DB, scope schema.Scope, names ...string) *host {
	return newHostWith(t, db, scope, func(*tools.Deps) {}, names...)
}

// newHostWith is newHost with changed dependencies.
func newHostWith(t testing.TB, db *schema.DB, scope schema.Scope, change func(*tools.Deps), names ...string) *host {
	h := &host{t: t, db: db, scope: scope, trust: schema.MaxTrust}
	searcher := recall.New(db, recall.Options{})
	d := tools.Deps{
		DB: db, Scope: scope,
		Search: func(ctx context.Context, q recall.Query) (*recall.Answer, error) {
			return searcher.Search(ctx, scope, q)
		},
		Shown: func(_ context.Context, _ string, results []recall.Result) { h.shown = append(h.shown, results...) },
		Stored: func(_ context.Context, _ *schema.Tx, m *schema.Memory) error {
			if h.storing != nil {
				h.storing()
			}
			h.mu.Lock()
			defer h.mu.Unlock()
			h.news = append(h.news, m.Content)
			return nil
		},
		TurnTrust: func() schema.Trust {
			if h.between != nil {
				h.between()
			}
			return h.trust
		},
		Report: func(_ context.Context, _ string, err error) {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.fault = append(h.fault, err)
		},
	}
	change(&d)
	h.all = tools.New(d, names...)
	return h
}

func ada(t testing.TB) *host { return newHost(t, openDB(t), schema.Scope{User: "ada", Session: "s1"}) }

// call runs a tool; its error must be nil.
func (h *host) call(name, input string) string {
	h.t.Helper()
	for _, tool := range h.all {
		if tool.Name() == name {
			answer, err := tool.Call(h.t.Context(), input)
			require.NoError(h.t, err)
			require.NotEmpty(h.t, answer)
			return answer
		}
	}
	require.Fail(h.t, "no such tool", name)
	return ""
}

// says stores a turn of the user's, at so many minutes before noon.
func (h *host) says(text string, before time.Duration) *schema.Memory {
	return h.store(&schema.Memory{
		Kind: schema.KindEpisode, Role: "user", Content: text, EventTime: schema.At(noon.Add(-before)),
		Confidence: 1, Importance: 0.5, Origin: schema.OriginUser, Trust: schema.MaxTrust,
	})
}

// fact stores a fact with the origin's ceiling of trust.
func (h *host) fact(text string, origin schema.Origin) *schema.Memory {
	return h.store(&schema.Memory{
		Kind: schema.KindFact, Content: text, EventTime: schema.At(noon.Add(-30 * 24 * time.Hour)),
		Confidence: 0.8, Importance: 0.5, DecayRate: 0.1, Origin: origin, Trust: origin.Ceiling(),
	})
}

func (h *host) store(m *schema.Memory) *schema.Memory {
	h.t.Helper()
	err := h.db.Write(h.t.Context(), func(ctx context.Context, tx *schema.Tx) (err error) {
		if m.UserID, err = tx.UserID(ctx, h.scope); err != nil {
			return err
		}
		if m.SessionID, err = tx.SessionID(ctx, m.UserID, h.scope.Session); err != nil {
			return err
		}
		return tx.InsertMemory(ctx, m, schema.PrepareChunks(m.Content, m.Speaker))
	})
	require.NoError(h.t, err)
	return m
}

func (h *host) write(fn func(ctx context.Context, tx *schema.Tx) error) {
	h.t.Helper()
	require.NoError(h.t, h.db.Write(h.t.Context(), fn))
}

// memory reads one back.
func (h *host) memory(uid string) (m *schema.Memory) {
	h.t.Helper()
	require.NoError(h.t, h.db.Read(h.t.Context(), func(ctx context.Context, s *schema.Snapshot) error {
		userID, err := s.UserID(ctx, h.scope)
		if err != nil {
			return err
		}
		m, err = s.Memory(ctx, userID, uid)
		return err
	}))
	return m
}

func (h *host) sources(m *schema.Memory) (sources []schema.Source) {
	h.t.Helper()
	require.NoError(h.t, h.db.Read(h.t.Context(), func(ctx context.Context, s *schema.Snapshot) (err error) {
		sources, err = s.Sources(ctx, m.ID)
		return err
	}))
	return sources
}

// rows counts the rows of a table, of all users.
func (h *host) rows(table string) (n int64) {
	h.t.Helper()
	require.NoError(h.t, h.db.Read(h.t.Context(), func(ctx context.Context, s *schema.Snapshot) (err error) {
		n, err = s.NewSelect().Table(table).Count(ctx)
		return err
	}))
	return n
}

var idShape = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)

// stored reads the memory whose id an answer names first.
func (h *host) stored(answer string) *schema.Memory {
	h.t.Helper()
	id := idShape.FindString(answer)
	require.NotEmpty(h.t, id, answer)
	return h.memory(id)
}

const unknownID = "01890000-0000-7000-8000-000000000000"
