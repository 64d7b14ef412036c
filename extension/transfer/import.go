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
	"time"
	"unicode"

	"github.com/ebbmem/ebb/internal/memory"
	"github.com/ebbmem/ebb/schema"
)

// ImportFormat names a form of history that [Import] reads.
type ImportFormat string

// The formats. Default: recognised by content.
const (
	// FormatTurns is one JSON object a line, a turn each: id, session, time
	// (RFC 3339), speaker, role (user, assistant or tool; default user), text.
	// Only time and text are required, other fields are ignored.
	FormatTurns ImportFormat = "turns"
	// FormatMessages is messages as chat APIs take them: {"role", "content"}, or
	// conversations {"messages": [...]}, one a line or in an array. They have no time,
	// and count as said when they were imported (ImportReport.Untimed), in their
	// order. They are known by their words, their place among equal ones, and their
	// session. Those of system and developer, and what is no text, are skipped.
	FormatMessages ImportFormat = "messages"
	// FormatChatGPT is conversations.json of a ChatGPT data export. Of each
	// conversation the branch that is shown last is taken, and of that the
	// texts of user and assistant.
	FormatChatGPT ImportFormat = "chatgpt"
	// FormatStream is a stream of what a team's agents did, a [StreamEntry] a
	// line, which is not recognised by content: it has to be named. An entry is
	// known by its id, its role is the memory's agent, and Scope.Agent is not
	// used. The user's cycle rises to the latest that is taken in.
	FormatStream ImportFormat = "stream"
	// FormatExport is what [Export] writes.
	FormatExport ImportFormat = "ebb"
)

// ImportOptions say how a history is taken in. Only Scope.User is needed, and
// not even that to restore ebb's own export.
type ImportOptions struct {
	// Scope is the user that the history is imported for. Session, when set, replaces
	// the session of every turn. An export of ebb brings its sessions and
	// agents with it; one that is restored without Scope.User also its user and
	// tenant.
	Scope schema.Scope
	// Restore says that the host trusts the input: it is an export of its own that
	// no other party could write or change. Everything in it is restored, with its
	// origins, levels of trust, protections and history. Default false: an export is
	// read like any file, its messages and claims are stamped as an import (trust 1),
	// and the rest is skipped.
	Restore bool
	// Origin is the origin that the texts are stamped with, which bounds their trust.
	// Default import (trust 1). A host may give user_direct for the history of its own
	// users: then the user's turns count as typed here, and those of assistants and
	// tools keep the trust of an import, since it is not known what they had in view.
	Origin schema.Origin
	// Format is the form of the input. Default: recognised by content.
	Format ImportFormat
	// Resurrect lets what was erased here come back from the input. Default
	// false: it is passed over, and of an export that was written before
	// something was erased, also what may speak of it without naming it: the
	// audit, ledgers, blocks, names.
	Resurrect bool
	// Session of messages that name none, as those of chat APIs ([FormatMessages]),
	// and what the names of their conversations begin with. A file's name is a good
	// one: the same words in two files differ by it. Default none.
	Unnamed string
	// Rename, when set, gives a turn another id where the user has a different turn
	// under its id already, as when several files count from 1 each; "" refuses it. It must
	// give the same for the same id of the same file. Default nil: such a turn ends
	// the import.
	Rename func(id string) string
	// Clock, when set, is called with a turn's time before that turn is
	// stored, in a transaction of its own, so that a host with a
	// Config.Now that follows it replays the past. Default nil: turns are stored in batches
	// and were learnt now. An export of ebb keeps its times either way.
	Clock func(turn time.Time)
	// Progress is called after each batch with the bytes read and those there
	// are, 0 when that is not known. Default none.
	Progress func(done, total int64)
}

// ImportReport counts what an import did. Records are turns, or the lines of
// an export.
type ImportReport struct {
	Format     ImportFormat `json:"format"`
	Read       int          `json:"read"`              // records, without skipped ones
	Stored     int          `json:"stored"`            // new here
	Duplicates int          `json:"duplicates"`        // here before
	Skipped    int          `json:"skipped"`           // messages of a ChatGPT export that are no text of user or assistant; records that only a restored export may bring
	Lowered    int          `json:"lowered"`           // records of an export that are believed less than it says, since it was not restored
	Erased     int          `json:"erased"`            // passed over, since they were erased here; see [ImportOptions].Resurrect
	Sessions   int          `json:"sessions"`          // different ones among the records
	Untimed    int          `json:"untimed,omitempty"` // messages that came without a time
	Bytes      int64        `json:"bytes"`             // read
}

// ImportError says where in the input an import stopped. What was stored
// before is kept; importing the mended input again goes on from there.
type ImportError struct {
	Where string // "line 7", or "conversation 3, message 12"
	Err   error  // an [*schema.InvalidError], or a fault of the database
}

