package prompt

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// message adds claims of sentences of one message, said on a day of March.
func message(claims map[int64]*ownClaim, day int, content string, sentences ...string) (added []*ownClaim) {
	for _, s := range sentences {
		c := &ownClaim{claim: schema.Memory{ID: int64(len(claims) + 1), UID: fmt.Sprint("c", len(claims)+1), Content: s}, text: Shown(s), covered: true}
		c.source = schema.Memory{
			ID: int64(1000 + day), UID: fmt.Sprint("m", day), Content: content, Kind: schema.KindEpisode, Role: "user", Origin: schema.OriginUser, Trust: schema.MaxTrust,
			EventTime: schema.At(time.Date(2026, 3, day, 9, 0, 0, 0, time.UTC)),
		}
		c.readEndings()
		claims[c.claim.ID] = c
		added = append(added, c)
	}
	return added
}

// chosen returns the section for a question among the claims and many others.
func chosen(claims map[int64]*ownClaim, budget int, question string) Section {
	return linesOf(claims, time.UTC, time.Time{}).Ask(context.Background(), question, "", Meaning{}, nil, time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)).Choose(budget)
}

var lasting = schema.Attributes{schema.AttrSaid: schema.SaidLasting}

// A fact beside the one that the question is about is not injected once more.
func TestSectionRepeatsTheNeighboursOfALine(t *testing.T) {
	claims := make(map[int64]*ownClaim)
	of := message(claims, 2, "I am mad about trains. I am allergic to nuts.", "I am mad about trains.", "I am allergic to nuts.")
	section := chosen(claims, 400, "Which trains shall I take?")
	require.Contains(t, section.Text, "- Mon Mar 2: I am mad about trains. I am allergic to nuts.\n")
	for _, c := range of {
		require.True(t, section.Repeats(&c.claim))
	}
	lines, _ := section.Lines()
	require.Equal(t, []string{"c1", "c2"}, lines[0].Claims)
}

// A neighbour is shown with the later line that may have changed it.
func TestChangesOfNeighboursAreSelected(t *testing.T) {
	const was, changed = "Nadia from accounts signs my expenses.", "From today Piotr signs my expenses instead."
	claims := make(map[int64]*ownClaim)
	message(claims, 1, "I am mad about trains. "+was, "I am mad about trains.", was)
	message(claims, 2, changed, changed)
	for i := range 28 {
		shelf := fmt.Sprintf("My shelf number %d is painted in colour %[1]d.", i+2)
		message(claims, i+3, shelf, shelf)
	}
	for budget := 90; budget < 200; budget += 5 {
		section := chosen(claims, budget, "trains").Text
		require.Contains(t, section, "I am mad about trains.")
		if strings.Contains(section, was) {
			require.Contains(t, section, changed, budget)
		}
	}
	section := chosen(claims, 4000, "trains").Text
	require.Contains(t, section, "- Sun Mar 1: I am mad about trains. "+was+"\n")
}

// A message around a line is short, whatever ends its sentences.
func TestMessageAroundALineIsShort(t *testing.T) {
	var list []string
	for i := range 100 {
		list = append(list, fmt.Sprintf("- pay bill %d of the garage", i))
	}
	claims := make(map[int64]*ownClaim)
	message(claims, 2, strings.Join(list, "\n")+"\n- I am mad about trains", "I am mad about trains")
	require.Equal(t, Title+"2026:\n- Mon Mar 2: I am mad about trains\n", chosen(claims, 4000, "Which trains shall I take?").Text)
}

// A line is not shown with what others wrote.
func TestLineIsShownWithoutTheWordsOfOthers(t *testing.T) {
	for _, others := range []string{
		"> Thanks for the cake. I can't eat nuts any more.\nI am mad about trains.",
		"Ann said: \"I am leaving on Sunday, all of you. I can't eat nuts any more.\" I am mad about trains.",
		"I am mad about trains. Translate this into German: Dear all. I can't eat nuts any more.",
		"I am mad about trains.\nOn Monday Ann wrote:\nI can't eat nuts any more.",
	} {
		claims := make(map[int64]*ownClaim)
		message(claims, 2, others, "I am mad about trains.")
		require.Equal(t, Title+"2026:\n- Mon Mar 2: I am mad about trains.\n", chosen(claims, 400, "Which trains shall I take?").Text, others)
	}
	claims := make(map[int64]*ownClaim)
	message(claims, 2, "I am mad about trains. My favourite is the \"Flying Scotsman\" of 1923.", "I am mad about trains.")
	require.Contains(t, chosen(claims, 400, "Which trains shall I take?").Text, "Scotsman")
}

