package consolidate

import (
	_ "embed"
	"fmt"
	"strings"
	"time"

	"github.com/ebbmem/ebb/consolidate/ask"
	"github.com/ebbmem/ebb/internal/text"
)

//go:embed prompts/extract.txt
var extractSystem string

// extractVersion increases with every change of the prompt.
const extractVersion = 1

// alias returns the name of the i-th message of a prompt.
func alias(i int) string { return fmt.Sprintf("m%d", i+1) }

// extractPrompt lists messages of one level of trust as lines of JSON, under their
// session and day.
func extractPrompt(turns []turn, loc *time.Location) ask.Prompt {
	var b strings.Builder
	type heading struct {
		Session string `json:"session"`
		Date    string `json:"date"`
	}
	var last heading
	for i, t := range turns {
		if h := (heading{t.SessionName, t.EventTime.In(loc).Format("Monday, 2 January 2006")}); i == 0 || h != last {
			b.WriteString(jsonLine(h))
			last = h
		}
		if t.before != "" {
			b.WriteString(jsonLine(struct {
				Before string `json:"before"`
			}{t.before}))
		}
		b.WriteString(jsonLine(struct {
			Alias   string `json:"m"`
			Time    string `json:"time"`
			Speaker string `json:"speaker,omitempty"`
			Text    string `json:"text"`
		}{t.alias, t.EventTime.In(loc).Format("15:04"), t.Speaker, t.shown}))
	}
	return ask.Prompt{SafeErrors: true, Name: extractStage, Version: extractVersion, System: strings.TrimSpace(extractSystem), User: "Messages:\n" + b.String(), Schema: extractSchema}
}

// jsonLine returns v as JSON and a line break.
func jsonLine(v any) string { return text.JSON(v) + "\n" }

var extractSchema = object(map[string]any{
	"facts": map[string]any{"type": "array", "items": object(map[string]any{
		"text":       map[string]any{"type": "string"},
		"kind":       map[string]any{"type": "string", "enum": []string{"fact", "preference"}},
		"subject":    map[string]any{"type": "string"},
		"predicate":  map[string]any{"type": "string"},
		"object":     map[string]any{"type": "string"},
		"type":       map[string]any{"type": "string", "enum": temporals},
		"when":       map[string]any{"type": "string"},
		"confidence": map[string]any{"type": "number"},
		"importance": map[string]any{"type": "number"},
		"sources":    map[string]any{"type": "array", "items": map[string]any{"type": "string"}},
		"quote":      map[string]any{"type": "string"},
	}, "text", "kind", "subject", "predicate", "object", "type", "when", "confidence", "importance", "sources", "quote")},
}, "facts")

// object returns the JSON Schema of an object with these properties.
func object(properties map[string]any, required ...string) map[string]any {
	return map[string]any{"type": "object", "properties": properties, "required": required, "additionalProperties": false}
}
