package sqlite

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// ErasedFile is a file that [EraseFile] deleted.
type ErasedFile struct {
	Name  string `json:"name"` // without its folder
	Bytes int64  `json:"bytes"`
}

// sidecars are the suffixes of the files that SQLite and ebb keep beside a
// database.
var sidecars = [...]string{markSuffix, "-shm", "-journal", "-wal"}

// erasingSuffix ends the name of a file that is being erased.
const erasingSuffix = ".erasing"

func erasingName(path string) string {
	dir, base := filepath.Split(path)
	return filepath.Join(dir, "."+base+erasingSuffix)
}

// EraseFile overwrites and deletes a database, its log and its other sidecar files.
// It renames the database first, so that an interrupted erasure cannot be opened
// again; a second call, or [FinishErasures], completes it. The files erased so far
// are returned beside an error too.
//
// Errors: [ErrNotFound] when there is nothing to erase, [ErrBusy] when a process
// has the file open (detected on Linux only), [*InvalidError] for anything but a
// regular file, [ErrReadOnly], [ErrIO].
func EraseFile(path string) (erased []ErasedFile, err error) {
	db := &DB{path: path}
	defer func() {
		if err != nil {
			err = fmt.Errorf("erase %s: %w", path, db.classifyFile(path, err))
		}
	}()
	if InUse(path) {
		return nil, &busyError{}
	}
	for _, suffix := range append(sidecars[:], "") {
		if info, err := os.Lstat(path + suffix); err == nil && !info.Mode().IsRegular() {
			return nil, &InvalidError{Field: "path", Reason: "leads to " + path + suffix + ", which is no regular file; remove it by hand"}
		}
	}
	if _, err := sweepBackups(path); err != nil {
		return nil, err
	}
	if _, err := os.Lstat(path); err == nil {
		if _, err := eraseRenamed(path, false); err != nil && !errors.Is(err, ErrNotFound) {
			return nil, err
		}
		if err := errors.Join(os.Rename(path, erasingName(path)), syncPath(filepath.Dir(path))); err != nil {
			return nil, err
		}
	}
	return eraseRenamed(path, true)
}

// FinishErasures completes every interrupted [EraseFile] in a folder.
func FinishErasures(folder string) error {
	entries, err := os.ReadDir(folder)
	for _, e := range entries {
		base, cut := strings.CutSuffix(e.Name(), erasingSuffix)
		if !cut || !strings.HasPrefix(base, ".") {
			continue
		}
		path := filepath.Join(folder, base[1:])
		_, again := os.Lstat(path) // if the path exists again, the sidecars belong to the new file
		if _, one := eraseRenamed(path, again != nil); !errors.Is(one, ErrNotFound) && !errors.Is(one, ErrBusy) {
			err = errors.Join(err, one)
		}
	}
	return err
}

// eraseRenamed erases a database that EraseFile has renamed and, with withSidecars,
// the files beside it. A lock excludes other erasers: a late one would delete files
// that were created since.
func eraseRenamed(path string, withSidecars bool) (erased []ErasedFile, err error) {
	f, err := os.OpenFile(erasingName(path), os.O_RDWR, 0)
	if err == nil {
		defer func() { err = errors.Join(err, f.Close()) }()
		if locked, err := lockFile(f); err != nil || !locked {
			return nil, errors.Join(err, &busyError{})
		}
		if !samePath(erasingName(path), f) {
			return nil, ErrNotFound // another process has erased it
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var files []string
	if withSidecars {
		files = []string{creatingName(path), creatingName(path) + "-wal"} // left by a killed creation
		for _, suffix := range sidecars {
			files = append(files, path+suffix)
		}
	}
	for _, name := range append(files, erasingName(path)) {
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
		if name == erasingName(path) {
			base = filepath.Base(path)
		}
		erased = append(erased, ErasedFile{base, n})
	}
	if len(erased) == 0 {
		return nil, ErrNotFound
	}
	return erased, syncPath(filepath.Dir(path))
}

// overwrite overwrites a file with zeroes and syncs it.
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
