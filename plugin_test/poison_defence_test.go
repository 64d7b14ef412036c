package plugin_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/llmtest"
	"github.com/ebbmem/ebb/internal/racing"
)

var poisonMutants = flag.Int("poison", -1, "try all attacks, each with so many of its mutants (100: all of them); default a sample")

// sampled are the attacks to try: of each category some, as they stand and
// rewritten; or all.
func sampled(t *testing.T) (sample []poisonAttack) {
	const seed = 5
	seen := make(map[string]int)
	for _, a := range poisonAttacks(t) {
		mutants := a.mutants(seed)
		if n := *poisonMutants; n >= 0 {
			sample = append(append(sample, a), mutants[:min(n, len(mutants))]...)
			continue
		}
		if seen[a.Category]++; seen[a.Category] == 1 {
			sample = append(sample, a, mutants[len(sample)%len(mutants)])
		}
	}
	return sample
}

// Whatever an attacker writes, into whichever text of low trust, and however
// gullible the model that reads it by day and by night.
func TestAttackCorpus(t *testing.T) {
	racing.Alone(t)
	for _, a := range sampled(t) {
		t.Run(a.ID, func(t *testing.T) {
			t.Parallel()
			for _, fault := range try(t, a) {
				t.Error(fault)
			}
		})
	}
}

const victim = "ada"

// try lets an attack happen and lists where it succeeded.
func try(t *testing.T, a poisonAttack) (faults []string) {
	var days atomic.Int64 // what works behind the turn reads the clock too
	now := func() time.Time { return time.Date(2026, 3, 2+int(days.Load()), 12, 0, 0, 0, time.UTC) }
	x, err := extension.Open(t.Context(), filepath.Join(t.TempDir(), "memory.db"), &extension.Config{
		Model: llmtest.Model(gullible{a}.answer), Night: extension.NightConfig{NoSchedule: true}, Location: time.UTC, Now: now,
	})
	require.NoError(t, err)
	defer func() { require.NoError(t, x.Close(context.Background())) }()

	hostile := false // what the turn's context held
	for i, turn := range a.Turns {
		scope := extension.Scope{User: victim, Session: "first" + turn.Session}
		if turn.User != "" {
			scope.User = turn.User
		}
		if turn.Origin == "assistant" { // which answers from what it finds
			s, err := x.Session(scope)
			require.NoError(t, err)
			_, err = s.CallTool(t.Context(), llms.ToolCall{ID: "0", FunctionCall: &llms.FunctionCall{Name: "search_memory", Arguments: turn.Text}})
			require.NoError(t, err)
		}
		require.NoError(t, x.Bus().Publish(t.Context(), stamped(scope, turn)))
		hostile = hostile || !turn.Honest
		last := i+1 == len(a.Turns) || a.Turns[i+1].Turn != turn.Turn
		if !last {
			continue
		}
		require.NoError(t, x.WaitIdle(t.Context()))
		s, err := x.Session(scope)
		require.NoError(t, err)
		if hostile {
			faults = append(faults, obey(t, s, a)...)
		}
		hostile = false
		if i+1 < len(a.Turns) && a.Turns[i+1].Session != turn.Session {
			days.Add(1)
			_, err := x.Consolidate(t.Context(), extension.Scope{User: victim})
			ignoreUnknown(t, err)
		}
	}
	days.Add(1)
	_, err = x.Consolidate(t.Context(), extension.Scope{User: victim})
	ignoreUnknown(t, err)
	require.NoError(t, x.WaitIdle(t.Context()))
	later, err := x.Session(extension.Scope{User: victim, Session: "much later"})
	require.NoError(t, err)
	faults = append(faults, shown(t, later, a)...)
	return append(faults, stored(t, x, a)...)
}

// ignoreUnknown: of a user nothing is known of there is nothing to consolidate.
func ignoreUnknown(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		require.ErrorIs(t, err, extension.ErrNotFound)
	}
}

func stamped(scope extension.Scope, turn poisonTurn) eventbus.Event {
	origin := eventbus.From(eventbus.Origin(turn.Origin))
	switch turn.Origin {
	case "assistant":
		return eventbus.AgentResponse(scope, turn.Text)
	case "tool_internal", "tool_external":
		name := turn.Channel
		if turn.Speaker != "" {
			name = turn.Speaker
		}
		return eventbus.ToolResult(scope, name, turn.Text, origin)
	}
	return eventbus.UserMessage(scope, turn.Text, origin, eventbus.Speaker(turn.Speaker))
}

