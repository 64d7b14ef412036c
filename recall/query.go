package recall

import (
	"time"
	"unicode/utf8"

	"github.com/ebbmem/ebb/schema"
)

// Limits of a query.
const (
	DefaultLimit = 10
	MaxLimit     = 1000
	MaxQuery     = 64 << 10 // bytes; longer texts are refused, not cut
)

// Query says what is looked for. The zero value of every field but Text is
// meaningful.
type Query struct {
	// Text is a question or keywords in any language. No syntax: every sign is
	// taken literally.
	Text string
	// Now is the moment of asking: it ages memories and resolves "last week".
	// Zero means the database's clock.
	Now time.Time
	// Cycle is the cycle that is under way, for scorers that count in cycles
	// ([Terms.Cycles]). 0 is none.
	Cycle int64
	// Limit is the most results returned. 0 means [DefaultLimit]; at most
	// [MaxLimit].
	Limit int

	// Kinds restricts the kinds of memory; empty means all.
	Kinds []schema.Kind
	// Tag restricts to memories carrying it.
	Tag string
	// Session and Agent restrict to one session or agent; empty means all.
	Session, Agent string
	// Where restricts by what stands beside the text, exactly, however many others
	// match better: it is part of each arm's search, which first reads
	// which memories it lets through. Nil restricts nothing.
	Where *schema.Conditions
	// Since and Until bound event_time, half open; zero means unbounded.
	Since, Until time.Time
	// AsOf looks at another state of the world or of knowledge. The zero value
	// is the present.
	AsOf AsOf
	// Dormant includes memories that have faded out of default search.
	Dormant bool
	// Faded adds facts and preferences that have faded out of default search,
	// behind the Limit results and at most as many again: for places that are left.
	Faded bool
	// Unquarantined leaves out what is quarantined. Whatever is put before a
	// model unasked sets it.
	Unquarantined bool

	// Small makes every memory a candidate where there are at most 16, whether
	// or not it holds a word of the question.
	Small bool

	// Skip leaves out memories it returns true for, for instance what the
	// prompt holds already. Nil skips none. Its panic is the search's error.
	Skip func(*schema.Memory) bool

	skipFault *skipFault

	// Plan is what the question asks for beyond its words ([PlanOf]): the memories
	// that it is about come first. Nil is none.
	Plan *Plan

	// Diversity is the weight, 0–1, that maximal marginal relevance gives to
	// being unlike the results above. 0 turns it off.
	Diversity float64
	// Budget is the most tokens the results may hold together; 0 is unbounded.
	Budget int

	// Wait has the search wait until all that it looks through is in memory,
	// where the first searches of a large memory answer at once, from the newest
	// alone, and say so in [Answer.Degraded].
	Wait bool

	meaning meaning // for the vector arm
}

// AsOf moves a search to another moment on either time axis.
type AsOf struct {
	Valid time.Time // true at this time; zero = now
	Known time.Time // as was known at this time; zero = now
}

// IsZero reports whether the present is meant.
func (a AsOf) IsZero() bool { return a.Valid.IsZero() && a.Known.IsZero() }

// Validate returns a [*schema.InvalidError] naming the first unusable field.
func (q *Query) Validate() error {
	switch {
	case len(q.Text) > MaxQuery:
		return &schema.InvalidError{Field: "query", Reason: "is longer than 64 KiB; ask a shorter question"}
	case !utf8.ValidString(q.Text):
		return &schema.InvalidError{Field: "query", Reason: "is not valid UTF-8"}
	case q.Limit < 0 || q.Limit > MaxLimit:
		return &schema.InvalidError{Field: "limit", Reason: "must be from 1 to 1000 (0 means 10)"}
	case q.Budget < 0:
		return &schema.InvalidError{Field: "budget", Reason: "must not be negative; 0 means no bound"}
	case !q.Since.IsZero() && !q.Until.IsZero() && !q.Since.Before(q.Until):
		return &schema.InvalidError{Field: "since", Reason: "must be earlier than until"}
	}
	if err := schema.ValidUnit("diversity", q.Diversity); err != nil {
		return err
	}
	if err := q.Where.Validate(); err != nil {
		return err
	}
	for _, k := range q.Kinds {
		if err := k.Validate(); err != nil {
			return err
		}
	}
	return nil
}

// Answer is what a search found and what it could not ask.
type Answer struct {
	Query   string
	Results []Result
	// Degraded lists the arms that failed or were incomplete. Results are
	// right without them, only fewer or ranked less well.
	Degraded []Degraded
	// Note says in a sentence what a plan did not find: that nothing is stored from
	// the time asked about, and what is nearest. It holds no text of a memory.
	Note string
	// Considered is the number of memories that were scored.
	Considered int
	// Relevance is how likely the question is about what this memory holds at
	// all, 0–1; 0 when no result holds a word of it, or has another reason to
	// be there than who says it. Unlike scores it compares across queries.
	Relevance float64
	// Grounds are what Relevance rests on: their contributions add up to its
	// ln odds, unless it is 0.
	Grounds []Signal
}

// Degraded says which arm did not give its full answer, and why.
type Degraded struct {
	Arm    string
	Reason string
}

// Result is one memory found, with the reasons.
type Result struct {
	Memory schema.Memory
	// Score is the value the results are ordered by, the ranker's or, where there
	// is one, the [Scorer]'s; larger is better. A derived
	// memory may stand behind turns of a smaller score. Scores of different
	// queries compare only roughly.
	Score float64
	// Relevance is how likely the memory holds evidence for an answer, 0–1:
	// [Answer.Relevance] times what Grounds give, so it is small where many
	// results may. It compares across queries and does not order the results.
	Relevance float64
	// Grounds are what that rests on, given that the question is about what the
	// memory holds; their contributions add up to ln odds.
	Grounds []Signal
	// Why says for what the [Plan] put it first: "from the time asked about"; "" for
	// a memory that stands where the ranker put it.
	Why string
	// Rank counts from 1.
	Rank int
	// Arms are the arms that found it, with its rank and raw score in each.
	Arms []ArmRank
	// Signals are the parts Score is the sum of.
	Signals []Signal
	// Parts are the parts of the ranker's own score, of which a [Scorer] is told
	// as the relevance; nil without one.
	Parts []Signal

	passage passage
	echo    bool
	alike   float64
	sure    float64 // least relevance
}

// ArmRank is a memory's place in one arm.
type ArmRank struct {
	Arm   string
	Rank  int     // from 1
	Score float64 // in the arm's own unit
}

// Signal is one feature of a candidate and what it adds to the score.
type Signal struct {
	Name   string
	Value  float64
	Weight float64
}

// Contribution is the signal's part of the score.
func (s Signal) Contribution() float64 { return s.Value * s.Weight }
