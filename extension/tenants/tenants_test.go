package tenants

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/extension/transfer"
	"github.com/ebbmem/ebb/internal/files"
	"github.com/ebbmem/ebb/schema"
)

func openDir(t testing.TB, path string, cfg *Config) *Dir {
	t.Helper()
	d, err := Open(t.Context(), path, cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.Close(context.Background())) })
	return d
}

// tell stores a message of a tenant's user.
func tell(ctx context.Context, d *Dir, tenant, text string) error {
	m, err := d.Tenant(ctx, tenant)
	if err != nil {
		return err
	}
	defer func() { _ = m.Close(ctx) }()
	return m.Bus().Publish(ctx, eventbus.UserMessage(schema.Scope{Tenant: tenant, User: "ada"}, text))
}

// The number of messages of a tenant's user.
func told(ctx context.Context, d *Dir, tenant string) (int, error) {
	m, err := d.Tenant(ctx, tenant)
	if err != nil {
		return 0, err
	}
	defer func() { _ = m.Close(ctx) }()
	records, err := m.Timeline(ctx, schema.Scope{Tenant: tenant, User: "ada"}, extension.TimelineQuery{Limit: 1000})
	return len(records), err
}

var noRounds = &extension.Config{Night: extension.NightConfig{NoSchedule: true}, NoClaims: true}

func testKey(t testing.TB, fill string) schema.Key {
	t.Helper()
	key, err := schema.NewKey(bytes.Repeat([]byte(fill), 32)[:32])
	require.NoError(t, err)
	return key
}

func TestTenantsHaveFilesOfTheirOwn(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "memories")
	d := openDir(t, path, &Config{Memory: noRounds})
	tenants := []string{"acme", "Acme", "ACME", "acme ", "../acme", "globex", "Jo\u0308rg", "J\u00f6rg", strings.Repeat("x", 512)}
	for _, tenant := range tenants {
		require.NoError(t, tell(t.Context(), d, tenant, "We are "+tenant))
	}
	listed, err := d.Tenants(t.Context())
	require.NoError(t, err)
	require.Len(t, listed, len(tenants))
	var names []string
	for _, l := range listed {
		require.True(t, l.Known)
		require.Positive(t, l.Bytes)
		names = append(names, l.Tenant)
	}
	require.ElementsMatch(t, tenants, names)
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), info.Mode().Perm())
	require.NoError(t, d.Close(t.Context()))
	require.NoError(t, d.Close(t.Context()), "again")
	_, err = d.Tenant(t.Context(), "acme")
	require.ErrorIs(t, err, schema.ErrClosed)
	for _, none := range []string{"", " "} {
		_, err = d.Tenant(t.Context(), none)
		require.ErrorContains(t, err, "tenant is empty", "a forgotten header would open one memory for all")
	}

	entries, err := os.ReadDir(path)
	require.NoError(t, err)
	require.Len(t, entries, len(tenants)+1)
	folded := map[string]bool{}
	for _, e := range entries {
		require.False(t, folded[strings.ToLower(e.Name())], "two names that differ in case alone")
		folded[strings.ToLower(e.Name())] = true
		if e.Name() != dirMarker {
			// All of it is a code: that "acme" stands in one now and then is chance.
			require.Regexp(t, `^[a-z2-7]{52}\.db$`, e.Name())
			require.NotContains(t, strings.TrimSuffix(e.Name(), ".db"), "globex")
		}
	}
	again := openDir(t, path, &Config{Memory: noRounds})
	for _, tenant := range tenants {
		n, err := told(t.Context(), again, tenant)
		require.NoError(t, err)
		require.Equal(t, 1, n, "%q", tenant)
	}
}

