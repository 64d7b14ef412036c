package extension

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/consolidate/enrich"
	"github.com/ebbmem/ebb/internal/pgtest"
	"github.com/ebbmem/ebb/internal/racing"
	"github.com/ebbmem/ebb/internal/vfstest"
	"github.com/ebbmem/ebb/schema"
)

var images = flag.Int("images", 160, "how many images of a power loss to open")

// life uses a memory while its disk is recorded. The memory is not closed, as in a
// power failure.
func life(s *site) {
	t, ctx := s.t, s.t.Context()
	say := func(from, to int) {
		for i := from; i < to; i++ {
			text := fmt.Sprintf("Message %d: Noor and Miso the cat are at home, and Tom Ferreira writes from %d Elm Street.", i, i)
			require.NoError(t, s.say(ctx, text))
			s.disk.Acknowledge(text)
		}
	}
	require.NoError(t, s.open(ctx))
	say(0, 8)
	require.NoError(t, s.x.db.Checkpoint(ctx))
	say(8, 12)
	enricher := enrich.New(s.x.db, enrich.Options{})
	records, err := s.x.Timeline(ctx, ada, TimelineQuery{})
	require.NoError(t, err)
	for _, r := range records {
		require.NoError(t, enricher.Enrich(ctx, ada, r.UID))
	}
	_, err = s.x.Consolidate(ctx, ada)
	require.NoError(t, err)
	say(12, 14)
	for _, r := range records {
		if strings.Contains(r.Content, erased) {
			_, err := s.x.Erase(ctx, ada, Erasure{Memories: []string{r.UID}})
			require.NoError(t, err)
			s.disk.Acknowledge(erasing)
		}
	}
	say(14, 16)
	require.NoError(t, s.x.Close(ctx))
	require.NoError(t, s.open(ctx))
	say(16, 22)
	t.Cleanup(func() { require.NoError(t, s.x.Close(context.WithoutCancel(ctx))) })
}

// TestPowerLoss opens what a disk may hold after the power has failed, at any
// moment of a memory's life, and finds all that was acknowledged, once, and
// nothing half done. -images says how often.
func TestPowerLoss(t *testing.T) {
	pgtest.FileOnly(t, "a disk that loses power")
	racing.Alone(t)
	t.Parallel()
	t.Run("plain", func(t *testing.T) { powerLoss(t, Key{}, *images) })
	// A block of the cipher is eight sectors: one that is half written is lost
	// whole, with all that is in it.
	t.Run("encrypted", func(t *testing.T) {
		key, err := NewKey(bytes.Repeat([]byte("k"), schema.KeySize))
		require.NoError(t, err)
		powerLoss(t, key, *images/4)
	})
}

func powerLoss(t *testing.T, key Key, n int) {
	s := &site{t: t, disk: vfstest.New(t), dir: fast(t), key: key}
	require.NoError(t, s.open(t.Context()))
	require.NoError(t, s.say(t.Context(), opening...))
	require.NoError(t, s.x.Close(t.Context()))
	recording := s.disk.Record()
	life(s)
	s.disk.Stop()

	begin := time.Now()
	workers := runtime.GOMAXPROCS(0)
	var opened, acknowledged atomic.Int64
	ctx, stop := context.WithCancelCause(t.Context())
	defer stop(nil)
	var all sync.WaitGroup
	for w := range workers {
		disk, dir := vfstest.New(t), fast(t)
		all.Go(func() {
			recording.Images(uint64(w), (n+w)/workers, func(image *vfstest.Image) bool {
				opened.Add(1)
				acknowledged.Add(int64(len(image.Acked)))
				if err := survived(t.Context(), disk, dir, key, image); err != nil {
					stop(err)
				}
				return ctx.Err() == nil
			})
		})
	}
	all.Wait()
	require.NoError(t, context.Cause(ctx))
	require.EqualValues(t, n, opened.Load())
	t.Logf("%d images of %d moments; %d acknowledged messages looked for in %s: 0 lost, 0 twice, 0 half there",
		opened.Load(), recording.Len()+1, acknowledged.Load(), time.Since(begin).Round(time.Millisecond))
}

// erasing is acknowledged when what was to be erased is.
const erasing = "erasing is done"

func survived(ctx context.Context, disk *vfstest.Disk, dir string, key Key, image *vfstest.Image) error {
	kept := slices.DeleteFunc(append(slices.Clone(opening), image.Acked...), func(text string) bool {
		return text == erasing || strings.Contains(text, erased)
	})
	for name, data := range image.Files {
		if slices.Contains(image.Acked, erasing) && bytes.Contains(bytes.ToLower(data), bytes.ToLower([]byte(erased))) {
			return fmt.Errorf("the power failed after event %d: what was erased is in %s again", image.Moment, name)
		}
	}
	if err := image.Put(dir); err != nil {
		return err
	}
	x, err := openOn(ctx, disk, dir, key, nil)
	if err == nil {
		err = isWhole(x, kept)
		err = errors.Join(err, x.Close(context.WithoutCancel(ctx)))
	}
	if err != nil {
		return fmt.Errorf("the power failed after event %d: %w", image.Moment, err)
	}
	return nil
}
