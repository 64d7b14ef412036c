package main

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/ncruces/go-sqlite3/driver"
	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/extension"
)

// An operator sees what core memory holds and held, and takes one change back,
// without knowing the host's configuration.
func TestCoreCommands(t *testing.T) {
	f := newFixture(t, "ada")
	require.Equal(t, "Nothing is in core memory.\n", ebb(t, "", "blocks", "--db", f.db).out)
	require.JSONEq(t, `{"blocks":[],"views":[],"unauthorised":0}`, ebb(t, "", "blocks", "--json", "--db", f.db).out)
	cfg := extension.ThreeTier()
	cfg.Night.NoSchedule = true
	x, err := extension.Open(t.Context(), f.db, cfg)
	require.NoError(t, err)
	qa := extension.Scope{User: "ada", Agent: "qa"}
	for version, content := range []string{`{"recentlyShipped":["1","2","3","4","5"]}`, `{"recentlyShipped":["2","3","4","5","6"]}`, `{"recentlyShipped":["3","4","5","6","7"]}`} {
		_, err := x.SetBlock(t.Context(), qa, "status", content, int64(version))
		require.NoError(t, err)
	}
	_, err = x.SetBlock(t.Context(), qa, "roleState", `{"workingOn":"races"}`, 0)
	require.NoError(t, err)
	_, err = x.SetBlock(t.Context(), qa, "rules", "Be kind.\x1b[31m", 0)
	require.NoError(t, err)
	require.NoError(t, x.Close(context.Background()))

	list := ebb(t, "", "blocks", "--db", f.db)
	require.Equal(t, exitOK, list.code, list.err)
	require.Contains(t, list.out, "roleState of qa  version 1  ")
	require.Contains(t, list.out, "status  version 3  ")
	require.Contains(t, list.out, `["3","4","5","6","7"]`)
	require.NotContains(t, list.out, "\x1b", "a text steers no terminal")
	require.Regexp(t, `(?m)^in view of qa: \d+ tokens$`, list.out)
	require.Regexp(t, `(?m)^changes without authority: 0$`, list.out)
	history := ebb(t, "", "blocks", "history", "status", "-n", "2", "--db", f.db)
	require.Equal(t, exitOK, history.code, history.err)
	require.Contains(t, history.out, "by host as qa, trust 4")
	require.Equal(t, 2, strings.Count(history.out, "recentlyShipped"))
	var versions struct{ Versions []extension.BlockVersion }
	require.NoError(t, json.Unmarshal([]byte(ebb(t, "", "blocks", "history", "roleState", "--agent", "qa", "--json", "--db", f.db).out), &versions))
	require.Len(t, versions.Versions, 1)

	var seen struct{ Views []coreView }
	require.NoError(t, json.Unmarshal([]byte(ebb(t, "", "blocks", "--json", "--db", f.db).out), &seen))
	require.Len(t, seen.Views, 2)
	require.Equal(t, "qa", seen.Views[0].Agent)
	require.Less(t, seen.Views[1].Tokens, seen.Views[0].Tokens, "which has a state, too")
	undone := ebb(t, "", "blocks", "undo", "status", "2", "--json", "--db", f.db)
	require.Equal(t, exitOK, undone.code, undone.err)
	var b extension.Block
	require.NoError(t, json.Unmarshal([]byte(undone.out), &b))
	require.Equal(t, `{"recentlyShipped":["1","3","4","5","7"]}`, b.Content)
	require.EqualValues(t, 4, b.Version)
	undone = ebb(t, "", "blocks", "undo", "roleState", "1", "--agent", "qa", "--db", f.db)
	require.Equal(t, exitOK, undone.code, undone.err)
	require.Contains(t, undone.out, "Version 1 of roleState of qa is reverted. Version 2:")

	file, err := driver.Open("file:" + f.db)
	require.NoError(t, err)
	_, err = file.ExecContext(t.Context(), "UPDATE block_history SET actor = 'model' WHERE content LIKE 'Be kind%'")
	require.NoError(t, errors.Join(err, file.Close()))
	require.Contains(t, ebb(t, "", "blocks", "--db", f.db).out, "changes without authority: 1\n", "of the rules")

	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"history", "roleState"}, exitNotFound, `no block "roleState" of all agents; there is that of qa: choose one with --agent`},
		{[]string{"undo", "roleState", "1"}, exitNotFound, `there is that of qa`},
		{[]string{"history", "threads"}, exitNotFound, `no block "threads" of this user`},
		{[]string{"history", "status", "--agent", "nobody", "--user", "ben"}, exitNotFound, `no user "ben"`},
		{[]string{"undo", "status", "9"}, exitNotFound, `block "status" has no version 9`},
		{[]string{"undo", "status", "0"}, exitNotFound, `has no version 0`},
		{[]string{"undo", "status", "2"}, exitUsage, `left nothing to undo`},
		{[]string{"undo", "status", "two"}, exitUsage, `expected a valid 64 bit int`},
		{[]string{"history", "status", "--limit=-1"}, exitUsage, `--limit must not be negative`},
	} {
		got := ebb(t, "", append(append([]string{"blocks"}, c.args...), "--db", f.db)...)
		require.Equal(t, c.code, got.code, "%v: %s", c.args, got.err)
		require.Contains(t, got.err, c.says)
	}
}
