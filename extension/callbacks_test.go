package extension_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/callbacks"
	"github.com/tmc/langchaingo/chains"
	lcmemory "github.com/tmc/langchaingo/memory"
	lcschema "github.com/tmc/langchaingo/schema"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/clock"
)

// scripted is a chain that runs a script and reports to a handler.
type scripted struct {
	handler callbacks.Handler
	do      func(ctx context.Context, input string) (string, error)
}

func (c scripted) Call(ctx context.Context, inputs map[string]any, _ ...chains.ChainCallOption) (map[string]any, error) {
	output, err := c.do(ctx, inputs["input"].(string))
	return map[string]any{"output": output}, err
}
func (c scripted) GetMemory() lcschema.Memory            { return lcmemory.NewSimple() }
func (c scripted) GetInputKeys() []string                { return []string{"input"} }
func (c scripted) GetOutputKeys() []string               { return []string{"output"} }
func (c scripted) GetCallbackHandler() callbacks.Handler { return c.handler }

func TestCallbacksStoreTheTurnsAfterAPanic(t *testing.T) {
	x := open(t, fresh(t))
	h := session(t, x, ada).Callbacks()
	inner := scripted{h, func(context.Context, string) (string, error) { panic("a tool's fault") }}
	broken := true
	agent := scripted{callbacks.CombiningHandler{Callbacks: []callbacks.Handler{h}}, func(ctx context.Context, input string) (string, error) {
		if broken {
			return chains.Run(ctx, inner, "the step of "+input)
		}
		return "answer to " + input, nil
	}}
	for _, said := range []string{"bicycle one", "bicycle two", "bicycle three"} {
		func() {
			defer func() { require.Equal(t, broken, recover() != nil) }()
			_, err := chains.Run(t.Context(), agent, said)
			require.NoError(t, err)
		}()
		broken = false
	}
	require.ElementsMatch(t, []string{
		"bicycle one", "bicycle two", "answer to bicycle two", "bicycle three", "answer to bicycle three",
	}, recalled(t, x, ada, "bicycle answer"))
}

func TestCallbacksStoreTurnsThatOverlap(t *testing.T) {
	x := open(t, fresh(t))
	h := session(t, x, ada).Callbacks()
	begun := make(chan string)
	goOn := map[string]chan struct{}{"bicycle one": make(chan struct{}), "bicycle two": make(chan struct{})}
	step := scripted{h, func(_ context.Context, input string) (string, error) { return input, nil }}
	agent := scripted{h, func(ctx context.Context, input string) (string, error) {
		begun <- input
		<-goOn[input]
		if _, err := chains.Run(ctx, step, "the step of "+input); err != nil {
			return "", err
		}
		return "answer to " + input, nil
	}}
	var turns sync.WaitGroup
	errs := make([]error, 2)
	for i, said := range []string{"bicycle one", "bicycle two"} {
		turns.Go(func() { _, errs[i] = chains.Run(t.Context(), agent, said) })
		<-begun
	}
	close(goOn["bicycle one"])
	close(goOn["bicycle two"])
	turns.Wait()
	require.NoError(t, errors.Join(errs...))
	require.ElementsMatch(t, []string{"bicycle one", "answer to bicycle one", "bicycle two", "answer to bicycle two"},
		recalled(t, x, ada, "bicycle answer"))
}

func TestCallbacksStoreOutermostChainOnly(t *testing.T) {
	x := open(t, fresh(t))
	h := session(t, x, ada).Callbacks()
	part := scripted{h, func(_ context.Context, input string) (string, error) { return "step " + input, nil }}
	parallel := scripted{h, func(ctx context.Context, input string) (string, error) {
		all, err := chains.Apply(ctx, part, []map[string]any{{"input": "bicycle part a"}, {"input": "bicycle part b"}}, 2)
		require.Len(t, all, 2)
		return "answer to " + input, err
	}}
	silent := scripted{nil, func(ctx context.Context, input string) (string, error) { return chains.Run(ctx, parallel, input) }}
	_, err := chains.Run(t.Context(), silent, "bicycle")
	require.NoError(t, err)
	require.ElementsMatch(t, []string{"bicycle", "answer to bicycle"}, recalled(t, x, ada, "bicycle"))
}

// A turn may last longer than what two sources may report apart: its later steps are
// still the agent's, not the user's words.
func TestCallbacksStoreNoStepOfALongTurn(t *testing.T) {
	now := clock.At(time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC))
	x := openWith(t, fresh(t), extension.Config{Now: now.Now})
	h := session(t, x, ada).Callbacks()
	step := scripted{h, func(_ context.Context, input string) (string, error) { return input, nil }}
	agent := scripted{h, func(ctx context.Context, input string) (string, error) {
		now.Set(now.Now().Add(11 * time.Minute))
		_, err := chains.Run(ctx, step, "bicycle step")
		return "answer to " + input, err
	}}
	for range 2 {
		_, err := chains.Run(t.Context(), agent, "bicycle")
		require.NoError(t, err)
	}
	require.ElementsMatch(t, []string{"bicycle", "answer to bicycle", "bicycle", "answer to bicycle"}, recalled(t, x, ada, "bicycle"))
}
