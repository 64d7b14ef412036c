package transfer

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"

	"github.com/google/uuid"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/internal/memory"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/records"
)

// journalEpisodes writes journal entries for imported episodes that have none.
func journalEpisodes(ctx context.Context, tx *schema.Tx, of records.Arrivals) (changed int, err error) {
	lost, err := of.WithoutEvents(ctx, tx)
	if err != nil {
		return 0, err
	}
	for i := range lost {
		e := &lost[i]
		topic := cmp.Or(map[string]string{"assistant": eventbus.TopicAgentResponse, "tool": eventbus.TopicToolResult}[e.Role], eventbus.TopicUserMessage)
		payload, err := json.Marshal(rememberedMessage(&e.Memory))
		if err != nil {
			return 0, err
		}
		// No line of the file can have taken this id.
		if err := e.Journal(ctx, tx, "imported-"+uuid.NewString(), topic, payload); err != nil {
			return 0, err
		}
	}
	return len(lost), nil
}

// rememberedMessage reconstructs the message of an episode. Importance is left out,
// since the memory does not record whether it came with the message.
func rememberedMessage(m *schema.Memory) eventbus.Message {
	attributes := maps.Clone(map[string]string(m.Attributes))
	maps.DeleteFunc(attributes, func(name, _ string) bool { return schema.OwnAttribute(name) })
	return eventbus.Message{
		Text: m.Content, Speaker: m.Speaker, Role: m.Role, Tool: m.Attributes[schema.AttrTool],
		Partial: m.Attributes[schema.AttrPartial] != "", Attributes: attributes, Tags: m.Tags,
	}
}

// rememberMessages stores the episodes of imported messages that have none, at most
// 500 per call.
func rememberMessages(ctx context.Context, m *memory.Memory, tx *schema.Tx, owner schema.Scope, of records.Arrivals) (changed int, err error) {
	lost, err := of.WithoutEpisodes(ctx, tx)
	if err != nil {
		return 0, err
	}
	for _, row := range lost {
		trust := row.Trust
		e := &eventbus.Event{
			Seq: row.Seq, ID: row.ID, Topic: row.Topic, Scope: schema.Scope{Tenant: owner.Tenant, User: owner.User, Session: row.Session, Agent: row.Agent},
			Origin: row.Origin, Trust: &trust, Payload: row.Payload, OccurredAt: row.OccurredAt.Time,
		}
		if err := m.Remember(ctx, tx, e); err != nil {
			return 0, fmt.Errorf("journal entry %d: %w", row.Seq, err)
		}
	}
	return len(lost), nil
}
