// Package evalset reads labelled conversations, measures how well a ranking
// answers their questions, and writes runs of rankings.
//
// # Layout
//
// A set is a folder:
//
//	conversations/NAME.jsonl   one turn a line: {"id","session","time","speaker","role","text"}
//	queries.jsonl              one question a line: {"conversation","id","time","category","question","answer","evidence":[turn ids]}
//
// Times are RFC 3339. A question is asked of one conversation at its time; its
// evidence are the turns that answer it. [Load] reads and checks a set.
//
// A file of facts holds claims extracted from the turns, one per line:
// {"conversation","id","session","speaker","text","sources":[turn ids]}.
// [Set.LoadFacts] reads it.
//
// # Metrics
//
// The unit is the turn: a result counts as the turns it came from, and the first
// occurrence of a turn counts ([Rank]). [Score] measures
// one ranking, [Mean] and [ByCategory] average:
//
//	R@k      share of the evidence among the first k turns
//	Hit@k    1 when any of the evidence is there
//	All@k    1 when all of it is
//	MRR      1 / rank of the first evidence turn, 0 without one
//	nDCG@10  discounted cumulative gain of the first ten, over the best possible
//	Tokens@k tokens needed to show the first k turns
//
// [WriteRun] writes rankings in the format of trec_eval, so that any other
// tool can score them too.
package evalset
