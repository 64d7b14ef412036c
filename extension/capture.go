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
	"github.com/ebbmem/ebb/internal/shortid"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// A host may hear of one message through several front doors: the langchaingo
// Memory, the Callbacks, and its own Publish. captures stores it once.
//
// Each door reports a message once. So a report is new unless another door
// reported the same text, by the same role, that this door has not reported
// yet, within [turnLength]: "yes" said twice through one door is two messages,
// and "yes" said once through two doors is one.
type captures struct {
	now   func() time.Time
	views views
	// stamp adds to messages what holds for all of them. Default nothing.
	stamp func(events []eventbus.Event)
	mu    sync.Mutex
	turns *lru.Cache[schema.Scope, *turn]
	bulk  sync.Mutex // held by whoever locks several turns
}

// views are what captures needs of the store, see [Extension.storedView] and
// [Extension.overtake].
type views interface {
	storedView(ctx context.Context, of Scope) (schema.Trust, error)
	overtake(ctx context.Context, of Scope, answers []string, level schema.Trust) error
}

// maxTurns bounds the sessions under way at one time; of more, those idle
// longest are forgotten.
const maxTurns = 4096

// turnLength is how long after the first door another may report the same
// message. A host that reports later, through another door, says something new.
const turnLength = 10 * time.Minute

// turn is what is under way in one session.
type turn struct {
	// order is held by a publish until its write has its place: the journal has
	// a session's messages in the order in which they came into its view.
	order sync.Mutex

	mu     sync.Mutex // taken after order; guards what follows
	recent []*captured
	// heard holds what the user said in turns that began and have not ended,
	// by hash: the Memory hears of it at both ends. The time is when the turn
	// began; zero when another has ended since.
	heard map[string]time.Time
	view  view
	// quoted are the messages that core sections of this conversation are known to
	// have quoted, by public id.
	quoted map[string]bool

	ids shortid.IDs // has a lock of its own
}

// maxQuoted bounds what is known to be quoted; beyond, it is recorded again.
const maxQuoted = 4096

