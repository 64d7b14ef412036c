package clients

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// scanner finds the positions of values in JSON with comments and trailing commas, the
// format of clients' configuration files.
type scanner struct {
	text []byte
	at   int
}

// value is the position of a value, and those of its members if it is an object.
type value struct {
	start, end int
	object     bool
	members    []member
}

// member is a field of an object.
type member struct {
	name  string
	start int // offset of its name
	value value
}

var errSyntax = errors.New("the file is not valid JSON")

// maxDepth is the maximum nesting of values.
const maxDepth = 200

// parse returns the position of the only value of a text.
func parse(text []byte) (value, error) {
	s := scanner{text: text}
	v, err := s.value(0)
	if err != nil {
		return v, err
	}
	if s.space(); s.at < len(text) {
		return v, errSyntax
	}
	return v, nil
}

// space skips white space and comments.
func (s *scanner) space() {
	for s.at < len(s.text) {
		rest := s.text[s.at:]
		switch {
		case strings.IndexByte(" \t\r\n", rest[0]) >= 0:
			s.at++
		case bytes.HasPrefix(rest, []byte("//")):
			if end := bytes.IndexByte(rest, '\n'); end >= 0 {
				s.at += end
			} else {
				s.at = len(s.text)
			}
		case bytes.HasPrefix(rest, []byte("/*")):
			end := bytes.Index(rest[2:], []byte("*/"))
			if end < 0 {
				return // no value begins with a slash
			}
			s.at += end + 4
		default:
			return
		}
	}
}

// next skips space and returns the next byte without consuming it; 0 at the end.
func (s *scanner) next() byte {
	if s.space(); s.at < len(s.text) {
		return s.text[s.at]
	}
	return 0
}

func (s *scanner) value(depth int) (value, error) {
	first := s.next()
	v := value{start: s.at}
	var err error
	switch {
	case depth > maxDepth:
		err = errSyntax
	case first == '{':
		v.object = true
		v.members, err = s.members(depth)
	case first == '[':
		err = s.list('[', ']', func() error { _, err := s.value(depth + 1); return err })
	case first == '"':
		_, err = s.string()
	default:
		for s.at < len(s.text) && strings.IndexByte(" \t\r\n,]}/", s.text[s.at]) < 0 {
			s.at++
		}
		if !json.Valid(s.text[v.start:s.at]) {
			err = errSyntax
		}
	}
	v.end = s.at
	return v, err
}

// list reads comma-separated items between two brackets.
func (s *scanner) list(opening, closing byte, item func() error) error {
	if s.next() != opening {
		return errSyntax
	}
	s.at++
	for {
		if s.next() == closing {
			s.at++
			return nil
		}
		if err := item(); err != nil {
			return err
		}
		switch s.next() {
		case ',':
			s.at++
		case closing:
		default:
			return errSyntax
		}
	}
}

func (s *scanner) members(depth int) (all []member, err error) {
	return all, s.list('{', '}', func() error {
		if s.next() != '"' {
			return errSyntax
		}
		m := member{start: s.at}
		var err error
		if m.name, err = s.string(); err != nil {
			return err
		}
		if s.next() != ':' {
			return errSyntax
		}
		s.at++
		m.value, err = s.value(depth + 1)
		all = append(all, m)
		return err
	})
}

func (s *scanner) string() (read string, err error) {
	start := s.at
	for s.at++; s.at < len(s.text); s.at++ {
		switch s.text[s.at] {
		case '\\':
			s.at++
		case '"':
			s.at++
			if json.Unmarshal(s.text[start:s.at], &read) != nil {
				return "", errSyntax
			}
			return read, nil
		}
	}
	s.at = len(s.text)
	return "", errSyntax
}

// field returns the members with this name; JSON allows duplicates.
func (v *value) field(name string) (found []member) {
	for _, m := range v.members {
		if m.name == name {
			found = append(found, m)
		}
	}
	return found
}

// plain decodes a value into Go types.
func plain(text []byte, v *value) (any, error) {
	if !v.object {
		var decoded any
		err := json.Unmarshal(withoutComments(text[v.start:v.end]), &decoded)
		return decoded, err
	}
	fields := make(map[string]any)
	for i := range v.members {
		decoded, err := plain(text, &v.members[i].value)
		if err != nil {
			return nil, err
		}
		fields[v.members[i].name] = decoded
	}
	return fields, nil
}

// withoutComments returns JSON without comments and trailing commas.
func withoutComments(text []byte) []byte {
	var out []byte
	s := scanner{text: text}
	for s.space(); s.at < len(text); s.space() {
		start := s.at
		if text[s.at] == '"' {
			if _, err := s.string(); err != nil {
				return text
			}
		} else {
			s.at++
		}
		if c := text[start]; (c == ']' || c == '}') && len(out) > 0 && out[len(out)-1] == ',' {
			out = out[:len(out)-1]
		}
		out = append(out, text[start:s.at]...)
	}
	return out
}

// servers returns the root object of a file and the object that lists the servers,
// which is nil if there is none.
func (c *Client) servers(content []byte) (root, servers *value, err error) {
	v, err := parse(content)
	if err != nil {
		return nil, nil, err
	}
	found := v.field(c.key)
	switch {
	case !v.object:
		return nil, nil, errors.New("the file holds no JSON object")
	case len(found) == 0:
		return &v, nil, nil
	case len(found) > 1 || !found[0].value.object || len(found[0].value.field(entryName)) > 1:
		return nil, nil, fmt.Errorf("%q in the file is not one object", c.key)
	}
	return &v, &found[0].value, nil
}

