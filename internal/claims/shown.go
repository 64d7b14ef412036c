package claims

import (
	"context"
	"slices"

	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/core"
	"github.com/ebbmem/ebb/schema/erase"
)

// clearShown takes out of core memory, and out of the proposals that wait, what reveals the
// hidden memories: by a word that no other memory holds, and in lists the hidden reflections
// word for word. Not so by the words of the request alone.
func (h *hiding) clearShown(ctx context.Context) error {
	reflections := make(map[string]bool)
	var ids []int64
	for i := range h.hidden {
		switch m := &h.hidden[i]; {
		case m.Kind == schema.KindReflection:
			reflections[m.Content] = true // its words are the model's own
		case m.Role != "assistant" && (m.ID != h.ID || h.t.itself): // an answer says more than what it answers
			ids = append(ids, m.ID)
		}
	}
	if len(ids)+len(reflections) == 0 {
		return nil
	}
	hidden, err := erase.NewHidden(ctx, h.tx, h.UserID, ids)
	if err != nil {
		return err
	}
	if err := hidden.Blocks(ctx, func(b *core.Block, content string) error {
		return core.Set(ctx, h.tx, b, content, b.Trust, "", h.run.by)
	}); err != nil {
		return err
	}
	if err := h.clearReflections(ctx, reflections); err != nil {
		return err
	}
	return hidden.Waiting(ctx, func(p *schema.PendingChange) error {
		return h.tx.DecideProposal(ctx, p, "rejected", h.run.by)
	})
}

// clearReflections takes reflections out of the lists of core memory, which hold them word
// for word.
func (h *hiding) clearReflections(ctx context.Context, hidden map[string]bool) error {
	if len(hidden) == 0 {
		return nil
	}
	blocks, err := core.AllBlocks(ctx, h.tx, h.UserID)
	if err != nil {
		return err
	}
	for i := range blocks {
		b := &blocks[i]
		content, err := core.Filter(b.Kind, b.Content, func(piece string) (bool, error) { return !hidden[piece], nil })
		if err != nil || content == b.Content {
			continue // Filter returns no error but that of its function
		}
		if err := core.Set(ctx, h.tx, b, content, b.Trust, "", h.run.by); err != nil {
			return err
		}
	}
	return nil
}

// leastSaidThere is the share of the words of a claim in an agent's own words that its likely source
// must hold to be hidden with it.
const leastSaidThere = 0.5

// restsOn reports whether a claim to be forgotten says what a source of it says. The words of an
// agent may only share some with a message of the user's, which says something else.
func (t *targets) restsOn(c *schema.Cited) bool {
	at := slices.IndexFunc(t.claims, func(m schema.Memory) bool { return m.ID == c.MemoryID })
	if at < 0 || t.claims[at].Origin != schema.OriginAssistant || c.Origin == schema.OriginAssistant || t.claims[at].Kind == schema.KindReflection {
		return true
	}
	terms := text.QueryTerms(t.claims[at].Content, 0)
	return float64(shared(terms, text.Terms(c.Quote))) >= leastSaidThere*float64(len(terms))
}
