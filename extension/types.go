package extension

import (
	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/consolidate/ask"
	"github.com/ebbmem/ebb/internal/prompt"
	"github.com/ebbmem/ebb/recall"
	"github.com/ebbmem/ebb/recall/retention"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/core"
	"github.com/ebbmem/ebb/tools"
)

// Types of other packages that most hosts need, so that they import one package.
type (
	// Scope identifies a tenant, user, agent and session.
	Scope = schema.Scope
	// Record is one stored memory.
	Record = schema.Memory
	// Operation is an operation that [Hooks.OnOperation] observes.
	Operation = schema.Operation
	// Key encrypts a memory at rest. It never prints its bytes.
	Key = schema.Key
	// Kind is the kind of a memory.
	Kind = schema.Kind
	// InvalidError reports an unusable input, naming the field and the reason.
	InvalidError = schema.InvalidError
	// ForeignError wraps an error of the host's, a model client's or an embedder's
	// code. It prints the error's type, since the text may repeat user data; Unwrap
	// returns the error itself.
	ForeignError = schema.ForeignError
	// RedactionError means that a text could not be redacted. Nothing of the text
	// was written, and the error contains none of it.
	RedactionError = schema.RedactionError
	// VersionError means that the file was written by a newer ebb, or by a version
	// before the first release.
	VersionError = schema.VersionError
	// Loss means that a file was found to hold less than before.
	Loss = schema.Loss
	// Block is a block of core memory.
	Block = core.Block
	// BlockVersion is one version of a block's content.
	BlockVersion = core.BlockVersion
	// BlockSpec describes a block of core memory.
	BlockSpec = core.BlockSpec
	// BlockField describes a field of a block.
	BlockField = core.BlockField
	// BlockKind is the format of a block's content.
	BlockKind = core.BlockKind
	// BlockWriter says which changes of a block a model may make.
	BlockWriter = core.BlockWriter
	// BlockWrite is a model's request to change core memory.
	BlockWrite = tools.BlockWrite
	// Verdict is the decision on a model's request.
	Verdict = tools.Verdict
	// Query is a search.
	Query = recall.Query
	// AsOf moves a search to another moment on either time axis.
	AsOf = recall.AsOf
	// Answer is the result of a search, with the arms it went without.
	Answer = recall.Answer
	// Result is one memory found, with its signals.
	Result = recall.Result
	// Explanation says why a query does or does not return a memory.
	Explanation = recall.Explanation
	// Degraded is a search arm that returned less than its full answer.
	Degraded = recall.Degraded
	// Signal is one feature of a result and what it adds to the score.
	Signal = recall.Signal
	// Weights of the linear ranker, one per signal.
	Weights = recall.Weights
	// RetentionPolicy says how memories fade; see [DocumentRetention].
	RetentionPolicy = retention.Policy
	// Report is what a run of the nightly consolidation did.
	Report = consolidate.Report
	// StageReport is what one stage of a run did.
	StageReport = consolidate.StageReport
	// Outcome is the outcome of one proposal of a stage.
	Outcome = consolidate.Outcome
	// Run is a night's entry in the ledger.
	Run = schema.Run
	// Budget bounds a night's use of a model.
	Budget = ask.Budget
	// Prices are the costs of a million tokens of the model.
	Prices = ask.Prices
	// Progress is how far a night has got.
	Progress = consolidate.Progress
	// Rules is a stage made of [Rule] values.
	Rules = consolidate.Rules
	// Rule revises memories selected by their metadata.
	Rule = consolidate.Rule
	// Revision is a [Rule]'s change of a memory.
	Revision = schema.Revision
	// Conditions select memories by their metadata.
	Conditions = schema.Conditions
	// ContextRule chooses memories that stand in every context.
	ContextRule = prompt.Rule
	// Stage is one step of a night.
	Stage = consolidate.Stage
	// StageError names the stage of a run that failed.
	StageError = consolidate.StageError
)

// The kinds of memory.
const (
	KindEpisode    = schema.KindEpisode
	KindFact       = schema.KindFact
	KindPreference = schema.KindPreference
	KindReflection = schema.KindReflection
)

// The states that a [Rule] can set.
const (
	StateActive  = schema.StateActive
	StateDormant = schema.StateDormant
)

// Formats of a block, and which changes a model may make.
const (
	BlockText     = core.BlockText
	BlockList     = core.BlockList
	BlockFields   = core.BlockFields
	BlockRecords  = core.BlockRecords
	HostWrites    = core.HostWrites
	ModelProposes = core.ModelProposes
	ModelWrites   = core.ModelWrites
)

// Decisions on a model's request, from the most permissive.
const (
	VerdictAllow   = tools.VerdictAllow
	VerdictPropose = tools.VerdictPropose
	VerdictRefuse  = tools.VerdictRefuse
)

// Errors for use with errors.Is.
var (
	ErrNotFound    = schema.ErrNotFound    // not in this scope, or another user's
	ErrConflict    = schema.ErrConflict    // changed since it was read; read again and retry
	ErrReadOnly    = schema.ErrReadOnly    // the file or Config.ReadOnly does not allow writing
	ErrDiskFull    = schema.ErrDiskFull    // nothing of the write was kept
	ErrIO          = schema.ErrIO          // the disk failed; nothing of the write was kept
	ErrCorrupt     = schema.ErrCorrupt     // the file is damaged; `ebb doctor` diagnoses it
	ErrNotDatabase = schema.ErrNotDatabase // the file is not a memory
	ErrBusy        = schema.ErrBusy        // another process held the write lock for too long; retry
	ErrClosed      = schema.ErrClosed      // the memory was closed
	ErrFileOnly    = schema.ErrFileOnly    // only a memory in a file can do what was asked

	// ErrKey matches the three errors below: the key does not fit the file.
	ErrKey         = schema.ErrKey
	ErrKeyMissing  = schema.ErrKeyMissing
	ErrKeyWrong    = schema.ErrKeyWrong
	ErrKeyUnneeded = schema.ErrKeyUnneeded
)

// NewKey returns a [Key] with a copy of 32 random bytes. Do not use a password.
//
// Errors: [*InvalidError] for another length, or if all bytes are zero.
func NewKey(secret []byte) (Key, error) { return schema.NewKey(secret) }

// ParseKey decodes a [Key] from a file or environment variable: 32 raw bytes, or 64
// hexadecimal digits.
//
// Errors: [*InvalidError], without the input.
func ParseKey(text []byte) (Key, error) { return schema.ParseKey(text) }
