package jetstream_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	broker "github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/eventbus/jetstream"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/bustest"
	"github.com/ebbmem/ebb/internal/racing"
)

const crashFolder = "EBB_TEST_CRASH_FOLDER"

// host is a program with a broker and a memory, which stores what the one stream holds
// and reports to the other.
func host(t *testing.T, folder string) (*extension.Extension, broker.JetStream) {
	n := &nest{dir: filepath.Join(folder, "nats")}
	n.start(t)
	t.Cleanup(n.halt)
	js := n.connect(t)
	for name, subject := range map[string]string{in: "in.>", out: "ebb.>", "DEAD": "dead.>"} {
		stream(t, js, broker.StreamConfig{Name: name, Subjects: []string{subject}})
	}
	x, err := extension.Open(t.Context(), filepath.Join(folder, "memory.db"), nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, x.Close(context.Background())) })
	newOutbox(t, x.Bus(), js, jetstream.OutboxOptions{Topics: []string{eventbus.TopicMemoryStored}, FromStart: true})
	newInbox(t, x.Bus(), js, jetstream.InboxOptions{Host: true, AckWait: 200 * time.Millisecond})
	return x, js
}

// The broker and the memory are killed at the same moment, twice, between any two steps
// of a message's way. Every message that the stream had accepted is stored once and
// reported once, in order.
func TestKilledWithTheBroker(t *testing.T) {
	if folder := os.Getenv(crashFolder); folder != "" {
		_, js := host(t, folder)
		for i := 0; ; i++ {
			e := eventbus.UserMessage(ada, fmt.Sprintf("note %d of process %d", i, os.Getpid()))
			send(t, js, e)
			fmt.Println("accepted", e.ID)
		}
	}
	racing.Alone(t)
	t.Parallel()
	folder := t.TempDir()
	var accepted []string
	for range 2 {
		child := exec.Command(os.Args[0], "-test.run=^TestKilledWithTheBroker$")
		child.Env = append(os.Environ(), crashFolder+"="+folder)
		printed, err := child.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, child.Start())
		kill := sync.OnceFunc(func() { require.NoError(t, child.Process.Kill()) })
		before := len(accepted)
		for lines := bufio.NewScanner(printed); lines.Scan(); {
			var id string
			if _, err := fmt.Sscanf(lines.Text(), "accepted %s", &id); err != nil {
				continue
			}
			if accepted = append(accepted, id); len(accepted) >= before+40 {
				kill()
			}
		}
		require.Error(t, child.Wait(), "it was killed")
	}
	require.GreaterOrEqual(t, len(accepted), 80)

	x, js := host(t, folder)
	settled(t, js)
	require.NoError(t, x.WaitIdle(t.Context()))
	var streamed, stored, reported []string
	for _, m := range kept(t, js, in) {
		var e eventbus.Event
		require.NoError(t, json.Unmarshal(m.Data, &e))
		streamed = append(streamed, e.ID)
	}
	for _, e := range bustest.Journal(t, x.Bus(), eventbus.TopicUserMessage) {
		stored = append(stored, e.ID)
	}
	for _, m := range kept(t, js, out) {
		var e eventbus.Event
		require.NoError(t, json.Unmarshal(m.Data, &e))
		var s eventbus.Stored
		require.NoError(t, e.Decode(&s))
		if s.Kind == "episode" {
			reported = append(reported, s.EventID)
		}
	}
	require.Subset(t, streamed, accepted)
	assert.Equal(t, streamed, stored, "each once, in order")
	assert.Equal(t, streamed, reported, "each once, in order")
	assert.True(t, slices.IsSorted(streamed))
	assert.Empty(t, kept(t, js, "DEAD"))
}
