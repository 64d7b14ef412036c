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
type Set struct {
	topics []weighted
	norm   float64 // of the weights, as Near counts them
}

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
			s.norm += float64(w) * float64(w) * l.weights[i] * l.weights[i]
		}
	}
	s.norm = math.Sqrt(s.norm)
	return s
}

// Near says how near a sentence is to a question, 0–1: for each topic of the
// question the nearest of the sentence's, weighted by how much the topic tells,
// over the lengths of both. It is 0 when either is empty.
func Near(question, sentence Set) float64 { return near(question, sentence, nil) }

func near(q, s Set, rare *[maxTopics]float64) float64 {
	if len(q.topics) == 0 || len(s.topics) == 0 {
		return 0
	}
	l := lexicon()
	var sum, qq, ss float64
	for _, t := range q.topics {
		wt := float64(t.weight) * l.weight(t.topic, rare)
		qq += wt * wt
		best := 0.0
		row := &l.near[t.topic]
		for _, u := range s.topics {
			best = max(best, float64(row[u.topic])*float64(u.weight)*l.weight(u.topic, rare))
		}
		sum += wt * best
	}
	if rare == nil {
		ss = s.norm
	} else {
		for _, u := range s.topics {
			w := float64(u.weight) * l.weight(u.topic, rare)
			ss += w * w
		}
		ss = math.Sqrt(ss)
	}
	if qq == 0 || ss == 0 {
		return 0
	}
	// A soft cosine; the damping lets a long sentence lose less than a cosine would.
	return min(1, sum/(math.Sqrt(qq)*math.Pow(ss, lengthPower)))
}

// lengthPower is the share of a sentence's length that counts against it.
var lengthPower = 0.8

func (l *words) weight(topic uint8, rare *[maxTopics]float64) float64 {
	w := l.weights[topic]
	if rare != nil {
		w *= rare[topic]
	}
	return w
}

// A Census counts in how many of one user's texts each topic occurs, so that a
// topic she always speaks of tells less. The zero Census weighs all alike. It is
// not safe for concurrent use while texts are added.
type Census struct {
	texts int
	with  [maxTopics]int
	rare  [maxTopics]float64
	fresh bool
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
	c.fresh = false
}

// Settle computes the weights of what was added. [Census.Near] does so itself
// after a change; call Settle before several goroutines compare.
func (c *Census) Settle() {
	n := float64(c.texts) + priorTexts
	for i := range c.rare {
		df := float64(c.with[i]) + priorTexts*priorShare
		c.rare[i] = math.Sqrt(max(0.1, math.Log(n/df)/math.Log(1/priorShare)))
	}
	c.fresh = true
}

const (
	// priorTexts are added to a census, of which each topic has priorShare, so
	// that a few texts are not taken for the world.
	priorTexts = 30
	priorShare = 0.03
)

// Near is [Near] with each topic weighted by how seldom it is in the census.
func (c *Census) Near(question, sentence Set) float64 {
	if !c.fresh {
		c.Settle()
	}
	return near(question, sentence, &c.rare)
}
