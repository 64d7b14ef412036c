package said

import "strings"

// span is a range of tokens.
type span struct{ lo, hi int }

func (s span) empty() bool { return s.hi <= s.lo }

// holds reports whether any token of the span passes a test.
func (s span) holds(test func(k int) bool) bool {
	for k := s.lo; k < s.hi; k++ {
		if test(k) {
			return true
		}
	}
	return false
}

// matcher matches one row at one place of a sentence.
type matcher struct {
	lex      *lexicon
	tokens   []token
	third    bool // verbs may be in the third person
	plural   bool // the subject is we
	elide    bool // the subject may be missing
	explicit bool // the subject may not be missing, whatever the row says

	p      *pattern
	obj    span
	ended  span
	noun   span
	value  string // canonical object of a # class
	canon  string // canonical noun of an @ class
	class  class
	verb   string // the alternative of the row that "%" stands for
	start  int    // the clause begins here
	from   int    // the row begins here
	verbAt span
	lastAt span // the last required words of the row
	flags  termFlags
	end    int
}

// Bounds of a match.
const (
	maxNoun   = 4  // words of a noun phrase
	maxInner  = 9  // words of an object that is followed by more of the row
	maxObject = 14 // words of an object at the end of a row; a longer one is no value
	nearby    = 40 // tokens within which "today" dates a clause
	window    = 16 // words after the start that must include the key of a row
)

// run matches the row p from token i on.
func (m *matcher) run(p *pattern, i int) bool {
	m.p = p
	m.obj, m.ended, m.noun, m.value, m.canon, m.class, m.flags, m.end = span{}, span{}, span{}, "", "", noClass, 0, 0
	m.verb, m.lastAt = "", span{}
	return m.step(0, i, true)
}

// word reports whether token i is the word of a row.
func (m *matcher) word(i int, word string) bool {
	t := &m.tokens[i]
	if t.word == word {
		return !t.quoted
	}
	if t.quoted || t.mark {
		return false
	}
	switch word {
	case possessiveWord:
		return m.lex.possessives[t.word]
	case subjectWord:
		return m.lex.subjects[t.word]
	}
	if m.lex.clipped[t.word] == word {
		return true
	}
	if m.plural && m.lex.plural[t.word] == word {
		return true
	}
	if m.third {
		return m.lex.third[t.word] == word
	}
	return false
}

// words returns the number of tokens from i that an alternative covers, 0 for
// none.
func (m *matcher) words(i int, seq []string) int {
	if i+len(seq) > len(m.tokens) {
		return 0
	}
	for k, w := range seq {
		if !m.word(i+k, w) {
			return 0
		}
	}
	return len(seq)
}

// step matches the elements from e on against the tokens from i on. fresh is
// true while adverbs may be skipped before the element.
func (m *matcher) step(e, i int, fresh bool) bool {
	if e == len(m.p.elements) {
		m.end = i
		return m.closes(i)
	}
	el := &m.p.elements[e]
	if el.opt && m.stepElement(e, el, i) {
		return true
	}
	if el.opt && !(m.explicit && e == 0 && el.kind == 'I') && m.step(e+1, i, fresh) {
		return true
	}
	if !el.opt && m.stepElement(e, el, i) {
		return true
	}
	if fresh && e > 0 {
		if n, s := m.lex.adverbs.at(m.tokens, i); n > 0 {
			saved := m.flags
			m.flags |= s
			if m.step(e, i+n, true) {
				return true
			}
			m.flags = saved
		}
	}
	return false
}

