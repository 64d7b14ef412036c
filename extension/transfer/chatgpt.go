package transfer

import (
	"cmp"
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

// chatConversation is one conversation of a ChatGPT export, a tree of messages.
// current_node is the leaf shown last. Other fields are ignored.
type chatConversation struct {
	ID             string              `json:"id"`
	ConversationID string              `json:"conversation_id"`
	CreateTime     *float64            `json:"create_time"` // Unix seconds
	CurrentNode    string              `json:"current_node"`
	Mapping        map[string]chatNode `json:"mapping"`
}

type chatNode struct {
	Parent  string          `json:"parent"`
	Message json.RawMessage `json:"message"` // a [chatMessage] or null
}

type chatMessage struct {
	ID     string `json:"id"`
	Author struct {
		Role string `json:"role"`
		Name string `json:"name"`
	} `json:"author"`
	CreateTime *float64 `json:"create_time"`
	Recipient  string   `json:"recipient"` // "all", or the called tool
	Content    struct {
		Type  string            `json:"content_type"`
		Parts []json.RawMessage `json:"parts"`
	} `json:"content"`
	Metadata struct {
		Hidden bool `json:"is_visually_hidden_from_conversation"`
	} `json:"metadata"`
}

// readFault returns an [*schema.InvalidError] for broken JSON, and a reader's error
// unchanged.
func readFault(err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	if errors.As(err, &syntax) || errors.As(err, &kind) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return invalidJSON(err)
	}
	return err
}

// chatGPT reads a conversation of a ChatGPT export.
func (e *elements) chatGPT(where string, raw []byte) error {
	var c chatConversation
	if err := json.Unmarshal(raw, &c); err != nil {
		return err
	}
	branch, err := c.branch()
	if err != nil {
		return err
	}
	aside := 0
	for _, node := range c.Mapping {
		var m chatMessage
		if decode(node.Message, &m) == nil {
			if _, _, ok := m.text(); ok {
				aside++
			}
		}
	}
	tools := c.usedTools()
	last := c.CreateTime // for messages without a time
	for i, raw := range branch {
		where := fmt.Sprintf("%s, message %d", where, i+1)
		var m chatMessage
		if err := decode(raw, &m); err != nil {
			if err := e.fault(where, err); err != nil {
				return err
			}
			continue
		}
		content, objects, ok := m.text()
		e.report.leaveOut("images, recordings and files in messages", objects)
		if !ok {
			e.report.Skipped++
			continue
		}
		aside--
		if uuid.Validate(m.ID) == nil {
			where += " (" + m.ID + ")"
		}
		if m.CreateTime != nil {
			last = m.CreateTime
		}
		t := importedTurn{id: m.ID, session: cmp.Or(c.ConversationID, c.ID), speaker: m.Author.Name, role: m.Author.Role, text: content, tools: tools}
		if t.at, err = unixSeconds("create_time", last); err != nil {
			if err := e.fault(where, err); err != nil {
				return err
			}
			continue
		}
		if err := e.turn(where, t); err != nil {
			return err
		}
	}
	e.report.leaveOut("messages of other branches", aside)
	return nil
}

// branch lists the messages from the first to the one shown last.
func (c *chatConversation) branch() ([]json.RawMessage, error) {
	if len(c.Mapping) == 0 {
		return nil, nil
	}
	if c.CurrentNode == "" {
		return nil, &schema.InvalidError{Field: "current_node", Reason: "is missing; it names the message where the conversation ends"}
	}
	var branch []json.RawMessage
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
		if len(node.Message) > 0 && string(node.Message) != "null" {
			branch = append(branch, node.Message)
		}
		id = node.Parent
	}
	slices.Reverse(branch)
	return branch, nil
}

// text returns the text of a message of user or assistant, with what was said in a voice
// conversation, and the number of its other objects. Instructions, tool calls and results,
// images and hidden messages have none.
func (m *chatMessage) text() (said string, objects int, ok bool) {
	switch {
	case m.Author.Role != "user" && m.Author.Role != "assistant", m.Metadata.Hidden,
		m.Recipient != "" && m.Recipient != "all",
		m.Content.Type != "text" && m.Content.Type != "multimodal_text":
		return "", 0, false
	}
	var parts []string
	for _, raw := range m.Content.Parts {
		var part string
		if json.Unmarshal(raw, &part) != nil {
			var object struct {
				Type string `json:"content_type"`
				Text string `json:"text"`
			}
			if json.Unmarshal(raw, &object) != nil || object.Type != "audio_transcription" {
				objects++
			} else {
				part = object.Text
			}
		}
		if strings.TrimSpace(part) != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, "\n"), objects, len(parts) > 0
}

func unixSeconds(field string, seconds *float64) (time.Time, error) {
	if seconds == nil {
		return time.Time{}, &schema.InvalidError{Field: field, Reason: "is missing, of the message and of its conversation"}
	}
	const years = 1e12 // outside the years that can be stored
	if !(math.Abs(*seconds) < years) {
		return time.Time{}, &schema.InvalidError{Field: field, Reason: "is no time in Unix seconds"}
	}
	return time.UnixMilli(int64(math.Round(*seconds * 1000))).UTC(), nil
}
