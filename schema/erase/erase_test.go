package erase_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ebbmem/ebb/internal/memtest"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/erase"
)

// thing is a memory of the random graph. Its words occur nowhere else, unless
// it repeats those of a source.
type thing struct {
	uid, event, word string
	kind             schema.Kind
	sources          []int // none for a message, and for a fact that the user stated
	repeats          int   // a source whose word it says too; -1 = none
	replaces         int   // a claim whose place it took; -1 = none
	mentions         []int
}

type graph struct {
	user     string
	things   []thing
	entities []string // public ids
	words    []string // of their names
	about    []int    // the thing that an entity's summary speaks of; -1 = none
}

func (g *graph) said(i int) []string {
	said := []string{g.things[i].word}
	if r := g.things[i].repeats; r >= 0 {
		said = append(said, g.things[r].word)
	}
	return said
}

// drawn makes a graph: messages first, then what rests on what stands before it.
func drawn(t *rapid.T, user string) *graph {
	g := &graph{user: user}
	word := func(what string, i int) string { return fmt.Sprintf("x%s%dq%s", what, i, user) }
	messages := rapid.IntRange(2, 6).Draw(t, "messages")
	derived := rapid.IntRange(0, 7).Draw(t, "derived")
	for i := range rapid.IntRange(0, 3).Draw(t, "entities") {
		g.words = append(g.words, word("name", i))
	}
	for i := range messages + derived {
		one := thing{kind: schema.KindEpisode, word: word("word", i), event: fmt.Sprint("e", i), repeats: -1, replaces: -1}
		if i >= messages {
			one.event, one.kind = "", schema.KindFact
			one.sources = rapid.SliceOfNDistinct(rapid.IntRange(0, i-1), 1, min(3, i), rapid.ID[int]).Draw(t, "sources")
			if len(one.sources) > 1 && rapid.Bool().Draw(t, "insight") {
				one.kind = schema.KindReflection
			}
			if stated := rapid.IntRange(0, 4).Draw(t, "stated") == 0; stated {
				one.kind, one.sources = schema.KindFact, nil
				one.repeats = rapid.IntRange(0, messages-1).Draw(t, "also said")
			} else if rapid.Bool().Draw(t, "repeats") {
				one.repeats = rapid.SampledFrom(one.sources).Draw(t, "repeated")
			}
			if one.kind == schema.KindFact && i > messages && rapid.Bool().Draw(t, "replaces") {
				old := rapid.IntRange(messages, i-1).Draw(t, "replaced")
				taken := slices.ContainsFunc(g.things, func(o thing) bool { return o.replaces == old })
				if g.things[old].kind == schema.KindFact && !taken {
					one.replaces = old
				}
			}
		}
		if len(g.words) > 0 {
			one.mentions = rapid.SliceOfNDistinct(rapid.IntRange(0, len(g.words)-1), 0, len(g.words), rapid.ID[int]).Draw(t, "mentions")
		}
		g.things = append(g.things, one)
	}
	for range g.words {
		g.about = append(g.about, rapid.IntRange(-1, len(g.things)-1).Draw(t, "about"))
	}
	return g
}

