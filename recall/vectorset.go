package recall

import (
	"cmp"
	"math"
	"runtime"
	"slices"
	"sort"
	"sync"

	"github.com/ebbmem/ebb/schema"
)

// vectorSet is one user's vectors of one generation in memory, in order of
// arrival: a cache over the durable ones. A small set holds them as they are, a
// large one their codes. A set built in steps equals one built at once.
type vectorSet struct {
	dims     int
	exact    int // up to so many vectors all are held, and compared
	expected int // vectors, when many are to be added

	ids      idList
	memories idList
	byMemory []uint32 // places, in order of memory; nil while that is their own order

	numbers []float32 // one vector after another, while the set is small
	codes   *codes    // from then on
}

func newVectorSet(g *schema.Generation, exact int) *vectorSet {
	return &vectorSet{dims: g.Dims, exact: exact}
}

func (s *vectorSet) len() int { return s.memories.len() }

func (s *vectorSet) vector(at int) []float32 { return s.numbers[at*s.dims : (at+1)*s.dims] }

// bytes is about what the set takes of memory.
func (s *vectorSet) bytes() int {
	if s.codes != nil {
		return s.len() * s.codes.size / 8 * codeBits
	}
	return 4 * len(s.numbers)
}

// add takes in a vector. Vectors come in order of id.
func (s *vectorSet) add(v schema.ChunkVector) error {
	if len(v.Vector) != s.dims {
		return &schema.InvalidError{Field: "vector", Reason: "is not of its generation's size; the file is damaged"}
	}
	s.enter(v.MemoryID)
	s.ids.add(v.ID)
	if s.codes == nil {
		if s.len() <= s.exact {
			s.numbers = append(s.numbers, v.Vector...)
			return nil
		}
		s.encode()
	}
	s.codes.add(v.Vector)
	return nil
}

// expect makes room for so many vectors in a set that is empty.
func (s *vectorSet) expect(n int) {
	n = min(n, maxExpected)
	s.expected = n
	s.ids.lower, s.memories.lower = withRoom(s.ids.lower, n), withRoom(s.memories.lower, n)
	s.numbers = withRoom(s.numbers, min(n, s.exact)*s.dims)
}

// fit gives the room back of those that were expected and have not come, when
// that is more than half.
func (s *vectorSet) fit() {
	if s.expected <= 2*s.len() {
		return
	}
	s.ids.lower, s.memories.lower, s.numbers = slices.Clone(s.ids.lower), slices.Clone(s.memories.lower), slices.Clone(s.numbers)
	if c := s.codes; c != nil {
		c.signs, c.finer, c.scales = slices.Clone(c.signs), slices.Clone(c.finer), slices.Clone(c.scales)
	}
}

// enter notes the memory of the next vector.
func (s *vectorSet) enter(memory int64) {
	n := s.len()
	inOrder := n == 0 || s.memories.at(s.place(n-1)) <= memory
	if !inOrder && s.byMemory == nil {
		s.byMemory = make([]uint32, n, n+n/8+1)
		for at := range s.byMemory {
			s.byMemory[at] = uint32(at)
		}
	}
	if s.byMemory != nil {
		place := n
		if !inOrder {
			place, _ = s.find(memory + 1)
		}
		s.byMemory = slices.Insert(s.byMemory, place, uint32(n))
	}
	s.memories.add(memory)
}

// place is that of the vector which is the i-th in order of memory.
func (s *vectorSet) place(i int) int {
	if s.byMemory == nil {
		return i
	}
	return int(s.byMemory[i])
}

// find looks up where a memory's vectors begin in order of memory.
func (s *vectorSet) find(memory int64) (int, bool) {
	return sort.Find(s.len(), func(i int) int { return cmp.Compare(memory, s.memories.at(s.place(i))) })
}

// encode turns what is held into codes. Their mean is that of the first vectors
// for good: what has arrived decides, not the steps it arrived in.
func (s *vectorSet) encode() {
	s.codes = newCodes(s.mean())
	s.codes.expect(s.expected)
	for ; len(s.numbers) > 0; s.numbers = s.numbers[s.dims:] {
		s.codes.add(s.numbers[:s.dims])
	}
	s.numbers = nil
}

func (s *vectorSet) mean() []float32 {
	n := len(s.numbers) / s.dims
	sums := make([]float64, s.dims)
	for at := range n {
		for i, x := range s.vector(at) {
			sums[i] += float64(x)
		}
	}
	mean := make([]float32, s.dims)
	for i, sum := range sums {
		mean[i] = float32(sum / float64(max(1, n)))
	}
	return mean
}

// near is a vector's place in the set and its cosine with the query.
type near struct {
	at     uint32
	cosine float32
}

func byCosine(a, b near) int {
	return cmp.Or(cmp.Compare(b.cosine, a.cosine), cmp.Compare(a.at, b.at))
}

