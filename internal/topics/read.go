package topics

import (
	"bytes"
	"unicode/utf8"
)

const (
	// maxRunes is the length at which a text is cut.
	maxRunes = 4000
	// maxPhrase is the length of the longest phrase, in words.
	maxPhrase = 3
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
}

// read adds the topics of a text to sums.
func (l *words) read(text string, sums *[maxTopics]float32) {
	var space [64]word
	var letters [512]byte
	folded, list := split(text, letters[:0], space[:0])
	lang, certain := guess(folded, list)
	for i := 0; i < len(list); {
		if list[i].han {
			l.readHan(folded[list[i].from:list[i].to], sums)
			i++
			continue
		}
		n := 0
		if certain {
			n = l.readWord(lang, folded, list[i:], 1, sums)
		} else {
			for lang := range languageCount {
				n = max(n, l.readWord(lang, folded, list[i:], 1, sums))
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

// readWord adds the topics of the first of the words, or of the longest phrase
// they begin, and returns the number of words it used; 0 if none is known.
func (l *words) readWord(lang language, folded []byte, list []word, times float32, sums *[maxTopics]float32) int {
	t := &l.languages[lang]
	if s, n := t.phrase(folded, list); n > 0 {
		l.met(s, times, sums)
		return n
	}
	w := folded[list[0].from:list[0].to]
	if len(w) < 2 {
		return 0
	}
	if functionWords[string(w)][lang] {
		return 1
	}
	if s, ok := t.find(w, lang); ok {
		l.met(s, times, sums)
		return 1
	}
	if lang == german && l.compound(t, w, times, sums) {
		return 1
	}
	if lang != english && len(w) >= minForeign {
		if s, ok := l.languages[english].exact[string(w)]; ok {
			l.met(s, times*foreign, sums)
			return 1
		}
	}
	return 0
}

// phrase finds the longest phrase that the words begin with, and its number of
// words; 0 if there is none.
func (t *table) phrase(folded []byte, list []word) (span, int) {
	if !t.opens[string(folded[list[0].from:list[0].to])] {
		return span{}, 0
	}
	for n := min(maxPhrase, len(list)); n > 1; n-- {
		if list[n-1].han {
			continue
		}
		phrase := folded[list[0].from:list[n-1].to]
		s, ok := t.exact[string(phrase)]
		if !ok && phrase[len(phrase)-1] == 's' {
			s, ok = t.exact[string(phrase[:len(phrase)-1])]
		}
		if ok {
			return s, n
		}
	}
	return span{}, 0
}

// minForeign is the length from which a word of a German or Spanish text is
// looked up among the English ones: names of things, mostly.
const minForeign = 5

func (l *words) met(s span, times float32, sums *[maxTopics]float32) {
	for _, e := range l.entries[s.from:s.to] {
		sums[e.topic] = both(sums[e.topic], e.weight*times*once)
	}
}

// once is the weight that one unambiguous word gives its topic; two give more.
const once = 0.7

// find looks a word up as written, then without its ending.
func (t *table) find(w []byte, lang language) (span, bool) {
	if s, ok := t.exact[string(w)]; ok {
		return s, true
	}
	if lang == english {
		if s, ok := t.lemma(w); ok {
			return s, true
		}
		s, ok := t.stems[string(w)] // in a text prepared by [text.Prepare]
		return s, ok
	}
	s, ok := t.stems[string(stem(w, lang))]
	return s, ok
}

// lemma looks an English word up without the endings of inflection.
func (t *table) lemma(w []byte) (span, bool) {
	var space [40]byte
	n := len(w)
	if n < 4 || n > 32 {
		return span{}, false
	}
	try := func(cut int, add string) (span, bool) {
		if n-cut < 2 {
			return span{}, false
		}
		b := append(append(space[:0], w[:n-cut]...), add...)
		s, ok := t.exact[string(b)]
		return s, ok
	}
	for _, e := range englishEndings {
		if !bytes.HasSuffix(w, e.ending) {
			continue
		}
		for _, add := range e.adds {
			if s, ok := try(len(e.ending), add); ok {
				return s, ok
			}
		}
		if k := n - len(e.ending); e.doubles && k > 3 && w[k-1] == w[k-2] {
			if s, ok := try(len(e.ending)+1, ""); ok {
				return s, ok
			}
		}
	}
	return span{}, false
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

// compound adds the topics of a German compound's head, the longest word at its
// end, and of the longest word at its beginning.
func (l *words) compound(t *table, w []byte, times float32, sums *[maxTopics]float32) bool {
	if len(w) < 2*minStem-1 {
		return false
	}
	found, head := false, len(w)
	for i := 3; i <= len(w)-minStem; i++ {
		if s, ok := t.part(w[i:]); ok {
			l.met(s, times*headPart, sums)
			found, head = true, i
			break
		}
	}
	for i := min(head, len(w)-3); i >= minStem; i-- {
		if s, ok := t.part(w[:i]); ok {
			l.met(s, times*leadPart, sums)
			found = true
			break
		}
	}
	return found
}

// part looks a part of a compound up. Without its ending it must be longer than
// a stem: too many words begin or end with those letters.
func (t *table) part(w []byte) (span, bool) {
	if s, ok := t.exact[string(w)]; ok {
		return s, true
	}
	root := stem(w, german)
	if len(root) <= minStem {
		return span{}, false
	}
	s, ok := t.stems[string(root)]
	return s, ok
}

// readHan adds the topics of the words of a run of Chinese characters, longest
// first from the left.
func (l *words) readHan(run []byte, sums *[maxTopics]float32) {
	t := &l.languages[chinese]
	for len(run) > 0 {
		first, step := utf8.DecodeRune(run)
		lengths := t.begins[first]
		for n := maxHan; n > 0; n-- {
			// Every character of a run takes three bytes.
			if lengths>>n&1 == 0 || len(run) < 3*n {
				continue
			}
			if s, ok := t.exact[string(run[:3*n])]; ok {
				l.met(s, 1, sums)
				step = 3 * n
				break
			}
		}
		run = run[step:]
	}
}

// guess determines the language of a text by its function words. It is certain
// when one language has more of them than the others.
func guess(folded []byte, list []word) (language, bool) {
	var hits [languageCount]int
	for _, w := range list {
		if !w.han {
			for lang, in := range functionWords[string(folded[w.from:w.to])] {
				if in {
					hits[lang]++
				}
			}
		}
	}
	return surest(&hits)
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

var functionWords = func() map[string][languageCount]bool {
	m := make(map[string][languageCount]bool)
	for lang, list := range [chinese]string{
		english: "the a an and or of to in on at is are was were be been i im ive id ill my me mine you your we our us he she it its his her they them their this that these those there what which who whom whose when where why how do does did dont can could should would will shall must not no with without for from by about as if but so than then have has had any some up out get let please",
		german:  "der die das den dem des ein eine einen einem einer eines und oder aber nicht kein keine keinen ich mir mich mein meine meinen meinem meiner du dir dich dein deine er sie es wir uns unser unsere ihr ihm ihn ihnen ist sind war waren bin bist sein hat habe haben hatte wird werde werden wurde kann konnte soll sollte muss musste mag darf will wer was wann wo wie warum wieso welche welcher welches welchen woher wohin mit ohne von vom zu zum zur bei beim im in am an auf aus fur um uber unter nach vor durch bis als wenn dass ob weil auch noch nur schon sehr mal ja nein bitte heute jetzt hier da dort so denn seit danach davor damit dafur darf daran wieder immer nie mehr viel viele alle alles etwas nichts jede jeder jedes jeden dieser diese dieses diesen man uns euch gibt geht gehe machen mache macht brauche braucht brauchen mochte wurden gerade eigentlich doch halt eben gern gerne ganz also vielleicht zwischen gegen weiter weil sollen wollen will konnen mussen worden lassen lass seinen seiner ihrem ihren",
		spanish: "el la los las un una unos unas y o pero no ni yo me mi mis mio tu te ti tus usted su sus le les lo nos nuestro nuestra se es son era fue soy eres somos esta estan estoy este esto ese eso ha he han hay tengo tiene que quien cual cuando donde como por para con sin de del al en a desde hasta sobre entre si muy mas ya tambien solo porque aqui hoy puedo debo puede",
	} {
		for w := range bytes.FieldsSeq([]byte(list)) {
			in := m[string(w)]
			in[lang] = true
			m[string(w)] = in
		}
	}
	return m
}()
