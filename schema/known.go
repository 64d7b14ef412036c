package schema

import (
	"context"
	"database/sql"
	"encoding/json"
	"time"

	"github.com/uptrace/bun"
)

// KnownReads are the queries for what a new claim or a request is compared with.
type KnownReads struct {
	db      nightReader
	indexed bool // there is a full-text index
}

// Known returns the queries for what is known on the snapshot.
func (s *Snapshot) Known() KnownReads { return KnownReads{s, s.file != nil} }

// Known returns the queries for what is known within the write.
func (tx *Tx) Known() KnownReads { return KnownReads{tx, tx.file != nil} }

// ClaimKey contains the columns by which claims are compared.
type ClaimKey struct {
	ID                         int64
	Kind                       Kind
	Subject, Predicate, Object string
	Temporal                   string // see [AttrTemporal]
	Drawn                      bool   // a night derived it, in a model's words
}

// comparedKeys limits the current claims that a new one is compared with, to the newest that
// have a key.
const comparedKeys = 1000

const claimKeys = `SELECT id, kind, coalesce(subject, ''), coalesce(predicate, ''), coalesce(object, ''),
		coalesce(json_extract(attributes, '$.temporal'), ''), run_id IS NOT NULL AND json_extract(attributes, '$.said') IS NULL
	FROM (SELECT * FROM (SELECT id, kind, subject, predicate, object, attributes, run_id FROM memories WHERE user_id = ?1 AND kind <> 'episode' AND +kind IN ('fact', 'preference')
			AND +state IN ('active', 'dormant') AND valid_until IS NULL AND (subject IS NOT NULL OR predicate IS NOT NULL) ORDER BY id DESC LIMIT ?2) AS newest
		UNION ALL SELECT id, kind, subject, predicate, object, attributes, run_id FROM memories WHERE user_id = ?1 AND kind <> 'episode' AND kind IN ('fact', 'preference')
			AND state = 'forgotten' AND (subject IS NOT NULL OR predicate IS NOT NULL)) AS compared
	ORDER BY id DESC`

// ClaimKeys returns the keys that are not empty of the user's newest current claims and of all
// forgotten ones, newest first.
func (tx *Tx) ClaimKeys(ctx context.Context, userID int64) ([]ClaimKey, error) {
	return List(ctx, tx.Query, func(k *ClaimKey) []any {
		return []any{&k.ID, &k.Kind, &k.Subject, &k.Predicate, &k.Object, &k.Temporal, &k.Drawn}
	}, claimKeys, userID, comparedKeys)
}

const alikeClaims = `SELECT CAST(value AS BIGINT) FROM json_each(?3)
	UNION SELECT id FROM memories WHERE user_id = ?1 AND content_hash = ?2 AND kind <> 'episode'
	UNION SELECT ms.memory_id FROM json_each(?4) j CROSS JOIN memory_sources ms ON ms.source_id = CAST(j.value AS BIGINT)`

const comparedClaims = selectMemory + `m.id IN (SELECT CAST(value AS BIGINT) FROM json_each(?1)) AND +m.user_id = ?2 AND +m.kind IN ('fact', 'preference')
		AND (m.state IN ('forgotten', 'superseded') OR m.valid_until IS NULL AND m.state IN ('active', 'dormant', 'quarantined'))
	ORDER BY m.id DESC`

// ClaimsAlike returns the claims to compare a new one with, newest first: the given
// ids, claims with the same content hash, and claims that share a source, as far as
// they are current, superseded, quarantined or forgotten.
func (tx *Tx) ClaimsAlike(ctx context.Context, userID int64, hash string, ids, sources []int64) ([]Memory, error) {
	ids, err := Column[int64](ctx, tx.Query, alikeClaims, userID, hash, JSONList(ids), JSONList(sources))
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	return List(ctx, tx.Query, (*Memory).fields, comparedClaims, JSONList(ids), userID)
}

// Claims returns the newest facts and preferences of a user, at most so many, that are
// not quarantined or retired.
func (k KnownReads) Claims(ctx context.Context, userID int64, most int) ([]Memory, error) {
	return List(ctx, k.db.Query, (*Memory).fields, selectMemory+`m.user_id = ? AND m.kind <> 'episode' AND m.kind IN ('fact', 'preference')
		AND m.state IN ('active', 'dormant', 'superseded', 'forgotten') ORDER BY m.id DESC LIMIT ?`, userID, most)
}

// Naming is a claim that may give somebody close to a person a name.
type Naming struct {
	Subject, Predicate, Object string
	Content                    string
	Ended                      bool // it has been superseded
}

