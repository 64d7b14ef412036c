package text

import (
	"strings"
)

// particles may stand inside a name between two of its words, alone or in these
// pairs: "Bank of Norway", "Vincent van Gogh", "Lord of the Rings".
var (
	particles     = WordSet("van von de der den del della di da do dos du la le el al bin ibn ben of zu av af")
	particlePairs = WordSet("of+the de+la de+los de+las van+der van+den van+de von+der auf+der")
)

// names finds proper names by their capitals.
func (f *finder) names() {
	words := nameWords(f)
	markLines(f.src, words)
	seen := capitalisedInside(words)
	for i := 0; i < len(words); {
		if !words[i].nameLike() {
			i++
			continue
		}
		j := runEnd(words, i)
		f.name(words, i, j, seen)
		i = j
	}
}

// runEnd returns the end of the run of name-like words that begins at i.
func runEnd(words []nameWord, i int) int {
	for j := i + 1; ; {
		if j >= len(words) || words[j-1].possessive {
			return j // "Anna's Bob" are two
		}
		k := j
		switch {
		case !words[j].spaced || words[j].taken:
			return j
		case words[j].nameLike() && !words[j].initial:
			j++
			continue
		case j+1 < len(words) && particles[words[j].low] && words[j].shape == lowerCase && !(words[j].german && germanMarkers[words[j].low] && words[j].low != "von"):
			k = j + 1
			if k+1 < len(words) && words[k].spaced && particlePairs[words[j].low+"+"+words[k].low] {
				k++
			}
		}
		if k == j || k >= len(words) || !words[k].spaced || !words[k].nameLike() || words[k].initial {
			return j
		}
		// "Friend of Anna": a common noun does not open a name through "of".
		if words[j].low == "of" && words[i].initial && j == i+1 && isCommon(words[i].low) && !institutions[words[i].low] {
			return j
		}
		j = k + 1
	}
}

// name decides which part of the run [i, j) is a name.
func (f *finder) name(words []nameWord, i, j int, seen map[string]bool) {
	// Greetings, function words and verbs at a sentence start are no part of it.
	opened := false // words were stripped from the front, so the rest is inside a sentence
	for i < j && (words[i].strips(j-i) || opened && (foreignOpeners[words[i].low] || greetingNouns[words[i].low])) && !(givenNames[words[i].low] && seen[words[i].low]) && !f.opensName(words, i, j) {
		opened = true
		i++
		for i < j && words[i].shape == lowerCase {
			i++
		}
	}
	// Nor are words that are never names at its end: "Anna I", "Berlin Monday".
	for i < j && (words[j-1].shape == lowerCase || neverNames[words[j-1].low] && !words[j-1].possessive && j-i > 1 && !properTail[words[j-1].low]) {
		j--
	}
	if i >= j {
		return
	}
	run := words[i:j]
	if confidence := judge(run, words, i, opened, seen); confidence > 0 {
		f.add(MentionName, run[0].start, run[len(run)-1].end, confidence)
	}
}

// opensName reports whether the run [i, j) begins with a given name that is also
// an everyday word: "Hope said", "Will Turner left" and "May Chen is here", but
// not "Will Anna come?" nor "May Anna rest": after an auxiliary verb the next
// verb is not finite.
func (f *finder) opensName(words []nameWord, i, j int) bool {
	w := words[i]
	if j-i == 1 {
		return speaks(words, i)
	}
	if !w.initial || w.shape != capital || w.low != "will" && w.low != "may" || words[i+1].shape != capital || neverNames[words[i+1].low] {
		return false
	}
	if j == len(words) || !words[j].spaced {
		after := strings.TrimLeft(f.src[words[j-1].end:], " ")
		return after == "" || after[0] == '.' || after[0] == '!'
	}
	next := words[j]
	base, third := strings.CutSuffix(next.low, "s")
	return next.shape == lowerCase && (finiteVerbs[next.low] || len(next.low) > 3 && strings.HasSuffix(next.low, "ed") || third && commonWords[base])
}

// speaks reports whether a given name is followed by a verb with a person as its
// subject.
func speaks(words []nameWord, i int) bool {
	return givenNames[words[i].low] && words[i].shape == capital && i+1 < len(words) && words[i+1].spaced && spokenVerbs[words[i+1].low]
}

// strips reports whether a word at the front of a run of n is not part of a name.
func (w nameWord) strips(n int) bool {
	switch {
	case w.shape == mixedCase:
		return false
	case givenNames[w.low] && (!w.initial || w.possessive || n > 1 && !auxiliary[w.low]):
		return false
	case w.low == "may" && !w.initial && n > 1:
		return false // the month is a date, taken by another pass
	case neverNames[w.low]:
		return !(properHead[w.low] && n > 1)
	case !w.initial && !w.heading:
		// "the The Hague" keeps its article, "with Thanks Anna" is rare.
		return starters[w.low] && !(w.low == "the" && n > 1) && !(n > 1 && titleWords[w.low])
	case titleWords[w.low] && n > 1:
		return false
	}
	return starters[w.low] || foreignOpeners[w.low] && w.shape == capital || IsStopWord(w.low) || n > 1 && w.possessive && isCommon(w.low) || n > 1 && looksVerbal(w.low)
}

