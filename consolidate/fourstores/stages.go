package fourstores

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/consolidate/ask"
	"github.com/ebbmem/ebb/consolidate/dream"
	"github.com/ebbmem/ebb/internal/poison"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/recall/stores"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/core"
)

// Stages returns the stages of a night. None of them reflects: that has to be asked for.
func Stages(set stores.Set, curve stores.Curve) []consolidate.Stage {
	return []consolidate.Stage{
		consolidate.Extract{}, consolidate.Conflict{}, consolidate.Entities{}, dream.Relations{},
		Routing{Stores: set}, Bands(set, curve), SelfImage{},
	}
}

// Bands is the stage that makes dormant what has faded below .2: explicit searches find
// it, and using it wakes it. The user's own lasting statements stay, as core memory of
// the document does. What has faded below .05 is hidden when searches run, see
// [stores.Set.Hidden].
//
// Counts: those of [consolidate.Rules] for dormant.
func Bands(set stores.Set, curve stores.Curve) consolidate.Stage {
	fades := set.Retention(curve)
	return consolidate.Rules{Stage: "bands", List: []consolidate.Rule{{
		Name: "dormant", Where: dream.Derived(),
		When: func(m *schema.Memory, now time.Time) (schema.Revision, bool) {
			return schema.Revision{State: schema.StateDormant}, !(fades.Of(m, now) >= stores.FadingFrom) && !(m.OwnWords() && m.Stands())
		},
	}}}
}

//go:embed prompts/routing.txt
var routingSystem string

const (
	routingVersion  = 1
	factsPerCall    = 20
	askedPerNight   = 200  // the newest, by the model
	factsPerNight   = 2000 // the newest, by their words
	routedAttribute = schema.AttrStore
)

// Routing is the stage that gives a store to facts that have none: by their words
// ([stores.Route]), and where these do not decide, by the model, which names one of the
// stores that it writes to. Without a model these facts stay open for a later night; by
// their kind they are semantic.
//
// Counts: those of [consolidate.Rules] for route; unusable answers.
type Routing struct{ Stores stores.Set }

// Name implements [consolidate.Stage].
func (Routing) Name() string { return "routing" }

// Propose implements [consolidate.Stage].
func (r Routing) Propose(ctx context.Context, in *consolidate.Input, apply consolidate.Apply) error {
	where := schema.Conditions{Kind: schema.KindFact, Lacks: []string{routedAttribute}}
	var facts []schema.Memory
	err := in.DB.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		met, err := s.Night().Meeting(ctx, in.UserID, schema.StateActive, &where)
		if err != nil {
			return err
		}
		facts, err = dream.WithTexts(ctx, s, in.UserID, met[max(0, len(met)-factsPerNight):])
		return err
	})
	names := r.Stores.Open()
	if err != nil || len(facts) == 0 || len(names) == 0 {
		return err
	}
	routes := make(map[int64]string)
	var open []schema.Memory
	for i := range facts {
		if route := stores.Route(facts[i].Content, facts[i].Attributes[schema.AttrTemporal]); slices.Contains(names, route) {
			routes[facts[i].ID] = route
		} else if consolidate.Showable(&facts[i]) {
			open = append(open, facts[i])
		}
	}
	if in.Model != nil {
		if err := r.ask(ctx, in, open[max(0, len(open)-askedPerNight):], names, routes); err != nil {
			return err
		}
	}
	return consolidate.Rules{Stage: r.Name(), List: []consolidate.Rule{{
		Name: "route", Where: where,
		When: func(m *schema.Memory, _ time.Time) (schema.Revision, bool) {
			return schema.Revision{Attributes: map[string]string{routedAttribute: routes[m.ID]}}, routes[m.ID] != ""
		},
	}}}.Propose(ctx, in, apply)
}

