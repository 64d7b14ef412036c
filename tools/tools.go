package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tmc/langchaingo/llms"
	lctools "github.com/tmc/langchaingo/tools"

	"github.com/ebbmem/ebb/recall"
	"github.com/ebbmem/ebb/recall/reconcile"
	"github.com/ebbmem/ebb/recall/stores"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/core"
)

// Deps are the dependencies of the tools of one session. DB and Scope are required.
// A tool without its function answers that it is not available in this host.
type Deps struct {
	// DB holds the memory. Its clock is the tools' clock.
	DB *schema.DB
	// Scope is the user of the memory, and labels what is written. Only the host can
	// set it.
	Scope schema.Scope
	// Search answers search_memory.
	Search func(ctx context.Context, q recall.Query) (*recall.Answer, error)
	// Shown, if set, is called before results reach the model.
	Shown func(ctx context.Context, query string, results []recall.Result)
	// Observe, if set, is called when a tool runs.
	Observe schema.Observer
	// Seen, if set, is called before other text reaches the model, such as names and
	// summaries, with its lowest trust.
	Seen func(level schema.Trust)
	// Stored, if set, announces a new memory inside the transaction that stores it.
	Stored func(ctx context.Context, tx *schema.Tx, m *schema.Memory) error
	// Render writes memories for a model, as data in a fence. Nil: one line of
	// JSON for each, without a fence.
	Render func(ctx context.Context, results []recall.Result) (string, error)
	// Short returns the short id of a memory for the model, and Full the public id of
	// a short one given in this conversation. Nil: the model sees public ids.
	Short func(uid string) string
	Full  func(short string) (uid string, known bool)
	// TurnTrust returns the lowest trust in this turn's context, which bounds the
	// trust of what the model writes. Nil: [schema.MaxTrust].
	TurnTrust func() schema.Trust
	// ForeignModel states that the host does not know the model's context. Its claims
	// are then untrusted without a message of the user's, as always, but they are not
	// quarantined for what the context may have held. Default false.
	ForeignModel bool
	// Log answers memory_log: it stores an entry and returns its id.
	Log func(ctx context.Context, e Entry) (id string, err error)
	// Archive answers archival_insert: it stores an entry and returns its id.
	Archive func(ctx context.Context, a Archived) (id string, err error)
	// Blocks are the parts of core memory, for their tools. Default none.
	Blocks []core.BlockSpec
	// Gate decides about a change of core memory by a model. It can only be stricter
	// than the block. It is called outside any transaction. Nil: the block alone
	// decides.
	Gate func(ctx context.Context, w BlockWrite) (Verdict, string)
	// AllowUntrusted allows untrusted text in core memory, unless it reads like an
	// instruction. Default false: it is proposed.
	AllowUntrusted bool
	// BlockSeen returns the content of a block that the model has seen. Changes by
	// others since then are kept. Nil, or a nil result: the current content.
	BlockSeen func(name string) any
	// BlockShown, if set, is called with the content of a block that an answer makes
	// known to the model.
	BlockShown func(name string, content any)
	// OnlyRequests makes tools that read users' messages carry out only requests to
	// keep or forget, and extract no claims.
	OnlyRequests bool
	// Consolidate answers memory_consolidate with a report for the model.
	Consolidate func(ctx context.Context) (string, error)
	// Stats answers memory_stats with text or JSON.
	Stats func(ctx context.Context) (string, error)
	// Recent answers recent_context: the newest messages of the user between two
	// times, or of one session, oldest first. A zero time or an empty session does not
	// restrict.
	Recent func(ctx context.Context, since, until time.Time, session string, limit int) ([]schema.Memory, error)
	// Extended adds the parameters as_of and why to search_memory. They cost tokens in
	// every prompt of an agent. Default false.
	Extended bool
	// Stores are the stores of the memory. With them remember_fact takes a store.
	// Default none.
	Stores stores.Set
	// MainAgent is the agent whose tools write directly. What the others save are
	// proposals, which review_proposals shows to the main agent. "" if all write.
	MainAgent string
	// Outcome answers report_outcome: it records whether a memory helped.
	Outcome func(ctx context.Context, id string, helped bool) error
	// Similar, if set, finds what is like a claim, before remember_fact stores it.
	Similar func(ctx context.Context, content string) *reconcile.Similar
	// Reflect answers request_reflection with a sentence for the model.
	Reflect func(ctx context.Context, w Reflection) (string, error)
	// Location is the user's time zone, for dates. Default UTC. Zone, if set, replaces it
	// at each call, since a user's zone may change.
	Location *time.Location
	Zone     func(ctx context.Context) (*time.Location, error)
	// Redact, if set, rewrites every text of a tool's input before use. Its error
	// ends the call.
	Redact schema.Redact
	// Report, if set, receives faults that a model cannot correct, including panics.
	// The model gets an answer about them in any case.
	Report func(ctx context.Context, tool string, err error)
	// Worked, if set, is called after every answered call.
	Worked func(tool string)

	// Of the call that is running: its data, and the user's turns, forgotten ones too, once read.
	out   *Output
	turns []schema.Memory
}

// Tool is one memory tool. It implements langchaingo's tools.Tool and is safe
// for concurrent use.
type Tool struct {
	deps        *Deps
	name        string
	description string
	primary     string // the parameter of a bare text; "" for none
	parameters  []parameter
	writes      bool // it can change the memory
	stores      bool // it stores words of the model's
	run         func(ctx context.Context, d *Deps, args *arguments) (string, error)
}

var _ lctools.Tool = (*Tool)(nil)

