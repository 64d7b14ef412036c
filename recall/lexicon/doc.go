// Package lexicon knows words as a search compares them: the root that related
// words share, words for the same thing, words that say little about a topic, what
// the words of a text reveal about it (who speaks, whether it asks, whether it holds
// a date or a number), which texts hold a word or a topic, and what a question asks
// for beyond its words: a time ("What did I do yesterday?"), a date ("When is the
// dentist?"), the last conversation, what is known about the user, or whatever the
// conversation is about ("And where?"). It knows English, German, Spanish and
// Chinese, and no memory.
//
// A term is a word as [text.Terms] gives it: folded and stemmed, or a bigram of a
// script without spaces.
//
//	keys      roots and words for the same thing   roots.go, relatives.go
//	weight    frames, function characters          words.go
//	flags     person, question, date, number       flags.go
//	dates     the names of months and days         dates.go
//	holders   which texts hold a term or topic     postings.go, themes.go
//	question  what it asks for beyond its words    plan.go, planwords.go
package lexicon
