// Package examples holds five hosts that compile and run, and two clients in other languages:
//
//   - offline: a test of what an agent remembers, without a model: start here;
//   - react: a conversational ReAct agent with memory and tools;
//   - functions: an OpenAI-functions agent, and the option its prompt needs;
//   - ownbus: a program with an event bus of its own and no model at all;
//   - jetstream: a memory between the streams of a NATS server;
//   - python/ebb.py and typescript/ebb.ts: clients of ebb serve, without dependencies.
//
// React and functions talk to any OpenAI-compatible server: set OPENAI_API_KEY, and
// OPENAI_BASE_URL for a server that is not OpenAI's.
package examples
