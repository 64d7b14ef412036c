package extension_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/callbacks"
	"github.com/tmc/langchaingo/llms"
	"go.uber.org/goleak"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/extension/doctor"
	"github.com/ebbmem/ebb/internal/clock"
	"github.com/ebbmem/ebb/internal/memtest"
	"github.com/ebbmem/ebb/internal/pgtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var ada = extension.Scope{User: "ada", Session: "monday"}

// faults collects what was reported instead of returned.
type faults struct {
	mu  sync.Mutex
	all []string
}

func (f *faults) hook(source string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.all = append(f.all, source+": "+err.Error())
}

func init() {
	extension.Examine = func(t *testing.T, path string) (healthy bool, checks []string) {
		d, err := doctor.Diagnose(t.Context(), memtest.Located(path), extension.Key{})
		require.NoError(t, err)
		for _, c := range d.Checks {
			checks = append(checks, fmt.Sprintf("%s: %s %s", c.Name, c.State, c.Detail))
		}
		return d.Healthy, append(checks, d.Refused)
	}
}

func open(t *testing.T, path string) *extension.Extension {
	t.Helper()
	return openWith(t, path, extension.Config{})
}

// withoutCore has no core section, in which what was said stands as soon as it was
// read in the background.
var withoutCore = extension.Config{CoreMemory: extension.CoreMemoryConfig{ProfileTokens: -1}}

func openWith(t *testing.T, path string, cfg extension.Config) *extension.Extension {
	t.Helper()
	var f faults
	cfg.Hooks.OnError = f.hook
	x, err := extension.Open(t.Context(), path, &cfg)
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, x.Close(context.Background()))
		require.Empty(t, f.all, "background faults")
	})
	return x
}

func fresh(t *testing.T) string { return filepath.Join(t.TempDir(), "memory.db") }

func session(t *testing.T, x *extension.Extension, scope extension.Scope) *extension.Session {
	t.Helper()
	s, err := x.Session(scope)
	require.NoError(t, err)
	return s
}

// recalled are the texts of the messages that a search finds, best first. Claims
// come in the background, at any moment.
func recalled(t *testing.T, x *extension.Extension, scope extension.Scope, question string) []string {
	t.Helper()
	answer, err := x.Recall(t.Context(), scope, extension.Query{Text: question, Limit: 100, Kinds: []extension.Kind{extension.KindEpisode}})
	require.NoError(t, err)
	require.Empty(t, answer.Degraded)
	texts := make([]string, len(answer.Results))
	for i, r := range answer.Results {
		texts[i] = r.Memory.Content
	}
	return texts
}

func TestPublishedMessageIsFound(t *testing.T) {
	path := fresh(t)
	x, err := extension.Open(t.Context(), path, nil)
	require.NoError(t, err)
	require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(ada, "My sister Noor marries on 12 June")))
	require.Equal(t, []string{"My sister Noor marries on 12 June"}, recalled(t, x, ada, "when does Noor marry?"))
	require.NoError(t, x.Close(t.Context()))
	require.NoError(t, x.Close(t.Context()), "closing twice is fine")

	x = open(t, path)
	later := extension.Scope{User: "ada", Session: "tuesday"}
	require.Equal(t, []string{"My sister Noor marries on 12 June"}, recalled(t, x, later, "Noor's wedding, when does she marry?"))
	require.Empty(t, recalled(t, x, extension.Scope{User: "bob"}, "when does Noor marry?"), "another user")
	require.Empty(t, recalled(t, x, extension.Scope{Tenant: "acme", User: "ada"}, "when does Noor marry?"), "another tenant")
}

func TestEventIDIsIdempotent(t *testing.T) {
	x := open(t, fresh(t))
	e := eventbus.UserMessage(ada, "the parcel is at number nine")
	for range 3 {
		require.NoError(t, x.Bus().Publish(t.Context(), e))
	}
	require.Len(t, recalled(t, x, ada, "parcel"), 1)
}

