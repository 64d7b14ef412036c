// Package telemetry reports what a memory does to OpenTelemetry: a span and a
// duration for each publish, search, injection, night and tool call, counts of
// faults, and the state of the file.
//
// A host sets up its SDK and exporters as usual. This package sends nothing by
// itself, and package extension does not import it.
//
//	cfg := &extension.Config{}
//	if err := telemetry.Instrument(cfg, telemetry.Options{}); err != nil {
//		return err
//	}
//	ext, err := extension.Open(ctx, "memory.db", cfg)
//	…
//	stop, err := telemetry.Watch(ext, telemetry.Options{})
//
// Names follow the semantic conventions for memory of generative AI
// (create_memory, search_memory, gen_ai.memory.…); what they do not name begins with
// "ebb.". No metric has a label for a user, and no span holds a text, unless
// [Options].Content asks for queries.
package telemetry

import (
	"context"
	"errors"
	"strings"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/memory"
)

// scopeName names the instrumentation.
const scopeName = "github.com/ebbmem/ebb/telemetry"

// Options say where telemetry goes. The zero value reports to the global providers,
// without texts.
type Options struct {
	// Tracer makes spans. Default the global provider.
	Tracer trace.TracerProvider
	// Meter makes metrics. Default the global provider.
	Meter metric.MeterProvider
	// Store is gen_ai.memory.store.id of every span: which memory it is, for a host
	// that has several. Default none.
	Store string
	// Content adds what is searched for to spans, as gen_ai.memory.query.text. It is
	// what users say. Default false.
	Content bool
}

func (o Options) tracer() trace.Tracer {
	if o.Tracer == nil {
		o.Tracer = otel.GetTracerProvider()
	}
	return o.Tracer.Tracer(scopeName)
}

func (o Options) meter() metric.Meter {
	if o.Meter == nil {
		o.Meter = otel.GetMeterProvider()
	}
	return o.Meter.Meter(scopeName)
}

// names are the operations of the semantic conventions. Other operations have none.
var names = map[string]string{"publish": "create_memory", "search": "search_memory", "tool": "execute_tool"}

// Instrument adds telemetry to the hooks of a configuration. Hooks that are set
// already are called as well.
func Instrument(cfg *extension.Config, o Options) error {
	meter := o.meter()
	durations, err := meter.Float64Histogram("ebb.operation.duration", metric.WithUnit("s"), metric.WithDescription("Duration of operations of the memory."),
		metric.WithExplicitBucketBoundaries(.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 10, 60, 600))
	if err != nil {
		return err
	}
	records, err := meter.Int64Histogram("ebb.operation.records", metric.WithUnit("{record}"), metric.WithDescription("Records that an operation stored, found, showed or changed."),
		metric.WithExplicitBucketBoundaries(0, 1, 2, 5, 10, 30, 100, 1000))
	if err != nil {
		return err
	}
	faults, err := meter.Int64Counter("ebb.faults", metric.WithUnit("{fault}"), metric.WithDescription("Faults that no call returned."))
	if err != nil {
		return err
	}
	r := &recorder{o: o, tracer: o.tracer(), durations: durations, records: records, next: cfg.Hooks.OnOperation}
	cfg.Hooks.OnOperation = r.begin
	report := cfg.Hooks.OnError
	if report == nil {
		report = memory.LogOnce()
	}
	cfg.Hooks.OnError = func(source string, err error) {
		kind, _, _ := strings.Cut(source, ":")
		faults.Add(context.Background(), 1, metric.WithAttributes(attribute.String("ebb.source", kind), errorType(err)))
		report(source, err)
	}
	return nil
}

// recorder makes spans and metrics of operations.
type recorder struct {
	o         Options
	tracer    trace.Tracer
	durations metric.Float64Histogram
	records   metric.Int64Histogram
	next      func(ctx context.Context, op extension.Operation) (context.Context, func(int, error))
}

func (r *recorder) begin(ctx context.Context, op extension.Operation) (context.Context, func(int, error)) {
	nextDone := func(int, error) {}
	if r.next != nil {
		ctx, nextDone = r.next(ctx, op)
	}
	started := time.Now()
	label := attribute.String("ebb.operation", op.Name)
	attributes := []attribute.KeyValue{label}
	name := "ebb." + op.Name
	if standard := names[op.Name]; standard != "" {
		name = standard
		attributes = append(attributes, attribute.String("gen_ai.operation.name", standard))
	}
	if op.Tool != "" {
		name += " " + op.Tool
		attributes = append(attributes, attribute.String("gen_ai.tool.name", op.Tool))
	}
	if r.o.Store != "" {
		attributes = append(attributes, attribute.String("gen_ai.memory.store.id", r.o.Store))
	}
	if r.o.Content && op.Query != "" {
		attributes = append(attributes, attribute.String("gen_ai.memory.query.text", op.Query))
	}
	ctx, span := r.tracer.Start(ctx, name, trace.WithTimestamp(started), trace.WithAttributes(attributes...))
	return ctx, func(count int, err error) {
		measured := []attribute.KeyValue{label}
		if op.Tool != "" {
			measured = append(measured, attribute.String("gen_ai.tool.name", op.Tool))
		}
		span.SetAttributes(attribute.Int("gen_ai.memory.record.count", count))
		if err != nil {
			kind := errorType(err)
			span.SetAttributes(kind)
			span.SetStatus(codes.Error, kind.Value.AsString())
			measured = append(measured, kind)
		}
		span.End()
		with := metric.WithAttributeSet(attribute.NewSet(measured...))
		r.durations.Record(ctx, time.Since(started).Seconds(), with)
		r.records.Record(ctx, int64(count), with)
		nextDone(count, err)
	}
}

