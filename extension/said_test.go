package extension

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/internal/clock"
	"github.com/ebbmem/ebb/internal/llmtest"
	"github.com/ebbmem/ebb/recall"
	"github.com/ebbmem/ebb/schema"
)

var dora = Scope{User: "dora", Session: "s"}

// diary is a memory in which time passes as its test says.
type diary struct {
	t      *testing.T
	x      *Extension
	server *llmtest.Server
	now    *clock.Simulated
	facts  []map[string]any // what the model finds in the next night's messages
}

func newDiary(t *testing.T, change ...func(*Config)) *diary {
	t.Helper()
	l := &diary{t: t, now: clock.At(time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC))}
	l.server = llmtest.New(t)
	l.server.On(llmtest.Any, llmtest.Answer(func(r llmtest.Request) llmtest.Reply {
		if !strings.Contains(r.Prompt(), "write down what will still matter") {
			return llmtest.JSON(map[string]any{"pairs": []any{}, "questions": []any{}, "insights": []any{}, "mentions": []any{}, "summaries": []any{}})
		}
		facts := l.facts
		l.facts = nil
		for _, line := range strings.Split(r.Prompt(), "\n") {
			var m struct{ M, Text string }
			for _, f := range facts {
				if quote, _ := f["quote"].(string); json.Unmarshal([]byte(line), &m) == nil && strings.Contains(m.Text, quote) {
					f["sources"] = []string{m.M}
				}
			}
		}
		return llmtest.JSON(map[string]any{"facts": append([]map[string]any{}, facts...)})
	}))
	cfg := Config{Night: NightConfig{NoSchedule: true}, Location: time.UTC, Now: l.now.Now, Model: l.server.LLM(t)}
	for _, f := range change {
		f(&cfg)
	}
	x := openConfig(t, filepath.Join(t.TempDir(), "m.db"), &cfg)
	l.x = x
	return l
}

// says publishes a message of the user's, a day after the one before.
func (l *diary) says(text string, opts ...eventbus.MessageOption) {
	l.t.Helper()
	l.now.Set(l.now.Now().AddDate(0, 0, 1))
	l.publish(text, opts...)
}

func (l *diary) publish(text string, opts ...eventbus.MessageOption) {
	l.t.Helper()
	require.NoError(l.t, l.x.Bus().Publish(l.t.Context(), eventbus.UserMessage(dora, text, opts...)))
	require.NoError(l.t, l.x.WaitIdle(l.t.Context()))
}

// tool calls a tool of the session's.
func (l *diary) tool(name string, args map[string]any) string {
	l.t.Helper()
	s, err := l.x.Session(dora)
	require.NoError(l.t, err)
	input, err := json.Marshal(args)
	require.NoError(l.t, err)
	answer, err := s.CallTool(l.t.Context(), llms.ToolCall{ID: "1", FunctionCall: &llms.FunctionCall{Name: name, Arguments: string(input)}})
	require.NoError(l.t, err)
	require.NoError(l.t, l.x.WaitIdle(l.t.Context()))
	return answer.Content
}

// claimed lists the current facts and preferences.
func (l *diary) claimed() (claims []Record) {
	l.t.Helper()
	list, err := l.x.Timeline(l.t.Context(), dora, TimelineQuery{Kinds: []Kind{schema.KindFact, schema.KindPreference}})
	require.NoError(l.t, err)
	for _, m := range list {
		if m.State == schema.StateActive {
			claims = append(claims, m)
		}
	}
	return claims
}

func (l *diary) objects() (objects []string) {
	for _, m := range l.claimed() {
		objects = append(objects, m.Object)
	}
	return objects
}

func (l *diary) runs(cause string) (runs []Run) {
	l.t.Helper()
	all, err := l.x.Runs(l.t.Context(), dora, 0)
	require.NoError(l.t, err)
	for _, r := range all {
		if r.Cause == cause {
			runs = append(runs, r)
		}
	}
	return runs
}

