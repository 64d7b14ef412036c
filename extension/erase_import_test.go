package extension

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension/transfer"
	"github.com/ebbmem/ebb/internal/clock"
	"github.com/ebbmem/ebb/internal/memtest"
	"github.com/ebbmem/ebb/internal/pgtest"
	"github.com/ebbmem/ebb/schema"
)

// spoken is a memory in which "Xylqorvant" was said on Monday and stands in
// whatever was made of it, beside what was said on Tuesday.
func spoken(t *testing.T) (x *Extension, path string, w *world) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "memory.db")
	x = openFile(t, path)
	w = &world{t: t, x: x, scope: ada}
	w.say("m1", "monday", "The Xylqorvant is blue")
	w.say("t1", "tuesday", "The kettle is from Fjordhaven")
	w.fact("The Xylqorvant is a blue thing", .8)
	w.fact("The Xylqorvant was green", .7)
	w.furnish()
	w.exec("INSERT INTO memory_sources (memory_id, source_id) SELECT m.id, s.id FROM memories m, memories s WHERE m.user_id = ? AND m.uid = ? AND s.uid = ?", w.facts[1], w.uids[0])
	w.write(func(ctx context.Context, tx *schema.Tx, userID int64) error { return tx.RecountMentions(ctx, userID) })
	return x, path, w
}

func TestOldExportDoesNotRestoreErased(t *testing.T) {
	x, path, _ := spoken(t)
	old := dated(t, x, ada)
	require.Contains(t, old, "Xylqorvant")
	_, err := x.Erase(t.Context(), ada, Erasure{Sessions: []string{"monday"}, Memories: nil})
	require.NoError(t, err)
	clean := exported(t, x, ada)
	require.NotContains(t, clean, "Xylqorvant")
	require.Empty(t, holding(t, path, forms("Xylqorvant")...))

	report := restored(t, x, old)
	require.Positive(t, report.Erased)
	require.Equal(t, report.Read, report.Stored+report.Duplicates+report.Erased)
	require.Empty(t, holding(t, path, forms("Xylqorvant")...))
	require.Equal(t, clean, exported(t, x, ada), "nothing of it was taken")
	diagnosed(t, path)
}

// A batch that is run again, since another's write failed in the same commit,
// does not count its tombstones twice: the export would seem to know of what was
// erased here.
func TestRetriedBatchDoesNotRestoreErased(t *testing.T) {
	pgtest.FileOnly(t, "writes that share a commit")
	x, path, _ := spoken(t)
	old := exported(t, x, ada)
	_, err := x.Erase(t.Context(), ada, Erasure{Sessions: []string{"monday"}})
	require.NoError(t, err)
	header, rest, _ := strings.Cut(old, "\n")
	rest, end, _ := strings.Cut(rest, `{"end"`)
	lines := []string{header}
	for i := range batchTurns - 1 {
		lines = append(lines, fmt.Sprintf(`{"tombstone":{"id_hash":"%064x","erased_at":"2026-01-02T03:04:05Z"}}`, i))
	}
	require.NotEmpty(t, end)
	old = strings.Join(lines, "\n") + "\n" + rest + fmt.Sprintf(`{"end":{"records":%d}}`, len(lines)-1+strings.Count(rest, "\n")) + "\n"

	failure, failed, together := errors.New("no"), make(chan error, 1), false
	var armed atomic.Bool
	require.NoError(t, x.Close(t.Context()))
	x, err = Open(t.Context(), path, &Config{NoBackground: true, Now: func() time.Time { // asked for as a write begins
		if armed.CompareAndSwap(true, false) {
			queued := make(chan struct{})
			go func() {
				failed <- x.db.WriteQueued(context.Background(), func() { close(queued) }, func(_ context.Context, tx *schema.Tx) error {
					together = together || tx.Contended()
					return failure
				})
			}()
			<-queued
		}
		return time.Now()
	}})
	require.NoError(t, err)
	defer func() { require.NoError(t, x.Close(context.Background())) }()
	armed.Store(true)
	require.Positive(t, restored(t, x, old).Erased)
	require.ErrorIs(t, <-failed, failure)
	require.True(t, together, "the batch was run again")
	require.NotContains(t, exported(t, x, ada), "monday")
	require.Empty(t, holding(t, path, forms("Xylqorvant")...))
}

