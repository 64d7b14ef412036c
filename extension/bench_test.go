package extension_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
)

// BenchmarkPublish measures what a turn waits for: journal row, episode, chunk
// and text index, durable (synchronous=FULL) on the file system of TMPDIR.
func BenchmarkPublish(b *testing.B) { benchmarkPublish(b, extension.Redaction{}) }

// BenchmarkPublishUnredacted is what redaction's share is measured against.
func BenchmarkPublishUnredacted(b *testing.B) {
	benchmarkPublish(b, extension.Redaction{KeepSecrets: true})
}

// BenchmarkPublishPII looks for personal data too.
func BenchmarkPublishPII(b *testing.B) { benchmarkPublish(b, extension.Redaction{PII: true}) }

func benchmarkPublish(b *testing.B, redaction extension.Redaction) {
	x, err := extension.Open(b.Context(), b.TempDir()+"/memory.db", &extension.Config{NoBackground: true, Redaction: redaction})
	require.NoError(b, err)
	defer func() { require.NoError(b, x.Close(context.Background())) }()
	bus := x.Bus()
	took := make([]time.Duration, 0, b.N)
	i := 0
	for b.Loop() {
		i++
		e := eventbus.UserMessage(extension.Scope{User: "ada", Session: fmt.Sprint("s", i/40)},
			fmt.Sprintf("Message %d: I met Viktor near the old harbour and we talked about project Lighthouse until half past nine.", i))
		start := time.Now()
		if err := bus.Publish(b.Context(), e); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
	b.ReportMetric(float64(took[len(took)*999/1000].Microseconds()), "p99.9-µs")
}

// BenchmarkPublish64 measures 64 publishers at once: they share commits.
func BenchmarkPublish64(b *testing.B) {
	x, err := extension.Open(b.Context(), b.TempDir()+"/memory.db", &extension.Config{NoBackground: true})
	require.NoError(b, err)
	defer func() { require.NoError(b, x.Close(context.Background())) }()
	b.SetParallelism(32) // times GOMAXPROCS
	b.RunParallel(func(pb *testing.PB) {
		bus := x.Bus()
		for i := 0; pb.Next(); i++ {
			err := bus.Publish(b.Context(), eventbus.UserMessage(extension.Scope{User: fmt.Sprintf("user %p", pb), Session: "s"},
				"I met Viktor near the old harbour and we talked about project Lighthouse until half past nine."))
			if err != nil {
				b.Fatal(err)
			}
		}
	})
}
