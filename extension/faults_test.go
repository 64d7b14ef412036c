package extension

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ncruces/go-sqlite3/driver"
	"github.com/ncruces/go-sqlite3/ext/fts5"
	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/consolidate/enrich"
	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/internal/memory"
	"github.com/ebbmem/ebb/internal/pgtest"
	"github.com/ebbmem/ebb/internal/racing"
	"github.com/ebbmem/ebb/internal/vfstest"
	"github.com/ebbmem/ebb/schema"
)

var allFaults = flag.Bool("faults", false, "fail every operation in every way, not a sample of them")

// sample is which of the faults are tried without the flag: one in so many.
const sample = 53

// phase is something done to a memory while the disk fails.
type phase struct {
	name string
	// start is the folder that it begins with: see starts.
	start string
	// closed phases open the memory themselves.
	closed bool
	// run performs the operation and returns the error that its caller gets.
	run func(ctx context.Context, s *site) error
	// after looks at what the next open finds. Default nothing more than that
	// all is whole.
	after func(ctx context.Context, s *site, x *Extension, told error)
	// floor is the least number of operations that it does to the disk: three
	// quarters of what was counted when this was written.
	floor int
}

// site is what a phase works on.
type site struct {
	t    testing.TB
	disk *vfstest.Disk
	dir  string
	key  Key
	x    *Extension
	told []string // texts that were acknowledged

	mu    sync.Mutex
	heard []error // by the hook
}

func (s *site) say(ctx context.Context, texts ...string) error {
	for _, text := range texts {
		if err := say(ctx, s.x, text); err != nil {
			return err
		}
		s.told = append(s.told, text)
	}
	return nil
}

func (s *site) open(ctx context.Context) (err error) {
	s.x, err = openOn(ctx, s.disk, s.dir, s.key, func(_ string, err error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.heard = append(s.heard, err)
	})
	return err
}

// copied checks the copy against the reported result: all or nothing.
func (s *site) copied(ctx context.Context, told error) error {
	path := filepath.Join(s.dir, "copy.db")
	if told != nil {
		require.NoFileExists(s.t, path)
		return told
	}
	dir := fast(s.t)
	data, err := os.ReadFile(path)
	require.NoError(s.t, err)
	require.NoError(s.t, os.WriteFile(filepath.Join(dir, "memory.db"), data, 0o600))
	x, err := openOn(ctx, vfstest.New(s.t), dir, s.key, nil)
	require.NoError(s.t, err)
	require.NoError(s.t, isWhole(x, s.told))
	return x.Close(ctx)
}

// erased is said in one message alone.
const erased = "Porto"

func isNowhere(t testing.TB, dir, text string) {
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		require.NoError(t, err)
		require.False(t, bytes.Contains(bytes.ToLower(data), []byte(strings.ToLower(text))), "%s holds what was erased", e.Name())
	}
}

var opening = []string{"I live in Lisbon with Noor.", "Noor has a cat named Miso.", "We leave for Porto on Friday."}

