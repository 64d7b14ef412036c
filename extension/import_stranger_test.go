package extension

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/extension/transfer"
	"github.com/ebbmem/ebb/schema"
)

// A file in the form of an export can be written by anybody.
func TestUntrustedExportIsAnImport(t *testing.T) {
	export := exported(t, furnished(t, openNew(t)).x, Scope{Tenant: "acme", User: "ada"})
	require.Contains(t, export, `"trust":4`)
	require.Contains(t, export, `"protected":true`)

	y := openNew(t)
	report, err := y.Import(t.Context(), strings.NewReader(export), transfer.ImportOptions{Scope: ada})
	require.NoError(t, err)
	require.NotZero(t, report.Stored)
	require.NotZero(t, report.Skipped)
	require.NotZero(t, report.Lowered)
	for what, query := range map[string]string{
		"trusted memories":     "SELECT count(*) FROM memories WHERE trust > 1 OR origin <> 'import'",
		"trusted events":       "SELECT count(*) FROM events WHERE (trust > 1 OR origin <> 'import') AND topic NOT LIKE 'memory.%'",
		"protected memories":   "SELECT count(*) FROM memories WHERE protected = 1 OR pinned = 1",
		"sure claims":          "SELECT count(*) FROM memories WHERE kind <> 'episode' AND confidence > 0.6",
		"claims of importance": "SELECT count(*) FROM memories WHERE importance > 0",
		"an audit":             "SELECT count(*) FROM ops",
		"nights":               "SELECT count(*) FROM runs",
		"watermarks":           "SELECT count(*) FROM watermarks",
		"gaps":                 "SELECT count(*) FROM gaps",
		"proposals":            "SELECT count(*) FROM proposals",
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

	again, err := y.Import(t.Context(), strings.NewReader(export), transfer.ImportOptions{Scope: ada})
	require.NoError(t, err)
	require.Zero(t, again.Stored)
	require.Equal(t, report.Stored, again.Duplicates)
}

// What is here already cannot be ended, backed or linked by such a file, though
// it names it.
func TestUntrustedExportChangesNoExistingRow(t *testing.T) {
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
		fmt.Sprintf(`{"link":{"from":"lie","to":%q,"type":"supersedes","confidence":1,"created_at":%s}}`, fact, at),
		`{"end":{"records":5}}`,
	}, "\n")
	report, err := y.Import(t.Context(), strings.NewReader(file), transfer.ImportOptions{Scope: ada})
	require.NoError(t, err)
	require.Equal(t, 1, report.Stored, "the lie, as an import")
	require.NoError(t, y.db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
		_, err := tx.Exec(ctx, "DELETE FROM memories WHERE uid = 'lie'")
		return err
	}))
	require.Equal(t, before, exported(t, y, ada), "beside the lie, nothing has changed")
}

func TestUntrustedExportNeedsAUser(t *testing.T) {
	y := openNew(t)
	_, err := y.Import(t.Context(), strings.NewReader(`{"ebb":{"export":1,"user":"bob","created_at":"2026-01-01T00:00:00Z"}}`+"\n"+`{"end":{"records":0}}`), transfer.ImportOptions{})
	requireInvalid(t, err, "Scope.User")
	_, err = importText(t, y, line(nil), transfer.ImportOptions{Restore: true})
	requireInvalid(t, err, "Restore")
}

// Lines of a file that somebody else made.
const strangersHeader = `{"ebb":{"export":1,"user":"bob","created_at":"2026-01-01T00:00:00Z"}}`

func strangersEpisode(id, event, content string) string {
	return fmt.Sprintf(`{"memory":{"id":%q,"event_id":%s,"kind":"episode","role":"user","content":%q,"event_time":%[4]q,"created_at":%[4]q,"valid_from":%[4]q,`+
		`"confidence":1,"importance":0,"state":"active","origin":"user_direct","trust":4,"decay_rate":0,"stability":1,"utility":1,"version":1}}`, id, event, content, "2026-01-01T00:00:00Z")
}

func strangersMessage(id, content string) string {
	return fmt.Sprintf(`{"event":{"id":%q,"topic":"user.message","origin":"user_direct","trust":4,"payload":{"text":%q},"occurred_at":%[3]q,"recorded_at":%[3]q}}`, id, content, "2026-01-01T00:00:00Z")
}

// withoutVaultCode returns a memory in a file, and the id of a message that was erased there.
func withoutVaultCode(t *testing.T) (y *Extension, path, gone string) {
	path = filepath.Join(t.TempDir(), "memory.db")
	y, err := Open(t.Context(), path, &Config{NoBackground: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, y.Close(context.Background())) })
	w := &world{t: t, x: y, scope: ada}
	w.say("erased", "s1", "The vault code is on the door.")
	_, err = y.Erase(t.Context(), ada, Erasure{Memories: w.uids[:1]})
	require.NoError(t, err)
	return y, path, w.uids[0]
}

// What an interrupted import left unsettled is settled when it is repeated.
func TestInterruptedImportIsSettledLater(t *testing.T) {
	y, path, gone := withoutVaultCode(t)
	lines := []string{strangersHeader, strangersEpisode("m", "null", "The ladder is short."), strangersMessage("e", "The vault code is on the door.")}
	for i := range batchTurns {
		lines = append(lines, strangersMessage(fmt.Sprint("e", i), fmt.Sprintf("The kettle number %d is red.", i)))
	}
	lines = append(lines, strangersEpisode(gone, `"e"`, "The vault code is on the door."), fmt.Sprintf(`{"end":{"records":%d}}`, len(lines)))
	_, err := y.Import(t.Context(), strings.NewReader(strings.Join(lines[:len(lines)-2], "\n")), transfer.ImportOptions{Scope: ada})
	requireInvalid(t, err, "end") // cut off
	require.Positive(t, count(t, y, "SELECT count(*) FROM events WHERE topic = 'user.message'"))
	_, err = y.Import(t.Context(), strings.NewReader(strings.Join(lines, "\n")), transfer.ImportOptions{Scope: ada})
	require.NoError(t, err)
	diagnosed(t, path)
	require.Equal(t, batchTurns+1, count(t, y, episodes))
	require.NotContains(t, exported(t, y, ada), "vault code")
}

// Somebody else's file need not have the journal entry of each episode, nor the
// episode of each message: what comes of it is whole all the same.
func TestImportedFileIsHealthy(t *testing.T) {
	y, path, gone := withoutVaultCode(t)
	file := strings.Join([]string{
		strangersHeader,
		strangersMessage("e1", "The kettle is red."), strangersMessage("e2", "The lamp is broken."), strangersMessage("e3", "The vault code is on the door."),
		strangersEpisode("m1", `"e1"`, "The kettle is red."), strangersEpisode("m2", "null", "The ladder is short."), strangersEpisode(gone, `"e3"`, "The vault code is on the door."),
		`{"end":{"records":6}}`,
	}, "\n")
	for range 2 {
		_, err := y.Import(t.Context(), strings.NewReader(file), transfer.ImportOptions{Scope: ada})
		require.NoError(t, err)
		diagnosed(t, path)
		for _, said := range []string{"The kettle is red.", "The lamp is broken.", "The ladder is short."} {
			require.Equal(t, 1, count(t, y, "SELECT count(*) FROM memories WHERE origin = 'import' AND content = '"+said+"'"), said)
		}
		require.Zero(t, count(t, y, "SELECT count(*) FROM memories WHERE content LIKE '%vault%'")+count(t, y, "SELECT count(*) FROM events WHERE payload LIKE '%vault%'"),
			"what was erased here does not come back as a message either")
	}
}
