package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const (
	// maxTermRunes is the maximum length of a term, in runes.
	maxTermRunes = 64
	// defaultQueryTerms is how many terms a query keeps when no limit is given.
	// A long FTS5 query is slow out of proportion (a 200 KB one took 44 s).
	defaultQueryTerms = 64
)

// Terms turns text into index terms, in order and with repetitions: NFKC, lower
// case, diacritics removed, split at everything that is not a letter or a digit.
//
//   - A possessive or contracted ending is removed ("Anna's" -> anna, "she'll" ->
//     she); any other apostrophe is dropped ("don't" -> dont, "O'Neil" -> oneil).
//   - Words of ASCII letters are stemmed with Porter2; all others stay as folded.
//   - Runs of Han, Hiragana, Katakana, Hangul, Thai, Lao, Khmer and Myanmar become
//     overlapping bigrams; a run of one character stays as it is.
//   - A term longer than 64 runes is cut.
//
// Every term consists of letters and decimal digits only, so FTS5's unicode61
// splits [Prepare]'s text exactly at its spaces. Callers that want each term once
// must deduplicate; see [QueryTerms].
func Terms(s string) []string {
	if s == "" {
		return nil
	}
	out := make([]string, 0, len(s)/5+1)
	scan(s, func(_ []byte, term string) { out = append(out, term) })
	if len(out) == 0 {
		return nil
	}
	return out
}

// Prepare returns the text that is indexed: [Terms] joined by single spaces.
func Prepare(s string) string { return strings.Join(Terms(s), " ") }

// QueryTerms returns the terms to search for: [Terms] without repetitions and without
// stop-words, except those used as names ("which Go version"), in order of appearance, at
// most limit of them (limit <= 0 means 64). A query of stop-words alone keeps
// them, so a query with a letter or digit never yields an empty list. [Prepare] keeps all
// words, so the name is found in every stored text.
func QueryTerms(s string, limit int) []string {
	if limit <= 0 {
		limit = defaultQueryTerms
	}
	var content, stop []string
	seen, named := make(map[string]bool), namedStops(s)
	scan(s, func(word []byte, term string) {
		list := &content
		if word != nil && stopWords[string(word)] && !named[string(word)] || word == nil && stopWords[term] {
			list = &stop
		}
		if len(*list) < limit && !seen[term] {
			seen[term] = true
			*list = append(*list, term)
		}
	})
	if len(content) == 0 {
		return stop
	}
	return content
}

// scan calls emit for each term of s, with the folded but unstemmed word it came
// from (nil for a bigram). The word is only valid during the call.
func scan(s string, emit func(word []byte, term string)) {
	var sc scanner
	sc.emit = emit
	if isASCII(s) {
		sc.ascii(s)
		return
	}
	sc.unicode(norm.NFKC.String(s))
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// scanner collects one word or one run of an unspaced script at a time.
type scanner struct {
	emit  func(word []byte, term string)
	array [96]byte // backing store of word; short words need no allocation
	word  []byte
	apos  int    // length of word at its last apostrophe, 0 for none
	run   []rune // the current run of an unspaced script
}

// asciiKind is 0 for separators, otherwise the lower-case byte.
var asciiKind = func() (t [utf8.RuneSelf]byte) {
	for c := byte('a'); c <= 'z'; c++ {
		t[c], t[c-'a'+'A'] = c, c
	}
	for c := byte('0'); c <= '9'; c++ {
		t[c] = c
	}
	return t
}()

func (sc *scanner) ascii(s string) {
	sc.word = sc.array[:0]
	for i := range len(s) {
		c := s[i]
		if k := asciiKind[c]; k != 0 {
			sc.word = append(sc.word, k)
			continue
		}
		if (c == '\'' || c == '`') && len(sc.word) > 0 && i+1 < len(s) && asciiKind[s[i+1]] != 0 {
			sc.apos = len(sc.word)
			continue
		}
		if len(sc.word) > 0 {
			sc.flushWord()
		}
	}
	sc.flushWord()
}

// lateLetters are letters that were marks in the Unicode version of SQLite's
// unicode61: vowels of New Tai Lue and two Vedic signs.
var lateLetters = &unicode.RangeTable{R16: []unicode.Range16{{0x19b0, 0x19c0, 1}, {0x19c8, 0x19c9, 1}, {0x1cf2, 0x1cf3, 1}}}

func (sc *scanner) unicode(s string) {
	sc.word = sc.array[:0]
	for i, r := range s {
		switch {
		case isApostrophe(r):
			next, _ := utf8.DecodeRuneInString(s[i+utf8.RuneLen(r):])
			if len(sc.word) > 0 && isTermRune(next) && !isUnspaced(next) {
				sc.apos = len(sc.word)
				continue
			}
			sc.flush()
		case unicode.IsMark(r) || isJoiner(r) || unicode.Is(lateLetters, r):
			// dropped without ending the word
		case isUnspaced(r):
			sc.flushWord()
			if r == '〇' { // category Nl, which unicode61 does not treat as a letter
				r = '零'
			}
			sc.run = append(sc.run, r)
		case isTermRune(r):
			sc.flushRun()
			writeFolded(sc, r)
		default:
			sc.flush()
		}
	}
	sc.flush()
}

// WriteRune and WriteString make the scanner a runeSink.
func (sc *scanner) WriteRune(r rune) (int, error) {
	sc.word = utf8.AppendRune(sc.word, r)
	return 0, nil
}

func (sc *scanner) WriteString(s string) (int, error) {
	sc.word = append(sc.word, s...)
	return 0, nil
}

func (sc *scanner) flush() {
	sc.flushWord()
	sc.flushRun()
}

func (sc *scanner) flushWord() {
	w, apos := sc.word, sc.apos
	sc.word, sc.apos = sc.word[:0], 0
	if len(w) == 0 {
		return
	}
	if apos > 0 && isClitic(w[apos:]) {
		w = w[:apos]
	}
	w = cutRunes(w, maxTermRunes)
	sc.emit(w, stem(w))
}

func (sc *scanner) flushRun() {
	run := sc.run
	sc.run = sc.run[:0]
	if len(run) == 1 {
		sc.emit(nil, string(run))
		return
	}
	for i := 0; i+1 < len(run); i++ {
		sc.emit(nil, string(run[i:i+2]))
	}
}

// isClitic reports whether an ending after an apostrophe is a word of its own.
// "n't" is not: its apostrophe is inside the ending.
func isClitic(b []byte) bool {
	switch string(b) {
	case "s", "ll", "re", "ve", "d", "m":
		return true
	}
	return false
}

func cutRunes(b []byte, n int) []byte {
	if len(b) <= n {
		return b
	}
	for i := range string(b) {
		if n == 0 {
			return b[:i]
		}
		n--
	}
	return b
}

// isTermRune reports whether r may be part of a term. Numbers other than decimal
// digits (½, Ⅳ) were rewritten by NFKC, or separate words.
func isTermRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// unspaced are the scripts written without spaces between words. Korean has
// spaces, but attaches particles to its nouns, which bigrams tolerate.
var unspaced = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
	unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
}

// HasHan reports whether a text holds a Chinese character.
func HasHan(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.Is(unicode.Han, r) })
}

func isUnspaced(r rune) bool {
	if r < 0x0e00 {
		return false
	}
	if r == 'ー' || r == '〇' { // script Common, category Nl
		return true
	}
	return unicode.IsLetter(r) && unicode.In(r, unspaced...)
}
