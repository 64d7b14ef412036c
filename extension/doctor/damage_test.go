package doctor_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ncruces/go-sqlite3"

	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/extension/doctor"
	"github.com/ebbmem/ebb/internal/memtest"
	"github.com/ebbmem/ebb/internal/racing"
	"github.com/ebbmem/ebb/internal/vectortest"
	"github.com/ebbmem/ebb/schema"
)

var damages = flag.Int("damages", 0, "how often each page of the test file is damaged in each way; 0: once, in one of the ways")

// stocked is a closed memory with something in every kind of page: messages of
// two users, facts with sources, entities, vectors and runs. It is made once.
func stocked(t *testing.T) string {
	t.Helper()
	stockedOnce.Do(func() { stockedFile = stock(t) })
	path := fresh(t)
	require.NoError(t, os.WriteFile(path, stockedFile, 0o600))
	return path
}

var (
	stockedOnce sync.Once
	stockedFile []byte
)

var stockUsers = []string{"ada", "bob"}

const stockEpisodes = 40 // of each user

func stock(t *testing.T) []byte {
	t.Helper()
	path := fresh(t)
	x, err := extension.Open(t.Context(), path, &extension.Config{Night: extension.NightConfig{NoSchedule: true}, NoClaims: true, Embedding: extension.EmbeddingConfig{Embedder: &vectortest.Topics{}, Model: "topics"}})
	require.NoError(t, err)
	people := []string{"Noor", "Karim Haddad", "Ottilie", "Jonas Berg", "Mei Lin"}
	places := []string{"Ghent", "Hvaler", "Lisbon", "Turku"}
	for _, user := range stockUsers {
		scope := extension.Scope{User: user, Session: "monday"}
		for i := range stockEpisodes / 2 {
			said := fmt.Sprintf("My friend %s took the piano and the terrier from %s at %d o'clock, number %d.", people[i%5], places[i%4], i%12+1, i)
			require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(scope, said), eventbus.AgentResponse(scope, fmt.Sprintf("Noted as number %d: %s.", i, people[(i+1)%5]))))
		}
	}
	require.NoError(t, x.WaitIdle(t.Context()))
	for _, user := range stockUsers {
		_, err := x.Consolidate(t.Context(), extension.Scope{User: user})
		require.NoError(t, err)
	}
	require.NoError(t, x.WaitIdle(t.Context()))
	require.NoError(t, x.Close(t.Context()))
	addFacts(t, path)
	// Vectors of the facts, and everything out of the log.
	x, err = extension.Open(t.Context(), path, &extension.Config{Night: extension.NightConfig{NoSchedule: true}, NoClaims: true, Embedding: extension.EmbeddingConfig{Embedder: &vectortest.Topics{}, Model: "topics"}})
	require.NoError(t, err)
	require.NoError(t, x.WaitIdle(t.Context()))
	require.NoError(t, x.Close(t.Context()))
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoFileExists(t, path+"-wal")
	return content
}

func addFacts(t *testing.T, path string) {
	t.Helper()
	db, err := schema.Open(t.Context(), path, nil)
	require.NoError(t, err)
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
		for _, user := range stockUsers {
			id, err := tx.UserID(ctx, schema.Scope{User: user})
			if err != nil {
				return err
			}
			var source int64
			if err := tx.Row(ctx, "SELECT min(id) FROM memories WHERE user_id = ?", []any{id}, &source); err != nil {
				return err
			}
			for i := range 12 {
				m := &schema.Memory{
					UserID: id, Kind: schema.KindFact, Content: fmt.Sprintf("%s keeps number %d of the pianos in Turku", user, i), Subject: user,
					Predicate: fmt.Sprint("keeps ", i), Object: "piano", Confidence: 0.8, Origin: schema.OriginUser, Trust: 4, DecayRate: 0.1,
				}
				if err := tx.AddDerived(ctx, m, schema.PrepareChunks(m.Content, ""), map[int64]string{source: "the piano"}, schema.Actor{Name: "test"}); err != nil {
					return err
				}
			}
		}
		return nil
	}))
	require.NoError(t, db.Close())
}

// damage is one way to spoil a file.
type damage struct {
	name  string
	spoil func(r *rand.Rand, page []byte)
}

// damageWays spoil one page.
var damageWays = []damage{
	{"one bit", func(r *rand.Rand, p []byte) { p[r.IntN(len(p))] ^= 1 << r.IntN(8) }},
	{"many bits", func(r *rand.Rand, p []byte) {
		for range 64 {
			p[r.IntN(len(p))] ^= 1 << r.IntN(8)
		}
	}},
	{"page header", func(r *rand.Rand, p []byte) { p[r.IntN(12)] ^= byte(1 + r.IntN(255)) }},
	{"cell pointers", func(r *rand.Rand, p []byte) { binary.BigEndian.PutUint16(p[12+2*r.IntN(16):], uint16(r.Uint32())) }},
	{"varints", func(r *rand.Rand, p []byte) {
		at := r.IntN(len(p) - 9)
		copy(p[at:], bytes.Repeat([]byte{0xff}, 9))
	}},
	{"zeroed", func(_ *rand.Rand, p []byte) { clear(p) }},
	{"half written", func(r *rand.Rand, p []byte) { clear(p[512*(1+r.IntN(len(p)/512-1)):]) }},
	{"garbage", func(r *rand.Rand, p []byte) {
		for i := range p {
			p[i] = byte(r.Uint32())
		}
	}},
}

