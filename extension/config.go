package extension

import (
	"cmp"
	"context"
	"errors"
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
	"github.com/ebbmem/ebb/recall/reconcile"
	"github.com/ebbmem/ebb/recall/stores"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/core"
	"github.com/ebbmem/ebb/tools"
)

// Config configures a memory. The zero value, and nil, suit most hosts: no model,
// no key, no network. If a function of the config panics, the panic is recovered
// and reported to [Hooks].OnError, and the function's default applies or the call
// that needed it returns an error.
type Config struct {
	// Model is called at night to consolidate memories, never during a turn.
	// Default nil: nights run only what needs no model.
	Model llms.Model
	// Embedding configures vectors of texts. Default: no vectors; search is by
	// text.
	Embedding EmbeddingConfig
	// CoreMemory configures the text at the head of every context.
	CoreMemory CoreMemoryConfig
	// Injection configures which memories are injected into prompts.
	Injection InjectionConfig
	// Ranking configures the order of results and forgetting.
	Ranking RankingConfig
	// Night configures the nightly consolidation.
	Night NightConfig

	// Key encrypts the file at rest: the file, its log and every backup. Create it
	// with [NewKey] and keep it; without it the data is lost. Encryption hides
	// neither the file's size nor when it changes, and does not detect pages
	// replaced by older versions of themselves. Default: no encryption.
	Key Key
	// Redaction configures what is removed from texts before they are written.
	// Default: secrets.
	Redaction Redaction
	// ReadOnly opens the file for reading only and implies NoBackground. Turns get
	// memories, and are not stored. If no file
	// can be created in its folder and its log is empty, the file is read without
	// locks; calls during which another process writes to it then return [ErrBusy].
	ReadOnly bool
	// NoBackground disables background work: claims, entity links, access counts,
	// nights. Messages are still stored and found, and the work is done when the
	// file is next opened without NoBackground. Use it for inspection and bulk
	// work. Default false.
	NoBackground bool

	// Now is the memory's clock. Set it to replay old conversations or to test
	// forgetting. If it returns the zero time, Open fails with an [*InvalidError];
	// if it does so later, or panics, the fault is reported and the last valid time
	// used. Default time.Now.
	Now func() time.Time
	// Location is the time zone of users without one of their own
	// ([Extension.SetTimeZone]); it decides when nights take place. Default time.Local.
	Location *time.Location

	// Attributes returns the attributes of a message that is published in a scope.
	// It is called once for each message, while the turn waits, possibly by several
	// goroutines at once. Attributes the message already has are kept. Invalid ones
	// (see [eventbus.Attribute]) are left out and reported to [Hooks].OnError. It
	// is not called for imports. Default nil.
	Attributes func(Scope) map[string]string
	// NoClaims disables the extraction of claims from users' own messages, so that
	// only nights and tools store facts. By default, seconds after a message is
	// stored and without a model, statements such as "I'm allergic to nuts" or
	// "I've moved to Oslo" become facts and supersede those they contradict.
	// Requests to keep or forget something are carried out in any case. Default
	// false.
	NoClaims bool
	// Stores are the stores of memories ([FourStores]), each with a weight and rules.
	// With them remember_fact takes a store. Default none.
	Stores []StoreSpec
	// Tools configures the tools of agents.
	Tools ToolsConfig

	// Hooks report faults, what was recalled, and what happens in the background.
	// Default none.
	Hooks Hooks

	// coreStoredOnly excludes claims extracted from messages from the core section.
	coreStoredOnly bool
	// onlyForms extracts only statements of a known form, not sentences that are
	// merely likely to stay true.
	onlyForms bool
	curve     stores.Curve // how the memories of Stores fade
	persuade  bool         // see [FourStoresOptions]

	usualLimit bool // Injection.Limit was not set

	invalid error // set by a profile with invalid options; Open returns it
}

