package evalset

import (
	"bufio"
	"fmt"
	"io"
)

// WriteRun writes rankings in the format of trec_eval, one line per turn, the
// first depth turns of each question:
//
//	question-id Q0 turn-id rank score tag
//
// Scores are written to nine decimals, for tools that sort by them; equal
// rankings give equal bytes. An id must not hold white space, which [Load] has
// checked.
func WriteRun(w io.Writer, answers []Answered, depth int, tag string) error {
	b := bufio.NewWriter(w)
	for _, a := range answers {
		for i, r := range a.Ranking[:min(depth, len(a.Ranking))] {
			if _, err := fmt.Fprintf(b, "%s Q0 %s %d %.9f %s\n", a.Query.ID, r.Turn, i+1, r.Score, tag); err != nil {
				return err
			}
		}
	}
	return b.Flush()
}
