// Package claims decides, inside a write, what becomes of what is claimed about
// a user: whether a new fact or preference is new, says what is known, or ends
// an earlier one, whichever way it came; and what a user's own message changes
// at once: the claims that it makes and what it asks to keep or to forget.
//
// It asks no model and no embedder. Two claims are compared by subject,
// predicate and object ([said.Compare]); beside that count whose word they are,
// when they were said, and what is protected.
package claims