func (g *graph) store(ctx context.Context, tx *schema.Tx) error {
	scope := schema.Scope{User: g.user}
	user, err := tx.UserID(ctx, scope)
	if err != nil {
		return err
	}
	entities := make([]*schema.Entity, len(g.words))
	for i, word := range g.words {
		if entities[i], err = tx.CreateEntity(ctx, user, schema.EntityName, word, 1); err != nil {
			return err
		}
		g.entities = append(g.entities, entities[i].UID)
	}
	stored := make([]*schema.Memory, len(g.things))
	by := schema.Actor{Name: "night"}
	for i := range g.things {
		one := &g.things[i]
		m := &schema.Memory{UserID: user, Kind: one.kind, Content: "It is " + strings.Join(g.said(i), " and "), Confidence: .8, Importance: .25, Origin: schema.OriginUser, Trust: 4,
			Attributes: schema.Attributes{"place": "harbour"}}
		if one.kind == schema.KindEpisode {
			m.Content += " in that temporal state" // words of ebb's own
		} else {
			m.Subject, m.Attributes[schema.AttrTemporal] = "the user", "state"
		}
		chunks := schema.PrepareChunks(m.Content, "")
		if one.kind == schema.KindEpisode {
			e := &schema.EventRow{UserID: user, ID: one.event, Topic: "user.message", Origin: schema.OriginUser, Trust: 4, Payload: json.RawMessage(`{"text":"` + m.Content + `"}`)}
			if err := tx.AppendEvents(ctx, &schema.NewEvent{Owner: scope, Row: e}); err != nil {
				return err
			}
			m.EventSeq = e.Seq
			err = tx.InsertMemory(ctx, m, chunks)
		} else {
			quotes := make(map[int64]string)
			for _, s := range one.sources {
				quotes[stored[s].ID] = g.things[s].word
			}
			err = tx.AddDerived(ctx, m, chunks, quotes, by)
		}
		if err != nil {
			return err
		}
		stored[i], one.uid = m, m.UID
		for _, e := range one.mentions {
			if err := tx.LinkEntity(ctx, m.ID, entities[e].ID, g.words[e], 1); err != nil {
				return err
			}
		}
		if one.replaces >= 0 {
			old, err := tx.Memory(ctx, user, g.things[one.replaces].uid)
			if err != nil {
				return err
			}
			if err := tx.Supersede(ctx, old, m, by); err != nil {
				return err
			}
		}
	}
	for i, about := range g.about {
		if about >= 0 {
			if err := tx.Summarise(ctx, entities[i], "Known for "+g.things[about].word, by); err != nil {
				return err
			}
		}
	}
	_, err = tx.Exec(ctx, "UPDATE users SET importance_since = 100 WHERE id = ?", user)
	return err
}

// falls is what goes with the chosen, by the rule alone: what has too little
// left to rest on, and what says what only the fallen say.
func (g *graph) falls(chosen []int) map[int]bool {
	gone := make(map[int]bool)
	for _, i := range chosen {
		gone[i] = true
	}
	saidBy := func(word string, among func(int) bool) bool {
		for i := range g.things {
			if among(i) && slices.Contains(g.said(i), word) {
				return true
			}
		}
		return false
	}
	for again := true; again; {
		again = false
		for i, one := range g.things {
			if gone[i] || one.kind == schema.KindEpisode {
				continue
			}
			left, lost := 0, 0
			for _, s := range one.sources {
				if gone[s] {
					lost++
				} else {
					left++
				}
			}
			falls := lost > 0 && (left == 0 || one.kind == schema.KindReflection && left < 2)
			for _, word := range g.said(i) {
				only := saidBy(word, func(s int) bool { return gone[s] && slices.Contains(one.sources, s) }) &&
					!saidBy(word, func(s int) bool { return !gone[s] && slices.Contains(one.sources, s) })
				insight := one.kind == schema.KindReflection && saidBy(word, func(s int) bool { return gone[s] && g.things[s].kind != schema.KindReflection }) &&
					!saidBy(word, func(s int) bool { return !gone[s] && g.things[s].kind != schema.KindReflection })
				falls = falls || only || insight
			}
			if falls {
				gone[i], again = true, true
			}
		}
	}
	return gone
}

// wasSaid reports whether the word of a thing was in a fallen one: its own, or
// one that repeated it.
func (g *graph) wasSaid(i int, gone map[int]bool) bool {
	return slices.ContainsFunc(slices.Collect(maps.Keys(gone)), func(j int) bool { return gone[j] && slices.Contains(g.said(j), g.things[i].word) })
}