func TestCombinedSourcesStoreATurnOnce(t *testing.T) {
	type door struct {
		name string
		say  func(t *testing.T, x *extension.Extension, s *extension.Session, said, answered string)
	}
	doors := []door{
		{"memory", func(t *testing.T, _ *extension.Extension, s *extension.Session, said, answered string) {
			m := s.Memory()
			_, err := m.LoadMemoryVariables(t.Context(), map[string]any{"input": said})
			require.NoError(t, err)
			require.NoError(t, m.SaveContext(t.Context(), map[string]any{"input": said}, map[string]any{"output": answered}))
		}},
		{"callbacks", func(t *testing.T, _ *extension.Extension, s *extension.Session, said, answered string) {
			h := s.Callbacks()
			h.HandleChainStart(t.Context(), map[string]any{"input": said})
			h.HandleChainStart(t.Context(), map[string]any{"input": said, "agent_scratchpad": ""})
			h.HandleChainEnd(t.Context(), map[string]any{"text": "Thought: Do I need to use a tool? No\nAI: " + answered})
			h.HandleChainEnd(t.Context(), map[string]any{"output": answered})
		}},
		{"bus", func(t *testing.T, x *extension.Extension, s *extension.Session, said, answered string) {
			require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(s.Scope(), said)))
			require.NoError(t, x.Bus().Publish(t.Context(), eventbus.AgentResponse(s.Scope(), answered)))
		}},
	}
	for set := 1; set < 1<<len(doors); set++ {
		var used []door
		var names []string
		for i, d := range doors {
			if set&(1<<i) != 0 {
				used = append(used, d)
				names = append(names, d.name)
			}
		}
		t.Run(strings.Join(names, "+"), func(t *testing.T) {
			x := open(t, fresh(t))
			s := session(t, x, ada)
			for range 2 { // the same words twice are two turns
				for _, d := range used {
					d.say(t, x, s, "yes, the blue bicycle", "noted: a blue bicycle")
				}
			}
			require.Len(t, recalled(t, x, ada, "bicycle"), 4, "two turns of two messages")
		})
	}
}

func TestAgentStepIsNotAnAnswer(t *testing.T) {
	x := open(t, fresh(t))
	s := session(t, x, ada)
	executor, agent := s.Callbacks(), s.Callbacks() // a handler of its own for each
	executor.HandleChainStart(t.Context(), map[string]any{"input": "which bicycle?"})
	for _, step := range []string{"Do I need to use a tool? Yes\nAction: search_memory", "Do I need to use a tool? No\nAI: the blue bicycle"} {
		agent.HandleChainStart(t.Context(), map[string]any{"input": "which bicycle?", "agent_scratchpad": ""})
		agent.HandleChainEnd(t.Context(), map[string]any{"text": step})
	}
	executor.HandleChainEnd(t.Context(), map[string]any{"output": "the blue bicycle"})
	require.ElementsMatch(t, []string{"which bicycle?", "the blue bicycle"}, recalled(t, x, ada, "bicycle"))
}

func TestRetryThroughSecondSourceIsOneMessage(t *testing.T) {
	x := open(t, fresh(t))
	s := session(t, x, ada)
	require.NoError(t, s.Memory().SaveContext(t.Context(), map[string]any{"input": "the blue bicycle"}, map[string]any{"output": "noted"}))
	e := eventbus.UserMessage(extension.Scope{User: "ada", Session: "monday", Agent: "helper"}, "the blue bicycle")
	for range 2 {
		require.NoError(t, x.Bus().Publish(t.Context(), e))
	}
	require.Len(t, recalled(t, x, ada, "bicycle"), 2, "the message, and the answer beside it")
}

func TestLaterRepetitionIsNewMessage(t *testing.T) {
	now := clock.At(time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC))
	x, err := extension.Open(t.Context(), fresh(t), &extension.Config{Now: now.Now, NoBackground: true})
	require.NoError(t, err)
	defer func() { require.NoError(t, x.Close(context.Background())) }()
	s := session(t, x, ada)
	require.NoError(t, s.Memory().SaveContext(t.Context(), map[string]any{"input": "the blue bicycle"}, map[string]any{"output": "noted"}))
	now.Add(time.Hour)
	require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(ada, "the blue bicycle")))
	require.Len(t, recalled(t, x, ada, "bicycle"), 3)
}

