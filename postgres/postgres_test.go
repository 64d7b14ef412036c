package postgres_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/memtest"
)

// The whole, on a server: publish, search, a night, erase.
func TestExtensionOnAServer(t *testing.T) {
	ctx := t.Context()
	ext, err := extension.Open(ctx, memtest.Server(t), nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, ext.Close(context.Background())) })
	ada := extension.Scope{User: "ada", Session: "s"}
	for _, text := range []string{"I am allergic to walnuts.", "My sister Grace lives in Lisbon.", "What a day."} {
		require.NoError(t, ext.Bus().Publish(ctx, eventbus.UserMessage(ada, text)))
	}
	require.NoError(t, ext.WaitIdle(ctx))

	answer, err := ext.Recall(ctx, ada, extension.Query{Text: "Where does Grace live?"})
	require.NoError(t, err)
	require.NotEmpty(t, answer.Results)
	require.Contains(t, answer.Results[0].Memory.Content, "Lisbon")
	require.Empty(t, answer.Degraded)

	_, err = ext.Consolidate(ctx, ada)
	require.NoError(t, err)

	_, err = ext.Erase(ctx, ada, extension.Erasure{Everything: true})
	require.NoError(t, err)
	answer, err = ext.Recall(ctx, ada, extension.Query{Text: "Where does Grace live?"})
	require.NoError(t, err)
	require.Empty(t, answer.Results)
}
