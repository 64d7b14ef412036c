package schema

import (
	"sync"

	"github.com/ncruces/go-sqlite3/vfs"
)

// logFile is the write-ahead log. SQLite writes a commit to it frame by frame,
// each frame's header and page on its own: some thirty calls of the operating
// system, one after the other in the file. Between gather and release they are
// kept and made one.
//
// That is safe around a COMMIT, up to its sync, and nowhere else. Until the
// commit has synced the log, which writes what is gathered first, SQLite lets no
// reader see it and no other writer in; and a power loss could take any part of
// it in either case. What a commit writes after its sync, to fill a sector of an
// encrypted log, is written at once: readers see it as soon as COMMIT is over.
type logFile struct {
	vfs.File

	gathering bool
	at        int64 // where in the file what is gathered belongs
	gathered  []byte
	lent      *[]byte // of [gatherings], between gather and release
	written   int64   // bytes that commits have written to it
}

// gatherings are what commits gather in: of hundreds of files few commit at a
// time.
var gatherings = sync.Pool{New: func() any { return new([]byte) }}

// maxGathered bounds what is kept: a commit that writes more makes several calls.
const maxGathered = 256 << 10

// logHeader is the length of the log's header.
const logHeader = 32

// gather begins to keep what is written.
func (f *logFile) gather() {
	f.gathering = true
	if f.lent == nil {
		f.lent = gatherings.Get().(*[]byte)
		f.gathered = *f.lent
	}
}

// release ends that and writes what is left: nothing, of a commit that has
// synced the log.
func (f *logFile) release() error {
	err := f.flush()
	f.drop()
	return err
}

// drop ends it after a commit that failed: what is left is part of nothing, and
// the place in the file may be another's by now.
func (f *logFile) drop() {
	f.gathering = false
	if f.lent != nil {
		*f.lent = f.gathered[:0]
		gatherings.Put(f.lent)
		f.lent, f.gathered = nil, nil
	}
}

func (f *logFile) flush() error {
	if len(f.gathered) == 0 {
		return nil
	}
	_, err := f.File.WriteAt(f.gathered, f.at)
	f.written += int64(len(f.gathered))
	f.gathered = f.gathered[:0]
	return err
}

// WriteAt implements io.WriterAt.
func (f *logFile) WriteAt(p []byte, off int64) (int, error) {
	if !f.gathering {
		return f.File.WriteAt(p, off)
	}
	if off != f.at+int64(len(f.gathered)) || len(f.gathered)+len(p) > maxGathered {
		if err := f.flush(); err != nil {
			return 0, err
		}
		f.at = off
	}
	f.gathered = append(f.gathered, p...)
	return len(p), nil
}

// ReadAt implements io.ReaderAt.
func (f *logFile) ReadAt(p []byte, off int64) (int, error) {
	if err := f.flush(); err != nil {
		return 0, err
	}
	return f.File.ReadAt(p, off)
}

// Sync implements vfs.File. It ends the gathering, but for the header of a log
// that begins anew: it is synced by itself, before the frames.
func (f *logFile) Sync(flags vfs.SyncFlag) error {
	f.gathering = f.gathering && f.at == 0 && len(f.gathered) == logHeader
	if err := f.flush(); err != nil {
		return err
	}
	return f.File.Sync(flags)
}

// Size implements vfs.File.
func (f *logFile) Size() (int64, error) {
	if err := f.flush(); err != nil {
		return 0, err
	}
	return f.File.Size()
}

// Truncate implements vfs.File.
func (f *logFile) Truncate(size int64) error {
	if err := f.flush(); err != nil {
		return err
	}
	return f.File.Truncate(size)
}

// Unwrap gives the file below.
func (f *logFile) Unwrap() vfs.File { return f.File }
