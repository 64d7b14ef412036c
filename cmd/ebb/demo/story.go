package demo

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
	"github.com/ebbmem/ebb/internal/cells"
)

//go:embed story.jsonl
var storyFile []byte

//go:embed questions.json
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
	return nil
}

// throughMemory are the sessions in which a langchaingo Memory stores the
// turns; in all others the host publishes them on the bus.
var throughMemory = []string{"story-11", "story-12"}

// toolMoment is a tool call of the story's agent, right after a turn.
type toolMoment struct {
	after      string // turn id
	content    string
	confidence float64
	corrects   string // the fact that this one corrects; empty for a new one
	told       bool   // whether the demo tells of it
}

const (
	livesInLisbon = "Ada lives in Lisbon, in Graça."
	livesInOslo   = "Ada lives in Oslo."
	allergy       = "Ada is allergic to cashews."
	meeting       = "The team meeting is on Tuesday at ten."
	skates        = "Noor sold Ada's roller skates."
	sardines      = "Ada would miss grilled sardines."
)

var toolMoments = []toolMoment{
	{after: "story-01:03", content: livesInLisbon, confidence: 0.9, told: true},
	{after: "story-01:05", content: "Pixel is a small grey dog with one white paw.", confidence: 0.8},
	{after: "story-01:07", content: "Ada is a senior product designer at Nordlys Maps.", confidence: 0.9},
	{after: "story-01:11", content: allergy, confidence: 1, told: true},
	{after: "story-02:09", content: "The test on the Tejo is on the 26th.", confidence: 0.6},
	{after: "story-03:07", content: skates, confidence: 0.4},
	{after: "story-03:09", content: "Noor learnt to drive in an ice cream van.", confidence: 0.4},
	{after: "story-04:05", content: "Ada runs on Tuesdays and Thursdays.", confidence: 0.6},
	{after: "story-05:01", content: "Ada's boss is Henrike.", confidence: 0.8},
	{after: "story-05:09", content: sardines, confidence: 0.3},
	{after: "story-06:03", content: "Ada's doctor is Dr. Pinto.", confidence: 0.7},
	{after: "story-07:05", content: "The removal van comes on the 9th of April.", confidence: 0.6},
	{after: "story-07:07", content: "Pixel sees the vet on the 8th.", confidence: 0.5},
	{after: "story-07:09", content: "Solveig rents out the flat in Grünerløkka.", confidence: 0.7},
	{after: "story-07:11", content: "Noor has booked the sofa for August.", confidence: 0.5},
	{after: "story-08:07", content: "The release is on the 1st of September in Hamburg.", confidence: 0.8},
	{after: "story-08:09", content: "Duarte has Ada's number for the May race.", confidence: 0.3},
	{after: "story-08:11", content: "The lake run is around Sognsvann.", confidence: 0.6},
	{after: "story-09:09", content: "Noor always answers the phone.", confidence: 0.5},
	{after: "story-10:01", content: livesInOslo, corrects: livesInLisbon, told: true},
	{after: "story-11:01", content: "The river is called the Akerselva.", confidence: 0.4},
	{after: "story-11:05", content: "Tuva draws faster than Ada thinks.", confidence: 0.4},
	{after: "story-11:05", content: "Sunniva starts in May.", confidence: 0.6},
	{after: "story-11:07", content: meeting, confidence: 0.6},
	{after: "story-12:01", content: "Vitya's cat is called Commodore.", confidence: 0.4},
}

// listen takes the story in, turn by turn, each at its own time.
func (d *demo) listen() error {
	d.scene("Seven weeks of conversation")
	d.clock.Set(d.story[0].Time)
	if err := d.open(); err != nil {
		return err
	}
	first, last := d.story[0].Time, d.story[len(d.story)-1].Time
	d.say("Ada talks to her assistant from %s to %s. Most sessions reach the memory through the event bus (ext.Bus().Publish), "+
		"the last two through langchaingo's Memory (SaveContext). On the way the agent calls tools:", d.Day(first), d.Day(last))
	for i := 0; i < len(d.story); i++ {
		if err := d.ctx.Err(); err != nil {
			return err
		}
		t := d.story[i]
		d.clock.Set(t.Time)
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
		// What the message says outright is read before the agent says it, too.
		if err := d.ext.WaitIdle(d.ctx); err != nil {
			return err
		}
		if err := d.callTools(t); err != nil {
			return err
		}
	}
	d.Line("")
	d.say("And %d more calls of remember_fact, for smaller things: a meeting, a cat, a river.", d.untold)
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
		tool, args := "remember_fact", map[string]any{"content": m.content, "confidence": m.confidence}
		if m.corrects != "" {
			old, err := d.fact(m.corrects)
			if err != nil {
				return err
			}
			tool, args = "correct_fact", map[string]any{"memory_id": old.UID, "new_content": m.content}
		}
		answer, err := d.call(as(t.Session), tool, args)
		if err != nil {
			return err
		}
		if _, err := d.fact(m.content); err != nil {
			return fmt.Errorf("%w; %s answered: %s", err, tool, answer)
		}
		if !m.told {
			d.untold++
			continue
		}
		d.Line("")
		d.Parts("     ", "   "+d.Moment(t.Time), d.In(cells.Bold, tool), m.content)
		d.Body("     → ", "       ", answer)
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
	return d.ext.Timeline(d.ctx, as(""), extension.TimelineQuery{Kinds: []extension.Kind{extension.KindFact, extension.KindPreference}, Limit: 1000})
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

// turns finds the turn of each message in the memory, by its id there.
func (d *demo) turns() (map[string]string, error) {
	messages, err := d.ext.Timeline(d.ctx, as(""), extension.TimelineQuery{Kinds: []extension.Kind{extension.KindEpisode}, Limit: 1000})
	turns := make(map[string]string, len(messages))
	for i := range messages {
		for _, t := range d.story {
			if t.Text == messages[i].Content {
				turns[messages[i].UID] = t.ID
			}
		}
	}
	return turns, err
}
