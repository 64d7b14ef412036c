// Ownbus is a host with messages of its own and no model: it publishes what
// people say, listens to what the memory does, and asks it directly.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
)

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) (err error) {
	dir, err := os.MkdirTemp("", "ownbus")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	ext, err := extension.Open(ctx, filepath.Join(dir, "memory.db"), nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ext.Close(ctx)) }()

	// A named consumer keeps its place in the journal, also across restarts.
	stored := make(chan string, 8)
	_, err = ext.Bus().Subscribe(ctx, "audit-log", func(_ context.Context, e eventbus.Event) error {
		var report eventbus.Stored
		if err := e.Decode(&report); err != nil {
			return eventbus.Permanent(err)
		}
		stored <- fmt.Sprintf("%s: one %s of %s", e.Topic, report.Kind, e.Scope.User)
		return nil
	}, eventbus.Topics(eventbus.TopicMemoryStored))
	if err != nil {
		return err
	}

	// When Publish returns, the message is on disk and can be found.
	scope := extension.Scope{User: "ada", Session: "support-4711"}
	err = ext.Bus().Publish(ctx,
		eventbus.UserMessage(scope, "My parcel should go to 12 Harbour Street, not to the office.", eventbus.Speaker("Ada")),
		eventbus.AgentResponse(scope, "I have changed the address to 12 Harbour Street."),
	)
	if err != nil {
		return err
	}
	fmt.Println(<-stored)
	fmt.Println(<-stored)

	answer, err := ext.Recall(ctx, extension.Scope{User: "ada"}, extension.Query{Text: "which address for the parcel?", Limit: 2})
	if err != nil {
		return err
	}
	for _, r := range answer.Results {
		fmt.Printf("%s — %s\n%s", r.Memory.EventTime.Format("2 January 15:04"), r.Memory.Content, r.Explain())
	}
	return nil
}
