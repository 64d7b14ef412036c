//go:build unix

package sqlite

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// refuseSecondName returns an error for a file with several hard links. SQLite
// keeps a log for each name, so a commit under one name is lost to the other. It
// resolves symbolic links itself.
func refuseSecondName(path string) error {
	var info unix.Stat_t
	if err := unix.Stat(path, &info); err != nil {
		return err
	}
	if info.Nlink > 1 {
		return &InvalidError{Field: "path", Reason: "has a second name by a hard link, which could lose messages; copy the file while nobody uses it, or remove the other name"}
	}
	return nil
}

// locksFiles reports that lockFile is implemented.
const locksFiles = true

// lockFile takes an exclusive lock, which the kernel drops when the process dies.
// It reports false when another process has it.
func lockFile(f *os.File) (bool, error) {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

// folderUnwritable reports whether this user cannot create files in a folder, and
// whether the reason is a read-only medium.
func folderUnwritable(folder string) (unwritable, medium bool) {
	err := unix.Access(folder, unix.W_OK)
	return err != nil, errors.Is(err, unix.EROFS)
}
