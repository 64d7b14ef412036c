package main

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/ebbmem/ebb/internal/relevance"
	"github.com/ebbmem/ebb/internal/topics"
)

// The loss of a need, a statement that a question needs, is
//
//	−log( Σ e^score of the lines that show it / Σ e^score of these and of others )
//
// with at most mostShown lines that show it, and others at random. The weights of units and
// tables are kept small. The steps are those of Adam (Kingma and Ba 2015), over batches of
// examples, at a rate that falls in the second half.
const (
	lineSteps   = 4000
	batch       = 128
	linesOfNeed = 48
	mostShown   = 4
	lineRate    = 0.01

	shrinkUnits = 1e-4
	shrinkAsked = 2e-2
	shrinkTold  = shrinkAsked / 10
)

// need is a statement that a question needs.
type need struct {
	of    *liveQuestion
	shown []int // lines
}

func needsOf(questions []liveQuestion) (all []need) {
	for i := range questions {
		for _, shown := range questions[i].Wanted {
			all = append(all, need{&questions[i], shown})
		}
	}
	return all
}

// parameters are the numbers of a model: for the features, for each unit its weights, bias and
// output, and the tables.
type parameters []float32

const (
	unitSize = relevance.Features + 2
	unitsAt  = relevance.Features
	askedAt  = unitsAt + relevance.Units*unitSize
)

func newParameters(codes int) parameters { return make(parameters, askedAt+2*codes*relevance.Dims) }

func (p parameters) unit(h int) parameters { return p[unitsAt+h*unitSize:][:unitSize] }

func (p parameters) tables() (asked, told parameters) {
	half := (len(p) - askedAt) / 2
	return p[askedAt:][:half], p[askedAt+half:]
}

// at returns the numbers of a code in a table.
func (p parameters) at(code uint16) parameters { return p[int(code)*relevance.Dims:][:relevance.Dims] }

func (p parameters) model() *relevance.Model {
	m := new(relevance.Model)
	copy(m.Linear[:], p)
	for h := range m.Hidden {
		u := p.unit(h)
		copy(m.Hidden[h].Weights[:], u)
		m.Hidden[h].Bias, m.Hidden[h].Out = u[relevance.Features], u[relevance.Features+1]
	}
	asked, told := p.tables()
	for _, t := range []struct {
		to   *relevance.Table
		from parameters
	}{{&m.Questions, asked}, {&m.Lines, told}} {
		for len(t.from) > 0 {
			*t.to = append(*t.to, relevance.Vector(t.from[:relevance.Dims]))
			t.from = t.from[relevance.Dims:]
		}
	}
	return m
}

// fit fits a model to examples.
func fitLines(all []need, codes int) *relevance.Model {
	random := rand.New(rand.NewPCG(1, 2))
	p := newParameters(codes)
	for i := range p[askedAt:] {
		p[askedAt+i] = float32(0.1 * random.NormFloat64())
	}
	for h := range relevance.Units {
		u := p.unit(h)
		for i := range relevance.Features {
			u[i] = float32(0.3 * random.NormFloat64())
		}
		u[relevance.Features+1] = float32(0.1 * random.NormFloat64())
	}
	mean, square := newParameters(codes), newParameters(codes)
	slopes := [2]parameters{newParameters(codes), newParameters(codes)} // one for each worker
	for step := 1; step <= lineSteps; step++ {
		var picked [batch]pick
		for i := range picked {
			picked[i] = newPick(random, all[random.IntN(len(all))])
		}
		var wait sync.WaitGroup
		for w, slope := range slopes {
			wait.Go(func() {
				clear(slope)
				for i := w; i < batch; i += len(slopes) {
					picked[i].learn(p, slope)
				}
			})
		}
		wait.Wait()
		for h := range relevance.Units {
			from, to := p.unit(h), slopes[0].unit(h)
			for i := range from {
				if i != relevance.Features {
					to[i] += batch * 2 * shrinkUnits * from[i]
				}
			}
		}
		at := lineRate * min(1, 2*(1-float64(step)/lineSteps))
		first, second := 1-math.Pow(0.9, float64(step)), 1-math.Pow(0.99, float64(step))
		for i := range p {
			g := (slopes[0][i] + slopes[1][i]) / batch
			mean[i] = 0.9*mean[i] + 0.1*g
			square[i] = 0.99*square[i] + 0.01*g*g
			p[i] -= float32(at * float64(mean[i]) / first / (math.Sqrt(float64(square[i])/second) + 1e-8))
		}
	}
	return p.model()
}

