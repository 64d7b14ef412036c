package schema

import (
	"context"
	"fmt"
	"slices"
)

// batch is what one transaction of an erasure takes away: the memories that
// were chosen, and what rests on them alone.
type batch struct {
	*eraser

	doomed map[int64]*doomed
	order  []int64 // of doomed, as they were found
	words  *vocabulary
	kept   map[int64]bool // derived memories that lost a source and stay
}

// doomed is a memory that is being erased.
type doomed struct {
	id, event, session int64
	uid                string
	kind               Kind
	importance         float64 // which it adds to what gathers
	said               string  // all text of it
}

func newBatch(e *eraser) *batch {
	b := &batch{eraser: e, doomed: make(map[int64]*doomed), kept: make(map[int64]bool)}
	b.words = newVocabulary(b)
	return b
}

func (b *batch) uids() []string {
	uids := make([]string, len(b.order))
	for i, id := range b.order {
		uids[i] = b.doomed[id].uid
	}
	return uids
}

// erase takes memories away with everything that hangs on them.
func (b *batch) erase(ctx context.Context, memories []int64) error {
	if err := b.doom(ctx, memories); err != nil {
		return err
	}
	if err := b.follow(ctx); err != nil {
		return err
	}
	for _, step := range []func(context.Context) error{
		b.revive, b.rederive, b.forgetMentions, b.deleteDoomed, b.deleteMessages,
		b.blocks, b.sweep, b.spendImportance, b.moveWatermarks,
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	hashes := make([]string, 0, len(b.order))
	for _, uid := range b.uids() {
		hashes = append(hashes, Tombstone(b.owner, TombstoneMemory, uid))
	}
	if err := b.entomb(ctx, hashes); err != nil {
		return err
	}
	// Indexes in memory, of whatever process, learn by it that text is gone.
	return b.tx.auditRow(ctx, b.userID, b.by, opErase, "erasures", b.id, "", image("memories", len(b.order)))
}

// doom reads memories that are to go.
func (b *batch) doom(ctx context.Context, ids []int64) error {
	rows, err := b.tx.Query(ctx, `SELECT id, coalesce(event_seq, 0), coalesce(session_id, 0), uid, kind, CASE WHEN `+PartOfDocument+` THEN 0 ELSE importance END,
			content || char(10) || speaker || char(10) || coalesce(subject, '') || char(10) || coalesce(object, '') || char(10) ||
			coalesce(predicate, '') || char(10) || tags || char(10) || attributes
		FROM memories WHERE +user_id = ? AND id IN (SELECT value FROM json_each(?)) ORDER BY id`, b.userID, list(ids))
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		d := new(doomed)
		if err := rows.Scan(&d.id, &d.event, &d.session, &d.uid, &d.kind, &d.importance, &d.said); err != nil {
			return err
		}
		if b.doomed[d.id] == nil {
			b.doomed[d.id] = d
			b.order = append(b.order, d.id)
			b.words.add(d.said, d.kind != KindReflection) // its words are the model's own
		}
	}
	return rows.Err()
}

// follow dooms what rests on the doomed alone, and what repeats of them what
// nothing else says, until there is no more.
func (b *batch) follow(ctx context.Context) error {
	defer b.words.askAgain()
	for looked := 0; looked < len(b.order); b.words.askAgain() {
		fresh := b.order[looked:]
		looked = len(b.order)
		derived, err := b.ids(ctx, "SELECT DISTINCT memory_id FROM memory_sources WHERE source_id IN (SELECT value FROM json_each(?))", list(fresh))
		if err != nil {
			return err
		}
		for _, id := range derived {
			b.kept[id] = true
		}
		fall, err := b.insights(ctx)
		if err != nil {
			return err
		}
		for _, id := range derived {
			if b.doomed[id] != nil {
				continue
			}
			stays, err := b.stays(ctx, id)
			if err != nil {
				return err
			}
			if !stays {
				fall = append(fall, id)
			}
		}
		if err := b.doom(ctx, fall); err != nil {
			return err
		}
	}
	for id := range b.kept {
		if b.doomed[id] != nil {
			delete(b.kept, id)
		}
	}
	return nil
}

func (b *batch) deleteDoomed(ctx context.Context) error { return b.deleteMemories(ctx, b.order) }

