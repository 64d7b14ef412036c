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
	set     string
	own     bool      // the memory is that of its own conversation
	grounds []float64 // nil when nothing was found
	behind  []float64 // by result, ln odds it loses for standing behind the best
	right   []bool    // by result, whether it answers the question
	needed  int       // turns that answer it, found or not
}

// relevanceData is every question asked of its own and of the next
// conversation's memory.
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
	fitted := d.fit("")
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
	table := func(name string, weights func(set string) []float64) {
		for _, least := range []float64{0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9} {
			fmt.Fprintf(out, "%s\t%.2f\t", name, least)
			for _, set := range d.sets {
				off, lost := d.measure(set, weights(set), least)
				fmt.Fprintf(out, "%.1f\t%.2f\t", off, lost)
			}
			fmt.Fprintln(out)
		}
	}
	table("present", func(string) []float64 { return d.present })
	table("fitted", func(string) []float64 { return fitted })
	if len(d.sets) > 1 {
		left := make(map[string][]float64)
		for _, set := range d.sets {
			left[set] = d.fit(set)
		}
		table("set left out", func(set string) []float64 { return left[set] })
	}
	return out.Flush()
}

func (d *relevanceData) load(ctx context.Context, dir string) error {
	set := filepath.Base(dir)
	d.sets = append(d.sets, set)
	return withMemory(ctx, dir, func(x *extension.Extension, of *evalset.Set, clock func(time.Time)) error {
		for _, q := range of.Queries {
			clock(q.Time)
			for _, user := range []string{q.Conversation, of.Next(q.Conversation)} {
				answer, err := x.Recall(ctx, extension.Scope{User: user}, extension.Query{Text: q.Question, Now: q.Time, Limit: relevanceDepth})
				if err != nil {
					return err
				}
				d.add(set, q, user == q.Conversation, answer)
			}
		}
		return nil
	})
}

func (d *relevanceData) add(set string, q evalset.Query, own bool, answer *extension.Answer) {
	a := asked{set: set, own: own, needed: len(q.Evidence)}
	for _, r := range answer.Results {
		a.behind = append(a.behind, logit(answer.Relevance)-logit(r.Relevance))
		a.right = append(a.right, own && slices.Contains(q.Evidence, r.Memory.EventID))
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

// fit finds the weights of a logistic regression on all sets
// but one, by Newton's method. Every set and, within it, either class weighs
// the same. A ground that does not vary keeps 0.
func (d *relevanceData) fit(without string) []float64 {
	const (
		rounds = 25
		prior  = 300 // how many observations a set's class counts as, beside a ridge of 1
	)
	n := len(d.signals)
	count := make(map[string]float64)
	class := func(a *asked) string { return fmt.Sprint(a.set, a.own) }
	for i := range d.asked {
		if a := &d.asked[i]; a.grounds != nil {
			count[class(a)]++
		}
	}
	w := make([]float64, n)
	for range rounds {
		hessian, gradient := make([][]float64, n), make([]float64, n)
		for i := range hessian {
			hessian[i] = make([]float64, n)
			hessian[i][i], gradient[i] = 1, -w[i]
		}
		for i := range d.asked {
			a := &d.asked[i]
			if a.set == without || a.grounds == nil {
				continue
			}
			x := a.grounds
			p := probability(a.grounds, w)
			weight, y := prior/count[class(a)], 0.0
			if a.own {
				y = 1
			}
			for i := range w {
				gradient[i] += weight * (y - p) * x[i]
				for j := range w {
					hessian[i][j] += weight * p * (1 - p) * x[i] * x[j]
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

// measure says, in percent, how many questions of other conversations bring
// anything back that is at least so relevant, and how much R@10 the questions
// of their own lose.
func (d *relevanceData) measure(set string, w []float64, least float64) (offTopic, lost float64) {
	var off, own float64
	bound := logit(least)
	for i := range d.asked {
		a := &d.asked[i]
		if a.set != set {
			continue
		}
		odds := math.Inf(-1)
		if a.grounds != nil {
			odds = logOdds(a.grounds, w)
		}
		if !a.own {
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
