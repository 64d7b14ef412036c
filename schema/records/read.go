package records

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/ebbmem/ebb/schema"
)

// Reader reads the records of one user in one snapshot.
type Reader struct {
	Snapshot *schema.Snapshot
	UserID   int64
	// WrittenAt is the header's: a time before Snapshot, so that what the snapshot
	// does not know was erased later.
	WrittenAt schema.Time
	// A memory whose report of Topic was not handled by Consumer was not looked
	// through for mentions yet.
	Topic, Consumer string
	// Put takes a record. The record is not used again.
	Put func(Line) error

	unlinked map[string]bool // memories by public id
}

// Read puts all records in the order in which they can be written: first the header,
// and each after those it refers to.
func (r *Reader) Read(ctx context.Context) error {
	if err := r.header(ctx); err != nil {
		return err
	}
	if err := r.sections(ctx, referred); err != nil {
		return err
	}
	if err := r.memories(ctx); err != nil {
		return err
	}
	return r.sections(ctx, referring)
}

func (r *Reader) header(ctx context.Context) error {
	user, err := r.Snapshot.UserByID(ctx, r.UserID)
	if err != nil {
		return err
	}
	return r.Put(Line{Header: &Header{
		Export: Version, Tenant: user.Tenant, User: user.Name, TimeZone: user.TimeZone,
		CreatedAt: user.CreatedAt, WrittenAt: r.WrittenAt, NightsThrough: user.NightsThrough, ImportanceSince: user.ImportanceSince,
		Cycle: user.Cycle, ReflectedCycle: user.ReflectedCycle, ReflectedAt: user.ReflectedAt,
	}})
}

func (r *Reader) sections(ctx context.Context, all []section) error {
	for _, section := range all {
		if err := r.section(ctx, section); err != nil {
			return err
		}
	}
	return nil
}

func (r *Reader) section(ctx context.Context, of section) error {
	rows, err := r.Snapshot.Query(ctx, of.query, r.UserID)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		line, err := of.read(rows)
		if err != nil {
			return err
		}
		if err := r.Put(line); err != nil {
			return err
		}
	}
	return rows.Err()
}

// pageSize is how many memories are read at a time.
const pageSize = 64

func (r *Reader) memories(ctx context.Context) error {
	if err := r.readUnlinked(ctx); err != nil {
		return err
	}
	for after := int64(0); ; {
		// The plus keeps SQLite from sorting all of the user's memories for each page.
		ids, err := schema.Column[int64](ctx, r.Snapshot.Query, "SELECT m.id FROM memories m WHERE +m.user_id = ? AND m.id > ? ORDER BY m.id LIMIT ?", r.UserID, after, pageSize)
		if err != nil || len(ids) == 0 {
			return err
		}
		after = ids[len(ids)-1]
		if err := r.page(ctx, ids); err != nil {
			return err
		}
	}
}

// StreamIDs returns the first limit row ids above after of a user's stream: the entries
// of agents and the active reflections of nights.
func StreamIDs(ctx context.Context, s *schema.Snapshot, userID, after int64, limit int) ([]int64, error) {
	return schema.Column[int64](ctx, s.Query, `SELECT m.id FROM memories m WHERE +m.user_id = ? AND m.id > ? AND (m.kind = 'episode' AND json_extract(m.attributes, '$.type') IS NOT NULL
		OR m.kind = 'reflection' AND m.state = 'active') ORDER BY m.id LIMIT ?`, userID, after, limit)
}

// readUnlinked lists what the enricher has not come to. What was restored
// brought its mentions along, so it is not waiting for any.
func (r *Reader) readUnlinked(ctx context.Context) error {
	r.unlinked = make(map[string]bool)
	var uid string
	return schema.Each(ctx, r.Snapshot.Query, []any{&uid}, func() error {
		r.unlinked[uid] = true
		return nil
	}, `SELECT json_extract(payload, '$.id') FROM events
		WHERE user_id = ?1 AND topic = ?2 AND coalesce(json_type(payload, '$.restored'), '') <> 'true' AND seq IN (
			SELECT seq FROM events WHERE seq > coalesce((SELECT cursor FROM consumers WHERE name = ?3), 0)
			UNION ALL SELECT seq FROM deliveries WHERE consumer = ?3)`, r.UserID, r.Topic, r.Consumer)
}

func (r *Reader) page(ctx context.Context, ids []int64) error {
	memories, err := r.Snapshot.MemoriesByID(ctx, r.UserID, ids)
	if err != nil {
		return err
	}
	byID := make(map[int64]*schema.Memory, len(memories))
	for i := range memories {
		byID[memories[i].ID] = &memories[i]
	}
	for _, id := range ids {
		m := byID[id]
		if m == nil {
			return fmt.Errorf("%w: memory %d stands in an index and not in its table", schema.ErrCorrupt, id)
		}
		record := &Memory{Memory: *m, Unlinked: r.unlinked[m.UID]}
		if record.RunID != 0 {
			if err := r.Snapshot.Row(ctx, "SELECT uid FROM runs WHERE id = ?", []any{record.RunID}, &record.Run); err != nil {
				return err
			}
		}
		if record.Mentions, err = schema.List(ctx, r.Snapshot.Query, func(m *Mention) []any {
			return []any{&m.Entity, &m.Surface, &m.Confidence}
		}, `SELECT n.uid, me.surface, me.confidence FROM memory_entities me
			JOIN entities n ON n.id = me.entity_id WHERE me.memory_id = ? ORDER BY me.entity_id`, id); err != nil {
			return err
		}
		if err := r.Put(Line{Memory: record}); err != nil {
			return err
		}
	}
	return nil
}

