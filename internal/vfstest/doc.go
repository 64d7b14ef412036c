// Package vfstest is a disk for tests: a SQLite VFS over the operating system's. It
// fails on request, and it records writes and syncs, so that a test can build the
// states that a power loss could leave.
//
//	disk := vfstest.New(t)
//	db, err := schema.Open(ctx, path, &schema.Options{VFS: disk.Name()})
//	disk.Arm(vfstest.SyncError, 3, vfstest.Once)  // the third fsync from here on fails
//	...
//	disk.Disarm()
//
// Faults affect reading, writing, syncing, resizing, opening, removing and linking
// files. Locks and the index of the write-ahead log, which is shared memory, do not
// fail.
//
// # Power loss
//
// [Disk.Record] starts a [Recording], which makes images: possible contents of the
// disk after a power loss at a moment. Synced data is always there. Of the data
// written since, each sector may hold any of its versions, in any order; the size
// of a file and the entries of a folder may be any since their last sync. A failed
// sync proves nothing, then or later: its data may or may not be there, and only
// writing and syncing it again saves it. Linux treats failed fsyncs in this way.
//
// The files themselves are on the operating system's file system, where reading
// sees every write, as from the page cache. No sync reaches the real disk.
package vfstest
