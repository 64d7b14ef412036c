package enrich

import (
	"strings"
	"unicode/utf8"
)

// importanceWords are the words of rate_importance_heuristic in dual-memory.md.
var importanceWords = []string{"important", "critical", "urgent", "decision", "agree", "disagree", "believe", "feel"}

// Importance rates a text from 1 (mundane) to 10 (crucial) without a model, as
// rate_importance_heuristic of dual-memory.md does: 3, plus 1 above 200
// characters, plus 1 above 500, plus ½ for each of the words important,
// critical, urgent, decision, agree, disagree, believe and feel that occurs.
//
// As in the original, words match inside words: "disagree" also counts as
// "agree", "unimportant" as "important". The range actually reached is 3 to 9.
// Memories store importance as 0–1: divide by 10 when storing. The original adds
// this scale to one of 0–1 in its pruning formula, which lets importance alone
// decide.
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
