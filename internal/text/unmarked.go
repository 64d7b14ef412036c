package text

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// Asking says how much the form of a sentence without a question mark is that of a question.
type Asking uint8

const (
	AsksNot    Asking = iota
	MayAsk            // a form that statements have, too: "que comemos los domingos"
	AsksByForm        // "wat hat der imker mir zu zahlen", "does jordan know", 婚戒改成几号的
)

// Limits of such a question: its words, the characters of one in Chinese, and the words and
// characters of clauses behind it that ask nothing. What is longer also states something.
const (
	mostAskedWords = 18
	mostAskedHan   = 40
	mostBesideAsk  = 7
	mostBesideHan  = 8
)

// AsksUnmarked reads the form of a sentence without a question mark: a question word with the verb
// behind it, in German dialect and in Spanish without accents, too, or an inverted verb, and in Chinese
// a final particle, a verb that is repeated with 不, or a question word without an indefinite
// reading. It knows English, German, Spanish and Chinese. What ends in a full stop or an
// exclamation mark is none, as who sets one mark sets the others.
func AsksUnmarked(sentence string) Asking {
	sentence = strings.TrimRight(sentence, " \t\n~")
	last, _ := utf8.DecodeLastRuneInString(sentence)
	if strings.ContainsRune("!！。", last) || last == '.' && !strings.HasSuffix(sentence, "..") {
		return AsksNot
	}
	if strings.ContainsFunc(sentence, func(r rune) bool { return r >= 0x3400 && isUnspaced(r) }) {
		return asksChinese(sentence)
	}
	if strings.Contains(sentence, ": ") {
		return AsksNot
	}
	asks, beside := AsksNot, 0
	for clause := range strings.FieldsFuncSeq(sentence, endsClause) {
		words, lead := askedWords(courtesyWords(clause)), ""
		for asks == AsksNot && len(words) > 0 && leadsIn[words[0]] {
			words, lead = words[1:], words[0]
		}
		switch form := words.asks(lead); {
		case len(words) == 0:
		case asks == AsksNot && form == AsksNot, len(words) > mostAskedWords:
			return AsksNot
		case asks == AsksNot:
			asks = form
		case form == AsksNot && asks == MayAsk:
			return AsksNot
		case form == AsksNot && tellsOfSelf[words[0]]:
			return AsksNot
		case form == AsksNot:
			beside += len(words)
		}
	}
	if beside > mostBesideAsk || asks != AsksNot && strings.HasPrefix(strings.ToLower(sentence), "should") && strings.Contains(sentence, ",") {
		return AsksNot
	}
	return asks
}

// asks reads a clause without the word that leads to it.
func (w askedWords) asks(lead string) Asking {
	switch {
	case len(w) < 2, lead == "so" && len(w) < 5 && englishAux[w[0]]: // "so did I"
		return AsksNot
	case w.english(), w.german():
		return AsksByForm
	}
	return w.spanish()
}

// askedWords are the words of a clause, in lower case and without apostrophes.
type askedWords []string

// at returns a word, "" behind the last one.
func (w askedWords) at(i int) string {
	if i < 0 || i >= len(w) {
		return ""
	}
	return w[i]
}

// has reports whether one of the words from i on is in a set.
func (w askedWords) has(i int, set map[string]bool) bool {
	return i < len(w) && slices.ContainsFunc(w[i:], func(s string) bool { return set[s] })
}

// tellsOfSelf are words at the beginning of what somebody tells of themselves, beside a question: "what
// can I eat, I'm coeliac".
var tellsOfSelf = WordSet(`im ive we were weve my our ich wir bin mein meine meiner hab habe soy tengo somos tomo trabajo vivo estoy voy mi yo i`)

// leadsIn are words before a question.
var leadsIn = WordSet(`and n so but ok okay pls please hey hi btw well also sorry oh oi omg wait right just quick quickly again um erm
	und aber also bitte na du sag mal hömma ey ja jau jo nee genau ach äh übrigens nochmal sach
	y pero oye oiga bueno pues ay mijo mija ve vea este entonces ah eh venga porfa`)

