package recall

import "math"

// BM25 parameters. FTS5 fixes b at .75, which favours short chat turns too
// much; chunks are at most 900 characters, so little normalisation is left to
// do. Chosen on the development split.
const (
	bm25K1 = 1.2
	bm25B  = 0.3
)

// inverseDocumentFrequency is ln(1 + (N − df + ½)/(df + ½)), in nats, > 0,
// for a term that df of n chunks hold (Robertson and Spärck Jones, with the
// +1 of Lucene that keeps common terms from counting against a match).
func inverseDocumentFrequency(n, df int) float64 {
	return math.Log(1 + (float64(n)-float64(df)+0.5)/(float64(df)+0.5))
}

// termWeight is BM25's saturation of a term frequency in a chunk of length
// words among chunks of mean length, 0–(k1+1).
func termWeight(tf, length, mean float32) float32 {
	return tf * (bm25K1 + 1) / (tf + bm25K1*(1-bm25B+bm25B*length/mean))
}

// Retention is the share of a memory's strength that is left, 0–1, after days
// (≥ 0) without use: exp(−rate·days^0.8), after Ebbinghaus as in
// simplified-memory.md §3. A rate of 0 never fades.
func Retention(rate, days float64) float64 {
	if rate <= 0 || days <= 0 {
		return 1
	}
	return math.Exp(-rate * math.Pow(days, 0.8))
}
