package claims

import (
	"slices"

	"github.com/ebbmem/ebb/internal/said"
	"github.com/ebbmem/ebb/schema"
)

// ClauseOf returns the part of a sentence that states a parsed claim, one of several clauses, or
// "".
func ClauseOf(m *schema.Memory, sentence string) string {
	for _, clause := range partEnd.Split(sentence, -1) {
		clause = withoutStop(clause)
		if m.Predicate != "" && len(clause) < len(sentence) && slices.ContainsFunc(said.Claims(clause, 0), func(c said.Claim) bool {
			return c.Predicate == m.Predicate && alike(c.Object, m.Object)
		}) {
			return clause
		}
	}
	return ""
}
