package records

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/ebbmem/ebb/internal/engine"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/core"
)

// Writer writes the records of one user in one transaction. Existing rows are not
// changed. Each method reports whether it stored something.
type Writer struct {
	Tx     *schema.Tx
	Scope  schema.Scope // whose records they become
	UserID int64        // 0 while the user is not known
	// Trusted says that the host restores its own export. Without it a record whose id
	// another user has gets another one, and memories that no import brought are not
	// changed.
	Trusted bool
	// Stored is called after each memory that was written. Its mentions are to be
	// found yet if unlinked is set.
	Stored func(ctx context.Context, scope schema.Scope, m *schema.Memory, unlinked bool) error
}

// Write reports whether it stored something. chunks are those of a memory.
func (w *Writer) Write(ctx context.Context, l Line, chunks []schema.Chunk) (stored bool, err error) {
	if l.Header != nil {
		return false, w.user(ctx, l.Header)
	}
	if w.UserID == 0 {
		if w.UserID, err = w.Tx.UserID(ctx, w.Scope); err != nil {
			return false, err
		}
	}
	switch {
	case l.Tombstone != nil:
		return w.Tx.AddTombstone(ctx, w.UserID, l.Tombstone.IDHash, l.Tombstone.ErasedAt)
	case l.Session != nil:
		return w.insert(ctx, "sessions (user_id, name, created_at)", w.UserID, l.Session.Name, l.Session.CreatedAt)
	case l.Run != nil:
		r := l.Run
		return w.insertOwned(ctx, "runs", r.UID, "runs (uid, user_id, cause, local_day, state, started_at, finished_at, stages, error, calls, input_tokens, output_tokens, cost, faults)",
			r.UID, w.UserID, r.Cause, r.LocalDay, r.State, r.StartedAt, r.FinishedAt, string(r.Stages), r.Error,
			r.Calls, r.InputTokens, r.OutputTokens, r.Cost, r.Faults)
	case l.Entity != nil:
		e := l.Entity
		uid, err := w.named(ctx, "entities", e.UID)
		if err != nil {
			return false, err
		}
		return w.insertOwned(ctx, "entities", uid, "entities (uid, user_id, type, name, summary, confidence, mention_count, protected, created_at)",
			uid, w.UserID, e.Type, e.Name, e.Summary, e.Confidence, e.MentionCount, e.Protected, e.CreatedAt)
	case l.Merged != nil:
		return w.merged(ctx, l.Merged)
	case l.Alias != nil:
		return w.alias(ctx, l.Alias)
	case l.Event != nil:
		return w.event(ctx, l.Event)
	case l.Memory != nil:
		return w.memory(ctx, l.Memory, chunks)
	case l.Superseded != nil:
		return w.superseded(ctx, l.Superseded)
	case l.Source != nil:
		return w.source(ctx, l.Source)
	case l.Link != nil:
		return w.link(ctx, l.Link)
	}
	return w.rest(ctx, l)
}

// insert adds a row unless its key exists.
func (w *Writer) insert(ctx context.Context, into string, values ...any) (bool, error) {
	return w.exec(ctx, "INSERT INTO "+into+" VALUES ("+marks(values)+") ON CONFLICT DO NOTHING", values...)
}

func marks(values []any) string { return strings.TrimPrefix(strings.Repeat(", ?", len(values)), ", ") }

func (w *Writer) exec(ctx context.Context, query string, args ...any) (bool, error) {
	n, err := engine.Affected(w.Tx.Exec(ctx, query, args...))
	return n > 0, err
}

// insertOwned is insert for a table whose public ids are unique in the file.
func (w *Writer) insertOwned(ctx context.Context, table, uid, into string, values ...any) (bool, error) {
	if uid == "" {
		return false, &schema.InvalidError{Field: "id", Reason: "is missing"}
	}
	known, err := w.known(ctx, table, uid)
	if known || err != nil {
		return false, err
	}
	if table != "entities" && table != "proposals" && table != "gaps" {
		return w.insert(ctx, into, values...)
	}
	return w.exec(ctx, "INSERT INTO "+strings.Replace(into, "(", "(id, ", 1)+" VALUES ("+w.Tx.UnusedID(table)+", "+marks(values)+") ON CONFLICT DO NOTHING", values...)
}

