package erase

import (
	"context"
	"slices"
	"strconv"

	"github.com/ebbmem/ebb/schema"
)

// markUser stores tombstones of a user's ids, some at a time, and then removes the
// name: from then on no caller finds the user, and a user who comes back under that
// name starts with a new row. The row without a name stays, because the audit and
// the tombstones refer to it and its id must not be reused.
func (e *eraser) markUser(ctx context.Context) error {
	marked, err := e.ids(ctx, "SELECT id FROM erasing WHERE erasure_id = ? AND record = 'marked'", e.id)
	if err != nil {
		return err
	}
	var through int64
	if len(marked) > 0 {
		through = marked[0]
	}
	const most = 4 * batchSize
	type row struct {
		seq int64
		id  string
	}
	var rows []row
	found, err := e.tx.Query(ctx, "SELECT seq, coalesce(id, '') FROM events WHERE user_id = ? AND seq > ? ORDER BY seq LIMIT ?", e.userID, through, most)
	if err != nil {
		return err
	}
	for found.Next() {
		var r row
		if err := found.Scan(&r.seq, &r.id); err != nil {
			_ = found.Close()
			return err
		}
		rows = append(rows, r)
	}
	if err := found.Err(); err != nil {
		return err
	}
	var hashes []string
	for _, r := range rows {
		if r.id != "" {
			hashes = append(hashes, schema.Tombstone(e.owner, schema.TombstoneEvent, r.id))
		}
		through = r.seq
	}
	if err := e.addTombstones(ctx, hashes); err != nil {
		return err
	}
	if len(rows) == most {
		if _, err := e.affected(ctx, "DELETE FROM erasing WHERE erasure_id = ?", e.id); err != nil {
			return err
		}
		_, err := e.affected(ctx, "INSERT INTO erasing (record, id, erasure_id) VALUES ('marked', ?, ?)", through, e.id)
		return err
	}
	return e.removeName(ctx)
}

func (e *eraser) addTombstones(ctx context.Context, hashes []string) error {
	e.receipt.Tombstones += int64(len(hashes))
	return e.tx.AddTombstones(ctx, e.userID, hashes)
}

func (e *eraser) removeName(ctx context.Context) error {
	var created int64
	if err := e.tx.Row(ctx, "SELECT created_at FROM users WHERE id = ?", []any{e.userID}, &created); err != nil {
		return err
	}
	hashes := []string{schema.Tombstone(e.owner, schema.TombstoneUser, strconv.FormatInt(created, 10)), schema.Tombstone(e.owner, schema.TombstoneUser, "")}
	for _, named := range namedRows {
		uids, err := schema.Column[string](ctx, e.tx.Query, "SELECT uid FROM "+named.rows, e.userID)
		if err != nil {
			return err
		}
		for _, uid := range uids {
			hashes = append(hashes, schema.Tombstone(e.owner, named.kind, uid))
		}
	}
	if err := e.tx.LiftTombstone(ctx, e.owner, schema.TombstoneUser, ""); err != nil { // it has the time of the last erasure
		return err
	}
	if err := e.addTombstones(ctx, hashes); err != nil {
		return err
	}
	if _, err := e.affected(ctx, "DELETE FROM erasing WHERE erasure_id = ?", e.id); err != nil {
		return err
	}
	// A real user has a name, so no caller can address this row.
	if err := e.rewrite(ctx, "users", `UPDATE users SET tenant = ?, name = '', time_zone = '', nights_through = '', importance_since = 0, cycle = 0, reflected_cycle = 0, reflected_at = NULL, created_at = ?
		WHERE id = ?`, e.receipt.ID, e.receipt.AskedAt, e.userID); err != nil {
		return err
	}
	e.tx.ForgetScopes()
	e.receipt.State = Erasing
	return nil
}

// namedRows are the rows of a user, besides the journal's, whose public ids must not
// come back.
var namedRows = []struct {
	kind schema.TombstoneKind
	rows string
}{
	{schema.TombstoneMemory, "memories WHERE user_id = ? AND kind <> 'episode'"},
	{schema.TombstoneEntity, "entities WHERE user_id = ?"},
	{schema.TombstoneProposal, "proposals WHERE user_id = ?"},
}