var (
	englishAux     = WordSet(`is are was were am do does did can could will would should shall has have had r isnt arent wasnt werent dont doesnt didnt cant couldnt wont wouldnt shouldnt hasnt havent hadnt`)
	englishBe      = WordSet(`is was are were`)
	englishSubject = WordSet(`i you u he she it we they ive youve weve theyve im youre hes shes theyre id youd wed theyd`)
	englishOwner   = WordSet(`my our your ur his her their the this that these those any`)
	englishAny     = WordSet(`any anyone anybody anything`)
	englishPrep    = WordSet(`for since until till in at on to with w from by of about`)
	englishSize    = WordSet(`much many long often old far big tall heavy bad well late early soon high deep fast large small`)
	// englishExclaims stand behind "am I", "was it", "did we" in exclamations.
	englishExclaims = WordSet(`glad happy relieved embarrassed tired knackered lucky proud pleased excited gutted starving shattered so hell laugh cry regret enjoy love hate miss panic scream jump buzzing fuming told mentioned said news fun hot cold freezing`)
	// englishBase are verbs without an ending behind "does she"; "did the shop" has lost its subject.
	englishBase = WordSet(`know like want need think believe say tell take go get come make see pay cost fit look help sleep wear keep have own live work drive play speak ever still even actually call belong agree eat drink mind remember smoke`)
	englishDid  = WordSet(`know like want say tell ever pay believe agree manage actually even need give move leave win marry study`)
	englishDone = WordSet(`got been done had gone made started said let moved passed left any ever given taken told found lost paid come`)
	// englishState stand behind "is mum"; the others of englishNoSubject stand behind an "is" without a subject.
	englishState     = WordSet(`ok okay alright allowed meant supposed still any anyone anything ever due allergic`)
	englishNoSubject = WordSet(`a an not so very too really just off out in at on all gonna well still now always never already also here there back like for from with w about to been being both only even getting going what why how where when as up down because cos n and no bit quite pretty dead proper literally probably currently`)
	englishMost      = WordSet(`best worst most only first biggest loveliest`)
	englishWhoDid    = WordSet(`won got gave told made paid sent bought had took wrote invented died came went left said sold built found taught brought called`)
	englishWhoNot    = WordSet(`knows cares needs wants says would`)
)

func (w askedWords) english() bool {
	first, second := w[0], w.at(1)
	switch first {
	case "what", "which", "whose":
		return w.englishNamed(1, first == "which") && !w.has(w.auxAt(1)+1, englishBe) || first == "what" && second == "happened" && len(w) > 2 && !w.has(2, englishBe)
	case "how":
		at := w.auxAt(1)
		switch {
		case at == 1:
			return len(w) > 2
		case !englishSize[second]:
			return false
		case at < 0:
			return second == "many" && w.at(3) == "in"
		}
		return at <= 5 && !w[:at].has(1, englishSubject) && w.at(at+1) != "that" && w.at(at+1) != "this" || second == "many" && w.at(3) == "in" || (second == "many" || second == "much") && w.at(at+1) == "that"
	}
	if englishPrep[first] && (second == "what" || second == "which" || second == "whom" || second == "whose") {
		return w.englishNamed(2, false)
	}
	return w.hasEnglishForm()
}

// auxAt returns where the first auxiliary from i on is, -1 for nowhere.
func (w askedWords) auxAt(i int) int {
	at := slices.IndexFunc(w[min(i, len(w)):], func(s string) bool { return englishAux[s] })
	if at < 0 {
		return -1
	}
	return at + i
}

// englishNamed reports whether an auxiliary with its subject behind it follows a question word that
// ends at i, perhaps after the words for what is asked for: "what time is it", but not "what people do".
func (w askedWords) englishNamed(i int, named bool) bool {
	at := w.auxAt(i)
	next := w.at(at + 1)
	switch {
	case at == i+1 && (w[at] == "is" || w[at] == "was") && len(w[i]) > 3 && strings.HasSuffix(w[i], "s") && !strings.HasSuffix(w[i], "ss"), at > i+2 && englishPrep[w[at-2]]:
		return false // "what helps is my inhaler"
	case at < 0 || at > i+4 || next == "" || w[:at].has(i, englishSubject):
		return false
	case at == i:
		return !named && !(w.at(at+1) == "my" && w.at(at+2) == "head")
	case englishSubject[next] || englishOwner[next]:
		return true
	}
	return (englishBe[w[at]] || w[at] == "does" || w[at] == "did" || w[at] == "has") && !englishPrep[next] && !englishNoSubject[next] && len(w) > at+2
}

