// Package audit looks through a history for what makes a memory worse:
//
//   - duplicates: the same text more than once
//   - loops: what an assistant or a model writes again and again, as a program does
//     that stores what it was just reminded of
//   - secrets: keys, tokens, passwords, payment cards
//   - stale: statements that a later one of the same history replaces
//   - instructions: texts written for a model rather than for a reader
//
// It reads every format that [transfer.Import] reads, without storing anything, and
// calls no model. It keeps a hash of each text in memory, not the text.
//
//	report, err := audit.Read(ctx, file, audit.Options{})
package audit
