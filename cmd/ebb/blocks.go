package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/cells"
)

type blocksCmd struct {
	List    blocksListCmd    `cmd:"" default:"withargs" help:"Show the contents of each block."`
	History blocksHistoryCmd `cmd:"" help:"List the versions of a block, with author and time."`
	Undo    blocksUndoCmd    `cmd:"" help:"Revert one change of a block."`
}

// Help says what blocks are.
func (blocksCmd) Help() string {
	return `Core memory consists of blocks of text at the head of every context, written by the host, its agents, imports and nights. A block is shared by the user's agents or belongs to one of them (--agent). Changes that wait for approval are listed by ebb proposals.`
}

type blocksListCmd struct{}

// Help documents the JSON.
func (blocksListCmd) Help() string {
	return `Also shows how many tokens each role sees, and how often a block that only the host may change was changed by others, according to its history. --profile defines the blocks (default threetier).

With --json: {"blocks": [{"agent", "name", "kind", "content", "trust", "version", "updated_at"}], "views": [{"agent", "tokens"}], "unauthorised"}, content being text or, of another kind than text, JSON.`
}

// coreView is what an agent has of core memory in view.
type coreView struct {
	Agent  string `json:"agent,omitempty"`
	Tokens int    `json:"tokens"`
}

// blocksConfig is the profile's, or that of ThreeTier where the profile has no
// blocks.
func (a *app) blocksConfig() *extension.Config {
	cfg := a.profile.config()
	cfg.Night.NoSchedule = true
	if len(cfg.CoreMemory.Blocks) == 0 {
		cfg.CoreMemory.Blocks = extension.ThreeTier().CoreMemory.Blocks
	}
	return cfg
}

func (blocksListCmd) Run(a *app) (err error) {
	cfg := a.blocksConfig()
	cfg.ReadOnly = true
	x, err := a.openWith(cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close(a.ctx)) }()
	blocks, err := x.AllBlocks(a.ctx, a.scope())
	if err != nil {
		return err
	}
	views, err := a.coreViews(x, blocks)
	if err != nil {
		return err
	}
	unauthorised, err := a.unauthorised(x, cfg.CoreMemory.Blocks, blocks)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(struct {
			Blocks       []extension.Block `json:"blocks"`
			Views        []coreView        `json:"views"`
			Unauthorised int               `json:"unauthorised"`
		}{append([]extension.Block{}, blocks...), views, unauthorised})
	}
	p := a.page()
	if len(blocks) == 0 {
		p.Line("Nothing is in core memory.")
	}
	for i := range blocks {
		b := &blocks[i]
		critical := ""
		if slices.ContainsFunc(cfg.CoreMemory.Blocks, func(s extension.BlockSpec) bool { return s.Name == b.Name && s.Critical }) {
			critical = " " + p.In(cells.Warm, "⚠ CRITICAL")
		}
		p.Parts("  ", p.In(cells.Bold, owned(b.Name, b.Agent))+critical, fmt.Sprint("version ", b.Version), p.Moment(b.UpdatedAt.Time), fmt.Sprint("trust ", b.Trust))
		p.Body("  ", "  ", cmp.Or(b.Content, "(empty)"))
	}
	for _, v := range views {
		p.Line("%s %s", p.In(cells.Dim, "in view of "+cells.OneLine(cmp.Or(v.Agent, "an agent without a name"), 60)+":"), cells.Count(v.Tokens, "token", "tokens"))
	}
	if len(blocks) > 0 {
		p.Line("%s %d", p.In(cells.Dim, "changes without authority:"), unauthorised)
	}
	return p.Err
}

// coreViews says what each agent that has blocks of its own has in view.
func (a *app) coreViews(x *extension.Extension, blocks []extension.Block) ([]coreView, error) {
	views := []coreView{}
	for _, b := range blocks {
		if slices.ContainsFunc(views, func(v coreView) bool { return v.Agent == b.Agent }) {
			continue
		}
		scope := a.scope()
		scope.Agent = b.Agent
		s, err := x.Session(scope)
		if err != nil {
			return nil, err
		}
		found, err := s.Preview(a.ctx, "")
		if err != nil {
			return nil, err
		}
		views = append(views, coreView{b.Agent, found.CoreTokens})
	}
	return views, nil
}

// unauthorised counts the changes of what only a host may change that no host
// made or approved.
func (a *app) unauthorised(x *extension.Extension, specs []extension.BlockSpec, blocks []extension.Block) (n int, err error) {
	for _, b := range blocks {
		i := slices.IndexFunc(specs, func(s extension.BlockSpec) bool { return s.Name == b.Name })
		if i < 0 {
			continue
		}
		scope := a.scope()
		scope.Agent = b.Agent
		versions, err := x.BlockHistory(a.ctx, scope, b.Name)
		if err != nil {
			return 0, err
		}
		for _, v := range versions {
			if !v.Authorised(&specs[i]) {
				n++
			}
		}
	}
	return n, nil
}

