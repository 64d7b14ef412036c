package grounding

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ebbmem/ebb/internal/text"
)

// Lean is how much a sentence rests on an earlier one that names its subject.
type Lean int

const (
	// Stands: it names that itself.
	Stands Lean = iota
	// Leans: a word in it rests on another sentence: "The fair is on 3 May and he'd like the flyer by then".
	Leans
	// Dangles: it begins with such a word and says nothing without the other: "told them 900 for the evening".
	Dangles
)

// LeanOf returns how much a sentence rests on another, by its form. It errs towards Stands.
func LeanOf(sentence string) Lean {
	s := strings.TrimSpace(sentence)
	switch {
	case needsSubject.MatchString(s) || dangling.MatchString(s):
		return Dangles
	case bare.MatchString(s), insteadOnly.MatchString(s) && len(text.QueryTerms(s, 0)) <= fewTerms:
		return Leans
	}
	if at := relative.FindStringIndex(s); at != nil && !complement.MatchString(s[at[1]:]) {
		return Leans
	}
	if at := there.FindStringSubmatchIndex(s); at != nil && at[2] > 0 && len(candidates(s[:at[2]], true)) == 0 && !existential.MatchString(s[at[2]:]) {
		if len(strings.Fields(s[:at[2]])) <= fewBefore {
			return Dangles
		}
		return Leans
	}
	if at := englishPerson.FindStringSubmatchIndex(s); at != nil && len(candidates(s[:at[2]], false)) == 0 && !anybody.MatchString(s[:at[2]]) {
		return Leans
	}
	if leansInGerman(s) || leansInSpanish(s) || OfThing(s) {
		return Leans
	}
	return Stands
}

// Limits of length: fewTerms of a sentence that says what is so instead and of a stump, in terms, and
// fewBefore of what stands before "there" at the beginning, in words.
const (
	fewTerms  = 5
	fewBefore = 4
)

