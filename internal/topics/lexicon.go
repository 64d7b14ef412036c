package topics

import (
	"embed"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/ebbmem/ebb/internal/text"
)

//go:embed topics.txt en.txt wordnet.txt de.txt es.txt zh.txt tech.txt
var files embed.FS

// maxTopics is the maximum number of topics in topics.txt.
const maxTopics = 128

// kinship scales the similarities of topics in topics.txt.
const kinship = 0.7

// weak is the weight of a word marked with "~": it has other meanings as well, or
// little meaning.
const weak = 0.4

// words is the content of the lists.
type words struct {
	names   []string
	weights [maxTopics]float64
	near    [maxTopics][maxTopics]float32

	languages [languageCount]table
	entries   []weighted
}

// A table holds the words of one language. Phrases are joined by "_".
type table struct {
	exact map[string]span // as written
	stems map[string]span // without ending; of English as [text.Terms] gives it
	opens map[string]bool // first words of phrases

	begins map[rune]uint8 // lengths of the Chinese words with this first character, a bit each
}

// span is a word's topics in words.entries.
type span struct{ from, to uint16 }

type language uint8

const (
	english language = iota
	german
	spanish
	chinese
	languageCount
)

var lexicon = sync.OnceValue(func() *words {
	l := new(words)
	number := l.readTopics(mustRead("topics.txt"))
	for lang, names := range [languageCount][]string{
		english: {"en.txt", "wordnet.txt", "tech.txt"}, german: {"de.txt", "tech.txt"}, spanish: {"es.txt", "tech.txt"}, chinese: {"zh.txt"},
	} {
		listed := make(map[string][]weighted)
		for _, name := range names {
			readWords(mustRead(name), name, number, listed)
		}
		l.languages[lang] = l.table(listed, language(lang))
	}
	return l
})

func mustRead(name string) string {
	b, err := files.ReadFile(name)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// readTopics reads topics.txt and returns the number of each topic.
func (l *words) readTopics(list string) map[string]uint8 {
	number := make(map[string]uint8)
	var related []string
	for line := range strings.Lines(list) {
		head, tail, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		name, weight, has := strings.Cut(head, " ")
		i := len(l.names)
		l.weights[i] = 1
		if has {
			l.weights[i] = mustFloat(weight)
		}
		number[name] = uint8(i)
		l.names = append(l.names, name)
		related = append(related, tail)
		l.near[i][i] = 1
	}
	for i, tail := range related {
		fields := strings.Fields(tail)
		for k := 0; k+1 < len(fields); k += 2 {
			j, known := number[fields[k]]
			if !known {
				panic("topics.txt: " + fields[k])
			}
			v := max(kinship*float32(mustFloat(fields[k+1])), l.near[i][j])
			l.near[i][j], l.near[j][i] = v, v
		}
	}
	return number
}

func mustFloat(s string) float64 {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		panic("topics.txt: " + err.Error())
	}
	return f
}

// readWords adds a list's words, "topic: word word~ …" a line.
func readWords(list, name string, number map[string]uint8, to map[string][]weighted) {
	for line := range strings.Lines(list) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		topic, tail, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		t, known := number[topic]
		if !known {
			panic(name + ": " + topic)
		}
	next:
		for w := range strings.FieldsSeq(tail) {
			weight := float32(1)
			if strings.HasSuffix(w, "~") {
				w, weight = strings.TrimSuffix(w, "~"), weak
			}
			w = foldWord(w)
			for i := range to[w] {
				if to[w][i].topic == t {
					to[w][i].weight = max(to[w][i].weight, weight)
					continue next
				}
			}
			to[w] = append(to[w], weighted{t, weight})
		}
	}
}

func (l *words) table(listed map[string][]weighted, lang language) table {
	t := table{exact: make(map[string]span, len(listed)), opens: make(map[string]bool), begins: make(map[rune]uint8)}
	if lang != chinese {
		t.stems = make(map[string]span, len(listed))
	}
	stemmed := make(map[string][]weighted)
	for w, topics := range listed {
		t.exact[w] = l.add(topics)
		if first, _, phrase := strings.Cut(w, "_"); phrase {
			t.opens[first] = true
			continue
		}
		if first, _ := utf8.DecodeRuneInString(w); lang == chinese && first >= firstHan {
			t.begins[first] |= 1 << utf8.RuneCountInString(w)
		}
		if t.stems == nil {
			continue
		}
		s := string(stem([]byte(w), lang))
		if lang == english {
			s = text.Prepare(w)
		}
		for _, e := range topics {
			stemmed[s] = join(stemmed[s], e)
		}
	}
	for s, topics := range stemmed {
		t.stems[s] = l.add(topics)
	}
	return t
}

// join adds a topic. Where words of one stem differ it keeps the smaller weight.
func join(all []weighted, e weighted) []weighted {
	for i := range all {
		if all[i].topic == e.topic {
			all[i].weight = min(all[i].weight, e.weight)
			return all
		}
	}
	return append(all, e)
}

func (l *words) add(topics []weighted) span {
	from := len(l.entries)
	l.entries = append(l.entries, topics...)
	if len(l.entries) > 1<<16-1 {
		panic("topics: too many words")
	}
	return span{uint16(from), uint16(len(l.entries))}
}

// fold returns a rune in the form of the lists' keys: lower case, without
// diacritics. The caller handles "ß". 0 means neither letter nor digit.
func fold(r rune) rune {
	switch {
	case r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '+' || r == '&':
		return r
	case r >= 'A' && r <= 'Z':
		return r + 'a' - 'A'
	case r < 0xc0:
		return 0
	case r < 0x180:
		return rune(latin[r-0xc0])
	case r >= firstHan && r <= 0x9fff:
		return r
	}
	return 0
}

// firstHan is the first of the Chinese characters.
const firstHan = 0x3400

// latin folds U+00C0 to U+017F; a space means no letter of the supported languages.
var latin = func() (t [0x180 - 0xc0]byte) {
	groups := map[byte]string{
		'a': "àáâãäåāăą", 'c': "çćĉċč", 'd': "ďđð", 'e': "èéêëēĕėęě", 'g': "ĝğġģ", 'h': "ĥħ",
		'i': "ìíîïĩīĭįı", 'j': "ĵ", 'k': "ķ", 'l': "ĺļľŀł", 'n': "ñńņňŉŋ", 'o': "òóôõöøōŏőœ",
		'r': "ŕŗř", 's': "śŝşšß", 't': "ţťŧ", 'u': "ùúûüũūŭůűų", 'w': "ŵ", 'y': "ýÿŷ", 'z': "źżž",
	}
	for to, from := range groups {
		for _, r := range from {
			t[r-0xc0] = to
			if r >= 0xe0 && r <= 0xfe && r != 0xf7 {
				t[r-0xe0] = to // the capital
			} else if r >= 0x100 {
				t[(r-0xc0)&^1] = to
			}
		}
	}
	return t
}()

// foldWord folds a word of the lists; "_" stays.
func foldWord(w string) string {
	var b []byte
	for _, r := range w {
		if r == '_' {
			b = append(b, '_')
			continue
		}
		if r == '\'' || r == '’' {
			continue
		}
		if f := fold(r); f != 0 {
			b = utf8.AppendRune(b, f)
			if r == 'ß' {
				b = append(b, 's')
			}
		}
	}
	return string(b)
}
