package extension

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/tmc/langchaingo/embeddings"
	"github.com/tmc/langchaingo/llms"

	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/recall"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/tools"
)

// Config says how a memory works. The zero value, and nil, are right for most
// hosts: no model, no key, no network. A function of it that panics ends nothing:
// it is reported like a hook that does, and what it should have said is by default,
// or the error of the call that needed it.
type Config struct {
	// Model is asked at night, when memories are consolidated, and never while
	// a turn waits. Default none: nights do what needs no model.
	Model llms.Model
	// Embedder makes vectors in the background, seconds after a message was
	// stored; publishing never waits for it. A search asks it for the query's
	// vector and goes on without after 300 ms. Default none: search is by text.
	Embedder embeddings.Embedder
	// EmbedModel is the name vectors are kept under. Another name makes new
	// vectors of everything beside the old, which serve until the new are
	// complete. Default the embedder's Go type. That is the same for all models
	// behind embeddings.NewEmbedder, with which it is required.
	EmbedModel string
	// EmbedDims keeps the first so many numbers of each vector, for models
	// trained for it (Matryoshka), such as text-embedding-3-large cut to 256.
	// Default 0: all of them.
	EmbedDims int
	// EmbedCallsPerMinute bounds the calls that embed what was stored. Default
	// 0: no bound.
	EmbedCallsPerMinute int

	// Key encrypts the file at rest: a new file, its log and every copy of it.
	// [NewKey] makes one; keep it, since without it nothing can be read again.
	// It says nothing about the file's size and about when it changes, and it
	// does not notice pages that somebody put back or exchanged. Default none:
	// files are plain.
	Key Key

	// Now is the memory's clock. Default time.Now. Give one to replay old
	// conversations or to test forgetting. One that gives the zero time is an
	// [*InvalidError] of Open; one that does so later, or panics, stands still and is
	// reported.
	Now func() time.Time
	// Location is the time zone of users who have none of their own; nights
	// are local. Default time.Local.
	Location *time.Location

	// CoreTokens is the most tokens that the core section may take: what the user
	// has said of themselves and has not taken back, in their own words, at the
	// head of every context ([Extension.Profile]). Of more, the question chooses.
	// It is beside InjectTokens; where there are Blocks, within BlockTokens. Default
	// 400; below 0 there is none.
	CoreTokens int
	// InjectLimit is how many memories are put before a model at most, beside the
	// core section. Default 30.
	InjectLimit int
	// InjectTokens is the most tokens they may take together with the fence
	// around them, estimated without a vocabulary. Default 1200.
	InjectTokens int
	// InjectOrder is the order of the sessions they are from. Default
	// [NewestFirst].
	InjectOrder InjectOrder
	// InjectMaybe is the relevance of an answer ([recall.Answer].Relevance, 0–1)
	// from which anything is put before a model, so that a question about
	// something else brings nothing. Raise it to be stricter; below 0 lets
	// everything through. Default 0.6.
	InjectMaybe float64
	// InjectLeast is the relevance of a result ([recall.Result].Relevance, 0–1)
	// from which it is shown. Default 0.018: where ten memories may answer, each
	// of the last ones does with a few percent.
	InjectLeast float64
	// InjectSure is the relevance of a result from which it is shown whole, and
	// not in a line. Default 0.12.
	InjectSure float64
	// InjectHearsay lets what nobody vouches for ([Record.Hearsay]: tools'
	// answers, pages, and assistants' words about them) be put before a model
	// unasked, as far as nothing in it reads like an instruction. What a page
	// said once can then speak to every later conversation. Default false: a
	// model finds it with search_memory.
	InjectHearsay bool
	// SkipSearch reports texts that nothing is searched for. Default
	// [IsSmallTalk]: greetings, thanks, agreement.
	SkipSearch func(text string) bool
	// Weights of the ranker. Default [recall.DefaultWeights].
	Weights *recall.Weights
	// Scorer gives the score that results are ordered by, from the ranker's, age,
	// importance and attributes. Default nil: the ranker's.
	Scorer Scorer
	// ScoreAmong is how many memories, for each result that is wanted, Scorer
	// chooses from: the most relevant. 1, the least, leaves it to the relevance
	// which are given, and to Scorer their order. Default 0: 200 in all.
	ScoreAmong float64
	// Retention says how derived memories fade, in the ranking and at night.
	// Default nil: [recall.DefaultRetention], by which what the user said of standing
	// things stays. [DocumentRetention] lets all fade.
	Retention RetentionPolicy
	// Rater gives the importance of a message that came without one, from 1
	// (mundane) to 10 (crucial), seconds after it was stored and without a
	// model. It is given who said what and when, with its labels and trust; what
	// it gives outside the scale counts as the nearer end. It must be safe for concurrent use. Default nil: by its length and
	// a few words ([consolidate.Importance]).
	Rater func(m *Record) float64

	// Attributes gives what there is to say of every message that is published,
	// beside its text: where the agent is, say, or which cycle it is in. It is
	// asked once for each message, while the turn waits, and may be called from
	// several goroutines at once. What a message says itself under one of these
	// names stays. One that cannot be stored ([eventbus.Attribute] has the rules)
	// is left out, and Hooks.OnError is told. Imports are not asked for: what
	// they bring was said elsewhere. Default none.
	Attributes func(Scope) map[string]string

	// Blocks are the parts of core memory: texts of the user's, or of an agent's
	// of theirs, that stand at the head of every context, in this order, and have
	// a history. A host keeps them by [Extension.SetBlock], and a model by its
	// tools, as far as each lets it. What a model writes in a conversation that has
	// seen what nobody vouches for waits for the host's approval, unless
	// InjectHearsay is set; what reads like an instruction and is not the user's
	// own is refused. Default none.
	Blocks []BlockSpec
	// BlockTokens is the most tokens that they may take there, with the fence
	// around them, estimated without a vocabulary. What does not fit is cut from
	// the last block on, with a mark that says so: of a text its end, of a list
	// its oldest entries. Default 10,000.
	BlockTokens int
	// WriteGate decides what becomes of a change of core memory that a model asks
	// for with a tool: it is made, it waits for the host ([Extension.Proposals]),
	// or it is refused; the reason is told to the model and to the host. It is
	// asked after the block's own rules and can only be stricter than they are. It
	// must be quick and safe for concurrent use, and may be asked twice for one
	// change. It is not asked about insights that a night adds to a list of lessons
	// ([consolidate.Reflect]), for which the block alone decides. Default none: the
	// block decides ([BlockSpec.Writer]).
	WriteGate func(ctx context.Context, w BlockWrite) (v Verdict, reason string)
	// Tools are the names of the memory tools that a session has, in their order:
	// any of [tools.Names]. Default [tools.Defaults], and behind them those for
	// core memory if there is something in Blocks that a model may write.
	Tools []string

	// InternalTools names the tools of agents whose answers the host vouches for
	// ([eventbus.OriginToolInternal]), where the Memory or the Callbacks hear of
	// them; ebb's own need not be named. What any other tool says is of trust 1,
	// and so is what an agent answers thereafter. Default none.
	InternalTools []string

	// NoClaims leaves what users say outright in their own messages to nights and
	// tools. By default it is read seconds after the message was stored, without a
	// model: "I'm allergic to nuts", "I've moved to Oslo" become facts, and end
	// what they replace. What a user asks to keep for good or to forget is carried
	// out in any case. Default false.
	NoClaims bool

	// NoSchedule switches the internal night schedule off, for hosts that call
	// [Extension.Consolidate] themselves. Default false.
	NoSchedule bool
	// NightTime is the local time, "HH:MM", at which a night is due. Default
	// "01:00".
	NightTime string
	// Budget bounds what one night may ask of Model. What does not fit waits for
	// the next night, oldest first. Default 500 calls and one hour.
	Budget consolidate.Budget
	// Prices of a million tokens of Model, for the costs in reports and for
	// Budget.Cost. Default zero: costs are not known.
	Prices consolidate.Prices
	// ModelTimeout is how long one call of Model may take at night. Default
	// [consolidate.DefaultCallTimeout].
	ModelTimeout time.Duration
	// Stages returns the list a night goes through, given the default one: add
	// to it, leave out, or return another. It is called once, by Open. Default
	// nil: [consolidate.DefaultStages].
	Stages func(defaults []consolidate.Stage) []consolidate.Stage

	// NoBackground switches off everything that works behind the turn: entity
	// links, access counts, nights. Messages are still stored and found; what
	// waits is done when the file is next opened without it. For looking at a
	// file, and for bulk work. Default false.
	NoBackground bool
	// ReadOnly opens the file for looking only; it implies NoBackground. Where no
	// file may be made beside it, it is read without locks, if its log is empty;
	// a call during which somebody writes to it all the same is an [ErrBusy].
	ReadOnly bool

	// Redaction is what is taken out of texts before anything of them is
	// written. Default: secrets.
	Redaction Redaction

	// Hooks report what happens behind a turn. Default none.
	Hooks Hooks

	// coreToldOnly leaves out of the core section what was only said.
	coreToldOnly bool
	// onlyForms keeps no sentences of users that only likely last.
	onlyForms bool

	invalid error // of the options of the profile that made it; Open returns it
	wakeful bool  // NoSchedule, but a cycle that begins has the schedule look
}

