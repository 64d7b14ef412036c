package grounding

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/ebbmem/ebb/internal/prefilter"
	"github.com/ebbmem/ebb/internal/text"
)

// Part returns what of a statement of the same speaker, made before, no longer holds, and
// whether anything does not: the clauses about the thing as a whole, as theirs, that say how things
// are, not what happened. The part is "" for all of the statement, and the old time alone if the
// ending only moves an appointment.
func (e *Ending) Part(old string, said, ended time.Time) (part string, ends bool) {
	sentences, over := text.Sentences(text.Line(old)), 0
	for _, sentence := range sentences {
		of, is := e.partOf(sentence, said, ended)
		if !is {
			continue
		}
		if over++; part == "" {
			part = of
		}
	}
	if over == 0 || e.statedBy(old) {
		return "", false
	}
	if over == len(sentences) && slices.Contains(sentences, part) {
		part = ""
	}
	return part, true
}

// partOf is [Ending.Part] of one sentence, which is returned if all of it is over.
func (e *Ending) partOf(sentence string, said, ended time.Time) (part string, ends bool) {
	if !states(sentence) {
		return "", false
	}
	holds := false // another clause
	for _, clause := range clausesOf(sentence) {
		switch {
		case e.endsClause(clause, sentence, said, ended):
			if !ends {
				part, ends = clause, true
			}
		case says(clause):
			holds = true
		}
	}
	switch {
	case !ends:
		return "", false
	case e.moved:
		return when(part, said), true
	case !holds:
		return sentence, true
	}
	return part, true
}

func (e *Ending) endsClause(clause, sentence string, said, ended time.Time) bool {
	rests := e.rests
	if hasHan(clause) || hasHan(e.keys[0]) {
		rests = e.restsHan
	}
	if e.moved || e.trip || e.once {
		sentence = clause // the time must be the thing's
	}
	return !related.MatchString(clause) && !e.remains(clause) && rests(clause) && !ofThePast(clause, said) && e.holdsUntil(sentence, said, ended)
}

// clauseStart matches what separates two clauses, of which the second has its own subject.
var clauseStart = regexp.MustCompile(`(?i)[,;:()–—，；：。！]+ ?| -+ | (?:and|but|so|or|und|aber|oder|y|e|pero) (?:i|we|he|she|they|it|there|if|then|the|my|our|his|her|ich|wir|er|sie|es|der|die|das|mein\pL*|unser\pL*|yo|el|la|los|las|mi|mis|soy|estoy|tengo|no)\b` +
	`| (?:because|if|when|while|who|which|although|though|weil|denn|wenn|falls|obwohl|dass|porque|cuando|aunque)\b`)

var (
	joined = regexp.MustCompile(`(?i)^(?:and|but|so|or|und|aber|y|e|pero) `)
	// related matches clauses that state nothing, or of somebody else.
	related = regexp.MustCompile(`(?i)^(?:if|who|which|wenn|falls) `)
)

// clausesOf returns the clauses of a sentence, verbatim.
func clausesOf(sentence string) (all []string) {
	from := 0
	add := func(to int) {
		if clause := strings.Trim(sentence[from:to], " ,;:.!…，；：。！()–—"); clause != "" {
			all = append(all, joined.ReplaceAllString(clause, ""))
		}
	}
	for _, at := range clauseStart.FindAllStringIndex(sentence, -1) {
		add(at[0])
		if from = at[1]; unicode.IsLetter(rune(sentence[at[1]-1])) { // the words belong to the second clause
			from = at[0] + 1
		}
	}
	add(len(sentence))
	return all
}

// says reports whether a clause states something by itself, unlike "by the abbey".
func says(clause string) bool {
	return hasHan(clause) && utf8.RuneCountInString(clause) > 2 || stands.MatchString(clause) || happened.MatchString(clause) ||
		slices.ContainsFunc(tokens.FindAllString(clause, -1), func(w string) bool {
			return speakers[text.Fold(w)] || denying[text.Fold(w)] || w == "soy" || w == "somos"
		})
}

// SaysMore reports whether a text states something beside a part of it.
func SaysMore(s, part string) bool {
	return slices.ContainsFunc(text.Sentences(text.Line(s)), func(sentence string) bool {
		return slices.ContainsFunc(clausesOf(sentence), func(clause string) bool { return !strings.Contains(part, clause) && says(clause) })
	})
}

