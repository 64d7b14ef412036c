// Package llmtest is an OpenAI-compatible server on loopback for tests: what a
// paid model would answer is scripted, everything else is real. Code under test
// talks to it through langchaingo's own OpenAI client.
//
//	server := llmtest.New(t)
//	server.On(llmtest.Contains("allergic"), llmtest.Text("You are allergic to cashews."))
//	llm := server.LLM(t)
//
// Rules are tried in the order they were given; the first that matches answers.
// A rule answers any number of times, or so many as [Rule.Times] says. A request
// that no rule matches gets a 500 and fails the test with its text. Every request
// is kept for assertions. It is for tests only.
package llmtest
