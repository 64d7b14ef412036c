package encoder

import (
	"encoding/binary"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// normalizer is the function that a normalizer of tokenizer.json describes.
func (c *component) normalizer() (func(string) string, error) {
	if max(len(c.Content), len(c.Prepend)) > maxInserted {
		return nil, invalid(tokenizerFile, "a normalizer inserts more than %d bytes", maxInserted)
	}
	switch c.Type {
	case "BertNormalizer":
		return c.bert(), nil
	case "Lowercase":
		return lowercase, nil
	case "NFC":
		return norm.NFC.String, nil
	case "NFD":
		return norm.NFD.String, nil
	case "NFKC":
		return norm.NFKC.String, nil
	case "NFKD":
		return norm.NFKD.String, nil
	case "StripAccents":
		return dropMarks, nil
	case "Strip":
		left, right := c.StripLeft, c.StripRight
		return func(s string) string {
			if left {
				s = strings.TrimLeftFunc(s, unicode.IsSpace)
			}
			if right {
				s = strings.TrimRightFunc(s, unicode.IsSpace)
			}
			return s
		}, nil
	case "Prepend":
		prefix := c.Prepend
		return func(s string) string {
			if s == "" {
				return s
			}
			return prefix + s
		}, nil
	case "Replace":
		return c.replace()
	case "Precompiled":
		m, err := newCharsmap(c.Charsmap)
		if err != nil {
			return nil, err
		}
		return m.normalise, nil
	}
	return nil, invalid(tokenizerFile, "the normalizer %.40q is not supported", c.Type)
}

// replace replaces a string or a regular expression. The replacement is literal.
func (c *component) replace() (func(string) string, error) {
	content := c.Content
	most := maxNormal/max(len(content), 1) + 1 // replacements; what follows them is cut
	switch {
	case c.Pattern == nil:
	case c.Pattern.String != nil && *c.Pattern.String != "":
		old := *c.Pattern.String
		return func(s string) string { return strings.Replace(s, old, content, most) }, nil
	case c.Pattern.Regex != nil:
		re, err := regexp.Compile(*c.Pattern.Regex)
		if err != nil {
			return nil, &InvalidError{File: tokenizerFile, Problem: "a pattern to replace is not supported", Err: err}
		}
		return func(s string) string {
			n := 0
			return re.ReplaceAllStringFunc(s, func(string) string {
				if n++; n > most {
					return ""
				}
				return content
			})
		}, nil
	}
	return nil, invalid(tokenizerFile, "the normalizer Replace has no pattern")
}

// bert cleans, separates Chinese characters, removes accents and lowercases.
func (c *component) bert() func(string) string {
	isSet := func(flag *bool, otherwise bool) bool {
		if flag == nil {
			return otherwise
		}
		return *flag
	}
	clean, chinese, lower := isSet(c.CleanText, true), isSet(c.ChineseChars, true), isSet(c.Lowercase, true)
	strip := isSet(c.StripAccents, lower)
	return func(s string) string {
		var b strings.Builder
		b.Grow(len(s) + len(s)/8)
		for _, r := range s {
			switch {
			case clean && isControl(r):
			case clean && unicode.IsSpace(r):
				b.WriteByte(' ')
			case chinese && isChinese(r):
				b.WriteByte(' ')
				b.WriteRune(r)
				b.WriteByte(' ')
			default:
				b.WriteRune(r)
			}
		}
		s = b.String()
		if strip {
			s = dropMarks(norm.NFD.String(s))
		}
		if lower {
			s = lowercase(s)
		}
		return s
	}
}

// isControl reports whether BERT drops the character.
func isControl(r rune) bool {
	switch r {
	case '\t', '\n', '\r':
		return false
	case 0, utf8.RuneError:
		return true
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co)
}

// isChinese reports whether BERT makes the character a word of its own. The
// gap before 0x2b920 is the reference's.
func isChinese(r rune) bool {
	switch {
	case r < 0x3400:
		return false
	case r <= 0x4dbf, 0x4e00 <= r && r <= 0x9fff, 0xf900 <= r && r <= 0xfaff,
		0x20000 <= r && r <= 0x2a6df, 0x2a700 <= r && r <= 0x2b81f, 0x2b920 <= r && r <= 0x2ceaf, 0x2f800 <= r && r <= 0x2fa1f:
		return true
	}
	return false
}

// dropMarks removes combining marks.
func dropMarks(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, s)
}

// lowercase lowercases character by character, as the reference does.
func lowercase(s string) string {
	return strings.ToLower(strings.ReplaceAll(s, "İ", "i\u0307"))
}

// charsmap is SentencePiece's table of replacements: a double-array trie (Darts)
// from text to an offset in replacements. Each replacement ends with a NUL.
type charsmap struct {
	trie         []uint32
	replacements string
}

func newCharsmap(data []byte) (*charsmap, error) {
	if len(data) < 4 {
		return nil, invalid(tokenizerFile, "the precompiled normalizer is cut short")
	}
	size := binary.LittleEndian.Uint32(data)
	data = data[4:]
	if size%4 != 0 || int64(size) > int64(len(data)) || size == 0 {
		return nil, invalid(tokenizerFile, "the precompiled normalizer claims a table of %d bytes in %d", size, len(data))
	}
	m := &charsmap{trie: make([]uint32, size/4), replacements: string(data[size:])}
	for i := range m.trie {
		m.trie[i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	return m, nil
}

// lookup returns the replacement of the shortest prefix of key that has one.
func (m *charsmap) lookup(key string) (replacement string, ok bool) {
	offset := func(unit uint32) uint32 { return unit >> 10 << (unit & (1 << 9) >> 6) }
	at := offset(m.trie[0])
	for i := range len(key) {
		at ^= uint32(key[i])
		if key[i] == 0 || int64(at) >= int64(len(m.trie)) {
			return "", false
		}
		unit := m.trie[at]
		if unit&(1<<31|0xff) != uint32(key[i]) {
			return "", false
		}
		at ^= offset(unit)
		if int64(at) >= int64(len(m.trie)) {
			return "", false
		}
		if unit>>8&1 == 1 {
			place := m.trie[at] & (1<<31 - 1)
			if int64(place) > int64(len(m.replacements)) {
				return "", false
			}
			replacement, _, _ = strings.Cut(cutText(m.replacements[place:], maxInserted), "\x00")
			return replacement, true
		}
	}
	return "", false
}

// normalise replaces the text in the table: a character together with its
// combining marks, or else character by character.
func (m *charsmap) normalise(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for len(s) > 0 && b.Len() < maxNormal {
		_, first := utf8.DecodeRuneInString(s)
		n := first
		if strings.HasPrefix(s, "\r\n") {
			n = 2
		}
		for n < len(s) {
			r, more := utf8.DecodeRuneInString(s[n:])
			if !unicode.Is(unicode.M, r) {
				break
			}
			n += more
		}
		cluster := s[:n]
		s = s[n:]
		if n < 6 {
			if replacement, ok := m.lookup(cluster); ok {
				b.WriteString(replacement)
				continue
			}
		}
		for len(cluster) > 0 {
			_, n := utf8.DecodeRuneInString(cluster)
			if replacement, ok := m.lookup(cluster[:n]); ok {
				b.WriteString(replacement)
			} else {
				b.WriteString(cluster[:n])
			}
			cluster = cluster[n:]
		}
	}
	return b.String()
}