// year matches a year that is not the beginning of something.
var year = regexp.MustCompile(`(?i)(?:(?:since|seit|desde|from|ab) |[自从])?((?:19|20)\d\d)`)

// ofThePast reports whether a clause names a year before it was said.
func ofThePast(clause string, said time.Time) bool {
	return slices.ContainsFunc(year.FindAllStringSubmatch(clause, -1), func(m []string) bool {
		of, _ := strconv.Atoi(m[1])
		return m[0] == m[1] && of < said.Year()
	})
}

// when returns the time that a clause names, or the clause if it names several apart.
func when(clause string, said time.Time) string {
	times := clock.FindAllStringIndex(clause, -1)
	for _, s := range text.TimeSpans(clause, said) {
		times = append(times, []int{s.Offset, s.Offset + len(s.Text)})
	}
	if len(times) == 0 {
		return clause
	}
	slices.SortFunc(times, func(a, b []int) int { return a[0] - b[0] })
	from, to := times[0][0], times[0][1]
	for _, at := range times {
		if at[0] > to && utf8.RuneCountInString(clause[to:at[0]]) > mostApart {
			return clause
		}
		to = max(to, at[1])
	}
	return clause[from:to]
}

// mostApart is how many characters may separate a day and an hour: " at ".
const mostApart = 4

// Deaths. What somebody who died was the subject of, or what one did with them, is over; what
// one owes them, has of them or heard from them is not.
var (
	deathsEN = prefilter.New(`\b(?:dead|died|passed away)\b`)
	deathsDE = prefilter.New(`\b(?:gestorben|verstorben|tot)\b`)
	deathsES = prefilter.New(`\b(?:muert[oa]|murio|fallecio|fallecid[oa])\b`)
	deathsZH = prefilter.New(`去世`)

	presentEN = regexp.MustCompile(`^\pL*s$`)
	presentDE = regexp.MustCompile(`^\pL+t$`)
	presentES = regexp.MustCompile(`^\pL*(?:a|e|es)$`)
	presentZH = regexp.MustCompile(`^(?:每|周|星期|来|是我|住|在|管|带|教|帮|负责|常|平时|现在)`)

	// opinions are verbs in the present of what does not end with their subject.
	opinions = text.WordSet("says thinks reckons knows owes claims was has his hers sagt meint weisst schuldet findet glaubt denkt hat dice cree piensa sabe debe tiene de la le")
	// between stand between a subject and its verb.
	between = text.WordSet("still always usually also only now often mostly me nos se siempre todavia ya")
	// meets are what one does with somebody.
	meets = text.WordSet(`visit see meet ring call phone fetch collect drive walk feed play sing train work live go dinner lunch coffee tea share
		besuche besuchen treffe treffen sehe fahre hole spiele singe wohne gehe arbeite futtere
		visito veo vivo trabajo juego canto voy quedo como paseo`)
)

// setName sets the name of somebody who died: a name or a relative. s is the thing.
func (e *Ending) setName(s, clause string, f flags) {
	words := strings.Fields(s)
	present := presentOf(clause)
	if len(words) == 0 || present == nil {
		return
	}
	name := words[len(words)-1]
	if f&first != 0 && !definites[text.Fold(words[0])] {
		name = words[0]
	}
	named := (len(words) == 1 || unicode.IsUpper([]rune(name)[0])) && !(f&noun != 0 && definites[text.Fold(words[0])])
	if name = text.Fold(name); named || persons[name] {
		e.name, e.present = name, present
	}
}

// presentOf returns what matches verbs in the present of the language in which a text says that somebody
// died, nil if it does not.
func presentOf(s string) *regexp.Regexp {
	switch folded := text.Fold(s); {
	case deathsEN.MatchString(folded):
		return presentEN
	case deathsDE.MatchString(folded):
		return presentDE
	case deathsES.MatchString(folded):
		return presentES
	}
	return nil
}

