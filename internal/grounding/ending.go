package grounding

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/ebbmem/ebb/internal/prefilter"
	"github.com/ebbmem/ebb/internal/text"
)

// An Ending is a statement that the speaker no longer has a thing or a habit, or that an
// appointment has another time: "we sold the caravan", "no more karate for Tom",
// "the dentist is moved to Friday".
type Ending struct {
	keys  []string // what a statement about the thing contains, the word that names it first
	of    string   // whose it is, "" for the speaker's
	own   bool     // of is the person who did it
	moved bool     // only its time ended
	once  bool     // a single appointment may be meant: "cancelled", with "today"
	lacks bool     // the thing may only be out of stock: "there are no more eggs"
	one   bool     // the thing is in the singular
	trip  bool     // keys are places, not things

	name    string         // who died, folded, "" for a thing
	present *regexp.Regexp // matches verbs in the present of the language of the ending
}

// ending is a form of such statements. Its expression has the group "thing" and, where they
// apply, "who" and "at", the new time.
type ending struct {
	*prefilter.Regexp
	flags
}

type flags uint8

const (
	definite  flags = 1 << iota // the thing has a definite article or a possessive
	active                      // what precedes the verb is the subject: nothing, "I", or another person
	cancelled                   // may be of a single appointment
	moved                       // only the time changes; "at" is the new one
	planned                     // only of what is planned
	first                       // the first word of the thing names it, as in Spanish
	noun                        // a German noun, with its capital
	lacking                     // may be so for a time only, and of a supply
)

// words of a thing, after its article
const (
	article = `(?:the|my|our|this|that|all the|all my|all our|[\pL]+['’]s) `
	thing   = `(?P<thing>(?:(?:all )?(?:the|my|our|his|her|their|this|that) )?[\pL\d](?:[\pL\d'’&-]|\.\pL)*(?: [\pL\d][\pL\d'’&-]*){0,6}?)`
	things  = `(?P<thing>[\pL\d][\pL\d'’&-]*(?: [\pL\d][\pL\d'’&-]*){0,6})`
	dinge   = `(?P<thing>(?:(?i:de[nrms]|die|das|dem|meine?[nmr]?|unsere?[nmr]?) )?(?:\pL+en? ){0,2}?\p{Lu}[\pL\d-]+)`
	cosa    = `(?P<thing>(?:(?i:el|la|los|las|mis?|nuestr[oa]s?) )?[\pL\d]+(?: (?:de|del|a|de la) [\pL\d]+)?(?: [\pL\d]+){0,2}?)`
	passive = `(?:(?:is|are|was|were|['’]s|got)|(?:has|have|['’]s|['’]ve) been)(?: (?:now|all|finally|just|sadly|officially|being))*`
	auxil   = `(?:is|are|was|were|has|have|['’]s|['’]ve|['’]re)(?: (?:been|be|now|all|finally|got|just|gone and|sadly|officially|being))*`
)

// withoutFolding has classes of all letters read without folding, which takes half of
// the time in which the forms are compiled.
var withoutFolding = strings.NewReplacer(`[\pL\d'’&-]`, `(?-i:[\pL\d'’&-])`, `[\pL\d]`, `(?-i:[\pL\d])`, `[\pL]`, `(?-i:\pL)`, `[^\pL]`, `(?-i:\PL)`)

func form(f flags, expr string) ending {
	expr = withoutFolding.Replace(expr)
	forms = append(forms, groupName.ReplaceAllString(expr, "("))
	return ending{prefilter.New(expr), f}
}

// mayEnd holds all forms.
var (
	forms     []string
	groupName = regexp.MustCompile(`\(\?P<\w+>`)
	mayEnd    = sync.OnceValue(func() *prefilter.Regexp { return prefilter.New(forms...) })
)