func TestExportContainsTombstones(t *testing.T) {
	x, _, _ := spoken(t)
	old := exported(t, x, ada)
	_, err := x.Erase(t.Context(), ada, Erasure{Sessions: []string{"monday"}})
	require.NoError(t, err)
	clean := exported(t, x, ada)

	path := filepath.Join(t.TempDir(), "other.db")
	y := openFile(t, path)
	require.Zero(t, restored(t, y, clean).Erased)
	require.Equal(t, clean, exported(t, y, ada), "lossless")
	require.NoError(t, y.Bus().Publish(t.Context(), eventbus.UserMessage(ada, "The Xylqorvant is blue", eventbus.WithID("m1"))))
	require.Positive(t, restored(t, y, old).Erased)
	require.Equal(t, clean, exported(t, y, ada))
	require.Empty(t, holding(t, path, forms("Xylqorvant")...))
}

func TestOldExportDoesNotRestoreErasedUser(t *testing.T) {
	x, path, _ := spoken(t)
	old := dated(t, x, ada)
	_, err := x.Erase(t.Context(), ada, Erasure{Everything: true})
	require.NoError(t, err)
	needles := append(forms("Xylqorvant"), forms("Fjordhaven")...)
	report := restored(t, x, old)
	require.Equal(t, report.Read, report.Erased)
	require.Empty(t, holding(t, path, needles...))
	stranger, err := x.Import(t.Context(), strings.NewReader(old), transfer.ImportOptions{Scope: ada})
	require.NoError(t, err)
	require.Equal(t, stranger.Read, stranger.Erased, "nor as a file that nobody vouches for")
	require.Empty(t, holding(t, path, needles...))
	users, err := x.Users(t.Context())
	require.NoError(t, err)
	require.Empty(t, users)
	diagnosed(t, path)
}

// A user's beginning here need not be that of the export: it was restored into a memory
// that the user had already.
func TestExportOfAnotherBeginningDoesNotRestoreErasedUser(t *testing.T) {
	elsewhere, _, _ := spoken(t)
	old := dated(t, elsewhere, ada)
	path := filepath.Join(t.TempDir(), "memory.db")
	x := openFile(t, path)
	require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(ada, "Hello.", eventbus.WithID("h1"))))
	restored(t, x, old)
	would, err := x.PreviewErase(t.Context(), ada, Erasure{Everything: true})
	require.NoError(t, err)
	for again := range 2 { // the second time of a user who came back
		receipt, err := x.Erase(t.Context(), ada, Erasure{Everything: true})
		require.NoError(t, err)
		if again == 0 {
			require.Equal(t, would.Tombstones, receipt.Tombstones)
		}
		report := restored(t, x, old)
		require.Equal(t, report.Read, report.Erased)
		stranger, err := x.Import(t.Context(), strings.NewReader(old), transfer.ImportOptions{Scope: ada})
		require.NoError(t, err)
		require.Equal(t, stranger.Read, stranger.Erased)
		require.Empty(t, holding(t, path, append(forms("Xylqorvant"), []byte("kettle"), []byte("monday"))...))
		users, err := x.Users(t.Context())
		require.NoError(t, err)
		require.Empty(t, users)
		diagnosed(t, path)
		require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(ada, "Here I am again.")))
	}

	since := openNew(t) // a memory that was begun after the erasure
	w := &world{t: t, x: since, scope: ada}
	w.say("n1", "friday", "The lamp is new")
	w.fact("The lamp is new", .8)
	w.furnish()
	require.Zero(t, restored(t, x, exported(t, since, ada)).Erased)
}

