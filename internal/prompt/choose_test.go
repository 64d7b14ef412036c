package prompt

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/recall"
	"github.com/ebbmem/ebb/schema"
)

// If the older of two lines is selected, the change is selected too, whatever the
// wording of the question.
func TestChangesAreSelfContained(t *testing.T) {
	const was, changed = "Nadia from accounts signs my expenses.", "From today Piotr signs my expenses instead."
	sentences := []string{was, changed}
	for i := range 30 {
		sentences = append(sentences, fmt.Sprintf("My shelf number %d is painted in colour %[1]d.", i+2))
	}
	lines := linesOf(claimsOf(nil, sentences...), time.UTC)
	chosen := lines.Choose(100, "Nadia?", nil, nil, time.Now())
	require.Contains(t, chosen.Text, was)
	require.Contains(t, chosen.Text, changed)
	require.NotContains(t, lines.Choose(100, "shelf number 22?", nil, nil, time.Now()).Text, changed)
}

// A line that means what is asked comes before lines that share a word with it, though
// the search ranks it below them.
func TestLinesLikeTheQuestionByMeaning(t *testing.T) {
	const means = "The pump in our cellar gave up again."
	sentences := []string{means}
	for i := range 40 {
		sentences = append(sentences, fmt.Sprintf("The water bill number %d was paid by Ann.", i+2))
	}
	lines := linesOf(claimsOf(nil, sentences...), time.UTC)
	ask := func(similarity float64) string {
		var found []recall.Result
		for id := range sentences[1:] {
			found = append(found, recall.Result{Memory: schema.Memory{ID: int64(id + 2)}})
		}
		found = append(found, recall.Result{Memory: schema.Memory{ID: 1}, Similarity: similarity})
		return lines.Choose(60, "Is there water on the floor?", found, nil, time.Now()).Text
	}
	require.NotContains(t, ask(0), means)
	require.Contains(t, ask(1), means)
}

// claimsOf are claims of sentences, one said each day.
func claimsOf(attributes schema.Attributes, sentences ...string) map[int64]*ownClaim {
	claims := make(map[int64]*ownClaim)
	for i, said := range sentences {
		c := &ownClaim{claim: schema.Memory{ID: int64(i + 1), Content: said, Attributes: attributes}, text: said}
		c.source = schema.Memory{ID: int64(100 + i), EventTime: schema.At(time.Date(2026, 3, 1+i, 9, 0, 0, 0, time.UTC))}
		c.prepare(time.UTC)
		claims[c.claim.ID] = c
	}
	return claims
}

// Of what the user says again and again in the same words the newest is enough; what
// was kept by a tool, and what is like another line in a few words, is left alone.
func TestPhrasesThatTheUserKeepsUsingFillNoSection(t *testing.T) {
	sentences := []string{
		"Help me word a note to Ann about her garage sale.", "Just so you know, the fuse box is in the cellar.",
		"Help me word a note to Ben about the school fees.", "Just so you know, my sister lives in Porto with two dogs.",
		"Help me word a note to Eve about a lost mitten.", "Just so you know, I cannot stand raw onions in anything.",
	}
	shown := func(attributes schema.Attributes) (texts []string) {
		lines, _ := linesOf(claimsOf(attributes, sentences...), time.UTC).All()
		for _, l := range lines {
			texts = append(texts, l.Text)
		}
		return texts
	}
	require.Equal(t, []string{sentences[1], sentences[3], sentences[4], sentences[5]}, shown(schema.Attributes{schema.AttrSaid: schema.SaidLasting}))
	require.Equal(t, sentences, shown(nil))
	require.Equal(t, sentences, shown(schema.Attributes{schema.AttrSaid: "claim"}), "parsed: each is a fact of its own")
}
