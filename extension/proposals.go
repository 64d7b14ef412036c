package extension

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/internal/claims"
	"github.com/ebbmem/ebb/internal/memory"
	"github.com/ebbmem/ebb/internal/proposed"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/tools"
)

// The kinds of proposal.
const (
	// ProposalCorrect: a model wants to change a fact, without words of the user's
	// that support the change.
	ProposalCorrect = tools.ProposalCorrect
	// ProposalContradiction: a night found two claims that seem to exclude each
	// other and could not decide between them.
	ProposalContradiction = consolidate.ProposalContradiction
	// ProposalMergeEntities: two entities seem to be the same, such as "Vitya
	// Orlov" and "Viktor Orlov".
	ProposalMergeEntities = consolidate.ProposalMergeEntities
	// ProposalBlock: a model wants to change a block of core memory that it may not
	// write itself.
	ProposalBlock = tools.ProposalBlock
	// ProposalForget: the user asked to forget something that cannot be identified,
	// or a model wants to hide a memory without such a request.
	ProposalForget = tools.ProposalForget
	// ProposalMemory: an agent that is not [ToolsConfig].MainAgent wants to save something.
	ProposalMemory = tools.ProposalMemory
	// ProposalProtect: a model wants to protect a fact, which it may not do itself.
	ProposalProtect = schema.KindProtect
)

var proposalKinds = []string{ProposalCorrect, ProposalContradiction, ProposalMergeEntities, ProposalBlock, ProposalForget, ProposalMemory, ProposalProtect}

// Proposal is a change that waits for the host's approval.
type Proposal struct {
	ID         string    `json:"id"`
	Kind       string    `json:"kind"` // [ProposalCorrect] and the like
	Reason     string    `json:"reason,omitempty"`
	MemoryID   string    `json:"memory_id,omitempty"` // the memory to be replaced, hidden or protected
	Content    string    `json:"content"`             // its text; when it was asked to be corrected or protected
	Since      time.Time `json:"since,omitzero"`      // when it began to hold
	ProposedAt time.Time `json:"proposed_at"`

	// NewContent is the new text of a correction or of a block.
	NewContent string `json:"new_content,omitempty"`
	// OtherID is the second claim of a contradiction, which began to hold later.
	// Approve replaces MemoryID by it.
	OtherID      string    `json:"other_id,omitempty"`
	OtherContent string    `json:"other_content,omitempty"`
	OtherSince   time.Time `json:"other_since,omitzero"`

	// EntityID would be merged into OtherEntityID, its name becoming an alias.
	// Content and OtherContent are the two names.
	EntityID      string `json:"entity_id,omitempty"`
	OtherEntityID string `json:"other_entity_id,omitempty"`

	// Block is the block of core memory to be changed; Content is its content when
	// the change was proposed. Agent is the block's owner, "" for a shared block.
	// ProposedBy is the agent that asked.
	Block      string   `json:"block,omitempty"`
	Changes    []string `json:"changes,omitempty"` // of a block: what goes ("- ") and what comes ("+ ")
	Agent      string   `json:"agent,omitempty"`
	ProposedBy string   `json:"proposed_by,omitempty"`

	// MessageID is the user's message, with its text in Content, that asks to
	// forget something it does not identify; of a memory, the one that says it.
	MessageID string `json:"message_id,omitempty"`

	// Store and Confidence (high, medium, low) are those of a memory that ProposedBy
	// wants to save.
	Store      string `json:"store,omitempty"`
	Confidence string `json:"confidence,omitempty"`
}

// Proposals lists the pending changes, oldest first. It leaves out contradictions
// that have resolved themselves, corrections of what is forgotten, questions about a
// fact that is no longer current, and pairs of entities of which one has been merged.
func (x *Extension) Proposals(ctx context.Context, scope Scope) ([]Proposal, error) {
	waiting := []Proposal{}
	err := x.db.ReadUser(ctx, scope, func(ctx context.Context, s *schema.Snapshot, userID int64) error {
		waiting = waiting[:0]
		rows, err := schema.PendingProposals(ctx, s, userID, proposalKinds)
		if err != nil {
			return err
		}
		for i := range rows {
			p, err := readProposal(ctx, s, userID, &rows[i])
			if errors.Is(err, ErrNotFound) || errors.Is(err, ErrConflict) {
				continue
			}
			if err != nil {
				return err
			}
			waiting = append(waiting, *p)
		}
		return nil
	})
	return waiting, err
}

