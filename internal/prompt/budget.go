package prompt

import (
	"github.com/ebbmem/ebb/internal/orders"
	"github.com/ebbmem/ebb/internal/text"
)

// Budget returns how many tokens the section may take for a question, including its
// title. A question about the user's own affairs, or about somebody known, rarely shares
// words with the relevant statements, so that search misses them; so does one that
// depends on the conversation. For such questions it is up to own, for others usual, also for an
// order that names nothing but the work at hand.
func (a *Asked) Budget(depends bool, usual, own int) int {
	p, odds := a.own, 1.0
	switch {
	case a.s.Name(a.question):
		odds = namedOdds
	case len(a.named) > 0:
		odds = rareOdds
	case text.IsPersonal(a.question):
		odds = personalOdds
	}
	p = odds * p / (1 - p + odds*p)
	if depends {
		p = 1
	}
	if orders.Bare(a.question) && !a.s.Name(a.question) {
		p = 0 // "push it": the work is at hand
	}
	switch {
	case p > leastOwn:
		share := min(1, (p-leastOwn)/(surelyOwn-leastOwn))
		return max(usual, usual+int(share*share*float64(own-usual)))
	case p < leastNear && !a.s.Fit(usual):
		return usual * 7 / 10
	}
	return usual
}

// Probabilities that a question is about the user's own affairs. From leastOwn on it gets
// more than usual, with the square of what it is above, from surelyOwn on all, below
// leastNear seven tenths of the usual. A name that lines contain multiplies the odds by namedOdds,
// another rare word of theirs by rareOdds, whatever the form of the question, words for the writer by
// personalOdds, as tasks contain them too ("help me with my script"). The
// figures are in benchmarks/NOTES.md, "General tasks".
const (
	leastNear    = 0.15
	leastOwn     = 0.25
	surelyOwn    = 0.6
	namedOdds    = 10
	rareOdds     = 5
	personalOdds = 3
)