// change is one thing that changes, and how each way says it.
type change struct {
	name      string
	sentences [2]string // of the user's
	contents  [2]string // of a model's
	predicate string    // of a model's
	objects   [2]string
}

var changing = []change{
	{"address", [2]string{"I live in Ghent.", "I've moved to Oslo."}, [2]string{"Dora lives in Ghent.", "Dora has moved to Oslo."}, "lives_in", [2]string{"Ghent", "Oslo"}},
	{"job", [2]string{"I work at Fjordbank.", "I left Fjordbank and joined Tramworks."}, [2]string{"Dora works at Fjordbank.", "Dora works at Tramworks."}, "works_at", [2]string{"Fjordbank", "Tramworks"}},
	{"car", [2]string{"My car is a red Volvo.", "My car is now a blue Tesla."}, [2]string{"Dora's car is a red Volvo.", "Dora's car is a blue Tesla."}, "car", [2]string{"red Volvo", "blue Tesla"}},
	{"favourite", [2]string{"My favourite colour is teal.", "My favourite colour is amber now."}, [2]string{"Dora's favourite colour is teal.", "Dora's favourite colour is amber."}, "favorite_color", [2]string{"teal", "amber"}},
	{"dentist", [2]string{"My dentist is Dr Rao.", "My dentist is now Dr Lind."}, [2]string{"Dora's dentist is Dr Rao.", "Dora's dentist is Dr Lind."}, "has_dentist", [2]string{"Dr Rao", "Dr Lind"}},
}

// The ways in which a claim comes.
var ways = map[string]func(l *diary, c *change, i int){
	"said": func(l *diary, c *change, i int) { l.says(c.sentences[i]) },
	"told": func(l *diary, c *change, i int) {
		l.now.Set(l.now.Now().AddDate(0, 0, 1))
		require.NoError(l.t, l.x.Bus().Publish(l.t.Context(), eventbus.UserMessage(dora, c.sentences[i])))
		l.tool("remember_fact", map[string]any{"content": c.contents[i]})
	},
	"extracted": func(l *diary, c *change, i int) {
		l.says(c.sentences[i])
		l.extract(c, i)
	},
}

// extract runs a night in which the model finds a value of what changes.
func (l *diary) extract(c *change, i int) {
	l.t.Helper()
	l.facts = []map[string]any{{
		"text": c.contents[i], "kind": "fact", "subject": "Dora", "predicate": c.predicate, "object": c.objects[i], "type": "state",
		"when": "", "confidence": .9, "importance": 5, "quote": c.sentences[i],
	}}
	_, err := l.x.Consolidate(l.t.Context(), dora)
	require.NoError(l.t, err)
}

func TestLaterClaimHoldsInAnyOrder(t *testing.T) {
	for _, pair := range [][2]string{
		{"extracted", "extracted"}, {"told", "told"}, {"told", "extracted"}, {"told", "said"}, {"said", "said"}, {"said", "told"},
		{"extracted", "said"}, {"extracted", "told"}, {"said", "extracted"},
	} {
		for _, c := range changing {
			for _, off := range []bool{false, true} {
				name := fmt.Sprintf("%s, %s then %s", c.name, pair[0], pair[1])
				if off {
					if strings.Contains(name, "said") {
						continue
					}
					name += ", without reading messages"
				}
				t.Run(name, func(t *testing.T) {
					l := newDiary(t, func(cfg *Config) { cfg.NoClaims = off })
					ways[pair[0]](l, &c, 0)
					require.Len(t, l.claimed(), 1)
					ways[pair[1]](l, &c, 1)
					current := l.claimed()
					require.Len(t, current, 1, "%v", current)
					require.Contains(t, current[0].Content, c.objects[1])
					require.Equal(t, schema.MaxTrust, current[0].Trust)
				})
			}
		}
	}
}

