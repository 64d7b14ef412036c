package schema

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/ebbmem/ebb/internal/engine"
)

// Audited operations of runs other than changes of a memory's columns. The ops contain
// public ids, so that they can be undone in a restored file too; see package
// schema/undo.
const (
	OpAdd        = "add"        // a memory
	OpRemove     = "remove"     // a memory, text and all
	OpSource     = "source"     // of a memory that was there before
	OpLink       = "link"       // from a memory
	OpUnlink     = "unlink"     // from a memory
	OpMention    = "mention"    // of an entity
	OpUnmention  = "unmention"  //
	OpWatermark  = "watermark"  // record: the run
	OpImportance = "importance" // record: the run
	OpPropose    = "propose"    // record: the proposal
	OpReflected  = "reflected"  // record: the run
	OpGap        = "gap"        // record: the gap; opened, retried or closed
	OpErase      = "erase"      // record: the erasure; contains counts only
)

// AddDerived stores a memory that was derived from others. sources maps their row ids
// to quotes. It sets m.RunID to by.RunID.
//
// Errors: those of [Tx.InsertMemory].
func (tx *Tx) AddDerived(ctx context.Context, m *Memory, chunks []Chunk, sources map[int64]string, by Actor) error {
	m.RunID = by.RunID
	if err := tx.InsertMemory(ctx, m, chunks); err != nil {
		return err
	}
	for source, quote := range sources {
		if err := tx.AddSource(ctx, m.ID, source, quote); err != nil {
			return err
		}
	}
	return tx.Audit(ctx, m, by, OpAdd, "", `{"version":1}`)
}

// EvidenceShare is the part of the remaining doubt, 1 − confidence, that one more source
// of weight 1 removes.
const EvidenceShare = 0.3

// Reinforce adds a source to a claim. It raises the confidence by weight (0–1) ×
// [EvidenceShare] × the remaining doubt and the stability as in [Corroborated], counts
// an access and wakes a dormant claim. A source that is not [Tx.Independent] of the
// others raises neither confidence nor stability, nor does any if the claim was kept
// because it may stay true ([SaidLasting]), which also stays dormant: small talk is what
// people say again. Origin and trust stay. stronger is false, and nothing changes, if the
// claim has the source already. Of a protected claim only the source is recorded.
//
// Errors: [*InvalidError] for a weight outside 0–1; [ErrConflict] if m is not current or
// changed since it was read.
func (tx *Tx) Reinforce(ctx context.Context, m *Memory, source *Memory, quote string, weight float64, by Actor) (stronger bool, err error) {
	if err := ValidUnit("weight", weight); err != nil {
		return false, err
	}
	if m.ended() {
		return false, fmt.Errorf("memory %s is no longer current: %w", m.UID, ErrConflict)
	}
	if n, err := engine.Affected(tx.Exec(ctx, "INSERT INTO memory_sources (memory_id, source_id, quote) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", m.ID, source.ID, quote)); err != nil || n == 0 {
		return false, err
	}
	if err := tx.Audit(ctx, m, by, OpSource, "", JSONObject("source", source.UID)); err != nil {
		return false, err
	}
	if m.Protected {
		return true, nil // its confidence is the host's
	}
	stability, lasting := Corroborated(m.Stability), m.Attributes[AttrSaid] == SaidLasting
	if independent, err := tx.Independent(ctx, m, source); err != nil {
		return false, err
	} else if !independent || lasting {
		weight, stability = 0, m.Stability // a repetition is no further evidence
	}
	changes := []change{
		{"confidence", m.Confidence + weight*EvidenceShare*(1-m.Confidence)},
		{"stability", stability},
		{"access_count", m.AccessCount + 1},
		{"last_accessed", At(tx.Now)},
	}
	if m.State == StateDormant && !lasting {
		changes = append(changes, change{"state", string(StateActive)})
	}
	return true, tx.changeMemory(ctx, m, by, "reinforce", changes...)
}

// The types of links between memories (cognitive-v9.md, Relational Memory).
const (
	LinkSupersedes  = "supersedes"  // the newer replaces the older
	LinkContradicts = "contradicts" // they cannot both be true
	LinkCauses      = "causes"      // the first brings the second about
	LinkElaborates  = "elaborates"  // adds detail
	LinkSameEntity  = "same_entity" // both are about the same people or things
	LinkRelated     = "related_to"  // loosely connected
)