// readProposal loads what a proposal refers to. It returns [ErrNotFound] or
// [ErrConflict] if one of two claims or entities is gone or no longer current, the fact
// to be corrected is forgotten, or the fact to be protected is no longer current.
func readProposal(ctx context.Context, s *schema.Snapshot, userID int64, r *schema.PendingChange) (*Proposal, error) {
	p := &Proposal{ID: r.UID, Kind: r.Kind, Reason: r.Reason, ProposedAt: r.CreatedAt.Time}
	switch r.Kind {
	case ProposalContradiction:
		earlier, later, err := proposed.Contradiction(ctx, s, userID, r)
		if err != nil {
			return nil, err
		}
		p.MemoryID, p.Content, p.Since = earlier.UID, earlier.Content, earlier.ValidFrom.Time
		p.OtherID, p.OtherContent, p.OtherSince = later.UID, later.Content, later.ValidFrom.Time
	case ProposalMergeEntities:
		from, into, err := proposed.TwoEntities(ctx, s, userID, r)
		if err != nil {
			return nil, err
		}
		p.EntityID, p.Content, p.OtherEntityID, p.OtherContent = from.UID, from.Name, into.UID, into.Name
	case ProposalBlock:
		var c tools.BlockChange
		if err := r.Decode(&c); err != nil {
			return nil, err
		}
		p.Block, p.Agent, p.ProposedBy, p.Content, p.NewContent, p.Changes = c.Block, c.Owner, c.Agent, c.Content, c.NewContent, c.Diff()
	case ProposalMemory:
		var o tools.Offer
		if err := r.Decode(&o); err != nil {
			return nil, err
		}
		p.NewContent, p.Store, p.Confidence, p.ProposedBy, p.MessageID = o.Content, o.Store, o.Level(), o.Agent, o.Message
	case ProposalForget:
		m, message, err := proposed.Forgetting(ctx, s, userID, r)
		if err != nil {
			return nil, err
		}
		if p.Content = m.Content; message {
			p.MessageID = m.UID
		} else {
			p.MemoryID, p.Since = m.UID, m.ValidFrom.Time
		}
	case ProposalProtect:
		m, shown, err := proposed.Protection(ctx, s, userID, r)
		if err != nil {
			return nil, err
		}
		p.MemoryID, p.Content = m.UID, shown
	case ProposalCorrect:
		var c tools.Correction
		if err := r.Decode(&c); err != nil {
			return nil, err
		}
		m, err := s.Memory(ctx, userID, c.MemoryID)
		if err == nil && m.State == schema.StateForgotten {
			err = ErrConflict
		}
		p.MemoryID, p.Content, p.NewContent = c.MemoryID, c.Content, c.NewContent
		return p, err
	}
	return p, nil
}

// Approve applies a proposal with the host's authority. The new text of a
// correction supersedes the old one, the later claim of a contradiction the earlier
// one; the successor gets at least the trust of what it replaces. Of two entities,
// one becomes an alias of the other. A change of a block is merged with later
// changes; its history names "approval" as author. A fact to be protected no longer
// fades, and neither nights nor models change it; its text must be what was shown.
//
// Errors: [ErrNotFound] for a proposal that is not pending in this scope;
// [ErrConflict] if what it is about has changed; [*InvalidError] if the claim to be
// replaced or one of the entities is protected, the block would not fit its
// description, or the proposal identifies no memory to forget; [*NewerError] if the
// user has said something newer since, unless [Anyway] is given.
func (x *Extension) Approve(ctx context.Context, scope Scope, proposalID string, options ...ApproveOption) error {
	scope = x.db.Complete(scope)
	var o approval
	for _, option := range options {
		option(&o)
	}
	return x.settle(ctx, scope, proposalID, "applied", func(ctx context.Context, tx *schema.Tx, userID int64, r *schema.PendingChange) error {
		switch r.Kind {
		case ProposalContradiction:
			earlier, later, err := proposed.Contradiction(ctx, tx, userID, r)
			if err != nil {
				return err
			}
			if err := o.unchanged(ctx, tx, scope, r, earlier, later); err != nil {
				return err
			}
			return replace(ctx, tx, earlier, later)
		case ProposalForget:
			m, message, err := proposed.Forgetting(ctx, tx, userID, r)
			if err != nil {
				return err
			}
			if message {
				return &InvalidError{Field: "proposal_id", Reason: "does not say which memory is meant; forget it by its id and reject the proposal"}
			}
			_, err = claims.Forget(ctx, tx, userID, m.UID)
			return err
		case ProposalMergeEntities:
			from, into, err := proposed.TwoEntities(ctx, tx, userID, r)
			if err != nil {
				return err
			}
			return tx.MergeEntities(ctx, from, into, memory.ByHost)
		case ProposalBlock:
			return x.changeBlock(ctx, tx, userID, r)
		case ProposalMemory:
			return x.acceptOffer(ctx, tx, scope, r, byApproval)
		case ProposalProtect:
			return protectAsShown(ctx, tx, userID, r)
		}
		return x.correct(ctx, tx, scope, userID, r, &o) // a ProposalCorrect
	})
}

