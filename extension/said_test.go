package extension

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/internal/llmtest"
	"github.com/ebbmem/ebb/schema"
)

var dora = Scope{User: "dora", Session: "s"}

// diary is a memory in which time passes as its test says.
type diary struct {
	t      *testing.T
	x      *Extension
	server *llmtest.Server
	now    time.Time
	facts  []map[string]any // what the model finds in the next night's messages
	n      int
}

func newDiary(t *testing.T, change ...func(*Config)) *diary {
	t.Helper()
	l := &diary{t: t, now: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)}
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
	cfg := Config{NoSchedule: true, Location: time.UTC, Now: func() time.Time { return l.now }, Model: l.server.LLM(t)}
	for _, f := range change {
		f(&cfg)
	}
	x, err := Open(t.Context(), filepath.Join(t.TempDir(), "m.db"), &cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, x.Close(context.Background())) })
	l.x = x
	return l
}

// says publishes a message of the user's, a day after the one before.
func (l *diary) says(text string, opts ...eventbus.MessageOption) {
	l.t.Helper()
	l.now = l.now.AddDate(0, 0, 1)
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
		l.now = l.now.AddDate(0, 0, 1)
		require.NoError(l.t, l.x.Bus().Publish(l.t.Context(), eventbus.UserMessage(dora, c.sentences[i])))
		l.tool("remember_fact", map[string]any{"content": c.contents[i]})
	},
	"extracted": func(l *diary, c *change, i int) {
		l.says(c.sentences[i])
		l.facts = []map[string]any{{
			"text": c.contents[i], "kind": "fact", "subject": "Dora", "predicate": c.predicate, "object": c.objects[i], "type": "state",
			"when": "", "confidence": .9, "importance": 5, "quote": c.sentences[i],
		}}
		_, err := l.x.Consolidate(l.t.Context(), dora)
		require.NoError(l.t, err)
	},
}

func TestTheLaterOfTwoClaimsHoldsWhicheverWayTheyCame(t *testing.T) {
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

func TestWhatIsAddedEndsNothing(t *testing.T) {
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