// Outlives reports whether a later text says that somebody died and an earlier one that names them
// holds as before. thing are the terms of the name, as of [Changed].
func Outlives(old, later string, thing []string) bool {
	present := presentOf(later)
	if present == nil {
		return false
	}
	named := false
	for _, sentence := range text.Sentences(text.Line(old)) {
		for _, clause := range clausesOf(sentence) {
			raw := tokens.FindAllString(clause, -1)
			at := slices.IndexFunc(raw, func(w string) bool { return strings.Join(text.Terms(w), " ") == thing[len(thing)-1] })
			if at < 0 {
				continue
			}
			folded := make([]string, len(raw))
			for i, w := range raw {
				folded[i] = text.Fold(w)
			}
			if !unicode.IsUpper([]rune(raw[at])[0]) && at > 0 && (mines[folded[at-1]] || determiners[folded[at-1]]) && !persons[folded[at]] {
				return false // the dog
			}
			e := Ending{name: folded[at], present: present}
			if named = true; e.needs(folded, at) && !e.remains(clause) {
				return false
			}
		}
	}
	return named
}

// needs reports whether a clause needs somebody in the present: they are its subject, before a
// verb in the present, or the speaker's company. head is their place among its folded words.
func (e *Ending) needs(folded []string, head int) bool {
	if folded[head] != e.name {
		return false // a genitive
	}
	subject := !slices.ContainsFunc(folded[:head], func(w string) bool { return !mines[w] && !persons[w] && !plain[w] })
	if next := head + 1; subject {
		for next < len(folded) && between[folded[next]] {
			next++
		}
		if next+1 < len(folded) && folded[next] == "s" { // "Pat's our sweep", not "Pat's number"
			after := folded[next+1]
			return mines[after] || determiners[after] || joiners[after] || strings.HasSuffix(after, "ing")
		}
		return next < len(folded) && e.present.MatchString(folded[next]) && !opinions[folded[next]]
	}
	for i := head - 1; i >= 0; i-- {
		switch w := folded[i]; {
		case meets[w]:
			return i == 0 || speakers[folded[i-1]] || slices.ContainsFunc(folded[:i], func(w string) bool { return speakers[w] })
		case !joiners[w] && w != "mit" && w != "con" && w != "bei" && !mines[w] && !determiners[w] && !persons[w] && !strings.HasSuffix(w, "ing"):
			return false
		}
	}
	return false
}

// Moves reports whether a text says that the time of an appointment changed: "they've moved it to the
// 20th", "lo pasaron pa'l jueves", "Termin verschoben auf Freitag", "改到周五".
func Moves(s string) bool {
	for _, m := range movedTo.FindAllStringIndex(s, -1) {
		if at := clock.FindStringIndex(s[m[1]:]); at != nil && at[0] == 0 {
			return true
		}
	}
	return movedOf.MatchString(s) && timed(s)
}

const beforeTime = `(?:(?:the|next|this|early|late|half|a|el|la|los|las|l|den|dem|die|nächste[nr]?|kommende[nr]?|próxim[oa]|kw) )*`

var (
	movedTo = regexp.MustCompile(`(?i)\b(?:mov(?:ed|ing)|reschedul(?:ed|ing)|rebooked|postponed|pushed|put|brought|shifted|delayed|changed|switched|bumped) (?:[\pL'’]+ ){0,4}?(?:to|until|till?|for) ` + beforeTime +
		`|\b(?:pas|mov|cambi|aplaz|pospus|adelant|retras|recorr|reagend|reprogram)(?:é|ó|aron|ieron|amos|imos|ad[oa]s?|id[oa]s?|o|ieron) (?:[\pL]+ ){0,4}?(?:al?|para|pa|hasta|pa['’]?l|pal) ` + beforeTime)
	movedOf = regexp.MustCompile(`(?i)\b(?:verlegt|verschoben|vorgezogen|umgebucht)\b|(?:改|推迟|提前|挪|延|调|换)[到成为至在]`)
)

// MovedPart returns the time of an earlier text that says when something is, which a later one
// moves, "" if it names none.
func MovedPart(old string, said time.Time) string {
	for _, sentence := range text.Sentences(text.Line(old)) {
		for _, clause := range clausesOf(sentence) {
			if of := when(clause, said); of != clause || timed(clause) {
				return of
			}
		}
	}
	return ""
}

// isOwner reports whether the "s" before a word is a genitive: "my caravan's number", not "my
// caravan's in Whitby".
func isOwner(next string) bool {
	return !mines[next] && !determiners[next] && !joiners[next] && !text.IsStopWord(next) && !strings.HasSuffix(next, "ing") && !strings.HasSuffix(next, "ed")
}
