package extension

import (
	"context"
	"io"

	"github.com/ebbmem/ebb/extension/transfer"
)

// Import takes a history in: turns, messages of a chat API, a ChatGPT export, or
// an export of ebb. It reads r as a stream and stores it in batches, each of them
// whole or not at all; a fault of the input ends a batch, and what stands before it
// is stored, of an export the batches before. Importing again stores nothing twice, so an import that was interrupted
// is simply repeated: a turn is known by its id, or without one by its content
// and place. The report is valid, for what was stored, also beside an error.
//
// It is a bulk load and not a turn of a conversation: hosts' subscribers see
// the events, but no turn's trust is affected. Background work
// follows at its own pace; see [Extension.WaitIdle].
//
// Errors: an [*transfer.ImportError] around an [*InvalidError] naming the field and the
// fix, also for an id that the user has already with another text, or around a
// [*RedactionError]; an [*InvalidError] for an input that is empty or in no known format; the
// reader's, the database's and the context's errors.
func (x *Extension) Import(ctx context.Context, r io.Reader, opts transfer.ImportOptions) (*transfer.ImportReport, error) {
	done, err := transfer.Import(ctx, x.mem, r, opts)
	if raised := x.raiseCycle(ctx, opts.Scope, done.Cycle); err == nil {
		err = raised
	}
	if len(done.Orphans) > 0 {
		if _, erasing := x.Erase(ctx, done.User, Erasure{Memories: done.Orphans}); err == nil {
			err = erasing
		}
	}
	if done.Restored && err == nil {
		err = x.mem.Cycles.Load(ctx, x.db)
	}
	return &done.Report, err
}

// ImportArchive takes the Markdown files of a folder, or one file, into the
// archive: in parts of about 900 characters under their headings, which
// archival_search finds. A file that was taken in before is read again when it
// has changed: its parts that are still there stay the memories they are, the
// others are retired. A file is known by the folder's name and the path in it.
//
// Errors: [*transfer.ImportError] naming the file, around an [*InvalidError] for one that
// cannot be used; what was taken in before it is kept, and importing again goes
// on there. [*InvalidError] for the options; [ErrReadOnly]; the file system's,
// the database's and the context's errors.
func (x *Extension) ImportArchive(ctx context.Context, scope Scope, dir string, opts transfer.ArchiveOptions) (*transfer.ArchiveReport, error) {
	return transfer.ImportArchive(ctx, x.mem, scope, dir, opts)
}

// ImportBank takes a team's bank.md, a Markdown file with headings, into the
// blocks of [ThreeTier], with the host's authority: under "Active Sprint", "In
// Progress", "Blockers" and "Recently Completed" the status, under "Role State"
// one role each ("Last", "Next", "Working on"), under "Active Threads" and
// "Lessons Learned" those. Lists of what was completed are taken to begin with
// the newest.
//
// Nothing that a block holds is overwritten, and importing again changes
// nothing. Left out, with the reason, is what has no place there, what does not
// fit, what contradicts a block, and what reads like an instruction. Rules and
// playbooks are for [Extension.SetBlock]. [Config.Redaction] applies.
//
// Errors: [*InvalidError] for a file that is too long or no text, and when
// [CoreMemoryConfig.Blocks] has not all of the blocks; the reader's and the database's
// errors. Then nothing is imported.
func (x *Extension) ImportBank(ctx context.Context, scope Scope, r io.Reader) (*transfer.BankReport, error) {
	return transfer.ImportBank(ctx, x.mem, scope, r)
}

// Export writes everything one user's memory holds, as JSON lines that
// [Extension.Import] restores ([transfer.ImportOptions.Restore]). It is one consistent state of the file, written
// as a stream; others may write meanwhile.
//
// Lossless means: importing it into an empty file and exporting that again
// gives the same bytes, and importing it where everything is there already
// changes nothing. It holds the user's settings, sessions, messages and own
// events with ids, origins, trust and times; memories of every kind and state
// with their sources, entities, aliases, mentions, links and history; blocks,
// proposals, confirmations, documents, what models were shown, and the ids of
// what was erased.
//
// Left out is what can be made again: text index and vectors, and the
// announcements of ebb itself that have no id (memory.stored; import announces
// anew). Left out too is what belongs to this file and not to the user: row
// numbers, journal positions, consumers' positions, leases, failures. Events
// of the topics memory.* are written after all others.
//
// Errors: [*InvalidError]; [ErrNotFound] for a user this file does not know;
// those of w, of the database, of the context. After an error what was written
// is not a whole export, and Import says so.
func (x *Extension) Export(ctx context.Context, w io.Writer, scope Scope) (*transfer.ExportReport, error) {
	return transfer.Export(ctx, x.mem, w, scope)
}

// ExportStream writes the stream of a user's team as JSON lines: every entry
// that was logged or imported, also what has become archival, in the order in
// which they were stored, and the reflections of nights, with the role system.
// [Extension.Import] with [transfer.FormatStream] reads it. Importing it elsewhere and exporting that gives the same lines again.
//
// Errors: [*InvalidError]; [ErrNotFound] for a user this file does not know;
// those of w, of the database, of the context.
func (x *Extension) ExportStream(ctx context.Context, w io.Writer, scope Scope) (*transfer.ExportReport, error) {
	return transfer.ExportStream(ctx, x.mem, w, scope)
}
