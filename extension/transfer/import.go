package transfer

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/ebbmem/ebb/internal/memory"
	"github.com/ebbmem/ebb/schema"
)

// ImportFormat is a format that [Import] reads.
type ImportFormat string

// The formats. Default: detected from the content.
const (
	// FormatTurns has one turn a line as a JSON object: id, session, time, speaker, role,
	// text. id and session may be numbers. Only time and text are required. Role is user (default), assistant or tool, or
	// langchaingo's human, ai or function; turns of system and developer, and those
	// without text, are skipped. The time is RFC 3339, UTC if it has no zone, or a number of
	// seconds or milliseconds since 1970; timestamp, sent_at, created_at, create_time,
	// created, date, ts and createdAt are other names of the field, of which the first with a
	// time of day is taken. Other fields are ignored, but for
	// user, user_id and userId ([ImportOptions].OfUser), which may be objects with an id.
	FormatTurns ImportFormat = "turns"
	// FormatMessages has messages of chat APIs, {"role", "content"}, or
	// conversations of them, {"messages": [...]}, one a line or in an array. Roles and times
	// are as in FormatTurns; messages without a time beside the content or of the conversation
	// get that of the import in the order of the input (ImportReport.Untimed). They are
	// identified by text, time, position among equal messages, and session.
	FormatMessages ImportFormat = "messages"
	// FormatChatGPT is conversations.json of a ChatGPT data export. The texts of
	// user and assistant in the branch shown last are imported.
	FormatChatGPT ImportFormat = "chatgpt"
	// FormatClaude is conversations.json of a Claude data export: the texts of both
	// sides. Attachments, thoughts and uses of tools are left out.
	FormatClaude ImportFormat = "claude"
	// FormatGraph is memory.json of the reference MCP memory server, or what its
	// read_graph returns: each observation and each relation is a sentence without a
	// time, written by a model. Types of entities are left out.
	FormatGraph ImportFormat = "mcp-memory"
	// FormatMem0 is what get_all of Mem0 returns, and FormatHindsight a list of
	// memories of Hindsight: each memory is a sentence of its time, written by a model.
	// Scores, tags and other labels are left out.
	FormatMem0      ImportFormat = "mem0"
	FormatHindsight ImportFormat = "hindsight"
	// FormatLangchaingo is a SQLite file with the history of langchaingo's package
	// memory/sqlite3, in any table of its columns. Messages of the system are left out.
	FormatLangchaingo ImportFormat = "langchaingo"
	// FormatMarkdown is a Markdown file. The text under a heading is one message of
	// role user, with its headings above it; a long one is several. It is not detected
	// and must be named. A text is identified by its file ([ImportOptions.Unnamed]),
	// headings and words. Front matter, comments and links are kept as they are written.
	FormatMarkdown ImportFormat = "markdown"
	// FormatStream is a stream of a team's agents with one [StreamEntry] a line. It
	// is not detected and must be named. An entry is identified by its id; its role
	// becomes the memory's agent, and Scope.Agent is ignored. The user's cycle is
	// raised to the highest one imported.
	FormatStream ImportFormat = "stream"
	// FormatExport is the output of [Export].
	FormatExport ImportFormat = "ebb"
)

var formats = []ImportFormat{FormatTurns, FormatMessages, FormatChatGPT, FormatClaude, FormatGraph, FormatMem0, FormatHindsight, FormatLangchaingo, FormatMarkdown, FormatStream, FormatExport}