// known reports whether the user has the record. If the id belongs to another user,
// it returns an error, since skipping the record would lose it.
func (w *Writer) known(ctx context.Context, table, uid string) (bool, error) {
	var owner int64
	err := w.Tx.Row(ctx, "SELECT user_id FROM "+table+" WHERE uid = ?", []any{uid}, &owner)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err == nil && owner != w.UserID {
		err = &schema.InvalidError{Field: "id", Reason: "belongs to another user of this file; import the export under the same user, or into a file of its own"}
	}
	return true, err
}

// named maps a record's id in the file to its id here. In a trusted file they are
// equal. An untrusted file could name another user's records, so its ids are mapped
// to new ones deterministically: the result does not depend on other users' data.
func (w *Writer) named(ctx context.Context, table, uid string) (string, error) {
	if w.Trusted {
		return uid, nil
	}
	renamed := uuid.NewSHA1(uuid.NameSpaceOID, fmt.Appendf(nil, "ebb %s %d %s", table, w.UserID, uid)).String()
	var named string
	err := w.Tx.Row(ctx, "SELECT CASE WHEN user_id = ?1 THEN uid ELSE ?3 END FROM "+table+" WHERE uid IN (?2, ?3) ORDER BY user_id = ?1 DESC LIMIT 1",
		[]any{w.UserID, uid, renamed}, &named)
	if errors.Is(err, sql.ErrNoRows) {
		return uid, nil
	}
	return named, err
}

// row returns the row id of a public id, 0 for "".
func (w *Writer) row(ctx context.Context, table, uid string) (id int64, err error) {
	if uid == "" {
		return 0, nil
	}
	named, err := w.named(ctx, table, uid)
	if err != nil {
		return 0, err
	}
	err = w.Tx.Row(ctx, "SELECT id FROM "+table+" WHERE user_id = ? AND uid = ?", []any{w.UserID, named}, &id)
	if errors.Is(err, sql.ErrNoRows) {
		err = &schema.InvalidError{Field: table, Reason: "lack the record that this line refers to: lines were lost or reordered"}
	}
	return id, err
}

// MemoryID returns the row id of a memory by its public id in the file.
func (w *Writer) MemoryID(ctx context.Context, uid string) (int64, error) {
	return w.row(ctx, "memories", uid)
}

// HasRun reports whether the user has a run of this public id, or the id is empty.
func (w *Writer) HasRun(ctx context.Context, uid string) bool {
	_, err := w.row(ctx, "runs", uid)
	return err == nil
}

// Tombstones counts what was erased of the user.
func (w *Writer) Tombstones(ctx context.Context) (n int64, err error) {
	err = w.Tx.Row(ctx, "SELECT count(*) FROM tombstones WHERE user_id = ?", []any{w.UserID}, &n)
	return n, err
}

// ErasedSince reports whether an id was erased at a time or later.
func (w *Writer) ErasedSince(ctx context.Context, owner schema.Scope, kind schema.TombstoneKind, id string, at schema.Time) (erased bool, err error) {
	err = w.Tx.Row(ctx, "SELECT EXISTS (SELECT 1 FROM tombstones WHERE id_hash = ? AND erased_at >= ?)", []any{schema.Tombstone(owner, kind, id), at}, &erased)
	return erased, err
}

// Unchanged returns the public id here of a derived memory of the file, if it is as the
// file has it, or has no source. An untrusted file speaks only for memories of imports.
//
// A memory that lost a source to an erasure has a higher version since, and another
// source.
func (w *Writer) Unchanged(ctx context.Context, uid string, version int64) ([]string, error) {
	named, err := w.named(ctx, "memories", uid)
	if err != nil {
		return nil, err
	}
	only := string(schema.OriginImport)
	if w.Trusted {
		only = ""
	}
	return schema.Column[string](ctx, w.Tx.Query, `SELECT uid FROM memories m WHERE user_id = ? AND uid = ? AND kind <> 'episode'
		AND (version = ? OR NOT EXISTS (SELECT 1 FROM memory_sources WHERE memory_id = m.id)) AND ? IN ('', origin)`,
		w.UserID, named, version, only)
}

