// Command train fits the weights of recall's ranker to labelled conversations
// and measures how well they generalise to unseen conversations.
//
//	go run ./train DIR...
//
// Each DIR is a set in the layout of [evalset]. The command imports the sets and
// asks their questions through the extension, as a host would, and keeps every
// signal of up to [depth] results of each question. It then fits the linear ranker
// of [recall.DefaultWeights]:
//
//	minimise  mean over sets, over questions, over evidence of
//	          −log( exp(w·x⁺) / (exp(w·x⁺) + Σ exp(w·x⁻)) )  +  λ/2 |w|²
//
// x⁺ is an evidence turn, x⁻ are the other results, and λ acts on signals scaled to
// unit deviation. Every set weighs the same whatever its number of questions. The
// loss is convex, so the result does not depend on the start and is the same on
// every run.
//
// The command prints the fitted weights, scaled to a text weight of 1, and their
// recall on the sets; with each set left out of the fit in turn; and with each
// conversation left out in turn. With -ablate it also prints the change of the
// mean without each signal.
//
// With -facts the memory also holds DIR/observations.jsonl. The weights of keys
// can be fitted only then.
//
// With -encoder or -embedder the memory also has vectors, and the weights of
// [recall.VectorWeights] are fitted. -dump writes the observations as JSON lines
// instead of fitting: for each question its results in order, with their signals, their
// score, and their rank and score in each arm. A line names questions and turns by id
// and contains no text.
//
// Signals that do not vary in the sets, mostly those of derived memories, keep
// their weight.
//
// # Relevance
//
//	go run ./train -relevance DIR...
//
// fits the grounds of [recall.Answer].Relevance instead. Each question is asked
// of its own conversation's memory (on topic) and of every other one in the set
// (off topic), and a logistic regression separates the two:
//
//	minimise  − Σ over sets, over on and off topic  300 · mean( ln p(class) )  +  ½ |w|²
//
// so that every set and either class weighs the same. It prints the weights and,
// for thresholds of relevance, the percentage of questions for which the next
// conversation's memory returns anything, and the points of R@10 that the threshold
// costs on topic: with the weights in the code, with the fitted ones, and with each
// set and each conversation left out of the fit.
package main
