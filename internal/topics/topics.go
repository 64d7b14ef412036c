// Package topics determines the everyday topics of a text, and the similarity of
// two texts by their topics where they share no word: "Shall we order the pizza?"
// is near "I can't eat gluten", "Was soll ich Oma schenken?" near "Meine
// Großmutter sammelt Fingerhüte", 今晚吃什么 near 我不吃香菜.
//
// It has some hundred topics, their words in English, German, Spanish and
// Chinese, and the similarity of each pair of topics, and some 2,400 finer concepts:
// "the takeover" is near "Nordlys would like to buy us". A text becomes a small
// [Set]; [Near] compares two sets. Neither needs a model, a file or the network.
// It is a weak signal that adds to words, entities and vectors and does not
// replace them.
//
// README.md describes the lists.
package topics

import (
	"cmp"
	"iter"
	"math"
	"slices"
)

// A Set is the topics and concepts of a text, each with its share of the text. The zero
// Set has none.
type Set struct {
	// codes has three bytes for each, in ascending order: the code in little endian
	// and the weight in 255ths, at least 1. Codes from maxTopics on are concepts.
	codes []byte
}

type weighted struct {
	code   uint16
	weight float32 // 0–1
}

const (
	// weightUnit is the encoding of a weight of 1 in a Set.
	weightUnit = 255
	// codeSize is the number of bytes of a topic or concept in a Set.
	codeSize = 3
)

// codeAt is the code at a place in the codes of a set.
func codeAt(codes []byte, at int) uint16 {
	return (uint16(codes[at]) | uint16(codes[at+1])<<8) & (maxCodes - 1)
}

// Empty reports whether no topic or concept of the text is known.
func (s Set) Empty() bool { return len(s.codes) == 0 }

// Names lists the topics, the strongest first.
func (s Set) Names() []string {
	sorted := make([]weighted, 0, len(s.codes)/codeSize)
	for t := range s.all() {
		if t.code < maxTopics {
			sorted = append(sorted, t)
		}
	}
	slices.SortStableFunc(sorted, func(a, b weighted) int { return cmp.Compare(b.weight, a.weight) })
	l := lexicon()
	names := make([]string, len(sorted))
	for i, t := range sorted {
		names[i] = l.names[t.code]
	}
	return names
}

// Of returns the topics and concepts of a text. It reads at most the first [maxRunes]
// runes.
func Of(text string) Set {
	r := newReader()
	defer r.done()
	r.read(text)
	if len(r.codes) == 0 {
		return Set{}
	}
	return Set{r.appendCodes(make([]byte, 0, codeSize*len(r.codes)))}
}

func newReader() reader { return reader{words: lexicon(), sums: pool.Get().(*sums)} }

func (r *reader) done() { pool.Put(r.sums) }

// Load reads the lists. Without it the first use reads them.
func Load() { lexicon() }

// all yields the topics and concepts.
func (s Set) all() iter.Seq[weighted] {
	return func(yield func(weighted) bool) {
		for at := 0; at+codeSize <= len(s.codes); at += codeSize {
			if !yield(weighted{codeAt(s.codes, at), float32(s.codes[at+2]) / weightUnit}) {
				return
			}
		}
	}
}

// All yields the codes of the topics and concepts.
func (s Set) All() iter.Seq[uint16] {
	return func(yield func(uint16) bool) {
		for t := range s.all() {
			if !yield(t.code) {
				return
			}
		}
	}
}

// Has reports whether a topic or concept is among them.
func (s Set) Has(code uint16) bool {
	for t := range s.all() {
		if t.code == code {
			return true
		}
	}
	return false
}

// Codes returns the set as bytes, three for each topic and concept: its code in little
// endian, and its weight. The caller must not change them.
func (s Set) Codes() []byte { return s.codes }

// FromCodes returns the set with these [Set.Codes]. It keeps the slice.
func FromCodes(codes []byte) Set { return Set{codes[:len(codes)/codeSize*codeSize]} }

// Join returns the set of a text of two parts.
func Join(a, b Set) Set {
	s := pool.Get().(*sums)
	defer pool.Put(s)
	for _, part := range []Set{a, b} {
		for t := range part.all() {
			s.add(t.code, t.weight)
		}
	}
	return Set{s.appendCodes(nil)}
}

