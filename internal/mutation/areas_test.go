package mutation

// area is one field of promises.
type area struct {
	name    string // for -area
	title   string // in SECURITY.md
	mutants []Mutant
}

// areas lists the fields in the order of SECURITY.md. Each has a file of its
// own here.
var areas = []area{
	{"crashes", "Crashes, killed processes, lost logs", crashes},
	{"faults", "Failing disks and power loss", faults},
	{"diagnosis", "Damaged files, repair, backup, honest health", append(diagnosis, telling...)},
	{"isolation", "One user never sees another", isolation},
	{"poisoning", "Nothing remembered gives orders", append(poisoning, tiers...)},
	{"corememory", "Core memory changes only by who may", coreMemory},
	{"erasure", "Erasing erases", append(erasure, leftovers...)},
	{"redaction", "Secrets stay out, texts stay out of logs", redaction},
	{"encryption", "Encryption at rest", encryption},
}
