package schema

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// ErasedFile is a file that [EraseFile] took away.
type ErasedFile struct {
	Name  string `json:"name"` // in its folder
	Bytes int64  `json:"bytes"`
}

// besides are what SQLite and ebb keep beside a file.
var besides = [...]string{markSuffix, "-shm", "-journal", "-wal"}

// erasingSuffix ends the name that a file has while it is being erased.
const erasingSuffix = ".erasing"

func erasing(path string) string {
	dir, base := filepath.Split(path)
	return filepath.Join(dir, "."+base+erasingSuffix)
}

// EraseFile takes a whole database away, with its log and what else belongs to
// it: each file is overwritten, on disk, before it is unlinked. The first step
// takes its name away, so that what is cut short brings nothing back; asking
// again goes on, and so does [FinishErasures]. What it took away is returned
// beside an error too.
//
// Errors: [ErrNotFound] when there is nothing, [ErrBusy] when a process has it
// open, which is noticed on Linux alone, [*InvalidError] for what is no regular
// file, [ErrReadOnly], [ErrIO].
func EraseFile(path string) (erased []ErasedFile, err error) {
	db := &DB{path: path}
	defer func() {
		if err != nil {
			err = fmt.Errorf("erase %s: %w", path, db.classifyFile(path, err))
		}
	}()
	if used, err := inUse(path); err == nil && used {
		return nil, &busyError{}
	}
	for _, suffix := range append(besides[:], "") {
		if info, err := os.Lstat(path + suffix); err == nil && !info.Mode().IsRegular() {
			return nil, &InvalidError{Field: "path", Reason: "leads to " + path + suffix + ", which is no regular file; remove it by hand"}
		}
	}
	if err := sweepBackups(path); err != nil {
		return nil, err
	}
	if _, err := os.Lstat(path); err == nil {
		if _, err := eraseAside(path, false); err != nil && !errors.Is(err, ErrNotFound) {
			return nil, err
		}
		if err := errors.Join(os.Rename(path, erasing(path)), syncPath(filepath.Dir(path))); err != nil {
			return nil, err
		}
	}
	return eraseAside(path, true)
}

// FinishErasures goes on with every [EraseFile] in a folder that was cut short.
func FinishErasures(folder string) error {
	entries, err := os.ReadDir(folder)
	for _, e := range entries {
		base, cut := strings.CutSuffix(e.Name(), erasingSuffix)
		if !cut || !strings.HasPrefix(base, ".") {
			continue
		}
		path := filepath.Join(folder, base[1:])
		_, again := os.Lstat(path) // what lies beside a file that was made since is its own
		if _, one := eraseAside(path, again != nil); !errors.Is(one, ErrNotFound) && !errors.Is(one, ErrBusy) {
			err = errors.Join(err, one)
		}
	}
	return err
}

// eraseAside erases a file that has lost its name, and what lies beside. A lock
// keeps two from doing so, or the second would take what was made since.
func eraseAside(path string, withBesides bool) (erased []ErasedFile, err error) {
	f, err := os.OpenFile(erasing(path), os.O_RDWR, 0)
	if err == nil {
		defer func() { err = errors.Join(err, f.Close()) }()
		if locked, err := lockFile(f); err != nil || !locked {
			return nil, errors.Join(err, &busyError{})
		}
		if !names(erasing(path), f) {
			return nil, ErrNotFound // somebody else has done it
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var files []string
	if withBesides {
		files = []string{unfinished(path), unfinished(path) + "-wal"} // of a creation that was killed
		for _, suffix := range besides {
			files = append(files, path+suffix)
		}
	}
	for _, name := range append(files, erasing(path)) {
		n, err := overwrite(name)
		if err == nil {
			err = os.Remove(name)
		}
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return erased, err
		}
		base := filepath.Base(name)
		if name == erasing(path) {
			base = filepath.Base(path)
		}
		erased = append(erased, ErasedFile{base, n})
	}
	if len(erased) == 0 {
		return nil, ErrNotFound
	}
	return erased, syncPath(filepath.Dir(path))
}

// overwrite puts zeroes in the place of all that a file holds and waits until
// they are on disk.
func overwrite(name string) (size int64, err error) {
	info, err := os.Lstat(name)
	if err != nil {
		return 0, err
	}
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return 0, err
	}
	_, err = io.CopyN(f, zeroes{}, info.Size())
	return info.Size(), errors.Join(err, f.Sync(), f.Close())
}

type zeroes struct{}

func (zeroes) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
