package embed

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/tmc/langchaingo/embeddings"
	"golang.org/x/time/rate"

	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/vecstore"
)

// Options configure a [Worker]. The zero value is the default.
type Options struct {
	// Model is the name that vectors are stored under. Vectors of different names
	// are never compared; a new name embeds all texts again. All processes on a
	// database use the same. Default what the embedder's method ID() string returns,
	// else its Go type. It is required with langchaingo's embedders, whose types are
	// the same for every model.
	Model string
	// Dims cuts each vector to its first Dims numbers, for models trained for that
	// (Matryoshka). Default 0: not cut.
	Dims int
	// BatchSize is the maximum number of texts in one call. Calls are smaller for an
	// hour after one that was too large or too slow. Default 64.
	BatchSize int
	// CallsPerMinute limits the calls that embed documents. Default 0: no limit.
	CallsPerMinute int
	// Timeout of one call. Default 1 minute.
	Timeout time.Duration
	// Tries is how often a failing call is made before its texts are embedded in
	// smaller batches. Default 4.
	Tries int
	// FirstPause is the wait before the second try. It doubles with each further
	// one, with jitter, up to a minute. Default 1 s.
	FirstPause time.Duration
	// OnError, if set, is called with every error. Errors are also recorded in
	// the database.
	OnError func(error)
}

// modelOf returns the name of an embedder's model, "" if the embedder does not tell it.
func modelOf(embedder embeddings.Embedder) string {
	if e, ok := embedder.(interface{ ID() string }); ok && e.ID() != "" {
		return e.ID()
	}
	t := reflect.TypeOf(embedder)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if strings.HasPrefix(t.PkgPath(), "github.com/tmc/langchaingo/") {
		return ""
	}
	return fmt.Sprintf("%T", embedder)
}

func (o Options) withDefaults() Options {
	for _, d := range []struct {
		option *int
		value  int
	}{{&o.BatchSize, 64}, {&o.Tries, 4}} {
		if *d.option == 0 {
			*d.option = d.value
		}
	}
	o.Timeout = cmp.Or(o.Timeout, time.Minute)
	o.FirstPause = cmp.Or(o.FirstPause, time.Second)
	if o.OnError == nil {
		o.OnError = func(error) {}
	}
	return o
}

func (o Options) validate() error {
	for _, f := range []struct {
		name  string
		value int
	}{
		{"Config.Embedding.Dims", o.Dims}, {"Config.Embedding.CallsPerMinute", o.CallsPerMinute},
		{"embed.Options.BatchSize", o.BatchSize}, {"embed.Options.Timeout", int(o.Timeout)},
		{"embed.Options.Tries", o.Tries}, {"embed.Options.FirstPause", int(o.FirstPause)},
	} {
		if f.value < 0 {
			return &schema.InvalidError{Field: f.name, Reason: "must not be negative; 0 means the default"}
		}
	}
	return schema.ValidLabel("Config.Embedding.Model", o.Model)
}

// Worker embeds stored texts in the background. It is safe for concurrent use.
type Worker struct {
	db       *schema.DB
	embedder embeddings.Embedder
	opts     Options
	limit    *rate.Limiter
	holder   string // of the lease

	// Used by the worker's goroutine alone.
	target     *vecstore.Generation // that vectors are made for; nil before the first answer
	handled    map[int64]int64      // by user, the last chunk that has a vector in target or was refused
	okRecorded bool                 // the database records no failure
	served     int64                // the generation of this worker that served last, 0 for none
	slow       bool                 // the last call timed out
	batch      int                  // texts in a call
	shrunk     time.Time            // when batch was last made smaller

	wake chan struct{}
	asks chan chan error

	mu      sync.Mutex
	size    int // of the model's vectors before the cut; 0 before the first
	doubted int // another size that a query's vector had, 0 for none
	refused map[int64]refusedChunk
	lastErr error
	taken   error              // set while searches use another process's vectors
	stop    context.CancelFunc // nil before Start
	stopped chan struct{}      // closed when the goroutine has ended
	ended   bool               // Stop was called

	queries  *lru.Cache[queryKey, *queryCall]
	calls    sync.WaitGroup // calls that embed queries
	inFlight chan struct{}  // limits them
	life     context.Context
	endLife  context.CancelFunc
}

// New returns a worker that is not started. It embeds queries without being
// started.
//
// Errors: [*schema.InvalidError] for an invalid option.
func New(db *schema.DB, embedder embeddings.Embedder, opts Options) (*Worker, error) {
	if embedder == nil {
		return nil, &schema.InvalidError{Field: "embedder", Reason: "is nil; without one there is nothing to start"}
	}
	if opts.Model == "" {
		opts.Model = modelOf(embedder)
	}
	if opts.Model == "" {
		return nil, &schema.InvalidError{Field: "Config.Embedding.Model", Reason: fmt.Sprintf("is empty, and %T does not say which model it uses: "+
			"name the model, or vectors of two models would be compared", embedder)}
	}
	opts = opts.withDefaults()
	if err := opts.validate(); err != nil {
		return nil, err
	}
	queries, err := lru.New[queryKey, *queryCall](queryCacheSize)
	if err != nil {
		return nil, err
	}
	w := &Worker{
		db: db, embedder: embedder, opts: opts, limit: rate.NewLimiter(rate.Inf, 1), holder: uuid.NewString(),
		handled: make(map[int64]int64), refused: make(map[int64]refusedChunk), batch: opts.BatchSize,
		wake: make(chan struct{}, 1), asks: make(chan chan error),
		queries: queries, inFlight: make(chan struct{}, maxQueriesInFlight),
	}
	if opts.CallsPerMinute > 0 {
		w.limit.SetLimit(rate.Every(time.Minute / time.Duration(opts.CallsPerMinute)))
	}
	w.life, w.endLife = context.WithCancel(context.Background())
	return w, nil
}

// Start starts the worker. ctx limits the start alone. Starting again, or after
// [Worker.Stop], does nothing.
func (w *Worker) Start(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stop != nil || w.ended {
		return nil
	}
	work, cancel := context.WithCancel(context.Background())
	w.stop, w.stopped = cancel, make(chan struct{})
	go func() {
		defer close(w.stopped)
		w.run(work)
	}()
	return nil
}

// Wake makes the worker look for new texts now. Otherwise it looks every half
// minute. Wake does not block.
func (w *Worker) Wake() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

var errStopped = errors.New("the embedding worker is not running")

// WaitIdle waits until every text stored before the call has a vector or was
// refused. It returns early with the error of a failed round, which the worker
// repeats later.
func (w *Worker) WaitIdle(ctx context.Context) error {
	w.mu.Lock()
	stopped := w.stopped
	w.mu.Unlock()
	if stopped == nil {
		return errStopped
	}
	answer := make(chan error, 1)
	select {
	case w.asks <- answer:
	case <-stopped:
		return errStopped
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case err := <-answer:
		return err
	case <-stopped:
		return errStopped
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Stop stops the worker and cancels its calls; the next worker makes them again.
// It waits until nothing runs any more, or returns ctx's error. Stopping again,
// or before [Worker.Start], is fine.
func (w *Worker) Stop(ctx context.Context) error {
	w.mu.Lock()
	w.ended = true
	stopped := w.stopped
	if w.stop != nil {
		w.stop()
	}
	w.endLife()
	w.mu.Unlock()
	done := make(chan struct{})
	go func() {
		defer close(done)
		if stopped != nil {
			<-stopped
		}
		w.calls.Wait()
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
