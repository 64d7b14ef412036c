package postgres

import (
	"database/sql/driver"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// rewrite translates a statement from SQLite's SQL: placeholders get a number and the
// type of their argument, and NULL takes the place of a nil argument.
func rewrite(query string, args []driver.NamedValue) (string, []driver.NamedValue) {
	kinds := make([]byte, len(args))
	for i, arg := range args {
		kinds[i] = kindOf(arg.Value)
	}
	t := translate(query, string(kinds))
	if len(t.args) == len(args) && !t.moved {
		return t.query, args
	}
	kept := make([]driver.NamedValue, len(t.args))
	for i, from := range t.args {
		kept[i] = args[from]
		kept[i].Ordinal = i + 1
	}
	return t.query, kept
}

// The kinds of arguments.
const (
	kindNull  = '0'
	kindInt   = 'i'
	kindFloat = 'f'
	kindText  = 't'
	kindBytes = 'b'
)

var typeOf = map[byte]string{kindInt: "::bigint", kindFloat: "::double precision", kindText: "::text", kindBytes: "::bytea"}

func kindOf(value any) byte {
	switch value.(type) {
	case nil:
		return kindNull
	case int64:
		return kindInt
	case float64:
		return kindFloat
	case []byte:
		return kindBytes
	}
	return kindText
}

// translated is a statement for arguments of some kinds.
type translated struct {
	query string
	args  []int // of which argument each parameter is
	moved bool  // whether a parameter has another place than its argument
}

type translation struct{ query, kinds string }

// translations keeps the statements with placeholders. Those of the query builders have
// none: they hold their values.
var translations sync.Map // translation → *translated

func translate(query, kinds string) *translated {
	if strings.HasPrefix(query, verbatim) {
		return &translated{query: query}
	}
	if kinds == "" {
		return &translated{query: renamed(query)}
	}
	key := translation{query, kinds}
	if t, known := translations.Load(key); known {
		return t.(*translated)
	}
	t := number(renamed(query), kinds)
	translations.Store(key, t)
	return t
}

// number numbers the placeholders ? and ?1.
func number(query, kinds string) *translated {
	t := new(translated)
	places := make(map[int]int) // of arguments
	var b strings.Builder
	next := 0
	outside(query, func(code string, quoted bool) {
		for i := 0; i < len(code); i++ {
			if quoted || code[i] != '?' {
				b.WriteByte(code[i])
				continue
			}
			end := i + 1
			for end < len(code) && code[end] >= '0' && code[end] <= '9' {
				end++
			}
			arg := next
			if n, err := strconv.Atoi(code[i+1 : end]); err == nil {
				arg = n - 1
			}
			next = max(next, arg+1)
			i = end - 1
			if arg >= len(kinds) || kinds[arg] == kindNull {
				b.WriteString("NULL") // or one argument too few, of which the server complains
				continue
			}
			place, known := places[arg]
			if !known {
				place = len(t.args)
				places[arg] = place
				t.args = append(t.args, arg)
				t.moved = t.moved || place != arg
			}
			b.WriteString("$" + strconv.Itoa(place+1) + typeOf[kinds[arg]])
		}
	})
	t.query = b.String()
	return t
}

// rule replaces what stands outside of quotes.
type rule struct {
	sign string // without it, there is nothing to replace
	from *regexp.Regexp
	to   string
}

var rules = []rule{
	{"CROSS JOIN", regexp.MustCompile(`\bCROSS JOIN (\w+(?: AS)?(?: \w+)?) ON\b`), "JOIN $1 ON"},
	{"+", regexp.MustCompile(`([\s(])\+([a-z_]+\.[a-z_]|[a-z_])`), "$1$2"},
	{"GLOB", regexp.MustCompile(`\bGLOB (\?\d*)`), "LIKE ebb_glob($1)"},
	// A parameter, or the value that a query builder put in its place.
	{"IS", regexp.MustCompile(`\bIS NOT (\?\d*|-?\d+|$)`), "IS DISTINCT FROM $1"},
	{"IS", regexp.MustCompile(`\bIS (\?\d*|-?\d+|$)`), "IS NOT DISTINCT FROM $1"},
	// Lists of ids.
	{"CAST(j.value AS BIGINT)", regexp.MustCompile(`\bjson_each\((\?\d*)\) j\b`), "unnest(ebb_list($1)) AS j (value)"},
	{"CAST(value AS BIGINT)", regexp.MustCompile(`\bCAST\(value AS BIGINT\) FROM json_each\((\?\d*)\)`), "unnest(ebb_list($1))"},
	{"json_object(", regexp.MustCompile(`\bjson_object\(`), "@~ json_build_object("},
	{"json_array(agent, name)", regexp.MustCompile(`\bjson_array\(agent, name\)`), "ebb_pair(agent, name)"},
	{"json_array(", regexp.MustCompile(`\bjson_array\(`), "@~ json_build_array("},
	{"json_group_array(", regexp.MustCompile(`\bjson_group_array\(`), "@~ json_agg("},
}

// renamed replaces what SQLite alone understands.
func renamed(query string) string {
	found := false
	for _, r := range rules {
		found = found || strings.Contains(query, r.sign)
	}
	if !found {
		return query
	}
	var b strings.Builder
	outside(query, func(code string, quoted bool) {
		for _, r := range rules {
			if !quoted && strings.Contains(code, r.sign) {
				code = r.from.ReplaceAllString(code, r.to)
			}
		}
		b.WriteString(code)
	})
	return b.String()
}

// outside calls part with the parts of a statement that are quoted, with their quotes,
// and with those between.
func outside(query string, part func(code string, quoted bool)) {
	for query != "" {
		start := strings.IndexAny(query, `'"`)
		if start < 0 {
			part(query, false)
			return
		}
		if start > 0 {
			part(query[:start], false)
		}
		length := strings.IndexByte(query[start+1:], query[start])
		if length < 0 {
			part(query[start:], true)
			return
		}
		end := start + 1 + length + 1
		part(query[start:end], true)
		query = query[end:]
	}
}
