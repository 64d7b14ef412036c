package extension

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension/transfer"
)

var crowd = flag.Int("crowd", 1280, "how many publishes and searches the crowd makes, together")

const (
	crowdSize  = 64 // goroutines
	crowdUsers = 8
)

// crowdScope is the user that one of the crowd speaks as, in a conversation of
// its own.
func crowdScope(member int) Scope {
	return Scope{User: fmt.Sprint("user", member%crowdUsers), Session: fmt.Sprint("talk", member)}
}

// crowdText is what a member says: everybody speaks of Noor, and each message
// names its user and itself.
func crowdText(member, i int) string {
	return fmt.Sprintf("Noor met %s at the Tramworks, note n%dx%d.", crowdScope(member).User, member, i)
}

// Many goroutines publish and search at once, for several users, with all background
// work running: each finds what it just published and none of another user's memories,
// and nothing is lost or stored twice.
func TestConcurrentUsers(t *testing.T) {
	t.Parallel()
	ctx, path := t.Context(), filepath.Join(t.TempDir(), "memory.db")
	x, err := Open(ctx, path, &Config{Hooks: Hooks{OnError: func(source string, err error) { t.Errorf("%s: %v", source, err) }}})
	require.NoError(t, err)
	each := (*crowd + 2*crowdSize - 1) / (2 * crowdSize) // not one fewer than asked for
	if testing.Short() {
		each = min(each, 4)
	}
	began := time.Now()
	var members sync.WaitGroup
	for member := range crowdSize {
		members.Go(func() {
			for i := range each {
				scope, text := crowdScope(member), crowdText(member, i)
				e := eventbus.UserMessage(scope, text, eventbus.WithID(fmt.Sprint(member, ".", i)))
				if !assert.NoError(t, x.Bus().Publish(ctx, e)) || !finds(t, x, scope, fmt.Sprintf("n%dx%d", member, i), text) {
					return
				}
			}
		})
	}
	members.Wait()
	t.Logf("%d publishes and %d searches by %d goroutines in %s", crowdSize*each, crowdSize*each, crowdSize, time.Since(began).Round(time.Millisecond))
	require.NoError(t, x.WaitIdle(ctx))
	health, err := x.Health(ctx)
	require.NoError(t, err)
	require.True(t, health.Healthy(), "%+v", health)
	var said []string
	for member := range crowdSize {
		for i := range each {
			said = append(said, crowdText(member, i))
		}
	}
	require.NoError(t, isWhole(x, said))
	require.Len(t, said, count(t, x, episodes), "nothing else is there")
	require.NoError(t, x.Close(ctx))
}

// finds searches for a word that only text has, and for one that everybody's
// texts have.
func finds(t *testing.T, x *Extension, scope Scope, word, text string) bool {
	answer, err := x.Recall(t.Context(), scope, Query{Text: "Noor at the Tramworks, note " + word, Limit: 20})
	if !assert.NoError(t, err) {
		return false
	}
	found := false
	for _, r := range answer.Results {
		found = found || r.Memory.Content == text
		if !assert.Contains(t, r.Memory.Content, "met "+scope.User+" ", "another user's") {
			return false
		}
	}
	return assert.True(t, found, "%q was acknowledged before", text)
}

// closed are the answers that a call may get from a memory that is closed
// under it.
var closed = []error{ErrClosed, context.Canceled, context.DeadlineExceeded, ErrConflict, ErrBusy}

// Close comes while everything is under way: every call ends, with its result
// or with an error that says so, nothing is left running, and what was
// acknowledged is there at the next open.
func TestCloseDuringEverything(t *testing.T) {
	rounds := 6
	if testing.Short() {
		rounds = 2
	}
	for round := range rounds {
		running := goleak.IgnoreCurrent()
		dir := t.TempDir()
		path := filepath.Join(dir, "memory.db")
		x, err := Open(t.Context(), path, &Config{Model: notary})
		require.NoError(t, err)
		var export bytes.Buffer
		require.NoError(t, say(t.Context(), x, "I live in Lisbon"))
		_, err = x.Export(t.Context(), &export, ada)
		require.NoError(t, err)

		said, working, begun := everything(t, x, dir, export.Bytes())
		for range begun.waitFor {
			<-begun.each
		}
		time.Sleep(time.Duration(round*round) * 4 * time.Millisecond)
		within, cancel := context.WithTimeout(t.Context(), time.Duration(1+round*40)*time.Millisecond)
		if err := x.Close(within); err != nil {
			require.ErrorIs(t, err, context.DeadlineExceeded)
		}
		cancel()
		working.Wait()
		require.NoError(t, x.Close(t.Context()), "what was late ends too")
		goleak.VerifyNone(t, running)

		x, err = Open(t.Context(), path, &Config{NoBackground: true})
		require.NoError(t, err)
		require.NoError(t, isWhole(x, said.all()))
		require.NoError(t, x.Close(t.Context()))
		diagnosed(t, path)
	}
}

