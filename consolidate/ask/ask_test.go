package ask

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/ebbmem/ebb/internal/llmtest"
)

var probe = Prompt{Name: "probe", Version: 1, System: "Answer.", User: "How many?", Schema: map[string]any{
	"type": "object", "properties": map[string]any{"n": map[string]any{"type": "integer"}},
}}

func asker(model llms.Model, b Budget) *Asker {
	return &Asker{model: model, account: NewAccount(b, Prices{}, Usage{}), timeout: 200 * time.Millisecond, pause: time.Millisecond}
}

func (a *Asker) number(t *testing.T) (n int, err error) {
	t.Helper()
	err = a.Ask(t.Context(), probe, func(read func(any) error) error {
		var answer struct{ N *int }
		if err := read(&answer); err != nil {
			return err
		}
		if answer.N == nil {
			return errors.New("n is missing")
		}
		n = *answer.N
		return nil
	})
	return n, err
}

func TestFormsOfAnswers(t *testing.T) {
	call := func(arguments string) llmtest.Reply {
		return llmtest.ToolCall("c1", "probe", json.RawMessage(arguments))
	}
	for name, test := range map[string]struct {
		replies []llmtest.Reply
		calls   int
		faults  int
	}{
		"a call":             {[]llmtest.Reply{call(`{"n": 3}`)}, 1, 0},
		"text":               {[]llmtest.Reply{llmtest.Text(`{"n": 3}`)}, 1, 0},
		"fences":             {[]llmtest.Reply{llmtest.Text("```json\n{\"n\": 3}\n```")}, 1, 0},
		"prose around":       {[]llmtest.Reply{llmtest.Text(`Here you are: {"n": 3} – anything else?`)}, 1, 0},
		"a trailing comma":   {[]llmtest.Reply{llmtest.Text(`{"n": 3,}`)}, 1, 0},
		"single quotes":      {[]llmtest.Reply{llmtest.Text(`{'n': 3}`)}, 1, 0},
		"a call in text":     {[]llmtest.Reply{llmtest.Text("```json\n{\"name\": \"probe\", \"arguments\": {\"n\": 3}}\n```")}, 1, 0},
		"its parameters":     {[]llmtest.Reply{llmtest.Text(`{"name": "probe", "parameters": "{\"n\": 3}"}`)}, 1, 0},
		"cut JSON, then all": {[]llmtest.Reply{llmtest.Text(`{"n": 3, "why": "bec`), llmtest.Text(`{"n": 3}`)}, 2, 1},
		"cut by the length":  {[]llmtest.Reply{llmtest.Raw(`{"choices":[{"finish_reason":"length","message":{"role":"assistant","content":"{\"n\": 7}"}}]}`), llmtest.Text(`{"n": 3}`)}, 2, 1},
		"wrong, then right":  {[]llmtest.Reply{llmtest.Text(`{"n": "many"}`), llmtest.Text(`{"n": 3}`)}, 2, 1},
		"missing, then told": {[]llmtest.Reply{llmtest.Text(`{}`), llmtest.Text(`{"n": 3}`)}, 2, 1},
		"a 500, then right":  {[]llmtest.Reply{llmtest.Status(500, "overloaded"), llmtest.Text(`{"n": 3}`)}, 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			server := llmtest.New(t)
			for _, r := range test.replies {
				server.On(llmtest.Any, r).Times(1)
			}
			a := asker(server.LLM(t), Budget{})
			n, err := a.number(t)
			require.NoError(t, err)
			require.Equal(t, 3, n)
			require.Equal(t, test.faults, a.account.Usage().Faults)
			require.Equal(t, test.calls, a.account.Usage().Calls)
			require.Equal(t, []string{"probe@1"}, a.TakePrompts())
			if last := server.Requests()[len(server.Requests())-1]; test.calls == 2 {
				require.Contains(t, last.Last(), "cannot be used", "the model is told what was wrong")
			}
		})
	}
}

func TestFailures(t *testing.T) {
	var answer *AnswerError
	var model *ModelError
	useless := llmtest.New(t)
	useless.On(llmtest.Any, llmtest.Text("I would rather not."))
	a := asker(useless.LLM(t), Budget{})
	_, err := a.number(t)
	require.ErrorAs(t, err, &answer)
	require.Equal(t, "probe@1", answer.Prompt)
	require.Equal(t, 2, a.account.Usage().Faults)

	failing := llmtest.New(t)
	failing.On(llmtest.Any, llmtest.Status(500, "on fire"))
	_, err = asker(failing.LLM(t), Budget{}).number(t)
	require.ErrorAs(t, err, &model)
	require.Len(t, failing.Requests(), 2)

	silent := llmtest.New(t)
	silent.On(llmtest.Any, llmtest.Hang())
	_, err = asker(silent.LLM(t), Budget{}).number(t)
	require.ErrorAs(t, err, &model)
	require.ErrorIs(t, err, context.DeadlineExceeded)

	_, err = asker(panicking{}, Budget{}).number(t)
	require.ErrorAs(t, err, &model)
	require.EqualError(t, err, "the model cannot be asked: the client failed: panicked with a string", "which may hold the prompt")
}

