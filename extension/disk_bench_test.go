package extension

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/internal/memory"
	"github.com/ebbmem/ebb/internal/vfstest"
	"github.com/ebbmem/ebb/schema"
)

// BenchmarkPublishers measures what sharing commits is worth by how long the
// disk takes to sync. The disk is a made one: it takes that long and saves
// nothing, so that the time is the same on every machine.
func BenchmarkPublishers(b *testing.B) {
	for _, syncs := range []time.Duration{time.Millisecond, 2 * time.Millisecond, 5 * time.Millisecond} {
		for _, publishers := range []int{1, 64} {
			b.Run(fmt.Sprintf("sync=%v/publishers=%d", syncs, publishers), func(b *testing.B) { publishersOn(b, syncs, publishers) })
		}
	}
}

func publishersOn(b *testing.B, syncs time.Duration, publishers int) {
	disk := vfstest.New(b)
	x, err := OpenWith(b.Context(), b.TempDir()+"/memory.db", &Config{NoBackground: true}, memory.Options{File: schema.Options{VFS: disk.Name()}})
	require.NoError(b, err)
	defer func() { require.NoError(b, x.Close(context.Background())) }()
	disk.Slow(syncs)
	defer disk.Slow(0)
	turns := make(chan int)
	var crowd sync.WaitGroup
	for n := range publishers {
		crowd.Go(func() {
			scope := Scope{User: "ada", Session: fmt.Sprint("s", n)}
			for i := range turns {
				err := x.Bus().Publish(b.Context(), eventbus.UserMessage(scope,
					fmt.Sprintf("Message %d: I met Viktor near the old harbour and we talked about project Lighthouse until half past nine.", i)))
				if err != nil {
					b.Error(err)
				}
			}
		})
	}
	began, n := time.Now(), 0
	for b.Loop() {
		turns <- n
		n++
	}
	close(turns)
	crowd.Wait()
	b.ReportMetric(float64(n)/time.Since(began).Seconds(), "turns/s")
}
