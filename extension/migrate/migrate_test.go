package migrate_test

import (
	"bytes"
	"context"
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
		require.Equal(t, exported(t, file, scope), exported(t, back, scope))
	}

	// A user who is another one there is not mixed up with the first.
	require.NoError(t, server.Bus().Publish(ctx, eventbus.UserMessage(scopes[2], "I am somebody else.")))
	_, err = migrate.Run(ctx, file, server)
	require.ErrorIs(t, err, extension.ErrConflict)
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
	require.Equal(t, text, exported(t, to, ada))
}
