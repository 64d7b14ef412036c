package recall

import "math"

// BM25 parameters. FTS5 fixes b at .75, which favours short chat turns too
// much; chunks are at most 900 characters, so little normalisation is left to
// do. Any k1 from .8 to 2 and b from .15 to .5 ranks the development split
// equally well.
const (
	bm25K1 = 1.0
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
