// Package tools gives a model its memory: langchaingo tools over one user's
// memory, each in a file of its own. Seven are there unless a host chooses:
//
//	search_memory       look something up before answering from thin air
//	remember_fact       keep one claim worth keeping
//	correct_fact        replace a claim that turned out wrong
//	confirm_fact        ask for a claim to be protected for good
//	get_entity_info     everything about one person, place or project
//	memory_stats        how much is remembered and whether all is well
//	memory_consolidate  run the night's work now
//
// [New] builds all of them over [Deps]. Whose memory is meant is [Deps.Scope],
// stamped by the host; no tool has a parameter for it.
//
// # What a model may write
//
// Models call tools in many ways, and agents wrap what they write. All of
// these mean the same to search_memory:
//
//	{"query": "Lisbon flat"}
//	Lisbon flat
//	{"__arg1": "Lisbon flat"}
//	{"__arg1": "{\"query\": \"Lisbon flat\"}"}
//	```json
//	{"query": "Lisbon flat"}
//	```
//
// A bare text goes to the tool's main parameter. Numbers may come as strings.
// One table of parameters in each tool's file serves the JSON schema, the
// reading and the messages about mistakes.
//
// # Mistakes are answers
//
// A Go error from a tool ends a langchaingo agent's whole run. So everything a
// model can mend, an unknown id, a malformed input, a number out of range, and
// what it can only report, a full disk, comes back as a sentence with a nil
// error; [Deps.Report] hears of the second sort. The one Go error is that of an
// ended context.
//
// # What a model may not do
//
// A claim of the model's is not the user's word. A fact or correction carries
// the user's trust level only when one of the user's own turns in this session
// holds its names, numbers and dates, and most of its words; that turn is then
// recorded as its source. A correction without such a turn becomes a proposal
// for the host to decide, and confirm_fact only ever asks.
//
// Core memory stands before every later turn, so core_memory_update and
// core_memory_append write only where a block lets them. What a model could have
// from texts that nobody vouches for is proposed, and a text that reads like an
// order is refused, unless the user has said it in this session.
package tools
