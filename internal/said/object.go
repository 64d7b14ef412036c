package said

import (
	"regexp"
	"strings"
)

// build makes the claim of a match, unless its object is no valid value.
func (r *reader) build(s sentence, before termFlags, subject string) (Claim, bool) {
	m, p := &r.m, r.m.p
	flags := m.flags | before
	if subject == "I" && p.flags&own != 0 && r.mayBeTheirs() {
		return Claim{}, false
	}
	c := Claim{Subject: subject, Temporal: p.temporal, Preference: p.flags&preference != 0, Wish: p.flags&wishes != 0}
	end := s.hi
	if len(m.tokens) > 0 && s.question && m.end > 0 {
		end = 0
		for _, t := range m.tokens {
			end = max(end, t.hi)
		}
	}
	c.Sentence = strings.TrimSpace(r.text[s.lo:end])

	obj, ended := m.obj, m.ended
	if end := m.end; (p.flags&preference != 0 && !c.Wish || negative(Claim{Predicate: p.predicate})) && !obj.empty() && obj.hi == end && end < len(m.tokens) && conditions[m.tokens[end].word] {
		obj.hi = m.objectEnd(end + 1) // "coffee after six"
		m.end = obj.hi
	}
	if !obj.empty() && m.value == "" {
		var more termFlags
		obj, ended, more = r.polish(obj, ended, p.predicate == "prefers" || lowerPreference(r.lex, p))
		_, after := r.lex.trails.at(m.tokens, m.end)
		flags |= more | after&flagNew // "… is 4417 from today"

		if m.end+1 < len(m.tokens) && m.tokens[m.end].word == "," { // "…, too"
			n, after := r.lex.trails.at(m.tokens, m.end+1)
			if end := m.end + 1 + n; end == len(m.tokens) || m.tokens[end].mark {
				flags |= after & flagAlso
			}
		}
		if m.class&bearers != 0 {
			obj = r.oneName(obj)
		}
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
		c.Indefinite = obj.lo > 0 && indefinite[m.tokens[obj.lo-1].word] || oneHan.MatchString(c.Object)
	case p.value != "" && c.Wish:
		c.Object = r.textOf(span{m.from, m.end})
	case p.value != "":
		at := m.lastAt
		if n, s := r.lex.adverbs.at(m.tokens, at.lo); n > 0 && s&(flagNot|flagEnds) != 0 {
			at = m.verbAt
		}
		c.Object = r.textOf(at)
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
	if c.Predicate == "phone_number" && digitsIn(c.Object) < shortestNumber && (c.Object != "" || p.flags&denied != 0 && !strings.Contains(m.phrase(m.noun), "num") && !strings.Contains(m.phrase(m.noun), "号")) {
		c.Predicate = "phone_model" // "my phone is a Fairphone", "I sold my phone"
	}
	if c.Predicate == "car" && r.driven(obj) {
		c.Predicate = "drives"
	}
	if _, ok := nounIn(strings.TrimPrefix(c.Subject, "my "), pet); ok && c.Predicate == "works_as" {
		c.Predicate = "pet_breed"
	}
	switch p.subject {
	case "":
	case "$":
		if subject != "I" && p.flags&denied != 0 {
			return c, false // what somebody else has given up
		}
		c.Subject = nounName
	default:
		c.Subject = p.subject
	}

	if subject != "I" && c.Predicate == "does" {
		return c, false // usually a current activity
	}
	c.Functional = p.flags&functional != 0 && c.Predicate != "drives"
	c.Change = p.flags&changes != 0 || flags&(flagNew|flagEnds) != 0
	if p.flags&wishes != 0 {
		c.Change = p.flags&changes != 0 || flags&flagNew != 0
	}
	if flags&flagNew != 0 && p.flags&adds == 0 && m.class&(kin|friend|pet) == 0 && !c.Wish {
		c.Functional = true
	}
	if flags&flagAlso != 0 || (m.class&(kin|friend) != 0 || neighbours[m.canon]) && p.predicate == "$" || m.class == pet {
		c.Functional = false
		c.Change = c.Change && flags&flagAlso == 0
	}
	if p.flags&negates != 0 && !c.Denied {
		flags &^= flagEnds // "I don't eat meat any more"
	}
	c.Denied = p.flags&denied != 0
	if flags&(flagNot|flagEnds) != 0 && !c.Denied && !c.Wish {
		switch {
		case p.deny != "":
			c.Predicate = p.deny
		case p.flags&deniable != 0 || flags&flagEnds != 0 && c.Predicate != "":
			c.Denied = true
		default:
			return c, false
		}
	}
	if denies := c.Denied || c.Predicate == "dislikes" || c.Predicate != "" && c.Predicate == p.deny; denies && p.flags&changes == 0 && r.restrictedAt(m.end) {
		return c, false // "I don't drive at night"
	}
	if c.Temporal == State && !c.Preference && p.guard != "dose" && (flags&flagHabit != 0 || onDays[c.Predicate] && r.timed(obj)) {
		c.Temporal = Habit
		c.Functional = c.Functional && !onDays[c.Predicate]
	}
	if !r.accepts(p.guard, obj, flags, &c) {
		return c, false
	}
	if c.Ended != "" && sameObject(c.Ended, c.Object) {
		c.Ended = ""
	}
	return c, true
}

// driven reports whether an object is a vehicle that people drive at work: "a city bus".
func (r *reader) driven(obj span) bool {
	for k := obj.lo; k < obj.hi; k++ {
		switch w := r.m.phrase(span{k, obj.hi}); {
		case k > obj.lo && r.lex.prefixes[r.m.tokens[k].word]: // "a bus in Leeds"
			return publicVehicles[r.m.tokens[k-1].word]
		case publicVehicles[w]:
			return k == obj.lo || !r.m.tokens[k-1].upper
		}
	}
	return false
}

var publicVehicles = wordSet("bus coach tram train taxi cab lorry ambulance forklift linienbus schulbus straßenbahn tram zug lkw laster krankenwagen rettungswagen autobús bus tranvía tren camión ambulancia 公交 公交车 巴士 大巴 校车 出租车 的士 地铁 火车 货车 大货车 卡车 救护车 网约车")

// indefinite are articles of what is not named.
var (
	indefinite = wordSet("a an ein eine einen einem einer nem ner un una unos unas")
	oneHan     = regexp.MustCompile(`^一(?:个|家|间|套|所|座)`)
)

// onDays are predicates that may have another object on some days.
var onDays = map[string]bool{"lives_in": true, "works_at": true, "works_as": true, "car": true}

// timed reports whether an object contains a day or a recurring time: "home on
// Thursdays".
func (r *reader) timed(obj span) bool {
	for k := obj.lo + 1; k < obj.hi; k++ {
		if !r.lex.han && r.lex.timely[r.m.tokens[k].word] || r.dayAt(r.m.tokens, k) {
			return true
		}
	}
	return false
}

// restrictedAt reports whether token i begins an adverbial that restricts what precedes
// it, as in "at night", unlike a reason or "since May".
func (r *reader) restrictedAt(i int) bool {
	t := r.m.tokens
	if i+1 < len(t) && t[i].word == "," && conditions[t[i+1].word] {
		return true
	}
	if i >= len(t) {
		return false
	}
	w := t[i].word
	return conditions[w] || r.lex.timely[w] || r.lex.prefixes[w] && !lasts[w]
}

// conditions are words that begin a clause of time or condition.
var conditions = wordSet("after before when whenever while if unless until till wenn während bevor nachdem cuando mientras")

// lasts are prepositions of what holds from then on, and of reasons.
var lasts = wordSet("since as as_of per like seit ab wegen als desde por como 自 因 以 现 目 今 为 作")

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

// lowerPreference reports whether a language has one word for likes and prefers.
func lowerPreference(l *lexicon, p *pattern) bool {
	return p.predicate == "likes" && l.of == "von"
}

// openPredicate returns the predicate of a noun phrase that is in no table.
func (r *reader) openPredicate(noun span) string {
	phrase := r.m.phrase(noun)
	if f := favouriteOf(phrase); f != "" && (strings.HasPrefix(phrase, "lieblings") || strings.HasPrefix(r.m.p.predicate, "favourite_")) {
		return f
	}
	for k := noun.lo; k < noun.hi; k++ {
		w := r.m.tokens[k].word
		if r.lex.vague[w] {
			return ""
		}
	}
	for k := noun.lo + 1; k <= noun.hi; k++ { // "my sister Noor"
		if _, ok := nounIn(phraseOf(r.m.tokens[noun.lo:k]), bearers); ok {
			return ""
		}
	}
	return predicateOf(phrase)
}

// shortestNumber is the minimum number of digits of a telephone number.
const shortestNumber = 4

func digitsIn(s string) (n int) {
	for _, b := range []byte(s) {
		if b >= '0' && b <= '9' {
			n++
		}
	}
	return n
}

// favouriteOf returns the predicate of "lieblingsfarbe" or of the noun in
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

// polish strips articles and trailing adverbials from an object, and splits off
// the object that ended: after "instead of", or in "not X but Y".
func (r *reader) polish(obj, ended span, prefers bool) (span, span, termFlags) {
	var flags termFlags
	if ended.empty() {
		obj, ended, flags = r.notBut(obj)
	}
	if ended.empty() {
		var more termFlags
		obj, ended, more = r.insteadOf(obj, prefers)
		flags |= more
	}
	if ended.empty() {
		var more termFlags
		ended, more = r.notThis(obj, prefers)
		flags |= more
	}
	obj, more := r.trimEnd(obj)
	flags |= more
	obj, more = r.trimStart(obj)
	return obj, ended, flags | more
}

// notBut splits "not X but Y".
func (r *reader) notBut(obj span) (span, span, termFlags) {
	m, lex := &r.m, r.lex
	n, _ := lex.notButs[0].at(m.tokens, obj.lo)
	if n == 0 {
		return obj, span{}, 0
	}
	for k := obj.lo + n; k < min(obj.lo+12, len(m.tokens)); k++ {
		b, _ := lex.notButs[1].at(m.tokens, k)
		if b == 0 {
			continue
		}
		ended := span{obj.lo + n, k}
		obj = span{k + b, m.objectEnd(k + b)}
		m.end = obj.hi
		return obj, ended, flagNew
	}
	return obj, span{}, 0
}

// insteadOf splits "tea instead of coffee" and, in a preference, "tea over
// coffee".
func (r *reader) insteadOf(obj span, prefers bool) (span, span, termFlags) {
	m, lex := &r.m, r.lex
	for k := obj.lo + 1; k < obj.hi; k++ {
		n, _ := lex.instead.at(m.tokens, k)
		if n == 0 && prefers {
			if n, _ = lex.over.at(m.tokens, k); n > 0 && m.tokens[k].word == "to" && obj.hi-k-n > 2 {
				n = 0 // "to" and a verb
			}
		}
		if n == 0 {
			continue
		}
		ended := span{k + n, obj.hi}
		obj.hi = k
		if ended.empty() || prefers {
			return obj, ended, 0
		}
		return obj, ended, flagNew
	}
	return obj, span{}, 0
}

// notThis returns the object that ended, after the object: "…, not Noor", "…
// instead of tea".
func (r *reader) notThis(obj span, prefers bool) (span, termFlags) {
	m, lex := &r.m, r.lex
	k := obj.hi
	if k >= len(m.tokens) {
		return span{}, 0
	}
	if m.tokens[k].mark && m.tokens[k].word == "," {
		k++
	}
	flags := flagNew
	n, _ := lex.instead.at(m.tokens, k)
	if n == 0 && (k > obj.hi || m.tokens[k].word == "and") {
		n, _ = lex.nots.at(m.tokens, k)
	}
	if n == 0 && prefers && k == obj.hi {
		n, _ = lex.over.at(m.tokens, k)
		flags = 0
	}
	if n == 0 || k+n >= len(m.tokens) {
		return span{}, 0
	}
	end := m.objectEnd(k + n)
	if end-k-n > 5 || m.beginsClause(k+n) && flags != 0 {
		return span{}, 0
	}
	m.end = end
	return span{k + n, end}, flags
}

// trimEnd strips adverbials, marks and prepositions from the end of an object.
func (r *reader) trimEnd(obj span) (span, termFlags) {
	m, lex := &r.m, r.lex
	var flags termFlags
	for k := max(obj.lo, obj.hi-6); k < obj.hi; k++ {
		n, s := lex.trails.at(m.tokens[:obj.hi], k)
		if n == 0 && !lex.han {
			n, s = lex.adverbs.at(m.tokens[:obj.hi], k)
		}
		if n > 0 && k+n == obj.hi {
			flags |= s
			obj.hi -= n
			k = max(obj.lo, obj.hi-6) - 1
		}
	}
	for obj.hi > obj.lo {
		last := m.tokens[obj.hi-1]
		joins, _ := lex.joins.at(m.tokens[:obj.hi], obj.hi-1)
		if !last.mark && (lex.han || !lex.prefixes[last.word] && joins == 0 || obj.hi-obj.lo == 1) {
			break
		}
		obj.hi--
	}
	return obj, flags
}

// trimStart strips articles, marks and adverbs from the start of an object.
func (r *reader) trimStart(obj span) (span, termFlags) {
	m, lex := &r.m, r.lex
	var flags termFlags
	for obj.lo < obj.hi {
		first := m.tokens[obj.lo]
		article := lex.articles[first.word] && !first.quoted && obj.hi-obj.lo > 1 && (!first.upper || obj.lo == 0)
		if article || first.mark {
			obj.lo++
			continue
		}
		n, s := lex.adverbs.at(m.tokens[:obj.hi], obj.lo)
		if n == 0 || lex.han || obj.lo+n >= obj.hi {
			break
		}
		flags |= s
		obj.lo += n
	}
	return obj, flags
}

// toldName reports whether an object is a name because a word says so: "My name is ana",
// "Our dog is called rex".
func (v *value) toldName() bool {
	w := v.first.word
	return v.reader.phone && v.n == 1 && (v.claim.Predicate == "name" && v.claim.Subject == "I" && !v.claim.Wish || v.before == "called" || v.before == "named") &&
		!v.lex.known[w] && !v.lex.vague[w] && !v.lex.traits[w]
}

// othersZH reports whether a Chinese object begins with somebody: 朋友海鲜, 客人花生.
func (v *value) othersZH() bool {
	_, n := v.m.somebodyAt(v.obj.lo)
	return n > 0 || v.n > 1 && strangers[v.m.phrase(span{v.obj.lo, v.obj.lo + 2})]
}

var strangers = wordSet("客人 别人 有人 有的 大家 客户 顾客 同学 室友 邻居 病人 学生 女生 男生 嘉宾")
