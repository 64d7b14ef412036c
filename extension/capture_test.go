package extension_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	lcmemory "github.com/tmc/langchaingo/memory"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/clock"
	"github.com/ebbmem/ebb/schema"
)

// trusted is the trust of ada's memory with this content.
func trusted(t *testing.T, x *extension.Extension, content string) schema.Trust {
	t.Helper()
	answer, err := x.Recall(t.Context(), ada, extension.Query{Text: content, Limit: 50})
	require.NoError(t, err)
	for _, r := range answer.Results {
		if r.Memory.Content == content {
			return r.Memory.Trust
		}
	}
	t.Fatalf("%q is not remembered", content)
	return 0
}

// unwatched opens a memory whose faults are expected, with a clock to set.
func unwatched(t *testing.T) (x *extension.Extension, now *clock.Simulated) {
	t.Helper()
	now = clock.At(time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC))
	x, err := extension.Open(t.Context(), fresh(t), &extension.Config{Now: now.Now, NoBackground: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, x.Close(context.Background())) })
	return x, now
}

func TestAnswerTrustIsBoundedByTurn(t *testing.T) {
	const answer = "it opens at nine, says the page"
	helper := ada
	helper.Agent = "helper"
	raw, err := eventbus.New(eventbus.TopicAgentResponse, ada, eventbus.OriginAssistant, map[string]string{"text": answer})
	require.NoError(t, err)
	page := eventbus.ToolResult(ada, "web", "opening hours: nine to five")
	said := eventbus.UserMessage(ada, "when does it open?")
	bob := eventbus.UserMessage(extension.Scope{User: "bob"}, "hello")
	for name, batches := range map[string][][]eventbus.Event{
		"one at a time":              {{said}, {page}, {eventbus.AgentResponse(ada, answer)}},
		"together":                   {{said, page, eventbus.AgentResponse(ada, answer)}},
		"a payload without its role": {{said}, {page}, {raw}},
		"agents labelled apart":      {{page}, {said, eventbus.AgentResponse(helper, answer)}},
		"beside another user":        {{bob, said, page, eventbus.AgentResponse(ada, answer)}},
	} {
		t.Run(name, func(t *testing.T) {
			x := open(t, fresh(t))
			for _, batch := range batches {
				require.NoError(t, x.Bus().Publish(t.Context(), batch...))
			}
			require.Equal(t, eventbus.OriginToolExternal.Ceiling(), trusted(t, x, answer))
		})
	}
}

func TestConversationSurvivesEviction(t *testing.T) {
	x, _ := unwatched(t)
	old := extension.Scope{User: "ada", Session: "old"}
	require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(old, "Crumble the dog lives in Lisbon now", eventbus.From(eventbus.OriginImport))))
	s := session(t, x, ada)
	for i := range 5000 {
		session(t, x, extension.Scope{User: "bob", Session: fmt.Sprint(i)})
	}
	inputs := map[string]any{"input": "where does Crumble the dog live?"}
	loaded, err := s.Memory().LoadMemoryVariables(t.Context(), inputs)
	require.NoError(t, err)
	require.Contains(t, loaded["history"], "Lisbon")
	require.NoError(t, s.Memory().SaveContext(t.Context(), inputs, map[string]any{"output": "Crumble is in Lisbon"}))
	require.Equal(t, schema.Trust(1), trusted(t, x, "Crumble is in Lisbon"))
	require.Len(t, recalled(t, x, ada, "Crumble dog"), 3)
}

func TestRepeatedMessageAfterFailedTurn(t *testing.T) {
	inputs := map[string]any{"input": "water the begonia"}
	begin := func(t *testing.T, m *extension.Memory, inputs map[string]any) {
		t.Helper()
		_, err := m.LoadMemoryVariables(t.Context(), inputs)
		require.NoError(t, err)
	}
	t.Run("much later", func(t *testing.T) {
		x, now := unwatched(t)
		m := session(t, x, ada).Memory()
		begin(t, m, inputs)
		now.Add(24 * time.Hour)
		begin(t, m, inputs)
		require.Len(t, recalled(t, x, ada, "begonia"), 2)
	})
	t.Run("after another turn", func(t *testing.T) {
		x, _ := unwatched(t)
		m := session(t, x, ada).Memory()
		begin(t, m, inputs)
		begin(t, m, map[string]any{"input": "are you there?"})
		require.NoError(t, m.SaveContext(t.Context(), map[string]any{"input": "are you there?"}, map[string]any{"output": "I am"}))
		begin(t, m, inputs)
		require.NoError(t, m.SaveContext(t.Context(), inputs, map[string]any{"output": "done"}))
		require.Len(t, recalled(t, x, ada, "begonia water there done"), 5)
	})
}

