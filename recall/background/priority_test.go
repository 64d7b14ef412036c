package background

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestReadersYieldToSearches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p priority
		passed := func(ctx context.Context) <-chan struct{} {
			done := make(chan struct{})
			go func() { Yield(ctx); close(done) }()
			synctest.Wait()
			return done
		}
		ctx := p.marked(t.Context())
		<-passed(ctx)
		first, second := p.begin(), p.begin()
		<-passed(t.Context()) // who reads for a search does not wait for it
		waiting := passed(ctx)
		first()
		synctest.Wait()
		select {
		case <-waiting:
			t.Fatal("another search still goes before it")
		default:
		}
		began := time.Now()
		time.Sleep(MaxYield / 3)
		second()
		<-waiting
		require.Equal(t, MaxYield/3, time.Since(began))

		defer p.begin()()
		<-passed(ctx)
		require.Equal(t, MaxYield, time.Since(began), "it stands back so long in all")
		<-passed(ctx)
		require.Equal(t, MaxYield, time.Since(began), "and then no more")
		stopped, stop := context.WithCancel(p.marked(t.Context()))
		stop()
		<-passed(stopped)
		require.Equal(t, MaxYield, time.Since(began))
	})
}
