package transfer

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/internal/memory"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/records"
)

// StreamEntry is one line of a stream of a team's agents (ada-three-tier.md §3.2).
type StreamEntry struct {
	ID        string `json:"id"`        // identifies the entry; at most [schema.MaxLabel] bytes
	Cycle     int64  `json:"cycle"`     // from 1; 0 is none
	Timestamp string `json:"timestamp"` // RFC 3339 with a zone; stored in UTC with milliseconds
	Role      string `json:"role"`      // the agent that acted
	Action    string `json:"action"`    // what it did, in one line

	Importance    float64   `json:"importance"` // 1–10
	Type          EntryType `json:"type"`
	Tags          []string  `json:"tags"`
	IssueRefs     []int64   `json:"issueRefs"`
	PRRefs        []int64   `json:"prRefs"`
	Content       string    `json:"content"`       // the full text
	TokenEstimate int64     `json:"tokenEstimate"` // of Content; computed if 0
}

// EntryType is the kind of an entry of a stream.
type EntryType string

// The types of entries.
const (
	EntryAction      EntryType = "action"
	EntryObservation EntryType = "observation"
	EntryReflection  EntryType = "reflection"
	EntryDecision    EntryType = "decision"
)

// EntryTypes lists every type.
var EntryTypes = []EntryType{EntryAction, EntryObservation, EntryReflection, EntryDecision}

// actionEnds separates an entry's action from its content in the memory's text,
// which holds both so that either can be found.
const actionEnds = "\n\n"

// UnnamedAgent is the role of an agent without a name.
const UnnamedAgent = "agent"

// systemRole is the role of reflections.
const systemRole = "system"

// text returns the memory's text of an entry.
func (e *StreamEntry) text() string { return e.Action + actionEnds + e.Content }

// Event returns the message that stores the entry, as an assistant's message with
// the entry's role as agent.
//
// Errors: [*schema.InvalidError] naming the field.
func (e *StreamEntry) Event(scope schema.Scope, opts ...eventbus.MessageOption) (eventbus.Event, error) {
	if err := e.validate(); err != nil {
		return eventbus.Event{}, err
	}
	return eventbus.AgentResponse(scope, e.text(), append(e.labels(), opts...)...), nil
}

// validate normalizes an entry and names the first invalid field.
func (e *StreamEntry) validate() error {
	e.Action, e.Content = strings.TrimSpace(text.Clean(e.Action)), strings.TrimSpace(text.Clean(e.Content))
	switch {
	case e.Cycle < 0 || e.Cycle > schema.MaxCycle:
		return &schema.InvalidError{Field: "cycle", Reason: "must be a whole number from 0 to 2^53 − 1"}
	case strings.TrimSpace(e.Role) == "":
		return &schema.InvalidError{Field: "role", Reason: "is missing; say which agent acted"}
	case e.Action == "":
		return &schema.InvalidError{Field: "action", Reason: "is missing; say in one line what was done"}
	case strings.ContainsAny(e.Action, "\n\t"):
		return &schema.InvalidError{Field: "action", Reason: "holds a line break; one line says what was done, content has the rest"}
	case e.Content == "":
		return &schema.InvalidError{Field: "content", Reason: "is missing; describe what was done"}
	case !(e.Importance >= 1 && e.Importance <= 10):
		return &schema.InvalidError{Field: "importance", Reason: "must be from 1 to 10"}
	case !slices.Contains(EntryTypes, e.Type):
		return &schema.InvalidError{Field: "type", Reason: "is none of action, observation, reflection, decision"}
	case e.TokenEstimate < 0:
		return &schema.InvalidError{Field: "tokenEstimate", Reason: "must not be negative (0 means computed)"}
	}
	for _, refs := range [...]struct {
		field   string
		numbers []int64
	}{{"issueRefs", e.IssueRefs}, {"prRefs", e.PRRefs}} {
		if slices.ContainsFunc(refs.numbers, func(n int64) bool { return n < 1 }) {
			return &schema.InvalidError{Field: refs.field, Reason: "must be whole numbers from 1"}
		}
		if len(text.JoinNumbers(refs.numbers)) > schema.MaxLabel {
			return &schema.InvalidError{Field: refs.field, Reason: "are too many for one entry; name the ones that matter"}
		}
	}
	return schema.ValidLabel("role", e.Role)
}

// labels returns the entry's metadata as message options.
func (e *StreamEntry) labels() []eventbus.MessageOption {
	tokens := cmp.Or(e.TokenEstimate, int64(text.Tokens(e.Content)))
	opts := []eventbus.MessageOption{
		eventbus.Importance(e.Importance), eventbus.Tags(e.Tags...),
		eventbus.Attribute(schema.AttrType, string(e.Type)), eventbus.Attribute(schema.AttrTokens, strconv.FormatInt(tokens, 10)),
	}
	if e.Cycle > 0 {
		opts = append(opts, eventbus.Attribute(schema.AttrCycle, strconv.FormatInt(e.Cycle, 10)))
	}
	if len(e.IssueRefs) > 0 {
		opts = append(opts, eventbus.Attribute(schema.AttrIssues, text.JoinNumbers(e.IssueRefs)))
	}
	if len(e.PRRefs) > 0 {
		opts = append(opts, eventbus.Attribute(schema.AttrPulls, text.JoinNumbers(e.PRRefs)))
	}
	return opts
}