// scanner reads the columns of one row.
type scanner interface{ Scan(dest ...any) error }

// section is one query about a user, its only argument, and the record of a row.
// Every order is one that an import gives the rows again.
type section struct {
	query string
	read  func(row scanner) (Line, error)
}

// referred are the records that memories refer to.
var referred = []section{
	{"SELECT id_hash, erased_at FROM tombstones WHERE user_id = ? ORDER BY id_hash", func(row scanner) (Line, error) {
		v := new(Tombstone)
		return Line{Tombstone: v}, row.Scan(&v.IDHash, &v.ErasedAt)
	}},
	{"SELECT name, created_at FROM sessions WHERE user_id = ? ORDER BY id", func(row scanner) (Line, error) {
		v := new(Session)
		return Line{Session: v}, row.Scan(&v.Name, &v.CreatedAt)
	}},
	{`SELECT uid, cause, local_day, state, started_at, finished_at, stages, error, calls, input_tokens, output_tokens, cost, faults
		FROM runs WHERE user_id = ? ORDER BY id`, func(row scanner) (Line, error) {
		v := new(schema.Run)
		var stages string
		err := row.Scan(&v.UID, &v.Cause, &v.LocalDay, &v.State, &v.StartedAt, &v.FinishedAt, &stages, &v.Error,
			&v.Calls, &v.InputTokens, &v.OutputTokens, &v.Cost, &v.Faults)
		v.Stages = json.RawMessage(stages)
		return Line{Run: v}, err
	}},
	{`SELECT uid, type, name, summary, confidence, mention_count, protected, created_at
		FROM entities WHERE user_id = ? ORDER BY id`, func(row scanner) (Line, error) {
		v := new(schema.Entity)
		return Line{Entity: v}, row.Scan(&v.UID, &v.Type, &v.Name, &v.Summary, &v.Confidence, &v.MentionCount, &v.Protected, &v.CreatedAt)
	}},
	{`SELECT e.uid, t.uid FROM entities e JOIN entities t ON t.id = e.merged_into
		WHERE e.user_id = ? ORDER BY e.id`, func(row scanner) (Line, error) {
		v := new(Merged)
		return Line{Merged: v}, row.Scan(&v.Entity, &v.Into)
	}},
	{`SELECT e.uid, a.alias, a.surface, a.confidence FROM entity_aliases a
		JOIN entities e ON e.id = a.entity_id WHERE a.user_id = ? ORDER BY e.id, a.alias`, func(row scanner) (Line, error) {
		v := new(Alias)
		return Line{Alias: v}, row.Scan(&v.Entity, &v.Alias, &v.Surface, &v.Confidence)
	}},
	{eventsWhose("<>"), readEvent}, // those that memories come from, and the host's own
}

