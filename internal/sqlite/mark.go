package sqlite

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// A write-ahead log that is truncated, or has one flipped bit, loses every commit
// from there on, and SQLite cannot detect it: it takes the log for a shorter one.
// So the progress of the file is written to a separate file, "-mark", and compared
// on the next open. It is written in the background, a second or two late, and
// never by a commit.
//
// The mark holds numbers and no text. It has two slots that are written
// alternately, each with a checksum, so that a torn write leaves the other slot
// intact. The last process that closes the file removes the mark together with the
// log.

const (
	markSuffix = "-mark"
	markEvery  = time.Second
	markFormat = "ebb-mark-1"
	markSlot   = 4096 // bytes apart: no sector covers both slots
	markLength = 512
)

// mark is the progress of a file at one moment.
type mark struct {
	serial uint64 // grows with every write of a mark
	file   string // the identity of the database
	at     time.Time
	last   map[string]int64 // by table: the highest row number ever assigned
}

// missingFrom returns the row numbers that the mark has and the file does not.
func (m *mark) missingFrom(file *mark) map[string]Gone {
	gone := make(map[string]Gone)
	if m.file != file.file {
		return gone // the mark of a deleted file at this path
	}
	for table, through := range m.last {
		if after := file.last[table]; after < through {
			gone[table] = Gone{After: after, Through: through}
		}
	}
	return gone
}

// encode formats a mark as a line of text with a checksum.
func (m *mark) encode() []byte {
	body := fmt.Sprintf("%s %d %s %d", markFormat, m.serial, m.file, m.at.UnixMilli())
	for table, n := range m.last {
		body += fmt.Sprintf(" %s=%d", table, n)
	}
	line := fmt.Sprintf("%s %08x\n", body, crc32.ChecksumIEEE([]byte(body)))
	return append([]byte(line), make([]byte, max(markLength-len(line), 0))...)
}

// decodeMark parses a line written by encode; nil if it is incomplete or damaged.
func decodeMark(place []byte) *mark {
	line, _, whole := strings.Cut(string(place), "\n")
	cut := strings.LastIndexByte(line, ' ')
	if !whole || cut < 0 || line[cut+1:] != fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(line[:cut]))) {
		return nil
	}
	words := strings.Split(line[:cut], " ")
	if len(words) < 4 || words[0] != markFormat {
		return nil
	}
	m := &mark{file: words[2], last: make(map[string]int64)}
	var at int64
	if _, err := fmt.Sscan(words[1]+" "+words[3], &m.serial, &at); err != nil {
		return nil
	}
	m.at = time.UnixMilli(at).UTC()
	for _, w := range words[4:] {
		table, number, _ := strings.Cut(w, "=")
		var n int64
		if _, err := fmt.Sscan(number, &n); err != nil {
			return nil
		}
		m.last[table] = n
	}
	return m
}

// readMark returns the newest intact mark of the file at path, or nil.
func readMark(path string) (*mark, error) {
	f, err := os.Open(path + markSuffix)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	m, err := newestMark(f)
	return m, errors.Join(err, f.Close())
}

func newestMark(f io.ReaderAt) (newest *mark, err error) {
	for i := range 2 {
		place := make([]byte, markLength)
		n, err := f.ReadAt(place, int64(i)*markSlot)
		if err != nil && err != io.EOF {
			return nil, err
		}
		if m := decodeMark(place[:n]); m != nil && (newest == nil || m.serial > newest.serial) {
			newest = m
		}
	}
	return newest, nil
}

