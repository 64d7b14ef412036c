package telemetry_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.uber.org/goleak"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/telemetry"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var ada = extension.Scope{User: "ada", Session: "monday"}

func open(t testing.TB, cfg *extension.Config) *extension.Extension {
	t.Helper()
	cfg.Night.NoSchedule = true
	x, err := extension.Open(t.Context(), filepath.Join(t.TempDir(), "memory.db"), cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, x.Close(context.WithoutCancel(t.Context()))) })
	return x
}

// sink keeps what is reported.
type sink struct {
	spans   *tracetest.SpanRecorder
	metrics *metric.ManualReader
	options telemetry.Options
}

func newSink() *sink {
	s := &sink{spans: tracetest.NewSpanRecorder(), metrics: metric.NewManualReader()}
	s.options = telemetry.Options{
		Tracer: trace.NewTracerProvider(trace.WithSpanProcessor(s.spans)), Meter: metric.NewMeterProvider(metric.WithReader(s.metrics)), Store: "notes",
	}
	return s
}

// find returns the last span of a name.
func (s *sink) find(t *testing.T, name string) (found trace.ReadOnlySpan, attributes map[attribute.Key]attribute.Value) {
	t.Helper()
	attributes = make(map[attribute.Key]attribute.Value)
	for _, span := range s.spans.Ended() {
		if span.Name() == name {
			found = span
		}
	}
	require.NotNil(t, found, name)
	for _, a := range found.Attributes() {
		attributes[a.Key] = a.Value
	}
	return found, attributes
}

func (s *sink) collect(t *testing.T) map[string]metricdata.Aggregation {
	t.Helper()
	var all metricdata.ResourceMetrics
	require.NoError(t, s.metrics.Collect(t.Context(), &all))
	byName := make(map[string]metricdata.Aggregation)
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			byName[m.Name] = m.Data
		}
	}
	return byName
}

// use does each operation once.
func use(t *testing.T, x *extension.Extension) {
	t.Helper()
	require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(ada, "I'm allergic to cashews.")))
	require.NoError(t, x.WaitIdle(t.Context()))
	s, err := x.Session(ada)
	require.NoError(t, err)
	_, err = s.Context(t.Context(), "What am I allergic to, cashews?")
	require.NoError(t, err)
	_, err = s.ProgramTools("search_memory")[0].Run(t.Context(), `{"query":"cashews"}`)
	require.NoError(t, err)
	_, err = x.Consolidate(t.Context(), ada)
	require.NoError(t, err)
}

