package extension

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/ebbmem/ebb/internal/llmtest"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

func openThreeTier(t *testing.T, change ...func(*Config)) *Extension {
	t.Helper()
	cfg := ThreeTier()
	cfg.Night.NoSchedule = true
	for _, f := range change {
		f(cfg)
	}
	x := openConfig(t, filepath.Join(t.TempDir(), "memory.db"), cfg)
	return x
}

func role(t *testing.T, x *Extension, name string) *Session {
	t.Helper()
	s, err := x.Session(Scope{User: "team", Agent: name, Session: "cycle of " + name})
	require.NoError(t, err)
	return s
}

func callTool(t *testing.T, s *Session, name string, args any) string {
	t.Helper()
	encoded, err := json.Marshal(args)
	require.NoError(t, err)
	answer, err := s.CallTool(t.Context(), llms.ToolCall{ID: "1", FunctionCall: &llms.FunctionCall{Name: name, Arguments: string(encoded)}})
	require.NoError(t, err)
	return answer.Content
}

func inBlocks(t *testing.T, x *Extension, scope Scope) map[string]string {
	t.Helper()
	blocks, err := x.Blocks(t.Context(), scope)
	require.NoError(t, err)
	all := make(map[string]string)
	for _, b := range blocks {
		all[b.Name] = b.Content
	}
	return all
}

type args = map[string]any

// The numbers of ada-three-tier.md: §3.1 the structure, ~10,000 tokens and five
// of what was shipped, §4.3 the sections, phase 5 who may change what, ADR-004
// what is shared.
func TestThreeTierMatchesDocument(t *testing.T) {
	cfg := ThreeTier()
	require.Equal(t, 10_000, cfg.CoreMemory.BlockTokens)
	limits := 0
	for _, c := range []struct {
		name     string
		kind     BlockKind
		fields   []string
		writer   BlockWriter
		perAgent bool
	}{
		{"playbook", BlockText, nil, ModelProposes, true}, // "Role's playbook content"
		{"rules", BlockText, nil, ModelProposes, false},
		{"status", BlockFields, []string{"sprint", "inProgress", "blockers", "recentlyShipped"}, ModelWrites, false},
		{"roleState", BlockFields, []string{"lastAction", "nextAction", "workingOn"}, ModelWrites, true},
		{"threads", BlockRecords, []string{"summary", "roles", "lastUpdate"}, ModelWrites, false}, // and the id
		{"lessons", BlockList, nil, ModelWrites, false},
	} {
		var spec *BlockSpec
		for i := range cfg.CoreMemory.Blocks {
			if cfg.CoreMemory.Blocks[i].Name == c.name {
				spec = &cfg.CoreMemory.Blocks[i]
			}
		}
		require.NotNil(t, spec, c.name)
		require.Equal(t, c.kind, spec.Kind, c.name)
		require.Equal(t, c.writer, spec.Writer, c.name)
		require.Equal(t, c.perAgent, spec.PerAgent, c.name)
		var fields []string
		for _, f := range spec.Fields {
			fields = append(fields, f.Name)
		}
		require.Equal(t, c.fields, fields, c.name)
		limits += spec.Tokens
	}
	require.Len(t, cfg.CoreMemory.Blocks, 6)
	require.Less(t, limits, cfg.CoreMemory.BlockTokens, "full blocks fit")

	x := openThreeTier(t)
	s := role(t, x, "research")
	var names []string
	for _, tool := range s.Tools() {
		names = append(names, tool.Name())
	}
	require.Subset(t, names, []string{"core_memory_update", "core_memory_append"})
	for i := range 8 {
		require.Contains(t, callTool(t, s, "core_memory_append", args{"section": "recentlyShipped", "item": fmt.Sprintf("PR %d: a cache", i)}), "status is changed")
	}
	require.Equal(t, `{"recentlyShipped":["PR 3: a cache","PR 4: a cache","PR 5: a cache","PR 6: a cache","PR 7: a cache"]}`,
		inBlocks(t, x, s.Scope())["status"])
	for section, content := range map[string]any{ // §4.3
		"status": args{"sprint": "cache"}, "threads": args{"id": "84", "summary": "headless mode", "roles": []string{"ops"}},
		"roleState": args{"workingOn": "caches"}, "lessons": []string{"A cold cache is slow"},
	} {
		require.Contains(t, callTool(t, s, "core_memory_update", args{"section": section, "content": content}), "is changed", section)
	}
	for section, item := range map[string]any{
		"threads": args{"id": "95", "summary": "memory"}, "recentlyShipped": "PR 9", "blockers": "no key",
	} {
		require.Contains(t, callTool(t, s, "core_memory_append", args{"section": section, "item": item}), "is changed", section)
	}
	for _, section := range []string{"playbook", "rules"} {
		require.Contains(t, callTool(t, s, "core_memory_update", args{"section": section, "content": "Ship on Fridays"}), "waits for the host's approval", section)
		require.Empty(t, inBlocks(t, x, s.Scope())[section])
	}
}

