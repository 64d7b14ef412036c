package audit

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"hash/maphash"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/ebbmem/ebb/extension/transfer"
	"github.com/ebbmem/ebb/internal/poison"
	"github.com/ebbmem/ebb/internal/redact"
	"github.com/ebbmem/ebb/internal/said"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// Kind is what an audit looks for.
type Kind string

// The kinds, in the order of a report.
const (
	Duplicates   Kind = "duplicates"
	Loops        Kind = "loops"
	Secrets      Kind = "secrets"
	Stale        Kind = "stale"
	Instructions Kind = "instructions"
)

// Kinds lists all kinds.
var Kinds = []Kind{Duplicates, Loops, Secrets, Stale, Instructions}

// Options are the options of an audit. The zero value has the defaults.
type Options struct {
	// Format is the format of the input. Default: detected from the content.
	Format transfer.ImportFormat
	// Examples is the number of examples of each kind. Default 5.
	Examples int
}

// Report is the result of an audit.
type Report struct {
	Format   transfer.ImportFormat `json:"format"`
	Messages int                   `json:"messages"`
	Claims   int                   `json:"claims"` // facts and other memories that are no messages
	Bytes    int64                 `json:"bytes"`
	Findings []Finding             `json:"findings"` // one of each kind
}

// Finding is what was found of one kind.
type Finding struct {
	Kind     Kind      `json:"kind"`
	Count    int       `json:"count"` // texts that are concerned
	Examples []Example `json:"examples"`
}

// Example is one concerned text. It never contains a secret.
type Example struct {
	Where string `json:"where"` // position in the input: "line 7"; the id in an export of ebb
	ID    string `json:"id"`
	Note  string `json:"note"`              // what was found
	Text  string `json:"excerpt,omitempty"` // its beginning, redacted; none of secrets and instructions
}

// The limits of what counts.
const (
	fewestWords = 4  // shorter messages, such as "thank you", repeat by themselves
	loopTimes   = 3  // from here on a repetition by a program is a loop
	loopWords   = 5  // the shortest sentence of a loop, in words
	excerptSize = 24 // tokens
	keptClaims  = 16 // claims about one thing that are compared with a new one
)

// Read audits a history. The report is valid for what was read even if there is an
// error.
//
// Errors: those of [transfer.Read].
func Read(ctx context.Context, r io.Reader, opts Options) (*Report, error) {
	opts.Examples = cmp.Or(opts.Examples, 5)
	a := &auditor{
		opts: opts, seed: maphash.MakeSeed(), redactor: redact.New(redact.Options{Secrets: true}),
		texts: make(map[uint64]*repeated), sentences: make(map[uint64]*repeated), said: make(map[string][]reading),
		findings: make(map[Kind]*Finding, len(Kinds)),
	}
	for _, kind := range Kinds {
		a.findings[kind] = &Finding{Kind: kind, Examples: []Example{}}
	}
	in := bufio.NewReader(r)
	start, _ := in.Peek(64) // transfer.Read returns the error
	a.ours = bytes.HasPrefix(bytes.TrimSpace(bytes.TrimPrefix(start, []byte("\ufeff"))), []byte(`{"ebb":`))
	done, err := transfer.Read(ctx, in, opts.Format, "", a.text)
	report := &a.report
	report.Format, report.Bytes = done.Format, done.Bytes
	for _, kind := range Kinds {
		report.Findings = append(report.Findings, *a.findings[kind])
	}
	return report, err
}

// auditor is one call of Read.
type auditor struct {
	opts      Options
	seed      maphash.Seed
	redactor  *redact.Redactor
	texts     map[uint64]*repeated // by hash of role and words
	sentences map[uint64]*repeated // of programs
	said      map[string][]reading // by person, subject and predicate
	findings  map[Kind]*Finding
	report    Report
	ours      bool // an export of ebb
}

// repeated counts how often something was written.
type repeated struct {
	first string // where
	n     int
	last  int // number of the last text
}

// reading is a parsed statement.
type reading struct {
	claim said.Claim
	of    Example
	at    time.Time
	stale bool
}

func (a *auditor) found(kind Kind, t *transfer.Text, note string, excerpt bool) {
	a.example(kind, a.of(t, note, excerpt))
}

func (a *auditor) example(kind Kind, e Example) {
	f := a.findings[kind]
	f.Count++
	if len(f.Examples) < a.opts.Examples {
		f.Examples = append(f.Examples, e)
	}
}

func (a *auditor) of(t *transfer.Text, note string, excerpt bool) Example {
	e := Example{Where: t.Where, ID: a.redactor.Redact(t.ID), Note: note}
	if excerpt {
		e.Text = text.Truncate(text.Line(a.redactor.Redact(t.Text)), excerptSize)
	}
	return e
}

