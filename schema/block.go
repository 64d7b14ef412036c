package schema

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/uptrace/bun"
)

// Block is a part of core memory: a text that stands in every context. Without
// Agent it belongs to all agents of its user.
type Block struct {
	bun.BaseModel `bun:"table:blocks" json:"-"`

	ID        int64     `bun:",pk,autoincrement" json:"-"`
	UserID    int64     `bun:",notnull" json:"-"`
	Agent     string    `bun:",notnull" json:"agent,omitempty"`
	Name      string    `bun:",notnull" json:"name"`
	Kind      BlockKind `bun:",notnull" json:"kind"`
	Content   string    `bun:",notnull" json:"content"`
	Trust     Trust     `bun:",notnull" json:"trust"`   // the lowest of what it was written from
	Version   int64     `bun:",notnull" json:"version"` // compare-and-swap; 0 for one that was never written
	UpdatedAt Time      `bun:",notnull" json:"updated_at,omitzero"`
}

// BlockVersion is what a block held from one change to the next.
type BlockVersion struct {
	bun.BaseModel `bun:"table:block_history" json:"-"`

	BlockID int64  `bun:",pk" json:"-"`
	Version int64  `bun:",pk" json:"version"`
	Content string `bun:",notnull" json:"content"`
	Trust   Trust  `bun:",notnull" json:"trust"`
	Actor   string `bun:",notnull" json:"actor"`           // model | host | approval (the host's, of a model's proposal) | night
	Agent   string `bun:",notnull" json:"agent,omitempty"` // as which it was written
	At      Time   `bun:",notnull" json:"at"`
}

// Value is the content as a model is shown it: a string, or what its JSON says;
// empty reports that there is none. JSON that was damaged is a string.
func (b *Block) Value() (value any, empty bool) {
	value, err := decodeStored(b.Kind, b.Content)
	if err != nil {
		value = b.Content
	}
	return value, b.Content == "" || err == nil && b.Kind != BlockText && b.Content == encodeBlock(b.Kind, NoContent(b.Kind))
}

// Damaged reports content that is not of the block's form. It is shown as it is,
// and changed only by a host that sets all of it.
func (b *Block) Damaged() bool {
	_, err := decodeStored(b.Kind, b.Content)
	return err != nil
}

// opBlock is a change of a block, with the whole content before and after it.
const opBlock = "block"

// Blocks lists the blocks that an agent of a user has in view: those of all
// agents and its own, in the order in which they were first written.
func (s *Snapshot) Blocks(ctx context.Context, userID int64, agent string) ([]Block, error) {
	var blocks []Block
	err := s.NewSelect().Model(&blocks).Where("user_id = ? AND agent IN ('', ?)", userID, agent).Order("id").Scan(ctx)
	return blocks, err
}

// AllBlocks lists the blocks of a user and of all of their agents, by name and
// agent.
func (s *Snapshot) AllBlocks(ctx context.Context, userID int64) ([]Block, error) {
	var blocks []Block
	err := s.NewSelect().Model(&blocks).Where("user_id = ?", userID).Order("name", "agent").Scan(ctx)
	return blocks, err
}

// Block reads one block; agent is "" for one of all agents. It returns
// [ErrNotFound] for one that was never written.
func (s *Snapshot) Block(ctx context.Context, userID int64, agent, name string) (*Block, error) {
	return readBlock(ctx, s, userID, agent, name)
}

// Block is [Snapshot.Block] inside a write.
func (tx *Tx) Block(ctx context.Context, userID int64, agent, name string) (*Block, error) {
	return readBlock(ctx, tx, userID, agent, name)
}

func readBlock(ctx context.Context, db bun.IDB, userID int64, agent, name string) (*Block, error) {
	b := new(Block)
	err := db.NewSelect().Model(b).Where("user_id = ? AND agent = ? AND name = ?", userID, agent, name).Scan(ctx)
	if err != nil {
		return nil, orNotFound(err)
	}
	return b, nil
}

// BlockHistory lists the versions of a block, newest first, at most limit.
func (s *Snapshot) BlockHistory(ctx context.Context, blockID int64, limit int) ([]BlockVersion, error) {
	var versions []BlockVersion
	err := s.NewSelect().Model(&versions).Where("block_id = ?", blockID).Order("version DESC").Limit(int64(limit)).Scan(ctx)
	return versions, err
}

// BlockVersion reads what a block held at one version: nothing at version 0. It
// returns [ErrNotFound] for one that is not in its history.
func (tx *Tx) BlockVersion(ctx context.Context, b *Block, version int64) (*BlockVersion, error) {
	v := &BlockVersion{Content: encodeBlock(b.Kind, NoContent(b.Kind)), Trust: MaxTrust}
	if version == 0 {
		return v, nil
	}
	err := tx.NewSelect().Model(v).Where("block_id = ? AND version = ?", b.ID, version).Scan(ctx)
	return v, orNotFound(err)
}