// sortNear sorts best first and leaves those as near in their order: digit by
// digit (Knuth 5.2.5), for there are many for each search.
func sortNear(found []near) {
	const bits = 11
	other := make([]near, len(found))
	for shift := 0; shift < 32; shift += bits {
		var ends [1 << bits]uint32
		for _, n := range found {
			ends[n.order()>>shift%(1<<bits)]++
		}
		end := uint32(0)
		for d, count := range ends {
			ends[d] = end
			end += count
		}
		for _, n := range found {
			d := &ends[n.order()>>shift%(1<<bits)]
			other[*d] = n
			*d++
		}
		found, other = other, found
	}
	copy(other, found) // after three passes they have changed places
}

// order is smaller the nearer.
func (n near) order() uint32 {
	const negative = 1 << 31
	bits := math.Float32bits(n.cosine + 0)
	if bits&negative == 0 {
		bits = ^bits &^ negative
	}
	return bits
}

// compared is one query beside a set.
type compared struct {
	*vectorSet

	query []float32
	probe *probe // nil for a small set
}

// compare makes a query ready. Whoever is done with it calls release, so that the
// next need not allocate.
func (s *vectorSet) compare(query []float32) compared {
	c := compared{vectorSet: s, query: query}
	if s.codes != nil {
		c.probe = s.codes.probe(query)
	}
	return c
}

func (c compared) release() {
	if c.probe != nil {
		c.probe.release()
	}
}

// cosine with the vector at a place, of a large set nearly.
func (c compared) cosine(at int) float32 {
	if c.probe != nil {
		return c.probe.cosine(at)
	}
	return dot(c.query, c.vector(at))
}

// reader reads vectors by id, in any order; those that are not there are left out.
type reader func(ids []int64, visit func(id int64, v schema.Vector) error) error

// readBest is how many of the best vectors of a large set are read from disk.
const readBest = 32

// search returns the vectors nearest to the query, best first, at least depth
// where there are as many, and what cosines are usual here. Small sets are
// compared one by one; of large ones as many as are rescored, whose signs are
// most like it, by their codes, and the best of these by themselves.
func (c compared) search(depth, rescored int, read reader) ([]near, usual, error) {
	if c.probe == nil {
		cosines := c.cosines()
		return top(cosines, depth), usualOf(cosines), nil
	}
	found := c.probe.cosines(nearest(c.probe.sums, max(depth, rescored)))
	sortNear(found)
	best := found[:min(readBest, len(found))]
	if err := c.sharpen(best, read); err != nil {
		return nil, usual{}, err
	}
	slices.SortFunc(best, byCosine)
	return found, c.sample(), nil
}

// sharpen makes cosines exact.
func (c compared) sharpen(found []near, read reader) error {
	ids := make([]int64, len(found))
	for i, f := range found {
		ids[i] = c.ids.at(int(f.at))
	}
	return read(ids, func(id int64, v schema.Vector) error {
		i := slices.Index(ids, id)
		if i < 0 || len(v) != c.dims {
			return &schema.InvalidError{Field: "vector", Reason: "is not of its generation's size; the file is damaged"}
		}
		found[i].cosine = dot(c.query, v)
		return nil
	})
}

// cosines compares the query with every vector.
func (c compared) cosines() []float32 {
	const share = 8192 // vectors a goroutine is worth starting for
	out := make([]float32, c.len())
	compare := func(from, to int) {
		for at := from; at < to; at++ {
			out[at] = c.cosine(at)
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
			sortNear(found)
			found = found[:depth]
			floor = found[depth-1].cosine
		}
	}
	sortNear(found)
	return found[:min(len(found), depth)]
}

// of is the best cosine of a memory's vectors with the query.
func (c compared) of(memory int64) (best float32, ok bool) {
	i, ok := c.find(memory)
	for best = -1; i < c.len() && c.memories.at(c.place(i)) == memory; i++ {
		best = max(best, c.cosine(c.place(i)))
	}
	return best, ok
}

// usual is what cosines a query has with a user's texts: models differ widely
// in what they call alike, so a cosine means something only beside the others.
type usual struct {
	mean, deviation float64
}

// fewCosines are too few to tell what is usual; fewDeviation is what encoders of
// sentences have.
const (
	fewCosines   = 30
	fewDeviation = 0.1
)

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
	variance := max(0, squares/n-mean*mean)
	if len(cosines) < fewCosines {
		// The answer itself is a part of them: it must not pass for usual.
		sorted := slices.Clone(cosines)
		slices.Sort(sorted)
		mean = float64(sorted[(len(sorted)-1)/2])
		variance += (fewDeviation*fewDeviation - variance) * (1 - n/fewCosines)
	}
	return usual{mean, math.Sqrt(variance)}
}

// sample measures what is usual on some thousand vectors, evenly spread.
func (c compared) sample() usual {
	step := max(1, c.len()/1000)
	places := make([]uint32, 0, c.len()/step+1)
	for at := 0; at < c.len(); at += step {
		places = append(places, uint32(at))
	}
	cosines := make([]float32, len(places))
	for i, n := range c.probe.cosines(places) {
		cosines[i] = n.cosine
	}
	return usualOf(cosines)
}
