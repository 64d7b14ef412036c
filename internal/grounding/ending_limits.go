package grounding

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/ebbmem/ebb/internal/prefilter"
	"github.com/ebbmem/ebb/internal/text"
)

// thisTime matches what limits a statement to one of several times without a date.
var thisTime = regexp.MustCompile(`(?i)\b(?:this time|for once|diesmal|dieses mal|ausnahmsweise|esta vez|por una vez)\b|这次|这回`)

// onward matches what precedes the first day of something that goes on.
var onward = regexp.MustCompile(`(?i)(?:(?:^|[^\pL])(?:from|starting|as of|since|ab|seit|desde|a partir de)|从|自)(?: (?:the|dem|der|el|la))? ?$`)

const (
	longestLimit = 32 * 24 * time.Hour // of what is named relative to the day, as in "next month"
	longestDate  = 4 * 24 * time.Hour  // of what has a next one, as "Saturday" or "Easter"
)

// isLimited reports whether what a sentence says is so at a time only that has not passed:
// "this weekend", "on Friday", but not "yesterday", "on Fridays" and "from Friday".
func isLimited(sentence string) bool {
	if thisTime.MatchString(sentence) {
		return true
	}
	monday := time.Date(2024, 7, 1, 0, 0, 0, 0, time.UTC) // any, since only the order matters
	return slices.ContainsFunc(text.TimeSpans(sentence, monday), func(s text.TimeSpan) bool {
		before, length := sentence[:s.Offset], s.End.Sub(s.Start)
		if onward.MatchString(before) || strings.HasSuffix(before, "每") {
			return false
		}
		return !s.NextStart.IsZero() && length <= longestDate || s.NextStart.IsZero() && s.End.After(monday) && length <= longestLimit
	})
}

// contracts are cancelled as a whole, on a day.
var contracts = text.WordSet("membership subscription contract mitgliedschaft abo vertrag suscripcion contrato abono bono")

var (
	// intolerance matches what one does not tolerate, which does not depend on having it.
	intolerance = prefilter.New(`(?i)allerg|alérgi|alergi|intoleran|unverträglich|\bvertr[aä]g\pL*|不耐受|过敏`)
	// consumption matches habits of eating and drinking, which outlast a supply.
	consumption = prefilter.New(`(?i)\b(?:eats?|eating|drinks?|drinking|breakfast|esse[n]?|isst|trink\pL*|frühstück\pL*|com(?:o|e|es|emos|en)|beb(?:o|e|es|emos|en)|tom(?:o|a|as|amos|an)|desayun\pL*)\b|[吃喝]|早餐|早饭`)
)

// remains reports whether a sentence holds although its speaker no longer has the thing.
func (e *Ending) remains(sentence string) bool {
	return intolerance.MatchString(sentence) || e.lacks && consumption.MatchString(sentence)
}

// denying are words of negation; "t" is the rest of "don't".
var denying = text.WordSet("not no never without nobody none cannot t kein keine keinen keinem keiner keines nicht nie niemals ohne nunca jamas sin ni")

// isDenied reports whether the clause of folded words denies the word at head: before it,
// or anywhere.
func isDenied(folded []string, head int, anywhere bool) bool {
	from, to := head, head
	for from > 0 && !mark[folded[from-1]] {
		from--
	}
	for anywhere && to < len(folded) && !mark[folded[to]] {
		to++
	}
	return slices.ContainsFunc(folded[from:to], func(w string) bool { return denying[w] })
}
