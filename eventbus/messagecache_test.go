package eventbus

import (
	"context"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ebbmem/ebb/schema"
)

// The cached message must equal the message decoded from the payload.
func TestCachedMessageEqualsItsPayload(t *testing.T) {
	words := rapid.OneOf(rapid.String(), rapid.StringMatching(`[ab\x00\x{2028}<&" ]{0,6}`), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }))
	rapid.Check(t, func(t *rapid.T) {
		opts := []MessageOption{
			Speaker(words.Draw(t, "speaker")), Tags(rapid.SliceOfN(words, 0, 3).Draw(t, "tags")...),
			Importance(rapid.SampledFrom([]float64{0, 1, 7.25, math.NaN(), math.Inf(1)}).Draw(t, "importance")),
		}
		for name, value := range rapid.MapOfN(rapid.StringMatching(`[a-z]{1,3}`), words, 0, 3).Draw(t, "attributes") {
			opts = append(opts, Attribute(name, value))
		}
		if rapid.Bool().Draw(t, "partial") {
			opts = append(opts, Partial())
		}
		e := rapid.SampledFrom([]Event{
			UserMessage(Scope{User: "u"}, words.Draw(t, "text"), opts...), ToolResult(Scope{User: "u"}, words.Draw(t, "tool"), words.Draw(t, "text"), opts...),
		}).Draw(t, "event")
		_, known := e.cachedMessage()
		require.True(t, known)
		kept, err := e.Message()
		require.NoError(t, err)
		read := e
		read.cache = nil
		m, err := read.Message()
		require.NoError(t, err)
		require.Equal(t, m, kept)

		rewrite := rapid.SampledFrom([]schema.Redact{nil, withoutA}).Draw(t, "rewrite")
		left, right := normalise(t.Context(), &e, rewrite), normalise(t.Context(), &read, rewrite)
		require.Equal(t, right, left)
		require.Equal(t, string(read.Payload), string(e.Payload))
	})
}

func withoutA(_ context.Context, _, s string) (string, error) {
	return strings.ReplaceAll(s, "a", ""), nil
}

func TestEmptyLabelsAreRemoved(t *testing.T) {
	for name, label := range map[string]MessageOption{"tag": Tags("aaa"), "attribute": Attribute("in", "aaa")} {
		t.Run(name, func(t *testing.T) {
			e := UserMessage(Scope{User: "u"}, "tee", label)
			require.NoError(t, normalise(t.Context(), &e, withoutA))
			require.NotContains(t, string(e.Payload), "aaa")
			m, err := e.Message()
			require.NoError(t, err)
			require.Equal(t, Message{Text: "tee", Role: "user"}, m)
		})
	}
}

func TestAChangedPayloadIsDecodedAgain(t *testing.T) {
	e := UserMessage(Scope{User: "u"}, "tea", Attribute("place", "Oslo"), Tags("drinks"))
	m, err := e.Message()
	require.NoError(t, err)
	m.Attributes["place"], m.Tags[0] = "Rome", "food"
	m, err = e.Message()
	require.NoError(t, err)
	require.Equal(t, Message{Text: "tea", Role: "user", Attributes: map[string]string{"place": "Oslo"}, Tags: []string{"drinks"}}, m, "it is not the caller's")

	copy(e.Payload[len(`{"text":"`):], "ale")
	m, err = e.Message()
	require.NoError(t, err)
	require.Equal(t, "ale", m.Text)
	e.Payload = json.RawMessage(`{"text":"wine"}`)
	require.NoError(t, normalise(t.Context(), &e, nil))
	require.JSONEq(t, `{"text":"wine","role":"user"}`, string(e.Payload))
}

// An event may be published twice concurrently.
func TestPreparingAnEventLeavesTheOriginalAlone(t *testing.T) {
	first := UserMessage(Scope{User: "u"}, "tea", Attribute("place", "Oslo")).Stamped(map[string]string{"cycle": "12"})
	second := first
	require.NoError(t, normalise(t.Context(), &second, nil))
	m, err := first.Message()
	require.NoError(t, err)
	require.Equal(t, map[string]string{"place": "Oslo"}, m.Attributes)
	m, err = second.Message()
	require.NoError(t, err)
	require.Equal(t, map[string]string{"place": "Oslo", "cycle": "12"}, m.Attributes)
}