var phases = []phase{
	{name: "open a new file", start: "nothing", closed: true, floor: 38, run: func(ctx context.Context, s *site) error { return s.open(ctx) }},
	{name: "open", start: "closed", closed: true, floor: 15, run: func(ctx context.Context, s *site) error { return s.open(ctx) }},
	{name: "open after a kill", start: "killed", closed: true, floor: 80, run: func(ctx context.Context, s *site) error { return s.open(ctx) }},
	{name: "migrate", start: "version 0", closed: true, floor: 40, run: func(ctx context.Context, s *site) error { return s.open(ctx) }},
	{name: "publish", start: "closed", floor: 18, run: func(ctx context.Context, s *site) error {
		return s.say(ctx, "Miso is ill.", "The vet is Dr. Pereira.", "I moved to Oslo!")
	}},
	{name: "enrich", start: "closed", floor: 31, run: func(ctx context.Context, s *site) error {
		enricher := enrich.New(s.x.db, enrich.Options{})
		page, err := s.x.Timeline(ctx, ada, TimelineQuery{})
		if err != nil {
			return err
		}
		for _, e := range page {
			if err := enricher.Enrich(ctx, ada, e.UID); err != nil {
				return err
			}
		}
		return nil
	}},
	{name: "recall", start: "closed", floor: 6, run: func(ctx context.Context, s *site) error {
		answer, err := s.x.Recall(ctx, ada, Query{Text: "Where does Miso the cat live?"})
		if err == nil && len(answer.Degraded) == 0 && len(answer.Results) == 0 {
			s.t.Error("a fault became an empty list")
		}
		return err
	}},
	{name: "consolidate", start: "closed", floor: 85, run: func(ctx context.Context, s *site) error {
		_, err := s.x.Consolidate(ctx, ada)
		return err
	}},
	{name: "checkpoint", start: "closed", floor: 60, run: func(ctx context.Context, s *site) error {
		if err := s.say(ctx, "Miso is well."); err != nil {
			return err
		}
		return s.x.db.Checkpoint(ctx)
	}},
	{name: "copy", start: "closed", floor: 150, run: func(ctx context.Context, s *site) error {
		return s.copied(ctx, s.x.db.CopyTo(ctx, filepath.Join(s.dir, "copy.db")))
	}},
	{name: "backup", start: "closed", floor: 190, run: func(ctx context.Context, s *site) error {
		_, err := s.x.Backup(ctx, filepath.Join(s.dir, "copy.db"), nil)
		return s.copied(ctx, err)
	}},
	{name: "erase", start: "closed", floor: 101, run: func(ctx context.Context, s *site) error {
		records, err := s.x.Timeline(ctx, ada, TimelineQuery{})
		if err != nil {
			return err
		}
		for _, r := range records {
			if strings.Contains(r.Content, erased) {
				s.told = slices.DeleteFunc(s.told, func(text string) bool { return text == r.Content })
				_, err = s.x.Erase(ctx, ada, Erasure{Memories: []string{r.UID}})
			}
		}
		if err == nil {
			isNowhere(s.t, s.dir, erased)
		}
		return err
	}, after: func(ctx context.Context, s *site, x *Extension, told error) {
		if _, begun := errors.AsType[*ErasureError](told); told != nil && !begun {
			return // it is there whole or erased whole
		}
		require.Eventually(s.t, func() bool {
			h, err := x.Health(ctx)
			return err == nil && h.OpenErasures == 0
		}, time.Minute, time.Millisecond)
		isNowhere(s.t, s.dir, erased)
	}},
	{name: "close", start: "opening to", floor: 28, run: func(ctx context.Context, s *site) error {
		return s.x.Close(ctx)
	}},
}

// starts makes the folders that phases begin with, each once.
func starts(t *testing.T) map[string]string {
	disk := vfstest.New(t)
	folders := make(map[string]string)
	folder := func(name string) string {
		folders[name] = fast(t)
		return folders[name]
	}
	folder("nothing")
	folder("opening to")

	s := &site{t: t, disk: disk, dir: fast(t)}
	require.NoError(t, s.open(t.Context()))
	require.NoError(t, s.say(t.Context(), opening...))
	copyFiles(t, s.dir, folder("killed"))
	require.NoError(t, s.x.Close(t.Context()))
	copyFiles(t, s.dir, folder("closed"))

	old, err := driver.Open("file:"+filepath.Join(folder("version 0"), "memory.db"), fts5.Register)
	require.NoError(t, err)
	_, err = old.ExecContext(t.Context(), "PRAGMA journal_mode = wal; PRAGMA application_id = 1700946481")
	require.NoError(t, err)
	require.NoError(t, old.Close())
	return folders
}

// begin brings a phase to where the disk begins to fail.
func (p *phase) begin(t testing.TB, folders map[string]string, dir string) *site {
	s := &site{t: t, disk: vfstest.New(t), dir: dir}
	copyFiles(t, folders[p.start], dir)
	if p.start == "closed" || p.start == "killed" {
		s.told = slices.Clone(opening)
	}
	if !p.closed {
		require.NoError(t, s.open(t.Context()))
	}
	if p.start == "opening to" {
		require.NoError(t, s.say(t.Context(), opening...))
	}
	return s
}

