package lexicon

import (
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/ebbmem/ebb/internal/text"
)

// Flags are properties of a text that its terms reveal. The highest bit is free
// for the caller.
type Flags uint8

const (
	FirstPerson   Flags = 1 << iota // speaks in the first person
	SecondPerson                    // addresses someone
	Asks                            // opens with a question word
	StatesWish                      // states a standing wish or preference
	HoldsDate                       // holds a date or time word, or a number
	HoldsNumber                     // holds a number
	opensQuestion                   // of a term: the text asks if it opens with the term
)

// Words that set a flag. Chinese words are separated by spaces, so that no bigram
// spans two of them.
var (
	firstPerson = text.TermsOf(`I I'm I've I'd I'll my me mine myself we our us ours
		ich mich mir mein meine meinen meinem meiner wir uns unser unsere unseren yo mi mis nosotros nosotras nuestro nuestra soy tengo estoy`)
	secondPerson = text.TermsOf("you")
	questionWord = text.TermsOf("what how why where who which 什么 什麼 怎么 怎麼 为什 為什 多少 多久 哪里 哪儿 谁 誰")
	wishWord     = text.TermsOf("always prefer preference 总是 喜欢")
	dateWord     = text.TermsOf(`yesterday today tomorrow tonight ago last next week weekend month year day
		monday tuesday wednesday thursday friday saturday sunday january february march april june july
		august september october november december summer winter spring autumn birthday anniversary
		gestern heute morgen vorgestern übermorgen letzte letzten letztes nächste nächsten nächster nächstes woche wochenende monat jahr
		montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag januar jänner februar märz april mai juni juli oktober dezember
		ostern ostersonntag weihnachten silvester pfingsten geburtstag
		ayer hoy mañana anteayer anoche semana próximo próxima pasado pasada lunes martes miércoles jueves viernes sábado domingo
		enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre navidad pascua nochevieja cumpleaños
		昨天 今天 明天 前天 后天 上周 下周 周末 上个 下个 去年 今年 明年 月份 星期 周一 周二 周三 周四 周五 周六 周日 下月 生日 号`)
	numberWord = text.TermsOf(`one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty
		hundred thousand first second third once twice couple few`)
)

// TextFlags combines the flags of a text's terms, given in the order of the text.
func TextFlags(terms iter.Seq[Flags]) (flags Flags) {
	first := true
	for term := range terms {
		flags |= term &^ opensQuestion
		if first && term&opensQuestion != 0 {
			flags |= Asks
		}
		first = false
	}
	return flags
}

// TermFlags returns the flags that a term, as [text.Terms] gives it, adds to its text.
func TermFlags(term string) Flags {
	flags := chineseFlags(term)
	digit := term[0] >= '0' && term[0] <= '9'
	switch {
	case firstPerson[term]:
		flags |= FirstPerson
	case secondPerson[term]:
		flags |= SecondPerson
	case wishWord[term]:
		flags |= StatesWish
	}
	if digit || dateWord[term] {
		flags |= HoldsDate
	}
	if digit || numberWord[term] {
		flags |= HoldsNumber
	}
	if questionWord[term] {
		flags |= opensQuestion
	}
	return flags
}

// numerals of Chinese, without 一, which is in every second sentence.
const numerals = "两兩二三四五六七八九十百千万萬半"

// chineseFlags finds persons, question words, numbers and dates inside Chinese
// bigrams.
func chineseFlags(term string) (flags Flags) {
	if term[0] < utf8.RuneSelf {
		return 0
	}
	if strings.ContainsRune(term, '我') {
		flags |= FirstPerson
	}
	if strings.ContainsAny(term, "你您") {
		flags |= SecondPerson
	}
	if strings.ContainsAny(term, "谁誰哪") || questionWord[term] {
		flags |= Asks // a Chinese question has its word anywhere
	}
	if at := strings.IndexAny(term, numerals); at >= 0 {
		flags |= HoldsNumber
		if rest := strings.IndexAny(term, "月号號日年"); rest > at {
			flags |= HoldsDate
		}
	}
	return flags
}