// askForm is the beginning of a clause that asks, with what it must not match besides.
type askForm struct{ is, unless *regexp.Regexp }

// asking returns a form. In its expressions, of words with a space behind each, {name} stands for one of
// the words of a set.
func asking(is, unless string) askForm {
	sets := map[string]map[string]bool{
		"subject": englishSubject, "owner": englishOwner, "any": englishAny, "exclaims": englishExclaims, "base": englishBase, "did": englishDid,
		"done": englishDone, "be": englishBe, "who": englishWhoDid, "whonot": englishWhoNot, "state": englishState, "most": englishMost, "aux": englishAux, "none": englishNoSubject, "not": germanNot,
	}
	compile := func(expr string) *regexp.Regexp {
		return regexp.MustCompile(`^(?:` + inSets.ReplaceAllStringFunc(expr, func(name string) string {
			return "(?:" + strings.Join(slices.Sorted(maps.Keys(sets[strings.Trim(name, "{}")])), "|") + ")"
		}) + `)`)
	}
	if unless == "" {
		return askForm{is: compile(is)}
	}
	return askForm{compile(is), compile(unless)}
}

var inSets = regexp.MustCompile(`\{[a-z]+\}`)

// englishForms are questions that begin with their verb, or with a question word before it. "can you"
// asks to do something.
var englishForms = sync.OnceValue(func() []askForm {
	const notWho = `\S+ \S+ (?:that $|have thought |(?:\S+ )?(?:kidding|blame) )`
	const cleft = `|\S+ \S+ (?:\S+ )*{be} ` // "what's important to me is honesty"
	const unnamed = `\S+ (?:{none}|{aux}|{subject}|\S*ly|\S*ing) `
	return []askForm{
		asking(`(?:what|where|who|how|when|why)s \S`, `\S+ (?:more|done) `+cleft),
		asking(`whom? (?:{aux} |(?:{who}|\S{3,}ed) \S)`, notWho),
		asking(`whom? \S*s \S`, notWho+`|\S+ (?:\S*ss|{whonot}) `+cleft),
		asking(`(?:where|when|why) {aux} \S`, ""),
		asking(`had(?:nt)? i ever |dont (?:i|we|they) |do {any} |should {any} \S+ \S`, ""),
		asking(`should {subject} `, `\S+ (?:you|u) `),
		asking(`do {subject} `, `do it |\S+ \S+ (?:know|{exclaims}) `),
		asking(`do you know (?:\S+ )*(?:what|where|when|who|how|if|whether|why|which) `, `do you know what `),
		asking(`(?:can|could|will|would|shall|cant|wont) {subject} \S+ \S`, `\S+ (?:you|u) |\S+ \S+ care `),
		asking(`(?:does|did)(?:nt)? {subject} `, `\S+ \S+ (?:know|tell|say|mention|{exclaims}) `),
		asking(`(?:does|did|has)(?:nt)? {any} |have(?:nt)? (?:any|anyone) `, ""),
		asking(`(?:does(?:nt)? (?:{owner} )?\S+ (?:\S+ )?{base}|did(?:nt)? (?:{owner} )?\S+ (?:\S+ )?{did}) `, unnamed),
		asking(`ha(?:s|ve)(?:nt)? {subject} `, `\S+ \S+ {exclaims} `),
		asking(`(?:has(?:nt)?|have(?:nt)? (?:my|our|the)) (?:{owner} )?\S+ (?:\S+ )?{done} |has (?:{owner} )?\S+ \S*ed `, unnamed),
		asking(`(?:is|are|am|isnt|arent|wasnt) there (?:an?|any|some|no|something|anything|anyone|still|much|more|enough) `, ""),
		asking(`(?:is|are|was|were|am|isnt|arent|wasnt) {subject} `, `\S+ \S+ {exclaims} |was \S+ (?:\S+ )*{not} |were (?:i|he|she|it) `),
		asking(`(?:is|are|was|were|am|isnt|arent|wasnt) {any} `, ""),
		asking(`(?:is|are|isnt|arent|wasnt) (?:{owner} )?\S+ (?:\S+ )?{state} `, unnamed+`|(?:\S+ )+{most} `),
		asking(`(?:is|are|isnt|arent|wasnt) (?:{owner} )?\S+ (?:\S+ )?\S\S+ing `, unnamed+`|(?:\S+ )+(?:thing|something|nothing|anything|everything|morning|evening|wedding|king|ring|string|spring|building|ceiling|meeting|feeling|pudding|sibling|clothing|being) `),
	}
})

