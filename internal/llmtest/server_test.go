package llmtest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
	"go.uber.org/goleak"

	"github.com/ebbmem/ebb/internal/llmtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func human(text string) []llms.MessageContent {
	return []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, text)}
}

var weather = []llms.Tool{{Type: "function", Function: &llms.FunctionDefinition{
	Name: "weather", Description: "tells the weather",
	Parameters: map[string]any{"type": "object", "properties": map[string]any{"city": map[string]any{"type": "string"}}},
}}}

func TestRulesAnswerInOrder(t *testing.T) {
	s := llmtest.New(t)
	s.On(llmtest.LastContains("once"), llmtest.Text("first")).Times(1)
	s.On(llmtest.Contains("echo"), llmtest.Answer(func(r llmtest.Request) llmtest.Reply { return llmtest.Text(r.Last() + "!") }))
	s.On(llmtest.Any, llmtest.Text("otherwise"))
	llm := s.LLM(t)
	for _, turn := range []struct{ ask, want string }{
		{"say it once", "first"}, {"say it once", "otherwise"}, {"echo", "echo!"},
	} {
		got, err := llms.GenerateFromSinglePrompt(t.Context(), llm, turn.ask)
		require.NoError(t, err)
		require.Equal(t, turn.want, got)
	}
	require.Len(t, s.Requests(), 3)
}

func TestRequestsAreRecorded(t *testing.T) {
	s := llmtest.New(t)
	s.On(llmtest.Any, llmtest.JSON(map[string]int{"degrees": 21}))
	messages := []llms.MessageContent{
		llms.TextParts(llms.ChatMessageTypeSystem, "be brief"),
		llms.TextParts(llms.ChatMessageTypeHuman, "how warm", "is it?"),
	}
	resp, err := s.LLM(t).GenerateContent(t.Context(), messages, llms.WithTools(weather))
	require.NoError(t, err)
	require.JSONEq(t, `{"degrees":21}`, resp.Choices[0].Content)
	require.Equal(t, 5, resp.Choices[0].GenerationInfo["PromptTokens"], "words of the prompt")
	require.Equal(t, 1, resp.Choices[0].GenerationInfo["CompletionTokens"])

	r := s.Requests()[0]
	require.Equal(t, "how warmis it?", r.Last(), "parts are joined")
	require.Equal(t, "[system]\nbe brief\n[user]\nhow warmis it?\n", r.Prompt())
	require.Equal(t, "weather", r.Tools[0].Function.Name)
	require.JSONEq(t, `{"type":"object","properties":{"city":{"type":"string"}}}`, string(r.Tools[0].Function.Parameters))
	require.False(t, r.Stream)
}

// collect is the option that streams, and what arrives by it.
func collect() (llms.CallOption, *[]string) {
	var chunks []string
	return llms.WithStreamingFunc(func(_ context.Context, b []byte) error {
		chunks = append(chunks, string(b))
		return nil
	}), &chunks
}

func TestToolCallRoundTrip(t *testing.T) {
	stream, chunks := collect()
	for name, options := range map[string][]llms.CallOption{"at once": nil, "streamed": {stream}} {
		t.Run(name, func(t *testing.T) {
			s := llmtest.New(t)
			s.On(llmtest.LastContains("21"), llmtest.Text("It is warm."))
			s.On(llmtest.Any, llmtest.ToolCall("c1", "weather", map[string]string{"city": "東京都千代田区"}))
			llm, messages := s.LLM(t), human("how warm is it?")
			options := append(options, llms.WithTools(weather))
			resp, err := llm.GenerateContent(t.Context(), messages, options...)
			require.NoError(t, err)
			calls := resp.Choices[0].ToolCalls
			require.Equal(t, "tool_calls", resp.Choices[0].StopReason)
			require.Len(t, calls, 1)
			require.Equal(t, "weather", calls[0].FunctionCall.Name)
			require.JSONEq(t, `{"city":"東京都千代田区"}`, calls[0].FunctionCall.Arguments)

			messages = append(messages,
				llms.MessageContent{Role: llms.ChatMessageTypeAI, Parts: []llms.ContentPart{calls[0]}},
				llms.MessageContent{Role: llms.ChatMessageTypeTool, Parts: []llms.ContentPart{
					llms.ToolCallResponse{ToolCallID: "c1", Name: "weather", Content: "21 degrees"},
				}})
			resp, err = llm.GenerateContent(t.Context(), messages, options...)
			require.NoError(t, err)
			require.Equal(t, "It is warm.", resp.Choices[0].Content)
			told := s.Requests()[1]
			require.Len(t, told.Messages, 3)
			require.Equal(t, "c1", told.Messages[1].ToolCalls[0].ID)
			require.Equal(t, "c1", told.Messages[2].ToolCallID)
		})
	}
	require.NotEmpty(t, *chunks)
}