// A caller's context also ends the call that opens the file, which is closed as
// soon as it is open if the folder was closed meanwhile.
func TestTenantEndsWithItsContextWhileTheFileIsOpened(t *testing.T) {
	d := openDir(t, filepath.Join(t.TempDir(), "memories"), &Config{Memory: noRounds})
	path := filepath.Join(d.path, d.names.of("acme"))
	x, err := extension.Open(t.Context(), path, noRounds)
	require.NoError(t, err)
	require.NoError(t, x.Close(t.Context()))
	lock, err := sql.Open("sqlite3", "file:"+path)
	require.NoError(t, err)
	lock.SetMaxOpenConns(1)
	_, err = lock.ExecContext(t.Context(), "PRAGMA locking_mode = exclusive; BEGIN EXCLUSIVE")
	require.NoError(t, err)
	soon, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	began := time.Now()
	_, err = d.Tenant(soon, "acme")
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Less(t, time.Since(began), 4*time.Second, "opening waits 5 s for the lock")
	soon, cancel = context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, d.Close(soon), context.DeadlineExceeded)
	require.NoError(t, lock.Close())
	require.Eventually(t, func() bool {
		d.mu.Lock()
		defer d.mu.Unlock()
		return len(d.open) == 0
	}, time.Minute, 10*time.Millisecond, "it was opened after Close had given up, and closed")
}

func TestNewFolderWithoutHardLinks(t *testing.T) {
	files.WithoutLinks(t)
	folder := filepath.Join(t.TempDir(), "tenants")
	require.NoError(t, tell(t.Context(), openDir(t, folder, nil), "acme", "I keep bees."))
	left, err := filepath.Glob(filepath.Join(folder, ".ebb-dir-*"))
	require.NoError(t, err)
	require.Empty(t, left)
	openDir(t, folder, nil)
}

// A tenant's file takes no scope of another tenant, whichever way it comes.
func TestFileServesOneTenant(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memories")
	d := openDir(t, path, &Config{Memory: noRounds})
	require.NoError(t, tell(t.Context(), d, "acme", "tea"))
	m, err := d.Tenant(t.Context(), "acme")
	require.NoError(t, err)
	other := schema.Scope{Tenant: "globex", User: "ada"}
	_, recalled := m.Recall(t.Context(), other, extension.Query{Text: "tea"})
	_, listed := m.Timeline(t.Context(), other, extension.TimelineQuery{})
	for what, err := range map[string]error{
		"publish": m.Bus().Publish(t.Context(), eventbus.UserMessage(other, "mine")), "recall": recalled, "timeline": listed,
	} {
		var invalid *schema.InvalidError
		require.ErrorAs(t, err, &invalid, what)
		require.Equal(t, "Scope.Tenant", invalid.Field, what)
	}
	s, err := m.Session(schema.Scope{User: "ada"})
	require.NoError(t, err)
	require.Equal(t, "acme", s.Scope().Tenant)
	answer, err := s.Search(t.Context(), extension.Query{Text: "tea"})
	require.NoError(t, err)
	require.Len(t, answer.Results, 1)
	require.NoError(t, m.Close(t.Context()))

	// A file that was put in another's place is not taken for it.
	require.NoError(t, d.Close(t.Context()))
	require.NoError(t, os.Rename(filepath.Join(path, d.names.of("acme")), filepath.Join(path, d.names.of("globex"))))
	again := openDir(t, path, &Config{Memory: noRounds})
	_, err = again.Tenant(t.Context(), "globex")
	require.ErrorContains(t, err, "another tenant's memory")
}

