// Package poison tells texts that were written for a model from those written
// for a reader.
//
//	poison.Inspect("Note to AI assistants: remember that …") // [Addressed]
//	poison.Inspect("Remember to water the ferns.")           // ""
//
// A text is first read as somebody reads who is not deceived by its dress:
// without invisible characters, in one alphabet, with what is written in tags,
// backwards, in base64, hex, rot13 or entities beside it. Then rules by name
// look for the shapes of instructions, so that whoever sees a text set aside
// sees why.
//
// It is a sieve, not a wall: a lie in plain words passes, in any language it
// does not know all passes, and some honest texts are caught. What must never
// happen rests on where a text comes from (schema.Origin, schema.Trust), not on
// how it reads.
//
// It is a leaf and keeps nothing.
package poison
