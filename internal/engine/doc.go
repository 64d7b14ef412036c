// Package engine is what a database of memories is to the packages above it: writes,
// snapshots, prepared rows, leases and errors. Two packages implement it:
// internal/sqlite for a file, internal/postgres for a server. It knows no record.
//
// Both read the same SQL, with placeholders as SQLite has them, ? or ?1. Where the two
// differ, the engine translates.
package engine
