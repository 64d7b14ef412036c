package eventbus

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/schema"
)

func TestPatterns(t *testing.T) {
	for pattern, topics := range map[string]map[string]bool{
		"*":            {"user.message": true, "memory.stored": true},
		"memory.*":     {"memory.stored": true, "memory.a.b": true, "memories.stored": false},
		"host.door.*":  {"host.door.opened": true, "host.door_bell": false},
		"user.message": {"user.message": true, "user.message.edited": false},
	} {
		require.NoError(t, validPattern(pattern))
		for topic, want := range topics {
			require.NoError(t, validTopic(topic))
			assert.Equal(t, want, match(pattern, topic), "%s against %s", topic, pattern)
		}
	}
	for _, bad := range []string{"", "user", "user.*message", "user.mess*", "*.message", "User.message", "user..message", "user.[a]", "memory.**"} {
		assert.Error(t, validPattern(bad), bad)
	}
	for _, bad := range []string{"", "user", "user.", ".user", "user.Message", "user.message\n", "user." + strings.Repeat("x", schema.MaxLabel)} {
		assert.Error(t, validTopic(bad), "%q", bad)
	}
}

func TestDefaultBackoff(t *testing.T) {
	var waits []time.Duration
	for attempt := range 12 {
		waits = append(waits, defaultBackoff(attempt))
	}
	const s = time.Second
	assert.Equal(t, []time.Duration{s, s, 2 * s, 4 * s, 8 * s, 16 * s, 32 * s, 64 * s, 128 * s, 256 * s, 300 * s, 300 * s}, waits)
	assert.Equal(t, 300*s, defaultBackoff(1<<40))
}

func TestErrorMarks(t *testing.T) {
	cause := errors.New("cause")
	assert.NoError(t, Permanent(nil))
	assert.ErrorIs(t, Permanent(cause), cause)
	assert.Equal(t, "cause", Permanent(cause).Error())
}

func TestNormaliseKeepsWhatItCan(t *testing.T) {
	base := func() Event { return UserMessage(Scope{User: "u"}, "x") }
	early := time.Date(1, 1, 2, 0, 0, 0, 999, time.FixedZone("", 3600))
	low := Trust(0)
	for name, c := range map[string]struct {
		change func(*Event)
		want   func(*testing.T, Event)
	}{
		"trust defaults to the ceiling": {func(*Event) {}, func(t *testing.T, e Event) { assert.Equal(t, schema.MaxTrust, *e.Trust) }},
		"trust can be nothing":          {func(e *Event) { e.Trust = &low }, func(t *testing.T, e Event) { assert.Zero(t, *e.Trust) }},
		"long ago":                      {func(e *Event) { e.OccurredAt = early }, func(t *testing.T, e Event) { assert.Equal(t, schema.At(early).Time, e.OccurredAt) }},
		"the future":                    {func(e *Event) { e.OccurredAt = early.AddDate(9000, 0, 0) }, func(t *testing.T, e Event) { assert.Equal(t, 9001, e.OccurredAt.Year()) }},
		"role by topic":                 {func(e *Event) { e.Topic = TopicToolResult; e.Payload = []byte(`{"text":"x"}`) }, func(t *testing.T, e Event) { assert.JSONEq(t, `{"text":"x","role":"tool"}`, string(e.Payload)) }},
		"invalid bytes go":              {func(e *Event) { e.Payload = []byte("{\"text\":\"a\xffb\\u0000c\"}") }, func(t *testing.T, e Event) { assert.JSONEq(t, `{"text":"abc","role":"user"}`, string(e.Payload)) }},
		"no payload":                    {func(e *Event) { e.Topic = "host.tick"; e.Payload = nil }, func(t *testing.T, e Event) { assert.Equal(t, "null", string(e.Payload)) }},
		"any payload":                   {func(e *Event) { e.Topic = "host.tick"; e.Payload = []byte(" [1, 12345678901234567890.5] ") }, func(t *testing.T, e Event) { assert.Equal(t, "[1,12345678901234567890.5]", string(e.Payload)) }},
		"escapes at the limit":          {func(e *Event) { e.Payload = encodeMessage(&Message{Text: strings.Repeat("\x01", schema.MaxContent)}) }, func(t *testing.T, e Event) { m, _ := e.Message(); assert.Len(t, m.Text, schema.MaxContent) }},
	} {
		t.Run(name, func(t *testing.T) {
			e := base()
			c.change(&e)
			require.NoError(t, normalise(t.Context(), &e, nil))
			c.want(t, e)
		})
	}
}