// trial runs a phase with one fault, and looks at what is left.
func (p *phase) trial(t *testing.T, folders map[string]string, fault vfstest.Fault, n, times int) (struck []string, told error) {
	dir := fast(t)
	s := p.begin(t, folders, dir)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	s.disk.Arm(fault, n, times)
	told = p.run(ctx, s)
	if times == vfstest.Once {
		_, struck = s.disk.Disarm()
	}
	if s.x != nil {
		closed := s.x.Close(ctx)
		require.True(t, typed(closed, fault), "Close: %v", closed)
	}
	if times != vfstest.Once {
		_, struck = s.disk.Disarm()
	}
	require.NoError(t, ctx.Err(), "it hangs")
	require.True(t, typed(told, fault), "the caller is told: %v", told)

	after, err := openOn(ctx, s.disk, dir, s.key, nil)
	require.NoError(t, err, "the next open")
	require.NoError(t, isWhole(after, s.told))
	if p.after != nil {
		p.after(ctx, s, after, told)
	}
	require.NoError(t, say(ctx, after, "All is well again."))
	require.NoError(t, after.Close(ctx))
	if told == nil && len(s.heard) > 0 {
		told = s.heard[0]
	}
	return struck, told
}

// typed reports that an error is one a host can tell from others.
func typed(err error, fault vfstest.Fault) bool {
	if err != nil && strings.Contains(err.Error(), "sqlite3: ") { // in SQLite's words
		return false
	}
	if fault == vfstest.DiskFull {
		return err == nil || errors.Is(err, ErrDiskFull)
	}
	return err == nil || errors.Is(err, ErrIO)
}

// TestEveryFault fails every operation on the disk in turn, in every way that
// it can fail, once and for good. In a plain run of the tests it takes a sample;
// -faults tries all of them.
func TestEveryFault(t *testing.T) {
	pgtest.FileOnly(t, "a disk that fails")
	racing.Alone(t)
	folders := starts(t)
	for i, p := range phases {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			turn := i // so that samples do not begin alike
			reached, trials := 0, 0
			silent := make(map[string]int)
			for _, fault := range vfstest.Faults {
				count := p.count(t, folders, fault)
				if slices.Contains(disjoint, fault) {
					reached += count
				}
				for n := range 2 * count {
					if turn++; !*allFaults && turn%sample != 0 {
						continue
					}
					n, times := n/2+1, []int{vfstest.Once, vfstest.Always}[n%2]
					struck, told := p.trial(t, folders, fault, n, times)
					if t.Failed() {
						t.Fatalf("%s at operation %d, %d times: %q", fault, n, times, struck)
					}
					if len(struck) > 0 {
						trials++
					}
					if len(struck) > 0 && told == nil {
						silent[struck[0]]++
					}
				}
			}
			t.Logf("%d operations on the disk; %d faults", reached, trials)
			require.GreaterOrEqual(t, reached, p.floor, "far fewer operations are reached than when this was written")
			for what, n := range silent {
				t.Logf("told nobody: %s (%d times)", what, n)
				require.True(t, harmless(what), what)
			}
		})
	}
}

// disjoint are the faults that together strike every operation once.
var disjoint = []vfstest.Fault{vfstest.ReadError, vfstest.WriteError, vfstest.SyncError}

// harmless reports what SQLite may well ignore: that room is not set aside
// before it is written to, and that an empty log is not removed at the end.
func harmless(struck string) bool {
	return strings.HasPrefix(struck, "resize of ") || strings.HasPrefix(struck, "remove of ") && strings.HasSuffix(struck, "-wal")
}