// table selects rows of a user in one table: its key, and the condition.
type table struct{ name, key, where string }

// The tables with rows of a user, in an order that satisfies the foreign keys.
var (
	beforeMemories = []table{
		{"proposals", "id", "user_id = ?1"},
		{"gaps", "id", "user_id = ?1"},
		{"injections", "id", "user_id = ?1"},
		{"deliveries", "consumer, seq", "seq IN (SELECT seq FROM events WHERE user_id = ?1)"},
		{"vectors", "id", "user_id = ?1"},
	}
	afterMemories = []table{
		{"entity_aliases", "user_id, alias, entity_id", "user_id = ?1"},
		{"entities", "id", "user_id = ?1"},
		{"events", "seq", "user_id = ?1"},
		{"ops", "id", "user_id = ?1 AND record <> 'erasures'"},
		{"runs", "id", "user_id = ?1"},
		{"block_history", "block_id, version", "block_id IN (SELECT id FROM blocks WHERE user_id = ?1)"},
		{"blocks", "id", "user_id = ?1"},
		{"documents", "id", "user_id = ?1"},
		{"watermarks", "user_id, name", "user_id = ?1"},
		{"sessions", "id", "user_id = ?1"},
		{"failures", "source, user_id", "user_id = ?1"},
	}
)

// eraseUser deletes some more rows of a user without a name.
func (e *eraser) eraseUser(ctx context.Context) (more bool, err error) {
	if more, err := e.eraseTables(ctx, beforeMemories); more || err != nil {
		return more, err
	}
	memories, err := e.ids(ctx, "SELECT id FROM memories WHERE user_id = ? ORDER BY id DESC LIMIT ?", e.userID, batchSize)
	if err != nil {
		return false, err
	}
	if err := e.deleteMemories(ctx, memories); err != nil || len(memories) == batchSize {
		return err == nil, err
	}
	if _, err := e.affected(ctx, "UPDATE entities SET merged_into = NULL WHERE user_id = ? AND merged_into IS NOT NULL", e.userID); err != nil {
		return false, err
	}
	return e.eraseTables(ctx, afterMemories)
}

// countUser counts the rows of a user.
func (e *eraser) countUser(ctx context.Context) error {
	tables := slices.Concat(beforeMemories, afterMemories, []table{
		{"memories", "id", "user_id = ?1"},
		{"chunks", "id", "memory_id IN (SELECT id FROM memories WHERE user_id = ?1)"},
		{"memory_sources", "", "memory_id IN (SELECT id FROM memories WHERE user_id = ?1)"},
		{"memory_entities", "", "memory_id IN (SELECT id FROM memories WHERE user_id = ?1)"},
		{"links", "", "from_id IN (SELECT id FROM memories WHERE user_id = ?1)"},
	})
	for _, t := range tables {
		var n int64
		if err := e.tx.Row(ctx, "SELECT count(*) FROM "+t.name+" WHERE "+t.where, []any{e.userID}, &n); err != nil {
			return err
		}
		if n > 0 {
			e.receipt.Erased[t.name] = n
		}
	}
	if err := e.tx.Row(ctx, "SELECT 2 + count(*) FROM events WHERE user_id = ? AND id IS NOT NULL", []any{e.userID}, &e.receipt.Tombstones); err != nil {
		return err
	}
	for _, named := range namedRows {
		var n int64
		if err := e.tx.Row(ctx, "SELECT count(*) FROM "+named.rows, []any{e.userID}, &n); err != nil {
			return err
		}
		e.receipt.Tombstones += n
	}
	return nil
}

func (e *eraser) eraseTables(ctx context.Context, tables []table) (more bool, err error) {
	const most = 4 * batchSize
	for _, t := range tables {
		n, err := e.remove(ctx, t.name, "DELETE FROM "+t.name+" WHERE ("+t.key+") IN (SELECT "+t.key+" FROM "+t.name+" WHERE "+t.where+" LIMIT ?2)", e.userID, most)
		if err != nil || n == most {
			return err == nil, err
		}
	}
	return false, nil
}
