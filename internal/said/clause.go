package said

import (
	"slices"
	"strings"
)

// reader reads the claims of one text.
type reader struct {
	text      string
	lex       *lexicon
	reported  bool   // written by somebody else: third-person forms, the subject may be missing
	lower     bool   // the writer uses no capitals
	phone     bool   // only those that a phone sets: "My name is ana"
	long      bool   // a long message: only rows marked clear count
	speaker   string // the subject of the last clause: "I", "my sister", or ""
	person    person // the last person of the writer's that a clause was about
	others    sex    // what the people mentioned since then may be
	personEnd int
	known     []Person
	before    []sentence // those before this one
	met       []Claim    // in the names of the people that clauses are about
	named     Claim      // the last one in the sentence
	m         matcher
}

// read returns the claims of a sentence.
func (r *reader) read(s sentence) []Claim {
	lex := r.lex
	tokens := s.tokens
	blocked := anyPhrase(lex.blocksAll, tokens)
	limit := len(tokens)
	r.lower, r.phone = r.capitals(tokens)
	asked := anyPhrase(lex.keeps, tokens) // "can you remember that I'm vegan?" is no question
	if asked && tokens[limit-1].word == "吗" {
		limit--
	}
	if s.question && !asked {
		if limit = r.questionAt(tokens); s.unmarked && limit > 0 && beforeQuestion(r.text[s.lo:s.hi]) == "" {
			limit = 0 // each of its clauses asks: 婚戒改成几号的 哪家改的
		}
		out := r.wishOf(s, blocked)
		if limit == 0 || len(out) > 0 {
			if !blocked {
				out = append(out, r.reasonsIn(s, 0)...)
			}
			return out
		}
	}
	limit = r.reportAt(tokens, limit)
	var out []Claim
	hedged, asks := false, false
	r.speaker, r.personEnd = "", 0
	if r.reported {
		r.speaker = "I"
	}
	last, own := 0, true // where the clause before begins, and whether it is about the writer
	for at := 0; at < limit; {
		if tokens[at].mark {
			at++
			continue
		}
		next := r.nextClause(tokens, at+1, limit)
		start, before := r.openings(tokens, at, limit)
		if start >= limit {
			break
		}
		opened := start - at
		tokens = r.verbSecond(tokens, start, opened > 1)
		if lex.asks.in(tokens, start) && before&(flagPlease|flagAlways|flagNot) == 0 && !r.reported {
			if tokens[start].word != "when" && tokens[start].word != "where" { // "…, when I am at work"
				asks = true
			}
			at = r.nextMark(tokens, start, limit)
			continue
		}
		elided, begin := r.elidesAt(tokens, at, start), start
		switch {
		case r.reported && elided != "I",
			lex.joins.in(tokens, at) && r.speaker == "" && !lex.han, // "My doc up and retired": the subject is not the writer
			strings.HasPrefix(elided, "my "),                        // what follows is about that person
			r.mayBeOthers(tokens[min(last, start):start+1], own):
			begin = -1
		}
		claim, end, ok := r.prescribed(s, tokens[:limit], start, before)
		if !ok {
			claim, end, ok = r.claimAt(s, tokens[:limit], start, before, elided, begin)
		}
		if !ok && start > at && before&(flagPlease|flagAlways|flagNew|flagNot) != 0 {
			// Rows may begin with openers themselves: "always …", "no como …".
			for from := at; from < start && !ok; from++ {
				claim, end, ok = r.claimAt(s, tokens[:limit], from, 0, elided, from)
				ok = ok && (claim.Wish || before&flagNot != 0)
			}
		}
		if !ok && lex.prefixes[tokens[start].word] {
			for j := start + 1; j < min(start+8, limit) && !ok; j++ {
				if tokens[j].mark {
					if tokens[j].word == "," && j+1 < limit {
						continue
					}
					break
				}
				if n, s := lex.blocks.at(tokens, j); n > 0 && s == 0 || lex.pronouns[tokens[j].word] && !r.reported {
					break
				}
				if word := tokens[j].word; !lex.subjects[word] && !lex.possessives[word] && (lex.han || lex.index[word] == nil && lex.clipped[word] == "" && lex.plural[word] == "" && lex.third[word] == "") {
					if _, n := r.knownAt(tokens, j); n == 0 {
						continue
					}
				}
				claim, end, ok = r.claimAt(s, tokens[:limit], j, before|lex.flagsIn(tokens[start:j]), "", -1)
				if ok {
					start = j
				}
			}
		}
		if ok {
			next = r.nextClause(tokens, max(end, start+1), limit)
			said := r.rangeOf(tokens[at:next])
			claim.Functional = claim.Functional && (claim.Change || !onDays[claim.Predicate] || !inPart.MatchString(said) && !momentary.MatchString(said))
			ok = claim.Predicate != "from" && claim.Predicate != "partner" || !momentary.MatchString(said) && !travels.MatchString(r.rangeOf(tokens[:limit]))
		}
		doubt := hedged && !claim.Wish || r.blockedIn(r.uncertain(tokens[:limit], at, next, ok), opened, claim) || ok && !lasting(claim) && anyPhrase(lex.passing, tokens[max(0, start-nearby):min(limit, next+nearby)])
		if ok && (!blocked || claim.Wish) && !doubt {
			out = append(out, claim)
			out = append(out, r.alike(claim)...)
		}
		// "I think, …" makes what follows it uncertain.
		hedged = !ok && next-at <= 3 && r.blockedIn(tokens[at:next], opened, Claim{})
		r.noteSpeaker(tokens[:max(next, start+1)], start, claim, ok && !doubt)
		if last, own = start, lex.subjects[tokens[start].word] || ok && claim.Subject == "I"; ok && claim.Predicate == "works_as" {
			last = next // "I'm a dentist, allergic to latex"
		}
		at = max(next, at+1)
	}
	if asks && !standing(lex, tokens) { // "Explain in two sentences what …": how to do this, not how to answer
		out = slices.DeleteFunc(out, func(c Claim) bool { return c.Wish })
	}
	if s.question && !asked && !blocked {
		out = append(out, r.reasonsIn(s, limit)...)
	}
	return out
}