// rows returns the row ids of two memories.
func (w *Writer) rows(ctx context.Context, a, b string) (int64, int64, error) {
	first, err := w.row(ctx, "memories", a)
	if err != nil {
		return 0, 0, err
	}
	second, err := w.row(ctx, "memories", b)
	return first, second, err
}

func (w *Writer) user(ctx context.Context, h *Header) (err error) {
	if _, err := w.insert(ctx, "users (tenant, name, time_zone, created_at, nights_through, importance_since, cycle, reflected_cycle, reflected_at)",
		w.Scope.Tenant, w.Scope.User, h.TimeZone, h.CreatedAt, h.NightsThrough, h.ImportanceSince, h.Cycle, h.ReflectedCycle, h.ReflectedAt); err != nil {
		return err
	}
	w.UserID, err = w.Tx.UserID(ctx, w.Scope)
	return err
}

func (w *Writer) merged(ctx context.Context, r *Merged) (bool, error) {
	into, err := w.row(ctx, "entities", r.Into)
	if err != nil {
		return false, err
	}
	from, err := w.row(ctx, "entities", r.Entity)
	if err != nil {
		return false, err
	}
	return w.exec(ctx, "UPDATE entities SET merged_into = ? WHERE id = ? AND merged_into IS NULL", into, from)
}

func (w *Writer) alias(ctx context.Context, r *Alias) (bool, error) {
	entity, err := w.row(ctx, "entities", r.Entity)
	if err != nil {
		return false, err
	}
	return w.insert(ctx, "entity_aliases (user_id, alias, entity_id, surface, confidence)", w.UserID, r.Alias, entity, r.Surface, r.Confidence)
}

// event appends an event to the journal and restores its results in the same
// transaction, so that consumers do not handle it again.
func (w *Writer) event(ctx context.Context, r *Event) (bool, error) {
	var seq int64
	err := w.Tx.Row(ctx, `INSERT INTO events (user_id, id, topic, agent, session, origin, trust, payload, occurred_at, recorded_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING seq`,
		[]any{w.UserID, r.ID, r.Topic, r.Agent, r.Session, string(r.Origin), int64(r.Trust), string(r.Payload), r.OccurredAt, r.RecordedAt}, &seq)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil || r.Injection == nil {
		return err == nil, err
	}
	i := r.Injection
	return w.insert(ctx, "injections (user_id, event_seq, session, channel, query, items, shown_at)",
		w.UserID, seq, i.Session, i.Channel, i.Query, string(i.Items), i.ShownAt)
}

func (w *Writer) memory(ctx context.Context, r *Memory, chunks []schema.Chunk) (bool, error) {
	uid, err := w.named(ctx, "memories", r.UID)
	if err != nil {
		return false, err
	}
	known, err := w.known(ctx, "memories", uid)
	if known || err != nil {
		return false, err
	}
	m := r.Memory
	m.UID = uid
	m.UserID = w.UserID
	if m.SessionID, err = w.Tx.SessionID(ctx, w.UserID, m.SessionName); err != nil {
		return false, err
	}
	if m.RunID, err = w.row(ctx, "runs", r.Run); err != nil {
		return false, err
	}
	if m.EventID != "" {
		err := w.Tx.Row(ctx, "SELECT seq FROM events WHERE user_id = ? AND id = ?", []any{w.UserID, m.EventID}, &m.EventSeq)
		if err != nil {
			return false, &schema.InvalidError{Field: "event_id", Reason: "names an event that does not stand before this line"}
		}
	}
	version := m.Version
	if err := w.Tx.InsertMemory(ctx, &m, chunks); err != nil {
		return false, err
	}
	// columns that InsertMemory leaves at the defaults of new memories
	if _, err := w.Tx.Exec(ctx, `UPDATE memories SET expired_at = ?, access_count = ?, last_accessed = ?, stability = ?, version = ? WHERE id = ?`,
		r.ExpiredAt, r.AccessCount, r.LastAccessed, r.Stability, version, m.ID); err != nil {
		return false, err
	}
	for _, mention := range r.Mentions {
		entity, err := w.row(ctx, "entities", mention.Entity)
		if err != nil {
			return false, err
		}
		if _, err := w.insert(ctx, "memory_entities (memory_id, entity_id, surface, confidence)", m.ID, entity, mention.Surface, mention.Confidence); err != nil {
			return false, err
		}
	}
	scope := w.Scope
	scope.Agent, scope.Session = m.Agent, m.SessionName
	return true, w.Stored(ctx, scope, &m, r.Unlinked)
}

