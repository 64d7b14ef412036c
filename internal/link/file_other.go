//go:build !unix

package link

import (
	"io/fs"
	"path/filepath"
)

// private accepts every file: the folder's access list protects it.
func private(fs.FileInfo) error { return nil }

// LockFolder does nothing.
func LockFolder(string) (unlock func(), err error) { return func() {}, nil }

// identity is the path of the file.
func identity(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}
	return filepath.Abs(real)
}
