package claims

import (
	"regexp"
	"slices"
	"strings"

	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// exceptions match what begins an exception: "everything about Tom except what I said of the boat".
var exceptions = regexp.MustCompile(`(?i),?\s+(?:except(?: for)?|but not|apart from|other than|außer|ausser|ausgenommen|aber nicht|nur nicht|` +
	`bis auf (?:den|die|das|dem|was|mein\pL*)|excepto|salvo|pero no|menos (?:lo|la|el|los|las|mi|mis)) |[，,]?(?:除了|除开)`)

// withoutException divides what a request names into what is meant and the exception to it.
func withoutException(about string) (meant, exception string) {
	at := exceptions.FindStringIndex(about)
	if at == nil || at[0] == 0 || strings.HasSuffix(about[:at[0]], " o") { // "más o menos la mitad"
		return about, ""
	}
	end := at[1]
	if rest := text.Sentences(about[end:]); len(rest) > 0 {
		end += strings.Index(about[end:], rest[0]) + len(withoutStop(rest[0]))
	}
	return about[:at[0]] + about[end:], about[at[1]:end]
}

// spare takes from the targets what the request names to stay: statements with one of its words, and
// messages of which every clause has one. It reports whether there was anything.
func (t *targets) spare(q *wish) (spared bool) {
	stay := slices.DeleteFunc(slices.Clone(q.stay), func(term string) bool { return slices.Contains(q.forget, term) })
	named := func(terms []string) bool { return shared(stay, terms) > 0 }
	all := len(t.claims) + len(t.episodes)
	t.claims = slices.DeleteFunc(t.claims, func(m schema.Memory) bool { return named(wordsOf(&m)) })
	t.episodes = slices.DeleteFunc(t.episodes, func(m schema.Memory) bool {
		return named(wordsOf(&m)) && !slices.ContainsFunc(partsOf(m.Content), func(p part) bool { return !named(p.terms) })
	})
	return len(t.claims)+len(t.episodes) < all
}
