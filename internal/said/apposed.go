package said

import (
	"slices"
	"strings"
)

// apposed returns the claims in names that a sentence gives people and animals in
// passing: "my boss Gail Strombeck just walked by", "I have to ring Ferruz, my
// dentist". Their clause may be of any form. There are none in Chinese, which marks
// names by nothing, nor for a single word after a German noun, which may be a noun, nor
// in questions, which make no line of what the user said.
func (r *reader) apposed(s sentence, known []Claim) (out []Claim) {
	lex, t := r.lex, s.tokens
	if lex.han || r.reported || s.question || anyPhrase(lex.blocksAll, t) {
		return nil
	}
	r.m = matcher{lex: lex, tokens: t}
	r.lower = false
	for i := range t {
		if !lex.possessives[t[i].word] || t[i].quoted {
			continue
		}
		noun, isNew := i+1, false
		for noun < len(t) && (lex.news[t[noun].word] || ranks[t[noun].word]) {
			isNew = isNew || lex.news[t[noun].word]
			noun++
		}
		canon, class, n := r.bearerAt(noun)
		if n == 0 || t[noun].upper && lex.of != "von" {
			continue
		}
		name := r.nameFrom(noun + n)
		if lex.of == "von" && name.hi-name.lo < 2 {
			name = span{}
		}
		if after := noun + n; name.empty() && (after == len(t) || t[after].mark) {
			name = r.nameBefore(i)
		}
		if name.empty() {
			continue
		}
		c := Claim{
			Sentence: strings.TrimSpace(r.text[s.lo:s.hi]), Subject: "I", Predicate: strings.ReplaceAll(canon, " ", "_"), Object: r.textOf(name),
			Temporal: State, Functional: single[canon], Change: isNew && class == role,
		}
		if !slices.ContainsFunc(append(known, out...), func(k Claim) bool { return k.Predicate == c.Predicate || k.Object == c.Object }) {
			out = append(out, c)
		}
	}
	return out
}

// ranks are words between "my" and a relative that do not tell one from another.
var ranks = wordSet("older younger elder big little twin best mayor menor pequeño pequeña großer große kleiner kleine ältere älterer jüngere jüngerer beste bester mejor")

// bearerAt returns the canonical name and the class of the person or animal at token i,
// and the number of its tokens, 0 for none. Friends and colleagues are left out: there
// are many, and what is said of one in passing is of the day.
func (r *reader) bearerAt(i int) (canon string, c class, n int) {
	for n := r.m.nounLength(i); n >= 1; n-- {
		if found, ok := r.m.nounAt(i, n, role|kin|pet); ok && found.canon != "family" {
			return found.canon, found.class, n
		}
	}
	return "", noClass, 0
}

// maxName is the maximum number of words of a name.
const maxName = 3

// nameFrom returns the name that begins at token i, empty for none.
func (r *reader) nameFrom(i int) span {
	j := i
	for j < len(r.m.tokens) && j-i < maxName && r.namesAt(j) {
		j++
	}
	if j < len(r.m.tokens) && r.m.tokens[j].upper {
		return span{} // the name of something else: "my sister Noor's Mazda CX 5"
	}
	return span{i, j}
}

// nameBefore returns the name between the beginning of a clause and the comma before
// token i, empty for none.
func (r *reader) nameBefore(i int) span {
	if i < 2 || r.m.tokens[i-1].word != "," {
		return span{}
	}
	j := i - 1
	for j > 0 && i-1-j < maxName && r.namesAt(j-1) {
		j--
	}
	if j == i-1 || j > 0 && r.m.tokens[j-1].upper {
		return span{}
	}
	if j == 0 && i-1-j < 2 {
		return span{} // any word may stand first: "Yesterday, my boss, …", "Sam, my sister …"
	}
	return span{j, i - 1}
}

// namesAt reports whether token i may be a word of a person's name.
func (r *reader) namesAt(i int) bool {
	t := &r.m.tokens[i]
	written := r.text[t.lo:t.hi]
	if !t.upper || t.mark || t.quoted || len(t.word) < 2 || r.lex.known[t.word] || r.lex.subjects[t.word] || months[t.word] || written == strings.ToUpper(written) {
		return false
	}
	return !r.dayAt(r.m.tokens, i) && r.proper(span{i, i + 1})
}
