package dream

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/consolidate/ask"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/recall/reconcile"
	"github.com/ebbmem/ebb/schema"
)

//go:embed prompts/updates.txt
var updatesSystem string

const (
	updatesStage   = "updates"
	updatesVersion = 1
	updatesNightly = 100 // pairs
	updatesPerCall = 10
	updateLength   = 500 // characters of a merged claim
	updateOverlap  = 0.5 // least cosine of terms
	updateHolds    = 0.8 // least share of the terms of both in a model's text
)

// Updates is the stage that merges a claim with the one that it updates (Write-Time
// Synthesis): pairs of active claims, one of which elaborates the other with a confidence
// of 0.75 or more, of equal kind and trust and of one subject, without a contradiction.
// The merged claim rests on the sources of both and supersedes them.
//
// Where the newer one says every word of the older, it is the merged claim. Otherwise a
// model writes it; without one, or if its answer adds or loses anything, the two are
// joined, up to 500 characters. What is the user's own is not rewritten: such claims
// are merged only in the first way, and otherwise both stay.
//
// Counts: pairs; unusable answers.
type Updates struct{}

// Name implements [consolidate.Stage].
func (Updates) Name() string { return updatesStage }

// update is a claim and the one that it adds to.
type update struct {
	newer, older *schema.Memory
	sources      []consolidate.Citation
	text         string // of the merged claim; "" if there is none yet
}

// Propose implements [consolidate.Stage].
func (u Updates) Propose(ctx context.Context, in *consolidate.Input, apply consolidate.Apply) error {
	for left := updatesNightly; left > 0; {
		pairs, err := u.read(ctx, in)
		if err != nil || len(pairs) == 0 {
			return err
		}
		pairs = pairs[:min(len(pairs), left)]
		left -= len(pairs)
		in.Count("pairs", len(pairs))
		if err := u.ask(ctx, in, pairs); err != nil {
			return err
		}
		var proposals []consolidate.Proposal
		for _, p := range pairs {
			proposals = append(proposals, consolidate.MergeClaims{
				Newer: p.newer.UID, Older: p.older.UID, Versions: [2]int64{p.newer.Version, p.older.Version}, Content: p.text, Sources: p.sources,
			})
		}
		outcomes, err := apply(ctx, proposals...)
		if err != nil || !slices.ContainsFunc(outcomes, func(o consolidate.Outcome) bool { return o.Status == consolidate.Applied }) {
			return err
		}
	}
	return nil
}

// read returns the pairs to merge, no memory twice, with the texts that need no model.
func (u *Updates) read(ctx context.Context, in *consolidate.Input) (pairs []update, err error) {
	err = in.DB.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		links, err := s.Night().Links(ctx, in.UserID, schema.LinkElaborates)
		if err != nil || len(links) == 0 {
			return err
		}
		memories, err := active(ctx, s, in.UserID)
		if err != nil {
			return err
		}
		known := make(map[int64]*schema.Memory, len(memories))
		for i := range memories {
			known[memories[i].ID] = &memories[i]
		}
		taken := make(map[int64]bool)
		for _, l := range links {
			p := update{newer: known[l.From.ID], older: known[l.To.ID]}
			if l.Confidence < reconcile.UpdateFrom || taken[l.From.ID] || taken[l.To.ID] || !p.mergeable(in) {
				continue
			}
			if err := p.readSources(ctx, s, in.UserID); err != nil {
				return err
			}
			taken[l.From.ID], taken[l.To.ID] = true, true
			pairs = append(pairs, p)
		}
		return nil
	})
	return pairs, err
}

// mergeable reports whether one claim can say both, and writes it if no model is needed.
func (p *update) mergeable(in *consolidate.Input) bool {
	if p.newer == nil || p.older == nil || p.newer.ID < p.older.ID || p.newer.Trust != p.older.Trust ||
		p.newer.Attributes[schema.AttrTemporal] != p.older.Attributes[schema.AttrTemporal] || !ofOneThing(p.newer, p.older, in) {
		return false
	}
	for _, m := range [...]*schema.Memory{p.newer, p.older} {
		if m.Kind == schema.KindReflection || m.Protected || m.Pinned || !consolidate.Showable(m) {
			return false
		}
	}
	sets := text.TermSets([]string{p.newer.Content, p.older.Content})
	if sets[0].Cosine(sets[1]) < updateOverlap || reconcile.Differ(p.newer.Content, p.older.Content) {
		return false
	}
	if sets[1].Within(sets[0]) {
		p.text = p.newer.Content
		return true
	}
	return !p.newer.OwnWords() && !p.older.OwnWords() && utf8.RuneCountInString(p.joined()) <= updateLength
}

