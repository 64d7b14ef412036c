package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/cells"
)

type eraseCmd struct {
	ID      []string `sep:"none" placeholder:"ID" help:"A memory, and what was derived from it alone (ebb search prints ids). May be repeated, like the other flags."`
	Event   []string `sep:"none" placeholder:"ID" help:"A message, by the id under which it was published or imported."`
	Session []string `sep:"none" placeholder:"NAME" help:"A conversation with all its messages."`
	Speaker []string `sep:"none" placeholder:"NAME" help:"What one of several people said in a shared memory."`
	Since   instant  `placeholder:"TIME" help:"Everything from this time on."`
	Until   instant  `placeholder:"TIME" help:"What happened before this time."`
	All     bool     `help:"The whole user, including name and settings."`
	Confirm string   `placeholder:"CODE" help:"Erase. The code is printed by the same command without --confirm."`
}

// Help says how it is confirmed, and documents the JSON.
func (eraseCmd) Help() string {
	return `Permanently deletes messages, what was derived from them alone, their text in every index, their vectors, and their traces in journal and audit. Facts that other messages support too stay. Erased ids do not return, neither from the event bus nor by ebb import.

Without --confirm nothing is erased: the command shows what would be erased, and a code. If the selection changes, the code becomes invalid.

With --json: {"id", "state": "marking"|"erasing"|"logged"|"done", "erased": {table: rows}, "rewritten": {table: rows}, "tombstones", "rederived": [ids], "revived": [ids], "pending", "out_of_reach": [{"place", "advice"}], "removed_copies": [paths]}; without --confirm also {"confirm"}, and state and id are empty.`
}

// eraseView is the shape of `ebb erase --json`.
type eraseView struct {
	*extension.Receipt

	Confirm string `json:"confirm,omitempty"`
}

func (c *eraseCmd) Run(a *app) (err error) {
	what := extension.Erasure{
		Memories: c.ID, Events: c.Event, Sessions: c.Session, Speakers: c.Speaker, Since: c.Since.Time, Until: c.Until.Time, Everything: c.All,
	}
	x, err := a.openExisting()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close(a.ctx)) }()
	would, err := x.PreviewErase(a.ctx, a.scope(), what)
	if err != nil {
		return err
	}
	code := eraseCode(a.scope(), what, would)
	switch c.Confirm {
	case "":
		return c.show(a, eraseView{would, code})
	case code:
	default:
		return &usageError{fmt.Sprintf("--confirm %q does not belong to what would be erased now; run the command without it and look again", c.Confirm)}
	}
	receipt, err := x.Erase(a.ctx, a.scope(), what)
	if receipt == nil {
		return err
	}
	return errors.Join(c.show(a, eraseView{receipt, ""}), err)
}

// eraseCode binds a confirmation to what was shown.
func eraseCode(scope extension.Scope, what extension.Erasure, would *extension.Receipt) string {
	shown, err := json.Marshal([]any{scope, what, would.Erased, would.Rewritten, would.Rederived, would.Revived})
	if err != nil {
		panic(err) // texts and numbers can always be encoded
	}
	sum := sha256.Sum256(shown)
	return hex.EncodeToString(sum[:3])
}

func (c *eraseCmd) show(a *app, v eraseView) error {
	if a.json {
		return a.printJSON(v)
	}
	p := a.page()
	verb := "Erased"
	if v.Confirm != "" {
		verb = "Would be erased"
	}
	p.Line("%s:", verb)
	p.rows(v.Erased)
	if len(v.Erased) == 0 {
		p.Line("  nothing: it was erased before")
	}
	if len(v.Rewritten) > 0 {
		p.Line("Kept without what they held of it:")
		p.rows(v.Rewritten)
	}
	if len(v.Rederived) > 0 {
		p.Body("Kept, since other messages support it too: ", "  ", strings.Join(v.Rederived, ", "))
	}
	if len(v.Revived) > 0 {
		p.Body("Holds again, since what had replaced it goes: ", "  ", strings.Join(v.Revived, ", "))
	}
	p.Say("%s remembered, hashed, so that none comes back.", cells.Count(v.Tombstones, "id is", "ids are"))
	if v.Pending != "" {
		p.Body(p.In(cells.Warm, "Not finished: "), "  ", v.Pending)
	}
	if len(v.Removed) > 0 {
		p.Body("Removed, as left by backups that were cut short: ", "  ", strings.Join(v.Removed, ", "))
	}
	p.Line("Out of reach:")
	for _, r := range v.OutOfReach {
		p.Body("  "+r.Place+": ", "    ", r.Advice)
	}
	if v.Confirm != "" {
		p.Say("Nothing was erased. To erase it for good, run the same command with --confirm %s.", v.Confirm)
	}
	return p.Err
}

func (p *page) rows(counts map[string]int64) {
	var rows [][]string
	for _, table := range slices.Sorted(maps.Keys(counts)) {
		rows = append(rows, []string{strings.ReplaceAll(table, "_", " "), fmt.Sprint(counts[table])})
	}
	p.Table("  ", rows)
}