func TestOperationsAreReported(t *testing.T) {
	s := newSink()
	heard := 0
	cfg := &extension.Config{Hooks: extension.Hooks{OnOperation: func(ctx context.Context, _ extension.Operation) (context.Context, func(int, error)) {
		heard++
		return ctx, func(int, error) { heard++ }
	}}}
	require.NoError(t, telemetry.Instrument(cfg, s.options))
	x := open(t, cfg)
	stop, err := telemetry.Watch(x, s.options)
	require.NoError(t, err)
	use(t, x)

	_, attributes := s.find(t, "create_memory")
	require.Equal(t, "notes", attributes["gen_ai.memory.store.id"].AsString())
	require.EqualValues(t, 1, attributes["gen_ai.memory.record.count"].AsInt64())
	_, attributes = s.find(t, "search_memory")
	require.Equal(t, "search_memory", attributes["gen_ai.operation.name"].AsString())
	require.Positive(t, attributes["gen_ai.memory.record.count"].AsInt64())
	search, _ := s.find(t, "search_memory")
	tool, attributes := s.find(t, "execute_tool search_memory")
	require.Equal(t, "search_memory", attributes["gen_ai.tool.name"].AsString())
	require.Equal(t, tool.SpanContext().SpanID(), search.Parent().SpanID(), "the search of the tool is part of it")
	s.find(t, "ebb.inject")
	s.find(t, "ebb.night")
	for _, span := range s.spans.Ended() {
		for _, a := range span.Attributes() {
			require.NotContains(t, a.Value.String(), "cashews", "no content")
			require.NotContains(t, a.Value.String(), "ada", "no user")
		}
	}

	metrics := s.collect(t)
	operations := make(map[string]uint64)
	for _, p := range metrics["ebb.operation.duration"].(metricdata.Histogram[float64]).DataPoints {
		name, _ := p.Attributes.Value("ebb.operation")
		operations[name.AsString()] += p.Count
		require.NotContains(t, p.Attributes.Encoded(attribute.DefaultEncoder()), "ada")
	}
	require.Equal(t, uint64(1), operations["publish"])
	require.Equal(t, uint64(2), operations["search"])
	require.Equal(t, uint64(1), operations["inject"])
	require.Equal(t, uint64(1), operations["tool"])
	require.Equal(t, uint64(1), operations["night"])
	require.Equal(t, len(s.spans.Ended())*2, heard, "the host's own hook is called as well")
	require.Positive(t, metrics["ebb.file.size"].(metricdata.Gauge[int64]).DataPoints[0].Value)
	for _, name := range []string{"ebb.wal.size", "ebb.backlog", "ebb.parked", "ebb.nights.overdue", "ebb.quarantined", "ebb.failing"} {
		require.Contains(t, metrics, name)
	}
	require.EqualValues(t, 1, metrics["ebb.healthy"].(metricdata.Gauge[int64]).DataPoints[0].Value)
	require.Zero(t, metrics["ebb.losses"].(metricdata.Gauge[int64]).DataPoints[0].Value)
	require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(ada, strings.Repeat("Bees. ", 1<<16))))
	log := func(of map[string]metricdata.Aggregation) int64 {
		return of["ebb.wal.size"].(metricdata.Gauge[int64]).DataPoints[0].Value
	}
	require.Equal(t, log(metrics), log(s.collect(t)), "the state is read once a minute")
	require.NoError(t, stop())
	require.NotContains(t, s.collect(t), "ebb.file.size")
}

func TestContentOnlyWhenAsked(t *testing.T) {
	s := newSink()
	s.options.Content = true
	cfg := &extension.Config{}
	require.NoError(t, telemetry.Instrument(cfg, s.options))
	use(t, open(t, cfg))
	_, attributes := s.find(t, "search_memory")
	require.Contains(t, attributes["gen_ai.memory.query.text"].AsString(), "cashews")
}

func TestFaultsAreCountedByKind(t *testing.T) {
	s := newSink()
	var reported []string
	cfg := &extension.Config{Hooks: extension.Hooks{OnError: func(source string, _ error) { reported = append(reported, source) }}}
	require.NoError(t, telemetry.Instrument(cfg, s.options))
	cfg.Hooks.OnError("tool:search_memory", errors.New("ada said: my secret"))
	require.Equal(t, []string{"tool:search_memory"}, reported)
	points := s.collect(t)["ebb.faults"].(metricdata.Sum[int64]).DataPoints
	require.Len(t, points, 1)
	source, _ := points[0].Attributes.Value("ebb.source")
	require.Equal(t, "tool", source.AsString())

	x := open(t, cfg)
	_, err := x.Recall(t.Context(), ada, extension.Query{Text: strings.Repeat("x", 1<<20)})
	if err == nil {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err = x.Recall(ctx, ada, extension.Query{Text: "kettle"})
	}
	require.Error(t, err)
	span, attributes := s.find(t, "search_memory")
	require.Equal(t, codes.Error, span.Status().Code)
	require.NotEmpty(t, attributes["error.type"].AsString())
	require.Empty(t, span.Events(), "the text of an error may hold what users say")
}

func TestNoTelemetryAllocatesNothing(t *testing.T) {
	var none extension.Config
	require.Zero(t, testing.AllocsPerRun(100, func() {
		_, done := none.Hooks.OnOperation.Begin(t.Context(), extension.Operation{Name: "search", Scope: ada})
		done(3, nil)
	}))
}
