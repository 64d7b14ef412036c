package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ebbmem/ebb/extension"
)

type showCmd struct {
	ID string `arg:"" help:"The memory's id (ebb search prints ids)."`
}

// Help documents the JSON.
func (showCmd) Help() string {
	return `With --json: {"memory", "retention", "entities", "sources": [{"memory", "quote"}], "derived", "replaces", "replaced_by", "relations": [{"type", "confidence", "inverse", "memory"}], "history", "embeddings": [{"model", "dims", "serving"}], "event"}; empty fields are omitted.`
}

func (c *showCmd) Run(a *app) (err error) {
	x, err := a.open(true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close(a.ctx)) }()
	d, err := x.Get(a.ctx, a.scope(), c.ID)
	if err != nil {
		return notFoundAs(err, noSuchMemory(c.ID))
	}
	if a.json {
		return a.printJSON(d)
	}
	p := a.page()
	p.detail(d)
	return p.err
}

func (p *page) detail(d *extension.Detail) {
	m := &d.Memory
	p.parts("  ", p.heading("", m)...)
	p.body("  ", "  ", m.Content)
	p.line("")
	rows := [][]string{
		{"id", m.UID},
		{"kind", string(m.Kind) + ", " + string(m.State)},
		{"origin", fmt.Sprintf("%s, trust %d of 4", m.Origin, m.Trust)},
		{"learnt", p.moment(m.CreatedAt.Time)},
		{"true", p.span(m)},
		{"confidence", fmt.Sprintf("%.2f, importance %.2f", m.Confidence, m.Importance)},
		{"retention", p.retention(d)},
	}
	if m.AccessCount > 0 {
		rows = append(rows, []string{"used", fmt.Sprintf("%s, last %s", count(m.AccessCount, "time", "times"), p.moment(m.LastAccessed.Time))})
	}
	if m.Subject != "" {
		rows = append(rows, []string{"claim", oneLine(m.Subject+" · "+m.Predicate+" · "+m.Object, p.width-16)})
	}
	if len(m.Tags) > 0 {
		rows = append(rows, []string{"tags", oneLine(strings.Join(m.Tags, ", "), p.width-16)})
	}
	for _, name := range slices.Sorted(maps.Keys(m.Attributes)) {
		rows = append(rows, []string{name, oneLine(m.Attributes[name], p.width-16)})
	}
	for _, e := range d.Embeddings {
		rows = append(rows, []string{"vector", oneLine(fmt.Sprintf("%s, %d numbers", e.Model, e.Dims), p.width-16)})
	}
	if e := d.Event; e != nil {
		rows = append(rows, []string{"message", oneLine(fmt.Sprintf("%s, event %s", e.Topic, e.ID), p.width-16)})
	}
	p.table("  ", rows)
	p.entities(d)
	for _, s := range d.Sources {
		p.related("rests on", s.Memory)
		if s.Quote != "" {
			p.body("      “", "       ", s.Quote+"”")
		}
	}
	p.related("gave rise to", d.Derived...)
	p.related("replaces", d.Replaces...)
	p.related("replaced by", d.ReplacedBy...)
	for _, r := range d.Relations {
		p.related(fmt.Sprintf("%s (%.2f)", r.Name(), r.Confidence), r.Memory)
	}
	p.history(d.History)
}

// span says from when to when a memory is true.
func (p *page) span(m *extension.Record) string {
	if m.ValidUntil.IsZero() {
		return "since " + p.moment(m.ValidFrom.Time)
	}
	return "from " + p.moment(m.ValidFrom.Time) + " until " + p.moment(m.ValidUntil.Time)
}

func (p *page) retention(d *extension.Detail) string {
	switch {
	case d.Memory.Protected:
		return "1.00, protected"
	case d.Memory.DecayRate == 0:
		return "1.00, never fades"
	case d.Memory.OwnWords() && d.Memory.Stands():
		return fmt.Sprintf("%.2f, does not fade", d.Retention)
	}
	return fmt.Sprintf("%.2f, fading at %.2f per day^0.8", d.Retention, d.Memory.DecayRate)
}

func (p *page) entities(d *extension.Detail) {
	if len(d.Entities) == 0 {
		return
	}
	names := make([]string, len(d.Entities))
	for i, e := range d.Entities {
		names[i] = fmt.Sprintf("%s (%s)", oneLine(e.Name, 60), e.Type)
	}
	p.line("")
	p.body("  mentions ", "           ", strings.Join(names, ", "))
}

func (p *page) related(relation string, records ...extension.Record) {
	for i := range records {
		p.line("")
		p.parts("      ", p.heading("  "+p.in(bold, relation)+"  ", &records[i])...)
		p.body("      ", "      ", records[i].Content)
		p.id("      ", records[i].UID)
	}
}

func (p *page) history(changes []extension.Change) {
	if len(changes) == 0 {
		return
	}
	p.line("")
	p.line("  history")
	for _, c := range changes {
		p.parts("      ", "    "+p.moment(c.At), c.Operation, "by "+c.Actor)
		if what := changed(c); what != "" {
			p.body("      ", "      ", oneLine(what, 400))
		}
	}
}

// changed lists the columns that an operation changed, old → new.
func changed(c extension.Change) string {
	var before, after map[string]any
	if json.Unmarshal([]byte(c.Before), &before) != nil || json.Unmarshal([]byte(c.After), &after) != nil {
		return ""
	}
	var parts []string
	for column, was := range before {
		if is := after[column]; fmt.Sprint(was) != fmt.Sprint(is) && !strings.HasSuffix(column, "_at") && !strings.HasSuffix(column, "_until") && column != "superseded_by" {
			parts = append(parts, fmt.Sprintf("%s %v → %v", column, was, is))
		}
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}