// Near returns the similarity of a sentence to a question, 0–1, the sum of two: that
// of their topics, for each topic of the question the nearest one of the sentence,
// weighted by the topic's specificity, over the lengths of both; and that of the
// concepts they share, over the lengths of both, times the factor concepts. It is 0
// when either is empty.
func Near(question, sentence Set, concepts float64) float64 {
	return Ask(question, concepts).Near(sentence)
}

// A Question is a question's topics and concepts, prepared for many sentences. It does
// not change and may be used by several goroutines.
type Question struct {
	rows    [][maxTopics]float32 // for each of its topics the value of each topic of a sentence
	weights *[maxTopics]float64  // squared, of the topics
	length  float64              // of the topics

	concepts []weighted         // the weight of each in a sentence's value
	held     uint64             // bit code%64 of each
	rarities *[maxCodes]float32 // squared, of the concepts
}

// Ask prepares a question for [Question.Near]. The similarity of concepts counts times
// the factor concepts.
func Ask(question Set, concepts float64) *Question {
	return ask(question, concepts, &lexicon().weights, &equallyRare)
}

// equallyRare are the rarities of concepts in no texts.
var equallyRare = func() (r [maxCodes]float32) {
	for i := range r {
		r[i] = 1
	}
	return r
}()

func ask(q Set, factor float64, weights *[maxTopics]float64, rarities *[maxCodes]float32) *Question {
	l := lexicon()
	first := q.concepts()
	a := &Question{rows: make([][maxTopics]float32, first/codeSize), weights: new([maxTopics]float64), rarities: rarities}
	for i := range l.names {
		a.weights[i] = weights[i] * weights[i]
	}
	var square float32
	for t := range FromCodes(q.codes[first:]).all() {
		a.concepts = append(a.concepts, weighted{t.code, t.weight * rarities[t.code]})
		a.held |= 1 << (t.code % 64)
		square += t.weight * t.weight * rarities[t.code]
	}
	for i := range a.concepts { // square is 0 if no list has them
		a.concepts[i].weight *= float32(factor / math.Sqrt(max(float64(square), 1e-9)))
	}
	for i := range a.rows {
		t := codeAt(q.codes, i*codeSize)
		w := float64(q.codes[i*codeSize+2]) / weightUnit * weights[t]
		a.length += w * w
		for u := range l.names {
			a.rows[i][u] = float32(w * float64(l.near[t][u]) * weights[u])
		}
	}
	a.length = math.Sqrt(a.length)
	return a
}

// concepts returns where in the codes the concepts begin.
func (s Set) concepts() int {
	at := 0
	for at < len(s.codes) && codeAt(s.codes, at) < maxTopics {
		at += codeSize
	}
	return at
}

// Near is [Near] for the prepared question.
func (q *Question) Near(sentence Set) float64 { return q.Above(sentence, 0) }

// Above returns [Question.Near] if that is more than least, and else 0. It is
// faster than Near for sentences at or below least.
func (q *Question) Above(sentence Set, least float64) float64 {
	first := sentence.concepts()
	shared := q.sharedConcepts(sentence.codes[first:])
	near := min(1, shared+q.nearTopics(sentence.codes[:first], least-shared))
	if near <= least {
		return 0
	}
	return near
}

// sharedConcepts is the similarity by concepts, 0 or more.
func (q *Question) sharedConcepts(codes []byte) float64 {
	var sum float32
	for at := 0; at+codeSize <= len(codes); at += codeSize {
		code := codeAt(codes, at)
		if q.held>>(code%64)&1 == 0 {
			continue
		}
		for _, c := range q.concepts {
			if c.code == code {
				sum += c.weight * float32(codes[at+2])
			}
		}
	}
	if sum == 0 {
		return 0
	}
	var square float32
	for at := 0; at+codeSize <= len(codes); at += codeSize {
		weight := float32(codes[at+2])
		square += weight * weight * q.rarities[codeAt(codes, at)]
	}
	return float64(sum) / weightUnit / math.Pow(float64(square)/(weightUnit*weightUnit), lengthPower/2)
}

