package said

import (
	"strings"
	"unicode/utf8"
)

// accepts reports whether an object passes the guard of its row.
func (r *reader) accepts(guard string, obj span, said says, c *Claim) bool {
	m, lex := &r.m, r.lex
	if c.Subject == "she" && c.Ended == "" && r.person == "" {
		return false // whose name?
	}
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
	if k, _ := lex.joins.at(t, obj.lo); k > 0 && !first.quoted && !lex.han {
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
		return article || first.upper || first.quoted || r.lower || r.hasDigit(span{obj.lo, min(obj.hi, obj.lo+2)}) || lex.han
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
		return lex.verbs[first.word] && (obj.lo <= 2 || t[obj.lo-2].mark)
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
		return lex.manner(t, obj) && n <= 4 && (n <= 2 || lex.manner(t, span{obj.hi - 2, obj.hi}))
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
		return n <= 12 && (!lex.vague[first.word] || first.word == "me") && standing(lex, t) && (m.from <= 2 || t[m.from-1].mark)
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
var kinds = wordSet("sea ocean beach beaches mountain mountains outdoors cold heat rain snow sun sunshine winter summer spring autumn fall countryside forest woods desert city country night dark water piano guitar violin theatre theater cinema opera smell sound taste feeling aisle window gym library internet dentist quiet silence stars sky moon 80s 90s seaside lake lakes river office")

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
			if strings.Count(w, "-") == 2 || strings.Count(w, ".") >= 2 || strings.Count(w, "/") > 0 {
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