func TestStreaming(t *testing.T) {
	s := llmtest.New(t)
	s.On(llmtest.Any, llmtest.Text("It is warm."))
	stream, chunks := collect()
	resp, err := s.LLM(t).GenerateContent(t.Context(), human("how warm is it?"), stream)
	require.NoError(t, err)
	require.Equal(t, []string{"", "It ", "is ", "warm.", ""}, *chunks)
	require.Equal(t, "It is warm.", resp.Choices[0].Content)
	require.Equal(t, "stop", resp.Choices[0].StopReason)
	require.Equal(t, 7, resp.Choices[0].GenerationInfo["TotalTokens"])
	require.True(t, s.Requests()[0].Stream)
}

func TestFailuresAreReturned(t *testing.T) {
	for name, c := range map[string]struct {
		reply llmtest.Reply
		want  string
	}{
		"server error": {llmtest.Status(500, "oops"), "500: oops"},
		"malformed":    {llmtest.Raw(`{"choices": [`), "unexpected EOF"},
		"no JSON":      {llmtest.Raw("<html>"), "invalid character '<'"},
		"no choices":   {llmtest.Raw(`{"choices": []}`), "empty response"},
	} {
		t.Run(name, func(t *testing.T) {
			s := llmtest.New(t)
			s.On(llmtest.Any, c.reply)
			_, err := s.LLM(t).GenerateContent(t.Context(), human("how warm is it?"))
			require.ErrorContains(t, err, c.want)
		})
	}
}

// response is one that was read to its end.
type response struct {
	*http.Response

	body string
}

func post(t *testing.T, s *llmtest.Server, path, body string) response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+path, strings.NewReader(body))
	require.NoError(t, err)
	resp, err := s.Client().Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	read, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return response{resp, string(read)}
}

func TestHangEndsWithCaller(t *testing.T) {
	s := llmtest.New(t)
	began := make(chan struct{}, 1)
	s.On(func(llmtest.Request) bool { began <- struct{}{}; return true }, llmtest.Hang())
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-began; cancel() }()
	_, err := llms.GenerateFromSinglePrompt(ctx, s.LLM(t), "hello?")
	require.ErrorContains(t, err, "request cancelled", "langchaingo words the error its own way")
	require.NotErrorIs(t, err, context.Canceled, "and keeps its cause from us")
}

func TestHangEndsWithServer(t *testing.T) {
	s := llmtest.New(t)
	began := make(chan struct{}, 2)
	s.On(llmtest.Contains("at once"), llmtest.Answer(func(llmtest.Request) llmtest.Reply { began <- struct{}{}; return llmtest.Hang() }))
	s.On(llmtest.Any, llmtest.Answer(func(llmtest.Request) llmtest.Reply { began <- struct{}{}; return llmtest.HangAfter("It is") }))
	var callers sync.WaitGroup
	for _, question := range []string{"at once", "streamed"} {
		llm := s.LLM(t)
		callers.Go(func() {
			stream, _ := collect()
			_, _ = llm.GenerateContent(context.Background(), human(question), stream)
		})
	}
	<-began
	<-began
	s.Close()
	s.Close()
	callers.Wait()
}

func TestManyAtOnce(t *testing.T) {
	s := llmtest.New(t)
	s.On(llmtest.Contains("rare"), llmtest.Text("one of three")).Times(3)
	s.On(llmtest.Any, llmtest.Text("usual"))
	llm := s.LLM(t)
	var mu sync.Mutex
	counts := make(map[string]int)
	var callers sync.WaitGroup
	for range 20 {
		callers.Go(func() {
			got, err := llms.GenerateFromSinglePrompt(t.Context(), llm, "rare")
			mu.Lock()
			defer mu.Unlock()
			counts[fmt.Sprint(got, err)]++
			_ = s.Requests()
		})
	}
	callers.Wait()
	require.Equal(t, map[string]int{"one of three<nil>": 3, "usual<nil>": 17}, counts)
	require.Len(t, s.Requests(), 20)
}

