package extension

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/schema"
)

// BenchmarkPreview measures what a turn waits for before its model, the search and the
// block, and the search alone, by profile.
func BenchmarkPreview(b *testing.B) {
	path := b.TempDir() + "/memory.db"
	x, err := Open(b.Context(), path, &Config{NoBackground: true})
	require.NoError(b, err)
	const turns, batch = 20_000, 500
	for i := 0; i < turns; i += batch {
		events := make([]eventbus.Event, batch)
		for j := range events {
			n := i + j
			events[j] = eventbus.UserMessage(Scope{User: "ada", Session: fmt.Sprint("s", n/40)},
				fmt.Sprintf("Message %d: I met Viktor near harbour %d and we talked about project Lighthouse and kettle %d until half past nine.", n, n%97, n%1013))
		}
		require.NoError(b, x.Bus().Publish(b.Context(), events...))
	}
	require.NoError(b, x.Close(b.Context()))
	for name, profile := range map[string]func() *Config{"simple": Simple, "cognitive": Cognitive} {
		cfg := profile()
		cfg.NoBackground = true
		x, err := Open(b.Context(), path, cfg)
		require.NoError(b, err)
		s, err := x.Session(Scope{User: "ada", Session: "now"})
		require.NoError(b, err)
		_, err = x.Recall(b.Context(), s.scope, Query{Text: "kettle", Wait: true})
		require.NoError(b, err)
		half := func(b *testing.B, f func() error) {
			var took []time.Duration
			for b.Loop() {
				start := time.Now()
				require.NoError(b, f())
				took = append(took, time.Since(start))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
		}
		for _, question := range []string{"What did Viktor say of kettle 17 near harbour 5?", "hi"} {
			b.Run(name+"/"+question, func(b *testing.B) {
				half(b, func() error { _, err := s.Preview(b.Context(), question); return err })
			})
		}
		b.Run(name+"/search", func(b *testing.B) {
			half(b, func() error {
				_, err := x.Recall(b.Context(), s.scope, Query{Text: "What did Viktor say of kettle 17 near harbour 5?"})
				return err
			})
		})
		require.NoError(b, x.Close(b.Context()))
	}
}

// BenchmarkCoreSection measures building the core section by number of claims: cached,
// after one more claim, and for the first time.
func BenchmarkCoreSection(b *testing.B) {
	for _, claims := range []int{30, 1000, 5000} {
		x, err := Open(b.Context(), b.TempDir()+"/memory.db", &Config{NoBackground: true})
		require.NoError(b, err)
		ada := Scope{User: "ada", Session: "s"}
		tell := func(from, n int) {
			require.NoError(b, x.db.Write(b.Context(), func(ctx context.Context, tx *schema.Tx) error {
				userID, err := tx.UserID(ctx, ada)
				if err != nil {
					return err
				}
				for i := from; i < from+n; i++ {
					said := &schema.Memory{UserID: userID, Kind: schema.KindEpisode, Role: "user", Content: fmt.Sprintf("Good morning. My shelf number %d is painted in colour %d. How are you?", i, i), Origin: schema.OriginUser, Trust: 4}
					claim := &schema.Memory{UserID: userID, Kind: schema.KindFact, Content: fmt.Sprintf("The user's shelf number %d is painted in colour %d.", i, i), Origin: schema.OriginUser, Trust: 4}
					if err := tx.InsertMemory(ctx, said, nil); err != nil {
						return err
					}
					if err := tx.InsertMemory(ctx, claim, nil); err != nil {
						return err
					}
					if err := tx.AddSource(ctx, claim.ID, said.ID, ""); err != nil {
						return err
					}
				}
				return nil
			}))
		}
		tell(0, claims)
		look := func(b *testing.B) {
			section, err := x.coreSection(b.Context(), ada, coreRequest{question: "What colour is shelf 7?"})
			require.NoError(b, err)
			require.NotEmpty(b, section.Text)
		}
		b.Run(fmt.Sprint(claims, "/kept"), func(b *testing.B) {
			for b.Loop() {
				look(b)
			}
		})
		n := claims
		b.Run(fmt.Sprint(claims, "/one more"), func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				tell(n, 1)
				n++
				b.StartTimer()
				look(b)
			}
		})
		b.Run(fmt.Sprint(claims, "/first"), func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				x.own.Forget()
				b.StartTimer()
				look(b)
			}
		})
		require.NoError(b, x.Close(context.Background()))
	}
}
