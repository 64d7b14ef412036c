package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/extension/transfer"
)

type importCmd struct {
	localEncoder

	Path    string `arg:"" name:"file" help:"A file, a folder (its *.jsonl and *.json, without folders below), or - for standard input."`
	Session string `placeholder:"NAME" help:"Put every turn into this session (default: each turn's own)."`
	Restore bool   `help:"Bring an export of ebb back as it was, with its origins and protections: only for files that nobody else could have written. Without it an export is an import like any other."`
	Stream  bool   `help:"Each file is a stream of what a team's agents did."`
	Archive bool   `help:"The path is a folder of Markdown documents, or one: take them into the archive, and again when they change."`
	Retire  bool   `help:"With --archive: what was taken in from files that are gone is not found any more."`
	Bank    bool   `help:"The file is a team's bank in Markdown; it goes into core memory."`
	Origin  string `enum:"import,user_direct,tool_internal" default:"import" placeholder:"ORIGIN" help:"How far it is believed: import, user_direct for this user's own words, or tool_internal for a stream of your own agents (default import)."`
}

// Help says what can be imported, and documents the JSON.
func (importCmd) Help() string {
	return `Formats, recognised by content: turns, one JSON object a line: {"id","session","time","speaker","role","text"}, time in RFC 3339; messages of chat APIs, {"role","content"} or {"messages": [...]}, one a line or in an array, without id and time; conversations.json of a ChatGPT data export; what ebb export wrote. With --restore an export comes back as it was and brings its user along unless --user names another; without, its messages and claims are taken, and believed no more than any import.

With --stream: {"id", "cycle", "timestamp", "role", "action", "importance", "type", "tags", "issueRefs", "prRefs", "content", "tokenEstimate"}, one a line, type being action, observation, reflection or decision; tags, references and the estimate can be left out.

With --archive: the Markdown files of a folder and those below, in parts under their headings; folders named decisions or adr, research, design or specs tell the type, bank-*.md are banks, others are lessons. The JSON then is {"documents", "unchanged", "stored", "retired", "erased", "gone"}.

With --bank: Markdown with headings (Active Sprint, In Progress, Recently Completed, Blockers, Role State with a heading for each role, Active Threads, Lessons Learned) goes into the blocks of core memory that these names stand for, with your authority; what a block holds already is not overwritten, and the rest is listed with the reason. Its JSON: {"tokens", "core_tokens", "blocks": [{"name", "agent", "entries", "tokens"}], "left_out": [{"heading", "reason", "tokens"}]}.

Importing again stores nothing twice: after an interruption run the same command again. A faulty line stops its file with the line's number; what came before it is kept (of an export, the batches that were whole). Messages without a time count as said when they were imported. Where two files of a folder use one id for different turns, that of the later file is stored as FILE/ID.

With --json: {"read", "stored", "duplicates", "skipped", "seconds", "files": [{"file", "format", "read", "stored", "duplicates", "skipped", "untimed", "lowered", "sessions", "bytes", "error"}]}.`
}

// importView is the shape of `ebb import --json`.
type importView struct {
	Read       int              `json:"read"`
	Stored     int              `json:"stored"`
	Duplicates int              `json:"duplicates"`
	Skipped    int              `json:"skipped"`
	Seconds    float64          `json:"seconds"` // storing, without the background work
	Files      []importFileView `json:"files"`
}

type importFileView struct {
	File string `json:"file"`
	*transfer.ImportReport
	Error string `json:"error,omitempty"`
}

