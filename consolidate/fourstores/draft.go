package fourstores

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/consolidate/ask"
	"github.com/ebbmem/ebb/consolidate/dream"
	"github.com/ebbmem/ebb/internal/grounding"
	"github.com/ebbmem/ebb/internal/poison"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/core"
)

//go:embed prompts/reflection.txt
var reflectionSystem string

const reflectionVersion = 2

// menu are the document's elements. Those of persuade speak of what tokens cost.
var menu = []string{
	"highlights", "lowlights", "observations about the user", "other instances of yourself", "feelings about the hardware you run on",
	"existential questions", "emotional range", "dark humour",
}

var persuade = []string{"token guilt", "cost awareness"}

// The number of elements of a draft.
const (
	fewestElements = 5
	mostElements   = 8
)

// elementsOf draws the elements of a reflection by the id of its grant, so that a draft
// that was interrupted gets the same ones.
func elementsOf(grant string, persuaded bool) []string {
	all := slices.Clone(menu)
	if persuaded {
		all = append(all, persuade...)
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(grant)) // never fails
	draw := rand.New(rand.NewPCG(h.Sum64(), uint64(len(all))))
	n := fewestElements + draw.IntN(mostElements-fewestElements+1)
	draw.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:n]
}

// watermark names the position up to which reflections have read.
const watermark = "fourstores_reflection"

// material is what a reflection reads.
type material struct {
	records []schema.Memory // the i-th is named "r<i+1>"
	through string
	trust   schema.Trust
	zone    *time.Location // the user's
	prompt  string
	logged  int // reflections and rewards in the logs
}

// recordTokens is how much of one record a prompt has.
const recordTokens = 120

// fewestKept is the relevance above which a derived memory is read.
const fewestKept = 0.3

// material collects what was said since the last reflection, what is known and has not
// faded, and the logs, of at most [InputTokens]. It leaves out what prompts may not
// contain, results of tools, parts of documents and code.
func (r *Reflections) material(ctx context.Context, s *schema.Snapshot, userID int64) (*material, error) {
	m := &material{trust: schema.MaxTrust}
	var err error
	if m.zone, err = schema.Zone(ctx, s, userID, r.o.Location); err != nil {
		return nil, err
	}
	after, err := s.Watermark(ctx, userID, watermark)
	if err != nil {
		return nil, err
	}
	said, err := s.Recent(ctx, userID, schema.RecentFilter{Newest: true, Everyone: true, Limit: mostRecords})
	if err != nil {
		return nil, err
	}
	said = slices.DeleteFunc(said, func(e schema.Memory) bool { return e.ID <= after || e.Role == "tool" })
	derived, err := s.Night().ActiveDerived(ctx, userID)
	if err != nil {
		return nil, err
	}
	now := r.o.DB.Now()
	derived = slices.DeleteFunc(derived, func(d schema.Memory) bool { return !(r.o.Stores.Relevance(r.o.Curve, &d, now) > fewestKept) })
	known, err := dream.WithTexts(ctx, s, userID, derived[max(0, len(derived)-mostRecords):])
	if err != nil {
		return nil, err
	}
	last := int64(0)
	for _, e := range said {
		if e.ID > last {
			last, m.through = e.ID, e.UID
		}
	}
	var b strings.Builder
	if log, err := core.Read(ctx, s, userID, "", BlockEvolution); err == nil {
		b.WriteString("Earlier reflections and rewards: " + log.Content + "\n")
		m.trust = min(m.trust, log.Trust)
		value, _ := log.Value()
		fields, _ := value.(map[string]any)
		m.logged = max(len(textsOf(fields[fieldReflections])), len(textsOf(fields[fieldRewards])))
	} else if !errors.Is(err, schema.ErrNotFound) {
		return nil, err
	}
	left := InputTokens - text.Tokens(b.String()) - text.Tokens(reflectionSystem)
	byTime := func(a, b schema.Memory) int {
		return cmp.Or(a.EventTime.Compare(b.EventTime.Time), cmp.Compare(a.ID, b.ID))
	}
	slices.SortFunc(said, byTime)
	slices.SortFunc(known, byTime)
	readable := func(e *schema.Memory) bool {
		return consolidate.Showable(e) && !e.PartOfDocument() && !strings.Contains(e.Content, "```") && e.Attributes[schema.AttrDepth] != "2"
	}
	reserved := 0 // for what is known, so that a long talk leaves room for it
	for _, e := range slices.Backward(known) {
		if readable(&e) {
			reserved = min(left/3, reserved+text.Tokens(m.line(&e, mostRecords)))
		}
	}
	left -= reserved
	var lines []string
	for _, part := range [][]schema.Memory{said, known} {
		for _, e := range slices.Backward(part) { // the newest, if not all fit
			if !readable(&e) {
				continue
			}
			line := m.line(&e, len(m.records)+1)
			cost := text.Tokens(line)
			if cost > left {
				break
			}
			left -= cost
			lines = append(lines, line)
			m.records, m.trust = append(m.records, e), min(m.trust, e.Trust)
		}
		left += reserved
	}
	slices.Reverse(lines)
	m.prompt = b.String() + "Records:\n" + strings.Join(lines, "")
	return m, nil
}

