package main

import (
	"errors"
	"fmt"

	"github.com/ebbmem/ebb/extension"
)

type backupCmd struct {
	File   string `arg:"" type:"path" help:"The file to write. An existing file is not touched."`
	Verify bool   `help:"Write nothing: read the backup in this file through and say what it holds."`
}

// Help says what a backup is, and documents the JSON.
func (backupCmd) Help() string {
	return `Copies the whole memory file, all users, while other programs write on. The copy is read back before it gets its name: its integrity is checked, and its rows are counted against the original's. It is a memory file like any other, as private as the original; ebb restore puts it in place.

With --json: {"path", "bytes", "schema_version", "rows": {TABLE: n}}.`
}

// Run makes a backup or verifies one.
func (c *backupCmd) Run(a *app) error {
	var report *extension.BackupReport
	var err error
	if c.Verify {
		report, err = extension.VerifyBackup(a.ctx, c.File)
		if errors.Is(err, extension.ErrNotFound) {
			return &notFoundError{"no backup " + c.File}
		}
	} else {
		bar := a.bar(-1, "backing up", true)
		report, err = extension.BackupFile(a.ctx, a.db, c.File, func(done, total int64) {
			bar.ChangeMax64(total)
			_ = bar.Set64(done) // it only draws
		})
		_ = bar.Clear()
		if errors.Is(err, extension.ErrNotFound) {
			return &missingFileError{a.db}
		}
	}
	if err != nil {
		if a.ctx.Err() != nil {
			return &interruptedError{"there is no backup"}
		}
		return err
	}
	if a.json {
		return a.printJSON(report)
	}
	_, err = fmt.Fprintf(a.stdout, "%s: %s, verified: %s of %s\n", report.Path, size(report.Bytes),
		count(report.Rows["memories"], "memory", "memories"), count(report.Rows["users"], "user", "users"))
	return err
}
