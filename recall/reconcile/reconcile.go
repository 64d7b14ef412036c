// Package reconcile decides what becomes of a new claim beside what is known already:
// the gate of cognitive-v9.md ("Controls the write path using prediction error"), by
// similarity. The decision is a pure function; package internal/claims carries it out,
// for tools and for nights.
package reconcile

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/recall"
	"github.com/ebbmem/ebb/schema"
)

// Verdict is what becomes of a new claim.
type Verdict int

// The verdicts. All but Create are about the first of the similar claims.
const (
	Create    Verdict = iota // it is stored
	Reinforce                // it is the known claim, which gains its evidence
	Update                   // it is stored, and elaborates the known claim
	Supersede                // they differ: it is stored, and conflicts are resolved as always
	Skip                     // it is not stored
)

// Near is a known claim that is similar to the new one.
type Near struct {
	Memory *schema.Memory
	// Similarity is the cosine of their vectors, or of their words, 0–1.
	Similarity float64
	// Contradicts means that one may replace or exclude the other: by what they say
	// of their subject, or because their names, numbers or negations differ.
	Contradicts bool
	// Adds means that the new claim says a word that the known one does not.
	Adds bool
}

// Func decides about a claim. near are current claims of the same user, the most
// similar first. It must be safe for concurrent use and a function of its arguments
// alone. A panic counts as [Create].
type Func func(claim *schema.Memory, near []Near) Verdict

// The bands of similarity.
const (
	UpdateFrom     = 0.75 // below it a claim is new
	ReinforceAbove = 0.92
)

// Cognitive decides by the bands of cognitive-v9.md: below .75 a claim is new, up to .92
// it is an update, above it repeats what is known. A contradiction goes first. A claim of
// lower trust changes nothing that is known: it is no update, and what it repeats is
// skipped. What repeats a claim but for a word is an update, since "left" is no
// repetition of "right".
func Cognitive(claim *schema.Memory, near []Near) Verdict {
	if len(near) == 0 || !(near[0].Similarity >= UpdateFrom) {
		return Create
	}
	n := &near[0]
	lower := claim.Trust < n.Memory.Trust
	switch {
	case n.Contradicts && lower:
		return Create
	case n.Contradicts:
		return Supersede
	case n.Similarity > ReinforceAbove && !n.Adds && lower:
		return Skip
	case n.Similarity > ReinforceAbove && !n.Adds:
		return Reinforce
	case lower:
		return Create
	}
	return Update
}

// Similar are the known claims that are similar to a new one, with the policy. Nil: the
// policy is not asked.
type Similar struct {
	decide Func
	words  map[string]bool // of the claim
	owner  map[string]bool
	marks  map[string]bool
	by     map[int64]float64 // by row id
}

// claimsCompared is how many claims a new one is compared with.
const claimsCompared = 10

// Find searches for the claims of a user that are similar to a new one, outside of any
// transaction. Similarity is the cosine of vectors where the search had them in time, and
// else that of words. It is nil without a policy or a searcher. A content that cannot be
// searched for is similar to nothing.
//
// Errors: those of the search, together with a result that compares with nothing.
func Find(ctx context.Context, searcher *recall.Searcher, decide Func, scope schema.Scope, content string) (*Similar, error) {
	if decide == nil || searcher == nil {
		return nil, nil
	}
	s := &Similar{decide: decide, owner: fillers(scope.User), marks: Marks(content), by: make(map[int64]float64)}
	s.words = s.wordsOf(content)
	answer, err := searcher.Search(ctx, schema.Scope{Tenant: scope.Tenant, User: scope.User}, recall.Query{
		Text: content, Limit: claimsCompared, Kinds: []schema.Kind{schema.KindFact, schema.KindPreference}, Dormant: true, Unquarantined: true, Undivided: true, Wait: true,
	})
	if err != nil {
		if _, invalid := errors.AsType[*schema.InvalidError](err); invalid {
			err = nil
		}
		return s, err
	}
	for i := range answer.Results {
		r := &answer.Results[i]
		similarity := cosine(s.words, s.wordsOf(r.Memory.Content))
		for _, arm := range r.Arms {
			if arm.Arm == "vector" {
				similarity = min(1, arm.Score)
			}
		}
		s.by[r.Memory.ID] = similarity
	}
	return s, nil
}

