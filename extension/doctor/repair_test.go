package doctor_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/extension/doctor"
	"github.com/ebbmem/ebb/internal/memtest"
)

// derivedFaults are faults of a damaged or tampered file in what is derived from
// its rows, and which step repairs each.
var derivedFaults = []struct{ name, spoil, step string }{
	{"memory without text", "DELETE FROM chunks WHERE memory_id = 3; INSERT INTO chunks_fts (chunks_fts) VALUES ('rebuild')", "text of memories"},
	{"text of another user", "PRAGMA foreign_keys = off; UPDATE chunks SET id = id + (1 << 40) WHERE memory_id = 3", "text of memories"},
	{"text in disorder", "PRAGMA foreign_keys = off; UPDATE chunks SET id = id + 100 WHERE memory_id = 3; INSERT INTO chunks_fts (chunks_fts) VALUES ('rebuild')", "text of memories"},
	{"index behind its text", "UPDATE chunks SET text = 'kayak' WHERE memory_id = 3", "text index"},
	{"no text index at all", "DELETE FROM chunks_fts_data WHERE id > 10", "indexes"},
	{"vectors of the wrong size", "UPDATE vectors SET vector = x'00000000' WHERE id <= 5", "vectors"},
	{"vectors that are no numbers", "UPDATE vectors SET vector = x'0000c07f0000c07f0000c07f' WHERE id = 5", "vectors"},
	{"vectors of another user", "UPDATE vectors SET user_id = 2 WHERE user_id = 1", "vectors"},
	{"mentions miscounted", "UPDATE entities SET mention_count = 77 WHERE id = 2", "entities"},
	{"other journal mode", "PRAGMA journal_mode = delete", ""},
}

// rowFaults are contradictions between the rows of a damaged or tampered file.
var rowFaults = []struct{ name, spoil string }{
	{"episode without message", "UPDATE memories SET event_seq = NULL WHERE id = 5; DELETE FROM events WHERE seq NOT IN (SELECT event_seq FROM memories WHERE event_seq IS NOT NULL) AND topic = 'user.message'"},
	{"messages gone from the journal", "PRAGMA foreign_keys = off; DELETE FROM events WHERE topic = 'user.message'"},
	{"message without episode", "PRAGMA foreign_keys = off; DELETE FROM memories WHERE id = 5"},
	{"all episodes of a user lost", "PRAGMA foreign_keys = off; DELETE FROM memories WHERE user_id = 1 AND kind = 'episode'; DELETE FROM chunks"},
	{"session that is gone", "PRAGMA foreign_keys = off; UPDATE memories SET session_id = 999 WHERE id = 5"},
	{"mentions of nobody", "PRAGMA foreign_keys = off; DELETE FROM entities WHERE id <= 3"},
	{"sources that are gone", "PRAGMA foreign_keys = off; UPDATE memory_sources SET source_id = 99999 WHERE memory_id = (SELECT min(memory_id) FROM memory_sources)"},
	{"a user whose name is lost", "PRAGMA foreign_keys = off; DELETE FROM users WHERE id = 2"},
	{"consumer ahead of the journal", "UPDATE consumers SET cursor = 1000000"},
	{"extraction ahead of the memories", "INSERT INTO watermarks VALUES (1, 'extract', 1000000) ON CONFLICT DO UPDATE SET through = 1000000"},
	{"night that is no day", "UPDATE users SET nights_through = 'soon' WHERE id = 1"},
	{"superseded by nothing", "UPDATE memories SET state = 'superseded' WHERE id = 5"},
	{"active and superseded", "UPDATE memories SET superseded_by = 6 WHERE id = 5"},
	{"superseded by another user's", "UPDATE memories SET state = 'superseded', superseded_by = (SELECT max(id) FROM memories WHERE user_id = 2) WHERE id = 5"},
	{"mentions of another user's", "UPDATE entities SET user_id = 2 WHERE id = 1"},
}

