package dream

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"time"

	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/consolidate/ask"
	"github.com/ebbmem/ebb/internal/poison"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// Themes is the stage that summarises what belongs together (cognitive-v9.md,
// Clustering, LLM Consolidation and Category Summary System): the claims that mention
// one entity, when there are three or more, and those of one category, when there are ten
// or more. A theme is a reflection of importance .8 that rests on its claims, which stay
// as they are. Once as many new claims have come, it is written again and the new one
// supersedes the old. It needs a model, which it asks about at most five groups a night, one
// at a time, the largest first; of more, from a place in the list that the local day decides,
// so that groups that yield nothing do not hold up the others.
//
// Counts: due, the groups to summarise; unusable answers, which are tried again when the
// group grows; thin, summaries without two sources.
type Themes struct {
	// Category names the category of a claim, in words, such as "preferences"; ""
	// for none. Default nil: entities alone.
	Category func(*schema.Memory) string
	// Tier is the tier of a theme ([schema.AttrTier]). Default none.
	Tier string
}

const (
	themesStage        = "themes"
	themesPerNight     = 5
	themeEntity        = 3  // claims that an entity needs
	themeCategory      = 10 // claims that a category needs
	themeShown         = 20 // claims in a prompt, the newest
	themeNear          = 0.3
	themeImportance    = 0.8
	themeSubjectLength = 100
)

// Name implements [consolidate.Stage].
func (Themes) Name() string { return themesStage }

// group is what a theme is about.
type group struct {
	question string // identifies it
	least    int
	members  []*schema.Memory // by id
	replaces string           // the theme that there is
}

// Propose implements [consolidate.Stage].
func (t Themes) Propose(ctx context.Context, in *consolidate.Input, apply consolidate.Apply) error {
	if in.Model == nil {
		return nil
	}
	due, through, err := t.due(ctx, in)
	if err != nil || len(due) == 0 {
		return err
	}
	in.Count("due", len(due))
	if len(due) > themesPerNight {
		day := fnv.New64a()
		_, _ = day.Write([]byte(in.Now.In(in.Location).Format(time.DateOnly)))
		from := int(day.Sum64() % uint64(len(due)))
		due = slices.Concat(due[from:], due[:from])
	}
	for i, g := range due[:min(len(due), themesPerNight)] {
		shown := g.members[max(0, len(g.members)-themeShown):]
		proposals, err := consolidate.Answer(ctx, in, g.question, shown)
		for errors.Is(err, ask.ErrTooLong) && len(shown) >= 2*themeEntity {
			shown = shown[len(shown)/2:]
			proposals, err = consolidate.Answer(ctx, in, g.question, shown)
		}
		if ask.Unusable(err) {
			in.Count("unusable", 1)
			continue
		}
		if err != nil {
			return err
		}
		for k := range proposals {
			theme := proposals[k].(consolidate.AddReflection)
			theme.Importance, theme.Tier, theme.Replaces, theme.Questions = themeImportance, t.Tier, g.replaces, []string{g.question}
			proposals[k] = theme
		}
		if _, err := apply(ctx, proposals...); err != nil {
			return err
		}
		in.Progress(i+1, len(due))
	}
	if len(due) > themesPerNight {
		return nil // the others come next night
	}
	_, err = apply(ctx, consolidate.Advance{Stage: themesStage, Through: through})
	return err
}

