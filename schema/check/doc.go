// Package check examines the pages and rows of a memory file: what SQLite says
// of it, the invariants that its rows keep, and the values that they hold. Its
// checks read on any connection, also of a file that [schema.Open] refuses. Its repairs
// write to an open one.
package check