// pick is a need with some of its lines, those that show the statement first.
type pick struct {
	asked topics.Set
	lines []*rated
	shown int
}

func newPick(random *rand.Rand, e need) pick {
	k := pick{asked: topics.FromCodes(e.of.Topics), shown: min(len(e.shown), mostShown)}
	for _, i := range e.shown[:k.shown] {
		k.lines = append(k.lines, &e.of.Lines[i])
	}
	for _, i := range random.Perm(len(e.of.Lines)) {
		if len(k.lines) == linesOfNeed {
			break
		}
		if !slices.Contains(e.shown, i) {
			k.lines = append(k.lines, &e.of.Lines[i])
		}
	}
	return k
}

// learn adds the slope of the loss.
func (k *pick) learn(p, slope parameters) {
	asked, told := p.tables()
	slopeAsked, slopeTold := slope.tables()
	q := sumOf(asked, k.asked)
	var dq relevance.Vector
	type rating struct {
		topics topics.Set
		vector relevance.Vector
		units  [relevance.Units]float32
	}
	rated, score := make([]rating, len(k.lines)), make([]float64, len(k.lines))
	for i, l := range k.lines {
		r := &rated[i]
		r.topics = topics.FromCodes(l.Topics)
		r.vector = sumOf(told, r.topics)
		sum := q.Dot(&r.vector)
		for f, x := range l.Features {
			sum += p[f] * x
		}
		for h := range r.units {
			u := p.unit(h)
			in := u[relevance.Features]
			for f, x := range l.Features {
				in += u[f] * x
			}
			r.units[h] = float32(math.Tanh(float64(in)))
			sum += u[relevance.Features+1] * r.units[h]
		}
		score[i] = float64(sum)
	}
	all, shown := softmax(score), softmax(score[:k.shown])
	for i, l := range k.lines {
		push := float32(all[i])
		if i < k.shown {
			push -= float32(shown[i])
		}
		r := &rated[i]
		for f, x := range l.Features {
			slope[f] += push * x
		}
		for h, out := range r.units {
			u, to := p.unit(h), slope.unit(h)
			in := push * u[relevance.Features+1] * (1 - out*out)
			for f, x := range l.Features {
				to[f] += in * x
			}
			to[relevance.Features] += in
			to[relevance.Features+1] += push * out
		}
		dq.Add(r.vector, push)
		var dl relevance.Vector
		dl.Add(q, push)
		spread(told, slopeTold, r.topics, &dl, shrinkTold)
	}
	spread(asked, slopeAsked, k.asked, &dq, shrinkAsked)
}

// softmax returns the shares of e^score in their sum.
func softmax(score []float64) []float64 {
	most, sum, share := slices.Max(score), 0.0, make([]float64, len(score))
	for i, s := range score {
		share[i] = math.Exp(s - most)
		sum += share[i]
	}
	for i := range share {
		share[i] /= sum
	}
	return share
}

// sumOf is [relevance.Table.Of].
func sumOf(table parameters, of topics.Set) (v relevance.Vector) {
	for code, weight := range of.Weights() {
		v.Add(relevance.Vector(table.at(code)), weight*scaleOf(of))
	}
	return v
}

func scaleOf(of topics.Set) float32 {
	var squares float32
	for _, weight := range of.Weights() {
		squares += weight * weight
	}
	return relevance.Scale(squares)
}

// spread adds the slope of a text's vector to that of its codes, and what keeps those small.
func spread(table, slope parameters, of topics.Set, v *relevance.Vector, shrink float32) {
	scale := scaleOf(of)
	for code, weight := range of.Weights() {
		from, to := table.at(code), slope.at(code)
		for d, x := range v {
			to[d] += scale*weight*x + 2*shrink*weight*from[d]
		}
	}
}
