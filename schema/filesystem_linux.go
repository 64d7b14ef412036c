package schema

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// refuseNetworkFilesystem: SQLite's locks and shared memory do not hold there.
func refuseNetworkFilesystem(path string) error {
	var fs unix.Statfs_t
	if err := unix.Statfs(path, &fs); err != nil {
		return nil //nolint:nilerr // unknown is not a reason to refuse
	}
	switch int64(fs.Type) { //nolint:unconvert // it has other types on other processors
	case unix.NFS_SUPER_MAGIC, unix.SMB_SUPER_MAGIC, unix.CIFS_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC, unix.V9FS_MAGIC, unix.AFS_SUPER_MAGIC:
		return &InvalidError{Field: "path", Reason: fmt.Sprintf("lies on a network file system (type %#x), where SQLite's locks are not reliable; use a local disk", fs.Type)}
	}
	return nil
}

// diskFull tells a full disk from another failed write.
func diskFull(path string) bool {
	var fs unix.Statfs_t
	if err := unix.Statfs(path, &fs); err != nil {
		return false
	}
	const room = 1 << 20
	return fs.Bavail*uint64(fs.Bsize) < room
}
