package consolidate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ebbmem/ebb/consolidate/ask"
	"github.com/ebbmem/ebb/internal/claims"
	"github.com/ebbmem/ebb/internal/grounding"
	"github.com/ebbmem/ebb/internal/poison"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

type insight struct {
	Question   ask.Number `json:"question"`
	Text       string     `json:"text"`
	Importance ask.Number `json:"importance"`
	Sources    ask.Words  `json:"sources"`
}

// Answer asks the model what records say about a question, and returns the insights
// that rest on at least two of them ([AddReflection]).
func Answer(ctx context.Context, in *Input, question string, records []*schema.Memory) ([]Proposal, error) {
	x := &reflection{Reflect: Reflect{}.withDefaults(), in: in}
	places := make([]int, len(records))
	for i, m := range records {
		x.records, places[i] = append(x.records, *m), i
	}
	return x.answer(ctx, []string{question}, [][]int{places})
}

// answer asks the model for insights from what was found, and once more if there
// are too few.
func (x *reflection) answer(ctx context.Context, questions []string, found [][]int) ([]Proposal, error) {
	all := make([]int, len(questions))
	for i := range all {
		all[i] = i
	}
	var drawn []AddReflection
	about := func(some []int) ([]AddReflection, error) {
		var asked []string
		var b strings.Builder
		for _, i := range some {
			asked = append(asked, questions[i])
			b.WriteString(jsonLine(struct {
				Number   int    `json:"question"`
				Question string `json:"text"`
			}{len(asked), questions[i]}))
			for _, at := range found[i] {
				b.WriteString(jsonLine(recordOf(&x.records[at], recordAlias(at), x.in)))
			}
		}
		return x.draw(ctx, asked, b.String(), drawn)
	}
	err := ask.InHalves(all, func(some []int) error {
		more, err := about(some)
		drawn = append(drawn, more...)
		return err
	})
	if err != nil {
		return nil, err
	}
	if x.missing(drawn) > 0 {
		more, err := about(all)
		var model *ask.ModelError
		if err != nil && !ask.Unusable(err) && !errors.Is(err, ask.ErrBudget) && !errors.As(err, &model) {
			return nil, err
		}
		drawn = append(drawn, more...) // if there are no more, the first ones stand
		x.in.Count("missing", x.missing(drawn))
	}
	proposals := make([]Proposal, len(drawn))
	for i := range drawn {
		proposals[i] = drawn[i]
	}
	return proposals, nil
}

// missing returns how many insights are missing. Quarantined ones do not count.
func (x *reflection) missing(drawn []AddReflection) int {
	missing := min(x.Insights, x.Questions)
	for i := range drawn {
		if drawn[i].Doubt == "" {
			missing--
		}
	}
	return max(0, missing)
}

