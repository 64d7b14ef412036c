// Package lexicon knows words as a search compares them: the root that related
// words share, words for the same thing, words that say little about a topic, and
// what the words of a text reveal about it (who speaks, whether it asks, whether
// it holds a date or a number). It knows no index and no memory.
//
// A term is a word as [text.Terms] gives it: folded and stemmed, or a bigram of a
// script without spaces.
//
//	keys      roots and words for the same thing   roots.go, relatives.go
//	weight    frames, function characters          words.go
//	flags     person, question, date, number       flags.go
//	dates     the names of months and days         dates.go
package lexicon