// PrunableLinks are the types of links that nights remove when there are too many, the
// first to go first.
var PrunableLinks = []string{LinkRelated, LinkSameEntity, LinkElaborates}

// Link stores a typed edge between two memories, with a confidence above 0 and up to 1.
// added is false if it exists already.
func (tx *Tx) Link(ctx context.Context, from, to *Memory, typ string, confidence float64, by Actor) (added bool, err error) {
	if n, err := engine.Affected(tx.Exec(ctx, "INSERT INTO links (from_id, to_id, type, confidence, created_at, run_id) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
		from.ID, to.ID, typ, confidence, tx.Now.UnixMilli(), NullID(by.RunID))); err != nil || n == 0 {
		return false, err
	}
	return true, tx.Audit(ctx, from, by, OpLink, "", JSONObject("to", to.UID, "type", typ))
}

// Unlink removes a typed edge between two memories; undoing the run stores it again.
// removed is false if there is none.
func (tx *Tx) Unlink(ctx context.Context, from, to *Memory, typ string, by Actor) (removed bool, err error) {
	var confidence float64
	var at int64
	var run string
	err = tx.Row(ctx, `DELETE FROM links WHERE from_id = ? AND to_id = ? AND type = ?
		RETURNING confidence, created_at, coalesce((SELECT uid FROM runs WHERE id = run_id), '')`, []any{from.ID, to.ID, typ}, &confidence, &at, &run)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, tx.Audit(ctx, from, by, OpUnlink, JSONObject("to", to.UID, "type", typ, "confidence", confidence, "created_at", at, "run", run), "")
}

// unlinkAll removes the links of a memory, but for those that say which claim holds.
func (tx *Tx) unlinkAll(ctx context.Context, m *Memory, by Actor) error {
	links, err := linksOf(ctx, tx, m.UserID, []int64{m.ID}, append([]string{LinkCauses}, PrunableLinks...))
	if err != nil {
		return err
	}
	for i := range links {
		if _, err := tx.Unlink(ctx, &links[i].From, &links[i].To, links[i].Type, by); err != nil {
			return err
		}
	}
	return nil
}

// Link is a typed edge between two memories, of which only ids are set.
type Link struct {
	From, To   Memory
	Type       string
	Confidence float64
}

// Other returns the end of the link that is not the memory.
func (l *Link) Other(memory int64) *Memory {
	if l.From.ID == memory {
		return &l.To
	}
	return &l.From
}

// LinksOf returns the links of these types from or to the user's memories, the surest
// first. Links to memories of other users do not count.
func (s *Snapshot) LinksOf(ctx context.Context, userID int64, memories []int64, types ...string) ([]Link, error) {
	return linksOf(ctx, s, userID, memories, types)
}

// Links returns the links of these types between the user's memories, the surest first.
func (n NightReads) Links(ctx context.Context, userID int64, types ...string) ([]Link, error) {
	return linksOf(ctx, n.db, userID, nil, types)
}

func linksOf(ctx context.Context, r nightReader, userID int64, memories []int64, types []string) (links []Link, err error) {
	which, args := "SELECT l.* FROM memories m JOIN links l ON l.from_id = m.id WHERE m.user_id = ?1", []any{userID, JSONList(types)}
	if memories != nil {
		which, args = `SELECT l.* FROM json_each(?3) j CROSS JOIN links l ON l.from_id = CAST(j.value AS BIGINT)
			UNION SELECT l.* FROM json_each(?3) j CROSS JOIN links l ON l.to_id = CAST(j.value AS BIGINT)`, append(args, JSONList(memories))
	}
	l := Link{From: Memory{UserID: userID}, To: Memory{UserID: userID}}
	err = Each(ctx, r.Query, []any{&l.From.ID, &l.From.UID, &l.To.ID, &l.To.UID, &l.Type, &l.Confidence}, func() error {
		links = append(links, l)
		return nil
	}, `SELECT f.id, f.uid, t.id, t.uid, l.type, l.confidence FROM (`+which+`) l
		CROSS JOIN memories f ON f.id = l.from_id AND +f.user_id = ?1 CROSS JOIN memories t ON t.id = l.to_id AND +t.user_id = ?1
		WHERE l.type IN (SELECT value FROM json_each(?2)) ORDER BY l.confidence DESC, l.from_id, l.to_id, l.type LIMIT 5000`, args...)
	return links, err
}

