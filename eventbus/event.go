package eventbus

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/ebbmem/ebb/internal/strictjson"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// Types of package schema that a publisher needs.
type (
	// Scope identifies the memory an event belongs to. Only User is required.
	Scope = schema.Scope
	// Origin is the source of a text. The host sets it, never a model.
	Origin = schema.Origin
	// Trust is the trust level of a text, from 0 (unknown) to 4 (the user's own
	// words).
	Trust = schema.Trust
)

// The origins, with the highest trust level of each.
const (
	OriginUser         = schema.OriginUser         // 4
	OriginAssistant    = schema.OriginAssistant    // 4, lowered to that of the texts shown to the model in its turn
	OriginToolInternal = schema.OriginToolInternal // 3
	OriginFederation   = schema.OriginFederation   // 2
	OriginToolExternal = schema.OriginToolExternal // 1
	OriginImport       = schema.OriginImport       // 1
	OriginUnknown      = schema.OriginUnknown      // 0
)

// Event is one entry of the journal.
type Event struct {
	// ID is the idempotency key, unique per Scope.Tenant and Scope.User, at most
	// [schema.MaxLabel] bytes. Publishing an id again has no effect. The
	// constructors set a UUIDv7. It may be empty in ebb's own reports.
	ID string `json:"id,omitempty"`
	// Topic is one of the Topic constants or a topic of the host's own: lower-case
	// words joined by dots.
	Topic string `json:"topic"`
	// Scope identifies the memory the event belongs to.
	Scope Scope `json:"scope"`
	// Origin is the source of the content. It has no default here; the constructors
	// set one.
	Origin Origin `json:"origin"`
	// Trust lowers the trust level below the ceiling of Origin. Default nil:
	// Origin.Ceiling(). It is set in events that the bus delivers.
	Trust *Trust `json:"trust,omitempty"`
	// Payload is a [Message] for the message topics, else any JSON of at most
	// [MaxPayload] bytes. Empty is stored as null.
	Payload json.RawMessage `json:"payload"`
	// OccurredAt is the time of the event, in UTC with millisecond resolution.
	// Default the current time by the memory's clock.
	OccurredAt time.Time `json:"occurred_at,omitzero"`

	// Seq is the position in the journal: from 1, increasing, possibly with gaps.
	// Set by the bus.
	Seq int64 `json:"seq,omitempty"`
	// RecordedAt is when the bus stored the event. Set by the bus.
	RecordedAt time.Time `json:"recorded_at,omitzero"`

	stamp map[string]string // attributes set by Stamped
	cache *messageCache     // the message that Payload encodes; nil if unknown
}

// MaxPayload is the largest accepted payload of a host's own topic, in bytes.
const MaxPayload = 2 << 20

// TrustLevel returns Trust, or the ceiling of the origin when Trust is nil.
func (e Event) TrustLevel() Trust {
	if e.Trust != nil {
		return *e.Trust
	}
	return e.Origin.Ceiling()
}

// Message is the payload of the three message topics.
type Message struct {
	Text    string `json:"text"`
	Speaker string `json:"speaker,omitempty"` // a display name; default none
	Role    string `json:"role,omitempty"`    // user | assistant | tool; default by topic
	Tool    string `json:"tool,omitempty"`    // the tool's name, for tool.result
	Partial bool   `json:"partial,omitempty"` // the text may be incomplete

	Attributes map[string]string `json:"attributes,omitempty"` // see [Attribute]
	Tags       []string          `json:"tags,omitempty"`       // see [Tags]
	Importance float64           `json:"importance,omitempty"` // 1–10; 0 is not rated
}

// Message decodes the payload of a message event. It returns a
// [*schema.InvalidError] for another topic or an invalid payload.
func (e Event) Message() (Message, error) {
	var m Message
	role, ok := isMessage(e.Topic)
	if !ok {
		return m, &schema.InvalidError{Field: "Topic", Reason: "carries no message"}
	}
	if m, known := e.cachedMessage(); known {
		return m, nil
	}
	if err := json.Unmarshal(e.Payload, &m); err != nil {
		return m, &schema.InvalidError{Field: "Payload", Reason: "is not a message: it " + strictjson.Fault(err)}
	}
	m.Role = cmp.Or(m.Role, role)
	return m, nil
}

// Decode decodes the payload of any topic into dest, for example a [*Stored].
func (e Event) Decode(dest any) error {
	if err := json.Unmarshal(e.Payload, dest); err != nil {
		return fmt.Errorf("the payload of %s event %d %s", e.Topic, e.Seq, strictjson.Fault(err))
	}
	return nil
}

// CheckPayload decodes the payload as those do who handle the topic.
func (e Event) CheckPayload() error {
	switch e.Topic {
	case TopicUserMessage, TopicAgentResponse, TopicToolResult:
		_, err := e.Message()
		return err
	case TopicMemoryStored:
		return e.Decode(new(Stored))
	case TopicMemoryRecalled:
		return e.Decode(new(Recalled))
	case TopicMemoryConsolidated:
		return e.Decode(new(Consolidated))
	case TopicMemoryProposed:
		return e.Decode(new(Proposed))
	}
	return e.Decode(new(any))
}

