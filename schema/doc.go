// Package schema is the database of a memory: its records, migrations and queries.
//
// # Records
//
// The journal (events) holds what happened; memories hold what is remembered:
// one table for episodes, facts, preferences and reflections. An episode is a
// message, verbatim, and is never changed. A fact is superseded, not
// overwritten: [Memory.HeldAt] answers what was true at a time, and what was
// known at a time. Every change of a memory leaves a row in ops with the
// columns before and after. Instants are INTEGER Unix milliseconds, UTC.
//
// # Reading and writing
//
// [DB.Write] runs a function in a transaction and returns once it is durable;
// [DB.Read] runs one on a consistent [Snapshot]. No transaction may be open over
// a call to a model or an embedder. How files are opened, locked, committed,
// checkpointed, encrypted and copied is the work of the engine, internal/sqlite,
// which [DB], [Tx] and [Snapshot] embed: its documentation says what it promises
// on a failing disk and which ways of running SQL there are.
//
// # Searching
//
// What is searched is prepared text (package internal/text) in chunks, written
// in the memory's own transaction. A chunk's id carries its user in the upper
// 32 bits, so one user's text is one range of ids. Searches use an index in memory, of
// package recall, which learns from [Snapshot.TextWatermark] what it has not
// seen; the FTS5 index in the file serves erasure and SQL shells.
//
// # Scopes
//
// [Scope] names the user. A record of another user is reported like one that does not
// exist: as [ErrNotFound].
package schema
