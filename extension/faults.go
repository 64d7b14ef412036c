package extension

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/ebbmem/ebb/consolidate/appraise"
	"github.com/ebbmem/ebb/internal/memory"
	"github.com/ebbmem/ebb/recall"
	"github.com/ebbmem/ebb/schema"
)

// missed is what turns were not told of: one source's faults at one kind of work
// in the turns of one user. Those of hooks belong to nobody.
type missed struct {
	tenant, user, source string
	work                 work
}

type fault struct {
	schema.Failure
	over bool // the same work has succeeded since
}

// work tells apart what one source does: that an answer was stored says nothing
// about a question that cannot be read.
type work string

const (
	hearing  work = "hear"   // finding the question among a chain's values
	reading  work = "read"   // finding the answer there
	storing  work = "store"  // of a message, with its topic: an answer that was stored mends no question
	recalled work = "recall" // a search for the turn
	showing  work = "show"   // the record of what was shown
	keeping  work = "keep"   // of the turn, by the inner memory
	calling  work = "call"   // of a tool
	stamping work = "stamp"  // of a message, with the host's attributes
	hooking  work = "hook"   // a host's own function
)

// fault keeps what went wrong in a turn and is not returned, and reports it.
func (x *Extension) fault(scope Scope, source string, of work, err error) {
	x.keepFault(scope, source, of, err)
	x.report(source, err)
}

func (x *Extension) keepFault(scope Scope, source string, of work, err error) {
	now := schema.At(x.cfg.Now())
	x.mu.Lock()
	defer x.mu.Unlock()
	key := missed{scope.Tenant, scope.User, source, of}
	f := x.missed[key]
	if f.Count == 0 {
		f.Source, f.FirstAt = source, now
	}
	f.Count, f.LastAt, f.Error, f.over = f.Count+1, now, err.Error(), false
	x.missed[key] = f
}

// worked says that a source did its work: what failed before is over, and stays
// told as such. Few calls find anything to change.
func (x *Extension) worked(scope Scope, source string, of work) {
	x.mu.Lock()
	defer x.mu.Unlock()
	key := missed{scope.Tenant, scope.User, source, of}
	if f, failed := x.missed[key]; failed && !f.over {
		f.over = true
		x.missed[key] = f
	}
}

// outcome is one of the two.
func (x *Extension) outcome(scope Scope, source string, of work, err error) {
	if err != nil {
		x.fault(scope, source, of, err)
		return
	}
	x.worked(scope, source, of)
}

// faults lists those of which want is true, newest first: those that are over,
// or the others.
func (x *Extension) faults(over bool, want func(missed) bool) []schema.Failure {
	x.mu.Lock()
	defer x.mu.Unlock()
	var list []schema.Failure
	for key, f := range x.missed {
		if f.over == over && want(key) {
			list = append(list, f.Failure)
		}
	}
	slices.SortFunc(list, func(a, b schema.Failure) int {
		return cmp.Or(b.LastAt.Compare(a.LastAt.Time), cmp.Compare(a.Source, b.Source), cmp.Compare(a.Error, b.Error))
	})
	return list
}

func everybody(missed) bool { return true }

// report passes a fault to the host's hook.
func (x *Extension) report(source string, err error) {
	x.hook("OnError", func() { x.cfg.Hooks.OnError(source, err) })
}

// hook calls one of the host's [Hooks].
func (x *Extension) hook(name string, call func()) { x.ask("Hooks."+name, "hook "+name, call) }

// ask calls a function of the host's, and reports whether it returned. Its panic
// is the host's mistake and no reason to end the host: it is kept for [Health],
// and told to OnError, unless that is what panicked.
func (x *Extension) ask(name, source string, call func()) (returned bool) {
	err := memory.CallHost(name, func() error { call(); return nil })
	switch {
	case err == nil:
		x.worked(Scope{}, source, hooking)
	case source == "hook OnError":
		x.keepFault(Scope{}, source, hooking, err)
	default:
		x.fault(Scope{}, source, hooking, err)
	}
	return err == nil
}

// guard replaces those of the config's functions that have nothing to return an
// error by with ones that do not panic: each then does what its default does. The
// clock stands still.
func (x *Extension) guard() (err error) {
	cfg := &x.cfg
	if cfg.Now, err = schema.GuardClock("Config.Now", cfg.Now, func(err error) {
		x.outcome(Scope{}, "hook Now", hooking, err)
	}); err != nil {
		return err
	}
	skip := cfg.Injection.Skip
	cfg.Injection.Skip = func(text string) (skipped bool) {
		if !x.ask("Config.Injection.Skip", "hook Skip", func() { skipped = skip(text) }) {
			return IsSmallTalk(text)
		}
		return skipped
	}
	if rate := cfg.Ranking.Rater; rate != nil {
		cfg.Ranking.Rater = func(m *Record) (rating float64) {
			if !x.ask("Config.Ranking.Rater", "hook Rater", func() { rating = rate(m) }) {
				return math.NaN() // the default rates it
			}
			return rating
		}
	}
	if rate := cfg.Ranking.Appraise; rate != nil {
		cfg.Ranking.Appraise = func(a appraise.Appraisal) (importance float64) {
			if !x.ask("Config.Ranking.Appraise", "hook Appraise", func() { importance = rate(a) }) {
				return math.NaN() // it is rated by its words
			}
			return importance
		}
	}
	if left := cfg.Ranking.Retention; left != nil {
		cfg.Ranking.Retention = func(m *Record, now time.Time) (share float64) {
			if !x.ask("Config.Ranking.Retention", "hook Retention", func() { share = left(m, now) }) {
				return recall.DefaultRetention(m, now)
			}
			return share
		}
	}
	return nil
}
