package redact

import (
	"bytes"
	"encoding/json"
	"strings"
)

// JSON rewrites the strings and numbers of a JSON value, including member names.
// It calls rewrite for each with the name of its member, "" outside objects and
// for the names themselves. A rewritten number becomes a string. The rest stays
// byte for byte.
//
// It returns rewrite's error, or the syntax error of encoding/json.
func JSON(raw []byte, rewrite func(name, value string) (string, error)) ([]byte, error) {
	var syntax any
	if !json.Valid(raw) {
		return nil, json.Unmarshal(raw, &syntax)
	}
	var b bytes.Buffer
	last := 0
	member := ""
	for i := 0; i < len(raw); {
		from := i
		switch c := raw[i]; {
		case c == '"':
			i = stringEnd(raw, i)
		case c == '-' || c-'0' < 10:
			for i < len(raw) && strings.IndexByte("+-.0123456789eE", raw[i]) >= 0 {
				i++
			}
		default:
			i++
			continue
		}
		written, name := string(raw[from:i]), member
		if raw[from] == '"' {
			if err := json.Unmarshal(raw[from:i], &written); err != nil {
				return nil, err
			}
			if isMember(raw[i:]) {
				member, name = written, ""
			}
		}
		rewritten, err := rewrite(name, written)
		if err != nil {
			return nil, err
		}
		if rewritten == written {
			continue
		}
		b.Write(raw[last:from])
		encoder := json.NewEncoder(&b)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(rewritten); err != nil {
			return nil, err
		}
		b.Truncate(b.Len() - 1) // the line break
		last = i
	}
	if last == 0 {
		return raw, nil
	}
	b.Write(raw[last:])
	return b.Bytes(), nil
}

// stringEnd returns the position after the string that begins at i.
func stringEnd(raw []byte, i int) int {
	for i++; raw[i] != '"'; i++ {
		if raw[i] == '\\' {
			i++
		}
	}
	return i + 1
}

// isMember reports whether the string before rest names a member.
func isMember(rest []byte) bool {
	rest = bytes.TrimLeft(rest, " \t\r\n")
	return len(rest) > 0 && rest[0] == ':'
}

// Member redacts the value of a named member: a value of the name "password" is a
// password, whatever its form.
func (r *Redactor) Member(name, value string) string {
	redacted := r.Redact(value)
	if name == "" || redacted != value || value == "" || !r.opts.Secrets || len(name) > maxValue || len(value) > maxValue || strings.ContainsAny(value, "\"\n") {
		return redacted
	}
	// The form that a configuration file has.
	for _, m := range r.Find(name + `: "` + value + `"`) {
		if m.Start == len(name)+3 && m.End == m.Start+len(value) {
			return Placeholder(m.Name)
		}
	}
	return value
}
