package extension

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/tmc/langchaingo/embeddings"
	"github.com/tmc/langchaingo/llms"

	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/consolidate/appraise"
	"github.com/ebbmem/ebb/consolidate/ask"
	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/internal/memory"
	"github.com/ebbmem/ebb/recall"
	"github.com/ebbmem/ebb/recall/planner"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/core"
	"github.com/ebbmem/ebb/tools"
)

// Config says how a memory works. The zero value, and nil, are right for most
// hosts: no model, no key, no network. A function of the config that panics does
// not end the process: the panic is reported to [Hooks].OnError, and its default
// applies, or the call that needed it returns an error.
type Config struct {
	// Model is asked at night, when memories are consolidated, and never while
	// a turn waits. Default none: nights do what needs no model.
	Model llms.Model
	// Embedding is how vectors of texts are made. Default: none are, and search is
	// by text.
	Embedding EmbeddingConfig
	// CoreMemory is what stands at the head of every context.
	CoreMemory CoreMemoryConfig
	// Injection is which memories are put before a model.
	Injection InjectionConfig
	// Ranking is how results are ordered.
	Ranking RankingConfig
	// Night is the consolidation at night.
	Night NightConfig

	// Key encrypts the file at rest: a new file, its log and every copy of it.
	// [NewKey] makes one; keep it, since without it nothing can be read again.
	// It hides neither the size of the file nor when it changes, and it does not
	// detect pages that were exchanged for older ones. Default none: files are
	// plain.
	Key Key
	// Redaction is what is taken out of texts before anything of them is
	// written. Default: secrets.
	Redaction Redaction
	// ReadOnly opens the file for looking only; it implies NoBackground. Where no
	// file may be made beside it, it is read without locks, if its log is empty;
	// a call during which another process writes to it returns [ErrBusy].
	ReadOnly bool
	// NoBackground switches all background work off: entity links, access counts,
	// nights. Messages are still stored and found; the work is done when the file
	// is next opened without it. For looking at a file, and for bulk work. Default
	// false.
	NoBackground bool

	// Now is the memory's clock. Default time.Now. Set it to replay old
	// conversations or to test forgetting. A clock that gives the zero time is an
	// [*InvalidError] of Open; one that does so later, or panics, stands still and
	// is reported.
	Now func() time.Time
	// Location is the time zone of users without one of their own; nights are
	// local. Default time.Local.
	Location *time.Location

	// Attributes gives the attributes of every message that is published. It is
	// called once for each message, while the turn waits, and may be called from
	// several goroutines at once. An attribute that the message has itself stays.
	// One that cannot be stored ([eventbus.Attribute] has the rules) is left out and
	// reported to [Hooks].OnError. It is not called for imports. Default none.
	Attributes func(Scope) map[string]string
	// NoClaims leaves what users say outright in their own messages to nights and
	// tools. By default it is read seconds after the message was stored, without a
	// model: "I'm allergic to nuts", "I've moved to Oslo" become facts, and end
	// what they replace. What a user asks to keep for good or to forget is carried
	// out in any case. Default false.
	NoClaims bool
	// Tools are the names of the memory tools that a session has, in their order:
	// any of [tools.Names]. Default [tools.Defaults], followed by those for core
	// memory if a model may write one of CoreMemory.Blocks.
	Tools []string
	// InternalTools names tools of agents that the host trusts
	// ([eventbus.OriginToolInternal]) where the Memory or the Callbacks report
	// their answers; ebb's own need not be named. The answer of any other tool has
	// trust 1, and so has what an agent answers after it. Default none.
	InternalTools []string

	// Hooks report what happens in the background. Default none.
	Hooks Hooks

	// coreToldOnly leaves out of the core section what was only said.
	coreToldOnly bool
	// onlyForms keeps no sentences of users that only likely last.
	onlyForms bool

	invalid error // of the options of the profile that made it; Open returns it
}

