package recall

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ebbmem/ebb/recall/diverse"
	"github.com/ebbmem/ebb/schema"
)

var night = schema.Actor{Name: "night"}

// claim stores a fact that rests on the given memories.
func claim(t failer, db *schema.DB, scope schema.Scope, content string, trust schema.Trust, sources ...int64) *schema.Memory {
	t.Helper()
	m := &schema.Memory{
		Kind: schema.KindFact, Content: content, EventTime: schema.At(noon), Confidence: 0.9, Importance: 0.5,
		Origin: schema.OriginUser, Trust: trust, DecayRate: schema.DefaultDecayRate,
	}
	require.NoError(t, db.Write(context.Background(), func(ctx context.Context, tx *schema.Tx) (err error) {
		if m.UserID, err = tx.UserID(ctx, scope); err != nil {
			return err
		}
		quotes := make(map[int64]string)
		for _, id := range sources {
			quotes[id] = ""
		}
		return tx.AddDerived(ctx, m, schema.PrepareChunks(content, ""), quotes, night)
	}))
	return m
}

// write changes a memory as it is now.
func write(t failer, db *schema.DB, m *schema.Memory, change func(context.Context, *schema.Tx, *schema.Memory) error) {
	t.Helper()
	require.NoError(t, db.Write(context.Background(), func(ctx context.Context, tx *schema.Tx) error {
		fresh, err := tx.Memory(ctx, m.UserID, m.UID)
		if err != nil {
			return err
		}
		return change(ctx, tx, fresh)
	}))
}

func retire(ctx context.Context, tx *schema.Tx, m *schema.Memory) error {
	return tx.Retire(ctx, m, night)
}

func TestFactIsKeyToTurn(t *testing.T) {
	db := open(t)
	turns := say(t, db, ada,
		turn{session: "one", speaker: "Ada", role: "user", text: "We took the last boxes up on Friday."},
		turn{session: "two", speaker: "Ada", role: "user", text: "The tram was late again."},
		turn{session: "three", speaker: "Ada", role: "user", text: "I had soup."},
	)
	s := New(db, Options{})
	q := Query{Text: "Who moved to Oslo?"}
	before := seen(search(t, s, q))
	require.NotContains(t, before, "boxes")

	fact := claim(t, db, ada, "Ada moved to Oslo.", schema.MaxTrust, turns[0])
	require.Equal(t, []string{"Ada moved to Oslo.", "We took the last boxes up on Friday."}, texts(search(t, s, q)),
		"the turn is found by the fact, which is a result of its own")
	require.Equal(t, []string{"We took the last boxes up on Friday."},
		texts(search(t, s, Query{Text: q.Text, Kinds: []schema.Kind{schema.KindEpisode}})))
	require.NotContains(t, texts(search(t, s, Query{Text: q.Text, AsOf: AsOf{Known: noon}})), "We took the last boxes up on Friday.",
		"what was claimed since does not speak for how things were")

	// A turn that backs it later is found by it too.
	write(t, db, fact, func(ctx context.Context, tx *schema.Tx, m *schema.Memory) error {
		_, err := tx.Reinforce(ctx, m, &schema.Memory{ID: turns[1], UID: "any"}, "", 1, night)
		return err
	})
	require.Contains(t, texts(search(t, s, q)), "The tram was late again.")

	write(t, db, fact, retire)
	require.Equal(t, before, seen(search(t, s, q)), "nothing is left of it")
}

func TestDoubtfulFactIsNoKey(t *testing.T) {
	q := Query{Text: "Who moved to Oslo?", Kinds: []schema.Kind{schema.KindEpisode}}
	for name, change := range map[string]func(context.Context, *schema.Tx, *schema.Memory) error{
		"quarantined": func(ctx context.Context, tx *schema.Tx, m *schema.Memory) error {
			return tx.SetState(ctx, m, schema.StateQuarantined, night)
		},
		"retired": retire,
		"superseded": func(ctx context.Context, tx *schema.Tx, m *schema.Memory) error {
			by := &schema.Memory{UserID: m.UserID, Kind: schema.KindFact, Content: "She lives in Bergen.", Confidence: 1, Trust: m.Trust, Origin: m.Origin}
			if err := tx.InsertMemory(ctx, by, schema.PrepareChunks(by.Content, "")); err != nil {
				return err
			}
			return tx.Supersede(ctx, m, by, night)
		},
	} {
		t.Run(name, func(t *testing.T) {
			db := open(t)
			turns := say(t, db, ada, turn{role: "user", text: "We took the last boxes up on Friday."})
			fact := claim(t, db, ada, "Ada moved to Oslo.", schema.MaxTrust, turns[0])
			s := New(db, Options{})
			require.Len(t, search(t, s, q).Results, 1)
			write(t, db, fact, change)
			require.Empty(t, search(t, s, q).Results)
		})
	}
	t.Run("faded", func(t *testing.T) { // it is no result any more, but as true as before
		db := open(t)
		turns := say(t, db, ada, turn{role: "user", text: "We took the last boxes up on Friday."})
		fact := claim(t, db, ada, "Ada moved to Oslo.", schema.MaxTrust, turns[0])
		write(t, db, fact, func(ctx context.Context, tx *schema.Tx, m *schema.Memory) error {
			return tx.SetState(ctx, m, schema.StateDormant, night)
		})
		require.Equal(t, []string{"We took the last boxes up on Friday."}, texts(search(t, New(db, Options{}), Query{Text: q.Text})))
	})
	t.Run("of less trust than the turn", func(t *testing.T) {
		db := open(t)
		turns := say(t, db, ada, turn{role: "user", text: "We took the last boxes up on Friday."})
		claim(t, db, ada, "Ada moved to Oslo.", schema.MaxTrust-1, turns[0])
		require.Empty(t, search(t, New(db, Options{}), q).Results)
	})
}