// showable reports whether a text reads like no instruction.
func (p *update) showable(merged string) bool {
	m := *p.newer
	m.Content = merged
	return consolidate.Showable(&m)
}

// joined is the merged claim that no model wrote.
func (p *update) joined() string {
	return strings.TrimRight(strings.TrimSpace(p.older.Content), ".;") + "; " + strings.TrimSpace(p.newer.Content)
}

// says returns the share of the terms of some texts that another one contains, 0–1.
func says(one string, others ...string) float64 {
	terms := text.QueryTerms(strings.Join(others, " "), 0)
	return float64(text.Held(terms, one)) / float64(max(1, len(terms)))
}

// readSources reads what the merged claim rests on: the sources of both, or a claim
// itself that has none.
func (p *update) readSources(ctx context.Context, s *schema.Snapshot, userID int64) error {
	of, err := s.SourcesOf(ctx, []int64{p.newer.ID, p.older.ID})
	if err != nil {
		return err
	}
	quotes := make(map[int64]string)
	for _, m := range [...]*schema.Memory{p.newer, p.older} {
		if len(of[m.ID]) == 0 && m != p.newer {
			quotes[m.ID] = ""
		}
		for _, src := range of[m.ID] {
			quotes[src.SourceID] = src.Quote
		}
	}
	if p.text == "" && len(of[p.newer.ID]) == 0 {
		quotes[p.newer.ID] = ""
	}
	memories, err := s.MemoriesByID(ctx, userID, slices.Sorted(maps.Keys(quotes)))
	for i := range memories {
		p.sources = append(p.sources, consolidate.Citation{UID: memories[i].UID, Quote: quotes[memories[i].ID]})
	}
	return err
}

// ask has the texts of pairs written by the model, as far as there is one and they need
// one, and joins the others.
func (u *Updates) ask(ctx context.Context, in *consolidate.Input, pairs []update) error {
	var open []*update
	for i := range pairs {
		if pairs[i].text == "" {
			open = append(open, &pairs[i])
		}
	}
	if in.Model != nil {
		for some := range slices.Chunk(open, updatesPerCall) {
			err := ask.InHalves(some, func(part []*update) error { return u.write(ctx, in, part) })
			if ask.Unusable(err) {
				in.Count("unusable", 1)
			} else if err != nil {
				return err
			}
		}
	}
	for _, p := range open {
		if p.text == "" {
			p.text = p.joined()
		}
	}
	return nil
}

// write asks the model for the texts of pairs. Texts that add or lose something are left
// out.
func (u *Updates) write(ctx context.Context, in *consolidate.Input, pairs []*update) error {
	lines := ""
	for i, p := range pairs {
		lines += pairLines(in, i+1, p.newer, p.older)
	}
	var answer struct {
		Pairs []struct {
			Pair ask.Int `json:"pair"`
			Text string  `json:"text"`
		} `json:"pairs"`
	}
	err := in.Model.Ask(ctx, ask.Prompt{
		SafeErrors: true, Name: updatesStage, Version: updatesVersion, System: strings.TrimSpace(updatesSystem), User: lines,
		Schema: list("pairs", map[string]any{"pair": map[string]any{"type": "integer"}, "text": map[string]any{"type": "string"}}),
	}, func(decode func(any) error) error {
		answer.Pairs = nil
		if err := decode(&answer); err != nil {
			return err
		}
		for _, a := range answer.Pairs {
			if a.Pair < 1 || int(a.Pair) > len(pairs) {
				return fmt.Errorf("there are pairs from 1 to %d", len(pairs))
			}
		}
		if len(answer.Pairs) != len(pairs) {
			return errors.New(`"pairs" does not have one entry for each pair`)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, a := range answer.Pairs {
		p, merged := pairs[a.Pair-1], strings.Join(strings.Fields(text.Clean(a.Text)), " ")
		both := []string{p.newer.Content, p.older.Content}
		marks := reconcile.Marks(both[0])
		maps.Copy(marks, reconcile.Marks(both[1]))
		if utf8.RuneCountInString(merged) <= updateLength && says(merged, both...) >= updateHolds &&
			says(strings.Join(both, " "), merged) == 1 && maps.Equal(marks, reconcile.Marks(merged)) && p.showable(merged) {
			p.text = merged
		}
	}
	return nil
}