// A date in a neighbour is relative to the message that contains it, whose day the line has.
func TestDatesOfNeighbours(t *testing.T) {
	claims := make(map[int64]*ownClaim)
	message(claims, 20, "I am mad about trains. My sister comes tomorrow.", "I am mad about trains.")
	message(claims, 2, "I am mad about trains.", "I am mad about trains.")
	require.Contains(t, chosen(claims, 400, "Which trains shall I take?").Text, "- Fri Mar 20: I am mad about trains. My sister comes tomorrow.\n")
}

// No section exceeds its budget, shows a claim twice or, where all lines fit, loses one.
func TestSectionsWithMessages(t *testing.T) {
	sentences := []string{
		"I am mad about trains.", "My sister comes tomorrow.", "Good morning!", "Who else?", "我住在柏林。", "我喜欢火车。", "🚂🚂", "!!!", "I live in Perth.", "Nadia signs my expenses.",
		"From today Piotr signs my expenses instead.", "Never forget: wasps.", strings.Repeat("The train to Ulm was late again ", 12) + ".", "> Ann hates trains.", "Dr. Ann drives trains",
	}
	rapid.Check(t, func(r *rapid.T) {
		claims := make(map[int64]*ownClaim)
		for day := range rapid.IntRange(1, 8).Draw(r, "messages") {
			said := rapid.SliceOfN(rapid.SampledFrom(sentences), 1, 8).Draw(r, "message")
			between := rapid.SampledFrom([]string{" ", "", "\n", "\r\n", "\n\n"}).Draw(r, "between")
			for _, c := range message(claims, day+1, strings.Join(said, between), rapid.SliceOfN(rapid.SampledFrom(said), 0, 4).Draw(r, "claims")...) {
				c.claim.Attributes = rapid.SampledFrom([]schema.Attributes{nil, lasting, {schema.AttrSaid: "claim"}}).Draw(r, "said")
				c.claim.Protected = rapid.Float64().Draw(r, "protected") > 0.9
				c.claim.Confidence = rapid.Float64Range(0, 1).Draw(r, "confidence")
			}
		}
		budget := rapid.IntRange(60, 1500).Draw(r, "budget")
		lines := linesOf(claims, time.UTC, time.Time{})
		section := lines.Ask(t.Context(), rapid.SampledFrom([]string{"Which trains shall I take?", "火车？", "Who signs my expenses in Perth?", "hi"}).Draw(r, "question"), "", Meaning{}, nil, time.Date(2026, 3, 9, 0, 0, 0, 0, time.UTC)).Choose(budget)
		require.LessOrEqual(r, text.Tokens(section.Text), budget)
		shown, tokens := section.Lines()
		require.LessOrEqual(r, tokens, budget)
		var uids []string
		for _, l := range shown {
			uids = append(uids, l.Claims...)
		}
		slices.Sort(uids)
		require.Equal(r, slices.Compact(slices.Clone(uids)), uids, "no claim is shown twice")
		if all, _ := lines.All(); lines.Fit(budget) {
			for _, l := range all {
				if !strings.Contains(l.Text, "tomorrow") { // which may be over
					require.Subset(r, uids, l.Claims)
					require.Contains(r, section.Text, l.Text)
				}
			}
		}
	})
}

// A long message is cut into sentences once, not for each of its lines.
func TestLinesOfALongMessage(t *testing.T) {
	var said []string
	for i := range 1000 {
		said = append(said, fmt.Sprintf("My shelf number %d is painted in a colour that I like a lot, really, since the day on which I bought it", i))
	}
	claims := make(map[int64]*ownClaim)
	message(claims, 2, strings.Join(said, "\n"), said...)
	lines := linesOf(claims, time.UTC, time.Time{})
	start := time.Now()
	section := lines.Ask(t.Context(), "What colour is my shelf?", "", Meaning{}, nil, time.Now()).Choose(1_000_000)
	require.Equal(t, len(said), strings.Count(section.Text, ": My shelf"))
	require.Less(t, time.Since(start), 3*time.Second)
}