func TestModelsAreListed(t *testing.T) {
	s := llmtest.New(t)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/v1/models", nil)
	require.NoError(t, err)
	resp, err := s.Client().Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	var list struct{ Data []struct{ ID string } }
	require.NoError(t, json.NewDecoder(resp.Body).Decode(&list))
	require.Equal(t, "scripted", list.Data[0].ID)
}

// verdict runs a test and keeps what it would have failed with.
type verdict struct {
	testing.TB

	cleanups []func()
	errors   []string
}

func (v *verdict) Cleanup(f func()) { v.cleanups = append(v.cleanups, f) }

func (v *verdict) Errorf(format string, args ...any) {
	v.errors = append(v.errors, fmt.Sprintf(format, args...))
}

// failures are those of a test that sends these requests.
func failures(t *testing.T, script func(*llmtest.Server)) []string {
	t.Helper()
	v := &verdict{TB: t}
	s := llmtest.New(v)
	script(s)
	for _, f := range v.cleanups {
		f()
	}
	return v.errors
}

func TestUnmatchedRequest(t *testing.T) {
	got := failures(t, func(s *llmtest.Server) {
		s.On(llmtest.Contains("snow"), llmtest.Text("It is cold."))
		s.On(llmtest.Any, llmtest.Text("Good morning.")).Times(1)
		llm := s.LLM(t)
		_, err := llm.GenerateContent(t.Context(), human("good morning"))
		require.NoError(t, err)
		_, err = llm.GenerateContent(t.Context(), human("how warm\nis it?"), llms.WithTools(weather))
		require.ErrorContains(t, err, "500: no rule matches this request")
	})
	require.Len(t, got, 1)
	require.Regexp(t, `^llmtest: no rule matched this request:
  \+ \[user\]
  \+ how warm
  \+ is it\?
  \+ \(tool weather\)
rules, in order:
  - server_test.go:\d+ does not match: s.On\(llmtest.Contains\("snow"\), llmtest.Text\("It is cold."\)\)
  - server_test.go:\d+ has answered its 1 times: s.On\(llmtest.Any, llmtest.Text\("Good morning."\)\).Times\(1\)
$`, got[0])
}

func TestInvalidRequestFailsTest(t *testing.T) {
	const ask = `{"role":"user","content":"hi"}`
	const call = `{"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}]}`
	const result = `{"role":"tool","tool_call_id":"c1","content":"done"}`
	chat := func(messages ...string) string {
		return `{"model":"m","messages":[` + strings.Join(messages, ",") + `]}`
	}
	for body, want := range map[string]string{
		chat(ask, call, result):         "",
		`{`:                             "this chat request is not one",
		`{"messages":[` + ask + `]}`:    "must provide a model",
		chat():                          "at least one message",
		chat(`{"role":"wizard"}`):       `unknown role "wizard"`,
		chat(ask, result):               "answers no call",
		chat(ask, call, ask):            `where the answers to ["c1"] are due`,
		chat(ask, call):                 "were not answered",
		chat(ask, call, result, result): "answers no call",
		`{"model":"m","messages":[` + ask + `],"tools":[{"type":"function","function":{"name":"a b"}}]}`: "no function with a name",
	} {
		var status int
		got := failures(t, func(s *llmtest.Server) {
			s.On(llmtest.Any, llmtest.Text("fine"))
			status = post(t, s, "/chat/completions", body).StatusCode
		})
		if want == "" {
			require.Equal(t, http.StatusOK, status)
			require.Empty(t, got)
			continue
		}
		require.Equal(t, http.StatusBadRequest, status, body)
		require.Len(t, got, 1)
		require.Contains(t, got[0], want)
	}
	got := failures(t, func(s *llmtest.Server) { post(t, s, "/v2/chat", `{}`) })
	require.Len(t, got, 1)
	require.Contains(t, got[0], "nothing is served at POST /v2/chat")
}
