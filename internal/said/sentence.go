package said

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ebbmem/ebb/internal/text"
)

// token is a word, a Han character or a mark of a text.
type token struct {
	lo, hi int    // byte offsets: text[lo:hi]
	word   string // folded; see foldWord
	mark   bool   // punctuation
	upper  bool   // begins with a capital or a digit
	quoted bool   // stands within a short quotation, such as a title
}

// sentence is a span of a text and its tokens.
type sentence struct {
	lo, hi   int
	tokens   []token
	question bool
	unmarked bool // it is a question by its form alone
}

// Bounds that keep the running time linear.
const (
	maxSentenceTokens = 120  // a longer one is cut
	longMessage       = 2000 // runes; beyond it only clear first-person sentences count
	maxMessage        = 1 << 17
	maxTitleWords     = 7 // a longer quotation is somebody's words, not a title
)

// Values of a mask byte.
const (
	plain  = 0
	hidden = 1 // code, quoted or pasted text
	title  = 2 // within a short quotation
)

// maskOf marks the bytes of a text that are not the writer's statements.
func maskOf(s string) []byte {
	mask := make([]byte, len(s))
	hide := func(lo, hi int) {
		for i := lo; i < hi; i++ {
			mask[i] = hidden
		}
	}
	fence, list := "", false
	for at := 0; at < len(s); {
		end := strings.IndexByte(s[at:], '\n')
		if end < 0 {
			end = len(s)
		} else {
			end += at
		}
		line := s[at:end]
		trimmed := strings.TrimSpace(line)
		mark := text.CodeFence(trimmed)
		switch {
		case fence != "":
			hide(at, end)
			if mark == fence {
				fence = ""
			}
		case mark != "":
			fence = mark
			hide(at, end)
		case strings.HasPrefix(trimmed, ">") || strings.HasPrefix(trimmed, "|") || strings.HasPrefix(trimmed, "＞"),
			strings.HasPrefix(line, "    ") && !list, strings.HasPrefix(line, "\t") && !list,
			isCode(trimmed):
			hide(at, end)
		case trimmed != "":
			low := strings.ToLower(trimmed)
			pasted := func(mark string) bool { return strings.HasPrefix(low, mark) }
			quotes := func(mark string) bool { return strings.HasSuffix(low, mark) }
			if slices.ContainsFunc(pastedAfter, pasted) && !(at == 0 && (toAssistant.MatchString(low) || toAll.MatchString(low) && !isLetter(s))) || slices.ContainsFunc(pastedLine, quotes) {
				hide(at, len(s))
				return mask
			}
			maskQuotes(s, at, end, mask)
			hide(at+comment(line), end)
			if colon := introducesText(low); colon > 0 { // the text follows, or is on the lines below
				hide(at+strings.Index(line, trimmed)+min(colon, len(trimmed)), len(s))
				return mask
			}
			list = strings.HasPrefix(trimmed, "-") || strings.HasPrefix(trimmed, "*")
		}
		at = end + 1
	}
	return mask
}

// Own returns a message with a line break in place of each part that is quoted, pasted or code.
func Own(message string) string {
	mask := maskOf(message)
	var own strings.Builder
	for i := range len(message) {
		switch {
		case mask[i] != hidden:
			own.WriteByte(message[i])
		case i == 0 || mask[i-1] != hidden:
			own.WriteByte('\n')
		}
	}
	return own.String()
}

// closing maps an opening quotation mark to the closing one.
var closing = map[rune]string{
	'"': "\"", '“': "”\"", '„': "“”\"", '«': "»", '»': "«", '「': "」", '『': "』", '《': "》", '‘': "’", '\'': "'", '`': "`", '[': "]", '*': "*",
}

