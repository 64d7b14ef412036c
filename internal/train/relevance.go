package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/evalset"
)

// asked is one question asked of one memory.
type asked struct {
	set          string
	of           string    // the conversation it belongs to
	memory       string    // the conversation whose memory was asked
	next         bool      // that is the one after its own
	grounds      []float64 // nil without results
	irrelevant   bool      // whatever the weights: nothing speaks for the results
	behind       []float64 // by result, ln odds it loses for standing behind the best
	right        []bool    // by result, whether it answers the question
	needed       int       // turns that answer it, found or not
	observations float64   // that it counts for in a fit
}

func (a *asked) own() bool { return a.memory == a.of }

// relevanceData is every question asked of every memory of its set.
type relevanceData struct {
	sets    []string
	signals []string
	present []float64 // the weights in the code
	asked   []asked
}

const relevanceDepth = 10 // results of a question that are looked at

func runRelevance(ctx context.Context, w io.Writer, dirs []string) error {
	d := &relevanceData{}
	for _, dir := range dirs {
		if err := d.load(ctx, dir); err != nil {
			return err
		}
	}
	all := func(*asked) bool { return true }
	fitted := d.fit(all)
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(out, "ground\tpresent\tfitted\t")
	for j, name := range d.signals {
		fmt.Fprintf(out, "%s\t%.2f\t%.2f\t\n", name, d.present[j], fitted[j])
	}
	fmt.Fprintln(out, "\t\t\t")
	fmt.Fprint(out, "weights\tleast relevance\t")
	for _, set := range d.sets {
		fmt.Fprintf(out, "%s: off topic %%\tR@10 lost\t", set)
	}
	fmt.Fprintln(out)
	d.print(out, "present", func(*asked) []float64 { return d.present })
	d.print(out, "fitted", func(*asked) []float64 { return fitted })
	if len(d.sets) > 1 {
		d.print(out, "set left out", d.leaveOut(func(a *asked) string { return a.set }, func(a *asked, out string) bool { return a.set == out }))
	}
	d.print(out, "conversation left out", d.leaveOut(func(a *asked) string { return a.of }, func(a *asked, out string) bool { return a.of == out || a.memory == out }))
	return out.Flush()
}

// print writes what the weights of each question reach at several thresholds.
func (d *relevanceData) print(w io.Writer, name string, weights func(*asked) []float64) {
	for _, least := range []float64{0.3, 0.35, 0.4, 0.45, 0.47, 0.48, 0.49, 0.5, 0.51, 0.52, 0.55, 0.6, 0.7, 0.8, 0.9} {
		fmt.Fprintf(w, "%s\t%.2f\t", name, least)
		for _, set := range d.sets {
			off, lost := d.measure(set, weights, least)
			fmt.Fprintf(w, "%.1f\t%.2f\t", off, lost)
		}
		fmt.Fprintln(w)
	}
}

// leaveOut fits once for each part, without what belongs to it, and gives each
// question the weights that have not seen its part.
func (d *relevanceData) leaveOut(part func(*asked) string, belongs func(a *asked, part string) bool) func(*asked) []float64 {
	var parts []string
	for i := range d.asked {
		if p := part(&d.asked[i]); !slices.Contains(parts, p) {
			parts = append(parts, p)
		}
	}
	weights := make([][]float64, len(parts))
	inParallel(len(parts), func(i int) {
		weights[i] = d.fit(func(a *asked) bool { return !belongs(a, parts[i]) })
	})
	return func(a *asked) []float64 { return weights[slices.Index(parts, part(a))] }
}

func (d *relevanceData) load(ctx context.Context, dir string) error {
	set := filepath.Base(dir)
	d.sets = append(d.sets, set)
	return withMemory(ctx, dir, func(x *extension.Extension, of *evalset.Set, clock func(time.Time)) error {
		for _, q := range of.Queries {
			clock(q.Time)
			for _, c := range of.Conversations {
				answer, err := x.Recall(ctx, extension.Scope{User: c.Name}, extension.Query{Text: q.Question, Now: q.Time, Limit: relevanceDepth, Wait: true})
				if err != nil {
					return err
				}
				d.add(asked{
					set: set, of: set + "/" + q.Conversation, memory: set + "/" + c.Name,
					next: c.Name == of.Next(q.Conversation), needed: len(q.Evidence),
				}, q.Evidence, answer)
			}
		}
		return nil
	})
}