// EmbeddingConfig is how vectors of texts are made.
type EmbeddingConfig struct {
	// Embedder makes vectors in the background, seconds after a message was
	// stored; publishing never waits for it. A search asks it for the query's
	// vector and goes on without after 300 ms. Default none: search is by text.
	Embedder embeddings.Embedder
	// Model is the name that vectors are kept under. Another name makes new vectors
	// of everything beside the old, which serve until the new are complete. Default
	// the Go type of Embedder. That is the same for all models wrapped by
	// embeddings.NewEmbedder, for which Model is required.
	Model string
	// Dims keeps the first so many numbers of each vector, for models trained for
	// it (Matryoshka), such as text-embedding-3-large cut to 256. Default 0: all.
	Dims int
	// CallsPerMinute bounds the calls that embed stored texts. Default 0: no bound.
	CallsPerMinute int
}

// CoreMemoryConfig is what stands at the head of every context: the core section,
// which is what the user has said of themselves and has not taken back, in their
// own words ([Extension.Profile]), and blocks that the host describes.
type CoreMemoryConfig struct {
	// ProfileTokens is the most tokens that the core section may take. Where more is
	// known, the question chooses. It is beside Injection.Tokens; where there are
	// Blocks, within BlockTokens. Default 400; below 0 there is no core section.
	ProfileTokens int
	// OwnAffairsTokens is the most tokens that the core section may take when the
	// user asks about their own affairs ("Shall I order the pizza?"), as far as it
	// and the memories found stay within ProfileTokens and Injection.Tokens
	// together. Default all of that; ProfileTokens or less changes nothing for such
	// questions.
	OwnAffairsTokens int
	// Blocks are texts of the user, or of one agent of the user, in this order, with
	// a history. A host writes them by [Extension.SetBlock], and a model by its tools
	// as far as each block lets it. What a model writes in a conversation that has
	// seen untrusted text waits for the host's approval, unless Injection.Untrusted is
	// set; what reads like an instruction and is not the user's own is refused.
	// Default none.
	Blocks []BlockSpec
	// BlockTokens is the most tokens that the blocks may take, with the fence around
	// them, estimated without a vocabulary. What does not fit is cut from the last
	// block on, with a mark that says so: of a text its end, of a list its oldest
	// entries. Default 10,000.
	BlockTokens int
	// WriteGate decides on a change of a block that a model asks for with a tool: it
	// is made, it waits for the host ([Extension.Proposals]), or it is refused; the
	// model and the host get the reason. It is called after the block's own rules and
	// can only be stricter. It must be quick and safe for concurrent use, and may be
	// called twice for one change. It is not called for insights that a night adds to
	// a list of lessons ([consolidate.Reflect]). Default none: the block decides
	// ([BlockSpec.Writer]).
	WriteGate func(ctx context.Context, w BlockWrite) (v Verdict, reason string)
}

// InjectionConfig is which memories are put before a model for a question.
type InjectionConfig struct {
	// Limit is how many memories there are at most, beside the core section. Default
	// 30.
	Limit int
	// Tokens is the most tokens they may take together with the fence around them,
	// estimated without a vocabulary. Default 1200.
	Tokens int
	// Order is the order of the sessions they are from. Default [NewestFirst].
	Order InjectOrder
	// MinRelevance is the relevance of an answer ([recall.Answer].Relevance, 0–1)
	// from which anything is injected, so that a question about something else brings
	// nothing. Raise it to be stricter; below 0 injects for every question. Default
	// 0.6.
	MinRelevance float64
	// MinResultRelevance is the relevance of a result ([recall.Result].Relevance, 0–1)
	// from which it is shown. Default 0.018: where ten memories may answer, each of
	// the last ones does with a few percent.
	MinResultRelevance float64
	// FullTextRelevance is the relevance of a result from which its whole text is
	// shown, and not one line of it. Default 0.12.
	FullTextRelevance float64
	// Untrusted allows untrusted memories ([Record.Hearsay]: tools' answers, pages,
	// and assistants' words about them) to be injected automatically, as far as
	// nothing in them reads like an instruction. What a page said once can then
	// influence every later conversation. Default false: a model finds them with
	// search_memory.
	Untrusted bool
	// Diversity is the weight of dissimilarity to what is injected already
	// ([recall.Query].Diversity), at most 1; below 0 it is off. Default 0.2.
	Diversity float64
	// Skip reports texts that nothing is searched for. Default [IsSmallTalk]:
	// greetings, thanks, agreement.
	Skip func(text string) bool
}

