// Package fluency judges without labels whether an embedder understands the language of
// some texts.
package fluency

import (
	"slices"
	"sync/atomic"

	"github.com/ebbmem/ebb/internal/topics"
)

// Texts are texts of one user that an embedder is judged by, by position.
type Texts struct {
	Topics []topics.Set
	Census *topics.Census // of all of the user's texts
	// Cosine compares two texts; ok is false if one has no vector.
	Cosine func(a, b int) (c float64, ok bool)
}

const (
	// Most is how many texts are enough to judge by.
	Most = 500
	// blind is the share of right judgements that earns an embedder no trust, although
	// only half of them are right by chance, and full the one that earns it all. Of 38
	// users of all-MiniLM-L6-v2, an English model, it is .61 to .78 for those who write
	// English and .43 to .61 for those who write German, Spanish or Chinese.
	blind, full = 0.59, 0.63
	// relatedNear is how near the topics of related texts are at least.
	relatedNear = 0.5
	// pairsEach is how many related and how many other pairs a text begins at most, and
	// leastPairs how many of each kind it takes to judge.
	pairsEach, leastPairs = 3, 50
)

// A Judge remembers its judgement. It is safe for concurrent use.
type Judge struct{ last atomic.Pointer[judgement] }

type judgement struct {
	trust      float64
	generation int64
	vectors    int // when it was made
	until      int // it stands up to so many
}

// Trust returns how far an embedder can be trusted with a user's texts, 0–1, as judge does.
// texts is called for the first judgement on a generation of vectors and when their
// number has doubled or halved since the last, or has grown by an eighth since there were
// too few texts to judge by.
func (j *Judge) Trust(generation int64, vectors int, texts func() Texts) float64 {
	if last := j.last.Load(); last != nil && last.generation == generation && vectors < last.until && vectors > last.vectors/2 {
		return last.trust
	}
	trust, enough := judge(texts())
	now := &judgement{trust, generation, vectors, 2 * vectors}
	if !enough {
		now.until = vectors + vectors/8 + 1
	}
	j.last.Store(now)
	return now.trust
}

// judge returns how far an embedder can be trusted with some texts, 0–1: whether the vectors
// of two texts about one everyday topic are nearer to each other than those of texts about
// different ones. Texts that share a word for the topic do not count. It is 1, and not enough,
// if there are too few texts to judge by.
func judge(t Texts) (trust float64, enough bool) {
	var related, others []float64
	for a, of := range t.Topics {
		if of.Empty() {
			continue
		}
		about := t.Census.Ask(of, 0)
		moreRelated, moreOthers := pairsEach, pairsEach
		for b := a + 1; b < len(t.Topics) && moreRelated+moreOthers > 0; b++ {
			near := about.Near(t.Topics[b])
			if t.Topics[b].Empty() || near > 0 && (near < relatedNear || topics.ShareConcept(of, t.Topics[b])) {
				continue
			}
			more, to := &moreOthers, &others
			if near > 0 {
				more, to = &moreRelated, &related
			}
			if *more > 0 {
				if c, ok := t.Cosine(a, b); ok {
					*more--
					*to = append(*to, c)
				}
			}
		}
	}
	if len(related) < leastPairs || len(others) < leastPairs {
		return 1, false
	}
	slices.Sort(others)
	right := 0
	for _, c := range related {
		below, _ := slices.BinarySearch(others, c)
		right += below
	}
	share := float64(right) / float64(len(related)*len(others))
	return min(1, max(0, (share-blind)/(full-blind))), true
}
