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
	"github.com/ebbmem/ebb/extension/markdown"
	"github.com/ebbmem/ebb/extension/transfer"
	"github.com/ebbmem/ebb/internal/cells"
)

type importCmd struct {
	localEncoder

	Path        string  `arg:"" name:"file" help:"A file, a folder or ZIP archive (its *.jsonl and *.json files; of a folder not subfolders; with --markdown its *.md files, subfolders too), or - for standard input."`
	Session     string  `placeholder:"NAME" help:"Store every turn under this session; it filters nothing (default: each turn's own)."`
	OfUser      string  `placeholder:"NAME" help:"Import only what a table of many users gives as this one's, in a field user, user_id or userId."`
	OnlySession string  `placeholder:"NAME" help:"Import only what has this session in the file, or one that begins so with a * at the end. Required for a langchaingo history of several sessions; '*' takes all."`
	SkipBad     bool    `help:"Skip lines and messages that cannot be read, and list them."`
	Time        instant `placeholder:"TIME" help:"When messages without a time were said (default: now; of Markdown, the day in the file's name or of its last change)."`
	Restore     bool    `help:"Restore ebb's own export with its origins, trust and protection. Use it only for files that no one else could have changed. Without it an export is imported like any other file."`
	Stream      bool    `help:"The files are streams of a team's agents."`
	Markdown    bool    `help:"The file or folder is Markdown, such as notes: the text under each heading is a message of the user, with the trust of an import unless --mine is given. A file named *.md needs no flag."`
	Archive     bool    `help:"Import a Markdown document, or a folder of them, into the archive. Repeat it after changes."`
	Retire      bool    `help:"With --archive: remove from search what was imported from files that no longer exist."`
	Bank        bool    `help:"Import a team's Markdown memory bank into core memory."`
	Origin      string  `enum:"import,user_direct,tool_internal" default:"import" placeholder:"ORIGIN" help:"Origin of the texts, which bounds their trust: import, user_direct for the user's own history, or tool_internal for a stream of your own agents (default import)."`
	Mine        bool    `help:"What the user said in it is this user's own word, and the assistant's answers are as if given here: --origin user_direct. With trust 1 where the history may show tools. Only for your own history."`

	leftOut []string // files of a folder that are not imported
}

// Help says what can be imported, and documents the JSON.
func (importCmd) Help() string {
	return `Formats, detected from the content: turns, one JSON object a line: {"id","session","time","speaker","role","text"}; messages of chat APIs, {"role","content"} or {"messages": [...]}, one a line or in an array, with or without a time; conversations.json of a data export of ChatGPT or Claude; memory.json of the MCP memory server; lists of memories of Mem0 (get_all) and Hindsight; langchaingo's SQLite history; Markdown in files named *.md, whose texts have the date in the file's name, or else of its last change; ebb's own exports. Content that ebb does not import is counted in "left_out". A time is RFC 3339, UTC without a zone, or seconds or milliseconds since 1970; the field may also be called timestamp, sent_at, created_at, create_time, created, date, ts or createdAt, of which the first with a time of day is taken. A line that names another user (user, user_id, userId) than --user is refused unless --of-user says whose lines are wanted. With --restore an export is restored completely, for its own user unless --user is given. Without it, only its messages and claims are imported, with the trust of an import.

With --stream: {"id", "cycle", "timestamp", "role", "action", "importance", "type", "tags", "issueRefs", "prRefs", "content", "tokenEstimate"}, one a line. type is action, observation, reflection or decision. tags, references and tokenEstimate are optional.

With --archive: the Markdown files of a folder and its subfolders, split at headings. Folders named decisions or adr, research, design or specs determine the type, bank-*.md files are banks, others are lessons. The JSON is {"documents", "unchanged", "stored", "retired", "erased", "gone"}.

With --bank: Markdown with headings (Active Sprint, In Progress, Recently Completed, Blockers, Role State with a heading for each role, Active Threads, Lessons Learned) fills the corresponding blocks of core memory, with your authority. Existing content is not overwritten; what is left out is listed with the reason. The JSON is {"tokens", "core_tokens", "blocks": [{"name", "agent", "entries", "tokens"}], "left_out": [{"heading", "reason", "tokens"}]}.

Importing again stores nothing twice, so repeat the command after an interruption. An invalid line stops the import of its file, unless --skip-bad is given, and is reported with its number; what precedes it is kept (of an export, the complete batches). A turn whose id, text and time are stored already is the same, and within a day in the same session; an id of any other turn is refused. Messages without a time get the time of the import, or --time. If two files of a folder use one id for different turns, the later turn is stored as FILE/ID.

With --json: {"read", "stored", "duplicates", "skipped", "seconds", "files": [{"file", "format", "read", "stored", "duplicates", "skipped", "untimed", "lowered", "sessions", "bytes", "bad", "bad_lines", "left_out", "error"}], "left_out"}.`
}

