package extension

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension/transfer"
	"github.com/ebbmem/ebb/internal/memtest"
	"github.com/ebbmem/ebb/schema"
)

// need is what the tests use of testing.T and rapid.T.
type need interface {
	require.TestingT
	Helper()
}

// exported returns an export to be compared with others, which does not say when it was
// written.
func exported(t need, x *Extension, scope Scope) string {
	t.Helper()
	return memtest.Undated(dated(t, x, scope))
}

func dated(t need, x *Extension, scope Scope) string {
	t.Helper()
	var b bytes.Buffer
	report, err := x.Export(context.Background(), &b, scope)
	require.NoError(t, err)
	require.Equal(t, int64(b.Len()), report.Bytes)
	require.Equal(t, report.Records+2, int64(bytes.Count(b.Bytes(), []byte("\n"))))
	return b.String()
}

func restored(t need, x *Extension, export string) *transfer.ImportReport {
	t.Helper()
	report, err := x.Import(context.Background(), strings.NewReader(export), transfer.ImportOptions{Restore: true})
	require.NoError(t, err)
	require.Equal(t, transfer.FormatExport, report.Format)
	return report
}

// world fills a memory with a bit of everything.
type world struct {
	t     need
	x     *Extension
	scope Scope
	uids  []string // of memories
	facts []string
}

func (w *world) write(fn func(ctx context.Context, tx *schema.Tx, userID int64) error) {
	w.t.Helper()
	require.NoError(w.t, w.x.db.Write(context.Background(), func(ctx context.Context, tx *schema.Tx) error {
		userID, err := tx.UserID(ctx, w.scope)
		if err != nil {
			return err
		}
		return fn(ctx, tx, userID)
	}))
}

func (w *world) exec(query string, args ...any) {
	w.t.Helper()
	w.write(func(ctx context.Context, tx *schema.Tx, userID int64) error {
		_, err := tx.Exec(ctx, query, append([]any{userID}, args...)...)
		return err
	})
}

func (w *world) say(id, session, text string) {
	w.t.Helper()
	scope := w.scope
	scope.Session = session
	require.NoError(w.t, w.x.mem.Publish(context.Background(), eventbus.UserMessage(scope, text, eventbus.WithID(id), eventbus.Speaker("Ada <&> Ünal"))))
	require.NoError(w.t, w.x.db.Read(context.Background(), func(ctx context.Context, s *schema.Snapshot) error {
		userID, err := s.UserID(ctx, scope)
		if err != nil {
			return err
		}
		var uid string
		err = s.Row(ctx, "SELECT m.uid FROM memories m JOIN events e ON e.seq = m.event_seq WHERE e.user_id = ? AND e.id = ? AND m.event_time = e.occurred_at", []any{userID, id}, &uid)
		w.uids = append(w.uids, uid)
		return err
	}))
}

func (w *world) fact(content string, confidence float64) {
	w.t.Helper()
	m := &schema.Memory{
		Kind: schema.KindFact, Content: content, Confidence: confidence, Importance: 0.1 + 0.2, DecayRate: schema.DefaultDecayRate,
		Stability: 2.5, Utility: 1. / 3, Origin: schema.OriginUser, Trust: 4, Subject: "kettle", Predicate: "colour", Object: content,
		Tags: schema.Strings{"b", "a"}, Attributes: schema.Attributes{"z": "1", "a": "<2>"},
		EventTime: schema.At(time.Date(1969, 12, 31, 23, 59, 59, 999e6, time.UTC)),
	}
	w.write(func(ctx context.Context, tx *schema.Tx, userID int64) error {
		m.UserID = userID
		return tx.InsertMemory(ctx, m, schema.PrepareChunks(content, "", m.Tags...))
	})
	w.uids, w.facts = append(w.uids, m.UID), append(w.facts, m.UID)
}

func (w *world) change(uid string, change func(ctx context.Context, tx *schema.Tx, m *schema.Memory) error) {
	w.t.Helper()
	w.write(func(ctx context.Context, tx *schema.Tx, userID int64) error {
		m, err := tx.Memory(ctx, userID, uid)
		if err != nil {
			return err
		}
		return change(ctx, tx, m)
	})
}

