// Package dream implements the dream cycle of cognitive-v9.md as stages of a night.
// Decay by tier and drift of utility have no stage: they are computed when a value is
// read, since stored results would compound from night to night. docs/profiles/COGNITIVE.md
// lists the steps and where they differ from the document.
package dream

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/consolidate/appraise"
	"github.com/ebbmem/ebb/recall/cognitive"
	"github.com/ebbmem/ebb/recall/retention"
	"github.com/ebbmem/ebb/schema"
)

// Options are the parameters of the cycle. Zero values mean those of the document.
type Options struct {
	Retention retention.Policy // how memories fade; default [retention.PowerLaw] by category
	// Capacity is the maximum number of active derived memories per user. When it is
	// exceeded, Trimmed of them stay active. Default 500, and 90 % of Capacity.
	Capacity, Trimmed int
	// Rehearsals is the maximum number of memories rehearsed per day. Default 50.
	Rehearsals int
}

func (o Options) withDefaults() Options {
	if o.Retention == nil {
		o.Retention = cognitive.Retention(retention.PowerLaw{})
	}
	if o.Capacity <= 0 {
		o.Capacity = 500
	}
	if o.Trimmed <= 0 || o.Trimmed > o.Capacity {
		o.Trimmed = o.Capacity * 9 / 10
	}
	if o.Rehearsals <= 0 {
		o.Rehearsals = 50
	}
	return o
}

// Stages returns the stages of a night.
func Stages(o Options) []consolidate.Stage {
	o = o.withDefaults()
	return []consolidate.Stage{
		consolidate.Extract{}, consolidate.Conflict{}, consolidate.Entities{}, Updates{}, Relations{},
		Emotions{}, Replay{}, Outcomes{}, Tiers{}, o.Rehearsal(), o.Foresight(), Forgetting{o},
		Categories(), Redundancy{}, o.Patterns(),
	}
}

// Thresholds and effects of flashbulb memories.
const (
	vivid           = 0.8 // minimum arousal
	vividImportance = 0.9 // minimum importance afterwards
	vividGrowth     = 1.5 // factor on stability
	maxFlashbulbs   = 20  // per user
)

// Emotions is the stage that pins flashbulb memories: messages in the user's own words
// with an arousal of 0.8 or more, at most 20 per user, highest arousal first. Their
// importance becomes at least 0.9 and their stability grows by 1.5. Messages of other
// authors are never pinned.
//
// Counts: those of [consolidate.Rules] for flashbulb.
type Emotions struct{}

// Name implements [consolidate.Stage].
func (Emotions) Name() string { return "emotions" }

// Propose implements [consolidate.Stage].
func (e Emotions) Propose(ctx context.Context, in *consolidate.Input, apply consolidate.Apply) error {
	where := schema.Conditions{Kind: schema.KindEpisode, Given: []string{schema.AttrArousal}}
	bulbs := make(map[int64]bool)
	err := in.DB.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		met, err := s.Night().Meeting(ctx, in.UserID, schema.StateActive, &where)
		if err != nil {
			return err
		}
		left := maxFlashbulbs
		met = slices.DeleteFunc(met, func(m schema.Memory) bool {
			aroused := arousal(&m) >= vivid && m.OwnWords()
			if aroused && m.Pinned {
				left--
			}
			return !aroused || m.Pinned
		})
		slices.SortStableFunc(met, func(a, b schema.Memory) int { return cmp.Compare(arousal(&b), arousal(&a)) })
		for i := range met[:max(0, min(left, len(met)))] {
			bulbs[met[i].ID] = true
		}
		return nil
	})
	if err != nil {
		return err
	}
	return consolidate.Rules{Stage: e.Name(), List: []consolidate.Rule{{
		Name: "flashbulb", Where: where,
		When: func(m *schema.Memory, _ time.Time) (schema.Revision, bool) {
			return schema.Revision{
				Pinned: new(true), Importance: new(max(vividImportance, m.Importance)),
				Stability: new(min(schema.MaxStability, vividGrowth*max(1, m.Stability))),
			}, bulbs[m.ID] && !m.Pinned
		},
	}}}.Propose(ctx, in, apply)
}

