package main

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/cells"
)

type proposalsCmd struct {
	List    proposalsListCmd    `cmd:"" default:"withargs" help:"List pending proposals."`
	Approve proposalsApproveCmd `cmd:"" help:"Apply a proposal."`
	Reject  proposalsRejectCmd  `cmd:"" help:"Close a proposal without changing anything."`
	Keep    proposalsKeepCmd    `cmd:"" help:"Resolve a contradiction in favour of one memory."`
}

// Help says what waits.
func (proposalsCmd) Help() string {
	return `Nights and models propose changes they may not make themselves: corrections that no message of the user supports, contradictions between two claims, entities that may be the same, protection of facts, changes of core memory, and ambiguous requests to forget. Ids may be abbreviated as long as they are unique.`
}

type proposalsListCmd struct {
	AllUsers bool `name:"all-users" help:"For every user of the file."`
}

// Help documents the JSON.
func (proposalsListCmd) Help() string {
	return `With --json: {"proposals": [{"id", "kind", "reason", "memory_id", "content", "new_content", "message_id", "other_id", "other_content", "entity_id", "other_entity_id", "block", "changes", "agent", "proposed_by", "proposed_at"}]}; with --all-users {"users": [{"user", "tenant", and the same}]}, users with something pending.`
}

// waitingView is the shape of `ebb proposals --json`.
type waitingView struct {
	User      string               `json:"user,omitempty"`
	Tenant    string               `json:"tenant,omitempty"`
	Proposals []extension.Proposal `json:"proposals"`
}

func (c *proposalsListCmd) Run(a *app) (err error) {
	x, err := a.open(true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close(a.ctx)) }()
	if !c.AllUsers {
		proposals, err := x.Proposals(a.ctx, a.scope())
		if err != nil {
			return err
		}
		if a.json {
			return a.printJSON(waitingView{Proposals: append([]extension.Proposal{}, proposals...)})
		}
		p := a.page()
		if len(proposals) == 0 {
			p.Line("Nothing is pending.")
		}
		return p.waiting(proposals)
	}
	all := []waitingView{}
	p := a.page()
	err = a.eachUser(x, func(u extension.User, a *app) error {
		proposals, err := x.Proposals(a.ctx, a.scope())
		if err != nil || len(proposals) == 0 {
			return err
		}
		all = append(all, waitingView{User: u.Name, Tenant: u.Tenant, Proposals: proposals})
		if a.json {
			return nil
		}
		p.Line("%s", p.In(cells.Bold, "User "+cells.Printable(nameUser(u))))
		return p.waiting(proposals)
	})
	switch {
	case err != nil:
		return err
	case a.json:
		return a.printJSON(struct {
			Users []waitingView `json:"users"`
		}{all})
	case len(all) == 0:
		p.Line("Nothing is pending.")
	}
	return p.Err
}

// waiting shows what waits for a decision of one user's.
func (p *page) waiting(proposals []extension.Proposal) error {
	const indent = "          "
	for _, one := range proposals {
		p.Parts("  ", p.In(cells.Bold, one.ID), p.Moment(one.ProposedAt), cells.OneLine(one.Kind+" "+one.Block+" "+one.Agent, 120))
		if p.listed("  change  ", one.Changes); len(one.Changes) == 0 {
			p.Body("  is      ", indent, cmp.Or(one.Content, "nothing yet"))
		}
		p.ID(indent, one.MemoryID+one.EntityID)
		if one.NewContent != "" && len(one.Changes) == 0 {
			p.Body("  would be ", indent, one.NewContent)
		}
		switch {
		case one.OtherID != "":
			p.Body("  but also ", indent, one.OtherContent)
		case one.OtherEntityID != "":
			p.Body("  may be   ", indent, one.OtherContent)
		}
		p.ID(indent, one.OtherID+one.OtherEntityID)
		if one.Reason != "" {
			p.Body("  because ", indent, one.Reason)
		}
	}
	return p.Err
}

type proposalsApproveCmd struct {
	decided

	ID     string `arg:"" help:"The proposal."`
	Anyway bool   `help:"Approve even if the user has said something newer since the proposal."`
}

// decided documents the JSON of the commands that decide.
type decided struct{}

// Help documents the JSON.
func (decided) Help() string { return `With --json: {"id", "decision": "approved"|"rejected"|"kept"}.` }

func (c *proposalsApproveCmd) Run(a *app) error {
	return a.decide(c.ID, "approved", func(x *extension.Extension, id string) error {
		var options []extension.ApproveOption
		if c.Anyway {
			options = append(options, extension.Anyway())
		}
		err := x.Approve(a.ctx, a.scope(), id, options...)
		var newer *extension.NewerError
		if !errors.As(err, &newer) {
			return err
		}
		said := make([]string, len(newer.Newer))
		for i := range newer.Newer {
			said[i] = fmt.Sprintf("%q", cells.OneLine(newer.Newer[i].Content, 160))
		}
		return &usageError{"since it was proposed the user has said " + strings.Join(said, " and ") + "; approve it with --anyway, or reject it"}
	})
}

type proposalsRejectCmd struct {
	decided

	ID string `arg:"" help:"The proposal."`
}

func (c *proposalsRejectCmd) Run(a *app) error {
	return a.decide(c.ID, "rejected", func(x *extension.Extension, id string) error {
		return x.Reject(a.ctx, a.scope(), id)
	})
}

type proposalsKeepCmd struct {
	decided

	ID     string `arg:"" help:"The contradiction."`
	Memory string `arg:"" help:"The id of the correct memory, which replaces the other."`
}

func (c *proposalsKeepCmd) Run(a *app) error {
	return a.decide(c.ID, "kept", func(x *extension.Extension, id string) error {
		return x.Keep(a.ctx, a.scope(), id, c.Memory)
	})
}

// decide finds what waits under an id, decides it, and says so.
func (a *app) decide(start, decision string, do func(x *extension.Extension, id string) error) (err error) {
	x, err := a.openExisting()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close(a.ctx)) }()
	proposals, err := x.Proposals(a.ctx, a.scope())
	if err != nil {
		return err
	}
	var ids []string
	for _, one := range proposals {
		ids = append(ids, one.ID)
	}
	id, err := beginning(ids, start, "proposal that waits", "ebb proposals")
	if err != nil {
		return err
	}
	if err := do(x, id); err != nil {
		return err
	}
	if a.json {
		return a.printJSON(struct {
			ID       string `json:"id"`
			Decision string `json:"decision"`
		}{id, decision})
	}
	_, err = fmt.Fprintf(a.stdout, "%s %s.\n", id, decision)
	return err
}
