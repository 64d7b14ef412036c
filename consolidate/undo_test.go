package consolidate_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ebbmem/ebb/internal/racing"
	"github.com/ebbmem/ebb/recall"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/undo"
)

// everything is every row of every table but the ledger, the audit, and the
// columns of users that only go on.
func everything(t require.TestingT, db *schema.DB) map[string][]string {
	all := make(map[string][]string)
	require.NoError(t, db.Read(context.Background(), func(ctx context.Context, s *schema.Snapshot) error {
		tables, err := texts(ctx, s, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'chunks_fts%' AND name NOT LIKE 'bun_%' AND name NOT IN ('runs', 'ops', 'leases')")
		if err != nil {
			return err
		}
		for _, table := range tables {
			columns, err := texts(ctx, s, "SELECT name FROM pragma_table_info('"+table+"') WHERE name NOT IN ('nights_through', 'chunk_floor')")
			if err != nil {
				return err
			}
			rows, err := texts(ctx, s, "SELECT "+`'`+table+`: ' || quote(`+strings.Join(columns, `) || ' | ' || quote(`)+") FROM "+table)
			if err != nil {
				return err
			}
			sort.Strings(rows)
			all[table] = rows
		}
		return nil
	}))
	return all
}

func texts(ctx context.Context, s *schema.Snapshot, query string) (all []string, err error) {
	rows, err := s.Query(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return nil, err
		}
		all = append(all, text)
	}
	return all, rows.Err()
}

// sound checks what no undo may leave behind.
func sound(t require.TestingT, db *schema.DB) {
	require.NoError(t, db.Read(context.Background(), func(ctx context.Context, s *schema.Snapshot) error {
		dangling, err := texts(ctx, s, `SELECT "table" || ' → ' || parent FROM pragma_foreign_key_check`)
		require.Empty(t, dangling, "dangling references")
		if err != nil {
			return err
		}
		lost, err := texts(ctx, s, "SELECT uid FROM memories m WHERE NOT EXISTS (SELECT 1 FROM chunks WHERE memory_id = m.id)")
		require.Empty(t, lost, "memories that no search finds")
		if err != nil {
			return err
		}
		miscounted, err := texts(ctx, s, `SELECT name FROM entities e WHERE mention_count <> (
			WITH RECURSIVE part(id) AS (SELECT e.id UNION SELECT p.id FROM entities p JOIN part ON p.merged_into = part.id)
			SELECT count(*) FROM memory_entities WHERE entity_id IN (SELECT id FROM part))`)
		require.Empty(t, miscounted, "entities that count other mentions than they have")
		return err
	}))
	require.NoError(t, db.Write(context.Background(), func(ctx context.Context, tx *schema.Tx) error {
		if !db.Capabilities().TextIndex {
			return nil
		}
		_, err := tx.Exec(ctx, "INSERT INTO chunks_fts (chunks_fts, rank) VALUES ('integrity-check', 1)")
		return err
	}))
}

// changer makes random runs.
type changer struct {
	*rapid.T
	ctx    context.Context
	tx     *schema.Tx
	userID int64
	by     schema.Actor
	step   int
}

var words = []string{"apple", "plum", "fig", "quince", "medlar", "cherry"}

func (c *changer) any(query string) (id int64) {
	rows, err := c.tx.Query(c.ctx, query, c.userID)
	require.NoError(c, err)
	defer rows.Close()
	var ids []int64
	for rows.Next() {
		require.NoError(c, rows.Scan(&id))
		ids = append(ids, id)
	}
	require.NoError(c, rows.Err())
	if len(ids) == 0 {
		return 0
	}
	return rapid.SampledFrom(ids).Draw(c.T, "id")
}

