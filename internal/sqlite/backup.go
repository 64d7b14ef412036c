package sqlite

import (
	"context"
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

	"github.com/ebbmem/ebb/internal/files"
)

// backupStep is the number of pages copied between two checks of the context and
// two reports of progress: 1 MiB of 4 KiB pages.
const backupStep = 256

// BackupReport describes the content of a backup. The numbers are counted in the
// finished copy and equal those of the original when the backup began.
type BackupReport struct {
	Path  string `json:"path"`
	Bytes int64  `json:"bytes"`
	// Version is the schema version of the source.
	Version int `json:"schema_version"`
	// Rows is the number of rows by table.
	Rows map[string]int64 `json:"rows"`
}

// Backup writes a copy of the database, as it is when the call begins, to a new
// file that only its owner can read. Reads and writes go on meanwhile. The copy is
// made under a temporary name. It is renamed to target once it is on disk and
// verified: SQLite's integrity check passes and every table has as many rows as the
// original. So target is never an incomplete backup.
//
// progress, if not nil, is called with the bytes copied so far and in total.
//
// Errors: [*InvalidError] when target exists or cannot be a backup, [ErrCorrupt]
// when the copy fails verification (usually because the original is damaged),
// [ErrDiskFull], [ErrBusy] when another backup to this target is running, the
// context's error. On an error there is no file at target.
func (db *DB) Backup(ctx context.Context, target string, progress func(done, total int64)) (*BackupReport, error) {
	return db.BackupWithKey(ctx, target, db.opts.Key, progress)
}

// BackupWithKey is [DB.Backup] with another key for the copy. It encrypts the
// backup of a plain file, changes the key of an encrypted one, or, with no key,
// writes plain text.
func (db *DB) BackupWithKey(ctx context.Context, target string, key Key, progress func(done, total int64)) (*BackupReport, error) {
	if db.isClosed() {
		return nil, ErrClosed
	}
	report, err := db.backup(ctx, target, key, false, progress)
	if err != nil {
		return nil, fmt.Errorf("back up to %s: %w", target, err)
	}
	return report, nil
}

// Backup is [DB.Backup] for a file that this process has not opened; another
// process may have it open. The file may have an older or newer schema than this
// version of ebb supports. Backup does not change source. The copy is encrypted
// with the key in options, which is also the source's.
//
// Errors: those of [DB.Backup]; [ErrNotFound] and [ErrNotDatabase] for source.
func Backup(ctx context.Context, source, target string, options Config, progress func(done, total int64)) (*BackupReport, error) {
	report, err := backupClosed(ctx, source, target, false, options, progress)
	if err != nil {
		return nil, fmt.Errorf("back up %s: %w", source, err)
	}
	return report, nil
}

func backupClosed(ctx context.Context, source, target string, restoring bool, options Config, progress func(done, total int64)) (*BackupReport, error) {
	db := &DB{path: source, opts: options.withDefaults()}
	db.opts.ReadOnly = true
	if err := db.prepareFile(ctx); err != nil {
		return nil, db.classify(err)
	}
	defer func() { dropKey(db.opts.sealNumber) }()
	report, err := db.backup(ctx, target, db.opts.Key, restoring, progress)
	if db.opts.VFS == "" {
		_ = removeEmptyLog(db.path, db.opts) // as when a read-only database is closed
	}
	return report, err
}

// backup implements all kinds of backup. A restore takes only a schema that can be
// opened; otherwise a note beside the source names the unfinished copy, see
// [noteBackup].
func (db *DB) backup(ctx context.Context, target string, key Key, restoring bool, progress func(done, total int64)) (report *BackupReport, err error) {
	defer func() {
		if err != nil {
			err = db.readError(ctx, db.classifyFile(target, err))
		}
	}()
	if target, err = newFile(target); err != nil {
		return nil, err
	}
	if progress == nil {
		progress = func(int64, int64) {}
	}
	if !restoring && db.opts.VFS == "" {
		done, failed := noteBackup(db.path, creatingName(target))
		defer func() { err = errors.Join(err, done()) }()
		if failed != nil {
			return nil, failed
		}
	}
	err = createAtomically(target, func(name string) (err error) {
		opts, err := db.opts.writeSealAt(name, key)
		defer func() { dropKey(opts.sealNumber) }()
		if err != nil {
			return err
		}
		at, err := db.copyPages(ctx, copyDSN(name, opts), progress)
		if err == nil && restoring {
			err = db.opts.Format.supports(at.version)
		}
		if err == nil {
			err = renewIdentity(ctx, name, opts)
		}
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

// newFile validates a path at which a database will be created and makes it
// absolute.
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
		return "", &InvalidError{Field: "target", Reason: "lies in a folder that does not exist: " + filepath.Dir(path) + "; make it first"}
	}
	return path, checkUnused(path)
}

// checkUnused returns an error if path exists, also as a dangling link, or if a log
// exists beside it: SQLite would apply that log to the new file.
func checkUnused(path string) error {
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

// createAtomically calls make with a temporary name beside path, and links the
// result to path once it is complete and on disk. A file lock, which the kernel
// drops when the process dies, excludes other creators of the same path. Leftovers
// of a killed creator are overwritten.
func createAtomically(path string, make func(name string) error) (err error) {
	name := creatingName(path)
	tmp, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, tmp.Close()) }()
	if locked, err := lockFile(tmp); err != nil {
		return err
	} else if !locked || !samePath(name, tmp) {
		return fmt.Errorf("%w: it is being made right now", ErrBusy)
	}
	defer func() { err = errors.Join(err, removeDatabase(name)) }()
	if err := errors.Join(tmp.Chmod(0o600), tmp.Truncate(0), removeLogs(name)); err != nil {
		return err
	}
	if err := make(name); err != nil {
		return err
	}
	if err := errors.Join(removeLogs(name), syncPath(name), checkUnused(path)); err != nil {
		return err
	}
	// A leftover mark belongs to a deleted file. It would report a loss in this
	// one.
	if err := os.Remove(path + markSuffix); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := files.LinkNew(name, path); err != nil { // a crash may leave an empty file, which [Open] refuses
		return err
	}
	return syncPath(filepath.Dir(path))
}

