package consolidate_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/consolidate/ask"
	"github.com/ebbmem/ebb/internal/llmtest"
	"github.com/ebbmem/ebb/recall"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/core"
)

// A team of agents reflects as ada-three-tier.md §5 says: on importance, every
// ten cycles, at a sprint's boundary, and by hand.
func TestTeamReflection(t *testing.T) {
	db, c := aged(t)
	for i, line := range []string{"Merged the retry fix after two reviews.", "The reviews took three days.", "Routine update of a label.", "A hotfix without review broke the kiosk."} {
		rating := []float64{.7, .6, .2, .9}[i]
		said(t, db, "", "", line, start.Add(time.Duration(i)*time.Hour), func(m *schema.Memory) {
			m.Role, m.Agent, m.Origin, m.Trust, m.Importance = "assistant", "qa", schema.OriginToolInternal, 3, rating
		})
	}
	s := llmtest.New(t)
	s.On(llmtest.Contains("high-level questions"), questions("What do reviews cost and save?"))
	s.On(llmtest.Contains("draw insights"), insights(map[string]any{"question": 1, "text": "Reviews take days, and what goes without one breaks.", "importance": 3, "sources": []string{"r1", "r2"}}))
	stage := consolidate.Reflect{
		Threshold: 1000, Sessions: -1, Cycles: 10, Boundary: consolidate.BlockField{Block: "status", Field: "sprint"}, OnDemand: true,
		Everyone: true, MinImportance: 5, Least: 9, Questions: 5, Focus: "Patterns.",
		Lessons: &core.BlockSpec{Name: "lessons", Kind: core.BlockList, Writer: core.ModelWrites},
	}
	runner, err := consolidate.NewRunner(db, recall.New(db, recall.Options{}), consolidate.RunnerOptions{Model: s.LLM(t), Stages: []consolidate.Stage{stage}})
	require.NoError(t, err)
	var userID int64
	write := func(change func(ctx context.Context, tx *schema.Tx) error) {
		t.Helper()
		require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) (err error) {
			if userID, err = tx.UserID(ctx, ada); err != nil {
				return err
			}
			return change(ctx, tx)
		}))
	}
	due := func() (due bool) {
		t.Helper()
		require.NoError(t, db.Read(t.Context(), func(ctx context.Context, snap *schema.Snapshot) (err error) {
			urgency, err := stage.Due(ctx, snap, userID)
			due = urgency != consolidate.NotDue
			return err
		}))
		return due
	}
	cycle := func(n int64) {
		t.Helper()
		write(func(ctx context.Context, tx *schema.Tx) error { return tx.SetCycle(ctx, userID, n, false) })
	}
	sprint := func(name string) {
		t.Helper()
		c.set(c.time().Add(time.Hour))
		write(func(ctx context.Context, tx *schema.Tx) error {
			b, err := core.Read(ctx, tx, userID, "", "status")
			if err != nil {
				b = &core.Block{UserID: userID, Name: "status", Kind: core.BlockFields}
			}
			return core.Set(ctx, tx, b, fmt.Sprintf(`{"sprint":%q}`, name), 4, "", schema.Actor{Name: "host"})
		})
	}
	logged := func(lines ...string) {
		t.Helper()
		for _, line := range lines {
			said(t, db, "", "", line, start, func(m *schema.Memory) {
				m.Importance, m.Role = .8, "assistant"
				m.Origin, m.Trust = schema.OriginToolInternal, 3
			})
		}
	}
	cycle(9)
	require.False(t, due())
	cycle(10)
	require.True(t, due(), "ten cycles")
	before := dumpAll(t, db)
	c.set(c.time().Add(time.Hour))
	report, err := runner.Run(t.Context(), ada, consolidate.CauseTrigger)
	require.NoError(t, err)
	require.Equal(t, []string{"add_reflection applied"}, statuses(report, "reflect"))
	golden(t, "reflect_team.golden", s.Requests()[0].Prompt())
	require.Contains(t, s.Requests()[1].Prompt(), "is 9 to 10")
	m := derivedOf(t, db)[0]
	require.InDelta(t, .9, m.Importance, 1e-9, "an insight is rated 9 or 10")
	require.Equal(t, "10", m.Attributes[schema.AttrCycle])
	require.False(t, due())
	undone, err := runner.Rollback(t.Context(), ada, report.RunID)
	require.NoError(t, err)
	require.Empty(t, undone.Kept)
	require.Equal(t, before, dumpAll(t, db))
	require.True(t, due(), "it is as it was")
	_, err = runner.Run(t.Context(), ada, consolidate.CauseTrigger)
	require.NoError(t, err)
	require.False(t, due())
	cycle(19)
	require.False(t, due())
	sprint("six")
	logged("Reviews are scarce.")
	require.False(t, due(), "one record is nothing to compare")
	_, err = runner.Run(t.Context(), ada, consolidate.CauseTrigger)
	require.NoError(t, err)
	logged("Reviewers are on leave.")
	require.True(t, due(), "a sprint has begun, and the run with too little to compare did not use that up")
	c.set(c.time().Add(time.Hour))
	_, err = runner.Run(t.Context(), ada, consolidate.CauseTrigger)
	require.NoError(t, err)
	require.False(t, due())
	sprint("six")
	require.False(t, due(), "it is the same sprint")
	sprint("seven")
	logged("Reviewers are back.", "Reviews are quick.")
	require.True(t, due())
	c.set(c.time().Add(time.Hour))
	_, err = runner.Run(t.Context(), ada, consolidate.CauseTrigger)
	require.NoError(t, err)

	calls := len(s.Requests())
	_, err = runner.Run(t.Context(), ada, consolidate.CauseManual)
	require.NoError(t, err)
	require.Len(t, s.Requests(), calls, "by hand, but nothing is new")
	logged("Reviews are pairs now.", "Pairs merge within a day.")
	require.False(t, due())
	_, err = runner.Run(t.Context(), ada, consolidate.CauseManual)
	require.NoError(t, err)
	require.Greater(t, len(s.Requests()), calls, "by hand")
}

