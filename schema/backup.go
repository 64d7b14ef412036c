package schema

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/driver"
)

// backupStep is how many pages are copied before the context is asked and the
// progress told: 1 MiB of 4 KiB pages.
const backupStep = 256

// BackupReport says what a backup holds. Its numbers were counted in the
// finished copy, and are those of the moment the backup began.
type BackupReport struct {
	Path  string `json:"path"`
	Bytes int64  `json:"bytes"`
	// Version is the version of the schema: that of the file it was made of.
	Version int `json:"schema_version"`
	// Rows counts every table.
	Rows map[string]int64 `json:"rows"`
}

// Backup writes a copy of the database to a new file, which only its owner can
// read, while reading and writing go on: its state at the moment the backup
// begins. The copy is made under another name, and appears under target only
// when it is on disk and was read back: SQLite's integrity check passes, and
// every table has as many rows as the original had then. So there is never a
// file at target that is not a whole backup.
//
// progress, if not nil, is called with the bytes copied and those to copy.
//
// Errors: [*InvalidError] when there is a file at target or it cannot be one,
// [ErrCorrupt] when the copy does not pass, mostly since the original is
// damaged, [ErrDiskFull], [ErrBusy] when a backup to this target is under way,
// the context's error. There is no file at target then.
func (db *DB) Backup(ctx context.Context, target string, progress func(done, total int64)) (*BackupReport, error) {
	return db.BackupWithKey(ctx, target, db.opts.Key, progress)
}

// BackupWithKey is [DB.Backup] with a key of the backup's own: it encrypts a
// plain memory, gives an encrypted one another key, or, without a key, writes
// it in the clear.
func (db *DB) BackupWithKey(ctx context.Context, target string, key Key, progress func(done, total int64)) (*BackupReport, error) {
	if db.isClosed() {
		return nil, ErrClosed
	}
	return db.backup(ctx, target, key, true, progress)
}

// Backup is [DB.Backup] of a file that is not open, or open elsewhere, also of
// one with an older or newer schema than this ebb's: what is to be copied need
// not be understood. It changes nothing in source. The backup has the key of
// options, as the source has.
//
// Errors: those of [DB.Backup]; [ErrNotFound] and [ErrNotDatabase] for source.
func Backup(ctx context.Context, source, target string, options *Options, progress func(done, total int64)) (*BackupReport, error) {
	return backupClosed(ctx, source, target, true, options, progress)
}

func backupClosed(ctx context.Context, source, target string, noted bool, options *Options, progress func(done, total int64)) (*BackupReport, error) {
	db := &DB{path: source, opts: options.withDefaults()}
	db.opts.ReadOnly = true
	if err := db.prepareFile(ctx); err != nil {
		return nil, fmt.Errorf("back up %s: %w", source, db.classify(err))
	}
	defer func() { dropKey(db.opts.sealNumber) }()
	report, err := db.backup(ctx, target, db.opts.Key, noted, progress)
	if db.opts.VFS == "" {
		_ = sweepLog(db.path, db.opts) // as when a read-only database is closed
	}
	return report, err
}

// backup is what all backups do. By noted, a note beside the memory names the copy
// while it is being made.
func (db *DB) backup(ctx context.Context, target string, key Key, noted bool, progress func(done, total int64)) (report *BackupReport, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("back up to %s: %w", target, db.readError(ctx, db.classifyFile(target, err)))
		}
	}()
	if target, err = newFile(target); err != nil {
		return nil, err
	}
	if progress == nil {
		progress = func(int64, int64) {}
	}
	if noted && db.opts.VFS == "" {
		done, failed := noteBackup(db.path, unfinished(target))
		defer func() { err = errors.Join(err, done()) }()
		if failed != nil {
			return nil, failed
		}
	}
	err = underTemporaryName(target, func(name string) (err error) {
		opts, err := db.opts.sealingFile(name, key)
		defer func() { dropKey(opts.sealNumber) }()
		if err != nil {
			return err
		}
		at, err := db.copyPages(ctx, copyDSN(name, opts), progress)
		if err != nil {
			return err
		}
		if report, err = checkCopy(ctx, name, opts, at); err != nil {
			return err
		}
		report.Path = target
		return nil
	})
	return report, err
}

