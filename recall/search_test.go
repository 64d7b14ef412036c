package recall

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ebbmem/ebb/internal/pgtest"
	"github.com/ebbmem/ebb/recall/lexicon"
	"github.com/ebbmem/ebb/schema"
)

// Ada's results, their order and their exact scores do not depend on anything that Bob
// stores.
func TestAnotherUserChangesNothing(t *testing.T) {
	alone, shared, n := open(t), open(t), 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		ada, bob := schema.Scope{User: fmt.Sprint("ada", n)}, schema.Scope{User: fmt.Sprint("bob", n)}
		say(t, alone, ada, turn{text: "so it begins"})
		say(t, shared, ada, turn{text: "so it begins"})
		for range rapid.IntRange(1, 10).Draw(t, "turns") {
			said := someTurn.Draw(t, "Ada's")
			say(t, alone, ada, said)
			say(t, shared, ada, said)
			say(t, shared, bob, rapid.SliceOfN(someTurn, 0, 4).Draw(t, "Bob's")...)
		}
		one, other := New(alone, Options{}), New(shared, Options{})
		for range 3 {
			q := Query{Text: someQuestion.Draw(t, "question"), Limit: 50}
			want, got := searchAs(t, one, ada, q), searchAs(t, other, ada, q)
			require.Equal(t, seen(want), seen(got))
		}
	})
}

// seen is everything an answer shows but the ids.
func seen(a *Answer) string {
	var b strings.Builder
	fmt.Fprintln(&b, a.Considered, a.Degraded)
	for _, r := range a.Results {
		fmt.Fprintln(&b, r.Rank, r.Memory.Content, r.Memory.Speaker, r.Score, r.Arms, r.Signals)
	}
	return b.String()
}

func TestSearchFinds(t *testing.T) {
	db := open(t)
	day := 24 * 60
	say(t, db, ada,
		turn{session: "a", speaker: "Ada", role: "user", text: "I finally bought the cello I told you about.", minutes: -60 * day},
		turn{session: "a", speaker: "Bo", role: "user", text: "Congratulations!", minutes: -60*day + 1},
		turn{session: "b", speaker: "Bo", role: "user", text: "Where did you two meet?", minutes: -30 * day},
		turn{session: "b", speaker: "Ada", role: "user", text: "At a ceramics evening in Porto.", minutes: -30*day + 1},
		turn{session: "c", speaker: "Ada", role: "user", text: "My aunt is a painter, and her studio floods every winter.", minutes: -7 * day},
		turn{session: "c", speaker: "Bo", role: "user", text: "We spent the whole afternoon repairing a gate.", minutes: -7*day + 1},
		turn{session: "d", speaker: "Ada", role: "user", text: "家里的小猫总是半夜叫我起床。", minutes: -3 * day},
		turn{session: "d", speaker: "Bo", role: "user", text: "The ferry was late, so the concert began without us.", minutes: -2 * day},
	)
	s := New(db, Options{})
	for question, want := range map[string]string{
		"which instrument did Ada buy, a cello?": "I finally bought the cello I told you about.",
		"who paints in Ada's family?":            "My aunt is a painter, and her studio floods every winter.",
		"猫咪晚上做什么？":                               "家里的小猫总是半夜叫我起床。",
		"Where did Ada meet him?":                "At a ceramics evening in Porto.",
		"what went on last week":                 "We spent the whole afternoon repairing a gate.",
	} {
		found := texts(search(t, s, Query{Text: question, Limit: 3}))
		require.Contains(t, found, want, question)
	}
	require.Empty(t, search(t, s, Query{Text: "zeppelin"}).Results)
	nobody, err := s.Search(context.Background(), schema.Scope{User: "nobody"}, Query{Text: "cello"})
	require.NoError(t, err)
	require.Empty(t, nobody.Results)
}

