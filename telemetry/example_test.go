package telemetry_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/telemetry"
)

// A host gives the memory its own providers. The spans name what was done and hold no
// text of the user.
func ExampleInstrument() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "ebb")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	spans := tracetest.NewSpanRecorder()
	cfg := &extension.Config{Night: extension.NightConfig{NoSchedule: true}}
	if err := telemetry.Instrument(cfg, telemetry.Options{Tracer: trace.NewTracerProvider(trace.WithSpanProcessor(spans))}); err != nil {
		log.Fatal(err)
	}
	ext, err := extension.Open(ctx, filepath.Join(dir, "memory.db"), cfg)
	if err != nil {
		log.Fatal(err)
	}
	defer ext.Close(ctx)

	ada := extension.Scope{User: "ada"}
	if _, err := ext.Recall(ctx, ada, extension.Query{Text: "Where does Ada live?"}); err != nil {
		log.Fatal(err)
	}
	for _, span := range spans.Ended() {
		fmt.Println(span.Name())
	}
	// Output: search_memory
}
