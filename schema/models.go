package schema

import (
	"encoding/json"
	"slices"

	"github.com/uptrace/bun"
)

// Kind is the kind of a memory.
type Kind string

// The kinds of memory.
const (
	KindEpisode    Kind = "episode"    // a message, verbatim
	KindFact       Kind = "fact"       // one claim, derived or stated
	KindPreference Kind = "preference" // a claim about what a person likes, wants or avoids
	KindReflection Kind = "reflection" // an insight drawn from other memories
)

// Kinds lists every kind.
var Kinds = []Kind{KindEpisode, KindFact, KindPreference, KindReflection}

// Validate returns an [*InvalidError] for a kind that is not in [Kinds].
func (k Kind) Validate() error {
	if slices.Contains(Kinds, k) {
		return nil
	}
	return &InvalidError{Field: "kind", Reason: "is not one of episode, fact, preference, reflection"}
}

// State is the state of a memory.
type State string

// The states of a memory.
const (
	StateActive      State = "active"
	StateDormant     State = "dormant"     // faded: not in default search, found on request
	StateQuarantined State = "quarantined" // found by search, never injected automatically, never consolidated
	StateSuperseded  State = "superseded"  // replaced by a newer claim
	StateRetired     State = "retired"     // soft-deleted
	StateForgotten   State = "forgotten"   // hidden at the user's request, see [Tx.Forget]
)

// States lists them.
var States = []State{StateActive, StateDormant, StateQuarantined, StateSuperseded, StateRetired, StateForgotten}

// User is a user of a tenant, with the progress of nights and reflections.
type User struct {
	bun.BaseModel `bun:"table:users"`

	ID              int64   `bun:",pk,autoincrement" json:"id"`
	Tenant          string  `json:"tenant"`
	Name            string  `json:"name"`
	TimeZone        string  `json:"time_zone"`
	CreatedAt       Time    `json:"created_at"`
	NightsThrough   string  `json:"nights_through"`
	ImportanceSince float64 `json:"importance_since"`
	Cycle           int64   `json:"cycle,omitempty"`           // see SetCycle
	ReflectedCycle  int64   `json:"reflected_cycle,omitempty"` // the cycle of the last reflection
	ReflectedAt     Time    `json:"reflected_at,omitzero"`     // when that was
	ChunkFloor      int64   `json:"-"`                         // the last chunk id that was removed
}

// EventRow is one entry of the journal.
type EventRow struct {
	bun.BaseModel `bun:"table:events"`

	Seq        int64           `bun:",pk,autoincrement"`
	UserID     int64           `bun:",notnull"`
	ID         string          `bun:",nullzero"`
	Topic      string          `bun:",notnull"`
	Agent      string          `bun:",notnull"`
	Session    string          `bun:",notnull"`
	Origin     Origin          `bun:",notnull"`
	Trust      Trust           `bun:",notnull"`
	Payload    json.RawMessage `bun:"type:text,notnull"`
	OccurredAt Time            `bun:",notnull"`
	RecordedAt Time            `bun:",notnull"`
}

// Memory is a stored message, claim or reflection. Times are UTC; confidence, importance
// and utility are in 0–1.
type Memory struct {
	bun.BaseModel `bun:"table:memories,alias:m" json:"-"`

	ID           int64      `bun:",pk,autoincrement" json:"-"`
	UID          string     `bun:",notnull" json:"id"` // UUIDv7
	UserID       int64      `bun:",notnull" json:"-"`
	SessionID    int64      `bun:",nullzero" json:"-"`
	EventSeq     int64      `bun:",nullzero" json:"-"`
	Agent        string     `bun:",notnull" json:"agent,omitempty"`
	Kind         Kind       `bun:",notnull" json:"kind"`
	Role         string     `bun:",notnull" json:"role,omitempty"`    // user | assistant | tool
	Speaker      string     `bun:",notnull" json:"speaker,omitempty"` // a display name, may be empty
	Content      string     `bun:",notnull" json:"content"`
	ContentHash  string     `bun:",notnull" json:"-"`
	EventTime    Time       `bun:",notnull" json:"event_time"`
	CreatedAt    Time       `bun:",notnull" json:"created_at"`
	ValidFrom    Time       `bun:",notnull" json:"valid_from"`
	ValidUntil   Time       `json:"valid_until,omitzero"`
	ExpiredAt    Time       `json:"expired_at,omitzero"` // when ValidUntil was set
	SupersededBy int64      `bun:",nullzero" json:"-"`
	Confidence   float64    `bun:",notnull" json:"confidence"`
	Importance   float64    `bun:",notnull" json:"importance"`
	AccessCount  int64      `bun:",notnull" json:"access_count"`
	LastAccessed Time       `json:"last_accessed,omitzero"`
	DecayRate    float64    `bun:",notnull" json:"decay_rate"`
	Stability    float64    `bun:",notnull" json:"stability"` // divides the age in the retention, from 1
	Utility      float64    `bun:",notnull" json:"utility"`
	Protected    bool       `bun:",notnull" json:"protected,omitempty"`
	Pinned       bool       `bun:",notnull" json:"pinned,omitempty"`
	State        State      `bun:",notnull" json:"state"`
	Origin       Origin     `bun:",notnull" json:"origin"`
	Trust        Trust      `bun:",notnull" json:"trust"`
	Subject      string     `bun:",nullzero" json:"subject,omitempty"`
	Predicate    string     `bun:",nullzero" json:"predicate,omitempty"`
	Object       string     `bun:",nullzero" json:"object,omitempty"`
	Tags         Strings    `bun:"type:text,notnull" json:"tags,omitempty"`
	Attributes   Attributes `bun:"type:text,notnull" json:"attributes,omitempty"`
	RunID        int64      `bun:",nullzero" json:"-"`
	Version      int64      `bun:",notnull" json:"version"`

	// Set by reads that join them; not columns.
	SessionName string `bun:",scanonly" json:"session,omitempty"`
	EventID     string `bun:",scanonly" json:"event_id,omitempty"`
}

