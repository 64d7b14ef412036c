package text

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Time expressions are read word by word: the lexer marks what a word may mean
// in a date, and the rules in timerules.go decide which sequences are dates.

// grain is the precision of a time expression.
type grain int

const (
	minute grain = iota
	hour
	partOfDay
	day
	weekend
	week
	fortnight
	month
	quarter
	season
	year
	decade
	century
)

type lexKind uint8

const (
	lexNone     lexKind = iota
	lexSymbol           // one character, see tok.sym
	lexDigits           // tok.n, with tok.digits characters
	lexKeyword          // a word that only the rules interpret
	lexMonth            // n = 1..12
	lexWeekday          // n = 0 (Sunday)..6
	lexUnit             // n = grain
	lexNumber           // cardinal, n
	lexOrdinal          // n
	lexRelative         // n = -1 last, 0 this, +1 next
	lexNamedDay         // today and its neighbours, n = offset in days
	lexPart             // part of day, n = index into dayParts
	lexSeason           // n = first month
	lexHoliday          // word names it
)

type lexEntry struct {
	word string // canonical, lower case
	kind lexKind
	n    int
	weak bool // also an everyday word ("may", "sat"): needs other evidence
}

// tok is one word, number or symbol with its place in the source.
type tok struct {
	lexEntry
	start, end int
	digits     int
	sym        rune
	glued      bool // no white space before it
	upper      bool // starts with a capital
	plural     bool // "Sundays", "weeks"
	initial    bool // starts a sentence
}

var lexicon = buildLexicon()

func buildLexicon() map[string]lexEntry {
	m := make(map[string]lexEntry, 300)
	add := func(kind lexKind, n int, weak bool, words string) {
		canonical := ""
		for w := range strings.FieldsSeq(words) {
			canonical = cmp.Or(canonical, w)
			m[w] = lexEntry{word: canonical, kind: kind, n: n, weak: weak}
		}
	}
	for i, w := range EnglishMonths {
		add(lexMonth, i+1, w == "may" || w == "march", w+" "+EnglishShortMonths[i])
	}
	for i, w := range []string{"sunday", "monday", "tuesday tues tue", "wednesday weds", "thursday thurs thur thu", "friday fri", "saturday"} {
		add(lexWeekday, i, false, w)
	}
	add(lexWeekday, 0, true, "sun")
	add(lexWeekday, 1, true, "mon")
	add(lexWeekday, 3, true, "wed")
	add(lexWeekday, 6, true, "sat")
	for _, u := range []struct {
		g grain
		w string
	}{{minute, "minute minutes min mins"}, {hour, "hour hours hr hrs"}, {day, "day days"}, {weekend, "weekend weekends"},
		{week, "week weeks wk wks"}, {fortnight, "fortnight fortnights"}, {month, "month months"}, {quarter, "quarter quarters"},
		{year, "year years yr yrs"}, {decade, "decade decades"}, {century, "century centuries"}} {
		add(lexUnit, int(u.g), false, u.w)
	}
	for i, w := range strings.Fields(`one two three four five six seven eight nine ten eleven twelve thirteen fourteen
		fifteen sixteen seventeen eighteen nineteen twenty`) {
		add(lexNumber, i+1, false, w)
	}
	for i, w := range strings.Fields("thirty forty fifty sixty seventy eighty ninety") {
		add(lexNumber, 30+10*i, false, w)
	}
	for i, w := range strings.Fields(`first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth
		thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth`) {
		add(lexOrdinal, i+1, false, w)
	}
	add(lexOrdinal, 30, false, "thirtieth")
	// Common time words of other languages that are not English words.
	for i, names := range GermanMonths {
		name, _, _ := strings.Cut(names, " ")
		if _, english := m[name]; !english {
			add(lexMonth, i+1, false, name)
		}
	}
	for i, w := range strings.Fields("sonntag montag dienstag mittwoch donnerstag freitag samstag") {
		add(lexWeekday, i, false, w)
	}
	for n, words := range map[int]string{-2: "vorgestern позавчера", -1: "gestern ayer вчера Вчера", 0: "heute hoy сегодня Сегодня", 1: "demain mañana завтра Завтра", 2: "übermorgen послезавтра"} {
		for w := range strings.FieldsSeq(words) {
			add(lexNamedDay, n, false, w)
		}
	}
	add(lexRelative, -1, false, "last")
	add(lexRelative, -1, false, "past")
	add(lexRelative, -1, false, "previous")
	add(lexRelative, 0, false, "this current")
	add(lexRelative, 1, false, "next")
	add(lexRelative, 1, false, "coming upcoming following")
	add(lexNamedDay, 0, false, "today")
	add(lexNamedDay, -1, false, "yesterday")
	add(lexNamedDay, 1, false, "tomorrow tmrw tmr")
	for i, w := range []string{"morning", "afternoon", "evening", "night"} {
		add(lexPart, i, false, w)
	}
	add(lexSeason, 3, true, "spring")
	add(lexSeason, 6, true, "summer")
	add(lexSeason, 9, true, "fall")
	add(lexSeason, 9, true, "autumn")
	add(lexSeason, 12, true, "winter")
	for w := range holidays {
		add(lexHoliday, 0, false, w)
	}
	for w := range strings.FieldsSeq(`the a an of in on at by to and or from since until till before after between
		through during around about circa back ago earlier later hence now within over early late mid middle beginning
		start end rest im half couple few several tonight noon midnight eve new good boxing black easter every each other
		am pm a.m p.m rd st nd th s q t o clock year's q1 q2 q3 q4 h1 h2 lunchtime weekday
		time twenties thirties forties fifties sixties seventies eighties nineties`) {
		if _, taken := m[w]; !taken {
			m[w] = lexEntry{word: w, kind: lexKeyword}
		}
	}
	return m
}