func TestClaimIsKeyToFewTurns(t *testing.T) {
	db := open(t)
	var said []turn
	for i := range 12 {
		said = append(said, turn{session: fmt.Sprint(i), text: fmt.Sprint("box ", i)})
	}
	turns := say(t, db, ada, said...)
	fact := claim(t, db, ada, "Ada moved to Oslo.", schema.MaxTrust, turns...)
	var of []int64
	snapshot(t, db, ada, func(ctx context.Context, s *schema.Snapshot, user int64) {
		require.NoError(t, s.KeyedTurns(ctx, user, []int64{fact.ID}, func(claim, turn int64) {
			require.Equal(t, fact.ID, claim)
			of = append(of, turn)
		}))
		require.NoError(t, s.KeyedTurns(ctx, user+1, []int64{fact.ID}, func(int64, int64) { t.Error("another user's claim") }))
	})
	require.Equal(t, turns[4:], of, "the newest eight")
}

// Whatever facts came and went, the turns stand where they would without.
func TestRemovedFactsLeaveNoTrace(t *testing.T) {
	db, n := open(t), 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		cleo := schema.Scope{User: fmt.Sprint("cleo", n)}
		said := rapid.SliceOfN(someTurn, 2, 12).Draw(t, "turns")
		for i := range said {
			said[i].session = "s" + said[i].session
		}
		turns := say(t, db, cleo, said...)
		s := New(db, Options{})
		q := Query{Text: someQuestion.Draw(t, "question"), Limit: 50}
		before := seen(searchAs(t, s, cleo, q))
		var facts []*schema.Memory
		for range rapid.IntRange(1, 4).Draw(t, "facts") {
			of := rapid.SliceOfNDistinct(rapid.SampledFrom(turns), 0, 3, rapid.ID).Draw(t, "sources")
			facts = append(facts, claim(t, db, cleo, someQuestion.Draw(t, "fact")+"fresh", schema.MaxTrust, of...))
			searchAs(t, s, cleo, q)
		}
		for _, f := range facts {
			write(t, db, f, retire)
		}
		require.Equal(t, before, seen(searchAs(t, s, cleo, q)))
		require.Equal(t, before, seen(searchAs(t, New(db, Options{}), cleo, q)))
	})
}

func TestRation(t *testing.T) {
	derived := func(i *int) bool { return *i < 0 }
	rapid.Check(t, func(t *rapid.T) {
		items := rapid.SliceOf(rapid.IntRange(-50, 50)).Draw(t, "items")
		given := slices.Clone(items)
		out := diverse.Ration(items, derived)
		require.Equal(t, given, items, "what was given stays")
		require.ElementsMatch(t, items, out)
		part := func(all []int, of bool) []int {
			return slices.DeleteFunc(slices.Clone(all), func(i int) bool { return derived(&i) != of })
		}
		require.Equal(t, part(items, true), part(out, true), "each kind stays in order")
		require.Equal(t, part(items, false), part(out, false))
		turnsLeft, taken := len(part(items, false)), 0
		for k, item := range out {
			if derived(&item) {
				taken++
				if turnsLeft > 0 {
					require.LessOrEqual(t, float64(taken), diverse.DerivedShare*float64(k+1)+1, "of the first %d", k+1)
				}
			} else {
				turnsLeft--
			}
		}
		if !slices.ContainsFunc(items, func(i int) bool { return derived(&i) }) {
			require.Equal(t, given, out)
		}
	})
	require.Equal(t, []int{-1, 1, 2, -2, 3, 4, -3, 5, 6, -4}, diverse.Ration([]int{-1, -2, -3, -4, 1, 2, 3, 4, 5, 6}, derived))
	require.Equal(t, []int{-1, -2}, diverse.Ration([]int{-1, -2}, derived), "with no turns they have all places")
}
