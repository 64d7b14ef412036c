package bustest

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/schema"
)

func testFanOut(t *testing.T, _ Features, s Setup) {
	b := s.Open(t)
	var one, two recorder
	subscribe(t, b, "one", one.handle)
	subscribe(t, b, "two", two.handle)
	at := time.Date(1969, 7, 20, 20, 17, 40, 0, time.UTC)
	sent := eventbus.ToolResult(scope, "radio", "the eagle has landed", eventbus.WithID("apollo"), eventbus.At(at),
		eventbus.Speaker("Neil"), eventbus.From(eventbus.OriginToolInternal), eventbus.Trusted(2))
	require.NoError(t, b.Publish(t.Context(), sent))
	for _, r := range []*recorder{&one, &two} {
		r.waitFor(t, 1)
		got := r.events[0]
		assert.Positive(t, got.Seq)
		assert.False(t, got.RecordedAt.IsZero())
		got.Seq, got.RecordedAt = 0, time.Time{}
		want, err := json.Marshal(sent)
		require.NoError(t, err)
		is, err := json.Marshal(got)
		require.NoError(t, err)
		assert.JSONEq(t, string(want), string(is))
	}
}

func testTopics(t *testing.T, _ Features, s Setup) {
	b := s.Open(t)
	own, err := eventbus.New("host.door.opened", scope, eventbus.OriginUnknown, map[string]int{"floor": 3})
	require.NoError(t, err)
	var exact, prefix, all recorder
	subscribe(t, b, "exact", exact.handle, eventbus.Topics(eventbus.TopicUserMessage))
	subscribe(t, b, "prefix", prefix.handle, eventbus.Topics("host.*", eventbus.TopicAgentResponse))
	subscribe(t, b, "all", all.handle, eventbus.Topics("*"))
	require.NoError(t, b.Publish(t.Context(), eventbus.UserMessage(scope, "u"), own, eventbus.AgentResponse(scope, "a")))
	assert.ElementsMatch(t, []string{"u", "host.door.opened", "a"}, all.waitFor(t, 3))
	assert.ElementsMatch(t, []string{"host.door.opened", "a"}, prefix.waitFor(t, 2))
	assert.Equal(t, []string{"u"}, exact.waitFor(t, 1))
	var payload map[string]int
	for _, e := range all.events {
		if e.Topic == own.Topic {
			require.NoError(t, e.Decode(&payload))
		}
	}
	assert.Equal(t, map[string]int{"floor": 3}, payload)
}

func testConcurrent(t *testing.T, f Features, s Setup) {
	const publishers, each = 8, 25
	b := s.Open(t)
	var r recorder
	subscribe(t, b, "c", r.handle)
	var wg sync.WaitGroup
	var want []string
	for p := range publishers {
		texts := numbered(string(rune('a'+p)), each)
		want = append(want, texts...)
		wg.Go(func() {
			for _, text := range texts {
				assert.NoError(t, b.Publish(t.Context(), eventbus.UserMessage(scope, text)))
			}
		})
	}
	wg.Wait()
	got := r.waitFor(t, publishers*each)
	require.ElementsMatch(t, want, got)
	if f.Ordered {
		for p := range publishers {
			var own []string
			for _, text := range got {
				if strings.HasPrefix(text, string(rune('a'+p))) {
					own = append(own, text)
				}
			}
			assert.Equal(t, want[p*each:(p+1)*each], own, "one publisher's events keep their order")
		}
	}
}

