// Package topics determines the everyday topics of a text, and the similarity of
// two texts by their topics where they share no word: "Shall we order the pizza?"
// is near "I can't eat gluten", "Was soll ich Oma schenken?" near "Meine
// Großmutter sammelt Fingerhüte", 今晚吃什么 near 我不吃香菜.
//
// It has some hundred topics, their words in English, German, Spanish and
// Chinese, and the similarity of each pair of topics. A text becomes a small
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

// A Set is the topics of a text, each with its share of the text. The zero Set has
// no topics.
type Set struct {
	// codes has two bytes for each topic, in order: the topic and its weight in
	// 255ths, at least 1.
	codes []byte
}

type weighted struct {
	topic  uint8
	weight float32 // 0–1
}

// weightUnit is the encoding of a weight of 1 in a Set.
const weightUnit = 255

// Empty reports whether no topic of the text is known.
func (s Set) Empty() bool { return len(s.codes) == 0 }

// Names lists the topics, the strongest first.
func (s Set) Names() []string {
	sorted := make([]weighted, 0, len(s.codes)/2)
	for t := range s.all() {
		sorted = append(sorted, t)
	}
	slices.SortStableFunc(sorted, func(a, b weighted) int { return cmp.Compare(b.weight, a.weight) })
	l := lexicon()
	names := make([]string, len(sorted))
	for i, t := range sorted {
		names[i] = l.names[t.topic]
	}
	return names
}

// Of returns the topics of a text. It reads at most the first [maxRunes] runes.
func Of(text string) Set {
	l := lexicon()
	var sums [maxTopics]float32
	l.read(text, &sums)
	return Set{appendCodes(nil, &sums)}
}

// Load reads the lists. Without it the first use reads them.
func Load() { lexicon() }

// all yields the topics.
func (s Set) all() iter.Seq[weighted] {
	return func(yield func(weighted) bool) {
		for at := 0; at+1 < len(s.codes); at += 2 {
			if !yield(weighted{s.codes[at] & (maxTopics - 1), float32(s.codes[at+1]) / weightUnit}) {
				return
			}
		}
	}
}

// Topics yields the topics by number.
func (s Set) Topics() iter.Seq[uint8] {
	return func(yield func(uint8) bool) {
		for t := range s.all() {
			if !yield(t.topic) {
				return
			}
		}
	}
}

// Has reports whether a topic is among them.
func (s Set) Has(topic uint8) bool {
	for t := range s.all() {
		if t.topic == topic {
			return true
		}
	}
	return false
}

// Codes returns the set as bytes, two for each topic; the first is its number. The
// caller must not change them.
func (s Set) Codes() []byte { return s.codes }

// FromCodes returns the set with these [Set.Codes]. It keeps the slice.
func FromCodes(codes []byte) Set { return Set{codes[:len(codes)&^1]} }

// Join returns the set of a text of two parts.
func Join(a, b Set) Set {
	var sums [maxTopics]float32
	for t := range a.all() {
		sums[t.topic] = t.weight
	}
	for t := range b.all() {
		sums[t.topic] = both(sums[t.topic], t.weight)
	}
	return Set{appendCodes(nil, &sums)}
}

// both returns the weight of a topic that occurs twice: more than either, less
// than their sum.
func both(a, b float32) float32 { return 1 - (1-a)*(1-b) }

// appendCodes appends the codes of the topics in sums.
func appendCodes(codes []byte, sums *[maxTopics]float32) []byte {
	for i, w := range sums {
		if w > 0 {
			codes = append(codes, byte(i), byte(max(1, math.Round(float64(w)*weightUnit))))
		}
	}
	return codes
}

// Near returns the similarity of a sentence to a question, 0–1: for each topic of
// the question the nearest one of the sentence, weighted by the topic's
// specificity, over the lengths of both. It is 0 when either is empty.
func Near(question, sentence Set) float64 { return Ask(question).Near(sentence) }

// A Question is a question's topics, prepared for many sentences. It does not
// change and may be used by several goroutines.
type Question struct {
	rows    [][maxTopics]float32 // for each of its topics the value of each topic of a sentence
	weights *[maxTopics]float64  // squared, of the topics
	length  float64
}

