package ask

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tmc/langchaingo/llms"

	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// DefaultCallTimeout is the default limit of one call.
const DefaultCallTimeout = 2 * time.Minute

// Prompt is one question to the model.
type Prompt struct {
	// Name and Version identify the wording in reports: "extract", 1.
	Name    string
	Version int
	// System contains the instructions, User the data.
	System, User string
	// Schema is the JSON Schema of the answer. It is sent as the parameters of a
	// function, or as text to a provider without functions.
	Schema map[string]any
	// SafeErrors says that errors of the check passed to [Asker.Ask] contain
	// nothing of the answer, and may be part of [AnswerError]'s text.
	SafeErrors bool

	lines bool // the answer is lines of text; see [Asker.Lines]
}

// summary describes an error in words that contain nothing of the answer.
func (p Prompt) summary(err error) string {
	if unreadable, ok := errors.AsType[*answerError](err); ok {
		return unreadable.summary
	}
	if p.SafeErrors {
		return err.Error()
	}
	return "its check refused it"
}

// ID returns the name of the prompt in reports: "extract@1".
func (p Prompt) ID() string { return fmt.Sprintf("%s@%d", p.Name, p.Version) }

// AnswerError means that the model gave two unusable answers to one question.
// Other questions may fare better.
type AnswerError struct {
	Prompt  string
	Err     error  // as shown to the model; may contain words of the answer
	summary string // contains none
}

func (e *AnswerError) Error() string { return "no usable answer to " + e.Prompt + ": " + e.summary }

// Unwrap returns the error of the last answer.
func (e *AnswerError) Unwrap() error { return e.Err }

// ModelError means that the call failed.
type ModelError struct{ Err error }

func (e *ModelError) Error() string { return fmt.Sprintf("the model cannot be asked: %v", e.Err) }

// Unwrap returns the client's error.
func (e *ModelError) Unwrap() error { return e.Err }

// Options configure an [Asker].
type Options struct {
	// Timeout of one call. Default [DefaultCallTimeout].
	Timeout time.Duration
	// Redact rewrites every text of an answer before it is used. Default none.
	Redact schema.Redact
}

// Asker asks a model within the budget of an account. It is safe for concurrent
// use.
type Asker struct {
	model   llms.Model
	account *Account
	timeout time.Duration
	pause   time.Duration // before a failed call is repeated
	redact  schema.Redact // nil for none

	plain atomic.Bool // the provider has no functions
	cut   atomic.Bool // an answer was cut off at its client's maximum, and no higher one failed since

	mu      sync.Mutex
	prompts []string // asked since TakePrompts
}

// New returns an asker for model.
func New(model llms.Model, account *Account, opts Options) *Asker {
	return &Asker{model: model, account: account, timeout: cmp.Or(opts.Timeout, DefaultCallTimeout), pause: time.Second, redact: opts.Redact}
}

// Ask asks a question and calls use, which decodes and checks the JSON object of
// the answer. An error of use is shown to the model, which may answer once more.
//
// Errors: [ErrBudget]; [*AnswerError] after the second unusable answer, or with
// [ErrTooLong] for a prompt beyond the model's context;
// [*schema.RedactionError] if an answer could not be redacted; [*ModelError]
// after the second failed call; the context's error.
func (a *Asker) Ask(ctx context.Context, p Prompt, use func(decode func(any) error) error) error {
	a.remember(p.ID())
	messages := []llms.MessageContent{
		llms.TextParts(llms.ChatMessageTypeSystem, p.System),
		llms.TextParts(llms.ChatMessageTypeHuman, p.User),
	}
	var last error
	for range 2 {
		answer, called, err := a.call(ctx, p, messages)
		if err != nil {
			return err
		}
		if last = use(func(v any) error { return Decode(ctx, answer, v, a.redact) }); last == nil {
			return nil
		}
		if refused, ok := errors.AsType[*schema.RedactionError](last); ok {
			return refused
		}
		a.account.addFault()
		if !called {
			a.plain.Store(true) // a small server accepts functions and ignores them
		}
		messages = append(messages[:2:2],
			llms.TextParts(llms.ChatMessageTypeAI, text.Truncate(answer, 500)),
			llms.TextParts(llms.ChatMessageTypeHuman, "That answer cannot be used: "+last.Error()+"\nAnswer again, with one JSON object of the form described and nothing else."))
	}
	return &AnswerError{Prompt: p.ID(), Err: last, summary: p.summary(last)}
}

