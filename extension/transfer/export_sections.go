package transfer

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/ebbmem/ebb/schema"
)

// The sections of an export that are one query each. Every order is one that
// an import gives the rows again.

func (e *exporter) tombstones(ctx context.Context) error {
	return e.each(ctx, "SELECT id_hash, erased_at FROM tombstones WHERE user_id = ? ORDER BY id_hash", func(row scanner) (exportLine, error) {
		r := new(tombstoneRecord)
		return exportLine{Tombstone: r}, row.Scan(&r.IDHash, &r.ErasedAt)
	})
}

func (e *exporter) sessions(ctx context.Context) error {
	return e.each(ctx, "SELECT name, created_at FROM sessions WHERE user_id = ? ORDER BY id", func(row scanner) (exportLine, error) {
		r := new(sessionRecord)
		return exportLine{Session: r}, row.Scan(&r.Name, &r.CreatedAt)
	})
}

func (e *exporter) runs(ctx context.Context) error {
	return e.each(ctx, `SELECT uid, cause, local_day, state, started_at, finished_at, stages, error, calls, input_tokens, output_tokens, cost, faults
		FROM runs WHERE user_id = ? ORDER BY id`, func(row scanner) (exportLine, error) {
		r := new(schema.Run)
		var stages string
		err := row.Scan(&r.UID, &r.Cause, &r.LocalDay, &r.State, &r.StartedAt, &r.FinishedAt, &stages, &r.Error,
			&r.Calls, &r.InputTokens, &r.OutputTokens, &r.Cost, &r.Faults)
		r.Stages = json.RawMessage(stages)
		return exportLine{Run: r}, err
	})
}

func (e *exporter) entities(ctx context.Context) error {
	return e.each(ctx, `SELECT uid, type, name, summary, confidence, mention_count, protected, created_at
		FROM entities WHERE user_id = ? ORDER BY id`, func(row scanner) (exportLine, error) {
		r := new(schema.Entity)
		return exportLine{Entity: r}, row.Scan(&r.UID, &r.Type, &r.Name, &r.Summary, &r.Confidence, &r.MentionCount, &r.Protected, &r.CreatedAt)
	})
}

func (e *exporter) merged(ctx context.Context) error {
	return e.each(ctx, `SELECT e.uid, t.uid FROM entities e JOIN entities t ON t.id = e.merged_into
		WHERE e.user_id = ? ORDER BY e.id`, func(row scanner) (exportLine, error) {
		r := new(mergedRecord)
		return exportLine{Merged: r}, row.Scan(&r.Entity, &r.Into)
	})
}

func (e *exporter) aliases(ctx context.Context) error {
	return e.each(ctx, `SELECT e.uid, a.alias, a.surface, a.confidence FROM entity_aliases a
		JOIN entities e ON e.id = a.entity_id WHERE a.user_id = ? ORDER BY e.id, a.alias`, func(row scanner) (exportLine, error) {
		r := new(aliasRecord)
		return exportLine{Alias: r}, row.Scan(&r.Entity, &r.Alias, &r.Surface, &r.Confidence)
	})
}

// messages are the events that memories come from, and the host's own;
// reports are those of ebb, which speak of memories.
func (e *exporter) messages(ctx context.Context) error { return e.events(ctx, "NOT GLOB") }
func (e *exporter) reports(ctx context.Context) error  { return e.events(ctx, "GLOB") }

func (e *exporter) events(ctx context.Context, reports string) error {
	return e.each(ctx, `SELECT v.id, v.topic, v.agent, v.session, v.origin, v.trust, v.payload, v.occurred_at, v.recorded_at,
			i.session, i.channel, i.query, i.items, i.shown_at
		FROM events v LEFT JOIN injections i ON i.event_seq = v.seq
		WHERE v.user_id = ? AND v.id IS NOT NULL AND v.topic `+reports+` 'memory.*' AND `+schema.NotErasing("events", "v.seq")+` ORDER BY v.seq`, func(row scanner) (exportLine, error) {
		r := new(eventRecord)
		var payload string
		var session, channel, query, items sql.NullString
		var shown schema.Time
		err := row.Scan(&r.ID, &r.Topic, &r.Agent, &r.Session, &r.Origin, &r.Trust, &payload, &r.OccurredAt, &r.RecordedAt,
			&session, &channel, &query, &items, &shown)
		r.Payload = json.RawMessage(payload)
		if channel.Valid {
			r.Injection = &injectionRecord{session.String, channel.String, query.String, json.RawMessage(items.String), shown}
		}
		return exportLine{Event: r}, err
	})
}

func (e *exporter) superseded(ctx context.Context) error {
	return e.each(ctx, `SELECT m.uid, n.uid FROM memories m JOIN memories n ON n.id = m.superseded_by
		WHERE m.user_id = ? AND `+schema.NotErasing("memories", "m.id")+" AND "+schema.NotErasing("memories", "n.id")+" ORDER BY m.id", func(row scanner) (exportLine, error) {
		r := new(supersededRecord)
		return exportLine{Superseded: r}, row.Scan(&r.Memory, &r.By)
	})
}