// quotedFirst are those of the messages that no core section of this
// conversation has quoted before; now they are quoted.
func (t *turn) quotedFirst(uids []string) (fresh []string) {
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

// captured is a message that was reported.
type captured struct {
	role, hash string
	at         time.Time
	reports    []report
	stored     chan struct{} // closed when it is; a message that fails to be is forgotten
}

// report is one door's of a message.
type report struct {
	door door
	id   string // of its event
}

func (c *captured) reportedBy(from door) bool {
	return slices.ContainsFunc(c.reports, func(r report) bool { return r.door == from })
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

// door names who reported a message.
type door string

const (
	doorMemory    door = "memory"
	doorCallbacks door = "callbacks"
	doorBus       door = "bus"
)

// recentCaptures bounds how far back a second report is recognised.
const recentCaptures = 64

func newCaptures(now func() time.Time, store views) (*captures, error) {
	turns, err := lru.New[schema.Scope, *turn](maxTurns)
	return &captures{now: now, views: store, turns: turns, stamp: func([]eventbus.Event) {}}, err
}

// conversation is the scope that a turn is known by: the agent is a label of
// what is written, not another conversation.
func conversation(scope schema.Scope) schema.Scope {
	scope.Agent = ""
	return scope
}

// turn finds the session's turn. One that was forgotten meanwhile is taken up
// again from known, if its holder has it still.
func (c *captures) turn(scope schema.Scope, known *turn) *turn {
	scope = conversation(scope)
	c.mu.Lock()
	defer c.mu.Unlock()
	t, ok := c.turns.Get(scope)
	if !ok {
		if t = known; t == nil {
			t = &turn{view: newView(), heard: make(map[string]time.Time)}
		}
		c.turns.Add(scope, t)
	}
	return t
}

// admit takes messages of one conversation into its view, which stays so when
// they are not stored in the end: the model may have them in view. t is locked.
func (c *captures) admit(ctx context.Context, t *turn, events []eventbus.Event) error {
	of := conversation(events[0].Scope)
	if of.Validate() != nil {
		return nil // Publish says so, and which event it is
	}
	if slices.ContainsFunc(events, isAnswer) {
		if err := c.look(ctx, t, of); errors.Is(err, ErrClosed) {
			return nil // and so is the bus
		} else if err != nil {
			return err
		}
	}
	if overtaken, level := t.view.admit(events); len(overtaken) > 0 {
		return c.views.overtake(ctx, of, overtaken, level)
	}
	return nil
}

// isAnswer reports a message of the assistant's.
func isAnswer(e eventbus.Event) bool {
	m, err := e.Message()
	return err == nil && m.Role == roleAssistant
}

// look takes into the view of a conversation what is stored of it. t is locked.
func (c *captures) look(ctx context.Context, t *turn, of Scope) error {
	if t.view.read {
		return nil
	}
	stored, err := c.views.storedView(ctx, of)
	if err != nil {
		return err
	}
	t.view.floor, t.view.read = min(t.view.floor, stored), true
	return nil
}

// trust is how far what the model writes in a conversation may be believed: not
// at all when what it has had in view cannot be read.
func (c *captures) trust(ctx context.Context, t *turn, of Scope) schema.Trust {
	t.mu.Lock()
	defer t.mu.Unlock()
	if c.look(ctx, t, conversation(of)) != nil {
		return 0
	}
	return t.view.floor
}

// repeated is the message that a report tells of once more; nil when it tells of
// a new one. t is locked.
func (t *turn) repeated(from door, role, hash, id string) *captured {
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

// reported tells whether the Callbacks have reported a message.
func (t *turn) reported(role, said string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	hash := schema.HashContent(text.Clean(said))
	return slices.ContainsFunc(t.recent, func(c *captured) bool {
		return c.role == role && c.hash == hash && c.reportedBy(doorCallbacks)
	})
}

// begin reports whether a turn begins with these words, or is begun again
// after it failed.
func (t *turn) begin(said string, now time.Time) (fresh bool) {
	const most = 64 // turns that failed leave their words here
	t.mu.Lock()
	defer t.mu.Unlock()
	hash := schema.HashContent(said)
	if at := t.heard[hash]; !at.IsZero() && now.Sub(at) <= turnLength {
		return false
	}
	if len(t.heard) == most {
		clear(t.heard)
	}
	t.heard[hash] = now
	return true
}

// end reports whether the turn that ends was seen to begin.
func (t *turn) end(said string) (begun bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	hash := schema.HashContent(said)
	_, begun = t.heard[hash]
	delete(t.heard, hash)
	for other := range t.heard {
		t.heard[other] = time.Time{}
	}
	return begun
}

// shown takes into the turn's view what a model now has before its eyes.
func (t *turn) shown(level schema.Trust) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.view.floor = min(t.view.floor, level)
}

// hostBus is the bus as a host sees it: what it publishes is one of the sources
// that may report a message.
type hostBus struct {
	journal

	captures *captures
	mem      *memory.Memory
}

// journal is what of [eventbus.Journal] a host may use as it is.
type journal interface {
	eventbus.Subscriber
	Close(ctx context.Context) error
	Stats(ctx context.Context) ([]eventbus.ConsumerStats, error)
	Parked(ctx context.Context, consumer string) ([]eventbus.ParkedEvent, error)
	Retry(ctx context.Context, consumer string, seq int64) error
	Replay(ctx context.Context, consumer string, fromSeq int64) error
	Tail(ctx context.Context, afterSeq int64, limit int, topics ...string) ([]eventbus.Event, error)
	WaitIdle(ctx context.Context, consumers ...string) error
}

// Publish stores the host's events, all or none. Those of one session must be
// published together to be recognised together.
func (b hostBus) Publish(ctx context.Context, events ...eventbus.Event) error {
	if len(events) == 0 {
		return nil
	}
	if err := b.mem.Redactor.EventLabels(events); err != nil {
		return err
	}
	of := conversation(events[0].Scope)
	for _, e := range events {
		if conversation(e.Scope) != of {
			return b.captures.publishBulk(ctx, b.mem, events)
		}
	}
	return b.captures.publish(ctx, doorBus, b.mem, b.captures.turn(of, nil), events...)
}

// publishBulk sends the events of several conversations on, each of which has
// its own view. They are a bulk import, in which nothing is recognised.
func (c *captures) publishBulk(ctx context.Context, next *memory.Memory, events []eventbus.Event) error {
	events = slices.Clone(events)
	c.stamp(events)
	places := make(map[schema.Scope][]int)
	for i, e := range events {
		of := conversation(e.Scope)
		places[of] = append(places[of], i)
	}
	c.bulk.Lock()
	defer c.bulk.Unlock()
	for of, at := range places {
		theirs := make([]eventbus.Event, len(at))
		for i, place := range at {
			theirs[i] = events[place]
		}
		t := c.turn(of, nil)
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