// maskQuotes marks the quotations, code spans and stage directions of a line.
func maskQuotes(s string, lo, hi int, mask []byte) {
	line := s[lo:hi]
	var unclosed [16]rune // opening marks without a closing one on this line
	count := 0
	for i, r := range line {
		end, quote := closing[r]
		if !quote || mask[lo+i] != plain || slices.Contains(unclosed[:count], r) {
			continue
		}
		size := utf8.RuneLen(r)
		rest := line[i+size:]
		if r == '\'' || r == '‘' || r == '*' {
			before, _ := utf8.DecodeLastRuneInString(line[:i])
			after, _ := utf8.DecodeRuneInString(rest)
			if i > 0 && (unicode.IsLetter(before) || unicode.IsDigit(before)) || !unicode.IsLetter(after) {
				continue
			}
		}
		stop := -1
		for from := 0; from < len(rest); {
			k := strings.IndexAny(rest[from:], end)
			if k < 0 {
				break
			}
			k += from
			_, width := utf8.DecodeRuneInString(rest[k:])
			after, _ := utf8.DecodeRuneInString(rest[k+width:])
			if (r == '\'' || r == '‘') && unicode.IsLetter(after) { // an apostrophe
				from = k + width
				continue
			}
			stop = k
			break
		}
		if stop < 0 {
			if r == '\'' || r == '‘' || r == '"' || r == '*' || r == '`' || r == '[' {
				// Neither this mark nor a later one of its kind is closed on this line.
				unclosed[count] = r
				count++
				continue
			}
			stop = len(rest)
		}
		value := byte(hidden)
		inside := rest[:stop]
		switch {
		case r == '[' || r == '`':
		case r == '*': // an action is masked like a quotation, emphasis is not
			if len(strings.Fields(inside)) < 3 {
				continue
			}
		case r == '《', titleLike(inside):
			value = title
		}
		for k := i; k < min(i+size+stop+1, len(line)); k++ {
			mask[lo+k] = value
		}
	}
}

// titleLike reports whether a quotation is short enough to be a title.
func titleLike(s string) bool {
	han := 0
	for _, r := range s {
		if unicode.Is(unicode.Han, r) {
			han++
		}
	}
	return han <= 10 && len(strings.Fields(s)) <= maxTitleWords && !strings.ContainsAny(s, "?!。！？")
}