// EmbeddingConfig configures vectors of texts.
type EmbeddingConfig struct {
	// Embedder makes vectors in the background, seconds after a message was stored;
	// publishing never waits for it. A search waits for the query's vector for
	// QueryTimeout and continues without it. Default nil: search is by text.
	Embedder embeddings.Embedder
	// Model is the name under which vectors are stored. If it changes, everything
	// is embedded again, and until that is complete searches go without vectors
	// ([recall.Answer].Degraded). All processes on a memory use the same Model.
	// Default: what Embedder's method ID() string returns, as encoder.Encoder has
	// one, else the Go type of Embedder. Model is required for langchaingo's
	// embedders, whose types are the same for every model.
	Model string
	// Dims truncates each vector to its first Dims numbers, for models trained for
	// it (Matryoshka), such as text-embedding-3-large cut to 256. Default 0: no
	// truncation.
	Dims int
	// CallsPerMinute bounds the calls that embed stored texts. Default 0:
	// unbounded.
	CallsPerMinute int
	// QueryTimeout is how long a search waits for the query's vector. Raise it for a
	// remote model that takes longer. Default 0: 300 ms.
	QueryTimeout time.Duration
}

// CoreMemoryConfig configures the text at the head of every context: the core
// section, which quotes the user's own statements that still hold
// ([Extension.Profile]), and blocks that the host describes.
type CoreMemoryConfig struct {
	// ProfileTokens bounds the core section. If more is known, lines are selected
	// by their relevance to the question. It is in addition to Injection.Tokens,
	// and part of BlockTokens if there are Blocks. A question that is certainly about
	// something else gets seven tenths of it. Default 400; below 0 there is no core
	// section.
	ProfileTokens int
	// OwnAffairsTokens bounds the core section and the memories found together for
	// questions about the user's own affairs ("Shall I order the pizza?"). Default
	// ten thirds of Injection.Tokens, 4000. A value of at most ProfileTokens has no effect.
	OwnAffairsTokens int
	// Blocks describes texts with a history, each of a user or of one agent of a
	// user, in the order of the prompt. The host writes them with
	// [Extension.SetBlock], models with tools as far as each block allows. If a
	// conversation has seen untrusted text, its model's changes wait for the host's
	// approval, unless Injection.Untrusted is set. Text that reads like an
	// instruction and is not the user's own is refused. Default none.
	Blocks []BlockSpec
	// Working keeps in the contexts of a conversation, whatever is asked next, what was
	// shown in its last half hour, at most nine memories ([cognitive.WorkingSet]). They
	// come after what is found for a question, within Injection.Limit and Tokens; small
	// talk and questions of general knowledge, for which nothing is searched, get none.
	// Default false.
	Working bool
	// Always chooses memories that stand before those, for the same questions, such as what
	// has proved itself ([cognitive.IsHot]); chosen again every five minutes. Default none.
	Always []ContextRule
	// BlockTokens bounds the blocks including the fence, estimated without a
	// tokenizer's vocabulary. What exceeds it is cut, starting with the last block,
	// and marked: text loses its end, lists their oldest entries. Default 10,000.
	BlockTokens int
	// WriteGate decides on a model's tool call that changes a block: the change is
	// made, waits for the host ([Extension.Proposals]), or is refused; the reason
	// is passed on. It is called after the block's own rules, which it can only
	// tighten. It must be quick and safe for concurrent use, and may be called
	// twice for one change. It is not called for insights that a night adds to a
	// list of lessons ([consolidate.Reflect]). Default nil: the block's rules
	// decide ([BlockSpec.Writer]).
	WriteGate func(ctx context.Context, w BlockWrite) (v Verdict, reason string)
}

// InjectionConfig configures which memories are injected for a question.
type InjectionConfig struct {
	// Limit is the maximum number of memories, not counting the core section.
	// Default 30, or 12 for a question about a period of time or about the user in
	// general.
	Limit int
	// Tokens bounds the memories including the fence, estimated without a
	// tokenizer's vocabulary. Default 1200.
	Tokens int
	// MinRelevance is the minimum relevance of an answer
	// ([recall.Answer].Relevance, 0–1) for anything to be injected, so that
	// unrelated questions get nothing. Below 0 every question gets memories.
	// Default 0.6.
	MinRelevance float64
	// MinResultRelevance is the minimum relevance of an injected result
	// ([recall.Result].Relevance, 0–1), and as much more as it is longer than 28
	// tokens. Default 0.012: if ten memories may answer a question, the last ones have
	// a relevance of a few percent.
	MinResultRelevance float64
	// FullRelevance is the relevance below which a memory's text is cut to 40 tokens.
	// Default 0: none is.
	FullRelevance float64
	// ItemTokens bounds the text of one memory: of a longer one, the sentences are
	// shown that bear on the question. Default 100.
	ItemTokens int
	// Untrusted allows untrusted memories ([Record.Untrusted]: output of tools, web
	// pages, and assistants' statements based on them) to be injected automatically
	// unless they read like an instruction. A web page read once can then influence
	// every later conversation. Default false: models find them with search_memory
	// only.
	Untrusted bool
	// Diversity is the weight of dissimilarity to memories already selected
	// ([recall.Query].Diversity), at most 1; below 0 it is off. Default 0.2.
	Diversity float64
	// Skip reports whether to skip the search for a text. Default [IsSmallTalk]:
	// greetings, thanks, agreement.
	Skip func(text string) bool
}

