package tools_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/recall"
	"github.com/ebbmem/ebb/recall/reconcile"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/tools"
)

// gated is a host whose remember_fact asks a policy.
func gated(t testing.TB, decide reconcile.Func) *host {
	h := newHost(t, openDB(t), schema.Scope{User: "ada", Session: "s1"})
	searcher := recall.New(h.db, recall.Options{})
	t.Cleanup(searcher.Close)
	h.all = tools.New(tools.Deps{
		DB: h.db, Scope: h.scope, TurnTrust: func() schema.Trust { return h.trust },
		Similar: func(ctx context.Context, content string) *reconcile.Similar {
			similar, err := reconcile.Find(ctx, searcher, decide, h.scope, content)
			require.NoError(t, err)
			return similar
		},
	})
	return h
}

// facts are the user's facts and preferences that are in force.
func (h *host) facts() (all []string) {
	h.t.Helper()
	require.NoError(h.t, h.db.Read(h.t.Context(), func(ctx context.Context, s *schema.Snapshot) (err error) {
		all, err = schema.Column[string](ctx, s.Query, "SELECT content FROM memories WHERE kind IN ('fact', 'preference') AND state = 'active' ORDER BY id")
		return err
	}))
	return all
}

func (h *host) elaborations() (all []string) {
	h.t.Helper()
	require.NoError(h.t, h.db.Read(h.t.Context(), func(ctx context.Context, s *schema.Snapshot) (err error) {
		all, err = schema.Column[string](ctx, s.Query, `SELECT f.content || ' > ' || t.content FROM links l
			JOIN memories f ON f.id = from_id JOIN memories t ON t.id = to_id WHERE type = 'elaborates' ORDER BY 1`)
		return err
	}))
	return all
}

// A hundred restatements of ten claims, by words alone.
func TestRestatements(t *testing.T) {
	things := []string{
		"keep|11 hens behind the old barn", "play|the cello in a string quartet", "collect|stamps from Portugal", "repair|old bicycles in the cellar",
		"grow|tomatoes on the balcony", "paint|harbour views in watercolour", "teach|maths at the evening school", "sing|alto in the church choir",
		"brew|dark beer with a neighbour", "walk|two dogs before breakfast",
	}
	forms := []string{
		"The user %ss %s.", "Ada %ss %s", "The user does %s %s.", "User %ss %s!", "The user is one of those who %s %s.",
		"Ada, the user, %ss %s.", "the user %ss %s, too", "She %ss %s herself.", "The user really %ss %s.", "As of today the user %ss %s.",
	}
	stored := func(decide reconcile.Func) int {
		h := gated(t, decide)
		for _, form := range forms {
			for _, thing := range things {
				verb, object, _ := strings.Cut(thing, "|")
				h.call("remember_fact", fmt.Sprintf(form, verb, object))
			}
		}
		return len(h.facts())
	}
	without, with := stored(nil), stored(reconcile.Cognitive)
	t.Logf("%d facts of 100 restatements, %d with the gate", without, with)
	require.Less(t, with, without/2)
	require.GreaterOrEqual(t, with, len(things))
}

func TestSimilarClaimsOfTools(t *testing.T) {
	h := gated(t, reconcile.Cognitive)
	h.says("I keep 11 hens behind the old barn", 3*time.Minute)
	h.call("remember_fact", "I keep 11 hens behind the old barn")
	require.Contains(t, h.call("remember_fact", "The user has been keeping 11 hens behind the old barn."), "known already", "the model's word adds nothing to the user's")
	h.call("remember_fact", "The user keeps 11 brown hens behind the old barn.")
	require.Empty(t, h.elaborations(), "lower trust updates nothing")
	h.says("I keep 11 noisy hens behind the old barn", 2*time.Minute)
	h.call("remember_fact", "I keep 11 noisy hens behind the old barn")
	require.Equal(t, []string{"I keep 11 noisy hens behind the old barn > I keep 11 hens behind the old barn"}, h.elaborations())
	h.says("I keep 12 hens behind the old barn", time.Minute)
	h.call("remember_fact", "I keep 12 hens behind the old barn")
	require.Len(t, h.elaborations(), 1, "another number is no update")
	require.Len(t, h.facts(), 4)
}