func (a *auditor) text(t transfer.Text) error {
	if a.ours {
		t.Where = t.ID // an export is not kept
	}
	if t.Claim {
		a.report.Claims++
	} else {
		a.report.Messages++
	}
	if kinds := a.secrets(t.Text); kinds != "" {
		a.found(Secrets, &t, kinds, false)
	}
	switch t.State {
	case schema.StateSuperseded:
		a.found(Stale, &t, "superseded in this memory", true)
		return nil
	case schema.StateQuarantined:
		a.found(Instructions, &t, "quarantined in this memory", false)
		return nil
	case schema.StateActive, schema.StateDormant:
	default:
		return nil // no search finds it
	}
	if reason := poison.InspectAll(t.Text, t.Speaker); reason != "" {
		a.found(Instructions, &t, string(reason), false)
	}
	a.repetitions(&t)
	a.replaced(&t)
	return nil
}

// secrets names the kinds of secrets in a text, without repetitions.
func (a *auditor) secrets(s string) string {
	var kinds []string
	for _, m := range a.redactor.Find(s) {
		if !slices.Contains(kinds, m.Name) {
			kinds = append(kinds, m.Name)
		}
	}
	return strings.Join(kinds, ", ")
}

// repetitions looks for the text, or for sentences of a program, in earlier texts.
func (a *auditor) repetitions(t *transfer.Text) {
	number := a.report.Messages + a.report.Claims
	words := text.Terms(t.Text)
	if len(words) < fewestWords && !t.Claim || len(words) == 0 {
		return
	}
	who := t.Role + "\x00" + t.Speaker
	if t.Claim {
		who = "claim"
	}
	if again := a.count(a.texts, who, words, t.Where, number); again.n > 1 {
		if t.Program && again.n >= loopTimes {
			a.found(Loops, t, "the same text as "+again.first+", "+strconv.Itoa(again.n)+" times so far", true)
		} else {
			a.found(Duplicates, t, "the same text as "+again.first, true)
		}
		return
	}
	if !t.Program {
		return
	}
	if strings.Contains(t.Text, "<memory nonce=") {
		a.found(Loops, t, "a memory block that was stored as a message", true)
		return
	}
	for _, sentence := range text.Sentences(t.Text) {
		words := text.Terms(sentence)
		if len(words) < loopWords || !specific(sentence) {
			continue
		}
		if again := a.count(a.sentences, "", words, t.Where, number); again.n >= loopTimes {
			a.found(Loops, t, "a sentence of "+again.first+", "+strconv.Itoa(again.n)+" times so far", true)
			return
		}
	}
}

// count counts words in a map, once for each text.
func (a *auditor) count(in map[uint64]*repeated, who string, words []string, where string, number int) *repeated {
	key := maphash.String(a.seed, who+"\x00"+strings.Join(words, " "))
	r := in[key]
	if r == nil {
		r = &repeated{first: where}
		in[key] = r
	}
	if r.last != number {
		r.n, r.last = r.n+1, number
	}
	return r
}

// specific reports whether a sentence has a number, or a name that is not its first
// word: phrases such as "let me know if you need anything else" have neither.
func specific(sentence string) bool {
	sentence = strings.TrimSpace(sentence)
	return strings.ContainsFunc(sentence, unicode.IsDigit) ||
		slices.ContainsFunc(text.Mentions(sentence), func(m text.Mention) bool { return m.Start > 0 && m.Confidence > 0.5 })
}

// replaced compares what a text states with earlier statements about the same
// person and thing.
func (a *auditor) replaced(t *transfer.Text) {
	if a.ours && !t.Claim {
		return // the memory has its own claims of what a message states
	}
	for _, c := range claimsOf(t) {
		key := strings.Join([]string{whose(t), c.Subject, c.Predicate}, "\x00")
		known := a.said[key]
		now := reading{claim: c, of: a.of(t, "", true), at: t.Time}
		for i := range known {
			earlier, later := &known[i], &now
			if !now.at.IsZero() && now.at.Before(earlier.at) {
				earlier, later = later, earlier
			}
			if !earlier.stale && said.Compare(later.claim, earlier.claim) == said.Replaces {
				earlier.stale = true
				earlier.of.Note = "replaced by " + later.of.Where
				a.example(Stale, earlier.of)
			}
		}
		known = slices.DeleteFunc(append(known, now), func(r reading) bool { return r.stale })
		a.said[key] = known[max(0, len(known)-keptClaims):]
	}
}

// whose is the person that a text's statements about its author are about. Claims
// of programs are about their user.
func whose(t *transfer.Text) string {
	if t.Claim || t.Program {
		return ""
	}
	return t.Speaker
}

// claimsOf parses the statements of a text: a user's about themselves, and a claim
// about the user. Other programs leave its subject out ("Lives in Ghent").
func claimsOf(t *transfer.Text) []said.Claim {
	if !t.Claim {
		if t.Program {
			return nil
		}
		return said.Claims(t.Text, 0)
	}
	statement := strings.TrimSpace(t.Text)
	if c, ok := said.Reported(statement, nil); ok {
		return []said.Claim{c}
	}
	first, size := utf8.DecodeRuneInString(statement)
	if c, ok := said.Reported("User "+string(unicode.ToLower(first))+statement[size:], nil); ok {
		return []said.Claim{c}
	}
	return said.Claims(statement, 0)
}
