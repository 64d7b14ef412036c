// Command train fits the weights of recall's ranker to labelled conversations
// and says how well they carry over to conversations it has not seen.
//
//	go run ./internal/train DIR...
//
// Each DIR is a set as [evalset] describes it. The sets are imported and asked
// through the extension, as a host would do it, and every signal of up to
// [depth] results of each question is kept. What is then fitted is the linear
// ranker that [recall.DefaultWeights] holds:
//
//	minimise  mean over sets, over questions, over evidence of
//	          −log( exp(w·x⁺) / (exp(w·x⁺) + Σ exp(w·x⁻)) )  +  λ/2 |w|²
//
// x⁺ is an evidence turn, x⁻ are the results that are none, and λ acts on
// signals scaled to unit deviation. Every set weighs the same however many
// questions it has: a change that wins on one and loses on another is not a
// win. The loss is convex, so the outcome does not depend on a start; it is
// the same on every run.
//
// It prints the fitted weights, scaled to a text weight of 1, and the recall
// they reach on the sets they were fitted on; with each set left out in turn
// (trained on the others alone); and with each conversation left out in turn.
// With -ablate also what becomes of the mean without each signal.
//
// With -facts the memory also learns what is in DIR/observations.jsonl; only
// then the weights of keys can be fitted.
//
// Signals that no question of the sets varies in, those of derived memories
// mostly, keep the weight they have.
package main
