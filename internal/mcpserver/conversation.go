package mcpserver

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"sync/atomic"
	"time"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/tools"
)

// Options define what a client may do.
type Options struct {
	// Version is ebb's version as reported to the client.
	Version string
	// WriteTurns adds the tool record_turn. MCP clients do not pass messages on by
	// themselves.
	WriteTurns bool
	// TrustClient treats role user of record_turn as the user's own words. It requires
	// WriteTurns.
	TrustClient bool
}

// Validate returns a [*schema.InvalidError] for options that contradict each
// other.
func (o *Options) Validate() error {
	if o.TrustClient && !o.WriteTurns {
		return &schema.InvalidError{Field: "trust-client", Reason: "needs write-turns: it says whose word a recorded turn is"}
	}
	return nil
}

// Conversation gives a client access to one user's memory in one session. It is safe
// for concurrent use.
type Conversation struct {
	bus         eventbus.Bus
	session     *extension.Session
	redact      schema.Redact
	tools       map[string]*tools.Tool
	trustClient bool

	settled  func(context.Context) error // waits until what was said is understood
	patience time.Duration               // how long the core section, and the end, wait for that
	recorded atomic.Bool                 // whether a message was recorded
}

// NewConversation starts or continues the conversation scope.Session.
//
// Errors: [*schema.InvalidError] for the scope.
func NewConversation(ext *extension.Extension, scope extension.Scope, o Options) (*Conversation, error) {
	s, err := ext.Session(scope)
	if err != nil {
		return nil, err
	}
	c := &Conversation{
		bus: ext.Bus(), session: s, redact: ext.Parts().Redactor.Text, tools: make(map[string]*tools.Tool), trustClient: o.TrustClient, settled: ext.WaitIdle, patience: 2 * time.Second,
	}
	for _, t := range s.ProgramTools(toolNames()...) {
		c.tools[t.Name()] = t
	}
	return c, nil
}

// settle waits a limited time until what was said is understood. What takes longer is not
// shown yet.
func (c *Conversation) settle(ctx context.Context, patience time.Duration) {
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	_ = c.settled(waiting)
}

// turn is a message that a client reports.
type turn struct {
	Role string `json:"role"`
	Text string `json:"text"`
	ID   string `json:"id,omitempty"`
}

// The prefixes separate the ids of clients, and of the user's own words, from those of
// other sources. Without them a client could suppress messages of those by using their
// ids first.
const (
	clientIDs = "mcp:"
	userIDs   = "mcp-user:"
)

// untrusted is the trust of what a client's model writes: the model may have read
// texts that ebb has not seen.
var untrusted = eventbus.OriginToolExternal.Ceiling()

// record stores a message.
func (c *Conversation) record(ctx context.Context, t turn, opts ...eventbus.MessageOption) error {
	e, err := Message(ctx, c.redact, c.session.Scope(), t.Role, t.Text, t.ID, c.trustClient, opts...)
	if err != nil {
		return err
	}
	c.recorded.Store(true)
	return c.bus.Publish(ctx, e)
}

// finish waits a limited time, also after the end of ctx, until recorded messages are
// understood: nothing else may open the file for days, and "forget that" said last must take
// effect. What takes longer happens when the file is next opened.
func (c *Conversation) finish(ctx context.Context) {
	if c.recorded.Load() {
		c.settle(context.WithoutCancel(ctx), c.patience)
	}
}

// Message returns the event of a message that a client's model reports, with role user
// or assistant. id is optional. Models count their messages from 1 in each conversation,
// so the stored id is a hash of the session, the id and the redacted text.
func Message(ctx context.Context, redact schema.Redact, scope extension.Scope, role, said, id string, trustClient bool, opts ...eventbus.MessageOption) (eventbus.Event, error) {
	trusted, idPrefix := role == "user" && trustClient, clientIDs
	if trusted {
		idPrefix = userIDs
	}
	if id != "" {
		if err := schema.ValidLabel("id", id); err != nil {
			return eventbus.Event{}, err
		}
		redacted, err := redact(ctx, "", text.Clean(said))
		if err != nil {
			return eventbus.Event{}, err
		}
		sum := sha256.Sum256([]byte(text.JSON([]string{scope.Session, id, redacted})))
		id = hex.EncodeToString(sum[:16])
		opts = append(opts, eventbus.WithID(idPrefix+id))
	}
	if trusted {
		return eventbus.UserMessage(scope, said, opts...), nil
	}
	opts = append(opts, eventbus.From(eventbus.OriginAssistant), eventbus.Trusted(untrusted))
	if role == "user" {
		return eventbus.UserMessage(scope, said, opts...), nil
	}
	return eventbus.AgentResponse(scope, said, opts...), nil
}

// Run runs one of the tools, for callers outside the protocol. The tool must be one of
// toolNames.
func (c *Conversation) Run(ctx context.Context, tool string, arguments map[string]string) (tools.Output, error) {
	return c.tools[tool].Run(ctx, text.JSON(arguments))
}