// arousal returns the arousal rated when the message was stored, 0–1; 0 if unknown.
func arousal(m *schema.Memory) float64 {
	a, err := strconv.ParseFloat(m.Attributes[schema.AttrArousal], 64)
	if err != nil {
		return 0
	}
	return a
}

// captureGrowth is the factor on the stability of a captured message.
const captureGrowth = 1.3

// Replay is the stage of synaptic tagging and capture. A weak message is tagged for
// four hours. If a strong message follows in the same session before the tag expires,
// the stability of the weak one grows by 1.3. Captured and expired tags are removed.
//
// Counts: those of [consolidate.Rules] for capture and expire.
type Replay struct{}

// Name implements [consolidate.Stage].
func (Replay) Name() string { return "replay" }

// Propose implements [consolidate.Stage].
func (r Replay) Propose(ctx context.Context, in *consolidate.Input, apply consolidate.Apply) error {
	strong := make(map[int64][]time.Time) // by session
	err := in.DB.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		met, err := s.Night().Meeting(ctx, in.UserID, schema.StateActive, &schema.Conditions{Kind: schema.KindEpisode, MinImportance: appraise.Strong})
		for i := range met {
			if met[i].SessionID != 0 {
				strong[met[i].SessionID] = append(strong[met[i].SessionID], met[i].EventTime.Time)
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	until := func(m *schema.Memory) time.Time {
		t, err := time.Parse(time.RFC3339, m.Attributes[schema.AttrTagged])
		if err != nil {
			return m.EventTime.Time // an unreadable tag has expired
		}
		return t
	}
	tagged := schema.Conditions{Kind: schema.KindEpisode, Given: []string{schema.AttrTagged}}
	untag := map[string]string{schema.AttrTagged: ""}
	return consolidate.Rules{Stage: r.Name(), List: []consolidate.Rule{
		{Name: "capture", Where: tagged, When: func(m *schema.Memory, _ time.Time) (schema.Revision, bool) {
			captured := slices.ContainsFunc(strong[m.SessionID], func(at time.Time) bool {
				return !at.Before(m.EventTime.Time) && !at.After(until(m))
			})
			return schema.Revision{Stability: new(min(schema.MaxStability, captureGrowth*max(1, m.Stability))), Attributes: untag}, captured
		}},
		{Name: "expire", Where: tagged, When: func(m *schema.Memory, now time.Time) (schema.Revision, bool) {
			return schema.Revision{Attributes: untag}, until(m).Before(now)
		}},
	}}.Propose(ctx, in, apply)
}

// Derived returns conditions that match all memories except messages.
func Derived() schema.Conditions {
	return schema.Conditions{AnyOf: [][]schema.Conditions{{{Kind: schema.KindFact}, {Kind: schema.KindPreference}, {Kind: schema.KindReflection}}}}
}

// Thresholds of promotion and demotion.
const (
	promotedUses    = 3
	promotedUtility = 0.7
	promotedAge     = 7 * 24 * time.Hour
	promotedShared  = 3 // episodic memories that mention one entity
	demotedIdle     = 60 * 24 * time.Hour
	demotedUtility  = 0.2
)

// Tiers is the stage of promotion and demotion. A derived memory is promoted to the
// semantic tier once it was used three times, or has a utility of at least 0.7 and is
// a week old, or shares an entity with at least two other episodic memories. A
// semantic memory becomes dormant when its utility is below 0.2 and it was idle for
// 60 days, unless its category is permanent. Protected and pinned memories keep their
// tier.
//
// Counts: those of [consolidate.Rules] for promote and demote.
type Tiers struct{}

// Name implements [consolidate.Stage].
func (Tiers) Name() string { return "tiers" }

// Propose implements [consolidate.Stage].
func (t Tiers) Propose(ctx context.Context, in *consolidate.Input, apply consolidate.Apply) error {
	converging, err := convergent(ctx, in)
	if err != nil {
		return err
	}
	promote := Derived()
	semantic := Derived()
	semantic.Is = map[string]string{schema.AttrTier: string(cognitive.Semantic)}
	return consolidate.Rules{Stage: t.Name(), List: []consolidate.Rule{
		{Name: "demote", Where: semantic, When: demoted},
		{Name: "promote", Where: promote, When: func(m *schema.Memory, now time.Time) (schema.Revision, bool) {
			return schema.Revision{Attributes: map[string]string{schema.AttrTier: string(cognitive.Semantic)}},
				!m.Protected && !m.Pinned && cognitive.TierOf(m) == cognitive.Episodic && !forsaken(m, now) && (proven(m, now) || converging[m.ID])
		}},
	}}.Propose(ctx, in, apply)
}

func proven(m *schema.Memory, now time.Time) bool {
	return m.AccessCount >= promotedUses || m.Utility >= promotedUtility && now.Sub(m.CreatedAt.Time) >= promotedAge
}

func demoted(m *schema.Memory, now time.Time) (schema.Revision, bool) {
	return schema.Revision{State: schema.StateDormant}, forsaken(m, now)
}

// forsaken reports whether a memory is too little used for the semantic tier.
func forsaken(m *schema.Memory, now time.Time) bool {
	return m.Utility < demotedUtility && now.Sub(retention.LastUse(m)) >= demotedIdle && !cognitive.CategoryOf(m).Permanent()
}

// convergent returns the ids of the episodic memories that share an entity with at
// least two others.
func convergent(ctx context.Context, in *consolidate.Input) (map[int64]bool, error) {
	sharing := make(map[int64][]int64) // by entity
	converging := make(map[int64]bool)
	err := in.DB.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		where := Derived()
		met, err := s.Night().Meeting(ctx, in.UserID, schema.StateActive, &where)
		if err != nil {
			return err
		}
		episodic := make(map[int64]bool, len(met))
		for i := range met {
			episodic[met[i].ID] = cognitive.TierOf(&met[i]) == cognitive.Episodic
		}
		return s.Night().ClaimMentions(ctx, in.UserID, func(memory, entity int64, _ string) {
			if episodic[memory] {
				sharing[entity] = append(sharing[entity], memory)
			}
		})
	})
	for _, memories := range sharing {
		if len(memories) >= promotedShared {
			for _, m := range memories {
				converging[m] = true
			}
		}
	}
	return converging, err
}