// deleteMemories deletes memories and all that hangs on them.
func (e *eraser) deleteMemories(ctx context.Context, memories []int64) error {
	ids := list(memories)
	for _, part := range []struct{ table, query string }{
		{"vectors", "DELETE FROM vectors WHERE chunk_id IN (SELECT id FROM chunks WHERE memory_id IN (SELECT value FROM json_each(?)))"},
		{"memory_sources", "DELETE FROM memory_sources WHERE memory_id IN (SELECT value FROM json_each(?1)) OR source_id IN (SELECT value FROM json_each(?1))"},
		{"memory_entities", "DELETE FROM memory_entities WHERE memory_id IN (SELECT value FROM json_each(?))"},
		{"links", "DELETE FROM links WHERE from_id IN (SELECT value FROM json_each(?1)) OR to_id IN (SELECT value FROM json_each(?1))"},
		{"confirmations", "DELETE FROM confirmations WHERE memory_id IN (SELECT value FROM json_each(?))"},
	} {
		if _, err := e.remove(ctx, part.table, part.query, ids); err != nil {
			return err
		}
	}
	if _, err := e.affected(ctx, "UPDATE memories SET superseded_by = NULL WHERE superseded_by IS NOT NULL AND superseded_by IN (SELECT value FROM json_each(?))", ids); err != nil {
		return err
	}
	for _, id := range memories {
		if err := e.removeText(ctx, id); err != nil {
			return err
		}
		if _, err := e.remove(ctx, "memories", "DELETE FROM memories WHERE id = ?", id); err != nil {
			return err
		}
	}
	return nil
}

// removeText takes a memory's text out of the index, row by row.
func (e *eraser) removeText(ctx context.Context, memoryID int64) error {
	var chunks int64
	if err := e.tx.Row(ctx, "SELECT count(*) FROM chunks WHERE memory_id = ?", []any{memoryID}, &chunks); err != nil {
		return err
	}
	e.receipt.Erased["chunks"] += chunks
	return e.tx.removeChunks(ctx, e.userID, memoryID)
}

// deleteMessages deletes the journal's rows of the doomed: the messages, and
// what was reported of them.
func (b *batch) deleteMessages(ctx context.Context) error {
	var seqs []int64
	for _, id := range b.order {
		if event := b.doomed[id].event; event != 0 {
			seqs = append(seqs, event)
		}
	}
	reports, err := b.reports(ctx, seqs)
	if err != nil {
		return err
	}
	return b.deleteEvents(ctx, slices.Concat(seqs, reports))
}

// reports finds what the journal says of the doomed having been stored. A
// message's report stands soon behind it; those of what was restored, repaired
// or claimed stand anywhere.
func (b *batch) reports(ctx context.Context, seqs []int64) ([]int64, error) {
	uids := list(b.uids())
	found, reported, err := b.readReports(ctx, reportsBehind, list(seqs), b.userID, uids)
	if err != nil || reported == len(b.order) {
		return found, err
	}
	found, _, err = b.readReports(ctx, `SELECT seq, json_extract(payload, '$.id') FROM events WHERE user_id = ? AND topic = 'memory.stored'
		AND json_extract(payload, '$.id') IN (SELECT value FROM json_each(?))`, b.userID, uids)
	return found, err
}

// readReports reads reports and counts the memories that they are of.
func (b *batch) readReports(ctx context.Context, query string, args ...any) (seqs []int64, reported int, err error) {
	rows, err := b.tx.Query(ctx, query, args...)
	if err != nil {
		return nil, 0, err
	}
	defer rows.Close()
	of := make(map[string]bool)
	for rows.Next() {
		var seq int64
		var uid string
		if err := rows.Scan(&seq, &uid); err != nil {
			return nil, 0, err
		}
		seqs, of[uid] = append(seqs, seq), true
	}
	return seqs, len(of), rows.Err()
}

// reportsBehind looks as far behind each message as its report stands:
// eventbus.Batch writes so many messages at a time, then what is reported of them.
var reportsBehind = fmt.Sprintf(`SELECT DISTINCT e.seq, json_extract(e.payload, '$.id') FROM json_each(?) AS m CROSS JOIN events AS e
	WHERE e.seq BETWEEN m.value + 1 AND m.value + %d AND +e.user_id = ? AND e.topic = 'memory.stored'
		AND json_extract(e.payload, '$.id') IN (SELECT value FROM json_each(?))`, RowsAtOnce)

