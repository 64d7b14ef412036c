package erase

import (
	"context"

	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/core"
)

// Hidden finds what reveals memories that were forgotten and stay in the file, as an erasure
// does: by a word that no other memory holds.
type Hidden struct{ b *batch }

// NewHidden returns what finds the texts that reveal some of a user's memories.
func NewHidden(ctx context.Context, tx *schema.Tx, userID int64, memories []int64) (*Hidden, error) {
	b := newBatch(&eraser{tx: tx, userID: userID})
	if err := b.target(ctx, memories); err != nil {
		return nil, err
	}
	clear(b.words.uids) // what names a hidden memory by its id shows nothing of it
	b.words.odd = nil
	var name string
	err := tx.Row(ctx, "SELECT name FROM users WHERE id = ?", []any{userID}, &name)
	for term := range text.TermsOf(name) { // a model writes it where the user says "I"
		delete(b.words.said, term)
	}
	return &Hidden{b}, err
}

// Blocks calls write with each block of core memory that reveals something, and its content
// without that. What the host wrote itself stays.
func (h *Hidden) Blocks(ctx context.Context, write func(b *core.Block, content string) error) error {
	blocks, err := core.AllBlocks(ctx, h.b.tx, h.b.userID)
	if err != nil {
		return err
	}
	for i := range blocks {
		_, keep, err := h.b.pieces(ctx, &blocks[i])
		if err != nil {
			return err
		}
		content, err := core.Filter(blocks[i].Kind, blocks[i].Content, keep)
		if err != nil {
			return err
		}
		if content != blocks[i].Content {
			if err := write(&blocks[i], content); err != nil {
				return err
			}
		}
	}
	return nil
}

// Waiting calls end with each waiting proposal whose payload reveals something. The reasons of
// proposals are ebb's or the host's, a request to forget names what it is about by its id, and a
// correction of what is forgotten is not shown anyway.
func (h *Hidden) Waiting(ctx context.Context, end func(p *schema.PendingChange) error) error {
	var revealing []string
	all, err := h.b.records(ctx, `SELECT id, uid, CASE WHEN json_valid(payload) THEN json_remove(payload, '$.spec') ELSE payload END, '', ''
		FROM proposals p WHERE user_id = ? AND state = 'pending' AND kind <> 'forget' AND NOT (kind = 'correct' AND EXISTS (
			SELECT 1 FROM memories m WHERE m.user_id = p.user_id AND m.uid = json_extract(p.payload, '$.memory_id') AND m.state = 'forgotten')) ORDER BY id`, h.b.userID)
	if err != nil {
		return err
	}
	for _, r := range all {
		if err := h.b.ifRevealing(func(context.Context, record) error { revealing = append(revealing, r.uid); return nil })(ctx, r); err != nil {
			return err
		}
	}
	for _, uid := range revealing {
		p, err := schema.ProposalByUID(ctx, h.b.tx, h.b.userID, uid)
		if err != nil {
			return err
		}
		if err := end(p); err != nil {
			return err
		}
	}
	return nil
}
