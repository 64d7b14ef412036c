//go:build unix

package inspector

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/ebbmem/ebb/schema"
)

var memories = flag.Int("memories", 1000, "how many memories TestEveryViewIsSmallAndFast has")

// fill has ada say as many things in three years, one in a hundred of them kept as a fact.
func (w *world) fill(n int) {
	w.t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(words ...string) string { return words[random.IntN(len(words))] }
	name := func() string {
		return pick("Ada", "Ben", "Cleo", "Dana", "Emre", "Fay", "Gus", "Hana", "Ivo", "June", "Kai", "Lena", "Milo", "Nora", "Otto", "Pia") + " " + pick("Larsen", "Okafor", "Silva", "Novak", "Haddad", "Moreau", "Tanaka", "Rossi", "Keller", "Ivanova", "Costa", "Lindqvist")
	}
	thing := func() string {
		return pick("the harbour plan", "a grey boat", "the winter market", "old maps", "the ferry times", "a broken kettle", "the tax letter", "bread with salt", "the choir", "a long novel", "cashew curry", "the new bridge")
	}
	people := make([]string, 400)
	for i := range people {
		people[i] = name()
	}
	known := make(map[string]*schema.Entity)
	begin := time.Now().AddDate(-3, 0, 0)
	step := time.Since(begin) / time.Duration(n)
	for from := 0; from < n; from += 2000 {
		require.NoError(w.t, w.ext.Parts().DB.Write(w.t.Context(), func(ctx contextOf, tx *schema.Tx) error {
			userID, err := tx.UserID(ctx, ada)
			if err != nil {
				return err
			}
			for i := from; i < min(n, from+2000); i++ {
				who := people[int(float64(len(people))*random.Float64()*random.Float64())]
				m := &schema.Memory{UserID: userID, Kind: schema.KindEpisode, Role: "user", Speaker: "Ada", Origin: schema.OriginUser, Trust: schema.MaxTrust, EventTime: schema.At(begin.Add(time.Duration(i) * step)), Confidence: 1, Importance: .5}
				if m.SessionID, err = tx.SessionID(ctx, userID, m.EventTime.Format(time.DateOnly)); err != nil {
					return err
				}
				m.Content = fmt.Sprintf("%s %s %s about %s, and we %s until %d o'clock near %s.", pick("Yesterday", "In the morning", "After work", "At last"), who, pick("called me", "wrote", "asked me"), thing(),
					pick("talked", "laughed", "walked", "argued"), 1+random.IntN(12), pick("Oslo", "Lisbon", "Bergen", "Porto", "Hamburg"))
				if i%100 == 0 {
					m.Kind, m.Role, m.Speaker, m.DecayRate = schema.KindFact, "", "", schema.DefaultDecayRate
					m.Content = fmt.Sprintf("%s keeps %s number %d.", who, thing(), i)
				}
				if err := tx.InsertMemory(ctx, m, schema.PrepareChunks(m.Content, m.Speaker)); err != nil {
					return err
				}
				for _, surface := range []string{who, m.Content[max(0, len(m.Content)-7) : len(m.Content)-1]} {
					e := known[surface]
					if e == nil {
						if e, err = tx.CreateEntity(ctx, userID, "person", surface, 1); err != nil {
							return err
						}
						if err := tx.AddAlias(ctx, e, surface, 1); err != nil {
							return err
						}
						known[surface] = e
					}
					if err := tx.Mention(ctx, m.ID, e.ID, surface, 1); err != nil {
						return err
					}
				}
			}
			return nil
		}))
	}
	w.say(ada, "I'm allergic to cashews.", "My boss is Dana Larsen.")
}

// TestEveryViewIsSmallAndFast tells the median time and the size of each view. For
// a large memory run it with -memories 100000 -timeout 30m.
func TestEveryViewIsSmallAndFast(t *testing.T) {
	w := newWorld(t, Options{Write: true})
	w.fill(*memories)
	_, err := w.ext.Consolidate(t.Context(), ada)
	require.NoError(t, err)
	w.enter()
	fact := w.fact("harbour plan")
	runs, err := w.ext.Runs(t.Context(), ada, 1)
	require.NoError(t, err)
	_, list := w.get("/u/1/entities")
	entity := regexpEntity.FindString(list)
	require.NotEmpty(t, entity)
	for _, path := range []string{
		"/u/1/ask", "/u/1/ask?q=What+did+Dana+Larsen+say+about+the+harbour+plan%3F", "/u/1/ask?q=harbour&why=" + fact.UID, "/u/1/profile", "/u/1/timeline", "/u/1/timeline?day=" + time.Now().AddDate(-1, 0, 0).Format("2006-01"),
		"/u/1/memories/" + fact.UID, "/u/1/entities", entity, "/u/1/nights", "/u/1/nights/" + runs[0].UID, "/u/1/decide", "/u/1/health",
	} {
		var times []time.Duration
		busy := cpu(t)
		size := 0
		for range 11 {
			began := time.Now()
			status, content := w.get(path)
			times = append(times, time.Since(began))
			require.Equal(t, 200, status, path)
			size = len(content)
		}
		slices.Sort(times)
		t.Logf("%-50s median %6.1f ms  slowest %6.1f ms  processor %6.1f ms  %4d kB", path[:min(len(path), 50)], ms(times[5]), ms(times[10]), ms(cpu(t)-busy)/11, size>>10)
		require.Less(t, size, 200<<10, path)
	}
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// cpu is the time of the processor that this process has used: on a busy machine it
// says more than the clock.
func cpu(t *testing.T) time.Duration {
	t.Helper()
	var u unix.Rusage
	require.NoError(t, unix.Getrusage(unix.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