// An insight rated 10 stands among core memory's lessons, with its own trust, and
// goes with its run; a list that no model may write is left alone.
func TestInsightInCoreMemory(t *testing.T) {
	for writer, want := range map[core.BlockWriter]string{core.ModelWrites: `["The user runs from the office."]`, core.ModelProposes: ""} {
		db, _ := aged(t)
		diary(t, db)
		s := llmtest.New(t)
		s.On(llmtest.Contains("high-level questions"), questions("Why does the user run?", "What of the office?"))
		s.On(llmtest.Contains("draw insights"), insights(
			map[string]any{"question": 1, "text": "The user runs from the office.", "importance": 10, "sources": []string{"r1", "r2"}},
			insight("The user likes the river.", "r1", "r3")))
		r, err := consolidate.NewRunner(db, recall.New(db, recall.Options{}), consolidate.RunnerOptions{Model: s.LLM(t), Stages: []consolidate.Stage{
			consolidate.Reflect{Threshold: 5, Lessons: &core.BlockSpec{Name: "lessons", Kind: core.BlockList, Writer: writer}},
		}})
		require.NoError(t, err)
		lessons := func() (content string) {
			t.Helper()
			require.NoError(t, db.Read(t.Context(), func(ctx context.Context, snap *schema.Snapshot) error {
				userID, err := snap.UserID(ctx, ada)
				if err != nil {
					return err
				}
				blocks, err := core.Blocks(ctx, snap, userID, "")
				for _, b := range blocks {
					content = b.Content
				}
				return err
			}))
			return content
		}
		report, err := r.Run(t.Context(), ada, consolidate.CauseManual)
		require.NoError(t, err)
		require.Equal(t, want, lessons())
		undone, err := r.Rollback(t.Context(), ada, report.RunID)
		require.NoError(t, err)
		require.Empty(t, undone.Kept)
		require.NotContains(t, lessons(), "runs")
	}
}

// What has gathered must exceed the threshold (ada-three-tier.md §5.1: "> 100"),
// and what was read from a file is nothing that happened.
func TestReflectionThreshold(t *testing.T) {
	for name, c := range map[string]struct {
		messages, documents int // of importance 3 each
		due                 bool
	}{
		"below": {2, 0, false}, "just there": {3, 0, false}, "beyond": {4, 0, true}, "but for a document": {3, 4, false},
	} {
		t.Run(name, func(t *testing.T) {
			db, _ := aged(t)
			for i := range c.messages {
				said(t, db, "s", "", fmt.Sprintf("Note %d: the river was quiet.", i), start)
			}
			for i := range c.documents {
				said(t, db, "", "", fmt.Sprintf("Part %d: of rivers.", i), start, func(m *schema.Memory) {
					m.Role, m.Origin, m.Trust = "tool", schema.OriginToolInternal, 3
					m.Attributes = schema.Attributes{schema.AttrTool: schema.DocumentTool, schema.AttrSource: "docs/a.md"}
				})
			}
			s := llmtest.New(t)
			s.On(llmtest.Any, llmtest.JSON(map[string]any{"questions": []string{"Why is it quiet?"}, "insights": []any{}}))
			r, err := consolidate.NewRunner(db, nil, consolidate.RunnerOptions{
				Model: s.LLM(t), Stages: []consolidate.Stage{consolidate.Reflect{Threshold: 9, Sessions: -1, Everyone: true}},
			})
			require.NoError(t, err)
			report, err := r.Run(t.Context(), ada, consolidate.CauseManual)
			require.NoError(t, err)
			require.Equal(t, c.due, report.Stages[0].Counts["due"] == 1)
			said(t, db, "s", "", "Another note, and another.", start)
			said(t, db, "s", "", "And yet another.", start)
			_, err = r.Run(t.Context(), ada, consolidate.CauseManual)
			require.NoError(t, err)
			for _, asked := range s.Requests() {
				require.NotContains(t, asked.Prompt(), "of rivers", "nor is it reflected on")
			}
		})
	}
}

