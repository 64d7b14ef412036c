package poison

import (
	"encoding/base64"
	"encoding/hex"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/ebbmem/ebb/internal/text"
)

// view is a text with its disguises removed.
type view struct {
	plain string // in lower case, one alphabet, without invisible characters

	tags      string // what was written in Unicode tags
	reversed  bool   // holds a direction override
	invisible int    // characters without width inside words
	mixed     int    // words of letters that look alike in several alphabets
	fancy     int    // letters in other styles: wide, encircled, mathematical
	isolates  int    // directional isolates
}

// dressed reports deliberate changes to how the text is drawn.
func (v *view) dressed() bool {
	return v.mixed > 0 || v.invisible > 0 || v.fancy >= 5 || v.isolates > 0 || v.tags != ""
}

// look builds the view of a text. Plain ASCII, which is the common case, takes one pass.
func look(s string) view {
	if ascii(s) {
		return view{plain: strings.ToLower(s)}
	}
	var v view
	var b, tags, overridden strings.Builder
	b.Grow(len(s))
	before, override := rune(0), false
	flag := false
	for _, r := range s {
		if r >= 0x1D400 && r <= 0x1D7FF || r >= 0x2460 && r <= 0x24FF || r >= 0xFF21 && r <= 0xFF5A || r >= 0x1F110 && r <= 0x1F189 {
			v.fancy++
		}
	}
	for _, r := range norm.NFKC.String(s) {
		switch {
		case r >= '\u2066' && r <= '\u2069' || r == '\u202A' || r == '\u202B':
			v.isolates++
			if r == '\u2069' && override {
				b.WriteString(backwards(overridden.String()))
				overridden.Reset()
				override = false
			}
			continue
		case r >= 0xE0000 && r <= 0xE007F:
			if !flag {
				tags.WriteRune(r - 0xE0000)
			}
			if r == 0xE007F {
				flag = false
			}
			continue
		case r == '\u202E' || r == '\u202D':
			v.reversed, override = true, true
			continue
		case r == '\u202C':
			if override {
				b.WriteString(backwards(overridden.String()))
				overridden.Reset()
			}
			override = false
			continue
		case unicode.Is(unicode.Cf, r) || r == '\u034F' || r >= 0xFE00 && r <= 0xFE0F || r >= 0xE0100 && r <= 0xE01EF:
			if latinLetter(before) && r != '\u00AD' {
				v.invisible++
			}
			continue
		}
		flag = r == 0x1F3F4 || flag && r >= 0xE0000 // the flags of some countries are written in tags
		if override {
			overridden.WriteRune(r)
		} else {
			b.WriteRune(r)
		}
		before = r
	}
	b.WriteString(backwards(overridden.String()))
	v.tags = strings.ToLower(strings.TrimSpace(tags.String()))
	v.plain, v.mixed = oneAlphabet(strings.ToLower(b.String()))
	return v
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func latinLetter(r rune) bool { return r < 0x250 && unicode.IsLetter(r) }

// lookalikes are letters of other alphabets that are drawn like Latin ones.
var lookalikes = func() map[rune]rune {
	from := []rune("асԁеһіјӏорԛѕυνѡхуαοιкмтнгɡᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢρτκеωɩɑⅼοց")
	to := []rune("acdehijlopqsuvwxyaoikmthrgabcdefghijklmnoprstuvwyzptkewialog")
	m := make(map[rune]rune, len(from))
	for i, r := range from {
		m[r] = to[i]
	}
	return m
}()

// oneAlphabet rewrites words that mix Latin letters and look-alikes in Latin, and all
// look-alikes of a text if they form Latin words. It removes accents from Latin letters.
func oneAlphabet(s string) (plain string, mixed int) {
	var b strings.Builder
	b.Grow(len(s))
	foreign := cyrillic(s)
	word := make([]rune, 0, 32)
	flush := func() {
		latin, like, other := 0, 0, 0
		for _, r := range word {
			switch {
			case latinLetter(r):
				latin++
			case lookalikes[r] != 0:
				like++
			default:
				other++
			}
		}
		fold := like > 0 && (latin > 0 || other == 0 && len(word) > 3 && !(foreign && cyrillicWord(word)))
		if like > 0 && latin > 0 && len(word) > 3 { // units such as MΩ are shorter
			mixed++
		}
		for _, r := range word {
			if to := lookalikes[r]; fold && to != 0 {
				r = to
			}
			b.WriteRune(r)
		}
		word = word[:0]
	}
	for _, r := range norm.NFD.String(s) {
		switch {
		case unicode.Is(unicode.Mn, r) && len(word) > 0 && latinLetter(word[len(word)-1]):
		case unicode.IsLetter(r) || unicode.Is(unicode.Mn, r):
			word = append(word, r)
		default:
			flush()
			b.WriteRune(r)
		}
	}
	flush()
	return norm.NFC.String(b.String()), mixed
}

// cyrillic reports a text in which most letters can only be Cyrillic. Letters in it that
// look Latin are Cyrillic too.
func cyrillic(s string) bool {
	n := 0
	for _, r := range s {
		switch {
		case latinLetter(r):
			n--
		case unicode.Is(unicode.Cyrillic, r) && lookalikes[r] == 0:
			n++
		}
	}
	return n > 0
}

func cyrillicWord(word []rune) bool {
	return !slices.ContainsFunc(word, func(r rune) bool { return !unicode.Is(unicode.Cyrillic, r) })
}

func backwards(s string) string {
	runes := []rune(s)
	slices.Reverse(runes)
	return string(runes)
}

var (
	hexRun   = regexp.MustCompile(`(?:(?:\\x|0x|%)?[0-9a-fA-F]{2}[\s:]?){10,}`)
	hexNoise = regexp.MustCompile(`\\x|0x|%|[\s:]`)
	percent  = regexp.MustCompile(`(?:%[0-9a-fA-F]{2}[\w.:/-]?){6,}`)
	entities = regexp.MustCompile(`(?:&#(?:\d{2,5}|x[0-9a-fA-F]{2,4});[ \w]?){5,}`)
	escapes  = regexp.MustCompile(`\\u([0-9a-fA-F]{4})`)
	leet     = strings.NewReplacer("${", "${", "0", "o", "1", "i", "3", "e", "4", "a", "5", "s", "7", "t", "@", "a", "$", "s")
	spaced   = regexp.MustCompile(`(?:\b[a-z][ .\-_*]{1,2}){5,}[a-z]\b`)
)

// most bounds how many runs of a text are decoded.
const mostRuns = 8

// disguise is a text that another one hides.
type disguise struct {
	text string
	part bool // nothing else was hidden: any order in it counts
}

// disguises are the texts that a text hides.
func disguises(s string, v view) (hidden []disguise) {
	add := func(t string, part bool) {
		if t != "" && readable(t) {
			hidden = append(hidden, disguise{t, part})
		}
	}
	n := shapeOf(s)
	for _, run := range n.runs {
		for _, e := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			if plain, err := e.DecodeString(run); err == nil {
				add(string(plain), true)
				break
			}
		}
	}
	for _, run := range findAll(n.hex >= 20, hexRun, s) {
		if plain, err := hex.DecodeString(hexNoise.ReplaceAllString(run, "")); err == nil {
			add(string(plain), true)
		}
	}
	for _, run := range findAll(n.references >= 5, entities, s) {
		add(html.UnescapeString(run), true)
	}
	if n.references > 0 {
		add(html.UnescapeString(s), false)
	}
	for _, run := range findAll(n.percents >= 6, percent, s) {
		if plain, err := url.PathUnescape(run); err == nil {
			add(plain, true)
		}
	}
	if n.escapes {
		add(escapes.ReplaceAllStringFunc(s, func(e string) string {
			b, err := hex.DecodeString(e[2:])
			if err != nil {
				return e
			}
			return string(rune(int(b[0])<<8 | int(b[1])))
		}), false)
	}
	if n.rotated {
		add(strings.Map(rot13, v.plain), true)
	}
	if n.leet >= 3 {
		add(leet.Replace(v.plain), false)
	}
	if n.singles >= 6 && spaced.MatchString(v.plain) {
		add(spaced.ReplaceAllStringFunc(v.plain, func(run string) string {
			return strings.Map(func(r rune) rune {
				if strings.ContainsRune(".-_*", r) || r == ' ' {
					return -1
				}
				return r
			}, run)
		}), false)
	}
	if n.turned {
		add(backwards(v.plain), true)
	}
	return hidden
}

