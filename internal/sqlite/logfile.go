package sqlite

import (
	"sync"

	"github.com/ncruces/go-sqlite3/vfs"
)

// logFile is the write-ahead log. SQLite writes a commit to it frame by frame, and
// the header and the page of a frame separately: some thirty sequential system
// calls. logFile buffers the writes between beginBuffering and endBuffering and
// issues one call.
//
// This is safe only within a COMMIT, up to its sync. Until SQLite has synced the
// log, which flushes the buffer first, it lets no reader see the commit and no
// other writer begin; and a power loss may keep any part of an unsynced log in
// either case. Writes after the sync, which pad a sector of an encrypted log, are
// not buffered: readers see them as soon as COMMIT returns.
type logFile struct {
	vfs.File

	buffering bool
	at        int64 // offset of buffered in the file
	buffered  []byte
	pooled    *[]byte // from logBuffers while buffering
	written   int64   // bytes written by commits
	begun     int64   // how often its header was written
}

// logBuffers are the buffers of commits. They are pooled because few of hundreds of
// open files commit at a time.
var logBuffers = sync.Pool{New: func() any { return new([]byte) }}

// maxBuffered bounds the buffer: a larger commit makes several calls.
const maxBuffered = 256 << 10

// logHeader is the length of the log's header.
const logHeader = 32

// beginBuffering starts to buffer writes.
func (f *logFile) beginBuffering() {
	f.buffering = true
	if f.pooled == nil {
		f.pooled = logBuffers.Get().(*[]byte)
		f.buffered = *f.pooled
	}
}

// endBuffering stops buffering and flushes the buffer, which is empty if the commit
// synced the log.
func (f *logFile) endBuffering() error {
	err := f.flush()
	f.discardBuffer()
	return err
}

// discardBuffer stops buffering after a failed commit. The buffer is dropped:
// another commit may write to its place in the file by now.
func (f *logFile) discardBuffer() {
	f.buffering = false
	if f.pooled != nil {
		*f.pooled = f.buffered[:0]
		logBuffers.Put(f.pooled)
		f.pooled, f.buffered = nil, nil
	}
}

func (f *logFile) flush() error {
	if len(f.buffered) == 0 {
		return nil
	}
	_, err := f.File.WriteAt(f.buffered, f.at)
	f.written += int64(len(f.buffered))
	f.buffered = f.buffered[:0]
	return err
}

// WriteAt implements io.WriterAt.
func (f *logFile) WriteAt(p []byte, off int64) (int, error) {
	if off == 0 {
		f.begun++
	}
	if !f.buffering {
		return f.File.WriteAt(p, off)
	}
	if off != f.at+int64(len(f.buffered)) || len(f.buffered)+len(p) > maxBuffered {
		if err := f.flush(); err != nil {
			return 0, err
		}
		f.at = off
	}
	f.buffered = append(f.buffered, p...)
	return len(p), nil
}

// ReadAt implements io.ReaderAt.
func (f *logFile) ReadAt(p []byte, off int64) (int, error) {
	if err := f.flush(); err != nil {
		return 0, err
	}
	return f.File.ReadAt(p, off)
}

// Sync implements vfs.File. It ends the buffering, unless the buffer is just the
// header of a restarted log, which SQLite syncs separately before the frames.
func (f *logFile) Sync(flags vfs.SyncFlag) error {
	f.buffering = f.buffering && f.at == 0 && len(f.buffered) == logHeader
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

// Unwrap returns the underlying file.
func (f *logFile) Unwrap() vfs.File { return f.File }
