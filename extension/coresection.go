package extension

import (
	"context"
	"time"

	"github.com/ebbmem/ebb/internal/prompt"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/vecstore"
)

// coreRequest are the inputs for choosing a core section.
type coreRequest struct {
	blocks   string   // core memory, printed above it
	question string   // the user's
	talk     string   // said just before it, by the user and the agent
	bare     bool     // it depends on the conversation
	found    []Result // search results, best first; nil if there was no search
	beside   int      // tokens of the memories to be injected
}

// budget returns how many tokens the section may take, including its title.
func (r *coreRequest) budget(cfg *Config, asked *prompt.Asked) int {
	budget := asked.Budget(r.bare && r.talk != "", cfg.CoreMemory.ProfileTokens, cfg.CoreMemory.OwnAffairsTokens-r.beside)
	if len(cfg.CoreMemory.Blocks) > 0 {
		budget = min(budget, cfg.CoreMemory.BlockTokens-text.Tokens(prompt.WidestFence+r.blocks))
	}
	return budget
}

// coreSection chooses the core section for a question. If there is an error, the
// section may still hold what could be read.
func (x *Extension) coreSection(ctx context.Context, scope Scope, r coreRequest) (prompt.Section, error) {
	if x.cfg.CoreMemory.ProfileTokens < 0 {
		return prompt.Section{}, nil
	}
	lines, err := x.ownLines(ctx, scope)
	if err != nil {
		return prompt.Section{}, err
	}
	var meaning prompt.Meaning
	var failed error
	if x.vectors != nil && r.found != nil && !lines.Fit(x.cfg.CoreMemory.ProfileTokens) {
		meaning, failed = x.meaning(ctx, r.question, lines.Claims())
	}
	asked := lines.Ask(ctx, clip(r.question), r.talk, meaning, r.found, x.cfg.Now())
	return asked.Choose(r.budget(&x.cfg, asked)), failed
}

// ownLines returns the lines that a core section may show.
func (x *Extension) ownLines(ctx context.Context, scope Scope) (*prompt.Lines, error) {
	lines, err := x.own.Lines(ctx, x.db, scope, x.cfg.Location)
	if err == nil && x.cfg.coreStoredOnly {
		lines = lines.ToldOnly()
	}
	return lines, err
}

// meaningTimeout is how long a question's vector may take if the search before left none.
const meaningTimeout = 100 * time.Millisecond

// meaning returns a question's vector and those of claims, or nothing if the
// embedder does not answer: the search before, which left the question's vector in the
// cache, has reported that as [Degraded].
func (x *Extension) meaning(ctx context.Context, question string, memories []int64) (m prompt.Meaning, err error) {
	question, err = x.redactor.Text(ctx, "", text.Clean(lastBytes(question, questionEnd)))
	if err != nil {
		return m, err
	}
	g, err := schema.Get(ctx, x.db, vecstore.ServingGeneration)
	if err != nil || g == nil {
		return m, err
	}
	waited, cancel := context.WithTimeout(ctx, meaningTimeout)
	defer cancel()
	asked, away := x.vectors.EmbedQuery(waited, g, clip(question))
	if away != nil {
		return m, ctx.Err()
	}
	of := make(map[int64][][]float32, len(memories))
	err = x.db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		return vecstore.VectorsOf(ctx, s, g.ID, memories, func(id int64, v vecstore.Vector) error {
			if len(v) == len(asked) { // not a damaged one
				of[id] = append(of[id], v)
			}
			return nil
		})
	})
	if err != nil {
		return m, err
	}
	return prompt.Meaning{Generation: g.ID, Question: asked, Of: of}, nil
}
