// Package said extracts what a message states about its author: lasting facts,
// preferences, wishes, changes, and requests to keep or forget something. It is a
// leaf, has no state and asks no model.
//
// A message is processed in these steps:
//
//	mask       hide code, quotations and pasted mail          sentence.go
//	sentences  tokens with offsets into the text              sentence.go
//	language   the lexicon that knows most of the words       lexicon.go
//	clauses    where a claim may begin, and what prevents it  clause.go
//	rows       the first pattern that matches                 match.go
//	object     its bounds, and whether it can be a value      object.go, guards.go
//	slots      canonical nouns and predicates                 slots.go
//
// A language is a lexicon: lists of words and a table of patterns, one row each
// (english.go, german.go, spanish.go, chinese.go). The engine is the same for all
// languages; in Chinese every character is a token.
//
// # Patterns
//
//	I live in X               : lives_in func is=place
//	MY @role is X             : $ func is=name
//	I switched from Y to X    : uses func change
//
// Words in capitals are slots: I is the subject, MY the owner, X the object, Y
// the object that ended, Z words to skip, N a noun that becomes the predicate
// ($). @class is a noun of the table in nouns.txt and fills N; #class fills X; @bearer is a
// person or an animal. a|b
// are alternatives, a_b is two words, ? marks an optional element. Adverbs may
// stand between any two elements; their meaning (not, now, always, also) is
// recorded. The first row that matches wins, so a special row stands above a
// general one.
//
// After the colon stand the predicate ("%" is the verb of the row) and the
// properties of the row: func (one object at a time), adds (several), change,
// denied, deniable (a "not" makes it a denial), deny=P (a "not" makes it predicate
// P), pref, wish, a temporal type, value=W (the words of the row are the object),
// subject=S, elide (the subject may be missing at the start of a sentence), clear
// (counts in long messages), own (no claim where its words do not say whose it is and
// the message mentions somebody else), reported (only in [Reported]), front (in German, where the
// object may also stand before the verb), words=2-8, how many words the object has, and
// is=G, a guard in guards.go that it must pass.
//
// # Sentences without a pattern
//
// Most statements about oneself match no pattern: "Lorna picks up from school.
// Saint." [LastingOf] rates each sentence by its words with a small linear model.
// It finds no subject and no object. Package orders tells what such a sentence asks of an
// agent: an order about the work at hand is left out, a rule of how to work lasts.
//
// # Predicates
//
// One thing has one predicate, whatever the words and the language: "I drive a
// Skoda" and "mein Auto ist ein Skoda" both claim car. Relatives and roles are
// predicates of the person who has them (sister = Noor), and subjects of claims
// about them ("my sister" lives_in Rome). A name that an earlier message gives one of
// them stands for them, see [Person], and what ends a relation, such as a death, is a
// denial of it. An activity is the subject of its
// schedule. A correction without a subject ("her name is Nora, not Noor", "it's
// the 15th, not the 14th") has the subject "she" or "it", and [Compare] goes by
// the object that it ends.
package said
