package schema

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// RestoreReport says what was restored.
type RestoreReport struct {
	BackupReport

	// SetAside is the name that the file which stood there before has now; its
	// log has that name with -wal. Empty when there was none.
	SetAside string `json:"set_aside,omitempty"`
}

// Restore puts a copy of a backup in the place of a memory file. The copy is
// made beside it, read back, and takes the name in one step: at no moment could
// [Open] take an empty or half a file for the memory. A file that stands there
// is kept under another name when replace is set, with its log; it may be
// damaged.
//
// Errors: those of [Backup], naming target; [ErrBusy] when a program has the
// file open that is to be replaced (told on Linux; elsewhere, stop them first).
func Restore(ctx context.Context, backup, target string, replace bool, options *Options, progress func(done, total int64)) (*RestoreReport, error) {
	if !replace {
		report, err := backupClosed(ctx, backup, target, false, options, progress)
		if err != nil {
			return nil, err
		}
		return &RestoreReport{BackupReport: *report}, nil
	}
	target, err := filepath.Abs(target)
	if err != nil {
		return nil, err
	}
	if real, err := filepath.EvalSymlinks(target); err == nil {
		target = real // SQLite follows links too, and keeps the log there
	}
	if err := replaceable(backup, target); err != nil {
		return nil, err
	}
	// A name nobody has, so that the copy can be made before anything moves.
	staged := restored(target)
	if err := removeAbandoned(staged); err != nil {
		return nil, err
	}
	report, err := backupClosed(ctx, backup, staged, false, options, progress)
	if err != nil {
		return nil, err
	}
	report.Path = target
	release, err := holdFile(staged)
	if err != nil {
		return nil, err
	}
	defer release()
	aside, err := swap(staged, target)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("restore %s: %w", target, err), removeDatabase(staged))
	}
	return &RestoreReport{BackupReport: *report, SetAside: aside}, nil
}

// restored is the name that a restored file has until it takes that of the memory.
func restored(path string) string {
	dir, base := filepath.Split(path)
	return filepath.Join(dir, "."+base+".restored")
}

// holdFile keeps [sweepBackups] from a file.
func holdFile(name string) (release func(), err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	if _, err := lockFile(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() { _ = f.Close() }, nil
}

// replaceable refuses to take a file away from somebody.
func replaceable(backup, target string) error {
	info, err := os.Stat(target)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return &InvalidError{Field: "target", Reason: "is not a regular file; give the memory file to restore"}
	}
	if source, err := os.Stat(backup); err == nil && os.SameFile(source, info) {
		return &InvalidError{Field: "target", Reason: "is the backup itself"}
	}
	if used, err := inUse(target); err == nil && used {
		return fmt.Errorf("%w: stop every program that has %s open, then restore", ErrBusy, target)
	}
	return nil
}

// swap gives the file at staged the name target, and what stands there another.
//
// Both names exist until the log is away, and [Open] refuses to write to a file
// with two names; then the new file takes the place of the old in one step. A
// kill at any point leaves the old file or the new, never none.
func swap(staged, target string) (aside string, err error) {
	if aside, err = spareName(target, ".before-restore"); err != nil {
		return "", err
	}
	if err := os.Remove(aside + markSuffix); err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	moved := false
	for _, suffix := range [...]string{"", "-wal", "-journal", markSuffix} {
		switch err := os.Link(target+suffix, aside+suffix); {
		case errors.Is(err, os.ErrNotExist):
		case err != nil:
			return "", err
		default:
			moved = moved || suffix != markSuffix
		}
	}
	err = errors.Join(syncPath(filepath.Dir(target)), removeLogs(target))
	if err == nil {
		err = os.Rename(staged, target)
	}
	switch {
	case err == nil && moved:
		return aside, syncPath(filepath.Dir(target))
	case err == nil:
		return "", syncPath(filepath.Dir(target))
	}
	for _, suffix := range [...]string{"-wal", "-journal", markSuffix} { // the old file gets its log back
		if linked := os.Link(aside+suffix, target+suffix); linked != nil && !errors.Is(linked, os.ErrNotExist) && !errors.Is(linked, os.ErrExist) {
			return "", errors.Join(err, linked)
		}
	}
	return "", errors.Join(err, removeDatabase(aside))
}

// spareName is a name beside path that nothing has.
func spareName(path, suffix string) (string, error) {
	for i := 1; ; i++ {
		name := path + suffix
		if i > 1 {
			name += "-" + strconv.Itoa(i)
		}
		err := untaken(name)
		if err == nil {
			return name, nil
		}
		if invalid := (*InvalidError)(nil); !errors.As(err, &invalid) {
			return "", err
		}
	}
}
