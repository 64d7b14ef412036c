package prompt

import (
	"fmt"
	"strings"
	"time"

	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/core"
)

// CoreLine is the JSON line of a block in the prompt.
type CoreLine struct {
	Core     string `json:"core"` // name of the block
	Approved string `json:"approved_by,omitempty"`
	Updated  string `json:"updated,omitempty"` // with the weekday, in the user's time zone
	Content  any    `json:"content,omitempty"` // text, or JSON
	Cut      string `json:"cut,omitempty"`     // what was cut, "" for nothing
}

// InjectedBlock is one block of core memory in a prompt.
type InjectedBlock struct {
	Name string `json:"name"`
	// Tokens is the cost of its line, with name and marks.
	Tokens int `json:"tokens"`
	// Whole is what the line would cost uncut.
	Whole int `json:"whole"`
	// Trust is the lowest trust of what it was written from.
	Trust schema.Trust `json:"trust"`

	Shown any `json:"-"` // the content shown
}

// CoreMemory is rendered core memory.
type CoreMemory struct {
	Text   string
	Blocks []InjectedBlock
}

// RenderCore renders the blocks that specs describe in the same order, one to a line.
// What exceeds tokens is cut, starting with the last block: text loses its end, lists their oldest entries.
// Each cut is marked; a block without any room is reduced to a line that only says
// it exists.
func RenderCore(blocks []core.Block, specs []core.BlockSpec, tokens int, location *time.Location) CoreMemory {
	var lines []*coreFit
	left := tokens
	for i := range blocks {
		if value, empty := blocks[i].Value(); !empty {
			f := &coreFit{block: &blocks[i], value: value, line: CoreLine{Core: blocks[i].Name, Content: value}}
			if !blocks[i].UpdatedAt.IsZero() {
				f.line.Updated = blocks[i].UpdatedAt.In(location).Format("Mon 2006-01-02 15:04")
			}
			if specs[i].Writer != core.ModelWrites {
				f.line.Approved = hostName
			}
			f.whole = text.Tokens(jsonLine(f.line))
			f.least = min(f.whole, text.Tokens(jsonLine(f.cut(0))))
			left -= f.least
			lines = append(lines, f)
		}
	}
	if len(lines) == 0 {
		return CoreMemory{}
	}
	var out strings.Builder
	shown := CoreMemory{}
	for _, f := range lines {
		fitted := f.fit(left + f.least)
		line := jsonLine(fitted)
		taken := text.Tokens(line)
		left -= taken - f.least
		out.WriteString(line)
		shown.Blocks = append(shown.Blocks, InjectedBlock{Name: f.block.Name, Tokens: taken, Whole: f.whole, Trust: f.block.Trust, Shown: f.seen(fitted.Content)})
	}
	shown.Text = out.String()
	return shown
}

// hostName names the host as approver in a prompt.
const hostName = "host"

// coreFit is a block to be fitted into a budget.
type coreFit struct {
	block *core.Block
	value any
	line  CoreLine
	whole int // tokens of the line
	least int // tokens reserved for it whatever precedes it
}

// seen returns the content the model has seen: none if the block was cut entirely.
func (f *coreFit) seen(content any) any {
	if content == nil {
		return core.NoContent(f.block.Kind)
	}
	return content
}

// fit returns the line with as much content as fits into room tokens.
func (f *coreFit) fit(room int) CoreLine {
	if f.whole <= room {
		return f.line
	}
	low, high := 0, text.Tokens(jsonLine(f.value)) // of the content
	for low < high {
		middle := (low + high + 1) / 2
		if text.Tokens(jsonLine(f.cut(middle))) <= room {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return f.cut(low)
}

// cut returns the line with at most the given tokens of content.
func (f *coreFit) cut(tokens int) CoreLine {
	line := f.line
	line.Content = shorten(f.value, tokens)
	all := text.Tokens(jsonLine(f.value))
	what := "the newest entries"
	if f.block.Kind == core.BlockText {
		what = "the beginning"
	}
	if line.Content == nil {
		line.Cut = fmt.Sprintf("all of it, about %d tokens, for want of room", all)
	} else {
		line.Cut = fmt.Sprintf("shows %s, about %d of %d tokens", what, text.Tokens(jsonLine(line.Content)), all)
	}
	return line
}

// shorten returns as much of v as fits into the given tokens: the beginning of a
// text, the newest entries of a list, an equal share of each field of an object. It
// returns nil if nothing fits.
func shorten(v any, tokens int) any {
	if text.Tokens(jsonLine(v)) <= tokens {
		return v
	}
	switch v := v.(type) {
	case string:
		// JSON escapes add characters, so the text must be shorter than the line
		for most := tokens; most > 1; most -= max(1, most/8) {
			if s := text.Truncate(v, most); text.Tokens(jsonLine(s)) <= tokens {
				return s
			}
		}
	case []any:
		for from := 1; from < len(v); from++ {
			if text.Tokens(jsonLine(v[from:])) <= tokens {
				return v[from:]
			}
		}
	case map[string]any:
		for share := tokens; share > 0; share -= max(1, share/8) {
			left := make(map[string]any, len(v))
			for name, value := range v {
				if value = shorten(value, share); value != nil {
					left[name] = value
				}
			}
			if len(left) > 0 && text.Tokens(jsonLine(left)) <= tokens {
				return left
			}
		}
	}
	return nil
}

// Sum returns the tokens of all blocks in a prompt.
func (m *CoreMemory) Sum() (tokens int) {
	for _, b := range m.Blocks {
		tokens += b.Tokens
	}
	return tokens
}

// jsonLine returns v as JSON with a trailing newline.
func jsonLine(v any) string { return text.JSON(v) + "\n" }
