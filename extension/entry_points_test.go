package extension_test

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/tools"
)

// What the public methods do with texts. A method that takes words in belongs
// into entrances, or into a test of its own that looks for them in the file.
const (
	takesNoWords = "takes no words in: ids, scopes, times, settings"
	onlyReads    = "reads, and writes nothing"
	entered      = "is among the entrances"
	importsTest  = "TestImportsAreRedacted, TestEveryTextOfAnExportIsRedacted"
	nightsTest   = "TestNightsAreRedacted, TestFailingRedactionHookFailsStage"
	innerOnly    = "hands on to the inner memory; stores nothing itself"
)

var methods = map[string]string{
	"Extension.AcknowledgeLosses": takesNoWords, "Extension.Approve": takesNoWords, "Extension.Backup": takesNoWords, "Extension.BackupWithKey": takesNoWords, "Extension.Capabilities": takesNoWords,
	"Extension.Bus": entered, "Extension.Close": takesNoWords,
	"Extension.Consolidate": nightsTest, "Extension.ConsolidateDry": nightsTest, "Extension.Erase": takesNoWords,
	"Extension.Export": onlyReads, "Extension.Health": onlyReads, "Extension.Import": importsTest,
	"Extension.Keep": takesNoWords, "Extension.Proposals": onlyReads, "Extension.Quarantined": onlyReads, "Extension.Recall": onlyReads, "Extension.Release": takesNoWords,
	"Extension.Reject": takesNoWords, "Extension.Runs": onlyReads, "Extension.Session": takesNoWords, "Extension.Get": onlyReads,
	"Extension.Erasures": onlyReads, "Extension.PreviewErase": onlyReads, "Extension.Users": onlyReads,
	"Extension.Stats": onlyReads, "Extension.Profile": onlyReads, "Extension.Superseded": onlyReads, "Extension.Timeline": onlyReads, "Extension.Undo": takesNoWords, "Extension.WaitIdle": takesNoWords,
	"Extension.Blocks": onlyReads, "Extension.AllBlocks": onlyReads, "Extension.BlockHistory": onlyReads, "Extension.ImportBank": "TestImportBankOmissions", "Extension.SetBlock": entered, "Extension.UndoBlock": takesNoWords,

	"Extension.Remember": "TestStatedFactsAreRedacted", "Extension.Correct": "TestStatedFactsAreRedacted",
	"Extension.Forget": takesNoWords, "Extension.Outcome": takesNoWords, "Extension.Reflections": "TestReasonsOfReflectionsAreRedacted", "Extension.Protect": takesNoWords, "Extension.Unprotect": takesNoWords,

	"Extension.Cycle": takesNoWords, "Extension.RunDueNights": takesNoWords, "Extension.Parts": takesNoWords, "Extension.SetCycle": takesNoWords, "Extension.SetTimeZone": takesNoWords, "Extension.ResetCycle": takesNoWords,
	"Extension.ImportArchive": "TestDocumentsAreRedacted", "Extension.ExportStream": onlyReads,

	"Session.CallTool": entered, "Session.Callbacks": entered, "Session.Context": entered, "Session.ProgramTools": entered, "Session.LLMTools": onlyReads, "Session.Memory": entered,
	"Session.Preview": onlyReads, "Session.Turns": onlyReads, "Session.MemoryID": onlyReads, "Session.Search": onlyReads, "Session.Why": onlyReads, "Session.Scope": onlyReads, "Session.Tools": entered,

	"Memory.Clear": innerOnly, "Memory.GetMemoryKey": onlyReads, "Memory.LoadMemoryVariables": entered,
	"Memory.MemoryVariables": onlyReads, "Memory.ForOneShot": onlyReads, "Memory.ForOpenAIFunctions": onlyReads, "Memory.Messages": onlyReads, "Memory.SaveContext": entered,
}

// toolsWithWords are the tools that take words in; the others take ids or
// nothing.
var toolsWithWords = []string{"search_memory", "remember_fact", "correct_fact", "forget_memory", "get_entity_info", "memory_log", "recall_search", "archival_search", "archival_insert", "find_procedure", "request_reflection", "core_memory_update", "core_memory_append"}

// A new way into the file fails here until somebody says how it is redacted.
func TestEveryEntryPointIsListed(t *testing.T) {
	found := make(map[string]string)
	for _, typ := range []reflect.Type{reflect.TypeFor[*extension.Extension](), reflect.TypeFor[*extension.Session](), reflect.TypeFor[*extension.Memory]()} {
		for i := range typ.NumMethod() {
			name := typ.Elem().Name() + "." + typ.Method(i).Name
			found[name] = methods[name]
			assert.NotEmpty(t, methods[name], "%s is new: what happens to the words that it takes in? Say it in this table, and add it to the entrances if it stores any", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(methods)) {
		assert.Contains(t, found, name, "gone")
	}
	x, err := extension.Open(t.Context(), fresh(t), &extension.Config{Night: extension.NightConfig{NoSchedule: true}, Tools: extension.ToolsConfig{Names: tools.Names()}, CoreMemory: extension.CoreMemoryConfig{Blocks: notebook}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, x.Close(context.Background())) })
	for _, tool := range session(t, x, ada).Tools() {
		tested := slices.ContainsFunc(entrances, func(e entrance) bool { return e.name == tool.Name() })
		assert.Equal(t, slices.Contains(toolsWithWords, tool.Name()), tested, "%s is new, or is not tested: does it take words in?", tool.Name())
		assert.NotEqual(t, slices.Contains(toolsWithWords, tool.Name()), untested[tool.Name()], "%s is new: list it in toolsWithWords or in untested", tool.Name())
		delete(untested, tool.Name())
	}
	assert.Empty(t, untested, "these tools are gone")
}

// untested are the tools that take no words in.
var untested = map[string]bool{"confirm_fact": true, "memory_stats": true, "memory_consolidate": true, "recall_by_cycle": true, "report_outcome": true, "get_memory": true, "recent_context": true}
