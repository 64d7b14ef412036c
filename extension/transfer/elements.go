package transfer

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/ebbmem/ebb/schema"
)

// elements reads the JSON objects that other programs write: messages,
// conversations and memories. What each is, its fields tell.
type elements struct {
	unnamed string    // session of what names none, and the beginning of conversations' names
	now     time.Time // time of what has none
	dated   bool      // the host gave that time
	only    bool      // the host chose the sessions
	skipBad bool      // the host wants faults of the input skipped
	report  *ImportReport
	keep    keepText
	visit   visitTurn

	ids           turnIDs
	conversations int
	stopped       bool // visit returned an error
}

// markers are texts of which one stands in each line that [elements] may take, and
// few in turns.
var markers = [][]byte{
	[]byte(`"content"`), []byte(`"messages"`), []byte(`"observations"`), []byte(`"relationType"`), []byte(`"memory"`),
	[]byte(`"fact_type"`), []byte(`"mentioned_at"`), []byte(`"chat_messages"`), []byte(`"mapping"`), []byte(`"relationship"`),
}

// mayTake reports whether a line may hold an object that is no turn of ebb.
func mayTake(line []byte) bool {
	return slices.ContainsFunc(markers, func(m []byte) bool { return bytes.Contains(line, m) })
}

// formatOfElement tells by its fields what an object is, "" for none that is known.
func formatOfElement(raw []byte) ImportFormat {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return ""
	}
	has := func(names ...string) bool {
		return !slices.ContainsFunc(names, func(name string) bool { return fields[name] == nil })
	}
	switch {
	case has("mapping"):
		return FormatChatGPT
	case has("chat_messages"):
		return FormatClaude
	case has("memory") && !has("content") && !has("text"), has("source", "relationship", "target"):
		return FormatMem0
	case has("name", "observations"), has("from", "to", "relationType"):
		return FormatGraph
	case has("text") && !has("time") && (has("fact_type") || has("mentioned_at") || has("type", "date")):
		return FormatHindsight
	case !has("text") && (has("content") || has("messages") || has("role")):
		return FormatMessages
	}
	return ""
}

// take passes on what an object holds, which stands in a line or is the n-th of a
// list. It reports false for an object that is not known.
func (e *elements) take(line string, n int, raw []byte) (taken bool, err error) {
	format := formatOfElement(raw)
	noun, read := "memory", e.claim
	switch format {
	case "":
		return false, nil
	case FormatChatGPT:
		noun, read = "conversation", e.chatGPT
	case FormatClaude:
		noun, read = "conversation", e.claude
	case FormatMessages:
		noun, read = "element", e.messages
	case FormatGraph:
		read = e.graph
	}
	where := cmp.Or(line, fmt.Sprintf("%s %d", noun, n))
	err = notUTF8
	if utf8.Valid(raw) {
		err = read(where, raw)
	}
	if err != nil {
		if _, placed := errors.AsType[*ImportError](err); !placed {
			err = &ImportError{Where: where, Err: readFault(err)}
		}
		if e.skips(err) {
			err = nil
		}
		return true, err
	}
	e.report.Format = format
	return true, nil
}

// skips counts a fault of the input that the host wants skipped. It returns false for others, and
// for faults in storing what was read.
func (e *elements) skips(err error) bool {
	if _, invalid := errors.AsType[*schema.InvalidError](err); !invalid || !e.skipBad || e.stopped {
		return false
	}
	if e.report.Bad++; len(e.report.BadLines) < listedBad {
		e.report.BadLines = append(e.report.BadLines, err.Error())
	}
	return true
}

// listedBad is how many skipped faults a report lists.
const listedBad = 20

// turn completes a turn of a program and passes it on. Its id is that of the
// program, or is made of the turn.
func (e *elements) turn(where string, t importedTurn) error {
	if t.at.IsZero() {
		t.at, t.untimed = e.now, true
	}
	if err := t.check(e.keep); err != nil {
		return &ImportError{Where: where, Err: err}
	}
	if t.id == "" {
		named := t
		if t.untimed {
			named.at = time.Time{}
		}
		t.id = e.ids.of(named)
	}
	err := e.visit(where, t)
	e.stopped = err != nil
	return err
}