// RankingConfig configures the order of results and how memories fade.
type RankingConfig struct {
	// Weights of the ranker. Default [recall.DefaultWeights].
	Weights *recall.Weights
	// Scorer computes the score that orders results from the ranker's score, age,
	// importance and attributes. Default nil: the ranker's score.
	Scorer recall.Scorer
	// CandidateFactor is the number of candidates, the most relevant ones, that
	// Scorer scores for each requested result. With 1, relevance selects the
	// results and Scorer orders them; with ½, Scorer orders the better half first.
	// Default 0: 200 candidates in all.
	CandidateFactor float64
	// Rerank reorders the best results of a search, such as by a cross-encoder.
	// Every search and every turn waits for it. Default nil.
	Rerank recall.Reranker
	// Retention is how derived memories fade, in the ranking and at night. Default
	// nil: [retention.Default], with which the user's lasting statements do
	// not fade. With [DocumentRetention] all memories fade.
	Retention RetentionPolicy
	// Appraise rates messages that were published without an importance, 0–1, from
	// earlier messages and memories, and labels the emotion of their words
	// ([appraise.Cognitive]). It replaces Rater. Default nil: Rater is used.
	Appraise appraise.Func
	// Planner decomposes questions before the search ([planner.Cognitive]). Default
	// nil: questions are not decomposed.
	Planner planner.Func
	// Reconcile decides what becomes of a new claim of a tool or of a night that is
	// like a known one ([reconcile.Cognitive]). Default nil: it is stored.
	Reconcile reconcile.Func
	// Rater rates the importance of a message that was published without one, from
	// 1 (mundane) to 10 (crucial), seconds after it was stored. Its argument has
	// speaker, text, time, labels and trust. Ratings are clamped. It must be safe
	// for concurrent use. Default nil: by length and keywords
	// ([enrich.Importance]).
	Rater func(m *Record) float64
}

// NightConfig configures the consolidation, which runs once for every local day of
// a user.
type NightConfig struct {
	// NoSchedule disables the internal schedule, for hosts that call
	// [Extension.Consolidate] or [Extension.RunDueNights] themselves. Default
	// false.
	NoSchedule bool
	// Time is the local time, "HH:MM", from which a night is due. Default "01:00".
	Time string
	// Budget bounds one night's calls to Config.Model, over all attempts. Work that exceeds it waits
	// for the next night, oldest first. Default 500 calls and one hour.
	Budget ask.Budget
	// Prices are those of a million tokens of Config.Model, for the costs in
	// reports and for Budget.Cost. Default zero: costs are unknown.
	Prices ask.Prices
	// ModelTimeout is the timeout of one call of Config.Model. Default
	// [ask.DefaultCallTimeout].
	ModelTimeout time.Duration
	// Stages returns the stages of a night, given the default ones. Open calls it
	// once. Default nil: [consolidate.DefaultStages].
	Stages func(defaults []consolidate.Stage) []consolidate.Stage
}

// ToolsConfig configures the tools of agents: ebb's own, and those that the host trusts.
type ToolsConfig struct {
	// Names are the memory tools of a session, in order; see [tools.Names].
	// Default [tools.Defaults], followed by those for core memory if a model may
	// write one of CoreMemory.Blocks.
	Names []string
	// MainAgent is the [Scope].Agent whose tools write directly. All agents of a user
	// read everything; what the tools of the others would save or change are
	// proposals, which the main agent reviews with review_proposals and the host with
	// [Extension.Proposals]. Corrections of facts are the host's alone. Default "": all
	// agents write.
	MainAgent string
	// Trusted names the agents' own tools that the host trusts
	// ([eventbus.OriginToolInternal]), however a result is reported: by the Memory, the
	// Callbacks, the wrapped model or an event of the bus without a lower trust
	// ([eventbus.Trusted]). An import trusts no tool. ebb's own tools need not be listed, nor
	// their results published. The result of any other tool has trust 1, and so has what an
	// agent answers after it; what a model saves after it without the user's words is
	// quarantined. Default none.
	Trusted []string
}

