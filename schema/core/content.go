package core

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// The content of a block as a value: a string, a []any of strings, a
// map[string]any of both, or a []any of such maps.

// maxID is the longest id of a record, in runes.
const maxID = 80

// NoContent is the value of a block that was never written.
func NoContent(kind BlockKind) any {
	switch kind {
	case BlockList, BlockRecords:
		return []any{}
	case BlockFields:
		return map[string]any{}
	case BlockText:
	}
	return ""
}

// decodeBlock reads the content of a block.
func decode(kind BlockKind, content string) (any, error) {
	if kind == BlockText {
		return content, nil
	}
	if strings.TrimSpace(content) == "" {
		return NoContent(kind), nil
	}
	dec := json.NewDecoder(strings.NewReader(content))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, fmt.Errorf("something stands behind the value")
	}
	return v, nil
}

// decodeStored decodes the content that a file holds. Content that does not have the
// form of the block's kind, because another program wrote it, is an error.
func decodeStored(kind BlockKind, content string) (any, error) {
	v, err := decode(kind, content)
	if err == nil && !formed(kind, v) {
		err = errors.New("what is stored is not of the block's form; the host can set it anew")
	}
	return v, err
}

// formed reports whether a value has the form that edits of this kind of block rely
// on.
func formed(kind BlockKind, v any) bool {
	switch kind {
	case BlockText:
		_, ok := v.(string)
		return ok
	case BlockList:
		return isTexts(v)
	case BlockFields:
		return isFields(v)
	case BlockRecords:
		records, ok := v.([]any)
		return ok && !slices.ContainsFunc(records, func(r any) bool { return id(r) == "" || !isFields(r) })
	}
	return false
}

func isTexts(v any) bool {
	list, ok := v.([]any)
	return ok && !slices.ContainsFunc(list, func(item any) bool { _, isText := item.(string); return !isText })
}

func isFields(v any) bool {
	fields, ok := v.(map[string]any)
	for _, value := range fields {
		if _, isText := value.(string); !isText && !isTexts(value) {
			return false
		}
	}
	return ok
}

