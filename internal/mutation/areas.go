package main

// area is a group of defences.
type area struct {
	name    string // for -area
	title   string
	mutants []Mutant
}

// areas are in the order of SECURITY.md. Each has a file of its own here.
var areas = []area{
	{"crashes", "Crashes, killed processes, lost logs", crashes},
	{"faults", "Failing disks and power loss", faults},
	{"diagnosis", "Damaged files, repair, backup, health reports", append(diagnosis, telling...)},
	{"isolation", "Isolation of users and tenants", isolation},
	{"poisoning", "Remembered text is never an instruction", append(poisoning, tiers...)},
	{"corememory", "Who may change core memory", append(coreMemory, fourStores...)},
	{"erasure", "Erasure is complete", append(erasure, leftovers...)},
	{"redaction", "Secrets stay out of the file, texts out of logs", redaction},
	{"encryption", "Encryption at rest", encryption},
}
