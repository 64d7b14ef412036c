package mutation

// leftovers are what outlives an erasure unseen.
var leftovers = []Mutant{
	{
		Defence: "no page of the file keeps a copy of what SQLite moved elsewhere and then deleted",
		File:    "schema/tidyvfs.go",
		Old:     "clear(p[from:to])",
		New:     "_ = p[from:to]",
		Package: "./schema",
		Test:    "TestNoPageKeepsACopyOfWhatWasDeleted",
	},
	{
		Defence: "nor does a page of an encrypted file",
		File:    "schema/sealvfs.go",
		Old:     "tidying{adiantum.Wrap(behindSeal{vfs.Find(base)}, keyring{})}",
		New:     "adiantum.Wrap(behindSeal{vfs.Find(base)}, keyring{})",
		Package: "./schema",
		Test:    "TestNoPageKeepsACopyOfWhatWasDeleted/sealed",
	},
	{
		Defence: "an import says how much it passed over because it was erased",
		File:    "cmd/ebb/import.go",
		Old:     "if f.Erased > 0 {",
		New:     "if f.Erased < 0 {",
		Package: "./cmd/ebb",
		Test:    "TestImportingAnErasedTurnSaysSo",
	},
	{
		Defence: "the number of an erased row, which the audit may speak of, is not given to another user's",
		File:    "schema/unused.go",
		Old:     `coalesce((SELECT max(record_id) FROM ops WHERE record = '" + table + "'), 0)`,
		New:     `0 * length('" + table + "')`,
		Package: "./schema",
		Test:    "TestUndoReachesNobodyElsesRows",
	},
	{
		Defence: "the number of an erased session, given to another user's, leads no other process astray",
		File:    "schema/write.go",
		Old:     "if version != db.others.version {",
		New:     "if false && version != db.others.version {",
		Package: "./schema",
		Test:    "TestAnErasedSessionsNumberMisleadsNoOtherProcess",
	},
	{
		Defence: "a receipt names the copies of the memory that lie beside it",
		File:    "extension/erase.go",
		Old:     "for _, path := range copies {",
		New:     "for _, path := range copies[:0] {",
		Package: "./extension",
		Test:    "TestReceiptsNameTheCopiesBesideTheFile",
	},
}
