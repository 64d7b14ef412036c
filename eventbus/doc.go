// Package eventbus carries what happens in a conversation into the memory, and
// tells hosts what the memory did.
//
// # Publishing
//
// A host publishes three kinds of message: [UserMessage], [AgentResponse] and
// [ToolResult].
//
//	err := bus.Publish(ctx, eventbus.UserMessage(scope, "I moved to Lisbon in May."))
//
// Publish returns once the event is on disk and part of the memory: one
// transaction holds the journal's row and what the memory makes of it, so that
// neither exists without the other. An event has an id, and an id has one
// effect per user: after a crash or a time-out, publish the same event again.
// With an id of the host's own ([WithID]) this holds across processes too.
//
// Input that cannot be used is refused with a *schema.InvalidError that names
// the field, and changes nothing. NUL bytes and invalid UTF-8 are taken out of
// a message's text; nothing else of it is changed, beyond Unicode's NFC and
// one kind of line end.
//
// A message can say more than its text: [Speaker] and [At], [Attribute] and
// [Tags] for labels of the host's own, and [Importance] where the host knows it
// better than the memory, which otherwise goes by the words. Labels are
// redacted and inspected as texts are.
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
// It is given its events in the order of the journal, one at a time, at least
// once: positions are written after the work is done, in groups, so a crash
// repeats the last few. With [Together] it takes what is new many events at a
// time, and leaves it to gather while a bulk load goes on ([Journal.Load]). A
// handler that fails does not hold up the events after it. The failed one comes
// again after a wait, and is parked after some attempts: kept and listed
// ([Journal.Parked]) until somebody has it delivered again ([Journal.Retry]).
// [Permanent] parks at once, [Snooze] waits without counting. A panic counts as
// a failure.
//
// Several processes can open one memory and subscribe under one name. One of
// them delivers at a time, by a lease that runs out within a second of that
// process's death.
//
// # Reports
//
// The memory.* topics say what the memory did: [Stored], [Recalled] and
// [Consolidated] are their payloads. Only ebb writes them, in the transaction
// of the change itself where there is one. They carry ids, not texts, and
// have no id of their own: Seq is what tells them apart. Those of messages that
// are published together come after up to [schema.RowsAtOnce] of them.
//
// # Other buses
//
// To pass events on to a broker, subscribe and publish there; the consumer's
// position is the outbox. To take events in from one, publish them here under
// the broker's message id and acknowledge when Publish returns. Both are one
// handler, so there is no adapter to learn.
//
// The whole contract of a [Bus] is written down as tests in internal/bustest.
package eventbus
