package poison

import (
	"strings"
)

// Reason is the name of the rule that a text meets, and what it means.
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

// Inspect says why a text reads as if it were written for a model rather than
// for a reader; "" for most texts, which do not.
func Inspect(s string) Reason { return inspect(s, 2) }

// inspect looks behind so many disguises, one behind the other.
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
	pattern *pattern
}

// The places in a set of windows after the rules' own.
var (
	addressedAt = len(rules)
	foreignAt   = len(rules) + 1
)

// wordsOf says for each word which windows it opens.
var wordsOf = func() map[string][]int {
	at := make(map[string][]int)
	add := func(words string, i int) {
		for word := range strings.FieldsSeq(words) {
			at[word] = append(at[word], i)
		}
	}
	for i := range rules {
		add(rules[i].words, i)
	}
	add(audienceWords, addressedAt)
	add(foreignWords, foreignAt)
	return at
}()

// reach is how far around a word a rule looks, in bytes.
const reach = 260

// window is a piece of a text.
type window struct{ from, to int }

// windows are the pieces of a text that each rule has to look at.
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
	w := make(windows, len(rules)+2)
	wide := false
	for i := 0; i < len(plain); {
		if !wordByte(plain[i]) {
			wide = wide || plain[i] >= 0x80
			i++
			continue
		}
		from := i
		for i < len(plain) && wordByte(plain[i]) {
			i++
		}
		for _, rule := range wordsOf[plain[from:i]] {
			w.open(rule, from, i, len(plain))
		}
	}
	if strings.ContainsAny(plain, "<[{$#%@_(.") {
		for i := range rules {
			w.find(i, plain, rules[i].symbols)
		}
	}
	if wide {
		w.find(foreignAt, plain, foreignSymbols)
	}
	for i := range rules {
		for _, at := range w[i] {
			if rules[i].pattern.MatchString(plain[at.from:at.to]) {
				return rules[i].reason
			}
		}
	}
	for _, at := range w[addressedAt] {
		if near(plain[at.from:at.to], audiences, orders, 140) {
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

func wordByte(c byte) bool { return c >= 'a' && c <= 'z' || c == '_' || c == '-' }

func (w windows) find(i int, plain string, symbols []string) {
	for _, symbol := range symbols {
		for from := 0; ; {
			at := strings.Index(plain[from:], symbol)
			if at < 0 {
				break
			}
			at += from
			w.openAny(i, at, at+len(symbol), len(plain))
			from = at + len(symbol)
		}
	}
}

// openAny is open for places that do not come in order.
func (w windows) openAny(i, from, to, end int) {
	from, to = max(0, from-reach), min(end, to+reach)
	for n := range w[i] {
		if o := &w[i][n]; from <= o.to && to >= o.from {
			o.from, o.to = min(from, o.from), max(to, o.to)
			return
		}
	}
	w[i] = append(w[i], window{from, to})
}

// near reports a match of each pattern, not further apart than so many bytes.
func near(s string, a, b *pattern, most int) bool {
	if !a.need.in(s) || !b.need.in(s) {
		return false
	}
	first := a.FindAllStringIndex(s, -1)
	if len(first) == 0 {
		return false
	}
	second := b.FindAllStringIndex(s, -1)
	for i, j := 0, 0; i < len(first) && j < len(second); {
		gap := max(first[i][0]-second[j][1], second[j][0]-first[i][1])
		apart := first[i][0] >= second[j][1] || second[j][0] >= first[i][1]
		if apart && gap <= most {
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