// An export that another file wrote after the user was erased here is restored, but for
// what was erased: ids, and what may mention them.
func TestExportWrittenAfterErasureIsRestored(t *testing.T) {
	phone, _, _ := spoken(t)
	now := clock.At(time.Now())
	x, err := Open(t.Context(), filepath.Join(t.TempDir(), "memory.db"), &Config{NoBackground: true, Now: now.Now})
	require.NoError(t, err)
	defer func() { require.NoError(t, x.Close(context.Background())) }()
	hello := func() { require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(ada, "Hello."))) }
	erase := func() {
		_, err := x.Erase(t.Context(), ada, Erasure{Everything: true})
		require.NoError(t, err)
	}
	hello()
	now.Set(time.Now().Add(-time.Second)) // written in the same millisecond counts as before
	erase()
	file := dated(t, phone, ada)
	report := restored(t, x, file)
	require.Zero(t, report.Erased)
	require.Equal(t, report.Read, report.Stored)
	require.Equal(t, memtest.Undated(file), exported(t, x, ada), "blocks, ledger, documents and gaps too")

	y := openNew(t) // had the other file's history
	require.NoError(t, y.Bus().Publish(t.Context(), eventbus.UserMessage(ada, "Hello.")))
	restored(t, y, file)
	_, err = y.Erase(t.Context(), ada, Erasure{Everything: true})
	require.NoError(t, err)
	time.Sleep(2 * time.Millisecond)
	restored(t, y, dated(t, phone, ada))
	again := exported(t, y, ada)
	for _, gone := range []string{"Xylqorvant", "Fjordhaven", `{"memory"`, `{"entity"`, `{"alias"`, `{"block`, `{"op"`, `{"document"`} {
		require.NotContains(t, again, gone)
	}
}

// What was erased under the old name does not come back under the new one.
func TestOldExportUnderAnotherNameDoesNotRestoreErased(t *testing.T) {
	x, _, _ := spoken(t)
	old := exported(t, x, ada)
	_, err := x.Erase(t.Context(), ada, Erasure{Sessions: []string{"monday"}})
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "other.db")
	y := openFile(t, path)
	renamed := transfer.ImportOptions{Restore: true, Scope: Scope{User: "lovelace"}}
	report, err := y.Import(t.Context(), strings.NewReader(exported(t, x, ada)), renamed)
	require.NoError(t, err)
	require.Len(t, report.LeftOut, 1, "a message that is sent again to the new name is not refused")
	report, err = y.Import(t.Context(), strings.NewReader(old), renamed)
	require.NoError(t, err)
	require.Positive(t, report.Erased)
	require.Empty(t, holding(t, path, forms("Xylqorvant")...))
	diagnosed(t, path)
}

// A claim that lost a source to an erasure and kept another is not erased by an export
// that has both.
func TestOldExportKeepsRederivedClaims(t *testing.T) {
	x := openNew(t)
	w := &world{t: t, x: x, scope: ada}
	w.say("m1", "monday", "The kettle is blue")
	w.say("t1", "tuesday", "The kettle is blue")
	w.fact("The kettle is blue", .8)
	for _, source := range w.uids[:2] {
		w.exec("INSERT INTO memory_sources (memory_id, source_id, quote) SELECT m.id, s.id, 'blue' FROM memories m, memories s WHERE m.user_id = ? AND m.uid = ? AND s.uid = ?", w.facts[0], source)
	}
	old := exported(t, x, ada)
	receipt, err := x.Erase(t.Context(), ada, Erasure{Sessions: []string{"monday"}})
	require.NoError(t, err)
	require.Equal(t, w.facts, receipt.Rederived)
	clean := exported(t, x, ada)
	require.Positive(t, restored(t, x, old).Erased)
	require.Equal(t, clean, exported(t, x, ada))
}

