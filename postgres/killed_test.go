package postgres_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/memtest"
	"github.com/ebbmem/ebb/internal/pgtest"
)

// eraser is the data source name for which this program is the host that is killed.
const eraser = "EBB_TEST_ERASER"

func TestMain(m *testing.M) {
	dsn := os.Getenv(eraser)
	if dsn == "" {
		os.Exit(m.Run())
	}
	ctx := context.Background()
	ext, err := extension.Open(ctx, dsn, &extension.Config{NoBackground: true})
	if err == nil {
		_, err = ext.Erase(ctx, extension.Scope{User: "ada"}, extension.Erasure{Sessions: []string{"monday"}})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// A host is killed while it erases. What it began is hidden from the other host at once,
// and the next host that opens the memory ends it: nothing of it is in any table.
func TestErasureGoesOnAfterItsHostWasKilled(t *testing.T) {
	const turns = 400
	ctx := t.Context()
	for _, left := range []int{turns, turns / 2} { // that wait to be erased when it is killed, at most
		t.Run(fmt.Sprint(left), func(t *testing.T) {
			dsn := memtest.Server(t)
			open := func(cfg *extension.Config) *extension.Extension {
				x, err := extension.Open(ctx, dsn, cfg)
				require.NoError(t, err)
				t.Cleanup(func() { require.NoError(t, x.Close(context.Background())) })
				return x
			}
			other := open(&extension.Config{NoBackground: true})
			var events []eventbus.Event
			for i := range turns {
				events = append(events, eventbus.UserMessage(extension.Scope{User: "ada", Session: "monday"}, fmt.Sprintf("The Xylqorvant number %d is blue.", i)))
			}
			events = append(events, eventbus.UserMessage(extension.Scope{User: "ada", Session: "tuesday"}, "The kettle is green."),
				eventbus.UserMessage(extension.Scope{User: "bob", Session: "monday"}, "The kettle is red."))
			require.NoError(t, other.Bus().Publish(ctx, events...))
			require.NotEmpty(t, pgtest.Holding(t, dsn, []byte("xylqorvant")))

			watch, err := sql.Open("pgx", dsn+"&search_path=ebb")
			require.NoError(t, err)
			defer watch.Close()
			host := exec.Command(os.Args[0])
			host.Env, host.Stderr = append(os.Environ(), eraser+"="+dsn), os.Stderr
			require.NoError(t, host.Start())
			ended := make(chan error, 1)
			go func() { ended <- host.Wait() }()
			killed := false
			for deadline := time.Now().Add(time.Minute); !killed && time.Now().Before(deadline); {
				var state string
				var waiting int
				err := watch.QueryRowContext(ctx, "SELECT coalesce((SELECT state FROM erasures WHERE state <> 'done'), ''), count(*) FROM erasing WHERE record = 'memories'").Scan(&state, &waiting)
				require.NoError(t, err)
				if state != "" && waiting > 0 && waiting <= left {
					require.NoError(t, host.Process.Kill())
					killed = true
				}
				select {
				case err := <-ended:
					ended <- err
					if !killed {
						t.Skipf("the host was too fast: it ended with %v", err)
					}
				default:
				}
			}
			require.True(t, killed)
			require.Error(t, <-ended)
			require.NotEmpty(t, pgtest.Holding(t, dsn, []byte("xylqorvant")), "it was cut off")
			var state string
			require.NoError(t, watch.QueryRowContext(ctx, "SELECT state FROM erasures").Scan(&state))
			if state != "marking" {
				answer, err := other.Recall(ctx, extension.Scope{User: "ada"}, extension.Query{Text: "Which Xylqorvant is blue?"})
				require.NoError(t, err)
				for _, r := range answer.Results {
					require.NotContains(t, r.Memory.Content, "Xylqorvant", "what is being erased is not found")
				}
			}

			next := open(nil)
			require.Eventually(t, func() bool {
				health, err := next.Health(ctx)
				return err == nil && health.OpenErasures == 0
			}, time.Minute, 20*time.Millisecond)
			require.Empty(t, pgtest.Holding(t, dsn, []byte("xylqorvant")))
			receipts, err := next.Erasures(ctx, extension.Scope{User: "ada"})
			require.NoError(t, err)
			require.Len(t, receipts, 1)
			require.EqualValues(t, turns, receipts[0].Erased["memories"])
			for user, colour := range map[string]string{"ada": "green", "bob": "red"} {
				answer, err := other.Recall(ctx, extension.Scope{User: user}, extension.Query{Text: "Which colour has the kettle?"})
				require.NoError(t, err)
				require.Len(t, answer.Results, 1)
				require.Contains(t, answer.Results[0].Memory.Content, colour)
			}
		})
	}
}
