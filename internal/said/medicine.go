package said

import (
	"regexp"
	"slices"
	"strings"
)

// mayBeTheirs reports whether a match without I or my may be no statement about the writer: the
// message mentions somebody else up to it ("Dad was discharged. Candesartan 16 now."), or it is
// joined to another clause.
func (r *reader) mayBeTheirs() bool {
	m := &r.m
	if slices.ContainsFunc(m.tokens[m.from:m.end], func(t token) bool { return m.lex.subjects[t.word] || m.lex.possessives[t.word] || selves[t.word] }) {
		return false
	}
	if m.p.flags&denied != 0 && m.from > 0 && m.lex.joins.in(m.tokens, m.from-1) {
		return true // "I could taper and stop the ramipril"
	}
	return slices.ContainsFunc(r.before, func(s sentence) bool { return r.mentionsOthers(s.tokens) }) || r.mentionsOthers(m.tokens[:m.from]) || r.mentionsOthers(m.tokens[m.end:])
}

// selves are words for the writer beside the subjects and possessives.
var selves = wordSet("me us myself mir mich uns")

// mentionsOthers reports whether tokens mention a person or an animal, but for those who treat
// the writer.
func (r *reader) mentionsOthers(t []token) bool {
	m := matcher{lex: r.lex, tokens: t}
	for i := range t {
		w := &t[i]
		if found, n := m.somebodyAt(i); n > 0 && !treats[found.canon] && w.word != "frau" || thirdPersons[w.word] {
			return true
		}
		if w.word == "'s" && i > 0 && t[i-1].upper && !r.lex.known[t[i-1].word] && nouns[t[i-1].word] == nil && !isDrug(t[i-1].word) { // "Nuala's husband"
			return true
		}
		if _, n := r.knownAt(t, i); n > 0 {
			return true
		}
	}
	return false
}

// uncertain returns the tokens that may make the claim of a clause uncertain: those of the clause,
// and of the whole sentence for a row marked own ("if it stays high, ramipril goes up to 10"), but
// not the order to stop a medicine itself ("das Ramipril soll ich absetzen").
func (r *reader) uncertain(t []token, at, next int, claimed bool) []token {
	switch m := &r.m; {
	case !claimed || m.p.flags&own == 0:
		return t[at:next]
	case m.p.flags&denied != 0:
		return slices.Concat(t[:max(at, m.from)], t[min(m.end, next):])
	}
	return t
}

var (
	treats       = wordSet("doctor dentist therapist physiotherapist optician")
	thirdPersons = wordSet("he she him her his hers er ihm ihn sein seine seinen él ella 他 她")
)

// prescribed returns the claim about a dose in the words of somebody who treats the writer, of a row
// marked own: "Dr Hale says ramipril 5 from now on".
func (r *reader) prescribed(s sentence, t []token, i int, before termFlags) (c Claim, end int, ok bool) {
	at := r.prescribedAt(t, i)
	if at == 0 {
		return Claim{}, 0, false
	}
	c, end, ok = r.claimAt(s, t, at, before, "", at)
	return c, end, ok && r.m.p.flags&own != 0 && strings.HasSuffix(c.Predicate, "dose")
}

// prescribedAt returns where the words of somebody who may treat the writer begin, in the clause
// that begins at token i: after "Dr Hale says". 0 for none.
func (r *reader) prescribedAt(t []token, i int) int {
	m := matcher{lex: r.lex, tokens: t}
	treated := false
	for j := i; j < min(i+6, len(t)-1) && !t[j].mark; j++ {
		found, n := m.somebodyAt(j)
		switch {
		case r.lex.reports.in(t, j):
			name := j > i && t[j-1].upper && !r.lex.han && !r.lex.known[t[j-1].word] && nouns[t[j-1].word] == nil && !sources[t[j-1].word]
			if !treated && !name {
				return 0
			}
			return j + 1
		case n > 0:
			treated = treats[found.canon]
		default:
			treated = treated || medics[t[j].word]
		}
	}
	return 0
}

// medics are further words for those who treat people.
var medics = wordSet("doc consultant cardiologist neurologist dermatologist diabetologist surgeon nurse pharmacist hospital clinic surgery kardiologe kardiologin neurologe neurologin internist internistin apotheker apothekerin klinik krankenhaus cardiólogo cardióloga neurólogo neuróloga enfermero enfermera farmacéutico farmacéutica 大夫 药师")

// sources say something and treat no patient.
var sources = wordSet("google internet reddit wikipedia chatgpt claude siri alexa nhs packungsbeilage beipackzettel prospecto")

// dose reports whether an object is a dose: one number, of which the unit and when it is taken
// follow, as in "5 mg at night".
func (v *value) dose() bool {
	at, numbers := -1, 0
	for k := v.obj.lo; k < v.obj.hi; k++ {
		if w := v.t[k].word; w[0] >= '0' && w[0] <= '9' {
			at, numbers = k, numbers+1
		}
	}
	if numbers != 1 || at > v.obj.lo+1 || v.m.end < len(v.t) && copulas[v.t[v.m.end].word] { // "ramipril 5 is making me cough"
		return false
	}
	v.claim.Object = dose.FindString(v.t[at].word)
	for k := at + 1; k < v.obj.hi; k++ {
		if w := v.t[k].word; k > at+1 || !doseUnits[w] {
			return v.lex.prefixes[w] || v.lex.articles[w] || v.lex.timely[w]
		}
	}
	return true
}

// dose matches the number of a dose, which may stand with its unit: "20mg".
var dose = regexp.MustCompile(`^\d+(?:[.,]\d+)?`)

var copulas = wordSet("am is are was were ist sind war es son")

var doseUnits = wordSet("mg mcg g ml milligrams milligram micrograms units unit")
