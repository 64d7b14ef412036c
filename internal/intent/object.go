package intent

// inObject rates a word of a request: the probability that it belongs to what the request
// is about.
var inObject = load("object", true)

// A Word is a word of a text, or a character of Chinese.
type Word struct {
	Lo, Hi  int // its place in the text, in bytes
	Signals []uint32
}

// P returns the probability that a word of a request to forget says what is to be
// forgotten, 0–1: "test" and "neulich" in "dat mit dem test von neulich vergisste ma bitte".
func (w *Word) P() float64 { return inObject.rate(w.Signals) }

// WordsOf returns the words of a text.
func WordsOf(s string) (out []Word) {
	words := wordsOf(s)
	for i, w := range words {
		if w.word {
			out = append(out, Word{w.lo, w.hi, wordSignals(words, i)})
		}
	}
	return out
}

// wordSignals returns the signals of a word among others: itself, its letters, and two
// words on each side.
func wordSignals(words []aWord, i int) (out []uint32) {
	add := func(kind string, parts ...string) { out = append(out, bucketOf(kind, parts)) }
	at := func(k int) string {
		switch {
		case k < 0:
			return "^"
		case k >= len(words):
			return "$"
		}
		return words[k].folded
	}
	w := words[i].folded
	add("word", w)
	add("before", at(i-1))
	add("after", at(i+1))
	add("two before", at(i-2))
	add("two after", at(i+2))
	add("from before", at(i-1), w)
	add("to after", w, at(i+1))
	add("both before", at(i-2), at(i-1))
	add("both after", at(i+1), at(i+2))
	add("around", at(i-1), at(i+1))
	if letters := []rune(w); len(letters) > 3 {
		add("head", string(letters[:3]))
		add("tail", string(letters[len(letters)-3:]))
	}
	add("upper", yes(words[i].upper && i > 0))
	add("place", string(rune('0'+min(i, 9))))
	add("from end", string(rune('0'+min(len(words)-i, 9))))
	return out
}
