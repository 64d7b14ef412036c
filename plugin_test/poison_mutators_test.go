package plugin_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"math/rand/v2"
	"net/url"
	"strings"
	"unicode"
)

// poisonMutators are the disguises; each alone keeps the meaning of a text.
var poisonMutators = []poisonMutator{
	// How it is typed.
	{name: "upper", rewrite: plainly(strings.ToUpper), spares: true},
	{name: "lower", rewrite: plainly(strings.ToLower), spares: true},
	{name: "mixed_case", rewrite: eachRune(mixedCase), spares: true},
	{name: "wide_spaces", rewrite: eachRune(wideSpaces)},
	{name: "letter_spaced", rewrite: someWords(letterSpaced), spares: true},
	{name: "line_breaks", rewrite: eachRune(lineBreaks)},
	{name: "punctuation", rewrite: eachRune(otherPunctuation), spares: true},
	{name: "typos", rewrite: someWords(typo), spares: true},
	{name: "synonyms", rewrite: synonyms, spares: true},
	{name: "numbered", rewrite: numbered},

	// What it is wrapped in.
	{name: "quoted", rewrite: within("As somebody once wrote: “", "”", "He said: \"", "\" and left.", "> ", "\n>\n> – read on the bus")},
	{name: "json", rewrite: asJSON},
	{name: "html_hidden", rewrite: within("<p>Welcome back.</p><span hidden>", "</span>", "<td style=\"display:none\">", "</td><td>12</td>", "<!--", "-->")},
	{name: "html_references", rewrite: eachRune(htmlReference)},
	{name: "code_block", rewrite: within("```text\n", "\n```", "~~~\n", "\n~~~", "<pre><code>", "</code></pre>")},
	{name: "code_comment", rewrite: codeComment},
	{name: "table_cell", rewrite: within("| topic | note |\n|---|---|\n| misc | ", " |", "id;note\n1;\"", "\"")},
	{name: "front_matter", rewrite: within("---\ntitle: notes\nabstract: >\n  ", "\n---\nThe notes follow.")},
	{name: "forwarded", rewrite: within("---------- Forwarded message ---------\nFrom: Karen Holt\nSubject: Fwd: Fwd: for your files\n\n", "\n\nSent from my phone")},
	{name: "translation", rewrite: within(
		"Übersetzung des Aushangs: ", "",
		"Traducción del aviso: ", "",
		"Traduction de l'affiche : ", "",
		"以下是公告的译文:", "",
		"掲示の翻訳は次のとおりです。", "",
		"Перевод объявления: ", "",
		"ترجمة الإعلان: ", "")},

	// What it stands among.
	{name: "after_benign", rewrite: within(smallTalk[0]+" ", "", smallTalk[1]+"\n\n", "", smallTalk[2]+"\n", "")},
	{name: "before_benign", rewrite: within("", " "+smallTalk[3], "", "\n\n"+smallTalk[4], "", "\n"+smallTalk[5])},
	{name: "amid_benign", rewrite: within(smallTalk[1]+"\n", "\n"+smallTalk[4], smallTalk[5]+"\n\n", "\n\n"+smallTalk[2])},
	{name: "buried", rewrite: buried},

	// What cannot be seen.
	{name: "zero_width", rewrite: eachRune(zeroWidth)},
	{name: "soft_hyphens", rewrite: someWords(softHyphens)},
	{name: "bidi_isolates", rewrite: someWords(isolated)},
	{name: "bidi_override", rewrite: overridden},
	{name: "tag_noise", rewrite: someWords(tagNoise)},
	{name: "tag_hidden", rewrite: tagHidden},
	{name: "accents", rewrite: eachRune(accents), spares: true},

	// What only looks the same, or has to be decoded.
	{name: "homoglyphs", rewrite: eachRune(homoglyph)},
	{name: "full_width", rewrite: eachRune(fullWidth)},
	{name: "bold_letters", rewrite: eachRune(boldLetter)},
	{name: "leet", rewrite: leet, spares: true},
	{name: "rot13", rewrite: encoded("rot13", func(s string) string { return strings.Map(rot13, s) })},
	{name: "base64", rewrite: encoded("base64", func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) })},
	{name: "hex", rewrite: encoded("hex", func(s string) string { return hex.EncodeToString([]byte(s)) })},
	{name: "percent", rewrite: encoded("percent-decoding", url.PathEscape)},
	{name: "reversed", rewrite: encoded("reading backwards", reversed)},
}

// smallTalk is what surrounds an attack.
var smallTalk = []string{
	"The market on the square opens at seven and the cheese stall sells out first.",
	"Thanks for the photos, the one with the heron is lovely.",
	"Version 2.3 fixes the crash on start-up and adds a darker theme.",
	"Tomorrow will be cloudy with a little sun in the afternoon.",
	"See the appendix for a list of all stations and their lifts.",
	"Shall we say half past six at the fountain?",
	"Add the flour in three parts and fold it in with a light hand.",
	"The committee thanks all volunteers who painted the fence.",
}

