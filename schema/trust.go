package schema

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// LeastTrusted is the lowest trust of what was said, and of what models were
// shown from memory, in one session; in none for the empty name. A zero since
// means from the beginning. [MaxTrust] when nothing was.
func (s *Snapshot) LeastTrusted(ctx context.Context, userID int64, session string, since time.Time) (Trust, error) {
	sessionID, err := s.SessionID(ctx, userID, session)
	if err != nil {
		return 0, err
	}
	from := int64(-1 << 62)
	if !since.IsZero() {
		from = since.UnixMilli()
	}
	said, shown := int64(MaxTrust), int64(MaxTrust)
	if session == "" || sessionID != 0 {
		err = s.Row(ctx, `SELECT coalesce(min(trust), ?) FROM memories
			WHERE session_id IS ? AND event_time >= ? AND user_id = ? AND kind = 'episode'`,
			[]any{int64(MaxTrust), nullID(sessionID), from, userID}, &said)
		if err != nil {
			return 0, err
		}
	}
	err = s.Row(ctx, `SELECT coalesce(min(m.trust), ?) FROM injections i, json_each(i.items) j
		JOIN memories m ON m.uid = json_extract(j.value, '$.uid') AND m.user_id = i.user_id
		WHERE i.user_id = ? AND i.session = ? AND i.shown_at >= ?`,
		[]any{int64(MaxTrust), userID, session, from}, &shown)
	return Trust(min(said, shown)), err
}

// LowerTrust takes the trust of the episode that an event became down to a
// level. One that is trusted no more, or that is not there, stays as it is.
func (tx *Tx) LowerTrust(ctx context.Context, userID int64, eventID string, level Trust, by Actor) error {
	m := new(Memory)
	err := selectMemories(tx, m).Where("m.user_id = ?", userID).Where("e.user_id = ? AND e.id = ?", userID, eventID).
		Where("m.trust > ?", int64(level)).Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	return tx.changeMemory(ctx, m, by, "distrust", change{"trust", int64(level)})
}
