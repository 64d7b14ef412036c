package prompt

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/ebbmem/ebb/internal/text"
)

// maxRead is how much of a text an [Excerpt] looks at, in bytes.
const maxRead = 1 << 16

// beside is the share of its neighbour's weight that a sentence has too, and of that the
// next one: an answer often stands near the sentence that repeats the question's words.
const beside = 0.4

// Excerpt returns a text as one line ([text.Line]) of at most most tokens: all of it if it
// fits, otherwise the sentences that hold most of the terms of a question, in their order,
// with "…" where others are left out. Terms that are rare in the text weigh more. Without
// any of the terms it is the beginning. Of a text above 64 KiB it reads the beginning.
func Excerpt(s string, terms []string, most int) (line string, cut bool) {
	whole := len(s) <= max(maxRead, 16*most) // a token of more bytes than 16 is rare
	if !whole {
		s = strings.ToValidUTF8(s[:max(maxRead, 16*most)], "")
	}
	if line = text.Line(s); whole && text.Tokens(line) <= most {
		return line, false
	}
	pieces := passages(strings.ToValidUTF8(s[:min(len(s), maxRead)], ""), most)
	weights := weigh(pieces, terms)
	order := make([]int, len(pieces))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(weights[b], weights[a]) })
	var taken []int
	for _, i := range order {
		at, _ := slices.BinarySearch(taken, i)
		more := slices.Insert(slices.Clone(taken), at, i)
		if with := joined(pieces, more); text.Tokens(with) <= most {
			taken, line = more, with
		} else if weights[i] == 0 {
			break
		}
	}
	if len(taken) == 0 {
		line = text.Line(text.Truncate(line, most)) // a mark that is cut off may have made its letter another one
	}
	return line, true
}

// joined returns some of the pieces in their order, with gaps where others are missing.
func joined(pieces []string, taken []int) string {
	var b strings.Builder
	next := 0
	for _, i := range taken {
		if i > next {
			b.WriteString("… ")
		}
		b.WriteString(pieces[i] + " ")
		next = i + 1
	}
	if next < len(pieces) {
		b.WriteString("…")
	}
	return strings.TrimSpace(b.String())
}

// passages cuts a text after its sentences and lines, and longer ones to a third of most
// tokens.
func passages(s string, most int) (pieces []string) {
	for _, sentence := range text.Sentences(s) {
		whole := text.Line(sentence)
		if text.Tokens(whole) <= max(most/3, 1) {
			pieces = append(pieces, whole)
			continue
		}
		pieces = append(pieces, text.Chunks(whole, max(most, 20))...)
	}
	return pieces
}

// weigh returns what each piece says about the terms, its neighbours' share included.
func weigh(pieces, terms []string) []float64 {
	holds := make([]map[string]bool, len(pieces))
	in := make(map[string]int)
	for i, piece := range pieces {
		holds[i] = make(map[string]bool)
		for _, t := range text.Terms(piece) {
			if !holds[i][t] && slices.Contains(terms, t) {
				holds[i][t] = true
				in[t]++
			}
		}
	}
	own := make([]float64, len(pieces))
	for i := range pieces {
		for _, t := range terms {
			if holds[i][t] {
				own[i] += math.Log1p(float64(len(pieces)) / float64(in[t]))
			}
		}
	}
	all := slices.Clone(own)
	before, after := 0.0, 0.0
	for i := range own {
		j := len(own) - 1 - i
		before, after = beside*(before+at(own, i-1)), beside*(after+at(own, j+1))
		all[i] += before
		all[j] += after
	}
	return all
}

func at(list []float64, i int) float64 {
	if i < 0 || i >= len(list) {
		return 0
	}
	return list[i]
}
