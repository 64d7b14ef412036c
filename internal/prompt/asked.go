package prompt

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"github.com/ebbmem/ebb/internal/intent"
	"github.com/ebbmem/ebb/internal/relevance"
	"github.com/ebbmem/ebb/internal/topics"
	"github.com/ebbmem/ebb/recall"
)

// Asked is a question to a user's lines, and how relevant each of them is to it.
type Asked struct {
	s        *Lines
	question string
	now      time.Time
	own      float64 // probability that it is about the user's own affairs
	grounds
	lines []*line // the most relevant ones first
	named []*line // those that contain a rare word of it, the newest first
}

// Ask rates the lines for a question. found are the search results for it, which may be empty,
// meaning is what it means, and talk is what was said just before it.
func (s *Lines) Ask(ctx context.Context, question, talk string, meaning Meaning, found []recall.Result, now time.Time) *Asked {
	now = now.In(s.loc) // where its day begins
	a := &Asked{s: s, question: question, now: now, own: intent.Own.P(question), grounds: s.likenessIn(talk, question, meaning, found), lines: slices.Clone(s.all)}
	a.named = s.naming(question)
	asked := relevance.Fitted.Questions.Of(topics.Of(question))
	if talk != "" {
		asked.Add(relevance.Fitted.Questions.Of(topics.Of(talk)), talkLikeness)
	}
	rated := make([]Rated, len(s.all))
	for i, l := range s.all {
		r := &rated[i]
		*r = Rated{Text: l.Text, Tokens: l.Tokens, Topics: l.topics, Features: a.features(l)}
		r.Score = relevance.Fitted.Rate(&r.Features, &asked, &l.vector)
		r.last = a.likeness[i] <= 0 && l.passed(now)
	}
	slices.SortStableFunc(a.lines, func(x, y *line) int {
		a, b := &rated[x.place], &rated[y.place]
		return cmp.Or(compareBool(a.last, b.last), cmp.Compare(b.Score, a.Score))
	})
	if see, ok := ctx.Value(observing{}).(func(string, []Rated, func(later int) []Pair)); ok {
		see(question, rated, func(later int) []Pair { return s.pairs(s.all[later]) })
	}
	return a
}

// Rated is a line with what it was rated by.
type Rated struct {
	Text     string
	Tokens   int
	Topics   topics.Set
	Features [relevance.Features]float32
	Score    float32

	last bool // it is over or dormant, and has nothing in common with the question
}

type observing struct{}

// Observe returns a context in which see is called with each question, the lines that were
// rated for it, in display order, and what compares one of them with the earlier ones.
func Observe(ctx context.Context, see func(question string, lines []Rated, pairs func(later int) []Pair)) context.Context {
	return context.WithValue(ctx, observing{}, see)
}

// features returns what a line is rated by. [relevance] is fitted to them.
func (a *Asked) features(l *line) (x [relevance.Features]float32) {
	likeness, rank := a.likeness[l.place], 0.0
	if at := a.rank[l.place]; at > 0 {
		rank = 1 / math.Sqrt(float64(at))
	}
	for i, v := range [relevance.Features]float64{
		math.Log1p(likeness), is(likeness > 0), math.Log1p(a.exact[l.place]), math.Log1p(8 * a.near[l.place]), rank,
		math.Log(l.likely + 0.02), is(l.kept), is(!l.kept && (l.Group == Told || l.Group == Approved)), is(l.Group == Passing), is(l.unparsed),
		is(l.style), is(l.wish), is(l.wish) * a.own, is(l.forSome),
		is(l.Dormant), is(l.Ended != ""), is(!l.Since.IsZero()),
		math.Log(float64(l.Tokens)), math.Log1p(float64(l.topics.Len())),
	} {
		x[i] = float32(v)
	}
	return x
}

// is returns 1 for true.
func is(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
