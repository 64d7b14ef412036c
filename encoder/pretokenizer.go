package encoder

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// preTokenizer is the function that a pre-tokenizer of tokenizer.json
// describes: it cuts pieces of text into smaller ones. start says that they begin a text.
func (c *component) preTokenizer() (func(pieces []string, start bool) []string, error) {
	switch c.Type {
	case "BertPreTokenizer":
		return eachPiece(func(pieces []string, s string) []string {
			return cut(pieces, s, func(r rune) class {
				switch {
				case unicode.IsSpace(r):
					return dropped
				case isPunctuation(r):
					return alone
				}
				return inWord
			})
		}), nil
	case "Whitespace": // \w+|[^\w\s]+, where \w is Alphabetic, M, Nd, Pc and Join_Control
		return eachPiece(func(pieces []string, s string) []string {
			return cut(pieces, s, func(r rune) class {
				switch {
				case unicode.IsSpace(r):
					return dropped
				case unicode.In(r, unicode.L, unicode.M, unicode.Nd, unicode.Pc, unicode.Nl, unicode.Other_Alphabetic, unicode.Join_Control):
					return inWord
				}
				return other
			})
		}), nil
	case "WhitespaceSplit":
		return eachPiece(func(pieces []string, s string) []string { return append(pieces, strings.Fields(s)...) }), nil
	case "Punctuation":
		if c.Behavior != "" && c.Behavior != "Isolated" {
			return nil, invalid(tokenizerFile, "the behaviour %.40q of the pre-tokenizer Punctuation is not supported", c.Behavior)
		}
		return eachPiece(func(pieces []string, s string) []string {
			return cut(pieces, s, func(r rune) class {
				if isPunctuation(r) {
					return alone
				}
				return inWord
			})
		}), nil
	case "Metaspace":
		return c.metaspace()
	}
	return nil, invalid(tokenizerFile, "the pre-tokenizer %.40q is not supported", c.Type)
}

// metaspace replaces spaces by a visible sign before each word.
func (c *component) metaspace() (func(pieces []string, start bool) []string, error) {
	sign := cmp.Or(c.Replacement, "▁")
	if len(sign) > utf8.UTFMax {
		return nil, invalid(tokenizerFile, "the replacement of Metaspace is not one character")
	}
	scheme := c.PrependScheme
	if scheme == "" {
		if scheme = "always"; c.AddPrefixSpace != nil && !*c.AddPrefixSpace {
			scheme = "never"
		}
	}
	if scheme != "always" && scheme != "never" && scheme != "first" {
		return nil, invalid(tokenizerFile, "the prepend_scheme %.40q of Metaspace is not supported", scheme)
	}
	apart := c.Split == nil || *c.Split
	return func(pieces []string, start bool) (all []string) {
		for i, s := range pieces {
			s = strings.ReplaceAll(s, " ", sign)
			if s != "" && !strings.HasPrefix(s, sign) && (scheme == "always" || scheme == "first" && start && i == 0) {
				s = sign + s
			}
			for apart && s != "" {
				n := strings.Index(s[min(len(s), 1):], sign)
				if n < 0 {
					break
				}
				all, s = append(all, s[:n+1]), s[n+1:]
			}
			all = append(all, s)
		}
		return all
	}, nil
}

func eachPiece(f func(pieces []string, s string) []string) func([]string, bool) []string {
	return func(pieces []string, _ bool) (all []string) {
		for _, s := range pieces {
			all = f(all, s)
		}
		return all
	}
}

// class is the treatment of a character: neighbours of the same class stay
// together, unless the class drops or isolates them.
type class int

const (
	dropped class = iota
	alone
	inWord
	other
)

func cut(pieces []string, s string, of func(rune) class) []string {
	start, open := 0, dropped
	for i, r := range s {
		c := of(r)
		if c == open && c != alone {
			continue
		}
		if open != dropped && start < i {
			pieces = append(pieces, s[start:i])
		}
		start, open = i, c
	}
	if open != dropped && start < len(s) {
		pieces = append(pieces, s[start:])
	}
	return pieces
}

// isPunctuation reports whether BERT treats r as punctuation.
func isPunctuation(r rune) bool {
	if r < utf8.RuneSelf {
		return '!' <= r && r <= '/' || ':' <= r && r <= '@' || '[' <= r && r <= '`' || '{' <= r && r <= '~'
	}
	return unicode.Is(unicode.P, r)
}
