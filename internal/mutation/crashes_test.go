package mutation

var crashes = []Mutant{
	{
		Defence: "the log of a file that is gone is not taken for a new file's",
		File:    "schema/file.go",
		Old:     "err == nil && log.Size() > 0 {\n\t\t\treturn &InvalidError",
		New:     "err == nil && log.Size() < 0 {\n\t\t\treturn &InvalidError",
		Package: "./schema",
		Test:    "TestTheLogOfARemovedFileIsNotTakenForTheNewOnes",
	},
	{
		Defence: "a file with two names, whose logs would differ, is refused",
		File:    "schema/file.go",
		Old:     "if err := refuseSecondName(abs); err != nil {",
		New:     "if err := refuseSecondName(abs); false {",
		Package: "./schema",
		Test:    "TestOpenRefusesASecondName",
	},
}
