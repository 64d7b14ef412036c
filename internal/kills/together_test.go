package kills

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
)

// Two processes that work on one file at the same time, and are not killed.

const (
	togetherWriters = 3  // of each process
	togetherBatches = 25 // of each writer
)

// refusals are the names under which a call may be refused because another
// process is at work on the file.
var refusals = []error{extension.ErrBusy, extension.ErrConflict}

// untilDone does something until it is not refused by name, and says each
// refusal. Any other error is the end of the process.
func untilDone(what string, do func() error) error {
	for range 100 {
		err := do()
		refused := false
		for _, name := range refusals {
			refused = refused || errors.Is(err, name)
		}
		if !refused {
			if err != nil {
				err = fmt.Errorf("%s: %w", what, err)
			}
			return err
		}
		say("refused", what+": "+err.Error())
		time.Sleep(10 * time.Millisecond)
	}
	return fmt.Errorf("%s was refused 100 times", what)
}

// togetherChild publishes and searches; the process named "b" also runs nights
// and erases what is marked for it.
func togetherChild(path, process string) error {
	ctx := context.Background()
	var x *extension.Extension
	if err := untilDone("open", func() (err error) {
		x, err = opened(path, extension.Config{})
		return err
	}); err != nil {
		return err
	}
	var working sync.WaitGroup
	failed := make(chan error, togetherWriters+1)
	for writer := range togetherWriters {
		working.Go(func() { failed <- publishAndSearch(ctx, x, fmt.Sprint(process, ".", writer)) })
	}
	if process == "b" {
		working.Go(func() { failed <- consolidateAndErase(ctx, x) })
	}
	working.Wait()
	close(failed)
	var errs []error
	for err := range failed {
		errs = append(errs, err)
	}
	within, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	return errors.Join(append(errs, x.Close(within))...)
}

func publishAndSearch(ctx context.Context, x *extension.Extension, writer string) error {
	for i := range togetherBatches {
		name, events := batch(fmt.Sprint(writer, ".", i))
		say(">", name)
		if err := untilDone("publish", func() error { return x.Bus().Publish(ctx, events...) }); err != nil {
			return err
		}
		say("<", name)
		if err := untilDone("search", func() error {
			answer, err := x.Recall(ctx, ada, extension.Query{Text: "who was seen at the Tramworks in Ghent?"})
			if err == nil && len(answer.Results) == 0 {
				err = errors.New("nothing was found")
			}
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}

func consolidateAndErase(ctx context.Context, x *extension.Extension) error {
	for i := range 5 {
		e := eventbus.UserMessage(ada, "My bird is called "+canary(fmt.Sprint("b.", i))+", and it sings.")
		e.ID = fmt.Sprint("erase.", i)
		if err := untilDone("publish", func() error { return x.Bus().Publish(ctx, e) }); err != nil {
			return err
		}
		if err := untilDone("consolidate", func() error {
			_, err := x.Consolidate(ctx, ada)
			return err
		}); err != nil {
			return err
		}
		err := untilDone("erase", func() error {
			_, err := x.Erase(ctx, ada, extension.Erasure{Events: []string{e.ID}})
			if unfinished := (*extension.ErasureError)(nil); errors.As(err, &unfinished) {
				say("unfinished", err.Error())
				return nil // the next process finishes it
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func TestTwoProcessesOnOneFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	accounts := map[string]*account{"a": {done: map[string]bool{}}, "b": {done: map[string]bool{}}}
	refused := make(map[string]int)
	var mu sync.Mutex
	var children sync.WaitGroup
	for process, a := range accounts {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), "EBB_TOGETHER="+process, "EBB_FILE="+path)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		cmd.Stderr = cmd.Stdout
		require.NoError(t, cmd.Start())
		children.Go(func() {
			for lines := bufio.NewScanner(out); lines.Scan(); {
				line := lines.Text()
				mark, what, _ := strings.Cut(line, " ")
				assert.NotContains(t, line, "locked", "what SQLite says reaches no caller")
				switch mark {
				case ">":
					a.begun = append(a.begun, what)
				case "<":
					a.done[what] = true
				case "refused", "unfinished":
					mu.Lock()
					refused[what]++
					mu.Unlock()
				default:
					t.Errorf("process %s: %s", process, line)
				}
			}
			assert.NoError(t, cmd.Wait(), "process %s", process)
		})
	}
	children.Wait()
	t.Logf("refused by name: %v", refused)
	for process, a := range accounts {
		require.Len(t, a.done, togetherWriters*togetherBatches, "process %s", process)
	}
	afterTwoProcesses(t, path, accounts["a"], accounts["b"])
}

// afterTwoProcesses lets a third take up what they left, and looks.
func afterTwoProcesses(t *testing.T, path string, accounts ...*account) {
	t.Helper()
	x, err := opened(path, extension.Config{})
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		h, err := x.Health(t.Context())
		return err == nil && h.OpenErasures == 0
	}, time.Minute, 10*time.Millisecond)
	require.NoError(t, x.WaitIdle(t.Context()))
	health, err := x.Health(t.Context())
	require.NoError(t, err)
	require.True(t, health.Healthy(), "%+v", health)
	require.NoError(t, x.Close(t.Context()))
	healthy(t, path)
	for i := range 5 {
		require.False(t, holds(t, path, canary(fmt.Sprint("b.", i))), "it was erased")
	}
	accounted(t, path, accounts...)
}
