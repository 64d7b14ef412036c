package schema

import (
	"context"

	"github.com/ebbmem/ebb/internal/sqlite"
)

// BackupReport says what a backup holds. Its numbers were counted in the
// finished copy, and are those of the moment the backup began.
type BackupReport = sqlite.BackupReport

// RestoreReport says what was restored.
type RestoreReport = sqlite.RestoreReport

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