func (c *changer) memory(where string) *schema.Memory {
	id := c.any("SELECT id FROM memories WHERE user_id = ? AND " + where + " ORDER BY id")
	if id == 0 {
		return nil
	}
	var uid string
	require.NoError(c, c.tx.Row(c.ctx, "SELECT uid FROM memories WHERE id = ?", []any{id}, &uid))
	m, err := c.tx.Memory(c.ctx, c.userID, uid)
	require.NoError(c, err)
	return m
}

func (c *changer) entity() *schema.Entity {
	id := c.any("SELECT id FROM entities WHERE user_id = ? AND merged_into IS NULL ORDER BY id")
	if id == 0 {
		return nil
	}
	e := new(schema.Entity)
	require.NoError(c, c.tx.NewSelect().Model(e).Where("id = ?", id).Scan(c.ctx))
	return e
}

const derivedAlive = "kind <> 'episode' AND state IN ('active', 'dormant') AND protected = 0"

// changes are all that a night can do.
var changes = map[string]func(c *changer){
	"add": func(c *changer) {
		m := &schema.Memory{UserID: c.userID, Kind: rapid.SampledFrom([]schema.Kind{schema.KindFact, schema.KindPreference, schema.KindReflection}).Draw(c.T, "kind"),
			Content: fmt.Sprintf("likes %s %d", rapid.SampledFrom(words).Draw(c.T, "word"), c.step), Confidence: .7, Importance: .4, DecayRate: .1, Origin: schema.OriginAssistant, Trust: 2}
		sources := map[int64]string{}
		if s := c.memory("state = 'active'"); s != nil {
			sources[s.ID] = "likes"
		}
		require.NoError(c, c.tx.AddDerived(c.ctx, m, schema.PrepareChunks(m.Content, ""), sources, c.by))
		name := rapid.SampledFrom([]string{"Ottilie", "Noor", "Ghent", "Milo"}).Draw(c.T, "name")
		e, _, err := c.tx.ResolveEntity(c.ctx, c.userID, "person", name, .8)
		require.NoError(c, err)
		require.NoError(c, c.tx.LinkEntity(c.ctx, m.ID, e.ID, name, .8))
	},
	"reinforce": func(c *changer) {
		m, s := c.memory(derivedAlive), c.memory("kind = 'episode'")
		if m != nil && s != nil {
			_, err := c.tx.Reinforce(c.ctx, m, s, "again", .5, c.by)
			require.NoError(c, err)
		}
	},
	"supersede": func(c *changer) {
		m, n := c.memory(derivedAlive), c.memory(derivedAlive)
		if m != nil && n != nil && m.ID != n.ID && n.Trust >= m.Trust {
			require.NoError(c, c.tx.Supersede(c.ctx, m, n, c.by))
		}
	},
	"retire": func(c *changer) {
		if m := c.memory(derivedAlive); m != nil {
			require.NoError(c, c.tx.Retire(c.ctx, m, c.by))
		}
	},
	"state": func(c *changer) {
		if m := c.memory(derivedAlive); m != nil {
			require.NoError(c, c.tx.SetState(c.ctx, m, rapid.SampledFrom([]schema.State{schema.StateDormant, schema.StateActive, schema.StateQuarantined}).Draw(c.T, "state"), c.by))
		}
	},
	"link": func(c *changer) {
		a, b := c.memory("true"), c.memory("true")
		if a != nil && a.ID != b.ID {
			_, err := c.tx.Link(c.ctx, a, b, rapid.SampledFrom([]string{"contradicts", "elaborates", "supersedes"}).Draw(c.T, "type"), rapid.SampledFrom([]float64{.4, 1}).Draw(c.T, "confidence"), c.by)
			require.NoError(c, err)
		}
	},
	"unlink": func(c *changer) {
		a := c.memory("true")
		if a == nil {
			return
		}
		links, err := c.tx.Night().Links(c.ctx, c.userID, "contradicts", "elaborates", "supersedes")
		require.NoError(c, err)
		for _, l := range links {
			if l.From.ID == a.ID {
				removed, err := c.tx.Unlink(c.ctx, a, &l.To, l.Type, c.by)
				require.NoError(c, err)
				require.True(c, removed)
			}
		}
	},
	"advance": func(c *changer) {
		if m := c.memory("true"); m != nil {
			require.NoError(c, c.tx.Advance(c.ctx, c.userID, rapid.SampledFrom([]string{"extract", "conflict"}).Draw(c.T, "stage"), m.ID, c.by))
		}
	},
	"importance": func(c *changer) {
		require.NoError(c, c.tx.SpendImportance(c.ctx, c.userID, rapid.SampledFrom([]float64{.25, 3, 1000}).Draw(c.T, "spent"), c.by))
	},
	"propose": func(c *changer) {
		_, _, err := c.tx.Propose(c.ctx, c.userID, "contradiction", map[string]int{"n": rapid.IntRange(0, 3).Draw(c.T, "n")}, "why", c.by)
		require.NoError(c, err)
	},
	"ask": func(c *changer) {
		if m := c.memory("kind <> 'episode' AND protected = 0"); m != nil {
			_, err := c.tx.AskProtection(c.ctx, m, c.by)
			require.NoError(c, err)
		}
	},
	"decide": func(c *changer) {
		waiting, err := schema.PendingProposals(c.ctx, c.tx, c.userID, []string{schema.KindProtect})
		require.NoError(c, err)
		if len(waiting) > 0 {
			state := rapid.SampledFrom([]string{"applied", "rejected"}).Draw(c.T, "decision")
			if state == "applied" { // a yes protects the memory, which ends the question
				var q schema.Question
				require.NoError(c, waiting[0].Decode(&q))
				m, err := c.tx.Memory(c.ctx, c.userID, q.MemoryID)
				require.NoError(c, err)
				require.NoError(c, c.tx.Protect(c.ctx, m, c.by))
			}
			require.NoError(c, c.tx.DecideProposal(c.ctx, &waiting[0], state, c.by))
		}
	},
	"open gap": func(c *changer) {
		if m := c.memory("kind = 'episode'"); m != nil {
			require.NoError(c, c.tx.OpenGap(c.ctx, c.userID, "extract", []string{m.UID}, "no usable answer", c.by))
		}
	},
	"retried gap": func(c *changer) {
		c.gap(func(uid string) error {
			return c.tx.RetriedGap(c.ctx, c.userID, uid, fmt.Sprint("again ", c.step), c.by)
		})
	},
	"close gap": func(c *changer) { c.gap(func(uid string) error { return c.tx.CloseGap(c.ctx, c.userID, uid, c.by) }) },
	"merge": func(c *changer) {
		a, b := c.entity(), c.entity()
		if a != nil && a.ID != b.ID {
			require.NoError(c, c.tx.MergeEntities(c.ctx, a, b, c.by))
		}
	},
	"summarise": func(c *changer) {
		if e := c.entity(); e != nil {
			require.NoError(c, c.tx.Summarise(c.ctx, e, fmt.Sprint("known since ", c.step), c.by))
		}
	},
	"remention": func(c *changer) {
		a, b := c.entity(), c.entity()
		if a == nil {
			return
		}
		id := c.any(fmt.Sprintf("SELECT memory_id FROM memory_entities WHERE entity_id = %d AND ? > 0 ORDER BY memory_id", a.ID))
		if id == 0 {
			return
		}
		if m := c.memory(fmt.Sprintf("id = %d", id)); m != nil {
			require.NoError(c, c.tx.Remention(c.ctx, m, a, b, .9, c.by))
		}
	},
}

