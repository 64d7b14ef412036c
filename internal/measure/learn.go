package measure

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/extension/transfer"
	"github.com/ebbmem/ebb/internal/evalset"
	"github.com/ebbmem/ebb/internal/grounding"
)

// LearnFacts adds facts to a memory that holds the set's conversations, each under a
// user of its name, as a night would: with their sources, at the lowest trust of
// these, and learnt after the last turn. It imports them as an export of ebb, the
// public way to store derived memories; nights write their own facts. It calls clock with each time of learning
// first.
func LearnFacts(ctx context.Context, x *extension.Extension, set *evalset.Set, facts []evalset.Fact, clock func(time.Time)) error {
	byConversation := make(map[string][]evalset.Fact)
	for _, f := range facts {
		byConversation[f.Conversation] = append(byConversation[f.Conversation], f)
	}
	for _, c := range set.Conversations {
		if len(byConversation[c.Name]) == 0 {
			continue
		}
		last := c.Turns[0].Time
		for _, t := range c.Turns {
			if t.Time.After(last) {
				last = t.Time
			}
		}
		clock(last)
		scope := extension.Scope{User: c.Name}
		turns, err := episodes(ctx, x, scope)
		if err != nil {
			return err
		}
		bundle, err := factBundle(scope, byConversation[c.Name], turns, last)
		if err != nil {
			return err
		}
		if _, err := x.Import(ctx, bundle, transfer.ImportOptions{Scope: scope, Format: transfer.FormatExport, Restore: true}); err != nil {
			return fmt.Errorf("facts of %s: %w", c.Name, err)
		}
	}
	return nil
}

// episodes returns a user's messages by the id of their turn.
func episodes(ctx context.Context, x *extension.Extension, scope extension.Scope) (map[string]extension.Record, error) {
	var all bytes.Buffer
	if _, err := x.Export(ctx, &all, scope); err != nil {
		return nil, err
	}
	turns := make(map[string]extension.Record)
	for lines := json.NewDecoder(&all); ; {
		var line struct {
			Memory *extension.Record `json:"memory"`
		}
		switch err := lines.Decode(&line); {
		case errors.Is(err, io.EOF):
			return turns, nil
		case err != nil:
			return nil, err
		case line.Memory != nil && line.Memory.EventID != "":
			turns[line.Memory.EventID] = *line.Memory
		}
	}
}

// Values that nights give to claims extracted by a model.
const (
	factConfidence = 0.8
	decayRate      = 0.1
	mostTrusted    = 4 // the user's own words
)

// factBundle writes facts as an export that rests on turns already stored.
func factBundle(scope extension.Scope, facts []evalset.Fact, turns map[string]extension.Record, learnt time.Time) (io.Reader, error) {
	type object = map[string]any
	var out bytes.Buffer
	lines := json.NewEncoder(&out)
	records := 0
	write := func(kind string, record any) error {
		records++
		return lines.Encode(object{kind: record})
	}
	if err := lines.Encode(object{"ebb": object{"export": 1, "user": scope.User, "created_at": learnt}}); err != nil {
		return nil, err
	}
	for _, f := range facts {
		fact := extension.Record{
			UID: "fact-" + f.ID, Kind: extension.KindFact, Content: f.Text, CreatedAt: turns[f.Sources[0]].CreatedAt,
			Confidence: factConfidence, Importance: 0.5, DecayRate: decayRate, Stability: 1, Utility: 0.5,
			State: "active", Trust: mostTrusted, Version: 1,
		}
		if grounding.IsPreference(f.Text) {
			fact.Kind = extension.KindPreference
		}
		for at, id := range f.Sources {
			turn, ok := turns[id]
			if !ok {
				return nil, fmt.Errorf("fact %s rests on turn %s, which was not stored", f.ID, id)
			}
			if at == 0 {
				fact.SessionName, fact.EventTime = turn.SessionName, turn.EventTime
			}
			if turn.Trust <= fact.Trust {
				fact.Trust, fact.Origin = turn.Trust, turn.Origin
			}
		}
		fact.CreatedAt.Time, fact.ValidFrom = learnt, fact.EventTime
		record := struct {
			extension.Record

			Unlinked bool `json:"unlinked"` // the mentions are found after the import
		}{fact, true}
		if err := write("memory", record); err != nil {
			return nil, err
		}
		for _, id := range f.Sources {
			if err := write("source", object{"memory": fact.UID, "source": turns[id].UID}); err != nil {
				return nil, err
			}
		}
	}
	return &out, lines.Encode(object{"end": object{"records": records}})
}
