package sqlite

import (
	"encoding/binary"

	"github.com/ncruces/go-sqlite3/util/vfsutil"
	"github.com/ncruces/go-sqlite3/vfs"
)

// tidyVFS is the file system under which every file is written: the operating
// system's, or in tests another one, with deleted content cleared from the pages.
//
// SQLite's secure_delete zeroes deleted content. But when SQLite splits or merges
// pages it moves cells, and their old bytes stay in the unallocated space of the
// page: a copy of names and ids that outlives their deletion. SQLite never reads
// that space, so it is zeroed as the page is written to the file.
func tidyVFS(base string) string {
	name := "ebb-tidy"
	if base != "" {
		name += "-" + base
	}
	registering.Lock()
	defer registering.Unlock()
	if vfs.Find(name) == nil {
		disk := vfs.Find(base)
		if disk == nil {
			return base // SQLite reports the unknown file system
		}
		vfs.Register(name, tidying{disk})
	}
	return name
}

// tidying wraps the database files and logs of a file system. The pages in a log
// are not cleared, because of its checksums; they are gone once it is truncated.
type tidying struct{ vfs.VFS }

// OpenFilename implements vfs.VFSFilename.
func (v tidying) OpenFilename(name *vfs.Filename, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	file, flags, err := vfsutil.WrapOpenFilename(v.VFS, name, flags)
	switch {
	case err != nil:
	case flags&vfs.OPEN_MAIN_DB != 0:
		file = &tidyFile{forwarding: forwarding{file}}
	case flags&vfs.OPEN_WAL != 0:
		file = &logFile{File: file}
	}
	return file, flags, err
}

type tidyFile struct {
	forwarding

	pace *pace // of the running checkpoint; nil for one without pauses
}

func (f *tidyFile) WriteAt(p []byte, off int64) (int, error) {
	if from, to := leftovers(p, off); from < to {
		p = append([]byte(nil), p...) // SQLite may still use its buffer
		clear(p[from:to])
	}
	n, err := f.File.WriteAt(p, off)
	if err == nil && f.pace != nil {
		err = f.pace.wrote(f.File, len(p))
	}
	return n, err
}

// B-tree page types, by their first byte.
const (
	indexNode = 0x02
	tableNode = 0x05
	indexLeaf = 0x0a
	tableLeaf = 0x0d
)

// maxTidyPage bounds the pages that are cleared. From 128 GiB on, the page number
// that an overflow page begins with could be mistaken for a B-tree page type.
const maxTidyPage = 1 << 24

// leftovers returns the part of the unallocated space of a page that is not zero;
// off is the page's offset in the file. It returns nothing for other pages than
// B-tree pages. See https://sqlite.org/fileformat2.html#b_tree_pages.
func leftovers(page []byte, off int64) (from, to int) {
	size := len(page)
	if size < 512 || size > 1<<16 || size&(size-1) != 0 || off%int64(size) != 0 || off/int64(size) >= maxTidyPage {
		return 0, 0
	}
	head := 0
	if off == 0 {
		head = 100 // the database header
	}
	from = head + 8
	switch page[head] {
	case indexNode, tableNode:
		from = head + 12
	case indexLeaf, tableLeaf:
	default:
		return 0, 0
	}
	from += 2 * int(binary.BigEndian.Uint16(page[head+3:]))
	if to = int(binary.BigEndian.Uint16(page[head+5:])); to == 0 {
		to = 1 << 16
	}
	if from > to || to > size {
		return 0, 0 // damaged: do not touch it
	}
	for from < to && page[from] == 0 {
		from++
	}
	return from, to
}