// stillSaid reports whether the word of a thing is still in a message or a claim;
// an insight, which a model worded, does not count.
func (g *graph) stillSaid(i int, gone map[int]bool) bool {
	for j, one := range g.things {
		if !gone[j] && one.kind != schema.KindReflection && slices.Contains(g.said(j), g.things[i].word) {
			return true
		}
	}
	return false
}

// texts are all rows of a user as text, by table and key.
func texts(t require.TestingT, db *schema.DB, user string) map[string]string {
	rows := make(map[string]string)
	queries := map[string]string{
		"memories": "SELECT * FROM memories WHERE user_id = ?", "chunks": "SELECT c.* FROM chunks c JOIN memories m ON m.id = c.memory_id WHERE m.user_id = ?",
		"events": "SELECT * FROM events WHERE user_id = ?", "sources": "SELECT s.* FROM memory_sources s JOIN memories m ON m.id = s.memory_id WHERE m.user_id = ?",
		"links": "SELECT l.* FROM links l JOIN memories m ON m.id = l.from_id WHERE m.user_id = ?", "entities": "SELECT * FROM entities WHERE user_id = ?",
		"aliases": "SELECT * FROM entity_aliases WHERE user_id = ?", "mentions": "SELECT e.* FROM memory_entities e JOIN memories m ON m.id = e.memory_id WHERE m.user_id = ?",
		"ops": "SELECT * FROM ops WHERE user_id = ?", "users": "SELECT * FROM users WHERE id = ?",
	}
	require.NoError(t, db.Read(context.Background(), func(ctx context.Context, s *schema.Snapshot) error {
		id, err := s.UserID(ctx, schema.Scope{User: user})
		if err != nil {
			return err
		}
		for table, query := range queries {
			found, err := s.QueryContext(ctx, query, id)
			if err != nil {
				return err
			}
			columns, err := found.Columns()
			if err != nil {
				return err
			}
			for n := 0; found.Next(); n++ {
				values, into := make([]any, len(columns)), make([]any, len(columns))
				for i := range values {
					into[i] = &values[i]
				}
				if err := found.Scan(into...); err != nil {
					return err
				}
				rows[fmt.Sprint(table, " ", values[0], " ", values[1])] = fmt.Sprint(values...)
			}
			if err := found.Err(); err != nil {
				return err
			}
		}
		return nil
	}))
	return rows
}

func TestEraseDerived(t *testing.T) {
	db := memtest.Open(t)
	users := 0
	rapid.Check(t, func(t *rapid.T) {
		users++
		g, bystander := drawn(t, fmt.Sprint("u", users)), drawn(t, fmt.Sprint("by", users))
		for _, one := range []*graph{g, bystander} {
			require.NoError(t, db.Write(context.Background(), one.store))
		}
		before, beside := texts(t, db, g.user), texts(t, db, bystander.user)
		chosen := rapid.SliceOfNDistinct(rapid.IntRange(0, len(g.things)-1), 1, len(g.things), rapid.ID[int]).Draw(t, "chosen")
		var what erase.Erasure
		for _, i := range chosen {
			if id := g.things[i].event; id != "" && rapid.Bool().Draw(t, "by event") {
				what.Events = append(what.Events, id)
			} else {
				what.Memories = append(what.Memories, g.things[i].uid)
			}
		}
		would, err := erase.Preview(context.Background(), db, schema.Scope{User: g.user}, what)
		require.NoError(t, err)
		require.Equal(t, before, texts(t, db, g.user), "a preview changes nothing")
		receipt, err := erase.Run(context.Background(), db, schema.Scope{User: g.user}, what, schema.Actor{Name: "host"})
		require.NoError(t, err)
		require.Equal(t, would.Erased, receipt.Erased, "and tells the truth")
		gone := g.falls(chosen)
		require.EqualValues(t, len(gone), receipt.Erased["memories"])

		after := texts(t, db, g.user)
		require.Equal(t, beside, texts(t, db, bystander.user), "another user's rows")
		whole := fmt.Sprint(after)
		touched := make(map[string]bool) // what rests on the fallen too, or was replaced by one
		for i, one := range g.things {
			switch {
			case gone[i]:
				if !g.stillSaid(i, gone) {
					require.NotContains(t, whole, one.word)
				}
				require.NotContains(t, whole, one.uid)
				if one.replaces >= 0 {
					touched[g.things[one.replaces].uid] = true
				}
			case slices.ContainsFunc(one.sources, func(s int) bool { return gone[s] }):
				touched[one.uid] = true
				require.Contains(t, receipt.Rederived, one.uid)
			}
		}
		for i, one := range g.things {
			if gone[i] {
				continue
			}
			require.Contains(t, whole, one.word)
			for key, row := range before {
				if strings.HasPrefix(key, "memories ") && strings.Contains(key, one.uid) && !touched[one.uid] {
					require.Equal(t, row, after[key])
				}
			}
		}
		g.checkRest(t, db, gone, before, after)
	})
	if !db.Capabilities().TextIndex {
		return
	}
	require.NoError(t, db.Write(context.Background(), func(ctx context.Context, tx *schema.Tx) error {
		_, err := tx.Exec(ctx, "INSERT INTO chunks_fts (chunks_fts, rank) VALUES ('integrity-check', 1)")
		return err
	}))
}

