// Package names reads proper names: their parts and titles, how likely a name is
// a person's, the nicknames of a given name, Latin spellings of Cyrillic names,
// names spelt in e-mail addresses, and names of countries and regions.
//
// Its word lists are small and written by hand. They hold mostly English words,
// with some German, Spanish, French and Russian ones. Words in arguments and
// results are folded as [github.com/ebbmem/ebb/internal/text.Fold] does.
package names
