package schema_test

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/memtest"
	"github.com/ebbmem/ebb/schema"
)

func day(month time.Month, d int) time.Time { return time.Date(2026, month, d, 12, 0, 0, 0, time.UTC) }

// fact stores a claim of ada's.
func fact(t *testing.T, db *schema.DB, content string, from time.Time, trust schema.Trust) *schema.Memory {
	t.Helper()
	m := &schema.Memory{Kind: schema.KindFact, Content: content, EventTime: schema.At(from), Confidence: 0.9, Importance: 0.5,
		DecayRate: schema.DefaultDecayRate, Origin: schema.OriginUser, Trust: trust}
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) (err error) {
		if m.UserID, err = tx.UserID(ctx, ada); err != nil {
			return err
		}
		return tx.InsertMemory(ctx, m, schema.PrepareChunks(content, ""))
	}))
	return m
}

func TestSupersedeAnswersOnBothTimeAxes(t *testing.T) {
	now := day(time.January, 10)
	db := openAt(t, &now)
	lisbon := fact(t, db, "Ada lives in Lisbon", day(time.January, 1), 4)
	now = day(time.June, 5)
	oslo := fact(t, db, "Ada lives in Oslo", day(time.May, 1), 4)
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
		return tx.Supersede(ctx, lisbon, oslo, schema.Actor{Name: "user"})
	}))
	lisbon, oslo = memtest.Reread(t, db, lisbon), memtest.Reread(t, db, oslo)
	require.Equal(t, schema.StateSuperseded, lisbon.State)
	require.Equal(t, oslo.ID, lisbon.SupersededBy)
	require.InDelta(t, schema.SupersededConfidence, lisbon.Confidence, 0)

	var present time.Time
	for name, c := range map[string]struct {
		valid, known time.Time
		lisbon, oslo bool
	}{
		"today":                                 {present, present, false, true},
		"true in March":                         {day(time.March, 1), present, true, false},
		"true in May, as we know now":           {day(time.May, 20), present, false, true},
		"true in May, as we knew before June":   {day(time.May, 20), day(time.June, 1), true, false},
		"known before anything was told":        {day(time.May, 20), day(time.January, 2), false, false},
		"current as was known before June":      {present, day(time.June, 1), true, false},
		"before anything was true":              {day(time.January, 1).AddDate(-1, 0, 0), present, false, false},
		"the very moment the new claim is true": {day(time.May, 1), present, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.lisbon, lisbon.HeldAt(c.valid, c.known), "Lisbon")
			require.Equal(t, c.oslo, oslo.HeldAt(c.valid, c.known), "Oslo")
		})
	}
}

func TestSupersedeRefuses(t *testing.T) {
	now := day(time.January, 10)
	db := openAt(t, &now)
	supersede := func(old, replacement *schema.Memory) error {
		return db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
			return tx.Supersede(ctx, old, replacement, schema.Actor{Name: "model"})
		})
	}
	var invalid *schema.InvalidError

	told := fact(t, db, "The wedding is on 12 June", now, 4)
	require.ErrorAs(t, supersede(told, fact(t, db, "The wedding is off", now, 1)), &invalid, "a web page against the user's word")
	require.Equal(t, "trust", invalid.Field)

	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
		return tx.Protect(ctx, told, schema.Actor{Name: "host"})
	}))
	told = memtest.Reread(t, db, told)
	require.True(t, told.Protected)
	require.Zero(t, told.DecayRate)
	replacement := fact(t, db, "The wedding is on 19 June", now, 4)
	require.ErrorAs(t, supersede(told, replacement), &invalid, "a protected memory")

	stale := fact(t, db, "Coffee, please", now, 4)
	aside := fact(t, db, "Tea, please", now, 4)
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
		return tx.SetState(ctx, aside, schema.StateQuarantined, schema.Actor{Name: "host"})
	}))
	require.ErrorAs(t, supersede(stale, memtest.Reread(t, db, aside)), &invalid, "a quarantined replacement: neither would be used")
	seen := *stale
	require.NoError(t, supersede(stale, replacement))
	require.ErrorIs(t, supersede(&seen, replacement), schema.ErrConflict, "somebody else was first")
	require.Equal(t, schema.StateActive, memtest.Reread(t, db, told).State, "what was refused changed nothing")
}

