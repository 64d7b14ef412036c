package redact

import "slices"

// automaton finds all keys of all rules in one pass (Aho and Corasick, 1975),
// ignoring the case of ASCII letters.
type automaton struct {
	class   [256]uint8 // class of a byte; 0 for a byte in no key
	classes int
	next    []uint16 // state × class
	out     [][]hit  // by state; nil for most
	ends    []bool   // whether a state has an out, for a fast check
}

type hit struct{ rule, length int }

func newAutomaton(keys [][]string) *automaton {
	a := &automaton{classes: 1}
	for _, of := range keys {
		for _, key := range of {
			for i := range len(key) {
				if a.class[key[i]] == 0 {
					a.class[key[i]] = uint8(a.classes)
					a.classes++
				}
			}
		}
	}
	for c := byte('A'); c <= 'Z'; c++ {
		a.class[c] = a.class[c|0x20]
	}
	state := func() int {
		a.next = append(a.next, make([]uint16, a.classes)...)
		a.out = append(a.out, nil)
		return len(a.out) - 1
	}
	state() // the root
	for rule, of := range keys {
		for _, key := range of {
			s := 0
			for i := range len(key) {
				edge := s*a.classes + int(a.class[key[i]])
				if a.next[edge] == 0 {
					to := uint16(state())
					a.next[edge] = to
				}
				s = int(a.next[edge])
			}
			a.out[s] = append(a.out[s], hit{rule, len(key)})
		}
	}
	a.link()
	a.ends = make([]bool, len(a.out))
	for s := range a.out {
		a.ends[s] = len(a.out[s]) > 0
	}
	return a
}

// link completes the trie: a missing edge becomes that of the longest suffix that
// is also a state.
func (a *automaton) link() {
	suffix := make([]int, len(a.out))
	var queue []int
	for c := range a.classes {
		if to := int(a.next[c]); to != 0 {
			queue = append(queue, to)
		}
	}
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		a.out[s] = slices.Concat(a.out[s], a.out[suffix[s]])
		for c := range a.classes {
			edge, back := s*a.classes+c, a.next[suffix[s]*a.classes+c]
			if to := int(a.next[edge]); to != 0 {
				suffix[to] = int(back)
				queue = append(queue, to)
			} else {
				a.next[edge] = back
			}
		}
	}
}

// scan calls visit for every occurrence of a key and counts the digits.
func (a *automaton) scan(s string, visit func(rule, at, end int)) (digits int) {
	state, classes := 0, a.classes
	for i := range len(s) {
		c := s[i]
		if c-'0' < 10 {
			digits++
		}
		state = int(a.next[state*classes+int(a.class[c])])
		if a.ends[state] {
			for _, h := range a.out[state] {
				visit(h.rule, i+1-h.length, i+1)
			}
		}
	}
	return digits
}