// alike returns claims for the further items of a list of one class: "two cats
// and a parrot".
func (r *reader) alike(c Claim) (out []Claim) {
	m := &r.m
	if m.value == "" || m.class&(pet|kin|condition) == 0 {
		return nil
	}
	end := m.objectEnd(m.obj.lo)
	for i := m.obj.hi; i < end; i++ {
		for n := m.nounLength(i); n >= 1; n-- {
			if _, ok := m.nounAt(i, n, m.class); ok {
				more := c
				more.Object = r.textOf(span{i, i + n})
				out = append(out, more)
				i += n - 1
				break
			}
		}
	}
	return out
}

// openings skips the words that may precede a clause, and collects their flags.
func (r *reader) openings(tokens []token, at, limit int) (start int, before termFlags) {
	start = at
	for start < limit {
		n, sy := r.lex.openers.at(tokens, start)
		if n == 0 {
			n, sy = r.lex.adverbs.at(tokens, start)
		}
		if n == 0 {
			n, _ = r.lex.joins.at(tokens, start)
		}
		if n == 0 || start+n >= limit {
			break
		}
		before |= sy
		start += n
		if start < limit && tokens[start].mark && tokens[start].word == "," {
			start++
		}
	}
	return start, before
}

// elidesAt returns the subject that a clause without one inherits, "" for none.
func (r *reader) elidesAt(tokens []token, at, start int) string {
	switch {
	case r.speaker == "" || strings.HasSuffix(tokens[start].word, "ing"):
		return ""
	case r.reported, r.lex.han, r.personEnd > 0 && r.personEnd == at-1: // "Noor, my sister, moved …"
		return r.speaker
	}
	switch tokens[at].word { // "and work at X"
	case "and", "but", "und", "aber", "y", "e", "pero":
		return r.speaker
	}
	if !strings.HasPrefix(r.speaker, "my ") || at == 0 || tokens[at-1].word != "," || !r.thirdPerson(tokens[start].word) {
		return ""
	}
	return r.speaker // "my niece is here, moved to Leeds"
}

