package transfer

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/ebbmem/ebb/schema"
)

// chatConversation is the part that is read of one conversation in a ChatGPT
// export: a tree of messages, of which current_node is the leaf shown last.
type chatConversation struct {
	ID             string              `json:"id"`
	ConversationID string              `json:"conversation_id"`
	CreateTime     *float64            `json:"create_time"` // Unix seconds
	CurrentNode    string              `json:"current_node"`
	Mapping        map[string]chatNode `json:"mapping"`
}

type chatNode struct {
	Parent  string       `json:"parent"`
	Message *chatMessage `json:"message"`
}

type chatMessage struct {
	ID     string `json:"id"`
	Author struct {
		Role string `json:"role"`
		Name string `json:"name"`
	} `json:"author"`
	CreateTime *float64 `json:"create_time"`
	Recipient  string   `json:"recipient"` // "all", or the tool that is called
	Content    struct {
		Type  string            `json:"content_type"`
		Parts []json.RawMessage `json:"parts"`
	} `json:"content"`
	Metadata struct {
		Hidden bool `json:"is_visually_hidden_from_conversation"`
	} `json:"metadata"`
}

// readChatGPT reads an array of conversations, one in memory at a time. Messages
// of a chat API among them go to chat. Messages that are no text of user or
// assistant are reported to chat.skipped.
func readChatGPT(r io.Reader, chat *messages, keep keepText, visit visitTurn) error {
	dec := json.NewDecoder(r)
	if start, err := dec.Token(); err != nil || start != json.Delim('[') {
		return &ImportError{Where: "start", Err: &schema.InvalidError{Field: "input", Reason: "is no JSON array, as a ChatGPT export is"}}
	}
	for n := 1; dec.More(); n++ {
		where := fmt.Sprintf("conversation %d", n)
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return &ImportError{Where: where, Err: readFault(err)}
		}
		if taken, err := chat.take(fmt.Sprintf("element %d", n), raw, keep, visit); err != nil {
			return err
		} else if taken {
			continue
		}
		var c chatConversation
		if err := json.Unmarshal(raw, &c); err != nil {
			return &ImportError{Where: where, Err: readFault(err)}
		}
		if err := c.read(where, keep, visit, chat.skipped); err != nil {
			return err
		}
	}
	if _, err := dec.Token(); err != nil {
		return &ImportError{Where: "end", Err: readFault(err)}
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return &ImportError{Where: "end", Err: &schema.InvalidError{Field: "input", Reason: "goes on after the array; import each array by itself"}}
	}
	return nil
}

// readFault returns an [*schema.InvalidError] for broken JSON, and the error of a
// failed reader as it is.
func readFault(err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	if errors.As(err, &syntax) || errors.As(err, &kind) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return invalidJSON(err)
	}
	return err
}

func (c *chatConversation) read(where string, keep keepText, visit visitTurn, skipped func()) error {
	branch, err := c.branch()
	if err != nil {
		return &ImportError{Where: where, Err: err}
	}
	session := c.ConversationID
	if session == "" {
		session = c.ID
	}
	ids := &turnIDs{}
	last := c.CreateTime // of messages that say nothing, the time before
	for i, m := range branch {
		content, ok := m.text()
		if !ok {
			skipped()
			continue
		}
		where := fmt.Sprintf("%s, message %d", where, i+1)
		if uuid.Validate(m.ID) == nil {
			where += " (" + m.ID + ")"
		}
		if m.CreateTime != nil {
			last = m.CreateTime
		}
		t := importedTurn{id: m.ID, session: session, speaker: m.Author.Name, role: m.Author.Role, text: content}
		if t.at, err = unixSeconds(last); err == nil {
			err = t.check(keep)
		}
		if err != nil {
			return &ImportError{Where: where, Err: err}
		}
		if t.id == "" {
			t.id = ids.of(t)
		}
		if err := visit(where, t); err != nil {
			return err
		}
	}
	return nil
}

// branch lists the messages from the first to the one shown last.
func (c *chatConversation) branch() ([]*chatMessage, error) {
	if c.Mapping == nil {
		return nil, &schema.InvalidError{Field: "mapping", Reason: "is missing: this is no conversation of a ChatGPT export; turns go one JSON object on each line, without a bracket around"}
	}
	if len(c.Mapping) == 0 {
		return nil, nil
	}
	if c.CurrentNode == "" {
		return nil, &schema.InvalidError{Field: "current_node", Reason: "is missing; it names the message where the conversation ends"}
	}
	var branch []*chatMessage
	seen := make(map[string]bool, len(c.Mapping))
	for id := c.CurrentNode; id != ""; {
		node, ok := c.Mapping[id]
		if !ok {
			return nil, &schema.InvalidError{Field: "mapping", Reason: "does not hold the node that current_node or a parent names"}
		}
		if seen[id] {
			return nil, &schema.InvalidError{Field: "mapping", Reason: "runs in a circle"}
		}
		seen[id] = true
		if node.Message != nil {
			branch = append(branch, node.Message)
		}
		id = node.Parent
	}
	slices.Reverse(branch)
	return branch, nil
}

// text is what user or assistant said in words. Instructions, tool calls and
// their results, images and hidden messages have none.
func (m *chatMessage) text() (string, bool) {
	switch {
	case m.Author.Role != "user" && m.Author.Role != "assistant", m.Metadata.Hidden,
		m.Recipient != "" && m.Recipient != "all",
		m.Content.Type != "text" && m.Content.Type != "multimodal_text":
		return "", false
	}
	var parts []string
	for _, raw := range m.Content.Parts {
		var part string
		if json.Unmarshal(raw, &part) == nil && strings.TrimSpace(part) != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, "\n"), len(parts) > 0
}

func unixSeconds(seconds *float64) (time.Time, error) {
	if seconds == nil {
		return time.Time{}, &schema.InvalidError{Field: "create_time", Reason: "is missing, of the message and of its conversation"}
	}
	const years = 1e12 // far outside the years that can be stored
	if !(math.Abs(*seconds) < years) {
		return time.Time{}, &schema.InvalidError{Field: "create_time", Reason: "is no time in Unix seconds"}
	}
	return time.UnixMilli(int64(math.Round(*seconds * 1000))).UTC(), nil
}
