package schema

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// inUse reports whether a connection of this or another process has the file
// open, by the locks SQLite keeps while it has (its file format, "lock-byte
// page"). It works on damaged files too.
func inUse(path string) (bool, error) {
	const pendingByte, length = 1 << 30, 512
	return locked(path, os.O_RDWR, unix.F_WRLCK, pendingByte, length)
}

// readsLog reports whether somebody is in the middle of reading by the
// write-ahead log, by the locks on the places of its readers ("WAL-mode file
// format", "WAL locks").
func readsLog(path string) bool {
	const firstReader, readers = 123, 5
	reads, err := locked(path+"-shm", os.O_RDWR, unix.F_WRLCK, firstReader, readers)
	return err == nil && reads
}

// locked reports whether anybody holds a lock on a part of a file that one of
// this type would have to wait for.
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
