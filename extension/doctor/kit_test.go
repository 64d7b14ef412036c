package doctor_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var ada = extension.Scope{User: "ada", Session: "monday"}

func fresh(t *testing.T) string { return filepath.Join(t.TempDir(), "memory.db") }

func open(t *testing.T, path string) *extension.Extension {
	t.Helper()
	x, err := extension.Open(t.Context(), path, nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, x.Close(context.Background())) })
	return x
}

func session(t *testing.T, x *extension.Extension, scope extension.Scope) *extension.Session {
	t.Helper()
	s, err := x.Session(scope)
	require.NoError(t, err)
	return s
}

func publish(t *testing.T, x *extension.Extension, events ...eventbus.Event) error {
	t.Helper()
	return x.Bus().Publish(t.Context(), events...)
}

func health(t *testing.T, x *extension.Extension) *extension.Health {
	t.Helper()
	h, err := x.Health(t.Context())
	require.NoError(t, err)
	return h
}

// recalled lists the texts of the messages that a search finds, best first.
func recalled(t *testing.T, x *extension.Extension, scope extension.Scope, question string) []string {
	t.Helper()
	answer, err := x.Recall(t.Context(), scope, extension.Query{Text: question, Limit: 100, Kinds: []extension.Kind{extension.KindEpisode}})
	require.NoError(t, err)
	require.Empty(t, answer.Degraded)
	texts := make([]string, len(answer.Results))
	for i, r := range answer.Results {
		texts[i] = r.Memory.Content
	}
	return texts
}
