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
		return errors.New("belongs to another user")
	}
	if info.Mode().Perm()&0o077 != 0 {
		return errors.New("can be read by others")
	}
	return nil
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