// count is how many operations a phase does that a fault can strike.
func (p *phase) count(t *testing.T, folders map[string]string, fault vfstest.Fault) int {
	s := p.begin(t, folders, fast(t))
	s.disk.Arm(fault, vfstest.Always, vfstest.Once)
	require.NoError(t, p.run(t.Context(), s))
	seen, _ := s.disk.Disarm()
	require.NoError(t, s.x.Close(t.Context()))
	return seen
}

// A failure of background work is reported by the hook, and stays in Health until the
// work succeeds.
func TestBackgroundFaultIsInHealth(t *testing.T) {
	pgtest.FileOnly(t, "a disk that fails")
	disk := vfstest.New(t)
	path := filepath.Join(fast(t), "memory.db")
	heard := make(chan string, 100)
	cfg := &Config{Night: NightConfig{NoSchedule: true}, Hooks: Hooks{OnError: func(source string, _ error) {
		select {
		case heard <- source:
		default:
		}
	}}}
	x, err := OpenWith(t.Context(), path, cfg, memory.Options{File: schema.Options{VFS: disk.Name(), NoCheckpoint: true}})
	require.NoError(t, err)
	defer func() { require.NoError(t, x.Close(t.Context())) }()
	require.NoError(t, say(t.Context(), x, "My sister is Noor Haddad."))
	require.NoError(t, x.WaitIdle(t.Context()))
	// The first sync is for the message, the next for what is found in it.
	disk.ArmFile("memory.db-wal", vfstest.SyncError, 2, vfstest.Always)
	require.NoError(t, say(t.Context(), x, "Tom Ferreira is from Porto."))
	health := func() *Health {
		h, err := x.Health(t.Context())
		require.NoError(t, err, "looking needs no sync")
		return h
	}
	require.Eventually(t, func() bool {
		h := health()
		return !h.Healthy() && slices.ContainsFunc(h.Consumers, func(c eventbus.ConsumerStats) bool { return c.Fault != "" })
	}, time.Minute, 10*time.Millisecond)
	ailing := health()
	require.True(t, slices.ContainsFunc(ailing.Failures, func(f schema.Failure) bool { return f.Source == "commit" && strings.Contains(f.Error, ErrIO.Error()) }), "%v", ailing.Failures)
	require.True(t, slices.ContainsFunc(ailing.Consumers, func(c eventbus.ConsumerStats) bool { return strings.Contains(c.Fault, ErrIO.Error()) }), "%v", ailing.Consumers)
	require.NotEmpty(t, heard)
	disk.Disarm()
	require.NoError(t, x.WaitIdle(t.Context()))
	require.Eventually(t, func() bool { return health().Healthy() }, time.Minute, 10*time.Millisecond)
}

// A turn that the disk refuses is a failure of its kind, whichever way it went.
func TestTurnFaultKeepsErrorKind(t *testing.T) {
	pgtest.FileOnly(t, "a disk that fails")
	disk := vfstest.New(t)
	path := filepath.Join(fast(t), "memory.db")
	x, err := OpenWith(t.Context(), path, &Config{NoBackground: true, Hooks: Hooks{OnError: func(string, error) {}}}, memory.Options{File: schema.Options{VFS: disk.Name(), NoCheckpoint: true}})
	require.NoError(t, err)
	defer func() { require.NoError(t, x.Close(t.Context())) }()
	for fault, kind := range map[vfstest.Fault]error{vfstest.SyncError: ErrIO, vfstest.DiskFull: ErrDiskFull} {
		s, err := x.Session(Scope{User: "ada", Session: string(fault)})
		require.NoError(t, err)
		disk.Arm(fault, 1, vfstest.Always)
		require.NoError(t, s.Memory().SaveContext(t.Context(), map[string]any{"input": "Miso is well."}, map[string]any{"output": "Good."}))
		h, err := x.Health(t.Context())
		require.NoError(t, err)
		require.True(t, slices.ContainsFunc(h.Failures, func(f schema.Failure) bool { return f.Source == "memory" && strings.Contains(f.Error, kind.Error()) }), "%v", h.Failures)
		disk.Disarm()
	}
}
