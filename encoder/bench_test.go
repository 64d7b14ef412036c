package encoder

import (
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
func BenchmarkQuery(b *testing.B) {
	e := openModel(b)
	for b.Loop() {
		_, err := e.EmbedQuery(b.Context(), benchQuery)
		require.NoError(b, err)
	}
	b.ReportMetric(float64(len(e.tokenizer.encode(benchQuery, e.limit, false))), "tokens")
}

// BenchmarkMessages measures batches of 64 messages.
func BenchmarkMessages(b *testing.B) {
	e := openModel(b)
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
func BenchmarkOpen(b *testing.B) {
	for b.Loop() {
		openModel(b)
	}
}
