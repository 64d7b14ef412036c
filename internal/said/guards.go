package said

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// value is an object that a guard checks.
type value struct {
	reader  *reader
	lex     *lexicon
	m       *matcher
	t       []token
	obj     span
	n       int    // its words
	first   *token // its first word
	before  string // the word before it
	flags   termFlags
	claim   *Claim
	article bool // it has an article
	capital bool // one of its words has a capital, or its writer uses none
}

// accepts reports whether an object passes the guard of its row.
func (r *reader) accepts(guard string, obj span, flags termFlags, c *Claim) bool {
	m, lex := &r.m, r.lex
	if c.Subject == "she" && c.Ended == "" && r.person.subject == "" {
		return false // the owner of the name is unknown
	}
	if obj.empty() || m.value != "" {
		return guard != "habit" || flags&flagHabit != 0
	}
	v := value{reader: r, lex: lex, m: m, t: m.tokens, obj: obj, n: obj.hi - obj.lo, first: &m.tokens[obj.lo], flags: flags, claim: c}
	if obj.lo > 0 {
		v.before = v.t[obj.lo-1].word
	}
	v.article = lex.articles[v.before] || lex.articles[v.first.word]
	v.capital = !lex.han && r.lower
	for _, t := range v.t[obj.lo:obj.hi] {
		v.capital = v.capital || t.upper || t.quoted
	}
	if v.saysNothing() || m.p.most > 0 && (v.n < m.p.least || v.n > m.p.most) {
		return false
	}
	test, ok := guards[guard]
	return !ok || test(&v)
}

// saysNothing reports whether an object cannot be a value of any row.
func (v *value) saysNothing() bool {
	if v.first.quoted {
		return v.lex.vague[v.first.word] && v.n == 1
	}
	if v.lex.han && strings.ContainsAny(v.claim.Object, "啥哪谁咋") || !v.lex.han && v.lex.joins.in(v.t, v.obj.lo) {
		return true // in Chinese it asks: 我对象是干啥的
	}
	single := v.n == 1 && utf8.RuneCountInString(v.first.word) == 1 && !v.first.upper
	return single || v.lex.vague[v.first.word] && (v.n == 1 || v.m.p.guard != "wish")
}

// doseZH matches an amount of medicine.
var doseZH = regexp.MustCompile(`(?i)(?:克|毫升|单位|[片粒颗针滴]|mg|ug|μg|ml|iu)$`)

// weekdayHan matches what is no name of somebody called 周.
var weekdayHan = regexp.MustCompile(`^周[一二三四五六日天末]`)

// han reports whether a token is a Chinese character.
func han(t token) bool { r, _ := utf8.DecodeRuneInString(t.word); return isHan(r) }