// Keep resolves a contradiction in favour of one of its claims, which then replaces
// the other. Keeping the earlier one means that the later one was never true.
//
// Errors: those of [Extension.Approve]; [*InvalidError] for a proposal of another
// kind, or for a memory that is not one of the two.
func (x *Extension) Keep(ctx context.Context, scope Scope, proposalID, memoryID string) error {
	return x.settle(ctx, scope, proposalID, "applied", func(ctx context.Context, tx *schema.Tx, userID int64, r *schema.PendingChange) error {
		if r.Kind != ProposalContradiction {
			return &InvalidError{Field: "proposal_id", Reason: "names no contradiction; approve or reject it"}
		}
		earlier, later, err := proposed.Contradiction(ctx, tx, userID, r)
		if err != nil {
			return err
		}
		switch memoryID {
		case later.UID:
			return replace(ctx, tx, earlier, later)
		case earlier.UID:
			return replace(ctx, tx, later, earlier)
		}
		return &InvalidError{Field: "memory_id", Reason: fmt.Sprintf("must be one of the two: %s or %s", earlier.UID, later.UID)}
	})
}

// replace supersedes old by kept and raises kept's trust to old's, since the host
// has confirmed it.
func replace(ctx context.Context, tx *schema.Tx, old, kept *schema.Memory) error {
	if kept.Trust < old.Trust {
		if err := tx.SetTrust(ctx, kept, old.Origin, old.Trust, memory.ByHost); err != nil {
			return err
		}
	}
	return tx.Supersede(ctx, old, kept, memory.ByHost)
}

// correct replaces a fact by the text that a model proposed.
func (x *Extension) correct(ctx context.Context, tx *schema.Tx, scope Scope, userID int64, r *schema.PendingChange, o *approval) error {
	var c tools.Correction
	if err := r.Decode(&c); err != nil {
		return err
	}
	old, err := tx.Memory(ctx, userID, c.MemoryID)
	if err != nil {
		return err
	}
	if old.Content != c.Content {
		return fmt.Errorf("the fact is no longer what the proposal was about: %w", ErrConflict)
	}
	if err := o.unchanged(ctx, tx, scope, r, old); err != nil {
		return err
	}
	if old, err = current(ctx, tx, old); err != nil {
		return err
	}
	session, err := tx.SessionID(ctx, userID, c.Session)
	if err != nil {
		return err
	}
	m := &schema.Memory{
		UserID: userID, SessionID: session, SessionName: c.Session, Agent: c.Agent, Kind: old.Kind, Content: c.NewContent,
		Confidence: 1, Importance: old.Importance, DecayRate: schema.DefaultDecayRate, Origin: old.Origin, Trust: old.Trust,
		Tags: old.Tags, Attributes: schema.Attributes{schema.AttrApproved: memory.ByHost.Name},
	}
	reading, _ := claims.Parse(m.Content, "", []string{scope.User})
	claims.Label(m, reading, scope.User, "")
	if project := old.Attributes[schema.AttrProject]; project != "" {
		m.Attributes[schema.AttrProject] = project
	}
	if err := tx.AddDerived(ctx, m, schema.PrepareChunks(m.Content, "", m.Tags...), nil, memory.ByHost); err != nil {
		return err
	}
	if err := tx.Supersede(ctx, old, m, memory.ByHost); err != nil {
		return err
	}
	return x.mem.Announce(ctx, tx, scope, m)
}

// protectAsShown protects a fact if it still says what the person was shown.
func protectAsShown(ctx context.Context, tx *schema.Tx, userID int64, r *schema.PendingChange) error {
	m, shown, err := proposed.Protection(ctx, tx, userID, r)
	if err != nil {
		return err
	}
	if m.Content != shown {
		return fmt.Errorf("the fact is no longer what was shown: %w", ErrConflict)
	}
	return tx.Protect(ctx, m, memory.ByHost)
}

// Reject closes a proposal without changing anything, except that a fact which was
// to be protected resumes fading. Nights do not propose the same again. It returns
// [ErrNotFound] if the proposal is not pending in this scope.
func (x *Extension) Reject(ctx context.Context, scope Scope, proposalID string) error {
	return x.settle(ctx, scope, proposalID, "rejected", nil)
}

func (x *Extension) settle(ctx context.Context, scope Scope, uid, state string, apply func(context.Context, *schema.Tx, int64, *schema.PendingChange) error) error {
	return x.db.WriteUser(ctx, scope, func(ctx context.Context, tx *schema.Tx, userID int64) error {
		row, err := schema.PendingProposal(ctx, tx, userID, uid, proposalKinds)
		if err != nil {
			return err
		}
		if apply != nil {
			if err := apply(ctx, tx, userID, row); err != nil {
				return err
			}
		}
		return tx.DecideProposal(ctx, row, state, memory.ByHost)
	})
}
