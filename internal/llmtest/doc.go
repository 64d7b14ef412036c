// Package llmtest is an OpenAI-compatible server on loopback for tests: what a
// paid model would answer is scripted, everything else is real. Code under test
// talks to it through langchaingo's own OpenAI client.
//
//	server := llmtest.New(t)
//	server.On(llmtest.Contains("allergic"), llmtest.Text("You are allergic to cashews."))
//	llm := server.LLM(t)
//
// It serves POST /chat/completions, POST /embeddings and GET /models, each also
// under /v1.
//
// # Rules
//
// Rules are tried in the order they were given; the first that matches answers,
// any number of times or as many as [Rule.Times] says. A [Reply] is a text, calls
// of tools, an HTTP error, a body that is malformed or breaks off, silence until
// the caller gives up, or, with [Answer], whatever a function of the request
// makes of it. Texts and calls are streamed when the client asks for a stream.
//
// A request that no rule matches gets a 500 and fails the test, which shows the
// request beside the rules that were tried. So does one that OpenAI would refuse
// for its form, such as a tool's result that answers no call: it gets a 400.
//
// # Embeddings
//
// [Server.Embed] sets the function that turns a text into its vector; a client
// that asks for fewer dimensions gets the vector's beginning, at length 1 again,
// as OpenAI shortens its own.
//
// # Assertions
//
// Every chat request is kept: [Server.Requests] gives its messages, tools and
// options as the client sent them. Token counts in answers are counts of words,
// so that a test can foretell them.
//
// It is for tests only.
package llmtest
