package text

import (
	"strings"
	"testing"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/ext/fts5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// FTS5's own tokenizer must find exactly our terms in prepared text.
func TestUnicode61SplitsPreparedTextAtOurSpaces(t *testing.T) {
	db, err := sqlite3.Open(":memory:")
	require.NoError(t, err)
	defer db.Close()
	require.NoError(t, fts5.Register(db))
	require.NoError(t, db.Exec(`CREATE VIRTUAL TABLE i USING fts5(body, tokenize="unicode61 remove_diacritics 0");
		CREATE VIRTUAL TABLE v USING fts5vocab(i, 'instance')`))
	insert, _, err := db.Prepare(`INSERT INTO i(body) VALUES (?)`)
	require.NoError(t, err)
	defer insert.Close()
	list, _, err := db.Prepare(`SELECT term FROM v ORDER BY offset`)
	require.NoError(t, err)
	defer list.Close()

	agree := func(t require.TestingT, s string) {
		want := Terms(s)
		require.NoError(t, db.Exec(`DELETE FROM i`))
		require.NoError(t, insert.BindText(1, strings.Join(want, " ")))
		require.NoError(t, insert.Exec())
		var got []string
		for list.Step() {
			got = append(got, list.ColumnText(0))
		}
		require.NoError(t, list.Reset())
		assert.Equal(t, want, got)
	}
	agree(t, "ᦎᦱᦙ ᧈ a\u1cf2b") // letters since Unicode 8, marks before
	rapid.Check(t, func(t *rapid.T) { agree(t, anyText().Draw(t, "s")) })
}
