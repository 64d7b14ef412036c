package extension

import (
	"context"

	"github.com/ebbmem/ebb/internal/ownwords"
	"github.com/ebbmem/ebb/internal/text"
)

// coreRequest says what a core section is for.
type coreRequest struct {
	blocks   string   // core memory, which stands before it
	question string   // of the user
	found    []Result // by the search for the question, best first; nil when none was made
	beside   int      // tokens of the memories that are put beside it
}

// budget is how many tokens the section may take, its title included. A question
// about the user is seldom asked in the words of what they once said, so that the
// search alone misses it: there the section may take OwnAffairsTokens, as far as it
// and the memories found stay within ProfileTokens and Injection.Tokens. On four of
// the lives in cmd/ebb/testdata/lives that alone raised what was saved with a tool
// and stands before the model from 61 to 78 %, with Injection.Tokens for it; with
// all of both, from 86 to 90.
func (r *coreRequest) budget(cfg *Config) int {
	budget := cfg.CoreMemory.ProfileTokens
	if text.IsOwnAffair(r.question) {
		budget = max(budget, min(cfg.CoreMemory.OwnAffairsTokens, cfg.CoreMemory.ProfileTokens+cfg.Injection.Tokens-r.beside))
	}
	if len(cfg.CoreMemory.Blocks) > 0 {
		budget = min(budget, cfg.CoreMemory.BlockTokens-text.Tokens(widestFence+r.blocks))
	}
	return budget
}

// coreSection is the section for a question. What could be read is returned
// beside an error, too.
func (x *Extension) coreSection(ctx context.Context, scope Scope, r coreRequest) (ownwords.Section, error) {
	if x.cfg.CoreMemory.ProfileTokens < 0 {
		return ownwords.Section{}, nil
	}
	lines, err := x.own.Lines(ctx, x.db, scope, x.cfg.Location)
	if err != nil {
		return ownwords.Section{}, err
	}
	if x.cfg.coreToldOnly {
		lines = lines.ToldOnly()
	}
	budget, found := r.budget(&x.cfg), r.found
	var failed error
	if x.vectors != nil && found != nil && !lines.Fit(budget) {
		var near []Result
		near, failed = x.claimsLike(ctx, scope, r.question)
		found = append(near, found...)
	}
	return lines.Choose(budget, r.question, found, x.cfg.Now()), failed
}

// claimsFound is how many claims are looked for that are like a question.
const claimsFound = 50

// claimsLike are the claims that a search finds for a question, by their meaning
// too, the best first. The question's vector is at hand from the search before.
func (x *Extension) claimsLike(ctx context.Context, scope Scope, question string) ([]Result, error) {
	question, err := x.redactor.Text(ctx, "", text.Clean(endOf(question, questionEnd)))
	if err != nil {
		return nil, err
	}
	answer, err := x.recall(ctx, scope, Query{Text: clip(question), Kinds: []Kind{KindFact, KindPreference}, Limit: claimsFound, Unquarantined: true})
	if err != nil {
		return nil, err
	}
	return answer.Results, nil
}