// lexTimes cuts s into tokens. Words outside the lexicon are kept as lexNone so
// that nothing matches across them.
func lexTimes(s string) []tok {
	toks := make([]tok, 0, len(s)/5+1)
	initial, gap := true, true
	var low [32]byte
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		t := tok{start: i, glued: !gap, initial: initial}
		switch {
		case unicode.IsSpace(r):
			if strings.HasPrefix(s[i:], "\n\n") { // a paragraph break ends any expression
				t.end, t.glued = i+2, false
				t.sym, t.kind = '\n', lexSymbol
				toks = append(toks, t)
			}
			initial = initial || r == '\n'
			gap = true
			i += n
			continue
		case r >= '0' && r <= '9':
			j := i
			for j < len(s) && s[j] >= '0' && s[j] <= '9' {
				if j-i < 8 {
					t.n = t.n*10 + int(s[j]-'0')
				}
				j++
			}
			t.kind, t.digits, t.end = lexDigits, j-i, j
		case unicode.IsLetter(r) || unicode.IsMark(r):
			t.end = wordEnd(s, i)
			t.upper = unicode.IsUpper(r)
			if w := s[i:t.end]; len(w) <= len(low) {
				for k := range len(w) {
					c := w[k]
					if c >= 'A' && c <= 'Z' {
						c += 'a' - 'A'
					}
					low[k] = c
				}
				t.lookUp(low[:len(w)])
			}
			if k := len(toks) - 1; t.kind == lexPart && t.plural && k >= 0 && toks[k].kind == lexRelative && !(k > 0 && toks[k-1].word == "the") {
				t.plural = false // "last nights dinner", without its apostrophe
			}
		default:
			t.kind, t.sym, t.end = lexSymbol, r, i+n
		}
		switch {
		case t.kind != lexSymbol:
			initial = false
		case r == '.' || r == '!' || r == '?' || r == ':' || r == '"' || r == '“' || r == '*' || r == '#':
			initial = true
		}
		toks = append(toks, t)
		gap = false
		i = t.end
	}
	return toks
}

// wordEnd is the end of the word of letters (and q1-style digits) at i.
func wordEnd(s string, i int) int {
	for j, r := range s[i:] {
		if unicode.IsLetter(r) || unicode.IsMark(r) {
			continue
		}
		if j == 1 && r >= '1' && r <= '4' && strings.ContainsRune("qQhH", rune(s[i])) {
			continue
		}
		return i + j
	}
	return len(s)
}

func (t *tok) lookUp(w []byte) {
	if e, ok := lexicon[string(w)]; ok {
		t.lexEntry = e
		t.plural = e.kind == lexUnit && w[len(w)-1] == 's'
		return
	}
	if len(w) > 3 && w[len(w)-1] == 's' {
		if e, ok := lexicon[string(w[:len(w)-1])]; ok && e.kind == lexNamedDay { // "todays", without its apostrophe
			t.lexEntry = e
		} else if ok && (e.kind == lexWeekday || e.kind == lexPart || e.kind == lexSeason) && len(w) > 5 {
			t.lexEntry, t.plural = e, true
		}
	}
}

// folded is the lower-case text of the token.
func (t *tok) folded(src string) string { return strings.ToLower(src[t.start:t.end]) }
