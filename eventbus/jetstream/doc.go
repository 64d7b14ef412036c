// Package jetstream connects a memory's event bus with NATS JetStream: an [Inbox]
// stores the messages of a stream in the memory, and an [Outbox] publishes the
// memory's reports to a stream. The journal in the memory remains the record of what
// happened; the broker carries events between programs.
//
// # Format
//
// Both directions use the JSON of [eventbus.Event]. A program in another language
// publishes a message of the user like this:
//
//	{"id": "m-17", "topic": "user.message", "scope": {"user": "ada", "session": "s1"},
//	 "payload": {"text": "I moved to Lisbon in May."}}
//
// [Message] encodes an event for programs in Go.
//
// # Receiving
//
// A message is acknowledged once it is on disk and part of the memory, and stored once
// for each event id, however often it is delivered. A message that can never be stored
// is published to the dead-letter subject with the reason, and not delivered again.
// Any other failure, such as a full disk, holds the stream until it is over.
//
// The host decides whose words a stream carries, with [InboxOptions].Host, and for
// which users it may speak, with [InboxOptions].Accept. Nothing in a message can raise
// its trust above that.
//
// By default one message at a time is in flight, for all programs that share a durable
// consumer. So messages are stored in the order of the stream, also after a crash.
//
// # Publishing
//
// Events are published after their transaction has committed, in the order of the
// journal, with a header Nats-Msg-Id that stays the same when an event is published
// again. The position is stored in the memory's file. So after a crash no event is
// missing, and the stream drops those that come a second time within its duplicate
// window (2 minutes by default). While the stream does not accept an event, those after
// it wait.
//
// # Connections
//
// The caller owns the connection. Connect with nats.MaxReconnects(-1): by default
// nats.go gives up after 60 attempts. Neither direction needs the broker at the start;
// both go on when it can be reached again.
package jetstream