// nearTopics is the similarity by topics if that is more than least, and else 0.
func (q *Question) nearTopics(codes []byte, least float64) float64 {
	if q.length == 0 || len(codes) == 0 {
		return 0
	}
	var sum float32
	for i := range q.rows {
		row, best := &q.rows[i], float32(0)
		for at := 0; at+codeSize <= len(codes); at += codeSize {
			best = max(best, row[codes[at]&(maxTopics-1)]*float32(codes[at+2]))
		}
		sum += best
	}
	if sum == 0 {
		return 0
	}
	square := 0.0
	for at := 0; at+codeSize <= len(codes); at += codeSize {
		weight := float64(codes[at+2])
		square += weight * weight * q.weights[codes[at]&(maxTopics-1)]
	}
	worth := float64(sum) / weightUnit / q.length
	square /= weightUnit * weightUnit
	if least > 0 { // near > least without a power
		if x := worth / least; square >= x*x*math.Sqrt(x) {
			return 0
		}
	}
	return min(1, worth/math.Pow(square, lengthPower/2))
}

// Topics lists the codes of the topics and concepts that give a sentence a similarity
// above 0: concepts, then topics, each in order of their contribution.
func (q *Question) Topics() (all []uint16) {
	concepts := slices.Clone(q.concepts)
	slices.SortStableFunc(concepts, func(a, b weighted) int { return cmp.Compare(b.weight, a.weight) })
	for _, c := range concepts {
		all = append(all, c.code)
	}
	var worth [maxTopics]float32
	for i := range q.rows {
		for u, w := range q.rows[i] {
			worth[u] = max(worth[u], w)
		}
	}
	for u, w := range worth {
		if w > 0 {
			all = append(all, uint16(u))
		}
	}
	slices.SortStableFunc(all[len(concepts):], func(a, b uint16) int { return cmp.Compare(worth[b], worth[a]) })
	return all
}

// lengthPower is the exponent of a sentence's length in the denominator; 1 makes
// Near a cosine, which ranks long turns too low. Question.nearTopics relies on the
// value.
const lengthPower = 0.8

// A Census counts in how many of one user's texts each topic and concept occurs, so
// that a frequent one weighs less. It is not safe for concurrent use while texts are
// added.
type Census struct {
	texts int
	with  [maxCodes]int32
}

// Add counts a text.
func (c *Census) Add(s Set) { c.count(s, 1) }

// Remove reverts Add for a text.
func (c *Census) Remove(s Set) { c.count(s, -1) }

func (c *Census) count(s Set, n int) {
	c.texts += n
	for t := range s.all() {
		c.with[t.code] += int32(n)
	}
}

const (
	// A census starts with priorTexts texts, with priorShare of them about each
	// topic and priorConcept about each concept, so that a few texts do not dominate.
	priorTexts   = 30
	priorShare   = 0.03
	priorConcept = 0.01
)

// Near is [Near] with each topic and concept weighted by its rarity in the census.
func (c *Census) Near(question, sentence Set, concepts float64) float64 {
	return c.Ask(question, concepts).Near(sentence)
}

// Ask is [Ask] with each topic and concept weighted by its current rarity in the census.
func (c *Census) Ask(question Set, concepts float64) *Question {
	l := lexicon()
	var weights [maxTopics]float64
	n := float64(c.texts) + priorTexts
	for i := range l.names {
		df := float64(c.with[i]) + priorTexts*priorShare
		rare := max(0.1, math.Log(n/df)/math.Log(1/priorShare))
		weights[i] = l.weights[i] * math.Sqrt(rare)
	}
	if question.concepts() == len(question.codes) {
		return ask(question, concepts, &weights, &equallyRare)
	}
	// Most concepts occur in a few texts or none.
	rarity := func(with int) float32 {
		rare := math.Log(n/(float64(with)+priorTexts*priorConcept)) / math.Log(1/priorConcept)
		return float32(rare * rare)
	}
	var few [32]float32
	for with := range few {
		few[with] = rarity(with)
	}
	rarities := new([maxCodes]float32)
	for i := maxTopics; i < maxTopics+l.concepts; i++ {
		if with := int(c.with[i]); with >= 0 && with < len(few) {
			rarities[i] = few[with]
		} else {
			rarities[i] = rarity(with)
		}
	}
	return ask(question, concepts, &weights, rarities)
}
