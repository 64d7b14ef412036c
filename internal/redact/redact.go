package redact

import (
	"cmp"
	"slices"
	"strings"
	"sync"
)

// Options choose what to redact.
type Options struct {
	Secrets bool // keys, tokens, passwords, payment cards
	PII     bool // e-mail, telephone, IBAN, social security number, IP address
}

// Redactor replaces the data that its options choose. It is safe for concurrent
// use.
type Redactor struct {
	rules []rule
	auto  *automaton
	opts  Options

	// The rules for secrets come first, those by assignment last of them.
	assigned, secrets int
}

// Match is one secret or personal datum, with its byte offsets in the text.
type Match struct {
	Name       string // of the kind: "github-token"
	Start, End int
}

// rule recognises one kind at an occurrence of one of its keys.
type rule struct {
	name string
	keys []string // lower case; at least one is in every occurrence
	// find gets a text and the position of a key, and returns the bounds of the
	// range to replace, or ok false.
	find func(s string, at, end int) (from, to int, ok bool)
}

var cached [4]func() *Redactor

func init() {
	for i := range cached {
		cached[i] = sync.OnceValue(func() *Redactor {
			return build(Options{Secrets: i&1 != 0, PII: i&2 != 0})
		})
	}
}

// New returns the redactor for the options. It is built once and shared.
func New(o Options) *Redactor {
	i := 0
	if o.Secrets {
		i |= 1
	}
	if o.PII {
		i |= 2
	}
	return cached[i]()
}

func build(o Options) *Redactor {
	r := &Redactor{opts: o}
	if o.Secrets {
		r.rules = slices.Concat(tokenRules(), shapeRules(), assignmentRules())
		r.secrets = len(r.rules)
		r.assigned = r.secrets - len(assignmentRules())
	}
	if o.PII {
		r.rules = append(r.rules, piiRules()...)
	}
	keys := make([][]string, len(r.rules))
	for i, rule := range r.rules {
		keys[i] = rule.keys
	}
	r.auto = newAutomaton(keys)
	return r
}

// Placeholder returns the text that replaces a match.
func Placeholder(name string) string { return placeholderStart + name + "]" }

const placeholderStart = "[redacted:"

// passes is the maximum number of passes over a text: a removed match may have
// hidden the beginning of another.
const passes = 16

// Redact returns the text with a placeholder for each match, and the text
// itself when there is none. Redacting again changes nothing.
func (r *Redactor) Redact(s string) string {
	for range passes {
		matches := r.Find(s)
		if len(matches) == 0 {
			break
		}
		s = replace(s, matches)
	}
	return s
}

func replace(s string, matches []Match) string {
	var b strings.Builder
	last := 0
	for _, m := range matches {
		b.WriteString(s[last:m.Start])
		b.WriteString(Placeholder(m.Name))
		last = m.End
	}
	b.WriteString(s[last:])
	return b.String()
}

// Find lists the matches, in order and without overlaps.
func (r *Redactor) Find(s string) []Match {
	if !r.opts.Secrets && !r.opts.PII {
		return nil
	}
	plain := plainView(s)
	found := r.look(nil, plain)
	if joined, ok := joinedView(plain); ok {
		found = r.look(found, joined)
	}
	if unescaped, ok := unescapedView(plain); ok {
		found = r.look(found, unescaped)
	}
	if len(found) == 0 {
		return nil
	}
	return settle(s, found)
}

// Credential reports whether s is or contains a credential: a token, a key, a
// password in a URL or after a word such as "password". It is stricter than
// [Redactor.Find], for names that must not be rewritten: numbers do not count, and
// the value of a "password" only if it is no plain word.
func (r *Redactor) Credential(s string) (kind string, found bool) {
	v := plainView(s)
	r.auto.scan(v.text, func(rank, at, end int) {
		if found || rank >= r.secrets {
			return
		}
		from, to, ok := r.rules[rank].find(v.text, at, end)
		if ok && rank >= r.assigned {
			f := formOf(v.text[from:to])
			ok = f.digits > 0 && f.letters > 0
		}
		if ok {
			kind, found = r.rules[rank].name, true
		}
	})
	return kind, found
}

