package mutation

var faults = []Mutant{
	{
		Defence: "after a failed fsync no write is taken until a checkpoint has proven that the disk saves again",
		File:    "schema/faults.go",
		Old:     "if db.suspect == nil {",
		New:     "if db.suspect != nil || true {",
		Package: "./schema",
		Test:    "TestNoWriteIsTakenAfterAFailedSyncUntilTheDiskIsProvenWell",
	},
	{
		Defence: "nothing is appended to a log that a failed process left",
		File:    "schema/renew.go",
		Old:     "err != nil || log.Size() == 0 {",
		New:     "err != nil || log.Size() >= 0 {",
		Package: "./schema",
		Test:    "TestWhatIsStoredAfterAFailedSyncSurvivesAPowerLoss",
	},
	{
		Defence: "what a failed process left in the log is saved again before it is moved into the file",
		File:    "schema/renew.go",
		Old:     "if _, err := f.WriteAt(part, at); err != nil {",
		New:     "if at < 0 {",
		Package: "./schema",
		Test:    "TestWhatIsStoredAfterAFailedSyncSurvivesAPowerLoss",
	},
	{
		Defence: "the name of the log is on disk before anything is acknowledged",
		File:    "schema/open.go",
		Old:     "if err := keepEntries(db.opts.disk(), filepath.Dir(db.path)); err != nil {",
		New:     "if filepath.Dir(db.path) == \"\" {",
		Package: "./schema",
		Test:    "TestTheNameOfTheLogIsOnDisk",
	},
	{
		Defence: "a checkpoint that fails in the background is reported until it works",
		File:    "schema/checkpoint.go",
		Old:     "db.note(faultCheckpoint, err)",
		New:     "_ = err",
		Package: "./schema",
		Test:    "TestAFailingCheckpointIsNotSilent",
	},
	{
		Defence: "a full disk is told from a broken one",
		File:    "schema/errors.go",
		Old:     "case errors.Is(err, sqlite3.IOERR) && db.opts.disk().Full(path):",
		New:     "case false:",
		Package: "./schema",
		Test:    "TestAFullDiskIsSaidAndPasses",
	},
}