// Hooks are called synchronously and must return quickly. Nil ones are
// skipped. One that panics ends nothing: it is reported, as source "hook" and
// its name. They may be called from several goroutines at once.
type Hooks struct {
	// OnError is told of every fault that did not become a returned error,
	// since memory never breaks a turn: source is "memory", "callbacks" or
	// "model" for the front doors, "tool" and its name, "consumer:" and its
	// name, "attributes" for what Config.Attributes says, "embed", "night",
	// "commit", "checkpoint", "mark" or "merge" for the file itself (see
	// [schema.DB.Faults]), and "file" for a [*Loss]. Texts of users are not part
	// of the error. Default: the first of each is logged by log/slog.
	OnError func(source string, err error)
	// OnRecall is told what was put before a model, and through which door:
	// "memory", "model" or "tool".
	OnRecall func(scope schema.Scope, door string, answer *recall.Answer)
	// OnProposal is told of everything that waits for a person to decide, once it
	// is stored: [Extension.Proposals] and [Extension.Confirmations] list it.
	OnProposal func(scope schema.Scope, waiting eventbus.Proposed)
	// OnProgress is told how far a night has got: before each stage, as a stage
	// gets on, and once at the end.
	OnProgress func(consolidate.Progress)
}

// Defaults of [Config].
const (
	DefaultCoreTokens   = 400
	DefaultInjectLimit  = 30
	DefaultInjectTokens = 1200
	DefaultBlockTokens  = 10_000
	DefaultInjectMaybe  = 0.6
	DefaultInjectLeast  = 0.018
	DefaultInjectSure   = 0.12
	DefaultNightTime    = "01:00"
)