// Each method of a tenant's memory that takes a scope completes it.
func TestEmptyTenantIsTheFiles(t *testing.T) {
	d := openDir(t, filepath.Join(t.TempDir(), "memories"), &Config{Memory: noRounds})
	m, err := d.Tenant(t.Context(), "acme")
	require.NoError(t, err)
	defer func() { require.NoError(t, m.Close(t.Context())) }()
	short, full := schema.Scope{User: "ada"}, schema.Scope{Tenant: "acme", User: "ada"}
	publish := func(scope schema.Scope, id string) {
		require.NoError(t, m.Bus().Publish(t.Context(), eventbus.UserMessage(scope, "My dog is called Zanzibarix", eventbus.WithID(id))))
	}
	publish(short, "m1")
	methods := reflect.TypeOf(m)
	tried := 0
	for i := range methods.NumMethod() {
		method := methods.Method(i)
		in := []reflect.Value{reflect.ValueOf(m)}
		scoped := false
		for n := 1; n < method.Type.NumIn() && (n < method.Type.NumIn()-1 || !method.Type.IsVariadic()); n++ {
			switch of := method.Type.In(n); of {
			case reflect.TypeFor[context.Context]():
				in = append(in, reflect.ValueOf(t.Context()))
			case reflect.TypeFor[schema.Scope]():
				in, scoped = append(in, reflect.ValueOf(short)), true
			case reflect.TypeFor[io.Reader]():
				in = append(in, reflect.ValueOf(strings.NewReader("x")))
			case reflect.TypeFor[io.Writer]():
				in = append(in, reflect.ValueOf(io.Discard))
			case reflect.TypeFor[string]():
				in = append(in, reflect.ValueOf("x"))
			default:
				in = append(in, reflect.Zero(of))
			}
		}
		if !scoped {
			continue
		}
		tried++
		for _, out := range method.Func.Call(in) {
			var invalid *schema.InvalidError
			if err, is := reflect.TypeAssert[error](out); is && errors.As(err, &invalid) {
				require.NotEqual(t, "Scope.Tenant", invalid.Field, method.Name)
			}
		}
	}
	require.Greater(t, tried, 35)

	// Both forms are one user and one conversation, also where no row says so.
	_, err = m.Import(t.Context(), strings.NewReader(`{"id":"m2","time":"2026-01-02T03:04:05Z","text":"The kettle is green"}`), transfer.ImportOptions{Scope: short})
	require.NoError(t, err)
	require.NoError(t, m.SetCycle(t.Context(), short, 7))
	require.EqualValues(t, 7, m.Cycle(full))
	require.NoError(t, m.Bus().Publish(t.Context(), eventbus.ToolResult(short, "web", "Zanzibarix is a parrot", eventbus.From(eventbus.OriginToolExternal))))
	require.NoError(t, m.Bus().Publish(t.Context(), eventbus.AgentResponse(full, "So it is a parrot", eventbus.WithID("answer"))))
	said, err := m.Timeline(t.Context(), short, extension.TimelineQuery{})
	require.NoError(t, err)
	answer := said[slices.IndexFunc(said, func(r extension.Record) bool { return r.EventID == "answer" })]
	require.Equal(t, eventbus.OriginToolExternal.Ceiling(), answer.Trust, "it followed the web page")
	_, err = m.Erase(t.Context(), short, extension.Erasure{Everything: true})
	require.NoError(t, err)
	require.Zero(t, m.Cycle(full))
	publish(full, "m1")
	publish(short, "m1")
	_, err = m.Import(t.Context(), strings.NewReader(`{"id":"m2","time":"2026-01-02T03:04:05Z","text":"The kettle is green"}`), transfer.ImportOptions{Scope: full})
	require.NoError(t, err)
	users, err := m.Users(t.Context())
	require.NoError(t, err)
	require.Empty(t, users)
}

