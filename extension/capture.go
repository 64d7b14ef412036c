package extension

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/internal/memory"
	"github.com/ebbmem/ebb/internal/prompt"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// A host may report one message through several sources: the langchaingo Memory,
// the Callbacks, and its own Publish. captures stores it once.
//
// Each source reports a message once. So a report is new unless another source has
// reported the same text in the same role within [turnLength] and this source has
// not reported that message yet: "yes" twice from one source is two messages, "yes"
// once from each of two sources is one.
type captures struct {
	now   func() time.Time
	store exposureStore
	// stamp adds attributes to the events before they are stored. Default: nothing.
	stamp         func(events []eventbus.Event)
	mu            sync.Mutex
	conversations *lru.Cache[schema.Scope, *conversation]
	erased        map[schema.Scope]int64 // by user: how often something was erased since the file was opened
	swept         time.Time              // when the talks of conversations at rest were last dropped
	bulk          sync.Mutex             // held while locking several conversations
}

// exposureStore are the parts of the store that captures needs; see
// [Extension.storedExposure] and [Extension.lowerTrust].
type exposureStore interface {
	storedExposure(ctx context.Context, of Scope) (schema.Trust, error)
	lowerTrust(ctx context.Context, of Scope, answers []string, level schema.Trust) error
}

// maxConversations bounds the conversations kept in memory. The least recently used are
// dropped.
const maxConversations = 4096

// turnLength is how long after the first report another source may report the same
// message. A later report is a new message.
const turnLength = 10 * time.Minute

// conversation is the in-memory state of one conversation.
type conversation struct {
	// order is held by a publish until its write is queued, so that the journal
	// holds a conversation's messages in the order of the calls.
	order sync.Mutex

	mu     sync.Mutex // locked after order; guards the fields below
	recent []*captured
	// begun maps the hash of a user's message to the time its turn began, for turns
	// that have not ended: Memory sees the message at both ends. The time is zero
	// once another turn has ended since.
	begun    map[string]time.Time
	exposure exposure
	// quoted are the public ids of messages that core sections of this conversation
	// have quoted.
	quoted map[string]bool

	ids     prompt.ShortIDs // has its own lock, as have working and talk
	working prompt.Working
	talk    talk // of a named session, see [Session.talk]
}

// maxQuoted bounds quoted. When it is exceeded, quoted is reset, and quotes are
// recorded once more.
const maxQuoted = 4096

// quotedFirst returns the uids that no core section of this conversation has quoted
// before, and marks them as quoted.
func (t *conversation) quotedFirst(uids []string) (fresh []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.quoted == nil || len(t.quoted) > maxQuoted {
		t.quoted = make(map[string]bool)
	}
	for _, uid := range uids {
		if !t.quoted[uid] {
			t.quoted[uid] = true
			fresh = append(fresh, uid)
		}
	}
	return fresh
}

// captured is a reported message.
type captured struct {
	role, hash string
	at         time.Time
	reports    []report
	stored     chan struct{} // closed when it is stored, or when storing failed and it was removed
}

// report is one source's report of a message.
type report struct {
	source source
	id     string // of the event
}

func (c *captured) reportedBy(from source) bool {
	return slices.ContainsFunc(c.reports, func(r report) bool { return r.source == from })
}

func (c *captured) hasID(id string) bool {
	return slices.ContainsFunc(c.reports, func(r report) bool { return r.id == id })
}

func (c *captured) isStored() bool {
	select {
	case <-c.stored:
		return true
	default:
		return false
	}
}

// source names the source of a report.
type source string

const (
	sourceMemory    source = "memory"
	sourceCallbacks source = "callbacks"
	sourceBus       source = "bus"
)

// recentCaptures is how many reported messages a conversation keeps to detect a
// second report.
const recentCaptures = 64

func newCaptures(now func() time.Time, store exposureStore) (*captures, error) {
	turns, err := lru.New[schema.Scope, *conversation](maxConversations)
	return &captures{now: now, store: store, conversations: turns, erased: make(map[schema.Scope]int64), stamp: func([]eventbus.Event) {}}, err
}

// conversationScope returns the scope that identifies a conversation. Agents of one
// session share it.
func conversationScope(scope schema.Scope) schema.Scope {
	scope.Agent = ""
	return scope
}

// conversation returns the conversation of a scope. If it has been dropped from memory,
// known, unless nil, takes its place.
func (c *captures) conversation(scope schema.Scope, known *conversation) *conversation {
	scope = conversationScope(scope)
	c.mu.Lock()
	defer c.mu.Unlock()
	t, ok := c.conversations.Get(scope)
	if !ok {
		if t = known; t == nil {
			t = &conversation{exposure: newExposure(), begun: make(map[string]time.Time)}
		}
		if now := c.now(); now.Sub(c.swept).Abs() > talkPause {
			c.swept = now
			for _, other := range c.conversations.Values() {
				other.talk.endAfterPause(now)
			}
		}
		c.conversations.Add(scope, t)
	}
	return t
}

// admit adds messages of one conversation to its exposure, and sets the trust of
// answers. The exposure keeps them even if storing them fails, since the model may have
// read them. t.mu is held.
func (c *captures) admit(ctx context.Context, t *conversation, events []eventbus.Event) error {
	of := conversationScope(events[0].Scope)
	if of.Validate() != nil {
		return nil // Publish returns the error and names the event
	}
	if slices.ContainsFunc(events, ofAssistant) {
		if err := c.loadExposure(ctx, t, of); errors.Is(err, ErrClosed) {
			return nil // Publish returns ErrClosed too
		} else if err != nil {
			return err
		}
	}
	if overtaken, level := t.exposure.admit(events); len(overtaken) > 0 {
		return c.store.lowerTrust(ctx, of, overtaken, level)
	}
	return nil
}

