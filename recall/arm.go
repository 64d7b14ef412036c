package recall

import (
	"cmp"
	"context"
	"slices"

	"github.com/ebbmem/ebb/internal/quickselect"
	"github.com/ebbmem/ebb/recall/lexicon"
	"github.com/ebbmem/ebb/schema"
)

// An Arm proposes memories for a query in one way. Arms are scoped inside their own
// query: they never see another user's text. The ranker decides what a proposal is
// worth.
//
// Arms are internal to this package: [New] lists them, and [Options] has no place for
// others. The arms of a search run concurrently on one [schema.Snapshot]. Several may
// read from it, as those for entities and vectors do. Close the rows of a query before
// the next: the connection to a server has one at a time.
type Arm interface {
	// Name identifies the arm in explanations; see [ArmNames].
	Name() string
	// Candidates returns memories, best first. An error takes the arm out of
	// this search and is reported as [Degraded].
	Candidates(ctx context.Context, r *Request) ([]Candidate, error)
}

// ArmNames are the names under which explanations list the ways to find a memory: the
// arms, in their order, and what a plan finds along relations, "links". The parts of a
// question add "part 1" and so on.
var ArmNames = []string{"text", "time", "entity", "instruction", "topic", "vector", "links"}

// Request is the input of an arm: the query, what was understood of it, and the
// user's index.
type Request struct {
	Query
	UserID   int64
	Snapshot *schema.Snapshot

	index    *index
	question *question
	filter   *filter
	matches  *matches       // written by the text arm only
	similar  *similar       // written by the vector arm only; nil without one
	themes   *lexicon.Asked // nil if none of its topics is known

	terms    []uint32  // of the text that a plan read last
	rarities []float64 // by frequency, for a plan
}

// Candidate is one arm's proposal.
type Candidate struct {
	MemoryID int64
	Score    float64 // in the arm's own unit, larger is better

	place uint32 // in the index, from 1; 0 if the arm has not looked it up
}

// armDepth is how many candidates an arm returns. With twice as many it ranks no better.
const armDepth = 200

// best keeps the armDepth best candidates, best first; ties go to the older.
func best(candidates []Candidate) []Candidate {
	if len(candidates) > 4*armDepth {
		scores := make([]float64, len(candidates))
		for i, c := range candidates {
			scores[i] = c.Score
		}
		least := quickselect.NthLargest(scores, armDepth)
		candidates = slices.DeleteFunc(candidates, func(c Candidate) bool { return c.Score < least })
	}
	slices.SortFunc(candidates, func(a, b Candidate) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.MemoryID, b.MemoryID))
	})
	return candidates[:min(len(candidates), armDepth)]
}

// ranking is one arm's answer.
type ranking struct {
	arm        string
	candidates []Candidate
}

// proposal is a memory that at least one arm proposed.
type proposal struct {
	memoryID int64
	place    uint32 // in the index, from 1; 0 = not looked up
	arms     []ArmRank
}

// union lists the memories of all rankings, each once, with its rank in every arm that
// proposed it.
func union(rankings []ranking) []proposal {
	n := 0
	for _, r := range rankings {
		n += len(r.candidates)
	}
	place := make(map[int64]int, n)
	all, ranks := make([]proposal, 0, n), make([]ArmRank, n) // ranks has room for the first of each
	for _, r := range rankings {
		for i, c := range r.candidates {
			at, ok := place[c.MemoryID]
			if !ok {
				at = len(all)
				place[c.MemoryID] = at
				all = append(all, proposal{memoryID: c.MemoryID, arms: ranks[at : at : at+1]})
			}
			all[at].place = max(all[at].place, c.place)
			all[at].arms = append(all[at].arms, ArmRank{Arm: r.arm, Rank: i + 1, Score: c.Score})
		}
	}
	return all
}