// judge returns the confidence that a run is a name, 0 for none.
func judge(run, words []nameWord, at int, opened bool, seen map[string]bool) float64 {
	if shouting(run) {
		return 0
	}
	first := run[0]
	if len(run) > 1 {
		return judgeMany(run, words, at, seen)
	}
	low := first.low
	switch {
	case first.shape == mixedCase:
		return .9
	case speaks(words, at):
		return .8
	case givenNames[low] && first.shape == capital && (!first.initial || opened || first.possessive || seen[low]):
		return .8
	case neverNames[low] || starters[low] || titleWords[low] || nounOnly[low] || foreignOpeners[low] && first.initial && first.shape == capital && !seen[low]:
		return 0
	case first.shape == allCaps:
		if len(low) < 2 || len(low) > 6 || plainAcronyms[low] || isCommon(low) && len(low) > 3 || IsStopWord(low) {
			return 0
		}
		return .7
	case len([]rune(low)) < 2:
		return 0
	}
	known := isCommon(low)
	if first.german && !seen[low] {
		return judgeGerman(first, words, at)
	}
	if first.initial && !opened || first.heading {
		switch {
		case seen[low]:
			return .85
		case known:
			return 0
		case first.possessive:
			return .85
		case looksDerived(low):
			return 0
		}
		return .6
	}
	if known {
		// A common word with a capital inside a sentence: a name more often than not
		// after a preposition, emphasis otherwise.
		return .6
	}
	return .9
}

func judgeMany(run, words []nameWord, at int, seen map[string]bool) float64 {
	common, caps := 0, 0
	for _, w := range run {
		if w.shape == lowerCase {
			continue
		}
		caps++
		if isCommon(w.low) && !titleWords[w.low] || neverNames[w.low] {
			common++
		}
	}
	switch {
	case caps == 1:
		return judge(run[:1], words, at, false, seen)
	case run[0].heading && common > 0:
		return 0
	case run[0].german && common == caps:
		return 0
	case common == caps:
		if run[0].initial && !institutions[run[len(run)-1].low] && !institutions[run[0].low] {
			return 0
		}
		return .75
	}
	return .95
}

// judgeGerman weighs a capitalised word where all nouns have capitals: a word
// after an article or adjective, or with a noun's ending, is a noun.
func judgeGerman(w nameWord, words []nameWord, at int) float64 {
	if isCommon(w.low) || germanNouns[w.low] || germanEnding(w.low) {
		return 0
	}
	if at == 0 || !w.spaced || w.initial {
		return .6
	}
	prev := words[at-1].low
	if germanDeterminers[prev] || len(prev) > 4 && (strings.HasSuffix(prev, "en") || strings.HasSuffix(prev, "er") || strings.HasSuffix(prev, "es")) && words[at-1].shape == lowerCase && !IsStopWord(prev) {
		return 0
	}
	return .6
}

// shouting reports whether a run is in capitals only because its surroundings are.
func shouting(run []nameWord) bool {
	caps := 0
	for _, w := range run {
		if w.shape != allCaps {
			return false
		}
		if w.shout {
			return true
		}
		if isCommon(w.low) || IsStopWord(w.low) {
			caps++
		}
	}
	return caps > 0 && len(run) > 1
}

// looksVerbal reports whether a word is a verb form that precedes a name at a
// sentence start: "Meeting Anna", "Emailed Bob".
func looksVerbal(low string) bool {
	return len(low) > 5 && (strings.HasSuffix(low, "ing") || strings.HasSuffix(low, "ed"))
}

// looksDerived reports whether a word has an ending of derived common words.
func looksDerived(low string) bool {
	if len(low) < 6 {
		return false
	}
	for _, end := range [...]string{"ing", "ed", "ly", "tion", "sion", "ness", "ment", "able", "ible", "ful", "less", "ous", "ism", "ists", "ings", "ers", "ities", "ity", "ive", "ical", "tions", "ments"} {
		if strings.HasSuffix(low, end) {
			return true
		}
	}
	return false
}

// isCommon reports whether low is a common English word, in its base form or a
// regular inflection.
func isCommon(low string) bool {
	if commonWords[low] || starters[low] || IsStopWord(low) {
		return true
	}
	for _, end := range [...]string{"s", "es", "d", "ed", "ing", "ly", "er", "y"} {
		if base, ok := strings.CutSuffix(low, end); ok && len(base) > 2 &&
			(commonWords[base] || (end == "ing" || end == "ed" || end == "er") && (commonWords[base+"e"] || undouble(base))) {
			return true
		}
	}
	if base, ok := strings.CutSuffix(low, "ies"); ok {
		return commonWords[base+"y"]
	}
	return false
}

// undouble reports whether base is a common word with its final consonant
// doubled, as in "planning".
func undouble(base string) bool {
	n := len(base)
	return n > 3 && base[n-1] == base[n-2] && commonWords[base[:n-1]]
}
