package extension

import (
	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/consolidate/ask"
	"github.com/ebbmem/ebb/recall"
	"github.com/ebbmem/ebb/recall/intent"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/core"
	"github.com/ebbmem/ebb/tools"
)

// The types that most hosts name, so that one import is enough.
type (
	// Scope says whose memory is meant.
	Scope = schema.Scope
	// Record is one thing remembered.
	Record = schema.Memory
	// Key encrypts a memory at rest. It never shows what it holds.
	Key = schema.Key
	// Kind is what a memory is.
	Kind = schema.Kind
	// InvalidError says which input cannot be used and why.
	InvalidError = schema.InvalidError
	// ForeignError is an error of a host's, a model client's or an embedder's
	// code. It prints as its kind, since its text may repeat what that code was
	// given; Unwrap gives the error itself.
	ForeignError = schema.ForeignError
	// RedactionError says that a text could not be redacted; nothing of it was
	// written, and it carries nothing of it.
	RedactionError = schema.RedactionError
	// VersionError means the file was written by a newer ebb, or by one from before
	// the first release.
	VersionError = schema.VersionError
	// Loss says that a file was found to hold less than it once did.
	Loss = schema.Loss
	// Block is a part of core memory.
	Block = core.Block
	// BlockVersion is what a block held from one change to the next.
	BlockVersion = core.BlockVersion
	// BlockSpec describes a block of core memory.
	BlockSpec = core.BlockSpec
	// BlockField describes a field of a block.
	BlockField = core.BlockField
	// BlockKind is the form of a block's content.
	BlockKind = core.BlockKind
	// BlockWriter says what a model may do to a block.
	BlockWriter = core.BlockWriter
	// BlockWrite is a change of core memory that a model asks for.
	BlockWrite = tools.BlockWrite
	// Verdict is what becomes of a write that a model asks for.
	Verdict = tools.Verdict
	// Query says what is looked for.
	Query = recall.Query
	// Plan is what a question asks for beyond its words.
	Plan = intent.Plan
	// AsOf moves a search to another moment on either time axis.
	AsOf = recall.AsOf
	// Answer is what a search found and what it could not ask.
	Answer = recall.Answer
	// Result is one memory found, with the reasons.
	Result = recall.Result
	// Explanation is why a query does, or does not, bring one memory back.
	Explanation = recall.Explanation
	// Degraded is an arm of a search that did not give its full answer.
	Degraded = recall.Degraded
	// Weights of the linear ranker, one per signal.
	Weights = recall.Weights
	// Scorer gives the score that results are ordered by.
	Scorer = recall.Scorer
	// Terms is what a [Scorer] knows of a candidate.
	Terms = recall.Terms
	// Signal is one part of a score.
	Signal = recall.Signal
	// RetentionPolicy says how memories fade; see [DocumentRetention].
	RetentionPolicy = recall.RetentionPolicy
	// Report is what a run of the nightly consolidation did.
	Report = consolidate.Report
	// StageReport is what one stage of a run did.
	StageReport = consolidate.StageReport
	// Outcome is the fate of one proposal of a stage.
	Outcome = consolidate.Outcome
	// Usage is what a run asked of a model.
	Usage = ask.Usage
	// Run is a night in the ledger.
	Run = schema.Run
	// Budget bounds what a night may ask of a model.
	Budget = ask.Budget
	// Prices are what a million tokens of the model cost.
	Prices = ask.Prices
	// Progress is how far a night has got.
	Progress = consolidate.Progress
	// Rules is a stage of a night, made of rules.
	Rules = consolidate.Rules
	// Rule revises memories by what stands beside their text.
	Rule = consolidate.Rule
	// Revision is what a [Rule] changes of a memory.
	Revision = schema.Revision
	// Conditions restrict memories by what stands beside their text.
	Conditions = schema.Conditions
	// Stage is one step of a night.
	Stage = consolidate.Stage
	// StageError says which stage of a run failed.
	StageError = consolidate.StageError
)

// The kinds of memory.
const (
	KindEpisode    = schema.KindEpisode
	KindFact       = schema.KindFact
	KindPreference = schema.KindPreference
	KindReflection = schema.KindReflection
)

// The states that a [Rule] moves memories between.
const (
	StateActive  = schema.StateActive
	StateDormant = schema.StateDormant
)

// The forms of a block, and what a model may do to it.
const (
	BlockText     = core.BlockText
	BlockList     = core.BlockList
	BlockFields   = core.BlockFields
	BlockRecords  = core.BlockRecords
	HostWrites    = core.HostWrites
	ModelProposes = core.ModelProposes
	ModelWrites   = core.ModelWrites
)

// What becomes of a write that a model asks for, from the mildest.
const (
	VerdictAllow   = tools.VerdictAllow
	VerdictPropose = tools.VerdictPropose
	VerdictRefuse  = tools.VerdictRefuse
)

// The errors a host can tell apart.
var (
	ErrNotFound    = schema.ErrNotFound
	ErrConflict    = schema.ErrConflict
	ErrReadOnly    = schema.ErrReadOnly
	ErrDiskFull    = schema.ErrDiskFull
	ErrIO          = schema.ErrIO
	ErrCorrupt     = schema.ErrCorrupt
	ErrNotDatabase = schema.ErrNotDatabase
	ErrBusy        = schema.ErrBusy
	ErrClosed      = schema.ErrClosed

	// ErrKey is all of the following: why a key and a file do not go together.
	ErrKey         = schema.ErrKey
	ErrKeyMissing  = schema.ErrKeyMissing
	ErrKeyWrong    = schema.ErrKeyWrong
	ErrKeyUnneeded = schema.ErrKeyUnneeded
)

// NewKey makes a [Key] of 32 random bytes, which it copies. A password is no
// key.
//
// Errors: [*InvalidError] for another length, or for zeroes.
func NewKey(secret []byte) (Key, error) { return schema.NewKey(secret) }

// ParseKey reads a [Key] as a file or an environment variable holds it: 32 raw
// bytes, or 64 hexadecimal digits.
//
// Errors: [*InvalidError], without what was read.
func ParseKey(text []byte) (Key, error) { return schema.ParseKey(text) }
