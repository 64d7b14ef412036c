package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/tmc/langchaingo/llms"

	"github.com/ebbmem/ebb/extension"
)

// shownPerQuestion is how many results the demo prints of each search.
const shownPerQuestion = 5

// ask puts the story's questions to the memory and marks what answers them.
func (d *demo) ask() error {
	d.scene("Questions")
	d.say("Asked on %s, in a new session. ● marks a turn that answers the question, as the story's author labelled it.", d.day(d.clock.Now()))
	explained := false
	for _, q := range d.questions {
		answer, err := d.ext.Recall(d.ctx, as(""), extension.Query{Text: q.Question, Limit: shownPerQuestion})
		if err != nil {
			return err
		}
		d.line("")
		d.line("   %s", d.in(bold, q.Question))
		hits, best := 0, (*extension.Result)(nil)
		for i := range answer.Results {
			r := &answer.Results[i]
			mark := " "
			if slices.Contains(q.Expect, d.turnOf[r.Memory.Content]) {
				mark = d.in(good, "●")
				hits++
				best = cmp.Or(best, r)
			}
			d.shown(mark, r)
		}
		d.tally(q, hits, len(answer.Results))
		if best != nil && !explained {
			d.line("")
			d.say("Why ● stands at %d (ebb explain): its score %.3f is the sum of", best.Rank, best.Score)
			d.reasons(*best)
			explained = true
		}
	}
	return nil
}

func (d *demo) tally(q storyQuestion, hits, shown int) {
	if len(q.Expect) == 0 {
		d.say("  Nothing in the story answers this; %s nearest by its words.", count(shown, "memory stands", "memories stand"))
		return
	}
	d.asked++
	d.expected += len(q.Expect)
	d.found += hits
	if hits > 0 {
		d.hits++
	}
}

// shown is one result on one line.
func (d *demo) shown(mark string, r *extension.Result) {
	m := &r.Memory
	line := fmt.Sprintf("%d  %s  %-9s  ", r.Rank, m.EventTime.In(d.location).Format("Mon _2 Jan"), speaker(m))
	d.line("   %s %s%s", mark, line, oneLine(m.Content, d.width-cells(line)-6))
}

// prompt shows what a model would be given, letter by letter.
func (d *demo) prompt() error {
	d.scene("What a model is given")
	const question = "When is Noor's wedding?"
	d.say("extension.WrapModel puts what may help before the question. This is the whole prompt of one call, as the model gets it (ids and nonce are new in every run):")
	d.line("")
	session, err := d.ext.Session(as("evening"))
	if err != nil {
		return err
	}
	model := &scriptedModel{answer: "On Saturday the 20th of June; it was moved by a week."}
	if _, err := llms.GenerateFromSinglePrompt(d.ctx, extension.WrapModel(model, session), question); err != nil {
		return err
	}
	for _, part := range model.prompt {
		d.body("   │ ", "   │ ", part)
	}
	d.line("")
	d.say("(A model that reads this could answer: “%s”)", model.answer)
	return nil
}

// scriptedModel is a model that keeps what it is asked and answers what it was
// told to.
type scriptedModel struct {
	answer string
	prompt []string // the last call's texts
}

// GenerateContent implements [llms.Model].
func (m *scriptedModel) GenerateContent(_ context.Context, messages []llms.MessageContent, _ ...llms.CallOption) (*llms.ContentResponse, error) {
	m.prompt = nil
	for _, message := range messages {
		for _, part := range message.Parts {
			if text, ok := part.(llms.TextContent); ok {
				m.prompt = append(m.prompt, string(message.Role)+": "+text.Text)
			}
		}
	}
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: m.answer}}}, nil
}

// Call implements [llms.Model].
func (m *scriptedModel) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, m, prompt, options...)
}

// asOf asks the same question of two moments.
func (d *demo) asOf() error {
	d.scene("As of")
	d.say("A corrected fact keeps its past. “Where do I live?”, asked of the facts:")
	d.line("")
	for _, at := range []struct {
		label string
		asOf  extension.AsOf
	}{
		{"today", extension.AsOf{}},
		{"in March", extension.AsOf{Valid: time.Date(2026, 3, 15, 12, 0, 0, 0, time.UTC)}},
	} {
		answer, err := d.ext.Recall(d.ctx, as(""), extension.Query{
			Text: "Where do I live?", Limit: 1, Kinds: []extension.Kind{extension.KindFact}, AsOf: at.asOf,
		})
		if err != nil {
			return err
		}
		for _, r := range answer.Results {
			d.line("   %-17s %s", at.label, r.Memory.Content)
			d.line("   %-17s %s", "", d.in(dim, string(r.Memory.State)+", true "+d.span(&r.Memory)))
		}
		if len(answer.Results) == 0 {
			d.line("   %-17s nothing", at.label)
		}
	}
	return nil
}
