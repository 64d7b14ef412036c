package extension_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/extension"
)

// faultsOfRows are contradictions that a damaged or meddled-with file can
// hold, and which step mends each.
var faultsOfRows = []struct{ name, spoil, step string }{
	{"memory without text", "DELETE FROM chunks WHERE memory_id = 3; INSERT INTO chunks_fts (chunks_fts) VALUES ('rebuild')", "text of memories"},
	{"text of another user", "PRAGMA foreign_keys = off; UPDATE chunks SET id = id + (1 << 40) WHERE memory_id = 3", "text of memories"},
	{"text in disorder", "PRAGMA foreign_keys = off; UPDATE chunks SET id = id + 100 WHERE memory_id = 3; INSERT INTO chunks_fts (chunks_fts) VALUES ('rebuild')", "text of memories"},
	{"index behind its text", "UPDATE chunks SET text = 'kayak' WHERE memory_id = 3", "text index"},
	{"no text index at all", "DELETE FROM chunks_fts_data WHERE id > 10", "indexes"},
	{"episode without message", "UPDATE memories SET event_seq = NULL WHERE id = 5; DELETE FROM events WHERE seq NOT IN (SELECT event_seq FROM memories WHERE event_seq IS NOT NULL) AND topic = 'user.message'", "journal"},
	{"messages gone from the journal", "PRAGMA foreign_keys = off; DELETE FROM events WHERE topic = 'user.message'", "journal"},
	{"message without episode", "PRAGMA foreign_keys = off; DELETE FROM memories WHERE id = 5", "messages"},
	{"all episodes of a user lost", "PRAGMA foreign_keys = off; DELETE FROM memories WHERE user_id = 1 AND kind = 'episode'; DELETE FROM chunks", "messages"},
	{"session that is gone", "PRAGMA foreign_keys = off; UPDATE memories SET session_id = 999 WHERE id = 5", "references"},
	{"mentions of nobody", "PRAGMA foreign_keys = off; DELETE FROM entities WHERE id <= 3", "references"},
	{"sources that are gone", "PRAGMA foreign_keys = off; UPDATE memory_sources SET source_id = 99999 WHERE memory_id = (SELECT min(memory_id) FROM memory_sources)", "references"},
	{"a user whose name is lost", "PRAGMA foreign_keys = off; DELETE FROM users WHERE id = 2", "users"},
	{"consumer ahead of the journal", "UPDATE consumers SET cursor = 1000000", "positions"},
	{"extraction ahead of the memories", "INSERT INTO watermarks VALUES (1, 'extract', 1000000) ON CONFLICT DO UPDATE SET through = 1000000", "positions"},
	{"night that is no day", "UPDATE users SET nights_through = 'soon' WHERE id = 1", "positions"},
	{"superseded by nothing", "UPDATE memories SET state = 'superseded' WHERE id = 5", "replaced claims"},
	{"active and superseded", "UPDATE memories SET superseded_by = 6 WHERE id = 5", "replaced claims"},
	{"superseded by another user's", "UPDATE memories SET state = 'superseded', superseded_by = (SELECT max(id) FROM memories WHERE user_id = 2) WHERE id = 5", "replaced claims"},
	{"vectors of the wrong size", "UPDATE vectors SET vector = x'00000000' WHERE id <= 5", "vectors"},
	{"vectors that are no numbers", "UPDATE vectors SET vector = x'0000c07f0000c07f0000c07f' WHERE id = 5", "vectors"},
	{"vectors of another user", "UPDATE vectors SET user_id = 2 WHERE user_id = 1", "vectors"},
	{"mentions miscounted", "UPDATE entities SET mention_count = 77 WHERE id = 2", "entities"},
	{"mentions of another user's", "UPDATE entities SET user_id = 2 WHERE id = 1", "entities"},
	{"words with a flipped bit", "UPDATE memories SET content = replace(content, 'friend', 'fiend') WHERE id = 1", "texts"},
	{"other journal mode", "PRAGMA journal_mode = delete", ""},
}