// imported reports whether the file may change a memory. An untrusted file may
// change only memories created by imports.
func (w *Writer) imported(ctx context.Context, memory int64) (ok bool, err error) {
	if w.Trusted {
		return true, nil
	}
	err = w.Tx.Row(ctx, "SELECT origin = ? FROM memories WHERE id = ?", []any{string(schema.OriginImport), memory}, &ok)
	return ok, err
}

func (w *Writer) superseded(ctx context.Context, r *Superseded) (bool, error) {
	memory, by, err := w.rows(ctx, r.Memory, r.By)
	if err != nil {
		return false, err
	}
	if ok, err := w.imported(ctx, memory); !ok {
		return false, err
	}
	// a claim that is current here was replaced elsewhere, later
	return w.exec(ctx, "UPDATE memories SET superseded_by = ? WHERE id = ? AND superseded_by IS NULL AND valid_until IS NOT NULL", by, memory)
}

func (w *Writer) source(ctx context.Context, r *Source) (bool, error) {
	memory, source, err := w.rows(ctx, r.Memory, r.Source)
	if err != nil {
		return false, err
	}
	if ok, err := w.imported(ctx, memory); !ok {
		return false, err
	}
	return w.insert(ctx, "memory_sources (memory_id, source_id, quote)", memory, source, r.Quote)
}

func (w *Writer) link(ctx context.Context, r *Link) (bool, error) {
	if err := schema.ValidUnit("confidence", r.Confidence); err != nil {
		return false, err
	}
	if r.From == r.To {
		return false, &schema.InvalidError{Field: "link", Reason: "relates a memory to itself"}
	}
	from, to, err := w.rows(ctx, r.From, r.To)
	if err != nil {
		return false, err
	}
	for _, memory := range [...]int64{from, to} {
		if ok, err := w.imported(ctx, memory); !ok {
			return false, err
		}
	}
	run, err := w.row(ctx, "runs", r.Run)
	if err != nil {
		return false, err
	}
	return w.insert(ctx, "links (from_id, to_id, type, confidence, created_at, run_id)", from, to, r.Type, r.Confidence, r.CreatedAt, schema.NullID(run))
}

// rest stores the records that no other record refers to.
func (w *Writer) rest(ctx context.Context, l Line) (bool, error) {
	switch {
	case l.Block != nil:
		b := l.Block
		b.Kind = cmp.Or(b.Kind, core.BlockText)
		if err := errors.Join(b.Kind.Validate(), validTrust(b.Trust)); err != nil {
			return false, err
		}
		return w.exec(ctx, `INSERT INTO blocks (id, user_id, agent, name, kind, content, trust, version, updated_at)
			VALUES (`+w.Tx.UnusedID("blocks")+`, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (user_id, agent, name) DO NOTHING`,
			w.UserID, b.Agent, b.Name, string(b.Kind), b.Content, int64(b.Trust), b.Version, b.UpdatedAt)
	case l.BlockVersion != nil:
		b := l.BlockVersion
		if err := validTrust(b.Trust); err != nil {
			return false, err
		}
		return w.exec(ctx, `INSERT INTO block_history (block_id, version, content, trust, actor, agent, at)
			SELECT id, ?1, ?2, ?3, ?4, ?5, ?6 FROM blocks WHERE user_id = ?7 AND agent = ?8 AND name = ?9 AND version >= ?1 ON CONFLICT DO NOTHING`,
			b.Version, b.Content, int64(b.Trust), b.Actor, b.As, b.At, w.UserID, b.Agent, b.Name) // a block that was here keeps its own history
	case l.Proposal != nil:
		p := l.Proposal
		run, err := w.row(ctx, "runs", p.Run)
		if err != nil {
			return false, err
		}
		return w.insertOwned(ctx, "proposals", p.ID, "proposals (uid, user_id, run_id, kind, payload, reason, state, created_at, decided_at, decided_by)",
			p.ID, w.UserID, schema.NullID(run), p.Kind, p.Payload, p.Reason, p.State, p.CreatedAt, p.DecidedAt, p.DecidedBy)
	case l.Gap != nil:
		g := l.Gap
		return w.insertOwned(ctx, "gaps", g.ID, "gaps (uid, user_id, stage, memories, attempts, last_error, created_at)",
			g.ID, w.UserID, g.Stage, g.Memories, g.Attempts, g.LastError, g.CreatedAt)
	case l.Op != nil:
		return w.op(ctx, l.Op)
	case l.Document != nil:
		return w.insert(ctx, "documents (user_id, uri, hash, read_at)", w.UserID, l.Document.URI, l.Document.Hash, l.Document.ReadAt)
	case l.Watermark != nil:
		return w.watermark(ctx, l.Watermark)
	}
	return false, &schema.InvalidError{Field: "line", Reason: "holds no record"}
}

