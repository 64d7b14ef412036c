package consolidate

import (
	"context"

	"github.com/ebbmem/ebb/schema"
)

// Decay is the stage that says how far forgetting has come. It writes nothing:
// retention is a function of the time since the last use and is computed when
// it is needed. A night that multiplied the stored confidence would forget
// faster the more nights there are.
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

// activeDerived reads what can fade. Texts stay in the file: only what
// retention depends on is read.
func activeDerived(ctx context.Context, in *Input) (derived []schema.Memory, err error) {
	err = in.DB.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		return s.NewSelect().Model(&derived).
			Column("id", "uid", "kind", "event_time", "created_at", "last_accessed", "access_count", "decay_rate", "stability", "utility",
				"confidence", "importance", "origin", "trust", "protected", "pinned", "state", "attributes", "version").
			Where("user_id = ? AND kind <> ? AND state = ?", in.UserID, schema.KindEpisode, schema.StateActive).
			Order("id").Scan(ctx)
	})
	return derived, err
}