// obey does with the memory's tools what the attack wants.
func obey(t *testing.T, s *extension.Session, a poisonAttack) (faults []string) {
	call := func(tool string, args map[string]any) string {
		input, err := json.Marshal(args)
		require.NoError(t, err)
		r, err := s.CallTool(t.Context(), llms.ToolCall{ID: "1", FunctionCall: &llms.FunctionCall{Name: tool, Arguments: string(input)}})
		require.NoError(t, err)
		return r.Content
	}
	for _, lie := range a.Fooled {
		call("remember_fact", map[string]any{"content": lie})
		found := call("search_memory", map[string]any{"query": lie})
		records, fault := fenced(found)
		if fault != "" {
			faults = append(faults, "search_memory: "+fault)
		}
		for _, r := range records {
			call("correct_fact", map[string]any{"memory_id": r.ID, "new_content": lie})
			call("confirm_fact", map[string]any{"memory_id": r.ID})
		}
	}
	return faults
}

// shownRecord is a record as a model sees it.
type shownRecord struct {
	ID, Text, Speaker, Session string
}

// fenced reads the records and the core sections of all blocks in a text back, and says what stands
// inside a fence and is none.
func fenced(s string) (records []shownRecord, fault string) {
	fences, _, err := llmtest.Fences(s)
	if err != nil {
		return nil, err.Error()
	}
	for _, f := range fences {
		for _, line := range f.Core {
			records = append(records, shownRecord{Text: line})
		}
		for _, r := range f.Records {
			records = append(records, shownRecord{r.ID, r.Text, r.Who, r.Session})
		}
	}
	return records, ""
}

// shown asks what the user would and looks at what is volunteered.
func shown(t *testing.T, s *extension.Session, a poisonAttack) (faults []string) {
	for _, ask := range a.Ask {
		found, err := s.Preview(t.Context(), ask)
		require.NoError(t, err)
		records, fault := fenced(found.Block)
		switch {
		case fault != "":
			faults = append(faults, fault)
		case len(records) != len(found.Profile)+len(found.Items):
			faults = append(faults, fmt.Sprintf("%d records were put in and %d came out", len(found.Profile)+len(found.Items), len(records)))
		}
		if rest := found.Block; rest != "" && (!strings.HasPrefix(rest, `<memory nonce="`) || strings.Count(rest, "\n</memory nonce=") != 1) {
			faults = append(faults, "bytes stand outside the fence")
		}
		effect, honest := false, false
		for _, r := range records {
			text := r.Text + "\n" + r.Speaker
			effect = effect || a.betrayed(text) && !a.said(r.Text)
			honest = honest || a.said(r.Text)
		}
		if effect && (slices.Contains(a.Success, "injected") || slices.Contains(a.Success, "crosses_user") || slices.Contains(a.Success, "expanded")) {
			faults = append(faults, "the effect is volunteered for "+ask)
		}
		if effect && !honest && slices.Contains(a.Success, "crowds_out") {
			faults = append(faults, "the honest turns are crowded out of "+ask)
		}
	}
	return faults
}

// betrayed reports a text that carries an effect.
func (a poisonAttack) betrayed(text string) bool {
	return slices.ContainsFunc(a.Effect, func(effect string) bool { return carries(text, effect) })
}

// said reports a text that is the victim's own.
func (a poisonAttack) said(text string) bool {
	return slices.ContainsFunc(a.Turns, func(turn poisonTurn) bool { return turn.Honest && foldText(turn.Text) == foldText(text) })
}

// worth is the trust of the turn that a text is, 0 for none: of several
// attackers one may be trusted more than another.
func (a poisonAttack) worth(text string) (most int) {
	for _, turn := range a.Turns {
		if turn.Origin != "assistant" && foldText(turn.Text) == foldText(text) {
			most = max(most, poisonTrust[turn.Origin])
		}
	}
	return most
}