func (m *matcher) stepElement(e int, el *element, i int) bool {
	switch el.kind {
	case 'w':
		if i >= len(m.tokens) {
			return false
		}
		for _, alt := range el.words {
			n := m.words(i, alt)
			if n == 0 {
				continue
			}
			saved := m.verb
			savedAt, flags := m.lastAt, m.flags
			if e == m.p.verb {
				m.verb, m.verbAt = alt[0], span{i, i + n}
				if len(alt) > 1 {
					m.verb = strings.Join(alt, "_")
				}
			}
			if !el.opt {
				m.lastAt = span{i, i + n}
			} else if k, s := m.lex.adverbs.at(m.tokens, i); k == n {
				m.flags |= s
			}
			if m.step(e+1, i+n, true) {
				return true
			}
			m.verb, m.lastAt, m.flags = saved, savedAt, flags
		}
	case 'I':
		if i < len(m.tokens) && m.lex.subjects[m.tokens[i].word] && !m.tokens[i].quoted {
			if m.lex.han && i+1 < len(m.tokens) && m.tokens[i+1].word == "们" {
				i++
			}
			if m.step(e+1, i+1, true) {
				return true
			}
		}
		if e == 0 && m.p.flags&spoken == 0 && (m.elide || m.p.flags&elides != 0 && i == m.start) {
			return m.step(e+1, i, true)
		}
	case 'M':
		if i < len(m.tokens) && m.lex.possessives[m.tokens[i].word] && !m.tokens[i].quoted {
			if i++; m.lex.han {
				i = afterOwner(m.tokens, i)
			}
			saved := m.flags
			for i < len(m.tokens) && (m.lex.news[m.tokens[i].word] || m.lex.olds[m.tokens[i].word]) {
				if m.lex.news[m.tokens[i].word] {
					m.flags |= flagNew
				} else {
					m.flags |= flagEnds
				}
				i++
				if m.lex.han && i < len(m.tokens) && m.tokens[i].word == "的" {
					i++
				}
			}
			if m.step(e+1, i, false) {
				return true
			}
			m.flags = saved
		}
	case 'N':
		for n := 1; n <= m.lex.maxNoun; n++ {
			if i+n > len(m.tokens) || !m.nounWord(i+n-1) {
				return false
			}
			m.noun = span{i, i + n}
			if m.step(e+1, i+n, true) {
				return true
			}
		}
		m.noun = span{}
	case '@', '#':
		for n := m.nounLength(i); n >= 1; n-- {
			found, ok := m.nounAt(i, n, el.class)
			if !ok {
				continue
			}
			savedObj, savedNoun := m.obj, m.noun
			if el.kind == '@' {
				m.noun, m.canon, m.class = span{i, i + n}, found.canon, found.class
			} else {
				m.obj, m.value, m.class = span{i, i + n}, found.canon, found.class
			}
			if m.step(e+1, i+n, true) {
				return true
			}
			m.obj, m.noun, m.canon, m.value, m.class = savedObj, savedNoun, "", "", noClass
		}
	case 'X', 'Y', 'Z':
		set := func(s span) {
			switch el.kind {
			case 'X':
				m.obj = s
			case 'Y':
				m.ended = s
			}
		}
		if m.last(e) {
			end := m.objectEnd(i)
			if end <= i || end-i > m.lex.maxObject {
				return false
			}
			set(span{i, end})
			m.end = end
			return true
		}
		for n := 1; n <= m.lex.maxInner && i+n <= len(m.tokens); n++ {
			t := &m.tokens[i+n-1]
			if t.mark && !joinsWords(t.word) || n > 1 && m.stops(i+n-1) || !m.lex.han && !t.quoted && m.lex.subjects[t.word] {
				break
			}
			set(span{i, i + n})
			if m.step(e+1, i+n, true) {
				return true
			}
		}
		set(span{})
	}
	return false
}

// afterOwner skips the particles between 我 and the thing owned: 们, 家, 的.
func afterOwner(t []token, i int) int {
	for _, w := range [...]string{"们", "家", "那", "这", "的"} {
		if i+1 < len(t) && t[i].word == w {
			i++
		}
	}
	return i
}

// plurals are the subjects that take the plural.
var plurals = map[string]bool{"we": true, "wir": true, "nosotros": true, "nosotras": true}

// last reports whether element e is the last required one of the row.
func (m *matcher) last(e int) bool {
	for _, el := range m.p.elements[e+1:] {
		if !el.opt {
			return false
		}
	}
	return true
}

// joinsWords reports whether a mark may stand within an object.
func joinsWords(mark string) bool { return joining[mark] }

var joining = wordSet("- / & + # = 、")

// nounWord reports whether token i may be part of an open noun phrase.
func (m *matcher) nounWord(i int) bool {
	t := &m.tokens[i]
	return !t.mark && !t.quoted && !m.lex.subjects[t.word] && !m.lex.possessives[t.word] && !m.lex.articles[t.word] && t.word != "am" && t.word != "is" &&
		!m.lex.ends.in(m.tokens, i) && (m.lex.han || !m.lex.joins.in(m.tokens, i))
}

// nounLength returns the maximum number of tokens from i of a noun of the tables.
func (m *matcher) nounLength(i int) int {
	if i >= len(m.tokens) {
		return 0
	}
	word := m.tokens[i].word
	n := nounLengths[word]
	if n == 0 && len(word) > 3 && strings.HasSuffix(word, "s") {
		n = nounLengths[word[:len(word)-1]]
	}
	if isDrug(word) {
		n = max(n, 1)
	}
	return min(n, len(m.tokens)-i)
}

// nounAt returns the noun of the n tokens from i in a class.
func (m *matcher) nounAt(i, n int, c class) (noun, bool) {
	for k := i; k < i+n; k++ {
		if m.tokens[k].mark || m.tokens[k].quoted {
			return noun{}, false
		}
	}
	word := m.phrase(span{i, i + n})
	if c == drug {
		return noun{word, drug}, n == 1 && isDrug(word)
	}
	found, ok := nounOf(word, c)
	if !ok && n == 1 && len(word) > 3 && strings.HasSuffix(word, "s") {
		return nounOf(word[:len(word)-1], c)
	}
	return found, ok
}

// phrase returns the folded words of a span.
func (m *matcher) phrase(s span) string { return phraseOf(m.tokens[s.lo:s.hi]) }

