//go:build unix

package link

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// private returns an error for a file that others can read, or that another user
// owns.
func private(info fs.FileInfo) error {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || int(stat.Uid) != os.Getuid() {
		return fmt.Errorf("belongs to another user; give it to the user who runs this program (uid %d), or remove it", os.Getuid())
	}
	if info.Mode().Perm()&0o077 != 0 {
		return errors.New("can be read by others; run chmod 600 on it, or remove it")
	}
	return nil
}

// LockFolder keeps other programs that call it for the same folder waiting until unlock
// is called. A file system without locks is not locked.
func LockFolder(path string) (unlock func(), err error) {
	folder, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	for errors.Is(syscall.Flock(int(folder.Fd()), syscall.LOCK_EX), syscall.EINTR) {
		continue
	}
	return func() { _ = folder.Close() }, nil // which ends the lock
}

// identity tells a file from one that took its path later.
func identity(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return "", errors.New("the file system does not identify files")
	}
	return fmt.Sprintf("%d:%d", stat.Dev, stat.Ino), nil
}
