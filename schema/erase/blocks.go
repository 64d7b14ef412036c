package erase

import (
	"context"

	"github.com/ebbmem/ebb/schema/core"
)

// blocks removes from the next block of core memory, and from its history, what reveals
// targets: lines of a text, entries of a list, fields, whole records. What the host wrote
// itself stays, like a claim with a source of its own.
func (b *batch) blocks(ctx context.Context, after int64) (int64, error) {
	var blocks []core.Block
	if err := b.tx.NewSelect().Model(&blocks).Where("user_id = ? AND id > ?", b.userID, after).Order("id").Limit(1).Scan(ctx); err != nil {
		return 0, err
	}
	for i := range blocks {
		if err := b.block(ctx, &blocks[i]); err != nil {
			return 0, err
		}
		after = blocks[i].ID
	}
	return after, nil
}

func (b *batch) block(ctx context.Context, block *core.Block) error {
	versions, keep, err := b.pieces(ctx, block)
	if err != nil {
		return err
	}
	for _, v := range versions {
		content, err := core.Filter(block.Kind, v.Content, keep)
		if err != nil {
			return err
		}
		if content != v.Content {
			if err := b.rewrite(ctx, "block_history", "UPDATE block_history SET content = ? WHERE block_id = ? AND version = ?", content, block.ID, v.Version); err != nil {
				return err
			}
		}
	}
	content, err := core.Filter(block.Kind, block.Content, keep)
	if err != nil || content == block.Content {
		return err
	}
	return b.rewrite(ctx, "blocks", "UPDATE blocks SET content = ? WHERE id = ?", content, block.ID)
}

// pieces returns the versions of a block, and which pieces of them stay: those that the host
// wrote first, and those that reveal nothing.
func (b *batch) pieces(ctx context.Context, block *core.Block) (versions []core.BlockVersion, keep func(string) (bool, error), err error) {
	if err := b.tx.NewSelect().Model(&versions).Where("block_id = ?", block.ID).Order("version").Scan(ctx); err != nil {
		return nil, nil, err
	}
	seen, own := make(map[string]bool), make(map[string]bool)
	note := func(actor string) func(string) (bool, error) {
		return func(piece string) (bool, error) {
			own[piece] = own[piece] || actor == hostActor && !seen[piece]
			seen[piece] = true
			return true, nil
		}
	}
	for _, v := range versions {
		if _, err := core.Filter(block.Kind, v.Content, note(v.Actor)); err != nil {
			return nil, nil, err
		}
	}
	kept := make(map[string]bool) // versions have most pieces in common
	return versions, func(piece string) (bool, error) {
		if stays, judged := kept[piece]; judged || own[piece] {
			return stays || own[piece], nil
		}
		reveals, err := b.reveals(ctx, piece)
		kept[piece] = !reveals
		return !reveals, err
	}, nil
}

// hostActor is the name in the audit for what the host wrote itself.
const hostActor = "host"