func (e *ImportError) Error() string { return e.Where + ": " + e.Err.Error() }

// Unwrap gives the cause.
func (e *ImportError) Unwrap() error { return e.Err }

// Imported is what an import did, for the process that has the memory open.
type Imported struct {
	Report ImportReport
	// Cycle is the latest cycle of the turns that were stored, 0 for none.
	Cycle int64
	// Restored is set for an export of ebb: its user's cycle may have changed.
	Restored bool
	// Orphans are the public ids of claims of User that came with an export and rest
	// on what was erased here. They have to be erased as well.
	Orphans []string
	User    schema.Scope
}

// Import reads a history and stores it. Hosts call Extension.Import, which says
// more. The report is valid also beside an error.
func Import(ctx context.Context, m *memory.Memory, r io.Reader, opts ImportOptions) (*Imported, error) {
	job := &importJob{m: m, opts: opts, in: newInput(r), sessions: make(map[string]struct{})}
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
	}
	return &job.done, err
}

// importJob is one call of Import.
type importJob struct {
	m        *memory.Memory
	opts     ImportOptions
	in       *input
	done     Imported
	sessions map[string]struct{}
}

// start checks the options and finds out the format.
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
	visit := func(where string, t importedTurn) error { return batches.add(ctx, where, t) }
	chat := &messages{session: j.opts.Unnamed, now: schema.At(j.m.Now()).Time, skipped: func() { j.done.Report.Skipped++ }, taken: func() {
		j.done.Report.Format = FormatMessages
		j.done.Report.Untimed++
	}}
	err := j.read(chat, keep, visit)
	kept := batches.flush(ctx) // what came before a fault, too
	// What went wrong in an earlier batch comes first.
	err = cmp.Or(batches.wait(), kept, err)
	j.done.Cycle = batches.cycle
	return err
}

// read reads what is no export of ebb.
func (j *importJob) read(chat *messages, keep keepText, visit visitTurn) error {
	if j.opts.Format == FormatStream {
		return readTurns(newLines(j.in.r, j.in.line, maxTurnLine), parseStreamEntry, nil, keep, visit)
	}
	start, err := j.in.r.Peek(1)
	if err == nil && (j.opts.Format == FormatChatGPT || j.opts.Format == FormatMessages && start[0] == '[') {
		return readChatGPT(j.in.r, chat, keep, visit)
	}
	return readTurns(newLines(j.in.r, j.in.line, maxTurnLine), parseTurn, chat, keep, visit)
}

// stored counts a batch that is on disk, and ended so many bytes into the input.
func (j *importJob) stored(read, fresh, erased int, end int64) {
	j.done.Report.Read += read
	j.done.Report.Stored += fresh
	j.done.Report.Erased += erased
	j.done.Report.Duplicates += read - fresh - erased
	if j.opts.Progress != nil {
		j.m.CallHost("ImportOptions.Progress", "hook Progress", func() { j.opts.Progress(end, j.in.total) })
	}
}

// input is the stream with what is known of it.
type input struct {
	r     *bufio.Reader
	src   io.Reader
	done  int64 // bytes read from src
	total int64 // 0 when unknown
	line  int   // line breaks skipped at the front
}

func newInput(r io.Reader) *input {
	in := &input{src: r}
	switch s := r.(type) {
	case interface{ Len() int }: // bytes.Reader, strings.Reader
		in.total = int64(s.Len())
	case *os.File:
		if info, err := s.Stat(); err == nil && info.Mode().IsRegular() {
			in.total = info.Size()
		}
	}
	in.r = bufio.NewReaderSize(readerFunc(in.read), 64<<10)
	return in
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func (in *input) read(p []byte) (int, error) {
	n, err := in.src.Read(p)
	in.done += int64(n)
	return n, err
}

var exportMark = []byte(`{"ebb":`)

// detect finds the format unless it is given, and skips what may stand before
// the content.
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
	start, err := in.r.Peek(len(exportMark))
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	found, fault := formatOf(start)
	switch *format {
	case "":
		*format = found
		return fault
	case FormatTurns, FormatMessages, FormatChatGPT, FormatStream, FormatExport:
		return nil
	}
	return &schema.InvalidError{Field: "Format", Reason: "is not one of turns, messages, chatgpt, stream, ebb"}
}

// skipMark drops a byte order mark and refuses what is no UTF-8 text at all.
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
	case start[0] == '[':
		return FormatChatGPT, nil
	case start[0] == '{':
		return FormatTurns, nil
	}
	return "", &schema.InvalidError{Field: "input", Reason: fmt.Sprintf(
		"begins with %q: it is neither turns or messages (a JSON object on each line), nor a ChatGPT export or messages (a JSON array), nor an export of ebb", start[0])}
}