func TestSearchRestricts(t *testing.T) {
	db := open(t)
	ids := say(t, db, ada,
		turn{session: "a", text: "the kettle is green", minutes: 0},
		turn{session: "b", text: "the kettle is loud", minutes: 60},
	)
	changeState(t, db, ids[1], schema.StateDormant)
	s := New(db, Options{})
	at := func(minutes int) time.Time { return noon.Add(time.Duration(minutes) * time.Minute) }
	for name, test := range map[string]struct {
		q    Query
		want int
	}{
		"active only":       {Query{}, 1},
		"dormant too":       {Query{Dormant: true}, 2},
		"kind":              {Query{Kinds: []schema.Kind{schema.KindFact}}, 0},
		"session":           {Query{Session: "b", Dormant: true}, 1},
		"session not there": {Query{Session: "z"}, 0},
		"since":             {Query{Since: at(1), Dormant: true}, 1},
		"until":             {Query{Until: at(60), Dormant: true}, 1},
		"tag":               {Query{Tag: "kitchen"}, 0},
		"agent":             {Query{Agent: "cook"}, 0},
		"skip":              {Query{Skip: func(*schema.Memory) bool { return true }}, 0},
		"not yet true":      {Query{AsOf: AsOf{Valid: at(-1)}}, 0},
		"true by then":      {Query{AsOf: AsOf{Valid: at(30)}}, 1},
		"budget":            {Query{Budget: 1, Dormant: true}, 0},
		"limit":             {Query{Limit: 1, Dormant: true}, 1},
	} {
		test.q.Text = "kettle"
		require.Len(t, search(t, s, test.q).Results, test.want, name)
	}
}

func TestSearchRefuses(t *testing.T) {
	s := New(open(t), Options{})
	for name, test := range map[string]struct {
		scope schema.Scope
		q     Query
		field string
	}{
		"no user":      {schema.Scope{}, Query{Text: "x"}, "Scope.User"},
		"nothing":      {ada, Query{Text: " \n"}, "query"},
		"too long":     {ada, Query{Text: strings.Repeat("x", maxQuery+1)}, "query"},
		"broken":       {ada, Query{Text: "\xff"}, "query"},
		"limit":        {ada, Query{Text: "x", Limit: -1}, "limit"},
		"large limit":  {ada, Query{Text: "x", Limit: MaxLimit + 1}, "limit"},
		"budget":       {ada, Query{Text: "x", Budget: -1}, "budget"},
		"diversity":    {ada, Query{Text: "x", Diversity: 1.5}, "diversity"},
		"kind":         {ada, Query{Text: "x", Kinds: []schema.Kind{"rumour"}}, "kind"},
		"since, until": {ada, Query{Text: "x", Since: noon, Until: noon}, "since"},
	} {
		_, err := s.Search(context.Background(), test.scope, test.q)
		var invalid *schema.InvalidError
		require.ErrorAs(t, err, &invalid, name)
		require.Equal(t, test.field, invalid.Field, name)
		_, err = s.Why(context.Background(), test.scope, test.q, "some id")
		require.ErrorAs(t, err, &invalid, name)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := s.Search(ctx, ada, Query{Text: "x"})
	require.ErrorIs(t, err, context.Canceled)
}

// brokenArm stands for an arm whose source has failed.
type brokenArm struct{}

func (brokenArm) Name() string { return "broken" }
func (brokenArm) Candidates(context.Context, *Request) ([]Candidate, error) {
	return nil, errors.New("the wire is cut")
}

func TestBrokenArmIsReported(t *testing.T) {
	db := open(t)
	say(t, db, ada, turn{text: "the kettle is green"})
	s := New(db, Options{})
	want := search(t, s, Query{Text: "kettle"})
	s.arms = append(s.arms, brokenArm{})
	got := search(t, s, Query{Text: "kettle"})
	require.Equal(t, []Degraded{{Arm: "broken", Reason: "the wire is cut"}}, got.Degraded)
	require.Equal(t, want.Results, got.Results)
}

func TestEntityArmFollowsAliases(t *testing.T) {
	db := open(t)
	ids := say(t, db, ada,
		turn{session: "a", speaker: "Ada", role: "user", text: "My boss wants the figures by Monday."},
		turn{session: "b", speaker: "Ada", role: "user", text: "The heating broke again."},
	)
	require.NoError(t, db.Write(context.Background(), func(ctx context.Context, tx *schema.Tx) error {
		user, err := tx.UserID(ctx, ada)
		if err != nil {
			return err
		}
		vera, _, err := tx.ResolveEntity(ctx, user, schema.EntityPerson, "Vera", 1)
		if err != nil {
			return err
		}
		return tx.LinkEntity(ctx, ids[0], vera.ID, "My boss", 1)
	}))
	answer := search(t, New(db, Options{}), Query{Text: "What does Vera want?"})
	require.Equal(t, "My boss wants the figures by Monday.", answer.Results[0].Memory.Content)
	require.Contains(t, answer.Results[0].Arms, ArmRank{Arm: "entity", Rank: 1, Score: 1})
	require.Contains(t, answer.Results[0].Explain(), "entity")
}

// Searches run while turns are being written; every answer holds what was
// written before it began.
func TestSearchWhileWriting(t *testing.T) {
	db := open(t)
	say(t, db, ada, turn{session: "a", text: "kettle number zero"})
	s := New(db, Options{})
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			last := 0
			for range 40 {
				answer, err := s.Search(context.Background(), ada, Query{Text: "kettle", Limit: 100, Now: noon})
				if err != nil || len(answer.Results) < last {
					t.Errorf("%d results after %d: %v", len(answer.Results), last, err)
					return
				}
				last = len(answer.Results)
			}
		})
	}
	for i := range 40 {
		say(t, db, ada, turn{session: "a", text: fmt.Sprint("kettle number ", i), minutes: 20 - i})
		require.Len(t, search(t, s, Query{Text: "kettle", Limit: 100}).Results, i+2)
	}
	wg.Wait()
}

