package consolidate

import (
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ebbmem/ebb/consolidate/ask"
	"github.com/ebbmem/ebb/consolidate/relation"
	"github.com/ebbmem/ebb/schema"
)

//go:embed prompts/conflict.txt
var conflictSystem string

// conflictVersion increases with every change of the prompt.
const conflictVersion = 1

// question is a pair of claims for the model to judge.
type question struct{ fresh, known *claim }

// conflictPrompt lists the claims of some pairs, each once, as lines of JSON with
// short aliases, followed by the pairs.
func conflictPrompt(questions []question, loc *time.Location) ask.Prompt {
	var records, pairs strings.Builder
	aliases := make(map[int64]string)
	var as, bs int
	alias := func(c *claim, prefix string, n *int) string {
		if a, ok := aliases[c.ID]; ok {
			return a
		}
		*n++
		a := fmt.Sprintf("%s%d", prefix, *n)
		aliases[c.ID] = a
		records.WriteString(jsonLine(struct {
			Record string `json:"record"`
			Text   string `json:"text"`
			Since  string `json:"since"`
			Said   string `json:"said"`
			By     string `json:"by"`
		}{a, c.Content, date(c.ValidFrom.Time, loc), date(c.Said.Time, loc), c.by()}))
		return a
	}
	for i, q := range questions {
		pairs.WriteString(jsonLine(struct {
			Pair  int    `json:"pair"`
			New   string `json:"new"`
			Known string `json:"known"`
		}{i + 1, alias(q.fresh, "a", &as), alias(q.known, "b", &bs)}))
	}
	return ask.Prompt{
		SafeErrors: true,
		Name:       conflictStage, Version: conflictVersion, System: strings.TrimSpace(conflictSystem), Schema: conflictSchema,
		User: "Records:\n" + records.String() + "Pairs:\n" + pairs.String(),
	}
}

func date(t time.Time, loc *time.Location) string { return t.In(loc).Format("2 January 2006") }

// by returns the speaker of a claim.
func (c *claim) by() string {
	switch {
	case c.SaidBy != "":
		return c.SaidBy
	case c.Origin == schema.OriginUser:
		return "user"
	}
	return string(c.Origin)
}

var conflictSchema = object(map[string]any{
	"pairs": map[string]any{"type": "array", "items": object(map[string]any{
		"pair":     map[string]any{"type": "integer"},
		"relation": map[string]any{"type": "string", "enum": relation.Kinds},
		"why":      map[string]any{"type": "string"},
	}, "pair", "relation", "why")},
}, "pairs")

// conflictAnswer is the form of the model's answer.
type conflictAnswer struct {
	Pairs []pairVerdict `json:"pairs"`
}

type pairVerdict struct {
	Pair     ask.Int       `json:"pair"`
	Relation relation.Kind `json:"relation"`
	Why      string        `json:"why"`
}

// check compares an answer with the n pairs of the question and sorts it by pair.
// The error is shown to the model; it contains nothing of the answer.
func (a *conflictAnswer) check(n int) error {
	if a.Pairs == nil {
		return errors.New(`it has no list "pairs"`)
	}
	seen := make([]bool, n)
	for i := range a.Pairs {
		v := &a.Pairs[i]
		if v.Pair < 1 || int(v.Pair) > n {
			return fmt.Errorf("entry %d is about a pair that was not asked about; the pairs are 1 to %d", i+1, n)
		}
		if seen[v.Pair-1] {
			return fmt.Errorf("pair %d is there twice", v.Pair)
		}
		seen[v.Pair-1] = true
		v.Relation = relation.Kind(strings.ToLower(strings.TrimSpace(string(v.Relation))))
		if !slices.Contains(relation.Kinds, v.Relation) {
			return fmt.Errorf(`the relation of pair %d is none of "same", "update", "contradiction", "compatible"`, v.Pair)
		}
	}
	if missing := slices.Index(seen, false); missing >= 0 {
		return fmt.Errorf("pair %d is missing", missing+1)
	}
	slices.SortFunc(a.Pairs, func(x, y pairVerdict) int { return int(x.Pair - y.Pair) })
	return nil
}
