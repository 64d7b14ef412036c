package extension

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/ebbmem/ebb/internal/poison"
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
	// Profile is the core section: what the user has said of themselves, as far
	// as [Config].CoreMemory.ProfileTokens reach; ProfileTokens is what it takes, with its title.
	Profile       []ProfileLine
	ProfileTokens int
	// Answer is the search behind it; nil when none was made.
	Answer *Answer

	nonce  string
	quoted []string // public ids of the messages that Profile quotes
	asked  string   // the question as it was searched for, "" when it was not
	bare   bool     // it was searched together with the talk
}

// InjectedItem is one memory in a block.
type InjectedItem struct {
	Result

	// Whole is false when only the beginning of a longer text is shown.
	Whole bool
}

// IsSmallTalk reports a text that only greets, thanks, agrees or takes leave,
// in a dozen languages. It is the default of [InjectionConfig.Skip].
func IsSmallTalk(s string) bool { return text.IsSmallTalk(s) }

// Preview is what would be put before a model for a question now, by the same
// way as [WrapModel] and [Session.Memory] take, without reporting it as shown.
//
// Errors: those of [Session.Recall].
func (s *Session) Preview(ctx context.Context, question string) (*Injection, error) {
	return s.find(ctx, question, question)
}

// find is core memory with what may help with question. What could be found is
// returned beside an error, too.
func (s *Session) find(ctx context.Context, question, prompt string) (*Injection, error) {
	core, failed := s.ext.coreMemory(ctx, s.scope)
	answer, plan, err := s.search(ctx, question, prompt)
	cfg := &s.ext.cfg
	found := &Injection{asked: answerQuery(answer), bare: plan.Bare, Answer: answer, Core: core.blocks, CoreTokens: coreTokens(core.blocks)}
	var results []Result
	var about float64
	if answer != nil {
		results, about = answer.Results, answer.Relevance
	}
	relevant := choose(about, volunteers(results), cfg)
	section, unread := s.ext.coreSection(ctx, s.scope, coreRequest{
		blocks: core.text, question: question, found: results,
		beside: entryTokens(relevant[:min(len(relevant), plan.limit(cfg.Injection.Limit))], cfg.Location),
	})
	found.Profile, found.ProfileTokens = section.Lines()
	found.quoted = section.Quoted()
	relevant = once(slices.DeleteFunc(relevant, func(e entry) bool { return section.Repeats(&e.Memory) }))
	relevant = relevant[:min(len(relevant), plan.limit(cfg.Injection.Limit))] // what has faded comes last, in the places that are left
	unmarked := error(nil)
	if !section.AllHold {
		relevant, unmarked = s.ext.markSuperseded(ctx, s.scope, relevant)
	}
	block := render(blockHead{core.text, section.Text, noteLine(answer)}, relevant, plan.order(cfg.Injection.Order), cfg.Injection.Tokens, cfg.Location, s.turn().ids.Of)
	found.Block, found.Tokens, found.nonce = block.text, text.Tokens(block.text), block.nonce
	for _, e := range block.shown {
		_, cut := text.FirstLine(text.Line(e.Memory.Content), lineLength)
		found.Items = append(found.Items, InjectedItem{Result: e.Result, Whole: !e.short || !cut})
	}
	return found, errors.Join(failed, err, unread, unmarked)
}

// stands reports whether a prompt holds a text, as it was said or as a block shows
// it.
func stands(content, prompt string) bool {
	if strings.Contains(prompt, content) {
		return true
	}
	line := text.Line(content)
	return line != strings.TrimSpace(content) && strings.Contains(prompt, line)
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
		return !m.OwnWords() && m.Attributes[schema.AttrReleased] == "" && poison.InspectAll(m.Content, m.Speaker) != ""
	})
}

// choose takes the results that may answer a question about what the memory
// holds, and shortens those that hardly do. To another question it takes what is
// sure by itself: what its plan has picked. It is a pure function of its
// arguments.
func choose(about float64, results []Result, cfg *Config) []entry {
	var chosen []entry
	for _, r := range results {
		if r.Relevance >= cfg.Injection.MinResultRelevance && max(about, r.Relevance) >= cfg.Injection.MinRelevance {
			chosen = append(chosen, entry{Result: r, short: r.Relevance < cfg.Injection.FullTextRelevance})
		}
	}
	return chosen
}

// once drops the claims whose words stand in a message that is shown whole: most
// sentences that are kept because they likely last.
func once(chosen []entry) []entry {
	var whole []string
	for _, e := range chosen {
		if e.Memory.Kind == KindEpisode && !e.short {
			whole = append(whole, text.Fold(text.Line(e.Memory.Content)))
		}
	}
	return slices.DeleteFunc(chosen, func(e entry) bool {
		if e.Memory.Kind == KindEpisode || len(whole) == 0 {
			return false
		}
		says := text.Fold(text.Line(e.Memory.Content))
		return slices.ContainsFunc(whole, func(w string) bool { return strings.Contains(w, says) })
	})
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
	s.talk.heard(found)
	if found.Block == "" {
		return "", recorded
	}
	return found.Block, s.present(ctx, door, found)
}

// Context is what [WrapModel] would put before a model for a question, with the
// record that it was shown, for programs that ask their models themselves. What
// could be found is returned beside an error, too.
//
// Errors: those of [Session.Recall].
func (s *Session) Context(ctx context.Context, question string) (*Injection, error) {
	found, err := s.find(ctx, question, question)
	if found.Block != "" {
		s.present(ctx, "model", found)()
	}
	return found, err
}

// present records a block as shown to a model. recorded, which must be called,
// waits until that is stored.
func (s *Session) present(ctx context.Context, door string, found *Injection) (recorded func()) {
	s.shown.add(found.nonce)
	for _, b := range found.Core {
		s.turn().shown(b.Trust)
		s.shown.told(b.Name, b.shown)
	}
	shown := Answer{}
	if found.Answer != nil {
		shown = *found.Answer
	}
	shown.Results = nil
	for _, item := range found.Items {
		shown.Results = append(shown.Results, item.Result)
	}
	quoted := s.turn().quotedFirst(found.quoted)
	if len(shown.Results)+len(quoted) == 0 {
		return func() {}
	}
	return s.announceShownBeside(ctx, door, &shown, quoted)
}

// clip keeps the end of a long prompt, where the question stands.
func clip(question string) string {
	const whole, tail = 2000, 600
	if len(question) <= whole {
		return question
	}
	return text.Clean(question[len(question)-tail:])
}
