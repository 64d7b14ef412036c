package extension

import (
	"context"
	"slices"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/ebbmem/ebb/eventbus"
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
	mu    sync.Mutex
	turns *lru.Cache[schema.Scope, *turn]
}

// maxTurns bounds the sessions under way at one time; of more, those idle
// longest are forgotten.
const maxTurns = 4096

// turnLength is how long after the first door another may report the same
// message. A host that reports later, through another door, says something new.
const turnLength = 10 * time.Minute

// turn is what is under way in one session.
type turn struct {
	mu     sync.Mutex
	recent []captured
	// heard holds what the user said in turns that began and have not ended,
	// by hash: the Memory hears of it at both ends.
	// by hash: the Memory hears of it at both ends. The time is when the turn
	// began; zero when another has ended since.
	heard map[string]time.Time
	// floor is the lowest trust of what this turn has put before the model.
	floor schema.Trust
}

type captured struct {
	role, hash string
	at         time.Time
	ids        []string // of the events that reported it
	doors      []door
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

func newCaptures(now func() time.Time) (*captures, error) {
	turns, err := lru.New[schema.Scope, *turn](maxTurns)
	return &captures{now: now, turns: turns}, err
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
			t = &turn{floor: schema.MaxTrust, heard: make(map[string]time.Time)}
		}
		c.turns.Add(scope, t)
	}
	return t
}

// publish sends the events of turn t on through next, leaving out those that
// another door has already reported in this session.
func (c *captures) publish(ctx context.Context, from door, next eventbus.Publisher, t *turn, events ...eventbus.Event) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	before := slices.Clone(t.recent)
	for i := range before {
		before[i].doors, before[i].ids = slices.Clone(before[i].doors), slices.Clone(before[i].ids)
	}
	floor := t.floor
	var fresh []eventbus.Event
	for _, e := range events {
		m, err := e.Message()
		if err != nil {
			fresh = append(fresh, e) // not a message: nothing to recognise
			continue
		}
		now := c.now()
		live := e.OccurredAt.IsZero() || now.Sub(e.OccurredAt).Abs() <= turnLength // else it is history
		if live && t.known(from, m.Role, schema.HashContent(m.Text), e.ID, now) {
			continue
		}
		e, floor = inView(e, m.Role, floor)
		fresh = append(fresh, e)
	}
	if len(fresh) == 0 {
		return nil
	}
	if err := next.Publish(ctx, fresh...); err != nil {
		t.recent = before
		return err
	}
	t.floor = floor
	return nil
}

// inView gives an answer the lowest trust of what its turn had in view, and
// says what the turn has in view after the message.
func inView(e eventbus.Event, role string, floor schema.Trust) (eventbus.Event, schema.Trust) {
	switch role {
	case "assistant":
		if e.Trust == nil && e.Origin == schema.OriginAssistant {
			e.Trust = &floor
		}
		return e, schema.MaxTrust // the answer ends the turn
	case "tool":
		return e, min(floor, e.TrustLevel())
	}
	return e, floor
}

// known recognises a message that another door reported, or remembers it.
func (t *turn) known(from door, role, hash, id string, now time.Time) bool {
	t.recent = slices.DeleteFunc(t.recent, func(c captured) bool { return now.Sub(c.at) > turnLength })
	for i := range t.recent {
		if id != "" && slices.Contains(t.recent[i].ids, id) {
			return true // reported again, for instance after a time-out
		}
	}
	for i := range t.recent {
		c := &t.recent[i]
		if c.role == role && c.hash == hash && !slices.Contains(c.doors, from) {
			c.doors, c.ids = append(c.doors, from), append(c.ids, id)
			return true
		}
	}
	if len(t.recent) == recentCaptures {
		t.recent = slices.Delete(t.recent, 0, 1)
	}
	t.recent = append(t.recent, captured{role, hash, now, []string{id}, []door{from}})
	return false
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

// shown lowers the turn's floor to the trust of what a model now has in view.
func (t *turn) shown(level schema.Trust) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.floor = min(t.floor, level)
}

func (t *turn) trust() schema.Trust {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.floor
}

// hostBus is the bus as a host sees it: what it publishes is one door.
type hostBus struct {
	*eventbus.Journal

	captures *captures
}

// Publish stores the host's events, all or none. Those of one session must be
// published together to be recognised together.
func (b hostBus) Publish(ctx context.Context, events ...eventbus.Event) error {
	if len(events) == 0 {
		return nil
	}
	of := conversation(events[0].Scope)
	for _, e := range events {
		if conversation(e.Scope) != of {
			// Several sessions at once are a bulk import, not a turn.
			return b.Journal.Publish(ctx, lowered(events)...)
		}
	}
	return b.captures.publish(ctx, doorBus, b.Journal, b.captures.turn(of, nil), events...)
}

// lowered are the events of several conversations with the trust of their
// answers, each as its own conversation has it among these events.
func lowered(events []eventbus.Event) []eventbus.Event {
	floors := make(map[schema.Scope]schema.Trust)
	events = slices.Clone(events)
	for i, e := range events {
		m, err := e.Message()
		if err != nil {
			continue // not a message, or one that Publish refuses
		}
		of := conversation(e.Scope)
		floor, ok := floors[of]
		if !ok {
			floor = schema.MaxTrust
		}
		events[i], floors[of] = inView(e, m.Role, floor)
	}
	return events
}