// guards are the tests that rows name with is=….
var guards = map[string]func(v *value) bool{
	"name": func(v *value) bool { // of a person or a thing
		return v.toldName() || v.capital && v.n <= 6 && (v.first.upper || v.first.quoted || v.reader.lower || v.article) && !v.describes()
	},
	"noun": func(v *value) bool { // not an adjective alone
		if v.tellsState() {
			return false
		}
		if trades[v.m.canon] {
			return v.reader.people(v.obj) || v.first.upper && !v.article && v.lex.of != "von"
		}
		return v.article || v.first.upper || v.first.quoted || v.reader.lower || strings.Contains(v.first.word, "@") || v.reader.hasDigit(span{v.obj.lo, min(v.obj.hi, v.obj.lo+2)}) || v.lex.han
	},
	"tradezh": func(v *value) bool { // not 我的工作是个坑
		return v.reader.people(v.obj) || v.n >= 2 && !counters[v.before] && (v.obj.hi == len(v.t) || v.t[v.obj.hi].word != "的")
	},
	"place": func(v *value) bool {
		if lodgings[v.t[v.obj.hi-1].word] || lodgings[v.first.word] || v.n > 1 && lodgings[v.t[v.obj.lo+1].word] {
			return false
		}
		if v.before == "on" && !v.first.upper && !isStreet(v.claim.Object) { // "I live on coffee"
			return false
		}
		if v.claim.Predicate == "from" && errands[v.first.word] {
			return false
		}
		return (v.capital || v.article || v.lex.han || countries[canonical(v.claim.Object)]) && !(v.claim.Predicate == "works_at" && v.occupies())
	},
	"employer": func(v *value) bool {
		return !v.occupies() && (v.lex.han || v.first.upper || v.reader.lower && (v.lex.of == "von" || !v.article))
	},
	"person": func(v *value) bool { // an occupation
		_, other := nounIn(v.m.phrase(v.obj), diet|condition|status)
		how, _, _ := strings.Cut(v.claim.Object, "的")
		if v.n > 1 && (rates[v.first.word] || rates[how] || v.lex.of == "de" && rates[v.t[v.obj.hi-1].word]) { // "a bad driver" drives badly
			v.claim.Predicate, v.claim.Temporal, v.claim.Functional = "is", Trait, false
		}
		return !other && !(v.lex.of == "von" && v.lex.prefixes[v.first.word]) && v.reader.people(v.obj) && !(v.lex.of == "de" && v.n == 2 && !v.first.upper && v.t[v.obj.hi-1].upper) // "la doctora Ferrer"
	},
	"like": func(v *value) bool {
		if v.lex.reacts.in(v.t, v.obj.lo) || v.obj.lo > 0 && v.lex.reacts.in(v.t, v.obj.lo-1) || v.lex.of == "von" && (v.before == "der" || v.before == "dem") { // "auf der Matte" one stands
			return false
		}
		if v.before == "the" && !v.first.upper && !v.first.quoted && v.m.p.flags&preference != 0 && !kinds[v.first.word] {
			return false // it refers to the current conversation
		}
		if last := v.t[v.obj.hi-1].word; v.lex.prefixes[v.first.word] && v.first.word != "to" && !v.first.quoted && !v.lex.han && !v.first.upper || refers[last] {
			return false
		}
		return v.m.end >= len(v.t) || !restrictive[v.t[v.m.end].word]
	},
	"ordered": func(v *value) bool { // begins with an action of an assistant
		return v.lex.verbs[v.first.word] && (v.obj.lo <= 2 || v.t[v.obj.lo-2].mark)
	},
	"correction": func(v *value) bool {
		return v.n <= 4 && v.m.end >= len(v.t)
	},
	"repair": func(v *value) bool { // "no, Thursday, not Tuesday"
		return v.obj.lo > 0 && v.lex.repairs[v.t[0].word] && v.n <= 3 && v.m.end >= len(v.t) &&
			!slices.ContainsFunc(v.t[v.obj.lo:v.obj.hi], func(t token) bool { return v.lex.repairs[t.word] })
	},
	"now": func(v *value) bool {
		return v.flags&flagNew != 0 && v.n <= 6 && !strings.HasSuffix(v.claim.Object, "店")
	},
	"pursuit": func(v *value) bool { // "surfing", something to take up
		return pursuits[v.first.word] && v.n <= 5
	},
	"day": func(v *value) bool {
		return v.obj.holds(func(k int) bool { return v.reader.dayAt(v.t, k) || v.lex.timely[v.t[k].word] })
	},
	"date": func(v *value) bool {
		return v.reader.dated(v.t[v.obj.lo:v.obj.hi])
	},
	"number": func(v *value) bool { // in Chinese nothing else: "我女儿六岁" is no age of the writer's
		some, all := false, true
		for k := v.obj.lo; k < v.obj.hi; k++ {
			w := v.t[k].word
			is := w[0] >= '0' && w[0] <= '9' || numerals[w]
			some, all = some || is, all && is
		}
		return some && (all || !v.lex.han)
	},
	"dose":    (*value).dose,
	"reading": (*value).isReading,
	"code": func(v *value) bool { // to type: 9026, blue7fox, 12 34; "4 digits" is none
		end := v.obj.lo
		for end < v.obj.hi && v.reader.hasDigit(span{end, end + 1}) {
			end++
		}
		v.claim.Object = v.reader.textOf(span{v.obj.lo, end})
		return end > v.obj.lo && (end == v.obj.hi || len(v.claim.Object) >= shortestNumber)
	},
	"digits": func(v *value) bool {
		return strings.ContainsAny(v.claim.Object, "0123456789")
	},
	"habit": func(v *value) bool {
		if last := v.t[v.obj.hi-1]; v.m.verb == "habe" && !last.upper && strings.HasPrefix(last.word, "ge") && v.endsIn("t", "en") {
			return false // "habe morgens gegossen"
		}
		if v.flags&flagHabit != 0 {
			return true
		}
		if (span{v.obj.lo, min(v.obj.hi+3, len(v.t))}).holds(v.recurs) {
			v.claim.Temporal = Habit
			return true
		}
		return false
	},
	"post": func(v *value) bool { // not "trabajo de noche", "de lunes a viernes"
		return v.n <= 8 && !shifts[v.first.word] && !v.lex.timely[v.first.word] && !v.reader.dayAt(v.t, v.obj.lo) && !v.reader.hasDigit(v.obj)
	},
	"entire": func(v *value) bool { // a name that fills the sentence
		return v.capital && v.n <= 4 && v.reader.proper(v.obj) && v.m.end >= len(v.t)
	},
	"proper": func(v *value) bool { // the name of a person
		return v.reader.proper(v.obj) && !v.describes()
	},
	"age": func(v *value) bool {
		word := v.first.word
		digits := word[0] >= '1' && word[0] <= '9' && len(word) <= 3
		switch last := v.m.end >= len(v.t); {
		case v.n != 1:
			return false
		case last:
			return digits || numerals[word] && len(word) > 2
		default: // "I'm 34 and …", not "I'm 2 minutes away"
			return digits && len(word) == 2 && (v.t[v.m.end].mark || v.lex.joins.in(v.t, v.m.end))
		}
	},
	"value": func(v *value) bool { // of an open noun: a name, a number, a thing
		return v.n <= 6 && !v.reader.people(v.obj) && !v.tellsState() && (v.first.upper && !v.lex.vague[v.first.word] || v.first.quoted || v.reader.hasDigit(v.obj))
	},
	"manner": (*value).manner,
	"favourite": func(v *value) bool { // the noun of the row says that it is a favourite
		return strings.HasPrefix(v.claim.Predicate, "favourite_") && v.reader.favourite(v.m.noun) || v.claim.Predicate == "likes" && v.reader.favourite(v.m.noun)
	},
	"title": func(v *value) bool { // a name, or a title and a name
		capital := v.t[v.obj.hi-1].upper && v.n > 1
		return !v.describes() && (v.first.upper && v.n <= 5 && (!v.reader.people(v.obj) || capital) || v.lex.of == "de" && v.n <= 4 && capital || v.reader.lower && v.n <= 2)
	},
	"allergy": func(v *value) bool { // a German compound: Nussallergie
		return v.n <= 2 && v.endsIn("allergie", "intoleranz", "unvertraglichkeit")
	},
	"infinitive": func(v *value) bool {
		return v.n <= 8 && strings.HasSuffix(v.t[v.obj.hi-1].word, "en")
	},
	"emoji": func(v *value) bool {
		return v.n == 1 && emojis[v.first.word]
	},
	"school": func(v *value) bool {
		return v.n <= 3 && v.t[v.obj.hi-1].word != "schule" && v.endsIn("schule", "gymnasium", "kolleg", "kindergarten", "kita", "krippe")
	},
	"institution": func(v *value) bool { // a noun and a name: "Kanzlei Roth", not "Küche"
		return v.n >= 2 && v.n <= 5 && v.t[v.obj.hi-1].upper && !v.lex.prefixes[v.t[v.obj.lo+1].word]
	},
	"studies": func(v *value) bool {
		return v.n <= 5 && !v.lex.vague[v.first.word] && !v.lex.prefixes[v.first.word]
	},
	"languages": func(v *value) bool {
		_, ok := nounIn(v.first.word, language)
		return ok
	},
	"order": func(v *value) bool { // a Spanish imperative: usa, responde
		return v.n <= 10 && (strings.HasSuffix(v.first.word, "a") || strings.HasSuffix(v.first.word, "e")) && standing(v.lex, v.t) && v.obj.lo <= 2
	},
	"placezh": func(v *value) bool { // 我是四川人, not 我是好人
		return v.n >= 2 && v.n <= 6 && !v.reader.people(v.obj) && !counters[v.first.word] && !anybody[v.claim.Object]
	},
	"movezh": func(v *value) bool { // not 沙发上
		return !strings.HasSuffix(v.claim.Object, "上") && !strings.HasSuffix(v.claim.Object, "酒店")
	},
	"livezh": func(v *value) bool {
		end := v.claim.Object
		if v.before == "住" && staysHan.MatchString(end) || end == "一起" || end == "家里" {
			return false // 我住得很远, 我住六楼
		}
		return v.n >= 2 && !v.lex.subjects[v.first.word] && v.first.word != "院" && v.first.word != "宿" && !strings.HasSuffix(end, "店") && !strings.HasSuffix(end, "馆") && !strings.HasSuffix(end, "民宿")
	},
	"firstzh": func(v *value) bool { // in the first clause, whose missing subject is the writer
		return v.n <= 10 && !strings.HasSuffix(v.claim.Object, "上") && !slices.ContainsFunc(v.t[:v.m.from], func(t token) bool { return t.mark })
	},
	"callzh": func(v *value) bool { // what somebody is called
		return v.n <= 6 && !v.describes() && !v.lex.vague[v.first.word] && v.t[v.obj.hi-1].word != "的"
	},
	"codezh": func(v *value) bool { // digits, perhaps with letters
		return v.n <= 5 && digitsIn(v.claim.Object) > 2 && !slices.ContainsFunc(v.t[v.obj.lo:v.obj.hi], han)
	},
	"amountzh": func(v *value) bool {
		return slices.Contains([]string{"rent", "tuition", "salary", "budget"}, v.claim.Predicate) && v.n <= 6 && (numerals[v.first.word] || v.reader.hasDigit(span{v.obj.lo, v.obj.lo + 1}))
	},
	"dosezh": func(v *value) bool { // a number and a unit of medicine, after its name or as its change
		at := v.obj.lo
		for at < v.obj.hi && !numerals[v.t[at].word] && !v.reader.hasDigit(span{at, at + 1}) {
			at++
		}
		amount := v.reader.textOf(span{at, v.obj.hi})
		if v.obj.hi-at > 5 || !doseZH.MatchString(amount) || (at == v.obj.lo) != !v.m.noun.empty() || at-v.obj.lo > 10 {
			return false
		}
		v.claim.Object = amount
		if v.m.noun.empty() {
			v.claim.Subject = v.m.phrase(span{v.obj.lo, at})
		}
		return !strings.Contains(v.claim.Subject, "了")
	},
	"soldzh": func(v *value) bool { // what was sold, not 客户把照片
		return v.n >= 2 && v.n <= 8 && !v.othersZH() && !strings.ContainsAny(v.claim.Object, "把被给都没不")
	},
	"topiczh": func(v *value) bool { // what is used for something
		topic := v.m.phrase(v.m.noun)
		return (v.n >= 2 || !han(*v.first)) && v.n <= 10 && v.m.noun.hi-v.m.noun.lo >= 2 && v.m.noun.hi-v.m.noun.lo <= 6 && !v.lex.vague[v.first.word] &&
			!strings.ContainsAny(topic, "把被给让没不想要会能可今明昨这那下上")
	},
	"dayzh": func(v *value) bool { // a recurring day, not 这周三
		return v.n <= 8 && !v.lex.vague[v.first.word] && v.first.word != "下" && v.first.word != "上" && v.reader.dayAt(v.t, v.obj.lo)
	},
	"foodzh": func(v *value) bool { // not 宝宝对牛奶, nor 豆豆花生
		_, somebody := v.reader.personAt(v.t, v.obj.lo)
		return v.n <= 8 && somebody == 0 && !v.othersZH() && !strings.Contains(v.claim.Object, "对")
	},
	"valuezh": func(v *value) bool {
		return v.n >= 1 && v.n <= 20 && !v.lex.vague[v.first.word] && !(v.n <= 2 && !v.reader.hasDigit(v.obj)) && v.first.word != "好" && v.first.word != "很"
	},
	"unit": func(v *value) bool {
		if digitsIn(v.claim.Object) > 0 {
			return false // "convert 98.6 Fahrenheit to Celsius" is a task
		}
		return v.n <= 6 && (v.lex.units[v.first.word] || v.lex.units[v.t[v.obj.hi-1].word])
	},
	"field": func(v *value) bool {
		return v.n <= 5 && !v.article && !v.lex.possessives[v.first.word]
	},
	"pupilzh": func(v *value) bool { // somebody else, since a writer may teach there
		return v.claim.Subject != "I" && v.n >= 2 && v.n <= 8
	},
	"wish": func(v *value) bool {
		return v.n <= 12 && (!v.lex.vague[v.first.word] || v.first.word == "me") && standing(v.lex, v.t) && (v.m.from <= 2 || v.t[v.m.from-1].mark)
	},
	"upper": func(v *value) bool {
		if v.claim.Predicate == "lives_in" && lodgings[v.first.word] || v.claim.Predicate == "from" && errands[v.first.word] {
			return false
		}
		return v.first.upper || v.reader.lower || countries[canonical(v.claim.Object)] || v.reader.phone && v.lex.of == "von" && v.n == 1 && !v.lex.known[v.first.word] && !v.lex.vague[v.first.word]
	},
	"days": func(v *value) bool { // recurring days
		return v.obj.holds(v.recurs)
	},
	"always": func(v *value) bool {
		return v.flags&flagAlways != 0 && !v.lex.reacts.in(v.t, v.obj.lo)
	},
	"imperative": func(v *value) bool { // begins with a verb and does not mention the writer
		return v.n <= maxObject && !v.lex.subjects[v.first.word] && !v.lex.articles[v.first.word] && !v.lex.prefixes[v.first.word] && !v.first.mark && !strings.HasSuffix(v.first.word, "ing") && !v.first.upper && v.first.word != "let" && v.first.word != "lets" && v.first.word != "is"
	},
	"ing": func(v *value) bool {
		return strings.HasSuffix(v.first.word, "ing") && len(v.first.word) > 5
	},
	"food": func(v *value) bool {
		_, active := nounIn(v.m.phrase(v.obj), activity)
		return !active && !v.lex.reacts.in(v.t, v.obj.lo) && v.n <= 7 && !v.article && !v.lex.possessives[v.first.word] && !v.lex.prefixes[v.first.word] && (v.lex.han || v.lex.of != "of" || !strings.HasSuffix(v.first.word, "ing"))
	},
	"trait": func(v *value) bool { // "dog" in "a dog person"
		return v.n <= 2 && !vagueTraits[v.first.word]
	},
	"close": func(v *value) bool {
		return v.reader.close(v.obj, v.claim)
	},
}