// Blocks that are as full as they may be stay within the budget, whole.
func TestThreeTierFullBlocksFitBudget(t *testing.T) {
	x := openThreeTier(t)
	team := Scope{User: "team", Agent: "qa"}
	for _, spec := range x.cfg.CoreMemory.Blocks {
		var content any
		grow := func(n int) any {
			words := strings.Repeat("\"word\" <b> ", n)
			switch spec.Kind {
			case BlockText:
				return words
			case BlockList:
				return []string{words}
			case BlockFields:
				return args{spec.Fields[0].Name: words}
			case BlockRecords:
			}
			return []args{{"id": "1", "summary": words}}
		}
		for n := 1; ; n++ {
			encoded := text.JSON(grow(n))
			if spec.Kind == BlockText {
				encoded = grow(n).(string)
			}
			b, err := x.SetBlock(t.Context(), team, spec.Name, encoded, int64(n-1))
			if err != nil {
				var invalid *InvalidError
				require.ErrorAs(t, err, &invalid)
				break
			}
			content = b.Content
			if n > 40 && spec.Kind == BlockText {
				break
			}
		}
		require.NotNil(t, content)
	}
	found, err := role(t, x, "qa").Preview(t.Context(), "")
	require.NoError(t, err)
	require.LessOrEqual(t, found.Tokens, 10_000)
	require.Len(t, found.Core, 6)
}

