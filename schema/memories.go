package schema

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/ebbmem/ebb/internal/engine"
	"github.com/ebbmem/ebb/internal/strictjson"
	"github.com/ebbmem/ebb/internal/text"
)

// MaxContent is the maximal length of a memory's text, in bytes.
const MaxContent = 1 << 20

// DefaultDecayRate is the rate of facts and preferences, per day^0.8
// (simplified-memory.md §4). Episodes and protected memories have 0.
const DefaultDecayRate = 0.1

// ValidContent returns an [*InvalidError] for field if a text cannot be stored, or nil.
func ValidContent(field, content string) error {
	switch {
	case strings.TrimSpace(content) == "":
		return &InvalidError{Field: field, Reason: "is empty; there is nothing to remember"}
	case len(content) > MaxContent:
		return &InvalidError{Field: field, Reason: "is longer than 1 MiB; split it into several messages"}
	case !utf8.ValidString(content) || strings.IndexByte(content, 0) >= 0:
		return &InvalidError{Field: field, Reason: "holds NUL or invalid UTF-8; clean it first"}
	}
	return nil
}

// HashContent returns the hash by which equal texts are found: SHA-256 of the text after
// text.Fold, in hex.
func HashContent(content string) string {
	sum := sha256.Sum256([]byte(text.Fold(content)))
	return hex.EncodeToString(sum[:])
}

// Validate checks values that the database would refuse or convert. It returns an
// [*InvalidError] that names the field, or nil.
func (m *Memory) Validate() error {
	if err := m.Kind.Validate(); err != nil {
		return err
	}
	if err := ValidContent("content", m.Content); err != nil {
		return err
	}
	if err := ValidUnit("confidence", m.Confidence); err != nil {
		return err
	}
	if err := ValidUnit("importance", m.Importance); err != nil {
		return err
	}
	for _, tag := range m.Tags {
		if strings.TrimSpace(tag) == "" {
			return &InvalidError{Field: "tags", Reason: "contain an empty tag"}
		}
		if err := ValidLabel("tags", tag); err != nil {
			return err
		}
	}
	if err := m.Origin.Validate(); err != nil {
		return err
	}
	if m.Trust < 0 || m.Trust > m.Origin.Ceiling() {
		return &InvalidError{Field: "trust", Reason: "is above what its origin can carry"}
	}
	return nil
}

// ValidUnit returns an [*InvalidError] for field if v is not in 0–1, or nil.
func ValidUnit(field string, v float64) error {
	if !(v >= 0 && v <= 1) {
		return &InvalidError{Field: field, Reason: "must be a number from 0 to 1"}
	}
	return nil
}

// InsertMemory stores a memory and its search chunks. m.UserID must be set. It sets m.ID
// and Version, and UID, ContentHash, CreatedAt (now), EventTime (CreatedAt), ValidFrom
// (EventTime), State (active) and Stability (1) if they are zero.
//
// Errors: [*InvalidError].
func (tx *Tx) InsertMemory(ctx context.Context, m *Memory, chunks []Chunk) error {
	return tx.InsertMemories(ctx, NewMemory{m, chunks})
}

// NewMemory is a memory to store, with its search chunks.
type NewMemory struct {
	*Memory

	Chunks []Chunk
}

// InsertMemories is [Tx.InsertMemory] for several memories, in order. The write must be
// rolled back after an error: some memories may be stored without their chunks.
func (tx *Tx) InsertMemories(ctx context.Context, memories ...NewMemory) error {
	values := make([]any, 0, insertMemories.columns*len(memories))
	for _, m := range memories {
		if err := m.Validate(); err != nil {
			return err
		}
		if err := m.complete(tx.Now); err != nil {
			return err
		}
		tags, err := m.Tags.Value()
		if err != nil {
			return err
		}
		attributes, err := m.Attributes.Value()
		if err != nil {
			return err
		}
		values = append(values,
			m.UID, m.UserID, NullID(m.SessionID), NullID(m.EventSeq), m.Agent, string(m.Kind), m.Role, m.Speaker, m.Content, m.ContentHash,
			m.EventTime, m.CreatedAt, m.ValidFrom, m.ValidUntil, m.Confidence, m.Importance, m.DecayRate, m.Stability, m.Utility,
			m.Protected, m.Pinned, string(m.State), string(m.Origin), int64(m.Trust),
			nullText(m.Subject), nullText(m.Predicate), nullText(m.Object), tags, attributes, NullID(m.RunID))
	}
	if err := tx.insert(ctx, insertMemories, values, func(i int, id int64) { memories[i].ID = id }); err != nil {
		return err
	}
	return tx.insertChunks(ctx, memories)
}

