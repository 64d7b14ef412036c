package consolidate

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

//go:embed prompts/entities_mentions.txt
var entitiesMentions string

const (
	entitiesVersion = 1
	mentionsPerCall = 30
	mentionCalls    = 5   // a night; the rest waits
	mentionMemories = 500 // looked through in a night
	mostCandidates  = 8
	aboutTokens     = 40  // of what is said of a candidate
	byModel         = 0.8 // how sure a model's choice makes a mention
)

// unsureMention is a mention that fits several entities.
type unsureMention struct {
	memory     *schema.Memory
	entity     schema.Entity // linked now
	surface    string
	candidates []schema.NamedEntity
	about      []string // of each candidate
}

// resolveMentions asks the model who is meant by the new mentions that fit
// several. A batch it cannot digest is passed once a later one was of use.
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
		proposals, err := askMentions(ctx, in, batch)
		mentions = mentions[len(batch):]
		switch {
		case givesUp(err):
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

// mentionBatches cuts between memories, so that a watermark can stand there.
func mentionBatches(mentions []unsureMention) (batches [][]unsureMention) {
	for len(mentions) > 0 {
		n := min(mentionsPerCall, len(mentions))
		for n < len(mentions) && n > 1 && mentions[n].memory.ID == mentions[n-1].memory.ID {
			n--
		}
		for n < len(mentions) && mentions[n].memory.ID == mentions[n-1].memory.ID {
			n++ // one memory with more of them
		}
		batches, mentions = append(batches, mentions[:n]), mentions[n:]
	}
	return batches
}

// unsureMentions reads the mentions behind the watermark that fit at least two
// entities, and how far it has read.
func unsureMentions(ctx context.Context, in *Input) (mentions []unsureMention, through int64, err error) {
	err = in.DB.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		after, err := s.Watermark(ctx, in.UserID, entitiesStage)
		if err != nil {
			return err
		}
		var rows []struct{ Memory, Entity, Surface string }
		if err := s.NewRaw(`WITH unsure AS (SELECT me.memory_id, me.entity_id, me.surface FROM memory_entities me JOIN memories m ON m.id = me.memory_id
				WHERE m.user_id = ?0 AND m.id > ?1 AND m.state = 'active' AND NOT m.protected AND me.confidence < ?2)
			SELECT m.uid AS memory, e.uid AS entity, u.surface FROM unsure u JOIN memories m ON m.id = u.memory_id JOIN entities e ON e.id = u.entity_id
				WHERE u.memory_id IN (SELECT DISTINCT memory_id FROM unsure ORDER BY memory_id LIMIT ?3) ORDER BY m.id, e.id`,
			in.UserID, after, Sure, mentionMemories).Scan(ctx, &rows); err != nil {
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
			if len(u.candidates) > 1 && !u.entity.Protected && showable(m) {
				mentions = append(mentions, u)
			}
		}
		return nil
	})
	return mentions, through, err
}

// read finds the candidates of a mention and a line about each.
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
			said, err := spokenOf(ctx, s, u.candidates[i].ID, Sure, 1, u.memory.ID)
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

// spokenOf reads the newest memories, at most limit and none of those with
// these ids, that mention an entity at least that surely. What a page or a tool
// said is not among them, nor what may be an attack, nor what is trusted less
// than others of them: a file or a stranger has no say where the user has.
func spokenOf(ctx context.Context, s *schema.Snapshot, entityID int64, sure float64, limit int, but int64) ([]schema.Memory, error) {
	var found, kept []schema.Memory
	err := s.NewRaw(`WITH RECURSIVE parts (id) AS (SELECT ?0 UNION SELECT e.id FROM parts JOIN entities e ON e.merged_into = parts.id)
, said AS (
			SELECT m.* FROM memories m WHERE m.id IN (SELECT memory_id FROM memory_entities WHERE confidence >= ?1 AND entity_id IN (SELECT id FROM parts))
			AND m.id <> ?2 AND m.state = 'active' AND m.kind <> 'reflection' AND m.origin NOT IN (?3, ?4))
		SELECT m.* FROM said m WHERE m.trust = (SELECT max(trust) FROM said)
			ORDER BY m.kind = 'episode', m.event_time DESC, m.id DESC LIMIT ?5`,
		entityID, sure, but, schema.OriginToolExternal, schema.OriginUnknown, 4*limit).Scan(ctx, &found)
	for i := range found {
		if showable(&found[i]) && len(kept) < limit {
			kept = append(kept, found[i])
		}
	}
	return kept, err
}

func mentionsPrompt(in *Input, mentions []unsureMention) Prompt {
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
	return Prompt{
		own:  true,
		Name: "entities_mentions", Version: entitiesVersion, System: strings.TrimSpace(entitiesMentions), User: b.String(),
		Schema: object(map[string]any{"mentions": map[string]any{"type": "array", "items": object(map[string]any{
			"mention": map[string]any{"type": "integer"}, "candidate": map[string]any{"type": "integer"},
		}, "mention", "candidate")}}, "mentions"),
	}
}

// askMentions asks about some mentions and checks that each is answered once,
// with one of its candidates.
func askMentions(ctx context.Context, in *Input, mentions []unsureMention) (proposals []Proposal, err error) {
	err = in.Model.Ask(ctx, mentionsPrompt(in, mentions), func(decode func(any) error) error {
		var answer struct {
			Mentions []struct{ Mention, Candidate int } `json:"mentions"`
		}
		if err := decode(&answer); err != nil {
			return err
		}
		if answer.Mentions == nil {
			return errors.New(`it has no list "mentions"`)
		}
		proposals = nil
		seen := make(map[int]bool)
		for i, a := range answer.Mentions {
			switch {
			case a.Mention < 1 || a.Mention > len(mentions):
				return fmt.Errorf("entry %d is about a mention that was not asked about; they are 1 to %d", i+1, len(mentions))
			case seen[a.Mention]:
				return fmt.Errorf("mention %d is there twice", a.Mention)
			}
			seen[a.Mention] = true
			u := mentions[a.Mention-1]
			if a.Candidate < 0 || a.Candidate > len(u.candidates) {
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

// ResolveMention asks to say which of several entities of one name a memory
// means. Only a mention that is less than [Sure] is changed.
type ResolveMention struct {
	Memory   string // public ids
	From, To string // the entity linked now, and the one that is meant; may be the same
}

// Kind implements [Proposal].
func (ResolveMention) Kind() string { return "mention" }

// MemoryUID implements [Proposal].
func (p ResolveMention) MemoryUID() string { return p.Memory }

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
	var sure bool
	if err := tx.Row(ctx, "SELECT coalesce(max(confidence), 0) >= ? FROM memory_entities WHERE memory_id = ? AND entity_id = ?", []any{Sure, m.ID, from.ID}, &sure); err != nil {
		return Outcome{}, err
	}
	switch {
	case m.State != schema.StateActive || to.MergedInto != 0 || sure:
		return Outcome{}, fmt.Errorf("memory %s: %w", p.Memory, schema.ErrConflict)
	case m.Protected || from.Protected || to.Protected:
		return Outcome{}, &schema.InvalidError{Field: "mention", Reason: "is of a protected memory or entity"}
	}
	outcome := applied(p)
	outcome.Text = to.Name
	return outcome, tx.Remention(ctx, m, from, to, byModel, n.actor())
}
