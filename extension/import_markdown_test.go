package extension_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/extension/transfer"
)

func importNote(t *testing.T, x *extension.Extension, name string, opts transfer.ImportOptions) *transfer.ImportReport {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "import_markdown", name))
	require.NoError(t, err)
	defer f.Close()
	opts.Format, opts.Unnamed = transfer.FormatMarkdown, strings.TrimSuffix(name, ".md")
	report, err := x.Import(t.Context(), f, opts)
	require.NoError(t, err)
	return report
}

func TestImportMarkdown(t *testing.T) {
	x, err := extension.Open(t.Context(), filepath.Join(t.TempDir(), "m.db"), &extension.Config{Night: extension.NightConfig{NoSchedule: true}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, x.Close(t.Context())) })
	scope := extension.Scope{User: "noor"}
	written := time.Date(2026, 1, 5, 12, 0, 0, 0, time.UTC)

	report := importNote(t, x, "2026-01-05.md", transfer.ImportOptions{Scope: scope, Time: written})
	require.Equal(t, 2, report.Stored)
	require.Zero(t, report.Untimed, "the host gave the time")
	notes, err := x.Timeline(t.Context(), scope, extension.TimelineQuery{})
	require.NoError(t, err)
	require.Len(t, notes, 2)
	require.Equal(t, "Monday\n\nMet Ottilie at the harbour.", notes[0].Content)
	require.Equal(t, "Monday › Health\n\nI'm allergic to cashews.", notes[1].Content)
	require.EqualValues(t, 1, notes[1].Trust)
	require.Equal(t, written, notes[1].EventTime.Time)
	require.Equal(t, "2026-01-05", notes[1].SessionName)

	// A copy of the file has another time.
	report = importNote(t, x, "2026-01-05.md", transfer.ImportOptions{Scope: scope, Time: written.Add(time.Hour)})
	require.Zero(t, report.Stored)
	require.Equal(t, 2, report.Duplicates)

	// The user's own word fills the profile.
	own := extension.Scope{User: "own"}
	importNote(t, x, "2026-01-05.md", transfer.ImportOptions{Scope: own, Time: written, Origin: "user_direct"})
	require.NoError(t, x.WaitIdle(t.Context()))
	profile, err := x.Profile(t.Context(), own)
	require.NoError(t, err)
	require.Len(t, profile.Lines, 2)
	require.Equal(t, "I'm allergic to cashews.", profile.Lines[0].Text)
	require.Equal(t, extension.ProfilePassing, profile.Lines[1].Group, "%v", profile.Lines[1])

	importNote(t, x, filepath.Join("projects", "boat.md"), transfer.ImportOptions{Scope: scope})
	notes, err = x.Timeline(t.Context(), scope, extension.TimelineQuery{})
	require.NoError(t, err)
	require.Len(t, notes, 3)
	require.Contains(t, notes[2].Content, "# not a heading")

	_, err = x.Import(t.Context(), strings.NewReader("# Fine\n\nfine\n\n\xff\xfe broken"), transfer.ImportOptions{Scope: scope, Format: transfer.FormatMarkdown})
	require.ErrorContains(t, err, "line 5")
}
