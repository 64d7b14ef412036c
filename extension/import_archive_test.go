package extension_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/extension/transfer"
	"github.com/ebbmem/ebb/internal/memtest"
	"github.com/ebbmem/ebb/schema"
)

func TestImportArchive(t *testing.T) {
	path := fresh(t)
	x, err := extension.Open(t.Context(), path, &extension.Config{Night: extension.NightConfig{NoSchedule: true}})
	require.NoError(t, err)
	require.NoError(t, x.SetCycle(t.Context(), ada, 4))
	dir := filepath.Join(t.TempDir(), "docs")
	write := func(name, content string) {
		t.Helper()
		at := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(at), 0o755))
		require.NoError(t, os.WriteFile(at, []byte(content), 0o600))
	}
	take := func(opts transfer.ArchiveOptions) transfer.ArchiveReport {
		t.Helper()
		report, err := x.ImportArchive(t.Context(), ada, dir, opts)
		require.NoError(t, err)
		return *report
	}
	found := func(question string) (said []string) {
		t.Helper()
		answer, err := x.Recall(t.Context(), ada, extension.Query{Text: question, Where: &schema.Conditions{Given: []string{schema.AttrArchive}}, Limit: 1})
		require.NoError(t, err)
		for _, r := range answer.Results {
			said = append(said, r.Memory.Attributes[schema.AttrArchive]+" "+r.Memory.Attributes[schema.AttrSource]+" "+r.Memory.Content)
			require.Equal(t, "4", r.Memory.Attributes[schema.AttrCycle])
			require.Equal(t, schema.OriginImport, r.Memory.Origin)
		}
		return said
	}
	write("decisions/one.md", "# ADR 1\n\n## Choice\n\nThe zeppelin is grey.\n\n## Why\n\nPaint is cheap.\n")
	write("notes.md", "The harbour closes at noon.")
	write(".hidden/x.md", "hidden")
	write("picture.png", "x")
	require.Equal(t, transfer.ArchiveReport{Documents: 2, Stored: 3, Gone: []string{}}, take(transfer.ArchiveOptions{}))
	require.Equal(t, transfer.ArchiveReport{Documents: 2, Unchanged: 2, Gone: []string{}}, take(transfer.ArchiveOptions{}))
	require.Equal(t, []string{"decision docs/decisions/one.md ADR 1 › Choice\n\nThe zeppelin is grey."}, found("zeppelin grey"))
	require.Equal(t, []string{"lesson docs/notes.md The harbour closes at noon."}, found("harbour noon"))

	write("decisions/one.md", "# ADR 1\n\n## Choice\n\nThe zeppelin is green.\n\n## Why\n\nPaint is cheap.\n")
	require.Equal(t, transfer.ArchiveReport{Documents: 2, Unchanged: 1, Stored: 1, Retired: 1, Gone: []string{}}, take(transfer.ArchiveOptions{}), "what stands there still stays")
	require.Equal(t, []string{"decision docs/decisions/one.md ADR 1 › Choice\n\nThe zeppelin is green."}, found("zeppelin grey"))
	write("decisions/one.md", "# ADR 1\n\n## Choice\n\nThe zeppelin is grey.\n\n## Why\n\nPaint is cheap.\n")
	require.Equal(t, transfer.ArchiveReport{Documents: 2, Unchanged: 1, Retired: 1, Gone: []string{}}, take(transfer.ArchiveOptions{}), "it is back, and not twice")
	require.Contains(t, found("zeppelin grey")[0], "grey")

	require.NoError(t, os.Remove(filepath.Join(dir, "notes.md")))
	require.Equal(t, transfer.ArchiveReport{Documents: 1, Unchanged: 1, Gone: []string{"docs/notes.md"}}, take(transfer.ArchiveOptions{}))
	require.Contains(t, found("harbour noon")[0], "harbour")
	require.Equal(t, transfer.ArchiveReport{Documents: 1, Unchanged: 1, Retired: 1, Gone: []string{"docs/notes.md"}}, take(transfer.ArchiveOptions{Retire: true}))
	require.NotContains(t, strings.Join(found("harbour noon"), ""), "harbour")
	require.Empty(t, take(transfer.ArchiveOptions{Retire: true}).Gone, "it was told")

	require.NoError(t, x.WaitIdle(t.Context()), "mentions are exported too")
	var one, two bytes.Buffer
	_, err = x.Export(t.Context(), &one, ada)
	require.NoError(t, err)
	y := open(t, fresh(t))
	_, err = y.Import(t.Context(), bytes.NewReader(one.Bytes()), transfer.ImportOptions{Restore: true})
	require.NoError(t, err)
	report, err := y.ImportArchive(t.Context(), ada, dir, transfer.ArchiveOptions{})
	require.NoError(t, err)
	require.Equal(t, 1, report.Unchanged, "a restored memory knows what it has read")
	require.NoError(t, y.WaitIdle(t.Context()))
	_, err = y.Export(t.Context(), &two, ada)
	require.NoError(t, err)
	require.Equal(t, memtest.Undated(one.String()), memtest.Undated(two.String()))

	answer, err := x.Recall(t.Context(), ada, extension.Query{Text: "zeppelin grey", Limit: 1})
	require.NoError(t, err)
	_, err = x.Erase(t.Context(), ada, extension.Erasure{Memories: []string{answer.Results[0].Memory.UID}})
	require.NoError(t, err)
	write("decisions/one.md", "# ADR 1\n\n## Choice\n\nThe zeppelin is grey.\n\n## Why\n\nPaint is cheap. Very.\n")
	require.Equal(t, 1, take(transfer.ArchiveOptions{}).Erased, "what was erased stays so")
	_, err = x.Erase(t.Context(), ada, extension.Erasure{Everything: true})
	require.NoError(t, err)
	require.NoError(t, x.Close(context.Background()))
	for _, word := range []string{"zeppelin", "decisions/one.md", "harbour"} {
		require.NotContains(t, strings.ToLower(string(onDisk(t, filepath.Dir(path)))), word)
	}
}