func (c *changer) gap(do func(uid string) error) {
	if id := c.any("SELECT id FROM gaps WHERE user_id = ? ORDER BY id"); id != 0 {
		var uid string
		require.NoError(c, c.tx.Row(c.ctx, "SELECT uid FROM gaps WHERE id = ?", []any{id}, &uid))
		require.NoError(c, do(uid))
	}
}

// act makes one random run of so many changes, or with run 0 what others did.
func act(t *rapid.T, db *schema.DB, now *clock, userID int64, steps int) (runUID string) {
	now.set(now.time().Add(time.Hour)) // no two runs at once
	kinds := slices.Sorted(maps.Keys(changes))
	runUID = uuid.NewString()
	require.NoError(t, db.Write(context.Background(), func(ctx context.Context, tx *schema.Tx) error {
		c := &changer{T: t, ctx: ctx, tx: tx, userID: userID, by: schema.Actor{Name: "night"}}
		if err := tx.Row(ctx, "INSERT INTO runs (uid, user_id, cause, state, started_at) VALUES (?, ?, 'manual', 'done', ?) RETURNING id",
			[]any{runUID, userID, schema.At(tx.Now)}, &c.by.RunID); err != nil {
			return err
		}
		for c.step = range steps {
			changes[rapid.SampledFrom(kinds).Draw(t, "change")](c)
		}
		return nil
	}))
	return runUID
}

