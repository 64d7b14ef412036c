package extension

import (
	"context"

	"github.com/ebbmem/ebb/internal/engine"
	"github.com/ebbmem/ebb/internal/memory"
	"github.com/ebbmem/ebb/schema"
)

type (
	// BackupReport describes the contents of a backup.
	BackupReport = schema.BackupReport
	// RestoreReport describes what was restored, and where the replaced file was
	// moved.
	RestoreReport = schema.RestoreReport
)

// IsServer reports whether a path names a database on a server, as postgres://…
func IsServer(path string) bool { return engine.IsServer(path) }

// Redacted returns a path without the password that the name of a server may hold.
func Redacted(path string) string { return engine.ShownPath(path) }

// Capabilities tells what the database of this memory can do: a file and a server differ.
func (x *Extension) Capabilities() schema.Capabilities { return x.db.Capabilities() }

// Backup writes a copy of the memory to a new file, readable by its owner only, without
// stopping turns or nights: everything acknowledged before the call. It appears at target
// once it is synced, was checked, and has as many rows as the original. Do not copy a file
// in use by other means: such a copy lacks the write-ahead log. progress, if not nil, is
// called with the number of bytes copied and the total.
//
// Errors: [*InvalidError] if target exists or cannot be created, [ErrCorrupt] if the memory
// is damaged, [ErrDiskFull], [ErrBusy] while another backup to target is running, the
// context's error, [schema.ErrFileOnly] on a server. No file is left after an error.
func (x *Extension) Backup(ctx context.Context, target string, progress func(done, total int64)) (*BackupReport, error) {
	return x.db.Backup(ctx, target, x.mem.Progress(progress))
}

// BackupWithKey is [Extension.Backup] with another key for the copy: it encrypts a
// plain memory, changes the key of an encrypted one, or, with the zero key, writes
// it in the clear.
func (x *Extension) BackupWithKey(ctx context.Context, target string, key Key, progress func(done, total int64)) (*BackupReport, error) {
	return x.db.BackupWithKey(ctx, target, key, x.mem.Progress(progress))
}

// BackupFile is [Extension.Backup] for a file that this process has not opened. It does not
// migrate the schema, so it can be used before an upgrade. The copy of an encrypted file has
// the same key; use the zero key for plain files.
//
// Errors: those of [Extension.Backup]; [ErrNotFound], [ErrNotDatabase], [ErrKey] for source.
func BackupFile(ctx context.Context, source, target string, key Key, progress func(done, total int64)) (*BackupReport, error) {
	return schema.Backup(ctx, source, target, &schema.Options{Key: key}, (*memory.Memory)(nil).Progress(progress))
}

// VerifyBackup reads a whole backup, checks it and reports its contents. It changes
// nothing.
//
// Errors: [ErrNotFound], [ErrNotDatabase], [ErrKey], [ErrCorrupt] with details,
// [*InvalidError] for a memory in use, for which there is package doctor.
func VerifyBackup(ctx context.Context, path string, key Key) (*BackupReport, error) {
	return schema.VerifyBackup(ctx, path, &schema.Options{Key: key})
}

// Restore verifies a backup and atomically installs a copy of it at target. If target exists,
// it fails unless replace is set; then the old file and its log are kept under another name.
// Stop every program that uses the memory first. key opens the backup and stays its key.
//
// Errors: those of [BackupFile]; [*VersionError] for a backup that this ebb cannot open;
// [ErrBusy] if a program has the file to be replaced open (detected on Linux only).
func Restore(ctx context.Context, backup, target string, key Key, replace bool, progress func(done, total int64)) (*RestoreReport, error) {
	return schema.Restore(ctx, backup, target, replace, &schema.Options{Key: key}, (*memory.Memory)(nil).Progress(progress))
}
