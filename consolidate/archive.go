package consolidate

import (
	"context"
	"time"

	"github.com/ebbmem/ebb/schema"
)

// Archive is the stage that moves memories of old cycles from the recall tier to the
// archival tier: reflections get type "lesson", other memories type "cycle"
// (ada-three-tier.md §3.2, §3.3). Nothing else changes. Search still finds them; only
// tools that are limited to the recall tier do not. For a user without cycles it does
// nothing.
//
// Counts: archived.
type Archive struct {
	// Keep is how many cycles stay in the recall tier, the current one included.
	// Default [DefaultKeepCycles].
	Keep int64
}

// DefaultKeepCycles is the default of [Archive].
const DefaultKeepCycles = 100

// The archival types. An imported memory of type reflection becomes a lesson too.
const (
	cycleType      = "cycle"
	lessonType     = "lesson"
	reflectionType = "reflection"
)

// Name implements [Stage].
func (Archive) Name() string { return "archive" }

// Propose implements [Stage].
func (a Archive) Propose(ctx context.Context, in *Input, apply Apply) error {
	if a.Keep <= 0 {
		a.Keep = DefaultKeepCycles
	}
	var cycle int64
	err := in.DB.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		user, err := s.UserByID(ctx, in.UserID)
		if err == nil {
			cycle = user.Cycle
		}
		return err
	})
	if err != nil || cycle <= a.Keep {
		return err
	}
	return Rules{Stage: a.Name(), List: []Rule{{
		Name:  "archived",
		Where: schema.Conditions{Between: map[string][2]int64{schema.AttrCycle: {1, cycle - a.Keep}}, Lacks: []string{schema.AttrArchive}},
		When:  toArchive,
	}}}.Propose(ctx, in, apply)
}

// toArchive moves a memory to the archival tier.
func toArchive(m *schema.Memory, _ time.Time) (schema.Revision, bool) {
	typ := cycleType
	if m.Kind == schema.KindReflection || m.Attributes[schema.AttrType] == reflectionType {
		typ = lessonType
	}
	return schema.Revision{Attributes: map[string]string{schema.AttrArchive: typ}}, true
}
