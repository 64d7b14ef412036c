package dream

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/consolidate/ask"
	"github.com/ebbmem/ebb/schema"
)

//go:embed prompts/relations.txt
var relationsSystem string

const (
	relationsVersion = 1
	pairsPerCall     = 20
)

// Answers of the model beside the types of links.
const (
	unrelated = "none"
	causedBy  = "caused_by" // causes, from the older to the new one
)

var verdicts = []string{unrelated, schema.LinkCauses, causedBy, schema.LinkElaborates, schema.LinkSameEntity, schema.LinkRelated}

// ask sets the relations of pairs by the model. It asks about each level of trust
// separately, so that no text can influence the verdict about memories of higher trust,
// and not about what no prompt may contain. After an error, pairs are unchanged.
func (x *relating) ask(ctx context.Context, in *consolidate.Input, pairs []pair) error {
	levels := make(map[schema.Trust][]int)
	for i, p := range pairs {
		fresh, older := &x.memories[p.fresh], &x.memories[p.older]
		if consolidate.Showable(fresh) && consolidate.Showable(older) {
			level := min(fresh.Trust, older.Trust)
			levels[level] = append(levels[level], i)
		}
	}
	judged := slices.Clone(pairs)
	for _, level := range slices.Backward(slices.Sorted(maps.Keys(levels))) {
		for asked := range slices.Chunk(levels[level], pairsPerCall) {
			err := ask.InHalves(asked, func(some []int) error {
				verdicts, err := x.judge(ctx, in, pairs, some)
				if err != nil {
					return err
				}
				in.Count("compared", len(some))
				for i, v := range verdicts {
					p := &judged[some[i]]
					if p.typ, p.confidence = v.Relation, float64(v.Confidence); v.Relation == unrelated {
						p.typ = ""
					}
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
	}
	copy(pairs, judged)
	return nil
}

// verdict is the model's answer about a pair.
type verdict struct {
	Pair       ask.Int    `json:"pair"`
	Relation   string     `json:"relation"`
	Confidence ask.Number `json:"confidence"`
}

func (x *relating) judge(ctx context.Context, in *consolidate.Input, pairs []pair, asked []int) ([]verdict, error) {
	lines := ""
	for n, i := range asked {
		lines += pairLines(in, n+1, &x.memories[pairs[i].fresh], &x.memories[pairs[i].older])
	}
	var answer struct {
		Pairs []verdict `json:"pairs"`
	}
	err := in.Model.Ask(ctx, ask.Prompt{
		SafeErrors: true, Name: relationsStage, Version: relationsVersion, System: strings.TrimSpace(relationsSystem), User: lines,
		Schema: list("pairs", map[string]any{
			"pair": map[string]any{"type": "integer"}, "relation": map[string]any{"type": "string", "enum": verdicts}, "confidence": map[string]any{"type": "number"},
		}),
	}, func(decode func(any) error) error {
		answer.Pairs = nil
		if err := decode(&answer); err != nil {
			return err
		}
		return check(answer.Pairs, len(asked))
	})
	return answer.Pairs, err
}

// pairLines are the lines of a prompt about a pair of memories.
func pairLines(in *consolidate.Input, number int, newer, older *schema.Memory) string {
	return fmt.Sprintf("{\"pair\":%d}\n", number) + consolidate.PromptLine(newer, "new", in) + consolidate.PromptLine(older, "older", in)
}

// check compares verdicts with the n pairs asked about and sorts them. The error is shown
// to the model; it contains nothing of the answer.
func check(answer []verdict, n int) error {
	if len(answer) != n {
		return fmt.Errorf(`"pairs" has %d entries where there were %d pairs`, len(answer), n)
	}
	slices.SortFunc(answer, func(a, b verdict) int { return int(a.Pair - b.Pair) })
	for i := range answer {
		v := &answer[i]
		v.Relation = strings.ToLower(strings.TrimSpace(v.Relation))
		switch {
		case int(v.Pair) != i+1:
			return errors.New("a pair is missing, or there twice")
		case !slices.Contains(verdicts, v.Relation):
			return fmt.Errorf("the relation of pair %d is none of %s", v.Pair, strings.Join(verdicts, ", "))
		case v.Relation != unrelated && !(v.Confidence > 0 && v.Confidence <= 1):
			return fmt.Errorf("the confidence of pair %d is not above 0 and up to 1", v.Pair)
		}
	}
	return nil
}

// list returns the JSON Schema of an object with one list of objects, whose properties
// are all required.
func list(name string, properties map[string]any) map[string]any {
	object := func(properties map[string]any) map[string]any {
		return map[string]any{"type": "object", "properties": properties, "required": slices.Sorted(maps.Keys(properties)), "additionalProperties": false}
	}
	return object(map[string]any{name: map[string]any{"type": "array", "items": object(properties)}})
}
