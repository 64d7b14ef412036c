package extension

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// User is one person whose memory a file holds.
type User = schema.User

// Users lists everybody whose memory the file holds, in the order in which
// they first appeared. It is for operators: no model should see it.
//
// Errors: the database's, the context's.
func (x *Extension) Users(ctx context.Context) ([]User, error) {
	var users []User
	err := x.db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) (err error) {
		users, err = s.Users(ctx)
		return err
	})
	return users, err
}

// TimelineQuery says which part of a user's past is wanted. The zero value is
// its newest 50 memories.
type TimelineQuery struct {
	// Entity restricts to memories that mention it, by any of its names, in
	// any case. Empty means all memories.
	Entity string
	// Kinds restricts the kinds of memory; empty means all.
	Kinds []Kind
	// Session restricts to one session; empty means all.
	Session string
	// Since and Until bound event_time, half open; zero means unbounded.
	Since, Until time.Time
	// Limit keeps the newest so many. 0 means 50; at most [recall.MaxLimit].
	Limit int
}

const defaultTimeline = 50

func (q *TimelineQuery) validate() error {
	search := Query{Kinds: q.Kinds, Limit: q.Limit, Since: q.Since, Until: q.Until}
	if err := search.Validate(); err != nil {
		return err
	}
	if err := schema.ValidLabel("entity", q.Entity); err != nil {
		return err
	}
	return schema.ValidLabel("session", q.Session)
}

// Timeline lists one user's memories in the order in which things happened.
// Claims that were replaced are part of it, with their State; what a night
// retired, what is forgotten, claims that another says in other words, and
// sentences that are kept beside their message are not.
//
// Errors: [*InvalidError]; [ErrNotFound] for an entity that this user's memory
// does not know; the database's errors, the context's error.
func (x *Extension) Timeline(ctx context.Context, scope Scope, q TimelineQuery) ([]Record, error) {
	if err := scope.Validate(); err != nil {
		return nil, err
	}
	if err := q.validate(); err != nil {
		return nil, err
	}
	var records []Record
	err := x.db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		userID, err := s.UserID(ctx, scope)
		if err != nil {
			return err
		}
		where, args, err := q.conditions(ctx, s, userID)
		if err != nil {
			return err
		}
		ids, err := memoryIDs(ctx, s, "SELECT m.id FROM memories m WHERE "+where+
			" ORDER BY m.event_time DESC, m.id DESC LIMIT ?", append(args, cmp.Or(q.Limit, defaultTimeline))...)
		if err != nil {
			return err
		}
		records, err = recordsByTime(ctx, s, userID, ids)
		return err
	})
	return withoutKept(records), err
}

// withoutKept leaves out the sentences that are kept in their own words and stand
// in a message that is there.
func withoutKept(records []Record) []Record {
	return slices.DeleteFunc(records, func(kept Record) bool {
		return kept.Attributes[schema.AttrSaid] == schema.SaidLasting && slices.ContainsFunc(records, func(m Record) bool {
			return m.Kind == KindEpisode && strings.Contains(m.Content, kept.Content)
		})
	})
}

func (q *TimelineQuery) conditions(ctx context.Context, s *schema.Snapshot, userID int64) (where string, args []any, err error) {
	conditions := []string{"m.user_id = ?", "m.state NOT IN (?, ?)", "NOT (m.state = 'superseded' AND m.valid_until = m.valid_from)"}
	args = []any{userID, string(schema.StateRetired), string(schema.StateForgotten)}
	add := func(condition string, values ...any) {
		conditions = append(conditions, condition)
		args = append(args, values...)
	}
	if !q.Since.IsZero() {
		add("m.event_time >= ?", q.Since.UnixMilli())
	}
	if !q.Until.IsZero() {
		add("m.event_time < ?", q.Until.UnixMilli())
	}
	if len(q.Kinds) > 0 {
		kinds := make([]any, len(q.Kinds))
		for i, k := range q.Kinds {
			kinds[i] = string(k)
		}
		add("m.kind IN (?"+strings.Repeat(", ?", len(kinds)-1)+")", kinds...)
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
			return "", nil, &unknownEntityError{q.Entity}
		}
		// An alias leads to an entity, that one perhaps to the one it was
		// merged into, and that one back to all that were merged into it.
		add(`m.id IN (SELECT me.memory_id FROM memory_entities me JOIN entities e ON e.id = me.entity_id
			WHERE coalesce(e.merged_into, e.id) IN (SELECT coalesce(n.merged_into, n.id)
				FROM entity_aliases a JOIN entities n ON n.id = a.entity_id WHERE a.user_id = ? AND a.alias = ?))`, userID, alias)
	}
	return strings.Join(conditions, " AND "), args, nil
}

