package schema

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// CopiesBeside lists the files and folders that hold a copy of the memory and that
// it knows of: beside it what a repair and a restore set aside, and scratch copies
// that are in use or were left; and wherever they lie, the copies of backups that
// are under way or were cut short. An erasure does not reach into them.
//
// Errors: that of reading the folder.
func (db *DB) CopiesBeside() (paths []string, err error) { return CopiesBeside(db.path) }

// CopiesBeside is [DB.CopiesBeside] for the file at path.
func CopiesBeside(path string) (paths []string, err error) {
	dir, base := filepath.Split(path)
	if dir == "" {
		dir = "."
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil // a virtual file system's
	}
	if err != nil {
		return nil, err
	}
	paths = UnfinishedBackups(path)
	for _, e := range entries {
		if slices.ContainsFunc([]string{base + ".before-repair", base + ".before-restore", "." + base + ".scratch-", "." + base + ".restored", "." + filepath.Base(restored(path)) + ".new"},
			func(start string) bool { return strings.HasPrefix(e.Name(), start) }) {
			paths = append(paths, filepath.Join(dir, e.Name()))
		}
	}
	return paths, nil
}
