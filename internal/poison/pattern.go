package poison

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
)

// pattern is a regular expression with a fast prefilter: the substrings that every
// matching text contains. The search for them is some twenty times as fast, and most
// texts contain none.
//
// Package regexp runs a large expression on all alternatives at once; a small one is
// some ten times as fast. So a pattern tries each alternative by itself, after its own
// prefilter.
type pattern struct {
	whole func() *regexp.Regexp // compiled on first use

	need need
	ways []way // a text matches the expression when it matches one of them
}

// way is a part of an expression that can match alone.
type way struct {
	need   need
	regexp func() *regexp.Regexp // compiled on first use; most never are
}

func compile(expr string) *pattern {
	p := &pattern{whole: sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })}
	tree, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		panic(err)
	}
	p.need = needOf(tree).whole()
	for _, re := range waysOf(tree) {
		p.ways = append(p.ways, way{needOf(re).whole(), sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(re.String()) })})
	}
	return p
}

// MatchString reports whether s contains a match.
func (p *pattern) MatchString(s string) bool {
	for i := range p.ways {
		if w := &p.ways[i]; w.need.in(s) && w.regexp().MatchString(s) {
			return true
		}
	}
	return false
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
	all, any []need
}

func (n *need) in(s string) bool {
	if n.text != "" {
		return strings.Contains(s, n.text)
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
			n.any = append(n.any, need{text: t})
		}
	}
	return n
}

// needOf computes the part of a syntax tree. An unknown node has the zero need.
func needOf(re *syntax.Regexp) part {
	switch re.Op {
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return part{texts: []string{""}}
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase == 0 {
			return part{texts: []string{string(re.Rune)}}
		}
	case syntax.OpCharClass:
		var texts []string
		for i := 0; i < len(re.Rune); i += 2 {
			for r := re.Rune[i]; r <= re.Rune[i+1]; r++ {
				if texts = append(texts, string(r)); len(texts) > 4 {
					return part{}
				}
			}
		}
		return part{texts: texts}
	case syntax.OpCapture:
		return needOf(re.Sub[0])
	case syntax.OpQuest:
		if p := needOf(re.Sub[0]); p.texts != nil {
			return part{texts: distinct(append(p.texts, ""))}
		}
	case syntax.OpPlus:
		return part{need: needOf(re.Sub[0]).whole()}
	case syntax.OpRepeat:
		if re.Min > 0 {
			return part{need: needOf(re.Sub[0]).whole()}
		}
	case syntax.OpAlternate:
		return oneOf(re.Sub)
	case syntax.OpConcat:
		return allOf(re.Sub)
	}
	return part{}
}

func oneOf(alternatives []*syntax.Regexp) part {
	var texts []string
	var n need
	few := true
	for _, re := range alternatives {
		p := needOf(re)
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

func allOf(parts []*syntax.Regexp) part {
	var n need
	texts, few := []string{""}, true // of the parts since the last unknown one
	end := func() {
		if whole := (part{texts: texts}).whole(); !whole.none() {
			n.all = append(n.all, whole)
		}
		texts, few = []string{""}, false
	}
	for _, re := range parts {
		p := needOf(re)
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
