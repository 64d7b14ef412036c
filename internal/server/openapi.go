package server

import (
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/ebbmem/ebb/consolidate/fourstores"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/undo"
)

// object returns the schema of a large record. It lists only the required fields.
func object(description string, required ...string) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "object", Description: description, Required: required}
}

// schemaOf returns the JSON schema of a body.
func schemaOf(t reflect.Type) (*jsonschema.Schema, error) {
	// ForType looks up what a pointer points to.
	s, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[schema.Time]():      {Type: "string", Format: "date-time"},
		reflect.TypeFor[time.Time]():        {Type: "string", Format: "date-time"},
		reflect.TypeFor[extension.Kind]():   {Type: "string", Enum: []any{"episode", "fact", "preference", "reflection"}},
		reflect.TypeFor[[]turn]():           turns(),
		reflect.TypeFor[extension.Record](): object("A memory, as ebb show --json prints it.", "id", "kind", "content", "event_time", "state", "origin", "trust"),
		reflect.TypeFor[extension.Detail](): object("As ebb show --json prints it.", "memory", "retention"),
		reflect.TypeFor[extension.Report](): object("As ebb consolidate --json prints it."),
		reflect.TypeFor[extension.Run]():    object("As ebb runs --json prints it.", "id", "cause", "state"),
		reflect.TypeFor[undo.Result]():      object("As ebb undo --json prints it.", "run_id", "changes"),

		reflect.TypeFor[fourstores.Status](): object("As ebb reflect --json prints it.", "state"),
	}})
	if err == nil {
		bound(s)
	}
	return s, err
}

// turns is the schema of the messages of a request.
func turns() *jsonschema.Schema {
	one, err := jsonschema.ForType(reflect.TypeFor[turn](), &jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[time.Time](): {Type: "string", Format: "date-time"},
	}})
	if err != nil {
		panic(err) // the type is fixed
	}
	bound(one)
	return &jsonschema.Schema{Type: "array", Items: one, MinItems: new(1), MaxItems: new(maxTurns)}
}

// visible is the pattern of a text that is not empty; a new line of EBCDIC is a space to
// Go, but not to JavaScript, whose patterns JSON Schema has.
const visible = `[^\s\x85]`

// bound adds what the handlers ask of values, which Go's types do not say.
func bound(s *jsonschema.Schema) {
	for name, p := range s.Properties {
		switch {
		case name == "role" && p.Type == "string":
			p.Enum = []any{"user", "assistant", "tool"}
		case name == "verdict":
			p.Enum = []any{"approve", "bonus", "reduce", "forgive", "penalty"}
		case slices.Contains([]string{"extra", "penalty", "amount"}, name):
			p.Minimum, p.Maximum = new(0.0), new(32000.0)
		case name == "limit":
			p.Minimum, p.Maximum = new(0.0), new(1000.0)
		case p.Type == "string" && (name == "content" || name == "text" || name == "query"):
			p.Pattern = visible
		case p.Type == "string" && slices.Contains([]string{"id", "session", "speaker", "tool", "tag"}, name):
			p.Pattern, p.MaxLength = `^[^\x00]*$`, new(schema.MaxLabel)
		}
	}
}

var pathParameter = regexp.MustCompile(`\{(\w+)\}`)

// openAPI returns the OpenAPI document of the API.
var openAPI = sync.OnceValues(func() (map[string]any, error) {
	failed, err := schemaOf(reflect.TypeFor[failure]())
	if err != nil {
		return nil, err
	}
	fails := map[string]any{"description": "error", "content": jsonContent(failed)}
	paths := make(map[string]map[string]any)
	for _, e := range endpoints() {
		responses := map[string]any{"default": fails}
		if e.out != nil {
			out, err := schemaOf(e.out)
			if err != nil {
				return nil, err
			}
			responses["200"] = map[string]any{"description": "done", "content": jsonContent(out)}
		} else {
			responses["200"] = map[string]any{"description": "done", "content": map[string]any{"application/x-ndjson": map[string]any{}}}
		}
		var parameters []any
		for _, p := range [][2]string{
			{userHeader, "the user, for a token of a service alone"}, {userHeader + encodedSuffix, "the same, percent-encoded UTF-8, in its place"},
			{tenantHeader, "the user's tenant, for a token of a service alone"}, {tenantHeader + encodedSuffix, "the same, percent-encoded UTF-8, in its place"},
		} {
			parameters = append(parameters, map[string]any{"name": p[0], "in": "header", "description": p[1], "schema": map[string]any{"type": "string"}})
		}
		for _, m := range pathParameter.FindAllStringSubmatch(e.path, -1) {
			parameters = append(parameters, map[string]any{"name": m[1], "in": "path", "required": true, "schema": map[string]any{"type": "string", "pattern": visible}})
		}
		if e.limit {
			parameters = append(parameters, map[string]any{"name": "limit", "in": "query", "schema": map[string]any{"type": "integer", "minimum": 1, "maximum": 1000}})
		}
		operation := map[string]any{"summary": e.summary, "parameters": parameters, "responses": responses}
		if e.hostOnly {
			operation["description"] = "Only for a token that speaks for the user (ebb token add --as host)."
		}
		if e.in != nil {
			in, err := schemaOf(e.in)
			if err != nil {
				return nil, err
			}
			operation["requestBody"] = map[string]any{"required": true, "content": jsonContent(in)}
		}
		if paths[e.path] == nil {
			paths[e.path] = make(map[string]any)
		}
		paths[e.path][strings.ToLower(e.method)] = operation
	}
	return map[string]any{
		"openapi":    "3.1.0",
		"info":       map[string]any{"title": "ebb", "version": "1", "description": "Long-term memory of one user. The token says whose."},
		"paths":      paths,
		"security":   []any{map[string]any{"token": []any{}}},
		"components": map[string]any{"securitySchemes": map[string]any{"token": map[string]any{"type": "http", "scheme": "bearer"}}},
	}, nil
})

func jsonContent(s *jsonschema.Schema) map[string]any {
	return map[string]any{"application/json": map[string]any{"schema": s}}
}

func (s *Server) serveOpenAPI(w http.ResponseWriter, _ *http.Request) {
	document, err := openAPI()
	if err != nil {
		s.fault(w, err)
		return
	}
	answer(w, http.StatusOK, document)
}