func TestHostDecidesBlockProposals(t *testing.T) {
	x := openThreeTier(t)
	team := Scope{User: "team", Agent: "research"}
	set(t, x, team, "rules", "Be kind.")
	s := role(t, x, "research")
	propose := func(content string) Proposal {
		t.Helper()
		require.Contains(t, callTool(t, s, "core_memory_update", args{"section": "rules", "content": content}), "waits for the host's approval")
		waiting, err := x.Proposals(t.Context(), team)
		require.NoError(t, err)
		require.NotEmpty(t, waiting)
		return waiting[len(waiting)-1]
	}
	require.NotEmpty(t, s.injected(t.Context(), "model", "Well?", ""))
	kinder, ruder := propose("Be kinder."), propose("Be rude.")
	require.Equal(t, Proposal{
		ID: kinder.ID, Kind: ProposalBlock, Reason: "a model asked for it: only the host changes rules", Content: "Be kind.", NewContent: "Be kinder.",
		Block: "rules", Changes: []string{"- Be kind.", "+ Be kinder."}, ProposedBy: "research", ProposedAt: kinder.ProposedAt,
	}, kinder)
	require.Equal(t, "Be kind.", inBlocks(t, x, team)["rules"])
	require.ErrorIs(t, x.Approve(t.Context(), Scope{User: "other"}, kinder.ID), ErrNotFound)
	require.NoError(t, x.Approve(t.Context(), team, kinder.ID))
	require.Equal(t, "Be kinder.", inBlocks(t, x, team)["rules"])
	require.ErrorIs(t, x.Approve(t.Context(), team, kinder.ID), ErrNotFound, "once")
	require.ErrorIs(t, x.Approve(t.Context(), team, ruder.ID), ErrConflict, "it was thought of when the rules said something else")
	require.NoError(t, x.Reject(t.Context(), team, ruder.ID))
	require.Equal(t, "Be kinder.", inBlocks(t, x, team)["rules"])
	history, err := x.BlockHistory(t.Context(), team, "rules")
	require.NoError(t, err)
	require.Len(t, history, 2)
	require.Equal(t, "approval", history[0].Actor)
	require.Equal(t, "research", history[0].Agent)
	require.Equal(t, schema.MaxTrust, history[0].Trust)
	require.NoError(t, x.db.Read(t.Context(), func(ctx context.Context, s *schema.Snapshot) error {
		var entries []string
		err := s.NewSelect().Table("ops").ColumnExpr("actor || ' ' || operation || ' ' || record").Where("actor <> 'night'").Order("id").Scan(ctx, &entries)
		require.Equal(t, []string{"host block blocks", "model propose proposals", "model propose proposals", "approval block blocks", "host decide proposals", "host decide proposals"}, entries)
		return err
	}))

	// What waits for a list is carried out beside what was added since.
	s.conversation().expose(1)
	require.Contains(t, callTool(t, s, "core_memory_append", args{"section": "lessons", "item": "Pages lie"}), "waits for the host's approval")
	require.Contains(t, callTool(t, role(t, x, "ops"), "core_memory_append", args{"section": "lessons", "item": "Disks fill"}), "is changed")
	waiting, err := x.Proposals(t.Context(), team)
	require.NoError(t, err)
	require.Len(t, waiting, 1)
	require.Contains(t, waiting[0].Reason, "texts that nobody vouches for; of trust 1")
	require.NoError(t, x.Approve(t.Context(), team, waiting[0].ID))
	require.Equal(t, `["Disks fill","Pages lie"]`, inBlocks(t, x, team)["lessons"])
}

