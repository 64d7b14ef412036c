package recall

import (
	"strings"

	"github.com/ebbmem/ebb/internal/text"
)

// prepared makes a set of the terms the index holds for these words.
func prepared(words string) map[string]bool {
	set := make(map[string]bool)
	for _, t := range text.Terms(words) {
		set[t] = true
	}
	return set
}

var (
	firstPerson = prepared("I I'm I've I'd I'll my me mine myself we our us ours")
	dateTerms   = prepared(`yesterday today tomorrow tonight ago last next week weekend month year day
		monday tuesday wednesday thursday friday saturday sunday january february march april june july
		august september october november december summer winter spring autumn birthday anniversary`)
)

// flagsOf reads from prepared text what the ranker wants to know of it.
func flagsOf(text string) (flags docFlags) {
	for term := range strings.FieldsSeq(text) {
		if firstPerson[term] {
			flags |= saysI
		}
		if dateTerms[term] || (term[0] >= '0' && term[0] <= '9') {
			flags |= datesIt
		}
	}
	return flags
}