// newFile checks a path at which a database is to be made.
func newFile(path string) (string, error) {
	if strings.TrimSpace(path) == "" {
		return "", &InvalidError{Field: "target", Reason: "is empty; give the file to write"}
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	for _, suffix := range [...]string{"-wal", "-shm", "-journal", markSuffix} {
		if strings.HasSuffix(path, suffix) {
			return "", &InvalidError{Field: "target", Reason: "ends in " + suffix + ", as the files do that are kept beside a database; give another name"}
		}
	}
	if info, err := os.Stat(filepath.Dir(path)); err != nil || !info.IsDir() {
		return "", &InvalidError{Field: "target", Reason: "lies in a folder that does not exist: " + filepath.Dir(path)}
	}
	return path, untaken(path)
}

// untaken refuses a path that something has, also a link that leads nowhere,
// and one whose log is there: SQLite would take it for the new file's.
func untaken(path string) error {
	for _, suffix := range [...]string{"", "-wal", "-journal"} {
		switch _, err := os.Lstat(path + suffix); {
		case err == nil:
			return &InvalidError{Field: "target", Reason: fmt.Sprintf("is taken: %s exists already; give another name", path+suffix)}
		case !errors.Is(err, os.ErrNotExist):
			return err
		}
	}
	return nil
}

// underTemporaryName has a file made beside path and gives it its name when it
// is complete and on disk. A lock, which dies with its process, keeps makers of
// the same file apart; what a killed one left is made anew.
func underTemporaryName(path string, make func(name string) error) (err error) {
	name := unfinished(path)
	tmp, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, tmp.Close()) }()
	if locked, err := lockFile(tmp); err != nil {
		return err
	} else if !locked || !names(name, tmp) {
		return fmt.Errorf("%w: it is being made right now", ErrBusy)
	}
	defer func() { err = errors.Join(err, removeDatabase(name)) }()
	if err := errors.Join(tmp.Chmod(0o600), tmp.Truncate(0), removeLogs(name)); err != nil {
		return err
	}
	if err := make(name); err != nil {
		return err
	}
	if err := errors.Join(removeLogs(name), syncPath(name), untaken(path)); err != nil {
		return err
	}
	// A mark without its file is of one that is gone, and accuses the new one.
	if err := os.Remove(path + markSuffix); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := linkNew(name, path); err != nil {
		return err
	}
	return syncPath(filepath.Dir(path))
}

// linkNew gives a file its name and never replaces another. Where there are no
// links, as on a stick, the name is taken first: a kill then leaves no more
// than a file without a byte, which [Open] refuses.
func linkNew(name, path string) error {
	err := os.Link(name, path)
	if err == nil || errors.Is(err, os.ErrExist) {
		return err
	}
	claim, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(claim.Close(), os.Rename(name, path))
}

// contents is what a database held at one moment.
type contents struct {
	version         int
	pages, pageSize int64
	rows            map[string]int64
}