const namings = `SELECT id, subject, coalesce(predicate, '') AS predicate, coalesce(object, '') AS object, content, state = 'superseded' AS ended FROM memories
	WHERE user_id = ?1 AND +kind = 'fact' AND trust >= ?5 AND (state = 'superseded' OR valid_until IS NULL AND state IN ('active', 'dormant')) AND subject`

const allNamings = "SELECT subject, predicate, object, content, ended FROM (" +
	namings + " = ?2 AND predicate IN (SELECT value FROM json_each(?3)) UNION ALL " + namings + " IN (SELECT value FROM json_each(?4))) AS named ORDER BY id"

// Namings returns the current and superseded claims of the highest trust that state one of
// the predicates of subject, and those about others, in the order in which they were
// stored.
func Namings(ctx context.Context, run Reads, userID int64, subject string, predicates, others []string) ([]Naming, error) {
	return List(ctx, run, func(n *Naming) []any { return []any{&n.Subject, &n.Predicate, &n.Object, &n.Content, &n.Ended} },
		allNamings, userID, subject, JSONList(predicates), JSONList(others), MaxTrust)
}

// Cited is a source of a claim with the quote that supports it.
type Cited struct {
	MemoryID int64 // the claim
	SourceID int64
	Quote    string
	Origin   Origin
	Trust    Trust
	Role     string
	Speaker  string
	Time     Time // when it was said
}

// OwnWords is [Memory.OwnWords] for the source, if it is a message of the user.
func (c *Cited) OwnWords() bool {
	return c.Role == "user" && c.Origin == OriginUser && c.Trust >= MaxTrust
}

// Cited returns the sources of claims, in order of claim and source.
func (k KnownReads) Cited(ctx context.Context, claims []int64) ([]Cited, error) {
	if len(claims) == 0 {
		return nil, nil
	}
	return List(ctx, k.db.Query, func(c *Cited) []any {
		return []any{&c.MemoryID, &c.SourceID, &c.Quote, &c.Origin, &c.Trust, &c.Role, &c.Speaker, &c.Time}
	}, `SELECT ms.memory_id, ms.source_id, ms.quote, s.origin, s.trust, s.role, s.speaker, s.event_time FROM json_each(?) j
		CROSS JOIN memory_sources ms ON ms.memory_id = CAST(j.value AS BIGINT) CROSS JOIN memories s ON s.id = ms.source_id ORDER BY 1, 2`, JSONList(claims))
}

// Resting returns the memories, in whatever state, that have one of the given ones as a
// source.
func (tx *Tx) Resting(ctx context.Context, userID int64, on []int64) (resting []Memory, err error) {
	if len(on) == 0 {
		return nil, nil
	}
	err = selectMemories(tx, &resting).Where("+m.user_id = ?", userID).
		Where("m.id IN (SELECT ms.memory_id FROM json_each(?) j CROSS JOIN memory_sources ms ON ms.source_id = CAST(j.value AS BIGINT))", JSONList(on)).
		Order("m.id").Scan(ctx)
	return resting, err
}

// SavedFor returns what agents saved without a source, in whatever state, between a message
// and the user's next one in its session.
func (tx *Tx) SavedFor(ctx context.Context, message *Memory) (saved []Memory, err error) {
	err = tx.after(message, &saved).Where("m.kind <> 'episode' AND NOT EXISTS (SELECT 1 FROM memory_sources ms WHERE ms.memory_id = m.id)").Scan(ctx)
	return saved, err
}

// Answers returns what the assistant said, in whatever state, between a message and the user's next one
// in its session.
func (tx *Tx) Answers(ctx context.Context, message *Memory) (answers []Memory, err error) {
	err = tx.after(message, &answers).Where("m.kind = 'episode'").Scan(ctx)
	return answers, err
}

func (tx *Tx) after(message *Memory, found *[]Memory) *bun.SelectQuery {
	return selectMemories(tx, found).Where("m.session_id IS ? AND m.event_time >= ?", NullID(message.SessionID), message.EventTime).
		Where("+m.user_id = ? AND m.origin = 'assistant' AND m.id > ?", message.UserID, message.ID).
		Where("m.event_time < coalesce((SELECT min(n.event_time) FROM memories n WHERE n.session_id IS ? AND n.event_time > ? AND n.user_id = ? AND n.kind = 'episode' AND n.role = 'user'), m.event_time + 1)", NullID(message.SessionID), message.EventTime, message.UserID).
		Order("m.id")
}