type panicking struct{ llms.Model }

func (panicking) GenerateContent(context.Context, []llms.MessageContent, ...llms.CallOption) (*llms.ContentResponse, error) {
	panic("out of cheese")
}

func TestProviderWithoutFunctions(t *testing.T) {
	server := llmtest.New(t)
	server.On(llmtest.Any, llmtest.Status(400, "this model does not support tools")).Times(1)
	server.On(llmtest.Contains("JSON Schema"), llmtest.Text(`{"n": 3}`))
	a := asker(server.LLM(t), Budget{})
	for range 2 {
		n, err := a.number(t)
		require.NoError(t, err)
		require.Equal(t, 3, n)
	}
	require.Len(t, server.Requests(), 3, "it is asked for functions once")
	require.Zero(t, a.account.Usage().Faults)
}

// blocks is a client that returns one choice for each block of an answer, as langchaingo's
// for Anthropic does.
type blocks struct {
	llms.Model
	answers [][]*llms.ContentChoice
	maxima  []int // tokens allowed in each call; 0 for the client's own
	most    int   // more of them are refused; 0 for no limit
}

func (b *blocks) GenerateContent(_ context.Context, _ []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	var o llms.CallOptions
	for _, option := range options {
		option(&o)
	}
	b.maxima = append(b.maxima, o.MaxTokens)
	if b.most > 0 && o.MaxTokens > b.most {
		return nil, fmt.Errorf("400: max_tokens: %d > %d, which is the maximum allowed number of output tokens", o.MaxTokens, b.most)
	}
	answer := b.answers[0]
	b.answers = b.answers[1:]
	return &llms.ContentResponse{Choices: answer}, nil
}

func block(content, arguments, stop string) *llms.ContentChoice {
	c := &llms.ContentChoice{Content: content, StopReason: stop, GenerationInfo: map[string]any{"InputTokens": 70, "OutputTokens": 7}}
	if arguments != "" {
		c.ToolCalls = []llms.ToolCall{{FunctionCall: &llms.FunctionCall{Name: "probe", Arguments: arguments}}}
	}
	return c
}

func TestAnswersInBlocks(t *testing.T) {
	for name, answer := range map[string][]*llms.ContentChoice{
		"text before the call": {block("Let me count {them}.", "", "tool_use"), block("", `{"n": 3}`, "tool_use")},
		"thoughts":             {block("", "", "tool_use"), nil, block("", `{"n": 3}`, "tool_use")},
		"thoughts and text":    {block("", "", "end_turn"), block(`{"n": 3}`, "", "end_turn")},
		"text in two":          {block("Here it is:", "", "end_turn"), block(`{"n": 3}`, "", "end_turn")},
	} {
		t.Run(name, func(t *testing.T) {
			model := &blocks{answers: [][]*llms.ContentChoice{answer}}
			a := asker(model, Budget{})
			n, err := a.number(t)
			require.NoError(t, err)
			require.Equal(t, 3, n)
			require.Equal(t, Usage{Calls: 1, InputTokens: 70, OutputTokens: 7}, a.account.Usage())
			require.Equal(t, []int{0}, model.maxima)
		})
	}
}

// A client that sends a low maximum of its own is given a higher one once that cuts an answer.
func TestAnswerCutAtTheClientsMaximum(t *testing.T) {
	model := &blocks{answers: [][]*llms.ContentChoice{
		{block("", "", "max_tokens"), block("", `{}`, "max_tokens")},
		{block("", `{"n": 3}`, "tool_use")}, {block("", `{"n": 3}`, "tool_use")},
	}}
	a := asker(model, Budget{})
	for range 2 {
		n, err := a.number(t)
		require.NoError(t, err)
		require.Equal(t, 3, n)
	}
	require.Equal(t, []int{0, maxTokens, maxTokens}, model.maxima)
	model = &blocks{answers: [][]*llms.ContentChoice{{block(`{"n": 7}`, "", "length")}, {block(`{"n": 3}`, "", "stop")}}}
	n, err := asker(model, Budget{}).number(t)
	require.NoError(t, err)
	require.Equal(t, 3, n)
	require.Equal(t, []int{0, 0}, model.maxima, "the context itself was full")
}

