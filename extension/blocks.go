package extension

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ebbmem/ebb/internal/memory"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/core"
	"github.com/ebbmem/ebb/tools"
)

// Core memory: blocks of text at the head of every context, described by
// Config.CoreMemory.Blocks. The host reads and writes them with the methods below;
// a model uses tools, within the limits of each block.

// blockHistory is the maximum number of versions [Extension.BlockHistory] lists.
const blockHistory = 1000

// spec returns the description of a block, or nil if there is none of that name.
func (x *Extension) spec(name string) *BlockSpec { return x.mem.Block(name) }

// Blocks lists the blocks visible to scope.Agent: first those of
// [CoreMemoryConfig.Blocks] in their order, including blocks that were never
// written (Version 0), then other blocks in the file. Blocks of other agents are
// not listed.
//
// Errors: [*InvalidError], the database's errors, the context's error.
func (x *Extension) Blocks(ctx context.Context, scope Scope) ([]Block, error) {
	var stored []Block
	err := x.db.ReadUser(ctx, scope, func(ctx context.Context, s *schema.Snapshot, userID int64) (err error) {
		stored, err = core.Blocks(ctx, s, userID, scope.Agent)
		return err
	})
	if err != nil {
		return nil, err
	}
	blocks := make([]Block, 0, len(x.cfg.CoreMemory.Blocks)+len(stored))
	for i := range x.cfg.CoreMemory.Blocks {
		spec := &x.cfg.CoreMemory.Blocks[i]
		at := slices.IndexFunc(stored, func(b Block) bool { return b.Name == spec.Name && b.Agent == spec.Owner(scope.Agent) })
		if at < 0 {
			blocks = append(blocks, Block{Agent: spec.Owner(scope.Agent), Name: spec.Name, Kind: spec.Kind, Trust: schema.MaxTrust})
			continue
		}
		blocks = append(blocks, stored[at])
		stored = slices.Delete(stored, at, at+1)
	}
	return append(blocks, stored...), nil
}

// SetBlock replaces a block's content with the host's authority: the block is then
// trusted like the user's own words. version is the version the host last read, 0
// for a block that was never written. content is plain text for a text block and
// JSON otherwise. [Config.Redaction] applies. SetBlock returns the block as stored.
//
// Errors: [*InvalidError] for a name that is not in [CoreMemoryConfig.Blocks] or
// for content that does not fit the block's description, naming the field;
// [ErrConflict] if the block is no longer at that version.
func (x *Extension) SetBlock(ctx context.Context, scope Scope, name, content string, version int64) (*Block, error) {
	scope = x.db.Complete(scope)
	spec := x.spec(name)
	if spec == nil {
		return nil, &InvalidError{Field: "name", Reason: "is not that of a block in Config.CoreMemory.Blocks" + x.blockNames()}
	}
	if err := x.redactor.Labels(scope); err != nil {
		return nil, err
	}
	value, err := spec.Decode(content)
	if err != nil {
		return nil, err
	}
	if value, err = x.redactor.Value(ctx, name, value); err != nil {
		return nil, err
	}
	var written *Block
	err = x.db.Write(ctx, func(ctx context.Context, tx *schema.Tx) error {
		userID, err := tx.UserID(ctx, scope)
		if err != nil {
			return err
		}
		b, err := core.Read(ctx, tx, userID, spec.Owner(scope.Agent), name)
		if errors.Is(err, ErrNotFound) {
			b, err = &Block{UserID: userID, Agent: spec.Owner(scope.Agent), Name: name}, nil
		}
		if err != nil {
			return err
		}
		if b.Version != version {
			return fmt.Errorf("block %s is at version %d: %w", name, b.Version, ErrConflict)
		}
		now := b.Content
		if b.Kind != spec.Kind || b.Damaged() { // the description has changed, or the host repairs the block
			now = ""
		}
		next, err := spec.Next(now, spec.Replace(value), tx.Now)
		if err != nil {
			return err
		}
		written = b
		if next == b.Content && b.Kind == spec.Kind && b.Trust == schema.MaxTrust {
			return nil
		}
		b.Kind = spec.Kind
		return core.Set(ctx, tx, b, next, schema.MaxTrust, scope.Agent, memory.ByHost)
	})
	return written, err
}

