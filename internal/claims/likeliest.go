package claims

import (
	"context"
	"math"
	"regexp"
	"slices"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/ebbmem/ebb/internal/said"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/internal/topics"
	"github.com/ebbmem/ebb/schema"
)

// Thresholds and weights for loose requests, each 0–1.
const (
	leastShared  = 0.4  // share of the request's words, weighted by rarity, that a memory must contain
	unknownShare = 0.3  // weight of a word in no memory, relative to one in a single memory
	leastAhead   = 0.05 // how far the score of what is meant is above that of anything said at another time
	topicShare   = 0.5  // weight of topics relative to words
)

// likeliest selects the claim or message that a loosely worded request most likely
// means, by shared terms, weighted by rarity, and by topics. It goes clause by clause,
// since reasons follow what is to go: "…, my mum uses this account too". A request
// that refers back without naming anything means the preceding exchange.
func (w *reading) likeliest(ctx context.Context, q said.Request, found []schema.Memory) (t targets, err error) {
	all, err := w.tx.Claims(ctx, w.UserID, claimsRead)
	if err != nil {
		return t, err
	}
	earlier, err := w.tx.Before(ctx, w.Memory, loosely)
	if err != nil {
		return t, err
	}
	x := indexOf(naming(q.Object()), w.candidates(slices.Concat(all, found, earlier)))
	best, score := -1, 0.0
	for _, clause := range append(clauses.Split(q.Object(), -1), q.Object()) {
		t.terms = slices.DeleteFunc(text.QueryTerms(clause, 0), func(term string) bool { return !slices.Contains(x.terms, term) })
		if best, score = x.likeliest(t.terms, clause); best >= 0 {
			break
		}
	}
	if q.Back && score < 1 {
		t.episodes, err = w.previous(ctx)
		t.pointed = len(t.episodes) > 0
		return t, err
	}
	if best < 0 {
		return t, nil
	}
	t.certain = true
	if m := x.memories[best]; m.Kind == schema.KindEpisode {
		t.episodes, t.pointed = append(t.episodes, m), true
	} else {
		t.claims, t.pointed = append(t.claims, m), isLasting(&m)
	}
	return t, nil
}

// candidates returns the memories that a request may mean without naming them: the
// user's own, and none that the user asked to keep.
func (w *reading) candidates(memories []schema.Memory) []schema.Memory {
	return slices.DeleteFunc(memories, func(m schema.Memory) bool {
		return m.ID == w.ID || m.Protected || m.State == schema.StateForgotten || m.Kind == schema.KindEpisode && !Own(&m)
	})
}

// clauses separates the clauses of a request.
var clauses = regexp.MustCompile(`[,.;:!?…—–()，。；：！？、]+`)

// loosely is how many preceding messages a loose request is compared with, in
// addition to the claims.
const loosely = 100

// index holds the terms of a request that memories contain.
type index struct {
	memories []schema.Memory
	terms    []string
	held     [][]string     // by memory
	in       map[string]int // memories by term
	topics   []*topics.Set  // by memory, computed on first use
}

func indexOf(terms []string, memories []schema.Memory) *index {
	x := &index{memories: memories, terms: terms, held: make([][]string, len(memories)), in: make(map[string]int), topics: make([]*topics.Set, len(memories))}
	for i := range memories {
		words := wordsOf(&memories[i])
		if code.MatchString(memories[i].Content) {
			words = append(words, codeTerms...)
		}
		for _, term := range terms {
			if slices.Contains(words, term) {
				x.held[i] = append(x.held[i], term)
				x.in[term]++
			}
		}
	}
	return x
}

// code matches what requests call digits or a code, codeTerms are their terms.
var (
	code      = regexp.MustCompile(`\d[\d\s-]{2,}\d|\d{3,}`)
	codeTerms = text.Terms("digits code pin combination ziffern zahlencode cifras dígitos clave 数字 密码")
)

// shares returns the share, 0–1, of some of the terms that each memory contains,
// weighted by rarity. Terms that no memory contains have the weight unknown. A single
// Chinese pair of characters may be chance and does not count.
func (x *index) shares(terms []string, unknown float64) []float64 {
	weigh := func(term string) float64 {
		if n := x.in[term]; n > 0 {
			return math.Log(1 + float64(len(x.memories))/float64(n))
		}
		return unknown * math.Log(1+float64(len(x.memories)))
	}
	whole := 0.0
	for _, term := range terms {
		whole += weigh(term)
	}
	shares := make([]float64, len(x.memories))
	for i, held := range x.held {
		n, sum, last := 0, 0.0, ""
		for _, term := range held {
			if slices.Contains(terms, term) {
				n, sum, last = n+1, sum+weigh(term), term
			}
		}
		if n > 1 || n == 1 && !isHan(last) {
			shares[i] = sum / whole
		}
	}
	return shares
}

// likeliest returns the place and the score of the memory that a clause with these
// terms means, -1 and 0 if none is clearly ahead of what was said at another time. Of
// equals it is the newest.
func (x *index) likeliest(terms []string, clause string) (best int, score float64) {
	if len(terms) == 0 {
		return -1, 0
	}
	best = -1
	scores := x.shares(terms, unknownShare)
	about := topics.Ask(topics.Of(clause))
	for i, share := range scores {
		if share < leastShared {
			scores[i] = 0
			continue
		}
		scores[i] += topicShare * about.Near(x.topicsOf(i))
		if best < 0 || scores[i] > scores[best] || scores[i] == scores[best] && x.memories[i].EventTime.After(x.memories[best].EventTime.Time) {
			best = i
		}
	}
	if best < 0 {
		return -1, 0
	}
	rival := 0.0
	for i := range scores {
		if x.memories[i].EventTime.Sub(x.memories[best].EventTime.Time).Abs() > time.Minute {
			rival = max(rival, scores[i])
		}
	}
	if scores[best]-rival < leastAhead {
		return -1, 0
	}
	return best, scores[best]
}

func (x *index) topicsOf(i int) topics.Set {
	if x.topics[i] == nil {
		of := topics.Of(x.memories[i].Content)
		x.topics[i] = &of
	}
	return *x.topics[i]
}

// isHan reports whether a term consists of Chinese characters.
func isHan(term string) bool {
	r, _ := utf8.DecodeRuneInString(term)
	return unicode.Is(unicode.Han, r)
}
