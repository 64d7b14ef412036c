package enrich_test

import (
	"bufio"
	"context"
	"encoding/json"
	"maps"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/consolidate/enrich"
	"github.com/ebbmem/ebb/internal/memtest"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// turn is a line of testdata/mentions.jsonl.
type turn struct {
	ID, Session, Speaker, Role, Text string
	Time                             time.Time
	Mentions                         []struct{ Type, Text string }
	Entities                         []string
}

func labelled(t testing.TB) (turns []turn) {
	t.Helper()
	file, err := os.Open("testdata/mentions.jsonl")
	require.NoError(t, err)
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		var line turn
		require.NoError(t, json.Unmarshal(lines.Bytes(), &line))
		turns = append(turns, line)
	}
	require.NoError(t, lines.Err())
	require.NotEmpty(t, turns)
	return turns
}

// tally counts what was found rightly, wrongly and not at all.
type tally struct{ right, wrong, missed int }

func (c tally) precision() float64 { return float64(c.right) / float64(max(1, c.right+c.wrong)) }
func (c tally) recall() float64    { return float64(c.right) / float64(max(1, c.right+c.missed)) }
func (c tally) f1() float64 {
	return 2 * float64(c.right) / float64(max(1, 2*c.right+c.wrong+c.missed))
}

func compare[K comparable](got, want map[K]bool, each func(K, string)) (c tally) {
	for k := range want {
		if got[k] {
			c.right++
		} else {
			c.missed++
			each(k, "missed")
		}
	}
	for k := range got {
		if !want[k] {
			c.wrong++
			each(k, "wrong")
		}
	}
	return c
}

// The floors lie a little below the measured figures: a change may lose a turn or
// two, but not a kind of turn. F1 by type of mention.
var mentionFloors = map[string]float64{"date": .86, "email": .93, "handle": .90, "hashtag": .98, "name": .81, "url": .98}

const (
	entityPrecisionFloor = .85
	entityRecallFloor    = .75
)

func TestMentionsOfLabelledTurns(t *testing.T) {
	type key struct{ turn, text string }
	got, want := make(map[string]map[key]bool), make(map[string]map[key]bool)
	put := func(m map[string]map[key]bool, typ string, k key) {
		if m[typ] == nil {
			m[typ] = make(map[key]bool)
		}
		m[typ][k] = true
	}
	for _, line := range labelled(t) {
		for _, m := range line.Mentions {
			put(want, m.Type, key{line.ID, m.Text})
		}
		for _, m := range text.Mentions(line.Text) {
			put(got, string(m.Type), key{line.ID, m.Text})
		}
	}
	for _, typ := range slices.Sorted(maps.Keys(want)) {
		c := compare(got[typ], want[typ], func(k key, what string) { t.Logf("%-7s %-6s %-14s %q", typ, what, k.turn, k.text) })
		t.Logf("%-7s precision %.3f recall %.3f F1 %.3f (%d right, %d wrong, %d missed)", typ, c.precision(), c.recall(), c.f1(), c.right, c.wrong, c.missed)
		require.GreaterOrEqual(t, c.f1(), mentionFloors[typ], typ)
		require.Contains(t, mentionFloors, typ)
	}
}

// TestEntitiesOfLabelledTurns feeds the fixture through enrichment as one
// user's memory, in the order of the file, and compares the entities each turn
// is linked to, by the canonical name they have in the end.
func TestEntitiesOfLabelledTurns(t *testing.T) {
	db := memtest.Open(t)
	scope := schema.Scope{User: "ada"}
	enricher := enrich.New(db, enrich.Options{})
	turns := labelled(t)
	byMemory := make(map[int64]string)
	for _, line := range turns {
		m := memtest.Remember(t, db, scope, schema.Memory{
			Kind: schema.KindEpisode, Content: line.Text, Speaker: line.Speaker, Role: line.Role, EventTime: schema.At(line.Time), Confidence: 1,
		})
		byMemory[m.ID] = line.ID
		require.NoError(t, enricher.Enrich(t.Context(), scope, m.UID))
	}
	type key struct{ turn, entity string }
	got, want := make(map[key]bool), make(map[key]bool)
	canonical := make(map[string]bool)
	for _, line := range turns {
		for _, name := range line.Entities {
			want[key{line.ID, text.Fold(name)}] = true
			canonical[text.Fold(name)] = true
		}
	}
	merged := 0
	require.NoError(t, db.Read(t.Context(), func(ctx context.Context, s *schema.Snapshot) error {
		var links []struct {
			MemoryID int64
			Name     string
		}
		if err := s.NewRaw(`SELECT me.memory_id, e.name FROM memory_entities me JOIN entities e ON e.id = me.entity_id
			WHERE e.type IN ('name', 'person', 'place')`).Scan(ctx, &links); err != nil {
			return err
		}
		for _, l := range links {
			got[key{byMemory[l.MemoryID], text.Fold(l.Name)}] = true
		}
		var entities []schema.Entity
		if err := s.NewSelect().Model(&entities).Scan(ctx); err != nil {
			return err
		}
		for _, e := range entities {
			aliases, err := s.AliasesOf(ctx, e.ID)
			if err != nil {
				return err
			}
			var names []string
			for _, a := range aliases {
				if canonical[a.Alias] {
					names = append(names, a.Surface)
				}
			}
			if len(names) > 1 {
				merged++
				t.Logf("one entity for %q", names)
			}
		}
		return nil
	}))
	c := compare(got, want, func(k key, what string) { t.Logf("entity %-6s %-14s %q", what, k.turn, k.entity) })
	t.Logf("entities precision %.3f recall %.3f F1 %.3f (%d right, %d wrong, %d missed), %d wrongly merged", c.precision(), c.recall(), c.f1(), c.right, c.wrong, c.missed, merged)
	require.GreaterOrEqual(t, c.precision(), entityPrecisionFloor)
	require.GreaterOrEqual(t, c.recall(), entityRecallFloor)
	require.Zero(t, merged, "two entities must not be merged")
}
