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
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return false, err
	}
	const pendingByte, length = 1 << 30, 512
	for {
		lock := unix.Flock_t{Type: unix.F_WRLCK, Start: pendingByte, Len: length}
		err = unix.FcntlFlock(f.Fd(), unix.F_OFD_GETLK, &lock)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		return err == nil && lock.Type != unix.F_UNLCK, errors.Join(err, f.Close())
	}
}
