package consolidate

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"
	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/tmc/langchaingo/embeddings"
	"golang.org/x/time/rate"

	"github.com/ebbmem/ebb/schema"
)

// VectoriserOptions say how texts are embedded. The zero value is the default.
type VectoriserOptions struct {
	// Model is the name vectors are kept under; those of two names are never
	// compared. Another name makes new vectors of everything, beside the old.
	// Default the embedder's Go type. That is the same for all models behind
	// langchaingo's embeddings.NewEmbedder, with which it is required.
	Model string
	// Dims keeps the first so many numbers of each vector, for models trained
	// for it (Matryoshka). Default 0: all of them.
	Dims int
	// Previous are models that vectors may still be of. While those of Model
	// are being made, queries for the old ones are embedded by these; without,
	// search is by text until the new ones are complete.
	Previous []PreviousModel
	// BatchSize is the most texts in one call. Default 64.
	BatchSize int
	// CallsPerMinute bounds the calls that embed documents. Default 0: no
	// bound.
	CallsPerMinute int
	// Timeout is how long one call may take. Default 1 minute.
	Timeout time.Duration
	// Tries is how often a call that fails is made before the texts in it are
	// looked at one by one. Default 4.
	Tries int
	// FirstPause is the wait before the second try; it doubles, with some
	// chance in it, up to a minute. Default 1 s.
	FirstPause time.Duration
	// QueryCache is how many queries' vectors are kept. Default 1024.
	QueryCache int
	// OnError hears of every fault; it is also on record in the database.
	// Default none.
	OnError func(error)
}

// PreviousModel is a model with the name it was used under.
type PreviousModel struct {
	Model    string
	Embedder embeddings.Embedder
}

func (o VectoriserOptions) withDefaults(embedder embeddings.Embedder) VectoriserOptions {
	if o.Model == "" {
		o.Model = fmt.Sprintf("%T", embedder)
	}
	for _, d := range []struct {
		option *int
		value  int
	}{{&o.BatchSize, 64}, {&o.Tries, 4}, {&o.QueryCache, 1024}} {
		if *d.option == 0 {
			*d.option = d.value
		}
	}
	if o.Timeout == 0 {
		o.Timeout = time.Minute
	}
	if o.FirstPause == 0 {
		o.FirstPause = time.Second
	}
	if o.OnError == nil {
		o.OnError = func(error) {}
	}
	return o
}

func (o VectoriserOptions) validate() error {
	for _, f := range []struct {
		name  string
		value int
	}{
		{"Dims", o.Dims}, {"BatchSize", o.BatchSize}, {"CallsPerMinute", o.CallsPerMinute}, {"Timeout", int(o.Timeout)},
		{"Tries", o.Tries}, {"FirstPause", int(o.FirstPause)}, {"QueryCache", o.QueryCache},
	} {
		if f.value < 0 {
			return &schema.InvalidError{Field: "VectoriserOptions." + f.name, Reason: "must not be negative; 0 means the default"}
		}
	}
	return schema.ValidLabel("VectoriserOptions.Model", o.Model)
}

// Vectoriser makes the vectors of stored texts in the background. It asks the
// database what has none yet, so nothing is lost when the process ends or the
// embedder is away: what is missing is made later. It is safe for concurrent
// use.
type Vectoriser struct {
	db       *schema.DB
	embedder embeddings.Embedder
	opts     VectoriserOptions
	limit    *rate.Limiter
	holder   string // of the lease

	// What only the worker touches.
	target    *schema.Generation // what vectors are made for; nil before the first answer
	handled   map[int64]int64    // user → the last chunk that target has, or that is set aside
	wellKnown bool               // that nothing fails is on record

	wake chan struct{}
	asks chan chan error

	mu      sync.Mutex
	size    int             // of the model's answers before the cut; 0 before the first
	aside   map[int64]int64 // chunks whose texts the embedder refuses → their users
	lastErr error
	stop    context.CancelFunc // nil before Start
	stopped chan struct{}      // closed when the worker has ended
	ended   bool               // Stop was called

	queries  *lru.Cache[queryKey, schema.Vector]
	calls    sync.WaitGroup // queries that go on when their search does not wait
	inFlight chan struct{}
	life     context.Context // of those
	endLife  context.CancelFunc
}

// NewVectoriser makes a vectoriser that is not running yet. It embeds queries
// without being started.
//
// Errors: [*schema.InvalidError] for the option that cannot be used.
func NewVectoriser(db *schema.DB, embedder embeddings.Embedder, opts VectoriserOptions) (*Vectoriser, error) {
	if embedder == nil {
		return nil, &schema.InvalidError{Field: "embedder", Reason: "is nil; without one there is nothing to start"}
	}
	if _, anonymous := embedder.(*embeddings.EmbedderImpl); anonymous && opts.Model == "" {
		return nil, &schema.InvalidError{Field: "EmbedModel", Reason: "is empty, and embeddings.NewEmbedder does not say which model is behind it: " +
			"name the model, or vectors of two models would be compared"}
	}
	opts = opts.withDefaults(embedder)
	if err := opts.validate(); err != nil {
		return nil, err
	}
	queries, err := lru.New[queryKey, schema.Vector](opts.QueryCache)
	if err != nil {
		return nil, err
	}
	v := &Vectoriser{
		db: db, embedder: embedder, opts: opts, limit: rate.NewLimiter(rate.Inf, 1), holder: uuid.NewString(),
		handled: make(map[int64]int64), aside: make(map[int64]int64),
		wake: make(chan struct{}, 1), asks: make(chan chan error),
		queries: queries, inFlight: make(chan struct{}, maxQueriesInFlight),
	}
	if opts.CallsPerMinute > 0 {
		v.limit.SetLimit(rate.Every(time.Minute / time.Duration(opts.CallsPerMinute)))
	}
	v.life, v.endLife = context.WithCancel(context.Background())
	return v, nil
}

// Start begins to work; ctx bounds the start alone. One that works already, or
// was stopped, stays as it is.
func (v *Vectoriser) Start(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.stop != nil || v.ended {
		return nil
	}
	work, cancel := context.WithCancel(context.Background())
	v.stop, v.stopped = cancel, make(chan struct{})
	go func() {
		defer close(v.stopped)
		v.run(work)
	}()
	return nil
}

// Wake says that there may be something new to embed. Without it the worker
// looks every half minute. It never waits.
func (v *Vectoriser) Wake() {
	select {
	case v.wake <- struct{}{}:
	default:
	}
}

// errStopped is what waiting for a vectoriser that does not work returns.
var errStopped = errors.New("the vectoriser is not running")

// WaitIdle returns when everything stored before has its vector or was set
// aside. It is cut short by a failure, which it returns: the worker goes on
// trying.
func (v *Vectoriser) WaitIdle(ctx context.Context) error {
	v.mu.Lock()
	stopped := v.stopped
	v.mu.Unlock()
	if stopped == nil {
		return errStopped
	}
	answer := make(chan error, 1)
	select {
	case v.asks <- answer:
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

// Stop ends the work: a call that goes on is cut off and made again by the
// next one who starts. It returns when nothing runs any more, or with ctx's
// error when that takes longer. Stopping again, or before the start, is fine.
func (v *Vectoriser) Stop(ctx context.Context) error {
	v.mu.Lock()
	v.ended = true
	stopped := v.stopped
	if v.stop != nil {
		v.stop()
	}
	v.endLife()
	v.mu.Unlock()
	done := make(chan struct{})
	go func() {
		defer close(done)
		if stopped != nil {
			<-stopped
		}
		v.calls.Wait()
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
