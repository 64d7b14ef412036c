package fourstores

import (
	"errors"
	"slices"

	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/core"
)

// The names of the blocks.
const (
	BlockCore      = "core"
	BlockSoul      = "soul"
	BlockIdentity  = "identity"
	BlockEvolution = "evolution"
)

// Fields of [BlockIdentity] and [BlockEvolution] that a reflection writes.
const (
	fieldAwareness   = "awareness"
	fieldReflections = "reflections"
	fieldRewards     = "rewards"
	fieldPatterns    = "patterns" // in both logs
)

// Limits of the document.
const (
	CoreTokens      = 3000 // of core memory in a prompt
	EvolutionTokens = 2000
	LogEntries      = 10 // of a log that stands in the prompt
)

// Sections are the six sections of the self-image, by the names of their fields, with
// the document's titles.
var Sections = []struct{ Field, Title string }{
	{"whoIThinkIAm", "Who I Think I Am"},
	{"patternsNoticed", "Patterns I've Noticed"},
	{"quirks", "My Quirks"},
	{"edges", "Edges & Limitations"},
	{"valued", "What I Value (Discovered)"},
	{"openQuestions", "Open Questions"},
}

// Blocks returns core memory in the order of the prompt: what the agent keeps before it
// (MEMORY.md), SOUL.md, IDENTITY.md, and the logs of reflections and rewards.
func Blocks() []core.BlockSpec {
	identity := []core.BlockField{{Name: "facts", List: true, Items: 15}}
	for _, s := range Sections {
		identity = append(identity, core.BlockField{Name: s.Field})
	}
	identity = append(identity, core.BlockField{Name: fieldAwareness, List: true, Items: 40, Newest: true})
	log := func(name string) core.BlockField {
		return core.BlockField{Name: name, List: true, Items: LogEntries, Newest: true}
	}
	return []core.BlockSpec{
		{
			Name: BlockCore, Kind: core.BlockList, Writer: core.ModelWrites, Tokens: 1000, Items: 30,
			About: "what has to be known in every conversation",
		},
		{
			Name: BlockSoul, Kind: core.BlockFields, Writer: core.ModelProposes, Tokens: 600, Critical: true,
			About: "values, principles, commitments and boundaries",
			Fields: []core.BlockField{
				{Name: "coreValues", List: true, Items: 10}, {Name: "principles", List: true, Items: 10},
				{Name: "commitments", List: true, Items: 10}, {Name: "boundaries", List: true, Items: 10},
			},
		},
		{
			Name: BlockIdentity, Kind: core.BlockFields, Writer: core.ModelProposes, Tokens: 2500, Critical: true,
			About: "who you are: given facts, your self-image, what you became aware of", Fields: identity,
		},
		{
			Name: BlockEvolution, Kind: core.BlockFields, Tokens: EvolutionTokens,
			Fields: []core.BlockField{log(fieldReflections), log(fieldRewards), {Name: fieldPatterns, List: true, Items: mostPatterns}},
		},
	}
}

// appended returns a block's content with one more entry of a list. If it would take
// more than the block may, the oldest entries of its lists that keep the newest go.
func appended(spec *core.BlockSpec, b *core.Block, field, entry string, tx *schema.Tx) (string, error) {
	content, err := spec.Next(b.Content, spec.Append(field, entry), tx.Now)
	for err != nil {
		if _, invalid := errors.AsType[*schema.InvalidError](err); !invalid {
			return "", err
		}
		value, _ := b.Value()
		fields, ok := value.(map[string]any)
		if !ok || !dropOldest(spec, fields) {
			return "", err
		}
		shorter, trimmed := spec.Next(b.Content, spec.Replace(fields), tx.Now)
		if trimmed != nil {
			return "", err
		}
		short := *b
		short.Content = shorter
		b = &short
		content, err = spec.Next(b.Content, spec.Append(field, entry), tx.Now)
	}
	return content, nil
}

// dropOldest removes the first entry of the longest list that keeps the newest.
func dropOldest(spec *core.BlockSpec, fields map[string]any) bool {
	longest := ""
	for _, f := range spec.Fields {
		if list, ok := fields[f.Name].([]any); ok && f.Newest && len(list) > 0 {
			if other, _ := fields[longest].([]any); len(list) > len(other) {
				longest = f.Name
			}
		}
	}
	if longest == "" {
		return false
	}
	fields[longest] = slices.Clone(fields[longest].([]any)[1:])
	return true
}
