package text

import (
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// MentionType says what kind of thing a mention is.
type MentionType string

// The types of mention.
const (
	MentionName    MentionType = "name" // person, place, organisation, product, work, project
	MentionURL     MentionType = "url"
	MentionEmail   MentionType = "email"
	MentionHandle  MentionType = "handle"  // @ada
	MentionHashtag MentionType = "hashtag" // #running
	MentionDate    MentionType = "date"    // "last Friday", "in March", "every Sunday"
)

// Mention is a name, address, handle, hashtag or date in a text.
type Mention struct {
	Type MentionType
	// Text is the mention as written, without quotes, possessive or trailing
	// punctuation; handles and hashtags keep their sign.
	Text string
	// Start and End are byte offsets: s[Start:End] == Text.
	Start, End int
	// Confidence is in (0, 1]: 1 where the form alone decides, as for a URL;
	// about .9 for a name inside a sentence, down to .5 for a single unknown word
	// at its start.
	Confidence float64
}

// Mentions finds names, URLs, e-mail addresses, @handles, #hashtags and dates by
// form alone: no model, no gazetteer. They come in text order and do not overlap.
//
// Code spans and blocks, file names and paths are skipped. A capital at the start
// of a sentence proves nothing: such a word is a name only if it is neither a
// common English word nor a usual first word in a few other languages, or if
// another capital or a possessive ending follows, or if it is capitalised inside
// a sentence elsewhere in the text. A title belongs to its name ("Dr. Hansen",
// "Aunt Rosa"). Days, months, nationalities and bare roles ("Mum", "CEO") are not
// names; neither is text in capitals throughout.
// A leading "in" belongs to a date, other prepositions do not; clock times,
// durations and ages are not dates, and a range is two dates.
func Mentions(s string) []Mention {
	f := finder{src: s}
	f.code()
	f.links()
	f.signs()
	f.dates()
	f.names()
	slices.SortFunc(f.found, func(a, b Mention) int { return a.Start - b.Start })
	return f.found
}

// finder collects mentions. Later passes skip the intervals in taken.
type finder struct {
	src   string
	found []Mention
	taken []interval // sorted, disjoint
	fresh []interval // settle merges them into taken
}

type interval struct{ start, end int }

func (f *finder) take(start, end int) { f.fresh = append(f.fresh, interval{start, end}) }

// settle marks the intervals found by the last pass as taken.
func (f *finder) settle() {
	if len(f.fresh) == 0 {
		return
	}
	f.taken = append(f.taken, f.fresh...)
	slices.SortFunc(f.taken, func(a, b interval) int { return a.start - b.start })
	merged := f.taken[:0]
	for _, t := range f.taken {
		if n := len(merged); n > 0 && t.start <= merged[n-1].end {
			merged[n-1].end = max(merged[n-1].end, t.end)
			continue
		}
		merged = append(merged, t)
	}
	f.taken, f.fresh = merged, f.fresh[:0]
}

// free reports whether no part of [start, end) is taken.
func (f *finder) free(start, end int) bool {
	i, _ := slices.BinarySearchFunc(f.taken, start, func(t interval, at int) int {
		if t.end <= at {
			return -1
		}
		return 1
	})
	return i >= len(f.taken) || f.taken[i].start >= end
}

func (f *finder) add(typ MentionType, start, end int, confidence float64) {
	f.found = append(f.found, Mention{Type: typ, Text: f.src[start:end], Start: start, End: end, Confidence: confidence})
	f.take(start, end)
}

// code excludes fenced blocks and inline code.
func (f *finder) code() {
	s := f.src
	if strings.IndexByte(s, '`') < 0 {
		return
	}
	for i := 0; i < len(s); {
		at := strings.IndexByte(s[i:], '`')
		if at < 0 {
			break
		}
		at += i
		n := 1
		for at+n < len(s) && s[at+n] == '`' {
			n++
		}
		fence := s[at : at+n]
		end := strings.Index(s[at+n:], fence)
		switch {
		case end < 0 && n >= 3: // an open block runs to the end
			f.take(at, len(s))
			i = len(s)
		case end < 0 || n == 1 && strings.Contains(s[at+n:at+n+end], "\n\n"):
			i = at + n
		default:
			i = at + n + end + n
			f.take(at, i)
		}
	}
	f.settle()
}

var (
	urlPattern = regexp.MustCompile(`(?i)\b(?:[a-z][a-z0-9+.-]{1,15}://|www\.)[^\s<>"` + "`" + `“”«»]+`)
	// A bare domain needs a well-known ending: a missing space after a full stop
	// is more frequent than any other.
	domainPattern = regexp.MustCompile(`(?i)\b(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?:com|org|net|edu|gov|int|io|dev|ai|app|co|uk|de|no|se|dk|fr|es|it|nl|ch|at|eu|pl|ru|jp|cn|in|ca|au|nz|br|me|tv|info|xyz|cloud|tech|blog|shop|site|online|wiki|fm|gg|ly|to|sh)\b(?:[/?#][^\s<>"` + "`" + `“”«»]*)?`)
	emailPattern  = regexp.MustCompile(`[\p{L}\p{N}][\p{L}\p{N}._%+'-]*@(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?\.)+\p{L}{2,24}`)
	filePattern   = regexp.MustCompile(`(?i)[\w~./\\-]*\w\.(?:go|py|md|txt|json|jsonl|csv|tsv|pdf|png|jpe?g|gif|svg|ya?ml|toml|html?|css|jsx?|tsx?|sql|log|docx?|xlsx?|pptx?|db|sqlite|java|rs|cpp|rb|php|zip|tar|gz|mp3|mp4|mod|sum|env|ini|cfg|conf|lock|ipynb)\b`)
	pathPattern   = regexp.MustCompile(`(?:^|[\s("'])((?:~|\.{1,2}|[A-Za-z]:)?[/\\][\w.@-]+(?:[/\\][\w.@-]*)*|[\w.@-]+(?:[/\\][\w.@-]+){2,})`)
)

// links finds e-mail addresses and URLs, and excludes file names and paths.
func (f *finder) links() {
	s := f.src
	// Each pattern needs a character that most messages lack.
	at, dot, slash := strings.IndexByte(s, '@') >= 0, hasInnerDot(s), strings.ContainsAny(s, `/\`)
	if dot || strings.Contains(s, "://") {
		for _, m := range urlPattern.FindAllStringIndex(s, -1) {
			end := m[0] + len(trimURL(s[m[0]:m[1]]))
			if f.free(m[0], end) && end > m[0]+len("www.") {
				f.add(MentionURL, m[0], end, 1)
			}
		}
		f.settle()
	}
	if at && dot {
		for _, m := range emailPattern.FindAllStringIndex(s, -1) {
			start := m[0]
			if f.free(start, m[1]) {
				f.add(MentionEmail, start, m[1], 1)
			}
		}
		f.settle()
	}
	if dot {
		for _, m := range filePattern.FindAllStringIndex(s, -1) {
			if f.free(m[0], m[1]) && !isJSName(s[m[0]:m[1]]) {
				f.take(m[0], m[1])
			}
		}
		f.settle()
		for _, m := range domainPattern.FindAllStringIndex(s, -1) {
			end := m[0] + len(trimURL(s[m[0]:m[1]]))
			if f.free(m[0], end) && !(m[0] > 0 && s[m[0]-1] == '@') && looksLikeDomain(s[m[0]:end]) {
				f.add(MentionURL, m[0], end, .9)
			}
		}
		f.settle()
	}
	if slash {
		for _, m := range pathPattern.FindAllStringSubmatchIndex(s, -1) {
			if f.free(m[2], m[3]) {
				f.take(m[2], m[3])
			}
		}
		f.settle()
	}
}

// hasInnerDot reports whether s has a dot followed by something other than white
// space and punctuation, as every address and file name has.
func hasInnerDot(s string) bool {
	for i := strings.IndexByte(s, '.'); i >= 0 && i+1 < len(s); {
		if next := s[i+1]; next > ' ' && next != '.' {
			return true
		}
		skip := strings.IndexByte(s[i+1:], '.')
		if skip < 0 {
			break
		}
		i += 1 + skip
	}
	return false
}

// isJSName reports whether a file name is a product name such as Node.js or
// Vue.js.
func isJSName(s string) bool {
	return strings.HasSuffix(s, ".js") && s[0] >= 'A' && s[0] <= 'Z' && !strings.ContainsAny(s, `/\`)
}

// looksLikeDomain rejects "end.So" and "e.g.no", two sentences without a space
// between them.
func looksLikeDomain(s string) bool {
	host, _, path := strings.Cut(s, "/")
	labels := strings.Split(host, ".")
	last := labels[len(labels)-1]
	if last != strings.ToLower(last) {
		return false
	}
	switch last {
	case "in", "no", "it", "me", "to", "at", "de", "es", "so":
		return path || len(labels) > 2 && len(labels[0]) > 1 || last == "de" || last == "no"
	}
	return len(labels[0]) > 1 || len(labels) > 2
}

// trimURL removes punctuation that belongs to the sentence around a URL and
// closing brackets the URL did not open.
func trimURL(u string) string {
	for u != "" {
		r, n := utf8.DecodeLastRuneInString(u)
		switch r {
		case '.', ',', ';', ':', '!', '?', '\'', '*', '|', '\\', '’', '…', '。', '，', '、', '）':
		case ')':
			if strings.Count(u, "(") >= strings.Count(u, ")") {
				return u
			}
		case ']':
			if strings.Count(u, "[") >= strings.Count(u, "]") {
				return u
			}
		case '}':
			if strings.Count(u, "{") >= strings.Count(u, "}") {
				return u
			}
		default:
			return cutMarkdown(u)
		}
		u = u[:len(u)-n]
	}
	return u
}

// cutMarkdown ends a URL at the "](" or ")" of a Markdown link around it.
func cutMarkdown(u string) string {
	if i := strings.Index(u, "]("); i > 0 {
		return u[:i]
	}
	return u
}

// signs finds @handles and #hashtags.
func (f *finder) signs() {
	s := f.src
	for i := 0; i < len(s); i++ {
		if s[i] != '@' && s[i] != '#' {
			continue
		}
		if before, _ := utf8.DecodeLastRuneInString(s[:i]); i > 0 && (isWordRune(before) || before == '@' || before == '#' || before == '/' || before == '&') {
			continue
		}
		end := signEnd(s, i+1)
		if end == i+1 || !f.free(i, end) {
			continue
		}
		word := s[i+1 : end]
		next, _ := utf8.DecodeRuneInString(s[end:])
		if s[i] == '@' {
			if end < len(s) && s[end] == '@' { // @ada@example.social
				if host := signEnd(s, end+1); strings.Contains(s[end+1:host], ".") {
					end = host
				}
			}
			if !hasLetter(word) || next == '(' || next == '/' || annotations[word] {
				continue
			}
			f.add(MentionHandle, i, end, 1)
		} else if hasLetter(word) && !isColour(word) && !directives[word] {
			f.add(MentionHashtag, i, end, 1)
		}
		i = end - 1
	}
	f.settle()
}

// signEnd is the end of the word at i; dots and hyphens count inside it.
func signEnd(s string, i int) int {
	end := i
	for j, r := range s[i:] {
		if isWordRune(r) || unicode.IsMark(r) {
			end = i + j + utf8.RuneLen(r)
			continue
		}
		if (r == '.' || r == '-') && end == i+j && j > 0 {
			continue
		}
		break
	}
	return end
}

func isWordRune(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

func hasLetter(s string) bool { return strings.IndexFunc(s, unicode.IsLetter) >= 0 }

// isColour reports whether w is a colour such as #rgb or #rrggbb. Words of
// letters alone count as hashtags unless they repeat one letter, like "fff".
func isColour(w string) bool {
	if len(w) != 3 && len(w) != 6 && len(w) != 8 {
		return false
	}
	digit, same := false, true
	for i := range len(w) {
		c := w[i] | 0x20
		switch {
		case w[i] >= '0' && w[i] <= '9':
			digit = true
		case c < 'a' || c > 'f':
			return false
		}
		same = same && w[i] == w[0]
	}
	return digit || same
}

// annotations and directives are words of programming languages.
var (
	annotations = WordSet(`Override Test Autowired Deprecated Component Bean Inject Nullable NotNull Entity Service Controller
		Repository Data Param param return returns see since throws author version property staticmethod classmethod dataclass
		media import keyframes font-face pytest.fixture`)
	directives = WordSet("include define ifdef ifndef endif pragma undef elif region endregion")
)

// grammarRef is the reference time where only the wording matters.
var grammarRef = time.Date(2000, 6, 15, 12, 0, 0, 0, time.UTC)

var (
	givenMonths = WordSet("april may june")
	beforeMonth = WordSet(`in since until till by before after from to through of for late early mid next last this every each during around
		the and or but between`)
)

// namesSomebody reports whether a month is a given name before another name:
// "April Jones called", "I met May Chen", but not "since May Anna is here".
func (f *finder) namesSomebody(start, end int) bool {
	if !givenMonths[strings.ToLower(f.src[start:end])] {
		return false
	}
	next, spaced := strings.CutPrefix(f.src[end:], " ")
	if r, _ := utf8.DecodeRuneInString(next); !spaced || !unicode.IsUpper(r) {
		return false
	}
	low := wordLow(next[:nameEnd(next, 0)])
	before := strings.TrimRight(f.src[:start], " ")
	prev := before[strings.LastIndexFunc(before, func(r rune) bool { return !isWordRune(r) })+1:]
	return shapeOf(next[:nameEnd(next, 0)]) == capital && !neverNames[low] && !isCommon(low) && !beforeMonth[strings.ToLower(prev)]
}

// dates finds calendar expressions with the grammar of TimeSpans.
func (f *finder) dates() {
	toks := lexTimes(f.src)
	p := timeParser{src: f.src, toks: toks, ref: grammarRef}
	for i := 0; i < len(toks); {
		m, ok := p.moment(i, 0)
		if !ok || m.recurring && m.j == 0 || m.grain < partOfDay && !m.recurring {
			i++
			continue
		}
		start, end := toks[m.i].start, toks[m.j-1].end
		if f.free(start, end) && !(m.j-m.i == 1 && f.namesSomebody(start, end)) {
			f.add(MentionDate, start, end, .95)
		}
		i = m.j
	}
	f.settle()
}
