// Package ask puts questions to a language model and reads JSON answers.
//
// An [Asker] keeps within a [Budget], limits the time of each call, repeats a
// failed call once, and accepts the many forms in which models write JSON: a
// function call, fenced or surrounded by prose, with trailing commas or single
// quotes. If an answer cannot be used, the model is shown why and may answer
// once more.
//
// Error texts contain nothing of prompts and answers, so they may be stored and
// shown.
package ask