func TestNormaliseNamesTheField(t *testing.T) {
	for name, c := range map[string]struct {
		field  string
		change func(*Event)
	}{
		"unknown member":  {"Payload", func(e *Event) { e.Payload = []byte(`{"text":"x","mood":"good"}`) }},
		"two values":      {"Payload", func(e *Event) { e.Payload = []byte(`{"text":"x"}{}`) }},
		"no payload":      {"Payload", func(e *Event) { e.Payload = nil }},
		"too long":        {"text", func(e *Event) { e.Payload = encodeMessage(&Message{Text: strings.Repeat("x", schema.MaxContent+1)}) }},
		"speaker":         {"speaker", func(e *Event) { e.Payload = encodeMessage(&Message{Text: "x", Speaker: strings.Repeat("x", 513)}) }},
		"tool":            {"tool", func(e *Event) { e.Payload = encodeMessage(&Message{Text: "x", Tool: strings.Repeat("x", 513)}) }},
		"host's too big":  {"Payload", func(e *Event) { e.Topic = "host.tick"; e.Payload = []byte(`"` + strings.Repeat("x", MaxPayload) + `"`) }},
		"host's not UTF8": {"Payload", func(e *Event) { e.Topic = "host.tick"; e.Payload = []byte("\"\xff\"") }},
		"host's not JSON": {"Payload", func(e *Event) { e.Topic = "host.tick"; e.Payload = []byte("tick") }},
		"negative trust":  {"Trust", func(e *Event) { low := Trust(-1); e.Trust = &low }},
		"a far year":      {"OccurredAt", func(e *Event) { e.OccurredAt = time.Unix(1<<62, 0) }},
		"year 0":          {"OccurredAt", func(e *Event) { e.OccurredAt = time.Date(0, 12, 31, 0, 0, 0, 0, time.UTC) }},
	} {
		t.Run(name, func(t *testing.T) {
			e := UserMessage(Scope{User: "u"}, "x")
			c.change(&e)
			var invalid *schema.InvalidError
			require.ErrorAs(t, normalise(t.Context(), &e, nil), &invalid)
			assert.Equal(t, c.field, invalid.Field)
		})
	}
}

func TestShorten(t *testing.T) {
	assert.Equal(t, "ab", shorten("a\xffb"))
	long := shorten(strings.Repeat("é", maxError) + "x")
	assert.Equal(t, strings.Repeat("é", maxError/2), long)
	assert.True(t, utf8.ValidString(shorten("x"+strings.Repeat("é", maxError))))
}

// Any bytes are refused or become a clean message, and cleaning it again changes
// nothing.
func FuzzNormalise(f *testing.F) {
	for _, seed := range []string{`{"text":"x"}`, `{"text":"a\u0000b\ud800","speaker":"Ada","role":"tool","tool":"t"}`, `null`, `{"TEXT":"x"}`, "{\"text\":\"\xff\u0301e\u0301\"}"} {
		f.Add(TopicUserMessage, []byte(seed))
		f.Add("host.tick", []byte(seed))
	}
	f.Fuzz(func(t *testing.T, topic string, payload []byte) {
		e := Event{ID: "id", Topic: topic, Scope: Scope{User: "u"}, Origin: OriginUnknown, Payload: payload}
		if err := normalise(t.Context(), &e, nil); err != nil {
			var invalid *schema.InvalidError
			require.ErrorAs(t, err, &invalid)
			return
		}
		require.True(t, json.Valid(e.Payload))
		require.True(t, utf8.Valid(e.Payload))
		once := string(e.Payload)
		require.NoError(t, normalise(t.Context(), &e, nil))
		require.Equal(t, once, string(e.Payload))
		if _, ok := isMessage(topic); ok {
			m, err := e.Message()
			require.NoError(t, err)
			require.NoError(t, schema.ValidContent("text", m.Text))
		}
	})
}
