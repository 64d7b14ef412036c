package vfstest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/util/vfsutil"
	"github.com/ncruces/go-sqlite3/vfs"
)

// Fault is a kind of disk failure.
type Fault string

// The faults, and the operations they affect.
const (
	ReadError  Fault = "read error"  // reading, sizes, existence, opening what exists
	WriteError Fault = "write error" // writing, resizing, creating, removing, linking: without any effect
	ShortWrite Fault = "short write" // writing: only a first part is written, up to the middle of a sector
	TornWrite  Fault = "torn write"  // writing: only the second half is written
	SyncError  Fault = "sync error"  // syncing files and folders
	DiskFull   Fault = "disk full"   // operations that need space: writing, growing, creating, linking
)

// Faults lists all faults.
var Faults = []Fault{ReadError, WriteError, ShortWrite, TornWrite, SyncError, DiskFull}

// How long a fault lasts.
const (
	Once   = 1
	Always = 1 << 30
)

// operation is a kind of operation that a fault can affect.
type operation string

const (
	read   operation = "read"
	look   operation = "look" // size, existence
	open   operation = "open"
	create operation = "create"
	write  operation = "write"
	resize operation = "resize"
	shrink operation = "shrink"
	remove operation = "remove"
	link   operation = "link"
	syncs  operation = "sync"
)

var strikes = map[Fault][]operation{
	ReadError:  {read, look, open},
	WriteError: {write, resize, shrink, create, remove, link},
	ShortWrite: {write},
	TornWrite:  {write},
	SyncError:  {syncs},
	DiskFull:   {write, resize, create, link},
}

// Disk is the file system. It is safe for concurrent use and runs one operation at
// a time.
type Disk struct {
	name string
	os   vfs.VFS

	slow atomic.Int64 // duration of a sync in nanoseconds

	mu     sync.Mutex
	armed  map[operation]bool
	only   string // the only file to affect; "" for all
	fault  Fault
	first  int // the first operation that fails, from 1
	last   int
	seen   int // operations that the armed fault could have affected
	struck []string

	recording *Recording
}

var disks atomic.Int64

// New makes a disk and registers it with SQLite until the test ends.
func New(t testing.TB) *Disk {
	d := &Disk{name: fmt.Sprintf("vfstest%d", disks.Add(1)), os: vfs.Find("")}
	vfs.Register(d.name, d)
	t.Cleanup(func() { vfs.Unregister(d.name) })
	return d
}

// Name returns the name under which the disk is registered with SQLite.
func (d *Disk) Name() string { return d.name }

// Slow sets the duration of each sync of a file. Default 0.
func (d *Disk) Slow(long time.Duration) { d.slow.Store(int64(long)) }

// Arm makes operations fail: of those that the fault affects, the n-th from now,
// counted from 1, and the following ones, times in all. It replaces an armed fault.
func (d *Disk) Arm(f Fault, n, times int) { d.ArmFile("", f, n, times) }

// ArmFile is Arm for the operations on one file only.
func (d *Disk) ArmFile(name string, f Fault, n, times int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.armed = make(map[operation]bool)
	for _, op := range strikes[f] {
		d.armed[op] = true
	}
	d.only, d.fault, d.first, d.last, d.seen, d.struck = name, f, n, n+times-1, 0, nil
}

// Disarm removes the armed fault. It returns the number of operations that it could
// have affected, and the first that failed.
func (d *Disk) Disarm() (seen int, struck []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	seen, struck = d.seen, d.struck
	d.armed, d.struck = nil, nil
	return seen, struck
}

// Struck reports whether an operation has failed by the armed fault.
func (d *Disk) Struck() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.struck) > 0
}

// fails decides whether an operation fails. The caller holds the lock.
func (d *Disk) fails(op operation, path string) bool {
	if !d.armed[op] || d.only != "" && d.only != filepath.Base(path) {
		return false
	}
	d.seen++
	if d.seen < d.first || d.seen > d.last {
		return false
	}
	if len(d.struck) < 10 {
		d.struck = append(d.struck, fmt.Sprintf("%s of %s", op, filepath.Base(path)))
	}
	return true
}

// errorOf returns the error with which an operating system reports the fault.
func (d *Disk) errorOf(op operation, path string) error {
	if d.fault == DiskFull {
		return &fs.PathError{Op: string(op), Path: path, Err: syscall.ENOSPC}
	}
	return &fs.PathError{Op: string(op), Path: path, Err: syscall.EIO}
}

// Open implements [vfs.VFS].
func (d *Disk) Open(name string, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	return vfsutil.WrapOpen(d.os, name, flags)
}

// OpenFilename implements [vfs.VFSFilename]. Temporary files never fail.
func (d *Disk) OpenFilename(name *vfs.Filename, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	path := name.String()
	if path == "" {
		return vfsutil.WrapOpenFilename(d.os, name, flags)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	_, err := os.Stat(path)
	created := errors.Is(err, fs.ErrNotExist)
	op := open
	if created && flags&vfs.OPEN_CREATE != 0 {
		op = create
	}
	if d.fails(op, path) {
		return nil, flags, d.errorOf(op, path)
	}
	if !created {
		d.recording.meet(path)
	}
	inner, flags, err := vfsutil.WrapOpenFilename(d.os, name, flags)
	if err != nil {
		return nil, flags, err
	}
	if created {
		d.recording.create(path)
	}
	return &file{File: inner, disk: d, path: path, inode: d.recording.inode(path)}, flags, nil
}

// Delete implements [vfs.VFS].
func (d *Disk) Delete(path string, syncDir bool) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.fails(remove, path) {
		return d.errorOf(remove, path)
	}
	err := d.os.Delete(path, false)
	if err == nil {
		d.recording.remove(path)
	}
	if err == nil && syncDir {
		return d.syncFolder(filepath.Dir(path))
	}
	return err
}

// Access implements [vfs.VFS].
func (d *Disk) Access(path string, flags vfs.AccessFlag) (bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.fails(look, path) {
		return false, d.errorOf(look, path)
	}
	return d.os.Access(path, flags)
}

// FullPathname implements [vfs.VFS].
func (d *Disk) FullPathname(path string) (string, error) { return d.os.FullPathname(path) }

// Link gives a file a second name. SQLite has no such operation.
func (d *Disk) Link(path, name string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.fails(link, name) {
		return d.errorOf(link, name)
	}
	err := os.Link(path, name)
	if err == nil {
		d.recording.link(path, name)
	}
	return err
}

// Remove removes a name.
func (d *Disk) Remove(path string) error {
	if err := d.Delete(path, false); !errors.Is(err, sqlite3.IOERR_DELETE_NOENT) {
		return err
	}
	return &fs.PathError{Op: string(remove), Path: path, Err: fs.ErrNotExist}
}

// Full reports whether operations fail now because the disk is full.
func (d *Disk) Full(string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.fault == DiskFull && len(d.struck) > 0
}

// SyncPath syncs a file or a folder by its name.
func (d *Disk) SyncPath(path string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return d.syncFolder(path)
	}
	failed := d.fails(syncs, path)
	d.recording.meet(path)
	d.recording.sync(d.recording.inode(path), failed)
	if failed {
		return d.errorOf(syncs, path)
	}
	return nil
}

func (d *Disk) syncFolder(path string) error {
	failed := d.fails(syncs, path)
	d.recording.syncFolder(failed)
	if failed {
		return d.errorOf(syncs, path)
	}
	return nil
}
