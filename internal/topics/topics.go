// Package topics determines the everyday topics of a text, and the similarity of
// two texts by their topics where they share no word: "Shall we order the pizza?"
// is near "I can't eat gluten", "Was soll ich Oma schenken?" near "Meine
// Großmutter sammelt Fingerhüte", 今晚吃什么 near 我不吃香菜.
//
// It has some hundred topics, their words in English, German, Spanish and
// Chinese, and the similarity of each pair of topics, and some 2,400 finer concepts:
// "the takeover" is near "Nordlys would like to buy us". A text becomes a small
// [Set]; [Question.Near] compares two sets. Neither needs a model, a file or the network.
// It is a weak signal that adds to words, entities and vectors and does not
// replace them.
//
// README.md describes the lists.
package topics

import (
	"cmp"
	"encoding/binary"
	"iter"
	"math"
	"slices"
	"sync/atomic"
)

// A Set is the topics and concepts of a text, each with its share of the text. The zero
// Set has none.
type Set struct {
	// codes begins with the number of topics. Then come the topics and the concepts, each
	// in ascending order of their codes: the code, of one byte for a topic and two in
	// little endian for a concept, and the weight in 255ths, at least 1.
	codes []byte
	// concepts is where in codes the concepts begin.
	concepts int
}

type weighted struct {
	code   uint16
	weight float32 // 0–1
}

const (
	// weightUnit is the encoding of a weight of 1 in a Set.
	weightUnit = 255
	// topicSize and conceptSize are the numbers of bytes of a topic and a concept in a Set.
	topicSize, conceptSize = 2, 3
)

// topicIn and conceptIn return the first code of some topics or concepts.
func topicIn(topics []byte) uint16     { return uint16(topics[0] & (maxTopics - 1)) }
func conceptIn(concepts []byte) uint16 { return binary.LittleEndian.Uint16(concepts) & (maxCodes - 1) }

// divide returns the codes of the topics and those of the concepts.
func (s Set) divide() (topics, concepts []byte) {
	if len(s.codes) == 0 {
		return nil, nil
	}
	return s.codes[1:s.concepts], s.codes[s.concepts:]
}

// Empty reports whether no topic or concept of the text is known.
func (s Set) Empty() bool { return len(s.codes) == 0 }

