package eventbus

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/ebbmem/ebb/internal/redact"
	"github.com/ebbmem/ebb/internal/strictjson"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// Validate returns the [*schema.InvalidError] with which [Publisher] would refuse the
// event, or nil. A memory's redaction may refuse more.
func (e Event) Validate() error {
	if err := hostTopic(e.Topic); err != nil {
		return err
	}
	return normalise(context.Background(), &e, nil) // without redaction it cannot block
}

// hostTopic refuses the topics that only ebb itself may write.
func hostTopic(topic string) error {
	if isReport(topic) {
		return &schema.InvalidError{Field: "Topic", Reason: topic + " is written by ebb alone; use a topic of your own"}
	}
	return nil
}

// normalise validates an event and converts it to its stored form. It returns a
// [*schema.InvalidError] that names the invalid field, or the error of rewrite. e is
// then partly changed and must not be used.
func normalise(ctx context.Context, e *Event, rewrite schema.Redact) error {
	if err := e.Scope.Validate(); err != nil {
		return err
	}
	if err := validTopic(e.Topic); err != nil {
		return err
	}
	if err := schema.ValidLabel("ID", e.ID); err != nil {
		return err
	}
	if err := e.Origin.Validate(); err != nil {
		return err
	}
	if err := normaliseTrust(e); err != nil {
		return err
	}
	if err := normaliseTime(e); err != nil {
		return err
	}
	if role, ok := isMessage(e.Topic); ok {
		return normaliseMessage(ctx, e, role, rewrite)
	}
	if err := normalisePayload(e); err != nil {
		return err
	}
	return redactPayload(ctx, e, rewrite)
}

func normaliseTrust(e *Event) error {
	level, ceiling := e.TrustLevel(), e.Origin.Ceiling()
	if level < 0 || level > ceiling {
		return &schema.InvalidError{Field: "Trust", Reason: fmt.Sprintf("is %d; origin %s can carry 0 to %d", level, e.Origin, ceiling)}
	}
	e.Trust = &level
	return nil
}

func normaliseTime(e *Event) error {
	if e.OccurredAt.IsZero() {
		return nil
	}
	// The conversion to milliseconds below overflows for extreme years, possibly to a
	// valid one.
	if year := e.OccurredAt.UTC().Year(); year < 1 || year > 9999 {
		return &schema.InvalidError{Field: "OccurredAt", Reason: fmt.Sprintf("is in the year %d; use 1 to 9999", year)}
	}
	e.OccurredAt = schema.At(e.OccurredAt).Time
	return nil
}

func normaliseMessage(ctx context.Context, e *Event, role string, rewrite schema.Redact) error {
	m, known := e.cachedMessage()
	if !known {
		var err error
		if m, err = readMessage(e); err != nil {
			return err
		}
	}
	before, labelled := m, len(m.Attributes)+len(m.Tags) > 0
	m.Role = cmp.Or(m.Role, role)
	m.Text, m.Speaker, m.Tool = text.Clean(m.Text), text.Clean(m.Speaker), text.Clean(m.Tool)
	m.stamped(e.stamp)
	m.cleanLabels()
	if rewrite != nil {
		if err := m.valid(); err != nil {
			return err // checked before redaction, which is slow for oversized text
		}
		for _, field := range [...]*string{&m.Text, &m.Speaker, &m.Tool} {
			redacted, err := rewrite(ctx, "", *field)
			if err != nil {
				return err
			}
			*field = text.Clean(redacted)
		}
		if err := m.redactLabels(ctx, rewrite); err != nil {
			return err
		}
	}
	if err := m.valid(); err != nil {
		return err
	}
	if !known || labelled || !m.sameText(before) {
		e.encode(m)
	}
	return nil
}

// valid returns a [*schema.InvalidError] that names the invalid field.
func (m *Message) valid() error {
	if err := schema.ValidContent("text", m.Text); err != nil {
		return err
	}
	if err := schema.ValidLabel("speaker", m.Speaker); err != nil {
		return err
	}
	if err := schema.ValidLabel("tool", m.Tool); err != nil {
		return err
	}
	switch m.Role {
	case "user", "assistant", "tool":
	default:
		return &schema.InvalidError{Field: "role", Reason: "is not one of user, assistant, tool"}
	}
	return m.validLabels()
}

// sameText reports whether the message has no labels and the same text, speaker, tool
// and role as before.
func (m *Message) sameText(before Message) bool {
	return len(m.Attributes)+len(m.Tags) == 0 &&
		m.Text == before.Text && m.Speaker == before.Speaker && m.Tool == before.Tool && m.Role == before.Role
}

// readMessage decodes a payload strictly: unknown fields and trailing data are
// errors.
func readMessage(e *Event) (m Message, err error) {
	dec := json.NewDecoder(bytes.NewReader(text.ValidUTF8(e.Payload)))
	dec.DisallowUnknownFields() // unknown fields would be lost
	if err := dec.Decode(&m); err != nil {
		return m, &schema.InvalidError{Field: "Payload", Reason: fmt.Sprintf("of %s must be a JSON object with text, speaker, role, tool, partial, attributes, tags and importance; this %s", e.Topic, strictjson.Fault(err))}
	}
	if _, err := dec.Token(); err != io.EOF {
		return m, &schema.InvalidError{Field: "Payload", Reason: "holds more than one JSON value"}
	}
	return m, nil
}

func normalisePayload(e *Event) error {
	if len(e.Payload) == 0 {
		e.Payload = json.RawMessage("null")
		return nil
	}
	if len(e.Payload) > MaxPayload {
		return &schema.InvalidError{Field: "Payload", Reason: "is larger than 2 MiB"}
	}
	if !utf8.Valid(e.Payload) {
		return &schema.InvalidError{Field: "Payload", Reason: "is not valid UTF-8"}
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, e.Payload); err != nil {
		return &schema.InvalidError{Field: "Payload", Reason: "is not valid JSON: it " + strictjson.Fault(err)}
	}
	e.Payload = compact.Bytes()
	return nil
}

// redactPayload rewrites the texts of a payload other than a [Message].
func redactPayload(ctx context.Context, e *Event, rewrite schema.Redact) error {
	if rewrite == nil {
		return nil
	}
	redacted, err := redact.JSON(e.Payload, func(name, value string) (string, error) { return rewrite(ctx, name, value) })
	if err != nil {
		return err
	}
	if len(redacted) > MaxPayload {
		return &schema.InvalidError{Field: "Payload", Reason: "is larger than 2 MiB once it is redacted"}
	}
	e.Payload = redacted
	return nil
}

// row returns the event as a row of the journal.
func (e *Event) row(userID int64) *schema.EventRow {
	return &schema.EventRow{
		UserID: userID, ID: e.ID, Topic: e.Topic, Agent: e.Scope.Agent, Session: e.Scope.Session,
		Origin: e.Origin, Trust: e.TrustLevel(), Payload: e.Payload, OccurredAt: schema.At(e.OccurredAt),
	}
}
