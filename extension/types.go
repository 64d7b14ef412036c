package extension

import (
	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/recall"
	"github.com/ebbmem/ebb/schema"
)

// The types a host names, so that one import is enough. Each is documented
// where it is declared.
type (
	Scope        = schema.Scope
	Record       = schema.Memory
	Kind         = schema.Kind
	InvalidError = schema.InvalidError
	VersionError = schema.VersionError
	Query        = recall.Query
	AsOf         = recall.AsOf
	Answer       = recall.Answer
	Result       = recall.Result
	Weights      = recall.Weights
	Report       = consolidate.Report
	Failure      = schema.Failure
)

// The kinds of memory.
const (
	KindEpisode    = schema.KindEpisode
	KindFact       = schema.KindFact
	KindPreference = schema.KindPreference
	KindReflection = schema.KindReflection
)

// The errors a host can tell apart.
var (
	ErrNotFound    = schema.ErrNotFound
	ErrConflict    = schema.ErrConflict
	ErrReadOnly    = schema.ErrReadOnly
	ErrDiskFull    = schema.ErrDiskFull
	ErrCorrupt     = schema.ErrCorrupt
	ErrNotDatabase = schema.ErrNotDatabase
	ErrBusy        = schema.ErrBusy
	ErrClosed      = schema.ErrClosed
)
