package inspect

import (
	"context"
	"time"

	"github.com/ebbmem/ebb/schema"
)

// AuditQuery selects changes.
type AuditQuery struct {
	// Actor is who made them, or, before a colon, what kind of actor: "subagent" finds
	// "subagent:scout". "" finds all.
	Actor string
	// Since and Until bound their time, half open; a zero Until is unbounded.
	Since, Until time.Time
	Limit        int // the newest
}

// AuditEntry is one change. It holds no text of a memory.
type AuditEntry struct {
	At        time.Time `json:"at"`
	Actor     string    `json:"actor"`
	Operation string    `json:"operation"`
	Record    string    `json:"record"`             // memories | entities | proposals | blocks | gaps | runs | …
	ID        string    `json:"id,omitempty"`       // its public id, the name of a block
	Run       string    `json:"run_id,omitempty"`   // that it belongs to
	Critical  bool      `json:"critical,omitempty"` // of a block that the host has marked so
}

// Audit lists changes of a user's memory, oldest first.
func Audit(ctx context.Context, s *schema.Snapshot, userID int64, q AuditQuery) (all []AuditEntry, err error) {
	until := int64(1) << 62
	if !q.Until.IsZero() {
		until = q.Until.UnixMilli()
	}
	var e AuditEntry
	var at schema.Time
	err = schema.Each(ctx, s.Query, []any{&at, &e.Actor, &e.Operation, &e.Record, &e.ID, &e.Run}, func() error {
		e.At = at.Time
		all = append(all, e)
		return nil
	}, `SELECT o.at, o.actor, o.operation, o.record, coalesce(CASE o.record
			WHEN 'memories' THEN (SELECT uid FROM memories WHERE id = o.record_id) WHEN 'entities' THEN (SELECT uid FROM entities WHERE id = o.record_id)
			WHEN 'proposals' THEN (SELECT uid FROM proposals WHERE id = o.record_id)
			WHEN 'blocks' THEN (SELECT name FROM blocks WHERE id = o.record_id) END, ''), coalesce(r.uid, '')
		FROM (SELECT * FROM ops WHERE user_id = ?1 AND at >= ?2 AND at < ?3 AND (?4 = '' OR actor = ?4 OR substr(actor, 1, length(?4) + 1) = ?4 || ':')
			ORDER BY id DESC LIMIT ?5) o LEFT JOIN runs r ON r.id = o.run_id ORDER BY o.id`, userID, q.Since.UnixMilli(), until, q.Actor, q.Limit)
	return all, err
}

// Changes counts the audited changes of a run.
func Changes(ctx context.Context, s *schema.Snapshot, runID int64) (n int, err error) {
	err = s.Row(ctx, "SELECT count(*) FROM ops WHERE run_id = ?", []any{runID}, &n)
	return n, err
}
