// Package topics tells which everyday topics a text is about and how near two
// texts are by them, where they share no word: "Shall we order the pizza?" is
// near "I can't eat gluten", "Was soll ich Oma schenken?" near "Meine Großmutter
// sammelt Fingerhüte", 今晚吃什么 near 我不吃香菜.
//
// It knows some hundred topics, the words that belong to them in English,
// German, Spanish and Chinese, and how near the topics are to each other. A text
// becomes a small [Set]; two sets are compared by [Near]. Neither needs a model,
// a file or the network. It is a weak signal: it belongs beside words, entities
// and vectors, not in their place.
//
// The lists are described in README.md.
package topics

import (
	"cmp"
	"iter"
	"math"
	"slices"
)

// A Set is the topics of a text, each with how much of the text is about it.
// The zero Set is that of a text of which nothing is known.
type Set struct {
	// codes are two bytes for each topic, in order: the topic and its weight in
	// 255ths, at least 1.
	codes []byte
}

type weighted struct {
	topic  uint8
	weight float32 // 0–1
}

// weightUnit is what a weight of 1 is in a Set.
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

// Of gives the topics of a text. Of a long text only the first [maxRunes] runes
// are read.
func Of(text string) Set {
	l := lexicon()
	var sums [maxTopics]float32
	l.read(text, &sums)
	return Set{appendCodes(nil, &sums)}
}

// Load reads the lists, as the first use does otherwise.
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

// Codes returns the set as bytes, two for each topic, of which the first is its
// number. They belong to the set.
func (s Set) Codes() []byte { return s.codes }

// FromCodes is the set of which [Set.Codes] returned these bytes. It keeps them.
func FromCodes(codes []byte) Set { return Set{codes[:len(codes)&^1]} }

// Join is the set of two parts of one text.
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

// both is the weight of a topic that was met twice: more than either, less than
// their sum.
func both(a, b float32) float32 { return 1 - (1-a)*(1-b) }

// appendCodes appends the codes of the topics that were met.
func appendCodes(codes []byte, sums *[maxTopics]float32) []byte {
	for i, w := range sums {
		if w > 0 {
			codes = append(codes, byte(i), byte(max(1, math.Round(float64(w)*weightUnit))))
		}
	}
	return codes
}

// Near says how near a sentence is to a question, 0–1: for each topic of the
// question the nearest of the sentence's, weighted by how much the topic tells,
// over the lengths of both. It is 0 when either is empty.
func Near(question, sentence Set) float64 { return Ask(question).Near(sentence) }

// A Question is a question's topics, prepared for many sentences. It does not
// change and may be used by several goroutines.
type Question struct {
	rows    [][maxTopics]float32 // for each of its topics what each topic of a sentence is worth
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

// Near is [Near] of the question.
func (q *Question) Near(sentence Set) float64 { return q.Above(sentence, 0) }

// Above is [Question.Near] where that is more than least, and else 0. It takes
// less time for a sentence that is not.
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

// Topics lists, by number, the topics of which a sentence must have one for the
// question to be near it, those that bring it nearest first.
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

// lengthPower is the share of a sentence's length that counts against it; 1
// makes Near a cosine, which puts long turns too far down. [Question.Above] relies
// on the value.
const lengthPower = 0.8

// A Census counts in how many of one user's texts each topic occurs, so that a
// topic she always speaks of tells less. It is not safe for
// concurrent use while texts are added.
type Census struct {
	texts int
	with  [maxTopics]int
}

// Add counts a text.
func (c *Census) Add(s Set) { c.count(s, 1) }

// Remove takes a text back that was added.
func (c *Census) Remove(s Set) { c.count(s, -1) }

func (c *Census) count(s Set, n int) {
	c.texts += n
	for t := range s.all() {
		c.with[t.topic] += n
	}
}

const (
	// priorTexts are added to a census, of which each topic has priorShare, so
	// that a few texts are not taken for the world.
	priorTexts = 30
	priorShare = 0.03
)

// Near is [Near] with each topic weighted by how seldom it is in the census.
func (c *Census) Near(question, sentence Set) float64 { return c.Ask(question).Near(sentence) }

// Ask is [Ask] with each topic weighted by how seldom it is in the census, as
// it is now.
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
