package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tmc/langchaingo/llms"

	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/extension"
)

// Night implements peer.Sleeper.
func (m *memory) Night(ctx context.Context, user string) (time.Duration, error) {
	if m.night != nil {
		m.night.took = 0
	}
	report, err := m.x.Consolidate(ctx, extension.Scope{User: user})
	if err != nil {
		return 0, err
	}
	if len(report.Stages) == 0 {
		return 0, fmt.Errorf("the night of %s had no stages", user)
	}
	if m.night == nil {
		return 0, nil
	}
	if u := report.Usage; u.Calls == 0 || u.Faults > 0 {
		return 0, fmt.Errorf("the night of %s made %d calls, %d of them in vain", user, u.Calls, u.Faults)
	}
	if !slices.ContainsFunc(report.Stages, applied) {
		return 0, fmt.Errorf("the night of %s kept nothing of what the model said", user)
	}
	return m.night.took, nil
}

// applied reports a stage that carried a proposal out.
func applied(s extension.StageReport) bool {
	return slices.ContainsFunc(s.Outcomes, func(o extension.Outcome) bool { return o.Status == consolidate.Applied })
}

// quick is a model that answers at once. It returns every fourth message as a fact,
// finds no contradictions, and resolves no names. So the work that follows an answer
// is measured: checking quotes, storing, comparing, linking.
type quick struct{ took time.Duration }

func (q *quick) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, q, prompt, options...)
}

func (q *quick) GenerateContent(_ context.Context, messages []llms.MessageContent, _ ...llms.CallOption) (*llms.ContentResponse, error) {
	began := time.Now()
	defer func() { q.took += time.Since(began) }()
	var shown string
	for _, m := range messages {
		for _, p := range m.Parts {
			if t, isText := p.(llms.TextContent); isText && m.Role == llms.ChatMessageTypeHuman {
				shown = t.Text
			}
		}
	}
	answer, err := json.Marshal(map[string]any{
		"facts": facts(shown), "pairs": judged(shown), "mentions": resolved(shown), "summaries": []any{}, "insights": []any{},
		"questions": []string{"What has changed?", "What is planned?", "Who was met?"},
	})
	if err != nil {
		return nil, err
	}
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: string(answer)}}}, nil
}

type fact struct {
	Text       string   `json:"text"`
	Kind       string   `json:"kind"`
	Subject    string   `json:"subject"`
	Predicate  string   `json:"predicate"`
	Object     string   `json:"object"`
	Type       string   `json:"type"`
	When       string   `json:"when"`
	Confidence float64  `json:"confidence"`
	Importance int      `json:"importance"`
	Sources    []string `json:"sources"`
	Quote      string   `json:"quote"`
}

// facts reads the messages, one a line of JSON, of a prompt.
func facts(prompt string) []fact {
	all := []fact{}
	n := 0
	for line := range strings.Lines(prompt) {
		var m struct{ M, Speaker, Text string }
		if json.Unmarshal([]byte(line), &m) != nil || m.M == "" || m.Text == "" {
			continue
		}
		if n++; n%4 != 0 {
			continue
		}
		all = append(all, fact{
			Text: m.Speaker + ": " + m.Text, Kind: "fact", Subject: m.Speaker, Predicate: "did", Object: m.Text, Type: "event",
			Confidence: .9, Importance: 5, Sources: []string{m.M}, Quote: m.Text,
		})
	}
	return all
}

type judgement struct {
	Pair     int    `json:"pair"`
	Relation string `json:"relation"`
	Why      string `json:"why"`
}

// judged answers for each pair of claims that both can be true.
func judged(prompt string) []judgement {
	all := []judgement{}
	for line := range strings.Lines(prompt) {
		var p struct{ Pair int }
		if json.Unmarshal([]byte(line), &p) == nil && p.Pair > 0 {
			all = append(all, judgement{p.Pair, "compatible", "both can be true"})
		}
	}
	return all
}

type resolution struct {
	Mention   int `json:"mention"`
	Candidate int `json:"candidate"`
}

// resolved leaves each mention unresolved.
func resolved(prompt string) []resolution {
	all := []resolution{}
	for line := range strings.Lines(prompt) {
		var m struct{ Mention int }
		if json.Unmarshal([]byte(line), &m) == nil && m.Mention > 0 {
			all = append(all, resolution{m.Mention, 0})
		}
	}
	return all
}