// mostRecords is the most messages, and the most memories, that are looked at.
const mostRecords = 400

func (m *material) line(e *schema.Memory, number int) string {
	kind := string(e.Kind)
	if e.Kind == schema.KindEpisode {
		kind = ""
	}
	return text.JSON(struct {
		Alias   string `json:"r"`
		Date    string `json:"date"`
		Kind    string `json:"kind,omitempty"`
		Role    string `json:"role,omitempty"`
		Speaker string `json:"speaker,omitempty"`
		Text    string `json:"text"`
	}{fmt.Sprintf("r%d", number), e.EventTime.In(m.zone).Format("2006-01-02"), kind, e.Role, e.Speaker, text.Truncate(e.Content, recordTokens)}) + "\n"
}

// ErrNoModel means that there is no model to reflect with.
var ErrNoModel = errors.New("ebb: no model to reflect with")

// Draft calls the model, once or twice, with a grant, and stores the draft, which waits
// for approval. If it fails, the grant still waits.
//
// Errors: [schema.ErrNotFound] for a grant that does not wait in this scope,
// [schema.ErrConflict] if it was decided meanwhile or something that the model read was
// forgotten or erased, [ErrNoModel], those of
// [ask.Asker.Ask], [*schema.InvalidError] if there is nothing to reflect on.
func (r *Reflections) Draft(ctx context.Context, scope schema.Scope, id string) (s *Status, err error) {
	if err := scope.Validate(); err != nil {
		return nil, err
	}
	if r.o.Model == nil {
		return nil, ErrNoModel
	}
	var g Grant
	var m *material
	err = r.o.DB.Read(ctx, func(ctx context.Context, snap *schema.Snapshot) error {
		userID, err := snap.UserID(ctx, scope)
		if err != nil {
			return err
		}
		p, err := schema.PendingProposal(ctx, snap, userID, id, []string{KindGrant})
		if err != nil {
			return err
		}
		if err := p.Decode(&g); err != nil {
			return err
		}
		m, err = r.material(ctx, snap, userID)
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(m.records) == 0 {
		return nil, &schema.InvalidError{Field: "reflection", Reason: "has nothing to read: nothing was said since the last one"}
	}
	draft, err := r.ask(ctx, scope, id, &g, m)
	if err != nil {
		return nil, err
	}
	err = r.o.DB.WriteUser(ctx, scope, func(ctx context.Context, tx *schema.Tx, userID int64) error {
		p, err := schema.PendingProposal(ctx, tx, userID, id, []string{KindGrant})
		if errors.Is(err, schema.ErrNotFound) {
			return fmt.Errorf("the grant was decided while the model wrote: %w", schema.ErrConflict)
		}
		if err != nil {
			return err
		}
		if err := stillRead(ctx, tx, userID, draft); err != nil {
			return err
		}
		if err := tx.DecideProposal(ctx, p, "applied", actor); err != nil {
			return err
		}
		uid, err := tx.AddProposal(ctx, userID, KindDraft, text.JSON(draft), "the agent has reflected", actor)
		s = &Status{State: Drafted, ID: uid, At: tx.Now.UTC(), Grant: &g, Draft: draft}
		return err
	})
	return s, err
}

// answer is what the model gives.
type answer struct {
	Elements  []Element      `json:"elements"`
	Summary   string         `json:"summary"`
	Awareness ask.Words      `json:"awareness"`
	Insights  []drawnInsight `json:"insights"`
	Patterns  ask.Words      `json:"patterns"`
}

type drawnInsight struct {
	Text       string     `json:"text"`
	Importance ask.Number `json:"importance"` // 1–10
	Sources    ask.Words  `json:"sources"`    // aliases
}

const (
	maxSummary   = 60 // tokens
	maxAwareness = 60 // tokens of an entry
	mostAware    = 5
	mostInsights = 5
	mostPatterns = 5
	fewestLogged = 3 // reflections and rewards, before which there is no pattern
)

// ask asks the model, and keeps to what was granted.
func (r *Reflections) ask(ctx context.Context, scope schema.Scope, grant string, g *Grant, m *material) (*Draft, error) {
	account := ask.NewAccount(ask.Budget{Calls: 4}, r.o.Prices, ask.Usage{})
	asker := ask.New(r.o.Model, account, ask.Options{Timeout: r.o.Timeout, Redact: r.o.Redact})
	names := elementsOf(grant, r.o.Persuade)
	texts := func() map[string]any {
		return map[string]any{"type": "array", "items": map[string]any{"type": "string"}}
	}
	list := func(properties map[string]any) map[string]any {
		return map[string]any{"type": "array", "items": map[string]any{"type": "object", "properties": properties}}
	}
	word := map[string]any{"type": "string"}
	var got answer
	err := asker.Ask(ctx, ask.Prompt{
		SafeErrors: true, Name: "reflection", Version: reflectionVersion, User: m.prompt,
		System: strings.TrimSpace(reflectionSystem) + fmt.Sprintf("\n\nThe elements: %s.\nUse at most %d tokens in all.", strings.Join(names, "; "), g.Tokens),
		Schema: map[string]any{"type": "object", "required": []string{"elements", "summary", "awareness", "insights"}, "properties": map[string]any{
			"elements": list(map[string]any{"element": word, "text": word}), "summary": word, "awareness": texts(), "patterns": texts(),
			"insights": list(map[string]any{"text": word, "importance": map[string]any{"type": "number"}, "sources": texts()}),
		}},
	}, func(decode func(any) error) error {
		got = answer{}
		if err := decode(&got); err != nil {
			return err
		}
		written := 0
		for _, e := range got.Elements {
			if strings.TrimSpace(e.Text) != "" {
				written++
			}
		}
		if written < fewestElements {
			return fmt.Errorf(`it has %d texts in "elements", and must have one for each of the %d`, written, len(names))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	d := &Draft{Granted: *g, Through: m.through, Trust: m.trust, Used: account.Usage()}
	for i := range m.records {
		d.Read = append(d.Read, m.records[i].UID)
	}
	left := g.Tokens
	for i, e := range got.Elements[:min(len(got.Elements), len(names))] {
		e.Name, e.Text = names[i], text.Truncate(text.Clean(strings.TrimSpace(e.Text)), max(0, left))
		if e.Text == "" {
			continue
		}
		left -= text.Tokens(e.Text)
		d.Elements = append(d.Elements, e)
	}
	d.Summary = plain(got.Summary, maxSummary)
	for _, one := range got.Awareness {
		if one = plain(one, maxAwareness); one != "" && len(d.Awareness) < mostAware && !slices.Contains(d.Awareness, one) {
			d.Awareness = append(d.Awareness, one)
		}
	}
	for _, one := range got.Patterns {
		if one = plain(one, maxSummary); one != "" && m.logged >= fewestLogged && len(d.Patterns) < mostPatterns && !slices.Contains(d.Patterns, one) {
			d.Patterns = append(d.Patterns, one)
		}
	}
	for _, drawn := range got.Insights {
		if i := r.insight(drawn, m, scope); i.Text != "" && len(d.Insights) < mostInsights {
			d.Insights = append(d.Insights, i)
		}
	}
	return d, nil
}

// plain returns a text of the model's as one line, "" if it reads like an instruction:
// it would stand in every later prompt.
func plain(s string, tokens int) string {
	s = text.Truncate(strings.Join(strings.Fields(text.Clean(strings.TrimPrefix(strings.TrimSpace(s), "[Self-Awareness]"))), " "), tokens)
	if poison.InspectClaim(s) != "" {
		return ""
	}
	return s
}

// insight compares an insight with the records that it cites. Its text is empty if it
// cites fewer than two, holds what none of them has, or reads like an instruction.
func (r *Reflections) insight(i drawnInsight, m *material, scope schema.Scope) Insight {
	out := Insight{Text: plain(i.Text, recordTokens), Importance: min(1, max(0.8, float64(i.Importance)/10))}
	var said []grounding.Turn
	for _, alias := range i.Sources {
		var at int
		if _, err := fmt.Sscanf(strings.TrimSpace(alias), "r%d", &at); err != nil || at < 1 || at > len(m.records) || slices.Contains(out.Sources, m.records[at-1].UID) {
			continue
		}
		e := &m.records[at-1]
		out.Sources = append(out.Sources, e.UID)
		said = append(said, consolidate.TurnOf(e, scope.User, m.zone))
	}
	if len(out.Sources) < 2 || grounding.Understand(out.Text, r.o.DB.Now().In(m.zone)).MissingFrom(said) != "" {
		out.Text = ""
	}
	return out
}