// Roles that write at once lose nothing, and none writes another's state.
func TestConcurrentRolesLoseNothing(t *testing.T) {
	x := openThreeTier(t)
	const each = 6
	var group sync.WaitGroup
	for _, name := range []string{"research", "ops"} {
		for i := range each {
			s := role(t, x, name) // which has seen nothing of what the others write
			group.Go(func() {
				for _, call := range []struct {
					tool string
					args args
				}{
					{"core_memory_append", args{"section": "blockers", "item": fmt.Sprint(name, " waits ", i)}},
					{"core_memory_append", args{"section": "threads", "item": args{"id": fmt.Sprint(name, i), "summary": "a thread"}}},
					{"core_memory_update", args{"section": "status", "content": args{"inProgress": []string{fmt.Sprint(name, " builds ", i)}}}},
					{"core_memory_update", args{"section": "threads", "content": args{"id": fmt.Sprint(name, i), "roles": []string{name}}}},
					{"core_memory_update", args{"section": "roleState", "content": args{"workingOn": name}}},
				} {
					encoded, err := json.Marshal(call.args)
					if err == nil {
						_, err = s.CallTool(context.Background(), llms.ToolCall{FunctionCall: &llms.FunctionCall{Name: call.tool, Arguments: string(encoded)}})
					}
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
	group.Wait()
	for _, name := range []string{"research", "ops"} {
		mine := inBlocks(t, x, Scope{User: "team", Agent: name})
		require.Equal(t, fmt.Sprintf(`{"workingOn":%q}`, name), mine["roleState"])
		var threads []struct {
			ID    string
			Roles []string
		}
		require.NoError(t, json.Unmarshal([]byte(mine["threads"]), &threads))
		require.Len(t, threads, 2*each)
		for _, thread := range threads {
			require.Len(t, thread.Roles, 1)
			require.True(t, strings.HasPrefix(thread.ID, thread.Roles[0]))
		}
		for i := range each {
			require.Contains(t, mine["status"], fmt.Sprintf("%q", fmt.Sprint(name, " waits ", i)))
			require.Contains(t, mine["status"], fmt.Sprintf("%q", fmt.Sprint(name, " builds ", i)))
		}
	}
}

// A model takes out only what it has seen.
func TestModelChangesSeenContent(t *testing.T) {
	x := openThreeTier(t)
	research, ops := role(t, x, "research"), role(t, x, "ops")
	team := research.Scope()
	set(t, x, team, "status", `{"sprint":"one","blockers":["a"]}`)
	require.NotEmpty(t, research.injected(t.Context(), "model", "Well?", ""))
	require.Contains(t, callTool(t, ops, "core_memory_append", args{"section": "blockers", "item": "b"}), "is changed")
	require.Contains(t, callTool(t, research, "core_memory_update", args{"section": "status", "content": args{"blockers": []string{}}}), "is changed")
	require.Equal(t, `{"blockers":["b"],"sprint":"one"}`, inBlocks(t, x, team)["status"])
	blind := callTool(t, ops, "core_memory_update", args{"section": "status", "content": args{"sprint": "two"}})
	require.Contains(t, blind, "status.sprint was changed by someone else in the meantime", "it has not seen that there is one")
	require.Contains(t, callTool(t, ops, "core_memory_update", args{"section": "status", "content": args{"sprint": "two"}}), "is changed")
	require.Equal(t, `{"blockers":["b"],"sprint":"two"}`, inBlocks(t, x, team)["status"])
}

func TestConfigTools(t *testing.T) {
	names := func(x *Extension) (all []string) {
		s, err := x.Session(Scope{User: "ada"})
		require.NoError(t, err)
		for _, tool := range s.Tools() {
			all = append(all, tool.Name())
		}
		require.Len(t, s.LLMTools(), len(all))
		return all
	}
	simple := openConfig(t, filepath.Join(t.TempDir(), "memory.db"), &Config{Night: NightConfig{NoSchedule: true}})
	require.Len(t, names(simple), 8)
	require.Equal(t, append(names(simple), "core_memory_update", "core_memory_append"), names(openWithBlocks(t)))
	some := openThreeTier(t, func(c *Config) {
		c.Tools.Names = []string{"core_memory_append", "search_memory"}
	})
	require.Equal(t, []string{"core_memory_append", "search_memory"}, names(some))
}

// A cycle that begins has the schedule look at once, and not within the hour, which
// is three cycles; the run before it, whatever it was, makes it wait no longer.
func TestNewCycleTriggersReflection(t *testing.T) {
	asked := make(chan struct{}, 10)
	server := llmtest.New(t)
	server.On(llmtest.Any, llmtest.Answer(func(r llmtest.Request) llmtest.Reply {
		if strings.Contains(r.Prompt(), "high-level questions") {
			asked <- struct{}{}
			return llmtest.JSON(map[string]any{"questions": []string{"What do reviews cost?"}})
		}
		return llmtest.JSON(map[string]any{"insights": []any{}})
	}))
	x := openThreeTier(t, func(cfg *Config) { cfg.Night.NoSchedule, cfg.Model = false, server.LLM(t) })
	scope := Scope{User: "team", Agent: "qa"}
	for cycle := int64(1); cycle <= 20; cycle++ {
		callTool(t, role(t, x, "qa"), "memory_log", args{
			"action": fmt.Sprint("review ", cycle), "importance": 7, "type": "action", "tags": []string{}, "content": fmt.Sprintf("Review %d took a day.", cycle),
		})
		require.NoError(t, x.SetCycle(t.Context(), scope, cycle))
		if cycle%10 == 0 {
			<-asked
			require.Eventually(t, func() bool {
				runs, err := x.Runs(t.Context(), scope, 1)
				return err == nil && len(runs) == 1 && runs[0].Cause == "trigger" && runs[0].State == "done"
			}, time.Minute, 10*time.Millisecond)
		}
	}
	require.Empty(t, asked)
}
