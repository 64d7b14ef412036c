package intent

import (
	"math/bits"
	"strings"
	"unicode"

	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/internal/topics"
)

// Buckets and FineBuckets are the numbers of weights of models without and with fine
// signals. Signals are hashed into them.
const (
	Buckets     = 1 << 15
	FineBuckets = 1 << 16
)

// mostRunes bounds the part of a text that is rated: its beginning.
const mostRunes = 1000

// beginning returns the part of a text that is rated.
func beginning(s string) string {
	runes := 0
	for at := range s {
		if runes++; runes > mostRunes {
			return s[:at]
		}
	}
	return s
}

// Signals returns the hashed signals of a text, each as often as it occurs. Question
// marks give none, since many writers leave them out. Fine signals are, in addition, groups
// of letters within words and pairs of words with one or two between: they help where a
// few words decide ([Forget]) and not where the subject does ([Lasting]).
func Signals(s string, fine bool) []uint32 {
	if t := read(s, fine); fine {
		return t.fine
	} else {
		return t.coarse
	}
}

// Text holds the signals of a text, without and with fine ones.
type Text struct{ coarse, fine []uint32 }

// Read returns the signals of a text that several models rate.
func Read(s string) Text { return read(s, true) }

func read(s string, fine bool) (out Text) {
	more := func(kind string, words ...string) { out.fine = append(out.fine, bucketOf(kind, words)) }
	add := func(kind string, words ...string) {
		at := bucketOf(kind, words)
		out.coarse, out.fine = append(out.coarse, at%Buckets), append(out.fine, at)
	}
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
		if fine {
			if w.word && !han {
				letters := []rune("<" + w.folded + ">")
				for n := 3; n <= 4; n++ {
					for i := 0; i+n <= len(letters); i++ {
						more("letters", string(letters[i:i+n]))
					}
				}
			}
			more("over one", two, w.folded)
			more("over two", three, w.folded)
		}
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
	for _, name := range topics.Of(text.Clean(beginning(s))).Names() {
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
	return (h ^ h>>15) % FineBuckets
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// speakers are first-person pronouns and possessives.
var speakers = text.WordSet("i me my mine we us our ours i'm i've i'd i'll im ive ich mich mir mein meine meinen meinem meiner wir uns unser unsere unseren unserem unserer yo me mi mis mí nosotros nos nuestro nuestra nuestros nuestras 我 咱 俺")

// aWord is a word, a Han character or a mark.
type aWord struct {
	folded string // lower case, digits as 0
	word   bool
	upper  bool
	lo, hi int // of the text, in bytes
}

// wordsOf returns the words and marks of the beginning of a text.
func wordsOf(s string) (words []aWord) {
	var word strings.Builder
	s = beginning(s)
	upper, lo := false, 0
	flush := func(hi int) {
		if word.Len() > 0 {
			if folded := strings.Trim(word.String(), "'"); folded != "" {
				words = append(words, aWord{folded: folded, word: true, upper: upper, lo: lo, hi: hi})
			}
			word.Reset()
		}
		upper = false
	}
	for at, r := range s {
		end := at + len(string(r))
		switch {
		case unicode.Is(unicode.Han, r):
			flush(at)
			words = append(words, aWord{folded: string(r), word: true, lo: at, hi: end})
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.Is(unicode.Mn, r):
			if word.Len() == 0 {
				upper, lo = unicode.IsUpper(r), at
			}
			if unicode.IsDigit(r) {
				r = '0'
			}
			word.WriteRune(unicode.ToLower(r))
		case (r == '\'' || r == '’') && word.Len() > 0:
			word.WriteByte('\'')
		default:
			flush(at)
			if unicode.IsPunct(r) && r != '?' && r != '？' && r != '¿' {
				words = append(words, aWord{folded: string(r), lo: at, hi: end})
			}
		}
	}
	flush(len(s))
	return words
}