// sentencesOf splits a text into sentences.
func sentencesOf(s string, mask []byte) []sentence {
	var out []sentence
	var cur sentence
	cur.lo = -1
	end := func(hi int, question bool) {
		if cur.lo >= 0 && len(cur.tokens) > 0 {
			cur.hi, cur.question = hi, question
			out = append(out, cur)
		}
		cur = sentence{lo: -1}
	}
	add := func(t token) {
		if cur.lo < 0 {
			cur.lo = t.lo
			cur.tokens = make([]token, 0, 24)
		}
		cur.hi = t.hi
		if cur.tokens = append(cur.tokens, t); len(cur.tokens) <= maxSentenceTokens {
			return
		}
		rest := cur.tokens[cutOf(cur.tokens[:maxSentenceTokens]):]
		cur.tokens = cur.tokens[:len(cur.tokens)-len(rest)]
		end(cur.tokens[len(cur.tokens)-1].hi, false)
		cur = sentence{lo: rest[0].lo, hi: t.hi, tokens: slices.Clone(rest)}
	}
	for i := 0; i < len(s); {
		if mask[i] == hidden {
			// Hidden text becomes a token, so that no pattern matches across it.
			lo := i
			for i < len(s) && mask[i] == hidden {
				i++
			}
			if cur.lo >= 0 {
				if strings.IndexByte(s[lo:i], '\n') >= 0 {
					end(lo, false)
				} else {
					add(token{lo: lo, hi: i, word: hiddenWord, mark: true})
				}
			}
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		quoted := mask[i] == title
		switch {
		case r == '\n':
			end(i, false)
			i++
		case unicode.IsSpace(r) || r == utf8.RuneError || unicode.Is(unicode.Cf, r):
			if unicode.IsSpace(r) && cur.lo >= 0 && pauses(s, i+size, cur.tokens) {
				add(token{lo: i, hi: i + size, word: ",", mark: true})
			}
			i += size
		case isHan(r):
			word := s[i : i+size]
			if plain, ok := simplified[word]; ok {
				word = plain
			}
			add(token{lo: i, hi: i + size, word: word, quoted: quoted, upper: true})
			i += size
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			lo := i
			i = wordEnd(s, i, mask)
			for _, t := range splitWord(s, lo, i) {
				t.quoted = quoted
				add(t)
			}
		case isSentenceEnd(r) && !quoted && !abbreviates(s, i, r, cur.tokens):
			question := false
			j := i
			for j < len(s) && mask[j] == plain {
				r, size := utf8.DecodeRuneInString(s[j:])
				if !isSentenceEnd(r) && r != ')' && r != '）' {
					break
				}
				question = question || r == '?' || r == '？'
				j += size
			}
			end(j, question)
			i = j
		case (r == '\'' || r == '’') && !quoted && cur.lo >= 0 && cur.tokens[len(cur.tokens)-1].hi == i && strings.HasSuffix(cur.tokens[len(cur.tokens)-1].word, "s"):
			add(token{lo: i, hi: i + size, word: "'s"}) // "Jonas' dentist"
			i += size
		default:
			word, known := marks[r]
			if !quoted && cur.lo >= 0 && (known || unicode.IsSymbol(r)) {
				add(token{lo: i, hi: i + size, word: cmp.Or(word, ";"), mark: true}) // an emoji ends the sentence
			}
			i += size
		}
	}
	end(len(s), false)
	return out
}

// marks are the words of marks within sentences.
var marks = map[rune]string{
	',': ",", '，': ",", ':': ":", '：': ":", ';': ";", '；': ";", '、': "、", '(': "(", '（': "(", ')': ")", '）': ")", '–': "–", '—': "–",
	'-': "-", '/': "/", '+': "+", '&': "&", '=': "=", '*': "*", '#': "#", '~': "~", '|': "|",
}

// pauses reports whether the space before s[i:] stands for a comma, as in Chinese typed
// without marks: 搬完家了 现在住通州. One beside a Latin word with a space on its other
// side, too, only sets it off: 我用 Go 写代码.
func pauses(s string, i int, before []token) bool {
	next, _ := utf8.DecodeRuneInString(s[i:])
	last := &before[len(before)-1]
	if !isHan(next) || last.mark {
		return false
	}
	end := func(t *token) rune { r, _ := utf8.DecodeLastRuneInString(s[:t.hi]); return r }
	return isHan(end(last)) || len(before) > 1 && before[len(before)-2].hi == last.lo && isHan(end(&before[len(before)-2]))
}

// hiddenWord is the word of a token that represents hidden text.
const hiddenWord = "\x00"

func isHan(r rune) bool { return r >= 0x3400 && unicode.Is(unicode.Han, r) }

func isSentenceEnd(r rune) bool {
	switch r {
	case '.', '!', '?', '…', '。', '！', '？':
		return true
	}
	return false
}

// wordEnd returns the end of the word at i. Apostrophes, hyphens, full stops and
// commas between two letters or digits belong to it.
func wordEnd(s string, i int, mask []byte) int {
	at := mask[i]
	for i < len(s) && mask[i] == at {
		r, size := utf8.DecodeRuneInString(s[i:])
		if isHan(r) {
			break
		}
		if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r) || r == '_' {
			i += size
			continue
		}
		next, _ := utf8.DecodeRuneInString(s[i+size:])
		switch r {
		case '\'', '’', '-', '.', '@', ':', ',', '&':
			prev, _ := utf8.DecodeLastRuneInString(s[:i])
			joined := (unicode.IsLetter(next) || unicode.IsDigit(next)) && !isHan(next)
			if (r == ':' || r == ',') && !(unicode.IsDigit(prev) && unicode.IsDigit(next)) {
				joined = false
			}
			if r == '.' && unicode.IsLetter(prev) && unicode.IsUpper(next) && !unicode.IsUpper(prev) { // "home.I"
				joined = false
			}
			if joined {
				i += size
				continue
			}
		}
		break
	}
	return i
}

// abbreviations have a full stop that does not end a sentence.
var abbreviations = wordSet("dr mr mrs ms prof st jr sr mt no nr vs e.g i.e z.b u.a d.h ca bzw approx ave apt tel str sra sres dra ud uds ing lic hr fr")

// abbreviates reports whether the mark at i does not end a sentence.
func abbreviates(s string, i int, r rune, tokens []token) bool {
	if r != '.' || len(tokens) == 0 {
		return false
	}
	last := tokens[len(tokens)-1]
	if last.hi != i {
		return false
	}
	if abbreviations[last.word] {
		return true
	}
	if text.FullStopWithin(s[tokens[0].lo:i], s[i+1:]) {
		return true
	}
	// An initial: "J. Smith".
	return last.hi-last.lo == 1 && last.upper && last.word != "i" && !(last.word[0] >= '0' && last.word[0] <= '9')
}