const pageSize = 4096

// damagedFile is a spoilt copy of the stocked file.
type damagedFile struct {
	name    string
	content []byte
	wiped   bool // nothing is left of one of its pages
}

// damagedFiles are copies of a file with each page spoilt, and cut at every
// page boundary and at random. each 0 spoils every page in one way, the ways
// in turn; else every page in every way, so often.
func damagedFiles(content []byte, each int, visit func(damagedFile)) {
	for i := range len(content) / pageSize {
		for w, way := range damageWays {
			if each == 0 && i%len(damageWays) != w {
				continue
			}
			for n := range max(each, 1) {
				r := rand.New(rand.NewPCG(uint64(i), uint64(w*1000+n)))
				spoilt := bytes.Clone(content)
				way.spoil(r, spoilt[i*pageSize:(i+1)*pageSize])
				if !bytes.Equal(spoilt, content) {
					visit(damagedFile{fmt.Sprintf("page %d: %s %d", i+1, way.name, n), spoilt, way.name == "zeroed" || way.name == "garbage"})
				}
			}
		}
		r := rand.New(rand.NewPCG(uint64(i), 1))
		visit(damagedFile{fmt.Sprintf("cut before page %d", i+1), content[:i*pageSize], true})
		visit(damagedFile{fmt.Sprintf("cut in page %d", i+1), content[:i*pageSize+1+r.IntN(pageSize-1)], true})
	}
}

// use does everything with a memory that a host does, and returns what failed.
func use(ctx context.Context, path string) (err error) {
	var mu sync.Mutex
	var errs []error
	note := func(what string, err error) {
		if err != nil {
			mu.Lock()
			errs = append(errs, fmt.Errorf("%s: %w", what, err))
			mu.Unlock()
		}
	}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: %v\n%s", errPanic, r, debug.Stack())
		}
	}()
	x, err := extension.Open(ctx, path, &extension.Config{Night: extension.NightConfig{NoSchedule: true}, Embedding: extension.EmbeddingConfig{Embedder: &vectortest.Topics{}, Model: "topics"}, Hooks: extension.Hooks{OnError: note}})
	if err != nil {
		return fmt.Errorf("open: %w", err)
	}
	users, err := x.Users(ctx)
	note("users", err)
	if err == nil && len(users) < len(stockUsers) {
		note("users", errSilent)
	}
	for _, user := range stockUsers {
		scope := extension.Scope{User: user, Session: "tuesday"}
		stats, err := x.Stats(ctx, scope)
		note("stats", err)
		if err == nil && stats.Memories["episode"] == 0 {
			note("stats", errSilent)
		}
		_, err = x.Recall(ctx, scope, extension.Query{Text: "Which piano does Noor keep in Turku?"})
		note("recall", err)
		_, err = x.Timeline(ctx, scope, extension.TimelineQuery{Limit: 1000})
		note("timeline", err)
		_, err = x.Export(ctx, io.Discard, scope)
		note("export", err)
		_, err = x.Runs(ctx, scope, 0)
		note("runs", err)
		note("publish", x.Bus().Publish(ctx, eventbus.UserMessage(scope, "Karim Haddad keeps a new terrier in Ghent")))
	}
	_, err = x.Consolidate(ctx, extension.Scope{User: "ada"})
	note("consolidate", err)
	note("close", x.Close(ctx))
	mu.Lock()
	defer mu.Unlock()
	return errors.Join(errs...)
}

var (
	errPanic  = errors.New("panic")
	errSilent = errors.New("a damaged memory looks empty")
)

// tellable reports an error that a host can tell apart.
func tellable(err error) bool {
	if strings.Contains(err.Error(), "sqlite3: ") { // in SQLite's words
		return false
	}
	var invalid *extension.InvalidError
	var version *extension.VersionError
	for _, known := range []error{extension.ErrCorrupt, extension.ErrNotDatabase, extension.ErrNotFound, extension.ErrReadOnly, extension.ErrBusy, context.Canceled} {
		if errors.Is(err, known) {
			return true
		}
	}
	return errors.As(err, &invalid) || errors.As(err, &version) ||
		errors.Is(err, sqlite3.CONSTRAINT_FOREIGNKEY) // what a row refers to is gone
}

func parts(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok { //nolint:errorlint // the parts of the outermost
		return joined.Unwrap()
	}
	return []error{err}
}

// patience bounds what a damaged file may take; a hang ends in it.
const patience = time.Minute

