// Package files gives files their names, also on file systems without hard links.
package files

import (
	"errors"
	"os"
)

// link is replaced in tests.
var link = os.Link

// Link is [os.Link].
func Link(name, path string) error { return link(name, path) }

// LinkNew gives the file name the name path without replacing an existing file. On
// a file system without hard links it first creates path as an empty file, and name is
// gone afterwards; a crash then leaves at most the empty file.
func LinkNew(name, path string) error {
	err := Link(name, path)
	if err == nil || errors.Is(err, os.ErrExist) {
		return err
	}
	claim, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(claim.Close(), os.Rename(name, path))
}

// WithoutLinks makes links fail until a test ends, as on a file system without them.
func WithoutLinks(t interface{ Cleanup(end func()) }) {
	link = func(string, string) error { return errors.ErrUnsupported }
	t.Cleanup(func() { link = os.Link })
}
