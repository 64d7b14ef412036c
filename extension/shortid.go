package extension

import (
	"hash/fnv"
	"strconv"
	"sync"
)

// Memories are shown to a model under short ids, which its tools accept in that
// conversation. A short id is "m" and five digits made from the public id, so
// that the same memory keeps its short id after a restart too, and a number from
// another conversation rarely means another memory in this one.

// shortIDLength is the length of every short id.
const shortIDLength = 6

// shortSpace is how many short ids there are, from shortFirst on.
const (
	shortFirst = 10_000
	shortSpace = 90_000
)

// maxShortIDs bounds the short ids of one conversation; those given first are
// dropped first.
const maxShortIDs = 4096

// shortIDs are the short ids given in one conversation. The zero value is empty
// and ready; it is safe for concurrent use.
type shortIDs struct {
	mu    sync.Mutex
	short map[string]string // public id → short id
	full  map[string]string // short id → public id
	order []string          // public ids, in the order in which they were given
}

// of is the short id of a memory.
func (s *shortIDs) of(uid string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if short, known := s.short[uid]; known {
		return short
	}
	if s.short == nil {
		s.short, s.full = make(map[string]string), make(map[string]string)
	}
	if len(s.order) == maxShortIDs {
		oldest := s.order[0]
		s.order = s.order[1:]
		delete(s.full, s.short[oldest])
		delete(s.short, oldest)
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(uid)) // never fails
	n := int(h.Sum32() % shortSpace)
	short := shortID(n)
	for s.full[short] != "" {
		n = (n + 1) % shortSpace
		short = shortID(n)
	}
	s.short[uid], s.full[short] = short, uid
	s.order = append(s.order, uid)
	return short
}

func shortID(n int) string { return "m" + strconv.Itoa(shortFirst+n) }

// uid is the public id behind a short id that was given in this conversation.
func (s *shortIDs) uid(short string) (uid string, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	uid, known = s.full[short]
	return uid, known
}