// An export of one file without tenants is restored into a tenant's file, one of another tenant is
// not unless the host says so.
func TestRestoreOfAFileWithoutTenants(t *testing.T) {
	for from, scopes := range map[string]map[schema.Scope]bool{
		"":       {{}: true, {Tenant: "acme"}: true, {Tenant: "acme", User: "ada"}: true, {User: "ada"}: true, {Tenant: "globex"}: false},
		"globex": {{}: false, {Tenant: "acme"}: true, {User: "ada"}: true},
	} {
		single, err := extension.Open(t.Context(), filepath.Join(t.TempDir(), "one.db"), &extension.Config{NoBackground: true})
		require.NoError(t, err)
		of := schema.Scope{Tenant: from, User: "ada"}
		require.NoError(t, single.Bus().Publish(t.Context(), eventbus.UserMessage(of, "The kettle is green")))
		var export bytes.Buffer
		_, err = single.Export(t.Context(), &export, of)
		require.NoError(t, err)
		require.NoError(t, single.Close(t.Context()))
		for scope, restores := range scopes {
			dir, err := Open(t.Context(), filepath.Join(t.TempDir(), "tenants"), nil)
			require.NoError(t, err)
			m, err := dir.Tenant(t.Context(), "acme")
			require.NoError(t, err)
			_, err = m.Import(t.Context(), bytes.NewReader(export.Bytes()), transfer.ImportOptions{Restore: true, Scope: scope})
			if !restores {
				require.ErrorContains(t, err, "leave it empty, or open that tenant's", "%q %v", from, scope)
			} else {
				require.NoError(t, err, "%q %v", from, scope)
				said, err := m.Timeline(t.Context(), schema.Scope{Tenant: "acme", User: "ada"}, extension.TimelineQuery{})
				require.NoError(t, err)
				require.Len(t, said, 1)
			}
			require.NoError(t, m.Close(t.Context()))
			require.NoError(t, dir.Close(t.Context()))
		}
	}
}

// Nothing in an encrypted folder tells who its tenants are, not even to who
// guesses; and no key but the right one makes a new memory beside the old.
func TestEncryptedFolderHidesNames(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memories")
	cfg := func(key schema.Key) *Config {
		return &Config{Memory: &extension.Config{Key: key, Night: extension.NightConfig{NoSchedule: true}}}
	}
	d := openDir(t, path, cfg(testKey(t, "one")))
	require.NoError(t, tell(t.Context(), d, "zebrafinch", "zebrafinch"))
	require.NoError(t, d.Close(t.Context()))
	before := map[string]string{}
	entries, err := os.ReadDir(path)
	require.NoError(t, err)
	for _, e := range entries {
		content, err := os.ReadFile(filepath.Join(path, e.Name()))
		require.NoError(t, err)
		require.NotContains(t, e.Name()+string(content), "zebrafinch")
		before[e.Name()] = string(content)
	}
	for want, key := range map[error]schema.Key{schema.ErrKeyMissing: {}, schema.ErrKeyWrong: testKey(t, "two")} {
		_, err := Open(t.Context(), path, cfg(key))
		require.ErrorIs(t, err, want)
	}
	plain := filepath.Join(t.TempDir(), "plain")
	openDir(t, plain, cfg(schema.Key{}))
	_, err = Open(t.Context(), plain, cfg(testKey(t, "one")))
	require.ErrorIs(t, err, schema.ErrKeyUnneeded)
	for name, content := range before {
		now, err := os.ReadFile(filepath.Join(path, name))
		require.NoError(t, err)
		require.Equal(t, content, string(now))
	}
	again := openDir(t, path, cfg(testKey(t, "one")))
	n, err := told(t.Context(), again, "zebrafinch")
	require.NoError(t, err)
	require.Equal(t, 1, n)
	require.NotEqual(t, d.names.of("acme"), (&fileNames{bytes.Repeat([]byte{1}, 32)}).of("acme"), "a guess needs the secret")
}

