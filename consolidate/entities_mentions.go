package consolidate

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"github.com/ebbmem/ebb/consolidate/ask"
	"github.com/ebbmem/ebb/consolidate/enrich"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

//go:embed prompts/entities_mentions.txt
var entitiesMentions string

const (
	entitiesVersion = 1
	mentionsPerCall = 30
	mentionCalls    = 5   // a night
	mentionMemories = 500 // read in a night
	mostCandidates  = 8
	aboutTokens     = 40  // about a candidate
	byModel         = 0.8 // confidence of a model's choice
)

// unsureMention is a mention that fits several entities.
type unsureMention struct {
	memory     *schema.Memory
	entity     schema.Entity // that it is linked to
	surface    string
	candidates []schema.NamedEntity
	about      []string // each candidate
}

// resolveMentions asks the model which entities new ambiguous mentions mean. The
// watermark passes a batch without a usable answer once a later one gets one.
func resolveMentions(ctx context.Context, in *Input, apply Apply) error {
	mentions, through, err := unsureMentions(ctx, in)
	if err != nil || through == 0 {
		return err
	}
	if len(mentions) == 0 {
		_, err := apply(ctx, Advance{entitiesStage, through})
		return err
	}
	batches := mentionBatches(mentions)
	for i, batch := range batches {
		if i == mentionCalls {
			in.Count("waiting", len(mentions))
			return nil
		}
		var proposals []Proposal
		err := ask.InHalves(batch, func(some []unsureMention) error {
			resolved, err := askMentions(ctx, in, some)
			if err == nil {
				proposals = append(proposals, resolved...)
			}
			return err
		})
		mentions = mentions[len(batch):]
		switch {
		case ask.Unusable(err):
			in.Count("unusable", 1)
			continue
		case err != nil:
			in.Count("waiting", len(batch)+len(mentions))
			return err
		}
		in.Count("asked", len(batch))
		last := through
		if i < len(batches)-1 {
			last = batch[len(batch)-1].memory.ID
		}
		if _, err := apply(ctx, append(proposals, Advance{entitiesStage, last})...); err != nil {
			return err
		}
	}
	return nil
}

// mentionBatches splits mentions between memories, where a watermark can be set.
func mentionBatches(mentions []unsureMention) (batches [][]unsureMention) {
	for len(mentions) > 0 {
		n := min(mentionsPerCall, len(mentions))
		for n < len(mentions) && n > 1 && mentions[n].memory.ID == mentions[n-1].memory.ID {
			n--
		}
		for n < len(mentions) && mentions[n].memory.ID == mentions[n-1].memory.ID {
			n++ // more mentions of the same memory
		}
		batches, mentions = append(batches, mentions[:n]), mentions[n:]
	}
	return batches
}

// unsureMentions reads the mentions after the watermark that fit at least two
// entities. through is the last memory it has read.
func unsureMentions(ctx context.Context, in *Input) (mentions []unsureMention, through int64, err error) {
	err = in.DB.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		after, err := s.Watermark(ctx, in.UserID, entitiesStage)
		if err != nil {
			return err
		}
		rows, err := s.Night().UnsureMentions(ctx, in.UserID, after, enrich.Sure, mentionMemories)
		if err != nil {
			return err
		}
		for _, row := range rows {
			m, err := s.Memory(ctx, in.UserID, row.Memory)
			if err != nil {
				return err
			}
			through = m.ID
			u := unsureMention{memory: m, surface: row.Surface}
			if err := u.read(ctx, s, row.Entity); err != nil {
				return err
			}
			if len(u.candidates) > 1 && !u.entity.Protected && Showable(m) {
				mentions = append(mentions, u)
			}
		}
		return nil
	})
	return mentions, through, err
}

// read finds the candidates of a mention and a text about each.
func (u *unsureMention) read(ctx context.Context, s *schema.Snapshot, entity string) error {
	now, err := s.Entity(ctx, u.memory.UserID, entity)
	if err != nil {
		return err
	}
	u.entity = *now
	if u.candidates, err = s.EntitiesByName(ctx, u.memory.UserID, u.surface); err != nil || len(u.candidates) < 2 {
		return err
	}
	u.candidates = u.candidates[:min(len(u.candidates), mostCandidates)]
	for i := range u.candidates {
		about := u.candidates[i].Summary
		if about == "" {
			said, err := spokenOf(ctx, s, u.candidates[i].ID, enrich.Sure, 1, u.memory.ID)
			if err != nil {
				return err
			}
			for j := range said {
				about = withoutFences(said[j].Content)
			}
		}
		u.about = append(u.about, text.Truncate(about, aboutTokens))
	}
	return nil
}

