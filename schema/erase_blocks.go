package schema

import (
	"context"
	"strings"
)

// blocks takes out of core memory, and of its history, what gives the doomed
// away: lines of a text, entries of a list, fields, whole records. What the host
// wrote by its own hand stays, as a claim stays that has a source of its own.
func (b *batch) blocks(ctx context.Context) error {
	var blocks []Block
	if err := b.tx.NewSelect().Model(&blocks).Where("user_id = ?", b.userID).Order("id").Scan(ctx); err != nil {
		return err
	}
	for i := range blocks {
		if err := b.block(ctx, &blocks[i]); err != nil {
			return err
		}
	}
	return nil
}

func (b *batch) block(ctx context.Context, block *Block) error {
	var versions []BlockVersion
	if err := b.tx.NewSelect().Model(&versions).Where("block_id = ?", block.ID).Order("version").Scan(ctx); err != nil {
		return err
	}
	seen, own := make(map[string]bool), make(map[string]bool)
	note := func(actor string) func(string) (bool, error) {
		return func(piece string) (bool, error) {
			own[piece] = own[piece] || actor == hostActor && !seen[piece]
			seen[piece] = true
			return true, nil
		}
	}
	keep := func(piece string) (bool, error) {
		if own[piece] {
			return true, nil
		}
		tells, err := b.tells(ctx, piece)
		return !tells, err
	}
	for _, v := range versions {
		if _, err := filterBlock(block.Kind, v.Content, note(v.Actor)); err != nil {
			return err
		}
	}
	for _, v := range versions {
		content, err := filterBlock(block.Kind, v.Content, keep)
		if err != nil {
			return err
		}
		if content != v.Content {
			if err := b.rewrite(ctx, "block_history", "UPDATE block_history SET content = ? WHERE block_id = ? AND version = ?", content, block.ID, v.Version); err != nil {
				return err
			}
		}
	}
	content, err := filterBlock(block.Kind, block.Content, keep)
	if err != nil || content == block.Content {
		return err
	}
	return b.rewrite(ctx, "blocks", "UPDATE blocks SET content = ? WHERE id = ?", content, block.ID)
}

// hostActor is who the audit names for what a host wrote itself.
const hostActor = "host"

// filterBlock leaves out of a block's content what keep does not want. What
// cannot be read is kept or left out as a whole.
func filterBlock(kind BlockKind, content string, keep func(piece string) (bool, error)) (string, error) {
	v, err := decodeBlock(kind, content)
	if _, isText := v.(string); err != nil || isText {
		return filterLines(content, keep)
	}
	kept, all, err := filterValue(v, keep)
	if err != nil || all {
		return content, err
	}
	return encodeBlock(kind, withoutEmpty(kept)), nil
}

func filterLines(content string, keep func(string) (bool, error)) (string, error) {
	var kept []string
	lines := strings.Split(content, "\n")
	for _, line := range lines {
		ok, err := keep(line)
		if err != nil {
			return "", err
		}
		if ok {
			kept = append(kept, line)
		}
	}
	if len(kept) == len(lines) {
		return content, nil
	}
	return strings.Join(kept, "\n"), nil
}

// filterValue is v without the texts that are not kept; all reports that it is
// the whole of v.
func filterValue(v any, keep func(string) (bool, error)) (kept any, all bool, err error) {
	switch v := v.(type) {
	case string:
		ok, err := keep(v)
		if !ok {
			return "", false, err
		}
		return v, true, err
	case []any:
		all = true
		left := make([]any, 0, len(v))
		for _, item := range v {
			kept, whole, err := filterValue(item, keep)
			if err != nil {
				return nil, false, err
			}
			all = all && whole
			if whole { // a record without one of its fields is left out
				left = append(left, kept)
			}
		}
		return left, all, nil
	case map[string]any:
		all = true
		left := make(map[string]any, len(v))
		for name, value := range v {
			kept, whole, err := filterValue(value, keep)
			if err != nil {
				return nil, false, err
			}
			all = all && whole
			left[name] = kept
		}
		return left, all, nil
	}
	return v, true, nil
}