// Hooks are called synchronously and must return quickly. Nil hooks are skipped. A
// panic in a hook is recovered and reported with the source "hook" and the hook's
// name. Hooks may be called by several goroutines at once.
type Hooks struct {
	// OnError receives every fault that is not returned as an error, since memory
	// never breaks a turn. source is "memory", "callbacks" or "model"; "tool" or
	// "consumer:" with a name; "attributes" for Config.Attributes; "embed"; "erase";
	// "night"; "commit", "checkpoint", "mark", "moved" or "merge" for the file itself
	// (see [schema.DB.Faults]); or "file" for a [*Loss]. Errors contain no user texts.
	// Default: the first error of each source is logged with log/slog.
	OnError func(source string, err error)
	// OnRecall receives the results shown to a model and where: "memory", "model"
	// or "tool".
	OnRecall func(scope schema.Scope, channel string, answer *recall.Answer)
	// OnProposal receives each proposal that waits for a person to decide, after it is
	// stored; [Extension.Proposals] lists it. What is quarantined is not proposed; see
	// [Extension.Quarantined].
	OnProposal func(scope schema.Scope, waiting eventbus.Proposed)
	// OnCritical is called after a change of a block with [BlockSpec].Critical, by
	// whomever. Default none.
	OnCritical func(scope schema.Scope, change CriticalChange)
	// OnProgress receives a night's progress: before each stage, during stages, and
	// at the end.
	OnProgress func(consolidate.Progress)
	// OnOperation is called when something is published, searched for or put before
	// a model, and when a night or a tool runs; see package telemetry. Default none,
	// which costs nothing.
	OnOperation schema.Observer
}

// Defaults of [Config].
const (
	DefaultProfileTokens      = 400
	DefaultBlockTokens        = 10_000
	DefaultInjectionLimit     = 30
	DefaultInjectionTokens    = 1200
	DefaultMinRelevance       = 0.6
	DefaultMinResultRelevance = 0.012
	DefaultItemTokens         = 100
	DefaultNightTime          = "01:00"
)

// leastBlockTokens is enough for the fence or for the mark of a block that is cut
// entirely.
const leastBlockTokens = 100

// leastCoreTokens is enough for the core section's title and a short line.
const leastCoreTokens = 40

// WithDefaults returns c with its defaults filled in. c may be nil.
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

