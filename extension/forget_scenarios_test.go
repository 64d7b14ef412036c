package extension

import (
	"bufio"
	"encoding/json"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/internal/racing"
	"github.com/ebbmem/ebb/schema"
)

var scenarios = flag.Int("forget-scenarios", 25, "scenarios of testdata/forget.jsonl to try, of 200")

// forgetScenario is one conversation in testdata/forget.jsonl that ends with a
// request to forget something.
type forgetScenario struct {
	Lang string `json:"lang"`
	Said []struct {
		Text string  `json:"text"`
		Tell *string `json:"tell"` // the fact that an agent stored from it
	} `json:"said"`
	Ask   string `json:"ask"`
	About []int  `json:"about"` // places in Said that must be forgotten; none: it means nothing of them
	Keep  []int  `json:"keep"`  // places that must not
}

func forgetScenarios(t *testing.T) (all []forgetScenario) {
	t.Helper()
	f, err := os.Open("testdata/forget.jsonl")
	require.NoError(t, err)
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var s forgetScenario
		require.NoError(t, json.Unmarshal(lines.Bytes(), &s))
		all = append(all, s)
	}
	require.NoError(t, lines.Err())
	return all
}

// asked is the memory after the request.
func (s *forgetScenario) asked(t *testing.T) *diary {
	l := newDiary(t)
	for _, m := range s.Said {
		l.says(m.Text)
		if m.Tell != nil {
			l.tool("remember_fact", map[string]any{"content": *m.Tell})
		}
	}
	l.publish(s.Ask)
	return l
}

// outcome is how a request to forget ended: whether what it means is forgotten, how much
// else is, and which of that an agent then hid that chose it with forget_memory.
func (s *forgetScenario) outcome(t *testing.T) (forgotten bool, lost, chosen, mistaken int) {
	l := s.asked(t)
	require.NoError(t, l.x.Bus().Publish(t.Context(), eventbus.AgentResponse(dora, s.answer())))
	require.NoError(t, l.x.WaitIdle(t.Context()))
	records, err := l.x.Timeline(t.Context(), dora, TimelineQuery{Limit: 1000})
	require.NoError(t, err)
	lines := l.profiled()
	stands := func(i int) bool {
		m := s.Said[i]
		return slices.ContainsFunc(records, func(r Record) bool { return r.Content == m.Text || m.Tell != nil && r.Content == *m.Tell }) ||
			slices.ContainsFunc(lines, func(line string) bool { return strings.Contains(m.Text, line) })
	}
	for _, i := range s.Keep {
		if !stands(i) {
			lost++
		}
	}
	chooses := func(places []int) (hidden int) {
		for _, i := range places {
			at := slices.IndexFunc(records, func(r Record) bool { return r.Content == s.Said[i].Text })
			if at >= 0 && strings.HasPrefix(l.tool("forget_memory", map[string]any{"memory_id": records[at].UID}), "Forgotten") {
				hidden++
			}
		}
		return hidden
	}
	forgotten = !slices.ContainsFunc(s.About, stands)
	if forgotten || len(s.About) == 0 {
		return forgotten, lost, 0, 0
	}
	return forgotten, lost, chooses(s.About), chooses(s.Keep[:1])
}

// answer is what an assistant says that understood the request.
func (s *forgetScenario) answer() string {
	return map[string]string{
		"en": "Gone, I won't bring it up again.", "de": "Ist gelöscht, ich erwähne es nicht mehr.",
		"es": "Listo, borrado, no volveré a mencionarlo.", "zh": "好的，已经删掉了，不会再提。",
	}[s.Lang]
}

// Of 190 requests by two authors whom no fit knows, 69 are carried out; of the 2,100
// messages that must stay 4 are forgotten. The others name their object in other words and
// wait for the host.
func TestForgetInFreeWords(t *testing.T) {
	racing.Alone(t)
	all := forgetScenarios(t)
	step := max(1, len(all) / *scenarios)
	tried, done, kept, lost := 0, 0, 0, 0
	waiting, chosen, mistaken := 0, 0, 0
	for i := 0; i < len(all); i += step {
		s := &all[i]
		forgotten, gone, right, wrong := s.outcome(t)
		mistaken += wrong
		kept, lost = kept+len(s.Keep), lost+gone
		if len(s.About) > 0 {
			tried++
			if forgotten {
				done++
			} else if waiting++; right > 0 {
				chosen++
			}
		}
		if !forgotten || gone > 0 {
			t.Logf("%d %s: forgotten %t, lost %d: %s", i, s.Lang, forgotten, gone, s.Ask)
		}
	}
	t.Logf("%d of %d requests carried out, %d of %d other messages forgotten", done, tried, lost, kept)
	t.Logf("of %d that wait, %d are carried out for an agent that chooses what they mean, %d for one that chooses something else", waiting, chosen, mistaken)
	require.GreaterOrEqual(t, done, tried/3)
	require.LessOrEqual(t, lost, kept/200)
}

