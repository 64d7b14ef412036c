// Package schema is the one database of a memory: its records, its
// migrations, its writer and its readers. Everything above it speaks of
// memories; only this package speaks to SQLite about opening, locking and
// committing.
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
// # Writing
//
// There is one writer. [DB.Write] runs a function inside BEGIN IMMEDIATE and
// returns once the commit is durable (write-ahead log, synchronous=FULL).
// Writes that wait at the same moment share one commit. Statements of the hot
// path are prepared once ([Tx.Exec], [Tx.Row]); elsewhere bun's query builders
// are embedded in [Tx] and [Snapshot]. No transaction may be open over a call
// to a model or an embedder. What comes while a transaction runs becomes part of
// it. What is in no hurry waits for a pause of the others ([DB.GiveWay]). A
// background checkpoint moves the log into the file, so that no commit has to:
// after a tenth of a second without commits, a little log after a second
// (checkpoint.go). It takes its time (pace.go). Where a process has many
// databases open, what they do behind their callers takes turns ([Turns]).
// Between commits, mostly in pauses, the writer merges the segments of the text
// index (textmerge.go): SQLite would do it inside one commit in sixty or so.
//
// # Reading
//
// [DB.Read] runs a function on one consistent [Snapshot] from a small pool.
// Reading writes nothing.
//
// # Searching
//
// What is searched is prepared text (package internal/text) in chunks, written
// in the memory's own transaction. A chunk's id carries its user in the upper
// 32 bits, so one user's text is one range of ids: FTS5 is scoped inside its
// own query. Package recall keeps an index of it in memory and learns from
// [Snapshot.TextWatermark] what that index has not seen.
//
// # Scopes
//
// [Scope] says whose memory is meant. A record of another user cannot be told
// from one that does not exist: both are [ErrNotFound].
//
// # Files
//
// A new file appears under its name only once it is complete. It is written with
// what the migrations have made once in the process (template.go). A migration is
// one transaction under SQLite's own write lock, which dies with its process.
// [Open] refuses what is not an ebb database, and what a newer ebb wrote.
//
// Beside a file that is open lie its write-ahead log ("-wal"), an index of it
// ("-shm") and its mark ("-mark"): how far the file had got, a second or two ago. A log
// that lost its end looks whole to SQLite; the mark tells, and [DB.Losses] says
// so. Closing leaves one file.
//
// # A failing disk
//
// What the disk refuses is [ErrIO], or [ErrDiskFull] when it has no room; reading
// goes on, and what was acknowledged stays. A commit that failed leaves a log
// that cannot be trusted: after a failed fsync the kernel may show what it has
// not saved, and never save it. So the writes that shared the commit fail, and
// before the next one all that was acknowledged is moved into the file and synced
// there, and the log is emptied; while that fails too, every write does. A log
// that an earlier process left is written over itself and synced before anything
// is added to it. What fails behind the callers is in [DB.Faults].
//
// A power loss loses nothing acknowledged as long as the disk keeps what it said
// it had synced, and writes a sector of 512 bytes wholly or not at all.
//
// # Encryption
//
// With [Options.Key] a file is sealed: it begins with a page that says so and
// holds a random salt; everything after it, the log and every copy are
// encrypted with Adiantum in blocks of 4 KiB, under a key derived from both.
// Whoever has the disk learns the size, when which block changed or changed
// back, and nothing else; neither two memories under one key nor a memory and
// its copy can be compared. Nothing is authenticated: who can write the disk
// can put old blocks back or spoil some. The index of the log, "-shm", holds
// page numbers in the clear. In the memory of the process, keys and texts are
// plain.
package schema