func TestRefusedMessageDoesNotLoseAnswer(t *testing.T) {
	x, _ := unwatched(t)
	m := session(t, x, ada).Memory()
	require.NoError(t, m.SaveContext(t.Context(),
		map[string]any{"input": strings.Repeat("x", 3<<20)}, map[string]any{"output": "That was a long letter"}))
	require.Equal(t, []string{"That was a long letter"}, recalled(t, x, ada, "letter"))

	health, err := x.Health(t.Context())
	require.NoError(t, err)
	require.False(t, health.Healthy())
	require.Len(t, health.Failures, 1, "without a hook it is seen here")
	require.Equal(t, "memory", health.Failures[0].Source)
	require.EqualValues(t, 1, health.Failures[0].Count)
	require.Contains(t, health.Failures[0].Error, "text is longer than 1 MiB")
}

// forgetful is an inner memory that cannot be read.
type forgetful struct{ lcmemory.Simple }

func (forgetful) LoadMemoryVariables(context.Context, map[string]any) (map[string]any, error) {
	return nil, errors.New("the session store is down")
}

func TestMessageIsStoredIfInnerMemoryFails(t *testing.T) {
	x := open(t, fresh(t))
	m := session(t, x, ada).Memory(extension.WithInner(forgetful{}))
	_, err := m.LoadMemoryVariables(t.Context(), map[string]any{"input": "my locker is number nine"})
	require.EqualError(t, err, "the session store is down")
	require.Equal(t, []string{"my locker is number nine"}, recalled(t, x, ada, "locker"))
}

// strange is an inner memory with a history of a type of its own.
type strange struct{ forgetful }

func (strange) MemoryVariables(context.Context) []string { return []string{"history"} }
func (strange) GetMemoryKey(context.Context) string      { return "history" }
func (strange) LoadMemoryVariables(context.Context, map[string]any) (map[string]any, error) {
	return map[string]any{"history": []int{1}}, nil
}

func TestStrangeHistoryIsReported(t *testing.T) {
	var f faults
	x, err := extension.Open(t.Context(), fresh(t), &extension.Config{Hooks: extension.Hooks{OnError: f.hook}, NoBackground: true})
	require.NoError(t, err)
	defer func() { require.NoError(t, x.Close(context.Background())) }()
	other := extension.Scope{User: ada.User, Session: "other"}
	require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(other, "my locker is number nine")))
	inputs := map[string]any{"input": "which locker is mine?"}
	loaded, err := session(t, x, ada).Memory(extension.WithInner(strange{})).LoadMemoryVariables(t.Context(), inputs)
	require.NoError(t, err)
	require.Equal(t, map[string]any{"history": []int{1}}, loaded)
	require.Len(t, f.all, 1)
	require.Contains(t, f.all[0], "WithVariable")

	loaded, err = session(t, x, ada).Memory(extension.WithInner(strange{}), extension.WithVariable("recalled")).LoadMemoryVariables(t.Context(), inputs)
	require.NoError(t, err)
	require.Contains(t, loaded["recalled"], "number nine")
}

func TestReadOnlyTurns(t *testing.T) {
	path := fresh(t)
	x := open(t, path)
	require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(extension.Scope{User: ada.User, Session: "other"}, "my locker is number nine")))
	require.NoError(t, x.Close(t.Context()))
	x, err := extension.Open(t.Context(), path, &extension.Config{ReadOnly: true})
	require.NoError(t, err)
	defer func() { require.NoError(t, x.Close(context.Background())) }()
	m := session(t, x, ada).Memory()
	inputs := map[string]any{"input": "which locker is mine?"}
	loaded, err := m.LoadMemoryVariables(t.Context(), inputs)
	require.NoError(t, err)
	require.Contains(t, loaded["history"], "number nine")
	require.NoError(t, m.SaveContext(t.Context(), inputs, map[string]any{"output": "number nine"}))
	loaded, err = m.LoadMemoryVariables(t.Context(), map[string]any{"input": "and yours?"})
	require.NoError(t, err)
	require.Contains(t, loaded["history"], "Human: which locker is mine?", "the inner memory has the turn")
	health, err := x.Health(t.Context())
	require.NoError(t, err)
	require.Empty(t, health.Failures)
}

