package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// A scratch copy holds all user text, so it must not outlive its use, even when the
// process is killed. It is in a folder beside the file that is locked during use.
// The lock ends with the process, and the next [Open] of the file removes every
// folder that is not locked.

// maxScratch is the most scratch copies of one file at a time.
const maxScratch = 16

func scratchFolder(path string, i int) string {
	dir, base := filepath.Split(path)
	return filepath.Join(dir, "."+base+".scratch-"+strconv.Itoa(i))
}

// ScratchFile makes a temporary copy of the database for its caller to change;
// remove deletes it. Only its owner can read it. If the process is killed, the next
// Open of the database deletes the copy; where files cannot be locked, it stays.
//
// Errors: those of [DB.CopyTo]; [ErrBusy] while there are too many.
func (db *DB) ScratchFile(ctx context.Context) (path string, remove func() error, err error) {
	folder, remove, err := newScratchFolder(db.path)
	if err != nil {
		return "", nil, err
	}
	path = filepath.Join(folder, "copy.db")
	if err := db.CopyTo(ctx, path); err != nil {
		return "", nil, errors.Join(err, remove())
	}
	return path, remove, nil
}

// newScratchFolder creates and locks an empty folder, or empties one whose process
// was killed.
func newScratchFolder(path string) (folder string, unlock func() error, err error) {
	for i := range maxScratch {
		folder := scratchFolder(path, i+1)
		if err := os.Mkdir(folder, 0o700); err != nil && (!errors.Is(err, os.ErrExist) || !locksFiles) {
			if errors.Is(err, os.ErrExist) {
				continue // it may be in use
			}
			return "", nil, err
		}
		unlock, locked, err := takeFolder(folder)
		if err != nil {
			return "", nil, err
		}
		if !locked {
			continue
		}
		if err := os.RemoveAll(filepath.Join(folder, "copy.db")); err != nil {
			return "", nil, errors.Join(err, unlock())
		}
		return folder, unlock, removeLogs(filepath.Join(folder, "copy.db"))
	}
	return "", nil, fmt.Errorf("%w: %d scratch copies of it are in use; wait for one to end", ErrBusy, maxScratch)
}

// takeFolder locks a folder that still has its name. unlock removes the folder
// first.
func takeFolder(folder string) (unlock func() error, locked bool, err error) {
	f, err := os.Open(folder)
	if errors.Is(err, os.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	locked, err = lockFile(f)
	if err != nil || !locked || !samePath(folder, f) {
		return nil, false, errors.Join(err, f.Close())
	}
	return func() error { return errors.Join(os.RemoveAll(folder), f.Close()) }, true, nil
}

// sweepScratch removes the scratch copies of killed processes.
func sweepScratch(path string) error {
	if !locksFiles {
		return nil
	}
	var errs []error
	for i := range maxScratch {
		unlock, locked, err := takeFolder(scratchFolder(path, i+1))
		if locked {
			err = unlock()
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
