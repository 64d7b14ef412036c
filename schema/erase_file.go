package schema

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// ErasedFile is a file that [EraseFile] took away.
type ErasedFile struct {
	Name  string `json:"name"` // in its folder
	Bytes int64  `json:"bytes"`
}

// besides are what SQLite and ebb keep beside a file, the file itself last: cut
// short, an erasure is made again by its name.
var besides = [...]string{markSuffix, "-shm", "-journal", "-wal", ""}

// EraseFile takes a whole database away, with its log and what else belongs to
// it: each file is overwritten, on disk, before it is unlinked. What it took
// away is returned beside an error too; asking again goes on.
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
	files := []string{unfinished(path), unfinished(path) + "-wal"} // of a creation that was killed
	for _, suffix := range besides {
		files = append(files, path+suffix)
	}
	for _, name := range files {
		if info, err := os.Lstat(name); err == nil && !info.Mode().IsRegular() {
			return nil, &InvalidError{Field: "path", Reason: "leads to " + name + ", which is no regular file; remove it by hand"}
		}
	}
	for _, name := range files {
		n, err := overwrite(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = os.Remove(name)
		}
		if err != nil {
			return erased, err
		}
		erased = append(erased, ErasedFile{filepath.Base(name), n})
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
