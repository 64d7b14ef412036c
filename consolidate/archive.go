package consolidate

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/ebbmem/ebb/schema"
)

// Archive is the stage that moves memories of old cycles from the recall tier to
// the archival one: reflections as type "lesson", the rest as type "cycle"
// (ada-three-tier.md §3.2, §3.3). Nothing else of a memory changes, and search
// finds it as before; only the tools of a single tier do not. Memories of a user
// without cycles all stay in the recall tier.
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

// archiveBatch is how many memories are moved in one transaction.
const archiveBatch = 200

// Propose implements [Stage].
func (a Archive) Propose(ctx context.Context, in *Input, apply Apply) error {
	if a.Keep <= 0 {
		a.Keep = DefaultKeepCycles
	}
	var old []schema.Memory
	err := in.DB.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		user, err := s.UserByID(ctx, in.UserID)
		if err != nil || user.Cycle <= a.Keep {
			return err
		}
		old, err = s.ActiveMeeting(ctx, in.UserID, &schema.Conditions{
			Between: map[string][2]int64{schema.AttrCycle: {1, user.Cycle - a.Keep}}, Lacks: []string{schema.AttrArchive},
		}, -1)
		return err
	})
	if err != nil {
		return err
	}
	for batch := range slices.Chunk(old, archiveBatch) {
		proposals := make([]Proposal, len(batch))
		for i, m := range batch {
			proposals[i] = MoveToArchive{UID: m.UID, Version: m.Version, Keep: a.Keep}
		}
		if _, err := apply(ctx, proposals...); err != nil {
			return err
		}
		in.Count("archived", len(batch))
	}
	return nil
}

// MoveToArchive moves a memory of an old cycle to the archival tier.
type MoveToArchive struct {
	UID     string
	Version int64 // the memory as the stage saw it
	Keep    int64 // how many cycles stay in the recall tier
}

// Kind implements [Proposal].
func (MoveToArchive) Kind() string { return "archive" }

// MemoryUID implements [Proposal].
func (p MoveToArchive) MemoryUID() string { return p.UID }

func (p MoveToArchive) apply(ctx context.Context, tx *schema.Tx, n *night) (Outcome, error) {
	m, err := tx.Memory(ctx, n.input.UserID, p.UID)
	if err != nil {
		return Outcome{}, err
	}
	now, err := tx.Cycle(ctx, n.input.UserID)
	if err != nil {
		return Outcome{}, err
	}
	cycle, err := strconv.ParseInt(m.Attributes[schema.AttrCycle], 10, 64)
	switch {
	case m.Version != p.Version:
		return Outcome{}, fmt.Errorf("memory %s: %w", p.UID, schema.ErrConflict)
	case err != nil || cycle > now-p.Keep:
		return Outcome{}, &schema.InvalidError{Field: "memory", Reason: "is of a cycle that stays in the recall tier"}
	case m.Attributes[schema.AttrArchive] != "":
		return Outcome{}, &schema.InvalidError{Field: "memory", Reason: "is in the archival tier already"}
	}
	typ := cycleType
	if m.Kind == schema.KindReflection || m.Attributes[schema.AttrType] == reflectionType {
		typ = lessonType
	}
	return applied(p), tx.SetAttribute(ctx, m, schema.AttrArchive, typ, n.actor())
}
