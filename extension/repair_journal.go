package extension

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"

	"github.com/google/uuid"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/schema"
)

// repairedID begins the ids of journal entries whose own are lost. A host that
// sends such a message again under its old id has it remembered twice.
const repairedID = "repaired-"

// repairJournal writes the journal's entries of episodes anew that have lost
// theirs, in their old places where these are known: behind what consumers have
// read, so that nobody is told again.
func (x *Extension) repairJournal(ctx context.Context, tx *schema.Tx) (changed int64, detail string, err error) {
	changed, err = x.journalEpisodes(ctx, tx, arrivals{})
	return changed, "entries written anew from what was remembered; their own ids are lost", err
}

// arrivals are the memories and events of one user that came after others; the
// zero value is all of everybody.
type arrivals struct {
	userID           int64
	memory, eventSeq int64 // the last ones before
}

const ofArrivals = " AND (? = 0 OR %[1]s.user_id = ? AND %[1]s.%[2]s > ?)"

// journalEpisodes is repairJournal of some episodes.
func (x *Extension) journalEpisodes(ctx context.Context, tx *schema.Tx, of arrivals) (changed int64, err error) {
	var lost []struct {
		schema.Memory
		Session string
		Taken   bool
	}
	err = tx.NewRaw(`SELECT m.id, m.uid, m.user_id, coalesce(m.event_seq, 0) AS event_seq, m.agent, m.role, m.speaker, m.content, m.origin, m.trust,
			m.event_time, m.created_at, m.tags, m.attributes, coalesce(s.name, '') AS session, e.seq IS NOT NULL AS taken
		FROM memories m LEFT JOIN events e ON e.seq = m.event_seq LEFT JOIN sessions s ON s.id = m.session_id
		WHERE m.kind = 'episode' AND (e.seq IS NULL OR e.user_id <> m.user_id)`+fmt.Sprintf(ofArrivals, "m", "id")+" ORDER BY m.id",
		of.userID, of.userID, of.memory).Scan(ctx, &lost)
	if err != nil {
		return 0, err
	}
	for _, m := range lost {
		topic := map[string]string{"assistant": eventbus.TopicAgentResponse, "tool": eventbus.TopicToolResult}[m.Role]
		if topic == "" {
			topic = eventbus.TopicUserMessage
		}
		payload, err := json.Marshal(rememberedMessage(&m.Memory))
		if err != nil {
			return 0, err
		}
		var seq any
		if m.EventSeq != 0 && !m.Taken {
			seq = m.EventSeq
		}
		id := repairedID + m.UID
		if of.userID != 0 {
			id = "imported-" + uuid.NewString() // which no line of the file can have taken
		}
		var stored int64
		if err := tx.Row(ctx, `INSERT INTO events (seq, user_id, id, topic, agent, session, origin, trust, payload, occurred_at, recorded_at)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING seq`,
			[]any{seq, m.UserID, id, topic, m.Agent, m.Session, string(m.Origin), int64(m.Trust), string(payload), m.EventTime, m.CreatedAt}, &stored); err != nil {
			return 0, err
		}
		if _, err := tx.Exec(ctx, "UPDATE memories SET event_seq = ? WHERE id = ?", stored, m.ID); err != nil {
			return 0, err
		}
		changed++
	}
	return changed, nil
}

// rememberedMessage is the message that an episode was, as far as the memory
// tells: not whether its importance was given with it or is that of its text.
func rememberedMessage(m *schema.Memory) eventbus.Message {
	attributes := maps.Clone(map[string]string(m.Attributes))
	maps.DeleteFunc(attributes, func(name, _ string) bool { return schema.OwnAttribute(name) })
	return eventbus.Message{
		Text: m.Content, Speaker: m.Speaker, Role: m.Role, Tool: m.Attributes[schema.AttrTool],
		Partial: m.Attributes[schema.AttrPartial] != "", Attributes: attributes, Tags: m.Tags,
	}
}

// repairMessages remembers messages of the journal that were not, or no longer.
func (x *Extension) repairMessages(ctx context.Context, tx *schema.Tx) (changed int64, detail string, err error) {
	changed, err = x.rememberMessages(ctx, tx, arrivals{})
	return changed, "of the journal remembered again, under new ids", err
}

// rememberMessages is repairMessages of some messages, at most 500.
func (x *Extension) rememberMessages(ctx context.Context, tx *schema.Tx, of arrivals) (changed int64, err error) {
	var lost []struct {
		schema.EventRow
		Tenant, Name string
	}
	const batch = 500
	err = tx.NewRaw(`SELECT e.*, u.tenant, u.name FROM events e JOIN users u ON u.id = e.user_id
		WHERE e.topic IN ('user.message', 'agent.response', 'tool.result')
			AND e.seq NOT IN (SELECT event_seq FROM memories WHERE event_seq IS NOT NULL)
			AND e.seq NOT IN (SELECT id FROM erasing WHERE record = 'events') AND json_valid(e.payload)`+fmt.Sprintf(ofArrivals, "e", "seq")+" ORDER BY e.seq LIMIT ?",
		of.userID, of.userID, of.eventSeq, batch).Scan(ctx, &lost)
	if err != nil {
		return 0, err
	}
	for _, row := range lost {
		trust := row.Trust
		e := &eventbus.Event{
			Seq: row.Seq, ID: row.ID, Topic: row.Topic, Scope: Scope{Tenant: row.Tenant, User: row.Name, Session: row.Session, Agent: row.Agent},
			Origin: row.Origin, Trust: &trust, Payload: row.Payload, OccurredAt: row.OccurredAt.Time,
		}
		prepared, err := prepareEpisode(e)
		if err != nil {
			return 0, fmt.Errorf("journal entry %d: %w", row.Seq, err)
		}
		if err := x.ingestEpisodes(ctx, tx, []eventbus.Ingested{{Event: e, Prepared: prepared}}); err != nil {
			return 0, fmt.Errorf("journal entry %d: %w", row.Seq, err)
		}
		changed++
	}
	return changed, nil
}

// repairTexts gives episodes their words back that are not those they were
// stored with, where the journal still has them.
func repairTexts(ctx context.Context, tx *schema.Tx) (changed int64, detail string, err error) {
	altered, err := alteredTexts(ctx, tx)
	if err != nil {
		return 0, "", err
	}
	for _, id := range altered {
		var hash, topic, payload string
		err := tx.Row(ctx, "SELECT m.content_hash, coalesce(e.topic, ''), coalesce(e.payload, '') FROM memories m LEFT JOIN events e ON e.seq = m.event_seq WHERE m.id = ?",
			[]any{id}, &hash, &topic, &payload)
		if err != nil {
			return 0, "", err
		}
		m, err := eventbus.Event{Topic: topic, Payload: []byte(payload)}.Message()
		if err != nil || schema.HashContent(m.Text) != hash {
			continue // nobody knows what it said
		}
		if _, err := tx.Exec(ctx, "UPDATE memories SET content = ? WHERE id = ?", m.Text, id); err != nil {
			return 0, "", err
		}
		if _, err := tx.Exec(ctx, "DELETE FROM chunks WHERE memory_id = ?", id); err != nil { // made anew by a later step
			return 0, "", err
		}
		changed++
	}
	return changed, "put back as the journal has them", nil
}
