package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// nameWord is a word as the name finder sees it.
type nameWord struct {
	start, end int    // without possessive ending
	low        string // lower case, apostrophes removed
	shape      wordShape
	initial    bool // begins a sentence, a line or a list item
	possessive bool
	spaced     bool // one space (or an initial's full stop and space) since the previous word
	heading    bool // stands in a line in title case
	shout      bool // stands among words in capitals
	german     bool // stands in a line where every noun has a capital
	taken      bool // overlaps a link, a date or code
}

type wordShape uint8

const (
	lowerCase  wordShape = iota
	capital              // Anna
	allCaps              // NASA
	mixedCase            // GitHub, iPhone
	otherShape           // identifiers, codes, scripts without case
)

// nameLike reports whether w can be part of a name at all.
func (w nameWord) nameLike() bool {
	return !w.taken && (w.shape == capital || w.shape == allCaps || w.shape == mixedCase)
}

// nameWords cuts the text into words of letters, digits, inner apostrophes and
// inner hyphens.
func nameWords(f *finder) []nameWord {
	s := f.src
	words := make([]nameWord, 0, len(s)/5+1)
	prevEnd := 0 // including a possessive ending
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if !isWordRune(r) {
			i += n
			continue
		}
		end := nameEnd(s, i)
		w := nameWord{start: i, end: end}
		full := end
		w.end, w.possessive = cutPossessive(s, i, end)
		if cut := cutHyphenTail(s, w.start, w.end); cut < w.end {
			w.end, w.possessive = cut, true // "Berlin-based" names Berlin as "Berlin's" does
		}
		w.low = wordLow(s[w.start:w.end])
		w.shape = shapeOf(s[w.start:w.end])
		if next, _ := utf8.DecodeRuneInString(s[full:]); gluedCode(s, i, full, next) {
			w.shape = otherShape
		}
		gap := s[prevEnd:i]
		w.spaced = len(words) > 0 && joins(gap, words[len(words)-1], s)
		w.initial = len(words) == 0 || !w.spaced && opensSentence(s, gap, words[len(words)-1])
		w.taken = !f.free(i, full)
		words = append(words, w)
		prevEnd = full
		i = full
	}
	return words
}

// joins reports whether a gap may stand between two words of one name: one or
// two spaces of any width, an ampersand, or the full stop of an abbreviation.
// Wider gaps and tabs separate columns.
func joins(gap string, prev nameWord, s string) bool {
	if gap == "." {
		return isInitialLetter(prev, s)
	}
	rest, dotted := strings.CutPrefix(gap, ".")
	spaces := 0
	for _, r := range rest {
		switch {
		case unicode.Is(unicode.Zs, r):
			spaces++
		case !unicode.Is(unicode.Cf, r): // format characters are invisible
			return gap == " & "
		}
	}
	return (spaces == 1 || spaces == 2) && (!dotted || abbreviates(prev, s))
}

// nameEnd returns the end of the word at i.
func nameEnd(s string, i int) int {
	for j := i; j < len(s); {
		r, n := utf8.DecodeRuneInString(s[j:])
		switch {
		case isWordRune(r) || unicode.IsMark(r):
		case r == '-' || isApostrophe(r) && r != '`' || r == '&':
			next, _ := utf8.DecodeRuneInString(s[j+n:])
			if !unicode.IsLetter(next) && !(r == '-' && unicode.IsDigit(next)) || j == i {
				return j
			}
			if r == '&' && !(unicode.IsUpper(next)) {
				return j
			}
		case r == '.' && (strings.HasPrefix(s[j:], ".js") || strings.HasPrefix(s[j:], ".NET")) && s[i] >= 'A' && s[i] <= 'Z':
		default:
			return j
		}
		j += n
	}
	return len(s)
}

// cutPossessive ends a word before "'s".
func cutPossessive(s string, start, end int) (int, bool) {
	w := s[start:end]
	if n := len(w); n > 2 && (w[n-1] == 's' || w[n-1] == 'S') {
		r, size := utf8.DecodeLastRuneInString(w[:n-1])
		if isApostrophe(r) && n-1-size > 0 {
			return end - 1 - size, true
		}
	}
	if r, _ := utf8.DecodeRuneInString(s[end:]); isApostrophe(r) && r != '`' && strings.HasSuffix(w, "s") && strings.HasPrefix(s[end+utf8.RuneLen(r):], " ") {
		return end, true
	}
	return end, false
}

// cutHyphenTail ends "Berlin-based" before its lower-case tail.
func cutHyphenTail(s string, start, end int) int {
	w := s[start:end]
	if r, _ := utf8.DecodeRuneInString(w); !unicode.IsUpper(r) {
		return end
	}
	if i := strings.LastIndexByte(w, '-'); i > 1 {
		if r, _ := utf8.DecodeRuneInString(w[i+1:]); unicode.IsLower(r) && len(w)-i > 3 {
			return start + i
		}
	}
	return end
}

func wordLow(w string) string {
	w = strings.ToLower(w)
	if strings.IndexFunc(w, isApostrophe) < 0 {
		return w
	}
	return strings.Map(func(r rune) rune {
		if isApostrophe(r) {
			return -1
		}
		return r
	}, w)
}

