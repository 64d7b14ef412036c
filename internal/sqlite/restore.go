package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/ebbmem/ebb/internal/files"
)

// RestoreReport describes a restored file.
type RestoreReport struct {
	BackupReport

	// SetAside is the new name of the file that was replaced; its log has that name
	// with -wal. Empty when there was none.
	SetAside string `json:"set_aside,omitempty"`
}

// Restore replaces a database file by a copy of a backup. The copy is made beside
// target, verified, and renamed in one step: target is never an empty or incomplete
// file. With replace, an existing file, which may be damaged, is kept with its log
// under another name.
//
// Errors: those of [Backup], naming target; [*VersionError] for a backup whose schema
// [Open] would refuse; [ErrBusy] when a program has the file open (detected on Linux
// only; elsewhere, stop all programs first).
func Restore(ctx context.Context, backup, target string, replace bool, options Config, progress func(done, total int64)) (*RestoreReport, error) {
	if !replace {
		report, err := backupClosed(ctx, backup, target, true, options, progress)
		if err != nil {
			return nil, fmt.Errorf("restore %s: %w", backup, err)
		}
		return &RestoreReport{BackupReport: *report}, nil
	}
	target, err := realPath(target)
	if err != nil {
		return nil, err
	}
	if err := replaceable(backup, target); err != nil {
		return nil, err
	}
	// A temporary name, so that the copy is complete before target changes.
	staged := restoringName(target)
	if err := removeAbandoned(staged); err != nil {
		return nil, err
	}
	report, err := backupClosed(ctx, backup, staged, true, options, progress)
	if err != nil {
		return nil, fmt.Errorf("restore %s: %w", backup, err)
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

// restoringName is the name of a restored file until it replaces the database at
// path.
func restoringName(path string) string {
	dir, base := filepath.Split(path)
	return filepath.Join(dir, "."+base+".restored")
}

// holdFile locks a file, so that [sweepBackups] does not remove it.
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

// replaceable returns an error if target is in use or must not be replaced.
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
	if InUse(target) {
		return fmt.Errorf("%w: stop every program that has %s open, then restore", ErrBusy, target)
	}
	return nil
}

// InUse reports whether a program, also this one, has the file at path open: on Linux
// only.
func InUse(path string) bool {
	used, err := inUse(path)
	return err == nil && used
}

// swap renames staged to target, and the file at target to an unused name.
//
// The old file has both names while its log is moved, and [Open] refuses to write
// to a file with two names. Then a rename replaces target in one step. A kill at
// any point leaves the old or the new file at target. On a file system without hard
// links the old file is renamed, and a kill may leave no file at target.
func swap(staged, target string) (aside string, err error) {
	if aside, err = unusedName(target, ".before-restore"); err != nil {
		return "", err
	}
	if err := os.Remove(aside + markSuffix); err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	give, moved, renamed := files.Link, false, false
	for _, suffix := range [...]string{"", "-wal", "-journal", markSuffix} {
		err := give(target+suffix, aside+suffix)
		if err != nil && !errors.Is(err, os.ErrNotExist) && !errors.Is(err, os.ErrExist) && !moved && !renamed {
			give, renamed = os.Rename, true
			err = give(target+suffix, aside+suffix)
		}
		switch {
		case errors.Is(err, os.ErrNotExist):
		case err != nil && renamed:
			return "", errors.Join(err, renameBack(aside, target))
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
	case renamed:
		return "", errors.Join(err, renameBack(aside, target))
	}
	for _, suffix := range [...]string{"-wal", "-journal", markSuffix} { // move the log back to the old file
		if linked := os.Link(aside+suffix, target+suffix); linked != nil && !errors.Is(linked, os.ErrNotExist) && !errors.Is(linked, os.ErrExist) {
			return "", errors.Join(err, linked)
		}
	}
	return "", errors.Join(err, removeDatabase(aside))
}

// renameBack gives the database at aside and its log their names at target again.
func renameBack(aside, target string) error {
	var errs []error
	for _, suffix := range [...]string{"", "-wal", "-journal", markSuffix} {
		if err := os.Rename(aside+suffix, target+suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// unusedName returns path + suffix, with a number if that exists.
func unusedName(path, suffix string) (string, error) {
	for i := 1; ; i++ {
		name := path + suffix
		if i > 1 {
			name += "-" + strconv.Itoa(i)
		}
		err := checkUnused(name)
		if err == nil {
			return name, nil
		}
		if invalid := (*InvalidError)(nil); !errors.As(err, &invalid) {
			return "", err
		}
	}
}
