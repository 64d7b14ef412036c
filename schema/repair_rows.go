package schema

import (
	"context"
	"math"
)

// repairClaims lets the state of a claim and its replacement agree. A claim
// whose replacement is lost becomes dormant: it is found when asked for, and
// not told as if it were still true.
func repairClaims(ctx context.Context, tx *Tx) (changed int64, detail string, err error) {
	rows, err := tx.QueryContext(ctx, `SELECT m.id, m.uid, m.user_id, m.version, m.state, m.superseded_by IS NOT NULL AND n.user_id IS m.user_id
		FROM memories m LEFT JOIN memories n ON n.id = m.superseded_by
		WHERE m.state <> 'forgotten' AND (m.state = 'superseded') <> (m.superseded_by IS NOT NULL) OR n.user_id <> m.user_id`)
	if err != nil {
		return 0, "", err
	}
	defer rows.Close()
	type claim struct {
		Memory
		replaced bool
	}
	var claims []claim
	for rows.Next() {
		var c claim
		if err := rows.Scan(&c.ID, &c.UID, &c.UserID, &c.Version, &c.State, &c.replaced); err != nil {
			return 0, "", err
		}
		claims = append(claims, c)
	}
	if err := rows.Err(); err != nil {
		return 0, "", err
	}
	done := make(map[string]int64)
	for _, c := range claims {
		what, to := "", change{}
		switch {
		case c.replaced && (c.State == StateActive || c.State == StateDormant):
			what, to = "marked as replaced", change{"state", string(StateSuperseded)}
		case c.State == StateSuperseded:
			what, to = "made dormant, their replacement is lost", change{"state", string(StateDormant)}
		default:
			what, to = "no longer called replaced", change{"superseded_by", nil}
		}
		changes := []change{to}
		if c.State == StateSuperseded {
			changes = append(changes, change{"superseded_by", nil})
		}
		if err := tx.changeMemory(ctx, &c.Memory, repairer, "repair", changes...); err != nil {
			return 0, "", err
		}
		done[what]++
		changed++
	}
	return changed, tally(done), nil
}

// repairVectors removes vectors that no similarity can be computed from, or
// that are filed under another user. The background makes them again.
func repairVectors(ctx context.Context, tx *Tx) (changed int64, detail string, err error) {
	bad, err := badVectors(ctx, tx)
	if err != nil {
		return 0, "", err
	}
	for _, id := range bad {
		n, err := tx.changes(ctx, "DELETE FROM vectors WHERE id = ?", id)
		if err != nil {
			return 0, "", err
		}
		changed += n
	}
	return changed, "removed; they are made again in the background, with an embedder", nil
}

func badVectors(ctx context.Context, q querier) (bad []int64, err error) {
	rows, err := q.QueryContext(ctx, `SELECT v.id, v.vector, g.dims, v.user_id = v.chunk_id >> ? FROM vectors v JOIN embedding_generations g ON g.id = v.generation`, chunkBits)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		var blob any
		var dims int
		var filed bool
		if err := rows.Scan(&id, &blob, &dims, &filed); err != nil {
			return nil, err
		}
		var v Vector
		if !filed || v.Scan(blob) != nil || !usable(v, dims) {
			bad = append(bad, id)
		}
	}
	return bad, rows.Err()
}

func usable(v Vector, dims int) bool {
	if len(v) != dims {
		return false
	}
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	return math.Abs(sum-1) < 1e-3
}

// BadVectors counts vectors that [RepairRows] would remove.
func BadVectors(ctx context.Context, db querier) (int, error) {
	bad, err := badVectors(ctx, db)
	return len(bad), err
}

func repairEntities(ctx context.Context, tx *Tx) (changed int64, detail string, err error) {
	done := make(map[string]int64)
	for _, step := range []struct{ what, statement string }{
		{"merges taken back that ran in a ring", `UPDATE entities SET merged_into = NULL WHERE id IN (
			WITH RECURSIVE chain (start, id) AS (SELECT id, merged_into FROM entities WHERE merged_into IS NOT NULL
				UNION SELECT chain.start, e.merged_into FROM chain JOIN entities e ON e.id = chain.id WHERE e.merged_into IS NOT NULL)
			SELECT start FROM chain WHERE start = id)`},
		{"mentions of other users' entities removed", `DELETE FROM memory_entities WHERE (SELECT user_id FROM memories m WHERE m.id = memory_id)
			<> (SELECT user_id FROM entities e WHERE e.id = entity_id)`},
		{"names of other users' entities removed", "DELETE FROM entity_aliases WHERE user_id <> (SELECT user_id FROM entities e WHERE e.id = entity_id)"},
		{"mentions counted again", "UPDATE entities SET mention_count = found.n FROM (" + MiscountedEntities + ") AS found WHERE found.id = entities.id"},
	} {
		n, err := tx.changes(ctx, step.statement)
		if err != nil {
			return 0, "", err
		}
		done[step.what] += n
		changed += n
	}
	return changed, tally(done), nil
}

// repairPositions takes back positions past what exists: their readers would
// skip what is written next.
func repairPositions(ctx context.Context, tx *Tx) (changed int64, detail string, err error) {
	done := make(map[string]int64)
	for _, step := range []struct{ what, statement string }{
		{"consumers put back to the end of the journal", "UPDATE consumers SET cursor = " + lastOf("events", "seq") + " WHERE cursor > " + lastOf("events", "seq")},
		{"watermarks put back to the last memory", "UPDATE watermarks SET through = " + lastOf("memories", "id") + " WHERE through > " + lastOf("memories", "id")},
		{"days of the last night cleared that are no day", "UPDATE users SET nights_through = '' WHERE nights_through <> '' AND date(nights_through) IS NOT nights_through"},
	} {
		n, err := tx.changes(ctx, step.statement)
		if err != nil {
			return 0, "", err
		}
		done[step.what] += n
		changed += n
	}
	return changed, tally(done), nil
}

// lastOf is the highest number a table has ever given.
func lastOf(table, column string) string {
	return "(SELECT coalesce(max(n), 0) FROM (SELECT max(" + column + ") AS n FROM " + table +
		" UNION ALL SELECT seq FROM sqlite_sequence WHERE name = '" + table + "'))"
}
