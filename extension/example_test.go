package extension_test

import (
	"context"
	"fmt"
	"log"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/tmc/langchaingo/llms"

	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/recall"
)

// openExample opens a memory that the example throws away.
func openExample(config *extension.Config) (x *extension.Extension, done func()) {
	dir, err := os.MkdirTemp("", "ebb")
	if err != nil {
		log.Fatal(err)
	}
	x, err = extension.Open(context.Background(), filepath.Join(dir, "memory.db"), config)
	if err != nil {
		log.Fatal(err)
	}
	return x, func() {
		if err := x.Close(context.Background()); err != nil {
			log.Print(err)
		}
		os.RemoveAll(dir)
	}
}

func Example() {
	ctx := context.Background()
	ext, done := openExample(nil) // extension.Open(ctx, "memory.db", nil)
	defer done()

	scope := extension.Scope{User: "ada", Session: "2026-03-01"}
	if err := ext.Bus().Publish(ctx, eventbus.UserMessage(scope, "My sister Noor marries on 12 June")); err != nil {
		log.Fatal(err)
	}
	answer, err := ext.Recall(ctx, scope, extension.Query{Text: "When does Noor marry?"})
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range answer.Results {
		fmt.Println(r.Rank, r.Memory.Content)
	}
	// Output: 1 My sister Noor marries on 12 June
}

// supportDesk is a profile of a host's own: an incident counts by how severe it
// is, and for a week; what was decided does not age.
func supportDesk() *extension.Config {
	return &extension.Config{
		NoClaims: true, // the desk's messages are what it remembers
		Ranking: extension.RankingConfig{
			Rater: func(m *extension.Record) float64 {
				if m.Attributes["severity"] == "high" {
					return 9
				}
				return 3
			},
			Scorer: func(t recall.Terms) []recall.Signal {
				fresh := math.Exp(-t.Age().Hours() / (7 * 24))
				if t.Memory.Attributes["type"] == "decision" {
					fresh = 1
				}
				return []recall.Signal{
					{Name: "relevance", Value: t.Relevance, Weight: 0.4},
					{Name: "severity × freshness", Value: t.Memory.Importance * fresh, Weight: 0.6},
				}
			},
		},
		Night: extension.NightConfig{Stages: func([]extension.Stage) []extension.Stage {
			return []extension.Stage{consolidate.Entities{}, consolidate.Cap{Observations: 10_000, Worth: consolidate.FIFO}}
		}},
	}
}

// A profile is a function that returns a Config: policies in place of the
// defaults, each seen in the explanation of a result.
func ExampleConfig() {
	ctx := context.Background()
	cfg := supportDesk()
	cfg.Now = func() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }
	ext, done := openExample(cfg)
	defer done()

	desk := extension.Scope{User: "berlin"}
	weeksAgo := eventbus.At(cfg.Now().AddDate(0, 0, -21))
	err := ext.Bus().Publish(ctx,
		eventbus.UserMessage(desk, "The pump failed again.", eventbus.Attribute("severity", "high"), weeksAgo),
		eventbus.UserMessage(desk, "The pump is loud.", eventbus.Attribute("severity", "low")),
		eventbus.UserMessage(desk, "We never restart a pump by hand.", eventbus.Attribute("type", "decision"), eventbus.Importance(10), weeksAgo))
	if err != nil {
		log.Fatal(err)
	}
	if err := ext.WaitIdle(ctx); err != nil { // until all are rated
		log.Fatal(err)
	}
	answer, err := ext.Recall(ctx, desk, extension.Query{Text: "pump"})
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range answer.Results {
		s := r.Signals[1]
		fmt.Printf("%s  %s %.2f of %.2f\n", r.Memory.Content, s.Name, s.Contribution(), r.Score)
	}
	// Output:
	// We never restart a pump by hand.  severity × freshness 0.60 of 0.60
	// The pump is loud.  severity × freshness 0.18 of 0.58
	// The pump failed again.  severity × freshness 0.03 of 0.42
}

func ExampleSession_Memory() {
	ctx := context.Background()
	ext, done := openExample(nil)
	defer done()

	// An earlier conversation.
	march, err := ext.Session(extension.Scope{User: "ada", Session: "march"})
	if err != nil {
		log.Fatal(err)
	}
	said := map[string]any{"input": "I am allergic to cashews"}
	if err := march.Memory().SaveContext(ctx, said, map[string]any{"output": "I will remember that."}); err != nil {
		log.Fatal(err)
	}

	// A new one: what may help stands before its history.
	april, err := ext.Session(extension.Scope{User: "ada", Session: "april"})
	if err != nil {
		log.Fatal(err)
	}
	values, err := april.Memory().LoadMemoryVariables(ctx, map[string]any{"input": "What am I allergic to?"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.Contains(values["history"].(string), "I am allergic to cashews"))
	// Output: true
}

func ExampleWrapModel() {
	ctx := context.Background()
	ext, done := openExample(nil)
	defer done()

	s, err := ext.Session(extension.Scope{User: "ada", Session: "april"})
	if err != nil {
		log.Fatal(err)
	}
	march := extension.Scope{User: "ada", Session: "march"}
	if err := ext.Bus().Publish(ctx, eventbus.UserMessage(march, "Pixel is afraid of thunder")); err != nil {
		log.Fatal(err)
	}
	var seen echo // any llms.Model
	llm := extension.WrapModel(&seen, s)
	if _, err := llms.GenerateFromSinglePrompt(ctx, llm, "What is Pixel afraid of?"); err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.Contains(seen.prompt, "Pixel is afraid of thunder"))
	// Output: true
}

func ExampleSession_CallTool() {
	ctx := context.Background()
	ext, done := openExample(nil)
	defer done()

	s, err := ext.Session(extension.Scope{User: "ada"})
	if err != nil {
		log.Fatal(err)
	}
	// llm.GenerateContent(ctx, messages, llms.WithTools(s.LLMTools())) answered with:
	call := llms.ToolCall{ID: "call_1", Type: "function", FunctionCall: &llms.FunctionCall{
		Name: "search_memory", Arguments: `{"query": "thunder"}`,
	}}
	response, err := s.CallTool(ctx, call)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(response.ToolCallID, response.Name)
	// Output: call_1 search_memory
}

func ExampleExtension_Proposals() {
	ctx := context.Background()
	ext, done := openExample(nil)
	defer done()

	scope := extension.Scope{User: "ada"}
	waiting, err := ext.Proposals(ctx, scope)
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range waiting {
		// Show p.Kind, p.Content and p.NewContent to the person; when they agree:
		if err := ext.Approve(ctx, scope, p.ID); err != nil {
			log.Print(err)
		}
	}
	fmt.Println(len(waiting), "waiting")
	// Output: 0 waiting
}
