package topics

import (
	"bytes"
	"unicode/utf8"
)

const (
	// maxRunes is the length at which a text is cut.
	maxRunes = 4000
	// maxPhrase is the length of the longest phrase, in words.
	maxPhrase = 4
	// maxHan is the length of the longest Chinese word, in characters.
	maxHan = 6
	// Weights of words found in another language than the text's, as the head of a
	// compound, or as its first part.
	foreign  = 0.8
	headPart = 0.9
	leadPart = 0.6
)

// word is a word of the folded text.
type word struct {
	from, to int
	han      bool
	function uint8 // languages of which it is a function word, a bit each; set by guess
}

// A reader adds what the words of a dictionary are about to sums.
type reader struct {
	*words
	*dictionary
	*sums
}

// read adds the topics of a text, then its concepts. Neither depends on the other.
func (r *reader) read(text string) {
	var space [64]word
	var letters [512]byte
	folded, list := split(text, letters[:0], space[:0])
	lang, certain := guess(folded, list)
	for d := range r.dictionaries {
		r.dictionary = &r.dictionaries[d]
		r.readWords(lang, certain, folded, list)
	}
}

func (r *reader) readWords(lang language, certain bool, folded []byte, list []word) {
	for i := 0; i < len(list); {
		if list[i].han {
			r.readHan(folded[list[i].from:list[i].to])
			i++
			continue
		}
		n := 0
		if certain {
			n = r.readWord(lang, folded, list[i:], 1)
		} else {
			for lang := range languageCount {
				n = max(n, r.readWord(lang, folded, list[i:], 1))
			}
		}
		i += max(n, 1)
	}
}

// split folds a text and finds its words, which the folded text joins by "_";
// a longer gap than a space or hyphen by "__", so that no phrase spans it.
func split(text string, folded []byte, list []word) ([]byte, []word) {
	runes, open, han := 0, false, false
	for i, r := range text {
		if runes++; runes > maxRunes {
			break
		}
		f := fold(r)
		switch {
		case f == 0 && (r == '\'' || r == '’') && open && !han && i+1 < len(text) && !possessive(text[i:]):
			continue // "don't" -> dont
		case f == 0:
			if open {
				list[len(list)-1].to = len(folded)
			}
			if open || len(folded) > 0 && r != ' ' && folded[len(folded)-1] == '_' {
				folded = append(folded, '_')
			}
			if open && r != ' ' && r != '-' && r != '\'' && r != '’' {
				folded = append(folded, '_')
			}
			open = false
			continue
		}
		if isHan := f >= firstHan; !open || isHan != han {
			if open {
				list[len(list)-1].to = len(folded)
				folded = append(folded, '_')
			}
			list = append(list, word{from: len(folded), han: isHan})
			open, han = true, isHan
		}
		folded = utf8.AppendRune(folded, f)
		if r == 'ß' {
			folded = append(folded, 's')
		}
	}
	if open {
		list[len(list)-1].to = len(folded)
	}
	return folded, list
}

// possessive reports whether the apostrophe that text starts with belongs to
// an ending: "'s", or a quote that closes.
func possessive(text string) bool {
	_, size := utf8.DecodeRuneInString(text)
	rest := text[size:]
	if rest == "" || fold(rune(rest[0])) == 0 && rest[0] < utf8.RuneSelf {
		return true
	}
	return (rest[0] == 's' || rest[0] == 'S') && (len(rest) == 1 || rest[1] < utf8.RuneSelf && fold(rune(rest[1])) == 0)
}

// readWord adds what the first of the words is about, or the longest phrase they
// begin, and returns the number of words it used; 0 if none is known.
func (r *reader) readWord(lang language, folded []byte, list []word, times float32) int {
	if s, n := r.phrase(lang, folded, list); n > 0 {
		r.met(s, times)
		return n
	}
	w := folded[list[0].from:list[0].to]
	if len(w) < 2 {
		return 0
	}
	if list[0].function>>lang&1 != 0 {
		return 1
	}
	if s := r.word(lang, w); s != 0 {
		r.met(s, times)
		return 1
	}
	if lang == german && r.compound(w, times) {
		return 1
	}
	if lang != english && len(w) >= minForeign {
		if s := r.languages[english].find(exact, w); s != 0 {
			r.met(s, times*foreign)
			return 1
		}
	}
	return 0
}

