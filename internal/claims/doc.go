// Package claims stores facts and preferences. Within a write transaction it
// decides whether a claim, from any source, is new, repeats a known one or
// supersedes an earlier one. It also carries out a user's message: the claims in it
// and its requests to keep or forget something.
//
// It calls no model and no embedder. Claims are compared by subject, predicate and
// object ([said.Compare]), by trust, by the time they were stated, and by
// protection.
package claims
