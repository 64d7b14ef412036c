package vector

import (
	"cmp"
	"math"
	"runtime"
	"slices"
	"sync"
)

// Query compares one vector with those of a set. The set must not change while
// the query is in use.
type Query struct {
	set      *Set
	vector   []float32
	estimate *estimate // nil for a small set
}

// Query prepares a search for a vector of length 1 and [Set.Dims] numbers. Call
// [Query.Release] when done with it.
func (s *Set) Query(v []float32) Query {
	q := Query{set: s, vector: v}
	if s.codes != nil {
		q.estimate = s.codes.estimate(v)
	}
	return q
}

// Release lets the next query reuse the memory of this one.
func (q Query) Release() {
	if q.estimate != nil {
		q.estimate.release()
	}
}

// Reader reads stored vectors by place, in any order, and calls visit with the
// index of each in places. It may leave out vectors that are no longer stored.
type Reader func(places []uint32, visit func(i int, v []float32)) error

// rescoredExactly is how many of the best vectors of a large set are read and
// compared exactly.
const rescoredExactly = 32

// Search returns the nearest vectors, best first, and the distribution of the
// query's cosines. There are at least depth matches if the set holds so many.
//
// A small set is compared vector by vector. Of a large one, as many codes as
// rescored says are estimated, and the best of those are read and compared
// exactly. Search returns the reader's error.
func (q Query) Search(depth, rescored int, read Reader) ([]Match, Distribution, error) {
	if q.estimate == nil {
		cosines := q.Cosines()
		return Top(cosines, depth), DistributionOf(cosines), nil
	}
	found := q.estimate.cosines(largest(q.estimate.sums, max(depth, rescored)))
	sortMatches(found)
	best := found[:min(rescoredExactly, len(found))]
	places := make([]uint32, len(best))
	for i, m := range best {
		places[i] = m.Place
	}
	err := read(places, func(i int, v []float32) { best[i].Cosine = Dot(q.vector, v) })
	if err != nil {
		return nil, Distribution{}, err
	}
	slices.SortFunc(best, compareMatches)
	return found, q.sample(), nil
}

// Cosine returns the cosine with the vector at a place, an estimate in a large
// set.
func (q Query) Cosine(place int) float32 {
	if q.estimate != nil {
		return q.estimate.cosine(place)
	}
	return Dot(q.vector, q.set.vector(place))
}

// Cosines returns the cosine with every vector, by place.
func (q Query) Cosines() []float32 {
	const share = 8192 // vectors that are worth a goroutine
	out := make([]float32, q.set.n)
	compare := func(from, to int) {
		for at := from; at < to; at++ {
			out[at] = q.Cosine(at)
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

// sample measures the distribution on about a thousand vectors, evenly spaced.
func (q Query) sample() Distribution {
	step := max(1, q.set.n/1000)
	places := make([]uint32, 0, q.set.n/step+1)
	for at := 0; at < q.set.n; at += step {
		places = append(places, uint32(at))
	}
	cosines := make([]float32, len(places))
	for i, m := range q.estimate.cosines(places) {
		cosines[i] = m.Cosine
	}
	return DistributionOf(cosines)
}

// Distribution is the mean and standard deviation of a query's cosines with the
// vectors of a set. Embedding models differ widely in the cosines of unrelated
// texts, so a single cosine says little without it.
type Distribution struct {
	Mean, Deviation float64
}

const (
	// fewCosines is below how many cosines the measured deviation is blended with
	// typicalDeviation, that of sentence encoders.
	fewCosines       = 30
	typicalDeviation = 0.1
)

// DistributionOf returns the distribution of some cosines; of few, the mean is the median.
// It sums integers, so that the order in which vectors arrived, which depends on background
// work, changes no bit of the result.
func DistributionOf(cosines []float32) Distribution {
	if len(cosines) == 0 {
		return Distribution{}
	}
	const one = 1 << 40
	var sum, squares int64
	for _, c := range cosines {
		sum += int64(float64(c) * one)
		squares += int64(float64(c) * float64(c) * one)
	}
	n := float64(len(cosines))
	mean := float64(sum) / one / n
	variance := max(0, float64(squares)/one/n-mean*mean)
	if len(cosines) < fewCosines {
		// The answer is among them and would raise the mean: take the median.
		sorted := slices.Clone(cosines)
		slices.Sort(sorted)
		mean = float64(sorted[(len(sorted)-1)/2])
		variance += (typicalDeviation*typicalDeviation - variance) * (1 - n/fewCosines)
	}
	return Distribution{mean, math.Sqrt(variance)}
}

// Match is the place of a vector and its cosine with the query.
type Match struct {
	Place  uint32
	Cosine float32
}

// compareMatches orders best first, and equals by place.
func compareMatches(a, b Match) int {
	return cmp.Or(cmp.Compare(b.Cosine, a.Cosine), cmp.Compare(a.Place, b.Place))
}

// Top returns the depth largest cosines, best first.
func Top(cosines []float32, depth int) []Match {
	found := make([]Match, 0, 2*depth)
	floor := float32(math.Inf(-1))
	for at, c := range cosines {
		if c < floor {
			continue
		}
		if found = append(found, Match{uint32(at), c}); len(found) == cap(found) {
			sortMatches(found)
			found = found[:depth]
			floor = found[depth-1].Cosine
		}
	}
	sortMatches(found)
	return found[:min(len(found), depth)]
}

// sortMatches sorts best first and is stable. It is a radix sort (Knuth 5.2.5):
// each search sorts more than a thousand.
func sortMatches(found []Match) {
	const bits = 11
	other := make([]Match, len(found))
	for shift := 0; shift < 32; shift += bits {
		var ends [1 << bits]uint32
		for _, m := range found {
			ends[m.radixKey()>>shift%(1<<bits)]++
		}
		end := uint32(0)
		for d, count := range ends {
			ends[d] = end
			end += count
		}
		for _, m := range found {
			d := &ends[m.radixKey()>>shift%(1<<bits)]
			other[*d] = m
			*d++
		}
		found, other = other, found
	}
	copy(other, found) // after three passes the result is in the scratch slice
}

// radixKey maps the cosine to an integer that is smaller the better the match.
func (m Match) radixKey() uint32 {
	const negative = 1 << 31
	bits := math.Float32bits(m.Cosine + 0)
	if bits&negative == 0 {
		bits = ^bits &^ negative
	}
	return bits
}