// New creates an event of any topic with a new id. It fails only when payload
// cannot be encoded as JSON.
func New(topic string, scope Scope, origin Origin, payload any) (Event, error) {
	encoded, err := encode(payload)
	if err != nil {
		return Event{}, &schema.InvalidError{Field: "Payload", Reason: "cannot be encoded as JSON: " + schema.Foreign("its encoding", err).Error()}
	}
	return Event{ID: newID(), Topic: topic, Scope: scope, Origin: origin, Payload: encoded}, nil
}

// MessageOption configures an event made by [UserMessage], [AgentResponse] or
// [ToolResult].
type MessageOption func(*Event, *Message)

// WithID sets the idempotency key, for example the message's id in the host's own
// store. Default a new UUIDv7.
func WithID(id string) MessageOption { return func(e *Event, _ *Message) { e.ID = id } }

// At sets the time of the message. Default the current time by the memory's clock.
func At(t time.Time) MessageOption { return func(e *Event, _ *Message) { e.OccurredAt = t } }

// Speaker sets the display name of the speaker. Default none.
func Speaker(name string) MessageOption { return func(_ *Event, m *Message) { m.Speaker = name } }

// From sets the origin.
func From(origin Origin) MessageOption { return func(e *Event, _ *Message) { e.Origin = origin } }

// Trusted lowers the trust level below the origin's ceiling. Publish returns an
// error for a level above the ceiling.
func Trusted(level Trust) MessageOption { return func(e *Event, _ *Message) { e.Trust = &level } }

// Partial marks a text that may be incomplete, such as an answer whose stream was
// cancelled.
func Partial() MessageOption { return func(_ *Event, m *Message) { m.Partial = true } }

// UserMessage creates the event of a message by the user. Its origin is
// [OriginUser] unless [From] sets another.
func UserMessage(scope Scope, content string, opts ...MessageOption) Event {
	return message(TopicUserMessage, scope, OriginUser, Message{Text: content}, opts)
}

// AgentResponse creates the event of an answer by the agent. Its origin is
// [OriginAssistant].
func AgentResponse(scope Scope, content string, opts ...MessageOption) Event {
	return message(TopicAgentResponse, scope, OriginAssistant, Message{Text: content}, opts)
}

// ToolResult creates the event of a result of the named tool. Its origin is
// [OriginToolExternal], the cautious default. A tool that the host trusts is named in
// the configuration, or has From(OriginToolInternal); Trusted(1) keeps a single result
// of it untrusted.
func ToolResult(scope Scope, tool, content string, opts ...MessageOption) Event {
	return message(TopicToolResult, scope, OriginToolExternal, Message{Text: content, Tool: tool}, opts)
}

func message(topic string, scope Scope, origin Origin, m Message, opts []MessageOption) Event {
	e := Event{Topic: topic, Scope: scope, Origin: origin}
	m.Role, _ = isMessage(topic)
	for _, o := range opts {
		o(&e, &m)
	}
	if e.ID == "" {
		e.ID = newID()
	}
	e.encode(m)
	return e
}

// messageCache is a message with the payload encoded from it. It saves decoding the
// payload each time the message is needed.
type messageCache struct {
	message Message
	payload string // a copy, since the host may change the event's payload
}

// encode sets the payload to the message, and caches the message.
func (e *Event) encode(m Message) {
	e.Payload = encodeMessage(&m)
	e.cache = &messageCache{m.clone(), string(e.Payload)}
}

// cachedMessage returns the cached message if the payload has not changed since.
func (e *Event) cachedMessage() (m Message, known bool) {
	if e.cache == nil || e.cache.payload != string(e.Payload) {
		return Message{}, false
	}
	return e.cache.message.clone(), true
}

// clone returns a deep copy with empty labels set to nil, as in a decoded message.
func (m *Message) clone() Message {
	c := *m
	c.Attributes, c.Tags = nil, nil
	if len(m.Attributes) > 0 {
		c.Attributes = maps.Clone(m.Attributes)
	}
	if len(m.Tags) > 0 {
		c.Tags = slices.Clone(m.Tags)
	}
	return c
}

// encodeMessage cleans a message before encoding it: JSON would turn invalid bytes
// into replacement characters.
func encodeMessage(m *Message) json.RawMessage {
	m.Text, m.Speaker, m.Tool = text.Clean(m.Text), text.Clean(m.Speaker), text.Clean(m.Tool)
	m.cleanLabels()
	m.Importance = finite(m.Importance)
	encoded, err := encode(m)
	if err != nil {
		panic(err) // it can always be encoded
	}
	return encoded
}

// encode is json.Marshal without HTML escapes, which would enlarge the journal and
// make its text harder to read for other programs.
func encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

func newID() string { return uuid.Must(uuid.NewV7()).String() }
