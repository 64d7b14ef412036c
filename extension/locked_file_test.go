package extension

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ncruces/go-sqlite3/driver"
	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension/transfer"
	"github.com/ebbmem/ebb/internal/memory"
	"github.com/ebbmem/ebb/internal/memtest"
	"github.com/ebbmem/ebb/internal/pgtest"
	"github.com/ebbmem/ebb/schema"
)

// While another process holds the write lock, all that writes is refused by
// name, says what to do, and changes nothing; all that reads works.
func TestFileLockedByAnotherProcess(t *testing.T) {
	pgtest.FileOnly(t, "the lock of the file")
	ctx, path := t.Context(), filepath.Join(t.TempDir(), "memory.db")
	x, err := OpenWith(ctx, path, &Config{NoBackground: true}, memory.Options{File: schema.Options{BusyTimeout: 10 * time.Millisecond, NoCheckpoint: true}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, x.Close(context.Background())) })
	require.NoError(t, x.Bus().Publish(ctx, eventbus.UserMessage(ada, "Noor marries in June", eventbus.WithID("m1"))))
	var before bytes.Buffer
	_, err = x.Export(ctx, &before, ada)
	require.NoError(t, err)

	other, err := driver.Open("file:" + path + "?_txlock=immediate")
	require.NoError(t, err)
	defer func() { require.NoError(t, other.Close()) }()
	tx, err := other.BeginTx(ctx, nil)
	require.NoError(t, err)

	for _, call := range []struct {
		name string
		do   func() error
	}{
		{"publish", func() error { return say(ctx, x, "I live in Lisbon") }},
		{"consolidate", func() error {
			_, err := x.Consolidate(ctx, ada)
			return err
		}},
		{"erase", func() error {
			_, err := x.Erase(ctx, ada, Erasure{Events: []string{"m1"}})
			return err
		}},
		{"erase everything", func() error {
			_, err := x.Erase(ctx, ada, Erasure{Everything: true})
			return err
		}},
		{"import", func() error {
			_, err := x.Import(ctx, strings.NewReader(`{"id":"m2","session":"s","time":"2026-03-01T18:00:00Z","text":"I live in Ghent"}`), transfer.ImportOptions{Scope: ada})
			return err
		}},
		{"restore", func() error {
			_, err := x.Import(ctx, bytes.NewReader(before.Bytes()), transfer.ImportOptions{Scope: Scope{User: "eve"}, Restore: true})
			return err
		}},
		{"acknowledge losses", func() error {
			_, err := x.AcknowledgeLosses(ctx)
			return err
		}},
		{"checkpoint", func() error { return x.db.Checkpoint(ctx) }},
	} {
		err := call.do()
		require.ErrorIs(t, err, ErrBusy, call.name)
		require.ErrorContains(t, err, "another process is writing to this file", call.name)
		require.ErrorContains(t, err, "try again", call.name)
		require.NotContains(t, err.Error(), "locked", call.name)
	}

	found, err := x.Recall(ctx, ada, Query{Text: "when does Noor marry?"})
	require.NoError(t, err)
	require.Len(t, found.Results, 1)
	_, err = x.Backup(ctx, path+".backup", nil)
	require.NoError(t, err, "a backup reads")
	second, err := OpenWith(ctx, path, &Config{NoBackground: true}, memory.Options{File: schema.Options{BusyTimeout: 10 * time.Millisecond}})
	require.NoError(t, err, "opening a file of this version writes nothing")
	require.NoError(t, second.Close(ctx))
	healthy, checks := Examine(t, path)
	require.True(t, healthy, checks)
	require.NotContains(t, strings.Join(checks, "\n"), "locked")

	require.NoError(t, tx.Rollback())
	var after bytes.Buffer
	_, err = x.Export(ctx, &after, ada)
	require.NoError(t, err)
	require.Equal(t, memtest.Undated(before.String()), memtest.Undated(after.String()), "what was refused changed nothing")
	require.NoError(t, say(ctx, x, "I live in Lisbon"), "work goes on")
}
