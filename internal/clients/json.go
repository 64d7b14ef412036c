package clients

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

var errSyntax = errors.New("the file is not valid JSON")

// member returns the index of the member with this name, -1 for none. hujson rejects
// duplicate names.
func member(o *hujson.Object, name string) int {
	return slices.IndexFunc(o.Members, func(m hujson.ObjectMember) bool { return m.Name.Value.(hujson.Literal).String() == name })
}

// servers parses a file and returns its root object and the object that lists the
// servers, which is nil if there is none.
func (c *Client) servers(content []byte) (file *hujson.Value, root, servers *hujson.Object, err error) {
	v, err := hujson.Parse(content)
	if err != nil {
		return nil, nil, nil, errSyntax
	}
	root, ok := v.Value.(*hujson.Object)
	if !ok {
		return nil, nil, nil, errors.New("the file holds no JSON object")
	}
	if at := member(root, c.key); at >= 0 {
		if servers, ok = root.Members[at].Value.Value.(*hujson.Object); !ok {
			return nil, nil, nil, fmt.Errorf("%q in the file is not an object", c.key)
		}
	}
	return &v, root, servers, nil
}

// setJSON adds or replaces ebb's entry.
func (c *Client) setJSON(content, entry []byte) ([]byte, error) {
	if len(bytes.TrimSpace(content)) == 0 {
		content = []byte("{}\n")
	}
	file, root, servers, err := c.servers(content)
	if err != nil {
		return nil, err
	}
	unit := indentation(root)
	switch {
	case servers == nil:
		insert(root, c.key, fmt.Appendf(nil, `{%q:%s}`, entryName, entry), unit, 1)
	case member(servers, entryName) >= 0:
		at := &servers.Members[member(servers, entryName)].Value
		at.Value = withSettings(parsed(entry, unit, 2), at.Value, unit)
	default:
		insert(servers, entryName, entry, unit, 2)
	}
	var want map[string]any
	if err := json.Unmarshal(entry, &want); err != nil {
		return nil, err
	}
	changed := file.Pack()
	return changed, c.onlyEntryDiffers(readJSON, content, changed, want)
}

// withSettings returns an entry with those members of the old one that do not say how the server
// is reached, such as env.
func withSettings(entry, old hujson.ValueTrimmed, unit string) hujson.ValueTrimmed {
	to, ok := entry.(*hujson.Object)
	from, was := old.(*hujson.Object)
	if !ok || !was {
		return entry
	}
	for _, m := range from.Members {
		if isTransport(m.Name.Value.(hujson.Literal).String()) {
			continue
		}
		if before := m.Name.BeforeExtra; !bytes.ContainsRune(before, '\n') && len(bytes.TrimSpace(before)) == 0 {
			m.Name.BeforeExtra = hujson.Extra("\n" + strings.Repeat(unit, 3))
		}
		to.Members = append(to.Members, m)
	}
	if last := &to.Members[len(to.Members)-1].Value; len(bytes.TrimSpace(last.AfterExtra)) == 0 {
		last.AfterExtra = nil // no comma follows
	}
	return to
}

// isTransport reports whether a member of an entry says how the server is reached. Setting an
// entry replaces these, and keeps the others.
func isTransport(member string) bool {
	return slices.Contains([]string{"type", "command", "args", "url", "headers"}, member)
}

// removeJSON removes ebb's entry. Comments on lines above it stay.
func (c *Client) removeJSON(content []byte) (without []byte, found bool, err error) {
	if len(bytes.TrimSpace(content)) == 0 {
		return content, false, nil
	}
	file, _, servers, err := c.servers(content)
	if err != nil || servers == nil || member(servers, entryName) < 0 {
		return content, false, err
	}
	at := member(servers, entryName)
	own := servers.Members[at]
	servers.Members = slices.Delete(servers.Members, at, at+1)
	after := &servers.AfterExtra
	if at < len(servers.Members) {
		after = &servers.Members[at].Name.BeforeExtra
	} else if at > 0 {
		servers.Members[at-1].Value.AfterExtra = own.Value.AfterExtra // whether a comma follows the last member
	}
	if comment := own.Name.BeforeExtra[:bytes.LastIndexByte(own.Name.BeforeExtra, '\n')+1]; len(bytes.TrimSpace(comment)) > 0 {
		*after = append(slices.Clone(comment), bytes.TrimLeft(*after, " \n")...)
	}
	changed := file.Pack()
	return changed, true, c.onlyEntryDiffers(readJSON, content, changed, nil)
}

// onlyEntryDiffers returns an error unless the changed file contains the given entry with
// the other settings of the old one (nil for no entry) and is otherwise equal to the old file.
// Both are decoded by read.
func (c *Client) onlyEntryDiffers(read func(content []byte) (map[string]any, error), before, after []byte, want map[string]any) error {
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
	was, old, err := parts(before)
	if err != nil {
		return err
	}
	if old, ok := old.(map[string]any); ok && want != nil {
		for name, value := range old {
			if !isTransport(name) {
				want[name] = value
			}
		}
	}
	is, got, err := parts(after)
	if err != nil {
		return fmt.Errorf("the file cannot be changed safely (%w); add the entry by hand", err)
	}
	if len(was)+len(is) > 0 && !reflect.DeepEqual(was, is) || want == nil && got != nil || want != nil && !reflect.DeepEqual(any(want), got) {
		return errors.New("the file cannot be changed safely; change it by hand")
	}
	return nil
}

func readJSON(content []byte) (object map[string]any, err error) {
	standard, err := hujson.Standardize(slices.Clone(content))
	if err != nil || json.Unmarshal(standard, &object) != nil {
		return nil, errSyntax
	}
	return object, nil
}

// insert adds a member at the end of an object. unit is one level of indentation, depth
// the nesting of the object.
func insert(o *hujson.Object, name string, raw []byte, unit string, depth int) {
	m := hujson.ObjectMember{
		Name:  hujson.Value{BeforeExtra: hujson.Extra("\n" + strings.Repeat(unit, depth)), Value: hujson.String(name)},
		Value: hujson.Value{BeforeExtra: hujson.Extra(" "), Value: parsed(raw, unit, depth)},
	}
	if len(o.Members) == 0 {
		o.AfterExtra = append(o.AfterExtra, "\n"+strings.Repeat(unit, depth-1)...)
	} else {
		m.Value.AfterExtra, o.Members[len(o.Members)-1].Value.AfterExtra = o.Members[len(o.Members)-1].Value.AfterExtra, nil
	}
	o.Members = append(o.Members, m)
}

// parsed is a value indented for a nesting of depth levels.
func parsed(raw []byte, unit string, depth int) hujson.ValueTrimmed {
	var out bytes.Buffer
	if json.Indent(&out, raw, strings.Repeat(unit, depth), unit) != nil {
		return hujson.Literal(raw)
	}
	v, err := hujson.Parse(out.Bytes())
	if err != nil {
		return hujson.Literal(raw)
	}
	return v.Value
}

// indentation returns one level of indentation, as used for the first member of a file.
func indentation(root *hujson.Object) string {
	if len(root.Members) > 0 {
		before := string(root.Members[0].Name.BeforeExtra)
		if line := before[strings.LastIndexByte(before, '\n')+1:]; line != "" && line != before && strings.Trim(line, " \t") == "" {
			return line
		}
	}
	return "  "
}