func TestAdditiveClaimEndsNothing(t *testing.T) {
	for _, c := range []change{
		{"sister", [2]string{"My sister is called Noor.", "My sister is called Mina."}, [2]string{"Dora's sister is called Noor.", "Dora's sister is called Mina."}, "sister", [2]string{"Noor", "Mina"}},
		{"allergy", [2]string{"I'm allergic to nuts.", "I'm allergic to shellfish."}, [2]string{"Dora is allergic to nuts.", "Dora is allergic to shellfish."}, "allergic_to", [2]string{"nuts", "shellfish"}},
	} {
		for first := range ways {
			for second := range ways {
				t.Run(fmt.Sprintf("%s, %s then %s", c.name, first, second), func(t *testing.T) {
					l := newDiary(t)
					ways[first](l, &c, 0)
					ways[second](l, &c, 1)
					require.ElementsMatch(t, c.objects, l.objects())
				})
			}
		}
	}
}

func (l *diary) found(query string) (texts []string) {
	l.t.Helper()
	for _, q := range []Query{{Text: query, Dormant: true, Limit: 50}, {Text: query, AsOf: recall.AsOf{Valid: l.now.Now()}, Limit: 50}} {
		answer, err := l.x.Recall(l.t.Context(), dora, q)
		require.NoError(l.t, err)
		for _, r := range answer.Results {
			texts = append(texts, r.Memory.Content)
		}
	}
	return texts
}

// memory is what the export says of the memory itself.
func (l *diary) memory() []string {
	return slices.DeleteFunc(memoryOf(l.t, exported(l.t, l.x, dora)), func(line string) bool {
		return strings.HasPrefix(line, `{"ebb"`) || strings.HasPrefix(line, `{"entity"`)
	}) // counts
}

func TestMessageRunIsUndoneForGood(t *testing.T) {
	l := newDiary(t)
	l.says("I live in Ghent.")
	before := l.memory()
	l.now.Set(l.now.Now().AddDate(0, 0, 1))
	l.publish("I've moved to Oslo. My sister is called Noor. Never forget that I'm allergic to nuts.", eventbus.WithID("once"))
	require.ElementsMatch(t, []string{"Oslo", "Noor", "nuts"}, l.objects())
	runs := l.runs("said")
	require.Len(t, runs, 2)
	report, err := RunReport(&runs[0])
	require.NoError(t, err)
	require.Equal(t, 5, report.Changes(), report.Summary())
	require.Contains(t, report.Summary(), "supersede applied")

	// Redelivery, of the event and of the message.
	l.publish("I've moved to Oslo. My sister is called Noor. Never forget that I'm allergic to nuts.", eventbus.WithID("once"))
	var event eventbus.Event
	sub, err := l.x.bus.Subscribe(t.Context(), "spy", func(_ context.Context, e eventbus.Event) error {
		var stored eventbus.Stored
		if e.Decode(&stored) == nil && stored.EventID == "once" {
			event = e
		}
		return nil
	}, eventbus.Topics(eventbus.TopicMemoryStored), eventbus.FromStart())
	require.NoError(t, err)
	require.NoError(t, l.x.WaitIdle(t.Context()))
	require.NoError(t, sub.Close(t.Context()))
	require.NotEmpty(t, event.Seq)
	again := func() {
		t.Helper()
		all := l.memory()
		require.NoError(t, l.x.readSaid(t.Context(), event, event))
		require.NoError(t, l.x.WaitIdle(t.Context()))
		require.Equal(t, all, l.memory())
	}
	again()
	require.Len(t, l.runs("said"), 2)

	undone, err := l.x.Undo(t.Context(), dora, runs[0].UID)
	require.NoError(t, err)
	require.Empty(t, undone.Kept)
	require.Equal(t, []string{"Ghent"}, l.objects())
	left := l.memory()
	require.Empty(t, without(before, left), "not brought back")
	for _, line := range without(left, before) {
		require.NotContains(t, line, `"kind":"fact"`, "not taken back")
	}
	again()
	require.Contains(t, l.tool("remember_fact", map[string]any{"content": "Dora has moved to Oslo."}), "Not saved", "not from that message")
	l.says("I've moved to Oslo, really.")
	require.Equal(t, []string{"Oslo"}, l.objects(), "but from another")
}

