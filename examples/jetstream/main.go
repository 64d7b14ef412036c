// Jetstream is a memory between other programs: it stores what they publish to one
// stream of a NATS server, and publishes what the memory did to another.
//
//	nats-server -js &
//	go run ./examples/jetstream &
//	nats pub chat.ada '{"id": "m-1", "topic": "user.message",
//	  "scope": {"user": "ada"}, "payload": {"text": "I moved to Lisbon in May."}}'
//	nats sub 'ebb.>'
package main

import (
	"cmp"
	"context"
	"errors"
	"log"
	"os"
	"os/signal"
	"strings"

	"github.com/nats-io/nats.go"
	broker "github.com/nats-io/nats.go/jetstream"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/eventbus/jetstream"
	"github.com/ebbmem/ebb/extension"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) (err error) {
	// By default nats.go gives up after 60 attempts to reconnect.
	conn, err := nats.Connect(cmp.Or(os.Getenv("NATS_URL"), nats.DefaultURL), nats.MaxReconnects(-1))
	if err != nil {
		return err
	}
	defer conn.Close()
	streams, err := broker.New(conn)
	if err != nil {
		return err
	}
	for _, cfg := range []broker.StreamConfig{
		{Name: "CHAT", Subjects: []string{"chat.*"}},
		{Name: "EBB", Subjects: []string{"ebb.>"}},
	} {
		if _, err := streams.CreateOrUpdateStream(ctx, cfg); err != nil {
			return err
		}
	}

	ext, err := extension.Open(ctx, "memory.db", nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ext.Close(ctx)) }()
	report := func(err error) { log.Print(err) }
	outbox, err := jetstream.NewOutbox(ctx, ext.Bus(), streams, jetstream.OutboxOptions{ErrorHook: report})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, outbox.Close(context.WithoutCancel(ctx))) }()
	inbox, err := jetstream.NewInbox(ext.Bus(), streams, jetstream.InboxOptions{
		Stream: "CHAT", DeadLetter: "ebb.dead", ErrorHook: report,
		// The programs on this stream are the host's own: what they report as the
		// user's message is the user's word.
		Host: true,
		// The server's permissions decide who may publish to chat.ada, and so who may
		// speak for ada.
		Accept: func(subject string, e eventbus.Event) error {
			if e.Scope.User != strings.TrimPrefix(subject, "chat.") {
				return errors.New("the user is not that of the subject")
			}
			return nil
		},
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, inbox.Close(context.WithoutCancel(ctx))) }()
	<-ctx.Done()
	return nil
}