// Going through all lists side by side scores as adding up word by word does.
func TestMatchAddsUpBM25(t *testing.T) {
	pgtest.FileOnly(t, "its text index")
	db, n := open(t), 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		ada := schema.Scope{User: fmt.Sprint("ada", n)}
		ids := say(t, db, ada, rapid.SliceOfN(someTurn, 1, 20).Draw(t, "turns")...)
		for range rapid.IntRange(0, 4).Draw(t, "keys") {
			addKey(t, db, rapid.SampledFrom(ids).Draw(t, "keyed"), someQuestion.Draw(t, "key"))
		}
		ix := readIndex(t, db, ada)
		for range rapid.IntRange(0, 3).Draw(t, "copies") { // beyond one stretch
			for range stretchChunks / 2 {
				at := ix.lastChunk + 1
				ix.add(schema.IndexedChunk{ID: at, MemoryID: 1e9 + at, Text: []byte("kettl paint"), Kind: schema.KindEpisode, State: schema.StateActive}, 0)
			}
		}
		q := ix.understand(someQuestion.Draw(t, "question"), noon)
		m := borrow(ix)
		defer m.release()
		m.match(ix, q)
		m.settle(ix, &filter{})
		want := wordByWord(ix, q)
		require.Len(t, m.found, len(want))
		for doc, d := range want {
			got := *m.of(doc)
			got.doc = 0
			require.Equal(t, d, got)
		}
	})
}

// wordByWord is the scoring of documents in its simplest form.
func wordByWord(ix *index, q *question) map[uint32]docMatch {
	uses := func(at uint32, term uint32) (n int) {
		for _, t := range ix.chunks.Terms(nil, at) {
			if t == term {
				n++
			}
		}
		return min(n, lexicon.MaxFrequency)
	}
	found := make(map[uint32]docMatch)
	for at := range uint32(ix.chunks.Len()) {
		doc := ix.chunks.Doc(at)
		d := found[doc]
		var own, related float32
		weight := func(idf float32, uses int) float32 {
			return idf * termWeight(float32(uses), float32(ix.chunks.Lengths[at]), ix.meanLength())
		}
		held := parts(0)
		for i, p := range q.parts {
			if n := uses(at, p.exact); p.known && n > 0 {
				own += weight(p.idf, n)
				held |= 1 << i
				d.exact |= 1 << i
				continue
			}
			for _, r := range p.related {
				if n := uses(at, r.term); n > 0 {
					related += weight(p.relatedIDF*r.weight, n)
					held |= 1 << i
					d.loose |= 1 << i
					break
				}
			}
		}
		if held == 0 {
			continue
		}
		if sum := own + related; sum > d.most {
			d.best, d.most = at, sum
		}
		d.own, d.related = max(d.own, own), max(d.related, related)
		found[doc] = d
	}
	for doc, d := range found {
		d.loose &^= d.exact
		found[doc] = d
	}
	return found
}
