package memory

import (
	"cmp"
	"context"
	"io"
	"time"

	"github.com/ebbmem/ebb/consolidate/embed"
	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/recall"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/core"
)

// Memory is one open memory. Its fields are set once, before it is shared.
type Memory struct {
	DB       *schema.DB
	Bus      *eventbus.Journal
	Searcher *recall.Searcher
	Vectors  *embed.Worker // nil without an embedder
	Redactor *Redactor
	Cycles   *Cycles
	Blocks   []core.BlockSpec // of core memory
	Now      func() time.Time
	ReadOnly bool
	// CallHost calls a function of the host's and reports its panic to the host's
	// error hook: name is that of the function, source what the fault is counted
	// under.
	CallHost func(name, source string, call func()) (returned bool)
	// Observe, if set, measures operations; see [Memory.Observed].
	Observe schema.Observer
}

// Observed has a host's observer report its panics, which end nothing. It returns
// nil for nil.
func (m *Memory) Observed(host schema.Observer) schema.Observer {
	if host == nil {
		return nil
	}
	call := func(fn func()) bool { return m.CallHost("Hooks.OnOperation", "hook OnOperation", fn) }
	return func(ctx context.Context, op schema.Operation) (context.Context, func(int, error)) {
		within, done := ctx, func(int, error) {}
		began := call(func() { within, done = host(ctx, op) })
		within = cmp.Or(within, ctx)
		return within, func(records int, err error) {
			if began { // else a call of nothing would count as the hook's recovery
				call(func() { done(records, err) })
			}
		}
	}
}

// Zone returns a user's own time zone, nil without one.
func (m *Memory) Zone(ctx context.Context, scope schema.Scope) (zone *time.Location, err error) {
	err = m.DB.ReadUser(ctx, scope, func(ctx context.Context, snap *schema.Snapshot, userID int64) error {
		zone, err = schema.Zone(ctx, snap, userID, nil)
		return err
	})
	return zone, err
}

// Options are what the packages of this module choose when they open a memory,
// beside its configuration.
type Options struct {
	// File is how the file is opened. Its clock, key, hooks and ReadOnly come from
	// the configuration.
	File schema.Options
	// OnDemandNights has a memory without a schedule run the nights that the start
	// of a cycle makes due. Default false.
	OnDemandNights bool
}

// The durable names of the consumers that work in the background.
const (
	EnrichConsumer   = "ebb.enrich"
	RecalledConsumer = "ebb.recalled"
	SaidConsumer     = "ebb.said"
)

// Consumers are these, each with its topics.
var Consumers = map[string][]string{
	EnrichConsumer: {eventbus.TopicMemoryStored}, RecalledConsumer: {eventbus.TopicMemoryRecalled}, SaidConsumer: {eventbus.TopicMemoryStored},
}

// Backlog counts the events that Consumers have not handled, of all users. A consumer of another
// program may have stopped for good.
func Backlog(stats []eventbus.ConsumerStats) (waiting int64) {
	for _, c := range stats {
		if Consumers[c.Name] != nil {
			waiting += int64(c.Lag)
		}
	}
	return waiting
}

// ByHost is the actor that the audit names for what the host changes.
var ByHost = schema.Actor{Name: "host"}

// Block is the description of a block of core memory, or nil.
func (m *Memory) Block(name string) *core.BlockSpec {
	for i := range m.Blocks {
		if m.Blocks[i].Name == name {
			return &m.Blocks[i]
		}
	}
	return nil
}

// Progress returns a host's progress function without its panics, nil for nil. They
// are reported if m is not nil; the work goes on.
func (m *Memory) Progress(host func(done, total int64)) func(done, total int64) {
	if host == nil {
		return nil
	}
	return func(done, total int64) {
		if m != nil {
			m.CallHost("progress", "hook Progress", func() { host(done, total) })
		} else {
			_ = CallHost("progress", func() error { host(done, total); return nil })
		}
	}
}

// Asked returns the result of a host's function, the zero value if it panics. report
// is as [Memory.CallHost].
func Asked[T any](report func(name, source string, call func()) bool, name string, host func() T) (result T) {
	report(name, "hook "+name, func() { result = host() })
	return result
}

// HostReader and HostWriter return an [*schema.ForeignError] where the host's reader
// or writer panics.
type (
	HostReader struct{ io.Reader }
	HostWriter struct{ io.Writer }
)

// Read implements [io.Reader].
func (r HostReader) Read(p []byte) (n int, err error) {
	return n, CallHost("the reader", func() (err error) { n, err = r.Reader.Read(p); return err })
}

// Write implements [io.Writer].
func (w HostWriter) Write(p []byte) (n int, err error) {
	return n, CallHost("the writer", func() (err error) { n, err = w.Writer.Write(p); return err })
}

// CallHost calls a function of the host's and returns its panic as an error.
func CallHost(name string, call func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = schema.ForeignPanic(name, r)
		}
	}()
	return call()
}