// referring are the records that refer to memories.
var referring = []section{
	{`SELECT m.uid, n.uid FROM memories m JOIN memories n ON n.id = m.superseded_by
		WHERE m.user_id = ? ORDER BY m.id`, func(row scanner) (Line, error) {
		v := new(Superseded)
		return Line{Superseded: v}, row.Scan(&v.Memory, &v.By)
	}},
	{`SELECT m.uid, s.uid, ms.quote FROM memory_sources ms
		JOIN memories m ON m.id = ms.memory_id JOIN memories s ON s.id = ms.source_id
		WHERE m.user_id = ? ORDER BY m.id, s.id`, func(row scanner) (Line, error) {
		v := new(Source)
		return Line{Source: v}, row.Scan(&v.Memory, &v.Source, &v.Quote)
	}},
	{`SELECT f.uid, t.uid, l.type, l.confidence, l.created_at, coalesce(r.uid, '') FROM links l
		JOIN memories f ON f.id = l.from_id JOIN memories t ON t.id = l.to_id LEFT JOIN runs r ON r.id = l.run_id
		WHERE f.user_id = ? ORDER BY f.id, t.id, l.type`, func(row scanner) (Line, error) {
		v := new(Link)
		return Line{Link: v}, row.Scan(&v.From, &v.To, &v.Type, &v.Confidence, &v.CreatedAt, &v.Run)
	}},
	{"SELECT agent, name, kind, content, trust, version, updated_at FROM blocks WHERE user_id = ? ORDER BY id", func(row scanner) (Line, error) {
		v := new(Block)
		return Line{Block: v}, row.Scan(&v.Agent, &v.Name, &v.Kind, &v.Content, &v.Trust, &v.Version, &v.UpdatedAt)
	}},
	{`SELECT b.agent, b.name, h.version, h.content, h.trust, h.actor, h.agent, h.at FROM block_history h
		JOIN blocks b ON b.id = h.block_id WHERE b.user_id = ? ORDER BY b.id, h.version`, func(row scanner) (Line, error) {
		v := new(BlockVersion)
		return Line{BlockVersion: v}, row.Scan(&v.Agent, &v.Name, &v.Version, &v.Content, &v.Trust, &v.Actor, &v.As, &v.At)
	}},
	{`SELECT p.uid, coalesce(r.uid, ''), p.kind, p.payload, p.reason, p.state, p.created_at, p.decided_at, p.decided_by
		FROM proposals p LEFT JOIN runs r ON r.id = p.run_id WHERE p.user_id = ? ORDER BY p.id`, func(row scanner) (Line, error) {
		v := new(Proposal)
		return Line{Proposal: v}, row.Scan(&v.ID, &v.Run, &v.Kind, &v.Payload, &v.Reason, &v.State, &v.CreatedAt, &v.DecidedAt, &v.DecidedBy)
	}},
	{"SELECT uid, stage, memories, attempts, last_error, created_at FROM gaps WHERE user_id = ? ORDER BY id", func(row scanner) (Line, error) {
		v := new(Gap)
		return Line{Gap: v}, row.Scan(&v.ID, &v.Stage, &v.Memories, &v.Attempts, &v.LastError, &v.CreatedAt)
	}},
	{opsQuery(), func(row scanner) (Line, error) {
		v := new(Op)
		err := row.Scan(&v.Record, &v.ID, &v.Run, &v.At, &v.Actor, &v.Operation, &v.Before, &v.After)
		if err == nil && v.Record != opBlocks && !slices.Contains(opTables, v.Record) {
			err = fmt.Errorf("%w: the audit speaks of the table %q, which this version of the export cannot name", schema.ErrCorrupt, v.Record)
		}
		return Line{Op: v}, err
	}},
	{"SELECT uri, hash, read_at FROM documents WHERE user_id = ? ORDER BY id", func(row scanner) (Line, error) {
		v := new(Document)
		return Line{Document: v}, row.Scan(&v.URI, &v.Hash, &v.ReadAt)
	}},
	{eventsWhose("="), readEvent}, // those of ebb, which speak of memories
	{`SELECT w.name, (SELECT uid FROM memories WHERE user_id = w.user_id AND id <= w.through ORDER BY id DESC LIMIT 1),
			(SELECT count(*) FROM memories WHERE user_id = w.user_id AND id <= w.through)
		FROM watermarks w WHERE w.user_id = ? AND EXISTS (SELECT 1 FROM memories WHERE user_id = w.user_id AND id <= w.through) ORDER BY w.name`, func(row scanner) (Line, error) {
		v := new(Watermark)
		return Line{Watermark: v}, row.Scan(&v.Stage, &v.Memory, &v.Memories)
	}},
}

// eventsWhose is the query of the events whose topic is one of ebb's reports, by =,
// or none of them, by <>.
func eventsWhose(topic string) string {
	return `SELECT v.id, v.topic, v.agent, v.session, v.origin, v.trust, v.payload, v.occurred_at, v.recorded_at,
			i.session, i.channel, i.query, i.items, i.shown_at
		FROM events v LEFT JOIN injections i ON i.event_seq = v.seq
		WHERE v.user_id = ? AND v.id IS NOT NULL AND substr(v.topic, 1, 7) ` + topic + ` 'memory.' ORDER BY v.seq`
}

func readEvent(row scanner) (Line, error) {
	v := new(Event)
	var payload string
	var session, channel, query, items sql.NullString
	var shown schema.Time
	err := row.Scan(&v.ID, &v.Topic, &v.Agent, &v.Session, &v.Origin, &v.Trust, &payload, &v.OccurredAt, &v.RecordedAt,
		&session, &channel, &query, &items, &shown)
	v.Payload = json.RawMessage(payload)
	if channel.Valid {
		v.Injection = &Injection{session.String, channel.String, query.String, json.RawMessage(items.String), shown}
	}
	return Line{Event: v}, err
}

func opsQuery() string {
	var uid strings.Builder
	uid.WriteString("coalesce(CASE o.record")
	for _, table := range opTables {
		fmt.Fprintf(&uid, " WHEN '%s' THEN (SELECT uid FROM %[1]s WHERE id = o.record_id AND user_id = o.user_id)", table)
	}
	uid.WriteString(" WHEN '" + opBlocks + "' THEN (SELECT json_array(agent, name) FROM blocks WHERE id = o.record_id AND user_id = o.user_id) END, '')")
	return "SELECT o.record, " + uid.String() + ", coalesce(r.uid, ''), o.at, o.actor, o.operation, " + schema.OpWithPublicIDs("before") + ", " + schema.OpWithPublicIDs("after") + `
		FROM ops o LEFT JOIN runs r ON r.id = o.run_id WHERE o.user_id = ? AND o.record <> 'erasures' ORDER BY o.id`
}