// due returns the groups without a theme or that have grown since, the largest first, and
// the last memory that was looked at.
func (t *Themes) due(ctx context.Context, in *consolidate.Input) (due []*group, through int64, err error) {
	err = in.DB.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		after, err := s.Watermark(ctx, in.UserID, themesStage)
		if err != nil {
			return err
		}
		if through, err = s.LastMemoryID(ctx, in.UserID); err != nil || through <= after {
			return err
		}
		groups, err := t.groups(ctx, s, in)
		if err != nil {
			return err
		}
		themes, err := themesByQuestion(ctx, s, in.UserID)
		if err != nil {
			return err
		}
		for _, g := range groups {
			theme, fresh := themes[g.question], 0
			for _, m := range g.members {
				if theme == nil || m.ID > theme.ID {
					fresh++
				}
			}
			if fresh < g.least || g.members[len(g.members)-1].ID <= after {
				continue
			}
			if theme != nil && (theme.State == schema.StateActive || theme.State == schema.StateDormant) {
				g.replaces = theme.UID
			}
			due = append(due, g)
		}
		slices.SortStableFunc(due, func(a, b *group) int {
			return cmp.Or(cmp.Compare(len(b.members), len(a.members)), cmp.Compare(a.question, b.question))
		})
		return nil
	})
	return due, through, err
}

// groups returns the claims by entity and by category, as far as prompts may contain them.
func (t *Themes) groups(ctx context.Context, s *schema.Snapshot, in *consolidate.Input) (groups []*group, err error) {
	active, err := s.Night().ActiveDerived(ctx, in.UserID)
	if err != nil {
		return nil, err
	}
	memories, err := WithTexts(ctx, s, in.UserID, active)
	if err != nil {
		return nil, err
	}
	byID, byCategory := make(map[int64]*schema.Memory), make(map[string][]*schema.Memory)
	for i := range memories {
		m := &memories[i]
		if m.Kind == schema.KindReflection || !consolidate.Showable(m) {
			continue
		}
		byID[m.ID] = m
		if t.Category != nil {
			byCategory[t.Category(m)] = append(byCategory[t.Category(m)], m)
		}
	}
	add := func(subject string, least int, members []*schema.Memory) {
		question := fmt.Sprintf("What do the records say about %s, taken together?", subject)
		if subject != "" && len(subject) <= themeSubjectLength && len(members) >= least && schema.ValidContent("question", text.Clean(question)) == nil && poison.InspectClaim(question) == "" {
			groups = append(groups, &group{question: question, least: least, members: members})
		}
	}
	for category, members := range byCategory {
		add(category, themeCategory, near(members))
	}
	entities, err := s.Night().UnmergedEntities(ctx, in.UserID)
	if err != nil {
		return nil, err
	}
	mentioning := make(map[int64][]*schema.Memory)
	err = s.Night().ClaimMentions(ctx, in.UserID, func(memory, entity int64, _ string) {
		if m := byID[memory]; m != nil && !slices.Contains(mentioning[entity], m) {
			mentioning[entity] = append(mentioning[entity], m)
		}
	})
	for _, e := range entities {
		slices.SortFunc(mentioning[e.ID], func(a, b *schema.Memory) int { return cmp.Compare(a.ID, b.ID) })
		add(e.Name, themeEntity, mentioning[e.ID])
	}
	return groups, err
}

// near returns the memories whose importance is near their mean.
func near(members []*schema.Memory) []*schema.Memory {
	mean := 0.0
	for _, m := range members {
		mean += m.Importance / float64(len(members))
	}
	return slices.DeleteFunc(members, func(m *schema.Memory) bool { return math.Abs(m.Importance-mean) >= themeNear })
}

// themesByQuestion returns the last reflection on each question, whatever became of it: a
// theme that the user has forgotten is not written again until there is more to say.
func themesByQuestion(ctx context.Context, s *schema.Snapshot, userID int64) (map[string]*schema.Memory, error) {
	themes := make(map[string]*schema.Memory)
	where := schema.Conditions{Kind: schema.KindReflection, Given: []string{schema.AttrQuestions}}
	for _, state := range schema.States {
		met, err := s.Night().Meeting(ctx, userID, state, &where)
		if err != nil {
			return nil, err
		}
		for i := range met {
			question := met[i].Attributes[schema.AttrQuestions]
			if known := themes[question]; known == nil || known.ID < met[i].ID {
				themes[question] = &met[i]
			}
		}
	}
	return themes, nil
}
