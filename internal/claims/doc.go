// Package claims stores facts and preferences. Within a write transaction it
// decides whether a claim, from any source, is new, repeats a known one or
// supersedes an earlier one. It also carries out a user's message: the claims in it
// and its requests to keep or forget something.
//
// Messages are read with the names of the relatives, friends and animals of their
// speaker that memory holds: after "my daughter Kirsty lives in York", "Kirsty moved to
// Leeds" is a claim about the daughter. A name that two of them have stands for neither.
//
// It calls no model and no embedder. Claims are compared by subject, predicate and
// object ([said.Compare]), by trust, by the time they were stated, and by
// protection.
package claims
