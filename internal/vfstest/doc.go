// Package vfstest is a disk for tests: a SQLite file system over the operating
// system's that fails when it is told to, and that remembers what was written
// and synced, so that the states a power loss could leave can be looked at.
//
//	disk := vfstest.New(t)
//	db, err := schema.Open(ctx, path, &schema.Options{VFS: disk.Name()})
//	disk.Arm(vfstest.SyncError, 3, vfstest.Once)  // the third fsync from here on fails
//	...
//	disk.Mend()
//
// Faults strike what goes through the file system: reading, writing, syncing,
// resizing, opening, removing and linking files. Locks and the index of the
// write-ahead log, which is shared memory, do not fail.
//
// # Power loss
//
// [Disk.Record] starts to remember. A [Recording] makes images: what the disk
// may hold if the power fails at a moment. All that was synced is there. Of
// what was written since, each sector may hold any of its versions, in any
// order; the size of a file, and the entries of a folder, may be any since they
// were synced. A sync that failed proves nothing, then or later: what it should
// have saved is there or not, and only writing it again and syncing that saves
// it (so Linux treats failed fsyncs).
//
// The files are really in the operating system's, where reading sees every
// write, as the page cache shows it. No sync reaches the real disk.
package vfstest
