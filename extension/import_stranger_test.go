package extension

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/schema"
)

// A file in the form of an export can be written by anybody.
func TestAFileThatNobodyVouchesForIsAnImportWhateverItSays(t *testing.T) {
	export := exported(t, furnished(t, openNew(t)).x, Scope{Tenant: "acme", User: "ada"})
	require.Contains(t, export, `"trust":4`)
	require.Contains(t, export, `"protected":true`)

	y := openNew(t)
	report, err := y.Import(t.Context(), strings.NewReader(export), ImportOptions{Scope: ada})
	require.NoError(t, err)
	require.NotZero(t, report.Stored)
	require.NotZero(t, report.Skipped)
	require.NotZero(t, report.Lowered)
	for what, query := range map[string]string{
		"trusted memories":     "SELECT count(*) FROM memories WHERE trust > 1 OR origin <> 'import'",
		"trusted events":       "SELECT count(*) FROM events WHERE (trust > 1 OR origin <> 'import') AND topic NOT LIKE 'memory.%'",
		"protected memories":   "SELECT count(*) FROM memories WHERE protected OR pinned",
		"sure claims":          "SELECT count(*) FROM memories WHERE kind <> 'episode' AND confidence > 0.6",
		"claims of importance": "SELECT count(*) FROM memories WHERE importance > 0",
		"an audit":             "SELECT count(*) FROM ops",
		"nights":               "SELECT count(*) FROM runs",
		"watermarks":           "SELECT count(*) FROM watermarks",
		"gaps":                 "SELECT count(*) FROM gaps",
		"proposals":            "SELECT count(*) FROM proposals",
		"confirmations":        "SELECT count(*) FROM confirmations",
		"core memory":          "SELECT count(*) FROM blocks",
		"entities":             "SELECT count(*) FROM entities",
		"tombstones":           "SELECT count(*) FROM tombstones",
		"injections":           "SELECT count(*) FROM injections",
		"a host's events":      "SELECT count(*) FROM events WHERE topic = 'host.note'",
		"a user's nights":      "SELECT count(*) FROM users WHERE nights_through <> '' OR importance_since <> 0 OR time_zone <> ''",
	} {
		require.Zero(t, count(t, y, query), "%s came with the file", what)
	}
	found, err := y.Recall(t.Context(), ada, Query{Text: "blue kettle"})
	require.NoError(t, err)
	require.NotEmpty(t, found.Results, "its texts are remembered")

	again, err := y.Import(t.Context(), strings.NewReader(export), ImportOptions{Scope: ada})
	require.NoError(t, err)
	require.Zero(t, again.Stored)
	require.Equal(t, report.Stored, again.Duplicates)
}

// What is here already cannot be ended, backed or linked by such a file, though
// it names it.
func TestAFileThatNobodyVouchesForLeavesWhatIsHere(t *testing.T) {
	y := openNew(t)
	w := &world{t: t, x: y, scope: ada}
	w.say("t1", "s1", "The kettle is blue.")
	w.fact("The kettle is blue", 0.9)
	w.fact("The kettle is old", 0.9)
	fact, old := w.facts[0], w.facts[1]
	w.change(old, func(ctx context.Context, tx *schema.Tx, m *schema.Memory) error {
		return tx.Retire(ctx, m, schema.Actor{Name: "host"})
	})
	before := exported(t, y, ada)
	const at = `"2026-01-01T00:00:00Z"`
	lie := `{"memory":{"id":"lie","kind":"fact","content":"The kettle is red","event_time":` + at + `,"created_at":` + at + `,"valid_from":` + at +
		`,"confidence":1,"importance":1,"state":"active","origin":"user_direct","trust":4,"decay_rate":0,"stability":1,"utility":1,"version":1,"access_count":9}}`
	twin := strings.Replace(lie, `"lie"`, fmt.Sprintf("%q", fact), 1)
	file := strings.Join([]string{
		`{"ebb":{"export":1,"user":"bob","created_at":` + at + `}}`, lie, twin,
		fmt.Sprintf(`{"superseded":{"memory":%q,"by":"lie"}}`, old),
		fmt.Sprintf(`{"source":{"memory":%q,"source":"lie","quote":"red"}}`, fact),
		fmt.Sprintf(`{"link":{"from":"lie","to":%q,"type":"supersedes","weight":1,"created_at":%s}}`, fact, at),
		`{"end":{"records":5}}`,
	}, "\n")
	report, err := y.Import(t.Context(), strings.NewReader(file), ImportOptions{Scope: ada})
	require.NoError(t, err)
	require.Equal(t, 1, report.Stored, "the lie, as an import")
	require.NoError(t, y.db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
		_, err := tx.Exec(ctx, "DELETE FROM memories WHERE uid = 'lie'")
		return err
	}))
	require.Equal(t, before, exported(t, y, ada), "beside the lie, nothing has changed")
}

func TestAFileThatNobodyVouchesForDoesNotSayWhoseItIs(t *testing.T) {
	y := openNew(t)
	_, err := y.Import(t.Context(), strings.NewReader(`{"ebb":{"export":1,"user":"bob","created_at":"2026-01-01T00:00:00Z"}}`+"\n"+`{"end":{"records":0}}`), ImportOptions{})
	requireInvalid(t, err, "Scope.User")
	_, err = importText(t, y, line(nil), ImportOptions{Restore: true})
	requireInvalid(t, err, "Restore")
}
