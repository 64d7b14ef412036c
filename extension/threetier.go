package extension

import (
	"cmp"
	"math"

	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/recall"
)

// The names of the blocks of [ThreeTier] (ada-three-tier.md §3.1).
const (
	BlockPlaybook  = "playbook"
	BlockRules     = "rules"
	BlockStatus    = "status"
	BlockThreads   = "threads"
	BlockRoleState = "roleState"
	BlockLessons   = "lessons"
)

// shippedKept is how many shipped changes core memory lists (ada-three-tier.md
// §3.1: "Last 5 merged PRs").
const shippedKept = 5

// ThreeTier returns the configuration for a team of agents that share one memory
// (ada-three-tier.md). [Scope.Agent] is an agent's role. Blocks of core memory, at
// most 10,000 tokens, are always in context, and the agents maintain them with
// core_memory_update and core_memory_append.
//
// The playbook, one for each role, and the shared rules are changed by the host
// only; changes that agents propose wait for approval ([Extension.Proposals]).
// Agents write the shared status, threads and lessons, and the state of their own
// role, directly, unless the conversation has seen untrusted text; then the change
// waits for approval too. List the team's own tools in [ToolsConfig].Trusted.
//
// Each call returns a new Config, which the caller may change.
func ThreeTier() *Config {
	return ThreeTierOptions{}.Config()
}

// threeTierBlocks returns the blocks in the order of the prompt. The sum of their
// limits is below the 10,000 tokens of core memory.
func threeTierBlocks() []BlockSpec {
	return []BlockSpec{
		{
			Name: BlockPlaybook, Kind: BlockText, PerAgent: true, Writer: ModelProposes, Tokens: 3000,
			About: "what your role is for and how it works",
		},
		{
			Name: BlockRules, Kind: BlockText, Writer: ModelProposes, Tokens: 1500,
			About: "what holds for every role",
		},
		{
			Name: BlockStatus, Kind: BlockFields, Writer: ModelWrites, Tokens: 1500,
			About: "the sprint's goal, what is in progress, what blocks, what was shipped last",
			Fields: []BlockField{
				{Name: "sprint"},
				{Name: "inProgress", List: true, Items: 20},
				{Name: "blockers", List: true, Items: 20},
				{Name: "recentlyShipped", List: true, Items: shippedKept, Newest: true},
			},
		},
		{
			Name: BlockRoleState, Kind: BlockFields, PerAgent: true, Writer: ModelWrites, Tokens: 700,
			About:  "what you did last, do next and are working on",
			Fields: []BlockField{{Name: "lastAction"}, {Name: "nextAction"}, {Name: "workingOn"}},
		},
		{
			Name: BlockThreads, Kind: BlockRecords, Writer: ModelWrites, Tokens: 1500, Items: 30,
			About:  "what several roles depend on",
			Fields: []BlockField{{Name: "summary"}, {Name: "roles", List: true, Items: 10}, {Name: "lastUpdate", Stamp: true}},
		},
		{
			Name: BlockLessons, Kind: BlockList, Writer: ModelWrites, Tokens: 1200, Items: 40,
			About: "what was learnt from what happened",
		},
	}
}

// defaultLambda is λ of the recency e^(−λ·cycles). With it 30 % are left after 100
// cycles, as the document says; the document's own .995 would leave e^(−99.5).
const defaultLambda = 0.012

// ThreeTierOptions vary the [ThreeTier] profile. The zero value has the document's
// numbers.
type ThreeTierOptions struct {
	// Recency, Importance and Relevance are the weights α, β and γ of the score.
	// Default, if all are 0: 1, 1 and 1.
	Recency, Importance, Relevance float64
	// Lambda is λ of the recency e^(−λ·cycles). Default 0.012.
	Lambda float64
	// CandidateFactor is the number of candidates scored for each requested result
	// ([Config].Ranking.CandidateFactor). Default 1: relevance selects the results
	// and the score orders them. With more candidates, recency and importance,
	// which weigh as much as relevance, displace old and unimportant entries that
	// answer the question.
	CandidateFactor float64
	// Keep is how many cycles stay in the recall tier. Default 100.
	Keep int64
}

// Config returns the profile with these options. Invalid options make [Open] return
// an [*InvalidError].
func (o ThreeTierOptions) Config() *Config {
	if o.Recency == 0 && o.Importance == 0 && o.Relevance == 0 {
		o.Recency, o.Importance, o.Relevance = 1, 1, 1
	}
	o.Lambda, o.CandidateFactor = cmp.Or(o.Lambda, defaultLambda), cmp.Or(o.CandidateFactor, 1)
	return &Config{
		invalid: validOptions("ThreeTierOptions.",
			option{"Recency", o.Recency}, option{"Importance", o.Importance}, option{"Relevance", o.Relevance}, option{"Lambda", o.Lambda},
			option{"CandidateFactor", o.CandidateFactor}, option{"Keep", float64(o.Keep)}),
		CoreMemory: CoreMemoryConfig{Blocks: threeTierBlocks(), BlockTokens: DefaultBlockTokens},
		onlyForms:  true, // agents keep things by tools
		Tools:      ToolsConfig{Names: []string{"core_memory_update", "core_memory_append", "recall_search", "recall_by_cycle", "archival_search", "archival_insert", "memory_log"}},
		Ranking:    RankingConfig{Scorer: o.score, CandidateFactor: o.CandidateFactor},
		Night:      NightConfig{Stages: func([]Stage) []Stage { return []Stage{consolidate.Archive{Keep: o.Keep}, o.reflect()} }},
	}
}

// score is α·recency + β·importance + γ·relevance, each 0–1
// (ada-three-tier.md §3.2).
func (o ThreeTierOptions) score(t recall.Terms) []recall.Signal {
	recency := 0.0
	if ago, counted := t.Cycles(); counted {
		recency = math.Exp(-o.Lambda * float64(ago))
	}
	return []recall.Signal{
		{Name: "recency", Value: recency, Weight: o.Recency},
		{Name: "importance", Value: t.Memory.Importance, Weight: o.Importance},
		{Name: "relevance", Value: t.Relevance, Weight: o.Relevance},
	}
}

// reflectFocus is the focus of insights (ada-three-tier.md §5.2).
const reflectFocus = "Patterns you notice, lessons learned, emerging themes, cross-role dynamics, strategic implications."

// reflect returns the reflection stage of ada-three-tier.md §5. It runs when
// importance above 100 has accumulated, every 10 cycles, when the sprint changes,
// and on [Extension.Consolidate]. It reads entries rated 5 or more since the last
// run and produces three to five insights rated 9 or 10; those rated 10 are also
// added to core memory's lessons.
func (o ThreeTierOptions) reflect() Stage {
	var lessons *BlockSpec
	for _, spec := range threeTierBlocks() {
		if spec.Name == BlockLessons {
			lessons = &spec
		}
	}
	return consolidate.Reflect{
		Lessons:   lessons,
		Threshold: 100, Sessions: -1, Cycles: 10, Boundary: consolidate.BlockField{Block: BlockStatus, Field: "sprint"}, OnDemand: true,
		Everyone: true, MinImportance: 5, Least: 9, Questions: 5, Insights: 3, Focus: reflectFocus,
	}
}
