package encoder

import (
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The sentences have 12 and some 50 tokens, [CLS] and [SEP] not counted.
const (
	benchQuery   = "What is the name of the vet who looks after our dog?"
	benchMessage = "When the project started we were five people in one room; today there are forty of us in three countries, and nobody quite remembers why the first version was written in this language, although everybody here has a story about it all."
)

// BenchmarkQuery measures one question.
//
//	EBB_ENCODER_MODEL=FOLDER go test ./encoder -run - -bench . [-tags purego] [-cpu 1,2]
func BenchmarkQuery(b *testing.B)     { benchmarkQuery(b) }
func BenchmarkQueryInt8(b *testing.B) { benchmarkQuery(b, Int8()) }

func benchmarkQuery(b *testing.B, options ...Option) {
	e := openModel(b, options...)
	for b.Loop() {
		_, err := e.EmbedQuery(b.Context(), benchQuery)
		require.NoError(b, err)
	}
	b.ReportMetric(float64(len(e.tokenizer.encode(benchQuery, e.limit, false))), "tokens")
}

// BenchmarkMessages measures batches of 64 messages.
func BenchmarkMessages(b *testing.B)     { benchmarkMessages(b) }
func BenchmarkMessagesInt8(b *testing.B) { benchmarkMessages(b, Int8()) }

func benchmarkMessages(b *testing.B, options ...Option) {
	e := openModel(b, options...)
	texts := strings.Split(strings.Repeat(benchMessage+"\n", 63)+benchMessage, "\n")
	n := 0
	for b.Loop() {
		vectors, err := e.EmbedDocuments(b.Context(), texts)
		require.NoError(b, err)
		n += len(vectors)
	}
	b.ReportMetric(float64(len(e.tokenizer.encode(benchMessage, e.limit, false))), "tokens")
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "messages/s")
}

// BenchmarkOpen measures reading the model's folder.
func BenchmarkOpen(b *testing.B)     { benchmarkOpen(b) }
func BenchmarkOpenInt8(b *testing.B) { benchmarkOpen(b, Int8()) }

// benchmarkOpen reports the memory that the garbage collector leaves to a model, too.
func benchmarkOpen(b *testing.B, options ...Option) {
	for b.Loop() {
		openModel(b, options...)
	}
	b.StopTimer()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	e := openModel(b, options...)
	runtime.GC()
	runtime.ReadMemStats(&after)
	b.ReportMetric((float64(after.HeapAlloc)-float64(before.HeapAlloc))/1e6, "MB")
	runtime.KeepAlive(e)
}
