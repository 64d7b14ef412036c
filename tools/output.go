package tools

import (
	"cmp"
	"context"
	"errors"

	"github.com/ebbmem/ebb/internal/claims"
	"github.com/ebbmem/ebb/recall"
	"github.com/ebbmem/ebb/schema"
)

// Output is a tool's answer for a program: the text that a model reads, and the
// data in it.
type Output struct {
	// Text is what [Tool.Call] returns.
	Text string
	// Failed reports a mistake in the input or a fault; Text says which.
	Failed bool
	// Fault is the cause if the memory failed, and nil for a mistake in the input.
	Fault error
	// Results are the memories that Text shows, in its order.
	Results []recall.Result
	// Degraded are the arms of the search that did not answer fully.
	Degraded []recall.Degraded
	// Change is what became of the memory that the call asked to change; "" when it
	// asked for none.
	Change Change
	// Changed is the memory that was stored or changed, or that a proposal is about.
	// It is nil when there is none.
	Changed *schema.Memory
}

// Change is what became of a request to change a memory.
type Change string

// The changes.
const (
	ChangeSaved       Change = "saved"
	ChangeKnown       Change = "known"       // it was stored already
	ChangeQuarantined Change = "quarantined" // saved, but not used until the host releases it
	ChangeCorrected   Change = "corrected"
	ChangeProtected   Change = "protected"
	ChangeForgotten   Change = "forgotten"
	ChangeProposed    Change = "proposed" // it waits for the host
	ChangeNone        Change = "none"     // nothing was changed
)

// changed notes what the running call has done.
func (d *Deps) changed(c Change, m *schema.Memory) {
	if d.out != nil {
		d.out.Change, d.out.Changed = c, m
	}
}

// records is the number of memories that were shown, stored or changed.
func (o *Output) records() int {
	switch o.Change {
	case ChangeSaved, ChangeQuarantined, ChangeCorrected, ChangeProtected, ChangeForgotten:
		return len(o.Results) + 1
	case ChangeKnown, ChangeProposed, ChangeNone:
	}
	return len(o.Results)
}

// Run runs the tool as [Tool.Call] does and returns its answer with the data in
// it. The error is the context's own, or nil.
func (t *Tool) Run(ctx context.Context, input string) (out Output, err error) {
	if err := ctx.Err(); err != nil {
		return Output{}, err
	}
	ctx, done := t.deps.Observe.Begin(ctx, schema.Operation{Name: "tool", Scope: t.deps.Scope, Tool: t.name})
	defer func() { done(out.records(), cmp.Or(err, out.Fault)) }()
	defer func() {
		if r := recover(); r != nil {
			fault := schema.ForeignPanic("a call", r)
			out, err = Output{Text: t.fault(ctx, fault), Failed: true, Fault: fault}, nil
		}
	}()
	args, err := t.read(ctx, input)
	if err == nil {
		d := *t.deps
		d.out = &out
		d.Shown = func(ctx context.Context, query string, results []recall.Result) {
			out.Results = append(out.Results, results...)
			if t.deps.Shown != nil {
				t.deps.Shown(ctx, query, results)
			}
		}
		if d.Zone != nil {
			d.Location, err = d.Zone(ctx)
		}
		unstored, forgotten := false, false
		if err == nil && t.stores {
			unstored, err = isUnstored(ctx, &d, args.words())
		}
		if err == nil && t.stores && !unstored {
			forgotten, err = claims.TellsForgotten(ctx, d.DB, d.Scope, args.words())
		}
		switch {
		case err != nil:
		case unstored:
			d.changed(ChangeNone, nil)
			out.Text = "Nothing is saved: the user asked not to store that."
		case forgotten:
			d.changed(ChangeNone, nil)
			out.Text = "Not saved: the user asked to forget this and has not said it since. Do not bring it up. Nothing was changed."
		default:
			out.Text, err = t.run(ctx, &d, args)
		}
	}
	if err == nil {
		if t.deps.Worked != nil {
			t.deps.Worked(t.name)
		}
		return out, nil
	}
	if ctx.Err() != nil {
		return Output{}, ctx.Err()
	}
	out = Output{Text: t.explain(ctx, err), Failed: true, Fault: err}
	_, wrong := errors.AsType[mistake](err)
	if _, invalid := errors.AsType[*schema.InvalidError](err); wrong || invalid {
		out.Fault = nil
	}
	return out, nil
}
