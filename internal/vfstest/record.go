package vfstest

import (
	"os"
	"path/filepath"
	"slices"
)

// Recording is the sequence of events on a disk.
type Recording struct {
	events []event

	inodes map[string]int // by name, now
	base   map[int][]byte // content at the start
	names  map[string]int // names at the start
	next   int
}

// event is one change, sync or acknowledgement.
type event struct {
	what  change
	inode int
	name  string
	data  []byte
	at    int64 // offset, or size
	bad   bool  // a sync that failed
}

type change uint8

const (
	written change = iota
	resized
	synced
	named
	unnamed
	folderSynced
	acknowledged
)

// Record starts recording changes and syncs. The current content of files counts
// as synced. It does not see files that are already open.
func (d *Disk) Record() *Recording {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.recording = &Recording{inodes: make(map[string]int), base: make(map[int][]byte), names: make(map[string]int), next: 1}
	return d.recording
}

// Stop ends recording.
func (d *Disk) Stop() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.recording = nil
}

// Acknowledge records that a caller was promised that something is stored.
func (d *Disk) Acknowledge(what string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.recording.add(event{what: acknowledged, name: what})
}

// Len returns the number of moments at which the power can fail, except the first.
func (r *Recording) Len() int { return len(r.events) }

// The methods below do nothing on a nil recording. Files are identified by their
// name in the folder, so that a test may continue with a copy of the folder, as
// another process would with the original.

func (r *Recording) add(e event) {
	if r != nil {
		r.events = append(r.events, e)
	}
}

// meet adds a file that existed at the start.
func (r *Recording) meet(path string) {
	if r == nil || r.inode(path) != 0 {
		return
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return // it is gone again
	}
	name := filepath.Base(path)
	r.inodes[name] = r.next
	r.names[name] = r.next
	r.base[r.next] = data
	r.next++
}

func (r *Recording) inode(path string) int {
	if r == nil {
		return 0
	}
	return r.inodes[filepath.Base(path)]
}

func (r *Recording) create(path string) {
	if r == nil {
		return
	}
	name := filepath.Base(path)
	r.inodes[name] = r.next
	r.add(event{what: named, inode: r.next, name: name})
	r.next++
}

func (r *Recording) link(path, name string) {
	if r == nil {
		return
	}
	r.meet(path)
	name = filepath.Base(name)
	r.inodes[name] = r.inode(path)
	r.add(event{what: named, inode: r.inodes[name], name: name})
}

func (r *Recording) remove(path string) {
	if r == nil || r.inode(path) == 0 {
		return
	}
	name := filepath.Base(path)
	delete(r.inodes, name)
	r.add(event{what: unnamed, name: name})
}

func (r *Recording) write(inode int, data []byte, off int64) {
	if r != nil && inode != 0 {
		r.add(event{what: written, inode: inode, data: slices.Clone(data), at: off})
	}
}

func (r *Recording) resize(inode int, size int64) {
	if r != nil && inode != 0 {
		r.add(event{what: resized, inode: inode, at: size})
	}
}

func (r *Recording) sync(inode int, failed bool) {
	if r != nil && inode != 0 {
		r.add(event{what: synced, inode: inode, bad: failed})
	}
}

func (r *Recording) syncFolder(failed bool) { r.add(event{what: folderSynced, bad: failed}) }
