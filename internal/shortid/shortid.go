// Package shortid gives the memories of one conversation short ids, under which
// they are shown to a model and which its tools accept.
//
// A short id is "m" and five digits made from the public id, so that the same
// memory keeps its short id after a restart too, and a number from another
// conversation rarely means another memory in this one.
package shortid

import (
	"hash/fnv"
	"strconv"
	"sync"
)

// Length is the length of every short id.
const Length = 6

// space is how many short ids there are, from first on.
const (
	first = 10_000
	space = 90_000
)

// Max bounds the short ids of one conversation; those given first are
// dropped first.
const Max = 4096

// IDs are the short ids given in one conversation. The zero value is empty
// and ready; it is safe for concurrent use.
type IDs struct {
	mu    sync.Mutex
	short map[string]string // public id → short id
	full  map[string]string // short id → public id
	order []string          // public ids, in the order in which they were given
}

// Of is the short id of a memory.
func (s *IDs) Of(uid string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if short, known := s.short[uid]; known {
		return short
	}
	if s.short == nil {
		s.short, s.full = make(map[string]string), make(map[string]string)
	}
	if len(s.order) == Max {
		oldest := s.order[0]
		s.order = s.order[1:]
		delete(s.full, s.short[oldest])
		delete(s.short, oldest)
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(uid)) // never fails
	n := int(h.Sum32() % space)
	short := write(n)
	for s.full[short] != "" {
		n = (n + 1) % space
		short = write(n)
	}
	s.short[uid], s.full[short] = short, uid
	s.order = append(s.order, uid)
	return short
}

func write(n int) string { return "m" + strconv.Itoa(first+n) }

// UID is the public id of a short id that was given in this conversation.
func (s *IDs) UID(short string) (uid string, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	uid, known = s.full[short]
	return uid, known
}
