// Functions is an OpenAI-functions agent with memory. Its prompt has no place
// for memory, so the session's memory brings one along.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/tmc/langchaingo/agents"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms/openai"

	"github.com/ebbmem/ebb/extension"
)

func main() {
	if len(os.Args) < 2 {
		log.Fatal(`usage: functions "what you want to say"`)
	}
	answer, err := ask(context.Background(), strings.Join(os.Args[1:], " "))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer)
}

func ask(ctx context.Context, question string) (answer string, err error) {
	llm, err := openai.New()
	if err != nil {
		return "", fmt.Errorf("no model: set OPENAI_API_KEY, and OPENAI_BASE_URL for a local server: %w", err)
	}
	ext, err := extension.Open(ctx, "memory.db", nil)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, ext.Close(ctx)) }()

	s, err := ext.Session(extension.Scope{User: "ada"})
	if err != nil {
		return "", err
	}
	memory := s.Memory()
	agent := agents.NewOpenAIFunctionsAgent(llm, s.Tools(), memory.ForOpenAIFunctions())
	executor := agents.NewExecutor(agent, agents.WithMemory(memory))
	return chains.Run(ctx, executor, question)
}