// leastBlockTokens is what the mark of a block that is cut whole may take, and
// the fence.
const leastBlockTokens = 100

// leastCoreTokens is what the core section's title and a short line take.
const leastCoreTokens = 40

func (c *Config) withDefaults() Config {
	var cfg Config
	if c != nil {
		cfg = *c
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Location == nil {
		cfg.Location = time.Local
	}
	if cfg.CoreTokens == 0 {
		cfg.CoreTokens = DefaultCoreTokens
	}
	if cfg.InjectLimit == 0 {
		cfg.InjectLimit = DefaultInjectLimit
	}
	if cfg.InjectTokens == 0 {
		cfg.InjectTokens = DefaultInjectTokens
	}
	if cfg.BlockTokens == 0 {
		cfg.BlockTokens = DefaultBlockTokens
	}
	if cfg.InjectOrder == "" {
		cfg.InjectOrder = NewestFirst
	}
	if cfg.InjectMaybe == 0 {
		cfg.InjectMaybe = DefaultInjectMaybe
	}
	if cfg.InjectLeast == 0 {
		cfg.InjectLeast = DefaultInjectLeast
	}
	if cfg.InjectMaybe < 0 {
		cfg.InjectLeast = cfg.InjectMaybe
	}
	if cfg.InjectSure == 0 {
		cfg.InjectSure = max(DefaultInjectSure, cfg.InjectLeast)
	}
	if cfg.SkipSearch == nil {
		cfg.SkipSearch = IsSmallTalk
	}
	if cfg.NightTime == "" {
		cfg.NightTime = DefaultNightTime
	}
	if cfg.ReadOnly {
		cfg.NoBackground = true
	}
	if cfg.Hooks.OnError == nil {
		cfg.Hooks.OnError = logOnce()
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
	return cfg
}

func (c *Config) validate() error {
	switch {
	case c.invalid != nil:
		return c.invalid
	case c.InjectLimit < 0 || c.InjectLimit > recall.MaxLimit:
		return &schema.InvalidError{Field: "Config.InjectLimit", Reason: "must be from 1 to 1000 (0 means 30)"}
	case c.CoreTokens > 0 && c.CoreTokens < leastCoreTokens:
		return &schema.InvalidError{Field: "Config.CoreTokens", Reason: fmt.Sprintf("must be at least %d, or negative for none (0 means 400)", leastCoreTokens)}
	case c.InjectTokens < 0:
		return &schema.InvalidError{Field: "Config.InjectTokens", Reason: "must not be negative (0 means 1200)"}
	case c.BlockTokens < leastBlockTokens*(1+len(c.Blocks)):
		return &schema.InvalidError{Field: "Config.BlockTokens", Reason: fmt.Sprintf("must be at least %d for so many blocks, of each of which there is at least a mark (0 means 10,000)", leastBlockTokens*(1+len(c.Blocks)))}
	case c.InjectOrder != NewestFirst && c.InjectOrder != BestFirst:
		return &schema.InvalidError{Field: "Config.InjectOrder", Reason: `must be "newest" or "best"`}
	case !(c.InjectMaybe <= 1):
		return &schema.InvalidError{Field: "Config.InjectMaybe", Reason: "must be at most 1 (0 means 0.6, below 0 lets everything through)"}
	case !(c.InjectLeast <= 1):
		return &schema.InvalidError{Field: "Config.InjectLeast", Reason: "must be at most 1 (0 means 0.018)"}
	case !(c.InjectSure <= 1) || c.InjectSure < c.InjectLeast:
		return &schema.InvalidError{Field: "Config.InjectSure", Reason: "must be from InjectLeast to 1 (0 means 0.12)"}
	case len(c.unknownTools()) > 0:
		return &schema.InvalidError{Field: "Config.Tools", Reason: fmt.Sprintf("names %q, which is no tool, or names it twice; there are %s", c.unknownTools()[0], strings.Join(tools.Names(), ", "))}
	case c.ScoreAmong != 0 && !(c.ScoreAmong >= 1 && c.ScoreAmong <= recall.MaxLimit):
		return &schema.InvalidError{Field: "Config.ScoreAmong", Reason: "must be from 1 to 1000 (0 means 200 in all)"}
	case c.ModelTimeout < 0:
		return &schema.InvalidError{Field: "Config.ModelTimeout", Reason: "must not be negative (0 means two minutes)"}
	case !(c.Prices.Input >= 0) || !(c.Prices.Output >= 0):
		return &schema.InvalidError{Field: "Config.Prices", Reason: "must not be negative"}
	case math.IsNaN(c.Budget.Cost):
		return &schema.InvalidError{Field: "Config.Budget.Cost", Reason: "is not a number"}
	case c.Budget.Cost > 0 && c.Prices == (consolidate.Prices{}):
		return &schema.InvalidError{Field: "Config.Budget.Cost", Reason: "bounds nothing without Config.Prices; give what a million tokens cost"}
	}
	if err := schema.ValidBlocks(c.Blocks); err != nil {
		return err
	}
	if _, err := time.Parse("15:04", c.NightTime); err != nil {
		return &schema.InvalidError{Field: "Config.NightTime", Reason: `must be a time of day such as "01:00"`}
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
