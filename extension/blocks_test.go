package extension

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/extension/transfer"
	"github.com/ebbmem/ebb/schema"
)

var someBlocks = []BlockSpec{
	{Name: "rules", Kind: BlockText, Writer: ModelProposes},
	{Name: "status", Kind: BlockFields, Writer: ModelWrites, Fields: []BlockField{{Name: "sprint"}, {Name: "blockers", List: true}}},
	{Name: "roleState", Kind: BlockFields, Writer: ModelWrites, PerAgent: true, Fields: []BlockField{{Name: "workingOn"}}},
	{Name: "persona", Kind: BlockText},
}

func openWithBlocks(t *testing.T) *Extension {
	t.Helper()
	x := openConfig(t, filepath.Join(t.TempDir(), "memory.db"), &Config{Night: NightConfig{NoSchedule: true}, CoreMemory: CoreMemoryConfig{Blocks: someBlocks}})
	return x
}

func TestHostWritesBlocks(t *testing.T) {
	x := openWithBlocks(t)
	qa, ops := Scope{User: "ada", Agent: "qa"}, Scope{User: "ada", Agent: "ops"}
	names := func(scope Scope) (all []string) {
		blocks, err := x.Blocks(t.Context(), scope)
		require.NoError(t, err)
		for _, b := range blocks {
			all = append(all, b.Name+"="+b.Content)
		}
		return all
	}
	require.Equal(t, []string{"rules=", "status=", "roleState=", "persona="}, names(qa))
	_, err := x.SetBlock(t.Context(), qa, "status", `{"sprint": "one", "blockers": []}`, 0)
	require.NoError(t, err)
	mine, err := x.SetBlock(t.Context(), qa, "roleState", `{"workingOn":"tests"}`, 0)
	require.NoError(t, err)
	require.Equal(t, "qa", mine.Agent)
	require.Equal(t, schema.MaxTrust, mine.Trust)
	_, err = x.SetBlock(t.Context(), ops, "roleState", `{"workingOn":"deploys"}`, 0)
	require.NoError(t, err)
	require.Equal(t, []string{"rules=", `status={"sprint":"one"}`, `roleState={"workingOn":"tests"}`, "persona="}, names(qa))
	require.Equal(t, []string{"rules=", `status={"sprint":"one"}`, `roleState={"workingOn":"deploys"}`, "persona="}, names(ops))
	require.Equal(t, []string{"rules=", "status=", "roleState=", "persona="}, names(Scope{User: "bob", Agent: "qa"}))

	bob := Scope{User: "bob", Agent: "qa"}
	_, err = x.SetBlock(t.Context(), bob, "rules", "Bob's.", 0)
	require.NoError(t, err)
	_, err = x.BlockHistory(t.Context(), bob, "status")
	require.ErrorIs(t, err, ErrNotFound, "it is another user's")
	_, err = x.UndoBlock(t.Context(), bob, "status", 1)
	require.ErrorIs(t, err, ErrNotFound)
	_, err = x.SetBlock(t.Context(), bob, "roleState", `{"workingOn":"his own"}`, 0)
	require.NoError(t, err)
	require.Equal(t, []string{"rules=", `status={"sprint":"one"}`, `roleState={"workingOn":"tests"}`, "persona="}, names(qa))
	all, err := x.AllBlocks(t.Context(), Scope{User: "ada"})
	require.NoError(t, err)
	var owned []string
	for _, b := range all {
		owned = append(owned, b.Name+" of "+b.Agent)
	}
	require.Equal(t, []string{"roleState of ops", "roleState of qa", "status of "}, owned)

	_, err = x.SetBlock(t.Context(), qa, "status", `{"sprint":"two"}`, 0)
	require.ErrorIs(t, err, ErrConflict)
	same, err := x.SetBlock(t.Context(), qa, "status", `{"sprint":"one"}`, 1)
	require.NoError(t, err)
	require.EqualValues(t, 1, same.Version, "nothing has changed")
	two, err := x.SetBlock(t.Context(), qa, "status", `{"sprint":"two","blockers":["the key ghp_`+"16C7e42F292c6912E7710c838347Ae178B4a"+`"]}`, 1)
	require.NoError(t, err)
	require.Contains(t, two.Content, "[redacted:")
	history, err := x.BlockHistory(t.Context(), ops, "status")
	require.NoError(t, err)
	require.Len(t, history, 2)
	require.Equal(t, "host", history[0].Actor)
	require.Equal(t, "qa", history[0].Agent)
	restored, err := x.UndoBlock(t.Context(), ops, "status", 2)
	require.NoError(t, err)
	require.Equal(t, `{"sprint":"one"}`, restored.Content)
	require.EqualValues(t, 3, restored.Version)

	var invalid *InvalidError
	for _, wrong := range []struct {
		name, content, field string
		version              int64
	}{
		{"playbook", "x", "name", 0}, {"status", "sprint two", "status", 3}, {"status", `{"sprint":["x"]}`, "status.sprint", 3}, {"rules", strings.Repeat("word ", 3000), "rules", 0},
	} {
		_, err := x.SetBlock(t.Context(), qa, wrong.name, wrong.content, wrong.version)
		require.ErrorAs(t, err, &invalid, wrong.name)
		require.Equal(t, wrong.field, invalid.Field)
	}
	_, err = x.BlockHistory(t.Context(), qa, "rules")
	require.ErrorIs(t, err, ErrNotFound)
	_, err = x.UndoBlock(t.Context(), Scope{User: "nobody"}, "rules", 1)
	require.ErrorIs(t, err, ErrNotFound)
}