// ImportOptions are the options of an import. Only Scope.User is required, except
// when restoring ebb's own export.
type ImportOptions struct {
	// Scope is the user to import for. Session, if set, replaces the session of
	// every turn. ebb's exports have their own sessions and agents; one that is
	// restored without Scope.User also has its own user, and its own tenant unless Scope names one. One that is
	// restored under another name cannot refuse erased messages that are sent again to
	// the new name: their ids are stored as hashes with the old one.
	Scope schema.Scope
	// Restore declares the input trusted: an export by the host that no other party
	// could change. All of it is restored, with origins, trust, protection and
	// history. Default false: the messages and claims of an export are imported
	// like those of any file (trust 1), and the rest is skipped.
	Restore bool
	// Origin is the origin of the texts, which bounds their trust. Default import
	// (trust 1). Use user_direct for the history of the host's own users: the
	// user's turns then count as typed here, and an assistant's as answers given here, with
	// trust 3 unless they may repeat what a tool returned. They have trust 1 if anything in the
	// input shows a tool, also what is not imported; if the input is no [io.Seeker], and so
	// cannot be searched first; and with SkipBad. Of exports of ChatGPT and Claude only their
	// conversation counts. They have at most the trust of what is stored in their session.
	// Results of tools have trust 1, and memories of other programs that of an import.
	Origin schema.Origin
	// Tools says that tools were used in the history, though the input may not show it: other
	// files of it do, by [ShowsTools]. It changes nothing for exports of ChatGPT and Claude.
	// Default false.
	Tools bool
	// Format is the format of the input. Default: detected from the content.
	Format ImportFormat
	// Unnamed is the session of messages without one, as those of chat APIs
	// ([FormatMessages]), and the prefix of their conversations' names. Use the
	// file's name, for example, to distinguish equal messages in two files. Default
	// none.
	Unnamed string
	// OfUser imports only what a table of many users gives as this one's, in a field user,
	// user_id or userId; relations of Mem0 are of the user that the memories beside them name. Default: a turn that names another user than Scope.User is refused.
	OfUser string
	// OnlySession imports only what has this session in the input, or one that begins so if it
	// ends with *. Default: all, but a history of langchaingo with several is refused.
	OnlySession string
	// SkipBad skips what cannot be read, such as a broken line, and counts it. Default:
	// the import ends there.
	SkipBad bool
	// Time is the time of what has none, as messages of chat APIs and Markdown.
	// Default: that of the import.
	Time time.Time
	// Rename, if set, returns another id for a turn whose id the user has with
	// another text, session or time, as when several files count from 1. It must be
	// deterministic for a file. Default nil, and for "": a turn of another text or time ends
	// the import. Another time within a day, in the same session, is the same turn, since a
	// host that published it live had a clock of its own.
	Rename func(id string) string
	// Clock, if set, is called with each turn's time before the turn is stored in
	// its own transaction, so that a host whose Config.Now follows it replays the
	// past. Default nil: turns are stored in batches and recorded as learned now.
	// Exports keep their times in any case.
	Clock func(turn time.Time)
	// Progress is called after each batch with the bytes read and the total, 0 if
	// unknown. Default nil.
	Progress func(done, total int64)
}

// ImportReport counts what an import did. Records are turns, or the lines of an
// export.
type ImportReport struct {
	Format     ImportFormat `json:"format"`
	Read       int          `json:"read"`              // records, without skipped ones
	Stored     int          `json:"stored"`            // new here
	Duplicates int          `json:"duplicates"`        // existed before
	Skipped    int          `json:"skipped"`           // messages without text of user or assistant; records that only a trusted export may contain
	Lowered    int          `json:"lowered"`           // records of an untrusted export whose trust was lowered
	Erased     int          `json:"erased"`            // skipped because they were erased here; of an export written before also what may mention that: audit, ledgers, blocks, names
	Sessions   int          `json:"sessions"`          // distinct sessions among the records
	Untimed    int          `json:"untimed,omitempty"` // messages without a time
	Bytes      int64        `json:"bytes"`             // read
	// Bad counts what [ImportOptions].SkipBad skipped, and BadLines lists the first 20 with
	// place and reason.
	Bad      int      `json:"bad,omitempty"`
	BadLines []string `json:"bad_lines,omitempty"`
	// LeftOut counts by kind what the format holds and the memory does not take.
	LeftOut map[string]int `json:"left_out,omitempty"`
}

// ImportError names the place in the input where an import stopped. What was stored
// before is kept; importing the corrected input continues from there.
type ImportError struct {
	Where string // "line 7", or "conversation 3, message 12"
	Err   error  // an [*schema.InvalidError], or an error of the database
}

func (e *ImportError) Error() string { return e.Where + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *ImportError) Unwrap() error { return e.Err }

// Imported is the result of an import, for the process that has the memory open.
type Imported struct {
	Report ImportReport
	// Cycle is the highest cycle of the stored turns, 0 for none.
	Cycle int64
	// Restored is set if ebb's export was read, which may have changed the user's
	// cycle.
	Restored bool
	// Orphans are the public ids of User's imported claims that were derived from
	// something erased here. The caller must erase them.
	Orphans []string
	User    schema.Scope
}