func TestFailedCaptureIsNotRemembered(t *testing.T) {
	x, err := extension.Open(t.Context(), fresh(t), nil)
	require.NoError(t, err)
	s := session(t, x, ada)
	require.NoError(t, x.Close(t.Context()))
	require.ErrorIs(t, s.Memory().SaveContext(t.Context(), map[string]any{"input": "hello"}, map[string]any{"output": "hi"}), extension.ErrClosed)
	require.ErrorIs(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(ada, "hello")), extension.ErrClosed)
	_, err = x.Recall(t.Context(), ada, extension.Query{Text: "hello"})
	require.ErrorIs(t, err, extension.ErrClosed, "an error is never an empty answer")
}

func TestMessageIsStoredAtStartOfTurn(t *testing.T) {
	x := open(t, fresh(t))
	m := session(t, x, ada).Memory()
	inputs := map[string]any{"input": "No, my dog is called Crumble"}
	for range 2 { // a turn that failed and is tried again
		_, err := m.LoadMemoryVariables(t.Context(), inputs)
		require.NoError(t, err)
		require.Len(t, recalled(t, x, ada, "dog"), 1)
	}
	require.NoError(t, m.SaveContext(t.Context(), inputs, map[string]any{"output": "Crumble it is"}))
	require.Len(t, recalled(t, x, ada, "dog Crumble"), 2)

	_, err := m.LoadMemoryVariables(t.Context(), inputs)
	require.NoError(t, err)
	require.Len(t, recalled(t, x, ada, "dog Crumble"), 3, "said again, in another turn")
}

func TestWithSpeakers(t *testing.T) {
	x := open(t, fresh(t))
	m := session(t, x, ada).Memory(extension.WithSpeakers("Ada", "Helper"))
	inputs := map[string]any{"input": "the plums are ripe"}
	_, err := m.LoadMemoryVariables(t.Context(), inputs)
	require.NoError(t, err)
	require.NoError(t, m.SaveContext(t.Context(), inputs, map[string]any{"output": "then pick the plums"}))
	answer, err := x.Recall(t.Context(), ada, extension.Query{Text: "plums"})
	require.NoError(t, err)
	names := map[string]string{}
	for _, r := range answer.Results {
		names[r.Memory.Role] = r.Memory.Speaker
	}
	require.Equal(t, map[string]string{"user": "Ada", "assistant": "Helper"}, names)
}

func TestCloseWithACancelledContextStillCloses(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	x, err := extension.Open(ctx, fresh(t), nil)
	require.NoError(t, err)
	cancel()
	require.NoError(t, x.Close(ctx))
}

func TestOnlyTheOwnerCanReadWhatIsStored(t *testing.T) {
	pgtest.FileOnly(t, "its permissions")
	path := fresh(t)
	x := open(t, path)
	require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(ada, "between us")))
	for _, suffix := range []string{"", "-wal", "-shm"} {
		info, err := os.Stat(path + suffix)
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), "memory.db%s", suffix)
	}
}

func TestMemoryInjectsBeforeHistory(t *testing.T) {
	x := openWith(t, fresh(t), withoutCore)
	require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(extension.Scope{User: "ada", Session: "march"}, "I am allergic to cashews")))
	m := session(t, x, ada).Memory()
	load := func(question string) string {
		values, err := m.LoadMemoryVariables(t.Context(), map[string]any{"input": question})
		require.NoError(t, err)
		return values["history"].(string)
	}
	history := load("what am I allergic to?")
	require.Contains(t, history, ": I am allergic to cashews\n")
	require.Equal(t, 1, strings.Count(history, "<memory nonce="))

	require.NoError(t, m.SaveContext(t.Context(), map[string]any{"input": "what am I allergic to?"}, map[string]any{"output": "Cashews."}))
	history = load("allergic, really?")
	require.Contains(t, history, "Human: what am I allergic to?", "the inner memory's own turns")
	require.NotRegexp(t, `(?m)^\[m.*: what am I allergic`, history, "what the history holds is not recalled beside it")
	require.NotContains(t, load("🙂"), "<memory", "nothing to search for")
	require.NoError(t, x.WaitIdle(t.Context()))
	require.Len(t, recalled(t, x, ada, "allergic allergy cashews"), 5, "load and save are one turn; the smile stands beside one")
}