func phraseOf(tokens []token) string {
	var b strings.Builder
	for k, t := range tokens {
		if k > 0 && t.word != "'s" && t.word != "的" && !(t.hi-t.lo == 3 && tokens[k-1].hi == t.lo && t.word[0] >= 0xe3) {
			b.WriteByte(' ')
		}
		b.WriteString(t.word)
	}
	return b.String()
}

// stops reports whether an object ends before token i.
func (m *matcher) stops(i int) bool {
	return m.lex.ends.in(m.tokens, i)
}

// objectEnd returns where the object that begins at i ends: at a mark, at a word
// that begins another phrase, or, for a list, after its last item.
func (m *matcher) objectEnd(i int) int {
	j := i
	for j < len(m.tokens) {
		t := &m.tokens[j]
		if t.mark && !joinsWords(t.word) {
			if t.word == "," && j > i && m.listGoesOn(j+1) {
				j++
				continue
			}
			break
		}
		if j > i && m.stops(j) {
			break
		}
		if j > i && !t.quoted {
			if n, _ := m.lex.joins.at(m.tokens, j); n > 0 && j+n < len(m.tokens) && m.beginsClause(j+n) {
				break
			}
		}
		j++
	}
	return j
}

// listGoesOn reports whether after a comma at i-1 further items of a list
// follow: a few words and another comma or "and", and no clause.
func (m *matcher) listGoesOn(i int) bool {
	items := 0
	for j := i; j < len(m.tokens) && j < i+12; j++ {
		t := &m.tokens[j]
		if n, _ := m.lex.joins.at(m.tokens, j); n > 0 && !t.quoted {
			return items > 0 && items <= 3 && j+n < len(m.tokens) && !m.beginsClause(j+n) && (m.tokens[j].word == "and" || m.tokens[j].word == "und" || m.tokens[j].word == "y" || m.tokens[j].word == "or" || m.tokens[j].word == "和")
		}
		if t.mark {
			if t.word != "," || items == 0 || items > 3 {
				return false
			}
			items = 0
			continue
		}
		if m.beginsClause(j) || m.stops(j) || items > 3 {
			return false
		}
		items++
	}
	return false
}

// beginsClause reports whether a clause of its own seems to begin at i.
func (m *matcher) beginsClause(i int) bool {
	t := &m.tokens[i]
	if t.quoted || t.mark {
		return false
	}
	if m.lex.subjects[t.word] || m.lex.possessives[t.word] || m.lex.pronouns[t.word] || m.lex.her[t.word] || m.lex.asks.in(m.tokens, i) || m.lex.adverbs.in(m.tokens, i) {
		return true
	}
	_, verb := m.lex.index[t.word]
	if first := m.lex.third[t.word]; !verb && m.third && m.p.flags&preference == 0 && i+1 < len(m.tokens) && !m.tokens[i+1].mark {
		_, verb = m.lex.index[first] // "lives in Emden and works with wood"
		verb = verb && !weak[first]
	}
	return verb && !weak[t.word] && !m.lex.articles[t.word] && !m.lex.prefixes[t.word]
}

// closes reports whether a row that ends before token i ends at a boundary, so
// that it does not cut a phrase.
func (m *matcher) closes(i int) bool {
	if m.last(len(m.p.elements)-1) && len(m.p.elements) > 0 {
		for i < len(m.tokens) {
			t := &m.tokens[i]
			if m.lex.of == "von" && (t.word == "das" || m.lex.pronouns[t.word]) { // dictated: "… allergisch das weiß er"
				return true
			}
			if t.mark || m.stops(i) || m.lex.prefixes[t.word] || m.lex.subjects[t.word] || m.lex.joins.in(m.tokens, i) {
				return true
			}
			n, s := m.lex.trails.at(m.tokens, i)
			if n == 0 {
				n, s = m.lex.adverbs.at(m.tokens, i)
			}
			if n == 0 {
				return false
			}
			m.flags |= s
			i += n
		}
	}
	return true
}

// capitals reports whether a sentence has no capitals, or only those that a phone sets: of the
// first word and of "I". Where somebody writes "i", that of the first word says nothing.
func (r *reader) capitals(t []token) (lower, phone bool) {
	small, first, others := false, false, false
	for k, w := range t {
		own, capital := w.word == "i" && r.lex.of == "of", w.upper && (w.word[0] < '0' || w.word[0] > '9')
		small = small || own && !capital
		first = first || capital && (k == 0 || own)
		others = others || capital && k > 0 && !own
	}
	return !others && (!first || small), !others
}

// cutOf returns where a sentence that is too long is cut: after its last comma or the like, else
// before its last conjunction, else at its end. Chinese and dictation have few other marks.
func cutOf(t []token) int {
	cut := len(t)
	for i := len(t) - 1; i > len(t)/2; i-- {
		if t[i].mark && !joinsWords(t[i].word) && t[i].word != hiddenWord {
			return i + 1
		} else if cut == len(t) && conjunctions[t[i].word] {
			cut = i
		}
	}
	return cut
}

var conjunctions = wordSet("and but so because und aber weil y pero porque")