// Watermark returns the row id of the last of the user's memories that a stage has
// processed, 0 for none.
func (s *Snapshot) Watermark(ctx context.Context, userID int64, name string) (through int64, err error) {
	err = s.Row(ctx, watermark, []any{userID, name}, &through)
	return through, err
}

// Watermark is [Snapshot.Watermark] inside the write.
func (tx *Tx) Watermark(ctx context.Context, userID int64, name string) (through int64, err error) {
	err = tx.Row(ctx, watermark, []any{userID, name}, &through)
	return through, err
}

const watermark = "SELECT coalesce((SELECT through FROM watermarks WHERE user_id = ? AND name = ?), 0)"

// Advance raises a stage's watermark to through. It never lowers it.
func (tx *Tx) Advance(ctx context.Context, userID int64, name string, through int64, by Actor) error {
	var before int64
	if err := tx.Row(ctx, watermark, []any{userID, name}, &before); err != nil || before >= through {
		return err
	}
	if _, err := tx.Exec(ctx, `INSERT INTO watermarks (user_id, name, through) VALUES (?, ?, ?)
		ON CONFLICT (user_id, name) DO UPDATE SET through = excluded.through`, userID, name, through); err != nil {
		return err
	}
	var from, to string
	if err := tx.Row(ctx, "SELECT coalesce((SELECT uid FROM memories WHERE id = ?), ''), coalesce((SELECT uid FROM memories WHERE id = ?), '')",
		[]any{before, through}, &from, &to); err != nil {
		return err
	}
	return tx.AuditRow(ctx, userID, by, OpWatermark, "runs", by.RunID, JSONObject("name", name, "through", from), JSONObject("name", name, "through", to))
}

// PassWatermarks moves the user's watermarks that point at a memory which was removed to
// the memory before it, in the table and in the audit that undo reads.
func (tx *Tx) PassWatermarks(ctx context.Context, userID, memoryID int64, uid string) error {
	var id int64
	var before string
	err := tx.Row(ctx, "SELECT id, uid FROM memories WHERE user_id = ? AND id < ? ORDER BY id DESC LIMIT 1", []any{userID, memoryID}, &id, &before)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	if _, err := tx.Exec(ctx, "UPDATE watermarks SET through = ? WHERE user_id = ? AND through = ?", id, userID, memoryID); err != nil {
		return err
	}
	for _, side := range []string{"before", "after"} {
		if _, err := tx.Exec(ctx, "UPDATE ops SET "+side+" = json_set("+side+", '$.through', ?) WHERE user_id = ? AND operation = 'watermark' AND json_extract("+side+", '$.through') = ?",
			before, userID, uid); err != nil {
			return err
		}
	}
	return nil
}

// Propose stores a proposal that the host decides. payload is encoded as JSON. If the
// user has a proposal of the same kind and payload, in whatever state, its id is
// returned and added is false.
func (tx *Tx) Propose(ctx context.Context, userID int64, kind string, payload any, reason string, by Actor) (uid string, added bool, err error) {
	encoded, err := json.Marshal(payload)
	if err != nil {
		return "", false, err
	}
	err = tx.Row(ctx, "SELECT uid FROM proposals WHERE user_id = ? AND kind = ? AND payload = ?", []any{userID, kind, string(encoded)}, &uid)
	if !errors.Is(err, sql.ErrNoRows) {
		return uid, false, err
	}
	uid, err = tx.AddProposal(ctx, userID, kind, string(encoded), reason, by)
	return uid, err == nil, err
}

// Gap is a batch of memories that a stage skipped after errors: the watermark has
// passed them and they were not processed.
type Gap struct {
	UID       string   `json:"id"`
	Stage     string   `json:"stage"`
	Memories  []string `json:"memories"` // public ids
	Attempts  int64    `json:"attempts"`
	LastError string   `json:"last_error"`
	CreatedAt Time     `json:"created_at"`
}

