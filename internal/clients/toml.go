package clients

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// setTOML adds or replaces ebb's table. The new table is at the end of the file, with the other
// settings of the old one.
func (c *Client) setTOML(content []byte, e Entry) ([]byte, error) {
	without, _, err := c.removeTOML(content)
	if err != nil {
		return nil, err
	}
	settings, err := c.tomlSettings(content)
	if err != nil {
		return nil, err
	}
	args, want := make([]string, len(e.Args)), make([]any, len(e.Args))
	for i, a := range e.Args {
		args[i], want[i] = tomlString(a), a
	}
	changed := bytes.TrimRight(without, "\n")
	if len(changed) > 0 {
		changed = append(changed, "\n\n"...)
	}
	changed = fmt.Appendf(changed, "[%s.%s]\ncommand = %s\nargs = [%s]\n%s", c.key, entryName, tomlString(e.Command), strings.Join(args, ", "), settings)
	return changed, c.onlyEntryDiffers(readTOML, content, changed, map[string]any{"command": e.Command, "args": want})
}

// tomlSettings returns what ebb's table and its subtables hold beside how the server is reached,
// such as env, one setting a line.
func (c *Client) tomlSettings(content []byte) ([]byte, error) {
	file, err := readTOML(content)
	if err != nil {
		return nil, err
	}
	servers, _ := file[c.key].(map[string]any)
	settings, _ := servers[entryName].(map[string]any)
	maps.DeleteFunc(settings, func(name string, _ any) bool { return isTransport(name) })
	if len(settings) == 0 {
		return nil, nil
	}
	var out bytes.Buffer
	err = toml.NewEncoder(&out).SetTablesInline(true).Encode(settings)
	return out.Bytes(), err
}

// tomlString returns s as a basic string of TOML.
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

// removeTOML removes ebb's table and its subtables.
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
	return without, found, c.onlyEntryDiffers(readTOML, content, without, nil)
}

func readTOML(content []byte) (table map[string]any, err error) {
	if toml.Unmarshal(content, &table) != nil {
		return nil, errors.New("the file is not valid TOML")
	}
	return table, nil
}