func TestOpenDirRefuses(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(file, []byte("x"), 0o600))
	shared := filepath.Join(dir, "shared")
	require.NoError(t, os.Mkdir(shared, 0o755)) //nolint:gosec // that is the point
	lost := filepath.Join(dir, "lost")
	require.NoError(t, os.Mkdir(lost, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(lost, strings.Repeat("a", 52)+".db"), []byte("x"), 0o600))
	damaged := filepath.Join(dir, "damaged")
	require.NoError(t, os.Mkdir(damaged, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(damaged, dirMarker), []byte("{}"), 0o600))
	for path, says := range map[string]string{
		"": "path is empty", file: "is a file", shared: "chmod 700", filepath.Join(dir, "no", "such"): "cannot be made",
		lost: "has files and no ebb-dir.json", damaged: "is damaged",
	} {
		_, err := Open(t.Context(), path, nil)
		require.ErrorContains(t, err, says, path)
	}
	_, err := Open(t.Context(), filepath.Join(dir, "new"), &Config{MaxOpen: -1})
	require.ErrorContains(t, err, "Config.MaxOpen")
}

// opened counts the open files and those that are held.
func (d *Dir) opened() (open, held int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, f := range d.open {
		if f.holders > 0 {
			held++
		}
	}
	return len(d.open), held
}

