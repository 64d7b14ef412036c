// Package text holds what ebb knows about written language without a model:
// index terms, chunks, token estimates, mentions and time expressions.
//
// It is a leaf: it imports nothing else of ebb, keeps no files, reads no clock
// and never touches the network, so the hot path of a publish may call it.
// Every function is deterministic and safe for concurrent use.
//
// The stations a message passes:
//
//	s = text.Clean(s)                  // storable: no NUL, valid UTF-8, NFC, LF
//	for _, c := range text.Chunks(s, 0) { // about 900 runes each
//		index(text.Prepare(c))     // "the cats of Anna" -> "the cat of anna"
//	}
//	for _, m := range text.Mentions(s) { … } // names, URLs, e-mails, handles, hashtags, dates
//
// A question goes another way:
//
//	terms := text.QueryTerms(q, 64)    // index terms without function words
//	spans := text.TimeSpans(q, now)    // "last week" -> [Monday, Monday)
//
// # Index terms
//
// [Terms] is the only tokenizer of the index: both sides, storing and asking,
// go through it, and FTS5's unicode61 is left with nothing to decide because
// every term is made of letters and digits alone. English words are stemmed
// with Porter2; scripts that write without spaces become overlapping bigrams.
//
// # Mentions and times
//
// [Mentions] prefers precision at the start of a sentence, where a capital says
// nothing, and recall elsewhere. [TimeSpans] reads English; an expression
// without a year means the nearest past one, as memories speak of the past.
package text