// Thresholds and effect of rehearsal.
const (
	endangered         = 0.3 // retention below which a memory is rehearsed
	rehearsalGrowth    = 1.5 // factor on stability
	rehearsedUtility   = 0.5
	rehearsedImportant = 0.6
)

// Rehearsal is the stage that keeps useful or important memories from fading. It
// multiplies the stability of a memory with a retention below 0.3 by 1.5, as often as
// needed to reach 0.3. A memory for which [schema.MaxStability] is not enough does not
// change.
//
// Counts: those of [consolidate.Rules] for rehearse.
func (o Options) Rehearsal() consolidate.Stage {
	o = o.withDefaults()
	return consolidate.Rules{Stage: "rehearsal", List: []consolidate.Rule{{
		Name: "rehearse", Where: Derived(), Most: o.Rehearsals,
		Worth: func(m *schema.Memory, now time.Time) float64 { return o.Retention.Of(m, now) },
		When: func(m *schema.Memory, now time.Time) (schema.Revision, bool) {
			if o.Retention.Of(m, now) >= endangered || m.Utility < rehearsedUtility && m.Importance < rehearsedImportant {
				return schema.Revision{}, false
			}
			rehearsed := *m
			rehearsed.Stability = max(1, m.Stability)
			for rehearsed.Stability *= rehearsalGrowth; rehearsed.Stability <= schema.MaxStability; rehearsed.Stability *= rehearsalGrowth {
				if o.Retention.Of(&rehearsed, now) >= endangered {
					return schema.Revision{Stability: &rehearsed.Stability}, true
				}
			}
			return schema.Revision{}, false
		},
	}}}
}

// planned is how long a plan without an end date stays active.
const planned = 7 * 24 * time.Hour

// Foresight is the stage that makes dormant the derived memories that are no longer
// valid, and plans without an end date one week after they were said or, if that is
// later, were to begin. It does not set an end of validity, since a plan that has passed
// was not wrong.
//
// Counts: those of [consolidate.Rules] for passed.
func (Options) Foresight() consolidate.Stage {
	return consolidate.Rules{Stage: "foresight", List: []consolidate.Rule{{
		Name: "passed", Where: Derived(),
		When: func(m *schema.Memory, now time.Time) (schema.Revision, bool) {
			until := m.ValidUntil.Time
			if until.IsZero() && m.Attributes[schema.AttrTemporal] == schema.TemporalPlan {
				until = m.EventTime.Add(planned)
				if m.ValidFrom.After(m.EventTime.Time) {
					until = m.ValidFrom.Add(planned)
				}
			}
			return schema.Revision{State: schema.StateDormant}, !until.IsZero() && until.Before(now)
		},
	}}}
}