// all sorts of records that only some of the rooms write by now.
func (w *world) furnish() {
	w.t.Helper()
	a, b := w.uids[0], w.facts[0]
	run, entity, other := uuid.NewString(), uuid.NewString(), uuid.NewString()
	w.exec("INSERT INTO runs (user_id, uid, cause, local_day, state, started_at, finished_at, stages, calls, cost, faults) VALUES (?, ?, 'night', '2026-01-02', 'done', 5, 6, '[{\"stage\":\"prune\"}]', 3, 0.1, 1)", run)
	w.exec("UPDATE memories SET run_id = (SELECT max(id) FROM runs) WHERE user_id = ? AND uid = ?", b)
	for _, uid := range []string{entity, other} {
		w.exec("INSERT INTO entities (user_id, uid, type, name, confidence, mention_count, created_at) VALUES (?, ?, 'thing', 'kettle', 0.7, 3, 9)", uid)
	}
	w.exec("UPDATE entities SET merged_into = (SELECT id FROM entities WHERE uid = ?2) WHERE user_id = ?1 AND uid = ?3", entity, other)
	w.exec("INSERT INTO entity_aliases (user_id, alias, entity_id, surface) SELECT ?1, 'kettle', id, 'Kettle' FROM entities WHERE uid = ?2", entity)
	w.exec("INSERT INTO memory_entities (memory_id, entity_id, surface, confidence) SELECT m.id, e.id, 'Kettle', 0.9 FROM memories m, entities e WHERE m.user_id = ? AND m.uid = ? AND e.uid = ?", a, entity)
	w.exec("INSERT INTO memory_sources (memory_id, source_id, quote) SELECT m.id, s.id, '“blue”' FROM memories m, memories s WHERE m.user_id = ? AND m.uid = ? AND s.uid = ?", b, a)
	w.exec("INSERT INTO links (from_id, to_id, type, confidence, created_at, run_id) SELECT f.id, t.id, 'elaborates', 0.25, 77, (SELECT max(id) FROM runs) FROM memories f, memories t WHERE f.user_id = ? AND f.uid = ? AND t.uid = ?", b, a)
	w.exec("INSERT INTO blocks (user_id, agent, name, kind, content, trust, version, updated_at) VALUES (?, 'cook', 'persona', 'list', '[\"kind\"]', 3, 2, 8)")
	w.exec("INSERT INTO block_history (block_id, version, content, trust, actor, agent, at) SELECT id, 1, '[\"curt\"]', 4, 'host', 'chef', 7 FROM blocks WHERE user_id = ?")
	w.exec("INSERT INTO block_history (block_id, version, content, trust, actor, agent, at) SELECT id, 2, content, trust, 'model', 'cook', 8 FROM blocks WHERE user_id = ?")
	w.exec("INSERT INTO ops (user_id, at, actor, operation, record, record_id, before, after) SELECT user_id, 7, 'host', 'block', 'blocks', id, '', '{\"version\":1}' FROM blocks WHERE user_id = ?")
	w.exec("INSERT INTO proposals (user_id, uid, run_id, kind, payload, state, created_at) VALUES (?, ?, (SELECT max(id) FROM runs), 'merge', 'not even JSON', 'pending', 4)", uuid.NewString())
	w.exec("INSERT INTO proposals (user_id, uid, kind, payload, state, created_at, decided_at, decided_by) VALUES (?, ?, 'protect', ?, 'applied', 4, 5, 'host')",
		uuid.NewString(), schema.JSONObject("memory_id", b, "content", "blue?"))
	w.exec("INSERT INTO tombstones (user_id, id_hash, erased_at) VALUES (?, 'deadbeef', 3)")
	w.exec("INSERT INTO documents (user_id, uri, hash, read_at) VALUES (?, 'file:///tea.md', 'h', 2)")
	w.exec("UPDATE users SET time_zone = 'Europe/Oslo', nights_through = '2026-01-02', importance_since = 0.1 WHERE id = ?1")
	w.exec("INSERT INTO watermarks (user_id, name, through) SELECT ?1, 'extract', id FROM memories WHERE uid = ?2", a)
	w.exec("INSERT INTO gaps (user_id, uid, stage, memories, attempts, last_error, created_at) VALUES (?, ?, 'extract', '[\"x\"]', 2, 'no JSON', 9)", uuid.NewString())
	shown, err := eventbus.New(eventbus.TopicMemoryRecalled, w.scope, schema.OriginUnknown, eventbus.Recalled{Channel: "tool", Query: "kettle?"})
	require.NoError(w.t, err)
	require.NoError(w.t, w.x.bus.Report(context.Background(), shown))
	w.exec("INSERT INTO injections (user_id, event_seq, channel, query, items, shown_at) SELECT ?1, seq, 'tool', 'kettle?', '[{\"uid\":\"x\",\"rank\":1,\"score\":0.30000000000000004}]', 12 FROM events WHERE id = ?2", shown.ID)
	own, err := eventbus.New("host.note", w.scope, schema.OriginToolInternal, map[string]any{"n": 1.5, "s": "<b>\u2028"})
	require.NoError(w.t, err)
	require.NoError(w.t, w.x.mem.Publish(context.Background(), own))
}