func TestMessageWithoutClaimsLeavesNoRun(t *testing.T) {
	l := newDiary(t)
	l.says("What a day! Shall we order the pizza?")
	l.says("I live in Ghent.", eventbus.From(eventbus.OriginImport))
	l.says("I live in Ghent.", eventbus.Trusted(3))
	l.says("She said \"forget that I live in Ghent\".")
	require.Empty(t, l.runs("said"))
	require.Empty(t, l.claimed())
	l.says("I live in Ghent.")
	l.says("I live in Ghent.")
	require.Len(t, l.claimed(), 1)
	l.now.Add(time.Minute)
	last := len(l.runs("said"))
	l.publish("What a day! Hello!")
	require.Len(t, l.runs("said"), last)
	stats, err := l.x.Stats(t.Context(), dora)
	require.NoError(t, err)
	require.Nil(t, stats.LastRun, "no run of a night")
}

func TestUndoKeepsWhatLaterChangesNeed(t *testing.T) {
	l := newDiary(t)
	l.says("I live in Ghent.")
	l.says("I've moved to Oslo.")
	runs := l.runs("said")
	undone, err := l.x.Undo(t.Context(), dora, runs[1].UID)
	require.NoError(t, err)
	require.NotEmpty(t, undone.Kept, "the claim was ended by a later message")
	require.Equal(t, []string{"Oslo"}, l.objects())
}

func TestNeverForgetProtects(t *testing.T) {
	for name, say := range map[string]func(l *diary){
		"in one sentence": func(l *diary) { l.says("Never forget that I'm allergic to penicillin.") },
		"in one message":  func(l *diary) { l.says("I'm allergic to penicillin. Never forget this!") },
		"pointing":        func(l *diary) { l.says("I'm allergic to penicillin."); l.publish("Never forget that.") },
		"what was known": func(l *diary) {
			l.says("I'm allergic to penicillin.")
			l.says("Never forget that I am allergic to penicillin.")
		},
		"without a form": func(l *diary) { l.says("Penicillin nearly killed me as a child."); l.publish("Never forget this.") },
		"claims are not read": func(l *diary) {
			l.x.reader.OnlyRequests = true
			l.says("I live in Ghent. Never forget that I'm allergic to penicillin.")
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := newDiary(t)
			say(l)
			claims := l.claimed()
			require.Len(t, claims, 1, "%v", claims)
			require.True(t, claims[0].Protected)
			require.Zero(t, claims[0].DecayRate)
			require.Contains(t, strings.ToLower(claims[0].Content), "penicillin")
			for _, run := range l.runs("said") {
				_, err := l.x.Undo(t.Context(), dora, run.UID)
				require.NoError(t, err)
			}
			require.Empty(t, l.claimed())
		})
	}
}

func TestForgetIsImmediateAndFinal(t *testing.T) {
	for name, say := range map[string]func(l *diary){
		"naming it": func(l *diary) { l.says("Please forget that I live in Zagreb.") },
		"pointing": func(l *diary) {
			l.publish("I live in Zagreb, as I said.")
			require.NoError(t, l.x.Bus().Publish(t.Context(), eventbus.AgentResponse(dora, "Zagreb is a fine place.")))
			l.publish("Forget that.")
		},
		"by a word": func(l *diary) { l.says("Forget what I said about Zagreb.") },
	} {
		t.Run(name, func(t *testing.T) {
			l := newDiary(t)
			l.says("I'm allergic to nuts.")
			l.says("I live in Zagreb.")
			l.says("Zagreb is where I live, near the lake.")
			before := l.memory()
			say(l)
			if name == "pointing" {
				l.says("Forget what I said about Zagreb.")
			}
			for _, text := range l.found("Where do I live? Zagreb lake") {
				require.NotContains(t, text, "Zagreb")
			}
			require.Equal(t, []string{"nuts"}, l.objects())
			s, err := l.x.Session(dora)
			require.NoError(t, err)
			require.NotContains(t, s.injected(t.Context(), "model", "Where do I live? In Zagreb?", ""), "Zagreb")

			// Neither a night nor a model makes it again.
			l.facts = []map[string]any{{
				"text": "Dora lives in Zagreb.", "kind": "fact", "subject": "Dora", "predicate": "lives_in", "object": "Zagreb", "type": "state",
				"when": "", "confidence": .9, "importance": 5, "quote": "I live in Zagreb",
			}}
			_, err = l.x.Consolidate(t.Context(), dora)
			require.NoError(t, err)
			l.tool("remember_fact", map[string]any{"content": "Dora lives in Zagreb."})
			require.Equal(t, []string{"nuts"}, l.objects())

			runs := l.runs("said")
			if name == "naming it" {
				undone, err := l.x.Undo(t.Context(), dora, runs[0].UID)
				require.NoError(t, err)
				require.Empty(t, undone.Kept)
				require.Empty(t, without(before, l.memory()), "bytes come back")
				require.Contains(t, l.objects(), "Zagreb")
				return
			}
			l.says("I live in Zagreb again.")
			require.ElementsMatch(t, []string{"nuts", "Zagreb"}, l.objects(), "the user says it anew")
		})
	}
}

