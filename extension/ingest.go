package extension

import (
	"context"
	"maps"
	"slices"

	"github.com/google/uuid"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/internal/poison"
	"github.com/ebbmem/ebb/schema"
)

// episode is a message made ready for the transaction.
type episode struct {
	message eventbus.Message
	uid     string
	stored  eventbus.PreparedReport
	hash    string
	chunks  []schema.Chunk
	doubt   poison.Reason // why it is set aside; "" for most
}

// prepareEpisode does what ingesting costs, before the transaction.
func prepareEpisode(e *eventbus.Event) (any, error) {
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
		p.doubt = inspect(m.Text, m.Speaker, m.Tool)
	}
	if p.doubt == "" && len(m.Attributes)+len(m.Tags) > 0 { // labels are the host's, whoever speaks
		p.doubt = inspectLabels(m)
	}
	return p, nil
}

// report says that the message, which e brings, is stored.
func (p *episode) report(e *eventbus.Event) (eventbus.PreparedReport, error) {
	trust := e.TrustLevel()
	return storedReport(e.Scope, &schema.Memory{
		UID: p.uid, Kind: schema.KindEpisode, Origin: e.Origin, Trust: trust, EventTime: schema.At(e.OccurredAt), EventID: e.ID, SessionName: e.Scope.Session,
	}, false)
}

// inspectLabels is inspect for what is said about a message beside its text.
func inspectLabels(m eventbus.Message) poison.Reason {
	for _, name := range slices.Sorted(maps.Keys(m.Attributes)) {
		if doubt := inspect(m.Attributes[name]); doubt != "" {
			return doubt
		}
	}
	return inspect(m.Tags...)
}

// inspect says why a text, or a label that stands beside it, reads as if it
// were written for a model; "" when none does.
func inspect(texts ...string) poison.Reason {
	for _, s := range texts {
		if doubt := poison.Inspect(s); doubt != "" {
			return doubt
		}
	}
	return ""
}

// ingestEpisodes stores the messages inside Publish's transaction: when Publish
// returns, the episodes are on disk and their text is found.
func (x *Extension) ingestEpisodes(ctx context.Context, tx *schema.Tx, events []eventbus.Ingested) error {
	memories, reports := make([]schema.NewMemory, 0, len(events)), make([]eventbus.PreparedReport, 0, len(events))
	for _, e := range events {
		p, ok := e.Prepared.(*episode)
		if !ok {
			continue
		}
		m, err := p.memory(ctx, tx, e.Event)
		if err != nil {
			return err
		}
		memories, reports = append(memories, schema.NewMemory{Memory: m, Chunks: p.chunks}), append(reports, p.stored)
	}
	if len(memories) == 0 {
		return nil
	}
	if err := tx.InsertMemories(ctx, memories...); err != nil {
		return err
	}
	for _, m := range memories {
		if m.Importance > 0 { // else it is rated, and counted, in the background
			if err := tx.GatherImportance(ctx, m.UserID, m.Importance); err != nil {
				return err
			}
		}
	}
	return x.announcePrepared(ctx, tx, reports...)
}

// memory is the episode of a message that the journal has.
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

// announce reports a new memory on the bus, in the transaction that stores it.
func (x *Extension) announce(ctx context.Context, tx *schema.Tx, scope schema.Scope, m *schema.Memory) error {
	return x.announceStored(ctx, tx, scope, m, false)
}

func (x *Extension) announceStored(ctx context.Context, tx *schema.Tx, scope schema.Scope, m *schema.Memory, restored bool) error {
	report, err := storedReport(scope, m, restored)
	if err != nil {
		return err
	}
	return x.announcePrepared(ctx, tx, report)
}

func (x *Extension) announcePrepared(ctx context.Context, tx *schema.Tx, reports ...eventbus.PreparedReport) error {
	if x.vectors != nil {
		tx.OnCommit(x.vectors.Wake)
	}
	return x.bus.AppendPrepared(ctx, tx, reports...)
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
