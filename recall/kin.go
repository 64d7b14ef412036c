package recall

// Roots are the keys under which a term, as [text.Terms] gives it, meets words
// of the same root: "painter" and "paint". A text that is compared with another
// outside a search, such as the core section with a question, goes by them as a
// search does.
func Roots(term string) []string { return roots(term) }

// Relatives are the terms of other forms of a word and of everyday words for the
// same thing.
func Relatives(term string) []string { return relatives[term] }