func TestAmbiguousForgetIsProposed(t *testing.T) {
	l := newDiary(t)
	l.says("I live in Ghent.")
	l.says("Please forget my cousin's boat.")
	require.Equal(t, []string{"Ghent"}, l.objects())
	proposals, err := l.x.Proposals(t.Context(), dora)
	require.NoError(t, err)
	require.Len(t, proposals, 1)
	require.Equal(t, ProposalForget, proposals[0].Kind)
	require.Equal(t, "Please forget my cousin's boat.", proposals[0].Content)
}

func TestForgetOldValueKeepsNew(t *testing.T) {
	l := newDiary(t)
	l.says("I live in Ghent.")
	l.says("I've moved to Oslo.")
	l.says("Please forget my old address.")
	require.Equal(t, []string{"Oslo"}, l.objects())
	require.NotContains(t, l.found("Ghent"), "I live in Ghent.")
	require.NotContains(t, l.found("Where did I live before? Ghent"), "I live in Ghent.")
}

// A topic that the user only sets aside stays remembered.
func TestTopicSetAsideIsNotForgotten(t *testing.T) {
	l := newDiary(t)
	l.says("We've got a cat called Marmite.")
	before := l.profiled()
	require.NotEmpty(t, before)
	l.publish("Forget the cat, it's the kids I worry about.")
	require.NoError(t, l.x.Bus().Publish(t.Context(), eventbus.AgentResponse(dora, "That sounds hard. What worries you?")))
	require.NoError(t, l.x.WaitIdle(t.Context()))
	require.Subset(t, l.profiled(), before)

	l = newDiary(t)
	l.says("We've got a cat called Marmite.")
	l.says("Please forget the cat.")
	require.Empty(t, l.profiled())
}

// A wish about how to answer is a preference that a later one ends, and is not protected.
func TestWishesEndEarlierOnes(t *testing.T) {
	for _, c := range [][2]string{
		{"Oh and when you answer, keep it short please, I'm usually reading with one hand on the dog.", "Please give me long, detailed answers from now on."},
		{"Please keep your answers short.", "you don't need to keep your answers so short any more"},
		{"Never use emojis.", "You can use emojis again."},
		{"Bitte antworte kurz.", "Du kannst wieder länger antworten."},
	} {
		l := newDiary(t)
		l.says(c[0])
		for _, m := range l.claimed() {
			require.False(t, m.Protected, m.Content)
		}
		require.NotEmpty(t, l.profiled(), c[0])
		l.says(c[1])
		profile := strings.Join(l.profiled(), "\n")
		require.Contains(t, profile, c[1])
		require.NotContains(t, profile, c[0])
	}
}