// A host may change the kind of a block: the block is then empty, with the old content
// in its history.
func TestBlockKindChange(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	ada := Scope{User: "ada"}
	for i, spec := range []BlockSpec{{Name: "lessons", Kind: BlockText}, {Name: "lessons", Kind: BlockList}} {
		x, err := Open(t.Context(), path, &Config{Night: NightConfig{NoSchedule: true}, CoreMemory: CoreMemoryConfig{Blocks: []BlockSpec{spec}}})
		require.NoError(t, err)
		b, err := x.SetBlock(t.Context(), ada, "lessons", []string{"{", `["sleep"]`}[i], int64(i))
		require.NoError(t, err)
		require.Equal(t, spec.Kind, b.Kind)
		history, err := x.BlockHistory(t.Context(), ada, "lessons")
		require.NoError(t, err)
		require.Len(t, history, i+1)
		require.NoError(t, x.Close(t.Context()))
	}
	_, err := Open(t.Context(), path, &Config{CoreMemory: CoreMemoryConfig{Blocks: []BlockSpec{{Name: "lessons"}}}})
	var invalid *InvalidError
	require.ErrorAs(t, err, &invalid)
	require.Equal(t, "Block.lessons.Kind", invalid.Field)
}

// A block that is here already keeps its own history when another's is imported:
// it can be written on, and its changes taken back.
func TestImportKeepsExistingBlockHistory(t *testing.T) {
	cfg := func() *Config {
		return &Config{Night: NightConfig{NoSchedule: true}, CoreMemory: CoreMemoryConfig{Blocks: []BlockSpec{{Name: "lessons", Kind: BlockList}}}}
	}
	ada := Scope{User: "ada"}
	opened := func(contents ...string) *Extension {
		x, err := Open(t.Context(), filepath.Join(t.TempDir(), "memory.db"), cfg())
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, x.Close(context.Background())) })
		for i, content := range contents {
			_, err := x.SetBlock(t.Context(), ada, "lessons", content, int64(i))
			require.NoError(t, err)
		}
		return x
	}
	there, here := opened(`["a"]`, `["a","b"]`, `["a","b","c"]`), opened(`["d"]`)
	_, err := here.Import(t.Context(), strings.NewReader(exported(t, there, ada)), transfer.ImportOptions{Scope: ada, Restore: true})
	require.NoError(t, err)
	_, err = here.SetBlock(t.Context(), ada, "lessons", `["d","e"]`, 1)
	require.NoError(t, err)
	history, err := here.BlockHistory(t.Context(), ada, "lessons")
	require.NoError(t, err)
	require.Len(t, history, 2)
	require.Equal(t, `["d"]`, history[1].Content)
}

// A block with content of foreign origin is shown as it is, breaks nothing, and can be
// repaired by the host.
func TestHostRepairsDamagedBlock(t *testing.T) {
	specs := []BlockSpec{
		{Name: "lessons", Kind: BlockList, Writer: ModelWrites}, {Name: "status", Kind: BlockFields, Writer: ModelWrites, Fields: []BlockField{{Name: "sprint"}}},
		{Name: "threads", Kind: BlockRecords, Writer: ModelWrites, Fields: []BlockField{{Name: "summary"}, {Name: "at", Stamp: true}}},
	}
	fine := map[string]string{"lessons": `["tea"]`, "status": `{"sprint":"one"}`, "threads": `[{"id":"a","summary":"b"}]`}
	for _, damage := range []string{"{", `{"a":{}}`, `[1]`, `[{"summary":"x"}]`, `[[]]`, `null`, `"x"`, `7`, `{"id":1}`, `[{"id":"a","summary":{"x":"y"}}]`} {
		x, err := Open(t.Context(), filepath.Join(t.TempDir(), "memory.db"), &Config{Night: NightConfig{NoSchedule: true}, CoreMemory: CoreMemoryConfig{Blocks: specs}})
		require.NoError(t, err)
		ada := Scope{User: "ada"}
		for name, content := range fine {
			set(t, x, ada, name, content)
		}
		require.NoError(t, x.db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
			_, err := tx.Exec(ctx, "UPDATE blocks SET content = ?", damage)
			return err
		}))
		s, err := x.Session(ada)
		require.NoError(t, err)
		found, err := s.Preview(t.Context(), "Well?")
		require.NoError(t, err)
		require.Len(t, found.Core, len(specs), damage)
		require.NotEmpty(t, s.injected(t.Context(), "model", "Well?", ""), "and shows it to the model")
		for name, content := range fine {
			for _, call := range []args{{"section": name, "content": content}, {"section": name, "content": "[]"}} {
				require.NotContains(t, callTool(t, s, "core_memory_update", call), "is changed", "%s %s", name, damage)
			}
			_, err := x.UndoBlock(t.Context(), ada, name, 1)
			require.Error(t, err)
			b, err := x.SetBlock(t.Context(), ada, name, content, 1)
			require.NoError(t, err, "%s %s", name, damage)
			require.False(t, b.Damaged())
			require.NotContains(t, callTool(t, s, "core_memory_update", args{"section": name, "content": content}), "failed inside the memory", "%s %s", name, damage)
		}
		require.NoError(t, x.Close(t.Context()))
	}
}