// phrase finds the longest phrase that the words begin with, and its number of
// words; 0 if there is none.
func (r *reader) phrase(lang language, folded []byte, list []word) (span, int) {
	if len(list) < 2 {
		return 0, 0
	}
	t := r.languages[lang]
	lengths := t.find(opens, folded[list[0].from:list[0].to])
	if lengths == 0 {
		return 0, 0
	}
	for n := min(maxPhrase, len(list)); n > 1; n-- {
		if lengths>>n&1 == 0 || list[n-1].han {
			continue
		}
		phrase := folded[list[0].from:list[n-1].to]
		s := t.find(exact, phrase)
		if s == 0 && phrase[len(phrase)-1] == 's' {
			s = t.find(exact, phrase[:len(phrase)-1])
		}
		if s != 0 {
			return s, n
		}
	}
	return 0, 0
}

// minForeign is the length from which a word of a German or Spanish text is
// looked up among the English ones: names of things, mostly.
const minForeign = 5

func (r *reader) met(s span, times float32) {
	for ; ; s++ {
		e := r.at(s)
		r.add(e.code(), e.weight()*times*once)
		if e&lastOne != 0 {
			return
		}
	}
}

// once is the weight that one unambiguous word gives its topic; two give more.
const once = 0.7

// word looks a word up as written, then without its ending.
func (r *reader) word(lang language, w []byte) span {
	t := r.languages[lang]
	s := t.find(exact, w)
	switch {
	case s != 0 || lang == chinese:
	case lang != english:
		s = t.find(stems, stem(w, lang))
	default:
		s = t.lemma(w, r.space[:0])
		if s == 0 {
			s = t.find(stems, w) // in a text prepared by [text.Prepare]
		}
	}
	return s
}

// maxLemma is the length of the longest word that is looked up without endings.
const maxLemma = 32

// lemma looks an English word up without the endings of inflection. It uses space.
func (t table) lemma(w, space []byte) span {
	n := len(w)
	if n < 4 || n > maxLemma {
		return 0
	}
	try := func(cut int, add string) span {
		if n-cut < 2 {
			return 0
		}
		return t.find(exact, append(append(space, w[:n-cut]...), add...))
	}
	for _, e := range englishEndings {
		if !bytes.HasSuffix(w, e.ending) {
			continue
		}
		for _, add := range e.adds {
			if s := try(len(e.ending), add); s != 0 {
				return s
			}
		}
		if k := n - len(e.ending); e.doubles && k > 3 && w[k-1] == w[k-2] {
			if s := try(len(e.ending)+1, ""); s != 0 {
				return s
			}
		}
	}
	return 0
}

var englishEndings = []struct {
	ending  []byte
	adds    []string
	doubles bool
}{
	{[]byte("ies"), []string{"y", "ie"}, false},
	{[]byte("ied"), []string{"y", "ie"}, false},
	{[]byte("es"), []string{"e", ""}, false},
	{[]byte("s"), []string{""}, false},
	{[]byte("ing"), []string{"", "e"}, true},
	{[]byte("ed"), []string{"", "e"}, true},
	{[]byte("ves"), []string{"f", "fe"}, false},
}

// stem removes the ending of a German or Spanish word.
func stem(w []byte, lang language) []byte {
	endings := germanEndings
	if lang == spanish {
		endings = spanishEndings
	}
	if lang == chinese || lang == english {
		return w
	}
	for _, e := range endings {
		if len(w)-len(e) >= minStem && bytes.HasSuffix(w, e) {
			return w[:len(w)-len(e)]
		}
	}
	return w
}

const minStem = 4

func fields(s string) [][]byte { return bytes.Fields([]byte(s)) }

var (
	germanEndings  = fields("innen ern end est ten tet te in em en er es et st e n s t")
	spanishEndings = fields("aciones iendo ieron abais aremos eremos iremos ando aban aron aste iste adas ados idas idos amos emos imos aba ado ada ido ida ian ara era ira are ere ire as es os an en ar er ir ia io a e o s n")
)

