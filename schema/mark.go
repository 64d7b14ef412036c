package schema

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

	"github.com/uptrace/bun"
)

// A write-ahead log that is cut, or has one flipped bit, loses every commit
// from there on, and SQLite cannot know: a log that ends early is a log that
// ends. So how far the file has got is noted outside it, in "-mark" beside it,
// a second or two late and never by a commit, and compared when it is opened.
//
// The mark holds numbers, no text. It has two places that are written in turn,
// each with its checksum, so that a write which is cut leaves the other; it
// goes away with the log when the last who has the file open closes it.

const (
	markSuffix = "-mark"
	markEvery  = time.Second
	markFormat = "ebb-mark-1"
	markPlace  = 4096 // bytes apart: no write of a disk touches both
	markLength = 512
)

// marked are the tables whose rows have numbers that are never given again. A
// commit that matters adds to one of them.
const marked = "'events', 'memories', 'ops', 'erasures'"

// mark is how far a file had got at one moment.
type mark struct {
	serial uint64 // of the note, not of the file
	file   string // the identity of the memory
	at     time.Time
	last   map[string]int64 // by table: the highest number ever given
}

// behind are the numbers that the mark has and the file does not.
func (m *mark) behind(file *mark) map[string]Gone {
	gone := make(map[string]Gone)
	if m.file != file.file {
		return gone // the mark of a file that stood here before
	}
	for table, through := range m.last {
		if after := file.last[table]; after < through {
			gone[table] = Gone{After: after, Through: through}
		}
	}
	return gone
}

// encode writes a mark as a line of text that carries its own checksum.
func (m *mark) encode() []byte {
	body := fmt.Sprintf("%s %d %s %d", markFormat, m.serial, m.file, m.at.UnixMilli())
	for table, n := range m.last {
		body += fmt.Sprintf(" %s=%d", table, n)
	}
	line := fmt.Sprintf("%s %08x\n", body, crc32.ChecksumIEEE([]byte(body)))
	return append([]byte(line), make([]byte, max(markLength-len(line), 0))...)
}

// decodeMark reads a line back; nil for anything that is not a whole one.
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

// readMark reads the newest whole mark of the file at path; nil when there is
// none.
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
		n, err := f.ReadAt(place, int64(i)*markPlace)
		if err != nil && err != io.EOF {
			return nil, err
		}
		if m := decodeMark(place[:n]); m != nil && (newest == nil || m.serial > newest.serial) {
			newest = m
		}
	}
	return newest, nil
}

// writeMark notes how far the file at path has got, over the older of the two
// places. What another process has noted beyond that stays noted.
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
	if _, err := f.WriteAt(m.encode(), int64(m.serial%2)*markPlace); err != nil {
		return err
	}
	if err := f.Sync(); err != nil || missing == nil {
		return err
	}
	return syncPath(filepath.Dir(path))
}

// readProgress reads how far the database itself says it has got.
func readProgress(ctx context.Context, q querier) (*mark, error) {
	m := &mark{at: time.Now(), last: make(map[string]int64)}
	rows, err := q.QueryContext(ctx, "SELECT name, seq, (SELECT id FROM identity) FROM sqlite_sequence WHERE name IN ("+marked+")")
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

// marks reports whether a mark is kept: a virtual file system has no place
// beside its files.
func (db *DB) marks() bool { return db.opts.VFS == "" && (!db.opts.immutable || db.Still()) }

// markLoop notes how far the file has got, a second after it has got further, or
// two when others have their turn.
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
		done := db.TakeTurn(nil)
		if !db.isClosed() { // then closing does it
			db.note(faultMark, db.noteProgress())
		}
		done()
	}
}

func (db *DB) noteProgress() error {
	m, err := readProgress(keep(context.Background()), db.readers)
	if err != nil {
		return err
	}
	return writeMark(db.path, m)
}

// leaveMark takes the mark away when nobody has the file open any more: all is
// in it then, and a closed memory is one file. Otherwise what was written last
// is noted for those who go on.
func (db *DB) leaveMark(last *mark) error {
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

// noticeLoss compares the file with its mark. What is gone is written down in
// the file, once, and the numbers that were given are not given again: whoever
// knows an event by its number must not take a new one for it.
func (db *DB) noticeLoss(ctx context.Context) error {
	m, err := readMark(db.path) // before the database, which only grows
	if err != nil {
		m = nil // a mark that cannot be read never keeps anyone from the data
	}
	if db.opts.ReadOnly {
		if db.left, err = db.inspectOpenLog(ctx); err != nil {
			return err
		}
	}
	lost := db.left.lost()
	if m == nil && lost == nil {
		return nil
	}
	conn := db.writer
	if db.opts.ReadOnly {
		conn = db.readers
	}
	progress, err := readProgress(ctx, conn)
	if err != nil {
		return err
	}
	loss := Loss{NoticedAt: At(time.Now()), MarkedAt: At(time.Now())}
	if m != nil {
		loss.MarkedAt, loss.Gone = At(m.at), m.behind(progress)
	}
	if len(loss.Gone) == 0 { // as far as was marked, all is there
		loss.MarkedAt, loss.Gone = loss.NoticedAt, lost
	}
	if len(loss.Gone) == 0 {
		return nil
	}
	if db.opts.ReadOnly {
		db.unrecorded = &loss
		return nil
	}
	return conn.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error { return recordLoss(ctx, tx, &loss) })
}