// Names lists the topics, the strongest first.
func (s Set) Names() []string {
	var sorted []weighted
	for code, weight := range s.Weights() {
		if code < maxTopics {
			sorted = append(sorted, weighted{code, weight})
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
	return FromCodes(r.appendCodes(make([]byte, 0, 1+conceptSize*len(r.codes))))
}

func newReader() reader { return reader{words: lexicon(), sums: pool.Get().(*sums)} }

func (r *reader) done() { pool.Put(r.sums) }

// Load reads the lists. Without it the first use reads them.
func Load() { lexicon() }

// Weights yields the codes of the topics and concepts, each with its weight, 0–1.
func (s Set) Weights() iter.Seq2[uint16, float32] {
	return func(yield func(uint16, float32) bool) {
		topics, concepts := s.divide()
		for at := topics; len(at) >= topicSize; at = at[topicSize:] {
			if !yield(topicIn(at), float32(at[1])/weightUnit) {
				return
			}
		}
		for at := concepts; len(at) >= conceptSize; at = at[conceptSize:] {
			if !yield(conceptIn(at), float32(at[2])/weightUnit) {
				return
			}
		}
	}
}

// Len returns the number of topics and concepts.
func (s Set) Len() int {
	topics, concepts := s.divide()
	return len(topics)/topicSize + len(concepts)/conceptSize
}

// Has reports whether a topic or concept is among them.
func (s Set) Has(code uint16) bool {
	for c := range s.Weights() {
		if c == code {
			return true
		}
	}
	return false
}

// Codes returns the set as bytes. The caller must not change them.
func (s Set) Codes() []byte { return s.codes }

// FromCodes returns the set with these [Set.Codes]. It keeps the slice.
func FromCodes(codes []byte) Set {
	if len(codes) == 0 {
		return Set{}
	}
	return Set{codes, min(1+int(codes[0])*topicSize, len(codes))}
}

// Join returns the set of a text of two parts.
func Join(a, b Set) Set {
	s := pool.Get().(*sums)
	defer pool.Put(s)
	for _, part := range []Set{a, b} {
		for code, weight := range part.Weights() {
			s.add(code, weight)
		}
	}
	return FromCodes(s.appendCodes(nil))
}

// ShareConcept reports whether two texts have a concept in common.
func ShareConcept(a, b Set) bool {
	_, of := a.divide()
	for ; len(of) > 0; of = of[conceptSize:] {
		if b.Has(conceptIn(of)) {
			return true
		}
	}
	return false
}

// A Question is a question's topics and concepts, prepared for many sentences. It does
// not change and may be used by several goroutines.
type Question struct {
	// values has, for four of its topics at a time, the value of each topic of a sentence
	// for each of the four.
	values  []fourValues
	weights *[maxTopics]float64 // squared, of the topics
	length  float64             // of the topics

	concepts []weighted         // the weight of each in a sentence's value
	worth    [maxCodes]float32  // the same by code, 0 for others
	most     float64            // the similarity by concepts is at most this
	rarities *[maxCodes]float32 // squared, of the concepts
}

type fourValues [maxTopics][4]float32

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
	topics, _ := q.divide()
	a := &Question{values: make([]fourValues, (len(topics)/topicSize+3)/4), weights: new([maxTopics]float64), rarities: rarities}
	for i := range l.names {
		a.weights[i] = weights[i] * weights[i]
	}
	var square float32
	rare := 0.0
	for code, weight := range q.Weights() {
		if code < maxTopics {
			continue
		}
		a.concepts = append(a.concepts, weighted{code, weight * rarities[code]})
		square += weight * weight * rarities[code]
		rare += float64(rarities[code])
	}
	for i := range a.concepts { // square is 0 if no list has them
		c := &a.concepts[i]
		c.weight *= float32(factor / math.Sqrt(max(float64(square), 1e-9)))
		a.worth[c.code] = c.weight
	}
	// By the inequality of Cauchy and Schwarz, for a sentence that has all of them with a
	// weight of 1 and no others. The rest is for rounding.
	a.most = factor * math.Pow(rare, (1-lengthPower)/2) * 1.001
	for i := range len(topics) / topicSize {
		at := topics[i*topicSize:]
		t := topicIn(at)
		w := float64(at[1]) / weightUnit * weights[t]
		a.length += w * w
		for u := range l.names {
			a.values[i/4][u][i%4] = float32(w * float64(l.near[t][u]) * weights[u])
		}
	}
	a.length = math.Sqrt(a.length)
	return a
}

// Near returns the similarity of a sentence, 0–1, the sum of two: that of the topics,
// for each topic of the question the nearest one of the sentence, weighted by the
// topic's specificity, over the lengths of both; and that of the concepts they share,
// over the lengths of both, times the factor of [Ask]. It is 0 when either is empty.
func (q *Question) Near(sentence Set) float64 { return q.Above(sentence, 0) }

// Above returns [Question.Near] if that is more than least, and else 0. It is
// faster than Near for sentences at or below least.
func (q *Question) Above(sentence Set, least float64) float64 {
	topics, concepts := sentence.divide()
	byTopics := q.nearTopics(topics)
	if !byTopics.above(least - q.most) {
		return 0
	}
	shared := q.sharedConcepts(concepts).value()
	if !byTopics.above(least - shared) {
		return 0
	}
	near := min(1, shared+min(1, byTopics.value()))
	if near <= least {
		return 0
	}
	return near
}

// A share is a sum over what a sentence and a question have in common, and the square of
// the sentence's length, by which it is divided to the power of [lengthPower].
type share struct{ sum, square float64 }

// above reports whether the value is more than least, if that is not negative.
func (s share) above(least float64) bool {
	if least < 0 {
		return true
	}
	x := s.sum / max(least, 1e-9)
	return s.square < x*x*math.Sqrt(x) // without a power
}

func (s share) value() float64 {
	if s.sum == 0 {
		return 0
	}
	return s.sum / math.Exp(lengthPower/2*math.Log(s.square)) // as math.Pow of a positive number
}

// sharedConcepts is the similarity by concepts.
func (q *Question) sharedConcepts(concepts []byte) share {
	var sum, square float32
	for at := concepts; len(at) >= conceptSize; at = at[conceptSize:] {
		code, weight := conceptIn(at), float32(at[2])
		sum += q.worth[code] * weight // without a branch, which would be mispredicted
		square += weight * weight * q.rarities[code]
	}
	if sum == 0 {
		return share{}
	}
	return share{float64(sum) / weightUnit, float64(square) / (weightUnit * weightUnit)}
}

// nearTopics is the similarity by topics.
func (q *Question) nearTopics(topics []byte) share {
	var sum float32
	for i := range q.values {
		var best [4]uint32 // as bits, which have the order of the numbers
		for at := topics; len(at) >= topicSize; at = at[topicSize:] {
			values, weight := &q.values[i][topicIn(at)], float32(at[1])
			best[0] = max(best[0], math.Float32bits(values[0]*weight))
			best[1] = max(best[1], math.Float32bits(values[1]*weight))
			best[2] = max(best[2], math.Float32bits(values[2]*weight))
			best[3] = max(best[3], math.Float32bits(values[3]*weight))
		}
		for _, value := range best {
			sum += math.Float32frombits(value)
		}
	}
	if sum == 0 {
		return share{}
	}
	square := 0.0
	for at := topics; len(at) >= topicSize; at = at[topicSize:] {
		weight := float64(at[1])
		square += weight * weight * q.weights[topicIn(at)]
	}
	return share{float64(sum) / weightUnit / q.length, square / (weightUnit * weightUnit)}
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
	for u := range worth {
		for i := range q.values {
			worth[u] = max(worth[u], slices.Max(q.values[i][u][:]))
		}
		if worth[u] > 0 {
			all = append(all, uint16(u))
		}
	}
	slices.SortStableFunc(all[len(concepts):], func(a, b uint16) int { return cmp.Compare(worth[b], worth[a]) })
	return all
}

// lengthPower is the exponent of a sentence's length in the denominator; 1 makes
// Near a cosine, which ranks long turns too low. [share.above] relies on the
// value.
const lengthPower = 0.8

// A Census counts in how many of one user's texts each topic and concept occurs, so
// that a frequent one weighs less. It is not safe for concurrent use while texts are
// added.
type Census struct {
	texts int
	with  [maxCodes]int32

	rarity atomic.Pointer[rarity] // as it is now; nil: to be computed
}

// rarity is how much topics and concepts weigh.
type rarity struct {
	topics   [maxTopics]float64
	concepts [maxCodes]float32 // squared
}

// Add counts a text.
func (c *Census) Add(s Set) { c.count(s, 1) }

// Remove reverts Add for a text.
func (c *Census) Remove(s Set) { c.count(s, -1) }

func (c *Census) count(s Set, n int) {
	c.texts += n
	c.rarity.Store(nil)
	for code := range s.Weights() {
		c.with[code] += int32(n)
	}
}

const (
	// A census starts with priorTexts texts, with priorShare of them about each
	// topic and priorConcept about each concept, so that a few texts do not dominate.
	priorTexts   = 30
	priorShare   = 0.03
	priorConcept = 0.01
)

// Ask is [Ask] with each topic and concept weighted by its current rarity in the census.
func (c *Census) Ask(question Set, concepts float64) *Question {
	r := c.rarity.Load()
	if r == nil {
		r = c.rarities()
		c.rarity.Store(r)
	}
	return ask(question, concepts, &r.topics, &r.concepts)
}

func (c *Census) rarities() *rarity {
	l, r := lexicon(), new(rarity)
	n := float64(c.texts) + priorTexts
	for i := range l.names {
		df := float64(c.with[i]) + priorTexts*priorShare
		rare := max(0.1, math.Log(n/df)/math.Log(1/priorShare))
		r.topics[i] = l.weights[i] * math.Sqrt(rare)
	}
	// Most concepts occur in a few texts or none.
	of := func(with int) float32 {
		rare := math.Log(n/(float64(with)+priorTexts*priorConcept)) / math.Log(1/priorConcept)
		return float32(rare * rare)
	}
	var few [32]float32
	for with := range few {
		few[with] = of(with)
	}
	for i := maxTopics; i < maxTopics+l.concepts; i++ {
		if with := int(c.with[i]); with >= 0 && with < len(few) {
			r.concepts[i] = few[with]
		} else {
			r.concepts[i] = of(with)
		}
	}
	return r
}
