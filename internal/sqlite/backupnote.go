package sqlite

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A backup is made under a temporary name beside its target, which may be in any
// folder. A killed backup leaves an unfinished copy there. So that it can be found,
// a locked note beside the source names the copy while it is being made. The lock
// ends with the process: the next [Open] of the source removes each copy that an
// unlocked note names.

// maxNotes is the most backups of one file that are noted at a time.
const maxNotes = 16

func noteOf(path string, i int) string {
	dir, base := filepath.Split(path)
	return filepath.Join(dir, "."+base+".backup-"+strconv.Itoa(i))
}

// noteBackup writes a note beside path that names an unfinished copy; done removes
// it. It writes none in a folder without write permission.
func noteBackup(path, copy string) (done func() error, err error) {
	none := func() error { return nil }
	if _, err := sweepBackups(path); err != nil {
		return none, err
	}
	for i := range maxNotes {
		name := noteOf(path, i+1)
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, os.ErrExist) {
			continue
		}
		if unwritable, _ := folderUnwritable(filepath.Dir(path)); err != nil && unwritable {
			return none, nil
		}
		if err != nil {
			return none, err
		}
		done := func() error { return errors.Join(os.Remove(name), f.Close()) }
		if locked, err := lockFile(f); err != nil || !locked || !samePath(name, f) {
			_ = f.Close() // sweepBackup removed it as abandoned
			if err != nil {
				return none, err
			}
			continue
		}
		if _, err := f.WriteString(copy); err != nil {
			return none, errors.Join(err, done())
		}
		return done, f.Sync()
	}
	return none, nil
}

// readNote returns the copy that a note names, or "".
func readNote(f io.Reader) string {
	text, err := io.ReadAll(io.LimitReader(f, 1<<16))
	base := filepath.Base(string(text))
	if err != nil || !filepath.IsAbs(string(text)) || !strings.HasPrefix(base, ".") || !strings.HasSuffix(base, ".new") {
		return ""
	}
	return string(text)
}

// UnfinishedBackups lists the copies of the database at path that running backups
// are making or killed ones left. It includes copies in folders that are not
// mounted at present.
func UnfinishedBackups(path string) (copies []string) {
	for i := range maxNotes {
		f, err := os.Open(noteOf(path, i+1))
		if err != nil {
			continue
		}
		copy := readNote(f)
		_ = f.Close()
		if _, err := os.Lstat(copy); copy != "" && (err == nil || !isFolder(filepath.Dir(copy))) {
			copies = append(copies, copy)
		}
	}
	return copies
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// SweepBackups removes the copies left by killed backups and restores of this
// database. [Open] does so too.
func (db *DB) SweepBackups() error {
	swept, err := sweepBackups(db.path)
	db.sweptMu.Lock()
	defer db.sweptMu.Unlock()
	db.swept = append(db.swept, swept...)
	return err
}

// SweptBackups lists the copies left by killed backups that this database has removed
// since it was opened, and on opening.
func (db *DB) SweptBackups() []string {
	db.sweptMu.Lock()
	defer db.sweptMu.Unlock()
	return slices.Clone(db.swept)
}

func sweepBackups(path string) (swept []string, err error) {
	if !locksFiles {
		return nil, nil
	}
	errs := []error{removeAbandoned(creatingName(restoringName(path))), removeAbandoned(restoringName(path))}
	for i := range maxNotes {
		copy, err := sweepBackup(noteOf(path, i+1))
		errs = append(errs, err)
		if copy != "" {
			swept = append(swept, copy)
		}
	}
	return swept, errors.Join(errs...)
}

// sweepBackup removes the copy that a note names, and the note. It returns the copy
// if it was there.
func sweepBackup(note string) (copy string, err error) {
	f, err := os.Open(note)
	if errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer f.Close()
	if locked, err := lockFile(f); err != nil || !locked || !samePath(note, f) {
		return "", err
	}
	if copy = readNote(f); copy != "" {
		if !isFolder(filepath.Dir(copy)) {
			return "", nil // not mounted at present: keep the note
		}
		_, there := os.Lstat(copy)
		if err := removeAbandoned(copy); err != nil {
			return "", err
		}
		if _, left := os.Lstat(copy); there != nil || left == nil {
			copy = ""
		}
	}
	return copy, os.Remove(note)
}

// removeAbandoned removes an unfinished database unless a process holds its lock.
func removeAbandoned(name string) error {
	if info, err := os.Lstat(name); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	if locked, err := lockFile(f); err != nil || !locked || !samePath(name, f) {
		return err
	}
	return removeDatabase(name)
}