// favourite reports whether a noun phrase names a favourite: "Lieblingsfarbe".
func (r *reader) favourite(noun span) bool {
	return !noun.empty() && strings.HasPrefix(r.m.tokens[noun.lo].word, "lieblings")
}

// proper reports whether an object is a name: capitalised words that are in no
// table.
func (r *reader) proper(obj span) bool {
	t := r.m.tokens
	if obj.hi-obj.lo > 5 {
		return false
	}
	first := &t[obj.lo]
	if !first.upper && !first.quoted && !r.lower || first.word[0] >= '0' && first.word[0] <= '9' {
		return false
	}
	_, spoken := nounIn(first.word, language)
	if _, ok := nounIn(r.m.phrase(obj), diet|status|condition); ok || spoken {
		return false
	}
	w := first.word
	if r.lower && (len(w) < 3 || r.lex.known[w]) || r.lex.vague[w] || r.lex.prefixes[w] && !r.lex.han {
		return false
	}
	if r.lex.of == "von" && obj.hi-obj.lo == 1 && r.people(obj) {
		return false
	}
	return !strings.HasSuffix(w, "ese") && !strings.HasSuffix(w, "ish") && !(strings.HasSuffix(w, "ian") && len(w) > 7)
}

func (r *reader) hasDigit(obj span) bool {
	return obj.holds(func(k int) bool { return strings.ContainsAny(r.m.tokens[k].word, "0123456789") })
}