// importView is the shape of `ebb import --json`.
type importView struct {
	Read       int              `json:"read"`
	Stored     int              `json:"stored"`
	Duplicates int              `json:"duplicates"`
	Skipped    int              `json:"skipped"`
	Seconds    float64          `json:"seconds"` // storing, without the background work
	Files      []importFileView `json:"files"`
	LeftOut    []string         `json:"left_out,omitempty"` // files of a data export without conversations
}

type importFileView struct {
	File string `json:"file"`
	*transfer.ImportReport
	Error string `json:"error,omitempty"`
}

// Run imports every file and fails when one of them did.
func (c *importCmd) Run(a *app) (err error) {
	if c.Mine {
		c.Origin = string(eventbus.OriginUser)
	}
	switch {
	case c.Retire && !c.Archive:
		return &usageError{"--retire goes with --archive: it is about files that are gone from a folder of documents"}
	case c.Markdown && (c.Archive || c.Bank || c.Stream || c.Restore):
		return &usageError{"--markdown imports notes; leave out --archive, --bank, --stream and --restore"}
	case (c.Archive || c.Bank || c.Stream || c.Restore) && (c.OfUser != "" || c.OnlySession != "" || c.SkipBad || !c.Time.IsZero()):
		return &usageError{"--of-user, --only-session, --skip-bad and --time are for histories; leave them out with --archive, --bank, --stream and --restore"}
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
		if err := a.needUser(); err != nil {
			return err
		}
	}
	cfg := a.profile.config()
	cfg.Night.NoSchedule = true
	if err := c.connect(cfg); err != nil {
		return err
	}
	behind, end := untilLasting(a.ctx, cfg)
	defer end()
	x, err := a.openWith(cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close(context.WithoutCancel(a.ctx))) }()

	var view importView
	var faults []error
	started := time.Now()
	shared := sync.OnceValue(func() map[string]bool { return sharedIDs(files) })
	tools := c.Origin == string(eventbus.OriginUser) && len(files) > 1 && showTools(a.ctx, files)
	for _, file := range files {
		report, fault := c.file(a, x, file, named, tools, shared)
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
	view.Seconds, view.LeftOut = time.Since(started).Seconds(), c.leftOut
	if a.json {
		err = a.printJSON(view)
	} else {
		err = view.print(a)
	}
	if err == nil && (len(faults) == 0 || exitCode(faults[len(faults)-1]) == exitUsage) {
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
	if !info.IsDir() && !transfer.IsArchive(c.Path) {
		return []string{c.Path}, nil
	}
	if c.Markdown {
		files, err := markdown.Notes(c.Path)
		if err == nil && len(files) == 0 {
			err = &usageError{c.Path + " has no *.md"}
		}
		return files, err
	}
	files, leftOut, err := transfer.Folder(c.Path)
	c.leftOut = leftOut
	if err == nil && len(files) == 0 {
		err = &usageError{c.Path + " has no *.jsonl and no *.json; name the folder that holds them, or add --markdown or --archive for Markdown"}
	}
	return files, err
}

// file imports one file. The report is never nil.
func (c *importCmd) file(a *app, x *extension.Extension, file string, named, tools bool, shared func() map[string]bool) (*transfer.ImportReport, error) {
	in, total := a.stdin, int64(-1)
	if file != "-" {
		f, size, err := transfer.OpenFile(file)
		if err != nil {
			return &transfer.ImportReport{}, &usageError{"cannot be read: " + err.Error()}
		}
		defer f.Close()
		in, total = f, size
	}
	r := bufio.NewReader(in)
	scope := a.scope()
	if !named && c.Restore && isExport(r) {
		scope = extension.Scope{Tenant: scope.Tenant} // the export names its user
	}
	input := io.Reader(r)
	if s, ok := in.(io.Seeker); ok { // what may be read twice
		if _, err := s.Seek(0, io.SeekStart); err == nil {
			input = in
		}
	}
	scope.Session = c.Session
	opts := transfer.ImportOptions{Scope: scope, Restore: c.Restore, OfUser: c.OfUser, OnlySession: c.OnlySession, SkipBad: c.SkipBad, Time: c.Time.Time, Tools: tools}
	if c.Stream {
		opts.Format = transfer.FormatStream
	}
	if c.Markdown || markdown.IsNote(file) && !c.Stream {
		opts.Format = transfer.FormatMarkdown
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
	if opts.Format == transfer.FormatMarkdown && file != "-" {
		opts.Unnamed = markdown.NameOf(c.Path, file)
		if opts.Time.IsZero() {
			opts.Time = markdown.TimeOf(file, a.zone())
		}
	}
	bar := a.bar(total, filepath.Base(file), true)
	defer func() { _ = bar.Clear() }()
	opts.Progress = func(done, _ int64) { _ = bar.Set64(done) }
	return x.Import(a.ctx, input, opts)
}

// sharedIDs are the ids that several files have, of those with a JSON object a
// line: each file counts from 1. What cannot be read is said where it is imported.
func sharedIDs(files []string) map[string]bool {
	in, shared := make(map[string]int), make(map[string]bool)
	for n, file := range files {
		f, _, err := transfer.OpenFile(file)
		if err != nil {
			continue
		}
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 4<<20)
		for lines.Scan() {
			var turn struct {
				ID json.RawMessage `json:"id"`
			}
			if json.Unmarshal(lines.Bytes(), &turn) != nil {
				continue
			}
			id := string(turn.ID)
			if json.Unmarshal(turn.ID, &id) != nil { // a number
				id = string(turn.ID)
			}
			if first, known := in[id]; known && first != n {
				shared[id] = true
			}
			in[id] = n
		}
		f.Close()
	}
	return shared
}

// showTools reports whether one of the files of a history may show the use of tools.
func showTools(ctx context.Context, files []string) bool {
	return slices.ContainsFunc(files, func(file string) bool {
		f, _, err := transfer.OpenFile(file)
		if err != nil {
			return true
		}
		defer f.Close()
		shown, err := transfer.ShowsTools(ctx, f)
		return shown || err != nil
	})
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
		f, _, err := transfer.OpenFile(file)
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
		stopped := ""
		if f.Error != "" {
			stopped = "; stopped by a fault"
		}
		p.Say("%s: %s%s", f.File, f.ImportReport, stopped)
	}
	if len(v.LeftOut) > 0 {
		p.Say("Not conversations, and left out: %s.", strings.Join(v.LeftOut, ", "))
	}
	rate := ""
	if v.Seconds > 0 {
		rate = fmt.Sprintf(", %.0f a second", float64(v.Read)/v.Seconds)
	}
	p.Say("%d read and %d stored in %.1f s%s.", v.Read, v.Stored, v.Seconds, rate)
	return p.Err
}

