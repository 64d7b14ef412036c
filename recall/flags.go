package recall

import (
	"bytes"
	"iter"
	"unicode"
	"unicode/utf8"

	"github.com/ebbmem/ebb/internal/text"
)

// docFlags are what the ranker wants to know of a text beyond its terms.
type docFlags uint8

const (
	saysI     docFlags = 1 << iota // speaks in the first person
	saysYou                        // speaks to someone
	asks                           // opens with a question word
	wishes                         // states a standing wish or preference
	datesIt                        // holds a date or time word, or a number
	numbersIt                      // holds a number
	byUser                         // role user, or derived
	opens                          // of a term alone: its text asks if it opens with it
)

// vocabulary makes a set of the terms the index holds for these words.
func vocabulary(words string) map[string]bool {
	set := make(map[string]bool)
	for _, t := range text.Terms(words) {
		set[t] = true
	}
	return set
}

// Words that give a text its flags. Chinese words are separated, so that each
// makes its own bigrams only.
var (
	firstPerson = vocabulary(`I I'm I've I'd I'll my me mine myself we our us ours
		ich mich mir mein meine meinen meinem meiner wir uns unser unsere unseren yo mi mis nosotros nosotras nuestro nuestra soy tengo estoy`)
	secondPerson = vocabulary("you")
	questionWord = vocabulary("what how why where who which 什么 什麼 怎么 怎麼 为什 為什 多少 多久 哪里 哪儿 谁 誰")
	wishWord     = vocabulary("always prefer preference 总是 喜欢")
	dateWord     = vocabulary(`yesterday today tomorrow tonight ago last next week weekend month year day
		monday tuesday wednesday thursday friday saturday sunday january february march april june july
		august september october november december summer winter spring autumn birthday anniversary
		gestern heute morgen vorgestern übermorgen letzte letzten letztes nächste nächsten nächster nächstes woche wochenende monat jahr
		montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag januar jänner februar märz april mai juni juli oktober dezember
		ostern ostersonntag weihnachten silvester pfingsten geburtstag
		ayer hoy mañana anteayer anoche semana próximo próxima pasado pasada lunes martes miércoles jueves viernes sábado domingo
		enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre navidad pascua nochevieja cumpleaños
		昨天 今天 明天 前天 后天 上周 下周 周末 上个 下个 去年 今年 明年 月份 星期 周一 周二 周三 周四 周五 周六 周日 下月 生日 号`)
	numberWord = vocabulary(`one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty
		hundred thousand first second third once twice couple few`)
)

// flagsOf reads the flags of a text whose terms have these, in order.
func flagsOf(terms iter.Seq[docFlags]) (flags docFlags) {
	first := true
	for term := range terms {
		flags |= term &^ opens
		if first && term&opens != 0 {
			flags |= asks
		}
		first = false
	}
	return flags
}

// termFlags are the flags that a term gives its text.
func termFlags(term string) docFlags {
	flags := spokenFlags(term)
	digit := term[0] >= '0' && term[0] <= '9'
	switch {
	case firstPerson[term]:
		flags |= saysI
	case secondPerson[term]:
		flags |= saysYou
	case wishWord[term]:
		flags |= wishes
	}
	if digit || dateWord[term] {
		flags |= datesIt
	}
	if digit || numberWord[term] {
		flags |= numbersIt
	}
	if questionWord[term] {
		flags |= opens
	}
	return flags
}

// manner is how a text speaks, as a look at it as it was written tells: how many
// names it holds, in the two lowest bits, and whether it says anything.
type manner uint8

const (
	onlyAsks manner = 4 << iota // it asks, and states nothing
	noAnswer                    // it says that it has nothing to say
)

// mannerOf looks at a text as it was written.
func mannerOf(content []byte) manner {
	how := manner(namesIn(content))
	if len(content) > longestEcho {
		return how
	}
	switch said := string(content); {
	case text.OnlyAsks(said):
		how |= onlyAsks
	case text.IsNoAnswer(said):
		how |= noAnswer
	}
	return how
}

// longestEcho is the length, in bytes, of texts that may be echoes.
const longestEcho = 300

func (how manner) names() uint8 { return uint8(how & nameCap) }

// nameCap is the number of names in a text beyond which more say nothing.
const nameCap = 3

// namesIn counts words that begin with a capital without beginning a sentence,
// up to nameCap: names, mostly, for as much as one look at each word can tell.
func namesIn(content []byte) (names uint8) {
	inside := false // a sentence
	for word := range bytes.FieldsSeq(content) {
		first := rune(word[0])
		if first >= utf8.RuneSelf {
			first, _ = utf8.DecodeRune(word)
		}
		if inside && unicode.IsUpper(first) && !isI(word) {
			if names++; names == nameCap {
				return names
			}
		}
		last := word[len(word)-1]
		inside = last != '.' && last != '!' && last != '?'
	}
	return names
}

// isI reports "I" and its short forms.
func isI(word []byte) bool {
	return word[0] == 'I' && (len(word) == 1 || word[1] == '\'' || bytes.HasPrefix(word[1:], []byte("’")))
}
