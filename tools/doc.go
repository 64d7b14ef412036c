// Package tools has the langchaingo tools with which a model uses one user's
// memory, each in a file of its own. A session has these eight unless its host
// chooses:
//
//	search_memory       search the memory
//	remember_fact       store one claim
//	correct_fact        replace a wrong claim
//	confirm_fact        ask for a claim to be protected
//	forget_memory       hide what the user asked to forget
//	get_entity_info     everything about one person, place or project
//	memory_stats        size and health of the memory
//	memory_consolidate  run the night's work now
//
// [New] builds them over [Deps]. The host sets the user, in [Deps.Scope]; no tool
// has a parameter for it.
//
// # What a model may write
//
// Models call tools in many ways, and agents wrap their input. These inputs are
// equivalent for search_memory:
//
//	{"query": "Lisbon flat"}
//	Lisbon flat
//	{"__arg1": "Lisbon flat"}
//	{"__arg1": "{\"query\": \"Lisbon flat\"}"}
//	```json
//	{"query": "Lisbon flat"}
//	```
//
// A bare text is the value of the tool's main parameter. Numbers may be strings.
// One table of parameters in each tool's file defines the JSON schema, the parsing
// and the messages about mistakes.
//
// # Mistakes are answers
//
// A Go error from a tool ends a langchaingo agent's whole run. A tool therefore
// answers mistakes that a model can correct (an unknown id, a malformed input, a
// number out of range) and faults that it cannot (a full disk) with a sentence and
// a nil error. It passes faults to [Deps.Report]. The only Go error is that of a
// cancelled context.
//
// # What a model may not do
//
// A model's claim is not the user's word. A fact or correction has the user's
// trust level only when one of the user's own turns in this session states it and it
// adds nothing; that turn is then recorded as its source. A correction without such a turn becomes a proposal for the host, and
// confirm_fact only proposes, unless the user asked for protection.
//
// Core memory is part of every later context, so core_memory_update and
// core_memory_append write only where a block allows it. A change that could come
// from untrusted text is proposed, and a text that reads like an instruction is
// refused, unless the user has said it in this session.
package tools