// A model that refuses the higher maximum is asked on with that of its client.
func TestModelRefusesTheHigherMaximum(t *testing.T) {
	whole, cut := []*llms.ContentChoice{block("", `{"n": 3}`, "tool_use")}, []*llms.ContentChoice{block("", `{}`, "max_tokens")}
	model := &blocks{most: 4096, answers: [][]*llms.ContentChoice{cut, cut, whole, whole}}
	a := asker(model, Budget{})
	_, err := a.number(t)
	require.ErrorIs(t, err, ErrIncomplete, "so that a batch is halved")
	for range 2 {
		n, err := a.number(t)
		require.NoError(t, err)
		require.Equal(t, 3, n)
	}
	require.Equal(t, []int{0, maxTokens, 0, maxTokens, 0, 0}, model.maxima)
	require.Equal(t, 4, a.account.Usage().Calls)
}

// A server that accepts functions and ignores them is shown the form as text.
func TestProviderIgnoresFunctions(t *testing.T) {
	server := llmtest.New(t)
	server.On(llmtest.Any, llmtest.Text("<|im_end|>\n<|im_start|>user")).Times(1)
	server.On(llmtest.Contains("JSON Schema"), llmtest.Text(`{"n": 3}`))
	a := asker(server.LLM(t), Budget{})
	for range 2 {
		n, err := a.number(t)
		require.NoError(t, err)
		require.Equal(t, 3, n)
	}
	require.Len(t, server.Requests(), 3)
	require.Equal(t, 1, a.account.Usage().Faults)
}

// An answer in JSON that is no call shows too that the server ignores functions.
func TestProviderIgnoresFunctionsAndAnswersJSON(t *testing.T) {
	server := llmtest.New(t)
	server.On(llmtest.Any, llmtest.Text(`{"name": "n"}`)).Times(1)
	server.On(llmtest.Contains("JSON Schema"), llmtest.Text(`{"n": 3}`))
	n, err := asker(server.LLM(t), Budget{}).number(t)
	require.NoError(t, err)
	require.Equal(t, 3, n)
}

func TestPromptBeyondTheContext(t *testing.T) {
	server := llmtest.New(t)
	server.On(llmtest.Any, llmtest.Status(400, "request (9120 tokens) exceeds the available context size (8192 tokens)"))
	_, err := asker(server.LLM(t), Budget{}).number(t)
	require.True(t, Unusable(err), "other questions may be shorter")
	require.ErrorIs(t, err, ErrTooLong)
	require.EqualError(t, err, "no usable answer to probe@1: the prompt is longer than the model's context")
	require.Len(t, server.Requests(), 1, "it would be too long again")
}

func TestLenientValues(t *testing.T) {
	var v struct {
		N Number
		W Words
	}
	for answer, want := range map[string]string{
		`{"n": 0.5, "w": ["a", "b"]}`: "0.5 [a b]", `{"n": " 7.5 ", "w": "a"}`: "7.5 [a]", `{"n": "high", "w": ""}`: "0 []",
		`{"n": "NaN", "w": []}`: "0 []", `{"n": null, "w": null}`: "0 []",
	} {
		v.N, v.W = 0, nil
		require.NoError(t, Decode(t.Context(), answer, &v, nil), answer)
		require.Equal(t, want, fmt.Sprint(v.N, v.W), answer)
	}
	for _, answer := range []string{`{"n": []}`, `{"w": {}}`, `{"w": [1]}`} {
		require.Error(t, Decode(t.Context(), answer, &v, nil), answer)
	}
	var whole struct{ I Int }
	for answer, want := range map[string]Int{`{"i": 3}`: 3, `{"i": " 3 "}`: 3, `{"i": "-1"}`: -1, `{"i": null}`: 0} {
		whole.I = 0
		require.NoError(t, Decode(t.Context(), answer, &whole, nil), answer)
		require.Equal(t, want, whole.I, answer)
	}
	for _, answer := range []string{`{"i": "first"}`, `{"i": ""}`, `{"i": 1.5}`, `{"i": "[]"}`} {
		require.Error(t, Decode(t.Context(), answer, &whole, nil), answer)
	}
}