// A host may say by an attribute which file a message is about: that file does not
// take it along when it changes. The mark of an editor hides no heading.
func TestMessageWithDocumentAttributeIsNotAPart(t *testing.T) {
	x := open(t, fresh(t))
	file := filepath.Join(t.TempDir(), "plan.md")
	require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(ada, "I have read the plan of the zeppelin.", eventbus.Attribute(schema.AttrSource, "plan.md"))))
	for _, content := range []string{"\ufeff# Plan\n\nThe zeppelin is grey.\n", "\ufeff# Plan\n\nThe zeppelin is green.\n", ""} {
		require.NoError(t, os.WriteFile(file, []byte(content), 0o600))
		_, err := x.ImportArchive(t.Context(), ada, file, transfer.ArchiveOptions{})
		require.NoError(t, err)
		answer, err := x.Recall(t.Context(), ada, extension.Query{Text: "zeppelin"})
		require.NoError(t, err)
		var said []string
		for _, r := range answer.Results {
			said = append(said, r.Memory.Content)
		}
		want := []string{"I have read the plan of the zeppelin."}
		if content != "" {
			want = append(want, "Plan\n\n"+strings.TrimSpace(strings.TrimPrefix(content, "\ufeff# Plan\n\n")))
		}
		require.ElementsMatch(t, want, said)
	}
}

func TestImportArchiveErrors(t *testing.T) {
	x := open(t, fresh(t))
	dir := t.TempDir()
	var invalid *extension.InvalidError
	for _, at := range []string{dir, filepath.Join(dir, "none")} {
		_, err := x.ImportArchive(t.Context(), ada, at, transfer.ArchiveOptions{})
		require.ErrorAs(t, err, &invalid)
		require.Equal(t, "dir", invalid.Field)
	}
	users, err := x.Users(t.Context())
	require.NoError(t, err)
	require.Empty(t, users, "a wrong path creates no user")
	_, err = x.ImportArchive(t.Context(), ada, dir, transfer.ArchiveOptions{Type: "cycle"})
	require.ErrorAs(t, err, &invalid)
	require.Equal(t, "Type", invalid.Field)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.md"), []byte("fine"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "b.md"), []byte("\xff\xfe"), 0o600))
	report, err := x.ImportArchive(t.Context(), ada, dir, transfer.ArchiveOptions{})
	var where *transfer.ImportError
	require.ErrorAs(t, err, &where)
	require.True(t, strings.HasSuffix(where.Where, "/b.md"), where.Where)
	require.Equal(t, 1, report.Stored, "what came before is kept")
}

func TestDocumentsAreRedacted(t *testing.T) {
	path := fresh(t)
	x, err := extension.Open(t.Context(), path, &extension.Config{Redaction: extension.Redaction{Hook: keepOut}, Night: extension.NightConfig{NoSchedule: true}})
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.md"), []byte("# Of "+private+"\n\n"+told+"\n"), 0o600))
	_, err = x.ImportArchive(t.Context(), ada, dir, transfer.ArchiveOptions{})
	require.NoError(t, err)
	require.NoError(t, x.Close(context.Background()))
	file := onDisk(t, filepath.Dir(path))
	require.NotContains(t, string(file), secretCore)
	require.NotContains(t, strings.ToLower(string(file)), private)
	require.Contains(t, string(file), kept)
}

// Earlier states of the shared bank are no lessons.
func TestEarlierBanksHaveTypeBank(t *testing.T) {
	x := open(t, fresh(t))
	dir := filepath.Join(t.TempDir(), "archives")
	require.NoError(t, os.MkdirAll(dir, 0o755))
	for name, content := range map[string]string{
		"bank-2026-01.md": "# Bank\n\nThe zeppelin was grey in January.\n", "bank.md": "# Bank\n\nThe zeppelin is green.\n", "notes.md": "Zeppelins need sheds.",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	_, err := x.ImportArchive(t.Context(), ada, dir, transfer.ArchiveOptions{})
	require.NoError(t, err)
	answer, err := x.Recall(t.Context(), ada, extension.Query{Text: "zeppelin"})
	require.NoError(t, err)
	types := make(map[string]string)
	for _, r := range answer.Results {
		types[r.Memory.Attributes[schema.AttrSource]] = r.Memory.Attributes[schema.AttrArchive]
	}
	require.Equal(t, map[string]string{"archives/bank-2026-01.md": "bank", "archives/bank.md": "bank", "archives/notes.md": "lesson"}, types)
}
