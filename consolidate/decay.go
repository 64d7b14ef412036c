package consolidate

import (
	"context"

	"github.com/ebbmem/ebb/schema"
)

// Decay is the stage that reports how much has faded. It writes nothing:
// retention is computed from the time since the last use whenever it is needed.
// If nights lowered the stored confidence, memories would fade faster the more
// nights there are.
//
// Counts: derived (active facts, preferences and reflections), fading
// (retention below a half), faded (confidence · retention below [FadedBelow]).
type Decay struct{}

// Name implements [Stage].
func (Decay) Name() string { return "decay" }

// Propose implements [Stage]; it proposes nothing.
func (Decay) Propose(ctx context.Context, in *Input, _ Apply) error {
	derived, err := activeDerived(ctx, in)
	if err != nil {
		return err
	}
	in.Count("derived", len(derived))
	in.Count("fading", 0)
	in.Count("faded", 0)
	for i := range derived {
		if in.Retention.Of(&derived[i], in.Now) < 0.5 {
			in.Count("fading", 1)
		}
		if in.strength(&derived[i]) < FadedBelow {
			in.Count("faded", 1)
		}
	}
	return nil
}

// activeDerived reads the memories that can fade, without their texts.
func activeDerived(ctx context.Context, in *Input) ([]schema.Memory, error) {
	return schema.Get(ctx, in.DB, func(ctx context.Context, s *schema.Snapshot) ([]schema.Memory, error) {
		return s.Night().ActiveDerived(ctx, in.UserID)
	})
}