// Thresholds of forgetting.
const (
	uselessUtility = 0.15
	uselessIdle    = 30 * 24 * time.Hour
)

// Forgetting is the stage of strategic forgetting. A derived memory becomes dormant in
// one of three cases: it has faded and was used no more often than the mean (the
// sliding threshold of BCM theory); its utility is below 0.15 and it was idle for 30
// days; or more than Capacity memories are active: permanent categories go last, before
// that the lowest utility first, then the lowest importance. The first two do not apply to
// permanent categories, nor to memories younger than the minimum retention of their
// category. Nothing is deleted.
//
// Counts: those of [consolidate.Rules] for faded, useless and capacity.
type Forgetting struct{ Options }

// Name implements [consolidate.Stage].
func (Forgetting) Name() string { return "forgetting" }

// Propose implements [consolidate.Stage].
func (f Forgetting) Propose(ctx context.Context, in *consolidate.Input, apply consolidate.Apply) error {
	o := f.withDefaults()
	mean, err := meanUses(ctx, in)
	if err != nil {
		return err
	}
	mortal := func(m *schema.Memory, now time.Time) bool {
		c := cognitive.CategoryOf(m)
		return !c.Permanent() && now.Sub(m.CreatedAt.Time) >= c.MinRetention()
	}
	asleep := schema.Revision{State: schema.StateDormant}
	return consolidate.Rules{Stage: f.Name(), List: []consolidate.Rule{
		{Name: "faded", Where: Derived(), When: func(m *schema.Memory, now time.Time) (schema.Revision, bool) {
			return asleep, mortal(m, now) && m.Confidence*o.Retention.Of(m, now) < consolidate.FadedBelow && float64(m.AccessCount) <= mean
		}},
		{Name: "useless", Where: Derived(), When: func(m *schema.Memory, now time.Time) (schema.Revision, bool) {
			return asleep, mortal(m, now) && m.Utility < uselessUtility && now.Sub(retention.LastUse(m)) >= uselessIdle
		}},
		{Name: "capacity", Where: Derived(), Above: o.Capacity, To: o.Trimmed, Worth: func(m *schema.Memory, _ time.Time) float64 {
			worth := m.Utility + 1e-3*m.Importance
			if cognitive.CategoryOf(m).Permanent() {
				worth++
			}
			return worth
		}},
	}}.Propose(ctx, in, apply)
}

// meanUses returns the mean access count of the derived memories. It includes dormant
// ones, since the mean would otherwise rise with every memory that becomes dormant.
func meanUses(ctx context.Context, in *consolidate.Input) (mean float64, err error) {
	err = in.DB.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		uses, n := int64(0), 0
		for _, state := range [...]schema.State{schema.StateActive, schema.StateDormant} {
			where := Derived()
			met, err := s.Night().Meeting(ctx, in.UserID, state, &where)
			if err != nil {
				return err
			}
			for i := range met {
				uses += met[i].AccessCount
			}
			n += len(met)
		}
		mean = float64(uses) / float64(max(1, n))
		return nil
	})
	return mean, err
}

// Categories is the stage that summarises what is known of an entity, and of a category
// of ten claims and more, as themes of the semantic tier. It needs a model.
func Categories() consolidate.Stage {
	names := map[cognitive.Category]string{
		cognitive.Preference: "preferences", cognitive.Entity: "what lasts", cognitive.Decision: "decisions", cognitive.Fact: "events and facts",
	}
	return Themes{Tier: string(cognitive.Semantic), Category: func(m *schema.Memory) string { return names[cognitive.CategoryOf(m)] }}
}

// Patterns is the stage of deep abstraction: it draws insights with an importance of at
// least 0.85 from the memories since the last reflection. It needs a model.
func (Options) Patterns() consolidate.Stage {
	return consolidate.Reflect{Least: 8.5, Focus: "Patterns of behaviour: what the user does again and again, and under which circumstances."}
}
