package recall

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/ebbmem/ebb/schema"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	noon  = time.Date(2025, 5, 14, 12, 0, 0, 0, time.UTC) // a Wednesday
	ada   = schema.Scope{User: "ada"}
	host  = schema.Actor{Name: "host"}
	clock = func() time.Time { return noon }
)

// failer is what a test and a property have in common.
type failer interface {
	require.TestingT
	Helper()
}

func open(t testing.TB) *schema.DB {
	t.Helper()
	db, err := schema.Open(context.Background(), filepath.Join(t.TempDir(), "memory.db"), &schema.Options{Now: clock})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

// turn is one message of a test's conversation.
type turn struct {
	session, speaker, role, text string
	issues                       string // that it refers to
	minutes                      int    // after noon
}

// say stores turns in one transaction and returns their ids.
func say(t failer, db *schema.DB, scope schema.Scope, turns ...turn) (ids []int64) {
	t.Helper()
	for i, said := range turns {
		m := &schema.Memory{
			UID:  fmt.Sprintf("%s-%s-%d-%d", scope.Tenant, scope.User, time.Now().UnixNano(), i),
			Kind: schema.KindEpisode, Role: said.role, Speaker: said.speaker, Content: said.text,
			EventTime: schema.At(noon.Add(time.Duration(said.minutes) * time.Minute)), Confidence: 1, Importance: 0.5, Origin: schema.OriginUser, Trust: schema.OriginUser.Ceiling(),
		}
		if said.issues != "" {
			m.Attributes = schema.Attributes{schema.AttrIssues: said.issues}
		}
		ids = append(ids, store(t, db, scope, said.session, m))
	}
	return ids
}

func store(t failer, db *schema.DB, scope schema.Scope, session string, m *schema.Memory) int64 {
	t.Helper()
	require.NoError(t, db.Write(context.Background(), func(ctx context.Context, tx *schema.Tx) error {
		var err error
		if m.UserID, err = tx.UserID(ctx, scope); err != nil {
			return err
		}
		if m.SessionID, err = tx.SessionID(ctx, m.UserID, session); err != nil {
			return err
		}
		return tx.InsertMemory(ctx, m, schema.PrepareChunks(m.Content, m.Speaker))
	}))
	return m.ID
}

// withoutTopics are the default weights without everyday topics, for tests of
// what else finds a text.
func withoutTopics() *Weights {
	w := DefaultWeights()
	w.Topic, w.TopicBeside = 0, 0
	return &w
}

func search(t failer, s *Searcher, q Query) *Answer {
	t.Helper()
	return searchAs(t, s, ada, q)
}

func searchAs(t failer, s *Searcher, scope schema.Scope, q Query) *Answer {
	t.Helper()
	if q.Now.IsZero() {
		q.Now = noon
	}
	answer, err := s.Search(context.Background(), scope, q)
	require.NoError(t, err)
	return answer
}

func texts(a *Answer) (all []string) {
	for _, r := range a.Results {
		all = append(all, r.Memory.Content)
	}
	return all
}

// snapshot reads with the user's id.
func snapshot(t failer, db *schema.DB, scope schema.Scope, fn func(context.Context, *schema.Snapshot, int64)) {
	t.Helper()
	require.NoError(t, db.Read(context.Background(), func(ctx context.Context, s *schema.Snapshot) error {
		id, err := s.UserID(ctx, scope)
		fn(ctx, s, id)
		return err
	}))
}

var (
	someWords = rapid.SampledFrom([]string{
		"kettle", "paint", "painter", "painting", "Lisbon", "garden", "I", "you", "yesterday", "when", "the", "cello",
		"三", "猫咪", "小猫", "bought", "buy", "Marta", "seven", "harbour", "always", "always prefer",
	})
	someTurn = rapid.Custom(func(t *rapid.T) turn {
		words := rapid.SliceOfN(someWords, 1, 8).Draw(t, "words")
		said := turn{
			session: rapid.SampledFrom([]string{"", "one", "two"}).Draw(t, "session"),
			speaker: rapid.SampledFrom([]string{"", "Ada", "Marta"}).Draw(t, "speaker"),
			role:    rapid.SampledFrom([]string{"user", "assistant"}).Draw(t, "role"),
			issues:  rapid.SampledFrom([]string{"", "", "7", "7,8"}).Draw(t, "issues"),
			minutes: rapid.IntRange(-5, 5).Draw(t, "minutes"),
		}
		for _, w := range words {
			said.text += w + " "
		}
		return said
	})
	someQuestion = rapid.Custom(func(t *rapid.T) string {
		q := ""
		for _, w := range rapid.SliceOfN(someWords, 1, 5).Draw(t, "question") {
			q += w + " "
		}
		return q
	})
)
