package extension

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
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// StreamEntry is one line of a stream of what a team's agents did
// (ada-three-tier.md §3.2).
type StreamEntry struct {
	ID        string `json:"id"`        // known by it; at most [schema.MaxLabel] bytes
	Cycle     int64  `json:"cycle"`     // from 1; 0 is none
	Timestamp string `json:"timestamp"` // RFC 3339 with a zone; kept to the millisecond, in UTC
	Role      string `json:"role"`      // which agent acted
	Action    string `json:"action"`    // what it did, in one line

	Importance    float64   `json:"importance"` // 1–10
	Type          EntryType `json:"type"`
	Tags          []string  `json:"tags"`
	IssueRefs     []int64   `json:"issueRefs"`
	PRRefs        []int64   `json:"prRefs"`
	Content       string    `json:"content"`       // the whole of it
	TokenEstimate int64     `json:"tokenEstimate"` // of content; computed where it is 0
}

// EntryType is what an entry of a stream tells of.
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

// actionEnds stands between an entry's action and its content in the text of
// its memory, which holds both: either may answer a question.
const actionEnds = "\n\n"

// systemRole is who reflects.
const systemRole = "system"

// text is what is remembered of an entry.
func (e *StreamEntry) text() string { return e.Action + actionEnds + e.Content }

// validate cleans an entry and names the first field that cannot be used.
func (e *StreamEntry) validate() error {
	e.Action, e.Content = strings.TrimSpace(text.Clean(e.Action)), strings.TrimSpace(text.Clean(e.Content))
	switch {
	case e.Cycle < 0 || e.Cycle > schema.MaxCycle:
		return &InvalidError{Field: "cycle", Reason: "must be a whole number from 0 to 2^53 − 1"}
	case strings.TrimSpace(e.Role) == "":
		return &InvalidError{Field: "role", Reason: "is missing; say which agent acted"}
	case e.Action == "":
		return &InvalidError{Field: "action", Reason: "is missing; say in one line what was done"}
	case strings.ContainsAny(e.Action, "\n\t"):
		return &InvalidError{Field: "action", Reason: "holds a line break; one line says what was done, content has the rest"}
	case e.Content == "":
		return &InvalidError{Field: "content", Reason: "is missing; describe what was done"}
	case !(e.Importance >= 1 && e.Importance <= 10):
		return &InvalidError{Field: "importance", Reason: "must be from 1 to 10"}
	case !slices.Contains(EntryTypes, e.Type):
		return &InvalidError{Field: "type", Reason: "is none of action, observation, reflection, decision"}
	case e.TokenEstimate < 0:
		return &InvalidError{Field: "tokenEstimate", Reason: "must not be negative (0 means computed)"}
	}
	for _, refs := range [...]struct {
		field   string
		numbers []int64
	}{{"issueRefs", e.IssueRefs}, {"prRefs", e.PRRefs}} {
		if slices.ContainsFunc(refs.numbers, func(n int64) bool { return n < 1 }) {
			return &InvalidError{Field: refs.field, Reason: "must be whole numbers from 1"}
		}
		if len(joined(refs.numbers)) > schema.MaxLabel {
			return &InvalidError{Field: refs.field, Reason: "are too many for one entry; name the ones that matter"}
		}
	}
	return schema.ValidLabel("role", e.Role)
}

// labels are what is stored beside the text.
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
		opts = append(opts, eventbus.Attribute(schema.AttrIssues, joined(e.IssueRefs)))
	}
	if len(e.PRRefs) > 0 {
		opts = append(opts, eventbus.Attribute(schema.AttrPulls, joined(e.PRRefs)))
	}
	return opts
}

func joined(numbers []int64) string {
	texts := make([]string, len(numbers))
	for i, n := range numbers {
		texts[i] = strconv.FormatInt(n, 10)
	}
	return strings.Join(texts, ",")
}

// numbers reads what joined wrote; what is no number is left out.
func numbers(joined string) []int64 {
	all := []int64{}
	for part := range strings.SplitSeq(joined, ",") {
		if n, err := strconv.ParseInt(part, 10, 64); err == nil {
			all = append(all, n)
		}
	}
	return all
}