// draw asks for insights other than those there are.
func (x *reflection) draw(ctx context.Context, questions []string, records string, there []AddReflection) (drawn []AddReflection, err error) {
	p := ask.Prompt{
		SafeErrors: true,
		Name:       "reflect_insights", Version: reflectVersion, System: strings.TrimSpace(reflectInsights), User: records,
		Schema: object(map[string]any{"insights": map[string]any{"type": "array", "items": object(map[string]any{
			"question": map[string]any{"type": "integer"}, "text": map[string]any{"type": "string"}, "importance": map[string]any{"type": "number"},
			"sources": map[string]any{"type": "array", "items": map[string]any{"type": "string"}},
		}, "question", "text", "importance", "sources")}}, "insights"),
	}
	if x.Least > DefaultReflectLeast {
		p.System += fmt.Sprintf("\n\nThe importance of each is %g to 10: 10 for what changes how all go on.", x.Least)
	}
	most := len(questions)
	if x.Insights > 0 {
		most = max(x.missing(there), x.Questions-len(there))
		p.System += fmt.Sprintf("\n\nWrite %d to %d insights in all, several for one question if it takes that; fewer only where the records say no more.", x.missing(there), most)
	}
	if len(there) > 0 {
		p.System += " Leave out those that are there already, and what says the same."
		p.User += "There already:\n"
		for i := range there {
			p.User += jsonLine(struct {
				Text string `json:"insight"`
			}{there[i].Content})
		}
	}
	var answer struct {
		Insights []insight `json:"insights"`
	}
	err = x.in.Model.Ask(ctx, p, func(decode func(any) error) error {
		answer.Insights = nil
		if err := decode(&answer); err != nil {
			return err
		}
		if answer.Insights == nil {
			return errors.New(`it has no list "insights"; an empty one is fine`)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, i := range answer.Insights[:min(len(answer.Insights), most)] {
		proposal, ok := x.proposal(i, questions)
		if !ok {
			x.in.Count("thin", 1)
			continue
		}
		same := func(other AddReflection) bool { return other.Content == proposal.Content }
		if !slices.ContainsFunc(there, same) && !slices.ContainsFunc(drawn, same) {
			drawn = append(drawn, proposal)
		}
	}
	return drawn, nil
}

func recordAlias(at int) string { return fmt.Sprintf("r%d", at+1) }

func (x *reflection) aliases() map[string]int {
	places := make(map[string]int, len(x.records))
	for at := range x.records {
		places[recordAlias(at)] = at
	}
	return places
}

// proposal compares an insight with the memories it cites. It returns false for one
// that cites fewer than two of those shown.
func (x *reflection) proposal(i insight, questions []string) (AddReflection, bool) {
	p := AddReflection{Lessons: x.Lessons, Content: text.Clean(strings.TrimSpace(i.Text)), Importance: min(1, max(x.Least/10, unit(float64(i.Importance)/10)))}
	if q := int(i.Question); 1 <= q && q <= len(questions) && poison.InspectClaim(questions[q-1]) == "" {
		p.Questions = []string{questions[q-1]}
	}
	p.Trust = schema.MaxTrust
	for _, shown := range [][]schema.Memory{x.recent, x.records} {
		for i := range shown {
			p.Trust = min(p.Trust, shown[i].Trust)
		}
	}
	var said []grounding.Turn
	places := x.aliases()
	for _, name := range i.Sources {
		at, known := places[strings.TrimSpace(name)]
		if !known || slices.Contains(p.Sources, x.records[at].UID) {
			continue
		}
		m := &x.records[at]
		p.Sources = append(p.Sources, m.UID)
		said = append(said, TurnOf(m, x.in.Scope.User, x.in.Location))
	}
	if len(p.Sources) < 2 || p.Content == "" {
		return p, false
	}
	s := grounding.Understand(p.Content, x.in.Now.In(x.in.Location))
	switch {
	case s.MissingFrom(said) != "":
		p.Doubt = "a name, number or date of it does not occur in its sources"
	case poison.InspectClaim(p.Content) != "":
		p.Doubt = "it reads like an instruction"
	}
	return p, true
}

// TurnOf returns a memory of owner's as a source of what a model wrote.
func TurnOf(m *schema.Memory, owner string, loc *time.Location) grounding.Turn {
	return grounding.Turn{Text: m.Content, At: m.EventTime.In(loc), Speakers: claims.SpeakersOf(m, owner)}
}

// promptRecord is a memory in a prompt.
type promptRecord struct {
	Alias   string `json:"r,omitempty"`
	Date    string `json:"date"`
	Kind    string `json:"kind,omitempty"` // "" for a message
	Speaker string `json:"speaker,omitempty"`
	Text    string `json:"text"`
}

// PromptLine is a memory as a line of JSON for a prompt, under an alias. Ask only about
// memories that are [Showable].
func PromptLine(m *schema.Memory, alias string, in *Input) string {
	return jsonLine(recordOf(m, alias, in))
}

func recordOf(m *schema.Memory, alias string, in *Input) promptRecord {
	r := promptRecord{Alias: alias, Date: m.EventTime.In(in.Location).Format("2006-01-02"), Speaker: m.Speaker, Text: text.Truncate(withoutFences(m.Content), recordTokens)}
	if m.Kind != schema.KindEpisode {
		r.Kind = string(m.Kind)
	}
	return r
}
