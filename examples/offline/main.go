// Offline tests what an agent remembers, without a model, a key or a network: it says a few
// things, moves the clock by weeks, and prints what stands before the model for a question.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms/fake"

	"github.com/ebbmem/ebb/extension"
)

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) (err error) {
	dir, err := os.MkdirTemp("", "offline")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	var days atomic.Int64 // background work reads the clock, too
	now := func() time.Time { return time.Date(2026, 3, 2+int(days.Load()), 9, 0, 0, 0, time.UTC) }
	cfg := &extension.Config{
		Now:      now,
		Location: time.UTC,
		Night:    extension.NightConfig{NoSchedule: true},
	}
	ext, err := extension.Open(ctx, filepath.Join(dir, "memory.db"), cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ext.Close(ctx)) }()

	llm := fake.NewFakeLLM([]string{"Noted."})
	for visit, text := range []string{
		"I live in Lisbon, up in Graça.",
		"I'm allergic to cashews. The wedding is on 20 June.",
		"I've moved to Oslo.",
		"I have a cold.",
	} {
		s, err := ext.Session(extension.Scope{User: "ada", Session: fmt.Sprint("visit ", visit)})
		if err != nil {
			return err
		}
		if _, err := chains.Run(ctx, chains.NewConversation(llm, s.Memory()), text); err != nil {
			return err
		}
		if err := ext.WaitIdle(ctx); err != nil { // until the facts in it are stored
			return err
		}
		days.Add(14)
		if err := ext.RunDueNights(ctx); err != nil {
			return err
		}
	}

	s, err := ext.Session(extension.Scope{User: "ada", Session: "today"})
	if err != nil {
		return err
	}
	for _, question := range []string{"Where do I live now?", "What is the capital of Peru?"} {
		found, err := s.Preview(ctx, question)
		if err != nil {
			return err
		}
		fmt.Printf("%s %s\n%s\n", now().Format(time.DateOnly), question, found.Block)
	}
	return nil
}
