// Package intent says what the writer of a message wants: to state something that lasts
// ([Lasting]), to say that something said before no longer holds ([Changes]), only to ask for
// something now ([Asks]), to ask about affairs of their own ([Own]), to say how to be answered
// from now on ([Manner]; [SavedManner] as an assistant saved it), to have the message not stored
// ([Unstored]), or to have something forgotten ([Forget]), and which words say what ([Word.P]).
// It also says whether an answer says that this is done ([Done]), and whether a message says what
// people may want forgotten ([Confided]) or what is not the writer's own truth ([Feigned]). Each
// is a probability from a small linear model over the words of the text and its topics, in
// English, German, Spanish and Chinese:
//
//	p = 1 / (1 + e^−(bias + Σ weight / √signals))
//
// The models are fitted to invented messages by
//
//	cd benchmarks && go run ./fit intent
//
// which prints how well they do on messages left out. What changes [Signals] needs a new
// fit; the thresholds stand where the probabilities are used (internal/claims,
// internal/prompt, internal/said). Requests to keep something are read by forms
// (internal/said).
package intent
