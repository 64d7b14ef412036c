package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/extension/markdown"
	"github.com/ebbmem/ebb/extension/transfer"
	"github.com/ebbmem/ebb/internal/cells"
	"github.com/ebbmem/ebb/internal/files"
)

type exportCmd struct {
	Dir    string `arg:"" optional:"" type:"path" help:"With --format markdown: the folder in which a folder of the user is created."`
	Out    string `type:"path" placeholder:"FILE" help:"Output file (default, or -: standard output). An existing file is not replaced."`
	Format string `enum:"ebb,markdown,stores" default:"ebb" placeholder:"FORMAT" help:"ebb, lossless, or markdown or stores, a folder of files for people (default ebb)."`
	Git    bool   `help:"With --format stores: commit the folder; its history begins again after an erasure."`
	All    bool   `name:"all-users" help:"With --format stores: a folder for every user of the file, or of --tenant."`
	Plain  bool   `help:"Write Markdown of an encrypted memory, unencrypted."`
	Stream bool   `help:"Export the stream of a team's agents, as ebb import --stream reads it."`
	Force  bool   `help:"Replace an existing file after the export is complete."`
}

// Help says what an export is, and documents the JSON.
func (exportCmd) Help() string {
	return `Writes everything one user's memory holds as JSON lines, which ebb import --restore restores. Exporting a restored memory produces the same bytes. The text index and vectors are left out and rebuilt on import.

With --format markdown DIR: writes a new folder for the user with profile.md, facts.md, people/ and days/; nothing is overwritten. It is for people, not a backup: sources, history, links, audits, blocks, proposals, and what is quarantined or forgotten are left out. The JSON is {"folder", "files", "claims", "people", "days"}.

With --format stores DIR: writes the folder in the layout of the profile fourstores (MEMORY.md, SOUL.md, IDENTITY.md, memory/) and replaces it the next time. Nothing is read back from it. The JSON is {"folder", "files", "commit", "note"}, with --all-users a list of it.

With --json, and --out: {"file", "records", "bytes"}.`
}

// exportView is the shape of `ebb export --out FILE --json`.
type exportView struct {
	File string `json:"file"`
	*transfer.ExportReport
}

// Run exports one user's memory.
func (c *exportCmd) Run(a *app) (err error) {
	if c.Format != "ebb" {
		return c.markdown(a)
	}
	if c.Dir != "" || c.Plain || c.Git || c.All {
		return &usageError{"a folder, --plain, --git and --all-users go with --format markdown or stores; name a file with --out"}
	}
	x, err := a.open(true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close(context.WithoutCancel(a.ctx))) }()
	export := func(ctx context.Context, w io.Writer, scope extension.Scope) (*transfer.ExportReport, error) {
		write := (*extension.Extension).Export
		if c.Stream {
			write = (*extension.Extension).ExportStream
		}
		report, err := write(x, ctx, w, scope)
		if errors.Is(err, transfer.ErrErasing) {
			var writable *extension.Extension
			if writable, err = a.openExisting(); err == nil {
				report, err = write(writable, ctx, w, scope)
				err = errors.Join(err, writable.Close(context.WithoutCancel(ctx)))
			}
		}
		return report, err
	}
	if c.Out == "" || c.Out == "-" {
		_, err := export(a.ctx, a.stdout, a.scope())
		return err
	}
	if sameFile(c.Out, a.db) {
		return &usageError{"--out is the memory file itself; give another name"}
	}
	var report *transfer.ExportReport
	err = writeFile(c.Out, c.Force, func(w io.Writer) (err error) {
		report, err = export(a.ctx, w, a.scope())
		return err
	})
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(exportView{c.Out, report})
	}
	_, err = fmt.Fprintf(a.stdout, "%s: %s, %s\n", c.Out, cells.Count(report.Records, "record", "records"), cells.Size(report.Bytes))
	return err
}