var (
	// dangling matches a beginning without a subject, or with a pronoun for several.
	dangling = regexp.MustCompile(`^(?i:(?:so|and|but|also|just|then),? )*(?i:\pL+ (?:them|him)(?:[^\pL]|$)|\pL+ her(?:[^\pL]|$)|(?:herself|himself|themselves)(?:[^\pL]|$)|(?:those|these|the) two(?:[^\pL]|$)|both (?:of them|are|have|want)(?:[^\pL]|$)|die beiden(?:[^\pL]|$)|(?:ambos|ambas|los dos|las dos)(?:[^\pL]|$))|^(?:[牠它]|对方|對方|那[边邊里裡儿兒])`)
	// bare matches a participle that is of what the sentence before names: "Hidden in the tool shed."
	bare = regexp.MustCompile(`^(?i:(?:hidden|born|named|due|located|versteckt|geboren|benannt|fällig|escondid[oa]s?|nacid[oa]s?|guardad[oa]s?) (?:in|on|at|by|under|behind|from|after|mid|early|late|im|am|in|unter|hinter|nach|en|el|bajo|detrás|por)(?:[^\pL]|$))`)
	// insteadOnly matches what takes the place of something else.
	insteadOnly = regexp.MustCompile(`(?i)\binstead\b(?:[^ ]|$)|\bstattdessen\b|(?:^|[^\pL])en su lugar(?:[^\pL]|$)`)
	// relative matches a noun that is somebody's or something's, at the beginning, and complement what says whose.
	relative = regexp.MustCompile(`^(?i:(?:and|but|so|also),? )?(?i:the (?:(?:old|new|other|little|older|younger|eldest|youngest) )?(?:father|dad|mother|mum|mom|parents|brother|sister|son|daughter|kids|husband|wife|owner|driver|number|address|code|password|rest|old one|new one|other one|others))\b` +
		`|^(?i:(?:und|aber|also),? )?(?i:(?:der|die|das|dem|den) (?:(?:alte|neue|andere|kleine|ältere|jüngere|große)[nrs]? )?(?:vater|mutter|eltern|papa|mama|bruder|schwester|sohn|tochter|geschwister|fahrer(?:in)?|besitzer(?:in)?|praxis|nummer|adresse|passwort))(?:[^\pL]|$)` +
		`|^(?i:(?:y|pero),? )?(?i:(?:el|la|los|las) (?:(?:otr|nuev|viej)[oa]s? )?(?:padres?|madre|hermano|hermana|hijo|hija|marido|mujer|dueñ[oa]|número|dirección|código|contraseña))(?:[^\pL]|$)`)
	complement = regexp.MustCompile(`^(?:[^\pL,.;:]*(?i:of|for|at|to|in|on|from|with|who|we|i|von|vom|für|des|der|meine[rsmn]?|unsere[rsmn]?|zu[rm]?|im|in|de|del|para)(?:[^\pL]|$)|[^\pL,.;:]*\p{Lu})`)
	// there matches a place that is named elsewhere, and existential what only looks like it.
	there       = regexp.MustCompile(`(?:^|[^\pL])(there|dort|dorthin|allí|allá)(?:[^\pL]|$)`)
	existential = regexp.MustCompile(`^there(?:['’](?:s|re|ll|d)\b| (?:is|are|was|were|will|would|has|have|had|should|might|must|may|isn|aren|wasn|weren|seems?)\b)`)
	// englishPerson matches pronouns for people, anybody what they may stand for.
	englishPerson = regexp.MustCompile(`(?i)(?:^|[^\pL'’])(hes?|shes?|him|her|his)(?:$|[^\pL])`)
	anybody       = regexp.MustCompile(`(?i)\b(?:m[ua]m(?:my|a)?|mom(?:my)?|mother|dad(?:dy)?|father|papa|nan(?:a|ny)?|gran\pL*|husband|wife|partner|boyfriend|girlfriend|fianc\pL+|sister|brother|son|daughter|kid|child|baby|boy|girl|m[ae]n|wom[ae]n|lady|guy|bloke|friend|mate|cousin|uncle|aunt\pL*|niece|nephew|neighbou?r|land(?:lord|lady)|boss|manager|colleague|doctor|gp|dentist|nurse|vet|physio|teacher|coach|plumber|electrician|contractor|client|customer|tenant|driver|dog|cat|puppy|kitten|(?:some|any|every)(?:body|one)|nobody|no one|who|\pL{4,}(?:ist|ian|man|woman))(?:['’]?s)?\b`)
)

// MentionsSomebody reports whether a text has a word for a person or an animal: "my boss", "the vet".
func MentionsSomebody(s string) bool { return anybody.MatchString(s) }

// notNames are words with a capital that are no names.
var notNames = text.WordSet("monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september october november december christmas easter i i'm i've i'd i'll ich sie ihnen")

