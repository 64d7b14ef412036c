package demo

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tmc/langchaingo/llms"

	"github.com/ebbmem/ebb/cmd/ebb/records"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/cells"
)

// shownPerQuestion is how many results the demo prints of each search.
const shownPerQuestion = 5

// ask puts the story's questions to the memory and marks what answers them: first
// in the profile, which is put before a model with the question, then in a search.
func (d *demo) ask() error {
	d.scene("Questions")
	d.say("Asked on %s, in a new session. ● marks what answers the question, as the story's author labelled it; – stands for "+
		"the profile: what Ada has said of herself, chosen by the question (ebb profile). The numbers are a search's (ebb search).", d.Day(d.clock.Now()))
	session, err := d.ext.Session(as("questions"))
	if err != nil {
		return err
	}
	if d.turnOf, err = d.turns(); err != nil {
		return err
	}
	explained := false
	for _, q := range d.questions {
		answers, best, err := d.answer(session, q)
		if err != nil {
			return err
		}
		d.tally(q, answers)
		if best != nil && !explained {
			d.Line("")
			d.say("Why ● stands at %d (ebb explain): its score %.3f is the sum of", best.Rank, best.Score)
			records.Reasons(d.Page, *best)
			explained = true
		}
	}
	return nil
}

// answer asks one question. It returns the turns that answer it among what is
// shown, and the best result of the search among them.
func (d *demo) answer(session *extension.Session, q storyQuestion) (answers map[string]bool, best *extension.Result, err error) {
	d.Line("")
	d.Line("   %s", d.In(cells.Bold, q.Question))
	found, err := session.Preview(d.ctx, q.Question)
	if err != nil {
		return nil, nil, err
	}
	answers = make(map[string]bool)
	for _, l := range found.Profile {
		for _, id := range l.Sources {
			if turn := d.turnOf[id]; slices.Contains(q.Expect, turn) && !answers[turn] {
				answers[turn] = true
				d.shown("–", d.In(cells.Good, "●"), l.Said, "Ada", l.Text)
			}
		}
	}
	answer, err := session.Search(d.ctx, extension.Query{Text: q.Question, Limit: shownPerQuestion})
	if err != nil {
		return nil, nil, err
	}
	memories := make([]extension.Record, len(answer.Results))
	for i := range answer.Results {
		memories[i] = answer.Results[i].Memory
	}
	ended, err := d.ext.Superseded(d.ctx, as(""), memories...)
	if err != nil {
		return nil, nil, err
	}
	for i := range answer.Results {
		m, mark := &answer.Results[i].Memory, " "
		if turn := d.turnOf[m.UID]; slices.Contains(q.Expect, turn) {
			mark = d.In(cells.Good, "●")
			answers[turn] = true
			best = cmp.Or(best, &answer.Results[i])
		}
		d.shown(fmt.Sprint(i+1), mark, m.EventTime.Time, records.Speaker(m), m.Content)
		if s, is := ended[m.UID]; is {
			for _, part := range cells.Wrap(s.String(), d.Width-8) {
				d.Line("        %s", d.In(cells.Warm, part))
			}
		}
	}
	return answers, best, nil
}

func (d *demo) tally(q storyQuestion, answers map[string]bool) {
	if len(q.Expect) == 0 {
		d.say("  Nothing in the story answers this; these stand nearest by their words.")
		return
	}
	d.asked++
	d.expected += len(q.Expect)
	d.found += len(answers)
	if len(answers) > 0 {
		d.hits++
	}
}

// shown is one memory on one line.
func (d *demo) shown(place, mark string, at time.Time, who, text string) {
	line := fmt.Sprintf("%s  %s  %-9s  ", place, at.In(d.Location).Format("Mon _2 Jan"), who)
	d.Line("   %s %s%s", mark, line, cells.OneLine(text, d.Width-cells.Width(line)-6))
}

// promptStart and promptEnd are how many lines of the prompt are shown from both ends.
const promptStart, promptEnd = 14, 8

// prompt shows what a model would be given, letter by letter.
func (d *demo) prompt() error {
	d.scene("What a model is given")
	const question = "When is Noor's wedding?"
	d.say("extension.WrapModel puts what may help before the question. This is the prompt of one call, as the model gets it (ids and nonce are new in every run; the middle is left out here):")
	d.Line("")
	session, err := d.ext.Session(as("evening"))
	if err != nil {
		return err
	}
	model := &scriptedModel{answer: "On Saturday the 20th of June; it was moved by a week."}
	if _, err := llms.GenerateFromSinglePrompt(d.ctx, extension.WrapModel(model, session), question); err != nil {
		return err
	}
	for _, part := range model.prompt {
		lines := strings.Split(part, "\n")
		if left := len(lines) - promptStart - promptEnd; left > 1 {
			lines = slices.Concat(lines[:promptStart], []string{fmt.Sprintf("… (%d lines)", left)}, lines[len(lines)-promptEnd:])
		}
		d.Body("   │ ", "   │ ", strings.Join(lines, "\n"))
	}
	d.Line("")
	d.say("(A model that reads this could answer: “%s”)", model.answer)
	return nil
}

// scriptedModel is a model that keeps what it is asked and always gives the same
// answer.
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
	d.Line("")
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
			d.Line("   %-9s %s", at.label, r.Memory.Content)
			d.Body("             ", "             ", string(r.Memory.State)+", true "+records.Span(d.Page, &r.Memory))
		}
		if len(answer.Results) == 0 {
			d.Line("   %-9s nothing", at.label)
		}
	}
	return nil
}