// endings are the forms, tried in this order on each clause.
var endings = []ending{
	// English
	form(definite|active, `(?i)\b(?:sold|flogged|got(?:ten)? rid of|g[ai]ven? away|gave away|scrapped|donated|traded in|handed back|g[ai]ven? back|gave back|rehomed|auctioned|wrote off|written off|binned|g[ai]ven? notice on|gave notice on|wound up|dissolved|terminated|called off|had to sell) `+things),
	form(definite, `(?i)\b(?:nicked|stole|stolen|pinched) `+things),
	form(definite|active, `(?i)\b(?:let|had to let) `+thing+` go\b`),
	form(active|cancelled, `(?i)\b(?:cancell?ed|called off) `+things),
	form(active|definite|cancelled, `(?i)\bcalled `+thing+` off\b`),
	form(active, `(?i)\b(?:gave up|given up|quit|(?:packed|jacked|chucked) in|(?:had to|have to) give up|done with|stopped (?:going to|doing|playing|taking|attending|having|getting|renting|keeping|learning)|stopped(?P<services> the (?:milk|milkman|paper|papers|deliver(?:y|ies)|tablets|medication|pills))?) `+things),
	form(active|lacking, `(?i)\b(?:no longer|don['’]?t) (?:do|doing|going to|go to|play|playing|have|own|keep|rent|attend|doing) `+things),
	form(lacking, `(?i)^(?:there(?:['’]s| is| are) |and |so )?no more `+things),
	form(0, `(?i)^(?:and |but |so )?`+thing+` ?`+auxil+` (?:no more|dead|folded|closed down|shut down|packed up|packed in|disbanded|broken up|ended|died|passed away)\b`),
	form(definite, `(?i)^(?:and |but |so )?`+thing+` ?`+auxil+` gone(?: (?:for good|now|too|at last|today|yesterday))?$`),
	form(0, `(?i)^(?:and |but |so )?`+thing+` ?`+passive+` (?:sold|scrapped|stolen|nicked|written off|put down|rehomed|discontinued|wound up)\b`),
	form(cancelled, `(?i)^(?:and |but |so )?`+thing+` ?`+passive+` (?:cancell?ed|called off)\b`),
	form(planned|cancelled, `(?i)^(?:and |but |so )?`+thing+` ?`+auxil+` off\b`),
	form(0, `(?i)^(?:and |but |so )?`+thing+` (?:folded|closed down|shut down|packed up|disbanded|broke up|died|passed away|burn(?:t|ed) down|got (?:written off|stolen|nicked|cancell?ed|sold))\b`),
	form(moved, `(?i)^(?:and |but |so )?`+thing+` ?(?:`+auxil+` )?(?:moved|rescheduled|postponed|pushed back|put back|brought forward|shifted|delayed|changed) (?:to|until|till|from) (?P<at>.+)`),
	form(moved, `(?i)^(?:and |but |so )?`+thing+` ?(?:is|are|['’]s) now (?P<at>(?:in|on|at) .+)`),
	form(moved, `(?i)\b(?:moved|pushed|put|brought|shifted|changed|rescheduled|postponed) `+thing+`(?: back| forward| out)? (?:to|until|till) (?P<at>.+)`),
	// German
	form(definite|active|noun, `^(?:(?i:und|aber|jetzt|leider|inzwischen) )*(?:(?i:ich|wir)\b.*?|(?i:hab\pL*) .*?)?`+dinge+` (?:.* )?(?i:verkauft|verschenkt|aufgegeben|(?:ab|weg|zurück)gegeben|gekündigt|abbestellt|abgemeldet|storniert|gespendet|verschrottet|aufgelöst|versteigert|abgestoßen)\b`),
	form(definite|noun|cancelled, `^(?:(?i:und|aber|jetzt|leider) )*(?:(?i:ich|wir)\b.*?|(?i:hab\pL*) .*?)?`+dinge+` (?:.* )?(?i:abgesagt|gestrichen)\b`),
	form(noun, `^`+dinge+`(?P<who> von \p{Lu}\pL+)? (?i:ist|sind|wurden?|wird) (?:.* )?(?i:verkauft|verschenkt|aufgegeben|gekündigt|verschrottet|gestohlen|geklaut|aufgelöst|eingestellt|gestorben|verstorben|eingeschläfert|abgebrannt|abgerissen|weg|Geschichte|tot|futsch|passé|eingeschlafen|geplatzt)\b`),
	form(noun|cancelled, `^`+dinge+` (?i:ist|sind|wurden?|wird) (?:.* )?(?i:abgesagt|ausgefallen|gestrichen)\b`),
	form(definite|noun, `\b`+dinge+` (?i:geklaut|gestohlen)\b`),
	form(noun, `^`+dinge+` (?i:hat|haben) (?:.* )?(?i:sich aufgelöst|dichtgemacht|zugemacht)\b`),
	form(noun, `^`+dinge+` (?i:gibt es|gibt's|existiert|existieren) (?i:nicht mehr)`),
	form(noun|cancelled, `^`+dinge+` (?i:fällt|fallen) (?:.* )?(?i:aus|flach|ins wasser)\b`),
	form(noun|lacking, `\b(?i:keine?[nr]?) `+dinge+` (?i:mehr)\b(?: für (?P<who>\p{Lu}\pL+))?`),
	form(noun, `(?i:nicht mehr) (?i:zum|zur|ins|in den|in die|in das|auf den) `+dinge),
	form(noun, `^(?:(?P<who>\p{Lu}\pL+) hat |.*?)(?i:mit) `+dinge+` (?:.* )?(?i:aufgehört|ist schluss|schluss gemacht)\b`),
	form(moved|noun, `^(?:(?i:ich|wir)\b.*?|.*? )??`+dinge+` (?:(?i:ist|wurde|wird|sind|habe?n?) )?(?:.* )?(?P<at>(?i:auf|in den|in die) .+?) (?i:verlegt|verschoben|vorgezogen)\b`),
	form(moved|noun, `^`+dinge+` (?i:ist|sind) jetzt (?P<at>(?i:am|im|um|an|erst) .+)`),
	// Spanish
	form(definite|active|first, `(?i)(?:^|[^\pL])(?:vendí|vendimos|vendido|regalé|regalamos|regalado|doné|donamos|donado|devolví|devolvimos|devuelto|traspas(?:é|amos|ado)|(?:me|nos) (?:han robado|robaron|quitaron)) `+cosa+`(?: (?:a|por|en|al|el|y|porque|que) .*)?$`),
	form(active|first, `(?i)(?:^|[^\pL])(?:dejé|dejamos|dejado)(?: de (?:ir al?|hacer|jugar al?))? `+cosa+`$`),
	form(active|first, `(?i)(?:^|[^\pL])de baja (?:del?|en) `+cosa+`$`),
	form(active|first|cancelled, `(?i)(?:^|[^\pL])(?:cancelé|cancelamos|cancelado|anulé|anulamos|anulado) `+cosa+`$`),
	form(first|cancelled, `(?i)(?:^|[^\pL])se (?:cancelan?|canceló|cancelaron|ha cancelado|suspenden?|suspendió|anulan?|anuló|acabó|acabaron|ha acabado|han acabado) `+cosa+`$`),
	form(first|lacking, `(?i)(?:^|[^\pL])ya no (?:tengo|tenemos|voy al?|vamos al?|hago|hacemos|juego al?|canto en|hay) `+cosa+`$`),
	form(first, `(?i)^`+cosa+` (?:se ha|se|está|están|ha sido|fue|ha|han|se han) (?:vendid[oa]s?|vendió|disuelto|disolvió|cerrado|muerto|murió)(?: .*)?$`),
	form(first|cancelled, `(?i)^`+cosa+` (?:se ha|se|está|están|ha sido|fue|han|se han) (?:cancelad[oa]s?|canceló|anulad[oa]s?|suspendid[oa]s?)(?: .*)?$`),
	form(moved|first, `(?i)^`+cosa+` (?:se ha|se|ha sido|lo han|la han|me lo han|me la han) (?:cambiad[oa]|cambió|movid[oa]|movió|aplazad[oa]|aplazó|pospuest[oa]|pospuso|adelantad[oa]|adelantó|pasad[oa]|retrasad[oa]) (?P<at>(?:al?|para|hasta) .+)`),
	form(moved|first, `(?i)^`+cosa+` ahora (?:es|será) (?P<at>(?:en|el|a) .+)`),
}

