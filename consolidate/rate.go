package consolidate

import (
	"context"
	_ "embed"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/ebbmem/ebb/consolidate/ask"
	"github.com/ebbmem/ebb/schema"
)

//go:embed prompts/rate.txt
var rateInstructions string

// Rate is the stage that lets the model rate the importance of messages, from 1
// (mundane) to 10 (crucial), several in one call (dual-memory.md, rate_importance
// and rate_importance_batch). Without a model, or after two unusable answers,
// messages keep the rating by [enrich.Importance]. Messages that the host has
// rated, parts of documents and possible attacks are left out.
//
// An answer is one number a line. Messages whose line is no number from 1 to 10 are
// asked about once more; if the number of lines is wrong, all of them are.
//
// Counts: rated; retried, messages asked about twice; heuristic, messages that kept
// their rating.
type Rate struct {
	// Batch is how many messages one call rates. Default [DefaultRateBatch].
	Batch int
}

// DefaultRateBatch is the default of [Rate].
const DefaultRateBatch = 20

const (
	rateStage   = "rate"
	rateVersion = 1
	rateRows    = 400 // messages read at a time
)

// Name implements [Stage].
func (Rate) Name() string { return rateStage }

// Propose implements [Stage].
func (r Rate) Propose(ctx context.Context, in *Input, apply Apply) error {
	if in.Model == nil {
		return nil
	}
	if r.Batch <= 0 {
		r.Batch = DefaultRateBatch
	}
	after, err := in.Watermark(ctx, rateStage)
	if err != nil {
		return err
	}
	for {
		rows, given, err := unrated(ctx, in, after)
		if err != nil || len(rows) == 0 {
			return err
		}
		through := rows[len(rows)-1].ID
		rows = slices.DeleteFunc(rows, func(m schema.Memory) bool { return given[m.ID] || !Showable(&m) || m.PartOfDocument() })
		for batch := range slices.Chunk(rows, r.Batch) {
			proposals, err := rateBatch(ctx, in, batch)
			if err != nil {
				return err
			}
			if _, err := apply(ctx, append(proposals, Advance{rateStage, batch[len(batch)-1].ID})...); err != nil {
				return err
			}
		}
		if _, err := apply(ctx, Advance{rateStage, through}); err != nil {
			return err
		}
		after = through
	}
}

// unrated reads the next messages, and which of them the host has rated.
func unrated(ctx context.Context, in *Input, after int64) (rows []schema.Memory, given map[int64]bool, err error) {
	err = in.DB.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		if rows, err = s.EpisodesAfter(ctx, in.UserID, after, rateRows); err != nil {
			return err
		}
		given, err = s.Given(ctx, rows)
		return err
	})
	return rows, given, err
}

// rateBatch asks about a batch, and once more about messages without a rating.
func rateBatch(ctx context.Context, in *Input, batch []schema.Memory) (proposals []Proposal, err error) {
	open := batch
	for attempt := range 2 {
		if attempt > 0 {
			in.Count("retried", len(open))
		}
		ratings, err := askRatings(ctx, in, open)
		if err != nil {
			return nil, err
		}
		var left []schema.Memory
		for i, m := range open {
			if ratings[i] == 0 {
				left = append(left, m)
				continue
			}
			in.Count("rated", 1)
			if importance := ratings[i] / 10; importance != m.Importance {
				proposals = append(proposals, SetImportance{UID: m.UID, Version: m.Version, Importance: importance})
			}
		}
		if open = left; len(open) == 0 {
			return proposals, nil
		}
	}
	in.Count("heuristic", len(open))
	return proposals, nil
}

// askRatings returns a rating of each message, 1–10, or 0.
func askRatings(ctx context.Context, in *Input, messages []schema.Memory) (ratings []float64, err error) {
	err = ask.InHalves(messages, func(some []schema.Memory) error {
		var b strings.Builder
		b.WriteString("Observations:\n")
		for i := range some {
			b.WriteString(jsonLine(recordOf(&some[i], strconv.Itoa(i+1), in)))
		}
		lines, err := in.Model.Lines(ctx, ask.Prompt{Name: rateStage, Version: rateVersion, System: strings.TrimSpace(rateInstructions), User: b.String()})
		if ask.Unusable(err) && len(some) == 1 {
			err = nil // too long by itself
		}
		if err == nil {
			ratings = append(ratings, ratingsIn(lines, len(some))...)
		}
		return err
	})
	return ratings, err
}

// numbered matches a line that begins with the number of its observation, as some
// models write: "3. 7".
var numbered = regexp.MustCompile(`^(\d{1,6})[.):]\s+(.+)$`)

// ratingsIn reads the ratings of n observations, one a line; 0 for one that is not
// from 1 to 10.
func ratingsIn(lines []string, n int) []float64 {
	ratings := make([]float64, n)
	byNumber := len(lines) > 0 && !slices.ContainsFunc(lines, func(line string) bool { return !numbered.MatchString(line) })
	if !byNumber && len(lines) != n {
		return ratings
	}
	for at, line := range lines {
		if byNumber {
			parts := numbered.FindStringSubmatch(line)
			number, _ := strconv.Atoi(parts[1])
			at, line = number-1, parts[2]
		}
		if rating, err := strconv.ParseFloat(line, 64); err == nil && rating >= 1 && rating <= 10 && at >= 0 && at < n {
			ratings[at] = rating
		}
	}
	return ratings
}

// SetImportance changes the importance of a message.
type SetImportance struct {
	UID        string
	Version    int64   // the memory as the stage saw it
	Importance float64 // 0.1–1
}

func (p SetImportance) of() (kind, memory string) { return "set_importance", p.UID }

func (p SetImportance) apply(ctx context.Context, tx *schema.Tx, n *night) (Outcome, error) {
	m, err := n.unchanged(ctx, tx, p.UID, p.Version, schema.StateActive)
	switch {
	case err != nil:
		return Outcome{}, err
	case m.Kind != schema.KindEpisode:
		return Outcome{}, &schema.InvalidError{Field: "memory", Reason: "is not a message; what was derived keeps its importance"}
	case !(p.Importance >= 0.1 && p.Importance <= 1):
		return Outcome{}, &schema.InvalidError{Field: "importance", Reason: "must be from 0.1 to 1"}
	}
	return applied(p), tx.SetImportance(ctx, m, p.Importance, n.actor())
}
