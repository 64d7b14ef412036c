package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tmc/langchaingo/llms"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
)

//go:embed demo/story.jsonl
var storyFile []byte

//go:embed demo/questions.json
var questionsFile []byte

// storyTurn is one line of story.jsonl.
type storyTurn struct {
	ID      string    `json:"id"`
	Session string    `json:"session"`
	Time    time.Time `json:"time"`
	Speaker string    `json:"speaker"`
	Role    string    `json:"role"`
	Text    string    `json:"text"`
}

// storyQuestion is one of questions.json; nothing in the story answers one
// that expects no turn.
type storyQuestion struct {
	Question string   `json:"question"`
	Expect   []string `json:"expect"`
}

func (d *demo) load() error {
	for line := range bytes.Lines(storyFile) {
		var t storyTurn
		if err := json.Unmarshal(line, &t); err != nil {
			return fmt.Errorf("the demo's story: %w", err)
		}
		d.story = append(d.story, t)
	}
	if err := json.Unmarshal(questionsFile, &d.questions); err != nil {
		return fmt.Errorf("the demo's questions: %w", err)
	}
	d.turnOf = make(map[string]string, len(d.story))
	for _, t := range d.story {
		d.turnOf[t.Text] = t.ID
	}
	return nil
}

// throughMemory are the sessions in which a langchaingo Memory stores the
// turns; in all others the host publishes them on the bus.
var throughMemory = []string{"story-11", "story-12"}

// toolMoment is a tool call of the story's agent, right after a turn.
type toolMoment struct {
	after, tool string
	content     string
	confidence  float64
	entities    []string
	corrects    string // content of the fact that a correct_fact is about
}

var toolMoments = []toolMoment{
	{after: "story-01:03", tool: "remember_fact", content: "Ada lives in Lisbon, in Graça.", confidence: 0.9, entities: []string{"Ada", "Lisbon"}},
	{after: "story-01:11", tool: "remember_fact", content: "Ada is allergic to cashews.", confidence: 1, entities: []string{"Ada"}},
	{after: "story-10:01", tool: "correct_fact", content: "Ada lives in Oslo.", corrects: "Ada lives in Lisbon, in Graça."},
	{after: "story-11:05", tool: "remember_fact", content: "Sunniva joins Ada's team in May.", confidence: 0.7, entities: []string{"Sunniva"}},
	{after: "story-12:01", tool: "remember_fact", content: "Vitya's cat is called Commodore.", confidence: 0.4, entities: []string{"Vitya", "Commodore"}},
}

// listen takes the story in, turn by turn, each at its own time.
func (d *demo) listen() error {
	d.scene("Seven weeks of conversation")
	d.clock.set(d.story[0].Time)
	if err := d.open(); err != nil {
		return err
	}
	first, last := d.story[0].Time, d.story[len(d.story)-1].Time
	d.say("Ada talks to her assistant from %s to %s. Most sessions reach the memory through the event bus (ext.Bus().Publish), "+
		"the last two through langchaingo's Memory (SaveContext). On the way the agent calls tools:", d.day(first), d.day(last))
	for i := 0; i < len(d.story); i++ {
		if err := d.ctx.Err(); err != nil {
			return err
		}
		t := d.story[i]
		d.clock.set(t.Time)
		if slices.Contains(throughMemory, t.Session) && t.Role == "user" && i+1 < len(d.story) {
			answer := d.story[i+1]
			session, err := d.ext.Session(as(t.Session))
			if err != nil {
				return err
			}
			if err := session.Memory().SaveContext(d.ctx, map[string]any{"input": t.Text}, map[string]any{"output": answer.Text}); err != nil {
				return err
			}
			i++
		} else if err := d.ext.Bus().Publish(d.ctx, d.event(t)); err != nil {
			return err
		}
		if err := d.callTools(t); err != nil {
			return err
		}
	}
	return nil
}

func (d *demo) event(t storyTurn) eventbus.Event {
	about := []eventbus.MessageOption{eventbus.WithID(t.ID), eventbus.At(t.Time), eventbus.Speaker(t.Speaker)}
	if t.Role == "assistant" {
		return eventbus.AgentResponse(as(t.Session), t.Text, about...)
	}
	return eventbus.UserMessage(as(t.Session), t.Text, about...)
}

// callTools makes the tool calls of this moment, as a model would.
func (d *demo) callTools(t storyTurn) error {
	for _, m := range toolMoments {
		if m.after != t.ID {
			continue
		}
		args := map[string]any{"content": m.content, "confidence": m.confidence, "entity_names": m.entities}
		if m.tool == "correct_fact" {
			old, err := d.fact(m.corrects)
			if err != nil {
				return err
			}
			args = map[string]any{"memory_id": old.UID, "new_content": m.content}
		}
		answer, err := d.call(as(t.Session), m.tool, args)
		if err != nil {
			return err
		}
		d.line("")
		d.line("   %s  %s  %s", d.moment(t.Time), d.in(bold, m.tool), m.content)
		d.body("     → ", "       ", answer)
	}
	return nil
}

func (d *demo) call(scope extension.Scope, tool string, args map[string]any) (string, error) {
	session, err := d.ext.Session(scope)
	if err != nil {
		return "", err
	}
	input, err := json.Marshal(args)
	if err != nil {
		return "", err
	}
	answer, err := session.CallTool(d.ctx, llms.ToolCall{
		ID: "call-1", Type: "function", FunctionCall: &llms.FunctionCall{Name: tool, Arguments: string(input)},
	})
	return answer.Content, err
}

// facts lists what the tools stored, oldest first.
func (d *demo) facts() ([]extension.Record, error) {
	return d.ext.Timeline(d.ctx, as(""), extension.TimelineQuery{Kinds: []extension.Kind{extension.KindFact, extension.KindPreference}})
}

func (d *demo) fact(content string) (*extension.Record, error) {
	facts, err := d.facts()
	if err != nil {
		return nil, err
	}
	for i := range facts {
		if strings.EqualFold(facts[i].Content, content) {
			return &facts[i], nil
		}
	}
	return nil, fmt.Errorf("the demo's fact %q was not stored", content)
}
