package transfer

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// chatTurn is a message as chat APIs take it, {"role", "content"}, or a
// conversation of them, {"messages": [...]}, as logs and fine-tuning files hold it.
type chatTurn struct {
	Role     string          `json:"role"`
	Name     string          `json:"name"`
	Content  json.RawMessage `json:"content"`
	Messages []chatTurn      `json:"messages"`

	Text    json.RawMessage `json:"text"`    // a turn of ebb's has it
	Mapping json.RawMessage `json:"mapping"` // a conversation of a ChatGPT export
}

// isMessage reports one or more messages of a chat API, and nothing else.
func (c *chatTurn) isMessage() bool {
	return c.Text == nil && c.Mapping == nil && (c.Messages != nil || c.Content != nil || c.Role != "")
}

// messages takes the messages of a chat API out of an input. They have neither id
// nor time: the one is made of their words and place, the other is that of the
// import, and their order is that of the input.
type messages struct {
	session string // of messages that stand alone, and the beginning of conversations' names
	now     time.Time
	skipped func() // is called for each one that is no text of user, assistant or tool
	taken   func() // is called for each one that is

	ids           turnIDs
	conversations int
}

// take passes on what an object of the input holds. It reports false for an object
// that is no message.
func (m *messages) take(where string, raw []byte, keep keepText, visit visitTurn) (isMessage bool, err error) {
	var c chatTurn
	if json.Unmarshal(text.ValidUTF8(raw), &c) != nil || !c.isMessage() {
		return false, nil
	}
	if c.Messages == nil {
		return true, m.one(where, m.session, &c, keep, visit)
	}
	m.conversations++
	session := strings.TrimSpace(fmt.Sprintf("%s %d", m.session, m.conversations))
	for i := range c.Messages {
		if err := m.one(fmt.Sprintf("%s, message %d", where, i+1), session, &c.Messages[i], keep, visit); err != nil {
			return true, err
		}
	}
	return true, nil
}

func (m *messages) one(where, session string, c *chatTurn, keep keepText, visit visitTurn) error {
	content := c.text()
	switch c.Role {
	case "user", "assistant", "tool":
	case "function":
		c.Role = "tool"
	case "system", "developer":
		content = "" // instructions of the host are not remembered
	default:
		return &ImportError{Where: where, Err: &schema.InvalidError{Field: "role", Reason: "is none of user, assistant, tool, system, developer"}}
	}
	if strings.TrimSpace(content) == "" {
		m.skipped()
		return nil
	}
	t := importedTurn{session: session, speaker: c.Name, role: c.Role, text: content, at: m.now, untimed: true}
	if err := t.check(keep); err != nil {
		return &ImportError{Where: where, Err: err}
	}
	named := t
	named.at = time.Time{}
	t.id = m.ids.of(named)
	m.taken()
	return visit(where, t)
}

// text is what a message says in words: a text, or the texts among its parts.
func (c *chatTurn) text() string {
	var whole string
	if json.Unmarshal(c.Content, &whole) == nil {
		return whole
	}
	var parts []struct {
		Text string `json:"text"`
	}
	_ = json.Unmarshal(c.Content, &parts) // what is neither says nothing in words
	var texts []string
	for _, p := range parts {
		if strings.TrimSpace(p.Text) != "" {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n")
}
