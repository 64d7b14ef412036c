package fleet

import (
	"fmt"
	"slices"
)

// Kind is what an operation does.
type Kind string

// Kinds of operations on one user's messages.
const (
	Append Kind = "append" // stores the message ID
	Read   Kind = "read"   // returns the ids of all messages in Log
	Search Kind = "search" // looks for the message ID; Log holds it if it was found
	Erase  Kind = "erase"  // erases the message ID
)

// Op is an operation of a host. Times are those of one clock, in nanoseconds.
type Op struct {
	Kind  Kind     `json:"kind"`
	User  string   `json:"user"`
	ID    string   `json:"id,omitempty"`
	Log   []string `json:"log,omitempty"`
	Host  string   `json:"host"`
	Begin int64    `json:"begin"`
	End   int64    `json:"end,omitempty"` // 0: not acknowledged, so it may have happened or not
}

func (o Op) String() string {
	return fmt.Sprintf("%s %s %s by %s [%d, %d]", o.Kind, o.User, o.ID, o.Host, o.Begin, o.End)
}

// before reports whether o was acknowledged before p began.
func (o Op) before(p Op) bool { return o.End != 0 && o.End < p.Begin }

// Check decides whether the operations on one user are linearizable: whether each can
// have happened at one moment between its begin and its end, so that every read returns
// exactly the messages that were stored and not erased at its moment, in the order in
// which they were stored. final are the messages at the end. It returns what contradicts
// that, at most one finding for each operation.
//
// Since a message is stored once and reads return all of them, the order is known, and
// four comparisons decide it: of operations with the final log, of appends with appends,
// of appends with reads and of reads with reads. Searches are reads of one message.
func Check(ops []Op, final []string) (findings []string) {
	find := func(format string, args ...any) { findings = append(findings, fmt.Sprintf(format, args...)) }
	appends, erases := make(map[string]Op), make(map[string]Op)
	var reads, searches []Op
	for _, o := range ops {
		switch o.Kind {
		case Append:
			if _, twice := appends[o.ID]; twice {
				find("%v: the history appends it twice", o)
			}
			appends[o.ID] = o
		case Erase:
			if e, known := erases[o.ID]; !known || e.End == 0 || o.End != 0 && o.End < e.End {
				if known {
					o.Begin = min(o.Begin, e.Begin) // any of them may have taken effect
				}
				erases[o.ID] = o
			} else {
				e.Begin = min(o.Begin, e.Begin)
				erases[o.ID] = e
			}
		case Read:
			if o.End != 0 {
				reads = append(reads, o)
			}
		case Search:
			if o.End != 0 {
				searches = append(searches, o)
			}
		}
	}

	// The order: that of the final log, in which erased messages take the place that
	// reads saw them in.
	place := make(map[string]int)
	for i, id := range final {
		if _, twice := place[id]; twice {
			find("%s is stored twice", id)
		}
		if _, known := appends[id]; !known {
			find("%s is stored, and no host published it", id)
		}
		if e, erased := erases[id]; erased && e.End != 0 {
			find("%v: it is still stored", e)
		}
		place[id] = i
	}
	for id, a := range appends {
		_, stored := place[id]
		if _, erased := erases[id]; a.End != 0 && !stored && !erased {
			find("%v: acknowledged and lost", a)
		}
	}

	// Appends with appends: one acknowledged before another began comes first.
	stored := slices.DeleteFunc(slices.Clone(final), func(id string) bool { _, known := appends[id]; return !known })
	latest := int64(0) // begin of any append up to here
	var latestID string
	for _, id := range stored {
		a := appends[id]
		if a.End != 0 && a.End < latest {
			find("%v: comes after %s, which began later", a, latestID)
		}
		if a.Begin > latest {
			latest, latestID = a.Begin, id
		}
	}

	// Appends with reads.
	contains := func(r Op, id string, found bool) {
		a, known := appends[id]
		e, erased := erases[id]
		switch {
		case found && !known:
			find("%v: returned %s, which no host published", r, id)
		case found && r.before(a):
			find("%v: returned %s before it was published", r, id)
		case found && erased && e.before(r):
			find("%v: returned %s, which was erased", r, id)
		case !found && known && a.before(r) && (!erased || r.before(e)):
			find("%v: did not return %s, which was acknowledged before", r, id)
		}
	}
	within := make([]map[string]bool, len(reads))
	for i, r := range reads {
		within[i] = make(map[string]bool, len(r.Log))
		last, lastID := -1, ""
		for _, id := range r.Log {
			if within[i][id] {
				find("%v: returned %s twice", r, id)
			}
			within[i][id] = true
			contains(r, id, true)
			if at, known := place[id]; known {
				if at < last {
					find("%v: returned %s after %s, against the final order", r, id, lastID)
				}
				last, lastID = at, id
			}
		}
		for id := range appends {
			if !within[i][id] {
				contains(r, id, false)
			}
		}
		// What is in the log is all that was stored before its last message.
		for _, id := range stored[:last+1] {
			if _, erased := erases[id]; !erased && !within[i][id] {
				find("%v: has a gap at %s", r, id)
			}
		}
	}
	for _, s := range searches {
		contains(s, s.ID, slices.Contains(s.Log, s.ID))
	}

	// Reads with reads: what one returned, a later one returns, unless it was erased; and
	// what is gone does not come back. Each read is compared with what all earlier ones
	// have seen.
	type sighting struct{ seen, gone int64 } // the earliest end of a read with it, and of one that had it no more
	seen := make(map[string]*sighting)
	slices.SortFunc(reads, func(a, b Op) int { return int(a.End - b.End) })
	for _, r := range reads {
		for _, id := range r.Log {
			if s := seen[id]; s == nil {
				seen[id] = &sighting{seen: r.End}
			}
		}
	}
	for _, r := range reads {
		has := make(map[string]bool, len(r.Log))
		for _, id := range r.Log {
			has[id] = true
		}
		for id, s := range seen {
			_, erased := erases[id]
			if has[id] || s.seen >= r.Begin {
				continue
			}
			if !erased {
				find("%v: did not return %s, which an earlier read returned", r, id)
			} else if s.gone == 0 {
				s.gone = r.End
			}
		}
	}
	for _, r := range reads {
		for _, id := range r.Log {
			if s := seen[id]; s.gone != 0 && s.gone < r.Begin {
				find("%v: returned %s, which was gone in an earlier read", r, id)
			}
		}
	}
	return findings
}