// lasting reports whether a claim holds beyond its day although a word dates it:
// a change, a wish.
func lasting(c Claim) bool {
	return c.Wish || c.Change && (c.Functional || c.Denied || c.Ended != "") || c.Temporal == Event || c.Temporal == Trait
}

// noteSpeaker records the subject of a clause, which is the last of tokens and begins
// at start, for the next one: in Chinese and in reports that may go without. Then a
// person or animal that the clause has introduced is its subject: "I have a sister,
// called Noor, lives …".
func (r *reader) noteSpeaker(tokens []token, start int, c Claim, claimed bool) {
	t := tokens[start]
	mentioned, n := r.personAt(tokens, start)
	introduced := claimed && c.Subject == "I" && r.m.canon != "" && r.m.class&bearers != 0
	defer func() { r.others |= r.sexesIn(tokens[start+n:]) }()
	switch {
	case n > 0 && !claimed && r.ownsAt(tokens, start+n): // "my sister's boss …"
		r.speaker, r.person = "", person{}
	case n > 0 && !(claimed && c.Denied && c.Subject == "I"): // "our dog died, adopted a cat"
		r.speaker, r.person, r.others, r.personEnd = mentioned.subject, mentioned, 0, start+n
	case introduced && (r.reported || r.lex.han):
		r.speaker = "my " + r.m.canon
	case r.reported:
		switch {
		case t.word == subjectWord:
			r.speaker = "I"
		case !claimed && (r.lex.articles[t.word] || t.upper && !r.lex.known[t.word]) && !(strings.HasPrefix(r.speaker, "my ") && r.allNames(tokens[start:])):
			r.speaker = "" // somebody or something else
		}
	case !claimed && (!r.lex.han || start+1 < len(tokens) && r.lex.possessives[t.word] && afterOwner(tokens, start+1) > start+1 && tokens[start+1].word != "们"):
		r.speaker = ""
	case claimed && r.lex.han && strings.HasPrefix(c.Subject, "my "): // "儿子叫豆豆，自闭症，六岁"
		r.speaker = c.Subject
	case claimed || r.lex.subjects[t.word]:
		r.speaker = "I"
	case r.lex.pronouns[t.word] && r.person.subject == "":
		r.speaker = ""
	}
}

// allNames reports whether a clause is a name, as the one of "my brother, Tom, …".
func (r *reader) allNames(clause []token) bool {
	return !slices.ContainsFunc(clause, func(t token) bool { return !t.upper })
}

// reportAt returns where somebody else's words begin: after "he wrote:".
func (r *reader) reportAt(tokens []token, limit int) int {
	if r.reported {
		return limit
	}
	for i := 0; i < limit; i++ {
		if !r.lex.reports.in(tokens, i) || i > 0 && r.lex.subjects[tokens[i-1].word] {
			continue
		}
		for k := i; k < limit; k++ {
			if tokens[k].word == ":" || tokens[k].word == "," && k-i <= 2 {
				return k
			}
		}
	}
	return limit
}

// reasonsIn returns the claims in a question's reason, from token i on: "…, since
// I'm vegan?"
func (r *reader) reasonsIn(s sentence, i int) (out []Claim) {
	t := s.tokens
	for ; i < len(t); i++ {
		n, _ := r.lex.reasons.at(t, i)
		if n == 0 || i+n >= len(t) || !r.lex.subjects[t[i+n].word] && !r.lex.possessives[t[i+n].word] {
			continue
		}
		c, end, ok := r.claimAt(s, r.verbSecond(t, i+n, false), i+n, 0, "", -1)
		if !ok || c.Wish || r.blockedIn(t[i:min(end+1, len(t))], 0, c) {
			continue
		}
		c.Sentence = r.text[t[i+n].lo:t[max(end, i+n+1)-1].hi]
		out = append(out, c)
	}
	return out
}

