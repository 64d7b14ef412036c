package recall

import (
	"cmp"
	"slices"
)

// fusionK is the constant of reciprocal rank fusion (Cormack, Clarke and
// Büttcher 2009). It damps the difference between the first ranks.
const fusionK = 60

// ranking is one arm's answer with the weight it has in the fusion.
type ranking struct {
	arm        string
	weight     float64
	candidates []Candidate
}

// fused is a memory that at least one arm proposed.
type fused struct {
	memoryID int64
	place    uint32 // in the index, from 1; 0 = not looked up
	arms     []ArmRank
	// score is weighted reciprocal rank fusion, divided by what a first place
	// in every arm would give: 0–1, so that a weight beside it means something.
	score float64
}

// fuse merges rankings by weighted reciprocal rank: Σ weight/(k + rank). Best
// first; ties go to the older memory. Arms without weight only annotate.
func fuse(rankings []ranking) []fused {
	n := 0
	for _, r := range rankings {
		n += len(r.candidates)
	}
	place := make(map[int64]int, n)
	all, ranks := make([]fused, 0, n), make([]ArmRank, n) // ranks has room for the first of each
	var top float64
	for _, r := range rankings {
		top += r.weight / (fusionK + 1)
		for i, c := range r.candidates {
			at, ok := place[c.MemoryID]
			if !ok {
				at = len(all)
				place[c.MemoryID] = at
				all = append(all, fused{memoryID: c.MemoryID, arms: ranks[at : at : at+1]})
			}
			all[at].place = max(all[at].place, c.place)
			all[at].arms = append(all[at].arms, ArmRank{Arm: r.arm, Rank: i + 1, Score: c.Score})
			all[at].score += r.weight / (fusionK + float64(i+1))
		}
	}
	if top > 0 {
		for i := range all {
			all[i].score /= top
		}
	}
	slices.SortFunc(all, func(a, b fused) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.memoryID, b.memoryID))
	})
	return all
}
