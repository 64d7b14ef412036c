package recall

import (
	"cmp"
	"slices"
	"sort"

	"github.com/ebbmem/ebb/internal/idlist"
	"github.com/ebbmem/ebb/recall/vector"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/vecstore"
)

// vectorSet is a cache over one user's stored vectors of one generation: the
// vectors themselves, and by place their ids and the memories they belong to.
type vectorSet struct {
	vectors *vector.Set

	ids      idlist.List
	memories idlist.List
	byMemory []uint32 // places, in order of memory; nil while that is the order of arrival
}

func newVectorSet(g *vecstore.Generation, exact int) *vectorSet {
	return &vectorSet{vectors: vector.NewSet(g.Dims, exact)}
}

func (s *vectorSet) len() int { return s.vectors.Len() }

var errVectorSize = &schema.InvalidError{Field: "vector", Reason: "is not of its generation's size; the file is damaged"}

// add copies a vector into the set. Vectors come in order of id.
func (s *vectorSet) add(v vecstore.ChunkVector) error {
	if len(v.Vector) != s.vectors.Dims() {
		return errVectorSize
	}
	s.link(v.MemoryID)
	s.ids.Add(v.ID)
	s.vectors.Add(v.Vector)
	return nil
}

// reserve allocates room for n vectors in an empty set.
func (s *vectorSet) reserve(n int) {
	n = min(n, maxExpected)
	s.ids.Grow(n)
	s.memories.Grow(n)
	s.vectors.Reserve(n)
}

// trim frees reserved room that was not used, if that is more than half.
func (s *vectorSet) trim() {
	if s.ids.Cap() > 2*s.len() {
		s.ids.Clip()
		s.memories.Clip()
	}
	s.vectors.Trim()
}

// link records the memory of the next vector.
func (s *vectorSet) link(memory int64) {
	n := s.len()
	inOrder := n == 0 || s.memories.At(s.place(n-1)) <= memory
	if !inOrder && s.byMemory == nil {
		s.byMemory = make([]uint32, n, n+n/8+1)
		for at := range s.byMemory {
			s.byMemory[at] = uint32(at)
		}
	}
	if s.byMemory != nil {
		i := n
		if !inOrder {
			i, _ = s.find(memory + 1)
		}
		s.byMemory = slices.Insert(s.byMemory, i, uint32(n))
	}
	s.memories.Add(memory)
}

// place returns the place of the i-th vector in order of memory.
func (s *vectorSet) place(i int) int {
	if s.byMemory == nil {
		return i
	}
	return int(s.byMemory[i])
}

// find returns where a memory's vectors begin in order of memory.
func (s *vectorSet) find(memory int64) (int, bool) {
	return sort.Find(s.len(), func(i int) int { return cmp.Compare(memory, s.memories.At(s.place(i))) })
}

// closest is the vector of a memory that is nearest to a query.
type closest struct {
	vector.Match
	vectors int // of the memory, 0 for none
}

func (s *vectorSet) closest(q vector.Query, memory int64) (best closest) {
	best.Cosine = -1
	for i, _ := s.find(memory); i < s.len() && s.memories.At(s.place(i)) == memory; i++ {
		best.vectors++
		if at := s.place(i); best.vectors == 1 || q.Cosine(at) > best.Cosine {
			best.Match = vector.Match{Place: uint32(at), Cosine: q.Cosine(at)}
		}
	}
	return best
}

// reader returns a [vector.Reader] that reads vectors by their ids.
func (s *vectorSet) reader(byID func(ids []int64, visit func(int64, vecstore.Vector) error) error) vector.Reader {
	return func(places []uint32, visit func(i int, v []float32)) error {
		ids := make([]int64, len(places))
		for i, at := range places {
			ids[i] = s.ids.At(int(at))
		}
		return byID(ids, func(id int64, v vecstore.Vector) error {
			i := slices.Index(ids, id)
			if i < 0 || len(v) != s.vectors.Dims() {
				return errVectorSize
			}
			visit(i, v)
			return nil
		})
	}
}
