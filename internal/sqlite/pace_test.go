package sqlite

import (
	"bytes"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ncruces/go-sqlite3/vfs"
	"github.com/stretchr/testify/require"
)

// pages writes n pages in a paced checkpoint, calls before ahead of each, and
// returns the number of syncs.
func pages(t *testing.T, db *DB, n int, before func(i int)) (syncs int) {
	p := new(recorder)
	f := &tidyFile{forwarding: forwarding{p}, pace: db.newPace()}
	for i := range n {
		before(i)
		_, err := f.WriteAt(make([]byte, 4096), int64(i)*4096)
		require.NoError(t, err)
	}
	for _, c := range p.calls {
		if c == "sync" {
			syncs++
		}
	}
	return syncs
}

func TestACheckpointPausesForCommits(t *testing.T) {
	const n = 10 * paceBytes / 4096
	for name, c := range map[string]struct {
		before func(db *DB, i int)
		syncs  int
		took   time.Duration
	}{
		"no commits": {func(*DB, int) {}, 10, 0},
		"commits":    {func(db *DB, i int) { db.logged.Add(1) }, 10, 10 * paceRest},
		"the writer is faster": {func(db *DB, i int) {
			if i == n/2 {
				db.logged.Add(paceLag + 1)
			}
		}, 5, 0},
		"it takes long": {func(db *DB, i int) {
			db.logged.Add(1)
			if i == n/2 {
				time.Sleep(paceLatest)
			}
		}, 5, 5*paceRest + paceLatest},
		"a caller waits for its end": {func(db *DB, i int) {
			db.logged.Add(1)
			if i == n/2 {
				db.skipPacing()
			}
		}, 5, 5 * paceRest},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				db := &DB{stop: make(chan struct{})}
				began := time.Now()
				require.Equal(t, c.syncs, pages(t, db, n, func(i int) { c.before(db, i) }))
				require.Equal(t, c.took, time.Since(began))
			})
		})
	}
}

// broken is a disk that fails to sync.
type broken struct{ recorder }

var errBroken = errors.New("broken")

func (*broken) Sync(vfs.SyncFlag) error { return errBroken }

func TestCheckpointSyncFailure(t *testing.T) {
	f := &tidyFile{forwarding: forwarding{new(broken)}, pace: new(DB).newPace()}
	_, err := f.WriteAt(make([]byte, paceBytes), 0)
	require.ErrorIs(t, err, errBroken)
}

func TestWaitForCommits(t *testing.T) {
	const often = checkpointQuiet/2 - time.Millisecond
	for name, c := range map[string]struct {
		every time.Duration // between commits
		bytes int64
		took  time.Duration
	}{
		"no more commits":                {0, 0, littleQuiet},
		"little is written, and no end":  {often, 1, littleLatest},
		"little, with pauses":            {littleQuiet - checkpointQuiet/2, 1, littleLatest},
		"more is written, and no end":    {often, checkpointLittle / 2, checkpointLatest},
		"more is written, with pauses":   {3*checkpointQuiet - time.Millisecond, checkpointLittle, 4 * checkpointQuiet},
		"much is written without a stop": {often, checkpointLog / 4, 2 * checkpointQuiet},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				db := &DB{stop: make(chan struct{})}
				if c.every > 0 {
					go func() {
						for db.sleep(c.every) {
							db.logged.Add(c.bytes)
						}
					}()
				}
				began := time.Now()
				require.True(t, db.waitForCommits(0))
				require.Equal(t, c.took, time.Since(began))
				close(db.stop)
				require.False(t, db.waitForCommits(0), "the database closes")
			})
		})
	}
}

// An encrypted file has other VFS layers above and below.
func TestCheckpointFile(t *testing.T) {
	key, err := NewKey(bytes.Repeat([]byte("k"), KeySize))
	require.NoError(t, err)
	for name, opts := range map[string]Options{"plain": {}, "encrypted": {Key: key}} {
		t.Run(name, func(t *testing.T) {
			_, err := open(t, opts).pacedCheckpoint()
			require.NoError(t, err)
		})
	}
}

func TestYieldToWriters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := &DB{stop: make(chan struct{}), pauses: pauses{opened: time.Now()}}
		time.Sleep(time.Minute)
		waits := func() time.Duration {
			began := time.Now()
			require.NoError(t, db.YieldToWriters(t.Context()))
			return time.Since(began)
		}
		require.Zero(t, waits(), "no writes")
		db.pauses.wrote()
		require.Equal(t, writePause, waits(), "a recent write")

		writing := time.Now()
		go func() {
			for time.Since(writing) < 10*time.Second && db.sleep(writePause/2) {
				db.pauses.wrote()
			}
		}()
		time.Sleep(writePause)
		require.InDelta(t, writeBusy, waits(), float64(writePause), "writes without a pause")
		require.Zero(t, waits(), "no second wait for these")
		time.Sleep(10 * time.Second)
		db.pauses.wrote()
		require.Equal(t, writePause, waits(), "before there was a pause")
		close(db.stop)
	})
}
