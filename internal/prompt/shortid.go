package prompt

import (
	"hash/fnv"
	"strconv"
	"sync"
)

// shortSpace is the number of short ids, which start at shortFirst.
const (
	shortFirst = 10_000
	shortSpace = 90_000
)

// maxShortIDs is the maximum number of short ids in one conversation. The oldest are
// dropped.
const maxShortIDs = 4096

// ShortIDs gives the memories of one conversation short ids, under which they are
// shown to a model and which its tools accept. The zero value is empty and ready. It is
// safe for concurrent use.
//
// A short id is "m" and five digits made from the public id, so that the same memory
// keeps its short id after a restart too, and a number from another conversation
// rarely means another memory in this one.
type ShortIDs struct {
	mu    sync.Mutex
	short map[string]string // public id → short id
	full  map[string]string // short id → public id
	order []string          // public ids, in the order in which they were given
}

// Of is the short id of a memory.
func (s *ShortIDs) Of(uid string) string {
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
	short := shortOf(n)
	for s.full[short] != "" {
		n = (n + 1) % shortSpace
		short = shortOf(n)
	}
	s.short[uid], s.full[short] = short, uid
	s.order = append(s.order, uid)
	return short
}

func shortOf(n int) string { return "m" + strconv.Itoa(shortFirst+n) }

// UID is the public id of a short id that was given in this conversation.
func (s *ShortIDs) UID(short string) (uid string, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	uid, known = s.full[short]
	return uid, known
}
