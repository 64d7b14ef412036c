package eventbus_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/schema"
)

// openBus creates a bus in a temporary file. A host gets its bus from
// extension.Extension.Bus.
func openBus(ctx context.Context) (bus *eventbus.Journal, cleanUp func()) {
	dir, err := os.MkdirTemp("", "ebb")
	if err != nil {
		log.Fatal(err)
	}
	db, err := schema.Open(ctx, filepath.Join(dir, "memory.db"), nil)
	if err != nil {
		log.Fatal(err)
	}
	bus = eventbus.NewJournal(db, nil)
	return bus, func() {
		if err := errors.Join(bus.Close(ctx), db.Close(), os.RemoveAll(dir)); err != nil {
			log.Fatal(err)
		}
	}
}

func Example() {
	ctx := context.Background()
	bus, cleanUp := openBus(ctx)
	defer cleanUp()

	_, err := bus.Subscribe(ctx, "printer", func(_ context.Context, e eventbus.Event) error {
		m, err := e.Message()
		if err != nil {
			return eventbus.Permanent(err)
		}
		fmt.Printf("%s: %s\n", e.Topic, m.Text)
		return nil
	}, eventbus.Topics("user.*", eventbus.TopicAgentResponse))
	if err != nil {
		log.Fatal(err)
	}

	scope := eventbus.Scope{User: "ada", Session: "2026-03-01"}
	question := eventbus.UserMessage(scope, "Where did I leave the keys?", eventbus.WithID("chat-17"))
	for range 2 { // the second time has no effect
		if err := bus.Publish(ctx, question); err != nil {
			log.Fatal(err)
		}
	}
	if err := bus.Publish(ctx, eventbus.AgentResponse(scope, "On the shelf by the door.")); err != nil {
		log.Fatal(err)
	}
	if err := bus.WaitIdle(ctx); err != nil {
		log.Fatal(err)
	}
	// Output:
	// user.message: Where did I leave the keys?
	// agent.response: On the shelf by the door.
}

// broker stands for the client of a message broker.
type broker struct{}

func (broker) Send(_ context.Context, key string, body []byte) error {
	fmt.Println(key, string(body))
	return nil
}

// Passing events on to a broker. Events that the broker refuses are retried, after
// a restart too.
func ExampleJournal_Subscribe_outbox() {
	ctx := context.Background()
	bus, cleanUp := openBus(ctx)
	defer cleanUp()

	var out broker
	_, err := bus.Subscribe(ctx, "outbox", func(ctx context.Context, e eventbus.Event) error {
		return out.Send(ctx, e.Topic+"/"+e.Scope.User, e.Payload)
	}, eventbus.Topics("host.*"), eventbus.MaxAttempts(20))
	if err != nil {
		log.Fatal(err)
	}
	e, err := eventbus.New("host.door.opened", eventbus.Scope{User: "ada"}, eventbus.OriginToolInternal, map[string]string{"door": "garden"})
	if err != nil {
		log.Fatal(err)
	}
	if err := bus.Publish(ctx, e); err != nil {
		log.Fatal(err)
	}
	if err := bus.WaitIdle(ctx); err != nil {
		log.Fatal(err)
	}
	// Output: host.door.opened/ada {"door":"garden"}
}
