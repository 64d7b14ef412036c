package series

import (
	"slices"
	"strings"
	"time"

	"github.com/ebbmem/ebb/internal/text"
)

// Newest returns the index of the newest member that holds.
func (s *Series) Newest() int {
	newest := -1
	for i := range s.Members {
		if m := &s.Members[i]; m.CorrectedBy < 0 && (newest < 0 || !m.At.Before(s.Members[newest].At)) {
			newest = i
		}
	}
	return newest
}

// Earlier returns the members before the newest one with their days, oldest first, in at most the given
// tokens: "148/94 2025-03-03, 144/92 03-05, …". If they do not fit, it keeps those that within
// accepts, which may take as many tokens again, the first, the last ones, the lowest and the highest,
// and as many of the others as have room, evenly.
func (s *Series) Earlier(tokens int, within func(at time.Time) bool) string {
	newest := s.Newest()
	var held []int
	for i := range s.Members {
		if m := &s.Members[i]; m.CorrectedBy < 0 && i != newest {
			held = append(held, i)
		}
	}
	slices.SortStableFunc(held, func(a, b int) int { return s.Members[a].At.Compare(s.Members[b].At) })
	kept := make(map[int]bool)
	row := ""
	for _, next := range s.byImportance(held, within) {
		kept[next] = true
		more := s.render(held, kept)
		most := tokens
		if within(s.Members[next].At) {
			most *= 3
		}
		if text.Tokens(more) > most {
			delete(kept, next)
			continue
		}
		row = more
	}
	return row
}

// byImportance returns the members in the order in which they are kept.
func (s *Series) byImportance(held []int, within func(at time.Time) bool) (order []int) {
	if len(held) == 0 {
		return nil
	}
	for _, i := range slices.Backward(held) {
		if within(s.Members[i].At) {
			order = append(order, i)
		}
	}
	low, high := held[0], held[0]
	for _, i := range held {
		if s.Members[i].numbers[0] < s.Members[low].numbers[0] {
			low = i
		}
		if s.Members[i].numbers[0] > s.Members[high].numbers[0] {
			high = i
		}
	}
	n := len(held)
	order = append(order, held[n-1], held[0], high, low, held[max(0, n-2)], held[max(0, n-3)])
	for step := n; step > 0; step /= 2 {
		for i := step / 2; i < n; i += step {
			order = append(order, held[i])
		}
	}
	order = append(order, held...)
	seen := make(map[int]bool)
	return slices.DeleteFunc(order, func(i int) bool {
		again := seen[i]
		seen[i] = true
		return again
	})
}

// render joins the kept members; what was left out is marked. A year stands where it changes.
func (s *Series) render(held []int, kept map[int]bool) string {
	var parts []string
	year, left := 0, false
	for _, i := range held {
		if !kept[i] {
			if !left {
				parts, left = append(parts, "…"), true
			}
			continue
		}
		m := &s.Members[i]
		day := m.At.Format("Jan 2")
		if m.At.Year() != year {
			year, day = m.At.Year(), m.At.Format("Jan 2 2006")
		}
		parts, left = append(parts, m.Value+" "+day), false
	}
	return strings.Join(parts, ", ")
}