func TestWrapModelInjectsOnce(t *testing.T) {
	x := open(t, fresh(t))
	require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(extension.Scope{User: "ada"}, "Pixel is afraid of thunder")))
	s := session(t, x, ada)
	var seen echo
	llm := extension.WrapModel(&seen, s)
	_, err := llm.GenerateContent(t.Context(), []llms.MessageContent{
		llms.TextParts(llms.ChatMessageTypeSystem, "Be brief."),
		llms.TextParts(llms.ChatMessageTypeHuman, "What is Pixel afraid of?"),
	})
	require.NoError(t, err)
	require.Contains(t, seen.prompt, ": Pixel is afraid of thunder\n")
	require.True(t, strings.HasSuffix(seen.prompt, "What is Pixel afraid of?\n"))

	values, err := s.Memory().LoadMemoryVariables(t.Context(), map[string]any{"input": "What is Pixel afraid of?"})
	require.NoError(t, err)
	_, err = llm.GenerateContent(t.Context(), []llms.MessageContent{
		llms.TextParts(llms.ChatMessageTypeHuman, values["history"].(string)+"\nWhat is Pixel afraid of?"),
	})
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(seen.prompt, "<memory nonce="), "the session's Memory was first")
}

// A model wrapped for a team and for a person puts both memories before the question, and
// neither gets to know what the other recalled.
func TestWrapModelForTwoMemories(t *testing.T) {
	x := open(t, fresh(t))
	team, marek := extension.Scope{User: "team"}, extension.Scope{User: "marek"}
	require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(team, "We deploy to Hetzner on Thursdays"), eventbus.UserMessage(marek, "My secret second job is at Allegro on Thursdays")))
	require.NoError(t, x.WaitIdle(t.Context()))
	var seen echo
	for _, order := range [][2]extension.Scope{{team, marek}, {marek, team}} {
		llm := extension.WrapModel(extension.WrapModel(&seen, session(t, x, order[0])), session(t, x, order[1]))
		_, err := llm.GenerateContent(t.Context(), []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, "What happens on Thursdays?")})
		require.NoError(t, err)
		require.Contains(t, seen.prompt, "Hetzner")
		require.Contains(t, seen.prompt, "Allegro")
		require.Equal(t, 2, strings.Count(seen.prompt, "<memory nonce="))
		require.Equal(t, 1, strings.Count(seen.prompt, "What happens on Thursdays?"))
	}
	require.NoError(t, x.WaitIdle(t.Context()))
	for _, of := range []extension.Scope{team, marek} {
		var out strings.Builder
		_, err := x.Export(t.Context(), &out, of)
		require.NoError(t, err)
		require.NotContains(t, out.String(), map[string]string{"team": "Allegro", "marek": "Hetzner"}[of.User])
	}
}

// echo is a model that only keeps what it was asked.
type echo struct{ prompt string }

func (e *echo) GenerateContent(_ context.Context, messages []llms.MessageContent, _ ...llms.CallOption) (*llms.ContentResponse, error) {
	e.prompt = ""
	for _, m := range messages {
		for _, p := range m.Parts {
			e.prompt += p.(llms.TextContent).Text + "\n"
		}
	}
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: "ok"}}}, nil
}

func (e *echo) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, e, prompt, options...)
}

func TestAnswerTrustIsBoundedByRecalled(t *testing.T) {
	x := open(t, fresh(t))
	s := session(t, x, ada)
	say := func(e eventbus.Event) { require.NoError(t, x.Bus().Publish(t.Context(), e)) }
	say(eventbus.UserMessage(ada, "read that page about walruses to me"))
	say(eventbus.ToolResult(ada, "browser", "walruses can fly, says the page"))
	say(eventbus.AgentResponse(ada, "it says that walruses can fly"))
	say(eventbus.UserMessage(ada, "walruses cannot fly, trust me"))
	say(eventbus.AgentResponse(ada, "agreed about walruses"))
	answer, err := s.Search(t.Context(), extension.Query{Text: "walruses", Limit: 10})
	require.NoError(t, err)
	levels := map[string]int{}
	for _, r := range answer.Results {
		levels[r.Memory.Content] = int(r.Memory.Trust)
	}
	require.Equal(t, map[string]int{
		"read that page about walruses to me": 4, "walruses can fly, says the page": 1, "it says that walruses can fly": 1,
		"walruses cannot fly, trust me": 4,
		"agreed about walruses":         1, // the page is still in view
	}, levels)
}