// compound adds what a German compound's head is about, the longest word at
// its end, and the longest word at its beginning.
func (r *reader) compound(w []byte, times float32) bool {
	if len(w) < 2*minStem-1 {
		return false
	}
	found, head := false, len(w)
	for i := 3; i <= len(w)-minStem; i++ {
		if s := r.part(w[i:]); s != 0 {
			r.met(s, times*headPart)
			found, head = true, i
			break
		}
	}
	for i := min(head, len(w)-3); i >= minStem; i-- {
		if s := r.part(w[:i]); s != 0 {
			r.met(s, times*leadPart)
			found = true
			break
		}
	}
	return found
}

// part looks a part of a compound up. Without its ending it must be longer than
// a stem: too many words begin or end with those letters.
func (r *reader) part(w []byte) span {
	if s := r.languages[german].find(exact, w); s != 0 {
		return s
	}
	root := stem(w, german)
	if len(root) <= minStem {
		return 0
	}
	return r.languages[german].find(stems, root)
}

// readHan adds what the words of a run of Chinese characters are about, longest first
// from the left.
func (r *reader) readHan(run []byte) {
	for len(run) > 0 {
		first, step := utf8.DecodeRune(run)
		lengths := r.han[first-firstHan]
		for n := maxHan; n > 0; n-- {
			// Every character of a run takes three bytes.
			if lengths>>(n-1)&1 == 0 || len(run) < 3*n {
				continue
			}
			if s := r.languages[chinese].find(exact, run[:3*n]); s != 0 {
				r.met(s, 1)
				step = 3 * n
				break
			}
		}
		run = run[step:]
	}
}

// guess determines the language of a text by its function words, and marks these. It
// is certain when one language has more of them than the others.
func guess(folded []byte, list []word) (language, bool) {
	var hits [languageCount]int
	for i := range list {
		w := &list[i]
		if w.han {
			continue
		}
		w.function = functionWords[string(folded[w.from:w.to])]
		count(&hits, w.function)
	}
	return surest(&hits)
}

// count counts a word in the languages that have a bit.
func count(hits *[languageCount]int, in uint8) {
	if in == 0 {
		return
	}
	for lang := range languageCount {
		hits[lang] += int(in >> lang & 1)
	}
}

// surest returns the language with the most function words, and whether no other
// has as many.
func surest(hits *[languageCount]int) (language, bool) {
	best, most, second := english, 0, 0
	for lang, n := range hits {
		if n > most {
			best, most, second = language(lang), n, most
		} else {
			second = max(second, n)
		}
	}
	return best, most > second
}

// functionWords are the function words, with a bit for each language.
var functionWords = func() map[string]uint8 {
	m := make(map[string]uint8)
	for lang, list := range [chinese]string{
		english: "the a an and or of to in on at is are was were be been i im ive id ill my me mine you your we our us he she it its his her they them their this that these those there what which who whom whose when where why how do does did dont can could should would will shall must not no with without for from by about as if but so than then have has had any some up out get let please",
		german:  "der die das den dem des ein eine einen einem einer eines und oder aber nicht kein keine keinen ich mir mich mein meine meinen meinem meiner du dir dich dein deine er sie es wir uns unser unsere ihr ihm ihn ihnen ist sind war waren bin bist sein hat habe haben hatte wird werde werden wurde kann konnte soll sollte muss musste mag darf will wer was wann wo wie warum wieso welche welcher welches welchen woher wohin mit ohne von vom zu zum zur bei beim im in am an auf aus fur um uber unter nach vor durch bis als wenn dass ob weil auch noch nur schon sehr mal ja nein bitte heute jetzt hier da dort so denn seit danach davor damit dafur darf daran wieder immer nie mehr viel viele alle alles etwas nichts jede jeder jedes jeden dieser diese dieses diesen man uns euch gibt geht gehe machen mache macht brauche braucht brauchen mochte wurden gerade eigentlich doch halt eben gern gerne ganz also vielleicht zwischen gegen weiter weil sollen wollen will konnen mussen worden lassen lass seinen seiner ihrem ihren",
		spanish: "el la los las un una unos unas y o pero no ni yo me mi mis mio tu te ti tus usted su sus le les lo nos nuestro nuestra se es son era fue soy eres somos esta estan estoy este esto ese eso ha he han hay tengo tiene que quien cual cuando donde como por para con sin de del al en a desde hasta sobre entre si muy mas ya tambien solo porque aqui hoy puedo debo puede",
	} {
		for w := range bytes.FieldsSeq([]byte(list)) {
			m[string(w)] |= 1 << lang
		}
	}
	return m
}()