// Ask prepares a question for [Question.Near].
func Ask(question Set) *Question { return ask(question, &lexicon().weights) }

func ask(q Set, weights *[maxTopics]float64) *Question {
	l := lexicon()
	a := &Question{rows: make([][maxTopics]float32, len(q.codes)/2), weights: new([maxTopics]float64)}
	for i := range l.names {
		a.weights[i] = weights[i] * weights[i]
	}
	i := 0
	for t := range q.all() {
		w := float64(t.weight) * weights[t.topic]
		a.length += w * w
		for u := range l.names {
			a.rows[i][u] = float32(w * float64(l.near[t.topic][u]) * weights[u])
		}
		i++
	}
	a.length = math.Sqrt(a.length)
	return a
}

// Near is [Near] for the prepared question.
func (q *Question) Near(sentence Set) float64 { return q.Above(sentence, 0) }

// Above returns [Question.Near] if that is more than least, and else 0. It is
// faster than Near for sentences at or below least.
func (q *Question) Above(sentence Set, least float64) float64 {
	codes := sentence.codes
	if q.length == 0 || len(codes) == 0 {
		return 0
	}
	var sum float32
	for i := range q.rows {
		row, best := &q.rows[i], float32(0)
		for at := 0; at+1 < len(codes); at += 2 {
			best = max(best, row[codes[at]&(maxTopics-1)]*float32(codes[at+1]))
		}
		sum += best
	}
	if sum == 0 {
		return 0
	}
	square := 0.0
	for at := 0; at+1 < len(codes); at += 2 {
		weight := float64(codes[at+1])
		square += weight * weight * q.weights[codes[at]&(maxTopics-1)]
	}
	worth := float64(sum) / weightUnit / q.length
	square /= weightUnit * weightUnit
	if least > 0 { // near > least without a power
		if x := worth / least; square >= x*x*math.Sqrt(x) {
			return 0
		}
	}
	near := min(1, worth/math.Pow(square, lengthPower/2))
	if near <= least {
		return 0
	}
	return near
}

// Topics lists by number the topics that give a sentence a similarity above 0, in
// order of their contribution.
func (q *Question) Topics() (all []uint8) {
	var worth [maxTopics]float32
	for i := range q.rows {
		for u, w := range q.rows[i] {
			worth[u] = max(worth[u], w)
		}
	}
	for u, w := range worth {
		if w > 0 {
			all = append(all, uint8(u))
		}
	}
	slices.SortStableFunc(all, func(a, b uint8) int { return cmp.Compare(worth[b], worth[a]) })
	return all
}

// lengthPower is the exponent of a sentence's length in the denominator; 1 makes
// Near a cosine, which ranks long turns too low. [Question.Above] relies on the
// value.
const lengthPower = 0.8

// A Census counts in how many of one user's texts each topic occurs, so that a
// frequent topic weighs less. It is not safe for concurrent use while texts are
// added.
type Census struct {
	texts int
	with  [maxTopics]int
}

// Add counts a text.
func (c *Census) Add(s Set) { c.count(s, 1) }

// Remove reverts Add for a text.
func (c *Census) Remove(s Set) { c.count(s, -1) }

func (c *Census) count(s Set, n int) {
	c.texts += n
	for t := range s.all() {
		c.with[t.topic] += n
	}
}

const (
	// A census starts with priorTexts texts, with priorShare of them about each
	// topic, so that a few texts do not dominate.
	priorTexts = 30
	priorShare = 0.03
)

// Near is [Near] with each topic weighted by its rarity in the census.
func (c *Census) Near(question, sentence Set) float64 { return c.Ask(question).Near(sentence) }

// Ask is [Ask] with each topic weighted by its current rarity in the census.
func (c *Census) Ask(question Set) *Question {
	l := lexicon()
	var weights [maxTopics]float64
	n := float64(c.texts) + priorTexts
	for i := range l.names {
		df := float64(c.with[i]) + priorTexts*priorShare
		rare := max(0.1, math.Log(n/df)/math.Log(1/priorShare))
		weights[i] = l.weights[i] * math.Sqrt(rare)
	}
	return ask(question, &weights)
}
