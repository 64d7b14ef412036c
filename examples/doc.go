// Package examples holds four hosts that compile and run, and two clients in other languages:
//
//   - react: a conversational ReAct agent with memory and tools;
//   - functions: an OpenAI-functions agent, and the option its prompt needs;
//   - ownbus: a program with an event bus of its own and no model at all;
//   - jetstream: a memory between the streams of a NATS server;
//   - python/ebb.py and typescript/ebb.ts: clients of ebb serve, without dependencies.
//
// The first two talk to any OpenAI-compatible server: set OPENAI_API_KEY, and
// OPENAI_BASE_URL for a server that is not OpenAI's.
package examples