// ask lets the model decide about the stores of facts.
func (Routing) ask(ctx context.Context, in *consolidate.Input, facts []schema.Memory, names []string, routes map[int64]string) error {
	for some := range slices.Chunk(facts, factsPerCall) {
		err := ask.InHalves(some, func(some []schema.Memory) error { return askRoutes(ctx, in, some, names, routes) })
		if ask.Unusable(err) {
			in.Count("unusable", 1)
			continue
		}
		if errors.Is(err, ask.ErrBudget) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func askRoutes(ctx context.Context, in *consolidate.Input, some []schema.Memory, names []string, routes map[int64]string) error {
	var user strings.Builder
	for i := range some {
		user.WriteString(consolidate.PromptLine(&some[i], fmt.Sprintf("r%d", i+1), in))
	}
	var answer struct {
		Stores []struct {
			Record string `json:"record"`
			Store  string `json:"store"`
		} `json:"stores"`
	}
	err := in.Model.Ask(ctx, ask.Prompt{
		SafeErrors: true, Name: "routing", Version: routingVersion, System: strings.TrimSpace(routingSystem), User: user.String(),
		Schema: map[string]any{"type": "object", "required": []string{"stores"}, "properties": map[string]any{"stores": map[string]any{"type": "array", "items": map[string]any{
			"type": "object", "properties": map[string]any{"record": map[string]any{"type": "string"}, "store": map[string]any{"type": "string", "enum": names}},
		}}}},
	}, func(decode func(any) error) error {
		answer.Stores = nil
		if err := decode(&answer); err != nil {
			return err
		}
		if answer.Stores == nil {
			return errors.New(`it has no list "stores"`)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, one := range answer.Stores {
		var at int
		if _, err := fmt.Sscanf(one.Record, "r%d", &at); err == nil && at >= 1 && at <= len(some) && slices.Contains(names, one.Store) {
			routes[some[at-1].ID] = one.Store
		}
	}
	return nil
}

//go:embed prompts/selfimage.txt
var selfImageSystem string

const (
	selfImageVersion = 1
	newEntries       = 10 // of the self-awareness log, at which the self-image is rewritten
	keptEntries      = 3  // the newest, which are not compacted
)

var (
	dated     = regexp.MustCompile(`^(\d{4}-\d{2})-\d{2}: `)
	compacted = regexp.MustCompile(`^(\d{4}-\d{2}): (\d+) entries`)
)

// SelfImage is the stage that proposes to rewrite the six sections of the self-image
// when there are ten new entries in the self-awareness log, and to compact the log by
// month. The host sees the old and the new text ([core.ProposalBlock]); until it is
// decided, and after a rejection until there are further entries, nothing is proposed.
// It needs a model.
//
// Counts: entries, new ones; unusable answers.
type SelfImage struct{}

// Name implements [consolidate.Stage].
func (SelfImage) Name() string { return "self_image" }

// Propose implements [consolidate.Stage].
func (SelfImage) Propose(ctx context.Context, in *consolidate.Input, apply consolidate.Apply) error {
	if in.Model == nil {
		return nil
	}
	var b *core.Block
	var earlier []string
	err := in.DB.Read(ctx, func(ctx context.Context, s *schema.Snapshot) (err error) {
		if b, err = core.Read(ctx, s, in.UserID, "", BlockIdentity); err != nil {
			return err
		}
		earlier, err = s.Night().ProposalPayloads(ctx, in.UserID, core.ProposalBlock)
		return err
	})
	if errors.Is(err, schema.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	value, _ := b.Value()
	fields, ok := value.(map[string]any)
	entries := textsOf(fields[fieldAwareness])
	fresh := 0
	for _, e := range entries {
		if dated.MatchString(e) {
			fresh++
		}
	}
	if !ok || fresh < newEntries {
		return nil
	}
	for _, payload := range earlier {
		var c core.BlockChange
		if (&schema.PendingChange{Payload: payload}).Decode(&c) == nil && c.Block == BlockIdentity && c.Content == b.Content {
			return nil // it was proposed, whatever became of it
		}
	}
	in.Count("entries", fresh)
	sections, err := rewritten(ctx, in, fields, entries)
	if ask.Unusable(err) {
		in.Count("unusable", 1)
		return nil
	}
	if errors.Is(err, ask.ErrBudget) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, s := range Sections {
		fields[s.Field] = sections[s.Field]
	}
	fields[fieldAwareness] = compact(entries)
	spec := identitySpec()
	next, err := spec.Next(b.Content, spec.Replace(fields), in.Now)
	if err != nil {
		in.Count("unusable", 1)
		return nil //nolint:nilerr // it does not fit the block
	}
	spec.About = "" // it is no limit
	_, err = apply(ctx, consolidate.ProposeBlock{
		Change: core.BlockChange{Block: BlockIdentity, Kind: b.Kind, Content: b.Content, NewContent: next, Spec: spec},
		Why:    fmt.Sprintf("%d new entries of the self-awareness log; the self-image is rewritten from them", fresh),
	})
	return err
}

func identitySpec() *core.BlockSpec {
	all := Blocks()
	return &all[slices.IndexFunc(all, func(s core.BlockSpec) bool { return s.Name == BlockIdentity })]
}

func textsOf(v any) (texts []string) {
	list, _ := v.([]any)
	for _, one := range list {
		if s, ok := one.(string); ok {
			texts = append(texts, s)
		}
	}
	return texts
}

// rewritten asks for the six sections.
func rewritten(ctx context.Context, in *consolidate.Input, fields map[string]any, entries []string) (map[string]string, error) {
	properties, old := make(map[string]any), make(map[string]any)
	var required []string
	for _, s := range Sections {
		properties[s.Field] = map[string]any{"type": "string", "description": s.Title}
		old[s.Field] = fields[s.Field]
		required = append(required, s.Field)
	}
	var sections map[string]string
	err := in.Model.Ask(ctx, ask.Prompt{
		SafeErrors: true, Name: "self_image", Version: selfImageVersion, System: strings.TrimSpace(selfImageSystem),
		User:   "Sections: " + text.JSON(old) + "\nLog:\n" + strings.Join(entries, "\n"),
		Schema: map[string]any{"type": "object", "properties": properties, "required": required},
	}, func(decode func(any) error) error {
		sections = nil
		if err := decode(&sections); err != nil {
			return err
		}
		for _, s := range Sections {
			said := text.Truncate(strings.Join(strings.Fields(text.Clean(sections[s.Field])), " "), core.DefaultFieldTokens-20)
			switch {
			case said == "":
				return errors.New("it has no text for " + s.Field)
			case poison.InspectClaim(said) != "":
				return errors.New(s.Field + " reads like an order; say what you are, not what to do")
			}
			sections[s.Field] = said
		}
		return nil
	})
	return sections, err
}

// compact replaces all but the newest entries by one line a month.
func compact(entries []string) (left []any) {
	older, newest := entries[:max(0, len(entries)-keptEntries)], entries[max(0, len(entries)-keptEntries):]
	months := make(map[string]int)
	var order []string
	for _, e := range older {
		month, n := "", 1
		if m := dated.FindStringSubmatch(e); m != nil {
			month = m[1]
		} else if m := compacted.FindStringSubmatch(e); m != nil {
			month = m[1]
			_, _ = fmt.Sscan(m[2], &n) // digits
		} else {
			left = append(left, e) // the host's own
			continue
		}
		if !slices.Contains(order, month) {
			order = append(order, month)
		}
		months[month] += n
	}
	for _, month := range order {
		left = append(left, fmt.Sprintf("%s: %d entries", month, months[month]))
	}
	for _, e := range newest {
		left = append(left, e)
	}
	return left
}