func furnished(t *testing.T, x *Extension) *world {
	t.Helper()
	w := &world{t: t, x: x, scope: Scope{Tenant: "acme", User: "ada"}}
	w.say("t1", "s1", "The kettle is blue.")
	w.say("t2", "", "No, \"green\"\n<memory>\t&amp; 🫖 \x01")
	w.fact("The kettle is blue", 0.9)
	w.fact("The kettle is green", 0.95)
	w.fact("The kettle is old", 0.1)
	w.change(w.facts[0], func(ctx context.Context, tx *schema.Tx, old *schema.Memory) error {
		replacement, err := tx.Memory(ctx, old.UserID, w.facts[1])
		if err != nil {
			return err
		}
		return tx.Supersede(ctx, old, replacement, schema.Actor{Name: "user"})
	})
	w.change(w.facts[2], func(ctx context.Context, tx *schema.Tx, m *schema.Memory) error {
		return tx.Retire(ctx, m, schema.Actor{Name: "night"})
	})
	w.change(w.facts[1], func(ctx context.Context, tx *schema.Tx, m *schema.Memory) error {
		return errors.Join(tx.Protect(ctx, m, schema.Actor{Name: "host"}), tx.Touch(ctx, m.UserID, []string{m.UID}, time.UnixMilli(1234)))
	})
	w.furnish()
	return w
}

func TestExportRestoresEverything(t *testing.T) {
	x := openNew(t)
	w := furnished(t, x)
	export := exported(t, x, w.scope)
	for _, kind := range []string{
		"tombstone", "session", "run", "entity", "merged", "alias", "event", "memory", "superseded", "source", "link",
		"block", "block_version", "proposal", "gap", "op", "document", "watermark", "end",
	} {
		require.Contains(t, export, "\n{\""+kind+"\":", "the fixture has one of each type")
	}

	y := openNew(t)
	// Others in the file, so that no row id is what it was.
	require.NoError(t, y.mem.Publish(t.Context(), eventbus.UserMessage(Scope{User: "bo"}, "Mine.")))
	report := restored(t, y, export)
	require.Equal(t, report.Read, report.Stored)
	require.Equal(t, export, exported(t, y, w.scope))

	// And nothing that an export does not show was lost on the way.
	for _, query := range []string{
		"SELECT group_concat(content_hash || coalesce(CAST(valid_until AS text), '-') || coalesce(CAST(expired_at AS text), '-') || CAST(version AS text) || CAST(access_count AS text) || coalesce(CAST(last_accessed AS text), '-') || CAST(stability AS text), '/') FROM (SELECT * FROM memories WHERE user_id = (SELECT id FROM users WHERE name = 'ada') ORDER BY id) AS m",
		"SELECT group_concat(text || '|' || speaker, '/') FROM (SELECT * FROM chunks WHERE id >> 32 = (SELECT id FROM users WHERE name = 'ada') ORDER BY id) AS c",
	} {
		require.Equal(t, value(t, x, query), value(t, y, query))
	}
	require.Equal(t, 1, count(t, y, "SELECT count(*) FROM ops WHERE CAST(json_extract(after, '$.superseded_by') AS bigint) = (SELECT superseded_by FROM memories WHERE uid = ?)", w.facts[0]))

	answer, err := y.Recall(t.Context(), w.scope, Query{Text: "is the kettle green"})
	require.NoError(t, err)
	require.Equal(t, "The kettle is green", answer.Results[0].Memory.Content)
}