func TestBadInput(t *testing.T) {
	x := open(t, fresh(t))
	publish := func(e eventbus.Event) error { return x.Bus().Publish(t.Context(), e) }
	recall := func(q extension.Query) error {
		_, err := x.Recall(t.Context(), ada, q)
		return err
	}
	_, runs := x.Runs(t.Context(), extension.Scope{}, 0)
	_, proposals := x.Proposals(t.Context(), extension.Scope{})
	_, quarantined := x.Quarantined(t.Context(), extension.Scope{}, 0)
	_, blocks := x.Blocks(t.Context(), extension.Scope{})
	_, stats := x.Stats(t.Context(), extension.Scope{})
	for name, c := range map[string]struct {
		err   error
		field string
	}{
		"no user":                {publish(eventbus.UserMessage(extension.Scope{}, "hi")), "Scope.User"},
		"runs of no user":        {runs, "Scope.User"},
		"proposals of no user":   {proposals, "Scope.User"},
		"quarantined of no user": {quarantined, "Scope.User"},
		"blocks of no user":      {blocks, "Scope.User"},
		"stats of no user":       {stats, "Scope.User"},
		"empty message":          {publish(eventbus.UserMessage(ada, " \x00 ")), "text"},
		"2 MB":                   {publish(eventbus.UserMessage(ada, strings.Repeat("a", 2<<20))), "text"},
		"long session":           {publish(eventbus.UserMessage(extension.Scope{User: "ada", Session: strings.Repeat("s", 600)}, "hi")), "Scope.Session"},
		"too much trust":         {publish(eventbus.UserMessage(ada, "hi", eventbus.From(eventbus.OriginImport), eventbus.Trusted(4))), "Trust"},
		"empty query":            {recall(extension.Query{}), "query"},
		"negative limit":         {recall(extension.Query{Text: "x", Limit: -1}), "limit"},
		"limit of 10⁹":           {recall(extension.Query{Text: "x", Limit: 1e9}), "limit"},
		"since after until":      {recall(extension.Query{Text: "x", Since: time.Unix(9, 0), Until: time.Unix(5, 0)}), "since"},
		"unknown kind":           {recall(extension.Query{Text: "x", Kinds: []extension.Kind{"rumour"}}), "kind"},
	} {
		t.Run(name, func(t *testing.T) {
			var invalid *extension.InvalidError
			require.ErrorAs(t, c.err, &invalid)
			require.Equal(t, c.field, invalid.Field)
		})
	}
	_, err := x.Session(extension.Scope{Session: "s"})
	require.ErrorContains(t, err, "Scope.User")
	require.Empty(t, recalled(t, x, ada, "hi"))
}

func TestInvalidTextIsCleaned(t *testing.T) {
	x := open(t, fresh(t))
	require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(ada, "cin\x00namon \xffbuns")))
	require.Equal(t, []string{"cinnamon buns"}, recalled(t, x, ada, "cinnamon"))
}

func TestSearchSyntaxIsLiteral(t *testing.T) {
	x := open(t, fresh(t))
	require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(ada, "plums and pears")))
	for _, q := range []string{`"plums`, `plums AND NOT (`, `speaker: plums*`, `NEAR(plums pears, 5)`, `{plums} ^ -`, `'; DROP TABLE memories; -- plums`} {
		require.Len(t, recalled(t, x, ada, q), 1, q)
	}
}

// listening counts the calls of tools.
type listening struct {
	callbacks.SimpleHandler

	started, ended []string
}

func (l *listening) HandleToolStart(_ context.Context, input string) {
	l.started = append(l.started, input)
}
func (l *listening) HandleToolEnd(_ context.Context, output string) {
	l.ended = append(l.ended, output)
}

func TestToolsReportTheirCallsToHandlers(t *testing.T) {
	x := open(t, fresh(t))
	var heard listening
	for _, tool := range session(t, x, ada).Tools(&heard) {
		answer, err := tool.Call(t.Context(), "plums")
		require.NoError(t, err)
		require.Equal(t, answer, heard.ended[len(heard.ended)-1], tool.Name())
	}
	require.Len(t, heard.started, 8)
}
