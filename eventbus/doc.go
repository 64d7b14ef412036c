// Package eventbus is a durable event bus on the memory's SQLite file. Hosts publish
// the messages of conversations to it, and subscribe to reports of what the memory
// did.
//
// # Publishing
//
// A host publishes three kinds of message: [UserMessage], [AgentResponse] and
// [ToolResult].
//
//	err := bus.Publish(ctx, eventbus.UserMessage(scope, "I moved to Lisbon in May."))
//
// Publish returns once the event is on disk and part of the memory: one transaction
// stores both the journal row and the memories made from it. Publishing is
// idempotent per user and event id, so after a crash or a timeout publish the same
// event again. With an id of the host's own ([WithID]) this works across processes
// too.
//
// Invalid input is rejected with a *schema.InvalidError that names the field, and
// changes nothing. A message's text is normalised: NUL bytes and invalid UTF-8 are
// removed, Unicode is converted to NFC, and line endings are unified. Nothing else
// is changed.
//
// Options add metadata to a message: [Speaker] and [At]; [Attribute] and [Tags] for
// the host's own labels; [Importance] to override the memory's own rating of the
// text. Labels are redacted and inspected like texts.
//
// A host may also publish its own topics. The memory ignores them; subscribers
// receive them.
//
// # Subscribing
//
// A consumer has a name. Its position in the journal is stored under that name and
// survives the process.
//
//	sub, err := bus.Subscribe(ctx, "audit", handle, eventbus.Topics("user.message", "memory.*"))
//
// Events are delivered in journal order, one at a time, at least once: the position
// is stored after the work is done, for several events together, so a crash repeats
// the last few. With [InBatches] a consumer receives new events in batches, which
// are collected for longer during a bulk load ([Journal.Load]).
//
// A failed event does not block those after it. It is retried with backoff, and
// parked after some attempts: kept and listed ([Journal.Parked]) until the host calls
// [Journal.Retry]. [Permanent] parks at once. A panic counts as a failure.
//
// Several processes can open one memory and subscribe under one name. One of them
// delivers at a time, under a lease that expires within a second after that process
// dies.
//
// # Reports
//
// The memory.* topics report what the memory did; their payloads are [Stored],
// [Recalled], [Consolidated] and [Proposed]. Only ebb publishes them, in the same
// transaction as the change they report, if there is one. They have no event id; Seq
// identifies them. When messages are published together, their reports follow each
// group of up to [schema.RowsAtOnce] messages.
//
// # Other buses
//
// To forward events to a broker, publish them there from a subscription; the stored
// position makes it a transactional outbox. To accept events from a broker, publish
// them here under the broker's message id and acknowledge when Publish returns.
// Package eventbus/jetstream does both for NATS JetStream.
//
// internal/bustest holds the conformance tests of a [Bus].
package eventbus