// An import that was interrupted between claims and their sources left the claims.
func TestRepeatedImportSkipsClaimsDerivedFromErased(t *testing.T) {
	x := openNew(t)
	w := &world{t: t, x: x, scope: ada}
	w.say("m1", "monday", "The Xylqorvant is blue")
	w.fact("The Xylqorvant is a blue thing", .8)
	w.exec("INSERT INTO memory_sources (memory_id, source_id, quote) SELECT m.id, s.id, 'blue' FROM memories m, memories s WHERE m.user_id = ? AND m.uid = ? AND s.uid = ?", w.facts[0], w.uids[0])
	_, err := importText(t, x, manyTurns(batchTurns), transfer.ImportOptions{})
	require.NoError(t, err)
	elsewhere := exported(t, x, ada)
	cut, _, found := strings.Cut(elsewhere, `{"source"`)
	require.True(t, found)

	for _, trusted := range []bool{true, false} {
		path := filepath.Join(t.TempDir(), "here.db")
		y := openFile(t, path)
		require.NoError(t, y.Bus().Publish(t.Context(), eventbus.UserMessage(ada, "The Xylqorvant is blue", eventbus.WithID("m1"))))
		_, err = y.Erase(t.Context(), ada, Erasure{Events: []string{"m1"}})
		require.NoError(t, err)
		_, err = y.Import(t.Context(), strings.NewReader(cut), transfer.ImportOptions{Scope: ada, Restore: trusted})
		requireInvalid(t, err, "end")
		require.Equal(t, 1, count(t, y, "SELECT count(*) FROM memories WHERE kind = 'fact'"))
		_, err = y.Import(t.Context(), strings.NewReader(elsewhere), transfer.ImportOptions{Scope: ada, Restore: trusted})
		require.NoError(t, err)
		require.NotContains(t, exported(t, y, ada), "Xylqorvant")
		require.Equal(t, batchTurns, count(t, y, episodes))
		diagnosed(t, path)
	}
}

// An export of another file can hold claims that were drawn there from what was
// erased here.
func TestImportSkipsClaimsDerivedFromErased(t *testing.T) {
	x, _, w := spoken(t)
	w.exec("INSERT INTO memory_sources (memory_id, source_id, quote) SELECT m.id, s.id, 'blue' FROM memories m, memories s WHERE m.user_id = ? AND m.uid = ? AND s.uid = ? ON CONFLICT DO NOTHING", w.facts[1], w.uids[0])
	elsewhere := exported(t, x, ada)

	path := filepath.Join(t.TempDir(), "here.db")
	y, err := Open(t.Context(), path, &Config{NoBackground: true})
	require.NoError(t, err)
	defer func() { require.NoError(t, y.Close(context.Background())) }()
	require.NoError(t, y.Bus().Publish(t.Context(), eventbus.UserMessage(ada, "The Xylqorvant is blue", eventbus.WithID("m1"))))
	_, err = y.Erase(t.Context(), ada, Erasure{Events: []string{"m1"}})
	require.NoError(t, err)
	restored(t, y, elsewhere)
	require.NotContains(t, exported(t, y, ada), "Xylqorvant")
	require.NotEmpty(t, holding(t, path, []byte("Fjordhaven")))
	diagnosed(t, path)
}

// A question about what was erased here may have been put in another file only.
func TestImportSkipsQuestionsAboutErased(t *testing.T) {
	x := openNew(t)
	w := &world{t: t, x: x, scope: ada}
	secret, err := x.Remember(t.Context(), ada, "The Xylqorvant is blue")
	require.NoError(t, err)
	other, err := x.Remember(t.Context(), ada, "My sister lives in Fjordhaven")
	require.NoError(t, err)
	y := openNew(t)
	restored(t, y, exported(t, x, ada))
	_, err = y.Erase(t.Context(), ada, Erasure{Memories: []string{secret.Memory.UID}})
	require.NoError(t, err)
	asked(t, w, secret.Memory.UID)
	kept := asked(t, w, other.Memory.UID)
	restored(t, y, exported(t, x, ada))
	require.NotContains(t, exported(t, y, ada), "Xylqorvant")
	waiting, err := y.Proposals(t.Context(), ada)
	require.NoError(t, err)
	require.Equal(t, []Proposal{kept}, waiting)
}

func TestErasedTurnsAreNotImported(t *testing.T) {
	x, path, _ := spoken(t)
	const turn = `{"id":"m9","time":"2026-01-02T03:04:05Z","text":"A Zbrwmkph again"}` + "\n"
	once := func() *transfer.ImportReport {
		report, err := x.Import(t.Context(), strings.NewReader(turn), transfer.ImportOptions{Scope: ada})
		require.NoError(t, err)
		return report
	}
	require.Equal(t, 1, once().Stored)
	_, err := x.Erase(t.Context(), ada, Erasure{Events: []string{"m9"}})
	require.NoError(t, err)
	got := once()
	require.Equal(t, [3]int{0, 0, 1}, [3]int{got.Stored, got.Duplicates, got.Erased})
	require.Empty(t, holding(t, path, forms("Zbrwmkph")...))
}
