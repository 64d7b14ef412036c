// Package prefilter matches regular expressions that few texts match: it reads from an
// expression which substrings every matching text contains, and tries the expression only
// where they are. It imports no other package of ebb.
package prefilter

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Regexp is a regular expression with a fast prefilter: the substrings that every
// matching text contains. The search for them is some twenty times as fast, and most
// texts contain none. It is safe for concurrent use.
//
// Package regexp runs a large expression on all alternatives at once; a small one is
// some ten times as fast. So it tries each alternative by itself, after its own
// prefilter.
type Regexp struct {
	whole  func() *regexp.Regexp // compiled on first use
	filter func() *filter        // read on first use
}

// filter is what an expression needs.
type filter struct {
	folds bool // some of it ignores case: needs are of the folded text
	need  need
	ways  []way // a text matches the expression when it matches one of them
}

// way is a part of an expression that can match alone.
type way struct {
	need   need
	regexp func() *regexp.Regexp // compiled on first use; most never are
}

// New returns the expression of alternatives. Nothing is compiled before it is used, which
// panics if one is invalid.
func New(alternatives ...string) *Regexp {
	expr := "(?:" + strings.Join(alternatives, ")|(?:") + ")"
	return &Regexp{
		whole:  sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) }),
		filter: sync.OnceValue(func() *filter { return filterOf(expr) }),
	}
}

func filterOf(expr string) *filter {
	tree, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		panic(err)
	}
	f := &filter{folds: folds(tree)}
	f.need = needOf(tree, f.folds).whole()
	for _, re := range waysOf(tree) {
		f.ways = append(f.ways, way{needOf(re, f.folds).whole(), sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(re.String()) })})
	}
	return f
}

// Whole returns the whole expression.
func (p *Regexp) Whole() *regexp.Regexp { return p.whole() }

// MayMatch reports whether s contains what every match needs.
func (p *Regexp) MayMatch(s string) bool {
	f := p.filter()
	return f.need.in(f.seen(s))
}

// MatchString reports whether s contains a match.
func (p *Regexp) MatchString(s string) bool {
	f := p.filter()
	seen := f.seen(s)
	for i := range f.ways {
		if w := &f.ways[i]; w.need.in(seen) && w.regexp().MatchString(s) {
			return true
		}
	}
	return false
}

// FindStringSubmatchIndex is that of [regexp.Regexp].
func (p *Regexp) FindStringSubmatchIndex(s string) []int {
	if !p.MatchString(s) {
		return nil
	}
	return p.whole().FindStringSubmatchIndex(s)
}

// ReplaceAllString is that of [regexp.Regexp].
func (p *Regexp) ReplaceAllString(s, with string) string {
	if !p.MatchString(s) {
		return s
	}
	return p.whole().ReplaceAllString(s, with)
}

// seen returns a text as needs are compared with it.
func (f *filter) seen(s string) *seen {
	if f.folds {
		s = fold(s)
	}
	return &seen{s, pairsOf(s)}
}

// seen is a text with the pairs of bytes in it.
type seen struct {
	text  string
	pairs pairs
}

// pairs is a set of pairs of bytes, by a hash: most texts are seen not to contain another one
// without a search for it.
type pairs [4]uint64

func pairsOf(s string) (p pairs) {
	for i := 1; i < len(s); i++ {
		h := (uint32(s[i-1])<<8 | uint32(s[i])) * 0x9e3779b1 >> 24
		p[h>>6] |= 1 << (h & 63)
	}
	return p
}

func (p *pairs) has(of *pairs) bool {
	return of[0]&^p[0]|of[1]&^p[1]|of[2]&^p[2]|of[3]&^p[3] == 0
}

// folds reports whether part of an expression ignores case.
func folds(re *syntax.Regexp) bool {
	return re.Flags&syntax.FoldCase != 0 || slices.ContainsFunc(re.Sub, folds)
}

// fold replaces each letter by the first of those that package regexp takes for the same
// without case: K for k and the sign for kelvin.
func fold(s string) string {
	return strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf {
			if 'a' <= r && r <= 'z' {
				r -= 'a' - 'A'
			}
			return r
		}
		for next := unicode.SimpleFold(r); ; r, next = next, unicode.SimpleFold(next) {
			if next <= r {
				return next
			}
		}
	}, s)
}

// waysOf splits an expression at its alternatives. It restores the common prefixes that
// the parser factored out.
func waysOf(re *syntax.Regexp) (ways []*syntax.Regexp) {
	switch {
	case re.Op == syntax.OpAlternate:
		for _, sub := range re.Sub {
			ways = append(ways, waysOf(sub)...)
		}
		return ways
	case re.Op == syntax.OpConcat && len(re.Sub) == 2 && re.Sub[1].Op == syntax.OpAlternate:
		for _, sub := range re.Sub[1].Sub {
			ways = append(ways, &syntax.Regexp{Op: syntax.OpConcat, Flags: re.Flags, Sub: []*syntax.Regexp{re.Sub[0], sub}})
		}
		return ways
	}
	return []*syntax.Regexp{re}
}