func TestRepairRebuildsDerivedData(t *testing.T) {
	for _, test := range derivedFaults {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			path := stocked(t)
			require.True(t, diagnose(t, path).Healthy)
			memtest.Spoil(t, path, test.spoil)
			spoilt, err := os.ReadFile(path)
			require.NoError(t, err)
			before := diagnose(t, path)
			require.True(t, !before.Healthy || warned(before), "%+v", before)

			report, err := doctor.Repair(t.Context(), path, extension.Key{})
			require.NoError(t, err, "%+v", report)
			if test.step != "" {
				require.Contains(t, steps(report), test.step, "%+v", report.Changed)
			}
			require.True(t, report.After.Healthy)
			for _, c := range report.After.Checks {
				if c.Name == "embedding" || c.Name == "journal" {
					continue // rebuilt data waits for background work
				}
				require.Equal(t, doctor.OK, c.State, "%+v", c)
			}
			copied, err := os.ReadFile(report.Copy)
			require.NoError(t, err)
			require.True(t, bytes.Equal(spoilt, copied), "the copy is not what was there before")
			usable(t, path)

			again, err := doctor.Repair(t.Context(), path, extension.Key{})
			require.NoError(t, err)
			require.Empty(t, again.Changed)
			require.Empty(t, again.Copy)
		})
	}
}

func TestRepairLeavesContradictionsToABackup(t *testing.T) {
	for _, test := range rowFaults {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			path := stocked(t)
			memtest.Spoil(t, path, test.spoil)
			d := diagnose(t, path)
			require.False(t, d.Healthy)
			require.Contains(t, fmt.Sprint(d.Checks), "restore a backup")
			report, err := doctor.Repair(t.Context(), path, extension.Key{})
			require.ErrorIs(t, err, extension.ErrCorrupt)
			require.ErrorContains(t, err, "restore a backup")
			require.False(t, report.After.Healthy)
		})
	}
}

func TestAlteredTextIsNoticed(t *testing.T) {
	path := stocked(t)
	memtest.Spoil(t, path, "UPDATE memories SET content = replace(content, 'friend', 'fiend') WHERE id = 1")
	d := diagnose(t, path)
	require.True(t, warned(d), "%+v", d)
	require.Contains(t, fmt.Sprint(d.Checks), "1 do not say what they said when they were stored")
}

func steps(report *doctor.RepairReport) (names []string) {
	for _, c := range report.Changed {
		names = append(names, c.Name)
	}
	return names
}

func warned(d *doctor.Diagnosis) bool {
	for _, c := range d.Checks {
		if c.State == doctor.Warning {
			return true
		}
	}
	return false
}

// usable checks that both users find what they said.
func usable(t *testing.T, path string) {
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
	require.Equal(t, stockUsers, []string{users[0].Name, users[1].Name})
}

func TestRepairOfAHealthyFileChangesNothing(t *testing.T) {
	path := stocked(t)
	report, err := doctor.Repair(t.Context(), path, extension.Key{})
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

func TestRepairRefusals(t *testing.T) {
	path := stocked(t)
	x := open(t, path)
	memtest.Spoil(t, path, "UPDATE entities SET mention_count = 77 WHERE id = 2")
	_, err := doctor.Repair(t.Context(), path, extension.Key{})
	require.ErrorIs(t, err, extension.ErrBusy, "while a host has it open")
	require.NoError(t, x.Close(t.Context()))

	text := filepath.Join(t.TempDir(), "text")
	require.NoError(t, os.WriteFile(text, []byte("dear diary"), 0o600))
	_, err = doctor.Repair(t.Context(), text, extension.Key{})
	require.ErrorIs(t, err, extension.ErrNotDatabase)

	lost := stocked(t)
	content := bytes.Clone(stockedFile)
	for i := 20; i < 40; i++ {
		clear(content[i*pageSize : (i+1)*pageSize])
	}
	require.NoError(t, os.WriteFile(lost, content, 0o600))
	report, err := doctor.Repair(t.Context(), lost, extension.Key{})
	require.ErrorIs(t, err, extension.ErrCorrupt)
	if report.Copy == "" { // the diagnosis was enough
		report.Copy = lost
	}
	copied, err := os.ReadFile(report.Copy)
	require.NoError(t, err)
	require.True(t, bytes.Equal(content, copied))
}