// englishOpens are the first words of englishForms beside the verbs.
var englishOpens = WordSet(`whats wheres whos hows whens whys who whom where when why`)

// hasEnglishForm reports a question of one of englishForms.
func (w askedWords) hasEnglishForm() bool {
	clause := strings.Join(w, " ") + " "
	return (englishOpens[w[0]] || englishAux[w[0]] && len(w) > 2) && slices.ContainsFunc(englishForms(), func(f askForm) bool {
		return f.is.MatchString(clause) && (f.unless == nil || !f.unless.MatchString(clause))
	})
}

var (
	germanAsking = WordSet(`was wat watt wer wie wo wann warum wieso weshalb weswegen wem wen wohin woher womit wofür wovon worüber woran worauf wozu wieviel wieviele wodurch wonach`)
	germanPrep   = WordSet(`mit für bei auf in an zu um von aus unter seit bis gegen über nach wegen ab`)
	germanOf     = WordSet(`wem wen was wat watt welche welcher welches welchen welchem wieviel wieviele wessen`)
	germanWhich  = WordSet(`welche welcher welches welchen welchem wessen wieviel wieviele`)
	germanVerb   = WordSet(`bin bist ist is isses sind sin war warst waren hab habe hat hats haben ham hatte hatten hast wird wirst werden wurde wurden werd kann kannst können könn konnte konnten könnte muss müssen musst musste mussten
		soll sollst sollen sollte sollten darf dürfen durfte will wollen wollte wollten möchte mag mach mache macht machen machte heißt heisst heiß heißen hieß hießen geht geh gehe gehen ging gingen kommt komm komme kommen kam kamen
		gibt gibts gab gibbet steht steh stehen stand standen liegt lieg liegen lag lagen läuft lief laufen fährt fahr fahre fahren fuhr wohnt wohn wohne wohnen wohnte lebt lebe leb leben arbeitet arbeite kostet kosten kostete kost zahlt zahl zahle zahlen
		heiratet feiert feier feiere bringt brachte nimmt nehm nehme nehmen nahm kriegt krieg kriege kriegen kriegte bekommt bekomm bekomme bekam spielt spiel spiele sieht sah schuldet leitet trinkt trink trinke isst ess esse essen hilft braucht brauch brauche
		sagt sagte sacht hält hing hingen find finde findet fand sitzt sitz saß passt gehört trägt trag trage treff treffe trifft fängt schreibt schreib schreibe funktioniert bedeutet nennt fehlt versteht erfand schläft meint meinte passiert passierte dauert endet beginnt weiß wiegt`)
	germanSubject = WordSet(`ich er wir man du ihr`)
	germanNot     = WordSet(`ich er sie es et wir man du ihr mich mir dich dir sich uns ihn ihm ihnen das dat dit die der den dem ein eine einen einem einer immer auch noch nicht nich nie so alles früher überall sonst gesagt andere leute alle viele beide manche mein meine meinem meinen dein deine unser unsere sein seine`)
	germanSize    = WordSet(`lange lang oft viel viele hoch groß schwer alt weit spät teuer breit früh schnell tief stark`)
	germanArticle = WordSet(`n ne ner nen nem einen eine ein einer einem`)
	// germanExclaims end exclamations, "wat hab ich gelacht"; germanWhoever follow a clause such as "wer will".
	germanExclaims = WordSet(`gelacht gefreut geärgert geschämt geheult geschwitzt gefroren froh müde kaputt fertig glücklich erleichtert satt schön geil lecker toll lustig traurig fein herrlich denn`)
	germanWhoever  = WordSet(`kann muss soll darf der hat ist wird kriegt bekommt macht`)
)

