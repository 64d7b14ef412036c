package recall

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/recall/lexicon"
)

// crowd is how many speakers a memory has at least in which names work differently: in
// a conversation of two, a name in a question means turns of its bearer. Among the
// messages of one person with many, it also means what was said to or about the bearer.
const crowd = 4

// crowded reports whether a memory has many speakers.
func (ix *index) crowded() bool {
	n := len(ix.speakers)
	if n > 0 && slices.Contains(ix.speakers, "") {
		n--
	}
	return n >= crowd
}

// callSpeakers finds the speakers that a question names, by their stored name or one that
// others use, and returns the terms that are no search words because they name them.
func (ix *index) callSpeakers(q *question, asked string) (called map[string]bool) {
	called = make(map[string]bool)
	held := make(map[uint16]int) // how many terms of their names
	for i, t := range q.terms {
		if !slices.Contains(q.terms[:i], t) {
			for _, s := range ix.named[t] {
				held[s]++
			}
		}
	}
	for _, t := range q.terms {
		most := 0 // of several Chens, "Chen Jie" names one
		for _, s := range ix.named[t] {
			most = max(most, held[s])
		}
		for _, s := range ix.named[t] {
			called[t] = true
			if held[s] == most {
				q.speakers.add(s)
			}
		}
	}
	for _, m := range text.Mentions(asked) {
		if m.Type != text.MentionName {
			continue
		}
		q.names = append(q.names, m.Text)
		for _, t := range text.Terms(m.Text) {
			if s, ok := ix.addressed(t); ok && !called[t] {
				q.speakers.add(s)
				called[t] = true
			}
		}
	}
	if q.crowded = ix.crowded(); q.crowded {
		return ix.setOwnerAside(q)
	}
	return called
}

// setOwnerAside stops a question from naming the speaker who says most of a crowded
// memory, if it names others too: that speaker is part of all that is said in it. It
// returns the terms of that speaker's name that are no part of the others'; the names of
// the others stay words, since they are addressed and spoken of.
func (ix *index) setOwnerAside(q *question) (called map[string]bool) {
	owner, said := uint16(0), 0
	for s, n := range ix.turns {
		if said += n; n > ix.turns[owner] {
			owner = uint16(s)
		}
	}
	if 2*ix.turns[owner] <= said || ix.speakers[owner] == "" || !q.speakers.has(owner) {
		return nil
	}
	called = make(map[string]bool)
	for term := range strings.FieldsSeq(ix.speakers[owner]) {
		called[term] = true
	}
	if len(q.speakers) == 1 {
		return called
	}
	q.speakers = slices.DeleteFunc(q.speakers, func(s uint16) bool { return s == owner })
	for _, s := range q.speakers {
		for term := range strings.FieldsSeq(ix.speakers[s]) {
			delete(called, term)
		}
	}
	return called
}

// beside reports whether, in a crowded memory, a speaker that the question names says
// one of the turns near a document.
func (ix *index) beside(q *question, near ...[window]int32) bool {
	if !q.crowded || len(q.speakers) == 0 {
		return false
	}
	for _, near := range near {
		for _, n := range near {
			if n >= 0 && q.speakers.has(ix.meta[n].speaker) {
				return true
			}
		}
	}
	return false
}

// speakers are a few speakers, by number.
type speakers []uint16

func (s speakers) has(speaker uint16) bool { return slices.Contains(s, speaker) }

func (s *speakers) add(speaker uint16) {
	if !s.has(speaker) {
		*s = append(*s, speaker)
	}
}

// inFirstPerson replaces the names of speakers in a question by the pronoun that these
// speakers use: "What did Ada's sister buy?" is answered by "my sister bought", which an
// encoder places near "What did my sister buy?". In turns the name itself stands for
// others than the one who speaks. A question of nothing but names is returned as it is.
func (ix *index) inFirstPerson(asked string) string {
	q := &question{terms: text.Terms(asked)}
	called := ix.callSpeakers(q, asked)
	for t := range called {
		if roleName[t] {
			delete(called, t)
		}
	}
	if len(called) == 0 || !slices.ContainsFunc(q.terms, func(t string) bool { return !called[t] && !text.IsStopWord(t) }) {
		return asked
	}
	var out strings.Builder
	from := 0
	for _, n := range namesAt(asked, called) {
		out.WriteString(asked[from:n.start])
		out.WriteString(n.pronoun(q))
		from = n.end
	}
	out.WriteString(asked[from:])
	return strings.TrimSpace(out.String())
}

// nameAt is a name in a question.
type nameAt struct {
	start, end int
	owns       bool // "Ada's"
	han        bool
}

// namesAt finds the names that consist of some terms.
func namesAt(asked string, terms map[string]bool) (names []nameAt) {
	add := func(n nameAt) {
		if last := len(names) - 1; last >= 0 && (n.start <= names[last].end || strings.TrimSpace(asked[names[last].end:n.start]) == "") {
			names[last].end, names[last].owns = n.end, n.owns
			return
		}
		names = append(names, n)
	}
	for i := 0; i < len(asked); {
		first, size := utf8.DecodeRuneInString(asked[i:])
		switch {
		case lexicon.IsUnspaced(asked[i:]):
			_, next := utf8.DecodeRuneInString(asked[i+size:])
			if pair := asked[i : i+size+next]; terms[pair] {
				add(nameAt{start: i, end: i + len(pair), han: unicode.Is(unicode.Han, first)})
			}
			i += size
		case unicode.IsLetter(first) || unicode.IsDigit(first):
			end := i + strings.IndexFunc(asked[i:]+" ", endsWord)
			word := asked[i:end]
			if t := text.Terms(word); len(t) == 1 && terms[t[0]] {
				add(nameAt{start: i, end: end, owns: strings.ContainsAny(word, "'’")})
			}
			i = end
		default:
			i += size
		}
	}
	return names
}

func endsWord(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && r != '\'' && r != '’'
}

// pronoun stands for the name in the language of the question, as far as that is known.
func (n *nameAt) pronoun(q *question) string {
	switch {
	case n.han:
		return "我"
	case !slices.ContainsFunc(q.terms, func(t string) bool { return englishWord[t] }):
		return ""
	case n.owns:
		return "my"
	}
	return "I"
}

// englishWord holds words that tell an English question from others.
var englishWord = text.TermsOf("what who when where which how why did does is were the of")
