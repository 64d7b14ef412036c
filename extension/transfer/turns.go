package transfer

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/internal/strictjson"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// maxTurnLine is the longest accepted line of turns, in bytes.
const maxTurnLine = 2 << 20

// importedTurn is one message of a history, checked and cleaned.
type importedTurn struct {
	id, session, speaker, role, text string
	of                               []string // names of the user in a table of many
	at                               time.Time
	untimed                          bool // at is the time of the import
	shared                           bool // at is the time of its conversation
	claim                            bool // a memory of another program, no message
	tools                            bool // tools may have been used before it

	agent  string // "" for the scope's agent
	cycle  int64  // 0 for none
	labels []eventbus.MessageOption
}

// visitTurn is called with each turn of an input in order, and its position.
type visitTurn func(where string, t importedTurn) error

// keepText redacts a text for storage.
type keepText func(text string) (string, error)

// parseLine parses one line of an input.
type parseLine func(line []byte, keep keepText, ids *turnIDs) (importedTurn, error)

// readTurns reads JSON objects, one a line. Those that another program wrote go to
// others, unless that is nil, which decides, too, about lines with a fault.
func readTurns(lines *lines, parse parseLine, others *elements, keep keepText, visit visitTurn) error {
	ids := &turnIDs{}
	for {
		line, err := lines.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		where := "line " + strconv.Itoa(lines.n)
		if err == nil && others != nil && mayTake(line) {
			if taken, err := others.take(where, 0, line); err != nil {
				return err
			} else if taken {
				continue
			}
		}
		if err == nil && !utf8.Valid(line) {
			err = notUTF8
		}
		if err == nil {
			var t importedTurn
			if t, err = parse(line, keep, ids); err == nil {
				if err := visit(where, t); err != nil {
					return err
				}
				continue
			}
		}
		if errors.Is(err, errSaysNothing) {
			others.report.Skipped++
			continue
		}
		err = &ImportError{Where: where, Err: err}
		if others == nil || !others.skips(err) {
			return err
		}
	}
}

// notUTF8 refuses a text, of which JSON would drop letters.
var notUTF8 = &schema.InvalidError{Field: "text", Reason: "is not UTF-8; convert the file first, as with iconv -f latin1 -t utf-8"}

// errSaysNothing is returned for a turn that an import skips.
var errSaysNothing = errors.New("it says nothing in words, or is an instruction")

// roles are the roles that programs write, and ebb's. "" is skipped: instructions of a host are
// not remembered.
var roles = map[string]string{
	"user": "user", "human": "user", "assistant": "assistant", "ai": "assistant", "tool": "tool", "function": "tool",
	"system": "", "developer": "", "generic": "",
}

func roleOf(written string) (string, error) {
	role, known := roles[strings.ToLower(written)]
	if !known {
		return "", &schema.InvalidError{Field: "role", Reason: "is none of user, human, assistant, ai, tool, function, system, developer, generic"}
	}
	return role, nil
}

// quoted is what stands for a time in a row, for an error, which holds no text: the columns
// may have been confused.
func quoted(value string) string {
	letters, digits := 0, 0
	for _, r := range value {
		switch {
		case unicode.IsLetter(r):
			letters++
		case unicode.IsDigit(r):
			digits++
		}
	}
	if len(value) > 40 || letters >= digits {
		return ""
	}
	return fmt.Sprintf("%q ", value)
}

func (e *elements) parseTurn(line []byte, keep keepText, ids *turnIDs) (importedTurn, error) {
	var raw struct {
		rowUser
		rowTime

		ID      label  `json:"id"`
		Session label  `json:"session"`
		Speaker string `json:"speaker"`
		Role    string `json:"role"`
		Text    string `json:"text"`
	}
	if err := json.Unmarshal(line, &raw); err != nil {
		return importedTurn{}, invalidJSON(err)
	}
	t := importedTurn{id: string(raw.ID), session: string(raw.Session), speaker: raw.Speaker, role: "user", text: raw.Text, tools: e.tools}
	var err error
	if t.of, err = raw.names(); err != nil {
		return t, err
	}
	if t.at, err = raw.at(); err != nil {
		return t, err
	}
	if raw.Role != "" {
		if t.role, err = roleOf(raw.Role); err != nil {
			return t, err
		}
	}
	if t.role == "" || strings.TrimSpace(raw.Text) == "" {
		return t, errSaysNothing
	}
	if t.at.IsZero() {
		if !e.dated {
			return t, &schema.InvalidError{Field: "time", Reason: "is missing; say when the turn was said, as 2026-03-01T18:00:00Z"}
		}
		t.at, t.untimed = e.now, true
	}
	if err := t.check(keep); err != nil {
		return t, err
	}
	if t.id == "" {
		t.id = ids.of(t)
	}
	return t, nil
}

