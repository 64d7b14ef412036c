package erase

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ebbmem/ebb/schema"
)

// choose stores the selected rows. Ids that were erased before are skipped, so that
// an erasure can be repeated.
func (e *eraser) choose(ctx context.Context, what *Erasure) error {
	for _, uid := range what.Memories {
		if err := e.chooseMemory(ctx, uid); err != nil {
			return err
		}
	}
	for _, id := range what.Events {
		if err := e.chooseEvent(ctx, id); err != nil {
			return err
		}
	}
	for _, name := range what.Sessions {
		if err := e.chooseSession(ctx, name); err != nil {
			return err
		}
	}
	for _, name := range what.Speakers {
		if err := e.chooseSpeaker(ctx, name); err != nil {
			return err
		}
	}
	if !what.Since.IsZero() || !what.Until.IsZero() {
		since, until := int64(math.MinInt64), int64(math.MaxInt64)
		if !what.Since.IsZero() {
			since = what.Since.UnixMilli()
		}
		if !what.Until.IsZero() {
			until = what.Until.UnixMilli()
		}
		return e.chooseSpan(ctx, since, until)
	}
	return nil
}

// enqueue stores the rows to be erased; the query returns their ids.
func (e *eraser) enqueue(ctx context.Context, record, query string, args ...any) (int64, error) {
	return e.affected(ctx, "INSERT INTO erasing (record, id, erasure_id) SELECT '"+record+"', chosen.id, ?1 FROM ("+query+") AS chosen WHERE true ON CONFLICT DO NOTHING",
		append([]any{e.id}, args...)...)
}

func (e *eraser) chooseMemory(ctx context.Context, uid string) error {
	n, err := e.enqueue(ctx, "memories", "SELECT id FROM memories WHERE user_id = ?2 AND uid = ?3", e.userID, uid)
	if err != nil || n > 0 {
		return err
	}
	return e.checkErased(ctx, "memory", schema.TombstoneMemory, uid, "SELECT EXISTS (SELECT 1 FROM memories WHERE user_id = ? AND uid = ?)")
}

func (e *eraser) chooseEvent(ctx context.Context, id string) error {
	n, err := e.enqueue(ctx, "events", "SELECT seq AS id FROM events WHERE user_id = ?2 AND id = ?3", e.userID, id)
	if err != nil {
		return err
	}
	if n == 0 {
		return e.checkErased(ctx, "event", schema.TombstoneEvent, id, "SELECT EXISTS (SELECT 1 FROM events WHERE user_id = ? AND id = ?)")
	}
	_, err = e.enqueue(ctx, "memories", "SELECT m.id FROM memories m JOIN events v ON v.seq = m.event_seq WHERE v.user_id = ?2 AND v.id = ?3", e.userID, id)
	return err
}

// checkErased accepts an id that was erased before or is selected already.
func (e *eraser) checkErased(ctx context.Context, what string, kind schema.TombstoneKind, id, exists string) error {
	var there bool
	if err := e.tx.Row(ctx, exists, []any{e.userID, id}, &there); err != nil || there {
		return err // it was named twice
	}
	erased, err := e.tx.Erased(ctx, e.owner, kind, id)
	if err == nil && !erased {
		err = missing(what, id)
	}
	return err
}

// chooseSession selects a conversation's messages, what models stored in it without
// a source message, and its rows of the journal.
func (e *eraser) chooseSession(ctx context.Context, name string) error {
	sessions, err := e.enqueue(ctx, "sessions", "SELECT id FROM sessions WHERE user_id = ?2 AND name = ?3", e.userID, name)
	if err != nil {
		return err
	}
	if _, err := e.enqueue(ctx, "memories", `SELECT m.id FROM memories m JOIN sessions s ON s.id = m.session_id
		WHERE s.user_id = ?2 AND s.name = ?3 AND (m.kind = 'episode' OR NOT EXISTS (SELECT 1 FROM memory_sources WHERE memory_id = m.id))`, e.userID, name); err != nil {
		return err
	}
	events, err := e.enqueue(ctx, "events", "SELECT seq AS id FROM events WHERE user_id = ?2 AND session = ?3", e.userID, name)
	if err == nil && sessions+events == 0 {
		err = missing("session", name)
	}
	return err
}

