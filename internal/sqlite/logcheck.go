package sqlite

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
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
// this one. The writer puts the page with the identity into each log with its first
// commit, or with the second if the first restarted a log that another process had
// checkpointed. Without that page, as when another program wrote the log, the log is
// refused if it damages the structure of a sound file.
//
// Two foreign logs are not detected: that of a copy that another program made, which
// has the same identity, and one without the page that happens to fit. The log's salts
// do not help: SQLite chooses them at random for each log and stores them nowhere
// else. Nor does the mark, which is a second or two older than the log.
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
		return db.refuseMisfit(conn)
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
		return errForeignLog
	}
	return nil
}

var (
	errForeignLog = &InvalidError{Field: "path", Reason: "has the write-ahead log (-wal) of another memory beside it: put that back beside its own file, or remove it"}
	errMisfitLog  = &InvalidError{Field: "path", Reason: "is sound, but not with the write-ahead log (-wal) beside it, which must be of another memory: move that elsewhere, and keep it until its own file is found"}
)

// refuseMisfit refuses the log of conn if it damages a sound file. It reads the whole
// file.
func (db *DB) refuseMisfit(conn *sqlite3.Conn) error {
	if !isSound(conn) && db.soundWithoutLog() {
		return errMisfitLog
	}
	return nil
}

// blameLog replaces an error of damage if the file is sound without its log.
func (db *DB) blameLog(err error) error {
	if !errors.Is(err, ErrCorrupt) {
		return err
	}
	if log, failed := os.Stat(db.path + "-wal"); failed == nil && log.Size() > 0 && db.soundWithoutLog() {
		return errMisfitLog
	}
	return err
}

func (db *DB) soundWithoutLog() bool {
	if db.opts.VFS != "" {
		return false
	}
	opts := db.opts
	opts.ReadOnly, opts.immutable = true, true
	conn, err := sqlite3.Open(dsn(db.path, opts, true))
	if err != nil {
		return false
	}
	defer func() { _ = conn.Close() }() // it only reads
	return isSound(conn)
}

// isSound reports whether SQLite finds no damage in what a connection sees.
func isSound(conn *sqlite3.Conn) bool {
	check, _, err := conn.Prepare("PRAGMA quick_check(1)")
	if err != nil {
		return false
	}
	sound := check.Step() && check.ColumnText(0) == "ok"
	return check.Close() == nil && sound
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