// endsIn reports whether the last word has one of the endings.
func (v *value) endsIn(ends ...string) bool {
	return slices.ContainsFunc(ends, func(end string) bool { return strings.HasSuffix(v.t[v.obj.hi-1].word, end) })
}

// recurs reports whether token k says that something recurs: "every", "Tuesdays".
func (v *value) recurs(k int) bool {
	return v.lex.timely[v.t[k].word] || v.reader.dayAt(v.t, k) && (v.lex.han || strings.HasSuffix(v.t[k].word, "s"))
}

// manner reports whether an object says how to answer, and nothing to write about, unlike
// "explain volcanoes briefly".
func (v *value) manner() bool {
	says := false
	for k := v.obj.lo; k < v.obj.hi; k++ {
		switch n, _ := v.lex.manners.at(v.t, k); {
		case n > 0:
			says = true
			k += n - 1
		case !v.lex.known[v.t[k].word]:
			return false
		}
	}
	return says && v.n <= 4
}

var emojis = wordSet("emoji emojis emoticons smileys")

// anybody are words before 人 that name no place.
var anybody = wordSet("年轻 成年 未成年 中年 老年 残疾 负责 当事 联系 主持 老实 过来 局外 本地 外地 当地 陌生 正常 普通 有钱 聪明 明白 单身")

