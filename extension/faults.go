package extension

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/ebbmem/ebb/consolidate/appraise"
	"github.com/ebbmem/ebb/internal/memory"
	"github.com/ebbmem/ebb/recall/retention"
	"github.com/ebbmem/ebb/schema"
)

// missed is the key of faults that were not returned to a caller: one source's
// faults at one kind of work for one user. Faults of hooks have no user.
type missed struct {
	tenant, user, source string
	work                 work
}

type fault struct {
	schema.Failure
	over    bool // the same work has succeeded since
	refused bool // only the text was at fault
}

// isOver reports whether the fault does not count any more.
func (f *fault) isOver(now time.Time) bool {
	return f.over || f.refused && now.Sub(f.LastAt.Time) >= refusedCounts
}

// maxMissed bounds the faults kept; overKept is how long those that are over are, refusedCounts
// how long a text that was refused counts: its user may never come back.
const (
	maxMissed     = 4096
	overKept      = 24 * time.Hour
	refusedCounts = time.Hour
)

// work is a kind of work of a source. Success is tracked for each: storing an
// answer says nothing about reading questions.
type work string

const (
	findQuestion   work = "findQuestion"  // among a chain's inputs
	findAnswer     work = "findAnswer"    // among its outputs
	storeMessage   work = "storeMessage"  // the topic is appended, since a stored answer does not make up for a lost question
	searchMemory   work = "searchMemory"  // for a turn
	loadTurns      work = "loadTurns"     // those of WithStoredTurns
	placeRecalled  work = "placeRecalled" // before the inner memory's history
	recordShown    work = "recordShown"   // what was shown to the model
	saveTurn       work = "saveTurn"      // in the inner memory
	runTool        work = "runTool"
	callAttributes work = "callAttributes" // Config.Attributes
	callHook       work = "callHook"       // another function of the host
)

// fault records and reports a fault that is not returned to a caller.
func (x *Extension) fault(scope Scope, source string, of work, err error) {
	x.keepFault(scope, source, of, err)
	x.report(source, err)
}

func (x *Extension) keepFault(scope Scope, source string, of work, err error) {
	now := schema.At(x.cfg.Now())
	x.mu.Lock()
	defer x.mu.Unlock()
	key := missed{scope.Tenant, scope.User, source, of}
	f, _ := x.missed.Peek(key)
	if f.Count == 0 {
		f.Source, f.FirstAt = source, now
	}
	invalid, refused := errors.AsType[*InvalidError](err)
	f.Count, f.LastAt, f.Error, f.over, f.refused = f.Count+1, now, err.Error(), false, refused && invalid.Field == "text"
	x.missed.Add(key, f)
}

// worked records that a source succeeded: earlier faults at the same work are
// marked as over. It rarely changes anything.
func (x *Extension) worked(scope Scope, source string, of work) {
	x.mu.Lock()
	defer x.mu.Unlock()
	key := missed{scope.Tenant, scope.User, source, of}
	if f, failed := x.missed.Peek(key); failed && !f.over {
		f.over = true
		x.missed.Add(key, f)
	}
}

// outcome calls fault or worked.
func (x *Extension) outcome(scope Scope, source string, of work, err error) {
	if err != nil {
		x.fault(scope, source, of, err)
		return
	}
	x.worked(scope, source, of)
}

// faults lists recorded faults for which want returns true, newest first: those
// that are over, or those that are not.
func (x *Extension) faults(over bool, want func(missed) bool) []schema.Failure {
	now := x.cfg.Now()
	x.mu.Lock()
	defer x.mu.Unlock()
	var list []schema.Failure
	for _, key := range x.missed.Keys() {
		f, _ := x.missed.Peek(key)
		isOver := f.isOver(now)
		if isOver && now.Sub(f.LastAt.Time) > overKept {
			x.missed.Remove(key)
			continue
		}
		if isOver == over && want(key) {
			list = append(list, f.Failure)
		}
	}
	slices.SortFunc(list, func(a, b schema.Failure) int {
		return cmp.Or(b.LastAt.Compare(a.LastAt.Time), cmp.Compare(a.Source, b.Source), cmp.Compare(a.Error, b.Error))
	})
	return list
}

func everybody(missed) bool { return true }

// forgetFaults drops a user's faults.
func (x *Extension) forgetFaults(scope Scope) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, key := range x.missed.Keys() {
		if key.tenant == scope.Tenant && key.user == scope.User {
			x.missed.Remove(key)
		}
	}
}

// report passes a fault to the host's hook.
func (x *Extension) report(source string, err error) {
	x.hook("OnError", func() { x.cfg.Hooks.OnError(source, err) })
}

// hook calls one of the host's [Hooks].
func (x *Extension) hook(name string, call func()) { x.ask("Hooks."+name, "hook "+name, call) }

// ask calls a function of the host's and reports whether it returned. A panic is
// recovered, recorded for [Health], and reported to OnError unless OnError itself
// panicked.
func (x *Extension) ask(name, source string, call func()) (returned bool) {
	err := memory.CallHost(name, func() error { call(); return nil })
	switch {
	case err == nil:
		x.worked(Scope{}, source, callHook)
	case source == "hook OnError":
		x.keepFault(Scope{}, source, callHook, err)
	default:
		x.fault(Scope{}, source, callHook, err)
	}
	return err == nil
}

// guard wraps the config's functions that cannot return an error so that they do
// not panic: instead of panicking, each does what its default does, and the clock
// repeats its last time.
func (x *Extension) guard() (err error) {
	cfg := &x.cfg
	if cfg.Now, err = schema.GuardClock("Config.Now", cfg.Now, func(err error) {
		x.outcome(Scope{}, "hook Now", callHook, err)
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
				return math.NaN() // rated by the default
			}
			return rating
		}
	}
	if rate := cfg.Ranking.Appraise; rate != nil {
		cfg.Ranking.Appraise = func(a appraise.Appraisal) (importance float64) {
			if !x.ask("Config.Ranking.Appraise", "hook Appraise", func() { importance = rate(a) }) {
				return math.NaN() // rated by its words
			}
			return importance
		}
	}
	if left := cfg.Ranking.Retention; left != nil {
		cfg.Ranking.Retention = func(m *Record, now time.Time) (share float64) {
			if !x.ask("Config.Ranking.Retention", "hook Retention", func() { share = left(m, now) }) {
				return retention.Default(m, now)
			}
			return share
		}
	}
	return nil
}