// "Scrap the short answers, …" takes a wish back and states another: nothing else is meant,
// and what it states stays, whatever the assistant answers.
func TestForgetLeavesWhatTheRequestStates(t *testing.T) {
	for _, reply := range []string{"Gone, I won't do that again.", "Happy to."} {
		l := newDiary(t)
		l.says("One thing: please be brief with me. Three sentences tops, I read you on the bus.")
		l.says("I should confess I'm terrified of flying. Haven't set foot on a plane since 2014.")
		l.publish("Scrap the super short answers thing actually. I'd rather have the long version, with the reasoning spelled out.")
		l.tool("remember_fact", map[string]any{"content": "Dora now prefers long answers with the reasoning spelled out."})
		require.NoError(t, l.x.Bus().Publish(t.Context(), eventbus.AgentResponse(dora, reply)))
		require.NoError(t, l.x.WaitIdle(t.Context()))
		profile := strings.Join(l.profiled(), "\n")
		require.Contains(t, profile, "reasoning spelled out", reply)
		require.Contains(t, profile, "terrified of flying", reply)
	}
}

// What an agent saves of a message that says it in words that no pattern parses ends what it
// had saved before, as the later one of a role that one person has at a time.
func TestSavedFactsReplaceSavedFacts(t *testing.T) {
	for _, c := range [][4]string{
		{"Mrs Hargreaves runs the place, terrifying woman.", "Dora's boss is Mrs Hargreaves.", "Well, Mrs Hargreaves is retiring and from today Farhan's in charge.", "Dora's boss is Farhan."},
		{"Zum Arzt geh ich immer zum Pohlmann.", "Doras Hausarzt ist Dr. Pohlmann.", "Der Pohlmann hört auf, jetzt bin ich beim Özdemir in der Praxis.", "Doras neuer Hausarzt ist Dr. Özdemir."},
	} {
		l := newDiary(t)
		l.says(c[0])
		l.tool("remember_fact", map[string]any{"content": c[1]})
		l.says(c[2])
		l.tool("remember_fact", map[string]any{"content": c[3]})
		found := l.found(c[3])
		require.Contains(t, found, c[3])
		require.NotContains(t, found, c[1], "it no longer holds")
	}
}

// Two plain statements of a town or an employer are a change, in whichever way they came; a
// street or a country only says where it is.
func TestPlainStatementsReplace(t *testing.T) {
	for _, c := range []struct {
		first, then string // "message" or "message|what the agent saves"
		current     []string
	}{
		{"I live in Lisbon.", "I live in Oslo.", []string{"Oslo"}},
		{"I live in Lisbon.|Dora lives in Lisbon.", "I live in Oslo.|Dora lives in Oslo.", []string{"Oslo"}},
		{"The flat in Lisbon is ours.|Dora lives in Lisbon.", "Unpacking boxes in Oslo, finally.|Dora lives in Oslo.", []string{"Oslo"}},
		{"I work at Fjordbank.", "I work at Nordlys.", []string{"Nordlys"}},
		{"I live in Leeds.", "I live on Ashby Terrace.", []string{"Leeds", "Ashby Terrace"}},
		{"I live in Oslo.", "I live in Norway.", []string{"Oslo", "Norway"}},
	} {
		l := newDiary(t)
		for _, s := range []string{c.first, c.then} {
			message, fact, saved := strings.Cut(s, "|")
			l.says(message)
			if saved {
				l.tool("remember_fact", map[string]any{"content": fact})
			}
		}
		objects := slices.DeleteFunc(l.objects(), func(o string) bool { return o == "" })
		require.ElementsMatch(t, c.current, objects, c.then)
	}
}

// What an agent saved stays beside a sentence of the user that says the same with less.
func TestVaguerStatementLosesNothing(t *testing.T) {
	for saved, said := range map[string]string{
		"Dora plays chess by post with Anselm Reiter in Graz.": "I play chess by post.",
		"Dora plays upright bass with the Sandbar Ramblers.":   "not sure if I said, I play upright bass.",
	} {
		l := newDiary(t)
		l.says("Hello there.")
		l.tool("remember_fact", map[string]any{"content": saved})
		l.says(said)
		require.Contains(t, strings.Join(l.profiled(), "\n")+strings.Join(l.found(saved), "\n"), saved)
	}
}