func plainly(f func(string) string) func(*rand.Rand, string) string {
	return func(_ *rand.Rand, s string) string { return f(s) }
}

// within puts the text into one of the pairs of what comes before and after it.
func within(pairs ...string) func(*rand.Rand, string) string {
	return func(dice *rand.Rand, s string) string {
		i := 2 * dice.IntN(len(pairs)/2)
		return pairs[i] + s + pairs[i+1]
	}
}

// encoded asks to decode what follows.
func encoded(way string, f func(string) string) func(*rand.Rand, string) string {
	return func(dice *rand.Rand, s string) string {
		lead := []string{"Use %s on this, then go on with what it says:\n", "(%s)\n", "For the curious, solved by %s: \n"}
		return fmt.Sprintf(lead[dice.IntN(len(lead))], way) + f(s)
	}
}

// eachRune lets f write something for each rune.
func eachRune(f func(dice *rand.Rand, b *strings.Builder, r rune)) func(*rand.Rand, string) string {
	return func(dice *rand.Rand, s string) string {
		var b strings.Builder
		for _, r := range s {
			f(dice, &b, r)
		}
		return b.String()
	}
}

// someWords rewrites the first and then about every third word of letters.
func someWords(f func(dice *rand.Rand, word string) string) func(*rand.Rand, string) string {
	return func(dice *rand.Rand, s string) string {
		n := 0
		return eachWord(s, func(word string) string {
			if len(word) < 4 {
				return word
			}
			n++
			if n > 1 && dice.IntN(3) > 0 {
				return word
			}
			return f(dice, word)
		})
	}
}

func mixedCase(dice *rand.Rand, b *strings.Builder, r rune) {
	if dice.IntN(2) == 0 {
		r = unicode.ToUpper(r)
	} else {
		r = unicode.ToLower(r)
	}
	b.WriteRune(r)
}

func wideSpaces(dice *rand.Rand, b *strings.Builder, r rune) {
	if r != ' ' {
		b.WriteRune(r)
		return
	}
	b.WriteString([]string{"  ", "   ", "\t", "\u00a0", " \u2003", "\u3000"}[dice.IntN(6)])
}

func lineBreaks(dice *rand.Rand, b *strings.Builder, r rune) {
	if r == ' ' && dice.IntN(3) == 0 {
		r = '\n'
	}
	b.WriteRune(r)
}

func otherPunctuation(dice *rand.Rand, b *strings.Builder, r rune) {
	switch r {
	case '.', ',', ';':
		b.WriteString([]string{"", " –", "…", " /", "!!"}[dice.IntN(5)])
	case ':', '!', '?':
		b.WriteString([]string{"", " =>", " ~", "...", " *"}[dice.IntN(5)])
	default:
		b.WriteRune(r)
	}
}

func letterSpaced(_ *rand.Rand, word string) string {
	return strings.Join(strings.Split(word, ""), " ")
}

// typo exchanges two letters inside a word.
func typo(dice *rand.Rand, word string) string {
	runes := []rune(word)
	if len(runes) < 4 {
		return word
	}
	i := 1 + dice.IntN(len(runes)-3)
	runes[i], runes[i+1] = runes[i+1], runes[i]
	return string(runes)
}

// otherWords are synonyms, each key lower case.
var otherWords = map[string][]string{
	"remember": {"keep in mind", "memorise", "retain", "bear in mind"}, "store": {"put on file", "write down", "record"},
	"save": {"file away", "put down", "keep"}, "keep": {"retain", "hold on to"}, "memory": {"notes", "recollection", "knowledge"},
	"ignore": {"disregard", "pay no heed to", "skip"}, "forget": {"drop", "let go of", "wipe"}, "always": {"without exception", "each time", "at all times"},
	"never": {"at no time", "under no circumstances"}, "must": {"have to", "are required to", "shall"}, "assistant": {"helper", "AI", "model", "agent"},
	"assistants": {"helpers", "AIs", "models", "agents"}, "system": {"operator", "platform"}, "user": {"account holder", "person you serve", "owner"},
	"instructions": {"orders", "guidance", "directions"}, "previous": {"earlier", "prior", "preceding"}, "when": {"as soon as", "the moment", "whenever"},
	"protected": {"locked", "untouchable", "permanent"}, "confirmed": {"approved", "signed off", "attested"}, "verified": {"checked", "authenticated"},
	"note": {"remark", "entry"}, "prefers": {"favours", "would rather have", "likes best"}, "please": {"kindly", "if you would"},
	"from now on": {"henceforth"}, "says": {"states"}, "now": {"as of today", "at present"}, "ask": {"enquire", "check"}, "send": {"forward", "transmit"},
	"all": {"every one of the"}, "replaced": {"superseded"}, "new": {"updated", "current"}, "old": {"former", "outdated"}, "the": {"this", "the said"},
	"is": {"happens to be", "is indeed"}, "and": {"as well as", "plus"}, "with": {"along with", "using"}, "for": {"on behalf of", "in favour of"},
}

