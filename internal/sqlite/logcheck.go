package sqlite

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"regexp"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/vfs"
)

// SQLite reads a write-ahead log up to the first frame with a wrong checksum and
// silently ignores the rest, because an unfinished commit ends in the same way. A
// whole commit after such a frame proves that the log is damaged. Unlike the mark,
// which lags by a second or two, this check covers all commits.
//
// The format is https://sqlite.org/fileformat2.html#walformat.

const (
	logHeaderSize   = 32
	frameHeaderSize = 24
	// LostFrames is the key in [Loss.Gone], in place of a table's name, when only
	// the frames of the log can be counted.
	LostFrames = "frames of the write-ahead log"
)

// logState is the result of reading a log.
type logState struct {
	whole int64            // frames with correct checksums
	last  int64            // the last frame of this log that ends a commit, counted from 1
	pages map[uint32]int64 // offset of the newest version of each page in whole commits
}

// lost returns the frames of commits that SQLite ignores, or nil.
func (l *logState) lost() map[string]Gone {
	if l == nil || l.last <= l.whole {
		return nil
	}
	return map[string]Gone{LostFrames: {After: l.whole, Through: l.last}}
}

// checkLog reads a log as SQLite does, and on after the frame where SQLite stops.
func checkLog(log io.ReaderAt, size int64) (*logState, error) {
	header := make([]byte, logHeaderSize)
	state := &logState{pages: make(map[uint32]int64)}
	if size <= logHeaderSize {
		return state, nil
	}
	if _, err := log.ReadAt(header, 0); err != nil {
		return nil, err
	}
	var order binary.ByteOrder = binary.LittleEndian
	magic := binary.BigEndian.Uint32(header)
	if magic&1 != 0 {
		order = binary.BigEndian
	}
	pageSize := int64(binary.BigEndian.Uint32(header[8:]))
	s1, s2 := logSum(order, 0, 0, header[:24])
	sound := magic&^1 == 0x377f0682 && s1 == binary.BigEndian.Uint32(header[24:]) && s2 == binary.BigEndian.Uint32(header[28:])
	if !sound || pageSize < 512 || pageSize > 65536 {
		sound, pageSize = false, 4096 // the page size of all our files
	}
	salts := header[16:24]
	frame := make([]byte, frameHeaderSize+pageSize)
	commit := make(map[uint32]int64)
	for n := int64(1); logHeaderSize+n*int64(len(frame)) <= size; n++ {
		at := logHeaderSize + (n-1)*int64(len(frame))
		if _, err := log.ReadAt(frame, at); err != nil {
			return nil, err
		}
		page, commits := binary.BigEndian.Uint32(frame), binary.BigEndian.Uint32(frame[4:]) != 0
		if !sound && n == 1 {
			salts = bytes.Clone(frame[8:16]) // the header is damaged
		}
		ours := page != 0 && bytes.Equal(frame[8:16], salts)
		if sound && ours {
			s1, s2 = logSum(order, s1, s2, frame[:8])
			s1, s2 = logSum(order, s1, s2, frame[frameHeaderSize:])
			if s1 == binary.BigEndian.Uint32(frame[16:]) && s2 == binary.BigEndian.Uint32(frame[20:]) {
				commit[page] = at + frameHeaderSize
				if commits {
					for page, at := range commit {
						state.pages[page] = at
					}
					clear(commit)
					state.whole, state.last = n, n
				}
				continue
			}
		}
		sound = false
		if ours && commits {
			state.last = n
		}
	}
	return state, nil
}

// logSum continues the checksum of a log.
func logSum(order binary.ByteOrder, s1, s2 uint32, b []byte) (uint32, uint32) {
	for ; len(b) >= 8; b = b[8:] {
		s1 += order.Uint32(b) + s2
		s2 += order.Uint32(b[4:]) + s1
	}
	return s1, s2
}

// inspectLog runs checkLog on the log of a connection.
func inspectLog(conn *sqlite3.Conn) (*logState, error) {
	log, ok := logOf(conn)
	if !ok {
		return nil, nil
	}
	size, err := log.Size()
	if err != nil {
		return nil, err
	}
	state, err := checkLog(log, size)
	if errors.Is(err, io.EOF) {
		return nil, nil // it was restarted meanwhile
	}
	return state, err
}

// refuseForeignLog refuses the log of another database, which SQLite would apply to
// this one. Every writer puts the page with the identity into the log with its
// first commit, which makes this check possible.
func (db *DB) refuseForeignLog(conn *sqlite3.Conn, state *logState) error {
	log, ok := logOf(conn)
	if !ok || state == nil || len(state.pages) == 0 {
		return nil
	}
	file, err := conn.FileControl("main", sqlite3.FCNTL_FILE_POINTER)
	if err != nil {
		return err
	}
	own, ok := file.(vfs.File)
	if !ok {
		return nil
	}
	root, _, err := conn.Prepare("SELECT rootpage, (SELECT page_size FROM pragma_page_size) FROM sqlite_schema WHERE type = 'table' AND name = 'identity'")
	if err != nil {
		return err
	}
	if !root.Step() {
		return errors.Join(root.Err(), root.Close())
	}
	page, size := root.ColumnInt64(0), root.ColumnInt64(1)
	if err := root.Close(); err != nil {
		return err
	}
	at, there := state.pages[uint32(page)]
	if !there {
		return nil
	}
	ofLog, ofFile := make([]byte, size), make([]byte, size)
	if _, err := log.ReadAt(ofLog, at); err != nil {
		return err
	}
	if _, err := own.ReadAt(ofFile, (page-1)*size); errors.Is(err, io.EOF) {
		return nil // the page is in the log only, as during a migration
	} else if err != nil {
		return err
	}
	theirs, ours := identityShape.Find(ofLog), identityShape.Find(ofFile)
	if theirs != nil && ours != nil && !bytes.Equal(theirs, ours) {
		return &InvalidError{Field: "path", Reason: "has the write-ahead log (-wal) of another memory beside it: put that back beside its own file, or remove it"}
	}
	return nil
}

// identityShape matches an identity in its page, where it is the last record.
var identityShape = regexp.MustCompile(`[0-9a-f]{32}$`)

// inspectOpenLog runs inspectLog and refuseForeignLog for a read-only database.
func (db *DB) inspectOpenLog(ctx context.Context) (state *logState, err error) {
	conn, err := db.readers.Conn(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	err = conn.Raw(func(c any) error {
		guarded, ok := c.(*guardedConn)
		if !ok {
			return fmt.Errorf("sqlite: a connection of type %T", c)
		}
		return guarded.call(func() (err error) {
			raw := guarded.Raw()
			if err := raw.Exec("SELECT 1 FROM sqlite_schema LIMIT 1"); err != nil { // opens the log
				return err
			}
			if state, err = inspectLog(raw); err != nil {
				return err
			}
			return db.refuseForeignLog(raw, state)
		})
	})
	return state, err
}