// op restores an entry of the audit. Entries have no id; one that is equal in every
// field counts as the same.
func (w *Writer) op(ctx context.Context, r *Op) (bool, error) {
	find := w.row
	switch {
	case r.Record == opBlocks:
		find = w.block
	case !slices.Contains(opTables, r.Record):
		return false, &schema.InvalidError{Field: "record", Reason: "names a table that the audit does not know"}
	}
	id, err := find(ctx, r.Record, r.ID)
	if err != nil {
		return false, err
	}
	run, err := w.row(ctx, "runs", r.Run)
	if err != nil {
		return false, err
	}
	private := func(column string) string {
		return `CASE WHEN json_valid(` + column + `) AND json_type(` + column + `, '$.superseded_by') = 'text'
			THEN json_set(` + column + `, '$.superseded_by', (SELECT id FROM memories WHERE uid = json_extract(` + column + `, '$.superseded_by')))
			ELSE ` + column + ` END`
	}
	return w.exec(ctx, `WITH given (before, after) AS (VALUES (?1, ?2)), local (before, after) AS (SELECT `+private("before")+`, `+private("after")+` FROM given)
		INSERT INTO ops (user_id, run_id, at, actor, operation, record, record_id, before, after)
		SELECT ?3, ?4, ?5, ?6, ?7, ?8, ?9, before, after FROM local
		WHERE NOT EXISTS (SELECT 1 FROM ops o WHERE o.record = ?8 AND o.record_id = ?9 AND o.user_id = ?3 AND o.run_id IS ?4
			AND o.at = ?5 AND o.actor = ?6 AND o.operation = ?7 AND o.before = local.before AND o.after = local.after)`,
		r.Before, r.After, w.UserID, schema.NullID(run), r.At, r.Actor, r.Operation, r.Record, id)
}

// block returns the row id of a block by its agent and name, 0 for a deleted one.
func (w *Writer) block(ctx context.Context, _, named string) (id int64, err error) {
	if named == "" {
		return 0, nil
	}
	err = w.Tx.Row(ctx, "SELECT id FROM blocks WHERE user_id = ?1 AND json_array(agent, name) = ?2", []any{w.UserID, named}, &id)
	if errors.Is(err, sql.ErrNoRows) {
		err = &schema.InvalidError{Field: opBlocks, Reason: "lack the block that this line refers to: lines were lost or reordered"}
	}
	return id, err
}

// watermark restores a stage's position. If other memories precede it here, they
// were not processed, and the stage starts over.
func (w *Writer) watermark(ctx context.Context, r *Watermark) (bool, error) {
	memory, err := w.row(ctx, "memories", r.Memory)
	if err != nil {
		return false, err
	}
	return w.exec(ctx, `INSERT INTO watermarks (user_id, name, through) SELECT ?2, ?4, ?1
		WHERE (SELECT count(*) FROM memories WHERE user_id = ?2 AND id <= ?1) = ?3 ON CONFLICT DO NOTHING`, memory, w.UserID, r.Memories, r.Stage)
}

// validTrust checks the trust of a record without an origin.
func validTrust(level schema.Trust) error {
	if level < 0 || level > schema.MaxTrust {
		return &schema.InvalidError{Field: "trust", Reason: "must be from 0 to 4"}
	}
	return nil
}
