package extension

import (
	"context"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension/transfer"
	"github.com/ebbmem/ebb/recall"
	"github.com/ebbmem/ebb/schema"
)

// The numbers of ada-three-tier.md §3.2: score = α·recency + β·importance/10 +
// γ·relevance, α = β = γ = 1.0. Its λ = .995 would give e^(−99.5) at 100 cycles
// where it states "~30 %": that takes λ = .012.
func TestThreeTierScore(t *testing.T) {
	for _, c := range []struct {
		ago                   int64
		importance, relevance float64
		want                  float64
	}{
		{0, 10, 1, 3}, {0, 1, 0, 1.1}, {100, 8, .5, math.Exp(-1.2) + .8 + .5}, {50, 5, 1, math.Exp(-.6) + .5 + 1},
	} {
		sum := 0.0
		for _, s := range (ThreeTier().Ranking.Scorer)(recall.Terms{
			Cycle: 500, Relevance: c.relevance, Memory: &Record{Importance: c.importance / 10, Attributes: schema.Attributes{"cycle": strconv.FormatInt(500-c.ago, 10)}},
		}) {
			sum += s.Contribution()
		}
		require.InDelta(t, c.want, sum, 1e-12)
	}
	require.InDelta(t, .3, math.Exp(-defaultLambda*100), .005, "~30 % weight at 100 cycles ago")
	of := ThreeTierOptions{Recency: 2, Lambda: 1}.Config().Ranking.Scorer(recall.Terms{Cycle: 3, Relevance: 1, Memory: &Record{Importance: 1, Attributes: schema.Attributes{"cycle": "2"}}})
	require.InDelta(t, 2*math.Exp(-1), of[0].Contribution()+of[1].Contribution()+of[2].Contribution(), 1e-12, "weights and λ can be set")
	for _, m := range []*Record{{}, {Attributes: schema.Attributes{"cycle": "9"}}} {
		require.Zero(t, ThreeTier().Ranking.Scorer(recall.Terms{Cycle: 0, Memory: m})[0].Value, "where nobody counts, nothing is recent")
	}
}

// §5.1 and §5.2: Σ importance > 100, of which TestReflectionThreshold has the edge, 10 cycles, sprint boundary, by hand;
// importance ≥ 5 since the last; 3–5 insights of 9–10.
func TestThreeTierReflection(t *testing.T) {
	stages := ThreeTier().Night.Stages(nil)
	require.Len(t, stages, 2)
	require.Equal(t, consolidate.Archive{}, stages[0])
	require.EqualValues(t, 100, consolidate.DefaultKeepCycles)
	r := stages[1].(consolidate.Reflect)
	require.Equal(t, consolidate.Reflect{
		Threshold: 100, Sessions: -1, Cycles: 10, Boundary: consolidate.BlockField{Block: "status", Field: "sprint"}, OnDemand: true,
		Everyone: true, MinImportance: 5, Least: 9, Questions: 5, Insights: 3, Focus: r.Focus, Lessons: r.Lessons,
	}, r)
	require.Equal(t, BlockLessons, r.Lessons.Name)
	require.Equal(t, ModelWrites, r.Lessons.Writer)
	for _, about := range []string{"Patterns", "essons learned", "themes", "ross-role dynamics", "trategic implications"} {
		require.Contains(t, r.Focus, about)
	}
}

// §4 names the tools; §3.2 keeps the last 100 cycles in recall.
func TestThreeTierTools(t *testing.T) {
	x := openThreeTier(t)
	s := role(t, x, "qa")
	var names []string
	for _, tool := range s.Tools() {
		names = append(names, tool.Name())
	}
	require.Equal(t, []string{"core_memory_update", "core_memory_append", "recall_search", "recall_by_cycle", "archival_search", "archival_insert", "memory_log"}, names)

	stream, err := os.Open("../cmd/ebb/testdata/threetier/stream.jsonl")
	require.NoError(t, err)
	defer stream.Close()
	_, err = x.Import(t.Context(), stream, transfer.ImportOptions{Scope: s.Scope(), Format: transfer.FormatStream})
	require.NoError(t, err)
	tier := func(archival bool) (low, high int64, n int) {
		low = math.MaxInt64
		where := &schema.Conditions{Lacks: []string{schema.AttrArchive}}
		if archival {
			where = &schema.Conditions{Given: []string{schema.AttrArchive}}
		}
		require.NoError(t, x.db.Read(t.Context(), func(ctx context.Context, snap *schema.Snapshot) error {
			userID, err := snap.UserID(ctx, s.Scope())
			if err != nil {
				return err
			}
			memories, err := snap.ActiveMeeting(ctx, userID, where, -1)
			for _, m := range memories {
				cycle, _ := strconv.ParseInt(m.Attributes["cycle"], 10, 64)
				low, high, n = min(low, cycle), max(high, cycle), n+1
			}
			return err
		}))
		return low, high, n
	}
	report, err := x.Consolidate(t.Context(), s.Scope())
	require.NoError(t, err)
	low, high, recent := tier(false)
	require.Equal(t, []int64{93, 192}, []int64{low, high}, "the last 100 cycles")
	low, high, old := tier(true)
	require.Equal(t, []int64{1, 92}, []int64{low, high})
	require.Equal(t, 241, recent+old)
	require.Contains(t, callTool(t, s, "archival_search", args{"query": "Choose PostgreSQL as the only store", "type": "cycle"}), "Choose PostgreSQL")
	require.NotContains(t, callTool(t, s, "recall_search", args{"query": "Survey of nine existing lending packages", "minImportance": 6}), "Survey of lending software")

	again, err := x.Consolidate(t.Context(), s.Scope())
	require.NoError(t, err)
	require.Zero(t, again.Stages[0].Counts["archived"], "a second night moves nothing")
	_, err = x.Undo(t.Context(), s.Scope(), report.RunID)
	require.NoError(t, err)
	_, _, old = tier(true)
	require.Zero(t, old)
	require.NoError(t, x.SetCycle(t.Context(), s.Scope(), 193))
	_, err = x.Consolidate(t.Context(), s.Scope())
	require.NoError(t, err)
	low, _, _ = tier(false)
	require.EqualValues(t, 94, low)

	// A stream keeps what is archived.
	var out strings.Builder
	exported, err := x.ExportStream(t.Context(), &out, s.Scope())
	require.NoError(t, err)
	require.EqualValues(t, 241, exported.Records)
	require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(s.Scope(), "hello")))
}