// Lines asks a question and returns the non-blank lines of the answer, none if
// it is longer than 256 KiB. The lines are not redacted: only numbers and the
// like parsed from them may be stored.
//
// Errors: [ErrBudget]; [*ModelError] after the second failed call; the context's
// error.
func (a *Asker) Lines(ctx context.Context, p Prompt) (lines []string, err error) {
	a.remember(p.ID())
	p.lines = true
	answer, _, err := a.call(ctx, p, []llms.MessageContent{
		llms.TextParts(llms.ChatMessageTypeSystem, p.System),
		llms.TextParts(llms.ChatMessageTypeHuman, p.User),
	})
	if err != nil || len(answer) > maxAnswer {
		return nil, err
	}
	for line := range strings.Lines(answer) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines, nil
}

// call makes a call, and repeats it once if it fails.
// called reports whether the answer is a function call.
func (a *Asker) call(ctx context.Context, p Prompt, messages []llms.MessageContent) (answer string, called bool, err error) {
	var last error
	for attempt := range 2 {
		if err := a.account.check(); err != nil {
			return "", false, err
		}
		answer, called, err := a.try(ctx, p, messages)
		if err == nil {
			return answer, called, nil
		}
		if ctx.Err() != nil {
			return "", false, ctx.Err()
		}
		a.account.addFault()
		if exceedsContext(err) { // as it would again
			return "", false, &AnswerError{Prompt: p.ID(), Err: ErrTooLong, summary: p.summary(ErrTooLong)}
		}
		last = err
		if attempt > 0 {
			break
		}
		select {
		case <-time.After(a.pause):
		case <-ctx.Done():
			return "", false, ctx.Err()
		}
	}
	return "", false, &ModelError{Err: last}
}

// try makes one call. It asks for a function call, or for JSON text if the
// provider has refused functions or answered without JSON.
func (a *Asker) try(ctx context.Context, p Prompt, messages []llms.MessageContent) (answer string, called bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, a.timeout)
	defer cancel()
	options := []llms.CallOption{llms.WithTemperature(0)}
	raised := a.cut.Load()
	if raised {
		options = append(options, llms.WithMaxTokens(maxTokens))
	}
	plain := a.plain.Load() || p.Schema == nil
	if plain {
		if !p.lines {
			options = append(options, llms.WithJSONMode())
		}
		messages = slices.Clone(messages)
		messages[0] = llms.TextParts(llms.ChatMessageTypeSystem, p.System+schemaText(p.Schema))
	} else {
		options = append(options, llms.WithTools([]llms.Tool{{Type: "function", Function: &llms.FunctionDefinition{
			Name: p.Name, Description: "Give the answer.", Parameters: p.Schema,
		}}}), llms.WithToolChoice(llms.ToolChoice{Type: "function", Function: &llms.FunctionReference{Name: p.Name}}))
	}
	resp, err := schema.CallForeign(ctx, "the client", func(ctx context.Context) (*llms.ContentResponse, error) {
		return a.model.GenerateContent(ctx, messages, options...)
	})
	if ctx.Err() != nil { // a cut stream may return no error, or one that hides the cause
		err = fmt.Errorf("no answer within %s: %w", a.timeout, ctx.Err())
	}
	if err != nil {
		if raised { // which the model may refuse: until the next is cut off, the client's own will do
			a.cut.Store(false)
			if ctx.Err() == nil {
				return a.try(ctx, p, messages)
			}
		}
		if !plain && refusesFunctions(err) {
			a.plain.Store(true)
			return a.try(ctx, p, messages)
		}
		return "", false, err
	}
	answer, called, cut := contentOf(resp, p.Name)
	a.account.addCall(tokens(resp, messages, answer))
	if slices.Contains(byMaximum, cut) {
		a.cut.Store(true)
	}
	switch {
	case cut == "":
	case p.lines:
		answer = answer[:strings.LastIndexByte(answer, '\n')+1] // the last line is incomplete
	default:
		answer = strings.TrimRight(answer, "} \n") // so that an inner brace is not taken for the end
	}
	return answer, called, nil
}

// choicesOf returns the choices of a response. A client for Anthropic returns one for each
// block of an answer: thoughts without content, text, and a function call.
func choicesOf(resp *llms.ContentResponse) []*llms.ContentChoice {
	if resp == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(resp.Choices), func(c *llms.ContentChoice) bool { return c == nil })
}

