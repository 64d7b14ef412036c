package inspect

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// TimelineQuery says which part of a user's past is wanted. The zero value is
// its newest 50 memories.
type TimelineQuery struct {
	// Entity restricts to memories that mention it, by any of its names, in
	// any case. Empty means all memories.
	Entity string
	// Kinds restricts the kinds of memory; empty means all.
	Kinds []schema.Kind
	// Roles restricts to messages of these roles, as "user"; empty means all memories.
	Roles []string
	// Session restricts to one session; empty means all.
	Session string
	// Since and Until bound event_time, half open; zero means unbounded.
	Since, Until time.Time
	// Forgotten includes what was forgotten at the user's or the host's request.
	Forgotten bool
	// WithoutQuarantined leaves out what is quarantined.
	WithoutQuarantined bool
	// Limit keeps the newest so many. 0 means 50; at most 1,000.
	Limit int
}

// DefaultLimit is how many records are listed where a query does not say.
const DefaultLimit = 50

// Timeline lists the memories of a user that the query asks for, in the order in
// which things happened. An entity that the user's memory does not know is
// [schema.ErrNotFound].
func Timeline(ctx context.Context, s *schema.Snapshot, userID int64, q TimelineQuery) ([]schema.Memory, error) {
	where, args, err := q.conditions(ctx, s, userID)
	if err != nil {
		return nil, err
	}
	limit := cmp.Or(q.Limit, DefaultLimit)
	for most := limit; ; most *= 2 {
		ids, err := schema.Column[int64](ctx, s.Query, "SELECT m.id FROM memories m WHERE "+where+
			" ORDER BY m.event_time DESC, m.id DESC LIMIT ?", append(args, most)...)
		if err != nil {
			return nil, err
		}
		records, err := recordsByTime(ctx, s, userID, ids)
		if records = withoutKept(records); err != nil || len(records) >= limit || len(ids) < most {
			return records[max(0, len(records)-limit):], err
		}
	}
}

// withoutKept leaves out the sentences that are kept in their own words and stand
// in a message that is there.
func withoutKept(records []schema.Memory) []schema.Memory {
	return slices.DeleteFunc(records, func(kept schema.Memory) bool {
		return kept.Attributes[schema.AttrSaid] == schema.SaidLasting && slices.ContainsFunc(records, func(m schema.Memory) bool {
			return m.Kind == schema.KindEpisode && strings.Contains(m.Content, kept.Content)
		})
	})
}

func (q *TimelineQuery) conditions(ctx context.Context, s *schema.Snapshot, userID int64) (where string, args []any, err error) {
	conditions := []string{"m.user_id = ?", "m.state <> ?", "NOT (m.state = 'superseded' AND m.valid_until = m.valid_from)"}
	args = []any{userID, string(schema.StateRetired)}
	add := func(condition string, values ...any) {
		conditions = append(conditions, condition)
		args = append(args, values...)
	}
	if !q.Forgotten {
		add("m.state <> ?", string(schema.StateForgotten))
	}
	if q.WithoutQuarantined {
		add("m.state <> ?", string(schema.StateQuarantined))
	}
	if !q.Since.IsZero() {
		add("m.event_time >= ?", q.Since.UnixMilli())
	}
	if !q.Until.IsZero() {
		add("m.event_time < ?", q.Until.UnixMilli())
	}
	if len(q.Kinds) > 0 {
		add("m.kind IN (?"+strings.Repeat(", ?", len(q.Kinds)-1)+")", values(q.Kinds)...)
	}
	if len(q.Roles) > 0 {
		add("m.role IN (?"+strings.Repeat(", ?", len(q.Roles)-1)+")", values(q.Roles)...)
	}
	if q.Session != "" {
		add("m.session_id = (SELECT id FROM sessions WHERE user_id = ? AND name = ?)", userID, q.Session)
	}
	if strings.TrimSpace(q.Entity) != "" {
		alias := text.Fold(q.Entity)
		var known bool
		if err := s.Row(ctx, "SELECT EXISTS (SELECT 1 FROM entity_aliases WHERE user_id = ? AND alias = ?)",
			[]any{userID, alias}, &known); err != nil {
			return "", nil, err
		}
		if !known {
			return "", nil, fmt.Errorf("no memory mentions an entity named %s: %w", q.Entity, schema.ErrNotFound)
		}
		// An alias leads to an entity, that one perhaps to the one it was
		// merged into, and that one back to all that were merged into it.
		add(`m.id IN (SELECT me.memory_id FROM memory_entities me WHERE me.entity_id IN (
			WITH RECURSIVE whole (id) AS (SELECT `+root+` FROM entity_aliases a JOIN entities n ON n.id = a.entity_id WHERE a.user_id = ? AND a.alias = ?
				UNION SELECT e.id FROM whole JOIN entities e ON e.merged_into = whole.id) SELECT id FROM whole))`, userID, alias)
	}
	return strings.Join(conditions, " AND "), args, nil
}

func values[T ~string](of []T) []any {
	all := make([]any, len(of))
	for i, v := range of {
		all[i] = string(v)
	}
	return all
}

// recordsByTime reads memories of one user in the order they happened.
func recordsByTime(ctx context.Context, s *schema.Snapshot, userID int64, ids []int64) ([]schema.Memory, error) {
	records, err := s.MemoriesByID(ctx, userID, ids)
	slices.SortFunc(records, func(a, b schema.Memory) int {
		// Of one moment messages come first: claims are read from them in the background.
		return cmp.Or(a.EventTime.Compare(b.EventTime.Time), cmp.Compare(place(&a), place(&b)), cmp.Compare(a.ID, b.ID))
	})
	return records, err
}

// place orders memories of one moment.
func place(m *schema.Memory) int {
	if m.Kind == schema.KindEpisode {
		return 0
	}
	return 1
}
