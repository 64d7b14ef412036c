package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Each row gets the values given for it, whatever an earlier row left bound.
func TestRebindChangedParameters(t *testing.T) {
	db := open(t, Options{})
	long := strings.Repeat("long ", maxBound)
	kinds := []any{nil, int64(0), int64(1), 0.0, 1.0, false, true, "", "1", "short", long, []byte("short"), []byte{}, []byte("1")}
	rapid.Check(t, func(rt *rapid.T) {
		rows := rapid.SliceOfN(rapid.SampledFrom(kinds), 1, 30).Draw(rt, "rows")
		require.NoError(rt, db.Write(t.Context(), func(ctx context.Context, tx *Tx) error {
			if _, err := tx.Exec(ctx, "CREATE TEMP TABLE IF NOT EXISTS given (n INTEGER PRIMARY KEY, v)"); err != nil {
				return err
			}
			if _, err := tx.Exec(ctx, "DELETE FROM given"); err != nil {
				return err
			}
			for i, v := range rows {
				if _, err := tx.Exec(ctx, "INSERT INTO given (n, v) VALUES (?, ?)", i, v); err != nil {
					return err
				}
			}
			return nil
		}))
		var got []any
		require.NoError(rt, db.Write(t.Context(), func(ctx context.Context, tx *Tx) error {
			got = nil
			rows, err := tx.Query(ctx, "SELECT v FROM given ORDER BY n")
			if err != nil {
				return err
			}
			defer rows.Close()
			for rows.Next() {
				var v any
				if err := rows.Scan(&v); err != nil {
					return err
				}
				got = append(got, v)
			}
			return rows.Err()
		}))
		for i, v := range rows {
			if b, is := v.(bool); is { // SQLite has none
				v = int64(0)
				if b {
					v = int64(1)
				}
			}
			require.Equal(rt, v, got[i])
		}
	})
}

// Long values are unbound after their row, all values after the transaction.
func TestBindingsEndWithTheTransaction(t *testing.T) {
	db := open(t, Options{})
	long := strings.Repeat("long ", maxBound)
	const said = "INSERT INTO said VALUES (?, ?)"
	// The values that SQLite has bound, and those that boundStmt assumes bound.
	held := func() []any {
		s := db.raw.statements[said]
		return []any{s.ExpandedSQL(), slices.Clone(s.texts)}
	}
	given := func(a, b string, texts ...any) []any {
		return []any{fmt.Sprintf("INSERT INTO said VALUES (%s, %s)", a, b), texts}
	}
	var within [3][]any
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *Tx) error {
		if _, err := tx.Exec(ctx, "CREATE TEMP TABLE said (a, b)"); err != nil {
			return err
		}
		for i, b := range []any{long, stored(long), []byte("short")} {
			if _, err := tx.Exec(ctx, said, "short", b); err != nil {
				return err
			}
			within[i] = held()
		}
		return nil
	}))
	for _, got := range within {
		require.Equal(t, given("'short'", "NULL", "short", nil), got)
	}
	require.Equal(t, given("NULL", "NULL", nil, nil), held())
	require.Error(t, db.Write(t.Context(), func(ctx context.Context, tx *Tx) error {
		_, err := tx.Exec(ctx, said, "of a write that fails", nil)
		return errors.Join(err, errors.New("no"))
	}))
	require.Equal(t, given("NULL", "NULL", nil, nil), held())
	var rows []string
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *Tx) (err error) {
		if _, err = tx.Exec(ctx, said, "short", "other"); err == nil {
			rows, err = Texts(ctx, tx, "SELECT a || ' ' || b FROM said ORDER BY rowid")
		}
		return err
	}))
	require.Equal(t, []string{"short " + long, "short stored " + long, "short short", "short other"}, rows)
}

// stored implements driver.Valuer.
type stored string

func (s stored) Value() (driver.Value, error) { return "stored " + string(s), nil }

// A text may hold any character, also one that ends a statement.
func TestTextOfAnyCharactersIsFound(t *testing.T) {
	db := open(t, Options{})
	for _, name := range []string{"a\x00b", "\x00", "it's", "a\x00'b", "\u202e"} {
		require.NoError(t, db.Write(t.Context(), func(_ context.Context, tx *Tx) error { return add(tx, name) }))
		var found string
		require.NoError(t, db.Read(t.Context(), func(ctx context.Context, s *Snapshot) error {
			return s.NewSelect().Table("notes").Column("name").Where("name = ?", name).Scan(ctx, &found)
		}), "%q", name)
		require.Equal(t, name, found)
	}
}
