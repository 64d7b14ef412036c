package schema

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// A scratch copy holds all that was ever said, so it must not outlive its use,
// not even when its process is killed. It lies in a folder beside the file that
// is locked while it is used. A lock dies with its process: whoever opens the
// file next takes away every folder that is not locked.

// maxScratch is how many scratch copies of one file there may be at a time.
const maxScratch = 16

func scratchFolder(path string, i int) string {
	dir, base := filepath.Split(path)
	return filepath.Join(dir, "."+base+".scratch-"+strconv.Itoa(i))
}

// Scratch opens a copy of the whole database that can be changed and is thrown
// away: call release, which closes it, too. Only its owner can read it. If this
// process is killed, the next Open of the database takes it away; where files
// cannot be locked, nobody does.
//
// Errors: those of [DB.CopyTo] and [Open]; [ErrBusy] while there are too many.
func (db *DB) Scratch(ctx context.Context) (scratch *DB, release func() error, err error) {
	folder, unlock, err := newScratchFolder(db.path)
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, unlock())
		}
	}()
	path := filepath.Join(folder, "copy.db")
	if err := db.CopyTo(ctx, path); err != nil {
		return nil, nil, err
	}
	if scratch, err = db.OpenCopy(ctx, path); err != nil {
		return nil, nil, err
	}
	return scratch, func() error { return errors.Join(scratch.Close(), unlock()) }, nil
}

// newScratchFolder makes an empty folder that nobody else has, or empties one
// whose owner was killed.
func newScratchFolder(path string) (folder string, unlock func() error, err error) {
	for i := range maxScratch {
		folder := scratchFolder(path, i+1)
		if err := os.Mkdir(folder, 0o700); err != nil && (!errors.Is(err, os.ErrExist) || !locks) {
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

// takeFolder locks a folder that still has its name. Unlock removes it first.
func takeFolder(folder string) (unlock func() error, locked bool, err error) {
	f, err := os.Open(folder)
	if errors.Is(err, os.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	locked, err = lockFile(f)
	if err != nil || !locked || !names(folder, f) {
		return nil, false, errors.Join(err, f.Close())
	}
	return func() error { return errors.Join(os.RemoveAll(folder), f.Close()) }, true, nil
}

// sweepScratch takes away what killed processes left.
func sweepScratch(path string) error {
	if !locks {
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
