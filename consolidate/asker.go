package consolidate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tmc/langchaingo/llms"

	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// DefaultCallTimeout is how long one call of the model may take.
const DefaultCallTimeout = 2 * time.Minute

// Prompt is one question to the model; its answer is a JSON object.
type Prompt struct {
	// Name and Version identify the wording in the ledger: "extract", 1.
	Name    string
	Version int
	// System says what is wanted and in which form, User holds the data.
	System, User string
	// Schema is the JSON Schema of the answer. It is sent as the parameters of
	// a function, or as text to a provider that knows no functions.
	Schema map[string]any

	own   bool // its check's complaints hold nothing of the answer
	lines bool // its answer is lines of text; see [Asker.lines]
}

// fault says what is wrong with an answer in words that hold nothing of it.
func (p Prompt) fault(err error) string {
	if fault, ok := errors.AsType[*answerFault](err); ok {
		return fault.kind
	}
	if p.own {
		return err.Error()
	}
	return "its check refused it"
}

// ID is how the ledger names the prompt: "extract@1".
func (p Prompt) ID() string { return fmt.Sprintf("%s@%d", p.Name, p.Version) }

// AnswerError means that a model answered, twice, and neither answer could be
// used. It says nothing of other questions.
type AnswerError struct {
	Prompt string
	Err    error // what the model was told of it; may repeat words of the answer
	why    string
}

func (e *AnswerError) Error() string { return "no usable answer to " + e.Prompt + ": " + e.why }

// Unwrap gives what was wrong with the last answer.
func (e *AnswerError) Unwrap() error { return e.Err }

// ModelError means that the model could not be asked.
type ModelError struct{ Err error }

func (e *ModelError) Error() string { return fmt.Sprintf("the model cannot be asked: %v", e.Err) }

// Unwrap gives the client's error.
func (e *ModelError) Unwrap() error { return e.Err }

// Asker asks the model within a run's budget. It is safe for concurrent use.
type Asker struct {
	model   llms.Model
	account *account
	timeout time.Duration
	pause   time.Duration // before a failed call is made again
	redact  schema.Redact // of what is answered; nil: nothing is

	mu      sync.Mutex
	plain   bool     // this provider knows no functions
	prompts []string // asked since they were last taken
}

// Ask puts a prompt and hands the JSON object of the answer to use, which
// decodes and checks it. What use complains about is shown to the model, which
// may answer once more.
//
// Errors: [ErrBudget]; [*AnswerError] after the second answer of no use;
// [*schema.RedactionError] when an answer could not be redacted;
// [*ModelError] when the call failed twice; the context's error.
func (a *Asker) Ask(ctx context.Context, p Prompt, use func(decode func(any) error) error) error {
	a.remember(p.ID())
	messages := []llms.MessageContent{
		llms.TextParts(llms.ChatMessageTypeSystem, p.System),
		llms.TextParts(llms.ChatMessageTypeHuman, p.User),
	}
	var last error
	for range 2 {
		answer, err := a.call(ctx, p, messages)
		if err != nil {
			return err
		}
		if last = use(func(v any) error { return decodeAnswer(ctx, answer, v, a.redact) }); last == nil {
			return nil
		}
		if refused, ok := errors.AsType[*schema.RedactionError](last); ok {
			return refused
		}
		a.account.fault()
		messages = append(messages[:2:2],
			llms.TextParts(llms.ChatMessageTypeAI, text.Truncate(answer, 500)),
			llms.TextParts(llms.ChatMessageTypeHuman, "That answer cannot be used: "+last.Error()+"\nAnswer again, with one JSON object of the form described and nothing else."))
	}
	return &AnswerError{Prompt: p.ID(), Err: last, why: p.fault(last)}
}

