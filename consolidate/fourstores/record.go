package fourstores

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/core"
)

// record writes what an approved draft leaves: insights, entries of logs, and the
// position up to which it has read.
func (r *Reflections) record(ctx context.Context, tx *schema.Tx, userID int64, s *Status) error {
	zone, err := schema.Zone(ctx, tx, userID, r.o.Location)
	if err != nil {
		return err
	}
	day := tx.Now.In(zone).Format(time.DateOnly)
	for _, i := range s.Draft.Insights {
		_, err := consolidate.AddReflection{Content: i.Text, Sources: i.Sources, Importance: i.Importance, Trust: s.Draft.Trust}.Store(ctx, tx, userID, actor.Name)
		if _, invalid := errors.AsType[*schema.InvalidError](err); err != nil && !invalid { // its sources were forgotten since
			return err
		}
	}
	for _, one := range s.Draft.Awareness {
		if err := r.log(ctx, tx, userID, BlockIdentity, fieldAwareness, day+": "+one, s.Draft.Trust); err != nil {
			return err
		}
	}
	if s.Draft.Summary != "" {
		if err := r.log(ctx, tx, userID, BlockEvolution, fieldReflections, day+": "+s.Draft.Summary, s.Draft.Trust); err != nil {
			return err
		}
	}
	if err := r.log(ctx, tx, userID, BlockEvolution, fieldRewards, day+": "+reward(s), s.Draft.Trust); err != nil {
		return err
	}
	if len(s.Draft.Patterns) > 0 { // they replace the earlier ones
		list := make([]any, len(s.Draft.Patterns))
		for i, one := range s.Draft.Patterns {
			list[i] = one
		}
		err := r.edit(ctx, tx, userID, BlockEvolution, s.Draft.Trust, func(spec *core.BlockSpec, b *core.Block) (string, error) {
			value, _ := b.Value()
			fields, ok := value.(map[string]any)
			if !ok {
				fields = make(map[string]any)
			}
			fields[fieldPatterns] = list
			return spec.Next(b.Content, spec.Replace(fields), tx.Now)
		})
		if err != nil {
			return err
		}
	}
	if s.Draft.Through == "" {
		return nil
	}
	last, err := tx.Memory(ctx, userID, s.Draft.Through)
	if errors.Is(err, schema.ErrNotFound) {
		return nil // erased since
	}
	if err != nil {
		return err
	}
	return tx.Advance(ctx, userID, watermark, last.ID, actor)
}

// reward is the result and the reason of a grant, for the log.
func reward(s *Status) string {
	g := s.Grant
	result := fmt.Sprintf("%s, %d tokens", g.Verdict, g.Tokens)
	if change := g.Tokens - Baseline; change != 0 {
		result += fmt.Sprintf(" (%+d)", change)
	}
	reason := g.Reason
	if q := s.Request; q != nil && reason == "" {
		switch {
		case q.ExtraReason != "":
			reason = q.ExtraReason
		case q.PenaltyReason != "":
			reason = q.PenaltyReason
		}
		reason = plain(reason, maxSummary)
	}
	if reason != "" {
		result += ": " + reason
	}
	return result
}

// log appends an entry to a list of a block.
func (r *Reflections) log(ctx context.Context, tx *schema.Tx, userID int64, block, field, entry string, trust schema.Trust) error {
	return r.edit(ctx, tx, userID, block, trust, func(spec *core.BlockSpec, b *core.Block) (string, error) {
		return appended(spec, b, field, entry, tx)
	})
}

// edit changes a block. A block that the host does not have, and a content that does not
// fit, are left out.
func (r *Reflections) edit(ctx context.Context, tx *schema.Tx, userID int64, block string, trust schema.Trust, change func(*core.BlockSpec, *core.Block) (string, error)) error {
	spec := r.o.Block(block)
	if spec == nil {
		return nil
	}
	b, err := core.ReadOrNew(ctx, tx, userID, spec.Owner(""), block, spec.Kind)
	if err != nil || b.Kind != spec.Kind || b.Damaged() {
		return err
	}
	next, err := change(spec, b)
	if _, invalid := errors.AsType[*schema.InvalidError](err); invalid || next == b.Content {
		return nil
	}
	if err != nil {
		return err
	}
	return core.Set(ctx, tx, b, next, min(b.Trust, trust), "", actor)
}