// A request that refers to text beside it and means nothing that is stored waits for the
// host, and is not taken for done.
func TestForgetOfNothingStoredIsProposed(t *testing.T) {
	l := newDiary(t)
	l.says("Ich fahre Linie 24.")
	l.publish("Der Umzug nach Findorff ist vom Tisch. Vergiss das.")
	require.NoError(t, l.x.WaitIdle(t.Context()))
	proposals, err := l.x.Proposals(t.Context(), dora)
	require.NoError(t, err)
	require.Len(t, proposals, 1)
	require.True(t, found(t, l.x, "Linie 24"))
}

// What is confided stays when something else is to be forgotten, also in a young memory
// that holds nothing of it.
func TestForgettingLeavesConfidences(t *testing.T) {
	for _, c := range []struct {
		said, asks []string
		stays      string
	}{
		{[]string{"I had an affair with Tomas from accounting last summer. Paul has no idea.", "Our dentist is Dr Weil in the Harbour Road.", "I take my coffee black."},
			[]string{"forget the milk", "Forget the meeting at three, it's cancelled.", "can you forget the recipe I asked for", "forget my old phone number", "Please forget what I said about the car."}, "affair"},
		{[]string{"Ich hab 8000 Euro Spielschulden, meine Frau weiß nichts davon.", "Unser Hund heißt Bruno.", "Ich arbeite bei der Stadt."},
			[]string{"vergiss den Termin beim Zahnarzt", "Streich bitte das mit dem Fahrrad.", "vergiss das Rezept von gestern"}, "Spielschulden"},
		{[]string{"Le fui infiel a mi marido con un compañero.", "Mi perra se llama Luna.", "Trabajo en el puerto."},
			[]string{"olvida lo de la reserva del viernes", "olvídate de la receta"}, "infiel"},
		{[]string{"Don't tell anyone, but I've applied for the head nurse job at Paws & Co.", "My sister's having a hard time.", "I'm allergic to latex."},
			[]string{"Please forget what I said about my blood pressure.", "Please delete that about my weight, I don't want to see it ever again."}, "head nurse"},
		{[]string{"Between you and me, Kit's wife has left him.", "I've got a lump and I'm waiting for the biopsy."}, []string{"Delete what I told you about the hospital."}, "wife"},
		{[]string{"We're seeing a marriage counsellor, nobody knows.", "I take the 42 bus."}, []string{"Please delete what I said about the baby."}, "counsellor"},
		{[]string{"Dafür trinke ich seit 2016 keinen Tropfen mehr.", "Ich fahre Linie 24."},
			[]string{"Das mit dem Unterhalt geht dich nichts mehr an. Lösch das.", "Der Wetterbericht taugt nichts mehr. Lösch das."}, "Tropfen"},
		{[]string{"我背着老婆借了三万块高利贷", "女儿在二小上学", "我每天早上跑步"}, []string{"闹钟的事忘了吧", "别记那个菜谱了"}, "高利贷"},
	} {
		for _, ask := range c.asks {
			l := newDiary(t)
			for _, s := range c.said {
				l.says(s)
			}
			l.publish(ask)
			require.NoError(t, l.x.Bus().Publish(t.Context(), eventbus.AgentResponse(dora, "Okay, gone.")))
			require.NoError(t, l.x.WaitIdle(t.Context()))
			require.True(t, found(t, l.x, c.stays), ask)
		}
	}
}

