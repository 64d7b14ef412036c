package vfstest

import (
	"cmp"
	"io"
	"time"

	"github.com/ncruces/go-sqlite3/util/vfsutil"
	"github.com/ncruces/go-sqlite3/vfs"
)

// file is an open file of a disk.
type file struct {
	vfs.File

	disk  *Disk
	path  string
	inode int
}

// ReadAt implements [vfs.File].
func (f *file) ReadAt(p []byte, off int64) (int, error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	if f.disk.fails(read, f.path) {
		return 0, f.disk.errorOf(read, f.path)
	}
	return f.File.ReadAt(p, off)
}

// WriteAt implements [vfs.File].
func (f *file) WriteAt(p []byte, off int64) (int, error) {
	d := f.disk
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.fails(write, f.path) {
		return f.write(p, off)
	}
	switch d.fault {
	case ShortWrite:
		n, err := f.write(p[:len(p)*2/3], off)
		err = cmp.Or(err, io.ErrShortWrite)
		return n, err
	case TornWrite:
		half := len(p) / 2
		if _, err := f.write(p[half:], off+int64(half)); err != nil {
			return 0, err
		}
	}
	return 0, d.errorOf(write, f.path)
}

func (f *file) write(p []byte, off int64) (int, error) {
	n, err := f.File.WriteAt(p, off)
	f.disk.recording.write(f.inode, p[:n], off)
	return n, err
}

// Truncate implements [vfs.File].
func (f *file) Truncate(size int64) error {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	now, err := f.File.Size()
	if err != nil {
		return err
	}
	op := shrink
	if size > now {
		op = resize
	}
	return f.resize(op, size, f.File.Truncate)
}

// SizeHint implements [vfs.FileSizeHint].
func (f *file) SizeHint(size int64) error {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	now, err := f.File.Size()
	if err != nil || size <= now {
		return err
	}
	return f.resize(resize, size, func(size int64) error { return vfsutil.WrapSizeHint(f.File, size) })
}

func (f *file) resize(op operation, size int64, do func(int64) error) error {
	if f.disk.fails(op, f.path) {
		return f.disk.errorOf(op, f.path)
	}
	err := do(size)
	if err == nil {
		f.disk.recording.resize(f.inode, size)
	}
	return err
}

// Sync implements [vfs.File].
func (f *file) Sync(vfs.SyncFlag) error {
	if slow := f.disk.slow.Load(); slow > 0 {
		time.Sleep(time.Duration(slow))
	}
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	failed := f.disk.fails(syncs, f.path)
	f.disk.recording.sync(f.inode, failed)
	if failed {
		return f.disk.errorOf(syncs, f.path)
	}
	return nil
}

// Size implements [vfs.File].
func (f *file) Size() (int64, error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	if f.disk.fails(look, f.path) {
		return 0, f.disk.errorOf(look, f.path)
	}
	return f.File.Size()
}

// SQLite's other operations on files are passed to the operating system's VFS.

func (f *file) Unwrap() vfs.File                { return f.File }
func (f *file) SharedMemory() vfs.SharedMemory  { return vfsutil.WrapSharedMemory(f.File) }
func (f *file) LockState() vfs.LockLevel        { return vfsutil.WrapLockState(f.File) }
func (f *file) HasMoved() (bool, error)         { return vfsutil.WrapHasMoved(f.File) }
func (f *file) PersistWAL() bool                { return vfsutil.WrapPersistWAL(f.File) }
func (f *file) SetPersistWAL(keep bool)         { vfsutil.WrapSetPersistWAL(f.File, keep) }
func (f *file) PowersafeOverwrite() bool        { return vfsutil.WrapPowersafeOverwrite(f.File) }
func (f *file) SetPowersafeOverwrite(psow bool) { vfsutil.WrapSetPowersafeOverwrite(f.File, psow) }
