package demo

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/cells"
)

// How long the demo's last scene lasts.
const (
	weeks      = 16
	weekColumn = 8 // a column of the table every so many weeks
)

// watched are the facts of the table.
var watched = []string{allergy, livesInOslo, meeting, skates, sardines}

// forget lets weeks pass, a night after each day, and shows what fades.
func (d *demo) forget() error {
	d.scene("Weeks pass")
	facts := make([]*extension.Record, len(watched))
	rows := make([][]string, len(watched))
	for i, content := range watched {
		f, err := d.fact(content)
		if err != nil {
			return err
		}
		facts[i] = f
		rows[i] = []string{strings.TrimSuffix(f.Content, "."), fmt.Sprintf("%.1f", f.Confidence)}
	}
	header := []string{"fact", "conf.", "now"}
	if err := d.retentions(facts, rows); err != nil {
		return err
	}
	start, changes := d.clock.Now(), 0
	for day := 1; day <= 7*weeks; day++ {
		d.clock.Set(start.AddDate(0, 0, day))
		if day%28 == 14 {
			if err := d.use("Is Ada allergic to cashews?"); err != nil {
				return err
			}
		}
		night, err := d.ext.Consolidate(d.ctx, as(""))
		if err != nil {
			return err
		}
		changes += night.Changes()
		if day%(7*weekColumn) == 0 {
			header = append(header, fmt.Sprintf("week %d", day/7))
			if err := d.retentions(facts, rows); err != nil {
				return err
			}
		}
	}
	for i, f := range facts {
		now, err := d.ext.Get(d.ctx, as(""), f.UID)
		if err != nil {
			return err
		}
		rows[i] = append(rows[i], string(now.Memory.State))
	}
	d.say("%d weeks go by, with a night after each day (ext.Consolidate). Once a month the agent looks up Ada's allergy (search_memory); the rest, never. What is retained of some facts (conf.: how sure it is; 1 = fresh):", weeks)
	d.Line("")
	d.Table("   ", append([][]string{append(header, "then")}, rows...))
	d.Line("")
	d.say("What Ada said of lasting things keeps half; what passes, and the agent's own wording, fades. The nights put %s to sleep: what passes, once confidence × retention is below 0.05, the weakest first, at most one in twenty a night. A fact that rests on a sentence of hers about something lasting stays.", cells.Count(changes, "fact", "facts"))
	return d.whatStayed(facts)
}

// retentions adds a column.
func (d *demo) retentions(facts []*extension.Record, rows [][]string) error {
	for i, f := range facts {
		now, err := d.ext.Get(d.ctx, as(""), f.UID)
		if err != nil {
			return err
		}
		rows[i] = append(rows[i], fmt.Sprintf("%.2f", now.Retention))
	}
	return nil
}

// use has a model look a fact up: what is used stays.
func (d *demo) use(query string) error {
	if _, err := d.call(as("later"), "search_memory", map[string]any{"query": query, "kind": "fact", "limit": 1}); err != nil {
		return err
	}
	return d.ext.WaitIdle(d.ctx)
}

// whatStayed shows that what faded is out of the way and not gone, and that
// what was said never fades.
func (d *demo) whatStayed(facts []*extension.Record) error {
	for _, f := range facts {
		now, err := d.ext.Get(d.ctx, as(""), f.UID)
		if err != nil {
			return err
		}
		if now.Memory.State != "dormant" {
			continue
		}
		everyday, err := d.finds(f, false)
		if err != nil {
			return err
		}
		asked, err := d.finds(f, true)
		if err != nil {
			return err
		}
		d.say("“%s” An everyday search %s; one that asks for faded memories too (--dormant) %s.", f.Content, found(everyday), found(asked))
		break
	}
	stats, err := d.ext.Stats(d.ctx, as(""))
	if err != nil {
		return err
	}
	d.say("What was said never fades: all %s are still there, word for word.", cells.Count(stats.Memories["episode"], "message", "messages"))
	return nil
}

func found(yes bool) string {
	if yes {
		return "finds it"
	}
	return "leaves it out"
}

func (d *demo) finds(f *extension.Record, dormant bool) (bool, error) {
	answer, err := d.ext.Recall(d.ctx, as(""), extension.Query{Text: f.Content, Dormant: dormant})
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(answer.Results, func(r extension.Result) bool { return r.Memory.UID == f.UID }), nil
}
