package extension

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/internal/llmtest"
	"github.com/ebbmem/ebb/schema"
)

// Two hosts that decide at once decide once.
func TestProposalIsDecidedOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	team := Scope{User: "team", Agent: "research"}
	hosts := make([]*Extension, 2)
	for i := range hosts {
		cfg := ThreeTier()
		cfg.Night.NoSchedule = true
		x, err := Open(t.Context(), path, cfg)
		require.NoError(t, err)
		defer func() { require.NoError(t, x.Close(context.Background())) }()
		hosts[i] = x
	}
	s := role(t, hosts[0], "research")
	for i := range 4 {
		require.Contains(t, callTool(t, s, "core_memory_update", args{"section": "playbook", "content": fmt.Sprint("Read papers, ", i)}), "waits for the host's approval")
		waiting, err := hosts[1].Proposals(t.Context(), team)
		require.NoError(t, err)
		require.Len(t, waiting, 1)
		decided := make([]error, len(hosts))
		var group sync.WaitGroup
		for at, x := range hosts {
			group.Go(func() {
				if at == 0 && i%2 == 0 {
					decided[at] = x.Reject(context.Background(), team, waiting[0].ID)
					return
				}
				decided[at] = x.Approve(context.Background(), team, waiting[0].ID)
			})
		}
		group.Wait()
		require.True(t, (decided[0] == nil) != (decided[1] == nil), "%v", decided)
		require.ErrorIs(t, errors.Join(decided...), ErrNotFound)
		for _, x := range hosts {
			require.ErrorIs(t, x.Approve(t.Context(), team, waiting[0].ID), ErrNotFound)
			require.ErrorIs(t, x.Reject(t.Context(), team, waiting[0].ID), ErrNotFound)
		}
		approved := decided[1] == nil || i%2 == 1
		require.Equal(t, approved, inBlocks(t, hosts[0], team)["playbook"] == fmt.Sprint("Read papers, ", i))
		s.injected(t.Context(), "model", "Well?", "") // it sees what holds
	}
}

// What is approved keeps the limits of its block, also by an operator who knows
// nothing of the host's configuration: the newest five of what was shipped.
func TestApprovalKeepsBlockLimits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	team := Scope{User: "team", Agent: "qa"}
	cfg := ThreeTier()
	cfg.Night.NoSchedule = true
	x, err := Open(t.Context(), path, cfg)
	require.NoError(t, err)
	set(t, x, team, "status", `{"recentlyShipped":["1","2","3","4","5"]}`)
	s := role(t, x, "qa")
	s.conversation().expose(1)
	require.Contains(t, callTool(t, s, "core_memory_append", args{"section": "recentlyShipped", "item": "a page says 6"}), "waits for the host's approval")
	require.Contains(t, callTool(t, role(t, x, "ops"), "core_memory_append", args{"section": "recentlyShipped", "item": "6"}), "is changed")
	require.NoError(t, x.Close(t.Context()))

	x, err = Open(t.Context(), path, &Config{Night: NightConfig{NoSchedule: true}})
	require.NoError(t, err)
	defer func() { require.NoError(t, x.Close(context.Background())) }()
	waiting, err := x.Proposals(t.Context(), team)
	require.NoError(t, err)
	require.Len(t, waiting, 1)
	require.NoError(t, x.Approve(t.Context(), team, waiting[0].ID))
	require.Equal(t, `{"recentlyShipped":["3","4","5","6","a page says 6"]}`, inBlocks(t, x, team)["status"])
}

// surfacing is a night that draws insights of the highest rating.
type surfacing struct {
	sources []string
	lessons *BlockSpec
}

func (surfacing) Name() string { return "surfacing" }