// entryOf is the entry that a memory was made from.
func entryOf(m *Record) *StreamEntry {
	action, content, both := strings.Cut(m.Content, actionEnds)
	if !both {
		action, content = actionOf(m.Content), m.Content
	}
	e := &StreamEntry{
		ID: cmp.Or(m.EventID, m.UID), Timestamp: m.EventTime.Format("2006-01-02T15:04:05.999Z07:00"), Role: cmp.Or(m.Agent, unnamedAgent), Action: action, Content: content,
		Importance: float64(int(m.Importance*1e4+0.5)) / 1e3, Type: EntryType(m.Attributes[schema.AttrType]), Tags: m.Tags,
		IssueRefs: numbers(m.Attributes[schema.AttrIssues]), PRRefs: numbers(m.Attributes[schema.AttrPulls]),
	}
	if e.Tags == nil {
		e.Tags = []string{}
	}
	if m.Kind == KindReflection {
		e.Role, e.Type = systemRole, EntryReflection
	}
	e.Cycle, _ = strconv.ParseInt(m.Attributes[schema.AttrCycle], 10, 64)
	if e.TokenEstimate, _ = strconv.ParseInt(m.Attributes[schema.AttrTokens], 10, 64); e.TokenEstimate == 0 {
		e.TokenEstimate = int64(text.Tokens(content))
	}
	return e
}

// actionLength is how much of a text stands for an action that it came without,
// in tokens.
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
		return importedTurn{}, &InvalidError{Field: "line", Reason: "goes on after its entry; write one JSON object a line"}
	}
	if e.ID == "" {
		return importedTurn{}, &InvalidError{Field: "id", Reason: "is missing; an entry is known by it when it is imported again"}
	}
	at, err := time.Parse(time.RFC3339Nano, e.Timestamp)
	if err != nil {
		return importedTurn{}, &InvalidError{Field: "timestamp", Reason: "is not RFC 3339 with a zone, as 2026-02-08T13:23:00Z"}
	}
	if err := e.validate(); err != nil {
		return importedTurn{}, err
	}
	t := importedTurn{id: e.ID, role: roleAssistant, agent: e.Role, text: e.text(), at: at, cycle: e.Cycle, labels: e.labels()}
	return t, t.check(keep)
}

// invalidEntry puts a decoding error into the reader's terms.
func invalidEntry(err error) error {
	if field, unknown := strings.CutPrefix(err.Error(), "json: unknown field "); unknown {
		return &InvalidError{Field: "line", Reason: "has a field that no entry has (" + text.Truncate(field, actionLength) + "); rename it or leave it out"}
	}
	return invalidJSON(err)
}

// ImportStream takes a stream in, with the trust of an import: it is
// [Extension.Import] with [FormatStream]. To say whose words it holds
// ([ImportOptions].Origin), call that.
func (x *Extension) ImportStream(ctx context.Context, scope Scope, r io.Reader) (*ImportReport, error) {
	return x.Import(ctx, r, ImportOptions{Scope: scope, Format: FormatStream})
}

// ExportStream writes the stream of a user's team as JSON lines: every entry
// that was logged or imported, also what has become archival, in the order in
// which they were stored, and the reflections of nights, whose role is system.
// Importing it elsewhere and exporting that gives the same lines again.
//
// Errors: [*InvalidError]; [ErrNotFound] for a user this file does not know;
// those of w, of the database, of the context.
func (x *Extension) ExportStream(ctx context.Context, w io.Writer, scope Scope) (*ExportReport, error) {
	return x.exporting(ctx, w, scope, (*exporter).stream)
}

func (e *exporter) stream(ctx context.Context) error {
	for after := int64(0); ; {
		// The plus keeps SQLite from sorting all of the user's memories for each page.
		ids, err := memoryIDs(ctx, e.s, `SELECT id FROM memories WHERE +user_id = ? AND id > ? AND (kind = 'episode' AND json_extract(attributes, '$.type') IS NOT NULL
			OR kind = 'reflection' AND state = 'active') ORDER BY id LIMIT ?`, e.userID, after, pageSize)
		if err != nil || len(ids) == 0 {
			return err
		}
		after = ids[len(ids)-1]
		entries, err := e.s.MemoriesByID(ctx, e.userID, ids)
		if err != nil {
			return err
		}
		slices.SortFunc(entries, func(a, b Record) int { return cmp.Compare(a.ID, b.ID) })
		for i := range entries {
			if err := e.enc.Encode(entryOf(&entries[i])); err != nil {
				return err
			}
			e.report.Records++
		}
	}
}