// Gaps returns a stage's gaps with fewer than most attempts, oldest first; most 0
// returns all.
func (s *Snapshot) Gaps(ctx context.Context, userID int64, stage string, most int64) ([]Gap, error) {
	var gaps []Gap
	var g Gap
	var memories string
	err := Each(ctx, s.Query, []any{&g.UID, &g.Stage, &memories, &g.Attempts, &g.LastError, &g.CreatedAt}, func() error {
		g.Memories = nil
		if err := DecodeStored("the list of messages of gap "+g.UID, memories, &g.Memories); err != nil {
			return err
		}
		gaps = append(gaps, g)
		return nil
	}, `SELECT uid, stage, memories, attempts, last_error, created_at FROM gaps
		WHERE user_id = ?1 AND (?2 = '' OR stage = ?2) AND (?3 = 0 OR attempts < ?3) ORDER BY id`, userID, stage, most)
	return gaps, err
}

// OpenGap records that a stage skipped memories, given by public id, because of reason.
func (tx *Tx) OpenGap(ctx context.Context, userID int64, stage string, memories []string, reason string, by Actor) error {
	uid, err := NewUID()
	if err != nil {
		return err
	}
	var id int64
	if err := tx.Row(ctx, `INSERT INTO gaps (id, uid, user_id, stage, memories, attempts, last_error, created_at)
		VALUES (`+tx.UnusedID("gaps")+`, ?, ?, ?, ?, 1, ?, ?) RETURNING id`,
		[]any{uid, userID, stage, JSONList(memories), reason, At(tx.Now)}, &id); err != nil {
		return err
	}
	return tx.AuditRow(ctx, userID, by, OpGap, "gaps", id, "", JSONObject("attempts", 1))
}

// RetriedGap records a failed retry of a gap. Retries of one run, as when it is
// interrupted and resumed, count once.
func (tx *Tx) RetriedGap(ctx context.Context, userID int64, uid, reason string, by Actor) error {
	var id, attempts int64
	var last string
	var counted bool
	err := tx.Row(ctx, `SELECT id, attempts, last_error, EXISTS (SELECT 1 FROM ops WHERE record = 'gaps' AND record_id = gaps.id AND run_id = ?)
		FROM gaps WHERE user_id = ? AND uid = ?`, []any{NullID(by.RunID), userID, uid}, &id, &attempts, &last, &counted)
	if err != nil || counted {
		return OrNotFound(err)
	}
	if _, err := tx.Exec(ctx, "UPDATE gaps SET attempts = attempts + 1, last_error = ? WHERE id = ?", reason, id); err != nil {
		return err
	}
	return tx.AuditRow(ctx, userID, by, OpGap, "gaps", id, JSONObject("attempts", attempts, "last_error", last), JSONObject("attempts", attempts+1))
}

// CloseGap deletes a gap whose memories have been processed.
func (tx *Tx) CloseGap(ctx context.Context, userID int64, uid string, by Actor) error {
	var id int64
	var row string
	err := tx.Row(ctx, `SELECT id, json_object('uid', uid, 'stage', stage, 'memories', memories, 'attempts', attempts, 'last_error', last_error, 'created_at', created_at)
		FROM gaps WHERE user_id = ? AND uid = ?`, []any{userID, uid}, &id, &row)
	if err != nil {
		return OrNotFound(err)
	}
	if _, err := tx.Exec(ctx, "DELETE FROM gaps WHERE id = ?", id); err != nil {
		return err
	}
	return tx.AuditRow(ctx, userID, by, OpGap, "gaps", id, row, "")
}

// OrNotFound returns [ErrNotFound] in place of [sql.ErrNoRows], and other errors
// unchanged.
func OrNotFound(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return ErrNotFound
	}
	return err
}

// NewUID returns a new public id, a UUIDv7.
func NewUID() (string, error) {
	uid, err := uuid.NewV7()
	return uid.String(), err
}

// JSONObject encodes alternating names and values as a JSON object. It panics on
// values that JSON cannot encode.
func JSONObject(pairs ...any) string {
	m := make(map[string]any, len(pairs)/2)
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i].(string)] = pairs[i+1]
	}
	b, err := json.Marshal(m)
	if err != nil {
		panic(err) // strings and numbers can always be encoded
	}
	return string(b)
}

// EpisodesAfter returns the first limit of the user's episodes with a row id above
// after, in order of id.
func (s *Snapshot) EpisodesAfter(ctx context.Context, userID, after int64, limit int) ([]Memory, error) {
	var episodes []Memory
	err := selectMemories(s, &episodes).Where("m.user_id = ? AND m.id > ? AND m.kind = ?", userID, after, KindEpisode).
		Order("m.id").Limit(int64(limit)).Scan(ctx)
	return episodes, err
}
