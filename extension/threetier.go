package extension

// The blocks of [ThreeTier], by name (ada-three-tier.md §3.1).
const (
	BlockPlaybook  = "playbook"
	BlockRules     = "rules"
	BlockStatus    = "status"
	BlockThreads   = "threads"
	BlockRoleState = "roleState"
	BlockLessons   = "lessons"
)

// shippedKept is how many of what was shipped last core memory keeps
// (ada-three-tier.md §3.1: "Last 5 merged PRs").
const shippedKept = 5

// ThreeTier is the configuration of a team of agents that share one memory
// (ada-three-tier.md): each agent's role is [Scope.Agent], what is always in
// context are the blocks of core memory, within 10,000 tokens, and the agents
// keep them themselves by core_memory_update and core_memory_append.
//
// The playbook, one for each role, and the rules, which all share, change only
// by the host, or as an agent proposes and the host approves
// ([Extension.Proposals]). Status, threads and lessons are shared, the state of
// a role is its own; all of these an agent writes freely, but for what it could
// have from texts that nobody vouches for: that waits for approval too. Name the
// team's own tools in [Config.InternalTools].
//
// The caller may change what is returned: it is a new one each time.
func ThreeTier() *Config {
	return ThreeTierOptions{}.Config()
}

// threeTierBlocks are in the order in which they stand before a model. Their
// limits together stay below the 10,000 tokens reserved for them.
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