// doubted matches what makes a clause no statement, as of its beginning.
var doubted = prefilter.New(`(?i)\b(?:might|may|could|would|should|if|unless|nearly|almost|not|never|thinking|want\pL*|wish\pL*|hop(?:e|ing)|plan\pL*|going to (?:sell|give|cancel|stop)|will|wonder\pL*|maybe|perhaps|whether|about to|think|guess|reckon|suppose|hears?|heard|dream\pL*|says?|said|told|tells?|yet|ago|used to|until|before|when)\b|n['’]t\b|['’]ll\b`,
	`(?i)\b(?:vielleicht|eventuell|könnte\pL*|würde\pL*|hätte\pL*|wäre\pL*|soll\pL*|will|wollen|wollte\pL*|möchte\pL*|überleg\pL*|fast|beinahe|nicht|falls|wenn|ob|geplant|sagt|sagte|meint|damals|früher|bevor|als)\b`,
	`(?i)(?:^|[^\pL])(?:a lo mejor|quizás?|tal vez|puede que|podr[íi]a\pL*|si|casi|no|pensando|quiero|quer\pL+|voy a|vamos a|deber\pL+|debo|tengo que|igual|dice|dijo|antes|cuando|hace)(?:[^\pL]|$)`)

// denials are the words of denial in forms of endings.
var denials = regexp.MustCompile(`(?i)\b(?:no longer|no more|don['’]?t|nicht mehr|ya no)\b`)