var insertMemories = newInsertion("memories",
	"uid", "user_id", "session_id", "event_seq", "agent", "kind", "role", "speaker", "content", "content_hash",
	"event_time", "created_at", "valid_from", "valid_until", "confidence", "importance", "decay_rate", "stability", "utility",
	"protected", "pinned", "state", "origin", "trust", "subject", "predicate", "object", "tags", "attributes", "run_id").inOrder("id", 1)

func (m *Memory) complete(now time.Time) error {
	if m.UID == "" {
		uid, err := uuid.NewV7()
		if err != nil {
			return err
		}
		m.UID = uid.String()
	}
	if m.ContentHash == "" {
		m.ContentHash = HashContent(m.Content)
	}
	if m.CreatedAt.IsZero() {
		m.CreatedAt = At(now)
	}
	if m.EventTime.IsZero() {
		m.EventTime = m.CreatedAt
	}
	if m.ValidFrom.IsZero() {
		m.ValidFrom = m.EventTime
	}
	m.State = cmp.Or(m.State, StateActive)
	m.Stability = cmp.Or(m.Stability, 1)
	m.Version = 1
	return nil
}

// NullID returns the SQL value of an optional row id: NULL for 0.
func NullID(id int64) any {
	if id == 0 {
		return nil
	}
	return id
}