// RankingConfig is how results are ordered, and how memories fade.
type RankingConfig struct {
	// Weights of the ranker. Default [recall.DefaultWeights].
	Weights *recall.Weights
	// Scorer gives the score that results are ordered by, from the ranker's, age,
	// importance and attributes. Default nil: the ranker's.
	Scorer Scorer
	// CandidateFactor is how many candidates Scorer scores for each requested result:
	// the most relevant. With 1, relevance selects the results and Scorer orders them;
	// with ½, it orders first the better half of them. Default 0: 200 candidates in all.
	CandidateFactor float64
	// Retention says how derived memories fade, in the ranking and at night.
	// Default nil: [recall.DefaultRetention], by which what the user said of standing
	// things stays. [DocumentRetention] lets all fade.
	Retention RetentionPolicy
	// Appraise rates messages that were published without an importance, 0–1, by what is
	// remembered and said before them, instead of Rater, and has them labelled by the
	// emotion of their words ([appraise.Cognitive]). Default nil: Rater does.
	Appraise appraise.Func
	// Planner takes questions apart before they are searched for
	// ([planner.Cognitive]). Default nil: none is.
	Planner planner.Func
	// Rater gives the importance of a message that was published without one, from 1
	// (mundane) to 10 (crucial), seconds after it was stored and without a model. Its
	// argument has speaker, text, time, labels and trust; a rating outside the scale
	// counts as the nearer end. It must be safe for concurrent use. Default nil: by
	// length and a few words ([enrich.Importance]).
	Rater func(m *Record) float64
}

// NightConfig is the consolidation at night, once for every local day of a user.
type NightConfig struct {
	// NoSchedule switches the internal schedule off, for hosts that call
	// [Extension.Consolidate] or [Extension.RunDueNights] themselves. Default false.
	NoSchedule bool
	// Time is the local time, "HH:MM", at which a night is due. Default "01:00".
	Time string
	// Budget bounds what one night may ask of Config.Model. What does not fit waits
	// for the next night, oldest first. Default 500 calls and one hour.
	Budget ask.Budget
	// Prices of a million tokens of Config.Model, for the costs in reports and for
	// Budget.Cost. Default zero: costs are not known.
	Prices ask.Prices
	// ModelTimeout is how long one call of Config.Model may take. Default
	// [ask.DefaultCallTimeout].
	ModelTimeout time.Duration
	// Stages returns the stages of a night, given the default ones. Open calls it
	// once. Default nil: [consolidate.DefaultStages].
	Stages func(defaults []consolidate.Stage) []consolidate.Stage
}

// Hooks are called synchronously and must return quickly. Nil ones are
// skipped. One that panics ends nothing: it is reported, as source "hook" and
// its name. They may be called from several goroutines at once.
type Hooks struct {
	// OnError gets every fault that did not become a returned error, since memory
	// never breaks a turn: source is "memory", "callbacks" or
	// "model" for the front doors, "tool" and its name, "consumer:" and its
	// name, "attributes" for what Config.Attributes says, "embed", "night",
	// "commit", "checkpoint", "mark" or "merge" for the file itself (see
	// [schema.DB.Faults]), and "file" for a [*Loss]. Texts of users are not part
	// of the error. Default: the first of each is logged by log/slog.
	OnError func(source string, err error)
	// OnRecall gets what was put before a model, and the source that did it:
	// "memory", "model" or "tool".
	OnRecall func(scope schema.Scope, door string, answer *recall.Answer)
	// OnProposal gets everything that waits for a person to decide, once it
	// is stored: [Extension.Proposals] and [Extension.Confirmations] list it.
	OnProposal func(scope schema.Scope, waiting eventbus.Proposed)
	// OnProgress gets how far a night has got: before each stage, as a stage
	// gets on, and once at the end.
	OnProgress func(consolidate.Progress)
}