// readArray reads an array of objects, one in memory at a time.
func (e *elements) readArray(r io.Reader) error {
	dec := json.NewDecoder(r)
	if start, err := dec.Token(); err != nil || start != json.Delim('[') {
		return &ImportError{Where: "start", Err: &schema.InvalidError{Field: "input", Reason: "is no JSON array, as a ChatGPT export is"}}
	}
	n := 0
	if err := e.readElements(dec, &n); err != nil {
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return &ImportError{Where: "end", Err: &schema.InvalidError{Field: "input", Reason: "goes on after the array; import each array by itself"}}
	}
	return nil
}

// readElements reads objects up to the end of an array that has begun.
func (e *elements) readElements(dec *json.Decoder, n *int) error {
	for dec.More() {
		*n++
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return &ImportError{Where: fmt.Sprintf("element %d", *n), Err: readFault(err)}
		}
		if taken, err := e.take("", *n, raw); err != nil {
			return err
		} else if !taken {
			return &ImportError{Where: fmt.Sprintf("element %d", *n), Err: &schema.InvalidError{
				Field: "input", Reason: "is no message, conversation or memory of a program that ebb knows; turns go one JSON object on each line, without a bracket around"}}
		}
	}
	if _, err := dec.Token(); err != nil {
		return &ImportError{Where: "end", Err: readFault(err)}
	}
	return nil
}

// collections are the fields in which programs list their memories.
var collections = []string{"results", "items", "memories", "entities", "relations"}

// isCollection reports whether what begins so is an object that lists memories in
// one of its fields.
func isCollection(start []byte) bool {
	dec := json.NewDecoder(bytes.NewReader(start))
	if first, err := dec.Token(); err != nil || first != json.Delim('{') {
		return false
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return false
		}
		if field, _ := name.(string); slices.Contains(collections, field) {
			value, err := dec.Token()
			return err == nil && value == json.Delim('[')
		}
		var skipped json.RawMessage
		if dec.Decode(&skipped) != nil {
			return false
		}
	}
	return false
}

