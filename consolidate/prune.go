package consolidate

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"github.com/ebbmem/ebb/schema"
)

// Prune is the stage that takes faded derived memories out of search: those
// whose confidence times retention is below [FadedBelow]. What the user stated
// (trust 4) becomes dormant, the rest is retired. Episodes stay, and protected and
// pinned memories, those of a protected entity, those with a pending question to
// the host and, under the default retention, standing claims that rest on a
// sentence of the user's ([retention.Default]).
//
// A day takes at most the input's RetirementCap of the derived memories, weakest
// first, however many runs it has. The share is rounded down, but is at least
// one, since a small memory would otherwise never lose anything.
//
// Retention is computed from the time since the last use whenever it is needed, and
// never stored: memories would fade faster the more nights there are.
//
// Counts: derived, the active facts, preferences and reflections; fading, those with a
// retention below a half; faded, those that may leave; beyond_cap, how many of them the
// cap left for another night.
type Prune struct{}

// Name implements [Stage].
func (Prune) Name() string { return "prune" }

// Propose implements [Stage].
func (Prune) Propose(ctx context.Context, in *Input, apply Apply) error {
	var derived []schema.Memory
	var guarded map[int64]bool
	var left int
	err := in.DB.Read(ctx, func(ctx context.Context, s *schema.Snapshot) (err error) {
		if derived, err = s.Night().ActiveDerived(ctx, in.UserID); err != nil {
			return err
		}
		if guarded, err = guardedMemories(ctx, s, in); err != nil {
			return err
		}
		left, err = allowance(ctx, s.Night(), in)
		return err
	})
	if err != nil {
		return err
	}
	in.Count("derived", len(derived))
	in.Count("fading", 0)
	for i := range derived {
		if in.Retention.Of(&derived[i], in.Now) < 0.5 {
			in.Count("fading", 1)
		}
	}
	faded := slices.DeleteFunc(derived, func(m schema.Memory) bool {
		return m.Protected || m.Pinned || guarded[m.ID] || !(in.strength(&m) < FadedBelow)
	})
	slices.SortFunc(faded, func(a, b schema.Memory) int {
		return cmp.Or(cmp.Compare(in.strength(&a), in.strength(&b)), cmp.Compare(a.ID, b.ID))
	})
	in.Count("faded", len(faded))
	in.Count("beyond_cap", max(0, len(faded)-left))
	proposals := make([]Proposal, 0, min(left, len(faded)))
	for _, m := range faded[:min(left, len(faded))] {
		if m.Trust >= schema.MaxTrust {
			proposals = append(proposals, MakeDormant{UID: m.UID, Version: m.Version})
		} else {
			proposals = append(proposals, Retire{UID: m.UID, Version: m.Version})
		}
	}
	_, err = apply.InBatches(ctx, proposals)
	return err
}

// strength returns confidence times retention, 0–1.
func (in *Input) strength(m *schema.Memory) float64 {
	return m.Confidence * in.Retention.Of(m, in.Now)
}

// retirementDay is how long a pruned memory counts towards the cap. It is less
// than 23 hours, the shortest time between two nights, so that each night has the
// whole cap.
const retirementDay = 20 * time.Hour

// day bounds what counts towards a limit per day. What a wrong clock recorded far in the
// future does not.
func (in *Input) day() (since, until schema.Time) {
	return schema.At(in.Now.Add(-retirementDay)), schema.At(in.Now.Add(retirementDay))
}

// allowance returns how many memories may still be pruned today.
func allowance(ctx context.Context, reads schema.NightReads, in *Input) (int, error) {
	since, until := in.day()
	active, pruned, err := reads.PruneCounts(ctx, in.UserID, nightActor, since, until)
	if err != nil {
		return 0, err
	}
	return allowed(active, pruned, in.RetirementCap), nil
}

// allowed returns the share of the memories before today's pruning, at least one
// unless the share is 0, less those already pruned.
func allowed(active, pruned int, share float64) int {
	if share <= 0 {
		return 0
	}
	return max(0, max(1, int(math.Floor(share*float64(active+pruned)+1e-9)))-pruned)
}

// guardsSentences reports whether claims that rest on the user's sentences stay
// whatever their strength: under the default retention.
func (in *Input) guardsSentences() bool { return in.Retention == nil }

// guardedMemories returns the user's memories that no stage deactivates.
func guardedMemories(ctx context.Context, s *schema.Snapshot, in *Input) (map[int64]bool, error) {
	waiting, err := s.WaitingMemories(ctx, in.UserID)
	if err != nil {
		return nil, err
	}
	ids, err := s.Night().Guarded(ctx, in.UserID, in.guardsSentences())
	if err != nil {
		return nil, err
	}
	guarded := make(map[int64]bool, len(waiting)+len(ids))
	for _, id := range slices.Concat(waiting, ids) {
		guarded[id] = true
	}
	return guarded, nil
}
