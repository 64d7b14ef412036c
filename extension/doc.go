// Package extension provides long-term memory for langchaingo agents in one SQLite
// file.
//
//	ext, err := extension.Open(ctx, "memory.db", nil) // no model, no key, no network
//	defer ext.Close(ctx)
//	s, err := ext.Session(extension.Scope{User: "ada", Session: "2026-03-01"})
//	agent := agents.NewConversationalAgent(llm, s.Tools())
//	exec := agents.NewExecutor(agent, agents.WithMemory(s.Memory()))
//
// The agent now remembers across restarts: SaveContext stores both sides of
// every turn durably before it returns, and the next prompt contains what may
// help from all earlier conversations.
//
// # Sources of messages
//
// Messages come in through any combination of the following. Each message is
// stored once, however many of them report it:
//
//   - [Session.Memory], a langchaingo memory that wraps another one;
//   - [Session.Callbacks], a langchaingo handler;
//   - [Extension.Bus], the event bus: ext.Bus().Publish(ctx, eventbus.UserMessage(scope, text)).
//
// Memories are returned by:
//
//   - [Session.Memory], before the history of the conversation. For agent types
//     without a history in their prompt: [Memory.ForOpenAIFunctions],
//     [Memory.ForOneShot];
//   - [WrapModel], before any model call;
//   - [Session.Tools], or [Session.LLMTools] with [Session.CallTool] for a tool
//     loop of your own;
//   - [Extension.Recall] and [Session.Search], with the signals of each result.
//
// A prompt gets recalled memories once, even if several of these are used.
//
// # Online and background work
//
// During a turn one transaction is written: journal, episode and text index. No
// model, embedder or network is involved. Seconds later, consumers of the bus
// extract claims, link entities and count accesses. Each user's memory is
// consolidated once for every local day, at night.
//
// # Core memory
//
// [CoreMemoryConfig.Blocks] describes texts at the head of every context, shared
// by the user's agents or one for each. The host writes them with
// [Extension.SetBlock], models with tools as far as each block allows; other
// changes wait for [Extension.Approve]. Each block has a history
// ([Extension.BlockHistory]) from which single changes can be reverted
// ([Extension.UndoBlock]). [ThreeTier] consists of such blocks.
//
// # Trust
//
// The host sets the [Scope]; models have no parameter for it. Every message has
// an origin and a trust level. An assistant's answer gets the lowest level of
// what the model has been shown in the conversation. Recalled memories reach a
// model as data: one line each, inside a fence with a random nonce that they
// cannot close, and never as template text.
//
// # What a model sees
//
// Each context starts with the user's own statements that still hold
// ([Config].CoreMemory.ProfileTokens, [Extension.Profile]), followed by memories
// relevant to the question. Records have short ids, which the tools accept in
// that conversation ([Session.MemoryID]).
//
// # Privacy
//
// Secrets are removed from every text before it is written, hashed or embedded.
// [Redaction] lists what is removed; it can add personal data and a hook of the
// host's. Texts stored earlier are not changed. Errors, logs and statistics
// contain no user texts and no names of users, tenants, agents or sessions. They
// may contain ids of events, runs and memories, consumer names and file paths.
// Errors of foreign code are reported by type: [*ForeignError].
//
// # Errors
//
// Memory never breaks a turn: loading and saving degrade, and report faults
// through [Hooks] and [Extension.Health]. Other methods return an error that says
// what is wrong; [*InvalidError] names the field. After Close every method may return
// [ErrClosed], and with Config.ReadOnly every one that writes returns [ErrReadOnly].
package extension
