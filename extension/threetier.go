package extension

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
// waits for approval too. List the team's own tools in [Config.InternalTools].
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
