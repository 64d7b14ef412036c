package transfer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ebbmem/ebb/internal/memory"
	"github.com/ebbmem/ebb/internal/poison"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/core"
)

// BankReport is the result of an import of a bank.
type BankReport struct {
	// Tokens is the cost of the whole file in a context. CoreTokens is the cost of
	// the written blocks, including those of all roles.
	Tokens     int `json:"tokens"`
	CoreTokens int `json:"core_tokens"`
	// Blocks lists the written blocks.
	Blocks []BankBlock `json:"blocks"`
	// LeftOut lists what is not in core memory, with reasons.
	LeftOut []BankOmission `json:"left_out,omitempty"`
}

// BankBlock is a block that an import of a bank wrote.
type BankBlock struct {
	Name    string `json:"name"`
	Agent   string `json:"agent,omitempty"` // the block's owner, for a per-role block
	Entries int    `json:"entries"`         // entries of the bank that the block now holds
	Tokens  int    `json:"tokens"`          // of the whole block
}

// BankOmission is a part of a bank that was left out.
type BankOmission struct {
	Heading string `json:"heading"`
	Reason  string `json:"reason"`
	Tokens  int    `json:"tokens"`
}

// The blocks of the ThreeTier profile that a bank fills.
const (
	blockStatus    = "status"
	blockRoleState = "roleState"
	blockThreads   = "threads"
	blockLessons   = "lessons"
)

// maxBank is the size of the largest accepted bank, in bytes. Banks are meant to
// fit into a context.
const maxBank = 1 << 20

// bankTrust is the trust of the blocks: agents wrote the file, and the host trusts
// it.
var bankTrust = schema.OriginToolInternal.Ceiling()

// ImportBank imports a team's bank.md into core memory. It implements
// Extension.ImportBank.
func ImportBank(ctx context.Context, m *memory.Memory, scope schema.Scope, r io.Reader) (*BankReport, error) {
	if err := m.Redactor.Labels(scope); err != nil {
		return nil, err
	}
	for _, name := range []string{blockStatus, blockRoleState, blockThreads, blockLessons} {
		if m.Block(name) == nil {
			return nil, &schema.InvalidError{Field: "Config.CoreMemory.Blocks", Reason: "has no block " + name + "; open the memory with the configuration of ThreeTier"}
		}
	}
	b, err := io.ReadAll(io.LimitReader(memory.HostReader{Reader: r}, maxBank+1))
	if err != nil {
		return nil, err
	}
	b = bytes.TrimPrefix(b, []byte("\ufeff")) // byte order mark
	switch {
	case len(b) > maxBank:
		return nil, &schema.InvalidError{Field: "bank", Reason: "is longer than 1 MiB; a bank is a file that fits into a context"}
	case len(bytes.TrimSpace(b)) == 0:
		return nil, &schema.InvalidError{Field: "bank", Reason: "is empty; there is nothing to import"}
	case !utf8.Valid(b) || bytes.IndexByte(b, 0) >= 0:
		return nil, &schema.InvalidError{Field: "bank", Reason: "is not UTF-8 text; save it as UTF-8"}
	}
	markdown, err := m.Redactor.Text(ctx, "", text.Clean(string(b)))
	if err != nil {
		return nil, err
	}
	plan := &bankPlan{m: m, report: &BankReport{Tokens: text.Tokens(markdown)}}
	for _, s := range readBank(markdown) {
		plan.section(s)
	}
	left := plan.report.LeftOut
	err = m.DB.Write(ctx, func(ctx context.Context, tx *schema.Tx) error {
		plan.report.LeftOut, plan.report.Blocks, plan.report.CoreTokens = slices.Clone(left), nil, 0
		return plan.apply(ctx, tx, scope)
	})
	if err != nil {
		return nil, err
	}
	return plan.report, nil
}

// bankPlan collects the edits of blocks before they are applied.
type bankPlan struct {
	m      *memory.Memory
	report *BankReport
	edits  []bankEdit
}

// bankEdit is one entry for a block.
type bankEdit struct {
	heading string
	block   string
	role    string // the block's owner; "" for a shared block
	text    string
	edit    core.BlockEdit
}

func (p *bankPlan) leave(heading, reason, what string) {
	p.report.LeftOut = append(p.report.LeftOut, BankOmission{Heading: heading, Reason: reason, Tokens: text.Tokens(what)})
}

