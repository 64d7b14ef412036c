package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// DefaultChunkRunes is the chunk size used when none is given: about 900 runes.
const DefaultChunkRunes = 900

// Chunks cuts text into pieces of at most size runes (size <= 0 means
// [DefaultChunkRunes]). It cuts at the last paragraph break of the second half of
// the window, else at the last sentence end there, else at the last white space,
// else between two characters, where possible without splitting a combining
// mark, a joined emoji or a flag. Only white space at the cuts and at both ends
// is lost; text of white space alone has no pieces. Time is linear.
func Chunks(s string, size int) []string {
	if size <= 0 {
		size = DefaultChunkRunes
	}
	var out []string
	for s = trim(s); s != ""; s = trim(s) {
		cut := chunkEnd(s, size)
		out = append(out, strings.TrimRightFunc(s[:cut], unicode.IsSpace))
		s = s[cut:]
	}
	return out
}

// trim removes leading white space only. Trimming both ends would scan the far
// end of a long text in every round.
func trim(s string) string { return strings.TrimLeftFunc(s, unicode.IsSpace) }

// chunkEnd returns the byte offset at which the first chunk of s ends, > 0.
func chunkEnd(s string, size int) int {
	var paragraph, sentence, word int
	runes, newlines := 0, 0
	var prev rune
	for i, r := range s {
		second := runes > size/2
		if unicode.IsSpace(r) {
			if !unicode.IsSpace(prev) {
				word, newlines = i, 0
				if second && isSentenceEnd(s[:i]) {
					sentence = i
				}
			}
			if r == '\n' {
				if newlines++; newlines >= 2 && second {
					paragraph = i
				}
			}
		} else if second && isWideStop(prev) && !isCloser(r) && !isWideStop(r) {
			sentence = i
		}
		if runes == size {
			switch {
			case paragraph > 0:
				return paragraph
			case sentence > 0:
				return sentence
			case word > 0:
				return word
			}
			return hardCut(s, i)
		}
		runes++
		prev = r
	}
	return len(s)
}

// isSentenceEnd reports whether s ends a sentence: a full stop, question or
// exclamation mark, perhaps followed by closing quotes or brackets.
func isSentenceEnd(s string) bool {
	for range 3 {
		r, n := utf8.DecodeLastRuneInString(s)
		switch {
		case r == '.' || r == '!' || r == '?' || r == '…':
			return true
		case isWideStop(r):
			return true
		case isCloser(r):
			s = s[:len(s)-n]
		default:
			return false
		}
	}
	return false
}

func isWideStop(r rune) bool { return r == '。' || r == '！' || r == '？' || r == '．' }

func isCloser(r rune) bool {
	switch r {
	case '"', '\'', ')', ']', '}', '”', '’', '»', '」', '』', '）':
		return true
	}
	return false
}

// hardCut moves a cut at byte i left to a boundary between two visible
// characters, by at most 32 runes.
func hardCut(s string, i int) int {
	at := i
	for range 32 {
		before, n := utf8.DecodeLastRuneInString(s[:at])
		after, _ := utf8.DecodeRuneInString(s[at:])
		if n == 0 || n == at {
			break
		}
		if !joined(before, after) {
			return at
		}
		at -= n
	}
	return i
}

// joined reports whether after belongs to the same visible character as before.
// Flags are pairs of regional indicators: a run of them is not cut at all.
func joined(before, after rune) bool {
	return unicode.IsMark(after) || before == '\u200d' || after == '\u200d' ||
		after >= 0x1f3fb && after <= 0x1f3ff || // skin tones
		isRegional(before) && isRegional(after) ||
		before == '\r' && after == '\n'
}

func isRegional(r rune) bool { return r >= 0x1f1e6 && r <= 0x1f1ff }