// quoted matches quotations, of which nothing is the speaker's.
var quoted = regexp.MustCompile(`["“”„«»「」『』]`)

// statements returns the sentences of a text that ask and quote nothing.
func statements(s string) []string {
	return slices.DeleteFunc(text.Sentences(text.Line(s)), func(sentence string) bool { return !states(sentence) })
}

// states reports whether a sentence asks and quotes nothing.
func states(sentence string) bool { return !quoted.MatchString(sentence) && !text.EndsAsking(sentence) }

// clauseBreak separates clauses.
var clauseBreak = regexp.MustCompile(`[,;:()–—]+ ?| -+ |[.!…]+$|\b(?:because|weil|denn|porque)\b`)

// Endings returns what a text says that the speaker, or a person named in it, no longer has
// or does. It knows English, German, Spanish and Chinese. It is strict: what is
// asked, quoted, denied, planned or doubted ends nothing, nor does one of several things.
func Endings(s string) (all []Ending) {
	parse, breaks := endingOf, clauseBreak
	switch {
	case hasHan(s):
		parse, breaks = endingOfHan, clausesZH
	case !mayEnd().MayMatch(s):
		return nil
	}
	for _, sentence := range statements(s) {
		for _, clause := range breaks.Split(sentence, -1) {
			if e, ok := parse(strings.TrimSpace(clause), sentence); ok {
				all = append(all, e)
			}
		}
	}
	return all
}

// endingOf parses one clause of a sentence.
func endingOf(clause, sentence string) (Ending, bool) {
	for i := range endings {
		f := &endings[i]
		m := f.FindStringSubmatchIndex(clause)
		if m == nil {
			continue
		}
		before := clause[:m[2*f.Whole().SubexpIndex("thing")]]
		group := func(name string) string {
			if at := 2 * f.Whole().SubexpIndex(name); at > 0 && m[at] >= 0 {
				return clause[m[at]:m[at+1]]
			}
			return ""
		}
		if doubted.MatchString(denials.ReplaceAllString(clause, "")) {
			return Ending{}, false
		}
		limited := f.flags&(cancelled|lacking) != 0 && isLimited(sentence)
		if limited && f.flags&lacking != 0 {
			return Ending{}, false
		}
		e := Ending{moved: f.flags&moved != 0, once: limited, lacks: f.flags&lacking != 0}
		if e.moved && !timed(group("at")) {
			continue
		}
		if f.flags&active != 0 && f.flags&noun == 0 {
			who, ok := subjectOf(clause[:m[0]], f.flags&first != 0)
			if !ok {
				continue
			}
			e.of, e.own = who, who != ""
		}
		if !partial.MatchString(before) && e.setThing(group("thing"), f.flags) {
			e.setName(group("thing"), clause, f.flags)
			if who := strings.Fields(group("who")); len(who) > 0 {
				e.of = text.Fold(who[len(who)-1])
			}
			return e, true
		}
	}
	return Ending{}, false
}