// candidate is a match with the index of its rule: of two overlapping ones, the
// earlier rule determines the name.
type candidate struct {
	start, end, rank int
	name             string
}

// look appends the matches in a view, with byte offsets in the original.
func (r *Redactor) look(found []candidate, v view) []candidate {
	add := func(name string, rank, from, to int) {
		found = append(found, candidate{v.original(from), v.originalEnd(to), rank, name})
	}
	// A key inside a match of its own rule adds nothing: the match has a token's
	// rest. Only an assignment may hold another whose value is longer.
	var matched []int // the end of the last match, by rule
	digits := r.auto.scan(v.text, func(rank, at, end int) {
		if matched != nil && rank < r.assigned && at < matched[rank] {
			return
		}
		if from, to, ok := r.rules[rank].find(v.text, at, end); ok && from < to {
			if matched == nil {
				matched = make([]int, len(r.rules))
			}
			matched[rank] = to
			add(r.rules[rank].name, rank, from, to)
		}
	})
	if r.opts.Secrets {
		findSeeds(v.text, func(from, to int) { add(nameSeed, len(r.rules), from, to) })
	}
	if r.opts.Secrets && digits >= minCardDigits {
		findCards(v.text, func(from, to int) { add(nameCard, len(r.rules), from, to) })
	}
	if r.opts.PII && digits >= minPIIDigits {
		findNumbers(v.text, func(name string, from, to int) { add(name, len(r.rules)+1, from, to) })
	}
	return found
}

// settle merges overlapping candidates and excludes existing placeholders.
func settle(s string, found []candidate) []Match {
	slices.SortFunc(found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.rank, b.rank))
	})
	merged := found[:1]
	for _, c := range found[1:] {
		last := &merged[len(merged)-1]
		if c.start >= last.end {
			merged = append(merged, c)
			continue
		}
		last.end = max(last.end, c.end)
		if c.rank < last.rank {
			last.rank, last.name = c.rank, c.name
		}
	}
	matches := make([]Match, 0, len(merged))
	for _, c := range merged {
		for _, part := range outside(s, c.start, c.end) {
			matches = append(matches, Match{c.name, part[0], part[1]})
		}
	}
	return matches
}

// outside returns the parts of s[start:end] that no placeholder covers.
func outside(s string, start, end int) (parts [][2]int) {
	from := start
	for at := max(0, start-maxPlaceholder); at < end; {
		i := strings.Index(s[at:min(len(s), end+maxPlaceholder)], placeholderStart)
		if i < 0 {
			break
		}
		at += i
		length := placeholderAt(s[at:])
		if length == 0 {
			at += len(placeholderStart)
			continue
		}
		if at >= end {
			break
		}
		if at > from {
			parts = append(parts, [2]int{from, at})
		}
		at += length
		from = max(from, at)
	}
	if from < end {
		parts = append(parts, [2]int{from, end})
	}
	return parts
}

const maxPlaceholder = 48

// placeholderAt returns the length of the placeholder that s begins with, else 0.
// Only names of rules count, so that other text in brackets is still searched.
func placeholderAt(s string) int {
	rest, ok := strings.CutPrefix(s, placeholderStart)
	if !ok {
		return 0
	}
	name, _, ok := strings.Cut(rest[:min(len(rest), maxPlaceholder)], "]")
	if !ok || !names[name] {
		return 0
	}
	return len(placeholderStart) + len(name) + 1
}

// names are the names of all kinds, whatever the options.
var names = map[string]bool{nameCard: true, nameSeed: true}

func init() {
	for _, r := range slices.Concat(tokenRules(), shapeRules(), assignmentRules(), piiRules()) {
		names[r.name] = true
	}
	for _, name := range numberNames {
		names[name] = true
	}
}
