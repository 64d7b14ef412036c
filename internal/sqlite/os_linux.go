package sqlite

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// refuseNetworkFilesystem returns an error for network file systems, where SQLite's
// locks and shared memory are unreliable.
func refuseNetworkFilesystem(path string) error {
	var fs unix.Statfs_t
	if err := unix.Statfs(path, &fs); err != nil {
		return nil //nolint:nilerr // accept an unknown file system
	}
	switch int64(fs.Type) { //nolint:unconvert // its type differs by architecture
	case unix.NFS_SUPER_MAGIC, unix.SMB_SUPER_MAGIC, unix.CIFS_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC, unix.V9FS_MAGIC, unix.AFS_SUPER_MAGIC:
		return &InvalidError{Field: "path", Reason: fmt.Sprintf("lies on a network file system (type %#x), where SQLite's locks are not reliable; use a local disk", fs.Type)}
	}
	return nil
}

// diskFull reports whether a write to path failed for lack of room.
func diskFull(path string) bool {
	var fs unix.Statfs_t
	if err := unix.Statfs(path, &fs); err != nil {
		return false
	}
	const room = 1 << 20
	return fs.Bavail*uint64(fs.Bsize) < room
}

// inUse reports whether a connection of this or another process has the file open,
// by SQLite's locks (file format, "lock-byte page"). It works on damaged files too.
func inUse(path string) (bool, error) {
	const pendingByte, length = 1 << 30, 512
	return locked(path, os.O_RDWR, unix.F_WRLCK, pendingByte, length)
}

// logHasReaders reports whether a connection is reading by the write-ahead log, by
// the locks of its readers ("WAL-mode file format", "WAL locks").
func logHasReaders(path string) bool {
	const firstReader, readers = 123, 5
	reads, err := locked(path+"-shm", os.O_RDWR, unix.F_WRLCK, firstReader, readers)
	return err == nil && reads
}

// locked reports whether a process holds a lock on a range of a file that conflicts
// with one of lockType.
func locked(path string, mode int, lockType int16, start, length int64) (bool, error) {
	f, err := os.OpenFile(path, mode, 0)
	if err != nil {
		return false, err
	}
	for {
		lock := unix.Flock_t{Type: lockType, Start: start, Len: length}
		err = unix.FcntlFlock(f.Fd(), unix.F_OFD_GETLK, &lock)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		return err == nil && lock.Type != unix.F_UNLCK, errors.Join(err, f.Close())
	}
}
