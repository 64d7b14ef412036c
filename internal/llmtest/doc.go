// Package llmtest is an OpenAI-compatible server on loopback for tests. The
// answers of the model are scripted, everything else is real. Code under test uses
// it through langchaingo's own OpenAI client.
//
//	server := llmtest.New(t)
//	server.On(llmtest.Contains("allergic"), llmtest.Text("You are allergic to cashews."))
//	llm := server.LLM(t)
//
// It serves POST /chat/completions and GET /models, each also under /v1.
//
// # Rules
//
// Rules are tried in the order of their definition; the first that matches
// answers, at most [Rule.Times] times. A [Reply] is a text, the call of a tool, an
// HTTP error, a malformed body, silence until the caller gives up, or, with
// [Answer], the choice of a function. Texts and calls are streamed when the client
// asks for a stream.
//
// A request that no rule matches gets a 500 and fails the test, which prints the
// request and the rules. A request that OpenAI would reject for its form, such as
// a tool's result that answers no call, gets a 400 and fails the test too.
//
// # Assertions
//
// The server keeps every chat request: [Server.Requests] returns its messages,
// tools and options. Token counts in answers are counts of words, so that a test
// can predict them.
//
// It is for tests only.
package llmtest