// copyPages copies one state of the database into the empty file that dsn
// names, and says what that state held.
func (db *DB) copyPages(ctx context.Context, dsn string, progress func(done, total int64)) (at *contents, err error) {
	source, err := openSQL(db.path, db.opts, true)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	conn, err := source.Conn(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	// The transaction holds this state while others write on.
	if _, err := conn.ExecContext(ctx, "BEGIN"); err != nil {
		return nil, err
	}
	defer func() {
		_, undo := conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
		err = errors.Join(err, undo)
	}()
	if at, err = readContents(ctx, conn); err != nil {
		return nil, err
	}
	return at, conn.Raw(func(raw any) error {
		return copyInto(ctx, raw.(driver.Conn).Raw(), dsn, at.pageSize, progress)
	})
}

// copyDSN opens a file that nobody else sees: what is lost when its making is
// cut short is made anew.
func copyDSN(name string, opts Options) string {
	q := url.Values{"_pragma": {"journal_mode(off)", "synchronous(full)"}}
	opts.setFileSystem(q)
	return "file:" + (&url.URL{Path: name}).EscapedPath() + "?" + strings.ReplaceAll(q.Encode(), "+", "%20")
}

func copyInto(ctx context.Context, source *sqlite3.Conn, dsn string, pageSize int64, progress func(done, total int64)) (err error) {
	b, err := source.BackupInit("main", dsn)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	for done := false; !done; {
		if err := ctx.Err(); err != nil {
			return err
		}
		if done, err = b.Step(backupStep); err != nil {
			return err
		}
		progress(int64(b.PageCount()-b.Remaining())*pageSize, int64(b.PageCount())*pageSize)
	}
	return nil
}

// querier is a connection or a database.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// damage tells what the integrity check found in the file from what it could
// not read: it lists both.
func damage(problems []string) error {
	for _, p := range problems {
		for _, match := range errorCode.FindAllStringSubmatch(p, -1) {
			code, err := strconv.Atoi(match[1])
			if err == nil && sqlite3.ErrorCode(code&0xff) == sqlite3.IOERR {
				return ErrIO
			}
		}
	}
	return ErrCorrupt
}

var errorCode = regexp.MustCompile(`error code[= ](\d+)`)

func readContents(ctx context.Context, q querier) (*contents, error) {
	c := &contents{rows: make(map[string]int64)}
	var id int
	err := q.QueryRowContext(ctx, `SELECT application_id, user_version, page_count, page_size
		FROM pragma_application_id, pragma_user_version, pragma_page_count, pragma_page_size`).Scan(&id, &c.version, &c.pages, &c.pageSize)
	if err != nil {
		return nil, err
	}
	if id != applicationID {
		return nil, fmt.Errorf("%w: it is another program's SQLite database", ErrNotDatabase)
	}
	tables, err := texts(ctx, q, "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name")
	if err != nil {
		return nil, err
	}
	for _, table := range tables {
		var n int64
		if err := q.QueryRowContext(ctx, `SELECT count(*) FROM "`+strings.ReplaceAll(table, `"`, `""`)+`"`).Scan(&n); err != nil {
			return nil, fmt.Errorf("%s: %w", table, err)
		}
		c.rows[table] = n
	}
	return c, nil
}

// texts reads a query of one text column.
func texts(ctx context.Context, q querier, query string) ([]string, error) {
	rows, err := q.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var found []string
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return nil, err
		}
		found = append(found, text)
	}
	return found, rows.Err()
}

// VerifyBackup reads a backup through, without changing it or leaving a file
// beside it, and says what it holds.
//
// Errors: [ErrNotFound], [ErrNotDatabase], [ErrCorrupt] with what is wrong;
// [*InvalidError] for a file with a write-ahead log beside it: that is a memory
// in use, no backup.
func VerifyBackup(ctx context.Context, path string, options *Options) (*BackupReport, error) {
	db := &DB{path: path, opts: options.withDefaults()}
	db.opts.ReadOnly = true
	if err := db.prepareFile(ctx); err != nil {
		return nil, fmt.Errorf("verify %s: %w", path, err)
	}
	for _, suffix := range [...]string{"-wal", "-journal"} {
		if log, err := os.Stat(db.path + suffix); err == nil && log.Size() > 0 {
			return nil, &InvalidError{Field: "path", Reason: "has " + filepath.Base(db.path+suffix) + " beside it: it is a memory in use and no backup; ebb doctor checks it, ebb backup makes one"}
		}
	}
	defer func() { dropKey(db.opts.sealNumber) }()
	report, err := checkCopy(ctx, db.path, db.opts, nil)
	if err != nil {
		return nil, fmt.Errorf("verify %s: %w", path, db.readError(ctx, err))
	}
	return report, nil
}

// checkCopy reads a copy through that nobody writes to. Its rows must be those
// of the original, when they are given.
func checkCopy(ctx context.Context, path string, opts Options, original *contents) (report *BackupReport, err error) {
	opts.ReadOnly, opts.immutable = true, true
	conn, err := openSQL(path, opts, true)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	problems, err := texts(ctx, conn, "PRAGMA integrity_check(5)")
	if err != nil {
		return nil, err
	}
	if !slices.Equal(problems, []string{"ok"}) {
		return nil, fmt.Errorf("%w: %s", damage(problems), strings.Join(problems, "; "))
	}
	held, err := readContents(ctx, conn)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if want := held.pages*held.pageSize + opts.sealBytes(); opts.VFS == "" && info.Size() != want {
		return nil, fmt.Errorf("%w: it has %d bytes, its header says %d", ErrCorrupt, info.Size(), want)
	}
	if original != nil {
		for table, n := range original.rows {
			if held.rows[table] != n {
				return nil, fmt.Errorf("%w: %s has %d rows in the copy and %d in the original", ErrCorrupt, table, held.rows[table], n)
			}
		}
	}
	return &BackupReport{Path: path, Bytes: info.Size(), Version: held.version, Rows: held.rows}, nil
}
