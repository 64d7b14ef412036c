package transfer

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
	tools   bool      // the input may show tools
	report  *ImportReport
	keep    keepText
	visit   visitTurn

	ids           turnIDs
	conversations int
	owners        map[string][]string // users that the memories of the object name that is read; nil outside
	stopped       bool                // visit returned an error
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
	if utf8.Valid(raw) || e.skipBad && noun != "memory" { // only some of its messages may be bad
		err = read(where, raw)
	}
	if err != nil {
		return true, e.fault(where, err)
	}
	e.report.Format = format
	return true, nil
}

// decode is [json.Unmarshal] for a text that must be UTF-8.
func decode(raw []byte, into any) error {
	if !utf8.Valid(raw) {
		return notUTF8
	}
	return json.Unmarshal(raw, into)
}

// fault returns a fault of the input with its place, or nil if it is skipped.
func (e *elements) fault(where string, err error) error {
	if _, placed := errors.AsType[*ImportError](err); !placed {
		err = &ImportError{Where: where, Err: readFault(err)}
	}
	if e.skips(err) {
		return nil
	}
	return err
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
		return e.fault(where, err)
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
			if err := e.fault(fmt.Sprintf("element %d", *n), &schema.InvalidError{
				Field: "input", Reason: "is no message, conversation or memory of a program that ebb knows; turns go one JSON object on each line, without a bracket around"}); err != nil {
				return err
			}
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
		e.owners = make(map[string][]string)
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
	Role     string            `json:"role"`
	Name     string            `json:"name"`
	Session  label             `json:"session"`
	Content  json.RawMessage   `json:"content"`
	Messages []json.RawMessage `json:"messages"` // of [chatTurn]

	rowUser
	rowTime
}

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
	of, err := c.names()
	if err != nil {
		return err
	}
	if c.Messages == nil {
		return e.message(where, &c, importedTurn{session: e.unnamed, of: of, at: begun})
	}
	e.conversations++
	session := cmp.Or(string(c.Session), strings.TrimSpace(fmt.Sprintf("%s %d", e.unnamed, e.conversations)))
	for i, raw := range c.Messages {
		if err := e.messageOf(fmt.Sprintf("%s, message %d", where, i+1), raw, importedTurn{session: session, of: of, at: begun, shared: true}); err != nil {
			return err
		}
	}
	return nil
}

// messageOf reads a message of a conversation, which has the conversation's fields where it has
// none of its own.
func (e *elements) messageOf(where string, raw []byte, t importedTurn) error {
	var c chatTurn
	if err := decode(raw, &c); err != nil {
		return e.fault(where, err)
	}
	at, err := c.at()
	if err != nil {
		return e.fault(where, err)
	}
	if !at.IsZero() {
		t.at, t.shared = at, false
	}
	of, err := c.names()
	if err != nil {
		return e.fault(where, err)
	}
	if len(of) > 0 {
		t.of = of
	}
	return e.message(where, &c, t)
}

// message passes on a message. t has what was found beside its words.
func (e *elements) message(where string, c *chatTurn, t importedTurn) (err error) {
	if t.role, err = roleOf(c.Role); err != nil {
		return e.fault(where, err)
	}
	if t.text = c.text(); t.role == "" || strings.TrimSpace(t.text) == "" {
		e.report.Skipped++
		return nil
	}
	t.session, t.speaker, t.tools = cmp.Or(string(c.Session), t.session), c.Name, e.tools
	return e.turn(where, t)
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
