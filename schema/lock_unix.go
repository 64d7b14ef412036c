//go:build unix

package schema

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// refuseSecondName: SQLite keeps a log for each name of a file, and so what
// is written under one is lost to the other. Symbolic links it follows.
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

// locks says that lockFile really locks.
const locks = true

// lockFile takes an exclusive lock that dies with the process, or reports that
// somebody else has it.
func lockFile(f *os.File) (bool, error) {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

// refusesFiles reports a folder in which this user may make no file, and
// whether that is for the medium it lies on.
func refusesFiles(folder string) (unwritable, medium bool) {
	err := unix.Access(folder, unix.W_OK)
	return err != nil, errors.Is(err, unix.EROFS)
}
