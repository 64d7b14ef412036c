package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// tokenUnit is the weight of one whole token; weights are twelfths of it.
const tokenUnit = 12

// Tokens estimates the number of tokens that an LLM's tokenizer makes of s. It
// needs no vocabulary: each rune has a fixed weight and the sum is rounded up.
//
//	ASCII letter or space         1/4 token (four characters a token)
//	digit                         1/3 (tokenizers take up to three at a time)
//	line break, ASCII punctuation 1/2
//	other alphabets               1/2
//	Han, kana, Hangul, Thai …     1
//	emoji and everything else     2 beyond the basic plane, otherwise 1
//
// The sum makes the estimate monotone and subadditive:
// max(Tokens(a), Tokens(b)) <= Tokens(a+b) <= Tokens(a)+Tokens(b) for valid UTF-8.
func Tokens(s string) int {
	w := 0
	for _, r := range s {
		w += tokenWeight(r)
	}
	return (w + tokenUnit - 1) / tokenUnit
}

func tokenWeight(r rune) int {
	switch {
	case r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == ' ':
		return 3
	case r >= '0' && r <= '9':
		return 4
	case r < utf8.RuneSelf:
		return 6
	case isUnspaced(r):
		return 12
	case unicode.IsLetter(r) || unicode.IsMark(r):
		return 6
	case r > 0xffff:
		return 24
	}
	return 12
}

// ellipsis marks a cut. It counts as one token.
const ellipsis = "…"

// Truncate shortens s to at most maxTokens by [Tokens], including the closing
// "…". It cuts after a word where there is one, otherwise between two
// characters. Text that fits is returned unchanged; maxTokens <= 0 yields "".
func Truncate(s string, maxTokens int) string {
	if maxTokens <= 0 {
		return ""
	}
	left := maxTokens * tokenUnit
	if maxTokens > len(s)*2 || Tokens(s) <= maxTokens { // the first also guards the product
		return s
	}
	left -= tokenUnit // for the ellipsis
	cut, word := 0, 0
	for i, r := range s {
		if unicode.IsSpace(r) {
			word = i
		}
		cut = i
		if left -= tokenWeight(r); left < 0 {
			break
		}
	}
	// A word boundary in the first half would discard too much.
	if word > cut/2 {
		cut = word
	} else if cut > 0 {
		cut = hardCut(s, cut)
	}
	return strings.TrimRightFunc(s[:cut], unicode.IsSpace) + ellipsis
}