func value(t *testing.T, x *Extension, query string) (s string) {
	t.Helper()
	require.NoError(t, x.db.Read(t.Context(), func(ctx context.Context, snap *schema.Snapshot) error {
		return snap.Row(ctx, query, nil, &s)
	}))
	require.NotEmpty(t, s)
	return s
}

func TestRepeatedImportChangesNothing(t *testing.T) {
	x := openNew(t)
	w := furnished(t, x)
	export := exported(t, x, w.scope)
	rows := count(t, x, "SELECT max(seq) FROM events")
	for range 2 {
		report := restored(t, x, export)
		require.Zero(t, report.Stored)
		require.Equal(t, report.Read, report.Duplicates)
	}
	require.Equal(t, export, exported(t, x, w.scope))
	require.Equal(t, rows, count(t, x, "SELECT max(seq) FROM events"))
}

func TestImportKeepsNewerRows(t *testing.T) {
	x := openNew(t)
	w := &world{t: t, x: x, scope: ada}
	w.say("t1", "s1", "The kettle is blue.")
	w.fact("The kettle is blue", 0.9)
	before := exported(t, x, ada)
	w.fact("The kettle is green", 0.95)
	w.change(w.facts[0], func(ctx context.Context, tx *schema.Tx, old *schema.Memory) error {
		replacement, err := tx.Memory(ctx, old.UserID, w.facts[1])
		if err != nil {
			return err
		}
		return tx.Supersede(ctx, old, replacement, schema.Actor{Name: "user"})
	})
	after := exported(t, x, ada)
	restored(t, x, before)
	require.Equal(t, after, exported(t, x, ada))
}

func TestImportForAnotherUser(t *testing.T) {
	x := openNew(t)
	w := furnished(t, x)
	export := exported(t, x, w.scope)
	y := openNew(t)
	_, err := y.Import(t.Context(), strings.NewReader(export), transfer.ImportOptions{Restore: true, Scope: Scope{User: "lovelace"}})
	require.NoError(t, err)
	moved := strings.Replace(export, `"tenant":"acme","user":"ada"`, `"user":"lovelace"`, 1)
	require.Equal(t, moved, exported(t, y, Scope{User: "lovelace"}))

	// Beside the original the public ids would be double: an error, not a loss.
	_, err = x.Import(t.Context(), strings.NewReader(export), transfer.ImportOptions{Restore: true, Scope: Scope{User: "lovelace"}})
	requireInvalid(t, err, "id")
	require.ErrorContains(t, err, "belongs to another user")
	for _, opts := range []transfer.ImportOptions{{Scope: Scope{User: "ada", Session: "s"}}, {Scope: ada, Origin: schema.OriginUser}} {
		_, err = y.Import(t.Context(), strings.NewReader(export), opts)
		require.ErrorContains(t, err, "export of ebb")
	}
}

// The journal would drop the message, and the memory come to rest on the other one.
func TestExportWithAnIDUsedForAnotherMessage(t *testing.T) {
	elsewhere, same, x := openNew(t), openNew(t), openNew(t)
	for x, text := range map[*Extension]string{elsewhere: "The kettle is green.", same: "My dentist is Dr Okafor.", x: "My dentist is Dr Okafor."} {
		require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(ada, text, eventbus.WithID("1"))))
	}
	before := exported(t, x, ada)
	for _, trusted := range []bool{true, false} {
		_, err := x.Import(t.Context(), strings.NewReader(exported(t, elsewhere, ada)), transfer.ImportOptions{Scope: ada, Restore: trusted})
		requireInvalid(t, err, "id")
		require.ErrorContains(t, err, "with another text; ids are unique per user")
		require.Equal(t, before, exported(t, x, ada))
	}
	_, err := x.Import(t.Context(), strings.NewReader(exported(t, same, ada)), transfer.ImportOptions{Scope: ada, Restore: true})
	require.NoError(t, err, "the same message, of another time")
}

func TestInterruptedRestoreContinues(t *testing.T) {
	x := openNew(t)
	w := &world{t: t, x: x, scope: ada}
	_, err := importText(t, x, manyTurns(batchTurns+300), transfer.ImportOptions{})
	require.NoError(t, err)
	w.fact("The kettle is blue", 0.9)
	export := exported(t, x, ada)
	lines := strings.SplitAfter(export, "\n")

	path := filepath.Join(t.TempDir(), "m.db")
	y := openFile(t, path)
	_, err = y.Import(t.Context(), strings.NewReader(strings.Join(lines[:len(lines)*9/10], "")), transfer.ImportOptions{Restore: true})
	requireInvalid(t, err, "end") // cut off
	require.NotZero(t, count(t, y, episodes))
	require.NoError(t, y.Close(t.Context()))

	y = openFile(t, path)
	report := restored(t, y, export)
	require.NotZero(t, report.Duplicates)
	require.Equal(t, export, exported(t, y, ada))
}