// Source links a derived memory to a memory that it was derived from.
type Source struct {
	bun.BaseModel `bun:"table:memory_sources"`

	MemoryID int64  `bun:",pk" json:"-"`
	SourceID int64  `bun:",pk" json:"-"`
	Quote    string `bun:",notnull" json:"quote,omitempty"`
}

// Entity is a person, place, project or other thing that memories mention.
type Entity struct {
	bun.BaseModel `bun:"table:entities"`

	ID           int64   `bun:",pk,autoincrement" json:"-"`
	UID          string  `bun:",notnull" json:"id"`
	UserID       int64   `bun:",notnull" json:"-"`
	Type         string  `bun:",notnull" json:"type"`
	Name         string  `bun:",notnull" json:"name"`
	Summary      string  `bun:",notnull" json:"summary,omitempty"`
	Confidence   float64 `bun:",notnull" json:"confidence"`
	MentionCount int64   `bun:",notnull" json:"mention_count"`
	Protected    bool    `bun:",notnull" json:"protected,omitempty"`
	MergedInto   int64   `bun:",nullzero" json:"-"`
	CreatedAt    Time    `bun:",notnull" json:"created_at"`
}

// Alias is a name of an entity.
type Alias struct {
	bun.BaseModel `bun:"table:entity_aliases"`

	UserID     int64   `bun:",pk" json:"-"`
	Alias      string  `bun:",pk" json:"alias"` // folded
	EntityID   int64   `bun:",pk" json:"-"`
	Surface    string  `bun:",notnull" json:"surface"` // as written
	Confidence float64 `bun:",notnull" json:"confidence"`
}

// Op is an entry of the append-only audit.
type Op struct {
	bun.BaseModel `bun:"table:ops"`

	ID        int64  `bun:",pk,autoincrement" json:"id"`
	UserID    int64  `bun:",notnull" json:"-"`
	RunID     int64  `bun:",nullzero" json:"-"`
	At        Time   `bun:",notnull" json:"at"`
	Actor     string `bun:",notnull" json:"actor"`
	Operation string `bun:",notnull" json:"operation"`
	Record    string `bun:",notnull" json:"record"` // table name
	RecordID  int64  `bun:",notnull" json:"record_id"`
	Before    string `bun:",notnull" json:"before,omitempty"` // JSON of the columns changed
	After     string `bun:",notnull" json:"after,omitempty"`
}

// Run is a consolidation of one user's memory.
type Run struct {
	bun.BaseModel `bun:"table:runs"`

	ID         int64           `bun:",pk,autoincrement" json:"-"`
	UID        string          `bun:",notnull" json:"id"`
	UserID     int64           `bun:",notnull" json:"-"`
	Cause      string          `bun:",notnull" json:"cause"` // night | manual | trigger | said | host
	LocalDay   string          `bun:",notnull" json:"local_day,omitempty"`
	State      string          `bun:",notnull" json:"state"` // running | done | failed | undone
	StartedAt  Time            `bun:",notnull" json:"started_at"`
	FinishedAt Time            `json:"finished_at,omitzero"`
	Stages     json.RawMessage `bun:"type:text,notnull" json:"stages,omitempty"`
	Error      string          `bun:",notnull" json:"error,omitempty"`

	// Usage of the model.
	Calls        int64   `bun:",notnull" json:"calls,omitempty"`
	InputTokens  int64   `bun:",notnull" json:"input_tokens,omitempty"`
	OutputTokens int64   `bun:",notnull" json:"output_tokens,omitempty"`
	Cost         float64 `bun:",notnull" json:"cost,omitempty"`   // in the currency of the host's prices
	Faults       int64   `bun:",notnull" json:"faults,omitempty"` // calls that failed and answers of no use
}
