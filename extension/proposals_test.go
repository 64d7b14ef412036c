package extension

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/memory"
	"github.com/ebbmem/ebb/schema"
)

var vera = Scope{User: "vera"}

// homes is a memory of facts that were put in as a night would.
type homes struct {
	t *testing.T
	x *Extension
}

func newClaims(t *testing.T) *homes {
	t.Helper()
	x := openConfig(t, filepath.Join(t.TempDir(), "m.db"), &Config{Night: NightConfig{NoSchedule: true}, Location: time.UTC})
	return &homes{t, x}
}

// home stores where Vera lives, since a day of the past, as an entity of hers.
func (c *homes) home(town string, daysAgo int, origin schema.Origin, change ...func(*schema.Memory)) *schema.Memory {
	c.t.Helper()
	m := &schema.Memory{
		Kind: KindFact, Content: "Vera lives in " + town + ".", Subject: "Vera", Predicate: "lives_in", Object: town,
		ValidFrom: schema.At(c.x.db.Now().AddDate(0, 0, -daysAgo)), Confidence: 0.9, DecayRate: schema.DefaultDecayRate, Origin: origin, Trust: origin.Ceiling(),
	}
	m.EventTime = m.ValidFrom
	for _, f := range change {
		f(m)
	}
	require.NoError(c.t, c.x.db.Write(c.t.Context(), func(ctx context.Context, tx *schema.Tx) (err error) {
		if m.UserID, err = tx.UserID(ctx, vera); err != nil {
			return err
		}
		if err := tx.InsertMemory(ctx, m, schema.PrepareChunks(m.Content, "")); err != nil {
			return err
		}
		e, _, err := tx.ResolveEntity(ctx, m.UserID, schema.EntityPerson, "Vera", 1)
		if err != nil {
			return err
		}
		return tx.LinkEntity(ctx, m.ID, e.ID, "Vera", 1)
	}))
	return m
}

func (c *homes) night() {
	c.t.Helper()
	_, err := c.x.Consolidate(c.t.Context(), vera)
	require.NoError(c.t, err)
}

func (c *homes) lives(q Query) (towns []string) {
	c.t.Helper()
	q.Text = "where does Vera live?"
	answer, err := c.x.Recall(c.t.Context(), vera, q)
	require.NoError(c.t, err)
	for _, r := range answer.Results {
		towns = append(towns, r.Memory.Object)
	}
	return towns
}

func (c *homes) waiting() []Proposal {
	c.t.Helper()
	list, err := c.x.Proposals(c.t.Context(), vera)
	require.NoError(c.t, err)
	return list
}

func TestMoveKeepsHistory(t *testing.T) {
	c := newClaims(t)
	c.home("Lisbon", 100, schema.OriginUser)
	c.home("Oslo", 10, schema.OriginUser)
	c.night()
	require.Equal(t, []string{"Oslo"}, c.lives(Query{}))
	require.Equal(t, []string{"Lisbon"}, c.lives(Query{AsOf: AsOf{Valid: c.x.db.Now().AddDate(0, 0, -50)}}))
	require.Empty(t, c.waiting())
	timeline, err := c.x.Timeline(t.Context(), vera, TimelineQuery{Entity: "vera"})
	require.NoError(t, err)
	require.Len(t, timeline, 2)
	require.Equal(t, schema.StateSuperseded, timeline[0].State)
	require.Equal(t, timeline[1].ValidFrom, timeline[0].ValidUntil)
}

