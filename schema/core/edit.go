package core

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// BlockEdit returns the next content of a block, given the content now. It is a pure
// function.
type BlockEdit func(now any) (next any, err error)

// Replace replaces all content of a block.
func (s *BlockSpec) Replace(content any) BlockEdit {
	return func(any) (any, error) {
		v, err := s.read(content)
		if err != nil {
			return nil, err
		}
		return v, nil
	}
}

// Update changes a block to content, as seen by a writer who last read base, the
// content of an earlier version. It keeps what others have changed since: fields
// that content does not name stay, records are changed by their id, and entries that
// others added to a list stay. A nil base stands for the current content; content
// then replaces it.
func (s *BlockSpec) Update(content, base any) BlockEdit {
	return func(now any) (any, error) {
		given, err := s.read(content)
		if err != nil {
			return nil, err
		}
		switch {
		case base == nil:
			base = now
		case !formed(s.Kind, base): // what was seen was damaged, or of another kind
			base = NoContent(s.Kind)
		}
		if err := s.known(given, base, now); err != nil {
			return nil, err
		}
		return merge(s.Name, base, overlay(base, given), now)
	}
}

// known refuses an update of records that names none, or a record that does not
// exist and has no text.
func (s *BlockSpec) known(given, base, now any) error {
	records, ok := given.([]any)
	if s.Kind != BlockRecords || !ok {
		return nil
	}
	if len(records) == 0 {
		return s.wrong("", "was given no record; send those to change, each with its id. To take one out, send it with an empty "+s.Fields[0].Name)
	}
	for _, record := range records {
		same := func(r any) bool { return id(r) == id(record) }
		if first := record.(map[string]any)[s.Fields[0].Name]; first != nil && first != "" {
			continue
		}
		if !slices.ContainsFunc(base.([]any), same) && !slices.ContainsFunc(now.([]any), same) {
			return s.wrong("."+s.Fields[0].Name, fmt.Sprintf("is missing, and there is no %q yet; say what it is about", id(record)))
		}
	}
	return nil
}

// Append adds an entry to a list: to the block's own, or to that of a field.
func (s *BlockSpec) Append(field string, item any) BlockEdit {
	return func(now any) (any, error) {
		switch {
		case s.Kind == BlockRecords && field == "":
			record, err := s.readRecord(item)
			if err != nil {
				return nil, err
			}
			records := now.([]any)
			if slices.ContainsFunc(records, func(r any) bool { return id(r) == id(record) }) {
				return nil, s.wrong(".id", fmt.Sprintf("%q is there already; change that record by an update, or choose another id", id(record)))
			}
			if record[s.Fields[0].Name] == nil || record[s.Fields[0].Name] == "" {
				return nil, s.wrong("."+s.Fields[0].Name, "is missing or empty; say what it is about")
			}
			return append(slices.Clone(records), record), nil
		case s.Kind == BlockList && field == "":
			return s.appendText("", now.([]any), item)
		case s.Kind == BlockFields && s.field(field) != nil && s.field(field).List:
			fields := maps.Clone(now.(map[string]any))
			list, _ := fields[field].([]any)
			list, err := s.appendText("."+field, list, item)
			fields[field] = list
			return fields, err
		}
		return nil, s.wrong("", "has no list to append to")
	}
}

func (s *BlockSpec) appendText(path string, list []any, item any) ([]any, error) {
	entry, err := s.readText(path, item)
	if err != nil {
		return nil, err
	}
	if entry == "" {
		return nil, s.wrong(path, "was given an empty entry; give a text")
	}
	if slices.Contains(list, any(entry)) {
		return list, nil
	}
	return append(slices.Clone(list), entry), nil
}

// overlay is base with what is given: fields and records by their name.
func overlay(base, given any) any {
	switch given := given.(type) {
	case map[string]any:
		over := maps.Clone(base.(map[string]any))
		maps.Copy(over, given)
		return over
	case []any:
		if len(given) == 0 || id(given[0]) == "" {
			return given
		}
		over := slices.Clone(base.([]any))
		for _, record := range given {
			at := slices.IndexFunc(over, func(r any) bool { return id(r) == id(record) })
			if at < 0 {
				over = append(over, record)
				continue
			}
			over[at] = overlay(over[at], record)
		}
		return over
	}
	return given
}

// withoutEmpty drops fields without text, so that equal contents are equal
// texts.
func withoutEmpty(v any) any {
	switch v := v.(type) {
	case map[string]any:
		kept := make(map[string]any, len(v))
		for name, value := range v {
			list, isList := value.([]any)
			if value != "" && value != nil && (!isList || len(list) > 0) {
				kept[name] = value
			}
		}
		return kept
	case []any:
		kept := make([]any, len(v))
		for i := range v {
			kept[i] = withoutEmpty(v[i])
		}
		return kept
	}
	return v
}

