package erase

// Reach is a place that an erasure does not reach.
type Reach struct {
	Place  string `json:"place"`
	Advice string `json:"advice"`
}

// everywhereOutOfReach is the part of OutOfReach that is the same for every
// erasure.
var everywhereOutOfReach = []Reach{
	{"backups and copies of the file", "erase them, or restore them only into a file where the erasure is asked for again: a copy from before it knows no tombstone"},
	{"exports", "delete the files; this memory does not take erased ids from them again, another one would"},
	{"file system snapshots and the cells of SSDs and SD cards", "a drive keeps overwritten blocks for a while: encrypt the file (adiantum) or the disk, and destroy the key with the drive"},
	{"models and embedders", "what was sent to a provider is kept as its terms say; ask it to delete it"},
	{"the host", "its logs, its own stores, the messages that a running conversation still has in its prompt (langchaingo's memory: Clear)"},
	{"main memory and swap", "what the process had in memory is freed, not overwritten; restart it where that matters"},
}

// OutOfReach lists the places an erasure does not reach, starting with the given
// copies beside the file.
func OutOfReach(copies []string) []Reach {
	var found []Reach
	for _, path := range copies {
		found = append(found, Reach{path, "a copy of the memory as it was before: delete it, if it is not needed any more"})
	}
	return append(found, everywhereOutOfReach...)
}