// invalidJSON converts a decoding error to an [*schema.InvalidError].
func invalidJSON(err error) error {
	fault := strictjson.Fault(err)
	if kind, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return &schema.InvalidError{Field: cmp.Or(kind.Field, "input"), Reason: strings.TrimPrefix(fault, kind.Field+" ")}
	}
	return &schema.InvalidError{Field: "JSON", Reason: "is not one whole object: it " + fault}
}

// check normalizes and redacts a turn and refuses what cannot be stored. A turn
// without an id gets one derived from its redacted content. It returns an
// [*InvalidError] or a [*RedactionError].
func (t *importedTurn) check(keep keepText) (err error) {
	t.at = schema.At(t.at).Time
	if year := t.at.Year(); t.at.IsZero() || year < 1 || year > 9999 {
		return &schema.InvalidError{Field: "time", Reason: "lies outside the years 1 to 9999"}
	}
	for _, label := range [...]struct{ field, value string }{{"id", t.id}, {"session", t.session}, {"speaker", t.speaker}} {
		if err := schema.ValidLabel(label.field, label.value); err != nil {
			return err
		}
	}
	for _, field := range [...]*string{&t.speaker, &t.text} {
		if *field, err = keep(text.Clean(*field)); err != nil {
			return err
		}
	}
	return schema.ValidContent("text", t.text)
}

// turnIDs derives ids for turns without one: the same id for the same turn at the
// same position, so that repeated imports recognise it. Equal turns of one moment,
// such as "yes" and "yes", are distinguished by a counter; those without a time of
// their own by one that runs through the input, since turns of other moments stand
// between them.
type turnIDs struct {
	moment  time.Time
	seen    map[[sha256.Size]byte]int // count of equal turns at this moment
	undated map[[sha256.Size]byte]int // count of equal turns without a time of their own
}

func (ids *turnIDs) of(t importedTurn) string {
	if ids.undated == nil {
		ids.undated = make(map[[sha256.Size]byte]int)
	}
	seen := ids.undated
	if !t.untimed && !t.shared {
		if ids.seen == nil || !t.at.Equal(ids.moment) {
			ids.moment, ids.seen = t.at, make(map[[sha256.Size]byte]int)
		}
		seen = ids.seen
	}
	h := sha256.New()
	for _, part := range [...]string{t.session, t.at.Format(time.RFC3339Nano), t.speaker, t.role, t.text} {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	key := [sha256.Size]byte(h.Sum(nil))
	n := seen[key]
	seen[key]++
	id := "turn-" + hex.EncodeToString(key[:16])
	if n > 0 {
		id += "-" + strconv.Itoa(n)
	}
	return id
}

// lines reads a stream by lines of bounded length.
type lines struct {
	r     *bufio.Reader
	n     int // number of the last line read, from 1
	limit int
	long  bool // the rest of a line that is too long is still to be read
	buf   []byte
}

// newLines returns a reader that starts after skipped line breaks.
func newLines(r *bufio.Reader, skipped, limit int) *lines {
	return &lines{r: r, n: skipped, limit: limit}
}

// next returns the next non-blank line, valid until the next call, or io.EOF.
func (l *lines) next() ([]byte, error) {
	for {
		l.buf = l.buf[:0]
		l.n++
		var err error
		for l.long {
			_, err = l.r.ReadSlice('\n')
			l.long = errors.Is(err, bufio.ErrBufferFull)
		}
		for more := true; more; {
			var part []byte
			part, err = l.r.ReadSlice('\n')
			l.buf = append(l.buf, part...)
			if len(bytes.TrimRight(l.buf, "\r\n")) > l.limit {
				l.long = errors.Is(err, bufio.ErrBufferFull)
				return nil, &schema.InvalidError{Field: "line", Reason: fmt.Sprintf("is longer than %d MiB; split its text into several turns", l.limit>>20)}
			}
			more = errors.Is(err, bufio.ErrBufferFull)
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		if line := bytes.TrimSpace(l.buf); len(line) > 0 {
			return line, nil
		}
		if err != nil {
			return nil, io.EOF
		}
	}
}
