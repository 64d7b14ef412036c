package claims

import (
	"cmp"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/ebbmem/ebb/internal/intent"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/internal/topics"
	"github.com/ebbmem/ebb/recall/lexicon"
	"github.com/ebbmem/ebb/schema"
)

// index holds the terms of a request that memories contain.
type index struct {
	request, object string          // of the request, whole and what it names
	when            []text.TimeSpan // past times that it names

	memories []schema.Memory
	terms    []string
	weights  map[string]float64   // by term
	held     []map[string]float64 // by memory: how much of a term it contains, 0–1
	in       map[string]int       // memories by term
	topics   []*topics.Set        // by memory, computed on first use
}

// How much of a term a memory contains that has another word of the same root, or one
// for the same thing, or for the same person.
const (
	rootHeld     = 0.7
	relativeHeld = 0.5
	calledHeld   = 0.35
)

func indexOf(weights map[string]float64, memories []schema.Memory, close people) *index {
	terms := slices.Sorted(maps.Keys(weights))
	also := close.alsoCalled(terms)
	x := &index{memories: memories, terms: terms, weights: weights, held: make([]map[string]float64, len(memories)), in: make(map[string]int), topics: make([]*topics.Set, len(memories))}
	for i := range memories {
		words := make(map[string]bool)
		roots := make(map[string]bool)
		all := wordsOf(&memories[i])
		if content := memories[i].Content; strings.ContainsAny(content, "0123456789") && code.MatchString(content) {
			all = append(all, codeTerms...)
		}
		for _, w := range all {
			words[w] = true
			for _, root := range lexicon.Roots(w) {
				roots[root] = true
			}
		}
		x.held[i] = make(map[string]float64)
		for _, term := range terms {
			held := 0.0
			switch {
			case words[term]:
				held = 1
			case !isHan(term) && slices.ContainsFunc(lexicon.Roots(term), func(root string) bool { return roots[root] }):
				held = rootHeld
			case slices.ContainsFunc(lexicon.Relatives(term), func(other string) bool { return words[other] }):
				held = relativeHeld
			case slices.ContainsFunc(also[term], func(other string) bool { return words[other] }):
				held = calledHeld
			}
			if held > 0 {
				x.held[i][term] = held
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

// shares returns the share, 0–1, of the terms that each memory contains, weighted by
// rarity. Terms that no memory contains have the weight unknownShare. A single Chinese pair of
// common characters may be chance.
func (x *index) shares() []float64 {
	weigh := func(term string) float64 {
		switch n := x.in[term]; {
		case n > 0:
			return x.weights[term] * math.Log(1+float64(len(x.memories))/float64(n))
		case isHan(term):
			return x.weights[term] * unknownShare / 2 * math.Log(1+float64(len(x.memories))) // most pairs of characters are no words
		}
		return x.weights[term] * unknownShare * math.Log(1+float64(len(x.memories)))
	}
	whole := 0.0
	for _, term := range x.terms {
		whole += weigh(term)
	}
	shares := make([]float64, len(x.memories))
	for i, held := range x.held {
		n, sum, last := 0, 0.0, ""
		for _, term := range x.terms {
			if part := held[term]; part > 0 {
				n, sum, last = n+1, sum+part*weigh(term), term
			}
		}
		if n > 1 || n == 1 && (!isHan(last) || !strings.ContainsAny(last, common)) {
			shares[i] = sum / whole
		}
	}
	return shares
}

func (x *index) topicsOf(i int) topics.Set {
	if x.topics[i] == nil {
		of := topics.Of(x.memories[i].Content)
		x.topics[i] = &of
	}
	return *x.topics[i]
}

// meant returns what the request means, and whether that is likely enough: of what is related to its object the
// likeliest, or else, among few, a secret. Of equals it is the newest.
func (x *index) meant() (best statement, sure bool) {
	n := len(x.statements())
	for i, s := range x.ranked() {
		if s.share+s.named >= leastRelated && s.enough(n) && (i == 0 || s.secret) {
			return s, true
		}
		if s.p >= 0.5 || n > mostNamed {
			break // another one, or none, is likelier
		}
	}
	return best, false
}

// ranked returns what was said, the likeliest to be meant by the request first,
// with the probability of each; what is far behind is left out. A message, its claims and
// what a model saved from it count as one.
func (x *index) ranked() []statement {
	if len(x.terms) == 0 {
		return nil
	}
	var census topics.Census
	for i := range x.memories {
		census.Add(x.topicsOf(i))
	}
	shares := x.shares()
	asked, named := census.Ask(topics.Of(x.request), 1), census.Ask(topics.Of(x.object), 1)
	said := x.statements()
	within := slices.ContainsFunc(said, func(s statement) bool { return s.within(x.when) })
	size := float64(min(max(leastFitted, len(said)), mostFitted))
	confided := max(0, confidedWeight-confidedFalls*math.Log(size/usualSize))
	for n := range said { // the newest first
		s := &said[n]
		nearest := -1.0
		for _, i := range s.places {
			near := asked.Near(x.topicsOf(i))
			s.near, s.named = max(s.near, near), max(s.named, named.Near(x.topicsOf(i)))
			if near += shares[i]; near > nearest {
				nearest, s.best = near, i
			}
		}
		s.score = shareWeight*s.share + topicWeight*s.near - agePenalty*math.Log(1+float64(n))
		if within && !s.within(x.when) {
			s.score -= timePenalty
		}
	}
	least := confided*math.Log(mostPrivate/(1-mostPrivate)) + lastingWeight + secretWeight // what signals add at most: few are worth reading them
	slices.SortStableFunc(said, func(a, b statement) int { return cmp.Compare(b.score, a.score) })
	read := 0
	for ; read < len(said); read++ {
		s := &said[read]
		if read%100 == 99 {
			ranked := slices.SortedFunc(slices.Values(said[:read]), func(a, b statement) int { return cmp.Compare(b.score, a.score) })
			if s.score+least < ranked[rivals-1].score {
				break
			}
		}
		private, lasting, secret := 0.0, 0.0, 0.0
		for _, i := range s.places {
			signals := intent.Read(x.memories[i].Content)
			private, lasting = max(private, intent.Confided.Rate(signals)), max(lasting, intent.Lasting.Rate(signals))
			if confidedWords.MatchString(x.memories[i].Content) {
				secret, s.secret = 1, true
			}
		}
		private = min(mostPrivate, max(1-mostPrivate, private))
		s.words = s.share + topicShare*s.named + inConfidence*secret
		s.score += confided*math.Log(private/(1-private)) + lastingWeight*lasting + secretWeight*secret
	}
	said = said[:read]
	if len(said) == 0 {
		return nil
	}
	slices.SortStableFunc(said, func(a, b statement) int {
		return cmp.Or(cmp.Compare(b.score, a.score), x.memories[b.best].EventTime.Compare(x.memories[a.best].EventTime.Time))
	})
	most := said[0].score
	all := math.Exp(noneScore + noneGrowth*math.Log(size) - most)
	for _, s := range said[:min(rivals, len(said))] {
		all += math.Exp(s.score - most)
	}
	for i := range said {
		said[i].p = math.Exp(said[i].score-most) / all
	}
	return said
}

// statement is what was said at one time: a message, the claims of it and what a model
// saved from it in other words.
type statement struct {
	at     time.Time
	places []int // of its memories
	best   int   // the place of the nearest of them

	secret bool // it says that it is one

	share, near, named, words, score, p float64
}

// statements groups the memories by the time at which they were said, the newest first, and
// rates each group by the words that any of its memories contains.
func (x *index) statements() (said []statement) {
	places := make(map[schema.Time][]int)
	for i := range x.memories {
		at := x.memories[i].EventTime
		places[at] = append(places[at], i)
	}
	whole := &index{terms: x.terms, weights: x.weights, in: make(map[string]int)}
	for _, at := range slices.SortedFunc(maps.Keys(places), func(a, b schema.Time) int { return b.Compare(a.Time) }) {
		held := make(map[string]float64)
		for _, i := range places[at] {
			for term, part := range x.held[i] {
				held[term] = max(held[term], part)
			}
		}
		for term := range held {
			whole.in[term]++
		}
		said = append(said, statement{at: at.Time, places: places[at]})
		whole.memories, whole.held = append(whole.memories, x.memories[places[at][0]]), append(whole.held, held)
	}
	for n, share := range whole.shares() {
		said[n].share = share
	}
	return said
}

// named returns the statements that hold most of the request's words, the newest first: at least a share of
// them, and nearly as many as any.
func (x *index) named(least, nearly float64) []statement {
	said := x.statements()
	for _, s := range said {
		least = max(least, nearly*s.share)
	}
	return slices.DeleteFunc(said, func(s statement) bool { return s.share < least })
}

// add adds all memories of statements to the targets.
func (x *index) add(t *targets, said []statement) {
	for _, s := range said {
		for _, i := range s.places {
			t.add(&x.memories[i])
		}
	}
}

// within reports whether it was said at one of the times.
func (s *statement) within(when []text.TimeSpan) bool {
	return slices.ContainsFunc(when, func(t text.TimeSpan) bool { return !s.at.Before(t.Start) && s.at.Before(t.End) })
}

// common are characters of which a pair says little.
const common = "个人有这那我你他她它们的了在就还好是不没事说话上下来去给跟和也都一么什哪啥年月天时"

// isHan reports whether a term consists of Chinese characters.
func isHan(term string) bool {
	r, _ := utf8.DecodeRuneInString(term)
	return unicode.Is(unicode.Han, r)
}