// section plans the edits for one section.
func (p *bankPlan) section(s *bankSection) {
	rest := strings.Join(s.rest, "\n")
	status := p.m.Block(blockStatus)
	field := func(block *core.BlockSpec, role, name, value string) {
		if value != "" {
			p.edits = append(p.edits, bankEdit{s.heading, block.Name, role, value, block.Update(map[string]any{name: value}, core.NoContent(block.Kind))})
		}
	}
	list := func(block *core.BlockSpec, name string, items []string) {
		for _, item := range items {
			item = plainMarkdown(item)
			p.edits = append(p.edits, bankEdit{s.heading, block.Name, "", item, block.Append(name, item)})
		}
	}
	role, ofRole := s.role()
	switch {
	case s.under("active sprint", "current sprint", "sprint"):
		var lines []string
		for _, line := range slices.Concat(s.rest, s.items) {
			lines = append(lines, plainMarkdown(line))
		}
		field(status, "", "sprint", strings.Join(lines, ". "))
		return
	case s.under("in progress"):
		list(status, "inProgress", s.items)
	case s.under("blockers", "blocked"):
		list(status, "blockers", s.items)
	case s.under("recently completed", "recently shipped", "completed", "shipped"):
		p.shipped(s)
	case ofRole && (role == "" || schema.ValidLabel("role", role) != nil):
		if all := strings.TrimSpace(rest + "\n" + strings.Join(s.items, "\n")); all != "" {
			p.leave(s.heading, "names no role that an agent could have", all)
		}
		return
	case ofRole:
		for _, item := range s.items {
			label, value, ok := labelled(item)
			name := map[string]string{"last": "lastAction", "last action": "lastAction", "next": "nextAction", "next action": "nextAction", "working on": "workingOn"}[label]
			if !ok || name == "" {
				p.leave(s.heading, "is none of Last, Next and Working on", item)
				continue
			}
			field(p.m.Block(blockRoleState), role, name, value)
		}
	case s.under("active threads", "threads"):
		threads := p.m.Block(blockThreads)
		for _, item := range s.items {
			record := threadOf(item)
			p.edits = append(p.edits, bankEdit{s.heading, blockThreads, "", record["summary"].(string), threads.Update(record, core.NoContent(threads.Kind))})
		}
	case s.under("lessons learned", "lessons"):
		list(p.m.Block(blockLessons), "", s.items)
	default:
		reason := "has no place in core memory"
		if s.under("rules", "playbook") {
			reason = "is for the host to set"
		}
		if all := strings.TrimSpace(rest + "\n" + strings.Join(s.items, "\n")); all != "" {
			p.leave(s.heading, reason, all)
		}
		return
	}
	if rest != "" {
		p.leave(s.heading, "is no entry of a list", rest)
	}
}

// shipped plans the shipped entries, reversing the file's newest-first order into
// the block's.
func (p *bankPlan) shipped(s *bankSection) {
	const field = "recentlyShipped"
	status := p.m.Block(blockStatus)
	kept := itemsOf(status, field)
	items := slices.Clone(s.items)
	if len(items) > kept {
		p.leave(s.heading, fmt.Sprintf("only the newest %d are kept", kept), strings.Join(items[kept:], "\n"))
		items = items[:kept]
	}
	slices.Reverse(items)
	for _, item := range items {
		item = plainMarkdown(item)
		add := status.Append(field, item)
		p.edits = append(p.edits, bankEdit{s.heading, blockStatus, "", item, func(now any) (any, error) {
			held, _ := now.(map[string]any)[field].([]any)
			if len(held) >= kept && !slices.Contains(held, any(item)) {
				return nil, &schema.InvalidError{Field: blockStatus + "." + field, Reason: "is full already, and what it holds may be newer"}
			}
			return add(now)
		}})
	}
}

// itemsOf returns the maximum number of items in a list of a block.
func itemsOf(block *core.BlockSpec, field string) int {
	for _, f := range block.Fields {
		if f.Name == field && f.Items > 0 {
			return f.Items
		}
	}
	return math.MaxInt
}

// apply writes each block once and fills the report.
func (p *bankPlan) apply(ctx context.Context, tx *schema.Tx, scope schema.Scope) error {
	userID, err := tx.UserID(ctx, scope)
	if err != nil {
		return err
	}
	type place struct{ block, role string }
	var order []place
	blocks, next, entries := make(map[place]*core.Block), make(map[place]string), make(map[place]int)
	for _, e := range p.edits {
		at, spec := place{e.block, e.role}, p.m.Block(e.block)
		if blocks[at] == nil {
			b, err := core.Read(ctx, tx, userID, spec.Owner(e.role), e.block)
			if errors.Is(err, schema.ErrNotFound) {
				b, err = &core.Block{UserID: userID, Agent: spec.Owner(e.role), Name: e.block, Kind: spec.Kind, Trust: schema.MaxTrust}, nil
			}
			if err != nil {
				return err
			}
			if b.Kind != spec.Kind {
				return &schema.InvalidError{Field: "Config.CoreMemory.Blocks", Reason: "describes " + e.block + " in another form than the file has it; set it by SetBlock first"}
			}
			order, blocks[at], next[at] = append(order, at), b, b.Content
		}
		if doubt := poison.InspectClaim(e.text); doubt != "" {
			p.leave(e.heading, "reads like an instruction ("+string(doubt)+")", e.text)
			continue
		}
		content, err := spec.Next(next[at], e.edit, tx.Now)
		var invalid *schema.InvalidError
		switch {
		case errors.Is(err, schema.ErrConflict):
			p.leave(e.heading, e.block+" says something else there already", e.text)
			continue
		case errors.As(err, &invalid):
			p.leave(e.heading, err.Error(), e.text)
			continue
		}
		if err != nil {
			return err
		}
		next[at] = content
		entries[at]++
	}
	for _, at := range order {
		b := blocks[at]
		if next[at] != b.Content {
			if err := core.Set(ctx, tx, b, next[at], min(b.Trust, bankTrust), at.role, schema.Actor{Name: "import"}); err != nil {
				return err
			}
		}
		if entries[at] == 0 {
			continue
		}
		tokens := text.Tokens(b.Content)
		p.report.Blocks = append(p.report.Blocks, BankBlock{Name: at.block, Agent: b.Agent, Entries: entries[at], Tokens: tokens})
		p.report.CoreTokens += tokens
	}
	return nil
}