// shapeOf classifies the capitals of a word.
func shapeOf(w string) wordShape {
	upper, lower, digits, other := 0, 0, 0, 0
	inner := false // a capital after a lower-case letter
	firstUpper, lead := false, 0
	for i, r := range w {
		switch {
		case unicode.IsUpper(r) || unicode.IsTitle(r):
			upper++
			firstUpper = firstUpper || i == 0
			inner = inner || lower > 0 && w[i-1] != '-' && !afterApostrophe(w, i)
		case unicode.IsLower(r):
			lower++
			if upper == 0 {
				lead++
			}
		case unicode.IsDigit(r):
			digits++
		case r == '_':
			return otherShape
		case unicode.IsLetter(r):
			other++
		}
	}
	switch {
	case other > 0 || upper == 0 && lower == 0:
		return otherShape
	case upper == 0:
		return lowerCase
	case firstUpper && inner:
		return mixedCase
	case inner:
		if (lead == 1 || brandPrefix(w, lead)) && digits == 0 { // iPhone, macOS
			return mixedCase
		}
		return otherShape
	case !firstUpper:
		return otherShape // 3D, 10K
	case lower == 0:
		if digits > 0 && strings.ContainsRune(w, '-') { // a ticket: ABC-123
			return otherShape
		}
		if digits > 0 && upper < 2 { // Q3, B12, A4
			return otherShape
		}
		return allCaps
	}
	return capital
}

func afterApostrophe(w string, i int) bool {
	r, _ := utf8.DecodeLastRuneInString(w[:i])
	return isApostrophe(r)
}

func brandPrefix(w string, lead int) bool {
	switch w[:lead] {
	case "mac", "watch", "tv", "iPad", "go":
		return strings.HasSuffix(w, "OS")
	}
	return false
}

// gluedCode reports whether the word is part of an identifier, a call, a path or
// a mark-up tag.
func gluedCode(s string, start, end int, next rune) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:start])
	switch before {
	case '_', '=', '<', '$', '{', '%', '\\', '@', '#', '+', '^', '~':
		return true
	case '.', ':':
		if start > 1 {
			r, _ := utf8.DecodeLastRuneInString(s[:start-1])
			return unicode.IsLower(r) || r == ':' || unicode.IsDigit(r) && before == ':'
		}
	}
	switch next {
	case '_', '=', '{', '\\':
		return true
	case '(':
		return true
	case '.', ':':
		r, _ := utf8.DecodeRuneInString(s[end+1:])
		return unicode.IsLower(r) && next == '.' || r == ':'
	}
	return false
}

// abbreviates reports whether the full stop after w does not end a sentence.
func abbreviates(w nameWord, s string) bool {
	return abbreviations[w.low] && s[w.start] < 'a' || isInitialLetter(w, s)
}

// isInitialLetter reports whether w is an initial, as the "J" of "J. Smith".
func isInitialLetter(w nameWord, s string) bool {
	r, n := utf8.DecodeRuneInString(s[w.start:w.end])
	return n == w.end-w.start && unicode.IsUpper(r) && r != 'I'
}

var abbreviations = WordSet("dr mr mrs ms prof st sr jr rev hon capt sgt lt col gen fr frau mt ft dipl ing mx")

// opensSentence reports whether a word after gap begins a sentence, a line, a
// list item or a quoted sentence.
func opensSentence(s, gap string, prev nameWord) bool {
	if strings.ContainsAny(gap, ".!?\n…:;。！？•|") {
		if strings.HasPrefix(gap, ".") && abbreviates(prev, s) && !strings.Contains(gap, "\n") {
			return false
		}
		return true
	}
	// A quotation after a comma or a dash begins a sentence of its own. Elsewhere
	// inside a sentence a quoted word is more likely a title.
	return strings.ContainsAny(gap, ",—–") && strings.ContainsAny(gap, "\"“„«—–")
}

// markLines marks headings, shouting and German line by line.
func markLines(s string, words []nameWord) {
	for i := 0; i < len(words); {
		start := strings.LastIndexByte(s[:words[i].start], '\n') + 1
		end := len(s)
		if n := strings.IndexByte(s[words[i].start:], '\n'); n >= 0 {
			end = words[i].start + n
		}
		j := i
		for j < len(words) && words[j].start < end {
			j++
		}
		markLine(s[start:words[i].start], words[i:j])
		i = j
	}
}

func markLine(lead string, line []nameWord) {
	var alpha, caps, upper, german, english int
	for _, w := range line {
		if w.shape == otherShape || w.taken {
			continue
		}
		alpha++
		switch w.shape {
		case allCaps:
			if len(w.low) > 1 {
				upper++
			}
			caps++
		case capital, mixedCase:
			caps++
		}
		switch {
		case germanMarkers[w.low]:
			german++
		case IsStopWord(w.low) && !alsoGerman[w.low]:
			english++
		}
	}
	lead = strings.TrimSpace(lead)
	title := (strings.HasPrefix(lead, "#") || strings.HasPrefix(lead, "**") || strings.HasPrefix(lead, "__")) &&
		alpha > 1 && caps*10 >= alpha*6
	loud := alpha >= 3 && upper*10 >= alpha*8
	for i := range line {
		line[i].heading = title
		line[i].shout = loud
		line[i].german = german >= 2 && german > english || german >= 1 && english == 0 && alpha >= 3
	}
	markShouting(line)
}

// markShouting marks three or more words in capitals in a row.
func markShouting(line []nameWord) {
	for i := 0; i < len(line); {
		j := i
		words := 0 // initials do not count
		for j < len(line) && line[j].shape == allCaps {
			if len(line[j].low) > 1 {
				words++
			}
			j++
		}
		for k := i; k < j && words >= 3; k++ {
			line[k].shout = true
		}
		i = max(j, i+1)
	}
}

// capitalisedInside collects the words that have a capital in mid-sentence
// somewhere: evidence for the same word at a sentence start.
func capitalisedInside(words []nameWord) map[string]bool {
	var seen map[string]bool
	for _, w := range words {
		if w.nameLike() && !w.initial && !w.heading && !w.shout && !w.german && w.shape != allCaps && !neverNames[w.low] {
			if seen == nil {
				seen = make(map[string]bool)
			}
			seen[w.low] = true
		}
	}
	return seen
}