// fill sets unset fields to their defaults.
func (cfg *Config) fill() {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	cfg.Location = cmp.Or(cfg.Location, time.Local)
	cfg.CoreMemory.ProfileTokens = cmp.Or(cfg.CoreMemory.ProfileTokens, DefaultProfileTokens)
	cfg.usualLimit = cfg.usualLimit || cfg.Injection.Limit == 0
	cfg.Injection.Limit = cmp.Or(cfg.Injection.Limit, DefaultInjectionLimit)
	cfg.Injection.Tokens = cmp.Or(cfg.Injection.Tokens, DefaultInjectionTokens)
	cfg.CoreMemory.OwnAffairsTokens = cmp.Or(cfg.CoreMemory.OwnAffairsTokens, 10*cfg.Injection.Tokens/3)
	cfg.CoreMemory.BlockTokens = cmp.Or(cfg.CoreMemory.BlockTokens, DefaultBlockTokens)
	cfg.Injection.MinRelevance = cmp.Or(cfg.Injection.MinRelevance, DefaultMinRelevance)
	cfg.Injection.MinResultRelevance = cmp.Or(cfg.Injection.MinResultRelevance, DefaultMinResultRelevance)
	if cfg.Injection.MinRelevance < 0 {
		cfg.Injection.MinResultRelevance = cfg.Injection.MinRelevance
	}
	cfg.Injection.Diversity = cmp.Or(cfg.Injection.Diversity, 0.2)
	cfg.Injection.ItemTokens = cmp.Or(cfg.Injection.ItemTokens, DefaultItemTokens)
	if cfg.Injection.Skip == nil {
		cfg.Injection.Skip = IsSmallTalk
	}
	cfg.Night.Time = cmp.Or(cfg.Night.Time, DefaultNightTime)
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
		return &schema.InvalidError{Field: "Config.CoreMemory.OwnAffairsTokens", Reason: "must not be negative (0 means 10/3 of Injection.Tokens)"}
	case c.Injection.Tokens < 0:
		return &schema.InvalidError{Field: "Config.Injection.Tokens", Reason: "must not be negative (0 means 1200)"}
	case c.CoreMemory.BlockTokens < leastBlockTokens*(1+len(c.CoreMemory.Blocks)):
		return &schema.InvalidError{Field: "Config.CoreMemory.BlockTokens", Reason: fmt.Sprintf("must be at least %d for so many blocks, of each of which there is at least a mark (0 means 10,000)", leastBlockTokens*(1+len(c.CoreMemory.Blocks)))}
	case !(c.Injection.MinRelevance <= 1):
		return &schema.InvalidError{Field: "Config.Injection.MinRelevance", Reason: "must be at most 1 (0 means 0.6, below 0 lets everything through)"}
	case !(c.Injection.MinResultRelevance <= 1):
		return &schema.InvalidError{Field: "Config.Injection.MinResultRelevance", Reason: "must be at most 1 (0 means 0.012)"}
	case !(c.Injection.FullRelevance <= 1):
		return &schema.InvalidError{Field: "Config.Injection.FullRelevance", Reason: "must be at most 1 (0 means none)"}
	case c.Injection.ItemTokens < 20:
		return &schema.InvalidError{Field: "Config.Injection.ItemTokens", Reason: "must be at least 20 (0 means 100)"}
	case len(c.unknownTools()) > 0:
		return &schema.InvalidError{Field: "Config.Tools.Names", Reason: fmt.Sprintf("names %q, which is no tool, or names it twice; there are %s", c.unknownTools()[0], strings.Join(tools.Names(), ", "))}
	case c.Ranking.CandidateFactor != 0 && !(c.Ranking.CandidateFactor > 0 && c.Ranking.CandidateFactor <= recall.MaxLimit):
		return &schema.InvalidError{Field: "Config.Ranking.CandidateFactor", Reason: "must be above 0 and at most 1000 (0 means 200 in all)"}
	case !(c.Injection.Diversity <= 1):
		return &schema.InvalidError{Field: "Config.Injection.Diversity", Reason: "must be at most 1 (0 means 0.2, below 0 turns it off)"}
	case c.Embedding.QueryTimeout < 0:
		return &schema.InvalidError{Field: "Config.Embedding.QueryTimeout", Reason: "must not be negative (0 means 300 ms)"}
	case c.Embedding.Embedder == nil && c.Embedding != EmbeddingConfig{}:
		return &schema.InvalidError{Field: "Config.Embedding.Embedder", Reason: "is nil, so the other fields have no effect; set it, or none of them"}
	case c.Night.ModelTimeout < 0:
		return &schema.InvalidError{Field: "Config.Night.ModelTimeout", Reason: "must not be negative (0 means two minutes)"}
	case !(c.Night.Prices.Input >= 0) || !(c.Night.Prices.Output >= 0):
		return &schema.InvalidError{Field: "Config.Night.Prices", Reason: "must not be negative"}
	case math.IsNaN(c.Night.Budget.Cost):
		return &schema.InvalidError{Field: "Config.Night.Budget.Cost", Reason: "is not a number"}
	case c.Night.Budget.Cost > 0 && c.Night.Prices == (ask.Prices{}):
		return &schema.InvalidError{Field: "Config.Night.Budget.Cost", Reason: "bounds nothing without Config.Night.Prices; give what a million tokens cost"}
	}
	if err := errors.Join(core.ValidBlocks(c.CoreMemory.Blocks), stores.Set(c.Stores).Validate()); err != nil {
		return err
	}
	if _, err := time.Parse("15:04", c.Night.Time); err != nil {
		return &schema.InvalidError{Field: "Config.Night.Time", Reason: `must be a time of day such as "01:00"`}
	}
	return nil
}

// unknownTools returns the entries of Tools.Names that name no tool or repeat one.
func (c *Config) unknownTools() (unknown []string) {
	for i, name := range c.Tools.Names {
		if !slices.Contains(tools.Names(), name) || slices.Contains(c.Tools.Names[:i], name) {
			unknown = append(unknown, name)
		}
	}
	return unknown
}
