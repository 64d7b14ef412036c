package consolidate

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ebbmem/ebb/consolidate/ask"
	"github.com/ebbmem/ebb/consolidate/enrich"
	"github.com/ebbmem/ebb/internal/grounding"
	"github.com/ebbmem/ebb/internal/names"
	"github.com/ebbmem/ebb/internal/poison"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

//go:embed prompts/entities_summaries.txt
var entitiesSummaries string

const (
	summariesMark     = "entity_summaries" // a watermark of its own
	summariesPerNight = 20                 // asked about in one call
	summaryMentions   = 3                  // that an entity needs
	summaryMemories   = 8                  // shown of each entity
	maxSummary        = 400
)

// profile is an entity to summarise.
type profile struct {
	schema.MentionedEntity

	names    []string
	memories []schema.Memory
}

// summarise asks the model for summaries of entities mentioned often. It asks about each
// half of a batch without a usable answer. The watermark passes a single entity without
// one, which is due again when it is mentioned again. If that is the first answer of the
// night, the model may be at fault, and the others wait.
func summarise(ctx context.Context, in *Input, apply Apply) error {
	due, err := profiles(ctx, in)
	if err != nil || len(due) == 0 {
		return err
	}
	usable := false
	err = ask.InHalves(due, func(batch []profile) error {
		proposals, err := askSummaries(ctx, in, batch)
		switch {
		case ask.Unusable(err) && len(batch) > 1:
			return ask.ErrTooLong
		case ask.Unusable(err):
			proposals = nil
			in.Count("unusable", 1)
		case err != nil:
			return err
		default:
			usable = true
			in.Count("summarised", len(batch))
		}
		if _, err := apply(ctx, append(proposals, Advance{summariesMark, batch[len(batch)-1].Latest})...); err != nil || usable {
			return err
		}
		return errNoSummary
	})
	if errors.Is(err, errNoSummary) {
		return nil
	}
	return err
}

var errNoSummary = errors.New("the model gives no usable answer")

func profiles(ctx context.Context, in *Input) (due []profile, err error) {
	err = in.DB.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		after, err := s.Watermark(ctx, in.UserID, summariesMark)
		if err != nil {
			return err
		}
		entities, err := s.Night().OftenMentioned(ctx, in.UserID, enrich.Ambiguous, summaryMentions, after, summariesPerNight)
		if err != nil {
			return err
		}
		due = make([]profile, len(entities))
		for i := range due {
			p := &due[i]
			p.MentionedEntity = entities[i]
			if p.memories, err = spokenOf(ctx, s, p.ID, enrich.Ambiguous+0.01, summaryMemories, 0); err != nil {
				return err
			}
			aliases, err := s.AliasesOf(ctx, p.ID)
			if err != nil {
				return err
			}
			p.names = []string{p.Name}
			for _, a := range aliases {
				p.names = append(p.names, a.Surface)
			}
		}
		return nil
	})
	return due, err
}

func summariesPrompt(in *Input, due []profile) ask.Prompt {
	var b strings.Builder
	for i := range due {
		b.WriteString(jsonLine(struct {
			Number int    `json:"entity"`
			Name   string `json:"name"`
			Type   string `json:"type"`
		}{i + 1, due[i].Name, due[i].Type}))
		for j := range due[i].memories {
			b.WriteString(jsonLine(recordOf(&due[i].memories[j], "", in)))
		}
	}
	return ask.Prompt{
		SafeErrors: true,
		Name:       "entities_summaries", Version: entitiesVersion, System: strings.TrimSpace(entitiesSummaries), User: b.String(),
		Schema: object(map[string]any{"summaries": map[string]any{"type": "array", "items": object(map[string]any{
			"entity": map[string]any{"type": "integer"}, "text": map[string]any{"type": "string"},
		}, "entity", "text")}}, "summaries"),
	}
}

