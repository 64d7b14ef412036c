package extension

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/internal/racing"
	"github.com/ebbmem/ebb/schema"
)

var monthly = flag.Int("monthly", 20, "how many messages a day of the simulated month has")

// What a month may cost, beyond what the fifth day did.
const (
	monthBytesPerMessage = 4 << 10  // of memory: the text index of users searched lately grows with what they say
	monthSlack           = 8 << 20  // of memory: what the collector had not taken yet
	monthLog             = 80 << 20 // bytes of the write-ahead log: SQLite restarts it after 16,384 pages at the latest
)

// usage is what the process holds at the end of a day.
type usage struct {
	goroutines, descriptors int
	heap, log               int64
}

func (m *month) usage() usage {
	runtime.GC()
	runtime.GC() // what had finalisers
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	u := usage{goroutines: runtime.NumGoroutine(), heap: int64(memory.HeapAlloc)}
	if open, err := os.ReadDir("/proc/self/fd"); err == nil {
		u.descriptors = len(open)
	}
	health, err := m.x.Health(m.t.Context())
	require.NoError(m.t, err)
	require.True(m.t, health.Healthy(), "%+v", health)
	u.log = health.WALBytes
	return u
}

// openAll opens every connection: the readers, which are otherwise opened on demand,
// and the checkpoint connection, which is otherwise opened when writes pause. Either
// could happen on any day of the month.
func (m *month) openAll() {
	assert.NoError(m.t, m.x.db.Checkpoint(m.t.Context()))
	const readers = 4 // the default of schema.Options
	var reading, all sync.WaitGroup
	reading.Add(readers)
	for range readers {
		all.Go(func() {
			assert.NoError(m.t, m.x.db.Read(m.t.Context(), func(context.Context, *schema.Snapshot) error {
				reading.Done()
				reading.Wait()
				return nil
			}))
		})
	}
	all.Wait()
}

// month is a memory in daily use, by a clock of its own.
type month struct {
	t     *testing.T
	x     *Extension
	clock atomic.Int64
	said  int
}

// day is one day of three users: what they say in a conversation of the day,
// what they ask, and the night.
func (m *month) day(number, messages int) {
	ctx := m.t.Context()
	morning := time.Date(2026, 5, 1+number, 8, 0, 0, 0, time.UTC)
	for i := range messages {
		m.clock.Store(morning.Add(time.Duration(i) * 12 * time.Hour / time.Duration(messages)).UnixNano())
		scope := Scope{User: fmt.Sprint("user", i%3), Session: fmt.Sprint("day", number)}
		text := fmt.Sprintf("Noor met guest %d of day %d at the Tramworks, and they spoke of ticket n%dx%d.", i, number, number, i)
		require.NoError(m.t, m.x.Bus().Publish(ctx, eventbus.UserMessage(scope, text)))
		m.said++
		if i%4 == 0 {
			answer, err := m.x.Recall(ctx, scope, Query{Text: fmt.Sprintf("who spoke of ticket n%dx%d?", number, i)})
			require.NoError(m.t, err)
			require.NotEmpty(m.t, answer.Results)
		}
	}
	require.NoError(m.t, m.x.WaitIdle(ctx))
	m.clock.Store(morning.Add(18 * time.Hour).UnixNano())
	for user := range 3 {
		_, err := m.x.Consolidate(ctx, Scope{User: fmt.Sprint("user", user)})
		require.NoError(m.t, err)
	}
	require.NoError(m.t, m.x.WaitIdle(ctx))
}

// After a month of daily use the process holds no more goroutines and
// descriptors than after some days, the log is bounded, and memory has grown by
// no more than the index of what was said.
func TestMonth(t *testing.T) {
	racing.Alone(t)
	days := 30
	if testing.Short() {
		days = 10
	}
	m := &month{t: t}
	m.clock.Store(time.Date(2026, 5, 1, 8, 0, 0, 0, time.UTC).UnixNano())
	x, err := Open(t.Context(), filepath.Join(t.TempDir(), "memory.db"), &Config{
		Now: func() time.Time { return time.Unix(0, m.clock.Load()) }, Location: time.UTC, Night: NightConfig{NoSchedule: true},
		Hooks: Hooks{OnError: func(source string, err error) { t.Errorf("%s: %v", source, err) }},
	})
	require.NoError(t, err)
	m.x = x
	t.Cleanup(func() { require.NoError(t, x.Close(context.Background())) })
	var fifth usage
	saidByFifth := 0
	for number := range days {
		m.day(number, *monthly)
		if number == 4 {
			m.openAll()
			fifth, saidByFifth = m.usage(), m.said
		}
	}
	// What serves a burst is let go soon after it.
	last := m.usage()
	for range 100 {
		if last.goroutines <= fifth.goroutines && last.log <= monthLog {
			break
		}
		time.Sleep(50 * time.Millisecond)
		last = m.usage()
	}
	require.LessOrEqual(t, last.goroutines, fifth.goroutines, "goroutines")
	require.LessOrEqual(t, last.log, int64(monthLog), "the write-ahead log")
	grown, messages := last.heap-fifth.heap, int64(m.said-saidByFifth)
	t.Logf("%d messages in %d days: goroutines %d, then %d; descriptors %d, then %d; log %d bytes, then %d; heap %d KiB, then %d: %d bytes a message",
		m.said, days, fifth.goroutines, last.goroutines, fifth.descriptors, last.descriptors, fifth.log, last.log, fifth.heap>>10, last.heap>>10, grown/messages)
	require.LessOrEqual(t, last.descriptors, fifth.descriptors+2, "descriptors")
	require.Less(t, grown, monthSlack+messages*monthBytesPerMessage, "%d bytes a message", grown/messages)
	require.LessOrEqual(t, x.searcher.Remembered(), 3, "users kept in memory")
	require.LessOrEqual(t, x.captures.conversations.Len(), maxConversations, "turns kept in memory")
	require.Equal(t, m.said, count(t, x, episodes))
}