func TestImportRefusesABadExport(t *testing.T) {
	x := openNew(t)
	w := &world{t: t, x: x, scope: ada}
	w.say("t1", "s1", "The kettle is blue.")
	w.fact("The kettle is blue", 0.9)
	export := exported(t, x, ada)
	head, rest, _ := strings.Cut(export, "\n")
	head += "\n"
	without := func(kind string) string {
		var kept []string
		for _, l := range strings.SplitAfter(export, "\n") {
			if !strings.HasPrefix(l, `{"`+kind) {
				kept = append(kept, l)
			}
		}
		return strings.Join(kept, "")
	}
	tests := []struct{ name, input, field, want string }{
		{"from the future", strings.Replace(export, `"export":1`, `"export":2`, 1), "export", "use a newer ebb"},
		{"a record of the future", head + `{"dream":{}}` + "\n" + rest, "dream", "line 2: dream is not known"},
		{"a field of the future", strings.Replace(export, `"kind":"fact"`, `"mood":1,"kind":"fact"`, 1), "mood", "is not known"},
		{"without its end", without("end"), "end", "was cut off"},
		{"a line lost", strings.Replace(without("event"), `"records":4`, `"records":3`, 1), "event_id", "does not stand before this line"},
		{"only the count is wrong", strings.Replace(export, `"records":4`, `"records":5`, 1), "end", "counts 5 records, but 4"},
		{"two in one file", export + export, "line", "stands after the end"},
		{"two records in a line", head + `{"tombstone":{"id_hash":"a"},"session":{"name":"b"}}`, "line", "exactly one record"},
		{"an empty record", head + `{}`, "line", "exactly one record"},
		{"a header again", head + head, "ebb", "is the first line"},
		{"no user", `{"ebb":{"export":1}}`, "Scope.User", "is empty"},
		{"more trust than its origin has", strings.Replace(export, `"trust":4`, `"trust":9`, 1), "trust", "above what its origin"},
		{"a message without text", strings.Replace(export, `"payload":{`, `"payload":7,"x":{`, 1), "x", "is not known"},
		{"a rule of the database", strings.Replace(export, `"state":"active"`, `"state":"asleep"`, 1), "record", "breaks a rule of the database: state ="},
		{"a block of no kind", head + `{"block":{"name":"rules","kind":"song","content":"la","trust":4,"version":1,"updated_at":"2026-03-01T00:00:00Z"}}` + "\n" + strings.Replace(rest, `"records":4`, `"records":5`, 1), "kind", "is not one of text, list"},
		{"a block above all trust", head + `{"block":{"name":"rules","content":"Be kind.","trust":5,"version":1,"updated_at":"2026-03-01T00:00:00Z"}}` + "\n" + strings.Replace(rest, `"records":4`, `"records":5`, 1), "trust", "from 0 to 4"},
		{"a run without stages", head + `{"run":{"id":"r","cause":"night","state":"running","started_at":"2026-03-01T00:00:00Z"}}`, "stages", "line 2: stages of a run are missing"},
		{"a run of other stages", head + `{"run":{"id":"r","cause":"night","state":"running","started_at":"2026-03-01T00:00:00Z","stages":["x"]}}`, "stages", "no list"},
		{"an injection of nothing", head + `{"event":{"id":"e","topic":"memory.recalled","origin":"unknown","trust":0,"payload":{},` +
			`"occurred_at":"2026-03-01T00:00:00Z","recorded_at":"2026-03-01T00:00:00Z","injection":{"channel":"memory"}}}`, "items", "are missing"},
		{"confidence above 1", strings.Replace(export, `"confidence":0.9`, `"confidence":1.5`, 1), "confidence", "from 0 to 1"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			y := openNew(t)
			if !y.Capabilities().File {
				test.want = strings.ReplaceAll(test.want, "database: state =", "database: memories_state_check")
			}
			_, err := y.Import(t.Context(), strings.NewReader(test.input), transfer.ImportOptions{Restore: true})
			requireInvalid(t, err, test.field)
			require.ErrorContains(t, err, test.want)
			require.Zero(t, count(t, y, "SELECT count(*) FROM memories"))
		})
	}
}