// chooseSpeaker selects what somebody said, whatever its state, and what models stored as
// said by them without a source message. A name may be written in capitals or not.
func (e *eraser) chooseSpeaker(ctx context.Context, name string) error {
	speakers, err := schema.Column[string](ctx, e.tx.Query, "SELECT DISTINCT speaker FROM memories WHERE user_id = ? AND speaker <> ''", e.userID)
	if err != nil {
		return err
	}
	same := slices.DeleteFunc(speakers, func(speaker string) bool {
		return !strings.EqualFold(strings.TrimSpace(speaker), strings.TrimSpace(name))
	})
	n, err := e.enqueue(ctx, "memories", `SELECT m.id FROM memories m WHERE m.user_id = ?2 AND m.speaker IN (SELECT value FROM json_each(?3))
		AND (m.kind = 'episode' OR NOT EXISTS (SELECT 1 FROM memory_sources WHERE memory_id = m.id))`, e.userID, schema.JSONList(same))
	if err == nil && n == 0 {
		return missing("speaker", name)
	}
	return err
}

func (e *eraser) chooseSpan(ctx context.Context, since, until int64) error {
	if _, err := e.enqueue(ctx, "memories", `SELECT id FROM memories m WHERE user_id = ?2 AND event_time >= ?3 AND event_time < ?4
		AND (kind = 'episode' OR NOT EXISTS (SELECT 1 FROM memory_sources WHERE memory_id = m.id))`, e.userID, since, until); err != nil {
		return err
	}
	_, err := e.enqueue(ctx, "events", "SELECT seq AS id FROM events WHERE user_id = ?2 AND occurred_at >= ?3 AND occurred_at < ?4", e.userID, since, until)
	return err
}

// eraseChosen erases one batch: memories with their events first, then events
// without a memory, then sessions, and then it sweeps.
func (e *eraser) eraseChosen(ctx context.Context) (more bool, err error) {
	const waiting = "SELECT id FROM erasing WHERE erasure_id = ? AND record = ? ORDER BY id LIMIT ?"
	memories, err := e.ids(ctx, waiting, e.id, "memories", batchSize)
	if err != nil {
		return false, err
	}
	if len(memories) > 0 {
		e.sweeping = nil
		b := newBatch(e)
		if err := b.erase(ctx, memories); err != nil {
			return false, err
		}
		// Of the chosen, another erasure may have deleted some.
		if _, err := e.affected(ctx, "DELETE FROM erasing WHERE record = 'memories' AND id IN (SELECT CAST(value AS BIGINT) FROM json_each(?))", schema.JSONList(slices.Concat(memories, b.order))); err != nil {
			return false, err
		}
		if len(memories) == batchSize {
			return true, nil
		}
	}
	events, err := e.ids(ctx, waiting, e.id, "events", batchSize)
	if err != nil {
		return false, err
	}
	if len(events) > 0 {
		e.sweeping = nil
		b := newBatch(e)
		if err := b.eraseEvents(ctx, events); err != nil {
			return false, err
		}
		if _, err := e.affected(ctx, "DELETE FROM erasing WHERE record = 'events' AND id IN (SELECT CAST(value AS BIGINT) FROM json_each(?))", schema.JSONList(events)); err != nil {
			return false, err
		}
		if len(events) == batchSize {
			return true, nil
		}
	}
	sessions, err := e.ids(ctx, "SELECT id FROM erasing WHERE erasure_id = ? AND record = 'sessions'", e.id)
	if err != nil {
		return false, err
	}
	for _, id := range sessions {
		if err := e.eraseSession(ctx, id); err != nil {
			return false, err
		}
	}
	return e.sweep(ctx)
}

// eraseEmptySessions deletes the rows of conversations that lost messages and of which
// nothing is left.
func (e *eraser) eraseEmptySessions(ctx context.Context) error {
	n, err := e.remove(ctx, "sessions", `DELETE FROM sessions WHERE id IN (SELECT id FROM erasing WHERE record = ?)
		AND NOT EXISTS (SELECT 1 FROM memories m WHERE m.session_id = sessions.id)
		AND NOT EXISTS (SELECT 1 FROM events v WHERE v.user_id = sessions.user_id AND v.session = sessions.name)`, fmt.Sprint(emptyRecord, e.id))
	if n > 0 {
		e.tx.ForgetScopes()
	}
	return err
}

// eraseSession deletes a conversation's row. Claims that stay no longer belong to a
// conversation.
func (e *eraser) eraseSession(ctx context.Context, id int64) error {
	e.tx.ForgetScopes()
	// What was said in it while it was being erased keeps it.
	if err := e.rewrite(ctx, "memories", `UPDATE memories SET session_id = NULL, version = version + 1
		WHERE session_id = ? AND kind <> 'episode'`, id); err != nil {
		return err
	}
	if _, err := e.remove(ctx, "sessions", "DELETE FROM sessions WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM memories WHERE session_id = ?1)", id); err != nil {
		return err
	}
	_, err := e.affected(ctx, "DELETE FROM erasing WHERE record = 'sessions' AND id = ?", id)
	return err
}
