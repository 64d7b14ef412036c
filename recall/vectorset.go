package recall

import (
	"cmp"
	"math"
	"runtime"
	"slices"
	"sync"

	"github.com/ebbmem/ebb/schema"
)

// vectorSet is one user's vectors of one generation in memory, in order of
// arrival: a cache over the durable ones. A set built in steps equals one
// built at once.
type vectorSet struct {
	dims  int
	exact int // up to so many vectors all are compared

	numbers  []float32 // one vector after another
	memories []int64
	before   []int32         // the vector before of the same memory, -1 = none
	newest   map[int64]int32 // memory → its last vector

	rotation *rotation // nil while the set is small
	coded    int       // how many vectors the rotation's mean is of
	codes    []uint64
	buffer   []float32
}

func newVectorSet(g *schema.Generation, exact int) *vectorSet {
	return &vectorSet{dims: g.Dims, exact: exact, newest: make(map[int64]int32)}
}

func (s *vectorSet) len() int { return len(s.memories) }

func (s *vectorSet) vector(at int) []float32 { return s.numbers[at*s.dims : (at+1)*s.dims] }

// add takes in a vector. Vectors come in order of id.
func (s *vectorSet) add(v schema.ChunkVector) error {
	if len(v.Vector) != s.dims {
		return &schema.InvalidError{Field: "vector", Reason: "is not of its generation's size; the file is damaged"}
	}
	at := int32(len(s.memories))
	before, known := s.newest[v.MemoryID]
	if !known {
		before = -1
	}
	s.newest[v.MemoryID] = at
	s.before = append(s.before, before)
	s.memories = append(s.memories, v.MemoryID)
	s.numbers = append(s.numbers, v.Vector...)
	return nil
}

// encode brings the codes up to date. The mean is that of the first exact
// vectors, of twice as many once there are, and so on: what has arrived
// decides, not the steps it arrived in.
func (s *vectorSet) encode() {
	n := s.len()
	if n <= s.exact {
		return
	}
	of := max(s.exact, 1)
	for 2*of <= n {
		of *= 2
	}
	if of != s.coded {
		s.coded = of
		s.rotation = newRotation(s.mean(of))
		s.codes = make([]uint64, 0, n*s.rotation.words())
		s.buffer = make([]float32, s.rotation.size)
	}
	for at := len(s.codes) / s.rotation.words(); at < n; at++ {
		s.codes = s.rotation.code(s.codes, s.vector(at), s.buffer)
	}
}

func (s *vectorSet) mean(of int) []float32 {
	sums := make([]float64, s.dims)
	for at := range of {
		for i, x := range s.vector(at) {
			sums[i] += float64(x)
		}
	}
	mean := make([]float32, s.dims)
	for i, sum := range sums {
		mean[i] = float32(sum / float64(of))
	}
	return mean
}

// near is a vector's place in the set and its cosine with the query.
type near struct {
	at     uint32
	cosine float32
}

// search returns the vectors nearest to the query, best first, at least depth
// where there are as many, and what cosines are usual here. Small sets are
// compared one by one; of large ones, as many as are rescored, whose codes are most like it.
func (s *vectorSet) search(query []float32, depth, rescored int) ([]near, usual) {
	if s.rotation == nil {
		cosines := s.cosines(query)
		return top(cosines, depth), usualOf(cosines)
	}
	positions := nearest(s.codes, s.rotation.levels(query), max(depth, rescored))
	found := make([]near, len(positions))
	for i, at := range positions {
		found[i] = near{at, dot(query, s.vector(int(at)))}
	}
	slices.SortFunc(found, byCosine)
	return found, s.sample(query)
}

func byCosine(a, b near) int {
	return cmp.Or(cmp.Compare(b.cosine, a.cosine), cmp.Compare(a.at, b.at))
}

// cosines compares the query with every vector.
func (s *vectorSet) cosines(query []float32) []float32 {
	const share = 8192 // vectors a goroutine is worth starting for
	out := make([]float32, s.len())
	compare := func(from, to int) {
		for at := from; at < to; at++ {
			out[at] = dot(query, s.vector(at))
		}
	}
	workers := min(runtime.GOMAXPROCS(0), 1+len(out)/share)
	each := (len(out) + workers - 1) / workers
	var wg sync.WaitGroup
	for from := each; from < len(out); from += each {
		wg.Go(func() { compare(from, min(from+each, len(out))) })
	}
	compare(0, min(each, len(out)))
	wg.Wait()
	return out
}

// top returns the depth largest, best first.
func top(cosines []float32, depth int) []near {
	found := make([]near, 0, 2*depth)
	floor := float32(math.Inf(-1))
	for at, c := range cosines {
		if c < floor {
			continue
		}
		if found = append(found, near{uint32(at), c}); len(found) == cap(found) {
			slices.SortFunc(found, byCosine)
			found = found[:depth]
			floor = found[depth-1].cosine
		}
	}
	slices.SortFunc(found, byCosine)
	return found[:min(len(found), depth)]
}

// cosineOf is the best cosine of a memory's vectors with the query.
func (s *vectorSet) cosineOf(memory int64, query []float32) (best float32, ok bool) {
	at, ok := s.newest[memory]
	for best = -1; ok && at >= 0; at = s.before[at] {
		best = max(best, dot(query, s.vector(int(at))))
	}
	return best, ok
}

// usual is what cosines a query has with a user's texts: models differ widely
// in what they call alike, so a cosine means something only beside the others.
type usual struct {
	mean, deviation float64
}

func usualOf(cosines []float32) usual {
	if len(cosines) == 0 {
		return usual{}
	}
	var sum, squares float64
	for _, c := range cosines {
		sum += float64(c)
		squares += float64(c) * float64(c)
	}
	n := float64(len(cosines))
	mean := sum / n
	return usual{mean, math.Sqrt(max(0, squares/n-mean*mean))}
}

// sample measures what is usual on some two thousand vectors, evenly spread.
func (s *vectorSet) sample(query []float32) usual {
	step := max(1, s.len()/2000)
	cosines := make([]float32, 0, s.len()/step+1)
	for at := 0; at < s.len(); at += step {
		cosines = append(cosines, dot(query, s.vector(at)))
	}
	return usualOf(cosines)
}