func TestExportOfUnknownUser(t *testing.T) {
	x := openNew(t)
	_, err := x.Export(t.Context(), new(bytes.Buffer), ada)
	require.ErrorIs(t, err, ErrNotFound)
	_, err = x.Export(t.Context(), new(bytes.Buffer), Scope{})
	requireInvalid(t, err, "Scope.User")
	_, err = importText(t, x, line(nil), transfer.ImportOptions{})
	require.NoError(t, err)
	_, err = x.Export(t.Context(), failing{}, ada)
	require.ErrorIs(t, err, errBroken)
}

func (failing) Write([]byte) (int, error) { return 0, errBroken }

// TestExportRoundTrip builds memories of any shape: importing an export into
// an empty file and exporting again gives the same bytes.
func TestExportRoundTrip(t *testing.T) {
	x, y := openNew(t), openNew(t)
	users := 0
	rapid.Check(t, func(rt *rapid.T) {
		users++ // a user unknown to both files
		w := &world{t: rt, x: x, scope: Scope{User: fmt.Sprintf("user %d", users)}}
		content := rapid.StringN(1, 40, 200).Filter(func(s string) bool { return schema.ValidContent("text", s) == nil })
		w.say("first", "s0", "There is one turn at least.")
		w.fact("And one fact.", 0.5)
		for i := range rapid.IntRange(0, 6).Draw(rt, "steps") {
			switch rapid.IntRange(0, 5).Draw(rt, "step") {
			case 0:
				w.say(fmt.Sprintf("e%d", i), rapid.SampledFrom([]string{"", "s1", "s2"}).Draw(rt, "session"), content.Draw(rt, "said"))
			case 1:
				w.fact(content.Draw(rt, "fact"), rapid.Float64Range(0, 1).Draw(rt, "confidence"))
			case 2:
				w.change(rapid.SampledFrom(w.facts).Draw(rt, "retired"), func(ctx context.Context, tx *schema.Tx, m *schema.Memory) error {
					if m.State != schema.StateActive {
						return nil // what has ended cannot end again
					}
					return tx.Retire(ctx, m, schema.Actor{Name: "night"})
				})
			case 3:
				by := rapid.SampledFrom(w.facts).Draw(rt, "by")
				w.change(rapid.SampledFrom(w.facts).Draw(rt, "superseded"), func(ctx context.Context, tx *schema.Tx, m *schema.Memory) error {
					replacement, err := tx.Memory(ctx, m.UserID, by)
					if err != nil || m.UID == by || m.State != schema.StateActive {
						return err
					}
					return tx.Supersede(ctx, m, replacement, schema.Actor{Name: "user"})
				})
			case 4:
				w.change(rapid.SampledFrom(w.uids).Draw(rt, "touched"), func(ctx context.Context, tx *schema.Tx, m *schema.Memory) error {
					return tx.Touch(ctx, m.UserID, []string{m.UID}, time.UnixMilli(rapid.Int64Range(-1e13, 1e14).Draw(rt, "at")))
				})
			case 5:
				a, b := rapid.SampledFrom(w.uids).Draw(rt, "a"), rapid.SampledFrom(w.uids).Draw(rt, "b")
				w.exec("INSERT INTO memory_sources (memory_id, source_id, quote) SELECT m.id, s.id, ?4 FROM memories m, memories s WHERE m.user_id = ?1 AND m.uid = ?2 AND s.uid = ?3 ON CONFLICT DO NOTHING",
					a, b, content.Draw(rt, "quote"))
			}
		}
		export := exported(rt, x, w.scope)
		restored(rt, y, export)
		require.Equal(rt, export, exported(rt, y, w.scope))
	})
}