// deleteEvents deletes rows of the journal. Their ids must not come back.
func (b *batch) deleteEvents(ctx context.Context, seqs []int64) error {
	chosen := list(seqs)
	ids, err := column[string](ctx, b.tx, "SELECT id FROM events WHERE seq IN (SELECT value FROM json_each(?)) AND id IS NOT NULL", chosen)
	if err != nil {
		return err
	}
	hashes := make([]string, len(ids))
	for i, id := range ids {
		hashes[i] = Tombstone(b.owner, TombstoneEvent, id)
	}
	if err := b.entomb(ctx, hashes); err != nil {
		return err
	}
	for _, part := range []struct{ table, query string }{
		{"deliveries", "DELETE FROM deliveries WHERE seq IN (SELECT value FROM json_each(?))"},
		{"injections", "DELETE FROM injections WHERE event_seq IN (SELECT value FROM json_each(?))"},
		{"events", "DELETE FROM events WHERE seq IN (SELECT value FROM json_each(?))"},
	} {
		if _, err := b.remove(ctx, part.table, part.query, chosen); err != nil {
			return err
		}
	}
	_, err = b.affected(ctx, "DELETE FROM erasing WHERE record = 'events' AND id IN (SELECT value FROM json_each(?))", chosen)
	return err
}

// eraseEvents takes events away that no memory came of. One that has a memory
// by now, as when it was imported, goes with it.
func (b *batch) eraseEvents(ctx context.Context, seqs []int64) error {
	memories, err := b.ids(ctx, "SELECT id FROM memories WHERE event_seq IN (SELECT value FROM json_each(?))", list(seqs))
	if err != nil {
		return err
	}
	payloads, err := column[string](ctx, b.tx, "SELECT payload FROM events WHERE seq IN (SELECT value FROM json_each(?)) AND topic NOT GLOB 'memory.*'", list(seqs))
	if err != nil {
		return err
	}
	for _, payload := range payloads {
		b.words.add(payload, true)
	}
	if err := b.erase(ctx, memories); err != nil {
		return err
	}
	return b.deleteEvents(ctx, seqs)
}

// spendImportance takes what the doomed messages weighed off the account that
// the next reflection waits for, as far as they are on it still.
func (b *batch) spendImportance(ctx context.Context) error {
	var through int64
	if err := b.tx.Row(ctx, watermark, []any{b.userID, "reflect"}, &through); err != nil {
		return err
	}
	var sum float64
	for id, d := range b.doomed {
		if d.kind == KindEpisode && id > through {
			sum += d.importance
		}
	}
	_, err := b.affected(ctx, "UPDATE users SET importance_since = max(0, importance_since - ?) WHERE id = ?", sum, b.userID)
	return err
}

// moveWatermarks has a stage that got through to a doomed memory stand at the
// one before, in its account and in the audit that undo reads.
func (b *batch) moveWatermarks(ctx context.Context) error {
	if _, err := b.affected(ctx, `UPDATE watermarks SET through = coalesce((SELECT max(m.id) FROM memories m WHERE m.user_id = watermarks.user_id AND m.id < watermarks.through), 0)
		WHERE user_id = ? AND through IN (SELECT value FROM json_each(?))`, b.userID, list(b.order)); err != nil {
		return err
	}
	for _, id := range b.order {
		var uid string
		err := b.tx.Row(ctx, "SELECT uid FROM memories WHERE user_id = ? AND id < ? ORDER BY id DESC LIMIT 1", []any{b.userID, id}, &uid)
		if err != nil && !noRows(err) {
			return err
		}
		for _, side := range []string{"before", "after"} {
			if _, err := b.affected(ctx, "UPDATE ops SET "+side+" = json_set("+side+", '$.through', ?) WHERE user_id = ? AND operation = 'watermark' AND json_extract("+side+", '$.through') = ?",
				uid, b.userID, b.doomed[id].uid); err != nil {
				return err
			}
		}
	}
	return nil
}
