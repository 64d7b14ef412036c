package inspect

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/vecstore"
)

// Detail is everything known about one memory.
type Detail struct {
	Memory     schema.Memory   `json:"memory"`
	Retention  float64         `json:"retention"`             // 0–1, by the memory's clock; 1 for what never fades
	Entities   []Mention       `json:"entities,omitempty"`    // what it mentions
	Sources    []SourceText    `json:"sources,omitempty"`     // what it rests on
	Derived    []schema.Memory `json:"derived,omitempty"`     // what rests on it
	Replaces   []schema.Memory `json:"replaces,omitempty"`    // older claims it took the place of
	ReplacedBy []schema.Memory `json:"replaced_by,omitempty"` // the claims that took its place, the current one last
	Relations  []Relation      `json:"relations,omitempty"`   // to other memories, the surest first
	History    []Change        `json:"history,omitempty"`     // every audited change, oldest first

	// Embeddings are what its vectors were made by, oldest first.
	Embeddings []Embedding `json:"embeddings,omitempty"`

	// Message is the row of the message that an episode came from.
	Message *schema.EventRow `json:"-"`
}

// Mention is an entity that a memory mentions.
type Mention struct {
	ID      string `json:"id"`
	Type    string `json:"type"`
	Name    string `json:"name"`    // canonical
	Surface string `json:"surface"` // as this memory writes it
}

// SourceText is a memory another one rests on, with the words it took from it.
type SourceText struct {
	Memory schema.Memory `json:"memory"`
	Quote  string        `json:"quote,omitempty"`
}

// Relation is how a memory relates to another one: "causes", "elaborates",
// "same_entity", "related_to" or "contradicts". What replaces what is not among them.
type Relation struct {
	Type       string        `json:"type"`
	Confidence float64       `json:"confidence"`        // 0–1
	Inverse    bool          `json:"inverse,omitempty"` // the other one causes it, or elaborates on it
	Memory     schema.Memory `json:"memory"`            // the other one
}

// Name returns the type in words, as seen from the memory that is shown.
func (r Relation) Name() string {
	switch {
	case r.Inverse && r.Type == schema.LinkCauses:
		return "caused by"
	case r.Inverse && r.Type == schema.LinkElaborates:
		return "elaborated by"
	}
	return strings.ReplaceAll(r.Type, "_", " ")
}

// Change is one entry of a memory's audit: who did what, and the columns it
// changed.
type Change struct {
	At        time.Time `json:"at"`
	Actor     string    `json:"actor"`
	Operation string    `json:"operation"`
	Run       string    `json:"run,omitempty"`    // the night that did it, by its id
	Before    string    `json:"before,omitempty"` // JSON of the columns, with public ids
	After     string    `json:"after,omitempty"`
}

// Embedding is what vectors were made by. Those of two embeddings are never
// compared: a model that changes makes new vectors of everything beside the old
// ones, which serve until the new are complete.
type Embedding struct {
	Model string `json:"model"` // [Config].Embedding.Model when they were made
	Dims  int    `json:"dims"`  // numbers in a vector
	// Serving says that searches compare with these vectors just now.
	Serving bool `json:"serving,omitempty"`
}

// ReadDetail reads what hangs on a memory.
func ReadDetail(ctx context.Context, s *schema.Snapshot, m *schema.Memory) (*Detail, error) {
	d := &Detail{Memory: *m}
	return d, d.read(ctx, s, m)
}

func (d *Detail) read(ctx context.Context, s *schema.Snapshot, m *schema.Memory) (err error) {
	if err := d.readEvent(ctx, s, m); err != nil {
		return err
	}
	if err := d.readEntities(ctx, s, m); err != nil {
		return err
	}
	if err := d.readEmbeddings(ctx, s, m); err != nil {
		return err
	}
	if err := d.readSources(ctx, s, m); err != nil {
		return err
	}
	related := func(query string) []schema.Memory {
		if err != nil {
			return nil
		}
		var ids []int64
		var records []schema.Memory
		if ids, err = schema.Column[int64](ctx, s.Query, query, m.ID); err == nil {
			records, err = recordsByTime(ctx, s, m.UserID, ids)
		}
		return records
	}
	d.Derived = related("SELECT memory_id FROM memory_sources WHERE source_id = ?")
	d.Replaces = related("SELECT id FROM memories WHERE superseded_by = ?")
	d.ReplacedBy = related(`WITH RECURSIVE later(id) AS (
			SELECT superseded_by FROM memories WHERE id = ? AND superseded_by IS NOT NULL
			UNION SELECT n.superseded_by FROM memories n JOIN later ON n.id = later.id WHERE n.superseded_by IS NOT NULL)
		SELECT id FROM later`)
	if err != nil {
		return err
	}
	slices.SortStableFunc(d.ReplacedBy, func(a, b schema.Memory) int { return cmp.Compare(a.ID, b.ID) }) // a replacement is stored after what it replaces
	if err := d.readRelations(ctx, s, m); err != nil {
		return err
	}
	return d.readHistory(ctx, s, m)
}

