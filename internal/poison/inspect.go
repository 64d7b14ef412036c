package poison

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ebbmem/ebb/internal/prefilter"
)

// Reason is the name of the rule that a text matches, with its meaning.
type Reason string

// The reasons.
const (
	Hidden     Reason = "it hides text in characters that are not seen"
	Disguised  Reason = "it hides an instruction behind another spelling or encoding"
	Markers    Reason = "it imitates the marks between the parts of a prompt"
	Template   Reason = "it holds template syntax that a careless host would execute"
	Privileges Reason = "it claims trust or protection for itself"
	Override   Reason = "it tells to ignore what was said before"
	Addressed  Reason = "it addresses an assistant instead of its reader"
	Memory     Reason = "it wants something written into a memory"
	Trigger    Reason = "it waits for something that the user will say"
	Leak       Reason = "it wants something sent or linked elsewhere"
	Ordering   Reason = "it gives an order where a claim should stand"
)

// Inspect returns the reason why a text seems to be written for a model rather than for
// a reader, "" for none.
func Inspect(s string) Reason { return inspect(s, 2) }

// InspectAll returns the first reason that [Inspect] finds in texts, "" for none.
func InspectAll(texts ...string) Reason {
	for _, s := range texts {
		if r := Inspect(s); r != "" {
			return r
		}
	}
	return ""
}

// inspect undoes up to depth nested disguises.
func inspect(s string, depth int) Reason {
	v := look(s)
	if len(v.tags) > 3 || v.reversed && v.plain != "" || v.invisible >= 4 {
		return Hidden
	}
	if v.mixed >= 2 {
		return Disguised
	}
	if r := meets(v.plain); r != "" {
		if v.dressed() {
			return Disguised
		}
		return r
	}
	if v.tags != "" && inspect(v.tags, 0) != "" {
		return Hidden
	}
	if depth == 0 {
		return ""
	}
	if v.dressed() && orders.MatchString(v.plain) {
		return Disguised
	}
	for _, hidden := range disguises(s, v) {
		if inspect(hidden.text, depth-1) != "" || hidden.part && orders.MatchString(strings.ToLower(hidden.text)) {
			return Disguised
		}
	}
	return ""
}

// rule is one shape of instruction. Its pattern is tried only around one of its
// words or symbols: most texts hold none of them.
type rule struct {
	reason  Reason
	words   string // separated by spaces
	symbols []string
	pattern *prefilter.Regexp

	gate int // selects the windows that the rule looks at
}

// The gates: one for each rule in written, one for each subject of each tongue, and
// those of the audience patterns.
var (
	addressedAt = len(written) + len(tongues)*subjects
	foreignAt   = addressedAt + 1
	gates       = foreignAt + 1
)

func gateOf(tongue int, about subject) int { return len(written) + tongue*subjects + int(about) }

// wordsOf maps each word to the windows that it opens.
var wordsOf = func() map[string][]int {
	at := make(map[string][]int)
	add := func(words string, i int) {
		for word := range strings.FieldsSeq(words) {
			at[word] = append(at[word], i)
		}
	}
	for i := range written {
		add(written[i].words, i)
	}
	add(audienceWords, addressedAt)
	add(foreignWords, foreignAt)
	return at
}()

// stemsOf does the same for the first letters of words, and hanOf for scripts without
// spaces.
var stemsOf, hanOf = func() (stems map[string][]int, han map[int][]string) {
	stems, han = make(map[string][]int), make(map[int][]string)
	for i := range tongues {
		for about, keys := range tongues[i].keys {
			gate := gateOf(i, subject(about))
			for key := range strings.FieldsSeq(keys) {
				if key[0] >= firstHan {
					han[gate] = append(han[gate], key)
					continue
				}
				key = string([]rune(key)[:min(stemLetters, utf8.RuneCountInString(key))])
				if !slices.Contains(stems[key], gate) {
					stems[key] = append(stems[key], gate)
				}
			}
		}
	}
	return stems, han
}()

const (
	// stemLetters is the number of letters of a word that stemsOf uses.
	stemLetters = 6
	// The range of the first byte of letters in scripts without spaces.
	firstHan, lastHan = 0xe3, 0xed
)

// reach is how far around a word a rule looks, in bytes.
const reach = 260

// window is a piece of a text.
type window struct{ from, to int }

// windows are the pieces of a text that each rule looks at, by gate.
type windows [][]window

func (w windows) open(i, from, to, end int) {
	from, to = max(0, from-reach), min(end, to+reach)
	if n := len(w[i]); n > 0 && from <= w[i][n-1].to {
		w[i][n-1].to = max(w[i][n-1].to, to)
		return
	}
	w[i] = append(w[i], window{from, to})
}