// Defaults of [Config].
const (
	DefaultProfileTokens      = 400
	DefaultBlockTokens        = 10_000
	DefaultInjectionLimit     = 30
	DefaultInjectionTokens    = 1200
	DefaultMinRelevance       = 0.6
	DefaultMinResultRelevance = 0.018
	DefaultFullTextRelevance  = 0.12
	DefaultNightTime          = "01:00"
)

// leastBlockTokens is what the mark of a block that is cut whole may take, and
// the fence.
const leastBlockTokens = 100

// leastCoreTokens is what the core section's title and a short line take.
const leastCoreTokens = 40

// WithDefaults is the configuration with its defaults filled in; c may be nil.
//
// Errors: [*InvalidError] naming the field.
func (c *Config) WithDefaults() (Config, error) {
	var cfg Config
	if c != nil {
		cfg = *c
	}
	cfg.fill()
	return cfg, cfg.validate()
}

// fill sets what was left to its default.
func (cfg *Config) fill() {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Location == nil {
		cfg.Location = time.Local
	}
	if cfg.CoreMemory.ProfileTokens == 0 {
		cfg.CoreMemory.ProfileTokens = DefaultProfileTokens
	}
	if cfg.Injection.Limit == 0 {
		cfg.Injection.Limit = DefaultInjectionLimit
	}
	if cfg.Injection.Tokens == 0 {
		cfg.Injection.Tokens = DefaultInjectionTokens
	}
	if cfg.CoreMemory.OwnAffairsTokens == 0 {
		cfg.CoreMemory.OwnAffairsTokens = max(0, cfg.CoreMemory.ProfileTokens) + cfg.Injection.Tokens
	}
	if cfg.CoreMemory.BlockTokens == 0 {
		cfg.CoreMemory.BlockTokens = DefaultBlockTokens
	}
	if cfg.Injection.Order == "" {
		cfg.Injection.Order = NewestFirst
	}
	if cfg.Injection.MinRelevance == 0 {
		cfg.Injection.MinRelevance = DefaultMinRelevance
	}
	if cfg.Injection.MinResultRelevance == 0 {
		cfg.Injection.MinResultRelevance = DefaultMinResultRelevance
	}
	if cfg.Injection.MinRelevance < 0 {
		cfg.Injection.MinResultRelevance = cfg.Injection.MinRelevance
	}
	cfg.Injection.Diversity = cmp.Or(cfg.Injection.Diversity, 0.2)
	if cfg.Injection.FullTextRelevance == 0 {
		cfg.Injection.FullTextRelevance = max(DefaultFullTextRelevance, cfg.Injection.MinResultRelevance)
	}
	if cfg.Injection.Skip == nil {
		cfg.Injection.Skip = IsSmallTalk
	}
	if cfg.Night.Time == "" {
		cfg.Night.Time = DefaultNightTime
	}
	if cfg.ReadOnly {
		cfg.NoBackground = true
	}
	if cfg.Hooks.OnError == nil {
		cfg.Hooks.OnError = memory.LogOnce()
	}
	if cfg.Hooks.OnRecall == nil {
		cfg.Hooks.OnRecall = func(schema.Scope, string, *recall.Answer) {}
	}
	if cfg.Hooks.OnProposal == nil {
		cfg.Hooks.OnProposal = func(schema.Scope, eventbus.Proposed) {}
	}
	if cfg.Hooks.OnProgress == nil {
		cfg.Hooks.OnProgress = func(consolidate.Progress) {}
	}
}

