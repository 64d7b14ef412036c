package claims

import (
	"regexp"
	"slices"
	"strings"

	"github.com/ebbmem/ebb/internal/said"
	"github.com/ebbmem/ebb/schema"
)

// ClauseOf returns the part of a sentence that states a parsed claim, one of several clauses, or
// "".
func ClauseOf(m *schema.Memory, sentence string) string {
	for _, clause := range clauseEnd.Split(sentence, -1) {
		clause = strings.TrimSpace(clause)
		if m.Predicate != "" && len(clause) < len(sentence) && slices.ContainsFunc(said.Claims(clause, 0), func(c said.Claim) bool {
			return c.Predicate == m.Predicate && alike(c.Object, m.Object)
		}) {
			return clause
		}
	}
	return ""
}

// clauseEnd matches what stands between two clauses.
var clauseEnd = regexp.MustCompile(`(?i)[,;，；、。.!?！？]+\s*(?:(?:and|but|und|aber|y|pero) )?| (?:and|but|und|aber|y|pero) `)
