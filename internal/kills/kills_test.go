package kills

import (
	"bufio"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/extension/doctor"
	"github.com/ebbmem/ebb/internal/racing"
)

var kills = flag.Int("kills", 24, "how many processes are killed, over all operations")

// The test binary is also the child.
func TestMain(m *testing.M) {
	if name := os.Getenv("EBB_KILLED"); name != "" {
		for _, op := range operations {
			if op.name == name {
				if err := op.child(os.Getenv("EBB_FILE"), os.Getenv("EBB_ROUND")); err != nil {
					fmt.Println("error:", err)
					os.Exit(1)
				}
			}
		}
		return
	}
	if process := os.Getenv("EBB_TOGETHER"); process != "" {
		if err := togetherChild(os.Getenv("EBB_FILE"), process); err != nil {
			fmt.Println("error:", err)
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

// say is one line of the child's account. It is one write, so it is whole.
func say(mark, what string) { fmt.Print(mark, " ", what, "\n") }

// account is what a child said: what it began, and of that what is done.
type account struct {
	begun []string
	done  map[string]bool
}

// inside says that something was begun and not done when the child was killed.
func (a *account) inside() bool { return len(a.begun) > len(a.done) }

// operation is something that is killed.
type operation struct {
	name string
	// prepare makes the file; nil leaves that to the child.
	prepare func(t *testing.T, path string)
	// child does the operation again and again.
	child func(path, round string) error
	// look compares the file with the accounts of all children that worked on
	// it, the last one's apart, and says whether what was cut took effect.
	look func(t *testing.T, path string, before, last *account) (took bool)
}

// killed runs a child and kills it at a random moment of one of its first
// operations but the very first, which says how long they take.
func killed(t *testing.T, op *operation, path string, round int) *account {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), "EBB_KILLED="+op.name, "EBB_FILE="+path, fmt.Sprint("EBB_ROUND=", round))
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewScanner(out)
	a := &account{done: make(map[string]bool)}
	after := 1 + rand.IntN(3) // operations that it may end before
	var began time.Time
	for lines.Scan() {
		mark, what, _ := strings.Cut(lines.Text(), " ")
		switch mark {
		case ">":
			a.begun, began = append(a.begun, what), time.Now()
		case "<":
			a.done[what] = true
			if len(a.done) == after { // within the time that one more takes, and a little longer
				window := max(time.Since(began)*3/2, time.Millisecond)
				time.AfterFunc(rand.N(window), func() { _ = cmd.Process.Kill() })
			}
		case "error:":
			t.Errorf("%s: %s", op.name, what)
		}
	}
	_ = cmd.Wait() // reports the kill
	return a
}

// healthy is the diagnosis after a kill.
func healthy(t *testing.T, path string) {
	t.Helper()
	d, err := doctor.Diagnose(t.Context(), path, extension.Key{})
	require.NoError(t, err)
	for _, c := range d.Checks {
		require.NotEqual(t, doctor.Damaged, c.State, "%s: %s", c.Name, c.Detail)
	}
	require.True(t, d.Healthy, d.Refused)
}

// perFile is how many children work on one file, one after the other.
const perFile = 8

func TestKilledProcesses(t *testing.T) {
	if racing.On {
		t.Skip("what is killed is a process of its own: left to the run without the race detector")
	}
	cycles := *kills
	if testing.Short() {
		cycles = min(cycles, 12)
	}
	for i := range operations {
		op := &operations[i]
		t.Run(op.name, func(t *testing.T) {
			t.Parallel()
			inside, took, began := 0, 0, time.Now()
			n := (cycles + i) / len(operations)
			for left := n; left > 0; left -= perFile {
				path := filepath.Join(t.TempDir(), "memory.db")
				if op.prepare != nil {
					op.prepare(t, path)
				}
				before := &account{done: make(map[string]bool)}
				for round := range min(left, perFile) {
					last := killed(t, op, path, round)
					effect := op.look(t, path, before, last)
					if last.inside() {
						inside++
						if effect {
							took++
						}
					}
					before.begun = append(before.begun, last.begun...)
					for what := range last.done {
						before.done[what] = true
					}
				}
			}
			t.Logf("%d kills, %d inside the operation; %d of those after it took effect (%s)", n, inside, took, time.Since(began).Round(time.Millisecond))
			if n >= 10 {
				require.Positive(t, inside, "no kill hit the operation")
			}
		})
	}
}