func nullText(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// selectMemories selects memories with their session's name and event id, except those
// that are being erased.
func selectMemories(db bun.IDB, into any) *bun.SelectQuery {
	return db.NewSelect().Model(into).
		ColumnExpr("m.*").
		ColumnExpr("coalesce(s.name, '') AS session_name").
		ColumnExpr("coalesce(e.id, '') AS event_id").
		Join("LEFT JOIN sessions AS s ON s.id = m.session_id").
		Join("LEFT JOIN events AS e ON e.seq = m.event_seq").
		Where("NOT EXISTS (SELECT 1 FROM erasing AS x WHERE x.record = 'memories' AND x.id = m.id)")
}

// Memory returns a memory by public id.
//
// Errors: [ErrNotFound] for an id that does not exist or belongs to another user.
func (s *Snapshot) Memory(ctx context.Context, userID int64, uid string) (*Memory, error) {
	return readByUID(ctx, s, userID, uid)
}

// Memory is [Snapshot.Memory] within the write.
func (tx *Tx) Memory(ctx context.Context, userID int64, uid string) (*Memory, error) {
	return readByUID(ctx, tx, userID, uid)
}

// Said is [Snapshot.Memory] with only the columns that background work reads of every
// message: ID, SessionID, Kind, State, Role, Speaker, Content, EventTime, Importance, Origin and Trust.
func (s *Snapshot) Said(ctx context.Context, userID int64, uid string) (*Memory, error) {
	m := &Memory{UID: uid, UserID: userID}
	err := s.Row(ctx, `SELECT id, coalesce(session_id, 0), kind, state, role, speaker, content, event_time, importance, origin, trust FROM memories AS m
		WHERE uid = ? AND user_id = ? AND NOT EXISTS (SELECT 1 FROM erasing AS x WHERE x.record = 'memories' AND x.id = m.id)`,
		[]any{uid, userID}, &m.ID, &m.SessionID, &m.Kind, &m.State, &m.Role, &m.Speaker, &m.Content, &m.EventTime, &m.Importance, &m.Origin, &m.Trust)
	return m, OrNotFound(err)
}

// rowReader is what [Snapshot] and [Tx] have in common.
type rowReader interface {
	Row(ctx context.Context, query string, args []any, dest ...any) error
}

func readByUID(ctx context.Context, r rowReader, userID int64, uid string) (*Memory, error) {
	m := new(Memory)
	if err := r.Row(ctx, memoryByUID, []any{uid, userID}, m.fields()...); err != nil {
		return nil, OrNotFound(err)
	}
	return m, nil
}

// fields lists where the columns of selectMemory go.
func (m *Memory) fields() []any {
	return []any{
		&m.ID, &m.UID, &m.UserID, &m.SessionID, &m.EventSeq, &m.Agent, &m.Kind, &m.Role, &m.Speaker,
		&m.Content, &m.ContentHash, &m.EventTime, &m.CreatedAt, &m.ValidFrom, &m.ValidUntil, &m.ExpiredAt, &m.SupersededBy,
		&m.Confidence, &m.Importance, &m.AccessCount, &m.LastAccessed, &m.DecayRate, &m.Stability, &m.Utility, &m.Protected, &m.Pinned,
		&m.State, &m.Origin, &m.Trust, &m.Subject, &m.Predicate, &m.Object, &m.Tags, &m.Attributes,
		&m.RunID, &m.Version, &m.SessionName, &m.EventID,
	}
}

// MemoriesByID returns memories by row id, in the order of ids. Unknown ids and those of
// other users are left out.
func (s *Snapshot) MemoriesByID(ctx context.Context, userID int64, ids []int64) ([]Memory, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	memories := make([]Memory, 0, len(ids))
	if s.file == nil {
		return s.memoriesTogether(ctx, userID, ids)
	}
	err := s.Rows(ctx, memoryByID, func(rows *engine.Rows) error {
		for _, id := range ids {
			if err := rows.Start(id, userID); err != nil {
				return err
			}
			if rows.Next() {
				memories = append(memories, Memory{})
				if err := memories[len(memories)-1].read(rows.Row()); err != nil {
					return err
				}
			}
			if err := rows.Err(); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return memories, nil
}

// memoriesTogether is [Snapshot.MemoriesByID] in one statement, for a server.
func (s *Snapshot) memoriesTogether(ctx context.Context, userID int64, ids []int64) ([]Memory, error) {
	found := make(map[int64]*Memory, len(ids))
	err := s.Rows(ctx, memoriesByID, func(rows *engine.Rows) error {
		if err := rows.StartTexts(JSONList(ids), strconv.FormatInt(userID, 10)); err != nil {
			return err
		}
		for rows.Next() {
			m := new(Memory)
			if err := m.read(rows.Row()); err != nil {
				return err
			}
			found[m.ID] = m
		}
		return rows.Err()
	})
	memories := make([]Memory, 0, len(ids))
	for _, id := range ids {
		if m := found[id]; m != nil {
			memories = append(memories, *m)
		}
	}
	return memories, err
}

// memoriesByID is memoryByID for a list of ids.
var memoriesByID = strings.NewReplacer("m.id = ?", "m.id = ANY (ebb_list(?))", "m.user_id = ?", "m.user_id = CAST(? AS bigint)").Replace(memoryByID)

// ReadMemories reads all of a user's memories as a search does, to check them, and
// returns the first error.
func (s *Snapshot) ReadMemories(ctx context.Context, userID int64) error {
	for after := int64(0); ; {
		var ids []int64
		err := s.NewSelect().Model((*Memory)(nil)).Column("id").Where("user_id = ?", userID).Where("id > ?", after).
			Order("id").Limit(500).Scan(ctx, &ids)
		if err != nil || len(ids) == 0 {
			return err
		}
		memories, err := s.MemoriesByID(ctx, userID, ids)
		if err != nil {
			return err
		}
		for i := range memories {
			if err := knownMemory(memories[i].ID, memories[i].Kind, memories[i].State); err != nil {
				return err
			}
		}
		after = ids[len(ids)-1]
	}
}

// memoryByID reads the results of every search. It is prepared once, without the query
// builder.
const memoryByID = selectMemory + `m.id = ? AND +m.user_id = ?`

// memoryByUID is memoryByID by public id. Background work reads each message so, several
// times.
const memoryByUID = selectMemory + `m.uid = ? AND m.user_id = ?`

// selectMemory selects memories that are not being erased, with their session's name and
// event id. A condition follows.
const selectMemory = `SELECT m.id, m.uid, m.user_id, coalesce(m.session_id, 0), coalesce(m.event_seq, 0), m.agent, m.kind, m.role, m.speaker,
		m.content, m.content_hash, m.event_time, m.created_at, m.valid_from, m.valid_until, m.expired_at, coalesce(m.superseded_by, 0),
		m.confidence, m.importance, m.access_count, m.last_accessed, m.decay_rate, m.stability, m.utility, m.protected, m.pinned,
		m.state, m.origin, m.trust, coalesce(m.subject, ''), coalesce(m.predicate, ''), coalesce(m.object, ''), m.tags, m.attributes,
		coalesce(m.run_id, 0), m.version, coalesce(s.name, ''), coalesce(e.id, '')
	FROM memories AS m LEFT JOIN sessions AS s ON s.id = m.session_id LEFT JOIN events AS e ON e.seq = m.event_seq
	WHERE NOT EXISTS (SELECT 1 FROM erasing AS x WHERE x.record = 'memories' AND x.id = m.id) AND `

// read sets the fields from a row of memoryByID.
func (m *Memory) read(r engine.Row) error {
	m.ID, m.UID, m.UserID, m.SessionID, m.EventSeq, m.Agent = r.Int(), r.Text(), r.Int(), r.Int(), r.Int(), r.Text()
	m.Kind, m.Role, m.Speaker, m.Content, m.ContentHash = Kind(r.Text()), r.Text(), r.Text(), r.Text(), r.Text()
	m.EventTime, m.CreatedAt, m.ValidFrom, m.ValidUntil, m.ExpiredAt, m.SupersededBy = readTime(&r), readTime(&r), readTime(&r), readTime(&r), readTime(&r), r.Int()
	m.Confidence, m.Importance, m.AccessCount, m.LastAccessed = r.Float(), r.Float(), r.Int(), readTime(&r)
	m.DecayRate, m.Stability, m.Utility, m.Protected, m.Pinned = r.Float(), r.Float(), r.Float(), r.Bool(), r.Bool()
	m.State, m.Origin, m.Trust = State(r.Text()), Origin(r.Text()), Trust(r.Int())
	m.Subject, m.Predicate, m.Object = r.Text(), r.Text(), r.Text()
	readJSON(&r, &m.Tags)
	readJSON(&r, &m.Attributes)
	m.RunID, m.Version, m.SessionName, m.EventID = r.Int(), r.Int(), r.Text(), r.Text()
	return r.Err()
}

// readTime reads a column of milliseconds, or NULL.
func readTime(r *engine.Row) Time {
	ms, null := r.NullInt()
	if null {
		return Time{}
	}
	return Time{time.UnixMilli(ms).UTC()}
}

// readJSON reads a text into dest, a pointer to [Strings] or [Attributes].
func readJSON(r *engine.Row, dest interface{ Scan(any) error }) {
	if err := dest.Scan(r.Text()); err != nil {
		r.Fail(strictjson.Fault(err))
	}
}

// Sources returns the sources of a derived memory, in order of id.
func (s *Snapshot) Sources(ctx context.Context, memoryID int64) ([]Source, error) {
	var sources []Source
	err := s.NewSelect().Model(&sources).Where("memory_id = ?", memoryID).Order("source_id").Scan(ctx)
	return sources, err
}

// AddSource adds a source with a quote to a memory. A pair that exists is not changed.
func (tx *Tx) AddSource(ctx context.Context, memoryID, sourceID int64, quote string) error {
	_, err := tx.Exec(ctx, "INSERT INTO memory_sources (memory_id, source_id, quote) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
		memoryID, sourceID, quote)
	return err
}

// TaggedMemories returns the row ids of a user's memories with a tag.
func (s *Snapshot) TaggedMemories(ctx context.Context, userID int64, tag string) (map[int64]bool, error) {
	tagged := make(map[int64]bool)
	var id int64
	err := Each(ctx, s.Query, []any{&id}, func() error {
		tagged[id] = true
		return nil
	}, `SELECT m.id FROM memories m, json_each(m.tags) t
		WHERE m.user_id = ? AND m.tags <> '[]' AND t.value = ?`, userID, tag)
	return tagged, err
}

// WeighedByID returns memories by row id with the columns that scoring reads: kind, role,
// agent, times, weights, accesses, origin, trust and attributes. Unknown ids and those
// of other users are left out.
func (s *Snapshot) WeighedByID(ctx context.Context, userID int64, ids []int64) (map[int64]*Memory, error) {
	rows, err := s.Query(ctx, `SELECT m.id, m.kind, m.role, m.agent, m.event_time, m.created_at,
			m.confidence, m.importance, m.access_count, m.last_accessed, m.decay_rate, m.stability, m.utility,
			m.protected, m.pinned, m.origin, m.trust, m.attributes
		FROM json_each(?) j CROSS JOIN memories m ON m.id = CAST(j.value AS BIGINT) WHERE +m.user_id = ?`, JSONList(ids), userID)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	memories := make(map[int64]*Memory, len(ids))
	for rows.Next() {
		m := &Memory{UserID: userID}
		if err := rows.Scan(&m.ID, &m.Kind, &m.Role, &m.Agent, &m.EventTime, &m.CreatedAt,
			&m.Confidence, &m.Importance, &m.AccessCount, &m.LastAccessed, &m.DecayRate, &m.Stability, &m.Utility,
			&m.Protected, &m.Pinned, &m.Origin, &m.Trust, &m.Attributes); err != nil {
			return nil, err
		}
		memories[m.ID] = m
	}
	return memories, rows.Err()
}

// OwnTurns lists the newest messages in the scope's session that are the user's own
// words and in one of the states.
func (s *Snapshot) OwnTurns(ctx context.Context, scope Scope, limit int, states ...State) (turns []Memory, err error) {
	userID, err := s.UserID(ctx, scope)
	if err != nil || userID == 0 {
		return nil, err
	}
	q := s.NewSelect().Model(&turns).
		Where("user_id = ? AND kind = ? AND role = 'user'", userID, KindEpisode).
		Where("origin = ? AND trust = ? AND state IN (?)", OriginUser, int64(MaxTrust), bun.List(states)).
		Order("event_time DESC", "id DESC").Limit(int64(limit))
	if scope.Session == "" {
		err = q.Where("session_id IS NULL").Scan(ctx)
		return turns, err
	}
	sessionID, err := s.SessionID(ctx, userID, scope.Session)
	if err != nil || sessionID == 0 {
		return nil, err
	}
	err = q.Where("session_id = ?", sessionID).Scan(ctx)
	return turns, err
}
