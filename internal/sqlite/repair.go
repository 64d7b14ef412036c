package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// CopyAside copies a file that may be damaged, byte by byte, with its log, to an
// unused name beside it: path + suffix, with a number if needed.
//
// Errors: [ErrBusy] while another program has the file open (detected on Linux
// only), [ErrDiskFull].
func CopyAside(ctx context.Context, path, suffix string) (name string, err error) {
	if used, err := inUse(path); err == nil && used {
		return "", fmt.Errorf("%w: stop every program that has %s open", ErrBusy, path)
	}
	if name, err = unusedName(path, suffix); err != nil {
		return "", err
	}
	for _, log := range [...]string{"-wal", ""} { // the database last: a log alone is no copy
		if err := copyBytes(ctx, path+log, name+log); err != nil && (log == "" || !errors.Is(err, os.ErrNotExist)) {
			if diskFull(filepath.Dir(path)) {
				err = fmt.Errorf("%w: there is no room for a copy (%w)", ErrDiskFull, err)
			}
			return "", errors.Join(err, removeDatabase(name))
		}
	}
	return name, syncPath(filepath.Dir(name))
}

func copyBytes(ctx context.Context, from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, err := io.CopyN(out, in, 64<<20); errors.Is(err, io.EOF) {
			return out.Sync()
		} else if err != nil {
			return err
		}
	}
}

// RepairUnopened repairs what prevents [Open] from opening a file: another journal
// mode, and indexes that [Format.Check] refuses.
func RepairUnopened(ctx context.Context, path string, options Config) (err error) {
	db := &DB{path: path, opts: options.withDefaults()}
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	err = db.unseal(file)
	if err := errors.Join(err, file.Close()); err != nil {
		return err
	}
	defer func() { dropKey(db.opts.sealNumber) }()
	conn, err := openSQL(path, db.opts, false)
	if err != nil {
		return err
	}
	conn.SetMaxOpenConns(1)
	defer func() { err = errors.Join(db.classify(err), conn.Close()) }()
	if _, err := conn.ExecContext(ctx, "PRAGMA journal_mode = wal"); err != nil {
		return err
	}
	check := db.opts.Format.Check
	if check == nil || check(ctx, conn) == nil {
		return nil
	}
	if _, err := conn.ExecContext(ctx, "REINDEX"); err != nil {
		return err
	}
	return check(ctx, conn)
}
