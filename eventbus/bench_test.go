package eventbus_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
)

// reportLatencies adds percentiles of single calls to the mean that Go reports.
func reportLatencies(b *testing.B, latencies []time.Duration) {
	if len(latencies) == 0 {
		return
	}
	slices.Sort(latencies)
	at := func(q float64) float64 {
		return float64(latencies[int(q*float64(len(latencies)-1))].Microseconds())
	}
	b.ReportMetric(at(0.50), "p50-µs")
	b.ReportMetric(at(0.99), "p99-µs")
}

func BenchmarkPublish(b *testing.B) {
	for _, consumers := range []int{0, 3} {
		b.Run(fmt.Sprintf("consumers=%d", consumers), func(b *testing.B) {
			j := benchmarkJournal(b, consumers)
			latencies := make([]time.Duration, 0, b.N)
			for b.Loop() {
				start := time.Now()
				require.NoError(b, j.Publish(b.Context(), eventbus.UserMessage(ada, "the quick brown fox jumps over the lazy dog")))
				latencies = append(latencies, time.Since(start))
			}
			reportLatencies(b, latencies)
		})
	}
}

func BenchmarkPublishParallel64(b *testing.B) {
	j := benchmarkJournal(b, 0)
	var mu sync.Mutex
	var all []time.Duration
	b.SetParallelism(max(64/runtime.GOMAXPROCS(0), 1))
	b.RunParallel(func(pb *testing.PB) {
		var own []time.Duration
		for pb.Next() {
			start := time.Now()
			if err := j.Publish(b.Context(), eventbus.UserMessage(ada, "the quick brown fox jumps over the lazy dog")); err != nil {
				b.Error(err)
				return
			}
			own = append(own, time.Since(start))
		}
		mu.Lock()
		defer mu.Unlock()
		all = append(all, own...)
	})
	reportLatencies(b, all)
}

// BenchmarkDelivery measures from Publish to the end of the handler.
func BenchmarkDelivery(b *testing.B) {
	j := newJournal(b, nil)
	arrived := make(chan struct{})
	_, err := j.Subscribe(b.Context(), "c", func(context.Context, eventbus.Event) error { arrived <- struct{}{}; return nil })
	require.NoError(b, err)
	latencies := make([]time.Duration, 0, b.N)
	for b.Loop() {
		start := time.Now()
		require.NoError(b, j.Publish(b.Context(), eventbus.UserMessage(ada, "x")))
		<-arrived
		latencies = append(latencies, time.Since(start))
	}
	reportLatencies(b, latencies)
}

func benchmarkJournal(b *testing.B, consumers int) *eventbus.Journal {
	j := newJournal(b, nil)
	for i := range consumers {
		_, err := j.Subscribe(b.Context(), fmt.Sprint("c", i), func(context.Context, eventbus.Event) error { return nil })
		require.NoError(b, err)
	}
	return j
}