// Any damage of the file gives a distinguishable error at once, without a panic. A
// damaged memory never looks empty, and ebb doctor detects the damage.
func TestDamagedFilesAreReported(t *testing.T) {
	racing.Alone(t)
	t.Parallel()
	stocked(t)
	dir := t.TempDir()
	var files, unnoticed, healthy, wiped, wipedHealthy int
	damagedFiles(stockedFile, *damages, func(f damagedFile) {
		files++
		path := filepath.Join(dir, fmt.Sprint(files, ".db"))
		require.NoError(t, os.WriteFile(path, f.content, 0o600))
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		d, err := doctor.Diagnose(ctx, path, extension.Key{})
		require.NoError(t, err, f.name)
		if d.Healthy {
			healthy++
		}
		if f.wiped {
			wiped++
			if d.Healthy {
				wipedHealthy++
			}
		}
		err = use(ctx, path)
		require.NoError(t, ctx.Err(), "%s: a hang", f.name)
		if err == nil {
			unnoticed++
			return
		}
		for _, part := range parts(err) {
			require.True(t, tellable(part), "%s: %v", f.name, part)
		}
		require.NoError(t, errors.Join(os.Remove(path)))
	})
	t.Logf("%d damaged files of %d pages: using them told of %d; ebb doctor called %d healthy, of %d that lost a page %d",
		files, len(stockedFile)/pageSize, files-unnoticed, healthy, wiped, wipedHealthy)
	require.Greater(t, files, 250)
	require.Zero(t, wipedHealthy)
}

func TestDamagedRowsAreReportedWithoutText(t *testing.T) {
	for _, spoilt := range []string{
		"UPDATE memories SET event_time = 'my secret' WHERE id = 5",
		"UPDATE memories SET expired_at = 'my secret' WHERE id = 5",
		"UPDATE memories SET kind = 'my secret' WHERE id = 5",
		"UPDATE memories SET state = 'my secret' WHERE id = 5",
		"UPDATE memories SET state = 'activf' WHERE id = 5", // one letter
		`UPDATE memories SET tags = '{"my secret": 1}' WHERE id = 5`,
	} {
		path := stocked(t)
		memtest.Spoil(t, path, "PRAGMA ignore_check_constraints = on; "+spoilt)
		d, err := doctor.Diagnose(t.Context(), path, extension.Key{})
		require.NoError(t, err)
		require.False(t, d.Healthy, spoilt)
		require.Equal(t, doctor.Damaged, check(t, d, "reading as a program does").State, spoilt)
		require.NotContains(t, fmt.Sprint(d.Checks), "secret")
		var reported []error
		x, err := extension.Open(t.Context(), path, &extension.Config{Night: extension.NightConfig{NoSchedule: true}, NoBackground: true, Hooks: extension.Hooks{
			OnError: func(_ string, err error) { reported = append(reported, err) },
		}})
		require.NoError(t, err)
		scope := extension.Scope{User: "ada", Session: "monday"}
		for door, use := range map[string]func() error{
			"recall": func() error {
				_, err := x.Recall(t.Context(), scope, extension.Query{Text: "the piano", Limit: 100})
				reported = append(reported, err)
				return nil
			},
			"memory": func() error {
				_, err := session(t, x, scope).Memory().LoadMemoryVariables(t.Context(), map[string]any{"input": "Who took the piano?"})
				return err
			},
			"model": func() error {
				_, err := extension.WrapModel(agreeable, session(t, x, scope)).GenerateContent(t.Context(),
					[]llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, "Who took the piano?")})
				return err
			},
		} {
			reported = nil
			require.NoError(t, use(), "a turn goes on")
			require.ErrorIs(t, errors.Join(reported...), extension.ErrCorrupt, "%s: %s", spoilt, door)
			require.NotContains(t, errors.Join(reported...).Error(), "secret")
		}
		health, err := x.Health(t.Context())
		require.NoError(t, err)
		require.False(t, health.Healthy())
		require.NoError(t, x.Close(t.Context()))
	}
}

// A piece of text that damage has filed under memory 0 panicked in the search.
func TestOrphanTextIsSkipped(t *testing.T) {
	path := stocked(t)
	memtest.Spoil(t, path, "PRAGMA foreign_keys = off; UPDATE chunks SET memory_id = 0 WHERE id IN (SELECT min(id) FROM chunks)")
	d, err := doctor.Diagnose(t.Context(), path, extension.Key{})
	require.NoError(t, err)
	require.False(t, d.Healthy)
	x, err := extension.Open(t.Context(), path, &extension.Config{Night: extension.NightConfig{NoSchedule: true}, NoBackground: true})
	require.NoError(t, err)
	answer, err := x.Recall(t.Context(), extension.Scope{User: "ada"}, extension.Query{Text: "the piano"})
	require.NoError(t, err)
	require.NotEmpty(t, answer.Results)
	require.NoError(t, x.Close(t.Context()))
}