func askSummaries(ctx context.Context, in *Input, due []profile) (proposals []Proposal, err error) {
	dropped := 0
	err = in.Model.Ask(ctx, summariesPrompt(in, due), func(decode func(any) error) error {
		var answer struct {
			Summaries []struct {
				Entity ask.Int `json:"entity"`
				Text   string  `json:"text"`
			} `json:"summaries"`
		}
		if err := decode(&answer); err != nil {
			return err
		}
		if answer.Summaries == nil {
			return errors.New(`it has no list "summaries"; an empty one is fine`)
		}
		proposals, dropped = nil, 0
		seen := make(map[ask.Int]bool)
		for i, a := range answer.Summaries {
			if a.Entity < 1 || int(a.Entity) > len(due) || seen[a.Entity] {
				return fmt.Errorf("entry %d is about nothing that was asked about, or about it again; the entities are 1 to %d", i+1, len(due))
			}
			seen[a.Entity] = true
			p := &due[a.Entity-1]
			if summary := text.Clean(strings.TrimSpace(a.Text)); p.holds(summary, in) {
				proposals = append(proposals, SummariseEntity{Entity: p.UID, Summary: summary, Sources: p.sources()})
			} else {
				dropped++
			}
		}
		return nil
	})
	if err == nil && dropped > 0 {
		in.Count("dropped", dropped)
	}
	return proposals, err
}

// sources returns the public ids of the shown memories.
func (p *profile) sources() []string {
	uids := make([]string, len(p.memories))
	for i := range p.memories {
		uids[i] = p.memories[i].UID
	}
	return uids
}

// holds reports whether a summary is short, no instruction, and contains no name,
// number or date that the shown memories do not.
func (p *profile) holds(summary string, in *Input) bool {
	if summary == "" || utf8.RuneCountInString(summary) > maxSummary || sentences(summary) > 2 || poison.InspectClaim(summary) != "" {
		return false
	}
	names := strings.Join(p.names, ". ")
	said := []grounding.Turn{{Text: names, At: in.Now}}
	var all strings.Builder
	for i := range p.memories {
		m := &p.memories[i]
		said = append(said, TurnOf(m, in.Scope.User, in.Location))
		all.WriteString(m.Content + "\n")
	}
	s := grounding.Understand(summary, in.Now.In(in.Location))
	return s.MissingFrom(said) == "" && s.Aligned(all.String()) > 0
}

// sentences counts the sentences of a text. Titles and initials do not end one.
func sentences(s string) int {
	n, fields := 1, strings.Fields(s)
	for i, word := range fields[:max(0, len(fields)-1)] {
		next, _ := utf8.DecodeRuneInString(strings.TrimLeft(fields[i+1], `"'“‘«(`))
		bare := strings.TrimRight(word, `"'”’»)`)
		if strings.ContainsAny(bare[max(0, len(bare)-1):], ".!?") && !names.IsTitle(text.Fold(bare)) && utf8.RuneCountInString(bare) > 2 && !unicode.IsLower(next) {
			n++
		}
	}
	return n
}

// SummariseEntity stores the summary of an entity.
type SummariseEntity struct {
	Entity  string // public id
	Summary string
	Sources []string // public ids of the memories that it was written from
}

func (SummariseEntity) of() (kind, memory string) { return "summary", "" }

func (p SummariseEntity) apply(ctx context.Context, tx *schema.Tx, n *night) (Outcome, error) {
	e, err := tx.Entity(ctx, n.input.UserID, p.Entity)
	if err != nil {
		return Outcome{}, err
	}
	if err := stillKnown(ctx, tx, n.input.UserID, cite(p.Sources)); err != nil {
		return Outcome{}, err
	}
	outcome := applied(p)
	outcome.Text = p.Summary
	switch {
	case e.MergedInto != 0:
		return Outcome{}, fmt.Errorf("entity %s was merged: %w", e.UID, schema.ErrConflict)
	case e.Protected:
		return Outcome{}, &schema.InvalidError{Field: "entity", Reason: "is protected"}
	case e.Summary == p.Summary:
		outcome.Status = Known
		return outcome, nil
	}
	return outcome, tx.Summarise(ctx, e, p.Summary, n.actor())
}
