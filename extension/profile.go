package extension

import (
	"context"

	"github.com/ebbmem/ebb/internal/prompt"
)

type (
	// ProfileGroup is the reason why a line is in a profile.
	ProfileGroup = prompt.Group
	// ProfileLine is a sentence of the user's that supports a current claim, or an approved
	// text.
	ProfileLine = prompt.Line
	// Superseded describes how a memory's content stopped being true.
	Superseded = prompt.Superseded
)

// The groups, in the order in which they are shown.
const (
	ProfileKept = prompt.Kept // protected: the user asked never to forget it
	ProfileTold = prompt.Told // stored by a tool or by the host
	ProfileSaid = prompt.Said // extracted from a message
	// ProfileApproved: a model's text that the host approved, not in the user's words.
	ProfileApproved = prompt.Approved
	// ProfilePassing: said, and less likely than not to matter in months, or until a time that
	// is over.
	ProfilePassing = prompt.Passing
)

// Profile holds the user's own statements that still hold.
type Profile struct {
	Lines []ProfileLine `json:"lines"`
	// Tokens is the cost of all lines. If it exceeds Budget
	// ([Config].CoreMemory.ProfileTokens), the question decides which lines are
	// shown. Budget is 0 if there is no core section.
	Tokens int `json:"tokens"`
	Budget int `json:"budget"`
}

// Profile lists all lines that the core section of a prompt can contain, ordered by
// group, then by time. The profile of an unknown user is empty.
//
// Errors: [*InvalidError], the database's errors, the context's error.
func (x *Extension) Profile(ctx context.Context, scope Scope) (*Profile, error) {
	scope = x.db.Complete(scope)
	if err := scope.Validate(); err != nil {
		return nil, err
	}
	lines, err := x.own.Lines(ctx, x.db, scope, x.cfg.Location)
	if err != nil {
		return nil, err
	}
	p := &Profile{Budget: max(0, x.cfg.CoreMemory.ProfileTokens)}
	p.Lines, p.Tokens = lines.All()
	return p, nil
}