func (n surfacing) Propose(ctx context.Context, _ *consolidate.Input, apply consolidate.Apply) error {
	for i := range 5 {
		p := consolidate.AddReflection{Content: fmt.Sprint("insight ", i), Sources: n.sources, Importance: 1, Lessons: n.lessons, Trust: schema.MaxTrust}
		if _, err := apply(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// A night that writes lessons while agents do loses none of theirs, and undoing
// it takes its own and no other.
func TestConcurrentNightAndAgents(t *testing.T) {
	night := &surfacing{}
	x := openThreeTier(t, func(c *Config) {
		for i := range c.CoreMemory.Blocks {
			if c.CoreMemory.Blocks[i].Name == BlockLessons {
				night.lessons = &c.CoreMemory.Blocks[i]
			}
		}
		c.Night.Stages = func([]Stage) []Stage { return []Stage{night} }
	})
	team := Scope{User: "team"}
	for _, said := range []string{"The cache was cold.", "The disk was full."} {
		require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(team, said)))
	}
	records, err := x.Timeline(t.Context(), team, TimelineQuery{})
	require.NoError(t, err)
	for _, m := range records {
		night.sources = append(night.sources, m.UID)
	}
	var group sync.WaitGroup
	for _, name := range []string{"qa", "ops"} {
		s := role(t, x, name)
		group.Go(func() {
			for i := range 6 {
				callTool(t, s, "core_memory_append", args{"section": "lessons", "item": fmt.Sprint(name, " lesson ", i)})
			}
		})
	}
	report, err := x.Consolidate(t.Context(), team)
	require.NoError(t, err)
	group.Wait()
	require.Contains(t, callTool(t, role(t, x, "qa"), "core_memory_append", args{"section": "lessons", "item": "the last"}), "is changed")
	held := inBlocks(t, x, team)["lessons"]
	for i := range 5 {
		require.Contains(t, held, fmt.Sprintf("%q", fmt.Sprint("insight ", i)))
	}
	undone, err := x.Undo(t.Context(), team, report.RunID)
	require.NoError(t, err)
	require.Empty(t, undone.Kept)
	held = inBlocks(t, x, team)["lessons"]
	require.NotContains(t, held, "insight")
	require.Contains(t, held, `"the last"`)
	for _, name := range []string{"qa", "ops"} {
		for i := range 6 {
			require.Contains(t, held, fmt.Sprintf("%q", fmt.Sprint(name, " lesson ", i)))
		}
	}
}

// Forgetting what an insight rests on takes the insight out of core memory, too.
func TestForgetTakesInsightOutOfBlock(t *testing.T) {
	night := &surfacing{}
	x := openThreeTier(t, func(c *Config) {
		for i := range c.CoreMemory.Blocks {
			if c.CoreMemory.Blocks[i].Name == BlockLessons {
				night.lessons = &c.CoreMemory.Blocks[i]
			}
		}
		c.Night.Stages = func([]Stage) []Stage { return []Stage{night} }
	})
	team := Scope{User: "team"}
	for _, said := range []string{"The cache was cold.", "The disk was full."} {
		require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(team, said)))
	}
	records, err := x.Timeline(t.Context(), team, TimelineQuery{})
	require.NoError(t, err)
	for _, m := range records {
		night.sources = append(night.sources, m.UID)
	}
	callTool(t, role(t, x, "qa"), "core_memory_append", args{"section": "lessons", "item": "measure first"})
	_, err = x.Consolidate(t.Context(), team)
	require.NoError(t, err)
	held := inBlocks(t, x, team)["lessons"]
	require.Contains(t, held, "insight 4")
	f, err := x.Forget(t.Context(), team, night.sources[0])
	require.NoError(t, err)
	require.Equal(t, `["measure first"]`, inBlocks(t, x, team)["lessons"])
	undone, err := x.Undo(t.Context(), team, f.RunID)
	require.NoError(t, err)
	require.Empty(t, undone.Kept)
	require.Equal(t, held, inBlocks(t, x, team)["lessons"])
}

// A file follows one profile after the other: what was said is found, nights run,
// and core memory waits for the profile that shows it.
func TestProfileChange(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	team := Scope{User: "team", Agent: "qa", Session: "s"}
	for i, cfg := range []*Config{Simple(), ThreeTier(), DualOptions{Observations: 2}.Config(), Simple(), ThreeTier()} {
		cfg.Night.NoSchedule = true
		x, err := Open(t.Context(), path, cfg)
		require.NoError(t, err)
		require.NoError(t, x.SetCycle(t.Context(), team, int64(i+1)))
		if i == 1 {
			set(t, x, team, "status", `{"sprint":"one"}`)
			set(t, x, team, "roleState", `{"workingOn":"tests"}`)
		}
		require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(team, fmt.Sprint("The walrus of profile ", i))))
		require.NoError(t, x.WaitIdle(t.Context()))
		s := role(t, x, "qa")
		found, err := s.Preview(t.Context(), "What of the walrus?")
		require.NoError(t, err)
		require.Equal(t, i == 1 || i == 4, len(found.Core) == 2, "%d: %v", i, found.Core)
		report, err := x.Consolidate(t.Context(), team)
		require.NoError(t, err)
		require.Equal(t, "done", report.State)
		answer, err := x.Recall(t.Context(), team, Query{Text: "walrus", Dormant: true})
		require.NoError(t, err)
		require.Len(t, answer.Results, i+1, "what a cap put away is found when it is asked for")
		if i == 2 {
			answer, err = x.Recall(t.Context(), team, Query{Text: "walrus"})
			require.NoError(t, err)
			require.Len(t, answer.Results, 2)
			_, err = x.Undo(t.Context(), team, report.RunID)
			require.NoError(t, err)
		}
		if i == 3 {
			answer, err = x.Recall(t.Context(), team, Query{Text: "walrus"})
			require.NoError(t, err)
			require.Len(t, answer.Results, 4, "what an undone night had put away is back")
			blocks, err := x.AllBlocks(t.Context(), team)
			require.NoError(t, err)
			require.Len(t, blocks, 2)
		}
		require.NoError(t, x.Close(t.Context()))
	}
}