func (e *exporter) sources(ctx context.Context) error {
	return e.each(ctx, `SELECT m.uid, s.uid, ms.quote FROM memory_sources ms
		JOIN memories m ON m.id = ms.memory_id JOIN memories s ON s.id = ms.source_id
		WHERE m.user_id = ? AND `+schema.NotErasing("memories", "m.id")+" AND "+schema.NotErasing("memories", "s.id")+" ORDER BY m.id, s.id", func(row scanner) (exportLine, error) {
		r := new(sourceRecord)
		return exportLine{Source: r}, row.Scan(&r.Memory, &r.Source, &r.Quote)
	})
}

func (e *exporter) links(ctx context.Context) error {
	return e.each(ctx, `SELECT f.uid, t.uid, l.type, l.weight, l.created_at, coalesce(r.uid, '') FROM links l
		JOIN memories f ON f.id = l.from_id JOIN memories t ON t.id = l.to_id LEFT JOIN runs r ON r.id = l.run_id
		WHERE f.user_id = ? AND `+schema.NotErasing("memories", "f.id")+" AND "+schema.NotErasing("memories", "t.id")+" ORDER BY f.id, t.id, l.type", func(row scanner) (exportLine, error) {
		r := new(linkRecord)
		return exportLine{Link: r}, row.Scan(&r.From, &r.To, &r.Type, &r.Weight, &r.CreatedAt, &r.Run)
	})
}

func (e *exporter) blocks(ctx context.Context) error {
	return e.each(ctx, "SELECT agent, name, kind, content, trust, version, updated_at FROM blocks WHERE user_id = ? ORDER BY id", func(row scanner) (exportLine, error) {
		r := new(blockRecord)
		return exportLine{Block: r}, row.Scan(&r.Agent, &r.Name, &r.Kind, &r.Content, &r.Trust, &r.Version, &r.UpdatedAt)
	})
}

func (e *exporter) blockVersions(ctx context.Context) error {
	return e.each(ctx, `SELECT b.agent, b.name, h.version, h.content, h.trust, h.actor, h.agent, h.at FROM block_history h
		JOIN blocks b ON b.id = h.block_id WHERE b.user_id = ? ORDER BY b.id, h.version`, func(row scanner) (exportLine, error) {
		r := new(blockVersionRecord)
		return exportLine{BlockVersion: r}, row.Scan(&r.Agent, &r.Name, &r.Version, &r.Content, &r.Trust, &r.Actor, &r.As, &r.At)
	})
}

func (e *exporter) proposals(ctx context.Context) error {
	return e.each(ctx, `SELECT p.uid, coalesce(r.uid, ''), p.kind, p.payload, p.reason, p.state, p.created_at, p.decided_at, p.decided_by
		FROM proposals p LEFT JOIN runs r ON r.id = p.run_id WHERE p.user_id = ? ORDER BY p.id`, func(row scanner) (exportLine, error) {
		r := new(proposalRecord)
		return exportLine{Proposal: r}, row.Scan(&r.ID, &r.Run, &r.Kind, &r.Payload, &r.Reason, &r.State, &r.CreatedAt, &r.DecidedAt, &r.DecidedBy)
	})
}

func (e *exporter) confirmations(ctx context.Context) error {
	return e.each(ctx, `SELECT c.uid, m.uid, c.shown, c.token_hash, c.state, c.created_at, c.decided_at
		FROM confirmations c JOIN memories m ON m.id = c.memory_id WHERE c.user_id = ? ORDER BY c.id`, func(row scanner) (exportLine, error) {
		r := new(confirmationRecord)
		return exportLine{Confirmation: r}, row.Scan(&r.ID, &r.Memory, &r.Shown, &r.TokenHash, &r.State, &r.CreatedAt, &r.DecidedAt)
	})
}

func (e *exporter) ops(ctx context.Context) error {
	var uid strings.Builder
	uid.WriteString("coalesce(CASE o.record")
	for _, table := range opTables {
		fmt.Fprintf(&uid, " WHEN '%s' THEN (SELECT uid FROM %[1]s WHERE id = o.record_id AND user_id = o.user_id)", table)
	}
	uid.WriteString(" WHEN '" + opBlocks + "' THEN (SELECT json_array(agent, name) FROM blocks WHERE id = o.record_id AND user_id = o.user_id) END, '')")
	return e.each(ctx, "SELECT o.record, "+uid.String()+", coalesce(r.uid, ''), o.at, o.actor, o.operation, "+schema.OpWithPublicIDs("before")+", "+schema.OpWithPublicIDs("after")+`
		FROM ops o LEFT JOIN runs r ON r.id = o.run_id WHERE o.user_id = ? AND o.record <> 'erasures' AND (o.record <> 'memories' OR `+schema.NotErasing("memories", "o.record_id")+") ORDER BY o.id", func(row scanner) (exportLine, error) {
		r := new(opRecord)
		err := row.Scan(&r.Record, &r.ID, &r.Run, &r.At, &r.Actor, &r.Operation, &r.Before, &r.After)
		if err == nil && r.Record != opBlocks && !slices.Contains(opTables, r.Record) {
			err = fmt.Errorf("%w: the audit speaks of the table %q, which this version of the export cannot name", schema.ErrCorrupt, r.Record)
		}
		return exportLine{Op: r}, err
	})
}

func (e *exporter) documents(ctx context.Context) error {
	return e.each(ctx, "SELECT uri, hash, read_at FROM documents WHERE user_id = ? ORDER BY id", func(row scanner) (exportLine, error) {
		r := new(documentRecord)
		return exportLine{Document: r}, row.Scan(&r.URI, &r.Hash, &r.ReadAt)
	})
}