// writeMark writes a mark for the file at path into the older of the two slots.
// Higher numbers written by another process are kept.
func writeMark(path string, m *mark) (err error) {
	_, missing := os.Stat(path + markSuffix)
	f, err := os.OpenFile(path+markSuffix, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	before, err := newestMark(f)
	if err != nil {
		return err
	}
	if before != nil {
		m.serial = before.serial + 1
		if before.file == m.file {
			for table, n := range before.last {
				m.last[table] = max(m.last[table], n)
			}
		}
	}
	if _, err := f.WriteAt(m.encode(), int64(m.serial%2)*markSlot); err != nil {
		return err
	}
	if err := f.Sync(); err != nil || missing == nil {
		return err
	}
	return syncPath(filepath.Dir(path))
}

// readProgress reads the progress from the database itself.
func (db *DB) readProgress(ctx context.Context, q Querier) (*mark, error) {
	m := &mark{at: time.Now(), last: make(map[string]int64)}
	rows, err := q.QueryContext(ctx, "SELECT name, seq, (SELECT id FROM identity) FROM sqlite_sequence WHERE name IN ('"+strings.Join(db.opts.Format.Counted, "', '")+"')")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var table string
		var n int64
		if err := rows.Scan(&table, &n, &m.file); err != nil {
			return nil, err
		}
		m.last[table] = n
	}
	if err := rows.Err(); err != nil || m.file != "" {
		return m, err
	}
	return m, q.QueryRowContext(ctx, "SELECT id FROM identity").Scan(&m.file)
}

// marks reports whether the file has a mark. Files on a virtual file system have
// none.
func (db *DB) marks() bool { return db.opts.VFS == "" && (!db.opts.immutable || db.Immutable()) }

// markLoop writes the mark a second after a commit, or two while [Limiter] admits
// others.
func (db *DB) markLoop() {
	for {
		select {
		case <-db.unmarked:
		case <-db.stop:
			return
		}
		timer := time.NewTimer(markEvery)
		select {
		case <-timer.C:
		case <-db.stop:
			timer.Stop()
			return
		}
		done := db.BeginBackground(nil)
		if !db.isClosed() { // else close writes it
			if db.checkMoved() == nil {
				db.recordFault(faultMark, db.WriteMark())
			}
		}
		done()
	}
}

// WriteMark writes the mark now.
func (db *DB) WriteMark() error {
	m, err := db.readProgress(keepPrepared(context.Background()), db.readers)
	if err != nil {
		return err
	}
	return writeMark(db.path, m)
}

// closeMark removes the mark when no process has the file open any more: the log is
// gone then and there is nothing to lose. Otherwise it writes last for the
// processes that go on.
func (db *DB) closeMark(last *mark) error {
	if _, err := os.Stat(db.path + "-wal"); err == nil {
		if last == nil {
			return nil
		}
		return writeMark(db.path, last)
	}
	if err := os.Remove(db.path + markSuffix); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// detectLoss compares the file with its mark. It records a loss in the file, once,
// and keeps the lost row numbers from being reused: a consumer that has seen an
// event must not take a new one for it.
func (db *DB) detectLoss(ctx context.Context) error {
	m, err := readMark(db.path) // before reading the database, which only grows
	if err != nil {
		m = nil // an unreadable mark must not prevent opening the file
	}
	if db.opts.ReadOnly {
		if db.leftLog, err = db.inspectOpenLog(ctx); err != nil {
			return err
		}
	}
	lost := db.leftLog.lost()
	if m == nil && lost == nil {
		return nil
	}
	conn := db.writer
	if db.opts.ReadOnly {
		conn = db.readers
	}
	progress, err := db.readProgress(ctx, conn)
	if err != nil {
		return err
	}
	loss := Loss{NoticedAt: time.Now(), MarkedAt: time.Now()}
	if m != nil {
		loss.MarkedAt, loss.Gone = m.at, m.missingFrom(progress)
	}
	if len(loss.Gone) == 0 { // complete up to the mark
		loss.MarkedAt, loss.Gone = loss.NoticedAt, lost
	}
	if len(loss.Gone) == 0 {
		return nil
	}
	if db.opts.ReadOnly {
		db.unrecorded = &loss
		return nil
	}
	return loss.record(ctx, conn)
}