// New makes the tools of one session: those of the given names, in their order, or
// without names those of [Defaults], followed by those for core memory if a model
// may write something in d.Blocks. It skips a name that is not in [Names].
func New(d Deps, names ...string) []*Tool {
	if len(names) == 0 {
		names = append(Defaults(), coreMemoryNames...)
	}
	d.Location = cmp.Or(d.Location, time.UTC)
	if d.Render == nil {
		d.Render = func(_ context.Context, results []recall.Result) (string, error) {
			return renderLines(results, d.Location), nil
		}
	}
	if d.TurnTrust == nil {
		d.TurnTrust = func() schema.Trust { return schema.MaxTrust }
	}
	if d.Short == nil || d.Full == nil {
		d.Short, d.Full = func(uid string) string { return uid }, func(string) (string, bool) { return "", false }
	}
	all := named(names, d.Blocks)
	if d.MainAgent == "" || d.proposes() {
		all = slices.DeleteFunc(all, func(t *Tool) bool { return t.name == "review_proposals" })
	}
	if d.BlockSeen == nil {
		d.BlockSeen = func(string) any { return nil }
	}
	if d.BlockShown == nil {
		d.BlockShown = func(string, any) {}
	}
	for _, t := range all {
		t.deps = &d
		t.parameters = slices.DeleteFunc(t.parameters, func(p parameter) bool {
			return p.extended && !d.Extended || p.name == "store" && len(d.Stores) == 0
		})
		for i := range t.parameters {
			if t.parameters[i].name == "store" {
				t.parameters[i].enum = d.Stores.Names()
			}
		}
	}
	return all
}

// Name is the tool's name, for instance "search_memory".
func (t *Tool) Name() string { return t.name }

// Description explains to a model when to use the tool, when not, its input and its
// answer. It includes the parameters, for agents that show a model this text alone.
func (t *Tool) Description() string {
	if len(t.parameters) == 0 {
		return t.description + " Input: {}."
	}
	var b strings.Builder
	b.WriteString(t.description)
	b.WriteString(" Input: JSON {")
	for i, p := range t.parameters {
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(p.describe())
	}
	b.WriteString("}.")
	return b.String()
}

// Parameters returns the JSON schema of the tool's input, for function-calling
// models. The caller may change the map.
func (t *Tool) Parameters() map[string]any { return jsonSchema(t.parameters) }

// Definition describes the tool to a function-calling model.
func (t *Tool) Definition() llms.Tool {
	return llms.Tool{Type: "function", Function: &llms.FunctionDefinition{
		Name: t.name, Description: t.description, Parameters: t.Parameters(),
	}}
}

// Call runs the tool on a model's input: a JSON object, a bare text for the main
// parameter, or either in an agent's wrapper. The answer reports mistakes and
// faults to the model; the error is the context's own, or nil.
func (t *Tool) Call(ctx context.Context, input string) (answer string, err error) {
	out, err := t.Run(ctx, input)
	return out.Text, err
}

// mistake is a model's mistake, as a sentence that says how to correct it.
type mistake string

func (m mistake) Error() string { return string(m) }

func mistakef(format string, args ...any) error { return mistake(fmt.Sprintf(format, args...)) }

// explain describes an error for a model.
func (t *Tool) explain(ctx context.Context, err error) string {
	var wrong mistake
	var invalid *schema.InvalidError
	var redaction *schema.RedactionError
	switch {
	case errors.As(err, &wrong):
		return string(wrong)
	case errors.As(err, &invalid):
		return t.name + ": " + invalid.Error() + "." + t.unchanged()
	case errors.As(err, &redaction):
		t.report(ctx, err)
		return t.name + ": what was written could not be checked for secrets, so nothing of it was kept. Do not repeat the call; tell the user that it was not saved."
	case errors.Is(err, schema.ErrConflict):
		return t.name + ": the memory was changed by someone else in the meantime. Nothing was changed; search for it again and retry."
	case errors.Is(err, schema.ErrReadOnly):
		return t.name + ": the memory is read-only here, so nothing was changed. Do not retry; tell the user it was not saved."
	}
	return t.fault(ctx, err)
}

// unchanged is the end of a message of a tool that can change the memory.
func (t *Tool) unchanged() string {
	if t.writes {
		return " Nothing was changed."
	}
	return ""
}

// fault reports an error to the host and returns an answer for the model.
func (t *Tool) fault(ctx context.Context, err error) string {
	t.report(ctx, err)
	return fmt.Sprintf("%s failed inside the memory (%v). This says nothing about what is remembered. Do not repeat the call; go on without it and say so if it matters.", t.name, err)
}

func (t *Tool) report(ctx context.Context, err error) {
	if t.deps.Report != nil {
		t.deps.Report(ctx, t.name, fmt.Errorf("tool %s: %w", t.name, err))
	}
}

// Call runs the tool that a model called, for hosts with a tool loop of their own.
// It answers a call of an unknown tool or without a function in words. The error is
// the context's own, or nil.
func Call(ctx context.Context, tools []*Tool, call llms.ToolCall) (llms.ToolCallResponse, error) {
	response := llms.ToolCallResponse{ToolCallID: call.ID}
	if call.FunctionCall == nil {
		response.Content = "The tool call names no function. The memory tools are " + names(tools) + "."
		return response, ctx.Err()
	}
	response.Name = call.FunctionCall.Name
	for _, t := range tools {
		if t.name == call.FunctionCall.Name {
			var err error
			response.Content, err = t.Call(ctx, call.FunctionCall.Arguments)
			return response, err
		}
	}
	response.Content = fmt.Sprintf("There is no tool named %s. The memory tools are %s.", quoted(clip(response.Name, 80)), names(tools))
	return response, ctx.Err()
}

func names(tools []*Tool) string {
	all := make([]string, len(tools))
	for i, t := range tools {
		all[i] = t.name
	}
	return strings.Join(all, ", ")
}
