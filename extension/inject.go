package extension

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/ebbmem/ebb/internal/poison"
	"github.com/ebbmem/ebb/internal/prompt"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// Injection is what is injected into a prompt for a question.
type Injection struct {
	// Block is the fenced text, or "" if nothing is injected.
	Block string
	// Tokens is the cost of Block, estimated without a tokenizer's vocabulary.
	Tokens int
	// Items are the memories in Block, best first.
	Items []InjectedItem
	// Core are the blocks of core memory in Block, in the order of
	// Config.CoreMemory.Blocks. CoreTokens is the cost of all of them.
	Core       []prompt.InjectedBlock
	CoreTokens int
	// Profile is the core section: the user's own statements within
	// [Config].CoreMemory.ProfileTokens. ProfileTokens is its cost with its title.
	Profile       []ProfileLine
	ProfileTokens int
	// Query is what was searched for, and Answer its results in the order of
	// [Extension.Recall]. They are zero and nil if there was no search.
	Query  Query `json:"-"`
	Answer *Answer

	nonce  string
	quoted []string // public ids of the messages quoted in Profile
}

// InjectedItem is one memory in a block.
type InjectedItem struct {
	Result

	// Whole is false if only a part of a longer text is shown.
	Whole bool
}

// IsSmallTalk reports whether s only greets, thanks, agrees or says goodbye, in a
// dozen languages. It is the default of [InjectionConfig.Skip].
func IsSmallTalk(s string) bool { return text.IsSmallTalk(s) }

// Preview returns what [WrapModel] and [Session.Memory] would inject for a question
// now, without recording it as shown.
//
// Errors: those of [Extension.Recall].
func (s *Session) Preview(ctx context.Context, question string) (*Injection, error) {
	return s.find(ctx, question, question)
}

// find builds the injection for a question. whole is the text the model sees
// anyway. If there is an error, the injection holds what could be found.
func (s *Session) find(ctx context.Context, question, whole string) (*Injection, error) {
	ctx, done := s.ext.mem.Observe.Begin(ctx, schema.Operation{Name: "inject", Scope: s.scope, Query: question})
	loc, unplaced := s.ext.location(ctx, s.scope)
	core, failed := s.ext.coreMemory(ctx, s.scope, loc)
	answer, query, err := s.search(ctx, question, whole, loc)
	cfg, plan := &s.ext.cfg, query.Plan
	found := &Injection{Core: core.Blocks, CoreTokens: core.Sum()}
	var results []Result
	var about float64
	if answer != nil {
		found.Query, results, about = query, answer.Results, answer.Relevance
	}
	relevant, limit := prompt.Earning(dropRepeated(choose(about, injectable(results), cfg, text.QueryTerms(found.Query.Text, 0))), question, plan, searchLimit(plan, cfg))
	section, unread := s.ext.coreSection(ctx, s.scope, coreRequest{
		blocks: core.Text, question: question, talk: s.talk().last(cfg.Now()), bare: plan.Bare, found: results,
		beside: prompt.EntryTokens(relevant[:min(len(relevant), limit)], loc),
	})
	found.Profile, found.ProfileTokens = section.Lines()
	found.quoted = section.Quoted()
	relevant, unkept := s.keep(ctx, answer, whole, relevant)
	relevant = section.Unquoted(relevant, question)
	relevant = relevant[:min(len(relevant), limit)] // faded memories come last and fill what is left of the limit
	unmarked := error(nil)
	if !section.AllHold || section.Several {
		relevant, unmarked = s.ext.mark(ctx, s.scope, relevant)
	}
	block := prompt.Render(prompt.Head{Blocks: core.Text, Core: section.Text, Today: cfg.Now().In(loc), Note: noteLine(answer)}, relevant, blockOrder(plan), cfg.Injection.Tokens, loc, s.conversation().ids.Of)
	found.Block, found.Tokens, found.nonce = block.Text, text.Tokens(block.Text), block.Nonce
	for _, e := range block.Shown {
		found.Items = append(found.Items, InjectedItem{Result: e.Result, Whole: !e.Cut})
	}
	found.Answer, _ = s.ext.presentFirst(answer, err)
	err = errors.Join(unplaced, failed, err, unkept, unread, unmarked)
	done(len(found.Items), err)
	return found, err
}

// keep adds what the conversation keeps in its contexts to what was found for a question,
// by Config.CoreMemory.Working and Always.
func (s *Session) keep(ctx context.Context, answer *Answer, whole string, relevant []prompt.Entry) ([]prompt.Entry, error) {
	if !s.ext.cfg.CoreMemory.Working && s.ext.cfg.CoreMemory.Always == nil || answer == nil {
		return relevant, nil
	}
	kept, err := s.conversation().working.Kept(ctx, s.ext.db, s.scope, s.ext.cfg.Now(), s.ext.cfg.CoreMemory.Always)
	for _, r := range injectable(kept) {
		m := &r.Memory
		if (!m.Untrusted() || s.ext.cfg.Injection.Untrusted) && !inPrompt(m.Content, whole) && !slices.ContainsFunc(relevant, func(e prompt.Entry) bool { return e.Memory.ID == m.ID }) {
			relevant = append(relevant, prompt.Entry{Result: r}.Limited(prompt.ShortTokens))
		}
	}
	return dropRepeated(relevant), err
}