// readCollections reads objects that list memories, one after the other.
func (e *elements) readCollections(r io.Reader) error {
	dec := json.NewDecoder(r)
	for n := 0; ; {
		if start, err := dec.Token(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil || start != json.Delim('{') {
			return &ImportError{Where: "start", Err: &schema.InvalidError{Field: "JSON", Reason: "is not one object after the other"}}
		}
		for dec.More() {
			if err := e.readField(dec, &n); err != nil {
				return err
			}
		}
		if _, err := dec.Token(); err != nil {
			return &ImportError{Where: "end", Err: readFault(err)}
		}
	}
}

// readField reads one field of an object that lists memories. Other fields, such as
// totals, are passed over.
func (e *elements) readField(dec *json.Decoder, n *int) error {
	fault := func(err error) error {
		return &ImportError{Where: fmt.Sprintf("after element %d", *n), Err: readFault(err)}
	}
	name, err := dec.Token()
	if err != nil {
		return fault(err)
	}
	if field, _ := name.(string); !slices.Contains(collections, field) {
		var skipped json.RawMessage
		if err := dec.Decode(&skipped); err != nil {
			return fault(err)
		}
		return nil
	}
	if start, err := dec.Token(); err != nil {
		return fault(err)
	} else if start == nil {
		return nil
	} else if start != json.Delim('[') {
		return fault(&schema.InvalidError{Field: "input", Reason: "has no list where memories stand"})
	}
	return e.readElements(dec, n)
}

// chatTurn is a message as chat APIs take it, {"role", "content"}, or a
// conversation of them, {"messages": [...]}, as logs and fine-tuning files hold it.
type chatTurn struct {
	Role     string          `json:"role"`
	Name     string          `json:"name"`
	Session  string          `json:"session"`
	Content  json.RawMessage `json:"content"`
	Messages []chatTurn      `json:"messages"`

	rowUser
	rowTime
}

// rowTime is the time of a message or conversation. Chat APIs define none, but logs and tables
// have one under these names.
type rowTime struct {
	Time       json.RawMessage `json:"time"`
	Timestamp  json.RawMessage `json:"timestamp"`
	CreatedAt  json.RawMessage `json:"created_at"`
	CreateTime json.RawMessage `json:"create_time"`
	Created    json.RawMessage `json:"created"`
	Date       json.RawMessage `json:"date"`
	TS         json.RawMessage `json:"ts"`
	Camel      json.RawMessage `json:"createdAt"`
	Sent       json.RawMessage `json:"sent_at"`
}

// at is the time, or zero: a text, or a number of seconds or milliseconds since 1970.
func (c *rowTime) at() (time.Time, error) {
	for _, f := range [...]struct {
		name  string
		value json.RawMessage
	}{{"time", c.Time}, {"timestamp", c.Timestamp}, {"created_at", c.CreatedAt}, {"create_time", c.CreateTime}, {"created", c.Created}, {"date", c.Date}, {"ts", c.TS}, {"createdAt", c.Camel}, {"sent_at", c.Sent}} {
		var written string
		var seconds float64
		switch {
		case f.value == nil || string(f.value) == "null":
		case json.Unmarshal(f.value, &written) == nil:
			if at, err := foreignTime(f.name, written); err != nil || !at.IsZero() {
				return at, err
			}
		case json.Unmarshal(f.value, &seconds) == nil:
			if math.Abs(seconds) >= milliseconds {
				seconds /= 1000
			}
			return unixSeconds(f.name, &seconds)
		default:
			return time.Time{}, &schema.InvalidError{Field: f.name, Reason: quoted(string(f.value)) + "is no time, as 2026-03-01T18:00:00Z"}
		}
	}
	return time.Time{}, nil
}

// milliseconds is from where on a number is a time in milliseconds; in seconds it is in the year 5138.
const milliseconds = 1e11

// messages reads messages of a chat API. They have no id and often no time.
func (e *elements) messages(where string, raw []byte) error {
	var c chatTurn
	if err := json.Unmarshal(raw, &c); err != nil {
		return err
	}
	begun, err := c.at()
	if err != nil {
		return err
	}
	if c.Messages == nil {
		return e.message(where, e.unnamed, begun, false, &c)
	}
	e.conversations++
	session := cmp.Or(c.Session, strings.TrimSpace(fmt.Sprintf("%s %d", e.unnamed, e.conversations)))
	for i := range c.Messages {
		where := fmt.Sprintf("%s, message %d", where, i+1)
		at, err := c.Messages[i].at()
		if err != nil {
			return &ImportError{Where: where, Err: err}
		}
		shared := at.IsZero()
		if shared {
			at = begun
		}
		if c.Messages[i].name() == "" {
			c.Messages[i].rowUser = c.rowUser
		}
		if err := e.message(where, session, at, shared, &c.Messages[i]); err != nil {
			return err
		}
	}
	return nil
}

func (e *elements) message(where, session string, at time.Time, shared bool, c *chatTurn) error {
	content := c.text()
	role, err := roleOf(c.Role)
	if err != nil {
		return &ImportError{Where: where, Err: err}
	}
	if role == "" || strings.TrimSpace(content) == "" {
		e.report.Skipped++
		return nil
	}
	return e.turn(where, importedTurn{session: cmp.Or(c.Session, session), speaker: c.Name, role: role, text: content, of: c.name(), at: at, shared: shared})
}

// text is what a message says in words: a text, or the texts among its parts.
func (c *chatTurn) text() string {
	var whole string
	if json.Unmarshal(c.Content, &whole) == nil {
		return whole
	}
	var parts []struct {
		Text string `json:"text"`
	}
	_ = json.Unmarshal(c.Content, &parts) // what is neither says nothing in words
	var texts []string
	for _, p := range parts {
		if strings.TrimSpace(p.Text) != "" {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n")
}