// partial matches what precedes a thing of which only a part or one is meant.
var partial = regexp.MustCompile(`(?i)(?:^| )(?:one|some|half|most|part|eine[rns]?|manche|einige|die hälfte|un[oa]|algun[oa]s?|la mitad)(?: of| von| de)? $`)

// auxiliaries precede a verb in the perfect, with adverbs.
var auxiliaries = text.WordSet("have has had just finally also now already recently actually sadly even both to decided ended up and but so then well yes today yesterday we've i've ve s d dado hemos ha han me nos hube al fin por en last week month gerade endlich")

// subjectOf returns who does what follows: "" for the speaker, else the folded name. ok is
// false if that is unclear.
func subjectOf(before string, spanish bool) (who string, ok bool) {
	words := strings.FieldsFunc(text.Fold(strings.ReplaceAll(before, "’", "'")), func(r rune) bool { return r == ' ' || r == '\'' })
	for len(words) > 0 && auxiliaries[words[len(words)-1]] {
		words = words[:len(words)-1]
	}
	if len(words) == 0 {
		return "", true
	}
	switch last := words[len(words)-1]; {
	case last == "i" || last == "he" && spanish || last == "we" || last == "yo" || last == "nosotros" || last == "im" || last == "am":
		return "", true
	case len(words) <= 2 && !text.IsStopWord(last):
		return last, true
	case len(words) == 1:
		return last, last != "they"
	}
	return "", false
}

// Words of things.
var (
	definites = text.WordSet("the my our this that all der die das den dem des mein meine meinen meinem meiner unser unsere unseren unserem unserer el la los las mi mis nuestro nuestra nuestros nuestras")
	others    = text.WordSet("his her their your its ihr ihre ihren ihrem sein seine seinen seinem dein deine su sus tu tus one half some another a an few two three both several")
	// plain describe a thing that has no other name by them.
	plain = text.WordSet("old little big new whole damn bloody poor dear beloved alt alte alten altes neue neuen viejo vieja nuevo nueva pequeno")
	// generic name what a thing is for: of "the gym membership" or "the trip to Porto", the other word names it.
	generic = text.WordSet("trip holiday holidays vacation visit flight membership subscription contract class classes lesson lessons session sessions course appointment appointments booking reservation meeting practice training direct debit reise flug urlaub mitgliedschaft abo kurs termin unterricht vertrag stunde stunden viaje vuelo visita suscripcion contrato clase clases curso cita vacaciones bono abono cuota reunion evening evenings night nights")
	trips   = text.WordSet("trip holiday holidays vacation visit flight reise flug urlaub viaje vuelo visita vacaciones")
	// plannedThings may be "off".
	plannedThings = text.WordSet("trip holiday holidays vacation visit flight wedding party meeting dinner lunch match concert game date deal class lesson session call interview viewing barbecue bbq picnic weekend cruise tour festival conference appointment ceremony christening engagement move reunion gig play show")
	// cut the words of a thing.
	cut = text.WordSet("yesterday today tonight last finally in on at to for from with because when and but so after before since already now again this completely altogether monday tuesday wednesday thursday friday saturday sunday por a al en y porque que para desde ayer hoy el lunes martes")
	// notThings are no things that one has.
	notThings = text.WordSet("idea ideas story lie dream ticket tickets it them that this everything something all one half some him her us me phone battery on trying hope smoking lot rest time way days lights light alarm idee idea todo eso esto alles etwas lust zeit ahnung frage thema")
)