func (d *relevanceData) add(a asked, evidence []string, answer *extension.Answer) {
	a.irrelevant = answer.Relevance == 0
	for _, r := range answer.Results {
		behind := 0.0
		if !a.irrelevant {
			behind = logit(answer.Relevance) - logit(r.Relevance)
		}
		a.behind = append(a.behind, behind)
		a.right = append(a.right, a.own() && slices.Contains(evidence, r.Memory.EventID))
	}
	if len(answer.Results) > 0 {
		for _, s := range answer.Grounds {
			a.grounds = append(a.grounds, s.Value)
		}
		if d.signals == nil {
			for _, s := range answer.Grounds {
				d.signals, d.present = append(d.signals, s.Name), append(d.present, s.Weight)
			}
		}
	}
	d.asked = append(d.asked, a)
}

// observations lists the questions that keep lets into a fit. Every set and,
// within it, the questions of its own and of other memories together count as
// many as prior, beside a ridge of 1.
func (d *relevanceData) observations(keep func(*asked) bool) []asked {
	const prior = 300
	type class struct {
		set string
		own bool
	}
	var kept []asked
	count := make(map[class]float64)
	for i := range d.asked {
		if a := &d.asked[i]; a.grounds != nil && keep(a) {
			kept = append(kept, *a)
			count[class{a.set, a.own()}]++
		}
	}
	for i := range kept {
		kept[i].observations = prior / count[class{kept[i].set, kept[i].own()}]
	}
	return kept
}

// fit finds the weights of a logistic regression by Newton's method. A ground
// that does not vary keeps 0.
func (d *relevanceData) fit(keep func(*asked) bool) []float64 {
	const rounds = 25
	observed := d.observations(keep)
	w := make([]float64, len(d.signals))
	for range rounds {
		hessian, gradient := make([][]float64, len(w)), make([]float64, len(w))
		for i := range hessian {
			hessian[i] = make([]float64, len(w))
			hessian[i][i], gradient[i] = 1, -w[i]
		}
		for k := range observed {
			a := &observed[k]
			x, y := a.grounds, 0.0
			if a.own() {
				y = 1
			}
			p := probability(x, w)
			for i := range w {
				gradient[i] += a.observations * (y - p) * x[i]
				for j := range w {
					hessian[i][j] += a.observations * p * (1 - p) * x[i] * x[j]
				}
			}
		}
		for i, step := range solve(hessian, gradient) {
			w[i] += step
		}
	}
	for i := range w {
		w[i] = math.Round(100*w[i]) / 100
	}
	return w
}

func logOdds(grounds, w []float64) (sum float64) {
	for j, v := range grounds {
		sum += v * w[j]
	}
	return sum
}

func probability(grounds, w []float64) float64 { return 1 / (1 + math.Exp(-logOdds(grounds, w))) }

// measure says, in percent, how many questions bring anything back from the
// next conversation's memory that is at least so relevant, and how much R@10
// the questions lose of their own.
func (d *relevanceData) measure(set string, weights func(*asked) []float64, least float64) (offTopic, lost float64) {
	var off, own float64
	bound := logit(least)
	for i := range d.asked {
		a := &d.asked[i]
		if a.set != set || !a.own() && !a.next {
			continue
		}
		odds := math.Inf(-1)
		if a.grounds != nil && !a.irrelevant {
			odds = logOdds(a.grounds, weights(a))
		}
		if !a.own() {
			if off++; odds >= bound {
				offTopic++
			}
			continue
		}
		own++
		for r, right := range a.right {
			if right && odds-a.behind[r] < bound {
				lost += 1 / float64(a.needed)
			}
		}
	}
	return 100 * offTopic / off, 100 * lost / own
}

// logit turns a probability into ln odds.
func logit(p float64) float64 { return math.Log(p / (1 - p)) }

// solve solves ax = b by elimination with pivots. It changes both.
func solve(a [][]float64, b []float64) []float64 {
	n := len(b)
	for i := range n {
		pivot := i
		for j := i; j < n; j++ {
			if math.Abs(a[j][i]) > math.Abs(a[pivot][i]) {
				pivot = j
			}
		}
		a[i], a[pivot] = a[pivot], a[i]
		b[i], b[pivot] = b[pivot], b[i]
		for j := i + 1; j < n; j++ {
			f := a[j][i] / a[i][i]
			for k := i; k < n; k++ {
				a[j][k] -= f * a[i][k]
			}
			b[j] -= f * b[i]
		}
	}
	x := make([]float64, n)
	for i := n - 1; i >= 0; i-- {
		sum := b[i]
		for k := i + 1; k < n; k++ {
			sum -= a[i][k] * x[k]
		}
		x[i] = sum / a[i][i]
	}
	return x
}
