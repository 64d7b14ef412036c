package schema

import (
	"context"
	"database/sql"
	"errors"

	"github.com/uptrace/bun"
)

// NightReads are the queries of a night's stages, on a snapshot or within a write.
type NightReads struct{ db nightReader }

// nightReader is a [Snapshot] or a [Tx]: the query builders, and statements that
// are prepared once.
type nightReader interface {
	bun.IDB
	Row(ctx context.Context, query string, args []any, dest ...any) error
	Query(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// Night returns the queries of nights on the snapshot.
func (s *Snapshot) Night() NightReads { return NightReads{s} }

// Night returns the queries of nights within the write.
func (tx *Tx) Night() NightReads { return NightReads{tx} }

// ActiveDerived returns the user's active memories except episodes, without texts.
func (n NightReads) ActiveDerived(ctx context.Context, userID int64) (active []Memory, err error) {
	err = summaries(n.db.NewSelect().Model(&active)).
		Where("user_id = ? AND state = ? AND kind <> ?", userID, StateActive, KindEpisode).Order("id").Scan(ctx)
	return active, err
}

// summaries selects the columns of memories but for their texts.
func summaries(q *bun.SelectQuery) *bun.SelectQuery {
	return q.Column("id", "uid", "user_id", "session_id", "kind", "role", "event_time", "created_at", "valid_from", "valid_until", "last_accessed", "access_count", "decay_rate",
		"stability", "utility", "confidence", "importance", "origin", "trust", "protected", "pinned", "state", "attributes", "version")
}

// CountMeeting counts the user's memories in a state that meet conditions, as
// [NightReads.Meeting] returns them; with empty conditions, all in that state.
func (n NightReads) CountMeeting(ctx context.Context, userID int64, state State, c *Conditions) (met int, err error) {
	where, args := c.where()
	err = n.db.NewSelect().Model((*Memory)(nil)).ColumnExpr("count(*)").Where("user_id = ? AND state = ?", userID, state).Where(where, args...).Scan(ctx, &met)
	return met, err
}

// PruneCounts returns how many of the user's derived memories are active, and
// how many runs by actor retired, deactivated or revised between two times that are no
// longer active.
func (n NightReads) PruneCounts(ctx context.Context, userID int64, actor string, since, until Time) (active, pruned int, err error) {
	err = n.db.Row(ctx, `SELECT
		(SELECT count(*) FROM memories WHERE user_id = ?1 AND kind <> 'episode' AND state = 'active'),
		(SELECT count(DISTINCT o.record_id) FROM ops o JOIN memories m ON m.id = o.record_id
			WHERE o.user_id = ?1 AND o.run_id IS NOT NULL AND o.actor = ?2 AND +o.record = 'memories'
			AND (o.operation IN ('retire', 'state') OR substr(o.operation, 1, 7) = 'revise:') AND o.at > ?3 AND o.at < ?4 AND m.state IN ('retired', 'dormant') AND m.kind <> 'episode')`,
		[]any{userID, actor, since, until}, &active, &pruned)
	return active, pruned, err
}

const (
	// mentionsProtected, after one of the others, selects the memories that mention an
	// entity which is protected or merged, directly or not, into a protected one.
	protectedOfUser   = "WITH RECURSIVE up (id, next, protected) AS (SELECT id, merged_into, protected FROM entities WHERE user_id = ?1"
	protectedOfMemory = "WITH RECURSIVE up (id, next, protected) AS (SELECT e.id, e.merged_into, e.protected FROM memory_entities me JOIN entities e ON e.id = me.entity_id WHERE me.memory_id = ?1"
	mentionsProtected = `
			UNION SELECT up.id, e.merged_into, e.protected FROM up CROSS JOIN entities e ON e.id = up.next)
		SELECT me.memory_id FROM up JOIN memory_entities me ON me.entity_id = up.id WHERE up.protected <> 0`
	// restsOnSentence selects the claims with a source that is a sentence of the user,
	// including claims worded by a model: standing ones, and those that a tool saved.
	restsOnSentence = `SELECT m.id FROM memories m JOIN memory_sources ms ON ms.memory_id = m.id JOIN memories s ON s.id = ms.source_id
		WHERE m.kind IN ('fact', 'preference') AND (coalesce(json_extract(m.attributes, '$.temporal'), '') NOT IN ('event', 'plan')
			OR json_extract(m.attributes, '$.said') IS NULL AND json_extract(m.attributes, '$.prompt') IS NULL)
		AND s.kind = 'episode' AND s.origin = 'user_direct' AND s.trust = 4 AND ms.quote <> ''`
)

// Guarded returns the row ids of the user's memories that mention a protected entity
// and, with sentences, of the standing claims that rest on a sentence of the user.
func (n NightReads) Guarded(ctx context.Context, userID int64, sentences bool) (ids []int64, err error) {
	query := protectedOfUser + mentionsProtected
	if sentences {
		query += " UNION ALL " + restsOnSentence + " AND m.user_id = ?1"
	}
	return Column[int64](ctx, n.db.Query, query, userID)
}

// IsGuarded reports whether [NightReads.Guarded] would return a memory.
func (n NightReads) IsGuarded(ctx context.Context, memoryID int64, sentences bool) (guarded bool, err error) {
	query := protectedOfMemory + mentionsProtected + " AND me.memory_id = ?1"
	if sentences {
		query += " UNION ALL " + restsOnSentence + " AND m.id = ?1"
	}
	err = n.db.Row(ctx, "SELECT EXISTS ("+query+")", []any{memoryID}, &guarded)
	return guarded, err
}

// ProposalPayloads returns the payloads of all proposals of a kind, in whatever
// state.
func (n NightReads) ProposalPayloads(ctx context.Context, userID int64, kind string) (payloads []string, err error) {
	err = n.db.NewRaw("SELECT payload FROM proposals WHERE user_id = ? AND kind = ?", userID, kind).Scan(ctx, &payloads)
	return payloads, err
}

// IsPairProposed reports whether a proposal of a kind, in whatever state, names a
// pair in two fields of its payload, in either order.
func (n NightReads) IsPairProposed(ctx context.Context, userID int64, kind string, fields [2]string, a, b string) (proposed bool, err error) {
	err = n.db.Row(ctx, `SELECT EXISTS (SELECT 1 FROM proposals WHERE user_id = ?1 AND kind = ?2
		AND json_extract(payload, '$.' || ?3) IN (?5, ?6) AND json_extract(payload, '$.' || ?4) IN (?5, ?6))`,
		[]any{userID, kind, fields[0], fields[1], a, b}, &proposed)
	return proposed, err
}

// CountUnread counts the user's own messages after an id.
func (n NightReads) CountUnread(ctx context.Context, userID, after int64) (unread int, err error) {
	err = n.db.Row(ctx, "SELECT count(*) FROM memories WHERE user_id = ? AND kind = 'episode' AND id > ? AND role = 'user'", []any{userID, after}, &unread)
	return unread, err
}

// ReflectionOf returns the public id of the user's reflection with this content,
// unless it is retired; "" for none.
func (n NightReads) ReflectionOf(ctx context.Context, userID int64, content string) (uid string, err error) {
	err = n.db.Row(ctx, "SELECT uid FROM memories WHERE user_id = ? AND kind = 'reflection' AND content_hash = ? AND state <> 'retired' LIMIT 1",
		[]any{userID, HashContent(content)}, &uid)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return uid, err
}