// inPrompt reports whether a prompt contains a text, verbatim or as a line of a
// block.
func inPrompt(content, prompt string) bool {
	if strings.Contains(prompt, content) {
		return true
	}
	line := text.Line(content)
	return line != strings.TrimSpace(content) && strings.Contains(prompt, line)
}

// injectable drops memories that must not be injected automatically: text that
// reads like an instruction, is not the user's own, and was stored before poison
// detection or by older rules. It also drops memories without any term, which
// cannot answer a question.
func injectable(results []Result) []Result {
	return slices.DeleteFunc(slices.Clone(results), func(r Result) bool {
		m := &r.Memory
		if len(text.Terms(m.Content)) == 0 {
			return true
		}
		return !m.OwnWords() && m.Attributes[schema.AttrReleased] == "" && poison.InspectAll(m.Content, m.Speaker) != ""
	})
}

// usualTokens is the length up to which a text pays with MinResultRelevance alone. A longer
// one takes the place of several: of two equally relevant results the shorter helps more.
// With .012 of 28 tokens, in place of .018 of 44, LoCoMo's block holds 78.6 % of the
// evidence instead of 77.8 (523 tokens instead of 501), REALTALK's 69.6 instead of 69.1
// (594, 581), BEAM's 60.5 as before (732, 743).
const usualTokens = 28

// choose selects the results relevant enough to inject for what they cost, and limits
// their texts. If the question as a whole is below MinRelevance, it selects only results
// that reach MinRelevance themselves. It depends on its arguments only.
func choose(about float64, results []Result, cfg *Config, terms []string) []prompt.Entry {
	var chosen []prompt.Entry
	for _, r := range results {
		most, full := cfg.Injection.ItemTokens, cfg.Injection.FullRelevance
		if r.Relevance < full {
			most = min(most, prompt.ShortTokens)
		}
		least := cfg.Injection.MinResultRelevance
		if full <= 0 {
			least *= max(1, float64(min(text.Tokens(r.Memory.Content), most))/usualTokens)
		}
		if r.Relevance >= least && max(about, r.Relevance) >= cfg.Injection.MinRelevance {
			chosen = append(chosen, prompt.Entry{Result: r, Terms: terms}.Limited(most))
		}
	}
	return chosen
}

// dropRepeated drops claims whose text is part of a message of their speaker that is shown in
// full, such as most sentences extracted from messages, and all but the first of one sentence.
func dropRepeated(chosen []prompt.Entry) []prompt.Entry {
	var whole []schema.Saying
	for _, e := range chosen {
		if e.Memory.Kind == KindEpisode && !e.Cut {
			whole = append(whole, e.Memory.Saying())
		}
	}
	stated := make(map[schema.Saying]bool)
	return slices.DeleteFunc(chosen, func(e prompt.Entry) bool {
		if e.Memory.Kind == KindEpisode {
			return false
		}
		says := e.Memory.Saying()
		sentence := schema.Saying{Text: says.Text, At: says.At}
		if stated[sentence] {
			return true
		}
		stated[sentence] = true
		return slices.ContainsFunc(whole, func(w schema.Saying) bool { return says.IsOf(&w) })
	})
}

// inject returns the block for a question. On errors it degrades to what can be
// read, at worst to no block, since memory never breaks a turn. The caller must
// call recorded, which waits until what is shown has been recorded.
func (s *Session) inject(ctx context.Context, channel, question, prompt string) (block string, recorded func()) {
	recorded = func() {}
	found, err := s.find(ctx, question, prompt)
	switch {
	case err == nil:
		s.ext.worked(s.scope, channel, searchMemory)
	case ctx.Err() != nil:
		return "", recorded
	default:
		s.ext.fault(s.scope, channel, searchMemory, err)
	}
	s.talk().heard(found, s.ext.cfg.Now())
	if found.Block == "" {
		return "", recorded
	}
	return found.Block, s.present(ctx, channel, found)
}

// Context returns what [WrapModel] would inject for a question and records it as
// shown. The next questions of the conversation may refer to it. It is for programs that call their models themselves. If there is an
// error, the injection holds what could be found.
//
// Errors: those of [Extension.Recall].
func (s *Session) Context(ctx context.Context, question string) (*Injection, error) {
	found, err := s.find(ctx, question, question)
	s.talk().heard(found, s.ext.cfg.Now())
	if found.Block != "" {
		s.present(ctx, "model", found)()
	}
	return found, err
}

// present records a block as shown to a model. The caller must call recorded, which
// waits until that is stored.
func (s *Session) present(ctx context.Context, channel string, found *Injection) (recorded func()) {
	s.blocks().add(found.nonce)
	for _, b := range found.Core {
		s.conversation().expose(b.Trust)
		s.blocks().setCore(b.Name, b.Shown)
	}
	shown := Answer{}
	if found.Answer != nil {
		shown = *found.Answer
	}
	shown.Results = nil
	for _, item := range found.Items {
		shown.Results = append(shown.Results, item.Result)
	}
	if s.ext.cfg.CoreMemory.Working {
		s.conversation().working.Used(s.ext.cfg.Now(), shown.Results)
	}
	quoted := s.conversation().quotedFirst(found.quoted)
	if len(shown.Results)+len(quoted) == 0 {
		return func() {}
	}
	return s.startRecordShown(ctx, channel, &shown, quoted)
}

// clip shortens a long prompt to its end, where the question usually is.
func clip(question string) string {
	const whole, tail = 2000, 600
	if len(question) <= whole {
		return question
	}
	return text.Clean(question[len(question)-tail:])
}