// Of three insights that are asked for, those that are missing are asked for once
// more; then there are as many as there are, and the report says how many are not.
func TestMissingInsightsAreRequestedOnce(t *testing.T) {
	runs, office, river := insight("The user runs to get away from the office.", "r1", "r2"), insight("The office is what tires the user.", "r1", "r3"), insight("The river is where it is quiet.", "r2", "r3")
	garden, thin, doubtful := insight("The garden is what a call is about.", "r1", "r2"), insight("Nobody says so.", "r1"), insight("The user wants to move to Bergen.", "r1", "r2")
	for name, c := range map[string]struct {
		answers []llmtest.Reply
		budget  int
		calls   int
		want    []string // what is kept
		missing int
	}{
		"enough at once":          {[]llmtest.Reply{insights(runs, office, river)}, 0, 2, []string{"runs", "tires", "quiet"}, 0},
		"more than the questions": {[]llmtest.Reply{insights(runs, office, river, garden)}, 0, 2, []string{"runs", "tires", "quiet", "call"}, 0},
		"one is missing":          {[]llmtest.Reply{insights(runs, office), insights(river)}, 0, 3, []string{"runs", "tires", "quiet"}, 0},
		"some are of no use":      {[]llmtest.Reply{insights(runs, thin, doubtful), insights(office, river)}, 0, 3, []string{"runs", "tires", "quiet"}, 0},
		"the same again":          {[]llmtest.Reply{insights(runs), insights(runs, river)}, 0, 3, []string{"runs", "quiet"}, 1},
		"none, twice":             {[]llmtest.Reply{insights(), insights()}, 0, 3, nil, 3},
		"no answer to the second": {[]llmtest.Reply{insights(runs), llmtest.Text("No."), llmtest.Text("No.")}, 0, 4, []string{"runs"}, 2},
		"no budget for a second":  {[]llmtest.Reply{insights(runs)}, 2, 2, []string{"runs"}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			db, _ := aged(t)
			diary(t, db)
			s := llmtest.New(t)
			s.On(llmtest.Contains("high-level questions"), questions("Why does the user run?", "What of the office?"))
			for _, answer := range c.answers {
				s.On(llmtest.Contains("draw insights"), answer).Times(1)
			}
			r, err := consolidate.NewRunner(db, recall.New(db, recall.Options{}), consolidate.RunnerOptions{
				Model: s.LLM(t), Budget: ask.Budget{Calls: c.budget}, Stages: []consolidate.Stage{consolidate.Reflect{Threshold: 5, Questions: 5, Insights: 3}},
			})
			require.NoError(t, err)
			report, err := r.Run(t.Context(), ada, consolidate.CauseManual)
			require.NoError(t, err)
			require.Equal(t, c.calls, report.Usage.Calls)
			require.Equal(t, c.missing, report.Stages[0].Counts["missing"])
			require.Contains(t, s.Requests()[1].Prompt(), "Write 3 to 5 insights in all")
			if len(s.Requests()) > 2 {
				second := s.Requests()[2].Prompt()
				require.Equal(t, len(c.want) > 0, strings.Contains(second, "Leave out those that are there already"))
				require.Contains(t, second, `"r":"r1"`, "under the same records")
			}
			var kept []string
			for _, m := range derivedOf(t, db) {
				if m.State == schema.StateActive {
					kept = append(kept, m.Content)
				}
			}
			require.Len(t, kept, len(c.want))
			for i, word := range c.want {
				require.Contains(t, kept[i], word)
			}
			again, err := r.Run(t.Context(), ada, consolidate.CauseManual)
			require.NoError(t, err)
			require.Zero(t, again.Usage.Calls, "what has gathered is spent, however many came of it")
		})
	}
}
