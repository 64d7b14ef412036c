// Package extension is what a host imports: long-term memory for a langchaingo
// agent, in one SQLite file.
//
//	ext, err := extension.Open(ctx, "memory.db", nil) // no model, no key, no network
//	defer ext.Close(ctx)
//	s, err := ext.Session(extension.Scope{User: "ada", Session: "2026-03-01"})
//	agent := agents.NewConversationalAgent(llm, s.Tools())
//	exec := agents.NewExecutor(agent, agents.WithMemory(s.Memory()))
//
// The agent now remembers across restarts: SaveContext stores both sides of
// every turn durably before it returns, and the next prompt holds what may
// help from all earlier conversations.
//
// # Front doors
//
// What is said can come in through any of these, in any combination; a message
// is stored once and recalled memory appears once in a prompt:
//
//   - [Session.Memory], a langchaingo memory around any inner one;
//   - [Session.Callbacks], a langchaingo handler;
//   - [Extension.Bus], the event bus: ext.Bus().Publish(ctx, eventbus.UserMessage(scope, text)).
//
// What was remembered comes back through:
//
//   - [Session.Memory] again, before the history of the conversation. For agent
//     types whose prompt has no place for it: [Memory.ForOpenAIFunctions],
//     [Memory.ForOneShot];
//   - [WrapModel], before any model call;
//   - [Session.Tools], or [Session.LLMTools] with [Session.CallTool] for a tool
//     loop of your own;
//   - [Extension.Recall] and [Session.Recall], with the reasons for each result.
//
// # Two time scales
//
// While a turn waits, one transaction is written: journal, episode and text
// index. Nothing on that path calls a model, an embedder or the network.
// Seconds later consumers of the bus link entities and count accesses. At night
// each user's memory is consolidated, once for every local day.
//
// # Core memory
//
// [CoreMemoryConfig.Blocks] describes texts that stand at the head of every context,
// shared by the user's agents or one for each. A host writes them
// ([Extension.SetBlock]), a model by tools, as far as each block lets it; what it
// may not write by itself waits for [Extension.Approve]. Each has a history
// ([Extension.BlockHistory]), and one change can be taken back
// ([Extension.UndoBlock]). [ThreeTier] is made of such blocks.
//
// # Trust
//
// A [Scope] is stamped by the host and is never a parameter a model can set.
// Every message carries an origin and a trust level; an assistant's answer has
// the lowest level of what was before it in that turn. Recalled memories reach
// a model as data: one line each, inside a fence with a fresh nonce that nothing
// in them can close, and never as template text.
//
// # What a model is told
//
// Each context begins with what the user said of themselves and has not taken
// back, in their own words ([Config].CoreMemory.ProfileTokens, [Extension.Profile]), and goes on
// with what may help with the question. The records carry short ids, which the
// tools accept in that conversation ([Session.MemoryID]).
//
// # Privacy
//
// Secrets are taken out of every text before anything of it is written, hashed
// or embedded, whichever way it comes in: [Redaction] says which, adds personal
// data on request, and takes a hook of the host's. What was stored before is not
// touched. No error, log line or statistic holds words of a text or a name of a
// user, tenant, agent or session; ids of events, turns and memories, names of
// consumers and paths of files may stand there. Errors of code that is not ebb's
// are told by their kind: [*ForeignError].
//
// # When something fails
//
// Memory never breaks a turn: loading and saving degrade, and report through
// [Hooks] and [Extension.Health]. Everything else returns an error that names
// what is wrong: [*InvalidError] names the field.
package extension
