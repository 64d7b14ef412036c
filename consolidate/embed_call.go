package consolidate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/ebbmem/ebb/schema"
)

// embedding is what became of one text: a vector, or why there is none.
type embedding struct {
	vector schema.Vector
	err    error
}

var errAnswer = errors.New("the embedder's answer cannot be used")

// outage means the embedder is away, or configured wrongly: nothing is said
// about the texts.
type outage struct{ error }

func (o outage) Unwrap() error { return o.error }

// embed makes the vectors of some texts. When a call goes on failing, a probe
// tells whether the embedder is away or the texts are at fault; in the second
// case they are halved until those that it refuses stand alone.
//
// Errors: outage, or ctx's; each text has an error of its own besides.
func (v *Vectoriser) embed(ctx context.Context, texts []string) ([]embedding, error) {
	answers, err := v.retry(ctx, texts)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		if v.probe(ctx) != nil {
			return nil, outage{err}
		}
		return v.halve(ctx, texts, err)
	}
	found, err := v.check(answers)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(found, func(e embedding) bool { return e.err == nil }) && v.probe(ctx) != nil {
		return nil, outage{found[0].err}
	}
	return found, nil
}

// probe tells whether the embedder answers a text that none has reason to
// refuse.
func (v *Vectoriser) probe(ctx context.Context) error {
	answers, err := v.call(ctx, []string{"Hello."})
	if err != nil {
		return err
	}
	found, err := v.check(answers)
	if err != nil {
		return err
	}
	return found[0].err
}

func (v *Vectoriser) halve(ctx context.Context, texts []string, failure error) ([]embedding, error) {
	if len(texts) == 1 {
		return []embedding{{err: failure}}, nil
	}
	var all []embedding
	for _, half := range [][]string{texts[:len(texts)/2], texts[len(texts)/2:]} {
		var found []embedding
		answers, err := v.call(ctx, half)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			found, err = v.halve(ctx, half, err)
		default:
			found, err = v.check(answers)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// retry calls until it succeeds, with growing pauses. The embedder's error may
// be one of backoff's own, which would take it out of what it is wrapped in.
func (v *Vectoriser) retry(ctx context.Context, texts []string) (answers [][]float32, last error) {
	_, err := backoff.Retry(ctx, func() (struct{}, error) {
		if answers, last = v.call(ctx, texts); last != nil {
			return struct{}{}, errTryAgain
		}
		return struct{}{}, nil
	}, backoff.WithBackOff(v.pauses()), backoff.WithMaxTries(uint(v.opts.Tries)), backoff.WithMaxElapsedTime(0))
	if err != nil && last == nil { // the context ended before the first call
		last = err
	}
	return answers, last
}

var errTryAgain = errors.New("try again")

// pauses are those between tries: they double, vary by half, and end at a
// minute.
func (v *Vectoriser) pauses() *backoff.ExponentialBackOff {
	b := backoff.NewExponentialBackOff()
	b.InitialInterval, b.Multiplier, b.MaxInterval = v.opts.FirstPause, 2, max(time.Minute, v.opts.FirstPause)
	b.Reset()
	return b
}

// call asks the embedder once. No transaction is open meanwhile.
func (v *Vectoriser) call(ctx context.Context, texts []string) (answers [][]float32, err error) {
	if err := v.limit.Wait(ctx); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, v.opts.Timeout)
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			err = schema.ForeignPanic("the embedder", p)
		}
	}()
	answers, err = v.embedder.EmbedDocuments(ctx, texts)
	if err != nil {
		return nil, schema.Foreign("the embedder", err)
	}
	if len(answers) != len(texts) {
		err = fmt.Errorf("%w: %d vectors for %d texts", errAnswer, len(answers), len(texts))
	}
	return answers, err
}

// check turns answers into vectors of length 1, cut to size. The first answer
// says what size the model's are.
func (v *Vectoriser) check(answers [][]float32) ([]embedding, error) {
	v.noteSize(commonest(answers))
	v.mu.Lock()
	size := v.size
	v.mu.Unlock()
	if size == 0 {
		return nil, outage{fmt.Errorf("%w: the vectors are empty", errAnswer)}
	}
	if v.opts.Dims > size {
		return nil, outage{&schema.InvalidError{Field: "VectoriserOptions.Dims",
			Reason: fmt.Sprintf("is %d, but the model's vectors have %d numbers", v.opts.Dims, size)}}
	}
	found := make([]embedding, len(answers))
	for i, answer := range answers {
		if len(answer) != size {
			found[i].err = wrongSize(len(answer), size)
			continue
		}
		found[i].vector, found[i].err = schema.Vector(answer).Unit(v.opts.Dims)
	}
	return found, nil
}

// commonest is the size that most answers have: one odd answer among many must
// not decide what the others are measured by.
func commonest(answers [][]float32) (size int) {
	counts := make(map[int]int)
	for _, a := range answers {
		counts[len(a)]++
		if c := counts[len(a)]; c > counts[size] || c == counts[size] && len(a) > size {
			size = len(a)
		}
	}
	return size
}