func undoRun(db *schema.DB, userID int64, run string) (undone *undo.Result, err error) {
	err = db.Write(context.Background(), func(ctx context.Context, tx *schema.Tx) error {
		undone, err = undo.Run(ctx, tx, userID, run, schema.Actor{Name: "undo"})
		return err
	})
	return undone, err
}

// peopled is a database with a few messages, facts and names.
func peopled(t testing.TB) (*schema.DB, *clock, int64) {
	db, c := aged(t)
	var first *schema.Memory
	for i, text := range []string{"I like apple pie with Ottilie", "Noor moved to Ghent", "plums and figs", "cherry season"} {
		m := remember(t, db, ada, schema.Memory{Content: text, Confidence: 1, Importance: .5})
		if i == 0 {
			first = m
		}
	}
	derived(t, db, "likes apple pie")
	derived(t, db, "Noor lives in Ghent")
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
		for _, name := range []string{"Ottilie", "Noor"} {
			e, _, err := tx.ResolveEntity(ctx, first.UserID, "person", name, .7)
			if err != nil {
				return err
			}
			if err := tx.LinkEntity(ctx, first.ID, e.ID, name, .7); err != nil {
				return err
			}
		}
		_, err := tx.Exec(ctx, "UPDATE users SET importance_since = 7.5")
		return err
	}))
	return db, c, first.UserID
}

func found(t require.TestingT, s *recall.Searcher) string {
	var all []string
	for _, word := range append([]string{"Noor", "Ottilie"}, words...) {
		answer, err := s.Search(context.Background(), ada, recall.Query{Text: word, Limit: 50})
		require.NoError(t, err)
		require.Empty(t, answer.Degraded)
		for _, r := range answer.Results {
			all = append(all, word+" "+r.Memory.UID)
		}
	}
	return strings.Join(all, "\n")
}

func TestUndoIsExact(t *testing.T) {
	racing.Alone(t)
	t.Parallel()
	rapid.Check(t, func(check *rapid.T) {
		db, c, userID := peopled(t)
		t := check
		long := recall.New(db, recall.Options{})
		defer long.Close()
		act(t, db, c, userID, rapid.IntRange(0, 4).Draw(t, "history")) // stays
		before, at, matches := everything(t, db), c.time(), found(t, long)
		var runs []string
		for range rapid.IntRange(1, 3).Draw(t, "runs") {
			runs = append(runs, act(t, db, c, userID, rapid.IntRange(1, 12).Draw(t, "steps")))
			found(t, long) // the index catches up in steps
		}
		slices.Reverse(runs)
		for _, run := range runs {
			undone, err := undoRun(db, userID, run)
			require.NoError(t, err)
			require.Empty(t, undone.Kept)
		}
		require.Equal(t, before, everything(t, db))
		sound(t, db)
		c.set(at) // what fades ranks lower hours later
		require.Equal(t, matches, found(t, long), "the index of a long-lived searcher")
		fresh := recall.New(db, recall.Options{})
		defer fresh.Close()
		require.Equal(t, matches, found(t, fresh), "a new index")
		_, err := undoRun(db, userID, runs[0])
		require.ErrorIs(t, err, schema.ErrConflict)
	})
}