// ofAssistant reports whether a model wrote a message: an answer, or a task for another agent.
func ofAssistant(e eventbus.Event) bool {
	m, err := e.Message()
	return err == nil && (m.Role == roleAssistant || e.Origin == schema.OriginAssistant)
}

// loadExposure adds the stored part of a conversation to its exposure, once. t.mu is held.
func (c *captures) loadExposure(ctx context.Context, t *conversation, of Scope) error {
	if t.exposure.read {
		return nil
	}
	stored, err := c.store.storedExposure(ctx, of)
	if err != nil {
		return err
	}
	t.exposure.minTrust, t.exposure.read = min(t.exposure.minTrust, stored), true
	return nil
}

// trust returns the trust of what the model writes in a conversation: the lowest
// trust it has been exposed to, or 0 if that cannot be read.
func (c *captures) trust(ctx context.Context, t *conversation, of Scope) schema.Trust {
	t.mu.Lock()
	defer t.mu.Unlock()
	if c.loadExposure(ctx, t, conversationScope(of)) != nil {
		return 0
	}
	return t.exposure.minTrust
}

// repeated returns the message that a report repeats, or nil for a new message.
// t.mu is held.
func (t *conversation) repeated(from source, role, hash, id string) *captured {
	for _, c := range t.recent {
		if id != "" && c.hasID(id) {
			return c
		}
	}
	for _, c := range t.recent {
		if c.role == role && c.hash == hash && !c.reportedBy(from) {
			return c
		}
	}
	return nil
}

// reported reports whether the Callbacks have reported a message.
func (t *conversation) reported(role, said string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	hash := schema.HashContent(text.Clean(said))
	return slices.ContainsFunc(t.recent, func(c *captured) bool {
		return c.role == role && c.hash == hash && c.reportedBy(sourceCallbacks)
	})
}

// begin records the start of a turn with the user's message. It returns false if
// that turn is already under way, so that its message is stored.
func (t *conversation) begin(said string, now time.Time) (fresh bool) {
	const most = 64 // failed turns leave entries
	t.mu.Lock()
	defer t.mu.Unlock()
	hash := schema.HashContent(said)
	if at := t.begun[hash]; !at.IsZero() && now.Sub(at) <= turnLength {
		return false
	}
	if len(t.begun) == most {
		clear(t.begun)
	}
	t.begun[hash] = now
	return true
}

// end records the end of a turn and reports whether begin had recorded its start.
func (t *conversation) end(said string) (begun bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	hash := schema.HashContent(said)
	_, begun = t.begun[hash]
	delete(t.begun, hash)
	for other := range t.begun {
		t.begun[other] = time.Time{}
	}
	return begun
}

// expose records that the model has seen text of a trust level.
func (t *conversation) expose(level schema.Trust) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.exposure.minTrust = min(t.exposure.minTrust, level)
}

// hostBus is the bus that hosts get. Its Publish is one of the sources of messages.
type hostBus struct {
	eventbus.Durable

	captures *captures
	mem      *memory.Memory
}

// Publish stores the host's events, all or none. Repeated reports are detected only
// if the events of a call belong to one session.
func (b hostBus) Publish(ctx context.Context, events ...eventbus.Event) error {
	_, err := b.PublishNew(ctx, events...)
	return err
}

// PublishNew is Publish. It returns how many events of one session were new; for those
// of several it returns 0.
func (b hostBus) PublishNew(ctx context.Context, events ...eventbus.Event) (stored int, err error) {
	if len(events) == 0 {
		return 0, nil
	}
	if err := b.mem.Redactor.EventLabels(events); err != nil {
		return 0, err
	}
	if b.mem.DB.Tenant() != nil {
		events = slices.Clone(events)
		for i := range events {
			events[i].Scope = b.mem.DB.Complete(events[i].Scope)
		}
	}
	of := conversationScope(events[0].Scope)
	for _, e := range events {
		if conversationScope(e.Scope) != of {
			return 0, b.captures.publishBulk(ctx, b.mem, events)
		}
	}
	return b.captures.publish(ctx, sourceBus, b.mem, b.captures.conversation(of, nil), events...)
}

// publishBulk publishes the events of several conversations, each with its own
// exposure. They count as a bulk import, without detection of repeated reports.
func (c *captures) publishBulk(ctx context.Context, next *memory.Memory, events []eventbus.Event) error {
	events = slices.Clone(events)
	c.stamp(events)
	places := make(map[schema.Scope][]int)
	for i, e := range events {
		of := conversationScope(e.Scope)
		places[of] = append(places[of], i)
	}
	c.bulk.Lock()
	defer c.bulk.Unlock()
	for of, at := range places {
		theirs := make([]eventbus.Event, len(at))
		for i, place := range at {
			theirs[i] = events[place]
		}
		t := c.conversation(of, nil)
		t.order.Lock()
		defer t.order.Unlock()
		t.mu.Lock()
		defer t.mu.Unlock()
		if err := c.admit(ctx, t, theirs); err != nil {
			return err
		}
		for i, place := range at {
			events[place] = theirs[i]
		}
	}
	return next.Publish(ctx, events...)
}
