package transfer

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/ebbmem/ebb/schema"
)

// claudeConversation is the part that is read of one conversation in
// conversations.json of a Claude data export.
type claudeConversation struct {
	UUID     string            `json:"uuid"`
	Messages []json.RawMessage `json:"chat_messages"` // of [claudeMessage]
}

type claudeMessage struct {
	UUID        string            `json:"uuid"`
	Sender      string            `json:"sender"` // human or assistant
	Text        string            `json:"text"`   // of exports without content
	Content     []claudePart      `json:"content"`
	Created     string            `json:"created_at"`
	Attachments []json.RawMessage `json:"attachments"` // texts that were pasted or uploaded
	Files       []json.RawMessage `json:"files"`       // names of other uploads
}

type claudePart struct {
	Type string `json:"type"` // text, thinking, tool_use, tool_result, …
	Text string `json:"text"`
}

// claude reads a conversation of a Claude export. Texts that were pasted or
// uploaded are no words of the user, and are left out with what tools did.
func (e *elements) claude(where string, raw []byte) error {
	var c claudeConversation
	if err := json.Unmarshal(raw, &c); err != nil {
		return err
	}
	tools := c.usedTools()
	for i, raw := range c.Messages {
		where := fmt.Sprintf("%s, message %d", where, i+1)
		if err := e.claudeMessage(where, c.UUID, tools, raw); err != nil {
			return err
		}
	}
	return nil
}

func (e *elements) claudeMessage(where, session string, tools bool, raw []byte) error {
	var m claudeMessage
	if err := decode(raw, &m); err != nil {
		return e.fault(where, err)
	}
	e.report.leaveOut("attachments", len(m.Attachments)+len(m.Files))
	role := "assistant"
	switch m.Sender {
	case "human":
		role = "user"
	case "assistant":
	default:
		return e.fault(where, &schema.InvalidError{Field: "sender", Reason: "is neither human nor assistant"})
	}
	content := e.claudeText(&m)
	if content == "" {
		e.report.Skipped++
		return nil
	}
	at, err := foreignTime("created_at", m.Created)
	if err != nil {
		return e.fault(where, err)
	}
	return e.turn(where, importedTurn{id: m.UUID, session: session, role: role, text: content, at: at, tools: tools})
}

// claudeText is what a message says in words.
func (e *elements) claudeText(m *claudeMessage) string {
	if len(m.Content) == 0 {
		return strings.TrimSpace(m.Text)
	}
	var texts []string
	for _, part := range m.Content {
		if part.Type != "text" {
			e.report.leaveOut("thoughts and uses of tools", 1)
		} else if said := strings.TrimSpace(part.Text); said != "" {
			texts = append(texts, said)
		}
	}
	return strings.Join(texts, "\n")
}

// foreignTime reads a time of another program: RFC 3339, or the like without a
// zone, which then is UTC. "" is no time.
func foreignTime(field, written string) (time.Time, error) {
	if written == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05Z07", "2006-01-02 15:04:05 -0700 MST", "2006-01-02 15:04:05", "2006-01-02 15:04", time.DateOnly} {
		if at, err := time.Parse(layout, written); err == nil {
			return at, nil
		}
	}
	return time.Time{}, &schema.InvalidError{Field: field, Reason: quoted(written) + "is no time, as 2026-03-01T18:00:00Z"}
}
