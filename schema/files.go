package schema

import (
	"context"
	"database/sql"
	"io"
	"net/url"

	sqlite3 "github.com/ncruces/go-sqlite3"

	"github.com/ebbmem/ebb/internal/sqlite"
)

// BackupReport says what a backup holds. Its numbers were counted in the
// finished copy, and are those of the moment the backup began.
type BackupReport = sqlite.BackupReport

// RestoreReport says what was restored.
type RestoreReport = sqlite.RestoreReport

// ErasedFile is a file that [EraseFile] removed.
type ErasedFile = sqlite.ErasedFile

// Backup is [DB.Backup] of a file that is not open, or open elsewhere, also of
// one with an older or newer schema: a copy does not need to understand it. It
// changes nothing in source. The backup has the key of options, as the source
// has.
//
// Errors: those of [DB.Backup]; [ErrNotFound] and [ErrNotDatabase] for source.
func Backup(ctx context.Context, source, target string, options *Options, progress func(done, total int64)) (*BackupReport, error) {
	return sqlite.Backup(ctx, source, target, config(options), progress)
}

// VerifyBackup reads a backup through, without changing it or leaving a file
// beside it, and reports what it holds.
//
// Errors: [ErrNotFound], [ErrNotDatabase], [ErrCorrupt] with what is wrong;
// [*InvalidError] for a file with a write-ahead log beside it: that is a memory
// in use, not a backup.
func VerifyBackup(ctx context.Context, path string, options *Options) (*BackupReport, error) {
	return sqlite.VerifyBackup(ctx, path, config(options))
}

// Restore puts a copy of a backup in the place of a memory file. The copy is
// made beside it, read back, and takes the name in one step: at no moment could
// [Open] take an empty or half a file for the memory. A file that stands there
// is kept under another name when replace is set, with its log; it may be
// damaged.
//
// Errors: those of [Backup], naming target; [*VersionError] for a backup that
// [Open] would refuse; [ErrBusy] when a program has the file open that is to be
// replaced (detected on Linux; elsewhere, stop them first).
func Restore(ctx context.Context, backup, target string, replace bool, options *Options, progress func(done, total int64)) (*RestoreReport, error) {
	return sqlite.Restore(ctx, backup, target, replace, config(options), progress)
}

// RepairUnopened repairs what keeps [Open] from opening a file: another journal
// mode, and a damaged index of the users table.
func RepairUnopened(ctx context.Context, path string, options *Options) error {
	return sqlite.RepairUnopened(ctx, path, config(options))
}

// CopyAside copies a file that may be damaged, byte by byte, with its log, to an
// unused name beside it: path + suffix, or that with a number.
//
// Errors: [ErrBusy] while another program has the file open (detected on Linux
// only), [ErrDiskFull].
func CopyAside(ctx context.Context, path, suffix string) (name string, err error) {
	return sqlite.CopyAside(ctx, path, suffix)
}

// CopiesBeside is [DB.CopiesBeside] for the file at path.
func CopiesBeside(path string) (paths []string, err error) { return sqlite.CopiesBeside(path) }

// UnfinishedBackups lists the copies of backups of the file at path that are
// under way or were cut short.
func UnfinishedBackups(path string) []string { return sqlite.UnfinishedBackups(path) }

// EraseFile removes a whole database, with its log and what else belongs to it:
// each file is overwritten, on disk, before it is unlinked. The first step
// removes its name, so that an interrupted erasure brings nothing back; calling
// it again goes on, and so does [FinishErasures]. What it removed is returned
// beside an error too.
//
// Errors: [ErrNotFound] when there is nothing, [ErrBusy] when a process has it
// open (detected on Linux only), [*InvalidError] for what is no regular file,
// [ErrReadOnly], [ErrIO].
func EraseFile(path string) (erased []ErasedFile, err error) { return sqlite.EraseFile(path) }

// FinishErasures goes on with every [EraseFile] in a folder that was cut short.
func FinishErasures(folder string) error { return sqlite.FinishErasures(folder) }

// OpenSQLite opens connections to what the data source name says, to examine a
// file that [Open] may refuse: with SQLite's own errors, and [ErrCorrupt] where
// the driver would panic. The name has parameters already ("file:x?mode=ro").
// init prepares each connection.
func OpenSQLite(dsn string, readOnly bool, init func(*sqlite3.Conn) error) (*sql.DB, error) {
	return sqlite.OpenSQLite(dsn, readOnly, init)
}

// Parameters finds out what SQLite needs, beside the path, to read a file, to
// examine one that [Open] may refuse: nothing for a plain file. Call release
// when it is no longer opened.
//
// Errors: [ErrKey] in its forms, [ErrNotDatabase].
func Parameters(file io.ReaderAt, key Key) (parameters url.Values, release func(), err error) {
	return sqlite.Parameters(file, key)
}
