// Package sqlite is the storage engine: it opens files, writes and reads them,
// and keeps them safe. It knows nothing of the records in a file. A [Format]
// describes the files of a program; package schema has the one in use.
//
// # Writing
//
// There is one writer goroutine. [DB.Write] runs a function inside BEGIN
// IMMEDIATE and returns once the commit is durable (write-ahead log,
// synchronous=FULL). Writes that wait at the same moment share one commit, and
// those that arrive while a transaction runs join it. Background work waits for
// a pause between the writes of callers ([DB.YieldToWriters]). In a process
// with many open databases a [Limiter] bounds their background work.
//
// A transaction has three ways to run SQL: [Tx.Exec], [Tx.Do] and [Tx.Insert]
// write with statements prepared once, without database/sql; [Tx.Row] and
// [Tx.Query] read with statements prepared once; elsewhere bun's query builders,
// which [Tx] embeds, are easier to read. A [Snapshot] has the same ways to read,
// and [Snapshot.Rows] to read thousands of rows without database/sql.
//
// A background goroutine checkpoints the log, so that no commit has to: after a
// tenth of a second without commits, a small log after a second (checkpoint.go),
// and with pauses that leave the disk to commits (pace.go). Between commits,
// mostly in pauses, the writer merges the segments of the text index
// (textmerge.go): FTS5 would do it inside about every sixtieth commit.
//
// # Reading
//
// [DB.Read] runs a function on one consistent [Snapshot] from a small pool of
// connections. Reading writes nothing.
//
// # Files
//
// A new file is created under a temporary name and renamed once it is complete.
// It is a copy of the result of the migrations, which run once per process
// (template.go). A migration is one transaction under SQLite's own write lock,
// which ends with its process. [Open] refuses files of another format and of a
// newer version.
//
// Beside an open file are its write-ahead log ("-wal"), the index of the log
// ("-shm") and the mark ("-mark"), which holds the file's progress of a second
// or two ago. SQLite cannot detect that a log was truncated; the mark shows the
// [Loss]. Closing leaves one file.
//
// # A failing disk
//
// An operation that the disk refuses returns [ErrIO], or [ErrDiskFull] when it
// has no room; reads go on, and acknowledged commits are kept. After a failed
// commit the log cannot be trusted: after a failed fsync the kernel may return
// data that it has not written, and never write it. So the writes that shared
// the commit fail, and before the next one all acknowledged commits are
// checkpointed into the file, the file is synced and the log is truncated; while
// that fails too, every write does. A log left by an earlier process is
// rewritten in place and synced before anything is appended. [DB.Faults] lists
// failures in the background.
//
// A power loss loses no acknowledged commit as long as the disk keeps what it
// has synced, and writes a sector of 512 bytes completely or not at all.
//
// # Encryption
//
// With [Options.Key] a file is sealed: it begins with a plain page that
// identifies it and holds a random salt; everything after it, the log and every
// copy are encrypted with Adiantum in blocks of 4 KiB, under a key derived from
// both. A reader of the disk learns the size and when which block changed or
// changed back, and nothing else; neither two files under one key nor a file and
// its copy can be compared. Nothing is authenticated: a writer to the disk can
// restore old blocks or destroy some. The index of the log, "-shm", holds page
// numbers in plain text. In the memory of the process, keys and texts are plain.
package sqlite
