package claims

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/schema"
)

func TestSpeakersOf(t *testing.T) {
	message := func(role, speaker string) schema.Memory {
		return schema.Memory{Kind: schema.KindEpisode, Role: role, Speaker: speaker}
	}
	fact := func(subject, said string) schema.Memory {
		return schema.Memory{Kind: schema.KindFact, Subject: subject, Attributes: schema.Attributes{schema.AttrSaid: said}}
	}
	for _, c := range []struct {
		memory schema.Memory
		want   []string
	}{
		{message("user", ""), []string{"ada"}},
		{message("", ""), []string{"ada"}},
		{message("user", "Ada Lovelace"), []string{"Ada Lovelace", "ada"}},
		{message("user", "Tom"), []string{"Tom"}},
		{message("assistant", ""), nil},
		{message("assistant", "Iris"), []string{"Iris"}},
		{message("tool", ""), nil},
		{fact("the user", "claim"), []string{"ada"}},
		{fact("the user's sister", "claim"), []string{"ada"}},
		{fact("Tom", "claim"), []string{"Tom"}},
		{fact("Tom's sister", "claim"), []string{"Tom"}},
		{fact("", ""), []string{"ada"}},
		{fact("", "lasting"), nil},
	} {
		require.Equal(t, c.want, SpeakersOf(&c.memory, "ada"), c.memory)
	}
}

func TestSubject(t *testing.T) {
	for _, c := range []struct {
		subject, content, want string
	}{
		{"", "The user likes tea.", "I"},
		{"", "The user's brother likes tea.", "my brother"},
		{"the user's brother", "", "my brother"},
		{"Ada", "", "I"},
		{"Tom", "I like tea.", "tom"},
		{"", "Rain.", ""},
	} {
		require.Equal(t, c.want, Subject(&schema.Memory{Subject: c.subject, Content: c.content}, "ada"), c)
	}
	require.True(t, OfOthers("I", "my brother"))
	require.False(t, OfOthers("I", ""))
	require.False(t, OfOthers("the deploy script", "deploy script"))
}

// What somebody else says after a request to forget does not keep what its speaker wants forgotten.
func TestSaidSinceByOthers(t *testing.T) {
	asked := schema.At(time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC))
	w := &reading{Message: &Message{Memory: &schema.Memory{Content: "Forget that I live in Oslo.", EventTime: asked}, owner: schema.Scope{User: "ada"}}}
	for speaker, since := range map[string]bool{"": true, "Ada": true, "Ben": false} {
		c := schema.Cited{Role: "user", Speaker: speaker, Time: schema.At(asked.Add(time.Hour))}
		require.Equal(t, since, w.saidSince(&c), speaker)
	}
	w.Content = "Forget that Ben lives in Bergen."
	require.True(t, w.saidSince(&schema.Cited{Role: "user", Speaker: "Ben", Time: schema.At(asked.Add(time.Hour))}))
	require.False(t, w.saidSince(&schema.Cited{Role: "user", Speaker: "Ben", Time: schema.At(asked.Add(-time.Hour))}))
}