// setThing sets what an ending is about and reports whether that is a thing as a whole.
func (e *Ending) setThing(s string, f flags) bool {
	s = strings.ReplaceAll(s, "’", "'")
	words := strings.Fields(s)
	det := false
	for len(words) > 0 && (definites[text.Fold(words[0])]) {
		det, words = true, words[1:]
	}
	if len(words) > 1 && others[text.Fold(words[0])] {
		if !e.own {
			return false
		}
		det, words = true, words[1:]
	}
	if len(words) > 1 {
		if owner, is := strings.CutSuffix(words[0], "'s"); is {
			det, e.of, words = true, text.Fold(owner), words[1:]
		}
	}
	if len(words) == 0 || others[text.Fold(words[0])] || f&definite != 0 && !det {
		return false
	}
	var named, about []string
	for i := 0; i < len(words); i++ {
		w := text.Fold(strings.Trim(words[i], "'"))
		if i > 0 && (cut[w] || text.IsStopWord(w)) && !(w == "de" || w == "del" || w == "of") {
			after := words[i+1:]
			if len(after) > 0 && definites[text.Fold(after[0])] {
				after = after[1:]
			}
			switch {
			case len(after) == 0:
			case w == "for" || w == "para":
				if unicode.IsUpper([]rune(after[0])[0]) {
					e.of = text.Fold(after[0])
				}
			case len(named) > 0 && generic[named[len(named)-1]] && (w == "to" || w == "a" || w == "at" || w == "nach" || w == "with"),
				(w == "in" || w == "en" || w == "from" || w == "at") && unicode.IsUpper([]rune(after[0])[0]) && !timed("in "+after[0]):
				about = append(about, text.Fold(after[0]))
			case w == "after" || w == "before" || w == "during" || w == "every" || w == "on" && strings.HasSuffix(after[0], "s"):
				return false // part of it
			}
			break
		}
		if w == "de" || w == "del" || w == "of" {
			if i+1 < len(words) && f&first != 0 && unicode.IsUpper([]rune(words[i+1])[0]) {
				e.of = text.Fold(words[i+1])
				i++
			}
			continue
		}
		if !plain[w] {
			named = append(named, w)
		}
	}
	if len(named) == 0 || len(named) > 3 || slices.ContainsFunc(named, text.IsStopWord) || notThings[named[0]] || notThings[named[len(named)-1]] {
		return false
	}
	head := named[len(named)-1]
	if f&first != 0 {
		head = named[0]
	}
	if e.lacks && persons[head] {
		return false
	}
	if slices.ContainsFunc(named, func(w string) bool { return contracts[w] }) {
		e.once = false
	}
	if f&planned != 0 && !slices.ContainsFunc(named, func(w string) bool { return plannedThings[w] }) {
		return false
	}
	e.trip = slices.ContainsFunc(named, func(w string) bool { return trips[w] })
	e.one = !strings.HasSuffix(head, "s")
	keys := slices.DeleteFunc(append(slices.Clone(about), named...), func(w string) bool { return generic[w] })
	if len(keys) == 0 { // "my contract" may be any
		if !e.trip && !e.moved && !plannedThings[head] {
			return false
		}
		keys, e.trip = []string{head}, false
	}
	if at := slices.Index(keys, head); at > 0 {
		keys[0], keys[at] = keys[at], keys[0]
	}
	for i, k := range keys {
		keys[i] = strings.Join(text.Terms(k), " ")
	}
	e.keys = keys
	return !slices.Contains(keys, "") && len(keys[0]) > 2
}