func testInvalid(t *testing.T, _ Features, s Setup) {
	b := s.Open(t)
	var r recorder
	subscribe(t, b, "c", r.handle)
	level := eventbus.Trust(3)
	good := func() eventbus.Event { return eventbus.UserMessage(scope, "x") }
	for field, spoil := range map[string]func(*eventbus.Event){
		"Scope.User":  func(e *eventbus.Event) { e.Scope.User = " " },
		"Scope.Agent": func(e *eventbus.Event) { e.Scope.Agent = "a\x00b" },
		"ID":          func(e *eventbus.Event) { e.ID = strings.Repeat("x", 513) },
		"Topic":       func(e *eventbus.Event) { e.Topic = "User Message" },
		"Origin":      func(e *eventbus.Event) { e.Origin = "" },
		"Trust":       func(e *eventbus.Event) { e.Origin, e.Trust = eventbus.OriginImport, &level },
		"OccurredAt":  func(e *eventbus.Event) { e.OccurredAt = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC) },
		"Payload":     func(e *eventbus.Event) { e.Payload = json.RawMessage(`{"text":`) },
		"text":        func(e *eventbus.Event) { e.Payload = json.RawMessage(`{"text":" \u0000 "}`) },
		"role":        func(e *eventbus.Event) { e.Payload = json.RawMessage(`{"text":"x","role":"root"}`) },
	} {
		e := good()
		spoil(&e)
		var invalid *schema.InvalidError
		if err := b.Publish(t.Context(), e); assert.ErrorAs(t, err, &invalid, field) {
			assert.Equal(t, field, invalid.Field)
		}
	}
	for _, topic := range []string{eventbus.TopicMemoryStored, eventbus.TopicMemoryRecalled, "memory.forged"} {
		e := good()
		e.Topic = topic
		var invalid *schema.InvalidError
		require.ErrorAs(t, b.Publish(t.Context(), e), &invalid, "only ebb may report")
	}
	require.NoError(t, b.Publish(t.Context()), "no events are no error")
	publish(t, b, "good")
	assert.Equal(t, []string{"good"}, r.waitFor(t, 1))
}

func testInvalidSubscription(t *testing.T, _ Features, s Setup) {
	b := s.Open(t)
	var r recorder
	subscribe(t, b, "taken", r.handle)
	for name, sub := range map[string]func() (eventbus.Subscription, error){
		"empty name": func() (eventbus.Subscription, error) { return b.Subscribe(t.Context(), "", r.handle) },
		"taken name": func() (eventbus.Subscription, error) { return b.Subscribe(t.Context(), "taken", r.handle) },
		"no handler": func() (eventbus.Subscription, error) { return b.Subscribe(t.Context(), "x", nil) },
		"pattern": func() (eventbus.Subscription, error) {
			return b.Subscribe(t.Context(), "x", r.handle, eventbus.Topics("user.mess*"))
		},
		"attempts": func() (eventbus.Subscription, error) {
			return b.Subscribe(t.Context(), "x", r.handle, eventbus.MaxAttempts(0))
		},
	} {
		var invalid *schema.InvalidError
		_, err := sub()
		assert.ErrorAs(t, err, &invalid, name)
	}
}

func testOrder(t *testing.T, _ Features, s Setup) {
	b := s.Open(t)
	var r recorder
	subscribe(t, b, "c", r.handle)
	want := numbered("m", 200)
	publish(t, b, want[:100]...)
	var batch []eventbus.Event
	for _, text := range want[100:] {
		batch = append(batch, eventbus.UserMessage(scope, text))
	}
	require.NoError(t, b.Publish(t.Context(), batch...))
	assert.Equal(t, want, r.waitFor(t, len(want)))
}

func testIdempotent(t *testing.T, _ Features, s Setup) {
	b := s.Open(t)
	var r recorder
	subscribe(t, b, "c", r.handle)
	e := eventbus.UserMessage(scope, "once")
	other := scope
	other.User = "bob"
	elsewhere := eventbus.UserMessage(other, "once for bob", eventbus.WithID(e.ID))
	later := scope
	later.Session = "another session"
	require.NoError(t, b.Publish(t.Context(), e, e))
	require.NoError(t, b.Publish(t.Context(), e))
	require.NoError(t, b.Publish(t.Context(), eventbus.UserMessage(later, "same id", eventbus.WithID(e.ID)), elsewhere))
	publish(t, b, "last")
	assert.ElementsMatch(t, []string{"once", "once for bob", "last"}, r.waitFor(t, 3))
	time.Sleep(20 * time.Millisecond)
	assert.Len(t, r.texts(), 3, "nothing comes late")
}

func testTransactional(t *testing.T, _ Features, s Setup) {
	b := s.Open(t)
	var r recorder
	subscribe(t, b, "c", r.handle)
	bad := eventbus.UserMessage(scope, "")
	require.Error(t, b.Publish(t.Context(), eventbus.UserMessage(scope, "lost with the other"), bad))
	publish(t, b, "good")
	assert.Equal(t, []string{"good"}, r.waitFor(t, 1))
}
