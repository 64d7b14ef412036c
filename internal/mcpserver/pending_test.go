package mcpserver

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/extension"
)

// A client that writes its requests and closes at once, as a shell does, gets its
// answers, and what it recorded is stored.
func TestRequestsBeforeTheEndAreAnswered(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	file := File{
		DB: path, Scope: ada, Tell: func(string) {},
		Open: func() (*extension.Extension, extension.Scope, error) {
			x, err := extension.Open(context.WithoutCancel(t.Context()), path, &extension.Config{Night: extension.NightConfig{NoSchedule: true}})
			return x, ada, err
		},
	}
	var out bytes.Buffer
	require.NoError(t, ServeStdio(t.Context(), file, Options{}, strings.NewReader(
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"shell","version":"1"}}}`+"\n"+
			`{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"+
			`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"remember_fact","arguments":{"content":"The user keeps bees."}}}`), &out))
	require.Contains(t, out.String(), `"id":2,"result":`)
	stats, err := reopened(t, path).Stats(t.Context(), ada)
	require.NoError(t, err)
	require.EqualValues(t, 1, stats.Memories["fact"])
}

// The end waits for answers, not for what was cancelled or asks nothing, and not for
// ever.
func TestTheEndWaitsForAnswers(t *testing.T) {
	for messages, want := range map[string]time.Duration{
		"": 0, "not JSON\n": 0, `{"id":1,"method":"a"}` + "\n": lastAnswers, `{"id":"x","method":"a"}`: lastAnswers, `{"method":"note"}` + "\n": 0, `{"id":7,"result":{}}` + "\n": 0,
		`[{"id":1,"method":"a"},{"id":2,"method":"b"}]` + "\n":                                                  lastAnswers,
		`{"id":1,"method":"a"}` + "\n" + `{"method":"notifications/cancelled","params":{"requestId":1}}` + "\n": 0,
		`{"id":3,"method":"answered"}` + "\n":                                                                   time.Second,
		`{"id":3,"method":"answered"}` + "\n" + `{"id":4,"method":"a"}` + "\n":                                  lastAnswers,
		strings.Repeat("x", MaxMessage+10) + "\n" + `{"id":3,"method":"answered"}` + "\n":                       time.Second,
	} {
		synctest.Test(t, func(t *testing.T) {
			p := newPending(t.Context(), strings.NewReader(messages), new(bytes.Buffer))
			go func() {
				time.Sleep(time.Second)
				_, _ = p.Write([]byte(`{"id":3,"result":{}}` + "\n")) // to a buffer
			}()
			began := time.Now()
			_, err := (&bytes.Buffer{}).ReadFrom(p)
			require.NoError(t, err)
			require.Equal(t, want, time.Since(began), messages[:min(len(messages), 80)])
			time.Sleep(time.Minute)
		})
	}
}
