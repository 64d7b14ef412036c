// Package eventbus carries the messages of conversations into the memory, and
// reports to hosts what the memory did.
//
// # Publishing
//
// A host publishes three kinds of message: [UserMessage], [AgentResponse] and
// [ToolResult].
//
//	err := bus.Publish(ctx, eventbus.UserMessage(scope, "I moved to Lisbon in May."))
//
// Publish returns once the event is on disk and part of the memory: one
// transaction stores the journal's row and the memories made from it, so that
// neither exists without the other. An event has an id, and an id has one
// effect per user: after a crash or a time-out, publish the same event again.
// With an id of the host's own ([WithID]) this holds across processes too.
//
// Invalid input is refused with a *schema.InvalidError that names the field, and
// changes nothing. NUL bytes and invalid UTF-8 are removed from a message's
// text, which is also normalised to Unicode's NFC and one kind of line end;
// nothing else of it is changed.
//
// A message can have more than its text: [Speaker] and [At], [Attribute] and
// [Tags] for labels of the host's own, and [Importance] where the host knows it
// better than the memory, which otherwise rates the text. Labels are redacted
// and inspected as texts are.
//
// A host may publish topics of its own beside these. The memory ignores them;
// consumers get them.
//
// # Subscribing
//
// A consumer has a name, and under it a position in the journal that outlives
// the process.
//
//	sub, err := bus.Subscribe(ctx, "audit", handle, eventbus.Topics("user.message", "memory.*"))
//
// It gets its events in the order of the journal, one at a time, at least once:
// positions are stored after the work is done, in groups, so a crash repeats the
// last few events. With [InBatches] it gets new events in batches, which are
// collected for longer during a bulk load ([Journal.Load]). A handler that fails
// does not block the events after it. The failed event is delivered again after
// a wait, and is parked after some attempts: kept and listed ([Journal.Parked])
// until the host calls [Journal.Retry]. [Permanent] parks at once, [Snooze]
// waits without counting an attempt. A panic counts as a failure.
//
// Several processes can open one memory and subscribe under one name. One of
// them delivers at a time, under a lease that expires within a second after that
// process dies.
//
// # Reports
//
// The memory.* topics report what the memory did: [Stored], [Recalled] and
// [Consolidated] are their payloads. Only ebb writes them, in the transaction
// of the change itself where there is one. They carry ids and no texts, and
// have no id of their own: Seq distinguishes them. The reports of messages that
// are published together come after up to [schema.RowsAtOnce] of these.
//
// # Other buses
//
// To pass events on to a broker, subscribe and publish there; the consumer's
// position is the outbox. To accept events from one, publish them here under
// the broker's message id and acknowledge when Publish returns. Both are one
// handler, so there is no adapter.
//
// The tests in internal/bustest are the contract of a [Bus].
package eventbus