// spokenOf returns the newest memories about an entity, at most limit, see
// [schema.NightReads.AboutEntity]. It leaves out those that prompts must not show.
func spokenOf(ctx context.Context, s *schema.Snapshot, entityID int64, sure float64, limit int, but int64) ([]schema.Memory, error) {
	found, err := s.Night().AboutEntity(ctx, entityID, sure, but, 4*limit)
	var kept []schema.Memory
	for i := range found {
		if Showable(&found[i]) && len(kept) < limit {
			kept = append(kept, found[i])
		}
	}
	return kept, err
}

func mentionsPrompt(in *Input, mentions []unsureMention) ask.Prompt {
	type candidate struct {
		Number int    `json:"candidate"`
		Name   string `json:"name"`
		Type   string `json:"type"`
		About  string `json:"about,omitempty"`
	}
	var b strings.Builder
	b.WriteString("Mentions:\n")
	for i, u := range mentions {
		line := struct {
			Mention    int          `json:"mention"`
			Name       string       `json:"name"`
			Record     promptRecord `json:"record"`
			Candidates []candidate  `json:"candidates"`
		}{Mention: i + 1, Name: u.surface, Record: recordOf(u.memory, "", in)}
		for j, e := range u.candidates {
			line.Candidates = append(line.Candidates, candidate{j + 1, e.Name, e.Type, u.about[j]})
		}
		b.WriteString(jsonLine(line))
	}
	return ask.Prompt{
		SafeErrors: true,
		Name:       "entities_mentions", Version: entitiesVersion, System: strings.TrimSpace(entitiesMentions), User: b.String(),
		Schema: object(map[string]any{"mentions": map[string]any{"type": "array", "items": object(map[string]any{
			"mention": map[string]any{"type": "integer"}, "candidate": map[string]any{"type": "integer"},
		}, "mention", "candidate")}}, "mentions"),
	}
}

// askMentions asks about some mentions. Each must be answered once, with one of
// its candidates.
func askMentions(ctx context.Context, in *Input, mentions []unsureMention) (proposals []Proposal, err error) {
	err = in.Model.Ask(ctx, mentionsPrompt(in, mentions), func(decode func(any) error) error {
		var answer struct {
			Mentions []struct{ Mention, Candidate ask.Int } `json:"mentions"`
		}
		if err := decode(&answer); err != nil {
			return err
		}
		if answer.Mentions == nil {
			return errors.New(`it has no list "mentions"`)
		}
		proposals = nil
		seen := make(map[ask.Int]bool)
		for i, a := range answer.Mentions {
			switch {
			case a.Mention < 1 || int(a.Mention) > len(mentions):
				return fmt.Errorf("entry %d is about a mention that was not asked about; they are 1 to %d", i+1, len(mentions))
			case seen[a.Mention]:
				return fmt.Errorf("mention %d is there twice", a.Mention)
			}
			seen[a.Mention] = true
			u := mentions[a.Mention-1]
			if a.Candidate < 0 || int(a.Candidate) > len(u.candidates) {
				return fmt.Errorf("mention %d has the candidates 1 to %d, or 0 for none", a.Mention, len(u.candidates))
			}
			if a.Candidate > 0 {
				proposals = append(proposals, ResolveMention{Memory: u.memory.UID, From: u.entity.UID, To: u.candidates[a.Candidate-1].UID})
			}
		}
		if len(seen) < len(mentions) {
			return fmt.Errorf("only %d of %d mentions are answered", len(seen), len(mentions))
		}
		return nil
	})
	return proposals, err
}

// ResolveMention links a mention of a name of several entities to the one it means.
// Only links below [enrich.Sure] change.
type ResolveMention struct {
	Memory   string // public ids
	From, To string // the linked entity and the meant one; may be the same
}

func (p ResolveMention) of() (kind, memory string) { return "mention", p.Memory }

func (p ResolveMention) apply(ctx context.Context, tx *schema.Tx, n *night) (Outcome, error) {
	m, err := tx.Memory(ctx, n.input.UserID, p.Memory)
	if err != nil {
		return Outcome{}, err
	}
	from, err := tx.Entity(ctx, n.input.UserID, p.From)
	if err != nil {
		return Outcome{}, err
	}
	to, err := tx.Entity(ctx, n.input.UserID, p.To)
	if err != nil {
		return Outcome{}, err
	}
	confidence, err := tx.Night().LinkConfidence(ctx, m.ID, from.ID)
	if err != nil {
		return Outcome{}, err
	}
	switch {
	case m.State != schema.StateActive || to.MergedInto != 0 || confidence >= enrich.Sure:
		return Outcome{}, fmt.Errorf("memory %s: %w", p.Memory, schema.ErrConflict)
	case m.Protected || from.Protected || to.Protected:
		return Outcome{}, &schema.InvalidError{Field: "mention", Reason: "is of a protected memory or entity"}
	}
	outcome := applied(p)
	outcome.Text = to.Name
	return outcome, tx.Remention(ctx, m, from, to, byModel, n.actor())
}
