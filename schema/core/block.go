// Package core keeps core memory: blocks of text that stand in every context of an
// agent. A [BlockSpec] describes the form of a block, its limits and who may write
// it. [BlockSpec.Next] computes the content after an edit; [Set] stores it with its
// history and the audit.
package core

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"github.com/uptrace/bun"

	"github.com/ebbmem/ebb/internal/engine"
	"github.com/ebbmem/ebb/schema"
)

// Block is a part of core memory: a text that stands in every context. A block
// without Agent belongs to all agents of its user.
type Block struct {
	bun.BaseModel `bun:"table:blocks" json:"-"`

	ID        int64        `bun:",pk,autoincrement" json:"-"`
	UserID    int64        `bun:",notnull" json:"-"`
	Agent     string       `bun:",notnull" json:"agent,omitempty"`
	Name      string       `bun:",notnull" json:"name"`
	Kind      BlockKind    `bun:",notnull" json:"kind"`
	Content   string       `bun:",notnull" json:"content"`
	Trust     schema.Trust `bun:",notnull" json:"trust"`   // the lowest of what it was written from
	Version   int64        `bun:",notnull" json:"version"` // for compare-and-swap; 0 for a block that was never written
	UpdatedAt schema.Time  `bun:",notnull" json:"updated_at,omitzero"`
}

// BlockVersion is the content of a block from one change to the next.
type BlockVersion struct {
	bun.BaseModel `bun:"table:block_history" json:"-"`

	BlockID int64        `bun:",pk" json:"-"`
	Version int64        `bun:",pk" json:"version"`
	Content string       `bun:",notnull" json:"content"`
	Trust   schema.Trust `bun:",notnull" json:"trust"`
	Actor   string       `bun:",notnull" json:"actor"`           // model | host | approval (the host's, of a model's proposal) | night
	Agent   string       `bun:",notnull" json:"agent,omitempty"` // as which it was written
	At      schema.Time  `bun:",notnull" json:"at"`
}

// Authorised reports whether the author may change a block of this form without approval,
// or the host approved the change. A reflection writes only what the host approved.
func (v *BlockVersion) Authorised(spec *BlockSpec) bool {
	return spec.Writer == ModelWrites || slices.Contains([]string{"host", "approval", "reflection"}, v.Actor)
}

// Value returns the content as models see it: a string, or the decoded JSON; empty
// reports that there is none. Damaged JSON is returned as a string.
func (b *Block) Value() (value any, empty bool) {
	value, err := decodeStored(b.Kind, b.Content)
	if err != nil {
		value = b.Content
	}
	return value, b.Content == "" || err == nil && b.Kind != BlockText && b.Content == encode(b.Kind, NoContent(b.Kind))
}

// Damaged reports content that does not have the form of the block's kind. It is
// shown as it is, and only a host that replaces all of it can change it.
func (b *Block) Damaged() bool {
	_, err := decodeStored(b.Kind, b.Content)
	return err != nil
}

// ProposalBlock is the kind of a proposal to change a block; its payload is a
// [BlockChange].
const ProposalBlock = "block"

// BlockChange is a change of a block that waits for the host's decision.
type BlockChange struct {
	Block      string    `json:"block"`
	Owner      string    `json:"owner,omitempty"` // the agent that owns the block
	Kind       BlockKind `json:"kind"`
	Content    string    `json:"content"` // at the time of the proposal
	NewContent string    `json:"new_content"`
	Agent      string    `json:"agent,omitempty"` // the agent that proposed it
	// Spec is the block's spec at the time of the proposal. Its limits apply to the
	// approval, on any host. Nil in proposals of older versions.
	Spec *BlockSpec `json:"spec,omitempty"`
	// Review says that the main agent may decide: the change waits only because
	// another agent asks for it. Trust is then that of the new text.
	Review bool         `json:"review,omitempty"`
	Trust  schema.Trust `json:"trust,omitempty"`
}

// OpBlock is a change of a block, with the whole content before and after it.
const OpBlock = "block"

// Blocks lists the blocks that an agent of a user sees: those of all agents and its
// own, in the order in which they were first written.
func Blocks(ctx context.Context, s *schema.Snapshot, userID int64, agent string) ([]Block, error) {
	var blocks []Block
	err := s.NewSelect().Model(&blocks).Where("user_id = ? AND agent IN ('', ?)", userID, agent).Order("id").Scan(ctx)
	return blocks, err
}

// AllBlocks lists the blocks of a user and of all the user's agents, by name and
// agent.
func AllBlocks(ctx context.Context, db Reader, userID int64) ([]Block, error) {
	var blocks []Block
	err := db.NewSelect().Model(&blocks).Where("user_id = ?", userID).Order("name", "agent").Scan(ctx)
	return blocks, err
}

// Reader is a [*schema.Snapshot] or a [*schema.Tx].
type Reader = bun.IDB

// Read reads one block; agent is "" for a block of all agents.
//
// Errors: [schema.ErrNotFound] for a block that was never written.
func Read(ctx context.Context, db Reader, userID int64, agent, name string) (*Block, error) {
	b := new(Block)
	err := db.NewSelect().Model(b).Where("user_id = ? AND agent = ? AND name = ?", userID, agent, name).Scan(ctx)
	if err != nil {
		return nil, schema.OrNotFound(err)
	}
	return b, nil
}