func (x *Extension) blockNames() string {
	if len(x.cfg.CoreMemory.Blocks) == 0 {
		return ", which has none"
	}
	names := make([]string, len(x.cfg.CoreMemory.Blocks))
	for i, spec := range x.cfg.CoreMemory.Blocks {
		names[i] = spec.Name
	}
	return "; it has " + strings.Join(names, ", ")
}

// AllBlocks lists every block of a user, those shared by all agents and those of
// each agent, ordered by name and agent.
//
// Errors: [*InvalidError], the database's errors, the context's error.
func (x *Extension) AllBlocks(ctx context.Context, scope Scope) (blocks []Block, err error) {
	err = x.db.ReadUser(ctx, scope, func(ctx context.Context, s *schema.Snapshot, userID int64) (err error) {
		blocks, err = core.AllBlocks(ctx, s, userID)
		return err
	})
	return blocks, err
}

// BlockHistory lists the last 1,000 versions of a block, newest first and including
// the current one, each with its author and time. For a per-agent block it lists
// the history of scope.Agent's block.
//
// Errors: [ErrNotFound] for a block that was never written.
func (x *Extension) BlockHistory(ctx context.Context, scope Scope, name string) ([]BlockVersion, error) {
	scope = x.db.Complete(scope)
	var versions []BlockVersion
	err := x.db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		userID, err := s.UserID(ctx, scope)
		if err != nil {
			return err
		}
		b, err := x.ownBlock(ctx, s, userID, scope, name)
		if err != nil {
			return err
		}
		versions, err = core.History(ctx, s, b.ID, blockHistory)
		return err
	})
	return versions, err
}

// UndoBlock reverts one change of a block, identified by the version it produced.
// Text the change added is removed and text it removed returns, in a new version.
// Later changes stay.
//
// Errors: [ErrNotFound] for an unknown block or version; [ErrConflict] if the same
// text has been changed since; [*InvalidError] if nothing of the change is left.
func (x *Extension) UndoBlock(ctx context.Context, scope Scope, name string, version int64) (*Block, error) {
	var restored *Block
	err := x.db.WriteUser(ctx, scope, func(ctx context.Context, tx *schema.Tx, userID int64) error {
		b, err := x.ownBlock(ctx, tx, userID, scope, name)
		if err != nil {
			return err
		}
		restored = b
		return core.Undo(ctx, tx, b, x.spec(name), version, scope.Agent, memory.ByHost)
	})
	if err != nil {
		return nil, err
	}
	return restored, nil
}

// ownBlock resolves a block name for an agent. A name without a description
// resolves to the agent's own block, then to the block shared by all agents.
func (x *Extension) ownBlock(ctx context.Context, db core.Reader, userID int64, scope Scope, name string) (*Block, error) {
	if spec := x.spec(name); spec != nil {
		return core.Read(ctx, db, userID, spec.Owner(scope.Agent), name)
	}
	b, err := core.Read(ctx, db, userID, scope.Agent, name)
	if errors.Is(err, ErrNotFound) {
		return core.Read(ctx, db, userID, "", name)
	}
	return b, err
}

// byApproval is the audit's actor for a change that a model proposed and the host
// approved.
var byApproval = schema.Actor{Name: "approval"}

// changeBlock applies a change that a model proposed.
func (x *Extension) changeBlock(ctx context.Context, tx *schema.Tx, userID int64, r *schema.PendingChange) error {
	var c tools.BlockChange
	if err := r.Decode(&c); err != nil {
		return err
	}
	b, err := core.ReadOrNew(ctx, tx, userID, c.Owner, c.Block, c.Kind)
	if err != nil {
		return err
	}
	if b.Kind != c.Kind {
		return fmt.Errorf("block %s has another form now: %w", c.Block, ErrConflict)
	}
	trust := b.Trust
	if b.Kind == BlockText || b.Content == c.Content { // the host has read all of the new content
		trust = schema.MaxTrust
	}
	spec := x.spec(c.Block)
	if spec == nil && c.Spec != nil && core.ValidBlocks([]BlockSpec{*c.Spec}) == nil {
		spec = c.Spec
	}
	return core.Merge(ctx, tx, b, spec, c.Content, c.NewContent, trust, c.Agent, byApproval)
}
