package text

import (
	"regexp"
	"strings"
)

var sentenceEnd = regexp.MustCompile(`[.!?…]+["'”’)]*\s+|[。！？]+|\n+`)

// abbreviated matches a full stop that does not end a sentence: "Dr.", an initial.
var abbreviated = regexp.MustCompile(`(?:^|[\s(])(?:[Dd]r|Mr|Mrs|Ms|[Pp]rof|St|Sr|Sra|[NnHhFf]r|vs|ca|bzw|evtl|e\.g|i\.e|z\.[Bb]|[A-HJ-Z])\.\s+$`)

// Sentences cuts a text after its sentences; the pieces are verbatim.
func Sentences(s string) []string {
	var pieces []string
	from := 0
	for _, at := range append(sentenceEnd.FindAllStringIndex(s, -1), []int{len(s), len(s)}) {
		if at[1] < len(s) && !strings.Contains(s[at[0]:at[1]], "\n") && (abbreviated.MatchString(s[from:at[1]]) ||
			s[at[0]:at[1]] == ". " && FullStopWithin(strings.TrimLeft(s[from:at[0]], " \n"), s[at[0]+1:])) {
			continue
		}
		if piece := strings.TrimSpace(s[from:at[1]]); piece != "" {
			pieces = append(pieces, piece)
		}
		from = at[1]
	}
	return pieces
}

// EndsAsking reports whether a text ends with a question mark.
func EndsAsking(s string) bool {
	s = strings.TrimRight(s, " \t\n\"'”’)")
	return strings.HasSuffix(s, "?") || strings.HasSuffix(s, "？")
}
