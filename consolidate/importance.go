package consolidate

import (
	"strings"
	"unicode/utf8"
)

// importanceWords are what dual-memory.md listens for.
var importanceWords = []string{"important", "critical", "urgent", "decision", "agree", "disagree", "believe", "feel"}

// Importance rates a text from 1 (mundane) to 10 (crucial) without a model:
// 3, one more above 200 characters and another above 500, and a half for each
// of the words important, critical, urgent, decision, agree, disagree, believe
// and feel that occurs. It is rate_importance_heuristic of dual-memory.md to
// the letter.
//
// To the letter means that words are looked for inside words: "disagree"
// counts for "agree" as well, and "unimportant" for "important". The reachable
// range is therefore 3 to 9. Memories keep importance on 0–1: divide by 10 at
// that edge, and nowhere else, for the design's own pruning formula adds this
// scale to one of 0–1 and so lets importance alone decide.
func Importance(content string) float64 {
	score := 3.0
	characters := utf8.RuneCountInString(content)
	if characters > 200 {
		score++
	}
	if characters > 500 {
		score++
	}
	lower := strings.ToLower(content)
	for _, word := range importanceWords {
		if strings.Contains(lower, word) {
			score += 0.5
		}
	}
	return min(10, max(1, score))
}