type unknownEntityError struct{ name string }

func (e *unknownEntityError) Error() string {
	return "no memory mentions an entity named " + e.name + ": not found"
}

func (*unknownEntityError) Unwrap() error { return ErrNotFound }

// Detail is everything known about one memory.
type Detail struct {
	Memory     Record       `json:"memory"`
	Retention  float64      `json:"retention"`             // 0–1, by the memory's clock; 1 for what never fades
	Entities   []Mention    `json:"entities,omitempty"`    // whom and what it mentions
	Sources    []SourceText `json:"sources,omitempty"`     // what it rests on
	Derived    []Record     `json:"derived,omitempty"`     // what rests on it
	Replaces   []Record     `json:"replaces,omitempty"`    // older claims it took the place of
	ReplacedBy []Record     `json:"replaced_by,omitempty"` // the claims that took its place, the current one last
	History    []Change     `json:"history,omitempty"`     // every audited change, oldest first

	// Embeddings are what its vectors were made by, oldest first.
	Embeddings []Embedding `json:"embeddings,omitempty"`

	// Event is the message an episode came from, without its position in the
	// journal, which tells how much others write.
	Event *eventbus.Event `json:"event,omitempty"`
}

// Mention is an entity that a memory mentions.
type Mention struct {
	ID      string `json:"id"`
	Type    string `json:"type"`
	Name    string `json:"name"`    // canonical
	Surface string `json:"surface"` // as this memory writes it
}

// SourceText is a memory another one rests on, with the words it took from it.
type SourceText struct {
	Memory Record `json:"memory"`
	Quote  string `json:"quote,omitempty"`
}

// Change is one entry of a memory's audit: who did what, and the columns it
// changed.
type Change struct {
	At        time.Time `json:"at"`
	Actor     string    `json:"actor"`
	Operation string    `json:"operation"`
	Run       string    `json:"run,omitempty"`    // the night that did it, by its id
	Before    string    `json:"before,omitempty"` // JSON of the columns, with public ids
	After     string    `json:"after,omitempty"`
}

// Get reads one memory by its public id, with all that hangs on it.
//
// Errors: [*InvalidError]; [ErrNotFound] for an id that does not exist or is
// another user's; the database's errors, the context's error.
func (x *Extension) Get(ctx context.Context, scope Scope, id string) (*Detail, error) {
	if err := scope.Validate(); err != nil {
		return nil, err
	}
	if strings.TrimSpace(id) == "" {
		return nil, &InvalidError{Field: "id", Reason: "is empty; give the id of a memory"}
	}
	if err := schema.ValidLabel("id", id); err != nil {
		return nil, err
	}
	d := new(Detail)
	err := x.db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		userID, err := s.UserID(ctx, scope)
		if err != nil {
			return err
		}
		m, err := s.Memory(ctx, userID, id)
		if err != nil {
			return err
		}
		d.Memory, d.Retention = *m, x.cfg.Ranking.Retention.Of(m, x.db.Now())
		return d.read(ctx, s, m)
	})
	if err != nil {
		return nil, err
	}
	return d, nil
}

func (d *Detail) read(ctx context.Context, s *schema.Snapshot, m *Record) (err error) {
	if err := d.readEvent(ctx, s, m); err != nil {
		return err
	}
	if err := d.readEntities(ctx, s, m); err != nil {
		return err
	}
	if err := d.readEmbeddings(ctx, s, m); err != nil {
		return err
	}
	if err := d.readSources(ctx, s, m); err != nil {
		return err
	}
	related := func(query string) []Record {
		if err != nil {
			return nil
		}
		var ids []int64
		var records []Record
		if ids, err = memoryIDs(ctx, s, query, m.ID); err == nil {
			records, err = recordsByTime(ctx, s, m.UserID, ids)
		}
		return records
	}
	d.Derived = related("SELECT memory_id FROM memory_sources WHERE source_id = ?")
	d.Replaces = related("SELECT id FROM memories WHERE superseded_by = ?")
	d.ReplacedBy = related(`WITH RECURSIVE later(id) AS (
			SELECT superseded_by FROM memories WHERE id = ? AND superseded_by IS NOT NULL
			UNION SELECT n.superseded_by FROM memories n JOIN later ON n.id = later.id WHERE n.superseded_by IS NOT NULL)
		SELECT id FROM later`)
	if err != nil {
		return err
	}
	slices.SortStableFunc(d.ReplacedBy, func(a, b Record) int { return cmp.Compare(a.ID, b.ID) }) // a replacement is stored after what it replaces
	return d.readHistory(ctx, s, m)
}

