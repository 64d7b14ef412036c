// React is a conversational agent that remembers across restarts: run it,
// tell it something, end it, run it again and ask.
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"os/signal"
	"time"

	"github.com/tmc/langchaingo/agents"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms/openai"

	"github.com/ebbmem/ebb/extension"
)

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) (err error) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	llm, err := openai.New()
	if err != nil {
		return fmt.Errorf("no model: set OPENAI_API_KEY, and OPENAI_BASE_URL for a local server: %w", err)
	}
	ext, err := extension.Open(ctx, "memory.db", nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ext.Close(ctx)) }()

	s, err := ext.Session(extension.Scope{User: "ada", Session: time.Now().Format(time.DateTime)})
	if err != nil {
		return err
	}
	agent := agents.NewConversationalAgent(llm, s.Tools())
	executor := agents.NewExecutor(agent, agents.WithMemory(s.Memory()))

	fmt.Println("Say something; an empty line ends the conversation.")
	for lines := bufio.NewScanner(os.Stdin); lines.Scan() && lines.Text() != ""; {
		answer, err := chains.Run(ctx, executor, lines.Text())
		if err != nil {
			return err
		}
		fmt.Println(answer)
	}
	return nil
}
