package extension

import (
	"context"
	"time"

	"github.com/ebbmem/ebb/schema"
)

// ProfileGroup says why a line is in a profile.
type ProfileGroup string

// The groups, in the order in which they are shown.
const (
	ProfileKept ProfileGroup = "kept" // protected: it was asked never to be forgotten
	ProfileTold ProfileGroup = "told" // kept by a tool or by the host
	ProfileSaid ProfileGroup = "said" // read from what was said
)

// profileGroups lists every group, in order.
var profileGroups = []ProfileGroup{ProfileKept, ProfileTold, ProfileSaid}

// ProfileLine is one sentence of the user's that a current claim rests on.
type ProfileLine struct {
	// Text is the sentence, verbatim but for line breaks; a very long one is cut.
	Text  string       `json:"text"`
	Group ProfileGroup `json:"group"`
	// Said is when the user said it.
	Said time.Time `json:"said"`
	// Since is when it took the place of something else, zero if it did not, and
	// Before the beginning of what was true before, if the user said that too.
	Since  time.Time `json:"since,omitzero"`
	Before string    `json:"before,omitempty"`
	// Ended says what else the sentence holds that is no longer so, "" for nothing.
	Ended string `json:"ended,omitempty"`
	// Claims are the ids of the claims that rest on it, Sources those of the
	// messages it stands in.
	Claims  []string `json:"claims"`
	Sources []string `json:"sources"`
	// Dormant says that all its claims have faded: it is shown where there is room.
	Dormant bool `json:"dormant,omitempty"`
	// Tokens is what the line takes before a model.
	Tokens int `json:"tokens"`
}

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
	lines, err := x.coreLines(ctx, scope)
	if err != nil {
		return nil, err
	}
	p := &Profile{Lines: make([]ProfileLine, len(lines.all)), Budget: max(0, x.cfg.CoreMemory.ProfileTokens)}
	for i, l := range lines.all {
		p.Lines[i] = l.ProfileLine
		p.Tokens += l.Tokens
	}
	return p, nil
}

// groupOf says why a claim is in a profile.
func groupOf(m *schema.Memory) ProfileGroup {
	switch {
	case m.Protected:
		return ProfileKept
	case m.Attributes[schema.AttrSaid] != "" || m.Attributes[schema.AttrPrompt] != "":
		return ProfileSaid
	}
	return ProfileTold
}
