package schema

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"
)

// What runs do beside changing columns of a memory. Each leaves an op that
// says how to take it back, in public ids, so that it means the same in a
// restored file; see [Tx.UndoRun].
const (
	OpAdd        = "add"        // a memory
	OpRemove     = "remove"     // a memory, text and all
	OpSource     = "source"     // of a memory that was there before
	OpLink       = "link"       // from a memory
	OpMention    = "mention"    // of an entity
	OpUnmention  = "unmention"  //
	OpWatermark  = "watermark"  // record: the run
	OpImportance = "importance" // record: the run
	OpPropose    = "propose"    // record: the proposal
	OpReflected  = "reflected"  // record: the run
	OpAttribute  = "attribute"  // of a memory
	OpGap        = "gap"        // record: the gap; opened, tried again or closed
	OpErase      = "erase"      // record: the erasure; it holds counts alone
)

// AddDerived stores a memory that was derived from others, with its sources:
// row id → quote. Its run is by's.
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

// EvidenceShare is the part of the remaining doubt that one more source
// removes.
const EvidenceShare = 0.3

// Reinforce takes one more source of a known claim in: its confidence moves
// towards 1 by the given weight (0–1, what the source can carry) of 0.3 of the
// doubt that is left, it fades more slowly ([Corroborated]), and it counts as used.
// A source it has already changes nothing; stronger says whether anything did. A
// source that is not [Tx.Independent] of the others adds no confidence and no
// stability. Origin and trust stay.
//
// Errors: [ErrConflict] when m is not current any more.
func (tx *Tx) Reinforce(ctx context.Context, m *Memory, source *Memory, quote string, weight float64, by Actor) (stronger bool, err error) {
	if err := ValidUnit("weight", weight); err != nil {
		return false, err
	}
	if m.ended() {
		return false, fmt.Errorf("memory %s is no longer current: %w", m.UID, ErrConflict)
	}
	res, err := tx.Exec(ctx, "INSERT INTO memory_sources (memory_id, source_id, quote) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", m.ID, source.ID, quote)
	if err != nil {
		return false, err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return false, err
	}
	if err := tx.Audit(ctx, m, by, OpSource, "", JSONObject("source", source.UID)); err != nil {
		return false, err
	}
	if m.Protected {
		return true, nil // its confidence is the host's
	}
	stability := Corroborated(m.Stability)
	if independent, err := tx.Independent(ctx, m, source); err != nil {
		return false, err
	} else if !independent {
		weight, stability = 0, m.Stability // nothing becomes surer by being said twice by one voice
	}
	changes := []change{
		{"confidence", m.Confidence + weight*EvidenceShare*(1-m.Confidence)},
		{"stability", stability},
		{"access_count", m.AccessCount + 1},
		{"last_accessed", At(tx.Now)},
	}
	if m.State == StateDormant {
		changes = append(changes, change{"state", string(StateActive)})
	}
	return true, tx.changeMemory(ctx, m, by, "reinforce", changes...)
}