// errorType says of which kind an error is. Its text may hold what users say.
func errorType(err error) attribute.KeyValue {
	kind := "other"
	var invalid *extension.InvalidError
	var redaction *extension.RedactionError
	var foreign *extension.ForeignError
	switch {
	case errors.Is(err, context.Canceled):
		kind = "canceled"
	case errors.Is(err, context.DeadlineExceeded):
		kind = "timeout"
	case errors.As(err, &invalid):
		kind = "invalid"
	case errors.As(err, &redaction):
		kind = "redaction"
	case errors.Is(err, extension.ErrNotFound):
		kind = "not_found"
	case errors.Is(err, extension.ErrConflict):
		kind = "conflict"
	case errors.Is(err, extension.ErrBusy):
		kind = "busy"
	case errors.Is(err, extension.ErrDiskFull):
		kind = "disk_full"
	case errors.Is(err, extension.ErrCorrupt):
		kind = "corrupt"
	case errors.As(err, &foreign):
		kind = "host_code"
	}
	return attribute.String("error.type", kind)
}

// healthAge is how long the state of a memory is kept.
const healthAge = time.Minute

// Watch reports the state of an open memory whenever metrics are collected, until
// stop is called, which must be before the memory is closed: the sizes of its files,
// the backlog of background work, what waits for a person, and whether all is well. It reads the state at
// most once a minute, since that checks every memory; while that fails, it reports the
// last state and the error.
func Watch(x *extension.Extension, o Options) (stop func() error, err error) {
	meter := o.meter()
	var gauges []metric.Observable
	gauge := func(name, unit, description string) metric.Int64ObservableGauge {
		g, failed := meter.Int64ObservableGauge(name, metric.WithUnit(unit), metric.WithDescription(description))
		err = errors.Join(err, failed)
		gauges = append(gauges, g)
		return g
	}
	file := gauge("ebb.file.size", "By", "Size of the memory file.")
	wal := gauge("ebb.wal.size", "By", "Size of its write-ahead log.")
	backlog := gauge("ebb.backlog", "{event}", "Events that the memory's background work has not handled.")
	parked := gauge("ebb.parked", "{event}", "Events that a consumer has given up.")
	overdue := gauge("ebb.nights.overdue", "d", "Local days that no night has consolidated.")
	quarantined := gauge("ebb.quarantined", "{record}", "Memories that wait for release.")
	healthy := gauge("ebb.healthy", "1", "1 if nothing failed, was given up or lost, else 0.")
	losses := gauge("ebb.losses", "{loss}", "Losses of data that the file had when it was opened and that are not acknowledged.")
	failing := gauge("ebb.failing", "{kind}", "Kinds of failures that are not overcome.")
	if err != nil {
		return nil, err
	}
	labels := metric.WithAttributes()
	if o.Store != "" {
		labels = metric.WithAttributes(attribute.String("gen_ai.memory.store.id", o.Store))
	}
	var recent memory.Recent[extension.Health]
	registered, err := meter.RegisterCallback(func(ctx context.Context, to metric.Observer) error {
		health, err := recent.Read(ctx, healthAge, x.Health)
		if health == nil {
			return err
		}
		var given int64
		for _, c := range health.Consumers {
			given += int64(c.Parked)
		}
		well := int64(0)
		if err == nil && health.Healthy() && len(x.Parts().DB.Faults()) == 0 { // faults are read each time
			well = 1
		}
		for g, value := range map[metric.Int64ObservableGauge]int64{
			file: int64(health.FileBytes), wal: int64(health.WALBytes), backlog: memory.Backlog(health.Consumers), parked: given,
			overdue: int64(health.NightsOverdue), quarantined: int64(health.Quarantined), failing: int64(len(health.Failures)),
			healthy: well, losses: int64(len(health.Losses)),
		} {
			to.ObserveInt64(g, value, labels)
		}
		return err
	}, gauges...)
	if err != nil {
		return nil, err
	}
	return registered.Unregister, nil
}
