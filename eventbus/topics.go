package eventbus

import (
	"regexp"
	"strings"

	"github.com/ebbmem/ebb/schema"
)

// The predefined topics. Hosts publish the first three and may add their own; the
// memory.* topics are ebb's reports.
const (
	TopicUserMessage        = "user.message"        // a message by the user; payload [Message]
	TopicAgentResponse      = "agent.response"      // an answer by the agent; payload [Message]
	TopicToolResult         = "tool.result"         // a tool's result; payload [Message]
	TopicMemoryStored       = "memory.stored"       // a memory was written; payload [Stored]
	TopicMemoryRecalled     = "memory.recalled"     // memories were shown to a model; payload [Recalled]
	TopicMemoryConsolidated = "memory.consolidated" // a consolidation ended; payload [Consolidated]
	TopicMemoryProposed     = "memory.proposed"     // something waits for a person to decide; payload [Proposed]
)

var (
	topicShape   = regexp.MustCompile(`^[a-z]+(\.[a-z_]+)+$`)
	patternShape = regexp.MustCompile(`^([a-z]+(\.[a-z_]+)*\.)?\*$`)
)

func validTopic(topic string) error {
	if len(topic) > schema.MaxLabel || !topicShape.MatchString(topic) {
		return &schema.InvalidError{Field: "Topic", Reason: `is not of the form "user.message": lower-case words joined by dots`}
	}
	return nil
}

// validPattern accepts a topic, a prefix such as "memory.*", and "*". All three are
// valid SQLite GLOB patterns.
func validPattern(pattern string) error {
	if patternShape.MatchString(pattern) || validTopic(pattern) == nil {
		return nil
	}
	return &schema.InvalidError{Field: "Topics", Reason: `take a topic such as "user.message", a prefix such as "memory.*", or "*"`}
}

// isMessage reports whether a topic carries a [Message], and returns its default
// role.
func isMessage(topic string) (role string, ok bool) {
	switch topic {
	case TopicUserMessage:
		return "user", true
	case TopicAgentResponse:
		return "assistant", true
	case TopicToolResult:
		return "tool", true
	}
	return "", false
}

// isReport reports whether only ebb itself may write a topic.
func isReport(topic string) bool { return strings.HasPrefix(topic, "memory.") }

// match matches like SQLite's GLOB, for the patterns that validPattern accepts.
func match(pattern, topic string) bool {
	if prefix, ok := strings.CutSuffix(pattern, "*"); ok {
		return strings.HasPrefix(topic, prefix)
	}
	return pattern == topic
}
