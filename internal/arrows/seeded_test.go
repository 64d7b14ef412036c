package arrows

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCheckFindsSeededViolations shows that the checker can fail: each case
// is one package as go list would describe it, held against the real table.
func TestCheckFindsSeededViolations(t *testing.T) {
	ours := func(folder string) string { return module + "/" + folder }
	lc := func(name string) string { return langchaingo + "/" + name }

	tests := []struct {
		name string
		pkg  pkg
		want string // "" when the table allows it
	}{
		{
			"a room below, the standard library and other modules are fine",
			pkg{folder: "eventbus", imports: []string{"context", "github.com/uptrace/bun", ours("schema"), ours("internal/text")}},
			"",
		},
		{
			"an arrow upwards",
			pkg{folder: "schema", imports: []string{ours("extension")}},
			"schema imports extension: its row allows internal/engine, internal/sqlite, internal/strictjson, internal/text",
		},
		{
			"an arrow sideways",
			pkg{folder: "consolidate", imports: []string{ours("eventbus")}},
			"consolidate imports eventbus: its row allows schema, schema/core, schema/inspect, schema/undo, recall, recall/reconcile, recall/retention, internal/text, internal/names, internal/grounding, internal/poison, internal/claims",
		},
		{
			"a leaf that reaches out",
			pkg{folder: "internal/text", imports: []string{ours("schema")}},
			"internal/text imports schema: its row allows nothing",
		},
		{
			"the command line behind the extension's back",
			pkg{folder: "cmd/ebb", imports: []string{ours("extension"), ours("schema")}},
			"cmd/ebb imports schema: its row allows consolidate/ask, consolidate/fourstores, extension, extension/audit, extension/doctor, extension/markdown, extension/migrate, extension/tenants, extension/transfer, eventbus, encoder, postgres, internal/build, internal/cells, internal/clients, internal/encoders, internal/evalset, internal/files, internal/measure, internal/inspector, internal/mcpserver, internal/server, internal/text, internal/clock",
		},
		{
			"a folder below cmd/ebb is of cmd/ebb",
			pkg{folder: "cmd/ebb", imports: []string{ours("cmd/ebb/internal/console")}},
			"",
		},
		{
			"langchaingo where it must not be",
			pkg{folder: "recall", imports: []string{lc("schema")}},
			"recall imports github.com/tmc/langchaingo/schema: of langchaingo its row allows nothing",
		},
		{
			"langchaingo's root package",
			pkg{folder: "recall", imports: []string{langchaingo}},
			"recall imports github.com/tmc/langchaingo: of langchaingo its row allows nothing",
		},
		{
			"llms does not include its providers",
			pkg{folder: "tools", imports: []string{lc("tools"), lc("llms"), lc("llms/openai")}},
			"tools imports github.com/tmc/langchaingo/llms/openai: of langchaingo its row allows tools, llms",
		},
		{
			"llms/... does",
			pkg{folder: "cmd/ebb", imports: []string{lc("llms"), lc("llms/openai")}},
			"",
		},
		{
			"a module whose name starts like ours is not ours",
			pkg{folder: "schema", imports: []string{module + "tide/extension", langchaingo + "x/llms"}},
			"",
		},
		{
			"a test may use a kit",
			pkg{folder: "schema", testImports: []string{ours("internal/vfstest"), ours("schema")}},
			"",
		},
		{
			"code may not",
			pkg{folder: "extension", imports: []string{ours("internal/llmtest")}},
			"extension imports internal/llmtest: it is a test kit, for tests only",
		},
		{
			"a kit may use a kit",
			pkg{folder: "internal/bustest", imports: []string{ours("internal/vfstest")}},
			"",
		},
		{
			"tests have arrows too",
			pkg{folder: "schema", testImports: []string{ours("extension")}},
			"a test of schema imports extension: its row allows internal/engine, internal/sqlite, internal/strictjson, internal/text",
		},
		{
			"and may use more of langchaingo than the code",
			pkg{folder: "tools", testImports: []string{lc("agents")}},
			"",
		},
		{
			"a black-box test stays outside",
			pkg{folder: "plugin_test", testImports: []string{ours("extension"), ours("internal/llmtest"), ours("schema")}},
			"a test of plugin_test imports schema: its row allows consolidate/fourstores, extension, extension/audit, extension/transfer, eventbus, encoder, recall, recall/retention, internal/text, internal/clock",
		},
		{
			"a folder of tests holds only tests",
			pkg{folder: "plugin_test", code: []string{"doc.go"}},
			"plugin_test holds only tests, but has doc.go: name them _test.go, or move them",
		},
		{
			"a package without a row",
			pkg{folder: "internal/misc", imports: []string{"fmt"}},
			"internal/misc has no row: add a row for it to the table in internal/arrows/table_test.go",
		},
		{
			"a row covers its folder, not those below",
			pkg{folder: "schema/migrate"},
			"schema/migrate has no row: add a row for it to the table in internal/arrows/table_test.go",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := check(table, []pkg{test.pkg})
			if test.want == "" {
				require.Empty(t, got)
				return
			}
			require.Equal(t, []string{test.want}, got)
		})
	}
}
