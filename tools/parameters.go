package tools

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ebbmem/ebb/schema"
)

// parameterKind is the JSON type of a parameter.
type parameterKind string

const (
	kindText    parameterKind = "string"
	kindInteger parameterKind = "integer"
	kindNumber  parameterKind = "number"
	kindList    parameterKind = "array of strings"
	kindNumbers parameterKind = "array of integers"
	kindContent parameterKind = "text or JSON" // parsed by the tool
	kindFlag    parameterKind = "boolean"
)

// parameter is one field of a tool's input. It defines the JSON schema, the parsing
// and the messages about mistakes.
type parameter struct {
	name     string
	kind     parameterKind
	about    string // for the model
	required bool
	enum     []string
	min, max float64 // of numbers; both 0 means unbounded
	extended bool    // only with Deps.Extended
}

// describe returns the parameter for a description: its name, with a question mark
// if it is optional, its values unless it is any text, and its meaning.
func (p *parameter) describe() string {
	var notes []string
	switch {
	case p.name == "section": // its meaning lists the values
	case p.enum != nil:
		notes = append(notes, strings.Join(p.enum, "|"))
	case p.bounded():
		notes = append(notes, fmt.Sprintf("%v-%v", p.min, p.max))
	case p.kind != kindText:
		notes = append(notes, shortKinds[p.kind])
	}
	if p.about != "" {
		notes = append(notes, p.about)
	}
	name := p.name
	if !p.required {
		name += "?"
	}
	if len(notes) == 0 {
		return name
	}
	return name + ": " + strings.Join(notes, ", ")
}

// shortKinds are the names of kinds in a description.
var shortKinds = map[parameterKind]string{
	kindInteger: "number", kindNumber: "number", kindList: "list", kindNumbers: "list of numbers", kindContent: "text or JSON", kindFlag: "true or false",
}

// bounded reports whether a model has to know the range. MaxCycle is beyond any
// value that it would write.
func (p *parameter) bounded() bool { return p.min != p.max && p.max < schema.MaxCycle }

// jsonSchema returns the JSON schema of an object with these fields.
func jsonSchema(parameters []parameter) map[string]any {
	properties := make(map[string]any, len(parameters))
	required := []string{}
	for _, p := range parameters {
		properties[p.name] = p.schema()
		if p.required {
			required = append(required, p.name)
		}
	}
	return map[string]any{
		"type":                 "object",
		"properties":           properties,
		"required":             required,
		"additionalProperties": false,
	}
}

func (p parameter) schema() map[string]any {
	s := map[string]any{"type": string(p.kind)}
	if p.about != "" {
		s["description"] = p.about
	}
	if items, list := map[parameterKind]string{kindList: "string", kindNumbers: "integer"}[p.kind]; list {
		s["type"] = "array"
		s["items"] = map[string]any{"type": items}
		s["maxItems"] = maxListItems
	}
	if p.kind == kindContent {
		delete(s, "type") // any
	}
	if p.enum != nil {
		s["enum"] = slices.Clone(p.enum)
	}
	if p.min != p.max {
		s["minimum"], s["maximum"] = p.min, p.max
	}
	return s
}
