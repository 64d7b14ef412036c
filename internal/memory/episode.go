package memory

import (
	"context"
	"maps"
	"slices"

	"github.com/google/uuid"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/internal/poison"
	"github.com/ebbmem/ebb/schema"
)

// episode is a message made ready for the transaction. The zero value is an event
// that is no message.
type episode struct {
	message eventbus.Message
	uid     string
	stored  eventbus.PreparedReport
	hash    string
	chunks  []schema.Chunk
	doubt   poison.Reason // why it is quarantined; "" for most
}

// newEpisode does the work of storing a message that needs no database. It returns
// nil for an event that is no message.
func newEpisode(e *eventbus.Event) (*episode, error) {
	switch e.Topic {
	case eventbus.TopicUserMessage, eventbus.TopicAgentResponse, eventbus.TopicToolResult:
	default:
		return nil, nil
	}
	m, err := e.Message()
	if err != nil {
		return nil, err
	}
	uid, err := uuid.NewV7()
	if err != nil {
		return nil, err
	}
	p := &episode{message: m, uid: uid.String(), hash: schema.HashContent(m.Text), chunks: schema.PrepareChunks(m.Text, m.Speaker, m.Tags...)}
	if p.stored, err = p.report(e); err != nil {
		return nil, err
	}
	if said := (schema.Memory{Origin: e.Origin, Trust: e.TrustLevel()}); !said.OwnWords() {
		p.doubt = poison.InspectAll(m.Text, m.Speaker, m.Tool)
	}
	if p.doubt == "" && len(m.Attributes)+len(m.Tags) > 0 { // the host gives labels, for any speaker
		p.doubt = inspectLabels(m)
	}
	return p, nil
}

// report is the event that announces the episode of e.
func (p *episode) report(e *eventbus.Event) (eventbus.PreparedReport, error) {
	trust := e.TrustLevel()
	return storedReport(e.Scope, &schema.Memory{
		UID: p.uid, Kind: schema.KindEpisode, Origin: e.Origin, Trust: trust, EventTime: schema.At(e.OccurredAt), EventID: e.ID, SessionName: e.Scope.Session,
	}, false)
}

// inspectLabels inspects what is said about a message beside its text.
func inspectLabels(m eventbus.Message) poison.Reason {
	for _, name := range slices.Sorted(maps.Keys(m.Attributes)) {
		if doubt := poison.Inspect(m.Attributes[name]); doubt != "" {
			return doubt
		}
	}
	return poison.InspectAll(m.Tags...)
}

// memory is the memory of a message that the journal holds.
func (p *episode) memory(ctx context.Context, tx *schema.Tx, e *eventbus.Event) (*schema.Memory, error) {
	userID, err := tx.UserID(ctx, e.Scope)
	if err != nil {
		return nil, err
	}
	sessionID, err := tx.SessionID(ctx, userID, e.Scope.Session)
	if err != nil {
		return nil, err
	}
	m := &schema.Memory{
		UID: p.uid, UserID: userID, SessionID: sessionID, EventSeq: e.Seq, Agent: e.Scope.Agent, SessionName: e.Scope.Session, EventID: e.ID,
		Kind: schema.KindEpisode, Role: p.message.Role, Speaker: p.message.Speaker, Content: p.message.Text, ContentHash: p.hash,
		EventTime: schema.At(e.OccurredAt), Confidence: 1, Utility: 0.5,
		Origin: e.Origin, Trust: e.TrustLevel(), Tags: p.message.Tags, Importance: p.message.Importance / 10,
	}
	m.Attributes = attributesOf(p.message)
	if p.doubt != "" {
		m.State, m.Attributes[schema.AttrQuarantine] = schema.StateQuarantined, string(p.doubt)
		m.Importance = 0 // what is set aside weighs nothing
	}
	return m, nil
}

func attributesOf(m eventbus.Message) schema.Attributes {
	attributes := make(schema.Attributes, len(m.Attributes))
	maps.Copy(attributes, m.Attributes)
	if m.Tool != "" {
		attributes[schema.AttrTool] = m.Tool
	}
	if m.Partial {
		attributes[schema.AttrPartial] = "true"
	}
	return attributes
}

// Announce reports a new memory on the bus, in the transaction that stores it. It returns
// [schema.ErrNotFound], so that nothing is stored, if the memory's user was erased since
// the caller read who that is.
func (m *Memory) Announce(ctx context.Context, tx *schema.Tx, scope schema.Scope, stored *schema.Memory) error {
	return m.announce(ctx, tx, scope, stored, false)
}

// AnnounceRestored is [Memory.Announce] of a memory that brought its entities
// along.
func (m *Memory) AnnounceRestored(ctx context.Context, tx *schema.Tx, scope schema.Scope, stored *schema.Memory) error {
	return m.announce(ctx, tx, scope, stored, true)
}

func (m *Memory) announce(ctx context.Context, tx *schema.Tx, scope schema.Scope, stored *schema.Memory, restored bool) error {
	if err := tx.SameUser(ctx, scope, stored.UserID); err != nil {
		return err
	}
	report, err := storedReport(scope, stored, restored)
	if err != nil {
		return err
	}
	m.wakeVectors(tx)
	return m.Bus.AppendPrepared(ctx, tx, report)
}

// wakeVectors has the vectoriser look for new texts when tx is committed.
func (m *Memory) wakeVectors(tx *schema.Tx) {
	if m.Vectors != nil {
		tx.OnCommit(m.Vectors.Wake)
	}
}

func storedReport(scope schema.Scope, m *schema.Memory, restored bool) (eventbus.PreparedReport, error) {
	report, err := eventbus.New(eventbus.TopicMemoryStored, scope, m.Origin,
		eventbus.Stored{ID: m.UID, Kind: string(m.Kind), EventID: m.EventID, Session: m.SessionName, Restored: restored})
	if err != nil {
		return eventbus.PreparedReport{}, err
	}
	report.ID, report.Trust, report.OccurredAt = "", &m.Trust, m.EventTime.Time
	return eventbus.PrepareReport(report)
}
