package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ebbmem/ebb/cmd/ebb/records"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/cells"
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
	return p.Err
}

func (p *page) detail(d *extension.Detail) {
	m := &d.Memory
	p.Parts("  ", p.heading("", m)...)
	p.Body("  ", "  ", m.Content)
	p.Line("")
	rows := [][]string{
		{"id", m.UID},
		{"kind", string(m.Kind) + ", " + string(m.State)},
		{"origin", fmt.Sprintf("%s, trust %d of 4", m.Origin, m.Trust)},
		{"learnt", p.Moment(m.CreatedAt.Time)},
		{"true", records.Span(p.Page, m)},
		{"confidence", fmt.Sprintf("%.2f, importance %.2f", m.Confidence, m.Importance)},
		{"retention", p.retention(d)},
	}
	if m.AccessCount > 0 {
		rows = append(rows, []string{"used", fmt.Sprintf("%s, last %s", cells.Count(m.AccessCount, "time", "times"), p.Moment(m.LastAccessed.Time))})
	}
	if m.Subject != "" {
		rows = append(rows, []string{"claim", cells.OneLine(m.Subject+" · "+m.Predicate+" · "+m.Object, p.Width-16)})
	}
	if len(m.Tags) > 0 {
		rows = append(rows, []string{"tags", cells.OneLine(strings.Join(m.Tags, ", "), p.Width-16)})
	}
	for _, name := range slices.Sorted(maps.Keys(m.Attributes)) {
		rows = append(rows, []string{name, cells.OneLine(m.Attributes[name], p.Width-16)})
	}
	for _, e := range d.Embeddings {
		rows = append(rows, []string{"vector", cells.OneLine(fmt.Sprintf("%s, %d numbers", e.Model, e.Dims), p.Width-16)})
	}
	if e := d.Event; e != nil {
		rows = append(rows, []string{"message", cells.OneLine(fmt.Sprintf("%s, event %s", e.Topic, e.ID), p.Width-16)})
	}
	p.Table("  ", rows)
	p.entities(d)
	for _, s := range d.Sources {
		p.related("rests on", s.Memory)
		if s.Quote != "" {
			p.Body("      “", "       ", s.Quote+"”")
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
		names[i] = fmt.Sprintf("%s (%s)", cells.OneLine(e.Name, 60), e.Type)
	}
	p.Line("")
	p.Body("  mentions ", "           ", strings.Join(names, ", "))
}

func (p *page) related(relation string, memories ...extension.Record) {
	for i := range memories {
		p.Line("")
		p.Parts("      ", p.heading("  "+p.In(cells.Bold, relation)+"  ", &memories[i])...)
		p.Body("      ", "      ", memories[i].Content)
		p.ID("      ", memories[i].UID)
	}
}

func (p *page) history(changes []extension.Change) {
	if len(changes) == 0 {
		return
	}
	p.Line("")
	p.Line("  history")
	for _, c := range changes {
		p.Parts("      ", "    "+p.Moment(c.At), c.Operation, "by "+c.Actor)
		if what := changed(c); what != "" {
			p.Body("      ", "      ", cells.OneLine(what, 400))
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