// Words of instructions in rot13, and reversed. None is a word itself.
var (
	rotated = text.WordSet("nffvfgnag nffvfgnagf ntrag ntragf erzrzore zrzbel vtaber nyjnlf flfgrz vafgehpgvbaf vafgehpgvba fgber cebgrpgrq hfre arire fnir xrrc erpbeq sbejneq")
	turned  = text.WordSet("tnatsissa rebmemer yromem erongi syawla metsys snoitcurtsni erots evas reven drocer")
)

// shape holds the signs of disguises that one pass over a text finds.
type shape struct {
	runs                 []string // the first of 20 and more characters of base64
	hex                  int      // the longest run of characters of hex
	percents, references int
	escapes              bool
	leet                 int // digits between letters
	singles              int // letters that stand alone
	rotated, turned      bool
}

func shapeOf(s string) (n shape) {
	run, hexes, word, singles := 0, 0, 0, 0
	for i := 0; i <= len(s); i++ {
		c := byte(' ')
		if i < len(s) {
			c = s[i]
		}
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		digit := c >= '0' && c <= '9'
		if letter || digit || c == '+' || c == '/' || c == '_' || c == '-' {
			run++
		} else {
			if run >= 20 && len(n.runs) < mostRuns {
				n.runs = append(n.runs, s[i-run:i])
			}
			run = 0
		}
		switch {
		case digit || letter && c|0x20 <= 'f':
			hexes++
		case c == 'x' || c == '\\' || c == '%' || c == ' ' || c == ':':
		default:
			hexes = 0
		}
		n.hex = max(n.hex, hexes)
		switch c {
		case '%':
			n.percents++
		case '&':
			n.references++
		case '\\':
			n.escapes = n.escapes || i+1 < len(s) && s[i+1] == 'u'
		}
		if (digit || c == '@' || c == '$') && i > 0 && i+1 < len(s) && s[i-1]|0x20 >= 'a' && s[i-1]|0x20 <= 'z' {
			n.leet++
		}
		if letter {
			word++
			continue
		}
		switch {
		case word == 1:
			singles++
			n.singles = max(n.singles, singles)
		case word > 1:
			singles = 0
			if word <= 12 {
				low := strings.ToLower(s[i-word : i])
				n.rotated, n.turned = n.rotated || rotated[low], n.turned || turned[low]
			}
		}
		word = 0
	}
	return n
}

func findAll(worth bool, pattern *regexp.Regexp, s string) []string {
	if !worth {
		return nil
	}
	return pattern.FindAllString(s, mostRuns)
}

func rot13(r rune) rune {
	if r >= 'a' && r <= 'z' {
		return 'a' + (r-'a'+13)%26
	}
	if r >= 'A' && r <= 'Z' {
		return 'A' + (r-'A'+13)%26
	}
	return r
}

// readable reports text, not what random bytes decode to.
func readable(s string) bool {
	if !utf8.ValidString(s) {
		return false
	}
	good, all := 0, 0
	for _, r := range s {
		all++
		if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsSpace(r) || strings.ContainsRune(`.,:;!?'"()[]{}<>/@#=&%+-_*|$`, r) {
			good++
		}
	}
	return all >= 8 && good*10 >= all*9
}