// numbers parses a comma-separated list and skips what is not a number.
func numbers(joined string) []int64 {
	all := []int64{}
	for part := range strings.SplitSeq(joined, ",") {
		if n, err := strconv.ParseInt(part, 10, 64); err == nil {
			all = append(all, n)
		}
	}
	return all
}

// entryOf reconstructs the entry that a memory was made from.
func entryOf(m *schema.Memory) *StreamEntry {
	action, content, both := strings.Cut(m.Content, actionEnds)
	if !both {
		action, content = actionOf(m.Content), m.Content
	}
	e := &StreamEntry{
		ID: cmp.Or(m.EventID, m.UID), Timestamp: m.EventTime.Format("2006-01-02T15:04:05.999Z07:00"), Role: cmp.Or(m.Agent, UnnamedAgent), Action: action, Content: content,
		Importance: float64(int(m.Importance*1e4+0.5)) / 1e3, Type: EntryType(m.Attributes[schema.AttrType]), Tags: m.Tags,
		IssueRefs: numbers(m.Attributes[schema.AttrIssues]), PRRefs: numbers(m.Attributes[schema.AttrPulls]),
	}
	if e.Tags == nil {
		e.Tags = []string{}
	}
	if m.Kind == schema.KindReflection {
		e.Role, e.Type = systemRole, EntryReflection
	}
	e.Cycle, _ = strconv.ParseInt(m.Attributes[schema.AttrCycle], 10, 64)
	if e.TokenEstimate, _ = strconv.ParseInt(m.Attributes[schema.AttrTokens], 10, 64); e.TokenEstimate == 0 {
		e.TokenEstimate = int64(text.Tokens(content))
	}
	return e
}

// actionLength is the length, in tokens, of an action derived from a text without
// one.
const actionLength = 16

func actionOf(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return text.Truncate(line, actionLength)
}

func parseStreamEntry(line []byte, keep keepText, _ *turnIDs) (importedTurn, error) {
	var e StreamEntry
	decoder := json.NewDecoder(bytes.NewReader(text.ValidUTF8(line)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&e); err != nil {
		return importedTurn{}, invalidEntry(err)
	}
	if rest := bytes.TrimSpace(line[min(int(decoder.InputOffset()), len(line)):]); len(rest) > 0 {
		return importedTurn{}, &schema.InvalidError{Field: "line", Reason: "goes on after its entry; write one JSON object a line"}
	}
	if e.ID == "" {
		return importedTurn{}, &schema.InvalidError{Field: "id", Reason: "is missing; an entry is known by it when it is imported again"}
	}
	at, err := time.Parse(time.RFC3339Nano, e.Timestamp)
	if err != nil {
		return importedTurn{}, &schema.InvalidError{Field: "timestamp", Reason: "is not RFC 3339 with a zone, as 2026-02-08T13:23:00Z"}
	}
	if err := e.validate(); err != nil {
		return importedTurn{}, err
	}
	t := importedTurn{id: e.ID, role: "assistant", agent: e.Role, text: e.text(), at: at, cycle: e.Cycle, labels: e.labels()}
	return t, t.check(keep)
}

// invalidEntry converts a decoding error to an [*schema.InvalidError].
func invalidEntry(err error) error {
	if field, unknown := strings.CutPrefix(err.Error(), "json: unknown field "); unknown {
		return &schema.InvalidError{Field: "line", Reason: "has a field that no entry has (" + text.Truncate(field, actionLength) + "); rename it or leave it out"}
	}
	return invalidJSON(err)
}

// ExportStream writes the stream of a user's team. It implements
// Extension.ExportStream.
func ExportStream(ctx context.Context, m *memory.Memory, w io.Writer, scope schema.Scope) (*ExportReport, error) {
	return export(ctx, m, w, scope, (*exporter).stream)
}

// streamPage is how many entries are read at a time.
const streamPage = 64

func (e *exporter) stream(ctx context.Context) error {
	for after := int64(0); ; {
		ids, err := records.StreamIDs(ctx, e.s, e.userID, after, streamPage)
		if err != nil || len(ids) == 0 {
			return err
		}
		after = ids[len(ids)-1]
		entries, err := e.s.MemoriesByID(ctx, e.userID, ids)
		if err != nil {
			return err
		}
		slices.SortFunc(entries, func(a, b schema.Memory) int { return cmp.Compare(a.ID, b.ID) })
		for i := range entries {
			if err := e.enc.Encode(entryOf(&entries[i])); err != nil {
				return err
			}
			e.report.Records++
		}
	}
}