// contents summarises a database at one moment.
type contents struct {
	version         int
	pages, pageSize int64
	rows            map[string]int64
}

// copyPages copies one snapshot of the database into the empty file that dsn names,
// and returns a summary of that snapshot.
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
	// The read transaction pins the snapshot while writers go on.
	if _, err := conn.ExecContext(ctx, "BEGIN"); err != nil {
		return nil, err
	}
	defer func() {
		_, undo := conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
		err = errors.Join(err, undo)
	}()
	if at, err = readContents(ctx, conn, db.opts.Format); err != nil {
		return nil, err
	}
	return at, conn.Raw(func(raw any) error {
		return copyInto(ctx, raw.(driver.Conn).Raw(), dsn, at.pageSize, progress)
	})
}

// copyDSN is the data source name of a copy that is being made. It needs no
// journal: an interrupted copy is discarded.
func copyDSN(name string, opts Config) string {
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

// IntegrityError classifies the messages of PRAGMA integrity_check, which lists
// pages that could not be read beside pages that are damaged. It returns [ErrIO] if
// any of them is a read error, else [ErrCorrupt].
func IntegrityError(problems []string) error {
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

func readContents(ctx context.Context, q Querier, format *Format) (*contents, error) {
	c := &contents{rows: make(map[string]int64)}
	var id int
	err := q.QueryRowContext(ctx, `SELECT application_id, user_version, page_count, page_size
		FROM pragma_application_id, pragma_user_version, pragma_page_count, pragma_page_size`).Scan(&id, &c.version, &c.pages, &c.pageSize)
	if err != nil {
		return nil, err
	}
	if id != format.ApplicationID {
		return nil, fmt.Errorf("%w: it is another program's SQLite database", ErrNotDatabase)
	}
	tables, err := Texts(ctx, q, "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name")
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

// Texts returns the result of a query with one text column.
func Texts(ctx context.Context, q Querier, query string) ([]string, error) {
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

// VerifyBackup checks a backup and returns a summary of it. It neither changes the
// backup nor leaves a file beside it.
//
// Errors: [ErrNotFound], [ErrNotDatabase], [ErrCorrupt] with the damage found;
// [*InvalidError] for a file with a write-ahead log beside it, which is a database
// in use and not a backup.
func VerifyBackup(ctx context.Context, path string, options Config) (*BackupReport, error) {
	db := &DB{path: path, opts: options.withDefaults()}
	db.opts.ReadOnly = true
	if err := db.prepareFile(ctx); err != nil {
		return nil, fmt.Errorf("verify %s: %w", path, err)
	}
	defer func() { dropKey(db.opts.sealNumber) }()
	for _, suffix := range [...]string{"-wal", "-journal"} {
		if log, err := os.Stat(db.path + suffix); err == nil && log.Size() > 0 {
			return nil, &InvalidError{Field: "path", Reason: "has " + filepath.Base(db.path+suffix) + " beside it: it is a memory in use and no backup; ebb doctor checks it, ebb backup makes one"}
		}
	}
	report, err := checkCopy(ctx, db.path, db.opts, nil)
	if err != nil {
		return nil, fmt.Errorf("verify %s: %w", path, db.readError(ctx, err))
	}
	return report, nil
}

// checkCopy verifies a copy that no process writes to. If original is not nil, the
// copy must have the same number of rows in each table.
func checkCopy(ctx context.Context, path string, opts Config, original *contents) (report *BackupReport, err error) {
	opts.ReadOnly, opts.immutable = true, true
	conn, err := openSQL(path, opts, true)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	problems, err := Texts(ctx, conn, "PRAGMA integrity_check(5)")
	if err != nil {
		return nil, err
	}
	if !slices.Equal(problems, []string{"ok"}) {
		return nil, fmt.Errorf("%w: %s", IntegrityError(problems), strings.Join(problems, "; "))
	}
	held, err := readContents(ctx, conn, opts.Format)
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