func (w askedWords) german() bool {
	first := w[0]
	switch {
	case first == "was" || first == "wat" || first == "watt":
		if w.at(1) == "weiß" || w.at(1) == "solls" || germanExclaims[w[len(w)-1]] && len(w) < 8 {
			return false
		}
		if w.at(1) == "für" {
			return w.germanNamed(2)
		}
	case first == "wer" && (w.at(1) == "weiß" || len(w) > 2 && germanWhoever[w[2]]):
		return false
	case first == "wie":
		if w.at(2) == "das" && germanExclaims[w[len(w)-1]] || w.at(1) == "gesagt" {
			return false
		}
		return germanVerb[w.at(1)] && len(w) > 2 || germanSize[w.at(1)] && (w.verbAt(2) || w.at(1) != "lange" && w.germanNamed(2))
	case germanWhich[first]:
		return w.germanNamed(1)
	case germanPrep[first] && germanOf[w.at(1)]:
		switch {
		case germanWhich[w[1]]:
			return w.germanNamed(2)
		case w.at(2) == "für":
			return w.germanNamed(3)
		}
		return w.verbAt(2)
	}
	return germanAsking[first] && w.verbAt(1)
}

// verbAt reports whether a verb stands at i, known or with its subject behind it: "wo feier ich".
func (w askedWords) verbAt(i int) bool {
	verb := w.at(i)
	if i+1 >= len(w) || germanNot[verb] {
		return false
	}
	return germanVerb[verb] || len(verb) > 2 && germanSubject[w[i+1]] || len(verb) > 3 && strings.HasSuffix(verb, "t") && (strings.HasPrefix(w[i+1], "mein") || strings.HasPrefix(w[i+1], "unser") || w[i+1] == "der" || w[i+1] == "die")
}

// germanNamed reports whether a verb follows the words for what is asked for: "welche insel will".
func (w askedWords) germanNamed(i int) bool {
	for germanArticle[w.at(i)] {
		i++
	}
	for at := i; at < min(len(w), i+4) && !germanNot[w[at]]; at++ {
		if at > i && w.verbAt(at) || at == i && germanWhich[w.at(i-1)] && germanVerb[w[at]] && at+1 < len(w) {
			return true
		}
	}
	return false
}

// Words of the forms of Spanish: question words without an accent and with one, prepositions, what
// stands behind "qué" and "cuánto" in exclamations, and behind the other words in wishes, comparisons
// and orders; what stands behind "como", I eat, and what somebody does when or as something is; and
// words of a sentence behind a clause such as "quien me cuida".
const (
	spanishAsking   = `que|cual|cuales|cuando|donde|adonde|como|quien|quienes|cuanto|cuanta|cuantos|cuantas`
	spanishSure     = `qué|cuál|cuáles|cuándo|dónde|adónde|cómo|quién|quiénes|cuánto|cuánta|cuántos|cuántas`
	spanishPrep     = `a|de|en|con|por|para|pa|desde|hasta|sobre`
	spanishExclaims = `rico|rica|lindo|linda|bonito|bonita|bueno|buena|buen|malo|mala|mal|feo|fea|pena|pereza|susto|miedo|asco|guayabo|oso|calor|frio|frío|hambre|cansancio|rabia|tristeza|alegria|alegría|emocion|emoción|dolor|vaina|` +
		`maravilla|belleza|divino|divina|hermoso|hermosa|triste|duro|dura|dificil|difícil|facil|fácil|barbaridad|verguenza|vergüenza|gana|ganas|lastima|lástima|dicha|suerte|horror|chimba|chevere|chévere|padre|pesado|pesada|tan|mas|más|bien|` +
		`gusto|viva|locura|fastidio|raro|rara|interesante|chistoso|gracioso|bendicion|bendición|ridiculo|ilusion|ilusión|estres|estrés|ternura|risa|sueño|mamera|jartera|gente|trabajo|ruido|lio|lío`
	spanishNot = `siempre|antes|menos|mejor|si|sea|quiera|sabe|nunca|no|te|ya|yo|todos|todo|todas|dios|pases|descanses|descanse|duerma|duermas|tengas|tenga|tengan|vaya|vayas|pase|pasen|disfrutes|disfrute|sean|seas|mejores|mejore|cumplas|cumpla|aproveche|` +
		`sepas|sepa|conste|quita|dicen|dice|dijo|digo|decia|decía|ojala|ojalá|loco|loca|novio|reina|burro|costumbre|era|lo|los|la|las|el|ella|usted|tu|tú|mi|mis|un|una|para|por`
	comoEat     = `carne|pescado|vegano|vegana|vegetariano|vegetariana|poco|poca|mucho|mucha|solo|sin|fuera|con|en|pan|fruta|de|arroz|todo`
	spanishI    = `soy|uso|llevo|tomo|recojo|duermo|duele|hincho|falta|ansiedad|sienta|escribo|puedo`
	spanishMain = `es|no|sabe|hay|casi|son|era|siempre|nunca`

	spanishLead = `^(?:(?:` + spanishPrep + `) )?`
)

