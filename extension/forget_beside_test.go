package extension

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What a message says beside what its user asks to forget stays in the core section and can be
// found; what is forgotten is in neither, nor is the message.
func TestForgettingLeavesProfileLines(t *testing.T) {
	for _, c := range []struct {
		said, ask, forgotten string
		stays                []string
	}{
		{"I live in Porto. I have epilepsy. I'm vegetarian and my sister is called Rita.", "please forget that I have epilepsy", "epilepsy", []string{"I live in Porto.", "I'm vegetarian and my sister is called Rita."}},
		{"I live in Porto. I have epilepsy. My sister is called Rita.", "Forget what I said about the epilepsy.", "epilepsy", []string{"I live in Porto.", "My sister is called Rita."}},
		{"hi! I'm in Krakow. I'm diabetic so if i vanish for 10 minutes that's why. Please write to me in full sentences.", "please forget that I'm diabetic", "diabetic", []string{"I'm in Krakow.", "Please write to me in full sentences."}},
		{"I live in Porto, I have epilepsy and I'm vegetarian.", "Please forget that I have epilepsy.", "epilepsy", []string{"I live in Porto", "I'm vegetarian"}},
		{"I have epilepsy. The licence is gone. I live in Porto.", "Please forget that I have epilepsy.", "licence", []string{"I live in Porto."}},
		{"Ich wohne in Graz. Ich habe Epilepsie. Meine Schwester heißt Rita.", "Bitte vergiss, dass ich Epilepsie habe.", "Epilepsie", []string{"Ich wohne in Graz.", "Meine Schwester heißt Rita."}},
		{"Vivo en Cádiz. Tengo epilepsia. Mi hermana se llama Rita.", "Por favor, olvida que tengo epilepsia.", "epilepsia", []string{"Vivo en Cádiz.", "Mi hermana se llama Rita."}},
		{"I live in Leeds. I'm HIV positive. I go to the HIV clinic on Mondays.", "Forget that I'm positive.", "HIV", []string{"I live in Leeds."}},
		{"I'm having an affair with Petra. I meet Petra every Friday at the Ibis. My wife is called Anna.", "Forget about the affair with Petra.", "Petra", []string{"My wife is called Anna."}},
		{"I live in Leeds and I work at Acme. I'm an alcoholic. I go to AA meetings on Tuesdays.", "Forget that I'm an alcoholic.", "AA", []string{"I live in Leeds and I work at Acme."}},
		{"I take lithium every morning. I live in Leeds. I'm bipolar. I'm allergic to nuts.", "Forget that I'm bipolar.", "lithium", []string{"I live in Leeds.", "I'm allergic to nuts."}},
		{"I'm vegetarian, I have epilepsy and my neurologist is Dr Weiss.", "Please forget that I have epilepsy.", "Dr Weiss", []string{"I'm vegetarian"}},
		{"My salary is 5000 euros. I work at Acme. My daughter is called Mia.", "Forget my salary.", "5000", []string{"I work at Acme.", "My daughter is called Mia."}},
		{"我住在上海。我有癫痫。我妹妹叫小兰。", "请忘掉我有癫痫。", "癫痫", []string{"我住在上海。", "我妹妹叫小兰。"}},
	} {
		for _, way := range []string{"words", "tool", "host"} {
			l := newDiary(t)
			l.says(c.said)
			var secret string
			for _, m := range l.claimed() {
				if strings.Contains(m.Content, c.forgotten) && (secret == "" || strings.Contains(c.forgotten, m.Object)) {
					secret = m.UID
				}
			}
			before := l.memory()
			switch {
			case way == "words" || secret == "":
				l.says(c.ask)
			case way == "tool":
				l.says(c.ask)
				l.tool("forget_memory", map[string]any{"memory_id": secret})
			default:
				_, err := l.x.Forget(t.Context(), dora, secret)
				require.NoError(t, err)
			}
			lines := l.profiled()
			for _, line := range c.stays {
				require.Contains(t, lines, line, "%s: %s", way, c.said)
				require.True(t, slices.ContainsFunc(l.found(line), func(s string) bool { return strings.Contains(s, line) }), "%s: %s", way, line)
			}
			require.NotContains(t, strings.Join(append(lines, l.found(c.said)...), "\n"), c.forgotten, "%s: %s", way, c.said)
			runs := l.runs("said")
			if way == "words" {
				undone, err := l.x.Undo(t.Context(), dora, runs[0].UID)
				require.NoError(t, err)
				require.Empty(t, undone.Kept)
				require.Empty(t, without(before, l.memory()), "bytes come back")
			}
		}
	}
}

// An agent that chooses a message whose claim the request names forgets that claim alone.
func TestForgettingNamedInAMessage(t *testing.T) {
	l := newDiary(t)
	l.says("I live in Porto. I have epilepsy. My sister is called Rita.")
	records, err := l.x.Timeline(t.Context(), dora, TimelineQuery{Kinds: []Kind{KindEpisode}})
	require.NoError(t, err)
	l.says("Can you drop my epilepsy from your memory?")
	require.ElementsMatch(t, []string{"Porto", "epilepsy", "Rita"}, l.objects(), "it waits for the agent")
	require.Contains(t, l.tool("forget_memory", map[string]any{"memory_id": records[0].UID}), "Forgotten")
	require.ElementsMatch(t, []string{"Porto", "Rita"}, l.objects())
}

// What the user asked to keep stays kept if another part of its sentence is forgotten.
func TestForgettingLeavesWhatIsKept(t *testing.T) {
	l := newDiary(t)
	l.says("Never forget: I'm allergic to nuts, I have epilepsy and I'm vegetarian.")
	l.says("Forget that I have epilepsy.")
	n := 0
	for _, m := range l.claimed() {
		require.NotContains(t, m.Content, "epilepsy")
		require.True(t, m.Protected, m.Content)
		require.Zero(t, m.DecayRate)
		n++
	}
	require.Equal(t, 2, n)
}

// A claim that only stands in the sentence of what is forgotten stays, by itself.
func TestForgettingLeavesTheNextClause(t *testing.T) {
	for _, c := range []struct {
		said, ask string
		stays     []string
	}{
		{"My son's birthday is on 3 May, and I'm allergic to nuts.", "Forget my son's birthday.", []string{"I'm allergic to nuts"}},
		{"I'm allergic to nuts and I take metformin.", "Forget my allergies.", nil},
	} {
		l := newDiary(t)
		l.says(c.said)
		l.says(c.ask)
		require.Equal(t, c.stays, l.profiled(), c.said)
	}
}