func (d *Detail) readHistory(ctx context.Context, s *schema.Snapshot, m *Record) error {
	rows, err := s.Query(ctx, `SELECT o.at, o.actor, o.operation, coalesce(r.uid, ''), `+schema.OpWithPublicIDs("before")+", "+schema.OpWithPublicIDs("after")+`
		FROM ops o LEFT JOIN runs r ON r.id = o.run_id
		WHERE o.record = 'memories' AND o.record_id = ? AND o.user_id = ? ORDER BY o.id`, m.ID, m.UserID)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var c Change
		var at schema.Time
		if err := rows.Scan(&at, &c.Actor, &c.Operation, &c.Run, &c.Before, &c.After); err != nil {
			return err
		}
		c.At = at.Time
		d.History = append(d.History, c)
	}
	return rows.Err()
}

func (d *Detail) readEvent(ctx context.Context, s *schema.Snapshot, m *Record) error {
	if m.EventSeq == 0 {
		return nil
	}
	row := new(schema.EventRow)
	if err := s.NewSelect().Model(row).Where("seq = ?", m.EventSeq).Scan(ctx); err != nil {
		return err
	}
	user, err := s.UserByID(ctx, m.UserID)
	if err != nil {
		return err
	}
	scope := user.Scope()
	scope.Agent, scope.Session = row.Agent, row.Session
	d.Event = &eventbus.Event{
		ID: row.ID, Topic: row.Topic, Scope: scope, Origin: row.Origin, Trust: &row.Trust, Payload: row.Payload,
		OccurredAt: row.OccurredAt.Time, RecordedAt: row.RecordedAt.Time,
	}
	return nil
}

func (d *Detail) readEntities(ctx context.Context, s *schema.Snapshot, m *Record) error {
	rows, err := s.Query(ctx, `SELECT e.uid, e.type, e.name, me.surface FROM memory_entities me
		JOIN entities n ON n.id = me.entity_id JOIN entities e ON e.id = coalesce(n.merged_into, n.id)
		WHERE me.memory_id = ? ORDER BY e.type, e.name, e.id`, m.ID)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var e Mention
		if err := rows.Scan(&e.ID, &e.Type, &e.Name, &e.Surface); err != nil {
			return err
		}
		d.Entities = append(d.Entities, e)
	}
	return rows.Err()
}

func (d *Detail) readSources(ctx context.Context, s *schema.Snapshot, m *Record) error {
	sources, err := s.Sources(ctx, m.ID)
	if err != nil {
		return err
	}
	ids := make([]int64, len(sources))
	quotes := make(map[int64]string, len(sources))
	for i, source := range sources {
		ids[i] = source.SourceID
		quotes[source.SourceID] = source.Quote
	}
	records, err := recordsByTime(ctx, s, m.UserID, ids)
	for _, r := range records {
		d.Sources = append(d.Sources, SourceText{Memory: r, Quote: quotes[r.ID]})
	}
	return err
}

// recordsByTime reads memories of one user in the order they happened.
func recordsByTime(ctx context.Context, s *schema.Snapshot, userID int64, ids []int64) ([]Record, error) {
	records, err := s.MemoriesByID(ctx, userID, ids)
	slices.SortFunc(records, func(a, b Record) int {
		// Of one moment messages come first: claims are read from them in the background.
		return cmp.Or(a.EventTime.Compare(b.EventTime.Time), compareBool(a.Kind != KindEpisode, b.Kind != KindEpisode), cmp.Compare(a.ID, b.ID))
	})
	return records, err
}

func memoryIDs(ctx context.Context, s *schema.Snapshot, query string, args ...any) ([]int64, error) {
	rows, err := s.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var ids []int64
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, rows.Err()
}