// SetBlock writes a block that was read before, or a new one at version 0, with
// its history and the audit. agent is the one as which by writes. b is then as
// it is stored.
//
// Errors: [ErrConflict] when the block is no longer at b.Version.
func (tx *Tx) SetBlock(ctx context.Context, b *Block, content string, trust Trust, agent string, by Actor) error {
	before := image("content", b.Content, "trust", int64(b.Trust), "version", b.Version)
	next := *b
	next.Content, next.Trust, next.Version, next.UpdatedAt = content, trust, b.Version+1, At(tx.Now)
	if b.Version == 0 {
		before = ""
		err := tx.Row(ctx, `INSERT INTO blocks (id, user_id, agent, name, kind, content, trust, version, updated_at) VALUES (`+UnusedID("blocks")+`, ?, ?, ?, ?, ?, ?, 1, ?)
			ON CONFLICT DO NOTHING RETURNING id`, []any{b.UserID, b.Agent, b.Name, string(b.Kind), content, int64(trust), next.UpdatedAt}, &next.ID)
		if errors.Is(err, sql.ErrNoRows) {
			err = fmt.Errorf("block %s: %w", b.Name, ErrConflict)
		}
		if err != nil {
			return err
		}
	} else {
		res, err := tx.Exec(ctx, "UPDATE blocks SET content = ?, trust = ?, kind = ?, version = version + 1, updated_at = ? WHERE id = ? AND version = ?",
			content, int64(trust), string(b.Kind), next.UpdatedAt, b.ID, b.Version)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil {
			return err
		} else if n == 0 {
			return fmt.Errorf("block %s: %w", b.Name, ErrConflict)
		}
	}
	if _, err := tx.Exec(ctx, "INSERT INTO block_history (block_id, version, content, trust, actor, agent, at) VALUES (?, ?, ?, ?, ?, ?, ?)",
		next.ID, next.Version, content, int64(trust), by.Name, agent, next.UpdatedAt); err != nil {
		return err
	}
	*b = next
	after := image("content", content, "trust", int64(trust), "version", next.Version)
	return tx.auditRow(ctx, b.UserID, by, opBlock, "blocks", b.ID, before, after)
}

// UndoBlock takes one change of a block back, given by the version it made: what
// it added goes, what it took out returns, as a new version. What was changed
// after it stays. Nil for spec is one that is not known: the limits in it are
// then not asked for.
//
// Errors: [ErrNotFound] for a version that is not in the history; [ErrConflict]
// when the same text was changed again since; [*InvalidError] when nothing of
// the change is left.
func (tx *Tx) UndoBlock(ctx context.Context, b *Block, spec *BlockSpec, version int64, agent string, by Actor) error {
	if version < 1 || version > b.Version {
		return ErrNotFound
	}
	made, err := tx.BlockVersion(ctx, b, version)
	if err != nil {
		return err
	}
	former, err := tx.BlockVersion(ctx, b, version-1)
	if err != nil {
		return err
	}
	content, err := mergeContents(b, spec, made.Content, former.Content)
	if err != nil {
		return err
	}
	if content == b.Content {
		return &InvalidError{Field: "version", Reason: fmt.Sprintf("%d left nothing to undo: the block holds none of it any more", version)}
	}
	trust := min(b.Trust, former.Trust)
	if content == former.Content {
		trust = former.Trust
	}
	return tx.SetBlock(ctx, b, content, trust, agent, by)
}

// MergeBlock carries out a change that was thought of when the block held was:
// what it adds and takes out of that is added to and taken out of what the
// block holds now. Nil for spec is one that is not known.
//
// Errors: [ErrConflict] when a text that it changes was changed since;
// [*InvalidError] when the block would not fit its description any more.
func (tx *Tx) MergeBlock(ctx context.Context, b *Block, spec *BlockSpec, was, becomes string, trust Trust, agent string, by Actor) error {
	content, err := mergeContents(b, spec, was, becomes)
	if err != nil || content == b.Content {
		return err
	}
	return tx.SetBlock(ctx, b, content, trust, agent, by)
}

// mergeContents is what b holds with the change from base to mine in it.
func mergeContents(b *Block, spec *BlockSpec, base, mine string) (string, error) {
	var values [3]any
	for i, content := range [...]string{base, mine, b.Content} {
		var err error
		if values[i], err = decodeStored(b.Kind, content); err != nil {
			return "", fmt.Errorf("block %s: %w", b.Name, err)
		}
	}
	merged, err := merge(b.Name, values[0], values[1], values[2])
	if err != nil {
		return "", err
	}
	merged = withoutEmpty(merged)
	if spec != nil && spec.Kind == b.Kind {
		if merged, err = spec.tidy(merged); err != nil {
			return "", err
		}
	}
	return encodeBlock(b.Kind, merged), nil
}
