// Package text holds what ebb knows about written language without a model:
// index terms, chunks, token estimates, mentions, time expressions, the forms of
// questions and small talk.
//
// It is a leaf: it imports no other package of ebb and uses no files, clock or
// network, so the hot path of a publish may call it. Every function is
// deterministic and safe for concurrent use.
//
// A message is processed in these steps:
//
//	s = text.Clean(s)                  // storable: no NUL, valid UTF-8, NFC, LF
//	for _, c := range text.Chunks(s, 0) { // about 900 runes each
//		index(text.Prepare(c))     // "the cats of Anna" -> "the cat of anna"
//	}
//	for _, m := range text.Mentions(s) { … } // names, URLs, e-mails, handles, hashtags, dates
//
// A question is processed in these:
//
//	terms := text.QueryTerms(q, 64)    // index terms without function words
//	spans := text.TimeSpans(q, now)    // "last week" -> [Monday, Monday)
//
// # Index terms
//
// [Terms] is the only tokenizer of the index, for stored text and for queries.
// Its terms consist of letters and digits alone, so FTS5's unicode61 splits
// them only at spaces. English words are stemmed with Porter2; scripts without
// spaces become overlapping bigrams.
//
// # Mentions and times
//
// [Mentions] prefers precision at the start of a sentence, where a capital says
// nothing, and recall elsewhere. [TimeSpans] reads English, German, Spanish and
// Chinese; an expression without a year means the nearest past one, as memories
// are mostly about the past.
//
// # Questions and small talk
//
// [AsksUnmarked], [OnlyAsks] and [AsksYou] judge a sentence by its form in these four
// languages, [IsNoAnswer] and [IsSmallTalk] by its phrases.
package text