// Link stores a typed edge between two memories. One that is there already
// stays, and added is false.
func (tx *Tx) Link(ctx context.Context, from, to *Memory, typ string, by Actor) (added bool, err error) {
	res, err := tx.Exec(ctx, "INSERT INTO links (from_id, to_id, type, created_at, run_id) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
		from.ID, to.ID, typ, tx.Now.UnixMilli(), NullID(by.RunID))
	if err != nil {
		return false, err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 || by.RunID == 0 {
		return n > 0, err
	}
	return true, tx.Audit(ctx, from, by, OpLink, "", JSONObject("to", to.UID, "type", typ))
}

// Watermark is how far a stage has got through a user's memories: the id of
// the last one, 0 at the beginning.
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

// Advance moves a stage's watermark forward, never back.
func (tx *Tx) Advance(ctx context.Context, userID int64, name string, through int64, by Actor) error {
	var before int64
	if err := tx.Row(ctx, watermark, []any{userID, name}, &before); err != nil || before >= through {
		return err
	}
	if _, err := tx.Exec(ctx, `INSERT INTO watermarks (user_id, name, through) VALUES (?, ?, ?)
		ON CONFLICT DO UPDATE SET through = excluded.through`, userID, name, through); err != nil {
		return err
	}
	var from, to string
	if err := tx.Row(ctx, "SELECT coalesce((SELECT uid FROM memories WHERE id = ?), ''), coalesce((SELECT uid FROM memories WHERE id = ?), '')",
		[]any{before, through}, &from, &to); err != nil {
		return err
	}
	return tx.AuditRow(ctx, userID, by, OpWatermark, "runs", by.RunID, JSONObject("name", name, "through", from), JSONObject("name", name, "through", to))
}

// Propose stores what code will not decide, for the host. payload is encoded
// as JSON. The same payload of the same kind is not proposed again, whatever
// became of it; added is false then.
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

// Gap is what a stage gave up on: its memories are behind the watermark and
// were not worked on.
type Gap struct {
	UID       string   `json:"id"`
	Stage     string   `json:"stage"`
	Memories  []string `json:"memories"` // public ids
	Attempts  int64    `json:"attempts"`
	LastError string   `json:"last_error"`
	CreatedAt Time     `json:"created_at"`
}

// Gaps lists what a stage left out and tried less than so many times, oldest
// first; most 0 lists all.
func (s *Snapshot) Gaps(ctx context.Context, userID int64, stage string, most int64) ([]Gap, error) {
	rows, err := s.Query(ctx, `SELECT uid, stage, memories, attempts, last_error, created_at FROM gaps
		WHERE user_id = ?1 AND (?2 = '' OR stage = ?2) AND (?3 = 0 OR attempts < ?3) ORDER BY id`, userID, stage, most)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var gaps []Gap
	for rows.Next() {
		var g Gap
		var memories string
		if err := rows.Scan(&g.UID, &g.Stage, &memories, &g.Attempts, &g.LastError, &g.CreatedAt); err != nil {
			return nil, err
		}
		if err := json.Unmarshal([]byte(memories), &g.Memories); err != nil {
			return nil, fmt.Errorf("gap %s: %w", g.UID, err)
		}
		gaps = append(gaps, g)
	}
	return gaps, rows.Err()
}

// OpenGap records what a stage gave up on.
func (tx *Tx) OpenGap(ctx context.Context, userID int64, stage string, memories []string, reason string, by Actor) error {
	uid, err := NewUID()
	if err != nil {
		return err
	}
	list, err := json.Marshal(slices.Concat([]string{}, memories))
	if err != nil {
		return err
	}
	var id int64
	if err := tx.Row(ctx, `INSERT INTO gaps (id, uid, user_id, stage, memories, attempts, last_error, created_at)
		VALUES (`+UnusedID("gaps")+`, ?, ?, ?, ?, 1, ?, ?) RETURNING id`,
		[]any{uid, userID, stage, string(list), reason, At(tx.Now)}, &id); err != nil {
		return err
	}
	return tx.AuditRow(ctx, userID, by, OpGap, "gaps", id, "", JSONObject("attempts", 1))
}

// RetriedGap records that a gap was tried in vain once more. A run counts once,
// however often it is cut off and taken up again.
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

// CloseGap records that what a stage had left out is done.
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

func OrNotFound(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return ErrNotFound
	}
	return err
}

func NewUID() (string, error) {
	uid, err := uuid.NewV7()
	return uid.String(), err
}

// image is a JSON object of pairs of name and value.
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

// EpisodesAfter lists the user's episodes with an id above after, in order of
// arrival, at most limit.
func (s *Snapshot) EpisodesAfter(ctx context.Context, userID, after int64, limit int) ([]Memory, error) {
	var episodes []Memory
	err := selectMemories(s, &episodes).Where("m.user_id = ? AND m.id > ? AND m.kind = ?", userID, after, KindEpisode).
		Order("m.id").Limit(int64(limit)).Scan(ctx)
	return episodes, err
}