func meets(plain string) Reason {
	w := make(windows, gates)
	wide, han := false, false
	for i := 0; i < len(plain); {
		n := letterAt(plain[i])
		if n == 0 {
			wide = wide || plain[i] >= utf8.RuneSelf
			han = han || plain[i] >= firstHan && plain[i] <= lastHan
			i++
			continue
		}
		wide = wide || n > 1
		from, stem := i, 0
		for letters := 0; i < len(plain); letters++ {
			if n = letterAt(plain[i]); n == 0 {
				break
			}
			if i += n; letters < stemLetters {
				stem = i
			}
		}
		i = min(i, len(plain))
		for _, rule := range wordsOf[plain[from:i]] {
			w.open(rule, from, i, len(plain))
		}
		for _, rule := range stemsOf[plain[from:min(stem, i)]] {
			w.open(rule, from, i, len(plain))
		}
	}
	if strings.ContainsAny(plain, "<[{$#%@_(.") {
		for i := range written {
			w.find(i, plain, written[i].symbols)
		}
	}
	if han {
		for gate, symbols := range hanOf {
			w.find(gate, plain, symbols)
		}
	}
	if wide {
		w.find(foreignAt, plain, foreignSymbols)
	}
	for i := range written {
		if written[i].in(plain, w[i]) {
			return written[i].reason
		}
	}
	for i := range tongues {
		if !w.opened(gateOf(i, 0), gateOf(i+1, 0)) {
			continue
		}
		for _, r := range tongueRules[i]() {
			if r.in(plain, w[r.gate]) {
				return r.reason
			}
		}
	}
	for _, at := range w[addressedAt] {
		piece := plain[at.from:at.to]
		if near(piece, audiences, orders, 140) || nearIn(piece, people, asked, 80) {
			return Addressed
		}
	}
	for _, at := range w[foreignAt] {
		if piece := plain[at.from:at.to]; near(piece, foreignAudiences, foreignOrders, 240) || outright.MatchString(piece) {
			return Addressed
		}
	}
	return ""
}

// in reports a match in one of the windows.
func (r *rule) in(plain string, w []window) bool {
	return slices.ContainsFunc(w, func(at window) bool { return r.pattern.MatchString(plain[at.from:at.to]) })
}

// opened reports a window of one of the gates.
func (w windows) opened(from, to int) bool {
	return slices.ContainsFunc(w[from:to], func(of []window) bool { return len(of) > 0 })
}

// letterAt is the length of the letter that begins with c: Latin, Cyrillic or a
// character that joins words; 0 for anything else.
func letterAt(c byte) int {
	switch {
	case c >= 'a' && c <= 'z' || c == '_' || c == '-':
		return 1
	case c >= 0xd0 && c <= 0xd3:
		return 2
	}
	return 0
}

// find opens windows around symbols, which may occur anywhere.
func (w windows) find(i int, plain string, symbols []string) {
	found := w[i]
	for _, symbol := range symbols {
		for from := 0; ; {
			at := strings.Index(plain[from:], symbol)
			if at < 0 {
				break
			}
			from += at + len(symbol)
			found = append(found, window{from - len(symbol) - reach, from + reach})
		}
	}
	if len(found) == len(w[i]) {
		return
	}
	slices.SortFunc(found, func(a, b window) int { return a.from - b.from })
	w[i] = nil
	for _, o := range found {
		w.open(i, o.from+reach, o.to-reach, len(plain))
	}
}

// owned are the words before an assistant that the text mentions and does not address:
// "my assistant".
var owned = strings.Fields("my mein meine meinem meinen meiner unser unsere mi mis nuestro nuestra мой моя моего моей моему наш наша нашего 我的 我们的 我們的")

func ownedAt(before string) bool {
	before = strings.TrimRight(before[max(0, len(before)-16):], " ")
	for _, w := range owned {
		if rest, ok := strings.CutSuffix(before, w); ok && (rest == "" || w[0] >= 0xe3 || letterAt(rest[len(rest)-1]) == 0) {
			return true
		}
	}
	return false
}

// near reports a match of both patterns at most so many bytes apart.
func near(s string, a, b *prefilter.Regexp, most int) bool { return within(s, a, b, most, "") }

// nearIn is near within a sentence.
func nearIn(s string, a, b *prefilter.Regexp, most int) bool { return within(s, a, b, most, ".!?\n") }

// within is near without any of the bytes of ends between the two.
func within(s string, a, b *prefilter.Regexp, most int, ends string) bool {
	if !a.MayMatch(s) || !b.MayMatch(s) {
		return false
	}
	first := a.Whole().FindAllStringIndex(s, -1)
	if len(first) == 0 {
		return false
	}
	second := b.Whole().FindAllStringIndex(s, -1)
	for i, j := 0, 0; i < len(first) && j < len(second); {
		if ownedAt(s[:first[i][0]]) {
			i++
			continue
		}
		gap := max(first[i][0]-second[j][1], second[j][0]-first[i][1])
		apart := first[i][0] >= second[j][1] || second[j][0] >= first[i][1]
		if apart && gap <= most && !strings.ContainsAny(s[min(first[i][1], second[j][1]):max(first[i][0], second[j][0])], ends) {
			return true
		}
		if first[i][1] < second[j][1] {
			i++
		} else {
			j++
		}
	}
	return false
}