// Import reads a history and stores it. It implements Extension.Import. The report
// is valid even if there is an error.
func Import(ctx context.Context, m *memory.Memory, r io.Reader, opts ImportOptions) (*Imported, error) {
	job := &importJob{m: m, opts: opts, sessions: make(map[string]schema.Trust)}
	if opts.Origin == schema.OriginUser {
		var err error
		if job.tools, err = mayShowTools(ctx, r); err != nil {
			return &job.done, err
		}
	}
	job.in = newInput(r)
	err := job.start()
	job.done.Report.Format = job.opts.Format
	if err != nil {
		return &job.done, err
	}
	err = job.run(ctx)
	report := &job.done.Report
	report.Bytes, report.Sessions = job.in.done, len(job.sessions)
	if err == nil && report.Read+report.Skipped == 0 {
		err = &schema.InvalidError{Field: "input", Reason: "holds nothing to import"}
		if report.LeftOut[othersTurns] > 0 {
			err = &schema.InvalidError{Field: "input", Reason: "holds turns, but none of that user or session"}
		}
	}
	return &job.done, err
}

// importJob is one call of Import.
type importJob struct {
	m        *memory.Memory
	opts     ImportOptions
	in       *input
	done     Imported
	tools    bool                    // the input may show tools
	sessions map[string]schema.Trust // what an answer in it may have at most
}

// start checks the options and detects the format.
func (j *importJob) start() error {
	if j.opts.Origin != "" {
		if err := j.opts.Origin.Validate(); err != nil {
			return err
		}
	}
	if j.m.ReadOnly {
		return schema.ErrReadOnly
	}
	if err := j.in.detect(&j.opts.Format); err != nil {
		return err
	}
	if j.opts.Restore && j.opts.Format != FormatExport {
		return &schema.InvalidError{Field: "Restore", Reason: "is for exports of ebb; import other histories without it, and give the origin of their texts in Origin"}
	}
	return nil
}

func (j *importJob) run(ctx context.Context) error {
	if j.opts.Format == FormatExport {
		return j.restore(ctx)
	}
	if err := j.opts.Scope.Validate(); err != nil {
		return err
	}
	if err := j.m.Redactor.Labels(j.opts.Scope); err != nil {
		return err
	}
	batches := newTurnBatches(j)
	keep := func(text string) (string, error) { return j.m.Redactor.Text(ctx, "", text) }
	visit := func(where string, t importedTurn) error {
		if mine, err := j.mine(where, &t); err != nil || !mine {
			return err
		}
		return batches.add(ctx, where, t)
	}
	now := j.opts.Time
	if now.IsZero() {
		now = j.m.Now()
	}
	tools := j.opts.Tools || j.opts.SkipBad || j.tools && j.opts.Format != FormatLangchaingo // whose bytes are no JSON
	err := j.in.turns(ctx, j.opts.Format, &elements{unnamed: j.opts.Unnamed, now: schema.At(now).Time, dated: !j.opts.Time.IsZero(), only: j.opts.OnlySession != "", skipBad: j.opts.SkipBad, tools: tools, report: &j.done.Report, keep: keep, visit: visit})
	kept := batches.flush(ctx) // store what precedes a fault too
	// errors of earlier batches take precedence
	err = cmp.Or(batches.wait(), kept, err)
	j.done.Cycle = batches.cycle
	return err
}

// othersTurns is what a report calls the turns that [ImportOptions].OfUser and OnlySession leave out.
const othersTurns = "turns of other users or sessions"

// mine reports whether a turn is one that the host wants.
func (j *importJob) mine(where string, t *importedTurn) (bool, error) {
	of, only := j.opts.OfUser, j.opts.OnlySession
	if of == "" && len(t.of) > 0 && !slices.Contains(t.of, j.opts.Scope.User) {
		return false, &ImportError{Where: where, Err: &schema.InvalidError{Field: "user", Reason: "names another one than the user of this import; " +
			"name whose turns are wanted by --of-user (ImportOptions.OfUser)"}}
	}
	begin, rest := strings.CutSuffix(only, "*")
	if of != "" && !slices.Contains(t.of, of) || only != "" && t.session != only && !(rest && strings.HasPrefix(t.session, begin)) {
		j.done.Report.leaveOut(othersTurns, 1)
		return false, nil
	}
	if t.untimed && j.opts.Time.IsZero() {
		j.done.Report.Untimed++
	}
	return true, nil
}