// spanishForms are the beginnings of clauses with a question word, perhaps without its accent. The
// first that matches decides.
var spanishForms = []struct {
	*regexp.Regexp
	asking Asking
}{
	{regexp.MustCompile(`^como (?:` + comoEat + `) |^(?:cuando|como) \S+ (?:\S+ )*(?:` + spanishI + `) `), AsksNot},
	{regexp.MustCompile(spanishLead + `cu[aá]nt\S* (?:antes|mas|más|menos|` + spanishExclaims + `|\S+ (?:siento|alegr\S*|quiero)) |^en cu[aá]nt`), AsksNot},
	{regexp.MustCompile(spanishLead + `(?:qu[eé] (?:` + spanishExclaims + `)|cual\S* (?:mas|menos)) |^que \S+ (?:tan|mas|\S+ tan) `), AsksNot},
	{regexp.MustCompile(`^(?:` + spanishSure + `) \S+ \S|^(?:` + spanishPrep + `) (?:` + spanishSure + `) \S|^(?:desde|hasta) cuando \S`), AsksByForm},
	{regexp.MustCompile(spanishLead + `cuant[ao]s? \S|^(?:` + spanishPrep + `) que (?:horas?|edad|color|dia|año|mes|barrio|ciudad) `), AsksByForm},
	{regexp.MustCompile(spanishLead + `(?:` + spanishAsking + `) (?:` + spanishNot + `) |^(?:por|para|pa|desde|hasta) que |^quien es (?:no|siempre|nunca|(?:` + spanishNot + `) (?:\S+ )*(?:` + spanishMain + `)) `), AsksNot},
	{regexp.MustCompile(`^quien es (?:` + spanishNot + `) `), MayAsk},
	{regexp.MustCompile(spanishLead + `(?:cual(?:es)? \S|como se (?:llaman?|llamaba) )|^quien es `), AsksByForm},
	{regexp.MustCompile(spanishLead + `(?:cuando|adonde|donde|como|quien|quienes) \S+ (?:\S+ )*(?:` + spanishMain + `) |^cuando \S*o (?:\S+ ){4}|^(?:` + spanishPrep + `) cuando \S*o (?:\S+ ){3}`), AsksNot}, // a clause with another behind it
	{regexp.MustCompile(spanishLead + `(?:` + spanishAsking + `) \S`), MayAsk},
}

// spanishOpens matches how they begin, which most clauses do not.
var spanishOpens = regexp.MustCompile(spanishLead + `(?:qu|cu|c[oó]mo|a?d[oó]nde)`)

// spanish reads a clause that begins with a question word.
func (w askedWords) spanish() Asking {
	clause := strings.Join(w, " ") + " "
	if !spanishOpens.MatchString(clause) {
		return AsksNot
	}
	for _, form := range spanishForms {
		if form.MatchString(clause) {
			return form.asking
		}
	}
	return AsksNot
}
