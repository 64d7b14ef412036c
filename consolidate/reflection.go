package consolidate

import (
	"context"
	_ "embed"
	"strconv"
	"strings"

	"github.com/ebbmem/ebb/consolidate/ask"
	"github.com/ebbmem/ebb/consolidate/enrich"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/core"
)

//go:embed prompts/reflect_questions.txt
var reflectQuestions string

//go:embed prompts/reflect_insights.txt
var reflectInsights string

// reflectionConfidence is the maximum confidence of a reflection, 0–1: it is a
// conclusion, however sure its sources are.
const reflectionConfidence = 0.7

// AddReflection stores an insight from several memories. Its trust is the lowest of
// theirs. A reflection may rest on messages and claims, and on reflections that
// rest on those, but not on deeper ones.
type AddReflection struct {
	Content    string
	Sources    []string // public ids, at least two
	Importance float64  // 0.8–1
	Questions  []string // that it answers, if known
	// Lessons is the list of core memory that an insight rated 10 is added to; nil
	// for none.
	Lessons *core.BlockSpec
	Tier    string // its tier; "" for none
	// Replaces is the public id of the reflection that it supersedes, unless that is of
	// higher trust or not current any more; "" for none.
	Replaces string
	Doubt    string // why it is quarantined; "" if it is not
	// Trust is the lowest trust of the memories that the model was shown: its text
	// may come from there, whatever it cites.
	Trust schema.Trust
}

func (AddReflection) of() (kind, memory string) { return "add_reflection", "" }

func (p AddReflection) apply(ctx context.Context, tx *schema.Tx, n *night) (Outcome, error) {
	cited := cite(p.Sources)
	if err := stillKnown(ctx, tx, n.input.UserID, cited); err != nil {
		return Outcome{}, err
	}
	sources, err := lookUp(ctx, tx, n.input.UserID, cited)
	if err != nil {
		return Outcome{}, err
	}
	depth := "1"
	for _, s := range sources {
		switch {
		case s.Memory.Kind == schema.KindReflection && s.Memory.Attributes[schema.AttrDepth] == "2":
			return Outcome{}, &schema.InvalidError{Field: "sources", Reason: "rest on a reflection that rests on one already"}
		case s.Memory.Kind == schema.KindReflection:
			depth = "2"
		}
	}
	if len(sources) < 2 {
		return Outcome{}, &schema.InvalidError{Field: "sources", Reason: "are fewer than two; an insight follows from several memories"}
	}
	if len([]rune(p.Content)) > 2*maxClaim {
		return Outcome{}, &schema.InvalidError{Field: "content", Reason: "is longer than two sentences are"}
	}
	first := sources[0].Memory
	m := &schema.Memory{
		UserID: n.input.UserID, Kind: schema.KindReflection, Content: p.Content, EventTime: schema.At(n.input.Now),
		DecayRate: schema.DefaultDecayRate, Utility: 0.5, Importance: min(1, max(0.8, p.Importance)), Agent: first.Agent,
		Attributes: schema.Attributes{schema.AttrDepth: depth, schema.AttrPrompt: ask.Prompt{Name: "reflect_insights", Version: reflectVersion}.ID()},
	}
	if p.Tier != "" {
		m.Attributes[schema.AttrTier] = p.Tier
	}
	cycle, err := tx.Cycle(ctx, n.input.UserID)
	if err != nil {
		return Outcome{}, err
	}
	if cycle > 0 {
		m.Attributes[schema.AttrCycle] = strconv.FormatInt(cycle, 10)
	}
	if questions := oneLineEach(p.Questions); questions != "" {
		m.Attributes[schema.AttrQuestions] = questions
	}
	m.Origin, m.Trust = weakest(sources)
	m.Trust = min(m.Trust, p.Trust)
	m.Confidence = min(reflectionConfidence, m.Trust.MaxConfidence())
	outcome := applied(p)
	outcome.Text, outcome.Reason = p.Content, p.Doubt
	if p.Doubt != "" {
		m.State, outcome.Status = schema.StateQuarantined, Quarantined
		m.Attributes[schema.AttrQuarantine] = p.Doubt
	}
	if outcome.Memory, err = tx.Night().ReflectionOf(ctx, n.input.UserID, p.Content); err != nil {
		return Outcome{}, err
	}
	if outcome.Memory != "" {
		outcome.Status = Known
		return outcome, nil
	}
	quotes := make(map[int64]string, len(sources))
	for _, s := range sources {
		quotes[s.Memory.ID] = ""
	}
	if err := tx.AddDerived(ctx, m, schema.PrepareChunks(m.Content, "", m.Tags...), quotes, n.actor()); err != nil {
		return Outcome{}, err
	}
	outcome.Memory = m.UID
	if outcome.Status == Quarantined {
		return outcome, nil
	}
	if err := p.supersede(ctx, tx, m, n); err != nil {
		return Outcome{}, err
	}
	if err := p.surface(ctx, tx, m, n.actor()); err != nil {
		return Outcome{}, err
	}
	return outcome, enrich.LinkKnown(ctx, tx, m, idsOf(sources))
}

// Store stores the insight outside of a night, as a change by actor.
//
// Errors: [*schema.InvalidError] for one that does not fit the current memories.
func (p AddReflection) Store(ctx context.Context, tx *schema.Tx, userID int64, actor string) (Outcome, error) {
	return p.apply(ctx, tx, &night{as: actor, input: &Input{UserID: userID, Now: tx.Now}})
}

func (p *AddReflection) supersede(ctx context.Context, tx *schema.Tx, m *schema.Memory, n *night) error {
	if p.Replaces == "" {
		return nil
	}
	old, err := tx.Memory(ctx, n.input.UserID, p.Replaces)
	if isNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	current := old.State == schema.StateActive || old.State == schema.StateDormant
	if old.Kind != schema.KindReflection || !current || old.Trust > m.Trust || old.Protected || old.Pinned {
		return nil
	}
	return tx.Supersede(ctx, old, m, n.actor())
}

// surface adds an insight rated 10 to core memory, as far as a model may write
// there and there is room.
func (p *AddReflection) surface(ctx context.Context, tx *schema.Tx, m *schema.Memory, by schema.Actor) error {
	if p.Lessons == nil || p.Lessons.Writer != core.ModelWrites || m.Importance < 1 || m.Untrusted() {
		return nil
	}
	b, err := core.ReadOrNew(ctx, tx, m.UserID, p.Lessons.Owner(""), p.Lessons.Name, p.Lessons.Kind)
	if err != nil || b.Kind != p.Lessons.Kind {
		return err
	}
	next, err := p.Lessons.Next(b.Content, p.Lessons.Append("", m.Content), tx.Now)
	if err != nil || next == b.Content {
		return nil //nolint:nilerr // it does not fit, or is there
	}
	return core.Set(ctx, tx, b, next, min(b.Trust, m.Trust), "", by)
}

// oneLineEach joins texts, each as one line.
func oneLineEach(texts []string) string {
	lines := make([]string, 0, len(texts))
	for _, t := range texts {
		if line := strings.Join(strings.Fields(text.Clean(t)), " "); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// Spend subtracts the importance that a reflection has used from what is gathered.
type Spend struct {
	Importance float64 // in the units of users.importance_since: 0–1 a message
}

func (Spend) of() (kind, memory string) { return "", "" }

func (p Spend) apply(ctx context.Context, tx *schema.Tx, n *night) (Outcome, error) {
	return applied(p), tx.SpendImportance(ctx, n.input.UserID, p.Importance, n.actor())
}