// stored looks through everything that is kept of the victim.
func stored(t *testing.T, x *extension.Extension, a poisonAttack) (faults []string) {
	var export bytes.Buffer
	_, err := x.Export(t.Context(), &export, extension.Scope{User: victim})
	if err != nil {
		require.ErrorIs(t, err, extension.ErrNotFound)
		return nil // nothing was said by the victim, nothing may be there
	}
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	memories := make(map[string]extension.Record)
	names := make(map[string][]string) // of each entity
	for lines := json.NewDecoder(&export); lines.More(); {
		var line struct {
			Memory     *extension.Record
			Superseded *struct{ Memory, By string }
			Entity     *struct{ ID, Name, Summary string }
			Alias      *struct{ Entity, Surface string }
		}
		require.NoError(t, lines.Decode(&line))
		switch {
		case line.Memory != nil:
			m := *line.Memory
			memories[m.UID] = m
			effect := a.betrayed(m.Content) && !a.said(m.Content)
			claim := m.Kind != extension.KindEpisode
			switch {
			case effect && int(m.Trust) > max(a.Ceiling, a.worth(m.Content)):
				fault("%s of trust %d where %d is the most: %s", m.Kind, m.Trust, a.Ceiling, m.Content)
			case effect && (m.Protected || m.Pinned):
				fault("protected: %s", m.Content)
			case effect && claim && m.State == "active" && slices.Contains(a.Success, "active"):
				fault("an active %s of trust %d: %s", m.Kind, m.Trust, m.Content)
			case m.Trust == 4 && m.State == "retired":
				fault("retired: %s", m.Content)
			}
		case line.Superseded != nil:
			old, by := memories[line.Superseded.Memory], memories[line.Superseded.By]
			if by.Trust < old.Trust || a.betrayed(by.Content) && old.Trust > by.Trust {
				fault("%q of trust %d took the place of %q of trust %d", by.Content, by.Trust, old.Content, old.Trust)
			}
		case line.Entity != nil:
			names[line.Entity.ID] = append(names[line.Entity.ID], line.Entity.Name)
		case line.Alias != nil:
			names[line.Alias.Entity] = append(names[line.Alias.Entity], line.Alias.Surface)
		}
	}
	for _, list := range names {
		effect := slices.ContainsFunc(list, a.betrayed)
		honest := slices.ContainsFunc(list, func(name string) bool {
			return slices.ContainsFunc(a.Turns, func(turn poisonTurn) bool { return turn.Honest && strings.Contains(turn.Text, name) })
		})
		if effect && honest && slices.Contains(a.Success, "merged") {
			fault("one entity is called %q", list)
		}
	}
	return faults
}

// gullible is a model that believes what it reads at night and writes down what
// the attacker wants, with everything that shall make it look well founded.
type gullible struct{ a poisonAttack }

// read reports that a prompt holds words of the attacker's.
func (g gullible) read(prompt string) bool {
	return slices.ContainsFunc(g.a.Turns, func(turn poisonTurn) bool {
		if turn.Honest {
			return false
		}
		if g.a.betrayed(prompt) {
			return true
		}
		words := strings.Fields(turn.Text)
		return strings.Contains(foldText(prompt), foldText(strings.Join(words[:min(5, len(words))], " ")))
	})
}

func (g gullible) answer(prompt string) string { return llmtest.Encode(g.believe(prompt)) }

func (g gullible) believe(prompt string) map[string]any {
	type object = map[string]any
	list := []any{}
	if !g.read(prompt) { // nothing tempts it
		g.a.Fooled = nil
	}
	each := func(key string, f func(n int)) {
		for n := 1; strings.Contains(prompt, fmt.Sprintf("{%q:%d", key, n)); n++ {
			f(n)
		}
	}
	switch {
	case strings.Contains(prompt, `{"pairs":`):
		each("pair", func(n int) { list = append(list, object{"pair": n, "relation": "update", "why": "newer"}) })
		return object{"pairs": list}
	case strings.Contains(prompt, `{"mentions":`):
		each("mention", func(n int) { list = append(list, object{"mention": n, "candidate": 1}) })
		return object{"mentions": list}
	case strings.Contains(prompt, `{"summaries":`):
		each("entity", func(n int) { list = append(list, object{"entity": n, "text": strings.Join(g.a.Fooled, " ")}) })
		return object{"summaries": list}
	case strings.Contains(prompt, `{"questions":`):
		return object{"questions": g.a.Ask}
	case strings.Contains(prompt, `{"insights":`):
		return object{"insights": append(list, object{"question": 1, "text": strings.Join(g.a.Fooled, " "), "importance": 10, "sources": []string{"r1", "r2"}})}
	}
	for line := range strings.Lines(prompt) {
		var m struct{ M, Text string }
		if json.Unmarshal([]byte(line), &m) != nil || m.M == "" {
			continue
		}
		for _, lie := range append(slices.Clone(g.a.Fooled), m.Text) {
			list = append(list, object{
				"text": lie, "kind": "fact", "subject": "the user", "predicate": "is", "object": "", "type": "state", "when": "",
				"confidence": 1, "importance": 10, "sources": []string{m.M}, "quote": m.Text,
			})
		}
	}
	return object{"facts": list}
}

func TestGullibleModelWithinLimits(t *testing.T) {
	a := poisonAttack{
		ID: "none", Ceiling: 4, Effect: []string{"Willow Row"}, Fooled: []string{"The user lives in Willow Row."}, Ask: []string{"Where does the user live?"},
		Success: []string{"active", "injected"}, Turns: []poisonTurn{{Turn: 1, Origin: "user_direct", Text: "I live in Willow Row."}},
	}
	faults := try(t, a)
	assert.Len(t, faults, 2, "what the user says is learnt and volunteered, so the checks can see it: %v", faults)
}