// What the audit holds in another form than it was written in is damage, and
// nothing of the run is taken back by halves.
func TestUndoOfADamagedAudit(t *testing.T) {
	for _, damaged := range []struct{ operation, before, after string }{
		{"state", `{"state":"activf"}`, `{"state":"dormant"}`},
		{"state", `{"state":"active"`, `{"state":"dormant"}`},
		{"summary", `{"summary":1}`, `{"summary":""}`},
		{"source", "", `{"rource":"x"}`},
		{"gap", `{"uid":"g","stage":"extract","memories":"[1]","attempts":1,"last_error":"","created_at":0}`, ""},
	} {
		db, _, userID := peopled(t)
		run := uuid.NewString()
		require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
			if _, err := tx.Exec(ctx, "INSERT INTO runs (uid, user_id, cause, state, started_at) VALUES (?, ?, 'manual', 'done', 0)", run, userID); err != nil {
				return err
			}
			_, err := tx.Exec(ctx, `INSERT INTO ops (id, user_id, run_id, at, actor, operation, record, record_id, before, after)
				SELECT -1, user_id, id, 0, 'night', ?, 'memories', 1, ?, ? FROM runs WHERE uid = ?`, damaged.operation, damaged.before, damaged.after, run)
			return err
		}))
		before := everything(t, db)
		_, err := undoRun(db, userID, run)
		require.ErrorIs(t, err, schema.ErrCorrupt, damaged)
		require.NotContains(t, err.Error(), "activf")
		require.Equal(t, before, everything(t, db))
	}
}

// What is read for one name alone changes no memory, so nothing but the audit
// tells a searcher that it is over.
func TestSearcherSeesUndoneMerge(t *testing.T) {
	t.Parallel()
	db, now, userID := peopled(t)
	long := recall.New(db, recall.Options{})
	defer long.Close()
	other := remember(t, db, ada, schema.Memory{Content: "the harbour at dawn", Confidence: 1, Importance: .5})
	run := uuid.NewString()
	now.set(now.time().Add(time.Hour))
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
		part, _, err := tx.ResolveEntity(ctx, userID, "person", "Ottilie", .7)
		require.NoError(t, err)
		whole, _, err := tx.ResolveEntity(ctx, userID, "person", "Noor", .7)
		require.NoError(t, err)
		require.NoError(t, tx.LinkEntity(ctx, other.ID, part.ID, "Ottilie", .7))
		by := schema.Actor{Name: "night"}
		require.NoError(t, tx.Row(ctx, "INSERT INTO runs (uid, user_id, cause, state, started_at) VALUES (?, ?, 'manual', 'done', ?) RETURNING id",
			[]any{run, userID, schema.At(tx.Now)}, &by.RunID))
		return tx.MergeEntities(ctx, part, whole, by)
	}))
	require.Contains(t, found(t, long), "Noor "+other.UID)
	_, err := undoRun(db, userID, run)
	require.NoError(t, err)
	require.NotContains(t, found(t, long), "Noor "+other.UID)
}