// refers are words that refer to another sentence.
var refers = wordSet("it them this that these those")

// vagueTraits do not describe a person.
var vagueTraits = wordSet("big huge massive great real mixed good bad nice different better new changed total true complete happy lucky busy whole")

// lodgings are places to stay that are no residence.
var lodgings = wordSet("hotel hostel airbnb motel guesthouse home pace weekend weekends lake-view next front back final table tears fear hope denial poverty peace style luxury harmony squalor exile misery pain shame dread limbo panic paz pecado sofa couch settee garden patio balcony kitchen wohnzimmer gästezimmer garten")

// errands are places that one comes from and is not of.
var errands = wordSet("dentist doctor doctors doctor's gym shop shops hospital station airport pub stadt schule arbeit klinik praxis bahn")

// kinds are nouns that name a kind with "the": "I love the sea".
var kinds = wordSet("sea ocean beach beaches mountain mountains outdoors cold heat rain snow sun sunshine winter summer spring autumn fall countryside forest woods desert city country night dark water piano guitar violin theatre theater cinema opera smell sound taste feeling aisle window gym library internet dentist quiet silence stars sky moon 80s 90s seaside lake lakes river office")

// restrictive words limit a preference to the current subject.
var restrictive = wordSet("that who which how when")

// pursuits are activities that people take up.
var pursuits = wordSet("volunteering surfing running swimming playing painting knitting cycling yoga pilates meditating learning gardening hiking climbing baking cooking jogging lifting boxing dancing journaling crocheting pottery taking doing going skiing snowboarding sailing rowing birdwatching photography drawing singing crossfit guitar piano woodworking sewing")

