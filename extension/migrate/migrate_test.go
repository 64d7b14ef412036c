package migrate_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/extension/migrate"
	"github.com/ebbmem/ebb/extension/transfer"
	"github.com/ebbmem/ebb/internal/memtest"
)

func open(t *testing.T, path string) *extension.Extension {
	t.Helper()
	x, err := extension.Open(t.Context(), path, &extension.Config{NoBackground: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, x.Close(context.Background())) })
	return x
}

func exported(t *testing.T, x *extension.Extension, scope extension.Scope) string {
	t.Helper()
	var all bytes.Buffer
	_, err := x.Export(t.Context(), &all, scope)
	require.NoError(t, err)
	return all.String()
}

// A memory goes to a server and back, with what was stored, corrected, protected, erased
// and drawn by nights.
func TestFileToServerAndBack(t *testing.T) {
	memtest.OnFile(t)
	ctx := t.Context()
	path := filepath.Join(t.TempDir(), "memory.db")
	x, err := extension.Open(ctx, path, nil)
	require.NoError(t, err)
	scopes := []extension.Scope{{User: "ada", Session: "s"}, {Tenant: "acme", User: "ada"}, {User: "bob"}}
	for _, scope := range scopes {
		for _, text := range []string{"I live in Lisbon.", "My favourite tea is green.", "My favourite tea is black now.", "Never forget that I am allergic to walnuts.", "What a day <&> \"quoted\"."} {
			require.NoError(t, x.Bus().Publish(ctx, eventbus.UserMessage(scope, text)))
		}
		require.NoError(t, x.WaitIdle(ctx))
		_, err = x.Consolidate(ctx, scope)
		require.NoError(t, err)
	}
	require.NoError(t, x.Bus().Publish(ctx, eventbus.UserMessage(scopes[0], "A secret.", eventbus.WithID("secret"))))
	_, err = x.Erase(ctx, scopes[0], extension.Erasure{Events: []string{"secret"}})
	require.NoError(t, err)
	require.NoError(t, x.WaitIdle(ctx))
	require.NoError(t, x.Close(ctx))

	file, server, back := open(t, path), open(t, memtest.Server(t)), open(t, filepath.Join(t.TempDir(), "back.db"))
	for _, way := range [][2]*extension.Extension{{file, server}, {server, back}} {
		report, err := migrate.Run(ctx, way[0], way[1])
		require.NoError(t, err)
		require.Equal(t, migrate.Report{Users: 3}, report)
		report, err = migrate.Run(ctx, way[0], way[1])
		require.NoError(t, err)
		require.Equal(t, migrate.Report{Users: 3, Known: 3}, report, "again")
	}
	for _, scope := range scopes {
		require.Equal(t, memtest.Undated(exported(t, file, scope)), memtest.Undated(exported(t, back, scope)))
	}

	// A user who is another one there is not mixed up with the first.
	require.NoError(t, server.Bus().Publish(ctx, eventbus.UserMessage(scopes[2], "I am somebody else.")))
	_, err = migrate.Run(ctx, file, server)
	require.ErrorIs(t, err, extension.ErrConflict)
}

// The receipts of erasures are copied, and what was erased does not come back: of a user,
// and of one who was erased entirely.
func TestErasedStaysErased(t *testing.T) {
	memtest.OnFile(t)
	ctx := t.Context()
	from := open(t, filepath.Join(t.TempDir(), "from.db"))
	ada, gone := extension.Scope{User: "ada"}, extension.Scope{User: "carol"}
	require.NoError(t, from.Bus().Publish(ctx, eventbus.UserMessage(ada, "Good morning.")))
	again := []eventbus.Event{eventbus.UserMessage(ada, "A secret.", eventbus.WithID("secret")), eventbus.UserMessage(gone, "My cat is Quilltra.", eventbus.WithID("cat"))}
	require.NoError(t, from.Bus().Publish(ctx, again...))
	old := exported(t, from, gone)
	_, err := from.Erase(ctx, ada, extension.Erasure{Events: []string{"secret"}})
	require.NoError(t, err)
	_, err = from.Erase(ctx, gone, extension.Erasure{Everything: true})
	require.NoError(t, err)

	for name, where := range map[string]func(t *testing.T) string{
		"file":   func(t *testing.T) string { return filepath.Join(t.TempDir(), "to.db") },
		"server": func(t *testing.T) string { return memtest.Server(t) },
	} {
		t.Run(name, func(t *testing.T) {
			to := open(t, where(t))
			for range 2 {
				_, err := migrate.Run(ctx, from, to)
				require.NoError(t, err)
			}
			for _, scope := range []extension.Scope{{}, ada} {
				here, err := from.Erasures(ctx, scope)
				require.NoError(t, err)
				there, err := to.Erasures(ctx, scope)
				require.NoError(t, err)
				require.Len(t, there, 1)
				require.Equal(t, here[0].Receipt, there[0].Receipt)
			}
			require.NoError(t, to.Bus().Publish(ctx, again...))
			report, err := to.Import(ctx, bytes.NewBufferString(old), transfer.ImportOptions{Restore: true})
			require.NoError(t, err)
			require.Equal(t, report.Read, report.Erased)
			users, err := to.Users(ctx)
			require.NoError(t, err)
			require.Len(t, users, 1)
			require.NotContains(t, exported(t, to, ada), "A secret.")
		})
	}
}

// A copy that was interrupted goes on.
func TestInterruptedCopyGoesOn(t *testing.T) {
	memtest.OnFile(t)
	ctx := t.Context()
	from, to := open(t, filepath.Join(t.TempDir(), "from.db")), open(t, memtest.Server(t))
	ada := extension.Scope{User: "ada"}
	for range 40 {
		require.NoError(t, from.Bus().Publish(ctx, eventbus.UserMessage(ada, "The kettle is green.")))
	}
	text := exported(t, from, ada)
	cut := text[:len(text)*2/3]
	_, err := to.Import(ctx, bytes.NewBufferString(cut), transfer.ImportOptions{Restore: true})
	require.Error(t, err)
	_, err = migrate.Run(ctx, from, to)
	require.NoError(t, err)
	require.Equal(t, memtest.Undated(text), memtest.Undated(exported(t, to, ada)))
}

// Memories are the same by the identity stored in them: one may have two names, and the copy of
// a file is another memory.
func TestAMemoryIsNotItsOwnTarget(t *testing.T) {
	memtest.OnFile(t)
	ctx, dir := t.Context(), t.TempDir()
	path, copied, link := filepath.Join(dir, "memory.db"), filepath.Join(dir, "copy.db"), filepath.Join(t.TempDir(), "link.db")
	x := open(t, path)
	require.NoError(t, x.Bus().Publish(ctx, eventbus.UserMessage(extension.Scope{User: "ada"}, "I live in Lisbon.")))
	require.NoError(t, x.Close(ctx))
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(copied, content, 0o600))
	require.NoError(t, os.Symlink(path, link))
	refused := func(t *testing.T, from, to string) {
		t.Helper()
		_, err := migrate.Run(ctx, open(t, from), open(t, to))
		var invalid *extension.InvalidError
		require.ErrorAs(t, err, &invalid)
		require.Equal(t, "to", invalid.Field)
	}
	refused(t, path, link)
	_, err = migrate.Run(ctx, open(t, path), open(t, copied))
	require.NoError(t, err)
	t.Run("server", func(t *testing.T) {
		server := memtest.Server(t)
		refused(t, server, server+"&application_name=ebb2")
	})
}
