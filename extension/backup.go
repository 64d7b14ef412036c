package extension

import (
	"context"

	"github.com/ebbmem/ebb/schema"
)

type (
	// BackupReport says what a backup holds.
	BackupReport = schema.BackupReport
	// RestoreReport says what was restored, and where what was there is now.
	RestoreReport = schema.RestoreReport
)

// Backup writes a copy of the memory to a new file, which only its owner can
// read, while turns and nights go on. It holds everything that was
// acknowledged before the call. The file appears only when it is whole, on disk
// and read back: its integrity was checked, and its rows were counted against
// the original's. A copy by the operating system's means, of a file in use,
// lacks what is still in the write-ahead log.
//
// progress, if not nil, is called with the bytes copied and those to copy.
//
// Errors: [*InvalidError] when there is a file at target or it cannot be one,
// [ErrCorrupt] when the memory is damaged, [ErrDiskFull], [ErrBusy] when a
// backup to this target is under way, the context's error. There is no file
// then.
func (x *Extension) Backup(ctx context.Context, target string, progress func(done, total int64)) (*BackupReport, error) {
	return x.db.Backup(ctx, target, progress)
}

// BackupWithKey is [Extension.Backup] with a key of the backup's own. It
// encrypts a plain memory, gives an encrypted one another key, or, without a
// key, writes it in the clear; [Extension.Backup] keeps the memory's key.
func (x *Extension) BackupWithKey(ctx context.Context, target string, key Key, progress func(done, total int64)) (*BackupReport, error) {
	return x.db.BackupWithKey(ctx, target, key, progress)
}

// BackupFile is [Extension.Backup] of a file that this process has not opened.
// Its schema may be older or newer than this ebb's: nothing is brought up to
// date, so it serves before an upgrade. Of an encrypted file, which key opens,
// the backup has the same key; the zero key is for plain files.
//
// Errors: those of [Extension.Backup]; [ErrNotFound], [ErrNotDatabase] and
// [ErrKey] for source.
func BackupFile(ctx context.Context, source, target string, key Key, progress func(done, total int64)) (*BackupReport, error) {
	return schema.Backup(ctx, source, target, &schema.Options{Key: key}, progress)
}

// VerifyBackup reads a backup, with its key, through and says what it holds. It
// changes nothing.
//
// Errors: [ErrNotFound], [ErrNotDatabase], [ErrKey], [ErrCorrupt] with what is wrong,
// [*InvalidError] for a memory in use, which package doctor examines.
func VerifyBackup(ctx context.Context, path string, key Key) (*BackupReport, error) {
	return schema.VerifyBackup(ctx, path, &schema.Options{Key: key})
}

// Restore puts a copy of a backup in the place of a memory file: read back
// first, then in one step. When there is a file at target, it is refused
// unless replace is set; then that file, which may be damaged, keeps existing
// under another name, with its log. Stop every program that uses it before. An
// encrypted backup, which key opens, becomes a memory under the same key.
//
// Errors: those of [BackupFile]; [ErrBusy] when a program has the file open
// that is to be replaced (told on Linux only).
func Restore(ctx context.Context, backup, target string, key Key, replace bool, progress func(done, total int64)) (*RestoreReport, error) {
	return schema.Restore(ctx, backup, target, replace, &schema.Options{Key: key}, progress)
}
