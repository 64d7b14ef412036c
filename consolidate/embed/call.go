package embed

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/vecstore"
)

// embedding is the vector of one text, or the error that it has none.
type embedding struct {
	vector vecstore.Vector
	err    error
}

var errAnswer = errors.New("the embedder's answer cannot be used")

// outage is an error of the embedder itself: it is unreachable or misconfigured.
// It is no reason to refuse a text.
type outage struct{ error }

func (o outage) Unwrap() error { return o.error }

// embed embeds some texts. If the call keeps failing, a probe decides whether the
// embedder or a text is at fault. In the second case the batch is split until
// each refused text is alone. If there is none, the batch was too large or too slow,
// and the next ones are smaller.
//
// Errors: outage, or ctx's. A refused text has an error of its own.
func (w *Worker) embed(ctx context.Context, texts []string) ([]embedding, error) {
	found, refused, err := w.try(ctx, texts)
	if refused == nil {
		return found, err
	}
	found, err = w.split(ctx, texts)
	if err == nil && len(texts) > 1 && !slices.ContainsFunc(found, func(e embedding) bool { return e.err != nil }) {
		w.batch, w.shrunk = len(texts)/2, time.Now()
	}
	return found, err
}

// try calls the embedder until it answers. refused is the error of a call that keeps
// failing while a probe is answered.
func (w *Worker) try(ctx context.Context, texts []string) (found []embedding, refused, err error) {
	answers, err := w.retry(ctx, texts)
	switch {
	case ctx.Err() != nil:
		return nil, nil, ctx.Err()
	case err == nil:
		found, err = w.accept(ctx, answers)
		return found, nil, err
	case w.probe(ctx) != nil:
		return nil, nil, outage{err}
	}
	return nil, err, nil
}

// harmless is a text that every embedder accepts.
var harmless = []string{"Hello."}

// probe embeds a harmless text to see whether the embedder works.
func (w *Worker) probe(ctx context.Context) error {
	answers, err := w.call(ctx, harmless)
	if err != nil {
		return err
	}
	found, err := w.check(answers)
	if err != nil {
		return err
	}
	return found[0].err
}

func (w *Worker) split(ctx context.Context, texts []string) ([]embedding, error) {
	if len(texts) == 1 { // the failure may have passed
		found, refused, err := w.try(ctx, texts)
		if refused != nil {
			found = []embedding{{err: refused}}
		}
		return found, err
	}
	var all []embedding
	for _, half := range [][]string{texts[:len(texts)/2], texts[len(texts)/2:]} {
		var found []embedding
		answers, err := w.call(ctx, half)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			found, err = w.split(ctx, half)
		default:
			found, err = w.accept(ctx, answers)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// retry repeats the call with growing pauses. The embedder's error is kept away
// from backoff: if it were one of backoff's own types, backoff would unwrap it
// and return its text.
func (w *Worker) retry(ctx context.Context, texts []string) (answers [][]float32, last error) {
	_, err := backoff.Retry(ctx, func() (struct{}, error) {
		if answers, last = w.call(ctx, texts); last != nil {
			if w.slow && len(texts) > 1 { // a smaller batch helps
				return struct{}{}, backoff.Permanent(errTryAgain)
			}
			return struct{}{}, errTryAgain
		}
		return struct{}{}, nil
	}, backoff.WithBackOff(w.pauses()), backoff.WithMaxTries(uint(w.opts.Tries)), backoff.WithMaxElapsedTime(0))
	if err != nil && last == nil { // ctx ended before the first call
		last = err
	}
	return answers, last
}

var errTryAgain = errors.New("try again")

// pauses returns the waits between tries: doubling, with a jitter of a half, up
// to a minute.
func (w *Worker) pauses() *backoff.ExponentialBackOff {
	b := backoff.NewExponentialBackOff()
	b.InitialInterval, b.Multiplier, b.MaxInterval = w.opts.FirstPause, 2, max(time.Minute, w.opts.FirstPause)
	b.Reset()
	return b
}

// call calls the embedder once. No transaction is open meanwhile.
func (w *Worker) call(ctx context.Context, texts []string) (answers [][]float32, err error) {
	w.slow = false
	if err := w.limit.Wait(ctx); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, w.opts.Timeout)
	defer cancel()
	answers, err = schema.CallForeign(ctx, "the embedder", func(ctx context.Context) ([][]float32, error) {
		return w.embedder.EmbedDocuments(ctx, texts)
	})
	w.slow = ctx.Err() != nil || errors.Is(err, context.DeadlineExceeded)
	if err != nil {
		return nil, err
	}
	if len(answers) != len(texts) {
		err = fmt.Errorf("%w: %d vectors for %d texts", errAnswer, len(answers), len(texts))
	}
	return answers, err
}

// accept turns answers into vectors. If it can use none of them, a probe decides
// whether the embedder or the texts are at fault, or whether the model has changed.
func (w *Worker) accept(ctx context.Context, answers [][]float32) ([]embedding, error) {
	found, err := w.check(answers)
	if err != nil || slices.ContainsFunc(found, func(e embedding) bool { return e.err == nil }) {
		return found, err
	}
	if w.resize(ctx, mostCommonSize(answers)) {
		return w.accept(ctx, answers)
	}
	if w.probe(ctx) != nil {
		return nil, outage{found[0].err}
	}
	return found, nil
}

// resize notes that the model's vectors have another size, if a probe confirms it. It
// reports whether it did. Vectors that are cut remain in the generation of their model.
func (w *Worker) resize(ctx context.Context, size int) bool {
	w.mu.Lock()
	known := w.size
	w.mu.Unlock()
	if size == 0 || size == known || w.opts.Dims > 0 {
		return false
	}
	answers, err := w.call(ctx, harmless)
	if err != nil || len(answers[0]) != size {
		return false
	}
	w.mu.Lock()
	w.size = size
	w.mu.Unlock()
	return true
}

// check turns answers into vectors of length 1, cut to Dims. The first answer
// determines the size of the model's vectors.
func (w *Worker) check(answers [][]float32) ([]embedding, error) {
	w.mu.Lock()
	if w.size == 0 {
		w.size = mostCommonSize(answers)
	}
	size := w.size
	w.mu.Unlock()
	if size == 0 {
		return nil, outage{fmt.Errorf("%w: the vectors are empty", errAnswer)}
	}
	if w.opts.Dims > size {
		return nil, outage{&schema.InvalidError{Field: "Config.Embedding.Dims",
			Reason: fmt.Sprintf("is %d, but the model's vectors have %d numbers: give at most %[2]d, or 0 for all of them", w.opts.Dims, size)}}
	}
	found := make([]embedding, len(answers))
	for i, answer := range answers {
		if len(answer) != size {
			found[i].err = wrongSize(len(answer), size)
			continue
		}
		found[i].vector, found[i].err = vecstore.Vector(answer).Unit(w.opts.Dims)
	}
	return found, nil
}

// mostCommonSize returns the size of most answers, so that a single wrong answer
// does not determine it.
func mostCommonSize(answers [][]float32) (size int) {
	counts := make(map[int]int)
	for _, a := range answers {
		counts[len(a)]++
		if c := counts[len(a)]; c > counts[size] || c == counts[size] && len(a) > size {
			size = len(a)
		}
	}
	return size
}
