package schema

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// A backup is made under a temporary name beside its target, which may lie
// anywhere, and a killed one leaves a copy there that nobody knows of. While it is
// made, a note beside the memory says where. Its lock dies with its process: whoever
// opens the memory next takes away what an unlocked note names.

// maxNotes is how many backups of one file are noted at a time.
const maxNotes = 16

func noteOf(path string, i int) string {
	dir, base := filepath.Split(path)
	return filepath.Join(dir, "."+base+".backup-"+strconv.Itoa(i))
}

// noteBackup notes that a copy of the memory at path is being made; done takes the
// note away. Where no file may be made beside the memory nothing is noted.
func noteBackup(path, copy string) (done func() error, err error) {
	none := func() error { return nil }
	if err := sweepBackups(path); err != nil {
		return none, err
	}
	for i := range maxNotes {
		name := noteOf(path, i+1)
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, os.ErrExist) {
			continue
		}
		if unwritable, _ := refusesFiles(filepath.Dir(path)); err != nil && unwritable {
			return none, nil
		}
		if err != nil {
			return none, err
		}
		done := func() error { return errors.Join(os.Remove(name), f.Close()) }
		if locked, err := lockFile(f); err != nil || !locked || !names(name, f) {
			_ = f.Close() // a sweep took it for one that was left
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

// readNote is the copy that a note names, "" for none.
func readNote(f io.Reader) string {
	text, err := io.ReadAll(io.LimitReader(f, 1<<16))
	base := filepath.Base(string(text))
	if err != nil || !filepath.IsAbs(string(text)) || !strings.HasPrefix(base, ".") || !strings.HasSuffix(base, ".new") {
		return ""
	}
	return string(text)
}

// UnfinishedBackups lists the copies of the memory at path that are being made, or
// were when their process was killed. One in a folder that is not there now, on a
// medium, is among them.
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

// SweepBackups takes away the copies that killed backups and restores of this
// memory left. [Open] does so too.
func (db *DB) SweepBackups() error { return sweepBackups(db.path) }

func sweepBackups(path string) error {
	if !locks {
		return nil
	}
	errs := []error{removeAbandoned(unfinished(restored(path))), removeAbandoned(restored(path))}
	for i := range maxNotes {
		errs = append(errs, sweepBackup(noteOf(path, i+1)))
	}
	return errors.Join(errs...)
}

func sweepBackup(note string) error {
	f, err := os.Open(note)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if locked, err := lockFile(f); err != nil || !locked || !names(note, f) {
		return err
	}
	if copy := readNote(f); copy != "" {
		if !isFolder(filepath.Dir(copy)) {
			return nil // on a medium that is not there now: the note stays
		}
		if err := removeAbandoned(copy); err != nil {
			return err
		}
	}
	return os.Remove(note)
}

// removeAbandoned removes a database that nobody is making.
func removeAbandoned(name string) error {
	if info, err := os.Lstat(name); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	if locked, err := lockFile(f); err != nil || !locked || !names(name, f) {
		return err
	}
	return removeDatabase(name)
}