func TestQuestionDoesNotFindItself(t *testing.T) {
	for name, question := range map[string]string{
		"line ends":      "which giraffe did\r\nNoor see in the zoo?",
		"combining mark": "which girafe\u0301 did Noor see in the zoo?",
		"broken bytes":   "which giraffe did Noor\xff see in the\x00 zoo?",
	} {
		t.Run(name, func(t *testing.T) {
			x := open(t, fresh(t))
			require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(ada, question)))
			loaded, err := session(t, x, ada).Memory().LoadMemoryVariables(t.Context(), map[string]any{"input": question})
			require.NoError(t, err)
			require.Empty(t, loaded["history"])
		})
	}
}

func TestAmbiguousInputsAreRefused(t *testing.T) {
	var f faults
	x, err := extension.Open(t.Context(), fresh(t), &extension.Config{Hooks: extension.Hooks{OnError: f.hook}, NoBackground: true})
	require.NoError(t, err)
	defer func() { require.NoError(t, x.Close(context.Background())) }()
	s := session(t, x, ada)
	inputs := map[string]any{"topic": "giraffe ears", "style": "short, without giraffe jokes", "count": 3}
	outputs := map[string]any{"title": "Giraffe ears", "body": "A giraffe has two."}
	turn := func(m *extension.Memory) {
		_, err := m.LoadMemoryVariables(t.Context(), inputs)
		require.NoError(t, err)
		require.NoError(t, m.SaveContext(t.Context(), inputs, outputs))
	}
	inner := lcmemory.NewConversationBuffer(lcmemory.WithInputKey("topic"), lcmemory.WithOutputKey("body"))
	turn(s.Memory(extension.WithInner(inner)))
	require.Equal(t, []string{
		"memory: inputs hold texts under style, topic and none under input, question, human_input, query, so nothing of them is stored; name the key by WithKeys",
		"memory: outputs hold texts under body, title and none under output, text, answer, so nothing of them is stored; name the key by WithKeys",
	}, f.all)
	turn(s.Memory(extension.WithInner(inner), extension.WithKeys("topic", "body")))
	require.ElementsMatch(t, []string{"giraffe ears", "A giraffe has two."}, recalled(t, x, ada, "giraffe"))
	require.Len(t, f.all, 2)
}

func TestPublishedHistoryIsNotCurrentTurn(t *testing.T) {
	x, now := unwatched(t)
	m := session(t, x, ada).Memory()
	require.NoError(t, m.SaveContext(t.Context(), map[string]any{"input": "the blue bicycle"}, map[string]any{"output": "noted"}))
	old := eventbus.UserMessage(ada, "the blue bicycle", eventbus.At(now.Now().AddDate(-1, 0, 0)))
	for range 2 { // redelivered
		require.NoError(t, x.Bus().Publish(t.Context(), old))
	}
	require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(ada, "the blue bicycle", eventbus.At(now.Now()))), "the turn's, by another door")
	require.Len(t, recalled(t, x, ada, "blue bicycle"), 3, "two messages, and the answer beside one")
}

func TestOverlappingTurnsAreKept(t *testing.T) {
	x := openWith(t, fresh(t), withoutCore)
	m := session(t, x, ada).Memory()
	var turns sync.WaitGroup
	for i := range 8 {
		turns.Go(func() {
			inputs := map[string]any{"input": fmt.Sprintf("bicycle number %d", i)}
			_, err := m.LoadMemoryVariables(t.Context(), inputs)
			assert.NoError(t, err)
			assert.NoError(t, m.SaveContext(t.Context(), inputs, map[string]any{"output": fmt.Sprintf("bicycle %d it is", i)}))
		})
	}
	turns.Wait()
	require.Len(t, recalled(t, x, ada, "bicycle"), 16)
	loaded, err := m.LoadMemoryVariables(t.Context(), map[string]any{"input": "🙂"})
	require.NoError(t, err)
	require.Equal(t, 16, strings.Count(loaded["history"].(string), "bicycle"))
}