// lines puts a prompt and returns the lines of the answer that are not blank,
// unchecked: none of an answer that is too long to be one. They are not redacted:
// nothing of them may be kept but what is parsed.
//
// Errors: [ErrBudget]; [*ModelError] when the call failed twice; the context's
// error.
func (a *Asker) lines(ctx context.Context, p Prompt) (lines []string, err error) {
	a.remember(p.ID())
	p.lines = true
	answer, err := a.call(ctx, p, []llms.MessageContent{
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

// call makes one call, and once more when it fails.
func (a *Asker) call(ctx context.Context, p Prompt, messages []llms.MessageContent) (string, error) {
	var last error
	for attempt := range 2 {
		if err := a.account.left(); err != nil {
			return "", err
		}
		answer, err := a.try(ctx, p, messages)
		if err == nil {
			return answer, nil
		}
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		a.account.fault()
		last = err
		if attempt > 0 {
			break
		}
		select {
		case <-time.After(a.pause):
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
	return "", &ModelError{Err: last}
}

// try makes one call: with a function to be called, or plainly for a provider
// that has refused functions.
func (a *Asker) try(ctx context.Context, p Prompt, messages []llms.MessageContent) (answer string, err error) {
	ctx, cancel := context.WithTimeout(ctx, a.timeout)
	defer cancel()
	options := []llms.CallOption{llms.WithTemperature(0)}
	plain := a.isPlain() || p.Schema == nil
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
	resp, err := a.generate(ctx, messages, options)
	if ctx.Err() != nil { // a stream that was cut off may come without an error, or with one that hides the cause
		err = fmt.Errorf("no answer within %s: %w", a.timeout, ctx.Err())
	}
	if err != nil {
		if !plain && speaksOfFunctions(err) {
			a.setPlain()
			return a.try(ctx, p, messages)
		}
		return "", err
	}
	answer, complete := contentOf(resp, p.Name)
	a.account.call(tokens(resp, messages, answer))
	switch {
	case complete:
	case p.lines:
		answer = answer[:strings.LastIndexByte(answer, '\n')+1] // of the last line nobody knows how it goes on
	default:
		answer = strings.TrimRight(answer, "} \n") // so that no brace inside it passes for its end
	}
	return answer, nil
}

// generate waits for the client no longer than ctx lasts: one that does not
// listen to its context must not hold up the night, nor the host's Close.
func (a *Asker) generate(ctx context.Context, messages []llms.MessageContent, options []llms.CallOption) (*llms.ContentResponse, error) {
	type answer struct {
		resp *llms.ContentResponse
		err  error
	}
	answered := make(chan answer, 1)
	go func() {
		got := answer{err: errors.New("the client ended its goroutine")}
		defer func() {
			if r := recover(); r != nil { // a client's panic is a call that failed
				got = answer{err: schema.ForeignPanic("the client", r)}
			}
			answered <- got
		}()
		var err error
		got.resp, err = a.model.GenerateContent(ctx, messages, options...)
		got.err = schema.Foreign("the client", err)
	}()
	select {
	case got := <-answered:
		return got.resp, got.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// contentOf is what a response says, as the call of a function or as text, and
// whether it was not cut short.
func contentOf(resp *llms.ContentResponse, function string) (answer string, complete bool) {
	if resp == nil || len(resp.Choices) == 0 || resp.Choices[0] == nil {
		return "", true
	}
	c := resp.Choices[0]
	answer = c.Content
	for _, call := range c.ToolCalls {
		if call.FunctionCall != nil && call.FunctionCall.Name == function {
			answer = call.FunctionCall.Arguments
			break
		}
	}
	return answer, !slices.Contains([]string{"length", "max_tokens", "MAX_TOKENS", "FinishReasonMaxTokens"}, c.StopReason)
}

// tokens is what a call cost: as the provider counts, or as we estimate.
func tokens(resp *llms.ContentResponse, messages []llms.MessageContent, answer string) (in, out int) {
	if resp != nil && len(resp.Choices) > 0 && resp.Choices[0] != nil {
		info := resp.Choices[0].GenerationInfo
		in, out = number(info, "PromptTokens", "InputTokens", "input_tokens"), number(info, "CompletionTokens", "OutputTokens", "output_tokens")
	}
	if in <= 0 { // not counted, or counted in a way that would lengthen the budget
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

// speaksOfFunctions tells a provider that refuses functions from one that is
// out of order.
func speaksOfFunctions(err error) bool {
	if client, ok := errors.AsType[*schema.ForeignError](err); ok {
		err = client.Err
	}
	said := strings.ToLower(err.Error())
	return strings.Contains(said, "tool") || strings.Contains(said, "function")
}

func schemaText(schema map[string]any) string {
	if schema == nil {
		return ""
	}
	b, err := json.Marshal(schema)
	if err != nil {
		panic(err) // the schemas are ours
	}
	return "\n\nAnswer with one JSON object of this JSON Schema and nothing else:\n" + string(b)
}

func (a *Asker) isPlain() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.plain
}

func (a *Asker) setPlain() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.plain = true
}

func (a *Asker) remember(prompt string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !slices.Contains(a.prompts, prompt) {
		a.prompts = append(a.prompts, prompt)
	}
}

// takePrompts returns the prompts asked since the last time.
func (a *Asker) takePrompts() (prompts []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	prompts, a.prompts = a.prompts, nil
	return prompts
}

// givesUp reports an error after which a stage leaves one batch out and goes
// on with the next.
func givesUp(err error) bool {
	var answer *AnswerError
	return errors.As(err, &answer)
}