func encode(kind BlockKind, v any) string {
	if kind == BlockText {
		return v.(string)
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // strings, lists and maps of them can always be encoded
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// read is the content that a writer gives, in its proper form: texts cleaned,
// empty and repeated entries left out. A field that is not given is not there.
func (s *BlockSpec) read(v any) (any, error) {
	switch s.Kind {
	case BlockText:
		written, ok := v.(string)
		if !ok {
			return nil, s.wrong("", "must be a text")
		}
		return strings.TrimSpace(text.Clean(written)), nil
	case BlockList:
		return s.readList("", v)
	case BlockFields:
		return s.readFields("", v)
	case BlockRecords:
	}
	records, ok := v.([]any)
	if !ok {
		records = []any{v}
	}
	read := make([]any, 0, len(records))
	for _, r := range records {
		one, err := s.readRecord(r)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(read, func(other any) bool { return id(other) == id(one) }) {
			return nil, s.wrong("", fmt.Sprintf("holds the id %q twice; give each record an id of its own", id(one)))
		}
		read = append(read, one)
	}
	return read, nil
}

func (s *BlockSpec) wrong(path, reason string) error {
	return &schema.InvalidError{Field: s.Name + path, Reason: reason}
}

func (s *BlockSpec) readRecord(v any) (map[string]any, error) {
	object, ok := v.(map[string]any)
	if !ok {
		return nil, s.wrong("", `must hold objects such as {"id": "…", "`+s.Fields[0].Name+`": "…"}`)
	}
	key, err := s.readText(".id", object["id"])
	if err != nil {
		return nil, err
	}
	if n := len([]rune(key)); n == 0 || n > maxID || strings.Contains(key, "\n") {
		return nil, s.wrong(".id", "is missing or longer than 80 characters; give each record a short id of its own")
	}
	rest := make(map[string]any, len(object))
	for name, value := range object {
		if name != "id" {
			rest[name] = value
		}
	}
	record, err := s.readFields("", rest)
	if err != nil {
		return nil, err
	}
	record["id"] = key
	return record, nil
}

func (s *BlockSpec) readFields(path string, v any) (map[string]any, error) {
	object, ok := v.(map[string]any)
	if !ok {
		return nil, s.wrong(path, "must be a JSON object with "+s.fieldNames())
	}
	read := make(map[string]any, len(object))
	for name, value := range object {
		f := s.field(name)
		if f == nil {
			return nil, s.wrong(path+"."+short(name), "is not a field; "+s.Name+" has "+s.fieldNames())
		}
		if f.Stamp {
			continue
		}
		var err error
		if f.List {
			read[name], err = s.readList(path+"."+name, value)
		} else {
			read[name], err = s.readText(path+"."+name, value)
		}
		if err != nil {
			return nil, err
		}
	}
	return read, nil
}

func (s *BlockSpec) fieldNames() string {
	names := make([]string, len(s.Fields))
	for i, f := range s.Fields {
		names[i] = f.Name
	}
	return strings.Join(names, ", ")
}

func (s *BlockSpec) readList(path string, v any) ([]any, error) {
	if v == nil {
		return []any{}, nil
	}
	items, ok := v.([]any)
	if !ok {
		return nil, s.wrong(path, "must be a list of texts; to add one entry, append it")
	}
	read := make([]any, 0, len(items))
	for i, item := range items {
		entry, err := s.readText(fmt.Sprintf("%s[%d]", path, i), item)
		if err != nil {
			return nil, err
		}
		if entry != "" && !slices.Contains(read, any(entry)) {
			read = append(read, entry)
		}
	}
	return read, nil
}

// readText reads a text inside a block, also from a number.
func (s *BlockSpec) readText(path string, v any) (string, error) {
	var written string
	switch v := v.(type) {
	case nil:
	case string:
		written = strings.TrimSpace(text.Clean(v))
	case json.Number:
		written = v.String()
	default:
		return "", s.wrong(path, "must be a text")
	}
	if text.Tokens(written) > DefaultFieldTokens {
		return "", s.wrong(path, fmt.Sprintf("is longer than %d tokens; say it in a sentence", DefaultFieldTokens))
	}
	return written, nil
}

// tidy drops what is empty, keeps the newest where that is the rule, and
// refuses what is too much.
func (s *BlockSpec) tidy(v any) (any, error) {
	switch v := v.(type) {
	case []any:
		if s.Kind == BlockRecords {
			v = slices.DeleteFunc(v, func(r any) bool { return r.(map[string]any)[s.Fields[0].Name] == nil })
		}
		if most := cmp.Or(s.Items, DefaultBlockItems); len(v) > most {
			return nil, s.wrong("", fmt.Sprintf("would hold %d entries, and the most is %d; take out what is over first", len(v), most))
		}
		for _, r := range v {
			if record, ok := r.(map[string]any); ok {
				if err := s.tidyFields("."+id(r), record); err != nil {
					return nil, err
				}
			}
		}
		return s.inBudget(v)
	case map[string]any:
		if err := s.tidyFields("", v); err != nil {
			return nil, err
		}
	}
	return s.inBudget(v)
}

func (s *BlockSpec) tidyFields(path string, v map[string]any) error {
	for i := range s.Fields {
		f := &s.Fields[i]
		list, ok := v[f.Name].([]any)
		most := cmp.Or(f.Items, DefaultBlockItems)
		if !ok || len(list) <= most {
			continue
		}
		if !f.Newest {
			return s.wrong(path+"."+f.Name, fmt.Sprintf("would hold %d entries, and the most is %d; take out what is over first", len(list), most))
		}
		v[f.Name] = list[len(list)-most:]
	}
	return nil
}

func (s *BlockSpec) inBudget(v any) (any, error) {
	most := cmp.Or(s.Tokens, DefaultBlockTokens)
	if n := text.Tokens(encode(s.Kind, v)); n > most {
		return nil, s.wrong("", fmt.Sprintf("would take about %d tokens, and the most is %d; shorten it", n, most))
	}
	return v, nil
}

func id(record any) string {
	if r, ok := record.(map[string]any); ok {
		s, _ := r["id"].(string)
		return s
	}
	return ""
}

// short is a name that somebody made up, in a message.
func short(name string) string {
	const most = 40
	if runes := []rune(name); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return name
}
