package main

import (
	"bufio"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/ebbmem/ebb/benchmarks/peer"
)

// The contenders that are measured inside a benchmark of recall.
const (
	armName  = "ebb's vector arm"
	scanName = "plain float32 scan"
)

// vectorSet is a file of vectors and a file of queries.
type vectorSet struct {
	name            string
	stored, queries string
	n, asked        int
}

// vectorArm compares ebb's vector arm with a full scan, alternating in one process,
// and with chromem-go on the same vectors.
func (l *lab) vectorArm(ctx context.Context) error {
	dir, err := l.fresh("vectors")
	if err != nil {
		return err
	}
	sets, err := l.vectorSets(ctx, dir)
	if err != nil {
		return err
	}
	arm, plain := &client{contender: ebb.as(armName)}, &client{contender: ebb.as(scanName)}
	for _, s := range sets {
		measured, err := benchmark(ctx, "../recall", "VectorArm$", "-arm-vectors", s.stored, "-arm-queries", s.queries)
		if err != nil {
			return err
		}
		l.note("vectors", arm, s.name+", p50", s.n, "ms", measured["arm-p50-ns"]/1e6, true)
		l.note("vectors", plain, s.name+", p50", s.n, "ms", measured["scan-p50-ns"]/1e6, true)
		l.note("vectors", arm, s.name+", recall@10", s.n, "", measured["recall@10"], false)
		l.note("vectors", plain, s.name+", recall@10", s.n, "", 1, false)
		err = l.among(ctx, []contender{chromem.as("chromem-go")}, func(all []*client) error {
			c := all[0]
			if _, err := c.ask(peer.Request{Op: "vectors", Path: s.stored}); err != nil {
				return err
			}
			a, err := c.ask(peer.Request{Op: "nearest", Path: s.queries, To: s.asked})
			if err != nil {
				return err
			}
			l.note("vectors", c, s.name+", p50", s.n, "ms", ms(quantile(a.Took, 50)), true)
			found, err := shared(a.Nearest, s)
			l.note("vectors", c, s.name+", recall@10", s.n, "", found, false)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// vectorSets writes dense clusters of 2,000, and an encoder's vectors if there
// are any, multiplied with noise until there are enough.
func (l *lab) vectorSets(ctx context.Context, dir string) (sets []vectorSet, err error) {
	const each, dims, asked = 2000, 256, 100
	random := rand.New(rand.NewPCG(seed, seed))
	dense := clusters(random, l.near/each, each+asked*each/l.near+1, dims)
	s, err := writeSet(dir, "dense clusters of 2,000", dense[asked:][:l.near], dense[:asked])
	if err != nil {
		return nil, err
	}
	sets = append(sets, s)
	if l.vectors == "" {
		l.leaveOut("vectors", ebb.name, l.near, "vectors of a real encoder: none were named by --vectors; benchmarks/README.md has the way to them")
		return sets, nil
	}
	stored, queries, err := readKept(ctx, l.vectors)
	if err != nil {
		return nil, err
	}
	stored = multiplied(random, stored, l.near, 0.3)
	s, err = writeSet(dir, "an encoder's vectors", stored, spread(queries, 200))
	return append(sets, s), err
}

// spread returns at most n of all, at even distances.
func spread(all [][]float32, n int) (some [][]float32) {
	n = min(n, len(all))
	for i := range n {
		some = append(some, all[i*len(all)/n])
	}
	return some
}

func writeSet(dir, name string, stored, queries [][]float32) (vectorSet, error) {
	s := vectorSet{name: name, n: len(stored), asked: len(queries)}
	s.stored, s.queries = filepath.Join(dir, name+".stored"), filepath.Join(dir, name+".queries")
	if err := peer.WriteVectors(s.stored, stored); err != nil {
		return s, err
	}
	return s, peer.WriteVectors(s.queries, queries)
}

// clusters makes vectors of length 1 around centres that share a direction, like
// those of encoders, in random order.
func clusters(random *rand.Rand, n, each, dims int) (all [][]float32) {
	normal := func(scale float64) []float32 {
		v := make([]float32, dims)
		for i := range v {
			v[i] = float32(scale * random.NormFloat64())
		}
		return v
	}
	common := normal(1)
	for range n {
		centre := normal(1)
		for range each {
			v := normal(0.35)
			for i := range v {
				v[i] += centre[i] + common[i]
			}
			all = append(all, unit(v))
		}
	}
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// multiplied repeats the vectors, with noise of a share of their length, until there
// are n.
func multiplied(random *rand.Rand, vectors [][]float32, n int, noise float64) [][]float32 {
	all := make([][]float32, n)
	for i := range all {
		v := vectors[i%len(vectors)]
		other := make([]float32, len(v))
		for j, x := range v {
			other[j] = x + float32(random.NormFloat64()*noise/math.Sqrt(float64(len(v))))
		}
		all[i] = unit(other)
	}
	return all
}

func unit(v []float32) []float32 {
	var squares float64
	for _, x := range v {
		squares += float64(x) * float64(x)
	}
	length := float32(math.Sqrt(squares))
	for i := range v {
		v[i] /= length
	}
	return v
}

// shared returns the share of the ten most similar vectors that was found.
func shared(found [][]int, s vectorSet) (float64, error) {
	stored, err := peer.ReadVectors(s.stored)
	if err != nil {
		return 0, err
	}
	queries, err := peer.ReadVectors(s.queries)
	if err != nil {
		return 0, err
	}
	hits := 0
	for i, q := range queries {
		for _, want := range mostAlike(stored, q, 10) {
			for _, got := range found[i] {
				if got == want {
					hits++
				}
			}
		}
	}
	return float64(hits) / float64(10*len(queries)), nil
}

// mostAlike returns the indexes of the n most similar vectors.
func mostAlike(stored [][]float32, query []float32, n int) []int {
	best := make([]int, 0, n+1)
	cosines := make([]float32, 0, n+1)
	for at, v := range stored {
		var c float32
		for i, x := range v {
			c += x * query[i]
		}
		place := len(best)
		for place > 0 && cosines[place-1] < c {
			place--
		}
		if place == n {
			continue
		}
		best, cosines = append(best, 0), append(cosines, 0)
		copy(best[place+1:], best[place:])
		copy(cosines[place+1:], cosines[place:])
		best[place], cosines[place] = at, c
		best, cosines = best[:min(n, len(best))], cosines[:min(n, len(cosines))]
	}
	return best
}

// benchmark runs one benchmark of a package once and returns its metrics.
func benchmark(ctx context.Context, dir, name string, flags ...string) (map[string]float64, error) {
	args := append([]string{"test", ".", "-run", "^$", "-bench", name, "-benchtime", "1x"}, flags...)
	out, err := goTool(ctx, dir, args...)
	if err != nil {
		return nil, err
	}
	return metrics(out)
}

// metrics reads the line of one benchmark: its name, how often it was run, and
// values with their units.
func metrics(out string) (map[string]float64, error) {
	lines := bufio.NewScanner(strings.NewReader(out))
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		if len(words) < 4 || !strings.HasPrefix(words[0], "Benchmark") {
			continue
		}
		found := make(map[string]float64)
		for i := 2; i+1 < len(words); i += 2 {
			v, err := strconv.ParseFloat(words[i], 64)
			if err != nil {
				return nil, fmt.Errorf("benchmark: %q is no number in %q", words[i], lines.Text())
			}
			found[words[i+1]] = v
		}
		return found, nil
	}
	return nil, fmt.Errorf("benchmark: no result in\n%s", out)
}