// Run imports every file and fails when one of them did.
func (c *importCmd) Run(a *app) (err error) {
	switch {
	case c.Retire && !c.Archive:
		return &usageError{"--retire goes with --archive: it is about files that are gone from a folder of documents"}
	case c.Archive && c.Bank:
		return &usageError{"a file is taken in by --archive or by --bank; run the command once for each"}
	case c.Bank && c.Encoder != "":
		return &usageError{"--encoder makes vectors of what is searched; a bank goes into core memory, which is not"}
	case c.Archive:
		return c.archive(a)
	case c.Bank:
		return c.bank(a)
	}
	files, err := c.files()
	if err != nil {
		return err
	}
	a.stdin = &interruptible{a.ctx, a.stdin}
	named := a.user != ""
	if !c.namesItsUser(files) {
		if err := a.requireUser(); err != nil {
			return err
		}
	}
	behind, giveUp := context.WithCancelCause(a.ctx)
	defer giveUp(nil)
	cfg := a.profile.config()
	cfg.Night.NoSchedule = true
	if err := c.connect(cfg); err != nil {
		return err
	}
	cfg.Hooks.OnError = func(source string, err error) {
		if lasting(err) {
			giveUp(fmt.Errorf("%s: %w", source, err))
		}
	}
	x, err := a.openWith(cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close(context.WithoutCancel(a.ctx))) }()

	var view importView
	var faults []error
	started := time.Now()
	shared := sync.OnceValue(func() map[string]bool { return sharedIDs(files) })
	for _, file := range files {
		report, fault := c.file(a, x, file, named, shared)
		shown := importFileView{File: file, ImportReport: report}
		view.Read += report.Read
		view.Stored += report.Stored
		view.Duplicates += report.Duplicates
		view.Skipped += report.Skipped
		if fault != nil {
			shown.Error = fault.Error()
			faults = append(faults, &fileError{file, fault})
		}
		view.Files = append(view.Files, shown)
		if fault != nil && exitCode(fault) != exitUsage {
			break // not this file's fault
		}
	}
	view.Seconds = time.Since(started).Seconds()
	if a.json {
		err = a.printJSON(view)
	} else {
		err = view.print(a)
	}
	if err == nil && len(faults) == 0 {
		err = catchUp(behind, a, x)
	}
	return errors.Join(append([]error{err}, faults...)...)
}

type fileError struct {
	file string
	err  error
}

func (e *fileError) Error() string { return e.file + ": " + e.err.Error() }
func (e *fileError) Unwrap() error { return e.err }

// files lists what the argument means.
func (c *importCmd) files() ([]string, error) {
	if c.Path == "-" {
		return []string{"-"}, nil
	}
	info, err := os.Stat(c.Path)
	if err != nil {
		return nil, &usageError{"cannot import: " + err.Error()}
	}
	if !info.IsDir() {
		return []string{c.Path}, nil
	}
	entries, err := os.ReadDir(c.Path) // sorted by name
	if err != nil {
		return nil, err
	}
	var files []string
	for _, e := range entries {
		if ext := filepath.Ext(e.Name()); !e.IsDir() && (ext == ".jsonl" || ext == ".json") {
			files = append(files, filepath.Join(c.Path, e.Name()))
		}
	}
	if len(files) == 0 {
		return nil, &usageError{c.Path + " has no *.jsonl and no *.json; name the folder that holds them"}
	}
	return files, nil
}

// file imports one file. The report is never nil.
func (c *importCmd) file(a *app, x *extension.Extension, file string, named bool, shared func() map[string]bool) (*transfer.ImportReport, error) {
	in, total := a.stdin, int64(-1)
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return &transfer.ImportReport{}, &usageError{"cannot be read: " + err.Error()}
		}
		defer f.Close()
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			total = info.Size()
		}
		in = f
	}
	r := bufio.NewReader(in)
	scope := a.scope()
	if !named && c.Restore && isExport(r) {
		scope = extension.Scope{} // the export names its user
	}
	scope.Session = c.Session
	opts := transfer.ImportOptions{Scope: scope, Restore: c.Restore}
	if c.Stream {
		opts.Format = transfer.FormatStream
	}
	if c.Origin != string(eventbus.OriginImport) {
		opts.Origin = eventbus.Origin(c.Origin)
	}
	if file != "-" {
		opts.Unnamed = strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
		opts.Rename = func(id string) string {
			if !shared()[id] {
				return ""
			}
			return filepath.Base(file) + "/" + id
		}
	}
	bar := a.bar(total, filepath.Base(file), true)
	defer func() { _ = bar.Clear() }()
	opts.Progress = func(done, _ int64) { _ = bar.Set64(done) }
	return x.Import(a.ctx, r, opts)
}

// sharedIDs are the ids that several files have, of those with a JSON object a
// line: each file counts from 1. What cannot be read is said where it is imported.
func sharedIDs(files []string) map[string]bool {
	in, shared := make(map[string]int), make(map[string]bool)
	for n, file := range files {
		f, err := os.Open(file)
		if err != nil {
			continue
		}
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 4<<20)
		for lines.Scan() {
			var turn struct {
				ID string `json:"id"`
			}
			if json.Unmarshal(lines.Bytes(), &turn) != nil || turn.ID == "" {
				continue
			}
			if first, known := in[turn.ID]; known && first != n {
				shared[turn.ID] = true
			}
			in[turn.ID] = n
		}
		f.Close()
	}
	return shared
}

