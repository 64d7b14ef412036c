package plugin_test

import (
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/racing"
)

var (
	subject = extension.Scope{Tenant: "acme", User: "ada", Session: "spring"}
	// neighbours share the file, and what can be shared of the names.
	neighbours = []extension.Scope{
		{Tenant: "acme", User: "bob", Session: "spring"},
		{Tenant: "globex", User: "ada", Session: "spring"},
		{User: "ada", Session: "spring"},
	}
)

// Whatever the others in a file do, all that one user gets to see is, but for
// the ids, byte for byte what it would be if that user were alone.
//
// Eight histories in every run; -rapid.checks asks for more.
func TestUsersCannotObserveOthers(t *testing.T) {
	racing.Alone(t)
	if checks := flag.Lookup("rapid.checks"); checks.Value.String() == checks.DefValue {
		require.NoError(t, checks.Value.Set("8"))
		defer func() { require.NoError(t, checks.Value.Set(checks.DefValue)) }()
	}
	rapid.Check(t, func(r *rapid.T) {
		drawAct := rapid.Custom(func(r *rapid.T) act {
			return act{rapid.SampledFrom(acts).Draw(r, "act"), rapid.SampledFrom(vocabulary).Draw(r, "text"), rapid.IntRange(0, 1000).Draw(r, "pick")}
		})
		type step struct {
			act    act
			before []act // what neighbours do first
			who    []int
			reopen bool
		}
		steps := make([]step, rapid.IntRange(5, 25).Draw(r, "steps"))
		for i := range steps {
			steps[i].act = drawAct.Draw(r, "own")
			steps[i].before = rapid.SliceOfN(drawAct, 0, 4).Draw(r, "others")
			for range steps[i].before {
				steps[i].who = append(steps[i].who, rapid.IntRange(0, len(neighbours)-1).Draw(r, "who"))
			}
			steps[i].reopen = rapid.IntRange(0, 9).Draw(r, "reopen") == 0
		}
		live := func(crowded bool) []string {
			w := newWorld(t)
			defer func() { w.close() }()
			ids := named{}
			var seen []string
			for _, s := range steps {
				if s.reopen {
					w.close()
					w.open()
				}
				for i, a := range s.before {
					if crowded {
						w.person(neighbours[s.who[i]]).do(a)
					}
				}
				w.settle()
				me := w.person(subject)
				seen = append(seen, ids.normalise(fmt.Sprint(s.act, ": ", me.do(s.act))))
				w.settle()
				w.now.Add(7 * time.Hour)
			}
			return append(seen, strings.Split(ids.normalise(w.person(subject).view()), "\n")...)
		}
		alone, crowded := live(false), live(true)
		alone, crowded = append(alone, "the end"), append(crowded, "the end")
		for i := range min(len(alone), len(crowded)) {
			if alone[i] != crowded[i] {
				at := 0
				for at < min(len(alone[i]), len(crowded[i])) && alone[i][at] == crowded[i][at] {
					at++
				}
				from := max(0, at-300)
				r.Fatalf("byte %d\nalone:\n%.700s\n\namong others:\n%.700s", at, alone[i][from:], crowded[i][from:])
			}
		}
	})
}