// numerals are numbers in words, as ages are given.
var numerals = wordSet(`one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty
ein eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn zwanzig dreißig vierzig fünfzig sechzig
uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince veinte treinta cuarenta cincuenta sesenta
一 二 三 四 五 六 七 八 九 十 两 半`)

// shifts are the times of a day that people work in, and how.
var shifts = wordSet("noche día dia tarde mañana madrugada media pie turno turnos")

// dayAt reports whether token k is the name of a weekday.
func (r *reader) dayAt(t []token, k int) bool {
	if r.lex.han {
		return k+1 < len(t) && (t[k].word == "周" || t[k].word == "週" || k+2 < len(t) && (t[k].word == "星" || t[k].word == "礼"))
	}
	_, ok := nounIn(t[k].word, weekday)
	return ok
}

// dated reports whether tokens contain an explicit date: a day of a month, or a
// date in digits.
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

// people reports whether a phrase is an occupation or role: "a nurse", "software
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
	if obj.holds(func(k int) bool { return r.lex.people.in(t, k) }) {
		return true
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
	}
	if obj.holds(func(k int) bool { return r.lex.belongs.in(t, k) && (r.lex.han || t[k].word == w) }) {
		return false
	}
	return slices.ContainsFunc(r.lex.peopleEnds, func(end string) bool {
		return strings.HasSuffix(w, end) && len(w) > len(end)+1 || w == end && (r.lex.han || len(end) > 3)
	})
}