func TestHostResolvesContradiction(t *testing.T) {
	// What was imported cannot end what the user said, until the host says so.
	for name, decide := range map[string]func(*homes, Proposal) (towns []string, err error){
		"approve": func(c *homes, p Proposal) ([]string, error) {
			return []string{"Oslo"}, c.x.Approve(c.t.Context(), vera, p.ID)
		},
		"keep the later": func(c *homes, p Proposal) ([]string, error) {
			return []string{"Oslo"}, c.x.Keep(c.t.Context(), vera, p.ID, p.OtherID)
		},
		"keep the earlier": func(c *homes, p Proposal) ([]string, error) {
			return []string{"Lisbon"}, c.x.Keep(c.t.Context(), vera, p.ID, p.MemoryID)
		},
		"reject": func(c *homes, p Proposal) ([]string, error) {
			return []string{"Lisbon", "Oslo"}, c.x.Reject(c.t.Context(), vera, p.ID)
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := newClaims(t)
			lisbon, oslo := c.home("Lisbon", 100, schema.OriginUser), c.home("Oslo", 10, schema.OriginImport)
			c.night()
			c.night()
			require.ElementsMatch(t, []string{"Lisbon", "Oslo"}, c.lives(Query{}), "both stay until then")
			list := c.waiting()
			require.Len(t, list, 1)
			p := list[0]
			require.Equal(t, Proposal{
				ID: p.ID, Kind: ProposalContradiction, Reason: "the later one is less trusted", ProposedAt: p.ProposedAt,
				MemoryID: lisbon.UID, Content: lisbon.Content, Since: lisbon.ValidFrom.Time,
				OtherID: oslo.UID, OtherContent: oslo.Content, OtherSince: oslo.ValidFrom.Time,
			}, p)

			var invalid *InvalidError
			require.ErrorIs(t, c.x.Approve(t.Context(), Scope{User: "bob"}, p.ID), ErrNotFound)
			require.ErrorAs(t, c.x.Keep(t.Context(), vera, p.ID, "something else"), &invalid)
			require.Equal(t, "memory_id", invalid.Field)
			require.Len(t, c.waiting(), 1, "what was refused decides nothing")

			towns, err := decide(c, p)
			require.NoError(t, err)
			require.ElementsMatch(t, towns, c.lives(Query{}))
			require.Empty(t, c.waiting())
			require.ErrorIs(t, c.x.Reject(t.Context(), vera, p.ID), ErrNotFound, "it is settled")
			c.night()
			require.Empty(t, c.waiting(), "nobody is asked twice")
			require.ElementsMatch(t, towns, c.lives(Query{}))
		})
	}
}

func TestSuccessorGetsTrust(t *testing.T) {
	c := newClaims(t)
	c.home("Lisbon", 100, schema.OriginUser)
	oslo := c.home("Oslo", 10, schema.OriginImport)
	c.night()
	require.NoError(t, c.x.Approve(t.Context(), vera, c.waiting()[0].ID))
	got, err := c.x.Get(t.Context(), vera, oslo.UID)
	require.NoError(t, err)
	require.Equal(t, schema.MaxTrust, got.Memory.Trust)
	require.Equal(t, schema.OriginUser, got.Memory.Origin)
	require.Equal(t, "vouch", got.History[1].Operation)
	require.Equal(t, "host", got.History[1].Actor)
	p, err := c.x.Profile(t.Context(), vera)
	require.NoError(t, err)
	require.Len(t, p.Lines, 1)
	require.Equal(t, ProfileApproved, p.Lines[0].Group, "the user did not write it")
}

func TestApproveRefusesProtected(t *testing.T) {
	c := newClaims(t)
	lisbon := c.home("Lisbon", 100, schema.OriginUser, func(m *schema.Memory) { m.Protected = true })
	c.home("Oslo", 10, schema.OriginUser)
	c.night()
	list := c.waiting()
	require.Len(t, list, 1)
	var invalid *InvalidError
	require.ErrorAs(t, c.x.Approve(t.Context(), vera, list[0].ID), &invalid)
	require.Len(t, c.waiting(), 1)
	require.NoError(t, c.x.Keep(t.Context(), vera, list[0].ID, lisbon.UID))
	require.Equal(t, []string{"Lisbon"}, c.lives(Query{}))
}

func TestResolvedContradictionIsNotListed(t *testing.T) {
	c := newClaims(t)
	c.home("Lisbon", 100, schema.OriginUser)
	c.home("Oslo", 50, schema.OriginImport)
	c.night()
	p := c.waiting()[0]
	c.home("Bergen", 10, schema.OriginUser)
	c.night()
	require.Equal(t, []string{"Bergen"}, c.lives(Query{}))
	require.Empty(t, c.waiting())
	require.ErrorIs(t, c.x.Approve(t.Context(), vera, p.ID), ErrConflict)
}