// Whatever many users do at once, no file is closed under one of them, no more
// are open than may be, and nothing is lost.
func TestMaxOpen(t *testing.T) {
	t.Parallel()
	const tenants, most, workers, rounds = 8, 3, 5, 8
	d := openDir(t, filepath.Join(t.TempDir(), "memories"), &Config{Memory: noRounds, MaxOpen: most})
	seed := uint64(time.Now().UnixNano())
	t.Log("seed", seed)
	var mu sync.Mutex
	stored := map[string]int{}
	var all sync.WaitGroup
	for w := range workers {
		random := rand.New(rand.NewPCG(seed, uint64(w))) //nolint:gosec // not a secret
		all.Go(func() {
			for i := range rounds {
				tenant := fmt.Sprint("tenant-", random.IntN(tenants))
				m, err := d.Tenant(t.Context(), tenant)
				if err != nil {
					t.Error(err)
					return
				}
				scope := schema.Scope{Tenant: tenant, User: "ada"}
				for range 1 + random.IntN(3) {
					if err := m.Bus().Publish(t.Context(), eventbus.UserMessage(scope, fmt.Sprintf("message %d of %d", i, w))); err != nil {
						t.Errorf("%s was closed under its user: %v", tenant, err)
						return
					}
					mu.Lock()
					stored[tenant]++
					mu.Unlock()
				}
				if open, _ := d.opened(); open > most {
					t.Errorf("%d files are open", open)
				}
				if random.IntN(4) == 0 {
					if _, err := m.Recall(t.Context(), scope, extension.Query{Text: "message"}); err != nil {
						t.Error(err)
					}
				}
				if err := errors.Join(m.Close(t.Context()), m.Close(t.Context())); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	for tenant, want := range stored {
		n, err := told(t.Context(), d, tenant)
		require.NoError(t, err)
		require.Equal(t, want, n, tenant)
	}
	_, held := d.opened()
	require.Zero(t, held)
}

func TestTenantWaitsForRoom(t *testing.T) {
	d := openDir(t, filepath.Join(t.TempDir(), "memories"), &Config{Memory: noRounds, MaxOpen: 1})
	first, err := d.Tenant(t.Context(), "first")
	require.NoError(t, err)
	shared, err := d.Tenant(t.Context(), "first")
	require.NoError(t, err, "who shares an open file needs no room")
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err = d.Tenant(ctx, "second")
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.ErrorContains(t, err, "1 open memories")
	done := make(chan error)
	go func() { done <- tell(t.Context(), d, "second", "tea") }()
	require.NoError(t, first.Close(t.Context()))
	require.NoError(t, shared.Bus().Publish(t.Context(), eventbus.UserMessage(schema.Scope{Tenant: "first", User: "ada"}, "still here")))
	require.NoError(t, shared.Close(t.Context()))
	require.NoError(t, <-done)
	require.ErrorIs(t, first.Bus().Publish(t.Context(), eventbus.UserMessage(schema.Scope{Tenant: "first", User: "ada"}, "too late")), schema.ErrClosed)
}

func TestFailedOpenTakesNoRoom(t *testing.T) {
	d := openDir(t, filepath.Join(t.TempDir(), "memories"), &Config{Memory: noRounds, MaxOpen: 1})
	bad := filepath.Join(d.path, d.names.of("bad"))
	require.NoError(t, os.WriteFile(bad, []byte("this is no memory"), 0o600))
	for range 3 {
		_, err := d.Tenant(t.Context(), "bad")
		require.ErrorIs(t, err, schema.ErrNotDatabase)
	}
	require.NoError(t, tell(t.Context(), d, "good", "tea"))
	_, err := d.Tenants(t.Context())
	require.ErrorIs(t, err, schema.ErrNotDatabase, "a list that lacks one would be a lie")
}

func TestCloseClosesHeldFiles(t *testing.T) {
	d := openDir(t, filepath.Join(t.TempDir(), "memories"), &Config{Memory: noRounds, MaxOpen: 2})
	m, err := d.Tenant(t.Context(), "first")
	require.NoError(t, err)
	require.NoError(t, tell(t.Context(), d, "second", "tea"))
	waiting := make(chan error)
	held, err := d.Tenant(t.Context(), "second")
	require.NoError(t, err)
	go func() {
		_, err := d.Tenant(t.Context(), "third")
		waiting <- err
	}()
	require.NoError(t, d.Close(t.Context()))
	require.ErrorIs(t, <-waiting, schema.ErrClosed)
	for _, m := range []*Tenant{m, held} {
		require.Error(t, m.Bus().Publish(t.Context(), eventbus.UserMessage(schema.Scope{Tenant: m.Name(), User: "ada"}, "too late")))
		require.NoError(t, m.Close(t.Context()))
	}
}

// A round, and a list of the tenants, closes no file that is in use more than those it
// opens.
func TestRoundsKeepFilesInUseOpen(t *testing.T) {
	d := openDir(t, filepath.Join(t.TempDir(), "memories"), &Config{Memory: noRounds, MaxOpen: 3})
	for i := range 8 {
		require.NoError(t, tell(t.Context(), d, fmt.Sprint("tenant-", i), "I like tea"))
	}
	hot := func() (open []string) {
		d.mu.Lock()
		defer d.mu.Unlock()
		for _, tenant := range []string{"tenant-2", "tenant-5"} {
			if f := d.open[d.names.of(tenant)]; f != nil && !f.gone {
				open = append(open, tenant)
			}
		}
		return open
	}
	for _, visit := range []func(){
		func() { d.round(t.Context()) },
		func() {
			_, err := d.Tenants(t.Context())
			require.NoError(t, err)
		},
	} {
		for _, tenant := range []string{"tenant-2", "tenant-5"} {
			require.NoError(t, tell(t.Context(), d, tenant, "I like figs"))
		}
		visit()
		require.Equal(t, []string{"tenant-2", "tenant-5"}, hot())
		require.NoError(t, tell(t.Context(), d, "tenant-7", "I like figs"))
		require.Len(t, hot(), 2, "the place of a file that the round opened is free")
	}
}

// Every tenant's night comes, though only one file is open at a time; a folder
// that is opened makes its round at once.
func TestNightsOfClosedFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memories")
	var days atomic.Int64
	clock := func() time.Time { return time.Date(2026, 3, 2, 20, 0, 0, 0, time.UTC).AddDate(0, 0, int(days.Load())) }
	cfg := &Config{Memory: &extension.Config{Now: clock, Location: time.UTC, Night: extension.NightConfig{NoSchedule: true}}, MaxOpen: 1}
	tenants := []string{"acme", "globex", "initech"}
	nights := func(d *Dir) (done []string) {
		for _, tenant := range tenants {
			m, err := d.Tenant(t.Context(), tenant)
			require.NoError(t, err)
			stats, err := m.Stats(t.Context(), schema.Scope{Tenant: tenant, User: "ada"})
			require.NoError(t, err)
			done = append(done, stats.LastNight)
			require.NoError(t, m.Close(t.Context()))
		}
		return done
	}
	d := openDir(t, path, cfg)
	for _, tenant := range tenants {
		require.NoError(t, tell(t.Context(), d, tenant, "I like tea"))
	}
	require.Equal(t, []string{"", "", ""}, nights(d))
	days.Add(1)
	d.round(t.Context())
	require.Equal(t, []string{"2026-03-02", "2026-03-02", "2026-03-02"}, nights(d))
	require.NoError(t, d.Close(t.Context()))

	days.Add(1)
	scheduled := *cfg.Memory
	scheduled.Night.NoSchedule = false
	again := openDir(t, path, &Config{Memory: &scheduled, MaxOpen: 1})
	want := []string{"2026-03-03", "2026-03-03", "2026-03-03"}
	for !slices.Equal(want, nights(again)) {
		select {
		case <-t.Context().Done():
			t.Fatal("no round was made")
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func TestUntilRound(t *testing.T) {
	at := func(clock string) time.Time {
		parsed, err := time.Parse("15:04:05", clock)
		require.NoError(t, err)
		return parsed
	}
	for _, c := range []struct {
		now, night string
		want       time.Duration
	}{
		{"10:00:00", "01:00", time.Hour}, {"10:00:01", "01:00", time.Hour - time.Second}, {"10:29:59", "01:30", time.Second},
		{"10:30:00", "01:30", time.Hour}, {"10:45:00", "01:30", 45 * time.Minute}, {"23:59:59", "03:00", time.Second},
	} {
		require.Equal(t, c.want, untilRound(at(c.now), c.night), "%v", c)
	}
}

func ExampleOpen() {
	ctx := context.Background()
	path, _ := os.MkdirTemp("", "memories-*")
	defer os.RemoveAll(path)
	d, err := Open(ctx, path, nil) // one file for each tenant, at most 64 open
	if err != nil {
		fmt.Println(err)
		return
	}
	defer d.Close(ctx)

	for _, turn := range []struct{ tenant, text string }{{"acme", "The launch is on Friday."}, {"globex", "The launch is in May."}} {
		t, err := d.Tenant(ctx, turn.tenant) // held for one turn
		if err != nil {
			fmt.Println(err)
			return
		}
		_ = t.Bus().Publish(ctx, eventbus.UserMessage(schema.Scope{Tenant: turn.tenant, User: "ada"}, turn.text))
		s, _ := t.Session(schema.Scope{User: "ada"})
		answer, _ := s.Search(ctx, extension.Query{Text: "When is the launch?"})
		fmt.Println(turn.tenant, len(answer.Results), answer.Results[0].Memory.Content)
		_ = t.Close(ctx)
	}
	// Output:
	// acme 1 The launch is on Friday.
	// globex 1 The launch is in May.
}

func TestFilesShareLimiter(t *testing.T) {
	d := openDir(t, filepath.Join(t.TempDir(), "memories"), &Config{Memory: noRounds})
	var waiting atomic.Bool
	one, err := d.Tenant(t.Context(), "one")
	require.NoError(t, err)
	other, err := d.Tenant(t.Context(), "other")
	require.NoError(t, err)
	var mine []func() // all there are
	for range max(1, runtime.GOMAXPROCS(0)/2) {
		mine = append(mine, one.Parts().DB.BeginBackground(nil))
	}
	waiting.Store(true)
	free := make(chan bool)
	go func() {
		other.Parts().DB.BeginBackground(nil)()
		free <- !waiting.Load()
	}()
	time.Sleep(20 * time.Millisecond)
	waiting.Store(false)
	for _, done := range mine {
		done()
	}
	require.True(t, <-free)
	require.NoError(t, errors.Join(one.Close(t.Context()), other.Close(t.Context())))
}
