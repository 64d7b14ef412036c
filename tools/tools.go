package tools

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tmc/langchaingo/llms"
	lctools "github.com/tmc/langchaingo/tools"

	"github.com/ebbmem/ebb/recall"
	"github.com/ebbmem/ebb/schema"
)

// Deps is what the tools of one session work on. DB and Scope are required; a
// tool whose function is nil answers that it is not available in this host.
type Deps struct {
	// DB holds the memory. Its clock is the tools' clock.
	DB *schema.DB
	// Scope says whose memory it is, and labels what is written. The host
	// stamps it; a model cannot.
	Scope schema.Scope
	// Search answers search_memory.
	Search func(ctx context.Context, q recall.Query) (*recall.Answer, error)
	// Shown hears of memories that a model is about to see. Nil: nobody does.
	Shown func(ctx context.Context, query string, results []recall.Result)
	// Seen hears of the lowest trust of what a model is about to see beside
	// those memories: names, summaries. Nil: nobody does.
	Seen func(level schema.Trust)
	// Stored announces a new memory inside the transaction that stores it. Nil:
	// it is not announced.
	Stored func(ctx context.Context, tx *schema.Tx, m *schema.Memory) error
	// Render writes memories for a model, as data in a fence. Nil: one line of
	// JSON for each, without a fence.
	Render func(ctx context.Context, results []recall.Result) (string, error)
	// Short is the id under which a model is shown a memory, and Full the public
	// id behind it, if it was given in this conversation. Nil: public ids are shown.
	Short func(uid string) string
	Full  func(short string) (uid string, known bool)
	// TurnTrust is the lowest trust of what is in this turn's context; what the
	// model writes is trusted no further. Nil: [schema.MaxTrust].
	TurnTrust func() schema.Trust
	// Log answers memory_log: it stores an entry and gives its id.
	Log func(ctx context.Context, e Entry) (id string, err error)
	// Archive answers archival_insert: it stores what it is given and gives its id.
	Archive func(ctx context.Context, a Archived) (id string, err error)
	// Blocks are the parts of core memory, for their tools. Default none.
	Blocks []schema.BlockSpec
	// Gate decides what becomes of a change of core memory that a model asks for.
	// It can only be stricter than the block is. It is asked outside any
	// transaction. Nil: the block alone decides.
	Gate func(ctx context.Context, w BlockWrite) (Verdict, string)
	// Hearsay lets what nobody vouches for be written into core memory, as far
	// as nothing in it reads like an instruction. Default false: it is proposed.
	Hearsay bool
	// BlockSeen is what the model has seen of a block: what others have added to
	// it or changed since then stays. Nil, or nil from it: all that it holds now.
	BlockSeen func(name string) any
	// BlockTold hears of what the model now takes a block to be. Nil: nobody does.
	BlockTold func(name string, content any)
	// OnlyRequests leaves the claims of users' own messages to nights and tools
	// where a tool reads what a message asks to keep or to forget.
	OnlyRequests bool
	// Consolidate answers memory_consolidate with a report for the model.
	Consolidate func(ctx context.Context) (string, error)
	// Stats answers memory_stats with text or JSON.
	Stats func(ctx context.Context) (string, error)
	// Location is where the user lives: dates are read and written in it.
	// Default UTC.
	Location *time.Location
	// Redact rewrites every text of a tool's input before it is used; an error
	// of it ends the call. Nil: nothing is rewritten.
	Redact schema.Redact
	// Report hears of faults that a model can do nothing about, panics included.
	// Nil: only the model is told.
	Report func(ctx context.Context, tool string, err error)
	// Worked hears of every call that was answered. Default: nobody.
	Worked func(tool string)
}

// Tool is one memory tool. It implements langchaingo's tools.Tool and is safe
// for concurrent use.
type Tool struct {
	deps        *Deps
	name        string
	description string
	primary     string // the parameter that a bare text goes to; "" for none
	parameters  []parameter
	writes      bool // it can change what is remembered
	run         func(ctx context.Context, d *Deps, args arguments) (string, error)
}

var _ lctools.Tool = (*Tool)(nil)

// New makes the tools of one session, those of the given names in their order;
// without any, those of [Defaults], and behind them those for core memory if
// there is something in d.Blocks that a model may write. A name that is not in
// [Names] makes none.
func New(d Deps, names ...string) []*Tool {
	if len(names) == 0 {
		names = append(Defaults(), coreMemoryNames...)
	}
	if d.Location == nil {
		d.Location = time.UTC
	}
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
	if d.BlockSeen == nil {
		d.BlockSeen = func(string) any { return nil }
	}
	if d.BlockTold == nil {
		d.BlockTold = func(string, any) {}
	}
	for _, t := range all {
		t.deps = &d
	}
	return all
}

// Name is the tool's name, for instance "search_memory".
func (t *Tool) Name() string { return t.name }

// Description tells a model when to use the tool, when not, what to write and
// what comes back. Agents that show a model nothing but this text can use it:
// the parameters are in it.
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

// Parameters is the JSON schema of the tool's input, as a function-calling
// model is given it. The caller may change the map.
func (t *Tool) Parameters() map[string]any { return jsonSchema(t.parameters) }

// Definition describes the tool to a function-calling model.
func (t *Tool) Definition() llms.Tool {
	return llms.Tool{Type: "function", Function: &llms.FunctionDefinition{
		Name: t.name, Description: t.description, Parameters: t.Parameters(),
	}}
}

// Call runs the tool on what a model wrote: a JSON object, a bare text for the
// main parameter, or either as an agent wraps it. Mistakes and faults come back
// as a sentence for the model; the error is the context's own, or nil.
func (t *Tool) Call(ctx context.Context, input string) (answer string, err error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	defer func() {
		if r := recover(); r != nil {
			answer, err = t.fault(ctx, schema.ForeignPanic("a call", r)), nil
		}
	}()
	args, err := t.read(ctx, input)
	if err == nil {
		answer, err = t.run(ctx, t.deps, args)
	}
	if err == nil {
		if t.deps.Worked != nil {
			t.deps.Worked(t.name)
		}
		return answer, nil
	}
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	return t.explain(ctx, err), nil
}

// mistake is what a model did wrong, as a sentence that says how to mend it.
type mistake string

func (m mistake) Error() string { return string(m) }

func mistakef(format string, args ...any) error { return mistake(fmt.Sprintf(format, args...)) }

// explain puts an error into words for a model.
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

// unchanged ends a message of a tool that could have changed something.
func (t *Tool) unchanged() string {
	if t.writes {
		return " Nothing was changed."
	}
	return ""
}

// fault tells the host what went wrong and the model that it did.
func (t *Tool) fault(ctx context.Context, err error) string {
	t.report(ctx, err)
	return fmt.Sprintf("%s failed inside the memory (%v). This says nothing about what is remembered. Do not repeat the call; go on without it and say so if it matters.", t.name, err)
}

func (t *Tool) report(ctx context.Context, err error) {
	if t.deps.Report != nil {
		t.deps.Report(ctx, t.name, fmt.Errorf("tool %s: %w", t.name, err))
	}
}

// Call runs the tool that a model called, for hosts with a tool loop of their
// own. A call of an unknown tool or without a function is answered in words.
// The error is the context's own, or nil.
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
