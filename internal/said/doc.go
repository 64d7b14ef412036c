// Package said reads what a message says outright about the person who wrote
// it: standing facts, preferences, wishes, changes, and requests to keep or
// forget something. It is a leaf, pure, and asks no model.
//
// The stations a message passes:
//
//	mask      code, quotations, pasted mail      sentence.go
//	sentences tokens with offsets into the text  sentence.go
//	language  the lexicon that knows most words  lexicon.go
//	clauses   what blocks a claim, where it may begin  clause.go
//	patterns  the first row that matches         match.go
//	slots     canonical nouns and predicates     slots.go
//
// A language is a lexicon: lists of words and a table of patterns, one row each
// (english.go, german.go, spanish.go, chinese.go). The engine is the same for
// all; in Chinese every character is a token.
//
// # Patterns
//
//	I live in|at X            : lives_in func place change
//	my @role is X             : $ func name
//	I switch from Y to X      : $ func
//
// Words in capitals are slots: I is the subject, X the object, Y what ended, Z
// what is passed over, N a noun that becomes the predicate ($). @class is a noun of a table in slots.go
// and fills N. a|b are alternatives, a_b stands for two words, ? marks what may
// be missing. Adverbs may stand between any two elements; what they say (not,
// now, always, also) is recorded. A row that has a more general form below it
// must stand above it.
package said