// need is a condition that a text meets if a pattern matches: it contains a substring,
// meets all of some needs, or any of some. Every text meets the zero need.
type need struct {
	text     string
	pairs    pairs // of the text
	all, any []need
}

func (n *need) in(s *seen) bool {
	if n.text != "" {
		return s.pairs.has(&n.pairs) && strings.Contains(s.text, n.text)
	}
	for i := range n.all {
		if !n.all[i].in(s) {
			return false
		}
	}
	for i := range n.any {
		if n.any[i].in(s) {
			return true
		}
	}
	return len(n.any) == 0
}

func (n *need) none() bool { return n.text == "" && len(n.all)+len(n.any) == 0 }

const (
	mostTexts = 32 // alternatives that are kept of one part of a pattern
	leastText = 2  // bytes; almost every text contains shorter ones
)

// part describes a part of a pattern: the texts it matches, if they are few, or else
// their need.
type part struct {
	texts []string
	need  need
}

// whole is the need of a part by itself.
func (p part) whole() need {
	if p.texts == nil {
		return p.need
	}
	var n need
	for _, t := range p.texts {
		if len(t) < leastText {
			return need{}
		}
		// A text that contains another one is redundant.
		if !slices.ContainsFunc(p.texts, func(o string) bool { return o != t && strings.Contains(t, o) }) {
			n.any = append(n.any, need{text: t, pairs: pairsOf(t)})
		}
	}
	return n
}

// needOf computes the part of a syntax tree, of folded texts if folds. An unknown node has
// the zero need.
func needOf(re *syntax.Regexp, folds bool) part {
	switch re.Op {
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return part{texts: []string{""}}
	case syntax.OpLiteral:
		if folds {
			return part{texts: []string{fold(string(re.Rune))}}
		}
		return part{texts: []string{string(re.Rune)}}
	case syntax.OpCharClass:
		var texts []string
		for i := 0; i < len(re.Rune); i += 2 {
			for r := re.Rune[i]; r <= re.Rune[i+1]; r++ {
				text := string(r)
				if folds {
					text = fold(text)
				}
				if texts = distinct(append(texts, text)); len(texts) > 4 {
					return part{}
				}
			}
		}
		return part{texts: texts}
	case syntax.OpCapture:
		return needOf(re.Sub[0], folds)
	case syntax.OpQuest:
		if p := needOf(re.Sub[0], folds); p.texts != nil {
			return part{texts: distinct(append(p.texts, ""))}
		}
	case syntax.OpPlus:
		return part{need: needOf(re.Sub[0], folds).whole()}
	case syntax.OpRepeat:
		if re.Min > 0 {
			return part{need: needOf(re.Sub[0], folds).whole()}
		}
	case syntax.OpAlternate:
		return oneOf(re.Sub, folds)
	case syntax.OpConcat:
		return allOf(re.Sub, folds)
	}
	return part{}
}

func oneOf(alternatives []*syntax.Regexp, folds bool) part {
	var texts []string
	var n need
	few := true
	for _, re := range alternatives {
		p := needOf(re, folds)
		few = few && p.texts != nil
		texts = append(texts, p.texts...)
		n.any = append(n.any, p.whole())
	}
	if texts = distinct(texts); few && len(texts) <= mostTexts {
		return part{texts: texts}
	}
	if slices.ContainsFunc(n.any, func(n need) bool { return n.none() }) {
		return part{}
	}
	return part{need: n}
}

func allOf(parts []*syntax.Regexp, folds bool) part {
	var n need
	texts, few := []string{""}, true // of the parts since the last unknown one
	end := func() {
		if whole := (part{texts: texts}).whole(); !whole.none() {
			n.all = append(n.all, whole)
		}
		texts, few = []string{""}, false
	}
	for _, re := range parts {
		p := needOf(re, folds)
		if p.texts == nil {
			end()
			if !p.need.none() {
				n.all = append(n.all, p.need)
			}
			continue
		}
		if len(texts)*len(p.texts) > mostTexts {
			end()
		}
		texts = product(texts, p.texts)
	}
	if few {
		return part{texts: texts}
	}
	end()
	return part{need: n}
}

// product concatenates each of a with each of b.
func product(a, b []string) []string {
	joined := make([]string, 0, len(a)*len(b))
	for _, x := range a {
		for _, y := range b {
			joined = append(joined, x+y)
		}
	}
	return distinct(joined)
}

func distinct(texts []string) []string {
	slices.Sort(texts)
	return slices.Compact(texts)
}
