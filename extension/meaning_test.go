package extension

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/vectortest"
	"github.com/ebbmem/ebb/schema"
)

// hanging is an embedder that can stop answering questions.
type hanging struct {
	vectortest.Topics
	hangs atomic.Bool
}

func (e *hanging) EmbedQuery(ctx context.Context, text string) ([]float32, error) {
	if e.hangs.Load() {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return e.Topics.EmbedQuery(ctx, text)
}

// An embedder that does not answer degrades the search, which says so, and fails neither it
// nor the section.
func TestEmbedderAwayFailsNoTurn(t *testing.T) {
	for name, away := range map[string]func(*hanging){
		"fails": func(e *hanging) { e.Broken.Store(true) },
		"hangs": func(e *hanging) { e.hangs.Store(true) },
	} {
		t.Run(name, func(t *testing.T) {
			var e hanging
			l := newOneLife(t, Config{CoreMemory: CoreMemoryConfig{ProfileTokens: 100, OwnAffairsTokens: 100}, Embedding: EmbeddingConfig{Embedder: &e, Model: "topics"}})
			l.tellsOfShelves(30)
			away(&e)
			found, err := l.session("april").Preview(t.Context(), "Which colour has shelf 12?")
			require.NoError(t, err)
			require.NotEmpty(t, found.Profile)
			require.NotEmpty(t, found.Answer.Degraded)
		})
	}
}

// A vector of another length, as after damage to the file, does not count.
func TestDamagedVectorFailsNoTurn(t *testing.T) {
	l := newOneLife(t, Config{CoreMemory: CoreMemoryConfig{ProfileTokens: 100, OwnAffairsTokens: 100}, Embedding: EmbeddingConfig{Embedder: &vectortest.Topics{}, Model: "topics"}})
	l.tellsOfShelves(30)
	require.NotEmpty(t, l.core(l.x, "Which colour has shelf 12?"))
	require.NoError(t, l.x.db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
		_, err := tx.Exec(ctx, "UPDATE vectors SET vector = x'0000803f' WHERE id % 2 = 0")
		return err
	}))
	require.NotEmpty(t, l.core(l.x, "Which colour has shelf 12?"))
}

// Questions may be asked while claims change.
func TestPreviewsBesideNewClaims(t *testing.T) {
	l := newOneLife(t, Config{CoreMemory: CoreMemoryConfig{ProfileTokens: 100, OwnAffairsTokens: 100}, Embedding: EmbeddingConfig{Embedder: &vectortest.Topics{}, Model: "topics"}})
	l.tellsOfShelves(20)
	ctx, cancel := context.WithCancel(t.Context())
	var asking sync.WaitGroup
	for range 2 {
		s := l.session("april")
		asking.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				_, err := s.Preview(ctx, fmt.Sprintf("Which colour has shelf %d?", i%20))
				assert.True(t, err == nil || ctx.Err() != nil, err)
			}
		})
	}
	l.tellsOfShelves(10)
	cancel()
	asking.Wait()
}

func (l *oneLife) tellsOfShelves(n int) {
	for i := range n {
		l.tells("march", fmt.Sprintf("My shelf number %d is painted in colour %d.", i, i), fmt.Sprintf("The user's shelf number %d is painted in colour %d.", i, i))
	}
	require.NoError(l.t, l.x.WaitIdle(l.t.Context()))
}
