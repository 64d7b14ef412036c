package eventbus

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// The vocabulary of a memory that a publisher needs.
type (
	// Scope says whose memory an event belongs to. Only User is required.
	Scope = schema.Scope
	// Origin says where a text came from. The host states it, never a model.
	Origin = schema.Origin
	// Trust is how far a text may be believed, from 0 (unknown) to 4 (the
	// user's own words).
	Trust = schema.Trust
)

// The origins, with the highest trust level each can carry.
const (
	OriginUser         = schema.OriginUser         // 4
	OriginAssistant    = schema.OriginAssistant    // 4, lowered by what its turn had in view
	OriginToolInternal = schema.OriginToolInternal // 3
	OriginFederation   = schema.OriginFederation   // 2
	OriginToolExternal = schema.OriginToolExternal // 1
	OriginImport       = schema.OriginImport       // 1
	OriginUnknown      = schema.OriginUnknown      // 0
)

// Event is one entry of the journal.
type Event struct {
	// ID is the idempotency key, unique per Scope.Tenant and Scope.User, at
	// most [schema.MaxLabel] bytes. Publishing an id again has no effect at
	// all. The constructors fill in a UUIDv7. Reports of ebb may have none.
	ID string `json:"id,omitempty"`
	// Topic is one of the Topic constants or a topic of the host's own:
	// lower-case words joined by dots.
	Topic string `json:"topic"`
	// Scope says whose memory the event belongs to.
	Scope Scope `json:"scope"`
	// Origin says where the content came from; it has no default here, the
	// constructors set one.
	Origin Origin `json:"origin"`
	// Trust lowers the trust level below what Origin can carry. Default nil:
	// Origin.Ceiling(). Events that come from the bus always have it.
	Trust *Trust `json:"trust,omitempty"`
	// Payload is a [Message] for the message topics, else any JSON of at most
	// [MaxPayload] bytes. Empty is stored as null.
	Payload json.RawMessage `json:"payload"`
	// OccurredAt is when it happened, kept to the millisecond in UTC. Default
	// the memory's clock.
	OccurredAt time.Time `json:"occurred_at,omitzero"`

	// Seq is the position in the journal, from 1, growing but with gaps. Set
	// by the bus.
	Seq int64 `json:"seq,omitempty"`
	// RecordedAt is when the bus stored the event. Set by the bus.
	RecordedAt time.Time `json:"recorded_at,omitzero"`

	stamp map[string]string // see Stamped
	made  *made             // what Payload was made of; nil when that is not known
}

// MaxPayload is the largest accepted payload of a host's own topic, in bytes.
const MaxPayload = 2 << 20

// TrustLevel is Trust, or the ceiling of the origin when Trust is nil.
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
	Partial bool   `json:"partial,omitempty"` // the text may be only the beginning of what was to be said

	Attributes map[string]string `json:"attributes,omitempty"` // see [Attribute]
	Tags       []string          `json:"tags,omitempty"`       // see [Tags]
	Importance float64           `json:"importance,omitempty"` // 1–10; 0 is not rated
}

// Message reads the payload of a message event. It returns a
// [*schema.InvalidError] when the topic carries none or the payload is not one.
func (e Event) Message() (Message, error) {
	var m Message
	role, ok := isMessage(e.Topic)
	if !ok {
		return m, &schema.InvalidError{Field: "Topic", Reason: "carries no message"}
	}
	if m, known := e.madeOf(); known {
		return m, nil
	}
	if err := json.Unmarshal(e.Payload, &m); err != nil {
		return m, &schema.InvalidError{Field: "Payload", Reason: "is not a message: it " + schema.JSONFault(err)}
	}
	if m.Role == "" {
		m.Role = role
	}
	return m, nil
}

// Decode reads a payload of another topic, for instance [Stored], into dest.
func (e Event) Decode(dest any) error {
	if err := json.Unmarshal(e.Payload, dest); err != nil {
		return fmt.Errorf("payload of %s event %d: %w", e.Topic, e.Seq, err)
	}
	return nil
}

// New makes an event of any topic with a fresh id. It fails only when payload
// cannot be encoded as JSON.
func New(topic string, scope Scope, origin Origin, payload any) (Event, error) {
	encoded, err := encode(payload)
	if err != nil {
		return Event{}, &schema.InvalidError{Field: "Payload", Reason: "cannot be encoded as JSON: " + schema.Foreign("its encoding", err).Error()}
	}
	return Event{ID: newID(), Topic: topic, Scope: scope, Origin: origin, Payload: encoded}, nil
}

// MessageOption refines an event made by [UserMessage], [AgentResponse] or
// [ToolResult].
type MessageOption func(*Event, *Message)

// WithID sets the idempotency key, for instance the id that the host's own
// store gave the message. Default a fresh UUIDv7.
func WithID(id string) MessageOption { return func(e *Event, _ *Message) { e.ID = id } }

// At sets when the message was said. Default the memory's clock.
func At(t time.Time) MessageOption { return func(e *Event, _ *Message) { e.OccurredAt = t } }

// Speaker names who speaks, as it should be shown. Default none.
func Speaker(name string) MessageOption { return func(_ *Event, m *Message) { m.Speaker = name } }

// From sets the origin.
func From(origin Origin) MessageOption { return func(e *Event, _ *Message) { e.Origin = origin } }

// Trusted lowers the trust level below the origin's ceiling. A level above
// the ceiling makes Publish fail.
func Trusted(level Trust) MessageOption { return func(e *Event, _ *Message) { e.Trust = &level } }

// Partial says that the text may be only the beginning of what was to be said,
// as of an answer whose stream was cancelled.
func Partial() MessageOption { return func(_ *Event, m *Message) { m.Partial = true } }

// UserMessage is what the user said. Its origin is [OriginUser] unless [From]
// says otherwise.
func UserMessage(scope Scope, content string, opts ...MessageOption) Event {
	return message(TopicUserMessage, scope, OriginUser, Message{Text: content}, opts)
}

// AgentResponse is what the agent answered. Its origin is [OriginAssistant].
func AgentResponse(scope Scope, content string, opts ...MessageOption) Event {
	return message(TopicAgentResponse, scope, OriginAssistant, Message{Text: content}, opts)
}

// ToolResult is what the named tool returned. Its origin is
// [OriginToolExternal], the careful choice; say From(OriginToolInternal) for a
// tool whose answers the host vouches for.
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

// made is a message and the payload that was made of it, so that a message is
// not read out of its payload again each time that somebody asks for it.
type made struct {
	message Message
	payload string // a copy: the event's is its host's to change
}

// encode makes the payload of a message.
func (e *Event) encode(m Message) {
	e.Payload = encodeMessage(&m)
	e.made = &made{m.clone(), string(e.Payload)}
}

// madeOf is the message that the payload says, when it was made of one here and
// is as it was.
func (e *Event) madeOf() (m Message, known bool) {
	if e.made == nil || e.made.payload != string(e.Payload) {
		return Message{}, false
	}
	return e.made.message.clone(), true
}

// clone copies a message as it comes out of its payload.
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

// encodeMessage cleans a message before it encodes it: JSON would turn invalid
// bytes into replacement characters.
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

// encode is json.Marshal without the HTML escapes, which would bloat the
// journal and hide text from whoever reads it with another program.
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
