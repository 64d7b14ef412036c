package clients

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// setTOML adds or replaces ebb's table, which it writes at the end.
func (c *Client) setTOML(content []byte, e Entry) ([]byte, error) {
	without, _, err := c.removeTOML(content)
	if err != nil {
		return nil, err
	}
	args := make([]string, len(e.Args))
	for i, a := range e.Args {
		args[i] = tomlString(a)
	}
	changed := bytes.TrimRight(without, "\n")
	if len(changed) > 0 {
		changed = append(changed, "\n\n"...)
	}
	changed = fmt.Appendf(changed, "[%s.%s]\ncommand = %s\nargs = [%s]\n", c.key, entryName, tomlString(e.Command), strings.Join(args, ", "))
	return changed, c.onlyTableDiffers(content, changed, &e)
}

// tomlString is a basic string of TOML.
func tomlString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

var tableLine = regexp.MustCompile(`^\s*\[`)

// removeTOML takes ebb's table out, with the tables below it.
func (c *Client) removeTOML(content []byte) (without []byte, found bool, err error) {
	own := regexp.MustCompile(`^\s*\[\s*` + c.key + `\s*\.\s*"?` + entryName + `"?\s*(\.[^\]]*)?\]\s*(#.*)?$`)
	inside := false
	for line := range bytes.Lines(content) {
		if tableLine.Match(line) {
			inside = own.Match(bytes.TrimRight(line, "\r\n"))
			found = found || inside
		}
		if !inside {
			without = append(without, line...)
		}
	}
	if !found {
		without = content
	}
	return without, found, c.onlyTableDiffers(content, without, nil)
}

// onlyTableDiffers checks that a changed file holds the entry (nil: has none) and
// else what it held.
func (c *Client) onlyTableDiffers(before, after []byte, e *Entry) error {
	read := func(content []byte) (rest map[string]any, entry any, err error) {
		if err := toml.Unmarshal(content, &rest); err != nil {
			return nil, nil, errors.New("the file is not valid TOML")
		}
		servers, _ := rest[c.key].(map[string]any)
		entry = servers[entryName]
		delete(servers, entryName)
		if len(servers) == 0 {
			delete(rest, c.key)
		}
		return rest, entry, nil
	}
	was, _, err := read(before)
	if err != nil {
		return err
	}
	is, got, err := read(after)
	if err != nil {
		return fmt.Errorf("the file cannot be changed safely (%w); change it by hand", err)
	}
	var want any
	if e != nil {
		args := make([]any, len(e.Args))
		for i, a := range e.Args {
			args[i] = a
		}
		want = map[string]any{"command": e.Command, "args": args}
	}
	if len(was) != 0 || len(is) != 0 {
		if !reflect.DeepEqual(was, is) {
			return errors.New("the file cannot be changed safely; change it by hand")
		}
	}
	if !reflect.DeepEqual(want, got) {
		return errors.New("the file cannot be changed safely; change it by hand")
	}
	return nil
}
