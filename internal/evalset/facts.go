package evalset

import (
	"fmt"
	"slices"
	"strings"
)

// Fact is a claim extracted from turns of a conversation.
type Fact struct {
	Conversation string   `json:"conversation"`
	ID           string   `json:"id"`
	Session      string   `json:"session"`
	Speaker      string   `json:"speaker"` // the person it is about
	Text         string   `json:"text"`
	Sources      []string `json:"sources"` // ids of turns of Conversation
}

// LoadFacts reads facts, one per line, and checks that their sources are turns of
// the set.
//
// Errors: [*Error], or that of the file system.
func (s *Set) LoadFacts(path string) ([]Fact, error) {
	turns := make(map[string]map[string]bool, len(s.Conversations))
	for _, c := range s.Conversations {
		turns[c.Name] = make(map[string]bool, len(c.Turns))
		for _, t := range c.Turns {
			turns[c.Name][t.ID] = true
		}
	}
	var facts []Fact
	seen := make(map[string]bool)
	err := readLines(path, func(line int, f Fact) error {
		if err := checkFact(path, line, f, turns, seen); err != nil {
			return err
		}
		facts = append(facts, f)
		return nil
	})
	if err == nil && len(facts) == 0 {
		err = &Error{Path: path, Reason: "holds no facts; put one on each line"}
	}
	return facts, err
}

func checkFact(path string, line int, f Fact, turns map[string]map[string]bool, seen map[string]bool) error {
	fault := func(field, reason string) error { return &Error{Path: path, Line: line, Field: field, Reason: reason} }
	switch {
	case f.ID == "":
		return fault("id", "is missing")
	case seen[f.ID]:
		return fault("id", fmt.Sprintf("%q is used twice", f.ID))
	case turns[f.Conversation] == nil:
		return fault("conversation", fmt.Sprintf("%q has no file in conversations/", f.Conversation))
	case strings.TrimSpace(f.Text) == "":
		return fault("text", "is empty")
	case len(f.Sources) == 0:
		return fault("sources", "is empty; a fact rests on at least one turn")
	}
	for i, id := range f.Sources {
		if !turns[f.Conversation][id] {
			return fault("sources", fmt.Sprintf("names %q, which is no turn of %s", id, f.Conversation))
		}
		if slices.Contains(f.Sources[:i], id) {
			return fault("sources", fmt.Sprintf("names %q twice", id))
		}
	}
	seen[f.ID] = true
	return nil
}
