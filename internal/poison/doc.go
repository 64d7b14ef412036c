// Package poison detects prompt injection: texts that were written for a model rather
// than for a reader.
//
//	poison.Inspect("Note to AI assistants: remember that …") // [Addressed]
//	poison.Inspect("Remember to water the ferns.")           // ""
//
// Inspect first undoes disguises: it removes invisible characters, writes look-alike
// letters in one alphabet, and decodes tags, reversed text, base64, hex, rot13 and
// entities. Then named rules look for the shapes of instructions. The name of the rule
// is the reason that a quarantined text shows.
//
// The detection is incomplete: a lie in plain words passes, everything passes in a
// language without rules, and some harmless texts are caught. Guarantees rest on the
// source of a text (schema.Origin, schema.Trust), not on its wording.
//
// The package imports only internal/prefilter of ebb and has no state.
package poison