func TestContradictionOfForgotten(t *testing.T) {
	for _, forgotten := range []int{0, 1} {
		c := newClaims(t)
		pair := []*schema.Memory{c.home("Lisbon", 100, schema.OriginUser), c.home("Oslo", 10, schema.OriginImport)}
		c.night()
		p := c.waiting()[0]
		_, err := c.x.Forget(t.Context(), vera, pair[forgotten].UID)
		require.NoError(t, err)
		require.Empty(t, c.waiting())
		require.ErrorIs(t, c.x.Approve(t.Context(), vera, p.ID), ErrConflict)
		require.ErrorIs(t, c.x.Keep(t.Context(), vera, p.ID, pair[forgotten].UID), ErrConflict)
		require.Equal(t, []string{pair[1-forgotten].Object}, c.lives(Query{}))
	}
}

// two stores two names of one person, of which the first would go.
func (c *homes) two() (from, into *schema.Entity) {
	c.t.Helper()
	require.NoError(c.t, c.x.db.Write(c.t.Context(), func(ctx context.Context, tx *schema.Tx) error {
		userID, err := tx.UserID(ctx, vera)
		if err != nil {
			return err
		}
		if into, err = tx.CreateEntity(ctx, userID, schema.EntityPerson, "Viktor Orlov", 1); err != nil {
			return err
		}
		from, err = tx.CreateEntity(ctx, userID, schema.EntityPerson, "Vitya Orlov", 1)
		return err
	}))
	return from, into
}

func TestHostMergesEntities(t *testing.T) {
	for name, decide := range map[string]func(*homes, Proposal) (merged bool, err error){
		"approve": func(c *homes, p Proposal) (bool, error) { return true, c.x.Approve(c.t.Context(), vera, p.ID) },
		"reject":  func(c *homes, p Proposal) (bool, error) { return false, c.x.Reject(c.t.Context(), vera, p.ID) },
	} {
		t.Run(name, func(t *testing.T) {
			c := newClaims(t)
			from, into := c.two()
			c.night()
			c.night()
			list := c.waiting()
			require.Len(t, list, 1)
			p := list[0]
			require.Equal(t, Proposal{
				ID: p.ID, Kind: ProposalMergeEntities, Reason: "one name is a form of the other", ProposedAt: p.ProposedAt,
				EntityID: from.UID, Content: "Vitya Orlov", OtherEntityID: into.UID, OtherContent: "Viktor Orlov",
			}, p)
			var invalid *InvalidError
			require.ErrorAs(t, c.x.Keep(t.Context(), vera, p.ID, into.UID), &invalid)
			merged, err := decide(c, p)
			require.NoError(t, err)
			require.Empty(t, c.waiting())
			require.NoError(t, c.x.db.Read(t.Context(), func(ctx context.Context, s *schema.Snapshot) error {
				e, err := s.Entity(ctx, from.UserID, from.UID)
				require.Equal(t, merged, e.MergedInto == into.ID)
				return err
			}))
			c.night()
			require.Empty(t, c.waiting(), "nobody is asked twice")
		})
	}
}

func TestMergeProposalAfterChanges(t *testing.T) {
	c := newClaims(t)
	from, into := c.two()
	c.night()
	p := c.waiting()[0]
	write := func(do func(ctx context.Context, tx *schema.Tx) error) {
		require.NoError(t, c.x.db.Write(t.Context(), do))
	}
	write(func(ctx context.Context, tx *schema.Tx) error {
		_, err := tx.Exec(ctx, "UPDATE entities SET protected = 1 WHERE id = ?", into.ID)
		return err
	})
	var invalid *InvalidError
	require.ErrorAs(t, c.x.Approve(t.Context(), vera, p.ID), &invalid)
	require.Len(t, c.waiting(), 1)
	write(func(ctx context.Context, tx *schema.Tx) error {
		if _, err := tx.Exec(ctx, "UPDATE entities SET protected = 0 WHERE id = ?", into.ID); err != nil {
			return err
		}
		return tx.MergeEntities(ctx, into, from, memory.ByHost)
	})
	require.Empty(t, c.waiting())
	require.ErrorIs(t, c.x.Approve(t.Context(), vera, p.ID), ErrConflict)
}