// turns reads all formats except ebb's export.
func (in *input) turns(ctx context.Context, format ImportFormat, others *elements) error {
	start, _ := in.r.Peek(peeked) // the reader returns the error
	switch {
	case format == FormatStream:
		return readTurns(newLines(in.r, in.line, maxTurnLine), parseStreamEntry, nil, others.keep, others.visit)
	case format == FormatLangchaingo:
		return others.readLangchaingo(ctx, in.r)
	case format == FormatMarkdown:
		return others.readMarkdown(in.r, in.line)
	case format == FormatTurns && len(start) > 0 && start[0] == '{' && isCollection(start):
		return others.readCollections(in.r)
	case format == FormatChatGPT || format != FormatTurns && len(start) > 0 && start[0] == '[':
		return others.readArray(in.r)
	}
	return readTurns(newLines(in.r, in.line, maxTurnLine), others.parseTurn, others, others.keep, others.visit)
}

// stored counts a stored batch that ends at byte end of the input.
func (j *importJob) stored(read, fresh, erased int, end int64) {
	j.done.Report.Read += read
	j.done.Report.Stored += fresh
	j.done.Report.Erased += erased
	j.done.Report.Duplicates += read - fresh - erased
	if j.opts.Progress != nil {
		j.m.CallHost("ImportOptions.Progress", "hook Progress", func() { j.opts.Progress(end, j.in.total) })
	}
}

// input is the input stream, with its position and size.
type input struct {
	r     *bufio.Reader
	src   io.Reader
	done  int64 // bytes read from src
	total int64 // 0 if unknown
	line  int   // line breaks skipped at the start
}

func newInput(r io.Reader) *input {
	in := &input{src: memory.HostReader{Reader: r}}
	switch s := r.(type) {
	case interface{ Len() int }: // bytes.Reader, strings.Reader
		in.total = int64(s.Len())
	case *os.File:
		if info, err := s.Stat(); err == nil && info.Mode().IsRegular() {
			in.total = info.Size()
		}
	}
	in.r = bufio.NewReaderSize(readerFunc(in.read), peeked)
	return in
}

// peeked is how much of an input is looked at to tell what it is, in bytes.
const peeked = 64 << 10

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func (in *input) read(p []byte) (int, error) {
	n, err := in.src.Read(p)
	in.done += int64(n)
	return n, err
}

var (
	exportMark = []byte(`{"ebb":`)
	sqliteMark = []byte("SQLite format 3\x00")
)

// detect detects the format unless it is given, and skips blanks before the
// content.
func (in *input) detect(format *ImportFormat) error {
	if err := in.skipMark(); err != nil {
		return err
	}
	for {
		c, err := in.r.ReadByte()
		if errors.Is(err, io.EOF) {
			return &schema.InvalidError{Field: "input", Reason: "is empty; there is nothing to import"}
		}
		if err != nil {
			return err
		}
		if c == '\n' {
			in.line++
		}
		if !unicode.IsSpace(rune(c)) {
			break
		}
	}
	if err := in.r.UnreadByte(); err != nil {
		return err
	}
	start, err := in.r.Peek(max(len(exportMark), len(sqliteMark)))
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	found, fault := formatOf(start)
	switch *format {
	case "":
		*format = found
		return fault
	}
	if slices.Contains(formats, *format) {
		return nil
	}
	return &schema.InvalidError{Field: "Format", Reason: fmt.Sprintf("is not one of %v", formats)}
}

// skipMark skips a byte order mark and refuses input that is not UTF-8.
func (in *input) skipMark() error {
	start, err := in.r.Peek(4)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	switch {
	case bytes.HasPrefix(start, []byte("\xef\xbb\xbf")):
		_, err := in.r.Discard(3)
		return err
	case bytes.HasPrefix(start, []byte("\xff\xfe")), bytes.HasPrefix(start, []byte("\xfe\xff")):
		return &schema.InvalidError{Field: "input", Reason: "is UTF-16; save it as UTF-8"}
	case bytes.HasPrefix(start, []byte("PK\x03\x04")), bytes.HasPrefix(start, []byte("\x1f\x8b")):
		return &schema.InvalidError{Field: "input", Reason: "is compressed; unpack it and import what is inside"}
	}
	return nil
}

func formatOf(start []byte) (ImportFormat, error) {
	switch {
	case bytes.HasPrefix(start, exportMark):
		return FormatExport, nil
	case bytes.HasPrefix(start, sqliteMark):
		return FormatLangchaingo, nil
	case start[0] == '[':
		return FormatChatGPT, nil
	case start[0] == '{':
		return FormatTurns, nil
	}
	return "", &schema.InvalidError{Field: "input", Reason: fmt.Sprintf(
		"begins with %q: it is neither JSON, as turns, messages and the exports of ChatGPT, Claude, Mem0 and others are, nor langchaingo's SQLite history; give Markdown a name that ends in .md, or --markdown for a folder", start[0])}
}
