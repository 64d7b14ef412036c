package mutation

var diagnosis = []Mutant{
	{
		Defence: "a backup is read through before it gets its name",
		File:    "schema/backup.go",
		Old:     `slices.Equal(problems, []string{"ok"})`,
		New:     `slices.Equal(problems, problems)`,
		Package: "./schema",
		Test:    "TestADamagedFileGivesNoBackup",
	},
	{
		Defence: "a backup is one state of the memory, whatever is written meanwhile",
		File:    "schema/backup.go",
		Old:     `conn.ExecContext(ctx, "BEGIN")`,
		New:     `conn.ExecContext(ctx, "SELECT 1")`,
		Package: "./schema",
		Test:    "TestBackupWhileWriting",
	},
	{
		Defence: "an unfinished backup has no name",
		File:    "schema/backup.go",
		Old:     "err = underTemporaryName(target, func(name string) (err error) {",
		New:     "err = func(n string, f func(string) error) error { return f(n) }(target, func(name string) (err error) {",
		Package: "./schema",
		Test:    "TestAnUnfinishedBackupHasNoName",
	},
	{
		Defence: "a backup replaces no file, not even one that appears while it is made",
		File:    "schema/backup.go",
		Old:     "errors.Join(removeLogs(name), syncPath(name), untaken(path))",
		New:     "errors.Join(removeLogs(name), syncPath(name), removeDatabase(path))",
		Package: "./schema",
		Test:    "TestBackupLosesTheRaceForItsName",
	},
	{
		Defence: "a backup is readable by its owner alone, whatever a killed one left",
		File:    "schema/backup.go",
		Old:     "errors.Join(tmp.Chmod(0o600), tmp.Truncate(0), removeLogs(name))",
		New:     "errors.Join(tmp.Truncate(0), removeLogs(name))",
		Package: "./schema",
		Test:    "TestAnUnfinishedBackupHasNoName",
	},
}
