package text

import "hash/maphash"

// phraseTerms is the number of terms of a phrase.
const phraseTerms = 4

var phraseSeed = maphash.MakeSeed()

// Phrases returns a hash for each run of four terms of a text, in order: none for a
// shorter text. Hashes differ between processes.
func Phrases(s string) []uint64 {
	terms := Terms(s)
	if len(terms) < phraseTerms {
		return nil
	}
	phrases := make([]uint64, 0, len(terms)-phraseTerms+1)
	for i := 0; i+phraseTerms <= len(terms); i++ {
		phrases = append(phrases, maphash.Comparable(phraseSeed, [phraseTerms]string(terms[i:])))
	}
	return phrases
}

// PhraseShare returns the share, 0–1, of the terms of a text with these phrases that
// belong to a phrase which is common.
func PhraseShare(phrases []uint64, common func(phrase uint64) bool) float64 {
	within, end := 0, 0
	for i, p := range phrases {
		if common(p) {
			within += i + phraseTerms - max(i, end)
			end = i + phraseTerms
		}
	}
	return float64(within) / float64(len(phrases)+phraseTerms-1)
}
