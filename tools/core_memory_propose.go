package tools

import (
	"context"
	"fmt"

	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/core"
)

// ProposalBlock is the kind of a proposal to change a block of core memory; its
// payload is a [BlockChange].
const ProposalBlock = core.ProposalBlock

// BlockChange is a change of a block that waits for the host's decision.
type BlockChange = core.BlockChange

// maxProposals is the maximum number of waiting changes of one block.
const maxProposals = 16

// propose stores the change as a proposal for the host, unless one waits already.
func (w *coreWrite) propose(ctx context.Context, tx *schema.Tx, userID int64) (string, error) {
	spec := *w.spec
	spec.About = "" // it is no limit
	change := BlockChange{
		Block: w.spec.Name, Owner: w.before.Agent, Kind: w.spec.Kind, Content: w.before.Content, NewContent: w.after, Agent: w.d.Scope.Agent, Spec: &spec,
	}
	decides := "host's approval"
	if w.review && w.d.proposes() {
		change.Review, change.Trust, decides = true, w.trust, "main agent's or the host's approval"
	}
	before, err := tx.BlockProposals(ctx, userID, ProposalBlock, change.Block, change.Owner, change.Content, change.NewContent)
	if err != nil {
		return "", err
	}
	waits := fmt.Sprintf("%s is not changed: the change waits for the %s, since %s. Do not say that it holds.", w.spec.Name, decides, w.reason)
	switch {
	case before.Rejected > 0:
		return "", mistakef("%s: the host has rejected exactly this change of %s. Do not propose it again. Nothing was changed.", w.args.tool.name, w.spec.Name)
	case before.Same > 0:
		return "The same change was proposed before. " + waits, nil
	case before.Waiting >= maxProposals:
		return "", mistakef("%s: %d changes of %s wait for the host already. Wait until some are decided. Nothing was changed.", w.args.tool.name, before.Waiting, w.spec.Name)
	}
	reason := "a model asked for it: " + w.reason
	if w.order(w.fresh()) != "" {
		reason += "; it reads like an instruction"
	}
	if w.trust < schema.MaxTrust {
		reason += fmt.Sprintf("; of trust %d", w.trust)
	}
	_, _, err = tx.Propose(ctx, userID, ProposalBlock, change, reason, byModel)
	return waits, err
}
