package tools

import "slices"

// parameterKind is the JSON type of a parameter.
type parameterKind string

const (
	kindText    parameterKind = "string"
	kindInteger parameterKind = "integer"
	kindNumber  parameterKind = "number"
	kindList    parameterKind = "array of strings"
	kindNumbers parameterKind = "array of integers"
	kindContent parameterKind = "text or JSON" // which its reader looks into
)

// parameter is one field of a tool's input. The JSON schema, the reading and
// the messages about mistakes all come from it.
type parameter struct {
	name     string
	kind     parameterKind
	about    string // for the model
	required bool
	enum     []string
	min, max float64 // of numbers; both 0 means unbounded
}

// jsonSchema is the JSON schema of an object with these fields.
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
	s := map[string]any{"type": string(p.kind), "description": p.about}
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