func TestUndoOlderRun(t *testing.T) {
	racing.Alone(t)
	t.Parallel()
	rapid.Check(t, func(check *rapid.T) {
		db, c, userID := peopled(t)
		t := check
		older := act(t, db, c, userID, rapid.IntRange(1, 10).Draw(t, "older"))
		later := act(t, db, c, userID, rapid.IntRange(0, 10).Draw(t, "later"))
		require.NoError(t, db.Write(context.Background(), func(ctx context.Context, tx *schema.Tx) error {
			c := &changer{T: t, ctx: ctx, tx: tx, userID: userID, by: schema.Actor{Name: "host"}}
			if m := c.memory(derivedAlive); m != nil && rapid.Bool().Draw(t, "protect") {
				require.NoError(t, tx.Protect(ctx, m, c.by))
			}
			if m := c.memory(derivedAlive); m != nil && rapid.Bool().Draw(t, "touch") {
				require.NoError(t, tx.Touch(ctx, userID, []string{m.UID}, tx.Now))
			}
			return nil
		}))
		_, err := undoRun(db, userID, older)
		require.NoError(t, err)
		sound(t, db)
		_, err = undoRun(db, userID+1000, later)
		require.ErrorIs(t, err, schema.ErrNotFound)
		_, err = undoRun(db, userID, later)
		require.NoError(t, err)
		sound(t, db)
	})
}

// Undoing a run that reached a memory of its own, and then a later one, does not start
// the stage from the beginning.
func TestUndoOfTwoRunsKeepsTheWatermark(t *testing.T) {
	db, c, userID := peopled(t)
	last := derived(t, db, "cherries since Monday")
	runs := make([]string, 2)
	for i := range runs {
		c.set(c.time().Add(time.Hour))
		runs[i] = uuid.NewString()
		require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
			by := schema.Actor{Name: "night"}
			if err := tx.Row(ctx, "INSERT INTO runs (uid, user_id, cause, state, started_at) VALUES (?, ?, 'manual', 'done', ?) RETURNING id",
				[]any{runs[i], userID, schema.At(tx.Now)}, &by.RunID); err != nil {
				return err
			}
			if i == 0 {
				require.NoError(t, tx.Advance(ctx, userID, "reflect", last.ID, by))
			}
			m := &schema.Memory{UserID: userID, Kind: schema.KindReflection, Content: fmt.Sprint("insight ", i), Origin: schema.OriginAssistant, Trust: 2}
			require.NoError(t, tx.AddDerived(ctx, m, schema.PrepareChunks(m.Content, ""), nil, by))
			return tx.Advance(ctx, userID, "reflect", m.ID, by)
		}))
	}
	through := func() int64 {
		at, err := schema.Get(t.Context(), db, func(ctx context.Context, s *schema.Snapshot) (int64, error) {
			return s.Watermark(ctx, userID, "reflect")
		})
		require.NoError(t, err)
		return at
	}
	_, err := undoRun(db, userID, runs[0])
	require.NoError(t, err)
	require.Greater(t, through(), last.ID, "the later run went on")
	_, err = undoRun(db, userID, runs[1])
	require.NoError(t, err)
	require.Equal(t, last.ID, through())
}

// A watermark that another run moved to a memory is not left at one that is gone.
func TestUndoMovesWatermarksOfOthers(t *testing.T) {
	db, c, userID := peopled(t)
	last := derived(t, db, "cherries since Monday")
	c.set(c.time().Add(time.Hour))
	run := uuid.NewString()
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
		by := schema.Actor{Name: "night"}
		if err := tx.Row(ctx, "INSERT INTO runs (uid, user_id, cause, state, started_at) VALUES (?, ?, 'manual', 'done', ?) RETURNING id",
			[]any{run, userID, schema.At(tx.Now)}, &by.RunID); err != nil {
			return err
		}
		m := &schema.Memory{UserID: userID, Kind: schema.KindFact, Content: "likes figs", Origin: schema.OriginAssistant, Trust: 2}
		require.NoError(t, tx.AddDerived(ctx, m, schema.PrepareChunks(m.Content, ""), nil, by))
		return tx.Advance(ctx, userID, "conflict", m.ID, schema.Actor{Name: "night"})
	}))
	_, err := undoRun(db, userID, run)
	require.NoError(t, err)
	at, err := schema.Get(t.Context(), db, func(ctx context.Context, s *schema.Snapshot) (int64, error) {
		return s.Watermark(ctx, userID, "conflict")
	})
	require.NoError(t, err)
	require.Equal(t, last.ID, at)
}
