// Package claims stores facts and preferences. Within a write it decides whether a claim,
// from any source, is new, repeats a known one or supersedes an earlier one; and it
// carries out a user's message: the claims that it makes and its requests to keep or
// forget something.
//
// It calls no model and no embedder. Claims are compared by subject, predicate and object
// ([said.Compare]), by trust, by the time they were stated, and by protection.
package claims
