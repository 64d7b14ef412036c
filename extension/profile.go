package extension

import (
	"context"

	"github.com/ebbmem/ebb/internal/ownwords"
)

type (
	// ProfileGroup says why a line is in a profile.
	ProfileGroup = ownwords.Group
	// ProfileLine is one sentence of the user's that a current claim rests on.
	ProfileLine = ownwords.Line
	// Superseded says that what a memory told is no longer so.
	Superseded = ownwords.Superseded
)

// The groups, in the order in which they are shown.
const (
	ProfileKept = ownwords.Kept // protected: the user asked never to forget it
	ProfileTold = ownwords.Told // kept by a tool or by the host
	ProfileSaid = ownwords.Said // read from what was said
)

// Profile is what the user said of themselves and has not taken back.
type Profile struct {
	Lines []ProfileLine `json:"lines"`
	// Tokens is what all lines take together; of more than Budget, the question
	// chooses ([Config].CoreMemory.ProfileTokens). Budget is 0 where no core section is shown.
	Tokens int `json:"tokens"`
	Budget int `json:"budget"`
}

// Profile lists all that may stand in the core section of a prompt, in its
// order: by group, then by time.
//
// Errors: [*InvalidError], the database's errors, the context's error. A user
// who is not known has an empty profile.
func (x *Extension) Profile(ctx context.Context, scope Scope) (*Profile, error) {
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
