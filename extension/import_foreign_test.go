package extension

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ncruces/go-sqlite3/driver"
	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/extension/transfer"
	"github.com/ebbmem/ebb/schema"
)

// langchaingoHistory makes a file as langchaingo's memory/sqlite3 writes it.
func langchaingoHistory(t *testing.T, more ...string) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "history.db")
	db, err := driver.Open("file:" + path)
	require.NoError(t, err)
	_, err = db.ExecContext(t.Context(), `CREATE TABLE IF NOT EXISTS langchaingo_messages (
		id INTEGER PRIMARY KEY,
		name TEXT,
		session TEXT NOT NULL,
		content TEXT NOT NULL,
		type TEXT NOT NULL,
		created TIMESTAMP DEFAULT CURRENT_TIMESTAMP
);
CREATE INDEX IF NOT EXISTS idx_langchaingo_id ON langchaingo_messages (id);
CREATE INDEX IF NOT EXISTS idx_langchaingo_session ON langchaingo_messages (session);
CREATE TABLE other (id INTEGER PRIMARY KEY, content TEXT);
INSERT INTO other VALUES (1, 'not for us');
INSERT INTO langchaingo_messages (session, content, type, created) VALUES
	('monday', 'You are kind.', 'system', '2026-01-05 09:12:00'),
	('monday', 'The kettle is blue.', 'human', '2026-01-05 09:12:02'),
	('monday', 'Noted.', 'ai', '2026-01-05 09:12:02')`+strings.Join(more, ""))
	require.NoError(t, err)
	require.NoError(t, db.Close())
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	return raw
}

// What other programs export is known by its content, is taken in once, and what
// is left out is counted. It is believed as an import; with the host's word, what
// the user said is the user's, and what a model wrote is not.
func TestImportOfOtherPrograms(t *testing.T) {
	file := func(name string) []byte {
		raw, err := os.ReadFile(filepath.Join("testdata", name))
		require.NoError(t, err)
		return raw
	}
	tests := map[string]struct {
		input                        []byte
		report                       transfer.ImportReport
		said                         []string
		session                      string
		at                           time.Time // of the first
		byUser, untrustedWithTheWord int
	}{
		"claude": {
			input: file("import_claude.json"),
			report: transfer.ImportReport{Format: transfer.FormatClaude, Read: 3, Stored: 3, Skipped: 1, Sessions: 2, LeftOut: map[string]int{
				"attachments": 3, "thoughts and uses of tools": 3,
			}},
			said:    []string{"user: I live in Ghent now.", "user: How hot should water for sencha be? My tin says 80.", "assistant: About 75 °C.\nNever boiling."},
			session: "6a1f5f0e-3c1b-4a56-9d7e-0c4b8a2f1d12", at: time.Date(2024, 2, 1, 7, 0, 0, 0, time.UTC), byUser: 2, untrustedWithTheWord: 1, // after the use of a tool
		},
		"mcp memory": {
			input:   file("import_mcp_memory.jsonl"),
			report:  transfer.ImportReport{Format: transfer.FormatGraph, Read: 3, Stored: 3, Skipped: 1, Sessions: 1, Untimed: 3, LeftOut: map[string]int{"types of entities": 2}},
			said:    []string{"assistant: Noor Haddad: Speaks fluent Dutch", "assistant: Noor Haddad: Is allergic to cashews", "assistant: Noor Haddad lives in Ghent."},
			session: "file", untrustedWithTheWord: 3,
		},
		"mem0": {
			input:   file("import_mem0.json"),
			report:  transfer.ImportReport{Format: transfer.FormatMem0, Read: 3, Stored: 3, Sessions: 2, Untimed: 1, LeftOut: map[string]int{"labels of memories": 1}},
			said:    []string{"assistant: Noor is allergic to cashews", "assistant: Lives in Ghent", "assistant: noor plays violin with ottilie"},
			session: "file", at: time.Date(2026, 1, 5, 9, 16, 5, 490e6, time.UTC), untrustedWithTheWord: 3,
		},
		"hindsight": {
			input:   file("import_hindsight.json"),
			report:  transfer.ImportReport{Format: transfer.FormatHindsight, Read: 2, Stored: 2, Sessions: 2, LeftOut: map[string]int{"labels of memories": 1}},
			said:    []string{"assistant: Noor works at the harbour of Ghent", "assistant: Noor took up the violin"},
			session: "session_1", at: time.Date(2026, 1, 15, 10, 30, 0, 0, time.UTC), untrustedWithTheWord: 2,
		},
		"langchaingo": {
			input:   langchaingoHistory(t),
			report:  transfer.ImportReport{Format: transfer.FormatLangchaingo, Read: 2, Stored: 2, Skipped: 1, Sessions: 1},
			said:    []string{"user: The kettle is blue.", "assistant: Noted."},
			session: "monday", at: time.Date(2026, 1, 5, 9, 12, 2, 0, time.UTC), byUser: 1,
		},
	}
	for name, test := range tests {
		for _, origin := range []schema.Origin{"", schema.OriginUser} {
			t.Run(name+" "+string(origin), func(t *testing.T) {
				x := openNew(t)
				opts := transfer.ImportOptions{Scope: ada, Unnamed: "file", Origin: origin}
				opts.Scope.Session = ""
				if name == "mem0" {
					opts.Scope.User = "noor" // as its memories say
				}
				report, err := x.Import(t.Context(), bytes.NewReader(test.input), opts)
				require.NoError(t, err)
				test.report.Bytes = int64(len(test.input))
				require.Equal(t, &test.report, report)
				all, err := x.Timeline(t.Context(), opts.Scope, TimelineQuery{})
				require.NoError(t, err)
				var said []string
				var trusted, untrusted int
				for _, m := range all {
					require.Equal(t, m.Origin == schema.OriginAssistant && m.Trust == 1, m.Untrusted(), m.Content)
					said = append(said, m.Role+": "+m.Content)
					switch {
					case m.Trust == schema.OriginUser.Ceiling():
						trusted++
					case m.Trust <= schema.OriginImport.Ceiling():
						untrusted++
					}
				}
				require.Equal(t, test.said, said)
				require.Equal(t, test.session, all[0].SessionName)
				if !test.at.IsZero() {
					require.Equal(t, test.at, all[0].EventTime.Time)
				}
				if origin == "" {
					require.Equal(t, []int{0, len(all)}, []int{trusted, untrusted})
				} else {
					require.Equal(t, []int{test.byUser, test.untrustedWithTheWord}, []int{trusted, untrusted})
				}
				report, err = x.Import(t.Context(), bytes.NewReader(test.input), opts)
				require.NoError(t, err)
				require.Equal(t, len(all), report.Duplicates)
				require.Zero(t, report.Stored)
			})
		}
	}
}

