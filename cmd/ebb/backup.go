package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/cells"
)

type backupCmd struct {
	File   string `arg:"" type:"path" help:"The file to write. An existing file is not replaced."`
	NewKey string `name:"new-key-file" type:"path" placeholder:"FILE" help:"Encrypt the copy with the key in this file (default: the memory's key, if any)."`
	Plain  bool   `help:"Write the copy of an encrypted memory unencrypted."`
	Verify bool   `help:"Write nothing; verify the backup in this file and report its contents."`
}

// Help says what a backup is, and documents the JSON.
func (backupCmd) Help() string {
	return `Copies the whole memory file, with all users, while other programs write to it. The copy is verified before it gets its name: its integrity is checked and its row counts are compared with the original's. The copy is a memory file with the original's permissions; ebb restore installs it. An encrypted memory is copied under the same key. --new-key-file encrypts a plain memory or changes the key.

With --json: {"path", "bytes", "schema_version", "rows": {TABLE: n}}.`
}

// Run makes a backup or verifies one.
func (c *backupCmd) Run(a *app) error {
	var report *extension.BackupReport
	var err error
	if c.Verify {
		report, err = extension.VerifyBackup(a.ctx, c.File, a.key)
		if errors.Is(err, extension.ErrNotFound) {
			return &notFoundError{"no backup " + c.File}
		}
	} else {
		if extension.IsServer(a.db) {
			return &usageError{"a memory on a server is backed up by the server's own tools: pg_dump --schema=ebb"}
		}
		progress, end := a.copying("backing up")
		report, err = c.write(a, progress)
		end()
		if errors.Is(err, extension.ErrNotFound) {
			return missingFile(a.db)
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
	_, err = fmt.Fprintf(a.stdout, "%s: %s, verified: %s of %s\n", report.Path, cells.Size(report.Bytes),
		cells.Count(report.Rows["memories"], "memory", "memories"), cells.Count(report.Rows["users"], "user", "users"))
	return err
}

// write makes the backup, with the memory's key unless a flag says otherwise.
func (c *backupCmd) write(a *app, progress func(done, total int64)) (*extension.BackupReport, error) {
	if c.NewKey == "" && !c.Plain {
		return extension.BackupFile(a.ctx, a.db, c.File, a.key, progress)
	}
	if c.NewKey != "" && c.Plain {
		return nil, &usageError{"--plain and --new-key-file exclude each other"}
	}
	var key extension.Key
	if c.NewKey != "" {
		var err error
		if key, err = keyIn(c.NewKey); err != nil {
			return nil, err
		}
	}
	ofAll := *a
	ofAll.user, ofAll.tenant = "", "" // EBB_USER need not be in this file
	x, err := ofAll.open(true)
	if err != nil {
		return nil, err
	}
	report, err := x.BackupWithKey(a.ctx, c.File, key, progress)
	return report, errors.Join(err, x.Close(a.ctx))
}

// copying draws how far a copy has got.
func (a *app) copying(what string) (progress func(done, total int64), end func()) {
	bar := a.bar(-1, what, true)
	progress = func(done, total int64) {
		bar.ChangeMax64(total)
		_ = bar.Set64(done) // it only draws
	}
	return progress, func() { _ = bar.Clear() }
}

type restoreCmd struct {
	Backup string `arg:"" type:"path" help:"The backup to restore. It is not changed."`
	Force  bool   `help:"Replace an existing file, which is kept under another name."`
}

// Help says what a restore does, and documents the JSON.
func (restoreCmd) Help() string {
	return `Installs a verified copy of the backup at --db. Anything remembered after the backup is lost from the new file. Stop every program that uses the file first; on Linux ebb refuses if one has it open.

With --json: {"path", "bytes", "schema_version", "rows": {TABLE: n}, "set_aside"}.`
}

// Run restores a backup.
func (c *restoreCmd) Run(a *app) error {
	if extension.IsServer(a.db) {
		return &usageError{"a backup is a file and cannot replace a memory on a server: ebb export it, and ebb import it there"}
	}
	progress, end := a.copying("restoring")
	report, err := extension.Restore(a.ctx, c.Backup, a.db, a.key, c.Force, progress)
	end()
	var invalid *extension.InvalidError
	switch {
	case err == nil:
	case a.ctx.Err() != nil:
		return &interruptedError{"nothing was changed"}
	case errors.Is(err, extension.ErrNotFound):
		return &notFoundError{"no backup " + c.Backup}
	case !c.Force && errors.As(err, &invalid) && strings.HasPrefix(invalid.Reason, "is taken"):
		return &usageError{err.Error() + ", or add --force to put the backup in its place; that file is kept"}
	default:
		return err
	}
	if a.json {
		return a.printJSON(report)
	}
	p := a.page()
	p.Say("%s: restored and verified: %s of %s", report.Path,
		cells.Count(report.Rows["memories"], "memory", "memories"), cells.Count(report.Rows["users"], "user", "users"))
	if report.SetAside != "" {
		p.Say("What was there before is now %s.", report.SetAside)
	}
	return p.Err
}
