package schema

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"github.com/ncruces/go-sqlite3/vfs"
)

// disk is what is needed of a file system that SQLite's lack.
type disk interface {
	Link(path, name string) error
	Remove(path string) error
	SyncPath(path string) error // of a file or a folder
	// Full says whether the disk that holds path has no room.
	Full(path string) bool
}

// disk is the operating system's, or that of a virtual file system that keeps
// its files there and can do all this too.
func (o *Options) disk() disk {
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

// keepEntries puts the names of the files in a folder on disk. SQLite's log is
// a file of its own: what is synced into it is lost if its name is.
func keepEntries(d disk, folder string) error {
	err := d.SyncPath(folder)
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		return nil // a folder that cannot be opened or synced is no worse than without trying
	}
	return err
}
