package lexicon

import (
	"strings"
	"unicode/utf8"
)

// Roots are the keys under which a term, as [text.Terms] gives it, meets related
// terms. A word has one: what is left without endings of derivation, so that
// "painter" meets "paint" (Porter2 removes inflections only). A bigram of an
// unspaced script has two: its characters, so that 猫咪 meets 小猫.
func Roots(term string) []string {
	first, size := utf8.DecodeRuneInString(term)
	switch {
	case first >= firstUnspaced:
		second, _ := utf8.DecodeRuneInString(term[size:])
		if utf8.RuneCountInString(term) != 2 || first == second {
			return []string{term}
		}
		return []string{term[:size], term[size:]}
	case len(term) < minRoot || first < 'a' || first > 'z':
		return []string{term}
	}
	return []string{root(term)}
}

const (
	firstUnspaced = '\u0e00' // the first script that text.Terms cuts into bigrams
	minRoot       = 4
)

// root removes one ending of derivation from a stem.
func root(stem string) string {
	for _, s := range endings {
		if len(stem)-len(s) >= minRoot && strings.HasSuffix(stem, s) {
			stem = strings.TrimSuffix(stem, s)
			if n := len(stem); n > minRoot && stem[n-1] == stem[n-2] && stem[n-1] != 's' && stem[n-1] != 'l' {
				stem = stem[:n-1] // "runner"
			}
			break
		}
	}
	if short := strings.TrimRight(stem, "eiy"); short != "" {
		return short
	}
	return stem // "iiii"
}

// endings are the suffixes of derivation as Porter2 leaves them, longest first.
var endings = strings.Fields("ation ition ment ship ness ance enc ant ist ism ion ing ive ful our or er al ic ag ur th ed iv")