func (c *Config) validate() error {
	switch {
	case c.invalid != nil:
		return c.invalid
	case c.Injection.Limit < 0 || c.Injection.Limit > recall.MaxLimit:
		return &schema.InvalidError{Field: "Config.Injection.Limit", Reason: "must be from 1 to 1000 (0 means 30)"}
	case c.CoreMemory.ProfileTokens > 0 && c.CoreMemory.ProfileTokens < leastCoreTokens:
		return &schema.InvalidError{Field: "Config.CoreMemory.ProfileTokens", Reason: fmt.Sprintf("must be at least %d, or negative for none (0 means 400)", leastCoreTokens)}
	case c.CoreMemory.OwnAffairsTokens < 0:
		return &schema.InvalidError{Field: "Config.CoreMemory.OwnAffairsTokens", Reason: "must not be negative (0 means ProfileTokens and Injection.Tokens together)"}
	case c.Injection.Tokens < 0:
		return &schema.InvalidError{Field: "Config.Injection.Tokens", Reason: "must not be negative (0 means 1200)"}
	case c.CoreMemory.BlockTokens < leastBlockTokens*(1+len(c.CoreMemory.Blocks)):
		return &schema.InvalidError{Field: "Config.CoreMemory.BlockTokens", Reason: fmt.Sprintf("must be at least %d for so many blocks, of each of which there is at least a mark (0 means 10,000)", leastBlockTokens*(1+len(c.CoreMemory.Blocks)))}
	case c.Injection.Order != NewestFirst && c.Injection.Order != BestFirst:
		return &schema.InvalidError{Field: "Config.Injection.Order", Reason: `must be "newest" or "best"`}
	case !(c.Injection.MinRelevance <= 1):
		return &schema.InvalidError{Field: "Config.Injection.MinRelevance", Reason: "must be at most 1 (0 means 0.6, below 0 lets everything through)"}
	case !(c.Injection.MinResultRelevance <= 1):
		return &schema.InvalidError{Field: "Config.Injection.MinResultRelevance", Reason: "must be at most 1 (0 means 0.018)"}
	case !(c.Injection.FullTextRelevance <= 1) || c.Injection.FullTextRelevance < c.Injection.MinResultRelevance:
		return &schema.InvalidError{Field: "Config.Injection.FullTextRelevance", Reason: "must be from MinResultRelevance to 1 (0 means 0.12)"}
	case len(c.unknownTools()) > 0:
		return &schema.InvalidError{Field: "Config.Tools", Reason: fmt.Sprintf("names %q, which is no tool, or names it twice; there are %s", c.unknownTools()[0], strings.Join(tools.Names(), ", "))}
	case c.Ranking.CandidateFactor != 0 && !(c.Ranking.CandidateFactor > 0 && c.Ranking.CandidateFactor <= recall.MaxLimit):
		return &schema.InvalidError{Field: "Config.Ranking.CandidateFactor", Reason: "must be above 0 and at most 1000 (0 means 200 in all)"}
	case !(c.Injection.Diversity <= 1):
		return &schema.InvalidError{Field: "Config.Injection.Diversity", Reason: "must be at most 1 (0 means 0.2, below 0 turns it off)"}
	case c.Night.ModelTimeout < 0:
		return &schema.InvalidError{Field: "Config.Night.ModelTimeout", Reason: "must not be negative (0 means two minutes)"}
	case !(c.Night.Prices.Input >= 0) || !(c.Night.Prices.Output >= 0):
		return &schema.InvalidError{Field: "Config.Night.Prices", Reason: "must not be negative"}
	case math.IsNaN(c.Night.Budget.Cost):
		return &schema.InvalidError{Field: "Config.Night.Budget.Cost", Reason: "is not a number"}
	case c.Night.Budget.Cost > 0 && c.Night.Prices == (ask.Prices{}):
		return &schema.InvalidError{Field: "Config.Night.Budget.Cost", Reason: "bounds nothing without Config.Night.Prices; give what a million tokens cost"}
	}
	if err := core.ValidBlocks(c.CoreMemory.Blocks); err != nil {
		return err
	}
	if _, err := time.Parse("15:04", c.Night.Time); err != nil {
		return &schema.InvalidError{Field: "Config.Night.Time", Reason: `must be a time of day such as "01:00"`}
	}
	return nil
}

// unknownTools are the names in Tools that make none.
func (c *Config) unknownTools() (unknown []string) {
	for i, name := range c.Tools {
		if !slices.Contains(tools.Names(), name) || slices.Contains(c.Tools[:i], name) {
			unknown = append(unknown, name)
		}
	}
	return unknown
}