func (d *Detail) readRelations(ctx context.Context, s *schema.Snapshot, m *schema.Memory) error {
	links, err := s.LinksOf(ctx, m.UserID, []int64{m.ID}, append([]string{schema.LinkCauses, schema.LinkContradicts}, schema.PrunableLinks...)...)
	for _, l := range links {
		if err != nil {
			break
		}
		r := Relation{Type: l.Type, Confidence: l.Confidence, Inverse: l.From.ID != m.ID}
		var other *schema.Memory
		if other, err = s.Memory(ctx, m.UserID, l.Other(m.ID).UID); err == nil {
			r.Memory = *other
			d.Relations = append(d.Relations, r)
		}
	}
	return err
}

func (d *Detail) readHistory(ctx context.Context, s *schema.Snapshot, m *schema.Memory) error {
	var c Change
	var at schema.Time
	return schema.Each(ctx, s.Query, []any{&at, &c.Actor, &c.Operation, &c.Run, &c.Before, &c.After}, func() error {
		c.At = at.Time
		d.History = append(d.History, c)
		return nil
	}, `SELECT o.at, o.actor, o.operation, coalesce(r.uid, ''), `+schema.OpWithPublicIDs("before")+", "+schema.OpWithPublicIDs("after")+`
		FROM ops o LEFT JOIN runs r ON r.id = o.run_id
		WHERE o.record = 'memories' AND o.record_id = ? AND o.user_id = ? ORDER BY o.id`, m.ID, m.UserID)
}

func (d *Detail) readEvent(ctx context.Context, s *schema.Snapshot, m *schema.Memory) error {
	if m.EventSeq == 0 {
		return nil
	}
	d.Message = new(schema.EventRow)
	return s.NewSelect().Model(d.Message).Where("seq = ?", m.EventSeq).Scan(ctx)
}

func (d *Detail) readEntities(ctx context.Context, s *schema.Snapshot, m *schema.Memory) error {
	var e Mention
	return schema.Each(ctx, s.Query, []any{&e.ID, &e.Type, &e.Name, &e.Surface}, func() error {
		d.Entities = append(d.Entities, e)
		return nil
	}, `SELECT e.uid, e.type, e.name, me.surface FROM memory_entities me
		JOIN entities n ON n.id = me.entity_id JOIN entities e ON e.id = `+root+`
		WHERE me.memory_id = ? ORDER BY e.type, e.name, e.id`, m.ID)
}

func (d *Detail) readSources(ctx context.Context, s *schema.Snapshot, m *schema.Memory) error {
	sources, err := s.Sources(ctx, m.ID)
	if err != nil {
		return err
	}
	ids := make([]int64, len(sources))
	quotes := make(map[int64]string, len(sources))
	for i, source := range sources {
		ids[i] = source.SourceID
		quotes[source.SourceID] = source.Quote
	}
	records, err := recordsByTime(ctx, s, m.UserID, ids)
	for _, r := range records {
		d.Sources = append(d.Sources, SourceText{Memory: r, Quote: quotes[r.ID]})
	}
	return err
}

// readEmbeddings reads what the vectors of a memory were made by.
func (d *Detail) readEmbeddings(ctx context.Context, s *schema.Snapshot, m *schema.Memory) error {
	generations, err := vecstore.GenerationsOf(ctx, s, m.ID)
	for _, g := range generations {
		d.Embeddings = append(d.Embeddings, Embedding{Model: g.Model, Dims: g.Dims, Serving: g.State == vecstore.GenerationServing})
	}
	return err
}
