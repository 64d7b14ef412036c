package sqlite

import (
	"context"

	"github.com/ebbmem/ebb/internal/engine"
)

// Files is what only a database in a file can do. [DB] implements it.
type Files interface {
	Backup(ctx context.Context, target string, progress func(done, total int64)) (*BackupReport, error)
	BackupWithKey(ctx context.Context, target string, key Key, progress func(done, total int64)) (*BackupReport, error)
	Checkpoint(ctx context.Context) error
	CopiesBeside() (paths []string, err error)
	CopyTo(ctx context.Context, path string) error
	CopyWithKey(ctx context.Context, path string, key Key) error
	FinishMerges(ctx context.Context) error
	Immutable() bool
	Key() Key
	LogHeld(ctx context.Context) (pages int64, err error)
	ScratchFile(ctx context.Context) (path string, remove func() error, err error)
	SweepBackups() error
	SweptBackups() []string
	TruncateLog(ctx context.Context) error
	UnrecordedLoss() *Loss
	WriteMark() error
}

// NoFiles implements [Files] for a database on a server: what would copy it fails with
// [engine.ErrFileOnly], and there is nothing to do for the rest.
type NoFiles struct{}

var _, _ Files = NoFiles{}, (*DB)(nil)

// Backup implements [Files].
func (NoFiles) Backup(context.Context, string, func(done, total int64)) (*BackupReport, error) {
	return nil, engine.ErrFileOnly
}

// BackupWithKey implements [Files].
func (NoFiles) BackupWithKey(context.Context, string, Key, func(done, total int64)) (*BackupReport, error) {
	return nil, engine.ErrFileOnly
}

// CopyTo implements [Files].
func (NoFiles) CopyTo(context.Context, string) error { return engine.ErrFileOnly }

// CopyWithKey implements [Files].
func (NoFiles) CopyWithKey(context.Context, string, Key) error { return engine.ErrFileOnly }

// ScratchFile implements [Files].
func (NoFiles) ScratchFile(context.Context) (string, func() error, error) {
	return "", nil, engine.ErrFileOnly
}

// Checkpoint implements [Files].
func (NoFiles) Checkpoint(context.Context) error { return nil }

// CopiesBeside implements [Files].
func (NoFiles) CopiesBeside() ([]string, error) { return nil, nil }

// FinishMerges implements [Files].
func (NoFiles) FinishMerges(context.Context) error { return nil }

// Immutable implements [Files].
func (NoFiles) Immutable() bool { return false }

// Key implements [Files].
func (NoFiles) Key() Key { return Key{} }

// LogHeld implements [Files].
func (NoFiles) LogHeld(context.Context) (int64, error) { return 0, nil }

// SweepBackups implements [Files].
func (NoFiles) SweepBackups() error { return nil }

// SweptBackups implements [Files].
func (NoFiles) SweptBackups() []string { return nil }

// TruncateLog implements [Files].
func (NoFiles) TruncateLog(context.Context) error { return nil }

// UnrecordedLoss implements [Files].
func (NoFiles) UnrecordedLoss() *Loss { return nil }

// WriteMark implements [Files].
func (NoFiles) WriteMark() error { return nil }
