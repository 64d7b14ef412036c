package sqlite_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ebbmem/ebb/internal/sqlite"

	"github.com/ncruces/go-sqlite3/ext/fts5"
	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/memtest"
	"github.com/ebbmem/ebb/schema"
)

// image is what a crash leaves of a memory: the file, its log, its mark.
type image map[string][]byte

func imageOf(t *testing.T, path string) image {
	t.Helper()
	files := make(image)
	for _, suffix := range []string{"", "-wal", "-mark"} {
		bytes, err := os.ReadFile(path + suffix)
		require.NoError(t, err)
		files[suffix] = bytes
	}
	return files
}

// put writes the image somewhere new.
func (files image) put(t *testing.T) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "memory.db")
	for suffix, bytes := range files {
		require.NoError(t, os.WriteFile(path+suffix, bytes, 0o600))
	}
	return path
}

func (files image) with(suffix string, bytes []byte) image {
	changed := image{"": files[""], "-wal": files["-wal"], "-mark": files["-mark"]}
	changed[suffix] = bytes
	return changed
}

const acknowledged = 40

// crashed is a memory of so many messages, all of them in the log: a reader
// keeps the checkpoints from moving them.
func crashed(t *testing.T) image {
	t.Helper()
	path := filepath.Join(t.TempDir(), "memory.db")
	db, err := schema.Open(t.Context(), path, nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	var files image
	require.NoError(t, db.Read(t.Context(), func(ctx context.Context, s *schema.Snapshot) error {
		users, err := s.Users(ctx)
		require.Empty(t, users)
		for i := range acknowledged {
			_, err := memtest.Say(ctx, db, ada, fmt.Sprintf("message %d", i))
			require.NoError(t, err)
		}
		require.NoError(t, db.WriteMark())
		files = imageOf(t, path)
		return err
	}))
	return files
}

// remains counts the messages that are there, and lists what is said to be lost.
func remains(t *testing.T, path string, options *schema.Options) (n int64, losses []schema.Loss) {
	t.Helper()
	db, err := schema.Open(t.Context(), path, options)
	require.NoError(t, err, "a loss keeps nobody from the rest")
	defer func() { require.NoError(t, db.Close()) }()
	memtest.Read(t, db, func(ctx context.Context, s *schema.Snapshot) error {
		return s.Row(ctx, "SELECT count(*) FROM memories", nil, &n)
	})
	losses, err = db.Losses(t.Context())
	require.NoError(t, err)
	return n, losses
}

// Wherever a bit of the log flips, or the log ends, what that costs is said,
// exactly; and when it costs nothing, nothing is said.
func TestTruncatedLogIsNoticed(t *testing.T) {
	files := crashed(t)
	n, losses := remains(t, files.put(t), nil)
	require.EqualValues(t, acknowledged, n)
	require.Empty(t, losses, "a crash alone loses nothing")

	tries, lost := 60, 0
	if testing.Short() {
		tries = 12
	}
	log := files["-wal"]
	for i := range tries {
		var damaged []byte
		if i%3 == 0 {
			damaged = log[:rand.IntN(len(log))]
		} else {
			damaged = append([]byte(nil), log...)
			bit := rand.IntN(8 * len(log))
			damaged[bit/8] ^= 1 << (bit % 8)
		}
		path := files.with("-wal", damaged).put(t)
		seen, unwritten := remains(t, path, &schema.Options{ReadOnly: true})
		n, losses := remains(t, path, nil)
		require.Equal(t, n, seen)
		require.Equal(t, len(losses), len(unwritten))
		if n == acknowledged {
			require.Empty(t, losses)
			continue
		}
		lost++
		require.Len(t, losses, 1)
		require.Equal(t, map[string]schema.Gone{"memories": {After: n, Through: acknowledged}}, losses[0].Gone)
		require.Equal(t, losses[0].Gone, unwritten[0].Gone)
		require.ErrorContains(t, &losses[0], fmt.Sprintf("memories %d to %d are not there", n+1, acknowledged))
	}
	require.Positive(t, lost)
	t.Logf("%d of %d damaged logs lost messages; each was said", lost, tries)
}

// In the first seconds there is no mark yet: what follows the damage says that
// there was more.
func TestDamagedLogIsNoticedWithoutAMark(t *testing.T) {
	files := crashed(t)
	delete(files, "-mark")
	n, losses := remains(t, image{"": files[""], "-wal": files["-wal"]}.put(t), nil)
	require.EqualValues(t, acknowledged, n)
	require.Empty(t, losses, "a crash alone loses nothing")
	log, lost := files["-wal"], 0
	for i := range 25 {
		damaged := bytes.Clone(log)
		switch i % 5 {
		case 0: // the header
			damaged[i%32] ^= 1 << (i % 8)
		case 1:
			clear(damaged[:32])
		case 2:
			at := 4096 * (1 + rand.IntN(len(log)/4096-2))
			clear(damaged[at : at+4096])
		default:
			bit := rand.IntN(8 * len(log))
			damaged[bit/8] ^= 1 << (bit % 8)
		}
		path := image{"": files[""], "-wal": damaged}.put(t)
		_, unwritten := remains(t, path, &schema.Options{ReadOnly: true})
		n, losses := remains(t, path, nil)
		require.Equal(t, n < acknowledged, len(losses) == 1, "%d: %d messages are left", i, n)
		require.Len(t, unwritten, len(losses))
		if len(losses) > 0 {
			lost++
			require.ErrorContains(t, &losses[0], "the write-ahead log (-wal) beside the file is damaged")
			_, again := remains(t, path, nil)
			require.Len(t, again, 1, "until it is acknowledged")
		}
	}
	t.Logf("%d of 25 damaged logs lost messages; each was said", lost)
	require.Greater(t, lost, 15)
}

func TestAForeignLogIsRefused(t *testing.T) {
	own, other := crashed(t), crashed(t)
	foreign := image{"": own[""], "-wal": other["-wal"]}.put(t)
	before, err := os.ReadFile(foreign)
	require.NoError(t, err)
	for _, options := range []*schema.Options{nil, {ReadOnly: true}} {
		_, err := schema.Open(t.Context(), foreign, options)
		var invalid *schema.InvalidError
		require.ErrorAs(t, err, &invalid)
		require.ErrorContains(t, err, "of another memory")
	}
	after, err := os.ReadFile(foreign)
	require.NoError(t, err)
	require.True(t, bytes.Equal(before, after))
	require.FileExists(t, foreign+"-wal")
	require.NoError(t, os.Remove(foreign+"-wal"))
	_, _ = remains(t, foreign, nil)
}

// A log that was restarted after a checkpoint, as most are, identifies its database
// with its first commit.
func TestAForeignLogIsRefusedAfterACheckpoint(t *testing.T) {
	ctx := t.Context()
	path := filepath.Join(t.TempDir(), "memory.db")
	db, err := schema.Open(ctx, path, nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	own := crashed(t)
	for i, restart := range []func(){
		func() {},
		func() { require.NoError(t, db.Checkpoint(ctx)) },
		func() { // in the background, a second or two later
			require.Eventually(t, func() bool {
				file, err := os.ReadFile(path)
				require.NoError(t, err)
				held, err := db.LogHeld(ctx)
				return err == nil && held == 0 && bytes.Contains(file, []byte("message 1"))
			}, time.Minute, 10*time.Millisecond)
		},
	} {
		restart()
		_, err := memtest.Say(ctx, db, ada, fmt.Sprintf("message %d", i))
		require.NoError(t, err)
		log, err := os.ReadFile(path + "-wal")
		require.NoError(t, err)
		foreign := image{"": own[""], "-wal": log}.put(t)
		_, err = schema.Open(ctx, foreign, nil)
		require.ErrorContains(t, err, "of another memory", i)
	}
}

// The first commit after another process checkpointed the log restarts it without
// the identity: the writer adds that before the commit is acknowledged.
func TestALogRestartedByAnotherProcessIsIdentified(t *testing.T) {
	own, path := crashed(t), filepath.Join(t.TempDir(), "memory.db")
	var dbs [2]*schema.DB
	for i := range dbs {
		db, err := schema.Open(t.Context(), path, &schema.Options{NoCheckpoint: true})
		require.NoError(t, err)
		defer func() { require.NoError(t, db.Close()) }()
		dbs[i] = db
	}
	for i := range 3 {
		_, err := memtest.Say(t.Context(), dbs[0], ada, fmt.Sprintf("message %d", i))
		require.NoError(t, err)
		require.NoError(t, dbs[1].Checkpoint(t.Context()))
	}
	_, err := memtest.Say(t.Context(), dbs[0], ada, "the only commit of its log")
	require.NoError(t, err)
	log, err := os.ReadFile(path + "-wal")
	require.NoError(t, err)
	_, err = schema.Open(t.Context(), image{"": own[""], "-wal": log}.put(t), nil)
	require.ErrorContains(t, err, "of another memory")
}

// A log without the identity, that another program wrote, is refused if it breaks
// the file. The file's own is not.
func TestAForeignLogWithoutTheIdentity(t *testing.T) {
	ctx := t.Context()
	whole := func(messages int) []byte {
		path := filepath.Join(t.TempDir(), "memory.db")
		db, err := schema.Open(ctx, path, nil)
		require.NoError(t, err)
		for i := range messages {
			_, err := memtest.Say(ctx, db, ada, fmt.Sprintf("message %d, %s", i, strings.Repeat("and so on ", 10*i%97)))
			require.NoError(t, err)
		}
		require.NoError(t, db.Close())
		file, err := os.ReadFile(path)
		require.NoError(t, err)
		return file
	}
	logOf := func(file []byte, change string) []byte {
		path := image{"": file}.put(t)
		db, err := sqlite.OpenSQLite("file:"+path+"?_pragma=wal_autocheckpoint(0)", false, fts5.Register)
		require.NoError(t, err)
		defer func() { require.NoError(t, db.Close()) }()
		_, err = db.ExecContext(ctx, change)
		require.NoError(t, err)
		log, err := os.ReadFile(path + "-wal")
		require.NoError(t, err)
		return log
	}
	own := whole(120)
	others := [][]byte{whole(3), whole(60), whole(200)}
	tries, refused := 0, 0
	for _, change := range []string{
		"UPDATE memories SET content = content || ' indeed' WHERE id = (SELECT max(id) FROM memories)",
		"UPDATE memories SET content = hex(randomblob(20000)) WHERE id = 2",
		"DELETE FROM memories WHERE id > 1",
		"CREATE TABLE mine (a)",
		"UPDATE users SET name = 'bob'",
	} {
		for _, options := range []*schema.Options{{ReadOnly: true}, nil} {
			db, err := schema.Open(ctx, image{"": own, "-wal": logOf(own, change)}.put(t), options)
			require.NoError(t, err, change)
			require.NoError(t, db.Close())
			for _, other := range others {
				tries++
				path := image{"": own, "-wal": logOf(other, change)}.put(t)
				db, err := schema.Open(ctx, path, options)
				if err == nil {
					require.NoError(t, db.Close())
					continue
				}
				refused++
				require.ErrorContains(t, err, "of another memory", change)
				after, err := os.ReadFile(path)
				require.NoError(t, err)
				require.True(t, bytes.Equal(own, after))
			}
		}
	}
	t.Logf("%d of %d foreign logs refused", refused, tries)
	require.Greater(t, refused, tries*3/4) // a page that happens to fit passes
}

func TestLossIsReportedUntilAcknowledged(t *testing.T) {
	files := crashed(t)
	path := files.with("-wal", files["-wal"][:len(files["-wal"])/2]).put(t)
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for range 3 { // writing on does not make it forgotten
		db, err := schema.Open(t.Context(), path, &schema.Options{Now: func() time.Time { return now }})
		require.NoError(t, err)
		m, err := memtest.Say(t.Context(), db, ada, "life goes on")
		require.NoError(t, err)
		require.Greater(t, m.ID, int64(acknowledged), "a number is not given twice")
		losses, err := db.Losses(t.Context())
		require.NoError(t, err)
		require.Len(t, losses, 1)
		require.NoError(t, db.Close())
		_, err = os.Stat(path + "-mark")
		require.ErrorIs(t, err, os.ErrNotExist, "a closed memory is one file")
	}
	db := openPath(t, path, nil)
	n, err := db.AcknowledgeLosses(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 1, n)
	losses, err := db.Losses(t.Context())
	require.NoError(t, err)
	require.Empty(t, losses)
	n, err = db.AcknowledgeLosses(t.Context())
	require.NoError(t, err)
	require.Zero(t, n)
}

func TestReadingLossWritesNothing(t *testing.T) {
	files := crashed(t).with("-wal", []byte{})
	path := files.put(t)
	for range 2 {
		_, losses := remains(t, path, &schema.Options{ReadOnly: true})
		require.Len(t, losses, 1)
		require.Zero(t, losses[0].ID)
	}
	mark, err := os.ReadFile(path + "-mark")
	require.NoError(t, err)
	require.Equal(t, files["-mark"], mark)
	file, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, files[""], file)
}

func TestMarkMatchesOwnFileOnly(t *testing.T) {
	files := crashed(t)
	whole := files.put(t)
	require.NoError(t, os.Remove(whole+"-mark"))
	db, err := schema.Open(t.Context(), whole, nil)
	require.NoError(t, err)
	require.NoError(t, db.Close())
	otherPath := filepath.Join(t.TempDir(), "other.db")
	db, err = schema.Open(t.Context(), otherPath, nil)
	require.NoError(t, err)
	require.NoError(t, db.Close())
	other, err := os.ReadFile(otherPath)
	require.NoError(t, err)
	newer, err := os.ReadFile(whole)
	require.NoError(t, err)
	mark := files["-mark"]
	for name, c := range map[string]struct {
		files image
		lost  int
	}{
		"an older copy in its place":             {image{"": files[""], "-mark": mark}, 1},
		"the same state in its place":            {image{"": newer, "-mark": mark}, 0},
		"another memory in its place":            {image{"": other, "-mark": mark}, 0},
		"a mark of garbage":                      {image{"": files[""], "-mark": []byte("ebb-mark-1 is not this\n")}, 0},
		"a mark of no bytes":                     {image{"": files[""], "-mark": {}}, 0},
		"a copy that was taken without its mark": {image{"": files[""]}, 0},
	} {
		_, losses := remains(t, c.files.put(t), nil)
		require.Len(t, losses, c.lost, name)
	}
	gone := image{"-mark": mark}.put(t)
	n, losses := remains(t, gone, nil)
	require.Zero(t, n)
	require.Empty(t, losses, "a new memory where one was")
}

// What a restore puts in place is older by design; what it replaces keeps its
// mark under its new name.
func TestRestoreMovesMark(t *testing.T) {
	files := crashed(t)
	path := files.with("-wal", []byte{}).put(t)
	before, err := schema.Open(t.Context(), image{"": files[""]}.put(t), nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, before.Close()) }()
	_, err = memtest.Say(t.Context(), before, ada, "all there was then")
	require.NoError(t, err)
	backup := filepath.Join(t.TempDir(), "backup.db")
	_, err = before.Backup(t.Context(), backup, nil)
	require.NoError(t, err)
	report, err := schema.Restore(t.Context(), backup, path, true, nil, nil)
	require.NoError(t, err)
	n, losses := remains(t, path, nil)
	require.EqualValues(t, 1, n)
	require.Empty(t, losses)
	_, losses = remains(t, report.SetAside, nil)
	require.Len(t, losses, 1)
}

// The mark follows by itself, is as private as the file, and says nothing.
func TestMarkFollowsWriting(t *testing.T) {
	t.Parallel()
	db := open(t)
	_, err := memtest.Say(t.Context(), db, ada, "my sister Noor marries in June")
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		info, err := os.Stat(db.Path() + "-mark")
		return err == nil && info.Size() > 0 && info.Mode().Perm() == 0o600
	}, time.Minute, 10*time.Millisecond)
	text, err := os.ReadFile(db.Path() + "-mark")
	require.NoError(t, err)
	require.Contains(t, string(text), "memories=1")
	require.NotContains(t, string(text), "Noor")
	require.Empty(t, db.Faults())
}

// A mark that cannot be written costs nothing but the notice, and is said.
func TestUnwritableMark(t *testing.T) {
	t.Parallel()
	db := open(t)
	require.NoError(t, os.Mkdir(db.Path()+"-mark", 0o700))
	_, err := memtest.Say(t.Context(), db, ada, "still stored")
	require.NoError(t, err)
	require.Eventually(t, func() bool { return len(db.Faults()) == 1 && db.Faults()[0].Source == "mark" }, time.Minute, 10*time.Millisecond)
}
