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
	"math"
	"slices"
)

// A Set is the topics of a text, each with how much of the text is about it.
// The zero Set is that of a text of which nothing is known.
type Set struct{ topics []weighted }

type weighted struct {
	topic  uint8
	weight float32 // 0–1
}

// Empty reports whether no topic of the text is known.
func (s Set) Empty() bool { return len(s.topics) == 0 }

// Names lists the topics, the strongest first.
func (s Set) Names() []string {
	sorted := slices.Clone(s.topics)
	slices.SortStableFunc(sorted, func(a, b weighted) int {
		switch {
		case a.weight > b.weight:
			return -1
		case a.weight < b.weight:
			return 1
		}
		return 0
	})
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
	return l.set(&sums)
}

// set keeps the topics that were met. A topic met twice weighs more, but not
// twice as much: 1 − (1−a)(1−b).
func (l *words) set(sums *[maxTopics]float32) Set {
	n := 0
	for i := range l.names {
		if sums[i] > 0 {
			n++
		}
	}
	if n == 0 {
		return Set{}
	}
	s := Set{topics: make([]weighted, 0, n)}
	for i := range l.names {
		if w := sums[i]; w > 0 {
			s.topics = append(s.topics, weighted{uint8(i), w})
		}
	}
	return s
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
	a := &Question{rows: make([][maxTopics]float32, len(q.topics)), weights: new([maxTopics]float64)}
	for i := range l.names {
		a.weights[i] = weights[i] * weights[i]
	}
	for i, t := range q.topics {
		w := float64(t.weight) * weights[t.topic]
		a.length += w * w
		for u := range l.names {
			a.rows[i][u] = float32(w * float64(l.near[t.topic][u]) * weights[u])
		}
	}
	a.length = math.Sqrt(a.length)
	return a
}

// Near is [Near] of the question.
func (q *Question) Near(sentence Set) float64 {
	if q.length == 0 || len(sentence.topics) == 0 {
		return 0
	}
	var sum float32
	for i := range q.rows {
		row, best := &q.rows[i], float32(0)
		for _, u := range sentence.topics {
			best = max(best, row[u.topic&(maxTopics-1)]*u.weight)
		}
		sum += best
	}
	if sum == 0 {
		return 0
	}
	square := 0.0
	for _, u := range sentence.topics {
		square += float64(u.weight) * float64(u.weight) * q.weights[u.topic&(maxTopics-1)]
	}
	return min(1, float64(sum)/(q.length*math.Pow(square, lengthPower/2)))
}

// lengthPower is the share of a sentence's length that counts against it; 1
// makes Near a cosine, which puts long turns too far down.
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
	for _, t := range s.topics {
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