// wishOf returns the standing wish in a question: "Could you always answer in
// German?"
func (r *reader) wishOf(s sentence, blocked bool) []Claim {
	if r.reported || blocked || !standing(r.lex, s.tokens) {
		return nil
	}
	for at := 0; at < min(len(s.tokens), 12); at++ {
		if s.tokens[at].mark {
			continue
		}
		c, _, ok := r.claimAt(s, s.tokens, at, 0, "", -1)
		if ok && c.Wish && at > 0 {
			return []Claim{c}
		}
	}
	return nil
}

// standing reports whether a request is meant permanently.
func standing(lex *lexicon, tokens []token) bool { return lex.flagsIn(tokens)&flagAlways != 0 }

func anyPhrase(p phrases, tokens []token) bool {
	return (span{0, len(tokens)}).holds(func(i int) bool { return p.in(tokens, i) })
}

// blockedIn reports whether words in the clause make a claim uncertain. Those of its openers,
// which end before token start, do not: "you should know that …", "guess what, …".
func (r *reader) blockedIn(tokens []token, start int, c Claim) bool {
	opener := 0 // where the one before token i ends
	for i := range tokens {
		if tokens[i].word == hiddenWord && !c.Wish {
			return true
		}
		if i < start {
			n, _ := r.lex.openers.at(tokens, i)
			opener = max(opener, i+n)
		}
		if n, s := r.lex.blocks.at(tokens, i); n > 0 && s == 0 && !c.Wish && i+n > opener {
			return true
		}
	}
	return false
}

// flagsIn returns the flags of the adverbs among tokens.
func (l *lexicon) flagsIn(tokens []token) (s termFlags) {
	for i := range tokens {
		_, a := l.adverbs.at(tokens, i)
		_, b := l.openers.at(tokens, i)
		s |= a | b
		if l.timely[tokens[i].word] {
			s |= flagHabit
		}
	}
	return s
}

// questionAt returns where the interrogative clause of a question begins, after at
// least one other clause; 0 for none.
func (r *reader) questionAt(tokens []token) int {
	for i := len(tokens) - 2; i > 1; i-- {
		joined, _ := r.lex.joins.at(tokens, i)
		if !tokens[i].mark && joined == 0 {
			continue
		}
		from, _ := r.openings(tokens, i+max(joined, 1), len(tokens))
		if r.lex.asks.in(tokens, from) && len(tokens)-from >= 3 || r.lex.han && tokens[i].mark && len(tokens)-from >= 4 {
			return i
		}
	}
	// "I'm from Brazil, you can correct me?" asks after the last mark too, but not "I'm late, right?".
	for i := len(tokens) - 4; i > 1 && !r.lex.asks.in(tokens, 0); i-- {
		if tokens[i].mark && !joinsWords(tokens[i].word) {
			return i
		}
	}
	return 0
}

// nextClause returns the first token from i on at which a clause may begin.
func (r *reader) nextClause(tokens []token, i, limit int) int {
	end := r.nextMark(tokens, i, limit)
	for ; i < end; i++ {
		if r.lex.joins.in(tokens, i) {
			return i
		}
	}
	return end
}

func (r *reader) nextMark(tokens []token, i, limit int) int {
	for ; i < limit; i++ {
		if tokens[i].mark && !joinsWords(tokens[i].word) {
			return i
		}
	}
	return limit
}

