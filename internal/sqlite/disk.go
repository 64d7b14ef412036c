package sqlite

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"github.com/ncruces/go-sqlite3/vfs"
)

// disk has the file operations that SQLite's VFS interface lacks.
type disk interface {
	Link(path, name string) error
	Remove(path string) error
	SyncPath(path string) error // of a file or a folder
	// Full reports whether the disk that holds path has no room.
	Full(path string) bool
}

// disk returns the operating system's file operations, or those of a virtual file
// system that implements them.
func (o *Config) disk() disk {
	if d, ok := vfs.Find(o.VFS).(disk); ok {
		return d
	}
	return osDisk{}
}

type osDisk struct{}

func (osDisk) Link(path, name string) error { return os.Link(path, name) }

func (osDisk) Remove(path string) error { return os.Remove(path) }

func (osDisk) SyncPath(path string) error { return syncPath(path) }

func (osDisk) Full(path string) bool { return diskFull(path) }

// keepEntries syncs a folder, so that its entries are on disk. A synced log is lost
// in a power loss if its directory entry is.
func keepEntries(d disk, folder string) error {
	err := d.SyncPath(folder)
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		return nil // best effort: some folders cannot be opened or synced
	}
	return err
}