// patience is after how long [catchUp] says what it waits for.
const patience = 2 * time.Second

// catchUp waits for the background work. Interrupting it loses
// nothing: the rest is done when the file is next opened.
func catchUp(ctx context.Context, a *app, behind interface{ WaitIdle(context.Context) error }) error {
	bar := a.bar(-1, "linking names", false)
	defer func() { _ = bar.Clear() }()
	soon, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	err := behind.WaitIdle(soon)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		fmt.Fprintln(a.stderr, "Linking names and finding facts. Everything is stored: to interrupt this loses nothing.")
		err = behind.WaitIdle(ctx)
	}
	if err != nil && a.ctx.Err() == nil && ctx.Err() != nil {
		err = fmt.Errorf("linking names: %w; everything is stored, and the linking goes on when ebb next writes to the file", context.Cause(ctx))
	}
	return err
}

// untilLasting returns a context that a lasting fault of the background work ends.
func untilLasting(ctx context.Context, cfg *extension.Config) (behind context.Context, end func()) {
	behind, giveUp := context.WithCancelCause(ctx)
	cfg.Hooks.OnError = func(source string, err error) {
		if lasting(err) {
			giveUp(fmt.Errorf("%s: %w", source, err))
		}
	}
	return behind, func() { giveUp(nil) }
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
		progressbar.OptionSetWriter(w), progressbar.OptionSetVisibility(a.interactive), progressbar.OptionSetDescription(cells.OneLine(what, 30)),
		progressbar.OptionShowBytes(bytes), progressbar.OptionSetWidth(30), progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(), progressbar.OptionSetSpinnerChangeInterval(0))
}