// checkRest looks at entities and replaced claims.
func (g *graph) checkRest(t *rapid.T, db *schema.DB, gone map[int]bool, before, after map[string]string) {
	require.NoError(t, db.Read(context.Background(), func(ctx context.Context, s *schema.Snapshot) error {
		user, err := s.UserID(ctx, schema.Scope{User: g.user})
		require.NoError(t, err)
		for i, uid := range g.entities {
			mentions, lost := 0, false
			for j, one := range g.things {
				if slices.Contains(one.mentions, i) {
					lost = lost || gone[j]
					if !gone[j] {
						mentions++
					}
				}
			}
			e, err := s.Entity(ctx, user, uid)
			if mentions == 0 && lost {
				require.ErrorIs(t, err, schema.ErrNotFound, "nothing mentions it any more")
				require.NotContains(t, fmt.Sprint(after), g.words[i])
				continue
			}
			require.NoError(t, err)
			require.EqualValues(t, mentions, e.MentionCount)
			require.Equal(t, lost || g.about[i] < 0 || g.wasSaid(g.about[i], gone) && !g.stillSaid(g.about[i], gone), e.Summary == "", "a summary that drew on it goes, others stay")
		}
		for i, one := range g.things {
			if gone[i] {
				continue
			}
			m, err := s.Memory(ctx, user, one.uid)
			require.NoError(t, err)
			heir := slices.IndexFunc(g.things, func(o thing) bool { return o.replaces == i })
			for heir >= 0 && gone[heir] {
				heir = slices.IndexFunc(g.things, func(o thing) bool { return o.replaces == heir })
			}
			if heir < 0 {
				require.Equal(t, schema.StateActive, m.State, "it holds, or holds again")
				require.True(t, m.ValidUntil.IsZero())
				require.Zero(t, m.SupersededBy)
				continue
			}
			require.Equal(t, schema.StateSuperseded, m.State)
			by, err := s.Memory(ctx, user, g.things[heir].uid)
			require.NoError(t, err)
			require.Equal(t, by.ID, m.SupersededBy)
		}
		for key, row := range before {
			if now, there := after[key]; there && (strings.HasPrefix(key, "chunks ") || strings.HasPrefix(key, "events ") || strings.HasPrefix(key, "sources ") || strings.HasPrefix(key, "aliases ")) {
				require.Equal(t, row, now)
			}
		}
		if !db.Capabilities().File {
			return nil // the server would have refused them
		}
		var broken int
		require.NoError(t, s.Row(ctx, "SELECT count(*) FROM pragma_foreign_key_check", nil, &broken))
		require.Zero(t, broken)
		return nil
	}))
}