// owned is a block's name, with the agent that owns it.
func owned(name, agent string) string {
	if agent == "" {
		return cells.OneLine(name, 60)
	}
	return cells.OneLine(name+" of "+agent, 60)
}

// ofBlock names a block on the command line.
type ofBlock struct {
	Name  string `arg:"" help:"The block (ebb blocks lists them)."`
	Agent string `placeholder:"NAME" help:"The agent that owns the block (default: the shared block)."`
}

// scopeOf is the scope in which the agent's block is the one that is meant.
func (c *ofBlock) scopeOf(a *app) extension.Scope {
	scope := a.scope()
	scope.Agent = c.Agent
	return scope
}

// missing says which blocks there are instead of one that is not there.
func (c *ofBlock) missing(a *app, x *extension.Extension, err error) error {
	if !errors.Is(err, extension.ErrNotFound) {
		return err
	}
	blocks, fault := x.AllBlocks(a.ctx, a.scope())
	if fault != nil {
		return fault
	}
	var agents []string
	for _, b := range blocks {
		if b.Name == c.Name {
			agents = append(agents, cmp.Or(b.Agent, "all agents"))
		}
	}
	if len(agents) > 0 && !slices.Contains(agents, cmp.Or(c.Agent, "all agents")) {
		return &notFoundError{fmt.Sprintf("no block %q of %s; there is that of %s: choose one with --agent", c.Name, cmp.Or(c.Agent, "all agents"), strings.Join(agents, ", "))}
	}
	return notFoundAs(err, fmt.Sprintf("no block %q of this user; ebb blocks lists them", c.Name))
}

type blocksHistoryCmd struct {
	ofBlock

	Limit int `short:"n" default:"20" placeholder:"N" help:"Maximum number of versions (default 20; 0: all, up to 1000)."`
}

// Help documents the JSON.
func (blocksHistoryCmd) Help() string {
	return `Newest first. The author is host, model, approval (proposed by a model and approved by the host), import or night.

With --json: {"versions": [{"version", "content", "trust", "actor", "agent", "at"}]}.`
}

func (c *blocksHistoryCmd) Run(a *app) (err error) {
	if c.Limit < 0 {
		return &usageError{"--limit must not be negative (0: all)"}
	}
	x, err := a.open(true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close(a.ctx)) }()
	versions, err := x.BlockHistory(a.ctx, c.scopeOf(a), c.Name)
	if err != nil {
		return c.missing(a, x, err)
	}
	if c.Limit > 0 {
		versions = versions[:min(len(versions), c.Limit)]
	}
	if a.json {
		return a.printJSON(struct {
			Versions []extension.BlockVersion `json:"versions"`
		}{versions})
	}
	p := a.page()
	for _, v := range versions {
		by := v.Actor
		if v.Agent != "" {
			by += " as " + v.Agent
		}
		p.Parts("  ", p.In(cells.Bold, fmt.Sprint("version ", v.Version)), p.Moment(v.At.Time), fmt.Sprintf("by %s, trust %d", cells.OneLine(by, 40), v.Trust))
		p.Body("  ", "  ", cmp.Or(v.Content, "(empty)"))
	}
	return p.Err
}

type blocksUndoCmd struct {
	ofBlock

	Version int64 `arg:"" help:"The version that the change produced (see ebb blocks history)."`
}

// Help documents the JSON.
func (blocksUndoCmd) Help() string {
	return `Text that the change added is removed and text that it removed returns, in a new version. Later changes stay. If the same text was changed again since, the command fails.

With --json: the resulting block, as in ebb blocks.`
}

func (c *blocksUndoCmd) Run(a *app) (err error) {
	x, err := a.openExistingWith(a.blocksConfig()) // the block keeps its limits
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close(a.ctx)) }()
	b, err := x.UndoBlock(a.ctx, c.scopeOf(a), c.Name, c.Version)
	if errors.Is(err, extension.ErrNotFound) {
		if _, found := x.BlockHistory(a.ctx, c.scopeOf(a), c.Name); found == nil {
			return &notFoundError{fmt.Sprintf("block %q has no version %d in its history; ebb blocks history prints them", c.Name, c.Version)}
		}
		return c.missing(a, x, err)
	}
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(b)
	}
	p := a.page()
	p.Say("Version %d of %s is reverted. Version %d:", c.Version, owned(b.Name, b.Agent), b.Version)
	p.Body("  ", "  ", cmp.Or(b.Content, "(empty)"))
	return p.Err
}