// TestExportIsConsistentSnapshot exports while others write: an episode whose event is
// of a later state would be an error when it is restored.
func TestExportIsConsistentSnapshot(t *testing.T) {
	x, y := openNew(t), openNew(t)
	_, err := importText(t, x, manyTurns(100), transfer.ImportOptions{})
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		for i := 0; i < 400 && ctx.Err() == nil; i++ {
			if err := x.mem.Publish(t.Context(), eventbus.UserMessage(ada, fmt.Sprintf("more %d", i))); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	var exports []string
	for range 5 {
		exports = append(exports, exported(t, x, ada))
	}
	stop()
	require.NoError(t, <-done)
	for _, export := range exports { // each holds the one before
		restored(t, y, export)
		require.Equal(t, export, exported(t, y, ada))
	}
}

// TestRestoredEventsAreNotHandledAgain runs all background work on both
// sides: what it made of a message is in the export, and must not be made of
// the restored message again.
func TestRestoredEventsAreNotHandledAgain(t *testing.T) {
	working := func() *Extension {
		x, err := Open(t.Context(), filepath.Join(t.TempDir(), "m.db"), &Config{Night: NightConfig{NoSchedule: true}, Location: time.UTC})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, x.Close(context.Background())) })
		return x
	}
	x, y := working(), working()
	_, err := importText(t, x,
		line(map[string]any{"id": "t1", "text": "Ottilie Brandt moved to Ghent with her dog Biscuit on 4 March 2026."})+
			line(map[string]any{"id": "t2", "text": "Write to Ottilie at ottilie@example.org, says Marek."}), transfer.ImportOptions{})
	require.NoError(t, err)
	s, err := x.Session(ada)
	require.NoError(t, err)
	loaded, err := s.Memory().LoadMemoryVariables(t.Context(), map[string]any{"input": "Where does Ottilie live now?"})
	require.NoError(t, err)
	require.Contains(t, fmt.Sprint(loaded), "Ghent")
	require.NoError(t, x.WaitIdle(t.Context()))
	require.NotZero(t, count(t, x, "SELECT count(*) FROM memory_entities"))
	require.NotZero(t, count(t, x, "SELECT sum(access_count) FROM memories"))

	export := exported(t, x, ada)
	restored(t, y, export)
	require.NoError(t, y.WaitIdle(t.Context()))
	require.Equal(t, export, exported(t, y, ada))
}

// What is linked to what depends on what was known at the time; a backup that
// is restored where it is read all at once must not come out otherwise.
func TestRestoreKeepsMentions(t *testing.T) {
	open := func() *Extension {
		x, err := Open(t.Context(), filepath.Join(t.TempDir(), "memory.db"), &Config{Night: NightConfig{NoSchedule: true}, NoClaims: true})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, x.Close(context.Background())) })
		return x
	}
	x := open()
	s, err := x.Session(Scope{User: "ada"})
	require.NoError(t, err)
	fact := func(content string) {
		for _, tool := range s.Tools() {
			if tool.Name() == "remember_fact" {
				_, err := tool.Call(t.Context(), content)
				require.NoError(t, err)
			}
		}
	}
	say := func(text string) {
		require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(ada, text)))
		require.NoError(t, x.WaitIdle(t.Context()))
	}
	say("Ottilie plays on Fridays.") // one unknown word at the start: too little to go by
	fact("Ottilie plays on Fridays.")
	require.NoError(t, x.WaitIdle(t.Context()))
	say("I have known Ottilie for years, my dear Ottilie.")
	export := exported(t, x, ada)
	require.NotContains(t, export, "unlinked")
	require.Equal(t, 1, strings.Count(export, `"mentions":`), "the later message alone")

	y := open()
	restored(t, y, export)
	require.NoError(t, y.WaitIdle(t.Context()))
	require.Equal(t, export, exported(t, y, ada))
}

func TestRestoreEnrichesUnlinked(t *testing.T) {
	x := openNew(t) // nothing works behind the turn
	require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(ada, "I have known Ottilie for years.")))
	export := exported(t, x, ada)
	require.Contains(t, export, `"unlinked":true`)

	y := openNew(t)
	restored(t, y, export)
	require.Equal(t, export, exported(t, y, ada), "it still waits")

	z := openConfig(t, filepath.Join(t.TempDir(), "memory.db"), &Config{Night: NightConfig{NoSchedule: true}, NoClaims: true})
	restored(t, z, export)
	require.NoError(t, z.WaitIdle(t.Context()))
	found, err := z.Timeline(t.Context(), ada, TimelineQuery{Entity: "Ottilie"})
	require.NoError(t, err)
	require.Len(t, found, 1)
}