func TestRepairMendsWhatDiagnoseFinds(t *testing.T) {
	for _, test := range faultsOfRows {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			path := stocked(t)
			require.True(t, diagnose(t, path).Healthy)
			spoil(t, path, test.spoil)
			spoilt, err := os.ReadFile(path)
			require.NoError(t, err)
			before := diagnose(t, path)
			require.True(t, !before.Healthy || warned(before), "%+v", before)

			report, err := extension.Repair(t.Context(), path, extension.Key{})
			require.NoError(t, err, "%+v", report)
			if test.step != "" {
				require.Contains(t, steps(report), test.step, "%+v", report.Changed)
			}
			require.True(t, report.After.Healthy)
			for _, c := range report.After.Checks {
				if c.Name == "embedding" || c.Name == "journal" {
					continue // what was made anew waits for the work behind
				}
				require.Equal(t, extension.CheckOK, c.State, "%+v", c)
			}
			copied, err := os.ReadFile(report.Copy)
			require.NoError(t, err)
			require.True(t, bytes.Equal(spoilt, copied), "the copy is not what was there before")
			usable(t, path, test.name != "a user whose name is lost")

			again, err := extension.Repair(t.Context(), path, extension.Key{})
			require.NoError(t, err)
			require.Empty(t, again.Changed)
			require.Empty(t, again.Copy)
		})
	}
}

func steps(report *extension.RepairReport) (names []string) {
	for _, c := range report.Changed {
		names = append(names, c.Name)
	}
	return names
}

func warned(d *extension.Diagnosis) bool {
	for _, c := range d.Checks {
		if c.State == extension.CheckWarning {
			return true
		}
	}
	return false
}

// usable sees that both users find what they said.
func usable(t *testing.T, path string, everybody bool) {
	t.Helper()
	x := open(t, path)
	users, err := x.Users(t.Context())
	require.NoError(t, err)
	require.Len(t, users, len(stockUsers))
	for _, u := range users {
		scope := extension.Scope{User: u.Name}
		stats, err := x.Stats(t.Context(), scope)
		require.NoError(t, err)
		require.Equal(t, int64(stockEpisodes), stats.Memories["episode"]+stats.Dormant["episode"]+stats.States["superseded"], u.Name)
		found := recalled(t, x, scope, "Who took the piano from Ghent?")
		require.NotEmpty(t, found)
		require.Contains(t, strings.Join(found, "\n"), "number 0.")
	}
	require.Equal(t, everybody, users[0].Name == "ada" && users[1].Name == "bob")
}

func TestRepairOfAHealthyFileChangesNothing(t *testing.T) {
	path := stocked(t)
	report, err := extension.Repair(t.Context(), path, extension.Key{})
	require.NoError(t, err)
	require.Empty(t, report.Changed)
	require.Empty(t, report.Copy)
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	require.True(t, bytes.Equal(stockedFile, after))
	found, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*"))
	require.NoError(t, err)
	require.Equal(t, []string{path}, found)
}

func TestRepairRefusesWhatItCannotMend(t *testing.T) {
	path := stocked(t)
	x := open(t, path)
	spoil(t, path, "UPDATE users SET nights_through = 'soon' WHERE id = 1")
	_, err := extension.Repair(t.Context(), path, extension.Key{})
	require.ErrorIs(t, err, extension.ErrBusy, "while a host has it open")
	require.NoError(t, x.Close(t.Context()))

	text := filepath.Join(t.TempDir(), "text")
	require.NoError(t, os.WriteFile(text, []byte("dear diary"), 0o600))
	_, err = extension.Repair(t.Context(), text, extension.Key{})
	require.ErrorIs(t, err, extension.ErrNotDatabase)

	lost := stocked(t)
	content := bytes.Clone(stockedFile)
	for i := 20; i < 40; i++ {
		clear(content[i*pageSize : (i+1)*pageSize])
	}
	require.NoError(t, os.WriteFile(lost, content, 0o600))
	report, err := extension.Repair(t.Context(), lost, extension.Key{})
	require.ErrorIs(t, err, extension.ErrCorrupt)
	if report.Copy == "" { // the diagnosis was enough
		report.Copy = lost
	}
	copied, err := os.ReadFile(report.Copy)
	require.NoError(t, err)
	require.True(t, bytes.Equal(content, copied))
}
