package schema

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// CopiesBeside lists the files and folders beside the memory that hold a copy of
// it: what a repair and a restore set aside, and scratch copies that are in use
// or were left. An erasure does not reach into them.
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
	for _, e := range entries {
		if slices.ContainsFunc([]string{base + ".before-repair", base + ".before-restore", "." + base + ".scratch-"},
			func(start string) bool { return strings.HasPrefix(e.Name(), start) }) {
			paths = append(paths, filepath.Join(dir, e.Name()))
		}
	}
	return paths, nil
}