func TestInHalves(t *testing.T) {
	batch := []int{1, 2, 3, 4, 5, 6, 7, 8}
	for name, c := range map[string]struct {
		err   error
		above int // the batches that fail with it
		want  string
	}{
		"all fits":         {nil, 0, "[[1 2 3 4 5 6 7 8]]"},
		"too long":         {&AnswerError{Err: ErrTooLong}, 2, "[[1 2] [3 4] [5 6] [7 8]]"},
		"one is too long":  {&AnswerError{Err: ErrTooLong}, 0, "[]"},
		"cut off":          {&AnswerError{Err: ErrIncomplete}, 4, "[[1 2 3 4] [5 6 7 8]]"},
		"cut off of a few": {&AnswerError{Err: ErrIncomplete}, 3, "[]"},
		"another error":    {errors.New("broken"), 4, "[]"},
	} {
		answered := [][]int{}
		err := InHalves(batch, func(some []int) error {
			if c.err != nil && len(some) > c.above {
				return c.err
			}
			answered = append(answered, some)
			return nil
		})
		require.Equal(t, c.want, fmt.Sprint(answered), name)
		require.Equal(t, c.want == "[]", err != nil, name)
	}
}

func TestBudget(t *testing.T) {
	for name, b := range map[string]Budget{
		"calls":  {Calls: 2},
		"tokens": {Tokens: 100},
		"cost":   {Cost: 1e-4},
		"time":   {Time: time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			acc := NewAccount(b, Prices{Input: 1, Output: 1}, Usage{})
			now := acc.start
			acc.now = func() time.Time { return now }
			for range 2 {
				require.NoError(t, acc.check())
				acc.addCall(40, 10)
				now = now.Add(30 * time.Second)
			}
			require.ErrorIs(t, acc.check(), ErrBudget)
		})
	}
	unbounded := NewAccount(Budget{Calls: -1, Time: -1}, Prices{}, Usage{})
	for range 10 * DefaultBudgetCalls {
		require.NoError(t, unbounded.check())
		unbounded.addCall(1e6, 1e6)
	}
	resumed := NewAccount(Budget{Calls: 2}, Prices{}, Usage{Calls: 2})
	require.ErrorIs(t, resumed.check(), ErrBudget, "a continued run has used part of its budget")
}

func TestLongAnswersAreRefused(t *testing.T) {
	var got any
	long := `{"a": [` + strings.Repeat(`"x",`, maxAnswer/4) + `"x"]}`
	require.ErrorContains(t, Decode(t.Context(), long, &got, nil), "longer than 256 KiB")
	require.ErrorContains(t, Decode(t.Context(), `{"a": "`+strings.Repeat("x", maxAnswerText+1)+`"}`, &got, nil), "more than 8 KiB")
	require.NoError(t, Decode(t.Context(), `{"a": "`+strings.Repeat("x", maxAnswerText)+`"}`, &got, nil))
	list := strings.Repeat(`"x", `, maxRepaired/5-4)
	require.NoError(t, Decode(t.Context(), `{"a": [`+list[:len(list)-5]+`"x",]}`, &got, nil))
	require.NoError(t, Decode(t.Context(), `{"a": [`+list+list+`"x"]}`, &got, nil))
	require.ErrorContains(t, Decode(t.Context(), `{"a": [`+list+list+`"x",]}`, &got, nil), "longer than 64 KiB")
	deep := strings.Repeat(`{"a":`, maxAnswer/8) + strings.Repeat(`}`, maxAnswer/8)
	require.ErrorContains(t, Decode(t.Context(), deep, &got, nil), "nested too deeply")
	require.NoError(t, Decode(t.Context(), `{"a": `+strings.Repeat("[", 40)+strings.Repeat("]", 40)+`}`, &got, nil))
}

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{`{"a": [1, {"b": "}"}]}`, "```json\n{\"a\": 1,}\n```", `{"a": "\"{"}`, "{", "}{", `{"a": {}`, "{'a': 1}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, answer string) {
		var got any
		err := Decode(t.Context(), answer, &got, nil)
		var want map[string]any
		if json.Unmarshal([]byte(answer), &want) != nil || want == nil {
			return // no object: only that nothing panics
		}
		require.NoError(t, err)
		require.True(t, reflect.DeepEqual(any(want), got))
		require.NoError(t, Decode(t.Context(), "Gladly:\n```json\n"+answer+"\n```\nThat is all.", &got, nil))
		require.True(t, reflect.DeepEqual(any(want), got))
		if cut := strings.TrimRight(answer, " \n\t\r"); len(cut) > 1 {
			_ = Decode(t.Context(), cut[:len(cut)-1], &got, nil)
		}
	})
}
