package transfer

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

// What the memories of other programs say was written by a model, so that it is an
// assistant's word, whatever origin the host gives to the texts.
const writtenByModel = "assistant"

// claimOf is a memory of Mem0 or Hindsight, or a relation of Mem0's graph.
type claimOf struct {
	// Mem0: get_all, and the exports of its platform.
	Memory  string `json:"memory"`
	Created string `json:"created_at"`
	Updated string `json:"updated_at"`
	Run     string `json:"run_id"`

	Source       string `json:"source"`
	Relationship string `json:"relationship"`
	Target       string `json:"target"`

	// Hindsight: lists of memories, and answers of recall.
	rowUser

	Text      string `json:"text"`
	Date      string `json:"date"` // when it happened
	Occurred  string `json:"occurred_start"`
	Mentioned string `json:"mentioned_at"`
	Document  string `json:"document_id"`

	// Of both, what is left out.
	Metadata json.RawMessage `json:"metadata"`
	Entities json.RawMessage `json:"entities"`
	Context  json.RawMessage `json:"context"`
	Tags     json.RawMessage `json:"tags"`
}

// labelled reports whether a memory has labels beside its words.
func (c *claimOf) labelled() bool {
	return slices.ContainsFunc([]json.RawMessage{c.Metadata, c.Entities, c.Context, c.Tags}, func(label json.RawMessage) bool {
		return !slices.Contains([]string{"", "null", "{}", "[]", `""`}, string(label))
	})
}

// claim reads a memory of Mem0 or Hindsight. It is known by its words and time, so
// that one that was changed since comes as another.
func (e *elements) claim(where string, raw []byte) error {
	var c claimOf
	if err := json.Unmarshal(raw, &c); err != nil {
		return err
	}
	said := cmp.Or(c.Memory, c.Text)
	if c.Relationship != "" {
		said = words(c.Source) + " " + words(c.Relationship) + " " + words(c.Target)
	}
	if strings.TrimSpace(said) == "" {
		e.report.Skipped++
		return nil
	}
	field, written := "updated_at", c.Updated
	for _, other := range [...][2]string{{"created_at", c.Created}, {"occurred_start", c.Occurred}, {"date", c.Date}, {"mentioned_at", c.Mentioned}} {
		if written == "" {
			field, written = other[0], other[1]
		}
	}
	at, err := foreignTime(field, written)
	if err != nil {
		return err
	}
	of, err := c.names()
	if err != nil {
		return err
	}
	if c.Relationship == "" && e.owners != nil {
		e.owners[strings.Join(of, "\x00")] = of
	} else if len(of) == 0 && len(e.owners) == 1 { // relations name no user
		for _, of = range e.owners {
			break
		}
	}
	if c.labelled() {
		e.report.leaveOut("labels of memories", 1)
	}
	return e.turn(where, importedTurn{session: cmp.Or(c.Run, c.Document, e.unnamed), role: writtenByModel, text: said, of: of, at: at, claim: true})
}

// graph reads an entity or a relation of the reference MCP memory server: each
// observation is a sentence about the entity.
func (e *elements) graph(where string, raw []byte) error {
	var node struct {
		Name         string            `json:"name"`
		EntityType   string            `json:"entityType"`
		Observations []json.RawMessage `json:"observations"` // texts
		From         string            `json:"from"`
		To           string            `json:"to"`
		RelationType string            `json:"relationType"`
	}
	if err := json.Unmarshal(raw, &node); err != nil {
		return err
	}
	var said []string
	if node.RelationType != "" {
		said = append(said, words(node.From)+" "+words(node.RelationType)+" "+words(node.To)+".")
	}
	for _, raw := range node.Observations {
		var observation string
		if err := decode(raw, &observation); err != nil {
			if err := e.fault(where, err); err != nil {
				return err
			}
		}
		if strings.TrimSpace(observation) != "" {
			said = append(said, words(node.Name)+": "+observation)
		}
	}
	if node.EntityType != "" {
		e.report.leaveOut("types of entities", 1)
	}
	if len(said) == 0 {
		e.report.Skipped++
	}
	for _, s := range said {
		if err := e.turn(where, importedTurn{session: e.unnamed, role: writtenByModel, text: s, claim: true}); err != nil {
			return err
		}
	}
	return nil
}

// words writes a name as people do: the server asks models for names such as
// John_Smith.
func words(name string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(name, "_", " ")), " ")
}
