package said

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// reader reads the claims of one text.
type reader struct {
	text     string
	lex      *lexicon
	reported bool   // somebody else's wording: other persons' forms, subjects may be missing
	lower    bool   // the writer uses no capitals
	long     bool   // only clear rows count
	speaker  string // whom the last clause was about: "I", "my sister", or ""
	person   string // the last of the writer's people that was named
	m        matcher
}

// read is the claims of a sentence.
func (r *reader) read(s sentence) []Claim {
	lex := r.lex
	tokens := s.tokens
	blocked := anyPhrase(lex.blocksAll, tokens)
	limit := len(tokens)
	r.lower = !slices.ContainsFunc(tokens, func(t token) bool { return t.upper })
	if s.question {
		limit = r.questionAt(tokens)
		out := r.wishOf(s, blocked)
		if limit == 0 || len(out) > 0 {
			if !blocked {
				out = append(out, r.reasonsIn(s, 0)...)
			}
			return out
		}
	}
	limit = r.reportAt(tokens, limit)
	passing := anyPhrase(lex.passing, tokens[:limit])
	var out []Claim
	hedged := false
	r.speaker = ""
	if r.reported {
		r.speaker = "I"
	}
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
		if n, _ := lex.asks.at(tokens, start); n > 0 && before&(saysPlease|saysAlways|saysNot) == 0 && !r.reported {
			at = r.nextMark(tokens, start, limit)
			continue
		}
		elided := r.elidesAt(tokens, at, start)
		claim, end, ok := r.claimAt(s, tokens[:limit], start, before, elided, start)
		if !ok && start > at && before&(saysPlease|saysAlways|saysNew|saysNot) != 0 {
			// Rows may begin with such words themselves: "always …", "no como …".
			for from := at; from < start && !ok; from++ {
				claim, end, ok = r.claimAt(s, tokens[:limit], from, 0, elided, from)
				ok = ok && (claim.Wish || before&saysNot != 0)
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
				claim, end, ok = r.claimAt(s, tokens[:limit], j, before|r.saidIn(tokens[start:j]), "", -1)
				if ok {
					start = j
				}
			}
		}
		if ok {
			next = r.nextClause(tokens, max(end, start+1), limit)
		}
		doubt := hedged && !claim.Wish || r.blockedIn(tokens[at:next], claim) || ok && passing && !lasting(claim)
		if ok && (!blocked || claim.Wish) && !doubt {
			out = append(out, claim)
		}
		// "I think, …" leaves a doubt about what follows it.
		hedged = !ok && next-at <= 3 && r.blockedIn(tokens[at:next], Claim{})
		r.noteSpeaker(tokens, start, ok && !doubt)
		at = max(next, at+1)
	}
	if s.question && !blocked {
		out = append(out, r.reasonsIn(s, limit)...)
	}
	return out
}

