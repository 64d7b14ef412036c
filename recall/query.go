package recall

import (
	"time"
	"unicode/utf8"

	"github.com/ebbmem/ebb/recall/lexicon"
	"github.com/ebbmem/ebb/recall/planner"
	"github.com/ebbmem/ebb/schema"
)

// Limits of a query.
const (
	DefaultLimit = 10
	MaxLimit     = 1000
	maxQuery     = 64 << 10 // bytes; longer texts are an error
)

// Query describes a search. Every field but Text has a usable zero value.
type Query struct {
	// Text is a question or keywords in any language. It has no syntax: every
	// character is taken literally.
	Text string
	// Now is the moment of asking: it ages memories and resolves "last week". Days are
	// those of its location. Zero means the database's clock.
	Now time.Time
	// Cycle is the current cycle, for scorers that count in cycles
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
	// Where restricts by metadata. Each arm applies it before it ranks, so a memory
	// that meets it is found however many others match better. Nil restricts nothing.
	Where *schema.Conditions
	// Since and Until bound event_time, half open; zero means unbounded.
	Since, Until time.Time
	// AsOf searches another state of the world or of knowledge. The zero value is
	// the present.
	AsOf AsOf
	// Dormant includes memories that have faded out of default search.
	Dormant bool
	// Archived includes memories that the host's profile hides from searches.
	Archived bool
	// Faded adds up to Limit facts and preferences that have faded out of default
	// search, after the other results.
	Faded bool
	// Unquarantined excludes quarantined memories. Callers that inject memories
	// automatically set it.
	Unquarantined bool

	// Small makes every memory a candidate where there are at most 16, whether
	// or not it holds a word of the question.
	Small bool

	// Skip excludes memories for which it returns true, for instance those already
	// in the prompt. Nil skips none. Its panic is the search's error.
	Skip func(*schema.Memory) bool

	skipFault *skipFault

	// Plan is what the question asks for beyond its words ([lexicon.PlanOf]): the memories
	// that it is about rank first. Nil is none.
	Plan *lexicon.Plan

	// Diversity is the weight, 0–1, of dissimilarity to the results above in
	// maximal marginal relevance. 0 turns it off.
	Diversity float64
	// Budget is the most tokens the results may hold together; 0 is unbounded.
	Budget int

	// TextOnly leaves the embedder and the planner out.
	TextOnly bool
	// Undivided leaves the planner out.
	Undivided bool

	// Wait makes the search wait until all of the user's text and vectors are in
	// memory. Without it, the first searches of a large memory answer at once, from
	// the newest text alone, and report that in [Answer.Degraded].
	Wait bool

	picks   int     // how many memories Plan may rank first: Limit, before a [Reranker] widens it
	meaning meaning // for the vector arm

	divided   *planner.Plan // by [Options].Planner
	planFault string        // why it was not followed
	meanings  []meaning     // of the parts of divided
}

// AsOf moves a search to another time on either time axis.
type AsOf struct {
	Valid time.Time // true at this time; zero = now
	Known time.Time // as was known at this time; zero = now
}

// IsZero reports whether the present is meant.
func (a AsOf) IsZero() bool { return a.Valid.IsZero() && a.Known.IsZero() }

// Validate returns a [*schema.InvalidError] naming the first unusable field.
func (q *Query) Validate() error {
	switch {
	case len(q.Text) > maxQuery:
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

// Answer is the result of a search.
type Answer struct {
	Query   string
	Results []Result
	// Planned is how the question was taken apart; nil without a planner.
	Planned *planner.Plan
	// Degraded lists the arms that failed or were incomplete. The results are
	// correct without them, but may be fewer or ranked less well.
	Degraded []Degraded
	// Note says in a sentence what a plan did not find: that nothing is stored from
	// the time asked about, and which time is nearest. It holds no text of a memory.
	Note string
	// Order names the subject of the plan that ranked some results before better scores,
	// such as "the date of something"; "" if it changed no rank.
	Order string
	// Considered is the number of memories that were scored.
	Considered int
	// Relevance is the probability that the question is about what this memory holds,
	// 0–1. It is 0 if the results match by their speaker alone. Unlike scores, it
	// compares across queries.
	Relevance float64
	// Grounds are what Relevance rests on: their contributions add up to its
	// ln odds, unless it is 0.
	Grounds []Signal
	// Ended holds, by row id, the superseded claims among the results and those that rest
	// on results; nothing for a question about the past.
	Ended map[int64][]schema.Ended `json:"-"`
}

// Memories returns the memories of the results, in their order.
func (a *Answer) Memories() []schema.Memory {
	memories := make([]schema.Memory, len(a.Results))
	for i := range a.Results {
		memories[i] = a.Results[i].Memory
	}
	return memories
}

// Degraded says which arm did not give its full answer, and why.
type Degraded struct {
	Arm    string
	Reason string
}

// Result is one memory found, with the reasons.
type Result struct {
	Memory schema.Memory
	// Score is the value that orders the results: the [Scorer]'s if there is one,
	// else the ranker's. Larger is better. A derived memory may rank below turns with
	// a smaller score, and what a plan ranks first above larger ones ([Answer.Order]).
	// Scores of different queries compare only roughly.
	Score float64
	// Relevance is the probability that the memory holds evidence for an answer,
	// 0–1: [Answer.Relevance] times the probability from Grounds, or MinRelevance if that
	// is more. It compares across queries and does not order the results.
	Relevance float64
	// MinRelevance is the least Relevance of what a plan or a part of the question picked;
	// 0 for other results.
	MinRelevance float64
	// Similarity is how far its vector's likeness to the query stands out from that of
	// other memories, in units of five standard deviations, 0–2; 0 without a vector.
	Similarity float64
	// Grounds are the evidence for Relevance, given that the question is about what
	// the memory holds. Their contributions add up to ln odds.
	Grounds []Signal
	// Why is the reason for which the [lexicon.Plan] ranked it first, such as "from the
	// time asked about"; "" if the ranker determined its rank.
	Why string
	// Rank counts from 1.
	Rank int
	// Arms are the arms that found it, with its rank and raw score in each.
	Arms []ArmRank
	// Signals are the parts Score is the sum of.
	Signals []Signal
	// Parts are the parts of the ranker's own score, which a [Scorer] receives as the
	// relevance; nil without a Scorer.
	Parts []Signal

	signals signals
	passage passage
	echo    bool
	alike   float64
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
