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

// Core memory: blocks of text that stand at the head of every context, as a
// host's Config.CoreMemory.Blocks describes them. A host reads and writes them here; a
// model does with tools, as far as a block lets it.

// blockHistory is how many versions [Extension.BlockHistory] lists at most.
const blockHistory = 1000

// spec is the description of a block; nil for none of the name.
func (x *Extension) spec(name string) *BlockSpec { return x.mem.Block(name) }

// Blocks lists the blocks that scope.Agent has in view: those of
// [CoreMemoryConfig.Blocks] in their order, also the ones that nobody has written yet
// (Version 0), and behind them others that the file holds. Blocks of other
// agents are not among them.
//
// Errors: [*InvalidError], the database's errors, the context's error.
func (x *Extension) Blocks(ctx context.Context, scope Scope) ([]Block, error) {
	if err := scope.Validate(); err != nil {
		return nil, err
	}
	var stored []Block
	err := x.db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		userID, err := s.UserID(ctx, scope)
		if err != nil || userID == 0 {
			return err
		}
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

// SetBlock writes a whole block with the host's authority: what it holds is
// then trusted like the user's own words. version is the one that the host has
// read, 0 for a block that was never written. The content is text, or JSON for
// a block of another kind; what is stored is returned. [Config.Redaction]
// applies.
//
// Errors: [*InvalidError] for a name that [CoreMemoryConfig.Blocks] does not have, and for
// content that does not fit its description, naming the field; [ErrConflict]
// when the block is no longer at that version.
func (x *Extension) SetBlock(ctx context.Context, scope Scope, name, content string, version int64) (*Block, error) {
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
		if b.Kind != spec.Kind || b.Damaged() { // the host has changed its description, or mends it
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

// AllBlocks lists every block that the file holds for a user, those of all agents
// and those of each, by name and agent.
//
// Errors: [*InvalidError], the database's errors, the context's error.
func (x *Extension) AllBlocks(ctx context.Context, scope Scope) (blocks []Block, err error) {
	if err := scope.Validate(); err != nil {
		return nil, err
	}
	err = x.db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		userID, err := s.UserID(ctx, scope)
		if err != nil || userID == 0 {
			return err
		}
		blocks, err = core.AllBlocks(ctx, s, userID)
		return err
	})
	return blocks, err
}

// BlockHistory lists what a block held, newest first, with who wrote it and
// when: its last 1,000 versions, the one that holds among them. Of a block that
// each agent has for itself it is that of scope.Agent.
//
// Errors: [ErrNotFound] for a block that was never written.
func (x *Extension) BlockHistory(ctx context.Context, scope Scope, name string) ([]BlockVersion, error) {
	if err := scope.Validate(); err != nil {
		return nil, err
	}
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

// UndoBlock takes one change of a block back, given by the version it made:
// what it added goes, what it took out returns, as a new version; what was
// changed after it stays.
//
// Errors: [ErrNotFound] for a block or a version that is not there;
// [ErrConflict] when the same text was changed again since; [*InvalidError]
// when nothing of the change is left.
func (x *Extension) UndoBlock(ctx context.Context, scope Scope, name string, version int64) (*Block, error) {
	var restored *Block
	err := x.write(ctx, scope, func(ctx context.Context, tx *schema.Tx, userID int64) error {
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

// ownBlock finds the block that an agent means by a name. A block without a
// description is its own, or else the one of all agents.
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

// byApproval is who the audit names for a change that a model proposed and the
// host approved.
var byApproval = schema.Actor{Name: "approval"}

// changeBlock carries out a change that a model proposed.
func (x *Extension) changeBlock(ctx context.Context, tx *schema.Tx, userID int64, r *schema.PendingChange) error {
	var c tools.BlockChange
	if err := r.Decode(&c); err != nil {
		return err
	}
	b, err := core.Read(ctx, tx, userID, c.Owner, c.Block)
	if errors.Is(err, ErrNotFound) {
		b, err = &Block{UserID: userID, Agent: c.Owner, Name: c.Block, Kind: c.Kind, Trust: schema.MaxTrust}, nil
	}
	if err != nil {
		return err
	}
	if b.Kind != c.Kind {
		return fmt.Errorf("block %s has another form now: %w", c.Block, ErrConflict)
	}
	trust := b.Trust
	if b.Kind == BlockText || b.Content == c.Content { // nothing stays that the host has not read
		trust = schema.MaxTrust
	}
	spec := x.spec(c.Block)
	if spec == nil && c.Spec != nil && core.ValidBlocks([]BlockSpec{*c.Spec}) == nil {
		spec = c.Spec
	}
	return core.Merge(ctx, tx, b, spec, c.Content, c.NewContent, trust, c.Agent, byApproval)
}
