package intent

import (
	"math/bits"
	"strings"
	"unicode"

	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/internal/topics"
)

// Buckets is the number of weights of a model. Signals are hashed into them.
const Buckets = 1 << 16

// mostRunes bounds the part of a text that is rated: its beginning.
const mostRunes = 1000

// Signals returns the hashed signals of a text, each as often as it occurs. Question
// marks give none, since many writers leave them out.
func Signals(s string) (out []uint32) {
	add := func(kind string, words ...string) { out = append(out, bucketOf(kind, words)) }
	before, two, three, first := "^", "^", "^", ""
	count, names, own := 0, 0, false
	for _, w := range wordsOf(s) {
		runes := []rune(w.folded)
		han := unicode.Is(unicode.Han, runes[0])
		if w.word {
			count++
			own = own || speakers[w.folded]
			switch {
			case unicode.IsDigit(runes[0]):
				add("digit")
			case w.upper && count > 1:
				names++
			}
			if len(runes) >= 6 && !han {
				add("head", string(runes[:4]))
				add("tail", string(runes[len(runes)-4:]))
			}
		}
		if w.word && !han {
			letters := []rune("<" + w.folded + ">")
			for n := 3; n <= 4; n++ {
				for i := 0; i+n <= len(letters); i++ {
					add("letters", string(letters[i:i+n]))
				}
			}
		}
		add("skip", two, w.folded)
		add("skip two", three, w.folded)
		add("word", w.folded)
		add("pair", before, w.folded)
		if han && two != "^" {
			add("three", two, before, w.folded)
		}
		switch count {
		case 1:
			first = w.folded
		case 2:
			add("first", first, w.folded)
		}
		three, two, before = two, before, w.folded
	}
	add("pair", before, "$")
	add("names", string(rune('0'+min(names, 3))))
	add("length", string(rune('0'+min(bits.Len(uint(count)), 6))))
	add("own", yes(own))
	for _, name := range topics.Of(text.Clean(s)).Names() {
		add("topic", name)
		add("topic of", name, yes(own))
	}
	return out
}

// bucketOf hashes the parts of a signal by FNV-1a.
func bucketOf(kind string, words []string) uint32 {
	h := uint32(2166136261)
	mix := func(part string) {
		for i := range len(part) {
			h = (h ^ uint32(part[i])) * 16777619
		}
		h = (h ^ 0xff) * 16777619
	}
	mix(kind)
	for _, w := range words {
		mix(w)
	}
	return (h ^ h>>15) % Buckets
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// speakers are first-person pronouns and possessives.
var speakers = wordSet("i me my mine we us our ours i'm i've i'd i'll im ive ich mich mir mein meine meinen meinem meiner wir uns unser unsere unseren unserem unserer yo me mi mis mí nosotros nos nuestro nuestra nuestros nuestras 我 咱 俺")

func wordSet(list string) map[string]bool {
	set := make(map[string]bool)
	for w := range strings.FieldsSeq(list) {
		set[w] = true
	}
	return set
}

// aWord is a word, a Han character or a mark.
type aWord struct {
	folded string // lower case, digits as 0
	word   bool
	upper  bool
}

// wordsOf returns the words and marks of the beginning of a text.
func wordsOf(s string) (words []aWord) {
	var word strings.Builder
	upper, runes := false, 0
	flush := func() {
		if word.Len() > 0 {
			words = append(words, aWord{folded: strings.Trim(word.String(), "'"), word: true, upper: upper})
			if words[len(words)-1].folded == "" {
				words = words[:len(words)-1]
			}
			word.Reset()
		}
		upper = false
	}
	for _, r := range s {
		if runes++; runes > mostRunes {
			break
		}
		switch {
		case unicode.Is(unicode.Han, r):
			flush()
			words = append(words, aWord{folded: string(r), word: true})
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.Is(unicode.Mn, r):
			if word.Len() == 0 {
				upper = unicode.IsUpper(r)
			}
			if unicode.IsDigit(r) {
				r = '0'
			}
			word.WriteRune(unicode.ToLower(r))
		case (r == '\'' || r == '’') && word.Len() > 0:
			word.WriteByte('\'')
		default:
			flush()
			if unicode.IsPunct(r) && r != '?' && r != '？' && r != '¿' {
				words = append(words, aWord{folded: string(r)})
			}
		}
	}
	flush()
	return words
}