// isExport reports whether what follows is an export of ebb.
func isExport(r *bufio.Reader) bool {
	start, _ := r.Peek(16)
	start = bytes.TrimPrefix(start, []byte("\ufeff")) // an editor's
	return bytes.HasPrefix(bytes.TrimSpace(start), []byte(`{"ebb":`))
}

// namesItsUser reports whether one of the files may name its user, as exports
// do. Standard input is not read for that.
func (c *importCmd) namesItsUser(files []string) bool {
	return c.Restore && slices.ContainsFunc(files, func(file string) bool {
		if file == "-" {
			return true
		}
		f, err := os.Open(file)
		if err != nil {
			return false
		}
		defer f.Close()
		return isExport(bufio.NewReader(f))
	})
}

// interruptible is a reader that returns when ctx ends, even while a terminal or a
// pipe has no input.
type interruptible struct {
	ctx context.Context
	r   io.Reader
}

func (i *interruptible) Read(p []byte) (int, error) {
	type result struct {
		n   int
		err error
	}
	read, into := make(chan result, 1), make([]byte, len(p))
	go func() {
		n, err := i.r.Read(into)
		read <- result{n, err}
	}()
	select {
	case got := <-read:
		return copy(p, into[:got.n]), got.err
	case <-i.ctx.Done():
		return 0, i.ctx.Err()
	}
}

func (v *importView) print(a *app) error {
	p := a.page()
	for _, f := range v.Files {
		p.say("%s: %s stored, %d were there already%s", f.File, count(f.Stored, f.noun(), f.noun()+"s"), f.Duplicates, f.rest())
	}
	rate := ""
	if v.Seconds > 0 {
		rate = fmt.Sprintf(", %.0f a second", float64(v.Read)/v.Seconds)
	}
	p.say("%d read and %d stored in %.1f s%s.", v.Read, v.Stored, v.Seconds, rate)
	return p.err
}

func (f importFileView) noun() string {
	if f.Format == transfer.FormatExport {
		return "record"
	}
	return "turn"
}

func (f importFileView) rest() string {
	s := ""
	if f.Skipped > 0 {
		why := "no text of user or assistant"
		if f.Format == transfer.FormatMessages {
			why = "no text of user, assistant or tool"
		}
		if f.Format == transfer.FormatExport {
			why = "only a restored export brings them"
		}
		s = fmt.Sprintf(", %d skipped (%s)", f.Skipped, why)
	}
	if f.Untimed > 0 {
		s += fmt.Sprintf(", %d without a time (they count as said now)", f.Untimed)
	}
	if f.Lowered > 0 {
		s += fmt.Sprintf(", %d believed as an import and no more (--restore, into a new file, if the export is your own)", f.Lowered)
	}
	if f.Erased > 0 {
		s += fmt.Sprintf(", %d passed over (erased here before)", f.Erased)
	}
	if f.Error != "" {
		s += "; stopped by a fault"
	}
	return s
}

// catchUp waits for the background work. Interrupting it loses
// nothing: the rest is done when the file is next opened.
func catchUp(ctx context.Context, a *app, behind interface{ WaitIdle(context.Context) error }) error {
	bar := a.bar(-1, "linking names", false)
	defer func() { _ = bar.Clear() }()
	err := behind.WaitIdle(ctx)
	if err != nil && a.ctx.Err() == nil && ctx.Err() != nil {
		err = fmt.Errorf("linking names: %w; everything is stored, and the linking goes on when ebb next writes to the file", context.Cause(ctx))
	}
	return err
}

// lasting reports a fault of the background work that does not pass by waiting.
func lasting(err error) bool {
	return errors.Is(err, extension.ErrDiskFull) || errors.Is(err, extension.ErrCorrupt) || errors.Is(err, extension.ErrReadOnly)
}

// bar is a progress bar on stderr; it draws nothing when stderr is no terminal. A
// total of -1 is unknown. It draws on progress alone: a timer would draw it again
// after Clear.
func (a *app) bar(total int64, what string, bytes bool) *progressbar.ProgressBar {
	w := io.Discard
	if a.interactive {
		w = a.stderr
	}
	return progressbar.NewOptions64(total,
		progressbar.OptionSetWriter(w), progressbar.OptionSetVisibility(a.interactive), progressbar.OptionSetDescription(oneLine(what, 30)),
		progressbar.OptionShowBytes(bytes), progressbar.OptionSetWidth(30), progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(), progressbar.OptionSetSpinnerChangeInterval(0))
}
