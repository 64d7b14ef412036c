package poison

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
)

// pattern is a regular expression that knows what is in every text it matches:
// looking for that is some twenty times as quick, and most texts lack it.
//
// A large expression is run byte by byte on all of its ways to match at once, a
// small one some ten times as quick: each way is tried by itself, and of most
// a text lacks what they need.
type pattern struct {
	whole func() *regexp.Regexp // compiled when it is first asked for

	need need
	ways []way // a text matches the expression when it matches one of them
}

// way is a part of an expression that can match alone.
type way struct {
	need   need
	regexp func() *regexp.Regexp // most are never asked for
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

// MatchString reports what that of the regular expression does.
func (p *pattern) MatchString(s string) bool {
	for i := range p.ways {
		if w := &p.ways[i]; w.need.in(s) && w.regexp().MatchString(s) {
			return true
		}
	}
	return false
}

// waysOf splits an expression at its alternatives. What several of them begin
// with has been taken out by the parser, and is put back.
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

// need is what a text must hold for a pattern to match: a piece of text, all of
// some needs or any of some. The zero need is met by every text.
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
	mostTexts = 32 // that are told apart of one part of a pattern
	leastText = 2  // bytes; shorter ones are in every text
)

// part is what is known of a part of a pattern: the texts it matches, when they
// are few, or else what they need.
type part struct {
	texts []string
	need  need
}

// whole is the need of a part that stands by itself.
func (p part) whole() need {
	if p.texts == nil {
		return p.need
	}
	var n need
	for _, t := range p.texts {
		if len(t) < leastText {
			return need{}
		}
		// One that holds another is not needed beside it.
		if !slices.ContainsFunc(p.texts, func(o string) bool { return o != t && strings.Contains(t, o) }) {
			n.any = append(n.any, need{text: t})
		}
	}
	return n
}

// needOf follows the tree of a pattern. What it does not know needs nothing.
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
	texts, few := []string{""}, true // of the parts since the last that was not known
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

// product joins each of a with each of b.
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
