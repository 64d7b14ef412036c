// Package chain converts between stored messages and langchaingo: it finds the texts of a turn
// among the inputs and outputs of a chain, where keys differ from chain to chain, and makes
// stored messages a chat.
package chain

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tmc/langchaingo/llms"

	"github.com/ebbmem/ebb/schema"
)

// Keys returns the sorted keys of a chain's values.
func Keys(values map[string]any) string {
	return strings.Join(slices.Sorted(maps.Keys(values)), ", ")
}

// Input finds the user's message among a chain's inputs: under key, else under
// a usual key, else the only text that is not a memory variable.
func Input(inputs map[string]any, memoryKeys []string, key string) (string, error) {
	return pick("inputs", inputs, key, []string{"input", "question", "human_input", "query"}, memoryKeys)
}

// Output finds the answer among a chain's outputs. Agents may add their
// intermediate steps.
func Output(outputs map[string]any, key string) (string, error) {
	return pick("outputs", outputs, key, []string{"output", "text", "answer"}, []string{"intermediateSteps"})
}

// pick returns an [*schema.InvalidError] if several texts have unusual keys, or there is
// none under the given key.
func pick(field string, values map[string]any, key string, usual, never []string) (string, error) {
	if key != "" {
		s, ok := values[key].(string)
		if !ok {
			return "", &schema.InvalidError{Field: field, Reason: fmt.Sprintf("hold no text under %q, which WithKeys names, so nothing of them is stored; there are %s", key, Keys(values))}
		}
		return s, nil
	}
	blank := false
	for _, key := range usual {
		s, ok := values[key].(string)
		if ok && strings.TrimSpace(s) != "" {
			return s, nil
		}
		blank = blank || ok
	}
	if blank { // an empty message; other inputs are not it
		return "", nil
	}
	var keys []string
	for key, value := range values {
		if s, ok := value.(string); ok && strings.TrimSpace(s) != "" && !slices.Contains(never, key) && key != "agent_scratchpad" {
			keys = append(keys, key)
		}
	}
	switch len(keys) {
	case 0:
		return "", nil
	case 1:
		return values[keys[0]].(string), nil
	}
	slices.Sort(keys)
	return "", &schema.InvalidError{Field: field, Reason: "hold texts under " + strings.Join(keys, ", ") +
		" and none under " + strings.Join(usual, ", ") + ", so nothing of them is stored; name the key by WithKeys"}
}

// History returns a memory's history as text, whatever its form.
func History(history any) string {
	switch h := history.(type) {
	case string:
		return h
	case []llms.ChatMessage:
		var b strings.Builder
		for _, m := range h {
			b.WriteString(m.GetContent())
			b.WriteByte('\n')
		}
		return b.String()
	}
	return ""
}
