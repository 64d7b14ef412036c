package mutation

var coreMemory = []Mutant{
	{
		Defence: "who writes a block without having read it is told of the conflict",
		File:    "schema/block.go",
		Old:     "updated_at = ? WHERE id = ? AND version = ?\"",
		New:     "updated_at = ? WHERE id = ? AND version >= ?\"",
		Package: "./schema",
		Test:    "TestABlockHasAHistoryAndAnAudit",
	},
	{
		Defence: "undoing a change of a block does not take a later one with it",
		File:    "schema/block_edit.go",
		Old:     "case b == t || m == t:",
		New:     "case b == t || m == t || true:",
		Package: "./schema",
		Test:    "TestOneChangeOfABlockIsTakenBack|TestABlockIsEditedFieldByField",
	},
	{
		Defence: "an agent's own block is shown to no other agent",
		File:    "schema/block.go",
		Old:     `"user_id = ? AND agent IN ('', ?)", userID, agent`,
		New:     `"user_id = ? AND (agent IN ('', ?) OR agent > '')", userID, agent`,
		Package: "./extension",
		Test:    "TestAHostKeepsBlocks",
	},
}
