// Package intent says what the writer of a message wants: to state something that lasts
// ([Lasting]), or to ask about affairs of their own ([Own]). Each answer is a probability
// from a small linear model over the words of the text and its topics, in
// English, German, Spanish and Chinese:
//
//	p = 1 / (1 + e^−(bias + Σ weight / √signals))
//
// The models are fitted to invented messages by
//
//	go run ./internal/intent/fit
//
// which prints how well they do on messages left out. What changes [Signals] needs a new
// fit; the thresholds stand where the probabilities are used (internal/claims,
// internal/prompt). Requests to keep or to forget are read by forms (internal/said): a
// model like these found two fifths of them at a precision of .84.
package intent
