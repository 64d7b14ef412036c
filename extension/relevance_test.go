package extension

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
)

// On the first day there is little to choose from, and what is asked of its
// asker is likely about it, whatever the words.
func TestSmallMemoryIsInjected(t *testing.T) {
	said := []string{
		"My brother Marek drives a tram.", "I'm getting married on 14 June.", "The kettle is broken again.",
		"I can't eat gluten, it makes me ill for days.", "Thanks, that was helpful!", "I drive a green Skoda.",
		"We planted tomatoes behind the shed.", "Ottilie teaches the violin in Ghent.",
	}
	for _, n := range []int{3, len(said)} {
		x, err := Open(t.Context(), filepath.Join(t.TempDir(), "m.db"), &Config{})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, x.Close(t.Context())) })
		for _, text := range said[:n] {
			require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(Scope{User: "ada", Session: "first"}, text)))
		}
		s, err := x.Session(Scope{User: "ada", Session: "second"})
		require.NoError(t, err)
		for _, question := range []string{"When is my wedding?", "When is the wedding?", "When do I get married?", "What does my brother do?", "What is Marek driving?"} {
			found, err := s.Preview(t.Context(), question)
			require.NoError(t, err)
			require.NotEmpty(t, found.Items, "%d messages: %s: %.2f %v", n, question, found.Answer.Relevance, found.Answer.Grounds)
		}
		for _, question := range []string{"What's the boiling point of ethanol?", "Write a haiku about rain.", "Wie hoch ist der Mont Blanc?", "¿Quién pintó el Guernica?", "水的沸点是多少？"} {
			found, err := s.Preview(t.Context(), question)
			require.NoError(t, err)
			require.Empty(t, found.Items, "%d messages: %s: %.2f %v", n, question, found.Answer.Relevance, found.Answer.Grounds)
		}
	}
}