// candidates returns the words before a pronoun that it may stand for: those with a capital, the first
// one only if it is no function word, and abbreviations if any thing may be meant.
func candidates(before string, things bool) (names []string) {
	for i, w := range strings.Fields(before) {
		w = strings.TrimFunc(w, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		folded := text.Fold(strings.ReplaceAll(w, "’", "'"))
		first, _ := utf8.DecodeRuneInString(w)
		if !unicode.IsUpper(first) || notNames[folded] || notNames[strings.TrimSuffix(folded, "s")] || i == 0 && text.IsStopWord(folded) || !things && len(w) > 1 && w == strings.ToUpper(w) {
			continue
		}
		names = append(names, w)
	}
	return names
}

// Pronouns of German: those near the beginning, and those of men and women.
var (
	germanEarly = regexp.MustCompile(`^(?:[^\s,;:–—]+ ){1,3}(?:er|sie|ihn|ihm|ihnen|ihr)(?:[.,!?;:]|$| [^\p{Lu}])`)
	germanNames = regexp.MustCompile(`^(?:[^\s,;:–—]+ )*?(?:er|sie|ihn|ihm|ihnen|ihr)(?:[^\pL]|$)`)
	germanMan   = regexp.MustCompile(`(?:^|[^\pL])(?:er|ihn|ihm)(?:[^\pL]|$)`)
	germanWoman = regexp.MustCompile(`(?:^|[^\pL])(?:zu|mit|bei|von|für) (?:ihr|sie)(?: [^\p{Lu}]|[.,!?]|$)`)
	germanWords = regexp.MustCompile(`(?i)(?:^|[^\pL])(?:ich|du|wir|isn?|ist|sind|hat|haben|war|wird|kann|und|nicht|das|die|der|den|dem|mit|zu[rm]?|auf|für|in|tut|mag|im|am)(?:[^\pL]|$)`)
)

// leansInGerman reports whether a sentence has a pronoun among its first words that is not of the only
// noun before it, "Paul hat ihm gleich …", or pronouns for a man and a woman with one name before them.
func leansInGerman(s string) bool {
	if !germanWords.MatchString(s) {
		return false
	}
	if at := germanEarly.FindString(s); at != "" && len(germanNames.FindString(s)) > 0 && len(candidates(at, false)) <= 1 {
		return true
	}
	man, woman := germanMan.FindStringIndex(s), germanWoman.FindStringIndex(s)
	if man == nil || woman == nil {
		return false
	}
	return len(runs(s[:min(man[0], woman[0])])) <= 1
}

// OfThing reports whether a sentence begins with "it" and says what that is by now, "its swimming now thurs", or
// where it is: "It's under the blue pot." The possessive "its lid" is none.
func OfThing(s string) bool {
	s = strings.TrimSpace(s)
	at := itIs.FindStringIndex(s)
	return at != nil && !itself.MatchString(s[at[1]:]) && (itChanged.MatchString(s[at[1]:]) || itLies.MatchString(s[at[1]:]))
}

var (
	itIs      = regexp.MustCompile(`^(?i:(?:and|but|so|also|und|aber|also),? )?(?i:it(?:['’]s|['’]ll be| is| was| goes| starts| costs)|its|es (?:isn?|ist|war|geht|kostet|liegt|steht)|(?:is|liegt|steht) jetzt) `)
	itself    = regexp.MustCompile(`^(?i:(?:now |just |so |really |jetzt |grad |so )*(?:rain|snow|freez|pour|dark\b|cold\b|hot\b|late\b|sunny|nice\b|true\b|fine\b|ok|hard\b|(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|reg[en]|schnei|kalt|warm|heiß|dunkel|spät|schön|gut\b|(?:\pL+ )?(?:who|that|wer|dass)\b)|(?:\pL+ )(?:is|was|are|has|had|went|got)\b)`)
	itChanged = regexp.MustCompile(`(?i)\b(?:now|instead|from (?:today|now|tomorrow|next)|moved|no longer|any ?more|jetz|jetzt|ab (?:jetzt|sofort|heute|morgen)|stattdessen|nur noch|verlegt|nicht mehr)\b`)
	itLies    = regexp.MustCompile(`^(?i:in|under|behind|on|at|unter|hinter|neben|im|am) (?i:the|my|our|a|de[mnr]|einem?r?)?\b`)
)

// leansInSpanish reports whether a sentence begins with a verb of the third person and no subject follows it:
// "ya no va a tomar pastillas". "Vino mi hermana" has one.
func leansInSpanish(s string) bool {
	at := spanishVerb.FindStringIndex(s)
	if at == nil || impersonal.MatchString(s) {
		return false
	}
	if takesPlace.MatchString(s[:at[1]]) {
		return true
	}
	follows := subjectFollows
	if takesObject.MatchString(s[:at[1]]) {
		follows = personFollows
	}
	return !follows.MatchString(s[at[1]:])
}

var (
	spanishBefore = `^(?i:(?:y|pero|pues|ya|hoy|ayer|también|tambien|al final|por fin|ahorita|ahora),? )*(?i:no )?(?i:(?:me|te|se|le|les|lo|la|nos) )*`
	spanishVerb   = regexp.MustCompile(spanishBefore + `(?i:dijo|vino|hizo|puso|trajo|tuvo|quiso|pudo|estuvo|tiene|tienen|quiere|quieren|dice|dicen|dijeron|viven? (?:en|con|sol[oa]|por)|trabajan? (?:en|de|con|por)|está (?:en|de|con)|toma|usa|lleva|padece|nació|cumplió|cumple \d+|va a \pL+r|van a \pL+r|transfiri[oó]|transfirieron|pidi[oó]|sali[oó]|muri[oó]|mud[oó]|cas[oó]|llam[oó]|compr[oó]|vendi[oó]|pag[oó]|dej[oó]|regres[oó]|jubil[oó]|despidi[oó]|despidieron|llama|dio|dieron)(?:[^\pL]|$)`)
	takesObject   = regexp.MustCompile(`(?i)(?:tienen?|toma|usa|padece|van? a \pL+r|quieren?|lleva|hizo|puso|trajo|tuvo|dio|dieron|transfiri[oó]|transfirieron|pidi[oó]|vendi[oó]|compró|pagó|dejó)[^\pL]?$`)
	takesPlace    = regexp.MustCompile(`(?i) (?:en|con|por|de|sol[oa])[^\pL]?$`)
	// impersonal matches verbs that have no person, and those of accounts of oneself without accents: "llamo", "dejo".
	impersonal     = regexp.MustCompile(spanishBefore + `(?i:van? a (?:llover|haber|ser|hacer|nevar|estar)|tiene que ser|dicen que va|(?:llamo|compro|pago|dejo|regreso|jubilo|mudo|caso|la llama)(?:[^\pL]|$)|quiere decir)`)
	personFollows  = regexp.MustCompile(`^[^\pL]*(?:(?i:mis?|don|doña|nuestr[oa]s?|nadie|alguien|todos)(?:[^\pL]|$)|\p{Lu})`)
	subjectFollows = regexp.MustCompile(`^[^\pL]*(?:(?i:mis?|el|la|los|las|un|una|unos|unas|don|doña|nuestr[oa]s?|nadie|alguien|todos)(?:[^\pL]|$)|\p{Lu})`)
)

// runs returns the names of several words with a capital before a pronoun.
func runs(before string) (of []string) {
	words := strings.Fields(before)
	for i := 0; i < len(words); i++ {
		if len(candidates("x "+words[i], false)) == 0 || i == 0 && text.IsStopWord(text.Fold(words[i])) {
			continue
		}
		from := i
		for i+1 < len(words) && !strings.ContainsAny(words[i], ",;:.") && len(candidates("x "+words[i+1], false)) > 0 {
			i++
		}
		of = append(of, strings.Join(words[from:i+1], " "))
	}
	return of
}

// restsOnIt matches the beginning of a sentence about what the one before it tells.
var restsOnIt = regexp.MustCompile(`^(?i:(?:it|this|that)(?:['’]s| is| was| took| has| had| feels?| felt)(?:[^\pL]|$)|(?:das|es) (?:ist|war|hat|fühlt)(?:[^\pL]|$)|(?:eso|esto) (?:es|fue|era)(?:[^\pL]|$))`)

// IsStump reports whether a sentence out of a message says nothing without the rest of it: a few words
// without a number or a name, or about "it".
func IsStump(sentence string) bool {
	s := strings.TrimSpace(sentence)
	n := len(text.QueryTerms(s, 0))
	if strings.ContainsFunc(s, unicode.IsDigit) || slices.ContainsFunc(text.Mentions(s), func(m text.Mention) bool { return m.Type == text.MentionName }) {
		return false
	}
	return n < fewTerms-1 || n <= fewTerms && (restsOnIt.MatchString(s) || LeanOf(s) != Stands)
}