func TestChangesAreAuditedWithBeforeAndAfter(t *testing.T) {
	now := day(time.January, 10)
	db := openAt(t, &now)
	m := fact(t, db, "Ada runs on Tuesdays", now, 3)
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
		return tx.Retire(ctx, m, schema.Actor{Name: "night"})
	}))
	var ops []schema.Op
	require.NoError(t, db.Read(t.Context(), func(ctx context.Context, s *schema.Snapshot) error {
		return s.NewSelect().Model(&ops).Scan(ctx)
	}))
	require.Len(t, ops, 1)
	require.Equal(t, "retire", ops[0].Operation)
	require.Equal(t, "night", ops[0].Actor)
	require.JSONEq(t, `{"state":"active","valid_until":null,"expired_at":null}`, ops[0].Before)
	require.Contains(t, ops[0].After, `"state":"retired"`)
	require.Equal(t, schema.At(now), ops[0].At)
}

func TestEpisodesAreNeverRetired(t *testing.T) {
	db := open(t)
	m, err := memtest.Say(t.Context(), db, ada, "what was said was said")
	require.NoError(t, err)
	var invalid *schema.InvalidError
	require.ErrorAs(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
		return tx.Retire(ctx, m, schema.Actor{Name: "night"})
	}), &invalid)
	require.Equal(t, schema.StateActive, memtest.Reread(t, db, m).State)
}

func TestTouch(t *testing.T) {
	now := day(time.January, 10)
	db := openAt(t, &now)
	m := fact(t, db, "Pixel is afraid of thunder", now, 4)
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
		return tx.SetState(ctx, m, schema.StateDormant, schema.Actor{Name: "night"})
	}))
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
		return tx.Touch(ctx, m.UserID, []string{m.UID, "no such id"}, day(time.March, 1))
	}))
	got := memtest.Reread(t, db, m)
	require.Equal(t, schema.StateActive, got.State)
	require.EqualValues(t, 1, got.AccessCount)
	require.Equal(t, schema.At(day(time.March, 1)), got.LastAccessed)
}

func TestInvalidMemoriesAreRefusedByField(t *testing.T) {
	db := open(t)
	valid := func() *schema.Memory {
		return &schema.Memory{UserID: 1, Kind: schema.KindFact, Content: "x", Confidence: 1, Importance: 0.5, Origin: schema.OriginUser, Trust: 4}
	}
	for name, c := range map[string]struct {
		field string
		bend  func(*schema.Memory)
	}{
		"empty content":      {"content", func(m *schema.Memory) { m.Content = " \n" }},
		"NUL":                {"content", func(m *schema.Memory) { m.Content = "a\x00b" }},
		"invalid UTF-8":      {"content", func(m *schema.Memory) { m.Content = "a\xffb" }},
		"2 MB":               {"content", func(m *schema.Memory) { m.Content = string(make([]byte, 2<<20)) }},
		"confidence 1.1":     {"confidence", func(m *schema.Memory) { m.Confidence = 1.1 }},
		"confidence NaN":     {"confidence", func(m *schema.Memory) { m.Confidence = math.NaN() }},
		"importance below 0": {"importance", func(m *schema.Memory) { m.Importance = -0.1 }},
		"unknown kind":       {"kind", func(m *schema.Memory) { m.Kind = "rumour" }},
		"unknown origin":     {"Origin", func(m *schema.Memory) { m.Origin = "gossip" }},
		"trust too high":     {"trust", func(m *schema.Memory) { m.Origin, m.Trust = schema.OriginImport, 4 }},
		"empty tag":          {"tags", func(m *schema.Memory) { m.Tags = schema.Strings{""} }},
	} {
		t.Run(name, func(t *testing.T) {
			m := valid()
			c.bend(m)
			err := db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error { return tx.InsertMemory(ctx, m, nil) })
			var invalid *schema.InvalidError
			require.ErrorAs(t, err, &invalid)
			require.Equal(t, c.field, invalid.Field)
		})
	}
}

func TestTimesBeyondTheUsualAreKept(t *testing.T) {
	db := open(t)
	for _, at := range []time.Time{
		time.Date(1815, 12, 10, 0, 0, 0, 0, time.UTC),
		time.Date(2315, 12, 10, 0, 0, 0, int(5*time.Millisecond), time.UTC),
		time.Date(2026, 3, 29, 2, 30, 0, 0, time.FixedZone("elsewhere", 5400)),
	} {
		m := fact(t, db, "something happened at "+at.String(), at, 4)
		require.True(t, memtest.Reread(t, db, m).EventTime.Equal(at))
	}
}