// A history of langchaingo does not say who its sessions belong to.
func TestImportOfSessionsOfLangchaingo(t *testing.T) {
	input := langchaingoHistory(t, `, ('tuesday', 'The kettle is red.', 'human', '2026-01-06 09:12:02')`)
	for only, stored := range map[string]int{"": 0, "tuesday": 1, "mon*": 2, "*": 3} {
		x := openNew(t)
		report, err := x.Import(t.Context(), bytes.NewReader(input), transfer.ImportOptions{Scope: ada, OnlySession: only})
		require.Equal(t, stored, report.Stored, only)
		if only != "" {
			require.NoError(t, err)
			continue
		}
		requireInvalid(t, err, "session")
		require.ErrorContains(t, err, "--only-session")
	}
}

func TestImportRefusesBadFilesOfOtherPrograms(t *testing.T) {
	history := langchaingoHistory(t)
	damaged := append(bytes.Clone(history[:4096]), bytes.Repeat([]byte{7}, len(history)-4096)...)
	x := openNew(t)
	for name, test := range map[string]struct {
		input       []byte
		field, want string
	}{
		"an unknown sender":    {[]byte(`[{"chat_messages":[{"sender":"oracle","text":"x"}]}]`), "sender", "conversation 1, message 1: sender is neither"},
		"no time of Claude's":  {[]byte(`[{"chat_messages":[{"sender":"human","text":"x","created_at":"noon"}]}]`), "created_at", "is no time"},
		"a time of Mem0's":     {[]byte(`{"results":[{"memory":"x","created_at":"noon"}]}`), "created_at", "memory 1: created_at is no time"},
		"a number for words":   {[]byte(`{"results":[{"memory":7}]}`), "memory", "memory 1: memory"},
		"cut off":              {[]byte(`{"results":[{"memory":"x"},`), "JSON", "element 2: JSON"},
		"no list":              {[]byte("{\"items\":[],\n\"results\":7}"), "input", "has no list"},
		"an unknown element":   {[]byte(`{"items":[{"colour":"blue"}]}`), "input", "element 1: input is no message"},
		"observations no list": {[]byte(`{"type":"entity","name":"x","observations":"y"}`), "observations", "line 1: observations"},
		"damaged SQLite":       {damaged, "input", "damaged SQLite"},
		"an empty SQLite":      {[]byte("SQLite format 3\x00"), "input", "SQLite file"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := x.Import(t.Context(), bytes.NewReader(test.input), transfer.ImportOptions{Scope: ada})
			requireInvalid(t, err, test.field)
			require.ErrorContains(t, err, test.want)
		})
	}
}