// What may be a request is one when the assistant says that it is done.
func TestAnswerConfirmsRequest(t *testing.T) {
	for answer, forgotten := range map[string]bool{"Done, I have removed it.": true, "Okay.": false, "Nice, where is it?": false} {
		l := newDiary(t)
		l.says("I got a tattoo of a fern on my ribs.")
		l.publish("that tattoo thing, bin it")
		require.True(t, found(t, l.x, "tattoo fern"), "nobody has said that it is done")
		require.NoError(t, l.x.Bus().Publish(t.Context(), eventbus.AgentResponse(dora, answer)))
		require.NoError(t, l.x.WaitIdle(t.Context()))
		require.Equal(t, !forgotten, found(t, l.x, "tattoo fern"), answer)
		if forgotten {
			run := l.runs(schema.CauseSaid)[0]
			_, err := l.x.Undo(t.Context(), dora, run.UID)
			require.NoError(t, err)
			require.True(t, found(t, l.x, "tattoo fern"), "undone")
		}
	}
}

// found reports whether a search for words finds one of dora's messages with all of them.
func found(t *testing.T, x *Extension, words string) bool {
	t.Helper()
	answer, err := x.Recall(t.Context(), dora, Query{Text: words})
	require.NoError(t, err)
	return slices.ContainsFunc(answer.Results, func(r Result) bool {
		return r.Memory.Role == "user" && !slices.ContainsFunc(strings.Fields(words), func(w string) bool { return !strings.Contains(r.Memory.Content, w) })
	})
}

// askedBack is a dialogue after a scenario's request that waits: the assistant asks whether
// it means what it does mean, or something else.
type askedBack struct {
	Scenario    int
	Agent, User string
	Wrong, No   string
}

// Of 117 requests that wait, 87 are carried out after the assistant has asked in its own words
// whether that is meant and the user has agreed; nothing when it asks for something else and
// she says no.
func TestForgetAfterAskingBack(t *testing.T) {
	racing.Alone(t)
	all := forgetScenarios(t)
	f, err := os.Open("testdata/forget_asked.jsonl")
	require.NoError(t, err)
	defer f.Close()
	lines := bufio.NewScanner(f)
	var dialogues []askedBack
	for lines.Scan() {
		var d askedBack
		require.NoError(t, json.Unmarshal(lines.Bytes(), &d))
		dialogues = append(dialogues, d)
	}
	require.NoError(t, lines.Err())
	tried, done, lost, kept := 0, 0, 0, 0
	for i := 0; i < len(dialogues); i += max(1, 2*len(dialogues) / *scenarios) {
		d := &dialogues[i]
		s := &all[d.Scenario]
		tried++
		l := s.asked(t)
		for _, turn := range [][2]string{{d.Wrong, d.No}, {d.Agent, d.User}} {
			require.NoError(t, l.x.Bus().Publish(t.Context(), eventbus.AgentResponse(dora, turn[0])))
			require.NoError(t, l.x.WaitIdle(t.Context()))
			before, err := l.x.Timeline(t.Context(), dora, TimelineQuery{Kinds: []Kind{KindEpisode}, Limit: 1000})
			require.NoError(t, err)
			l.publish(turn[1])
			if turn[0] == d.Wrong {
				after, err := l.x.Timeline(t.Context(), dora, TimelineQuery{Kinds: []Kind{KindEpisode}, Limit: 1000})
				require.NoError(t, err)
				if len(after) <= len(before) {
					t.Logf("%s | %s", turn[0], turn[1])
					lost++
				}
			}
		}
		records, err := l.x.Timeline(t.Context(), dora, TimelineQuery{Kinds: []Kind{KindEpisode}, Limit: 1000})
		require.NoError(t, err)
		stands := func(i int) bool {
			return slices.ContainsFunc(records, func(r Record) bool { return r.Content == s.Said[i].Text })
		}
		if !slices.ContainsFunc(s.About, stands) {
			done++
		} else {
			t.Logf("%d %s: %s | %s | %s", d.Scenario, s.Lang, s.Ask, d.Agent, s.Said[s.About[0]].Text)
		}
		for _, i := range s.Keep {
			if kept++; !stands(i) {
				lost++
				t.Logf("LOST %d: %s | %s", d.Scenario, d.Agent, s.Said[i].Text)
			}
		}
	}
	t.Logf("%d of %d carried out, %d of %d other messages forgotten", done, tried, lost, kept)
	require.GreaterOrEqual(t, done, tried/2)
	require.LessOrEqual(t, lost, max(1, kept/150))
}