// ByID returns memories of a user by row id, in order of id. Unknown ids are left out.
func (tx *Tx) ByID(ctx context.Context, userID int64, ids []int64) (memories []Memory, err error) {
	if len(ids) == 0 {
		return nil, nil
	}
	err = selectMemories(tx, &memories).Where("m.id IN (SELECT CAST(value AS BIGINT) FROM json_each(?))", JSONList(ids)).
		Where("+m.user_id = ?", userID).Order("m.id").Scan(ctx)
	return memories, err
}

// JSONList encodes a list for json_each.
func JSONList[T string | int64](list []T) string {
	b, err := json.Marshal(append([]T{}, list...))
	if err != nil {
		panic(err) // strings and numbers can always be encoded
	}
	return string(b)
}

// Before returns the messages before m in its session, the last first, at most so many;
// without a session those of the hour before.
func (k KnownReads) Before(ctx context.Context, m *Memory, most int) (before []Memory, err error) {
	since := int64(-1 << 62)
	if m.SessionID == 0 {
		since = m.EventTime.UnixMilli() - 3_600_000
	}
	err = selectMemories(k.db, &before).Where("m.session_id IS ? AND m.event_time >= ?", NullID(m.SessionID), since).
		Where("(m.event_time < ? OR m.event_time = ? AND m.id < ?)", m.EventTime, m.EventTime, m.ID).
		Where("+m.user_id = ? AND m.kind = 'episode'", m.UserID).
		Order("m.event_time DESC", "m.id DESC").Limit(int64(most)).Scan(ctx)
	return before, err
}

// Before is [KnownReads.Before] on the snapshot.
func (s *Snapshot) Before(ctx context.Context, m *Memory, most int) ([]Memory, error) {
	return s.Known().Before(ctx, m, most)
}

// Between returns the user's own messages of a time, the last first, at most so many.
func (k KnownReads) Between(ctx context.Context, userID int64, from, to time.Time, most int) (messages []Memory, err error) {
	err = selectMemories(k.db, &messages).Where("m.user_id = ? AND m.event_time >= ? AND m.event_time < ?", userID, At(from), At(to)).
		Where("+m.kind = 'episode' AND m.role = 'user'").Order("m.event_time DESC", "m.id DESC").Limit(int64(most)).Scan(ctx)
	return messages, err
}

// Mentioning reads the row ids of the user's messages and claims, as far as they are not
// being erased, whose text or speaker holds a term. Within a write it needs [Tx.IndexText] first.
func (k KnownReads) Mentioning(ctx context.Context, userID int64, term string) (*sql.Rows, error) {
	const living = ` AND m.kind <> 'reflection' AND m.state <> 'forgotten' AND NOT EXISTS (SELECT 1 FROM erasing x WHERE x.record = 'memories' AND x.id = m.id)`
	first, last := ChunkRange(userID)
	if !k.indexed {
		return k.db.Query(ctx, `SELECT c.memory_id FROM chunks c JOIN memories m ON m.id = c.memory_id
			WHERE instr(' ' || c.text || ' ' || c.speaker || ' ', ?) > 0 AND c.id BETWEEN ? AND ?`+living, " "+term+" ", first, last)
	}
	return k.db.Query(ctx, `SELECT c.memory_id FROM chunks_fts f JOIN chunks c ON c.id = f.rowid JOIN memories m ON m.id = c.memory_id
		WHERE chunks_fts MATCH ? AND f.rowid BETWEEN ? AND ?`+living, `"`+term+`"`, first, last)
}

// MentionedBy returns the ids of the entities that memories mention, with those they were
// merged into.
func (tx *Tx) MentionedBy(ctx context.Context, memories []int64) (entities []int64, err error) {
	return Column[int64](ctx, tx.Query, `WITH RECURSIVE up (id, next) AS (
			SELECT e.id, e.merged_into FROM json_each(?) j CROSS JOIN memory_entities me ON me.memory_id = CAST(j.value AS BIGINT) CROSS JOIN entities e ON e.id = me.entity_id
			UNION SELECT e.id, e.merged_into FROM up CROSS JOIN entities e ON e.id = up.next)
		SELECT DISTINCT id FROM up`, JSONList(memories))
}

// Summarised returns the user's entities that have a summary.
func (tx *Tx) Summarised(ctx context.Context, userID int64) (entities []Entity, err error) {
	err = tx.NewSelect().Model(&entities).Where("user_id = ? AND summary <> ''", userID).Order("id").Scan(ctx)
	return entities, err
}