// openings skips what may stand before a clause, and collects what it says.
func (r *reader) openings(tokens []token, at, limit int) (start int, before says) {
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

// elidesAt is the subject that a clause without one takes over, "" for none.
func (r *reader) elidesAt(tokens []token, at, start int) string {
	switch {
	case r.speaker == "" || strings.HasSuffix(tokens[start].word, "ing"):
		return ""
	case r.reported, r.lex.han:
		return r.speaker
	}
	switch tokens[at].word { // "and work at X"
	case "and", "but", "und", "aber", "y", "e", "pero":
		return r.speaker
	}
	return ""
}

// lasting reports a claim that may be dated to the day: a change, a wish.
func lasting(c Claim) bool {
	return c.Wish || c.Change && (c.Functional || c.Denied || c.Ended != "") || c.Temporal == Event || c.Temporal == Trait
}

// noteSpeaker records whom a clause is about, for the one behind it.
func (r *reader) noteSpeaker(tokens []token, start int, claimed bool) {
	if r.reported {
		return
	}
	t := tokens[start]
	person, n := r.personAt(tokens, start)
	switch {
	case n > 0:
		r.speaker, r.person = person, person
	case !claimed && !r.lex.han:
		r.speaker = ""
	case claimed || r.lex.subjects[t.word]:
		r.speaker = "I"
	case r.lex.pronouns[t.word] && r.person == "":
		r.speaker = ""
	case r.lex.han:
	}
}

// reportAt is where somebody else's words begin: behind "he wrote:".
func (r *reader) reportAt(tokens []token, limit int) int {
	if r.reported {
		return limit
	}
	for i := 0; i < limit; i++ {
		if n, _ := r.lex.reports.at(tokens, i); n == 0 || i > 0 && r.lex.subjects[tokens[i-1].word] {
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

// reasonsIn is what a question says in passing, from token i on: "…, since I'm
// vegan?"
func (r *reader) reasonsIn(s sentence, i int) (out []Claim) {
	t := s.tokens
	for ; i < len(t); i++ {
		n, _ := r.lex.reasons.at(t, i)
		if n == 0 || i+n >= len(t) || !r.lex.subjects[t[i+n].word] && !r.lex.possessives[t[i+n].word] {
			continue
		}
		c, end, ok := r.claimAt(s, t, i+n, 0, "", -1)
		if !ok || c.Wish || r.blockedIn(t[i:min(end+1, len(t))], c) {
			continue
		}
		c.Sentence = r.text[t[i+n].lo:t[max(end, i+n+1)-1].hi]
		out = append(out, c)
	}
	return out
}

// wishOf is the standing wish that a question asks for: "Could you always answer
// in German?"
func (r *reader) wishOf(s sentence, blocked bool) []Claim {
	if r.reported || blocked {
		return nil
	}
	for at := 0; at < min(len(s.tokens), 12); at++ {
		if s.tokens[at].mark {
			continue
		}
		c, _, ok := r.claimAt(s, s.tokens, at, 0, "", -1)
		if ok && c.Wish && at > 0 && standing(r.lex, s.tokens) {
			return []Claim{c}
		}
	}
	return nil
}

// standing reports words by which a request is meant for good.
func standing(lex *lexicon, tokens []token) bool {
	for i := range tokens {
		if _, s := lex.adverbs.at(tokens, i); s&(saysAlways|saysNew) != 0 {
			return true
		}
		if _, s := lex.openers.at(tokens, i); s&(saysAlways|saysNew) != 0 {
			return true
		}
	}
	return false
}

func anyPhrase(p phrases, tokens []token) bool {
	for i := range tokens {
		if n, _ := p.at(tokens, i); n > 0 {
			return true
		}
	}
	return false
}

// blockedIn reports words that leave a doubt about a claim in its clause.
func (r *reader) blockedIn(tokens []token, c Claim) bool {
	for i := range tokens {
		if tokens[i].word == hiddenWord && !c.Wish {
			return true
		}
		if n, s := r.lex.blocks.at(tokens, i); n > 0 && s == 0 && !c.Wish {
			return true
		}
	}
	return false
}

// saidIn is what the adverbs among tokens say.
func (r *reader) saidIn(tokens []token) (s says) {
	for i := range tokens {
		_, a := r.lex.adverbs.at(tokens, i)
		_, b := r.lex.openers.at(tokens, i)
		s |= a | b
		if r.lex.timely[tokens[i].word] {
			s |= saysHabit
		}
	}
	return s
}

// questionAt is where the clause that asks begins in a question, after at
// least one that does not; 0 for none.
func (r *reader) questionAt(tokens []token) int {
	for i := len(tokens) - 2; i > 1; i-- {
		joined, _ := r.lex.joins.at(tokens, i)
		if !tokens[i].mark && joined == 0 {
			continue
		}
		from := i + max(joined, 1)
		for from < len(tokens) {
			n, _ := r.lex.openers.at(tokens, from)
			if n == 0 {
				n, _ = r.lex.joins.at(tokens, from)
			}
			if n == 0 {
				break
			}
			from += n
		}
		if n, _ := r.lex.asks.at(tokens, from); n > 0 && len(tokens)-from >= 3 || r.lex.han && tokens[i].mark && len(tokens)-from >= 4 {
			return i
		}
	}
	return 0
}

// nextClause is the first token from i at which a clause may begin.
func (r *reader) nextClause(tokens []token, i, limit int) int {
	for ; i < limit; i++ {
		if tokens[i].mark && !joinsWords(tokens[i].word) {
			return i
		}
		if n, _ := r.lex.joins.at(tokens, i); n > 0 && !tokens[i].quoted {
			return i
		}
	}
	return limit
}

func (r *reader) nextMark(tokens []token, i, limit int) int {
	for ; i < limit; i++ {
		if tokens[i].mark && !joinsWords(tokens[i].word) {
			return i
		}
	}
	return limit
}

// claimAt is the claim that begins at token i: of the speaker, or of one of her
// people. elided is the subject of a clause without one; begin is i where rows
// may match that do without a subject.
func (r *reader) claimAt(s sentence, tokens []token, i int, before says, elided string, begin int) (c Claim, end int, ok bool) {
	m := &r.m
	*m = matcher{lex: r.lex, tokens: tokens, third: r.reported, elide: elided == "I", start: begin}
	if c, end, ok = r.firstRow(s, i, before, "I"); ok {
		if c.Subject == "she" && r.person != "" && c.Ended == "" { // "I have a sister. Her name is Noor."
			c.Subject, c.Predicate, c.Functional = "I", strings.TrimPrefix(r.person, "my "), false
		}
		return c, end, ok
	}
	subject, n := r.personAt(tokens, i)
	if n == 0 && r.lex.pronouns[tokens[i].word] && r.person != "" && !r.reported && people[tokens[i].word] {
		subject, n = r.person, 1
	}
	if n == 0 && strings.HasPrefix(elided, "my ") {
		subject = elided
	}
	if subject == "" {
		return Claim{}, 0, false
	}
	// "my sister lives …" is read as "I live …" in another person's form.
	rest := make([]token, 0, len(tokens)-i+1)
	rest = append(rest, token{lo: tokens[i].lo, hi: tokens[i+max(n, 1)-1].hi, word: subjectWord})
	rest = append(rest, tokens[i+n:]...)
	*m = matcher{lex: r.lex, tokens: rest, third: true, start: -1}
	c, end, ok = r.firstRow(s, 0, before, subject)
	return c, i + n - 1 + end, ok
}

// people are the pronouns for somebody.
var people = wordSet("she he they er sie él ella 她 他")

// The words that stand for the person spoken of, and for what is hers, in a
// sentence about her.
const (
	subjectWord    = "\x01"
	possessiveWord = "\x02"
)

// personAt is the phrase "my sister", with a name behind it or not, at token i
// and the number of its tokens.
func (r *reader) personAt(tokens []token, i int) (subject string, n int) {
	m := matcher{lex: r.lex, tokens: tokens}
	if !r.lex.possessives[tokens[i].word] {
		return "", 0
	}
	j := i + 1
	if r.lex.han {
		j = afterOwner(tokens, j)
	}
	for _, c := range [...]class{kin, role, friend, pet} {
		for w := m.maxNoun(); w >= 1; w-- {
			if j+w > len(tokens) {
				continue
			}
			canon, ok := m.nounAt(j, w, c)
			if !ok {
				continue
			}
			j += w
			for r.named(tokens, j) {
				j++
			}
			return "my " + canon, j - i
		}
	}
	return "", 0
}

// named reports a name at token j: a capitalised word.
func (r *reader) named(tokens []token, j int) bool {
	return !r.lex.han && j < len(tokens) && tokens[j].upper && !tokens[j].mark && !r.lex.known[tokens[j].word]
}

// firstRow is the claim of the first row that matches at token i.
func (r *reader) firstRow(s sentence, i int, before says, subject string) (c Claim, end int, ok bool) {
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
		collect(t.word)
		if m.third {
			if first, ok := r.lex.third[t.word]; ok {
				collect(first)
			} else if r.lex.thirdRule != nil && !t.mark {
				if first := r.lex.thirdRule(t.word, r.lex.known); first != "" {
					collect(first)
				}
			}
		}
		if first, ok := r.lex.plural[t.word]; ok {
			collect(first)
		}
	}
	slices.Sort(found)
	for _, k := range found {
		p := &r.lex.patterns[k]
		if r.long && p.flags&clear == 0 || p.flags&reportedOnly != 0 && !r.reported || subject != "I" && p.flags&wishes != 0 {
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

// build makes the claim of a match, if its object can be one.
func (r *reader) build(s sentence, before says, subject string) (Claim, bool) {
	m, p := &r.m, r.m.p
	said := m.says | before
	c := Claim{Subject: subject, Temporal: p.temporal, Preference: p.flags&preference != 0, Wish: p.flags&wishes != 0}
	end := s.hi
	if len(m.tokens) > 0 && s.question && m.end > 0 {
		end = m.tokens[min(m.end, len(m.tokens))-1].hi
		if last := m.tokens[len(m.tokens)-1].hi; last > end {
			end = last
		}
	}
	c.Sentence = strings.TrimSpace(r.text[s.lo:end])

	obj, ended := m.obj, m.ended
	if !obj.empty() && m.value == "" {
		var more says
		obj, ended, more = r.polish(obj, ended, p.predicate == "prefers" || lowerPreference(r.lex, p))
		said |= more
		if obj.empty() {
			return c, false
		}
	}
	if !ended.empty() {
		ended, _, _ = r.polish(ended, span{}, false)
		c.Ended = r.textOf(ended)
	}
	switch {
	case !obj.empty():
		c.Object = r.textOf(obj)
	case p.value != "" && c.Wish:
		c.Object = r.textOf(span{m.from, m.end})
	case p.value != "":
		c.Object = r.textOf(m.lastAt)
	}

	c.Predicate = p.predicate
	nounName := ""
	if !m.noun.empty() {
		if nounName = m.canon; nounName == "" {
			nounName = m.phrase(m.noun)
		}
	}
	if strings.Contains(c.Predicate, "$") {
		name := strings.ReplaceAll(nounName, " ", "_")
		if m.canon == "" {
			name = r.openPredicate(m.noun)
			if name == "" {
				return c, false
			}
		}
		if strings.HasPrefix(c.Predicate, "favourite_") {
			name = strings.TrimPrefix(name, "favourite_")
		}
		c.Predicate = strings.Replace(c.Predicate, "$", name, 1)
	}
	if c.Predicate == "%" {
		c.Predicate = m.verb
		if canon, ok := verbs[m.verb]; ok {
			c.Predicate = canon
		}
	}
	switch p.subject {
	case "":
	case "$":
		c.Subject = nounName
	default:
		c.Subject = p.subject
	}

	c.Functional = p.flags&functional != 0
	c.Change = p.flags&changes != 0 || said&(saysNew|saysEnds) != 0
	if p.flags&wishes != 0 {
		c.Change = p.flags&changes != 0 || said&saysNew != 0
	}
	if said&saysNew != 0 && p.flags&adds == 0 && m.class != kin && m.class != friend && m.class != pet && !c.Wish {
		c.Functional = true
	}
	if said&saysAlso != 0 || (m.class == kin || m.class == friend) && p.predicate == "$" || m.class == pet {
		c.Functional = false
		c.Change = c.Change && said&saysAlso == 0
	}
	c.Denied = p.flags&denied != 0
	if said&(saysNot|saysEnds) != 0 && !c.Denied && !c.Wish {
		switch {
		case p.deny != "":
			c.Predicate = p.deny
		case p.flags&deniable != 0 || said&saysEnds != 0 && c.Predicate != "":
			c.Denied = true
		default:
			return c, false
		}
	}
	if said&saysHabit != 0 && c.Temporal == State && !c.Preference {
		c.Temporal = Habit
	}
	if !r.accepts(p.guard, obj, said, &c) {
		return c, false
	}
	if c.Ended != "" && sameObject(c.Ended, c.Object) {
		c.Ended = ""
	}
	return c, true
}

func (r *reader) textOf(s span) string {
	if s.empty() {
		return ""
	}
	t := r.m.tokens
	lo, hi := t[s.lo].lo, t[s.hi-1].hi
	out := strings.Trim(strings.TrimSpace(r.text[lo:hi]), "\"“”„«»「」『』`* ")
	if strings.Count(out, "\"")%2 != 0 {
		out = strings.ReplaceAll(out, "\"", "")
	}
	return out
}

// lowerPreference reports languages whose word for likes is that for prefers.
func lowerPreference(l *lexicon, p *pattern) bool {
	return p.predicate == "likes" && l.of == "von"
}

// openPredicate is the predicate of a noun phrase that no table holds.
func (r *reader) openPredicate(noun span) string {
	phrase := r.m.phrase(noun)
	if f := favouriteOf(phrase); f != "" {
		return f
	}
	for k := noun.lo; k < noun.hi; k++ {
		w := r.m.tokens[k].word
		if r.lex.vague[w] {
			return ""
		}
	}
	for k := noun.lo + 1; k <= noun.hi; k++ { // "my sister Noor"
		head := phraseOf(r.m.tokens[noun.lo:k])
		for _, c := range [...]class{kin, role, friend, pet} {
			if _, ok := nounIn(head, c); ok {
				return ""
			}
		}
	}
	return predicateOf(phrase)
}

// favouriteOf is the predicate of "lieblingsfarbe" or of the noun in
// "favourite colour", "" for other phrases.
func favouriteOf(phrase string) string {
	rest, german := strings.CutPrefix(phrase, "lieblings")
	if !german {
		rest = phrase
	}
	rest = strings.TrimPrefix(rest, "-")
	if canon, ok := nounIn(rest, topic); ok {
		return "favourite_" + strings.ReplaceAll(canon, " ", "_")
	}
	if german && rest != "" {
		return "favourite_" + strings.ReplaceAll(rest, " ", "_")
	}
	return ""
}

// polish takes from an object what is no part of it: articles, adverbials at
// its end, and, behind "instead of" or in "not X but Y", what ended.
func (r *reader) polish(obj, ended span, prefers bool) (span, span, says) {
	m, lex := &r.m, r.lex
	var said says
	// "not X but Y"
	if n, _ := lex.notButs[0].at(m.tokens, obj.lo); n > 0 && ended.empty() {
		for k := obj.lo + n; k < min(obj.lo+12, len(m.tokens)); k++ {
			if b, _ := lex.notButs[1].at(m.tokens, k); b > 0 {
				hi := k
				if m.tokens[hi-1].mark {
					hi--
				}
				ended = span{obj.lo + n, hi}
				obj = span{k + b, m.objectEnd(k + b)}
				m.end = obj.hi
				said |= saysNew
				break
			}
		}
	}
	for k := obj.lo + 1; k < obj.hi && ended.empty(); k++ {
		n, _ := lex.instead.at(m.tokens, k)
		if n == 0 && prefers {
			if n, _ = lex.over.at(m.tokens, k); n > 0 && m.tokens[k].word == "to" && obj.hi-k-n > 2 {
				n = 0 // "to" and a verb
			}
		}
		if n > 0 {
			if k+n < obj.hi {
				ended = span{k + n, obj.hi}
				if !prefers {
					said |= saysNew
				}
			}
			obj.hi = k
			break
		}
	}
	if ended.empty() && obj.hi < len(m.tokens) {
		// "…, not Noor", "… instead of tea"
		k := obj.hi
		if m.tokens[k].mark && m.tokens[k].word == "," {
			k++
		}
		n, _ := lex.instead.at(m.tokens, k)
		if n == 0 && (k > obj.hi || m.tokens[k].word == "and") {
			n, _ = lex.nots.at(m.tokens, k)
		}
		if n > 0 && k+n < len(m.tokens) {
			end := m.objectEnd(k + n)
			if end > k+n && end-k-n <= 5 && !m.beginsClause(k+n) {
				ended = span{k + n, end}
				said |= saysNew
				m.end = end
			} else if end == k+n {
				said |= saysNew
			}
		} else if prefers && k == obj.hi {
			if n, _ := lex.over.at(m.tokens, k); n > 0 {
				end := m.objectEnd(k + n)
				if end > k+n {
					ended, m.end = span{k + n, end}, end
				}
			}
		}
	}
	// Trailing adverbials.
	for obj.hi > obj.lo {
		cut := 0
		for k := max(obj.lo, obj.hi-6); k < obj.hi; k++ {
			n, s := lex.trails.at(m.tokens[:obj.hi], k)
			if n == 0 && !lex.han {
				n, s = lex.adverbs.at(m.tokens[:obj.hi], k)
			}
			if n > 0 && k+n == obj.hi {
				cut = n
				said |= s
				break
			}
		}
		if cut == 0 {
			break
		}
		obj.hi -= cut
	}
	for obj.hi > obj.lo && (m.tokens[obj.hi-1].mark || lex.prefixes[m.tokens[obj.hi-1].word] && obj.hi-obj.lo > 1 && !lex.han) {
		obj.hi--
	}
	for obj.lo < obj.hi {
		if lex.articles[m.tokens[obj.lo].word] && !m.tokens[obj.lo].quoted && obj.hi-obj.lo > 1 && (!m.tokens[obj.lo].upper || obj.lo == 0) || m.tokens[obj.lo].mark {
			obj.lo++
			continue
		}
		if n, s := lex.adverbs.at(m.tokens[:obj.hi], obj.lo); n > 0 && !lex.han && obj.lo+n < obj.hi {
			said |= s
			obj.lo += n
			continue
		}
		break
	}
	return obj, ended, said
}

// accepts reports whether an object passes the guard of its row.
func (r *reader) accepts(guard string, obj span, said says, c *Claim) bool {
	m, lex := &r.m, r.lex
	if obj.empty() || m.value != "" {
		return guard != "habit" || said&saysHabit != 0
	}
	t := m.tokens
	first := &t[obj.lo]
	n := obj.hi - obj.lo
	before := ""
	if obj.lo > 0 {
		before = t[obj.lo-1].word
	}
	article := lex.articles[before] || lex.articles[first.word]
	if lex.vague[first.word] && (n == 1 || guard != "any" && guard != "wish") || !first.quoted && n == 1 && utf8.RuneCountInString(first.word) == 1 && !first.upper {
		return false
	}
	capital := false
	for k := obj.lo; k < obj.hi; k++ {
		capital = capital || t[k].upper || t[k].quoted
	}
	if !lex.han && r.lower {
		capital = true
	}
	switch guard {
	case "name": // of somebody or something
		return capital && n <= 6 && (first.upper || first.quoted || r.lower || article)
	case "noun": // no mere adjective
		return article || capital && (!lex.han || !lex.vague[first.word]) || lex.han
	case "place":
		if lodgings[t[obj.hi-1].word] || lodgings[first.word] || n > 1 && lodgings[t[obj.lo+1].word] {
			return false
		}
		return capital || article || lex.han
	case "person": // an occupation
		for _, other := range [...]class{diet, condition, status} {
			if _, ok := nounIn(m.phrase(obj), other); ok {
				return false
			}
		}
		return r.people(obj)
	case "like":
		if k, _ := lex.reacts.at(t, obj.lo); k > 0 {
			return false
		}
		if obj.lo > 0 {
			if k, _ := lex.reacts.at(t, obj.lo-1); k > 0 {
				return false
			}
			if before == "the" && !first.upper && !first.quoted && m.p.flags&preference != 0 && !kinds[first.word] {
				return false // what is spoken of just now
			}
		}
		if last := t[obj.hi-1].word; lex.prefixes[first.word] && first.word != "to" && !first.quoted && !lex.han && !first.upper || refers[last] {
			return false
		}
		return m.end >= len(t) || !restrictive[t[m.end].word]
	case "ordered": // begins with what an assistant does
		return lex.verbs[first.word] && (obj.lo <= 2 || standing(lex, t[:obj.lo]) && obj.lo <= 4)
	case "correction":
		return n <= 4 && m.end >= len(t)
	case "now":
		return said&saysNew != 0 && n <= 6
	case "pursuit": // "surfing", which somebody takes up
		return pursuits[first.word] && n <= 5
	case "day":
		for k := obj.lo; k < obj.hi; k++ {
			if r.dayAt(t, k) || lex.timely[t[k].word] {
				return true
			}
		}
		return false
	case "date":
		return r.dated(t[obj.lo:obj.hi])
	case "number":
		for k := obj.lo; k < obj.hi; k++ {
			if w := t[k].word; w[0] >= '0' && w[0] <= '9' || numerals[w] {
				return true
			}
		}
		return false
	case "digits":
		return strings.ContainsAny(c.Object, "0123456789")
	case "habit":
		if said&saysHabit != 0 {
			return true
		}
		for k := obj.lo; k < min(obj.hi+3, len(t)); k++ {
			if lex.timely[t[k].word] || r.dayAt(t, k) && strings.HasSuffix(t[k].word, "s") {
				c.Temporal = Habit
				return true
			}
		}
		return false
	case "short":
		return n <= 8
	case "entire": // a name, and the whole of the sentence
		return capital && n <= 4 && r.proper(obj) && m.end >= len(t)
	case "proper": // the name of somebody
		return r.proper(obj)
	case "age":
		return n == 1 && (first.word[0] >= '1' && first.word[0] <= '9' && len(first.word) <= 3 || numerals[first.word] && len(first.word) > 2) && m.end >= len(t) || n == 1 && len(first.word) == 2 && first.word[0] >= '1' && first.word[0] <= '9' && (m.end >= len(t) || t[m.end].mark || r.joined(t, m.end))
	case "value": // of an open noun: a name, a number, a thing
		return n <= 6 && !r.people(obj) && (first.upper && !lex.vague[first.word] || first.quoted || r.hasDigit(obj))
	case "manner": // how to answer
		return lex.manner(t, obj) && n <= 4
	case "mannerly": // nothing but how to answer, asked for with a courtesy
		for k := obj.lo; k < obj.hi; k++ {
			if n, _ := lex.manners.at(t, k); n == 0 && !lex.known[t[k].word] {
				return false
			}
		}
		return n <= 4 && lex.manner(t, obj) && said&saysPlease != 0
	case "favourite": // the noun of the row says that it is a favourite
		return strings.HasPrefix(c.Predicate, "favourite_") && r.favourite(m.noun) || c.Predicate == "likes" && r.favourite(m.noun)
	case "title": // a name, or a title and a name
		return first.upper && n <= 5 && (!r.people(obj) || n > 1 && t[obj.hi-1].upper) || lex.of == "de" && n > 1 && n <= 4 && t[obj.hi-1].upper || r.lower && n <= 2
	case "street": // an address
		return r.hasDigit(obj) && n <= 6 && !lex.timely[first.word]
	case "daily":
		for k := obj.lo; k < obj.hi; k++ {
			if lex.timely[t[k].word] || k == obj.lo && r.dayAt(t, k) {
				return true
			}
		}
		return false
	case "allergy": // a German compound: Nussallergie
		return n <= 2 && (strings.HasSuffix(t[obj.hi-1].word, "allergie") || strings.HasSuffix(t[obj.hi-1].word, "intoleranz") || strings.HasSuffix(t[obj.hi-1].word, "unvertraglichkeit")) && len(t[obj.hi-1].word) > 12
	case "infinitive":
		return n <= 8 && strings.HasSuffix(t[obj.hi-1].word, "en")
	case "treat":
		return first.word == "tú" || first.word == "usted" || first.word == "vos"
	case "employer": // a name, or an article before what one works at
		return capital || article
	case "studies":
		return n <= 5 && !lex.vague[first.word] && !lex.prefixes[first.word]
	case "languages":
		_, ok := nounIn(first.word, language)
		return ok
	case "order": // a Spanish imperative: usa, responde
		return n <= 10 && (strings.HasSuffix(first.word, "a") || strings.HasSuffix(first.word, "e")) && standing(lex, t) && obj.lo <= 2
	case "hobby": // begins with an infinitive
		return n <= 5 && (strings.HasSuffix(first.word, "ar") || strings.HasSuffix(first.word, "er") || strings.HasSuffix(first.word, "ir")) && !strings.HasPrefix(first.word, "llo") && !strings.HasPrefix(first.word, "sent")
	case "nickname":
		return n <= 12
	case "placezh": // 我是四川人, not 我是好人
		return n >= 2 && n <= 6 && !r.people(obj)
	case "livezh":
		return n >= 2 && first.word != "院" && first.word != "宿"
	case "personname": // a name: two to four characters, or Latin letters
		return n >= 2 && n <= 6 && !r.whole(obj) && !lex.vague[first.word] && first.word != "一" && first.word != "个" && t[obj.hi-1].word != "的"
	case "foodzh":
		return n >= 1 && n <= 8
	case "longzh":
		return n >= 2 && n <= 12
	case "joinzh":
		return n >= 2 && n <= 14
	case "habitzh":
		return n >= 2 && n <= 16 && !lex.vague[first.word]
	case "wishzh":
		return n >= 2 && n <= 20
	case "valuezh":
		return n >= 1 && n <= 20 && !lex.vague[first.word] && !(n <= 2 && !r.hasDigit(obj)) && first.word != "好" && first.word != "很"
	case "openzh":
		return n >= 2 && n <= 12 && !lex.vague[first.word] && t[obj.hi-1].word != "的" && !(t[min(obj.hi, len(t)-1)].word == "的")
	case "unit":
		return n <= 6 && (lex.units[first.word] || lex.units[t[obj.hi-1].word])
	case "field":
		return n <= 5 && !article
	case "upper":
		return first.upper || r.lower
	case "days": // again and again
		for k := obj.lo; k < obj.hi; k++ {
			if lex.timely[t[k].word] || r.dayAt(t, k) && (lex.han || strings.HasSuffix(t[k].word, "s")) {
				return true
			}
		}
		return false
	case "ended": // corrects something
		return c.Ended != ""
	case "always":
		k, _ := lex.reacts.at(t, obj.lo)
		return said&saysAlways != 0 && k == 0
	case "standing":
		return standing(lex, t) && n <= 12 || n <= 4 && r.lex.manner(t, obj)
	case "imperative": // begins with a verb, and does not speak of the writer
		return n <= maxObject && !lex.subjects[first.word] && !lex.articles[first.word] && !lex.prefixes[first.word] && !first.mark && !strings.HasSuffix(first.word, "ing") && !first.upper && first.word != "let" && first.word != "lets" && first.word != "is"
	case "wish":
		return n <= 12 && (!lex.vague[first.word] || first.word == "me") && standing(lex, t)
	case "ing":
		return strings.HasSuffix(first.word, "ing") && len(first.word) > 5
	case "food":
		k, _ := lex.reacts.at(t, obj.lo)
		return k == 0 && n <= 7 && !article && !lex.prefixes[first.word] && (lex.han || lex.of != "of" || !strings.HasSuffix(first.word, "ing"))
	case "trait": // "dog" in "a dog person"
		return n <= 2 && !vagueTraits[first.word]
	case "creative":
		return n <= 5
	case "never":
		return false
	}
	return true
}

// favourite reports a noun phrase of a favourite: "Lieblingsfarbe".
func (r *reader) favourite(noun span) bool {
	return !noun.empty() && strings.HasPrefix(r.m.tokens[noun.lo].word, "lieblings")
}

// proper reports a name: capitalised words, of which none is a word of a table.
func (r *reader) proper(obj span) bool {
	t := r.m.tokens
	if obj.hi-obj.lo > 5 {
		return false
	}
	first := &t[obj.lo]
	if !first.upper && !first.quoted && !r.lower || first.word[0] >= '0' && first.word[0] <= '9' {
		return false
	}
	if _, ok := nounIn(first.word, language); ok {
		return false
	}
	for _, c := range [...]class{diet, status, condition} {
		if _, ok := nounIn(r.m.phrase(obj), c); ok {
			return false
		}
	}
	w := first.word
	if r.lower && (len(w) < 3 || r.lex.known[w]) || r.lex.vague[w] {
		return false
	}
	if r.lex.of == "von" && obj.hi-obj.lo == 1 && r.people(obj) {
		return false
	}
	return !strings.HasSuffix(w, "ese") && !strings.HasSuffix(w, "ish") && !(strings.HasSuffix(w, "ian") && len(w) > 7)
}

// whole reports a phrase that is an occupation and nothing more.
func (r *reader) whole(obj span) bool {
	n, _ := r.lex.people.at(r.m.tokens, obj.lo)
	return n > 0 && obj.lo+n >= obj.hi
}

func (r *reader) hasDigit(obj span) bool {
	for k := obj.lo; k < obj.hi; k++ {
		if strings.ContainsAny(r.m.tokens[k].word, "0123456789") {
			return true
		}
	}
	return false
}

// joined reports a word at token k that joins a clause or begins an adverbial.
func (r *reader) joined(t []token, k int) bool {
	n, _ := r.lex.joins.at(t, k)
	return n > 0
}

// manner reports an adverbial of how to answer.
func (l *lexicon) manner(t []token, obj span) bool {
	for k := obj.lo; k < obj.hi; k++ {
		if n, _ := l.manners.at(t, k); n > 0 {
			return true
		}
	}
	return false
}

// refers are words that stand for something said elsewhere.
var refers = wordSet("it them this that these those")

// vagueTraits tell nothing of a person.
var vagueTraits = wordSet("big huge massive great real mixed good bad nice different better new changed total true complete happy lucky busy whole")

// lodgings are no homes.
var lodgings = wordSet("hotel hostel airbnb motel guesthouse lake-view next front back final table tears")

// kinds are nouns that name a kind with "the": "I love the sea".
var kinds = wordSet("sea ocean beach beaches mountain mountains outdoors cold heat rain snow sun sunshine winter summer spring autumn fall countryside forest woods desert city country night dark water piano guitar violin theatre theater cinema opera smell sound taste feeling sensation vibe aisle window gym library internet dentist quiet silence stars sky moon 80s 90s seaside lake lakes river office connection simplicity")

// restrictive words narrow what is liked to what is spoken of just now.
var restrictive = wordSet("that who which how when")

// pursuits are what people take up.
var pursuits = wordSet("volunteering surfing running swimming playing painting knitting cycling yoga pilates meditating learning gardening hiking climbing baking cooking jogging lifting boxing dancing journaling crocheting pottery taking doing going skiing snowboarding sailing rowing birdwatching photography drawing singing crossfit guitar piano woodworking sewing")

// numerals are numbers in words, as ages are given.
var numerals = wordSet(`one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty
ein eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn zwanzig dreißig vierzig fünfzig sechzig
uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince veinte treinta cuarenta cincuenta sesenta
一 二 三 四 五 六 七 八 九 十 两 半`)

// dayAt reports the name of a weekday at token k.
func (r *reader) dayAt(t []token, k int) bool {
	if r.lex.han {
		return k+1 < len(t) && (t[k].word == "周" || t[k].word == "週" || k+2 < len(t) && (t[k].word == "星" || t[k].word == "礼"))
	}
	_, ok := nounIn(t[k].word, weekday)
	return ok
}

// dated reports an explicit date: a day of a month, or one in figures.
func (r *reader) dated(t []token) bool {
	month, digits := false, false
	for _, tok := range t {
		w := tok.word
		if months[w] || w == "月" {
			month = true
		}
		if w[0] >= '0' && w[0] <= '9' {
			digits = true
			if strings.Count(w, "-") == 2 || strings.Count(w, ".") >= 1 && len(w) >= 4 || strings.Count(w, "/") > 0 {
				return true
			}
		}
		if r.lex.han && numerals[w] {
			digits = true
		}
	}
	return month && digits
}

// people reports a phrase that says what somebody is: "a nurse", "software
// engineer".
func (r *reader) people(obj span) bool {
	t := r.m.tokens
	head := obj.hi - 1
	for k := obj.lo + 1; k < obj.hi; k++ { // the head stands before "of", "for", "at"
		if r.lex.prefixes[t[k].word] {
			head = k - 1
			break
		}
	}
	if head < obj.lo {
		return false
	}
	for k := obj.lo; k < obj.hi; k++ {
		if n, _ := r.lex.people.at(t, k); n > 0 {
			return true
		}
	}
	if r.lex.of == "von" && !t[head].upper { // German nouns
		return false
	}
	w := t[head].word
	if r.lex.of == "de" { // Spanish: the head comes first
		w = t[obj.lo].word
	}
	if r.lex.vague[w] {
		return false
	}
	if r.lex.han {
		w = t[obj.hi-1].word
		for k := obj.lo; k < obj.hi; k++ {
			if n, _ := r.lex.belongs.at(t, k); n > 0 {
				return false
			}
		}
	}
	for _, end := range r.lex.peopleEnds {
		if strings.HasSuffix(w, end) && len(w) > len(end)+1 || w == end && (r.lex.han || len(end) > 3) {
			return true
		}
	}
	return false
}
