package tools

import (
	"context"
	"fmt"

	"github.com/ebbmem/ebb/schema"
)

// ProposalBlock is the kind of a proposal to change a block of core memory; its
// payload is a [BlockChange].
const ProposalBlock = "block"

// BlockChange is a change of a block that waits for the host.
type BlockChange struct {
	Block      string           `json:"block"`
	Owner      string           `json:"owner,omitempty"` // the agent whose block it is
	Kind       schema.BlockKind `json:"kind"`
	Content    string           `json:"content"` // as it was when the change was proposed
	NewContent string           `json:"new_content"`
	Agent      string           `json:"agent,omitempty"` // as which the model asked
	// Spec is the block's as the host that was asked described it: its limits hold
	// wherever the change is approved. Nil in proposals of older versions.
	Spec *schema.BlockSpec `json:"spec,omitempty"`
}

// maxProposals is how many changes of one block can wait.
const maxProposals = 16

// propose leaves the change for the host to decide; once is enough.
func (w *coreWrite) propose(ctx context.Context, tx *schema.Tx, userID int64) (string, error) {
	spec := *w.spec
	spec.About = "" // which limits nothing
	change := BlockChange{
		Block: w.spec.Name, Owner: w.before.Agent, Kind: w.spec.Kind, Content: w.before.Content, NewContent: w.after, Agent: w.d.Scope.Agent, Spec: &spec,
	}
	var waiting, same, rejected int64
	if err := tx.Row(ctx, `SELECT count(*) FILTER (WHERE state = 'pending'),
			count(*) FILTER (WHERE state = 'pending' AND json_extract(payload, '$.new_content') = ?4),
			count(*) FILTER (WHERE state = 'rejected' AND json_extract(payload, '$.new_content') = ?4 AND json_extract(payload, '$.content') = ?5)
		FROM proposals WHERE user_id = ?1 AND kind = '`+ProposalBlock+`' AND json_extract(payload, '$.block') = ?2
			AND coalesce(json_extract(payload, '$.owner'), '') = ?3`,
		[]any{userID, change.Block, change.Owner, change.NewContent, change.Content}, &waiting, &same, &rejected); err != nil {
		return "", err
	}
	waits := fmt.Sprintf("%s is not changed: the change waits for the host's approval, since %s. Do not say that it holds.", w.spec.Name, w.reason)
	switch {
	case rejected > 0:
		return "", mistakef("%s: the host has rejected exactly this change of %s. Do not propose it again. Nothing was changed.", w.args.tool.name, w.spec.Name)
	case same > 0:
		return "The same change was proposed before. " + waits, nil
	case waiting >= maxProposals:
		return "", mistakef("%s: %d changes of %s wait for the host already. Wait until some are decided. Nothing was changed.", w.args.tool.name, waiting, w.spec.Name)
	}
	reason := "a model asked for it: " + w.reason
	if w.order(w.fresh()) != "" {
		reason += "; it reads like an instruction"
	}
	if w.trust < schema.MaxTrust {
		reason += fmt.Sprintf("; of trust %d", w.trust)
	}
	_, _, err := tx.Propose(ctx, userID, ProposalBlock, change, reason, byModel)
	return waits, err
}
