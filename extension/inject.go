package extension

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// InjectOrder is the order of the sessions inside a block of memories.
type InjectOrder string

// The orders. Within a session memories stand in order of time.
const (
	NewestFirst InjectOrder = "newest"
	BestFirst   InjectOrder = "best"
)

// Injection is what is put before a model for a question.
type Injection struct {
	// Block is the fenced text; "" when nothing is injected.
	Block string
	// Tokens is what Block costs, estimated without a vocabulary.
	Tokens int
	// Items are the memories in it, best first.
	Items []InjectedItem
	// Core are the blocks of core memory in it, in the order of Config.Blocks;
	// CoreTokens is what they take together.
	Core       []InjectedBlock
	CoreTokens int
	// Answer is the search behind it; nil when none was made.
	Answer *Answer

	nonce string
}

// InjectedItem is one memory in a block.
type InjectedItem struct {
	Result

	// Whole is false when only the beginning of a longer text is shown.
	Whole bool
}

// IsSmallTalk reports a text that only greets, thanks, agrees or takes leave,
// in a dozen languages. It is the default of [Config.SkipSearch].
func IsSmallTalk(s string) bool { return text.IsSmallTalk(s) }

// Preview is what would be put before a model for a question now, by the same
// way as [WrapModel] and [Session.Memory] take, without reporting it as shown.
//
// Errors: those of [Session.Recall].
func (s *Session) Preview(ctx context.Context, question string) (*Injection, error) {
	return s.find(ctx, question, question)
}

// injectDiversity keeps five injected memories from saying one thing twice.
const injectDiversity = 0.2

// find is core memory with what may help with question. What could be found is
// returned beside an error, too.
func (s *Session) find(ctx context.Context, question, prompt string) (*Injection, error) {
	core, failed := s.ext.coreMemory(ctx, s.scope)
	answer, err := s.search(ctx, question, prompt)
	cfg := &s.ext.cfg
	found := &Injection{Answer: answer, Core: core.blocks, CoreTokens: coreTokens(core.blocks)}
	var chosen []entry
	if answer != nil {
		chosen = choose(answer.Relevance, volunteers(answer.Results), cfg)
	}
	block := renderAfter(core.text, chosen, cfg.InjectOrder, cfg.InjectTokens, cfg.Location)
	found.Block, found.Tokens, found.nonce = block.text, text.Tokens(block.text), block.nonce
	for _, e := range block.shown {
		_, cut := firstLine(e.Memory.Content, lineLength)
		found.Items = append(found.Items, InjectedItem{Result: e.Result, Whole: !e.short || !cut})
	}
	return found, errors.Join(failed, err)
}

// search looks for what may help with question and is not in the prompt
// already. It is nil for a question that nothing is searched for.
func (s *Session) search(ctx context.Context, question, prompt string) (*Answer, error) {
	cfg := &s.ext.cfg
	// As texts are stored: what is asked must be recognised among them. Redacted
	// before it is cut, which could halve a secret beyond recognition.
	question, err := s.ext.redactor.text(ctx, "", text.Clean(question))
	if err != nil {
		return nil, err
	}
	prompt = s.ext.redactor.builtin.Redact(text.Clean(prompt))
	if len(text.QueryTerms(question, 1)) == 0 || cfg.SkipSearch(question) {
		return nil, nil
	}
	return s.ext.Recall(ctx, s.scope, Query{
		Text: clip(question), Limit: cfg.InjectLimit, Diversity: injectDiversity, Unquarantined: true, Small: true,
		Skip: func(m *schema.Memory) bool {
			return m.Hearsay() && !cfg.InjectHearsay || strings.Contains(prompt, m.Content)
		},
	})
}

// volunteers drops what reads like an instruction and is not the user's own:
// what was stored before it was looked at, or by rules that were not known then.
// It also drops what holds no word, which answers no question.
func volunteers(results []Result) []Result {
	return slices.DeleteFunc(slices.Clone(results), func(r Result) bool {
		m := &r.Memory
		if len(text.Terms(m.Content)) == 0 {
			return true
		}
		return !m.OwnWords() && m.Attributes[schema.AttrReleased] == "" && inspect(m.Content, m.Speaker) != ""
	})
}

// choose takes nothing where the question is hardly about what the memory holds,
// else the results that may answer it, and shortens those that hardly do. It is
// a pure function of its arguments.
func choose(about float64, results []Result, cfg *Config) []entry {
	if about < cfg.InjectMaybe {
		return nil
	}
	var chosen []entry
	for _, r := range results {
		if r.Relevance >= cfg.InjectLeast {
			chosen = append(chosen, entry{Result: r, short: r.Relevance < cfg.InjectSure})
		}
	}
	return chosen
}

// inject is the block for a question. It degrades to what can be read, at worst
// to no block: memory never breaks a turn. recorded, which must be called, waits
// until what is shown is on record.
func (s *Session) inject(ctx context.Context, door, question, prompt string) (block string, recorded func()) {
	recorded = func() {}
	found, err := s.find(ctx, question, prompt)
	switch {
	case err == nil:
		s.ext.worked(s.scope, door, recalled)
	case ctx.Err() != nil:
		return "", recorded
	default:
		s.ext.fault(s.scope, door, recalled, err)
	}
	if found.Block == "" {
		return "", recorded
	}
	s.shown.add(found.nonce)
	for _, b := range found.Core {
		s.turn().shown(b.Trust)
		s.shown.told(b.Name, b.shown)
	}
	if len(found.Items) == 0 {
		return found.Block, recorded
	}
	shown := *found.Answer
	shown.Results = nil
	for _, item := range found.Items {
		shown.Results = append(shown.Results, item.Result)
	}
	return found.Block, s.announceShownBeside(ctx, door, &shown)
}

// clip keeps the end of a long prompt, where the question stands.
func clip(question string) string {
	const whole, tail = 2000, 600
	if len(question) <= whole {
		return question
	}
	return text.Clean(question[len(question)-tail:])
}