// stamp sets the time fields of the records that an edit changed.
func (s *BlockSpec) stamp(before, after any, at time.Time) {
	if s.Kind != BlockRecords {
		return
	}
	old := make(map[string]string)
	for _, r := range before.([]any) {
		old[id(r)] = encode(s.Kind, r)
	}
	for _, r := range after.([]any) {
		record := r.(map[string]any)
		if encode(s.Kind, record) == old[id(record)] {
			continue
		}
		for _, f := range s.Fields {
			if f.Stamp {
				record[f.Name] = at.UTC().Format(time.RFC3339)
			}
		}
	}
}

// Next returns the content of a block after an edit, in normal form and within its
// limits.
//
// Errors: [*schema.InvalidError] naming the field and what would be right,
// [schema.ErrConflict] for a text that another writer has changed.
func (s *BlockSpec) Next(content string, edit BlockEdit, at time.Time) (string, error) {
	now, err := decodeStored(s.Kind, content)
	if err != nil {
		return "", fmt.Errorf("block %s: %w", s.Name, err)
	}
	next, err := edit(now)
	if err != nil {
		return "", err
	}
	if next, err = s.tidy(withoutEmpty(next)); err != nil {
		return "", err
	}
	s.stamp(now, next, at)
	return encode(s.Kind, next), nil
}

// Pieces returns the texts in a block's content one by one: the lines of a text, the
// entries of lists, the fields of objects.
func (s *BlockSpec) Pieces(content string) (pieces []string) {
	all := func(piece string) (bool, error) {
		if strings.TrimSpace(piece) != "" {
			pieces = append(pieces, piece)
		}
		return true, nil
	}
	_, _ = Filter(s.Kind, content, all) // which has no error of its own
	return pieces
}

// Decode parses text that a writer gives as content: the text itself, or JSON. It
// returns an [*schema.InvalidError] when it cannot be parsed.
func (s *BlockSpec) Decode(content string) (any, error) {
	v, err := decode(s.Kind, content)
	if err != nil {
		return nil, s.wrong("", "is not valid JSON ("+strings.TrimSuffix(err.Error(), ".")+"); it must be "+s.form())
	}
	return v, nil
}

// form describes the form of the content for an error message.
func (s *BlockSpec) form() string {
	switch s.Kind {
	case BlockList:
		return "a list of texts"
	case BlockFields:
		return "an object with " + s.fieldNames()
	case BlockRecords:
		return "a list of objects with id, " + s.fieldNames()
	case BlockText:
	}
	return "a text"
}

// Filter returns a block's content without the pieces that keep rejects. Content
// that cannot be decoded is filtered line by line.
func Filter(kind BlockKind, content string, keep func(piece string) (bool, error)) (string, error) {
	v, err := decode(kind, content)
	if _, isText := v.(string); err != nil || isText {
		return filterLines(content, keep)
	}
	kept, all, err := filterValue(v, keep)
	if err != nil || all {
		return content, err
	}
	return encode(kind, withoutEmpty(kept)), nil
}

func filterLines(content string, keep func(string) (bool, error)) (string, error) {
	var kept []string
	lines := strings.Split(content, "\n")
	for _, line := range lines {
		ok, err := keep(line)
		if err != nil {
			return "", err
		}
		if ok {
			kept = append(kept, line)
		}
	}
	if len(kept) == len(lines) {
		return content, nil
	}
	return strings.Join(kept, "\n"), nil
}

// filterValue returns v without the texts that keep rejects; all reports that
// keep rejected none.
func filterValue(v any, keep func(string) (bool, error)) (kept any, all bool, err error) {
	switch v := v.(type) {
	case string:
		ok, err := keep(v)
		if !ok {
			return "", false, err
		}
		return v, true, err
	case []any:
		all = true
		left := make([]any, 0, len(v))
		for _, item := range v {
			kept, whole, err := filterValue(item, keep)
			if err != nil {
				return nil, false, err
			}
			all = all && whole
			if whole { // a record without one of its fields is left out
				left = append(left, kept)
			}
		}
		return left, all, nil
	case map[string]any:
		all = true
		left := make(map[string]any, len(v))
		for name, value := range v {
			kept, whole, err := filterValue(value, keep)
			if err != nil {
				return nil, false, err
			}
			all = all && whole
			left[name] = kept
		}
		return left, all, nil
	}
	return v, true, nil
}