// claimAt returns the claim that begins at token i, about the speaker or a person
// of the speaker's. elided is the subject of a clause without one; begin is i
// where rows without a subject may match.
func (r *reader) claimAt(s sentence, tokens []token, i int, before termFlags, elided string, begin int) (c Claim, end int, ok bool) {
	m := &r.m
	*m = matcher{lex: r.lex, tokens: tokens, third: r.reported, elide: elided == "I", explicit: r.reported && elided != "I", start: begin}
	if c, end, ok = r.firstRow(s, i, before, "I"); ok {
		if c.Subject == "she" && r.person.subject != "" && c.Ended == "" { // "I have a sister. Her name is Noor."
			if !r.refersTo(tokens[i].word) {
				return Claim{}, 0, false
			}
			c.Subject, c.Predicate, c.Functional = "I", strings.TrimPrefix(r.person.subject, "my "), false
		}
		r.named = c
		return c, end, ok
	}
	about, n := r.personAt(tokens, i)
	if n == 0 && r.lex.pronouns[tokens[i].word] && r.person.subject != "" && !r.reported && persons[tokens[i].word] && r.refersTo(tokens[i].word) {
		about, n = r.person, 1
	}
	verb := 0 // before the subject: "gestern ist Markus nach Graz gezogen"
	if n == 0 && i > 0 && !tokens[i-1].mark && i+1 < len(tokens) && r.lex.third[tokens[i].word] != "" {
		if about, n = r.knownAt(tokens, i+1); n > 0 {
			verb = 1
		}
	}
	if n == 0 && strings.HasPrefix(elided, "my ") {
		if about = r.person; about.subject != elided {
			about = person{subject: elided}
		}
	}
	if about.subject == "" {
		return Claim{}, 0, false
	}
	// "my sister lives …" matches "I live …" in the third person.
	rest := make([]token, 0, len(tokens)-i+1)
	rest = append(rest, token{lo: tokens[i+verb].lo, hi: tokens[i+verb+max(n, 1)-1].hi, word: subjectWord})
	rest = append(rest, tokens[i:i+verb]...)
	rest = append(rest, r.lex.unclipped(tokens[i+verb+n:])...)
	*m = matcher{lex: r.lex, tokens: rest, third: true, start: -1}
	if c, end, ok = r.firstRow(s, 0, before, about.subject); ok {
		c, ok = r.about(c, about)
	}
	return c, i + n - 1 + end, ok
}

// persons are the pronouns for a person.
var persons = wordSet("she he they er sie él ella 她 他")

// Placeholder words for the subject of a sentence, and for its possessive.
const (
	subjectWord    = "\x01"
	possessiveWord = "\x02"
)

// firstRow returns the claim of the first row that matches at token i.
func (r *reader) firstRow(s sentence, i int, before termFlags, subject string) (c Claim, end int, ok bool) {
	m := &r.m
	var buf [48]int
	found := append(buf[:0], r.lex.always...)
	collect := func(word string) {
		for _, k := range r.lex.index[word] {
			if !slices.Contains(found, k) {
				found = append(found, k)
			}
		}
	}
	size := window
	if r.lex.han {
		size = 2 * window
	}
	for j := i; j < min(i+size, len(m.tokens)); j++ {
		t := &m.tokens[j]
		if t.quoted {
			continue
		}
		m.plural = m.plural || plurals[t.word] || r.lex.bare && r.lex.plural[t.word] != ""
		collect(t.word)
		if m.third {
			if first, ok := r.lex.third[t.word]; ok {
				collect(first)
			}
		}
		if first, ok := r.lex.plural[t.word]; ok {
			collect(first)
		}
		if first, ok := r.lex.clipped[t.word]; ok {
			collect(first)
		}
	}
	slices.Sort(found)
	for _, k := range found {
		p := &r.lex.patterns[k]
		if r.long && p.flags&clear == 0 || p.flags&reportedOnly != 0 && !r.reported || subject != "I" && p.flags&wishes != 0 || subject == "I" && (p.predicate == died || p.predicate == gone) {
			continue
		}
		if m.from = i; !m.run(p, i) {
			continue
		}
		if c, ok = r.build(s, before, subject); ok {
			return c, m.end, true
		}
	}
	return Claim{}, 0, false
}
