package transfer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"slices"

	"github.com/ebbmem/ebb/internal/memory"
)

// toolToken is a name or word in JSON that only stands where programs write tools' calls and
// results, and what follows it if it is a field without content. A text that holds such a word
// does not match: it is no text by itself, and quotes in a text are escaped.
var toolToken = regexp.MustCompile(`(?i)"[\w.-]*(?:tool|function|_call)[\w.-]*"(\s*:\s*(?:null|false|""|\[\s*\]|\{\s*\}))?`)

// toolWindow is the overlap of the parts in which an input is searched, in bytes: the longest
// match.
const toolWindow = 256

// ShowsTools reports whether a history may show calls or results of tools, in messages that
// [Import] skips too. It may take other words for them, but misses none that the programs of
// [ImportFormat] write in text.
//
// Errors: those of r and ctx.
func ShowsTools(ctx context.Context, r io.Reader) (bool, error) {
	buf, kept := make([]byte, 256<<10), 0
	for {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		n, err := io.ReadFull(r, buf[kept:])
		ended := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !ended {
			return false, err
		}
		part := buf[:kept+n]
		last := len(part)
		if !ended {
			last -= toolWindow
		}
		for _, match := range toolToken.FindAllSubmatchIndex(part, -1) {
			if match[2] < 0 && match[0] < last {
				return true, nil
			}
		}
		if ended {
			return false, nil
		}
		kept = copy(buf, part[last:])
	}
}

// mayShowTools is [ShowsTools] for an input that is read once more afterwards. It is true for
// one that cannot be read twice.
func mayShowTools(ctx context.Context, r io.Reader) (bool, error) {
	s, ok := r.(io.Seeker)
	if !ok {
		return true, nil
	}
	start, err := s.Seek(0, io.SeekCurrent)
	if err != nil {
		return true, nil //nolint:nilerr // a pipe
	}
	shown, err := ShowsTools(ctx, memory.HostReader{Reader: r})
	_, back := s.Seek(start, io.SeekStart)
	return shown, errors.Join(err, back)
}

// usedTools reports whether a conversation shows anyone but the user, the assistant and the
// instructions, in any branch, or a message to a tool.
func (c *chatConversation) usedTools() bool {
	for _, node := range c.Mapping {
		var m chatMessage
		if len(node.Message) == 0 || bytes.Equal(node.Message, []byte("null")) {
			continue
		}
		if decode(node.Message, &m) != nil || !slices.Contains([]string{"user", "assistant", "system", "developer"}, m.Author.Role) ||
			m.Recipient != "" && m.Recipient != "all" {
			return true
		}
	}
	return false
}

// usedTools reports whether a conversation shows more than words and thoughts.
func (c *claudeConversation) usedTools() bool {
	return slices.ContainsFunc(c.Messages, func(raw json.RawMessage) bool {
		var m claudeMessage
		return decode(raw, &m) != nil || m.Sender != "human" && m.Sender != "assistant" ||
			slices.ContainsFunc(m.Content, func(part claudePart) bool { return part.Type != "text" && part.Type != "thinking" })
	})
}