// markdown exports one user's memory as a folder of Markdown.
func (c *exportCmd) markdown(a *app) (err error) {
	switch {
	case c.Dir == "":
		return &usageError{"name the folder to write Markdown into: ebb export --format markdown DIR"}
	case (c.Git || c.All) && c.Format != "stores":
		return &usageError{"--git and --all-users go with --format stores"}
	case c.Out != "" || c.Stream || c.Force:
		return &usageError{"--out, --stream and --force are for JSON lines; Markdown goes into the folder"}
	case !a.key.IsZero() && !c.Plain:
		return &usageError{"the memory is encrypted, and Markdown is not; add --plain to write it all the same"}
	}
	x, err := a.open(true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close(context.WithoutCancel(a.ctx))) }()
	if c.Format == "stores" {
		scopes := []extension.Scope{a.scope()}
		if c.All {
			scopes = nil
			if err := a.eachUser(x, func(_ extension.User, of *app) error { scopes = append(scopes, of.scope()); return nil }); err != nil {
				return err
			}
		}
		reports, err := markdown.AllStores(a.ctx, x, c.Dir, markdown.StoresOptions{Location: a.zone(), Git: c.Git}, scopes...)
		switch {
		case err != nil:
			return err
		case a.json && c.All:
			return a.printJSON(reports)
		case a.json:
			return a.printJSON(reports[0])
		}
		p := a.page()
		for _, r := range reports {
			p.Line("%s: %s %s%s", r.Folder, cells.Count(r.Files, "file", "files"), r.Commit, r.Note)
		}
		return p.Err
	}
	report, err := markdown.Export(a.ctx, x, a.scope(), c.Dir, a.zone())
	switch {
	case err != nil:
		return err
	case a.json:
		return a.printJSON(report)
	}
	_, err = fmt.Fprintf(a.stdout, "%s: %s, with %s, %s and %s\n", report.Folder, cells.Count(report.Files, "file", "files"),
		cells.Count(report.Claims, "claim", "claims"), cells.Count(report.People, "person", "people"), cells.Count(report.Days, "day", "days"))
	return err
}

func sameFile(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
}

// removeStale removes what killed processes left of files that were to be named path: they
// hold text. One that was written to in the last hour may still be in use.
func removeStale(path string) {
	entries, _ := os.ReadDir(filepath.Dir(path)) // else the next export removes them
	for _, entry := range entries {
		number, temporary := strings.CutPrefix(entry.Name(), "."+filepath.Base(path)+".new-") // as [os.CreateTemp] names it
		if !temporary || number == "" || strings.Trim(number, "0123456789") != "" {
			continue
		}
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > time.Hour {
			_ = os.Remove(filepath.Join(filepath.Dir(path), entry.Name()))
		}
	}
}

// writeFile writes a file that appears under its name whole or not at all,
// and replaces another only with replace.
func writeFile(path string, replace bool, write func(io.Writer) error) (err error) {
	info, err := os.Stat(path)
	switch {
	case err == nil && !info.Mode().IsRegular(): // a directory, a device
		return &usageError{path + " is not a regular file; give another name"}
	case err == nil && !replace:
		return &usageError{path + " exists; give another --out, or add --force to replace it"}
	}
	if _, err := os.Stat(filepath.Dir(path)); errors.Is(err, fs.ErrNotExist) {
		return &usageError{"there is no folder " + filepath.Dir(path) + " to write into; make it, or give another name"}
	}
	removeStale(path)
	tmp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".new-*")
	if err != nil {
		return err
	}
	defer func() {
		if removal := os.Remove(tmp.Name()); removal != nil && !errors.Is(removal, fs.ErrNotExist) {
			err = errors.Join(err, removal)
		}
	}()
	err = write(tmp)
	if err == nil {
		err = tmp.Sync()
	}
	if err := errors.Join(err, tmp.Close()); err != nil {
		return err
	}
	if replace {
		return os.Rename(tmp.Name(), path)
	}
	return files.LinkNew(tmp.Name(), path) // fails when the file exists by now
}