// clock matches a time without a date; weekdays are known to [text.TimeSpans] in part.
var clock = regexp.MustCompile(`(?i)\b\d{1,2}(?:[:.]\d\d|st|nd|rd|th| ?[ap]m| uhr)?\b|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|(?:mon|diens|donners|frei|sams|sonn)tags?\b|mittwochs?\b|\b(?:lunes|martes|miércoles|jueves|viernes|sábado|domingo|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre)s?\b|\b(?:january|february|march|april|may|june|july|august|september|october|november|december|januar|februar|märz|mai|juni|juli|oktober|dezember)\b|\b(?:noon|midnight|morning|afternoon|evening|week|month|year)\b|[周礼星][一二三四五六日天末拜期]|[\d一二三四五六七八九十]+[月号日点]`)

func timed(s string) bool { return clock.MatchString(s) }

var tokens = regexp.MustCompile(`[\pL\d]+(?:-[\pL\d]+)*|[,;:]`)

// Words of those who speak, by which a statement is theirs.
var (
	speakers    = text.WordSet("i we im ive weve were id ich wir tengo tenemos voy vamos estoy hago hacemos")
	determiners = text.WordSet("the a an der die das den dem el la los las un una ein eine einen")
	counts      = text.WordSet("two three four five six seven both several many zwei drei vier funf beide mehrere dos tres cuatro varios varias")
	joiners     = text.WordSet("to of for at nach von a de del in with")
	mark        = text.WordSet(", ; :")
)

// happened matches statements of what happened, which stay true.
var (
	happened = prefilter.New(`(?i)\b(?:was|were|had|did|went|bought|took|came|saw|found|made|gave|won|inherited|learnt|met|lent|drove|taught|told|left|kept|broke|ate|wrote|spent|began|lost|fell|grew|sat|ran|drank|slept|heard|felt|paid|sent|caught|held|built|chose|rode|flew|hurt|\pL{3,}ed)\b`,
		`(?i)\b(?:hab\pL*|hatte\pL*|hat|war|waren|wurde\pL*|bin)\b.*\b(?:\pL*ge\pL+(?:t|en)|\pL+iert|verkauft|bekommen)$`,
		`(?i)\pL(?:é|ó|aron|ieron)(?:[^\pL]|$)|\b(?:he|hemos|ha|han) \pL+(?:ado|ido|cho|sto)\b|\b(?:compramos|fuimos|vendimos|hicimos)\b`,
		`(?:买|换|做|装|修|送|租)的|\d{4}年`)
	stands = prefilter.New(`(?i)\b(?:is|are|am|has|have|meets?|lives?|sits?|goes|keeps?|stays?|hangs?|go|do|get|play|sing|swim|rent)\b|['’](?:s|m|re|ve) |\b(?:ist|sind|steht|liegt|trifft|gehe|gehen)\b|\b(?:está|están|es|son|tengo|tenemos)\b`)
)

// lately is how long after an appointment was made it may be meant although it seems over:
// a weekday may be one of each week.
const lately = 31 * 24 * time.Hour

// statedBy reports whether a text says itself what the ending says.
func (e *Ending) statedBy(s string) bool {
	return slices.ContainsFunc(Endings(s), func(other Ending) bool { return other.Thing() == e.Thing() })
}

// Thing identifies what it is about.
func (e *Ending) Thing() string { return e.of + ":" + strings.Join(e.keys, " ") }

// Moved reports whether only the time of an appointment ended.
func (e *Ending) Moved() bool { return e.moved }

// Mentions reports whether a folded text may be about the thing: it contains the beginning
// of the word that names it.
func (e *Ending) Mentions(folded string) bool {
	key, _, _ := strings.Cut(e.keys[0], " ")
	return strings.Contains(folded, key[:max(min(len(key), 3), len(key)-2)])
}

// holdsUntil reports whether a sentence was about the time of the ending.
func (e *Ending) holdsUntil(sentence string, said, ended time.Time) bool {
	switch {
	case (e.moved || e.trip) && !timed(sentence),
		e.once && (!strings.ContainsFunc(sentence, unicode.IsDigit) || Temporal(sentence, said) == "state"):
		return false
	case ended.Sub(said) < lately || Temporal(sentence, said) == "state":
		return true
	}
	spans := text.TimeSpans(sentence, said)
	return len(spans) == 0 || slices.ContainsFunc(spans, func(s text.TimeSpan) bool {
		return s.End.After(ended) || s.NextEnd.After(ended) && said.Sub(s.End) > lately
	})
}