// What a night may write into core memory, the host's description says, not the
// profile that made the night.
func TestNightRespectsBlockWriter(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Config, int)
		want   string
	}{
		"as the profile has it": {func(*Config, int) {}, `["Reviews take days and save releases."]`},
		"only by approval":      {func(c *Config, i int) { c.CoreMemory.Blocks[i].Writer = ModelProposes }, ""},
		"only the host":         {func(c *Config, i int) { c.CoreMemory.Blocks[i].Writer = HostWrites }, ""},
		"no such block":         {func(c *Config, i int) { c.CoreMemory.Blocks = slices.Delete(c.CoreMemory.Blocks, i, i+1) }, ""},
		"of short texts":        {func(c *Config, i int) { c.CoreMemory.Blocks[i].Tokens = 1 }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			server := llmtest.New(t)
			server.On(llmtest.Contains("high-level questions"), llmtest.JSON(map[string]any{"questions": []string{"What do reviews cost and save?"}}))
			server.On(llmtest.Contains("draw insights"), llmtest.JSON(map[string]any{"insights": []any{
				map[string]any{"question": 1, "text": "Reviews take days and save releases.", "importance": 10, "sources": []string{"r1", "r2"}},
			}}))
			x := openThreeTier(t, func(cfg *Config) {
				cfg.Model = server.LLM(t)
				c.change(cfg, slices.IndexFunc(cfg.CoreMemory.Blocks, func(s BlockSpec) bool { return s.Name == BlockLessons }))
			})
			s := role(t, x, "qa")
			for _, content := range []string{"The reviews took three days.", "The reviews saved the release."} {
				require.Contains(t, callTool(t, s, "memory_log", args{"action": "Looked at reviews", "importance": 8, "type": "observation", "content": content}), "Logged as ")
			}
			report, err := x.Consolidate(t.Context(), s.Scope())
			require.NoError(t, err)
			require.Equal(t, 2, report.Stages[1].Counts["missing"], "of three insights: %s", report.Summary())
			blocks, err := x.AllBlocks(t.Context(), s.Scope())
			require.NoError(t, err)
			held := ""
			for _, b := range blocks {
				held += b.Content
			}
			require.Equal(t, c.want, held)
		})
	}
}

// What was erased is gone from what waits for the host, too; what waits for other
// reasons stays, though the description of a block happens to use a word of it.
func TestErasedMessageRemovesProposals(t *testing.T) {
	x := openThreeTier(t)
	s := role(t, x, "qa")
	team := s.Scope()
	require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(team, "The zebrafinch has tokens and items in Vexmoor, and writes its name."), eventbus.UserMessage(team, "The kettle is blue.")))
	s.conversation().expose(1)
	for _, lesson := range []string{"Vexmoor is far", "Blue kettles boil slowly"} {
		require.Contains(t, callTool(t, s, "core_memory_append", args{"section": "lessons", "item": lesson}), "waits for the host's approval")
	}
	require.Contains(t, callTool(t, s, "core_memory_update", args{"section": "rules", "content": "Feed the zebrafinch"}), "waits for the host's approval")
	answer, err := x.Recall(t.Context(), team, Query{Text: "zebrafinch", Limit: 1})
	require.NoError(t, err)
	_, err = x.Erase(t.Context(), team, Erasure{Memories: []string{answer.Results[0].Memory.UID}})
	require.NoError(t, err)
	waiting, err := x.Proposals(t.Context(), team)
	require.NoError(t, err)
	require.Len(t, waiting, 1)
	require.Equal(t, `["Blue kettles boil slowly"]`, waiting[0].NewContent)
	require.NoError(t, x.Approve(t.Context(), team, waiting[0].ID))
}
