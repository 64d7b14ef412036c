package prompt

import "github.com/ebbmem/ebb/internal/text"

// Budget returns how many tokens the section may take for a question, including its
// title. A question about the user's own affairs, or about somebody known, rarely shares
// words with the relevant statements, so that search misses them; so does one that
// depends on the conversation. For such questions it is up to own, for others usual.
func (a *Asked) Budget(depends bool, usual, own int) int {
	p, odds := a.own, 1.0
	switch {
	case text.IsPersonal(a.question):
		odds = personalOdds
	case a.s.Name(a.question):
		if odds = namedOdds; len(text.QueryTerms(a.question, 0)) <= namedAlone {
			odds = personalOdds // "who is Noor"
		}
	}
	p = odds * p / (1 - p + odds*p)
	if depends {
		p = 1
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
// leastNear seven tenths of the usual. personalOdds is what words for its writer, or a name that
// lines contain among namedAlone words, multiply the odds by, and namedOdds a name among more:
// "who wrote Anne of Green Gables" is about no Anne that the user knows. In fifteen lives that
// nothing was fitted to, 4.8 % of questions about something else would get all with 30 for each
// name, 3.4 % with 10. After a year, with .2 and .6 the sections of 47 lives would contain .4 to
// .8 % more of what is asked for, and cost 585 tokens in place of 434 for questions about
// something else; with .5 and .9 .2 % less, and 380.
const (
	leastNear    = 0.15
	leastOwn     = 0.4
	personalOdds = 30
	namedOdds    = 10
	namedAlone   = 2
	surelyOwn    = 0.8
)