// rests reports whether a sentence says how things are with the thing, and whose it is.
func (e *Ending) rests(sentence string) bool {
	if IsPreference(sentence) || happened.MatchString(strings.TrimRight(sentence, ".!…")) && !stands.MatchString(sentence) {
		return false
	}
	raw := tokens.FindAllString(sentence, -1)
	folded, stems := make([]string, len(raw)), make([]string, len(raw))
	for i, w := range raw {
		folded[i], stems[i] = text.Fold(w), strings.Join(text.Terms(w), " ")
	}
	is := func(i int, key string) bool { return sameStem(stems[i], key) }
	head := -1
	for _, key := range slices.Backward(e.keys) {
		if head = slices.IndexFunc(stems, func(s string) bool { return sameStem(s, key) }); head < 0 {
			return false
		}
	}
	if isDenied(folded, head, e.lacks) {
		return false
	}
	if e.name != "" && e.of == "" {
		return e.needs(folded, head)
	}
	if e.of != "" {
		return slices.Contains(folded, e.of)
	}
	if of := head + 2; of < len(raw) && (folded[of-1] == "de" || folded[of-1] == "von" || folded[of-1] == "of") &&
		(mines[folded[of]] || theirs[folded[of]] || folded[of-1] != "of" && unicode.IsUpper([]rune(raw[of])[0]) && !slices.ContainsFunc(e.keys, func(k string) bool { return is(of, k) })) {
		return false // somebody's
	}
	if next := head + 1; head > 0 && (folded[head-1] == "the" || folded[head-1] == "my" || folded[head-1] == "our") && next < len(raw) && unicode.IsLower([]rune(raw[next])[0]) &&
		e.one && !text.IsStopWord(folded[next]) && (!strings.HasSuffix(folded[next], "s") || folded[next] == "s" && next+1 < len(raw) && isOwner(folded[next+1])) && !strings.HasSuffix(folded[next], "ed") {
		return false // "the caravan park", "my caravan's number"
	}
	named := true // before the head stands nothing but what describes the thing
	for i := head - 1; i >= 0; i-- {
		w := folded[i]
		switch {
		case named && (e.one && counts[w] || w == "s" && i > 0 && !theirs[folded[i-1]] && !text.IsStopWord(folded[i-1])):
			return false // several, or somebody's
		case mines[w] && named:
			return true
		case speakers[w] || (i == 0 || raw[i-1] == ",") && spanishI.MatchString(w):
			return !slices.ContainsFunc(folded[i+1:head], func(w string) bool { return theirs[w] || persons[w] })
		case mark[w]:
			return false
		case determiners[w] || generic[w] || joiners[w] || plain[w] || slices.ContainsFunc(e.keys, func(k string) bool { return is(i, k) }),
			i > 0 && determiners[folded[i-1]]:
		default:
			named = false
		}
	}
	return named
}

// spanishI matches Spanish verbs at the beginning of a sentence.
var spanishI = regexp.MustCompile(`^\pL{2,}(?:o|mos|oy)$`)

var persons = text.WordSet("mum mom mother dad father sister brother son daughter wife husband partner friend boss aunt uncle grandma grandpa kids mutter vater schwester bruder sohn tochter frau mann freund freundin chef chefin tante onkel oma opa madre padre hermana hermano hijo hija mujer marido amigo amiga jefe jefa tia tio abuela abuelo him her them ihn ihm")

// sameStem reports whether two terms have one stem, in languages without a stemmer too.
func sameStem(a, b string) bool {
	if a == b {
		return a != ""
	}
	if len(a) > len(b) {
		a, b = b, a
	}
	return len(a) >= 5 && len(b)-len(a) <= 2 && strings.HasPrefix(b, a)
}

func hasHan(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.Is(unicode.Han, r) })
}
