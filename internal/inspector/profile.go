package inspector

import (
	"github.com/ebbmem/ebb/extension"
)

// always is the page of what the agent is given in every turn.
type always struct {
	extension.Profile

	Groups []alwaysGroup
	Blocks []extension.Block
	Cut    bool // lines beyond the limit are not listed
}

type alwaysGroup struct {
	Title, About string
	Lines        []extension.ProfileLine
}

// maxLines bounds the lines of a page.
const maxLines = 80

func profile(r *request) (answer, error) {
	p, err := r.ext.Profile(r.ctx, r.scope)
	if err != nil {
		return answer{}, err
	}
	v := always{Profile: *p}
	if v.Blocks, err = r.ext.AllBlocks(r.ctx, r.scope); err != nil {
		return answer{}, err
	}
	lines := p.Lines
	if v.Cut = len(lines) > maxLines; v.Cut {
		lines = lines[:maxLines]
	}
	for _, g := range []struct {
		group        extension.ProfileGroup
		title, about string
	}{
		{extension.ProfileKept, "Kept for good", "Protected: these neither fade nor change by themselves."},
		{extension.ProfileTold, "Noted", "What the agent was asked to remember."},
		{extension.ProfileSaid, "Said along the way", "Nobody asked to remember these; they sounded lasting."},
		{extension.ProfileApproved, "Approved", "An assistant's words, taken as the user's by decision."},
		{extension.ProfilePassing, "Said in passing", "The agent is told these only where there is room."},
	} {
		group := alwaysGroup{Title: g.title, About: g.about}
		for _, l := range lines {
			if l.Group == g.group {
				group.Lines = append(group.Lines, l)
			}
		}
		if len(group.Lines) > 0 {
			v.Groups = append(v.Groups, group)
		}
	}
	return answer{page: "profile", title: "Profile", data: v}, nil
}
