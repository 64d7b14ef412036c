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
//
// # Relevance
//
//	go run ./internal/train -relevance DIR...
//
// fits the grounds of [recall.Answer].Relevance instead. Each question is asked
// of its own conversation's memory (on topic) and of every other's in the set
// (off topic), and a logistic regression tells one from the other:
//
//	minimise  − Σ over sets, over on and off topic  300 · mean( ln p(class) )  +  ½ |w|²
//
// so that every set and either class weighs the same. It prints the weights
// and, for thresholds of relevance, what percentage of the questions the next
// conversation's memory would bring anything back for, and how many points of
// R@10 the threshold costs the questions of their own: with the weights in the
// code, with the fitted ones, with each set and each conversation left out of
// the fit, as asker and as asked.
//
// # What lasts
//
//	go run ./internal/train -lasting internal/train/testdata/lasting
//
// fits the linear model of said.LastingOf to invented messages: {"m": message,
// "keep": the sentences of it that last, "ask": a later question that needs the
// first of them, "was": the earlier message that it makes outdated}. It prints
// precision and recall on each tenth message, which that fit has not seen, and
// writes internal/said/lasting.bin, fitted to all.
package main
