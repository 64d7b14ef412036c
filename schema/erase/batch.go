package erase

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/ebbmem/ebb/schema"
)

// batch is what one transaction of an erasure deletes: the selected memories and
// what rests on them alone.
type batch struct {
	*eraser

	targets map[int64]*target
	order   []int64 // of targets, as they were found
	words   *vocabulary
	kept    map[int64]bool // derived memories that lost a source and stay
}

// target is a memory to be deleted.
type target struct {
	id, event, session int64
	uid                string
	kind               schema.Kind
	importance         float64 // its share of the importance that a reflection waits for
	document           string  // the file that it is a part of, or ""
	says               statement
}

func newBatch(e *eraser) *batch {
	b := &batch{eraser: e, targets: make(map[int64]*target), kept: make(map[int64]bool)}
	b.words = newVocabulary(b)
	return b
}

func (b *batch) uids() []string {
	uids := make([]string, len(b.order))
	for i, id := range b.order {
		uids[i] = b.targets[id].uid
	}
	return uids
}

// erase deletes memories with everything that depends on them.
func (b *batch) erase(ctx context.Context, memories []int64) error {
	if err := b.target(ctx, memories); err != nil {
		return err
	}
	if err := b.targetDerived(ctx); err != nil {
		return err
	}
	for _, step := range []func(context.Context) error{
		b.revive, b.rederive, b.forgetMentions, b.deleteTargets, b.deleteMessages,
		b.documents, b.shown, b.clearAudit, b.spendImportance, b.moveWatermarks, b.remember,
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	hashes := make([]string, 0, len(b.order))
	for _, uid := range b.uids() {
		hashes = append(hashes, schema.Tombstone(b.owner, schema.TombstoneMemory, uid))
	}
	if err := b.addTombstones(ctx, hashes); err != nil {
		return err
	}
	// In-memory indexes, in every process, learn from this row that text is gone.
	return b.tx.AuditRow(ctx, b.userID, b.by, schema.OpErase, "erasures", b.id, "", schema.JSONObject("memories", len(b.order)))
}

// shown removes what reveals targets from what models and people are shown as it
// stands: core memory, and proposals that wait. The sweep looks at both again, for what
// was written in the meantime.
func (b *batch) shown(ctx context.Context) error {
	for _, step := range []func(context.Context, int64) (int64, error){b.blocks, b.waiting} {
		last, err := step(ctx, 0)
		for after := int64(0); err == nil && last != after; {
			after = last
			last, err = step(ctx, after)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// target adds memories to the targets.
func (b *batch) target(ctx context.Context, ids []int64) error {
	found, err := schema.List(ctx, b.tx.Query, func(d *target) []any {
		return append([]any{&d.id, &d.event, &d.session, &d.uid, &d.kind, &d.importance, &d.document}, d.says.fields()...)
	}, `SELECT id, coalesce(event_seq, 0), coalesce(session_id, 0), uid, kind, CASE WHEN `+schema.PartOfDocument+` THEN 0 ELSE importance END,
			CASE WHEN `+schema.PartOfDocument+` THEN json_extract(attributes, '$.source') ELSE '' END, `+statementColumns+`
		FROM memories WHERE +user_id = ? AND id IN (SELECT CAST(value AS BIGINT) FROM json_each(?)) ORDER BY id`, b.userID, schema.JSONList(ids))
	for i := range found {
		d := &found[i]
		if b.targets[d.id] != nil {
			continue
		}
		b.targets[d.id] = d
		b.order = append(b.order, d.id)
		claimed := d.kind != schema.KindReflection // its words are the model's own
		b.words.add(d.says.text(), standing{claimed: claimed, indexed: true, message: d.kind == schema.KindEpisode})
		b.words.add(d.says.labels(), standing{claimed: claimed})
		b.words.addUID(d.uid)
	}
	return err
}

// targetDerived adds the memories that rest on the targets alone, and those that
// repeat words which only targets hold, until there are no more.
func (b *batch) targetDerived(ctx context.Context) error {
	defer b.words.reset()
	for looked := 0; looked < len(b.order); b.words.reset() {
		fresh := b.order[looked:]
		looked = len(b.order)
		derived, err := b.ids(ctx, "SELECT DISTINCT memory_id FROM memory_sources WHERE source_id IN (SELECT CAST(value AS BIGINT) FROM json_each(?))", schema.JSONList(fresh))
		if err != nil {
			return err
		}
		for _, id := range derived {
			b.kept[id] = true
		}
		fall, err := b.revealingDerived(ctx)
		if err != nil {
			return err
		}
		for _, id := range derived {
			if b.targets[id] != nil {
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
		if err := b.target(ctx, fall); err != nil {
			return err
		}
	}
	for id := range b.kept {
		if b.targets[id] != nil {
			delete(b.kept, id)
		}
	}
	return nil
}

func (b *batch) deleteTargets(ctx context.Context) error { return b.deleteMemories(ctx, b.order) }

// deleteMemories deletes memories and all rows that refer to them.
func (e *eraser) deleteMemories(ctx context.Context, memories []int64) error {
	ids := schema.JSONList(memories)
	for _, part := range []struct{ table, query string }{
		{"vectors", "DELETE FROM vectors WHERE chunk_id IN (SELECT id FROM chunks WHERE memory_id IN (SELECT CAST(value AS BIGINT) FROM json_each(?)))"},
		{"memory_sources", "DELETE FROM memory_sources WHERE memory_id IN (SELECT CAST(value AS BIGINT) FROM json_each(?1)) OR source_id IN (SELECT CAST(value AS BIGINT) FROM json_each(?1))"},
		{"memory_entities", "DELETE FROM memory_entities WHERE memory_id IN (SELECT CAST(value AS BIGINT) FROM json_each(?))"},
		{"links", "DELETE FROM links WHERE from_id IN (SELECT CAST(value AS BIGINT) FROM json_each(?1)) OR to_id IN (SELECT CAST(value AS BIGINT) FROM json_each(?1))"},
	} {
		if _, err := e.remove(ctx, part.table, part.query, ids); err != nil {
			return err
		}
	}
	if _, err := e.affected(ctx, "UPDATE memories SET superseded_by = NULL WHERE superseded_by IS NOT NULL AND superseded_by IN (SELECT CAST(value AS BIGINT) FROM json_each(?))", ids); err != nil {
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

// documents deletes the records of documents whose last part is a target.
func (b *batch) documents(ctx context.Context) error {
	read := make(map[string]bool)
	for _, d := range b.targets {
		if d.document != "" {
			read[d.document] = true
		}
	}
	if len(read) == 0 {
		return nil
	}
	_, err := b.remove(ctx, "documents", `DELETE FROM documents WHERE user_id = ?1 AND uri IN (SELECT value FROM json_each(?2)) AND uri NOT IN (
		SELECT json_extract(attributes, '$.source') FROM memories WHERE user_id = ?1 AND kind = 'episode' AND `+schema.PartOfDocument+`)`,
		b.userID, schema.JSONList(slices.Collect(maps.Keys(read))))
	return err
}

// removeText deletes a memory's text from the index, row by row.
func (e *eraser) removeText(ctx context.Context, memoryID int64) error {
	var chunks int64
	if err := e.tx.Row(ctx, "SELECT count(*) FROM chunks WHERE memory_id = ?", []any{memoryID}, &chunks); err != nil {
		return err
	}
	e.receipt.Erased["chunks"] += chunks
	return e.tx.RemoveChunks(ctx, e.userID, memoryID)
}

// deleteMessages deletes the journal's rows of the targets: the messages, and the
// reports that they were stored.
func (b *batch) deleteMessages(ctx context.Context) error {
	var seqs []int64
	for _, id := range b.order {
		if event := b.targets[id].event; event != 0 {
			seqs = append(seqs, event)
		}
	}
	reports, err := b.reports(ctx, seqs)
	if err != nil {
		return err
	}
	return b.deleteEvents(ctx, slices.Concat(seqs, reports))
}

// reports finds the journal's reports that the targets were stored. The report of a
// message follows it closely; reports of restored, repaired or claimed memories
// stand anywhere.
func (b *batch) reports(ctx context.Context, seqs []int64) ([]int64, error) {
	uids := schema.JSONList(b.uids())
	found, reported, err := b.readReports(ctx, reportsAfter, schema.JSONList(seqs), b.userID, uids)
	if err != nil || reported == len(b.order) {
		return found, err
	}
	found, _, err = b.readReports(ctx, `SELECT seq, json_extract(payload, '$.id') FROM events WHERE user_id = ? AND topic = 'memory.stored'
		AND json_extract(payload, '$.id') IN (SELECT value FROM json_each(?))`, b.userID, uids)
	return found, err
}

// readReports reads reports and counts the memories that they are about.
func (b *batch) readReports(ctx context.Context, query string, args ...any) (seqs []int64, reported int, err error) {
	of := make(map[string]bool)
	var seq int64
	var uid string
	err = schema.Each(ctx, b.tx.Query, []any{&seq, &uid}, func() error {
		seqs, of[uid] = append(seqs, seq), true
		return nil
	}, query, args...)
	return seqs, len(of), err
}

// reportsAfter reads the rows that follow each message, as far as its report can be:
// eventbus.Batch writes that many messages at a time, and then their reports.
var reportsAfter = fmt.Sprintf(`SELECT DISTINCT e.seq, json_extract(e.payload, '$.id') FROM json_each(?) AS m CROSS JOIN events AS e
	WHERE e.seq BETWEEN CAST(m.value AS BIGINT) + 1 AND CAST(m.value AS BIGINT) + %d AND +e.user_id = ? AND e.topic = 'memory.stored'
		AND json_extract(e.payload, '$.id') IN (SELECT value FROM json_each(?))`, schema.RowsAtOnce)

// deleteEvents deletes rows of the journal and stores tombstones of their ids.
func (b *batch) deleteEvents(ctx context.Context, seqs []int64) error {
	chosen := schema.JSONList(seqs)
	ids, err := schema.Column[string](ctx, b.tx.Query, "SELECT id FROM events WHERE seq IN (SELECT CAST(value AS BIGINT) FROM json_each(?)) AND id IS NOT NULL", chosen)
	if err != nil {
		return err
	}
	hashes := make([]string, len(ids))
	for i, id := range ids {
		hashes[i] = schema.Tombstone(b.owner, schema.TombstoneEvent, id)
	}
	if err := b.addTombstones(ctx, hashes); err != nil {
		return err
	}
	for _, part := range []struct{ table, query string }{
		{"deliveries", "DELETE FROM deliveries WHERE seq IN (SELECT CAST(value AS BIGINT) FROM json_each(?))"},
		{"injections", "DELETE FROM injections WHERE event_seq IN (SELECT CAST(value AS BIGINT) FROM json_each(?))"},
		{"events", "DELETE FROM events WHERE seq IN (SELECT CAST(value AS BIGINT) FROM json_each(?))"},
	} {
		if _, err := b.remove(ctx, part.table, part.query, chosen); err != nil {
			return err
		}
	}
	_, err = b.affected(ctx, "DELETE FROM erasing WHERE record = 'events' AND id IN (SELECT CAST(value AS BIGINT) FROM json_each(?))", chosen)
	return err
}

// eraseEvents erases events that had no memory when they were selected. One that has
// a memory by now, for instance by an import, is erased with it.
func (b *batch) eraseEvents(ctx context.Context, seqs []int64) error {
	memories, err := b.ids(ctx, "SELECT id FROM memories WHERE event_seq IN (SELECT CAST(value AS BIGINT) FROM json_each(?))", schema.JSONList(seqs))
	if err != nil {
		return err
	}
	payloads, err := schema.Column[string](ctx, b.tx.Query, "SELECT payload FROM events WHERE seq IN (SELECT CAST(value AS BIGINT) FROM json_each(?)) AND substr(topic, 1, 7) <> 'memory.'", schema.JSONList(seqs))
	if err != nil {
		return err
	}
	for _, payload := range payloads {
		b.words.addPayload(payload)
	}
	if err := b.erase(ctx, memories); err != nil {
		return err
	}
	return b.deleteEvents(ctx, seqs)
}

// spendImportance subtracts the targets' importance from the sum that the next
// reflection waits for, as far as it is still part of it.
func (b *batch) spendImportance(ctx context.Context) error {
	through, err := b.tx.Watermark(ctx, b.userID, "reflect")
	if err != nil {
		return err
	}
	var sum float64
	for id, d := range b.targets {
		if d.kind == schema.KindEpisode && id > through {
			sum += d.importance
		}
	}
	_, err = b.affected(ctx, "UPDATE users SET importance_since = max(0, importance_since - ?) WHERE id = ?", sum, b.userID)
	return err
}

// moveWatermarks moves watermarks that point at a target to the memory before it.
func (b *batch) moveWatermarks(ctx context.Context) error {
	for _, id := range b.order {
		if err := b.tx.PassWatermarks(ctx, b.userID, id, b.targets[id].uid); err != nil {
			return err
		}
	}
	return nil
}