// History lists at most limit versions of a block, newest first.
func History(ctx context.Context, s *schema.Snapshot, blockID int64, limit int) ([]BlockVersion, error) {
	var versions []BlockVersion
	err := s.NewSelect().Model(&versions).Where("block_id = ?", blockID).Order("version DESC").Limit(int64(limit)).Scan(ctx)
	return versions, err
}

// ReadVersion reads the content of a block at one version; version 0 is empty.
//
// Errors: [schema.ErrNotFound] for a version that is not in the history.
func ReadVersion(ctx context.Context, tx *schema.Tx, b *Block, version int64) (*BlockVersion, error) {
	v := &BlockVersion{Content: encode(b.Kind, NoContent(b.Kind)), Trust: schema.MaxTrust}
	if version == 0 {
		return v, nil
	}
	err := tx.NewSelect().Model(v).Where("block_id = ? AND version = ?", b.ID, version).Scan(ctx)
	return v, schema.OrNotFound(err)
}

// Set writes a block that was read before, or a new one at version 0, with its
// history and the audit. agent is the agent that the actor writes for. b is
// updated to what is stored.
//
// Errors: [schema.ErrConflict] when the block is no longer at b.Version.
func Set(ctx context.Context, tx *schema.Tx, b *Block, content string, trust schema.Trust, agent string, by schema.Actor) error {
	before := schema.JSONObject("content", b.Content, "trust", int64(b.Trust), "version", b.Version)
	next := *b
	next.Content, next.Trust, next.Version, next.UpdatedAt = content, trust, b.Version+1, schema.At(tx.Now)
	if b.Version == 0 {
		before = ""
		err := tx.Row(ctx, `INSERT INTO blocks (id, user_id, agent, name, kind, content, trust, version, updated_at) VALUES (`+tx.UnusedID("blocks")+`, ?, ?, ?, ?, ?, ?, 1, ?)
			ON CONFLICT DO NOTHING RETURNING id`, []any{b.UserID, b.Agent, b.Name, string(b.Kind), content, int64(trust), next.UpdatedAt}, &next.ID)
		if errors.Is(err, sql.ErrNoRows) {
			err = fmt.Errorf("block %s: %w", b.Name, schema.ErrConflict)
		}
		if err != nil {
			return err
		}
	} else {
		if n, err := engine.Affected(tx.Exec(ctx, "UPDATE blocks SET content = ?, trust = ?, kind = ?, version = version + 1, updated_at = ? WHERE id = ? AND version = ?",
			content, int64(trust), string(b.Kind), next.UpdatedAt, b.ID, b.Version)); err != nil {
			return err
		} else if n == 0 {
			return fmt.Errorf("block %s: %w", b.Name, schema.ErrConflict)
		}
	}
	if _, err := tx.Exec(ctx, "INSERT INTO block_history (block_id, version, content, trust, actor, agent, at) VALUES (?, ?, ?, ?, ?, ?, ?)",
		next.ID, next.Version, content, int64(trust), by.Name, agent, next.UpdatedAt); err != nil {
		return err
	}
	*b = next
	after := schema.JSONObject("content", content, "trust", int64(trust), "version", next.Version)
	if err := tx.AuditRow(ctx, b.UserID, by, OpBlock, "blocks", b.ID, before, after); err != nil {
		return err
	}
	return tx.AnnounceBlock(ctx, schema.BlockWritten{UserID: b.UserID, Block: b.Name, Agent: b.Agent, Version: b.Version, Actor: by.Name})
}

// Undo reverses the change that made the given version: what it added is removed,
// what it removed returns, as a new version. Later changes stay. spec is nil for a
// block without a description; its limits are then not checked.
//
// Errors: [schema.ErrNotFound] for a version that is not in the history;
// [schema.ErrConflict] when the same text was changed again since;
// [*schema.InvalidError] when nothing of the change is left.
func Undo(ctx context.Context, tx *schema.Tx, b *Block, spec *BlockSpec, version int64, agent string, by schema.Actor) error {
	if version < 1 || version > b.Version {
		return schema.ErrNotFound
	}
	made, err := ReadVersion(ctx, tx, b, version)
	if err != nil {
		return err
	}
	former, err := ReadVersion(ctx, tx, b, version-1)
	if err != nil {
		return err
	}
	content, err := mergeContents(b, spec, made.Content, former.Content)
	if err != nil {
		return err
	}
	if content == b.Content {
		return &schema.InvalidError{Field: "version", Reason: fmt.Sprintf("%d left nothing to undo: the block holds none of it any more", version)}
	}
	trust := min(b.Trust, former.Trust)
	if content == former.Content {
		trust = former.Trust
	}
	return Set(ctx, tx, b, content, trust, agent, by)
}

// Merge applies the change from was to becomes to what the block holds now. spec is
// nil for a block without a description.
//
// Errors: [schema.ErrConflict] when a text that it changes was changed since;
// [*schema.InvalidError] when the block would no longer fit its description.
func Merge(ctx context.Context, tx *schema.Tx, b *Block, spec *BlockSpec, was, becomes string, trust schema.Trust, agent string, by schema.Actor) error {
	content, err := mergeContents(b, spec, was, becomes)
	if err != nil || content == b.Content {
		return err
	}
	return Set(ctx, tx, b, content, trust, agent, by)
}

// mergeContents returns the content of b with the change from base to mine applied.
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
	return encode(b.Kind, merged), nil
}
