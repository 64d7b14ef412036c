package extension_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/tmc/langchaingo/llms"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
)

// openExample opens a memory that the example throws away.
func openExample() (x *extension.Extension, done func()) {
	dir, err := os.MkdirTemp("", "ebb")
	if err != nil {
		log.Fatal(err)
	}
	x, err = extension.Open(context.Background(), filepath.Join(dir, "memory.db"), nil)
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
	ext, done := openExample() // extension.Open(ctx, "memory.db", nil)
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

func ExampleSession_Memory() {
	ctx := context.Background()
	ext, done := openExample()
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
	ext, done := openExample()
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
	ext, done := openExample()
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

func ExampleExtension_Confirmations() {
	ctx := context.Background()
	ext, done := openExample()
	defer done()

	scope := extension.Scope{User: "ada"}
	waiting, err := ext.Confirmations(ctx, scope)
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range waiting {
		// Show c.Shown to the person; when they agree:
		if err := ext.Grant(ctx, scope, c.ID, c.Token); err != nil {
			log.Print(err)
		}
	}
	fmt.Println(len(waiting), "waiting")
	// Output: 0 waiting
}