// setJSON adds or replaces ebb's entry.
func (c *Client) setJSON(content, entry []byte) ([]byte, error) {
	if len(bytes.TrimSpace(content)) == 0 {
		content = []byte("{}\n")
	}
	root, servers, err := c.servers(content)
	if err != nil {
		return nil, err
	}
	unit := indentation(content, root)
	var changed []byte
	switch {
	case servers == nil:
		changed = insert(content, root, c.key, fmt.Appendf(nil, `{%q:%s}`, entryName, entry), unit, 1)
	case len(servers.field(entryName)) == 1:
		old := servers.field(entryName)[0].value
		changed = splice(content, old.start, old.end, pretty(entry, unit, 2))
	default:
		changed = insert(content, servers, entryName, entry, unit, 2)
	}
	var want any
	if err := json.Unmarshal(entry, &want); err != nil {
		return nil, err
	}
	return changed, c.onlyEntryDiffers(readJSON, content, changed, want)
}

// removeJSON removes ebb's entry together with one comma.
func (c *Client) removeJSON(content []byte) (without []byte, found bool, err error) {
	if len(bytes.TrimSpace(content)) == 0 {
		return content, false, nil
	}
	_, servers, err := c.servers(content)
	if err != nil || servers == nil || len(servers.field(entryName)) == 0 {
		return content, false, err
	}
	original := content
	var start, end int
	for i, m := range servers.members {
		if m.name != entryName {
			continue
		}
		start, end = m.start, m.value.end
		s := scanner{text: content, at: end}
		switch {
		case s.next() == ',':
			end = s.at + 1
			if i+1 < len(servers.members) {
				rest := content[end:servers.members[i+1].start]
				end += len(rest) - len(bytes.TrimLeft(rest, " \t\r\n"))
				break
			}
			start -= gapBefore(content[:start])
		case i > 0:
			before := servers.members[i-1].value.end
			s := scanner{text: content, at: before}
			s.next() // the comma
			content, start, end = splice(content, s.at, s.at+1, nil), start-1, end-1
			start -= gapBefore(content[:start])
		default:
			start -= gapBefore(content[:start])
		}
	}
	changed := splice(content, start, end, nil)
	return changed, true, c.onlyEntryDiffers(readJSON, original, changed, nil)
}

// gapBefore returns the length of the white space at the end of a text, without a line
// break that ends a comment.
func gapBefore(text []byte) int {
	rest := bytes.TrimRight(text, " \t\r\n")
	gap := text[len(rest):]
	if line := rest[bytes.LastIndexByte(rest, '\n')+1:]; bytes.Contains(line, []byte("//")) {
		return len(gap) - (bytes.IndexByte(gap, '\n') + 1)
	}
	return len(gap)
}

// onlyEntryDiffers returns an error unless the changed file contains the given entry
// (nil for none) and is otherwise equal to the old one. Both are decoded by read.
func (c *Client) onlyEntryDiffers(read func(content []byte) (map[string]any, error), before, after []byte, want any) error {
	parts := func(content []byte) (rest map[string]any, entry any, err error) {
		if rest, err = read(content); err != nil {
			return nil, nil, err
		}
		servers, _ := rest[c.key].(map[string]any)
		entry = servers[entryName]
		delete(servers, entryName)
		if len(servers) == 0 {
			delete(rest, c.key)
		}
		return rest, entry, nil
	}
	was, _, err := parts(before)
	if err != nil {
		return err
	}
	is, got, err := parts(after)
	if err != nil {
		return fmt.Errorf("the file cannot be changed safely (%w); add the entry by hand", err)
	}
	if len(was)+len(is) > 0 && !reflect.DeepEqual(was, is) || !reflect.DeepEqual(want, got) {
		return errors.New("the file cannot be changed safely; change it by hand")
	}
	return nil
}

func readJSON(content []byte) (map[string]any, error) {
	v, err := parse(content)
	if err != nil {
		return nil, err
	}
	decoded, err := plain(content, &v)
	object, _ := decoded.(map[string]any)
	return object, err
}

// insert adds a member at the end of an object. unit is one level of indentation, depth
// the nesting of the object.
func insert(content []byte, object *value, name string, raw []byte, unit string, depth int) []byte {
	text := fmt.Appendf(nil, "\n%s%q: %s", strings.Repeat(unit, depth), name, pretty(raw, unit, depth))
	if n := len(object.members); n > 0 {
		return splice(content, object.members[n-1].value.end, object.members[n-1].value.end, append([]byte(","), text...))
	}
	text = fmt.Appendf(text, "\n%s", strings.Repeat(unit, depth-1))
	return splice(content, object.start+1, object.start+1, text)
}

// pretty indents a value for a nesting of depth levels.
func pretty(raw []byte, unit string, depth int) []byte {
	var out bytes.Buffer
	if json.Indent(&out, raw, strings.Repeat(unit, depth), unit) != nil {
		return raw
	}
	return out.Bytes()
}

// indentation returns one level of indentation, as used for the first member of a file.
func indentation(content []byte, root *value) string {
	if len(root.members) > 0 {
		before := content[:root.members[0].start]
		line := string(before[bytes.LastIndexByte(before, '\n')+1:])
		if line != "" && strings.Trim(line, " \t") == "" {
			return line
		}
	}
	return "  "
}

// splice returns a copy of text with text[start:end] replaced.
func splice(text []byte, start, end int, with []byte) []byte {
	out := make([]byte, 0, len(text)+len(with))
	out = append(out, text[:start]...)
	out = append(out, with...)
	return append(out, text[end:]...)
}
