package extension_test

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"strings"
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

var longTexts = flag.Int("long-texts", 4, "how many texts of 1 MiB BenchmarkLongTexts stores")

// BenchmarkLongTexts opens a memory of the longest texts that a message can have
// and searches it: when the first answer comes, of what is newest, and when all is
// read. With -long-texts 100 it is 100 MiB of text.
func BenchmarkLongTexts(b *testing.B) {
	path := b.TempDir() + "/memory.db"
	names := []string{"Noor", "Karim Haddad", "Ottilie", "Jonas Berg", "Mei Lin", "the Harbour Museum"}
	x, err := extension.Open(b.Context(), path, &extension.Config{Night: extension.NightConfig{NoSchedule: true}})
	require.NoError(b, err)
	start := time.Now()
	for i := range *longTexts {
		var said strings.Builder
		for n := 0; said.Len() < 1<<20-200; n++ {
			fmt.Fprintf(&said, "On day %d %s took word%d and thing%d to the old pier, and nobody asked why. ", n%365, names[n%len(names)], (n*31+i)%5000, (n*17+i)%9000)
		}
		require.NoError(b, x.Bus().Publish(b.Context(), eventbus.UserMessage(extension.Scope{User: "ada", Session: fmt.Sprint("s", i)}, said.String())))
	}
	stored := time.Since(start)
	require.NoError(b, x.WaitIdle(b.Context()))
	enriched := time.Since(start) - stored
	require.NoError(b, x.Close(b.Context()))
	question := extension.Query{Text: "What did Ottilie take to the old pier on day 7, thing119?"}
	var opened, first, all time.Duration
	for b.Loop() {
		start := time.Now()
		x, err := extension.Open(b.Context(), path, &extension.Config{Night: extension.NightConfig{NoSchedule: true}, NoBackground: true})
		require.NoError(b, err)
		opened += time.Since(start)
		_, err = x.Recall(b.Context(), extension.Scope{User: "ada"}, question)
		require.NoError(b, err)
		first += time.Since(start)
		question.Wait = true
		answer, err := x.Recall(b.Context(), extension.Scope{User: "ada"}, question)
		require.NoError(b, err)
		require.NotEmpty(b, answer.Results)
		all += time.Since(start)
		require.NoError(b, x.Close(b.Context()))
		question.Wait = false
	}
	b.ReportMetric(float64(stored.Milliseconds())/float64(*longTexts), "ms/text-stored")
	b.ReportMetric(float64(enriched.Milliseconds())/float64(*longTexts), "ms/text-enriched")
	b.ReportMetric(float64(opened.Milliseconds())/float64(b.N), "ms-open")
	b.ReportMetric(float64(first.Milliseconds())/float64(b.N), "ms-first-answer")
	b.ReportMetric(float64(all.Milliseconds())/float64(b.N), "ms-all-read")
}