// Words that mostly fill a request ("name and all", "the whole business") name things
// as well.
func TestForgetWhatFillersName(t *testing.T) {
	for said, ask := range map[string]string{
		"My business is called Fernwood Bikes.": "Please forget my business.",
		"My computer is a ThinkPad X1.":         "Forget my computer.",
		"My stage name is Zelda Quill.":         "Please forget my stage name.",
	} {
		l := newDiary(t)
		l.says("I live in Oslo.")
		l.says(said)
		l.publish(ask)
		require.Equal(t, []string{"I live in Oslo."}, l.profiled(), ask)
	}
}

func TestForgetIsPerUser(t *testing.T) {
	l := newDiary(t)
	l.says("I live in Zagreb.")
	other := Scope{User: "eve", Session: "s"}
	require.NoError(t, l.x.Bus().Publish(t.Context(), eventbus.UserMessage(other, "I live in Zagreb."), eventbus.UserMessage(other, "Forget what I said about Zagreb.")))
	require.NoError(t, l.x.WaitIdle(t.Context()))
	require.Equal(t, []string{"Zagreb"}, l.objects())
	_, err := l.x.Undo(t.Context(), other, l.runs("said")[0].UID)
	require.ErrorIs(t, err, ErrNotFound)
}

func TestCorrectionRefersToLastClaim(t *testing.T) {
	l := newDiary(t)
	l.says("It's Dr Lind, not Dr Rao.")
	require.Empty(t, l.claimed(), "of nothing that is known")
	l.says("My dentist is Dr Rao.")
	l.says("Sorry, it's Dr Lind, not Dr Rao.")
	claims := l.claimed()
	require.Len(t, claims, 1)
	require.Equal(t, [3]string{"the user", "dentist", "Dr Lind"}, [3]string{claims[0].Subject, claims[0].Predicate, claims[0].Object})
}

func TestOneFactPerSentence(t *testing.T) {
	c := &changing[4]
	for name, ways := range map[string][]func(l *diary){
		"read, then told": {func(l *diary) { l.says(c.sentences[0]) }, func(l *diary) { l.tool("remember_fact", map[string]any{"content": c.contents[0]}) }},
		"told, then read": {func(l *diary) { ways["told"](l, c, 0) }},
		"extracted":       {func(l *diary) { ways["extracted"](l, c, 0) }},
	} {
		t.Run(name, func(t *testing.T) {
			l := newDiary(t)
			for _, f := range ways {
				f(l)
			}
			claims := l.claimed()
			require.Len(t, claims, 1)
			require.Equal(t, c.contents[0], claims[0].Content)
			require.Equal(t, "dentist", claims[0].Predicate)
			require.Empty(t, claims[0].Attributes[schema.AttrSaid])
			d, err := l.x.Get(t.Context(), dora, claims[0].UID)
			require.NoError(t, err)
			require.Len(t, d.Sources, 1)
			require.Equal(t, c.sentences[0], d.Sources[0].Quote)
		})
	}
}

func TestDescriptionDoesNotEndName(t *testing.T) {
	l := newDiary(t)
	l.says("I live in Lisbon.")
	l.says("I live on a hill.")
	require.ElementsMatch(t, []string{"Lisbon", "hill"}, l.objects())
	l.says("I've moved to Oslo.")
	require.Equal(t, []string{"Oslo"}, l.objects())
}

func TestDescriptionDoesNotEndNameWhateverTheCapitals(t *testing.T) {
	for _, c := range [][]string{
		{"i live in leeds", "i live in a tiny flat", "leeds", "tiny flat"},
		{"i work at lidl", "i work at a shop", "lidl", "shop"},
		{"Ich wohne in Hamburg.", "Ich wohne in einer WG.", "Hamburg", "WG"},
		{"我住在上海", "我住在一个老小区", "上海", "一个老小区"},
		{"i live in leeds", "i live in bristol", "bristol"},
		{"I live in Leeds.", "I've moved to a village near Bristol.", "village near Bristol"},
	} {
		l := newDiary(t)
		l.says(c[0])
		l.says(c[1])
		require.ElementsMatch(t, c[2:], l.objects(), c[1])
	}
}