// IDs returns the row ids of the similar claims. It must not be called on nil.
func (s *Similar) IDs() []int64 {
	return slices.Sorted(maps.Keys(s.by))
}

// Near compares the new claim with a known one. contradicts reports that their readings
// do. found is false for a claim that was not found.
func (s *Similar) Near(m *schema.Memory, contradicts bool) (n Near, found bool) {
	similarity, found := s.by[m.ID]
	if !found {
		return n, false
	}
	words := s.wordsOf(m.Content)
	n = Near{Memory: m, Similarity: similarity, Contradicts: contradicts || differ(s.marks, Marks(m.Content))}
	for w := range s.words {
		n.Adds = n.Adds || !words[w]
	}
	return n, true
}

// Ask asks the policy about a claim and sorts near, the most similar first.
func (s *Similar) Ask(claim *schema.Memory, near []Near) (v Verdict) {
	slices.SortStableFunc(near, func(a, b Near) int {
		return cmp.Or(cmp.Compare(b.Similarity, a.Similarity), cmp.Compare(a.Memory.ID, b.Memory.ID))
	})
	defer func() {
		if recover() != nil || len(near) == 0 {
			v = Create
		}
	}()
	return s.decide(claim, near)
}

// fillers are the words that stand for the user: "I like tea" and "Ada likes tea" are one
// claim of Ada's.
func fillers(user string) map[string]bool {
	return text.TermsOf("user kullanıcı nutzer usuario 用户", user)
}

// wordsOf returns the terms of a claim without stop words and the user's name.
func (s *Similar) wordsOf(content string) map[string]bool {
	const most = 256
	words := make(map[string]bool)
	for _, term := range text.QueryTerms(content, most) {
		if !s.owner[term] {
			words[term] = true
		}
	}
	return words
}

// cosine is |a ∩ b| / √(|a|·|b|), 0–1; 0 for an empty set.
func cosine(a, b map[string]bool) float64 {
	shared := 0
	for w := range a {
		if b[w] {
			shared++
		}
	}
	if shared == 0 {
		return 0
	}
	return float64(shared) / math.Sqrt(float64(len(a)*len(b)))
}

// Differ reports whether two texts exclude each other by their names, numbers or
// negations ([Near].Contradicts).
func Differ(a, b string) bool { return differ(Marks(a), Marks(b)) }

// differ reports whether each of two claims has a mark that the other lacks, or only one
// of them denies something.
func differ(a, b map[string]bool) bool {
	lacks := func(a, b map[string]bool) (lacking, denies bool) {
		for m := range a {
			if !b[m] {
				lacking, denies = true, denies || slices.Contains(negations, m)
			}
		}
		return lacking, denies
	}
	one, denied := lacks(a, b)
	other, denies := lacks(b, a)
	return one && other || denied || denies
}

// negations turn what a text says into its opposite.
var negations = strings.Fields("not no never none nor nobody nothing neither without t isn wasn don doesn didn won can't cannot değil yok hiç asla nicht kein keine nie niemals ohne nunca jamás sin tampoco")

// Marks returns the words of a text that make it another one: names, numbers and
// negations, folded.
func Marks(s string) map[string]bool {
	marks := make(map[string]bool)
	for _, word := range strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		folded := text.Fold(word)
		if strings.ContainsFunc(word, unicode.IsDigit) || slices.Contains(negations, folded) {
			marks[folded] = true
		}
	}
	for _, m := range text.Mentions(s) {
		marks[text.Fold(m.Text)] = true
	}
	return marks
}