// acknowledged collects what a memory has promised to keep.
type acknowledged struct {
	mu    sync.Mutex
	texts []string
}

func (a *acknowledged) add(text string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.texts = append(a.texts, text)
}

func (a *acknowledged) all() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.texts)
}

// beginning says when each kind of work is under way.
type beginning struct {
	each    chan struct{}
	waitFor int
}

// everything does all that a memory can do, again and again until it is closed.
func everything(t *testing.T, x *Extension, dir string, export []byte) (*acknowledged, *sync.WaitGroup, beginning) {
	ctx := t.Context()
	said, working := new(acknowledged), new(sync.WaitGroup)
	bob := Scope{User: "bob", Session: "short"}
	kinds := map[string]func(i int) error{
		"publish": func(i int) error {
			text := fmt.Sprint("Noor is at the Tramworks, note ", i)
			err := say(ctx, x, text)
			if err == nil {
				said.add(text)
			}
			return err
		},
		"search": func(int) error {
			_, err := x.Recall(ctx, ada, Query{Text: "where is Noor?"})
			return err
		},
		"night": func(int) error {
			_, err := x.Consolidate(ctx, ada)
			return err
		},
		"dry night": func(int) error {
			_, err := x.ConsolidateDry(ctx, ada)
			return err
		},
		"erase": func(i int) error {
			id := fmt.Sprint("short", i)
			if err := x.Bus().Publish(ctx, eventbus.UserMessage(bob, "A word from Bob, "+id, eventbus.WithID(id))); err != nil {
				return err
			}
			_, err := x.Erase(ctx, bob, Erasure{Events: []string{id}})
			return err
		},
		"export": func(int) error {
			_, err := x.Export(ctx, io.Discard, ada)
			return err
		},
		"import": func(i int) error {
			line := fmt.Sprintf(`{"id":"turn%d","session":"old","time":"2026-03-01T18:00:00Z","text":"Turn %d of Carl's."}`, i, i)
			_, err := x.Import(ctx, strings.NewReader(line), transfer.ImportOptions{Scope: Scope{User: "carl"}})
			return err
		},
		"restore": func(int) error {
			_, err := x.Import(ctx, bytes.NewReader(export), transfer.ImportOptions{Restore: true})
			return err
		},
		"backup": func(i int) error {
			_, err := x.Backup(ctx, filepath.Join(dir, fmt.Sprint("backup", i)), nil)
			return err
		},
		"memory": func(i int) error {
			s, err := x.Session(Scope{User: "ada", Session: "chain"})
			if err != nil {
				return err
			}
			m, in := s.Memory(), map[string]any{"input": fmt.Sprint("Where is Noor now, ", i, "?")}
			if _, err := m.LoadMemoryVariables(ctx, in); err != nil {
				return err
			}
			return m.SaveContext(ctx, in, map[string]any{"output": fmt.Sprint("At the Tramworks, ", i)})
		},
		"statistics": func(int) error {
			if _, err := x.Health(ctx); err != nil {
				return err
			}
			_, err := x.Timeline(ctx, ada, TimelineQuery{})
			return err
		},
		"wait": func(int) error { return x.WaitIdle(ctx) },
	}
	if !x.Capabilities().File {
		delete(kinds, "dry night")
		delete(kinds, "backup")
	}
	begun := beginning{make(chan struct{}, len(kinds)), len(kinds)}
	for name, do := range kinds {
		working.Go(func() {
			for i := 0; ; i++ {
				if i == 0 {
					begun.each <- struct{}{}
				}
				err := do(i)
				if errors.Is(err, ErrClosed) {
					return
				}
				typed := err == nil || slices.ContainsFunc(closed, func(kind error) bool { return errors.Is(err, kind) })
				if !assert.True(t, typed, "%s: %v", name, err) {
					return
				}
			}
		})
	}
	return said, working, begun
}