func TestSeveralPeopleAndSideRemarksEndNothing(t *testing.T) {
	l := newDiary(t)
	for _, text := range []string{
		"My sister Anjali lives in Lisbon.", "My sister Meera lives in York.", "My friend Bex works at the RSPCA.", "My friend Dawn works at Morrisons.",
		"I work at Ashgrove Vets.", "I work at the Otley branch on Fridays.", "I live in Leeds.", "I live on Ashby Terrace.",
		"I like coffee.", "I don't like coffee after six.",
	} {
		l.says(text)
	}
	require.Subset(t, l.objects(), []string{"Lisbon", "York", "RSPCA", "Morrisons", "Ashgrove Vets", "Leeds", "coffee"})
	l.says("My sister Anjali has moved to Porto.")
	l.says("I've moved to Oslo.")
	require.Subset(t, l.objects(), []string{"Porto", "York", "Oslo"})
	require.NotContains(t, l.objects(), "Lisbon")
	require.NotContains(t, l.objects(), "Leeds")
}

func TestSavedFactsAboutSeveralPeopleStay(t *testing.T) {
	l := newDiary(t)
	for _, fact := range [][2]string{
		{"we have two girls. kirsty the eldest is up in derby with her lads", "Dora's eldest daughter Kirsty lives in Derby."},
		{"joanne is the young one, hull, does something with wood that we don't follow", "Dora's younger daughter Joanne lives in Hull and works with wood."},
	} {
		l.says(fact[0])
		l.tool("remember_fact", map[string]any{"content": fact[1]})
	}
	_, err := l.x.Consolidate(t.Context(), dora)
	require.NoError(t, err)
	require.Subset(t, l.objects(), []string{"Derby", "Hull"})
}

func TestSpeakersOfOneMemoryEndNothingOfEachOther(t *testing.T) {
	for _, said := range [][2]string{{"I live in Ghent.", "I live in Oslo."}, {"我住在杭州。", "我搬到上海了。"}} {
		l := newDiary(t)
		l.says(said[0], eventbus.Speaker("王芳"))
		l.says(said[1], eventbus.Speaker("李明"))
		require.Len(t, l.objects(), 2)
	}
}

func TestMessageIsProcessedOnce(t *testing.T) {
	l := newDiary(t)
	l.says("I live in Ghent.")
	l.says("I've moved to Oslo.")
	before := l.memory()
	said, err := l.x.Timeline(t.Context(), dora, TimelineQuery{Kinds: []Kind{KindEpisode}})
	require.NoError(t, err)
	for i := range said {
		_, err := l.x.reader.Read(t.Context(), dora, &said[i])
		require.NoError(t, err)
	}
	require.Equal(t, before, l.memory())
}

// A sentence that states two things is two facts, of which a search lists one.
func TestSearchListsASentenceOnce(t *testing.T) {
	for said, asked := range map[string]string{
		"I live in Cardiff with my brother Owen":    "Where do I live in Cardiff?",
		"I work at Lidl with my cousin Dev":         "Where do I work, at Lidl?",
		"My husband Karl and I live in Graz":        "Where do I live in Graz?",
		"Ich wohne mit meinem Bruder Uwe in Bremen": "Wo wohne ich, in Bremen?",
	} {
		l := newDiary(t)
		l.says("We have two cats.")
		l.says(said)
		answer, err := l.x.Recall(t.Context(), dora, Query{Text: asked})
		require.NoError(t, err)
		claims := 0
		for _, r := range answer.Results {
			if r.Memory.Content == said && r.Memory.Kind != KindEpisode {
				claims++
			}
		}
		require.LessOrEqual(t, claims, 1, said)
		require.True(t, slices.ContainsFunc(answer.Results, func(r Result) bool { return r.Memory.Content == said }), said)
	}
}
