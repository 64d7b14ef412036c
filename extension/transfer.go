package extension

import (
	"context"
	"io"

	"github.com/ebbmem/ebb/extension/transfer"
)

// Import imports a history: turns, messages of a chat API, what other programs
// export ([transfer.ImportFormat]), or an export of ebb. It reads r as a stream and stores batches atomically. An invalid
// input ends the import; what precedes it in the input is stored, or of an export
// the complete batches. Importing the same input again stores nothing twice, so an
// interrupted import can simply be repeated: turns are identified by id, or else by
// content and position. The report is valid for what was stored even if there is an
// error.
//
// An import is a bulk load, not a conversation: hosts' subscribers receive the
// events, but the trust of running conversations is not affected. Background work
// follows at its own pace; see [Extension.WaitIdle].
//
// Errors: [*transfer.ImportError] wrapping an [*InvalidError] that names the field
// and the fix, including for an id that exists with another text, or wrapping a
// [*RedactionError]; [*InvalidError] for an empty input or an unknown format; the
// reader's, the database's and the context's errors.
func (x *Extension) Import(ctx context.Context, r io.Reader, opts transfer.ImportOptions) (*transfer.ImportReport, error) {
	opts.Scope = x.db.Complete(opts.Scope)
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

// ImportArchive imports the Markdown files of a folder, or one file, into the
// archive, which archival_search searches. Files are split into parts of about 900
// characters with their headings. If a file was imported before and has changed,
// unchanged parts keep their memories and the others are retired. A file is
// identified by the folder's name and its path in the folder.
//
// Errors: [*transfer.ImportError] naming the file, wrapping an [*InvalidError], for
// an unusable one; files before it are kept, and another import continues there.
// [*InvalidError] for the options; [ErrReadOnly]; the file system's, the database's
// and the context's errors.
func (x *Extension) ImportArchive(ctx context.Context, scope Scope, dir string, opts transfer.ArchiveOptions) (*transfer.ArchiveReport, error) {
	scope = x.db.Complete(scope)
	return transfer.ImportArchive(ctx, x.mem, scope, dir, opts)
}

// ImportBank imports a team's bank.md, a Markdown file with headings, into the
// blocks of [ThreeTier] with the host's authority. The headings "Active Sprint",
// "In Progress", "Blockers" and "Recently Completed" fill the status; "Role State"
// has one subsection per role ("Last", "Next", "Working on"); "Active Threads" and
// "Lessons Learned" fill their blocks. Lists of completed work are read as newest
// first.
//
// Existing content is not overwritten, and importing again changes nothing. The
// report lists what is left out and why: text that belongs in none of the blocks,
// does not fit, contradicts a block, or reads like an instruction to a model. Use
// [Extension.SetBlock] for rules and playbooks. [Config.Redaction] applies.
//
// Errors: [*InvalidError] for a file that is too long or not text, and if
// [CoreMemoryConfig.Blocks] lacks one of the blocks; the reader's and the
// database's errors. Nothing is imported if there is an error.
func (x *Extension) ImportBank(ctx context.Context, scope Scope, r io.Reader) (*transfer.BankReport, error) {
	scope = x.db.Complete(scope)
	return transfer.ImportBank(ctx, x.mem, scope, r)
}

// Export writes everything one user's memory holds as JSON lines, which
// [Extension.Import] restores with [transfer.ImportOptions.Restore]. It is a
// consistent snapshot, written as a stream while other processes may write to the
// file.
//
// The export is lossless: importing it into an empty file and exporting that
// produces the same bytes, and importing it where everything exists changes
// nothing. It contains the user's settings, sessions, messages and own events with
// ids, origins, trust and times; memories of every kind and state with their
// sources, entities, aliases, mentions, links and history; blocks, proposals,
// documents, records of what models were shown, and the ids of what was erased.
//
// It leaves out what can be rebuilt: the text index, vectors, and ebb's own events
// without an id (memory.stored, which Import publishes again). It also leaves out
// what belongs to the file and not to the user: row numbers, journal positions,
// consumer positions, leases and failures. Events of the topics memory.* come after
// all others.
//
// Errors: [*InvalidError]; [ErrNotFound] for an unknown user; those of w, of the
// database, of the context. After an error the output is incomplete, and Import
// rejects it.
func (x *Extension) Export(ctx context.Context, w io.Writer, scope Scope) (*transfer.ExportReport, error) {
	scope = x.db.Complete(scope)
	return transfer.Export(ctx, x.mem, w, scope)
}

// ExportStream writes the stream of a user's team as JSON lines: every entry that
// was logged or imported, including archived ones, in the order of storage, and the
// nights' reflections under the role system. [Extension.Import] reads it with
// [transfer.FormatStream]; exporting the result produces the same lines.
//
// Errors: [*InvalidError]; [ErrNotFound] for an unknown user; those of w, of the
// database, of the context.
func (x *Extension) ExportStream(ctx context.Context, w io.Writer, scope Scope) (*transfer.ExportReport, error) {
	scope = x.db.Complete(scope)
	return transfer.ExportStream(ctx, x.mem, w, scope)
}