// contentOf returns the answer of a response, from a function call or from text,
// whether it was called, and why it was cut off; "" if it is complete.
func contentOf(resp *llms.ContentResponse, function string) (answer string, called bool, cut string) {
	var texts []string
	for _, c := range choicesOf(resp) {
		if c.Content != "" {
			texts = append(texts, c.Content)
		}
		if c.StopReason == "length" || slices.Contains(byMaximum, c.StopReason) {
			cut = c.StopReason
		}
		for _, call := range c.ToolCalls {
			if call.FunctionCall != nil && call.FunctionCall.Name == function && !called {
				answer, called = call.FunctionCall.Arguments, true
			}
		}
	}
	if !called {
		answer = strings.Join(texts, "\n")
	}
	return answer, called, cut
}

// byMaximum are the stop reasons of providers whose clients send a maximum of 2,048 tokens
// unless they are given another. [maxTokens] is sent after the first of these answers. It is
// not sent to others, which may refuse what exceeds the model's context with the prompt.
var byMaximum = []string{"max_tokens", "MAX_TOKENS", "FinishReasonMaxTokens"}

const maxTokens = 8192

// tokens returns the token counts of the provider, or an estimate.
func tokens(resp *llms.ContentResponse, messages []llms.MessageContent, answer string) (in, out int) {
	for _, c := range choicesOf(resp) { // each has the counts of the whole response, or none
		in = max(in, number(c.GenerationInfo, "PromptTokens", "InputTokens", "input_tokens"))
		out = max(out, number(c.GenerationInfo, "CompletionTokens", "OutputTokens", "output_tokens"))
	}
	if in <= 0 { // missing, or negative, which would extend the budget
		for _, m := range messages {
			for _, part := range m.Parts {
				if t, ok := part.(llms.TextContent); ok {
					in += text.Tokens(t.Text)
				}
			}
		}
	}
	if out <= 0 {
		out = text.Tokens(answer)
	}
	return in, out
}

func number(info map[string]any, names ...string) int {
	for _, name := range names {
		switch n := info[name].(type) {
		case int:
			return n
		case int32:
			return int(n)
		case int64:
			return int(n)
		case float64:
			return int(n)
		}
	}
	return 0
}

// refusesFunctions distinguishes a provider that refuses functions from one that
// fails.
func refusesFunctions(err error) bool {
	if client, ok := errors.AsType[*schema.ForeignError](err); ok {
		err = client.Err
	}
	message := strings.ToLower(err.Error())
	return strings.Contains(message, "tool") || strings.Contains(message, "function")
}

// exceedsContext reports whether a provider refused a prompt for its length.
func exceedsContext(err error) bool {
	if client, ok := errors.AsType[*schema.ForeignError](err); ok {
		err = client.Err
	}
	return tooLong.MatchString(err.Error())
}

// tooLong matches what servers say of a prompt beyond the model's context.
var tooLong = regexp.MustCompile(`(?i)context[ _](?:size|length|window)|maximum context|prompt is too long`)

func schemaText(schema map[string]any) string {
	if schema == nil {
		return ""
	}
	b, err := json.Marshal(schema)
	if err != nil {
		panic(err) // schemas are constants of this module
	}
	return "\n\nAnswer with one JSON object of this JSON Schema and nothing else:\n" + string(b)
}

func (a *Asker) remember(prompt string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !slices.Contains(a.prompts, prompt) {
		a.prompts = append(a.prompts, prompt)
	}
}

// TakePrompts returns the prompts asked since the last call of TakePrompts.
func (a *Asker) TakePrompts() (prompts []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	prompts, a.prompts = a.prompts, nil
	return prompts
}

// Unusable reports whether err is an [AnswerError]: the model gave no usable
// answer to one question, but may do so for the next.
func Unusable(err error) bool {
	var answer *AnswerError
	return errors.As(err, &answer)
}

// InHalves asks about a batch. If the prompt is too long, or the answer to one of eight
// and more is cut off, it asks about each half, until the first error.
func InHalves[T any](batch []T, about func([]T) error) error {
	err := about(batch)
	if half := len(batch) / 2; errors.Is(err, ErrTooLong) && half >= 1 || errors.Is(err, ErrIncomplete) && half >= 4 {
		if err := InHalves(batch[:half], about); err != nil {
			return err
		}
		return InHalves(batch[half:], about)
	}
	return err
}