// contractions are expanded, so that "I'm" begins with I.
var contractions = map[string]string{"m": "am", "ve": "have", "re": "are", "ll": "will", "d": "would"}

// splitWord splits a word into tokens: "I'm" is I and am, "don't" is do and not,
// "sister's" is sister and 's.
func splitWord(s string, lo, hi int) []token {
	raw := s[lo:hi]
	r, _ := utf8.DecodeRuneInString(raw)
	t := token{lo: lo, hi: hi, upper: unicode.IsUpper(r) || unicode.IsDigit(r)}
	at := strings.LastIndexAny(raw, "'’")
	if at > 0 {
		_, width := utf8.DecodeRuneInString(raw[at:])
		head, tail := raw[:at], foldWord(raw[at+width:])
		switch {
		case tail == "t" && (strings.HasSuffix(head, "n") || strings.HasSuffix(head, "N")):
			verb := foldWord(head[:len(head)-1])
			switch verb {
			case "": // "n't" alone
				return []token{{lo: lo, hi: hi, word: "not", upper: t.upper}}
			case "ca":
				verb = "can"
			case "wo":
				verb = "will"
			case "ai":
				verb = "am"
			}
			cut := lo + at - 1
			return []token{{lo: lo, hi: cut, word: verb, upper: t.upper}, {lo: cut, hi: hi, word: "not"}}
		case contractions[tail] != "":
			return []token{{lo: lo, hi: lo + at, word: foldWord(head), upper: t.upper}, {lo: lo + at, hi: hi, word: contractions[tail]}}
		case tail == "s":
			word := "'s"
			switch foldWord(head) {
			case "it", "that", "he", "she", "there", "what", "who", "where", "here", "name", "let", "how":
				word = "is"
			}
			return []token{{lo: lo, hi: lo + at, word: foldWord(head), upper: t.upper}, {lo: lo + at, hi: hi, word: word}}
		}
	}
	t.word = foldWord(raw)
	return []token{t}
}

// spellOut splits contractions typed without an apostrophe. Only English has
// them; "im" is a German word.
func (l *lexicon) spellOut(tokens []token) []token {
	if !slices.ContainsFunc(tokens, func(t token) bool { return l.runTogether[t.word] != [2]string{} }) {
		return tokens
	}
	out := make([]token, 0, len(tokens)+2)
	for _, t := range tokens {
		split := l.runTogether[t.word]
		if split[0] == "" || t.hi-t.lo <= len(split[0]) {
			out = append(out, t)
			continue
		}
		cut := t.lo + len(split[0])
		out = append(out, token{lo: t.lo, hi: cut, word: split[0], upper: t.upper, quoted: t.quoted}, token{lo: cut, hi: t.hi, word: split[1], quoted: t.quoted})
	}
	return out
}

// foldWord is [text.Fold] for one word that keeps a final ó: "trabajó" differs
// from "trabajo" in person and tense.
func foldWord(s string) string {
	lower := true
	for i := range len(s) {
		c := s[i]
		if c >= utf8.RuneSelf {
			folded := text.Fold(s)
			if folded == "" { // accents alone: no word is empty
				return s
			}
			if accented[strings.ToLower(s)] {
				return strings.ToLower(s)
			}
			if len(s) <= 3 && len(folded) < len(s) && folded[0] < utf8.RuneSelf { // sí, él, té
				return strings.ToLower(s)
			}
			if strings.HasSuffix(s, "ó") && strings.HasSuffix(folded, "o") {
				folded = folded[:len(folded)-1] + "ó"
			}
			return folded
		}
		if c >= 'A' && c <= 'Z' {
			lower = false
		}
	}
	if lower {
		return s
	}
	return strings.ToLower(s)
}

// accented are words that have another meaning without their accent: "cómo" (how)
// and "como" (I eat), "würde" (would) and "wurde" (was).
var accented = map[string]bool{"cómo": true, "qué": true, "dónde": true, "cuándo": true, "quién": true, "cuál": true, "cuánto": true, "würde": true, "würden": true}

func wordSet(words string) map[string]bool {
	set := make(map[string]bool)
	for _, w := range strings.Fields(words) {
		set[foldWord(strings.ReplaceAll(w, "_", " "))] = true
	}
	return set
}