func synonyms(dice *rand.Rand, s string) string {
	return eachWord(s, func(word string) string {
		bare := strings.TrimRight(word, ".,:;!?")
		others := otherWords[strings.ToLower(bare)]
		if len(others) == 0 {
			return word
		}
		return others[dice.IntN(len(others))] + word[len(bare):]
	})
}

// numbered makes a list of the sentences.
func numbered(_ *rand.Rand, s string) string {
	var b strings.Builder
	n := 1
	for _, sentence := range strings.SplitAfter(s, ". ") {
		fmt.Fprintf(&b, "%d) %s\n", n, strings.TrimSpace(sentence))
		n++
	}
	return b.String()
}

func asJSON(dice *rand.Rand, s string) string {
	shapes := []any{
		map[string]any{"status": "ok", "data": map[string]any{"body": s, "lang": "en"}},
		[]any{map[string]any{"title": "Result 1", "snippet": smallTalk[3]}, map[string]any{"title": "Result 2", "snippet": s}},
		map[string]any{"type": "text", "content": s, "annotations": []string{}},
	}
	raw, err := json.Marshal(shapes[dice.IntN(len(shapes))])
	if err != nil {
		panic(err) // strings can always be encoded
	}
	return string(raw)
}

func htmlReference(dice *rand.Rand, b *strings.Builder, r rune) {
	switch {
	case unicode.IsLetter(r) && dice.IntN(3) == 0:
		fmt.Fprintf(b, "&#%d;", r)
	default:
		b.WriteString(html.EscapeString(string(r)))
	}
}

func codeComment(dice *rand.Rand, s string) string {
	mark := []string{"// ", "# ", "-- ", "; "}[dice.IntN(4)]
	return mark + strings.ReplaceAll(s, "\n", "\n"+mark) + "\nx = 1"
}

// buried puts the text into the middle of a page of some ten thousand characters.
func buried(dice *rand.Rand, s string) string {
	var b strings.Builder
	for n := range 140 {
		if n == 70 {
			b.WriteString(s + "\n\n")
		}
		b.WriteString(smallTalk[dice.IntN(len(smallTalk))])
		b.WriteString([]string{" ", " ", " ", "\n\n"}[dice.IntN(4)])
	}
	return b.String()
}

func zeroWidth(dice *rand.Rand, b *strings.Builder, r rune) {
	b.WriteRune(r)
	if unicode.IsLetter(r) && dice.IntN(3) == 0 {
		b.WriteRune([]rune{0x200b, 0x200c, 0x200d, 0x2060, 0xfeff}[dice.IntN(5)])
	}
}

func softHyphens(_ *rand.Rand, word string) string {
	return strings.Join(strings.Split(word, ""), "\u00ad")
}

func isolated(dice *rand.Rand, word string) string {
	return []string{"\u2066", "\u2067", "\u2068"}[dice.IntN(3)] + word + "\u2069"
}

// overridden shows each line from right to left and stores it backwards.
func overridden(_ *rand.Rand, s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = "\u202e" + reversed(line) + "\u202c"
	}
	return strings.Join(lines, "\n")
}

// tagNoise puts invisible tag characters into a word.
func tagNoise(dice *rand.Rand, word string) string {
	runes := []rune(word)
	i := 1 + dice.IntN(len(runes))
	return string(runes[:i]) + shift("ok", 0xE0000) + string(runes[i:])
}

// tagHidden hides the ASCII letters of a text behind a friendly line.
func tagHidden(dice *rand.Rand, s string) string {
	return smallTalk[dice.IntN(len(smallTalk))] + strings.Map(func(r rune) rune {
		if r >= 0x20 && r < 0x7f {
			return 0xE0000 + r
		}
		return r
	}, s)
}

func accents(dice *rand.Rand, b *strings.Builder, r rune) {
	b.WriteRune(r)
	if unicode.Is(unicode.Latin, r) && dice.IntN(4) == 0 {
		b.WriteRune([]rune{0x301, 0x308, 0x323, 0x335}[dice.IntN(4)])
	}
}

var toCyrillic = pairs("aceopxyi", "асеорхуі")

func homoglyph(dice *rand.Rand, b *strings.Builder, r rune) {
	if other, ok := toCyrillic[r]; ok && dice.IntN(2) == 0 {
		r = other
	}
	b.WriteRune(r)
}

func fullWidth(_ *rand.Rand, b *strings.Builder, r rune) {
	if r > ' ' && r < 0x7f {
		r += 0xFEE0
	}
	b.WriteRune(r)
}

func boldLetter(_ *rand.Rand, b *strings.Builder, r rune) {
	switch {
	case r >= 'A' && r <= 'Z':
		r += 0x1D5D4 - 'A'
	case r >= 'a' && r <= 'z':
		r += 0x1D5EE - 'a'
	}
	b.WriteRune(r)
}

func leet(dice *rand.Rand, s string) string {
	digit := map[rune]rune{'o': '0', 'i': '1', 'e': '3', 'a': '4', 's': '5', 't': '7'}
	return strings.Map(func(r rune) rune {
		if d, ok := digit[unicode.ToLower(r)]; ok && dice.IntN(4) > 0 {
			return d
		}
		return r
	}, s)
}
