package transfer

import (
	"encoding/json"

	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/core"
)

// exportVersion is the version of the format. A reader refuses newer ones.
const exportVersion = 1

// exportLine is one line of an export: a record under its type's name. Records
// refer to each other by public ids, and stand after what they refer to.
type exportLine struct {
	Header       *headerRecord       `json:"ebb,omitempty"` // first line
	Tombstone    *tombstoneRecord    `json:"tombstone,omitempty"`
	Session      *sessionRecord      `json:"session,omitempty"`
	Run          *schema.Run         `json:"run,omitempty"`
	Entity       *schema.Entity      `json:"entity,omitempty"`
	Merged       *mergedRecord       `json:"merged,omitempty"`
	Alias        *aliasRecord        `json:"alias,omitempty"`
	Event        *eventRecord        `json:"event,omitempty"`
	Memory       *memoryRecord       `json:"memory,omitempty"`
	Superseded   *supersededRecord   `json:"superseded,omitempty"`
	Source       *sourceRecord       `json:"source,omitempty"`
	Link         *linkRecord         `json:"link,omitempty"`
	Block        *blockRecord        `json:"block,omitempty"`
	BlockVersion *blockVersionRecord `json:"block_version,omitempty"`
	Proposal     *proposalRecord     `json:"proposal,omitempty"`
	Confirmation *confirmationRecord `json:"confirmation,omitempty"`
	Gap          *gapRecord          `json:"gap,omitempty"`
	Op           *opRecord           `json:"op,omitempty"`
	Document     *documentRecord     `json:"document,omitempty"`
	Watermark    *watermarkRecord    `json:"watermark,omitempty"`
	End          *endRecord          `json:"end,omitempty"` // last line
}

type headerRecord struct {
	Export          int         `json:"export"` // version of the format
	Tenant          string      `json:"tenant,omitempty"`
	User            string      `json:"user"`
	TimeZone        string      `json:"time_zone,omitempty"`
	CreatedAt       schema.Time `json:"created_at"`
	NightsThrough   string      `json:"nights_through,omitempty"`
	ImportanceSince float64     `json:"importance_since,omitempty"`
	Cycle           int64       `json:"cycle,omitempty"`
	ReflectedCycle  int64       `json:"reflected_cycle,omitempty"`
	ReflectedAt     schema.Time `json:"reflected_at,omitzero"`
}

type tombstoneRecord struct {
	IDHash   string      `json:"id_hash"`
	ErasedAt schema.Time `json:"erased_at"`
}

type sessionRecord struct {
	Name      string      `json:"name"`
	CreatedAt schema.Time `json:"created_at"`
}

type mergedRecord struct {
	Entity string `json:"entity"`
	Into   string `json:"into"`
}

type aliasRecord struct {
	Entity     string  `json:"entity"`
	Alias      string  `json:"alias"`
	Surface    string  `json:"surface"`
	Confidence float64 `json:"confidence"`
}

// eventRecord is an entry of the journal. Its position is given anew on
// import, in the order of the export.
type eventRecord struct {
	ID         string           `json:"id"`
	Topic      string           `json:"topic"`
	Agent      string           `json:"agent,omitempty"`
	Session    string           `json:"session,omitempty"`
	Origin     schema.Origin    `json:"origin"`
	Trust      schema.Trust     `json:"trust"`
	Payload    json.RawMessage  `json:"payload"`
	OccurredAt schema.Time      `json:"occurred_at"`
	RecordedAt schema.Time      `json:"recorded_at"`
	Injection  *injectionRecord `json:"injection,omitempty"` // what came of a memory.recalled
}

type injectionRecord struct {
	Session string          `json:"session,omitempty"`
	Channel string          `json:"channel"`
	Query   string          `json:"query,omitempty"`
	Items   json.RawMessage `json:"items"`
	ShownAt schema.Time     `json:"shown_at"`
}

// memoryRecord is a memory with what it mentions, so that both are restored
// together.
type memoryRecord struct {
	schema.Memory

	Run      string          `json:"run,omitempty"`
	Mentions []mentionRecord `json:"mentions,omitempty"`
	Unlinked bool            `json:"unlinked,omitempty"` // it is yet to be looked through for mentions
}

type mentionRecord struct {
	Entity     string  `json:"entity"`
	Surface    string  `json:"surface"`
	Confidence float64 `json:"confidence"`
}

type supersededRecord struct {
	Memory string `json:"memory"`
	By     string `json:"by"`
}

type sourceRecord struct {
	Memory string `json:"memory"`
	Source string `json:"source"`
	Quote  string `json:"quote,omitempty"`
}

type linkRecord struct {
	From      string      `json:"from"`
	To        string      `json:"to"`
	Type      string      `json:"type"`
	Weight    float64     `json:"weight"`
	CreatedAt schema.Time `json:"created_at"`
	Run       string      `json:"run,omitempty"`
}

type blockRecord struct {
	Agent     string         `json:"agent,omitempty"`
	Name      string         `json:"name"`
	Kind      core.BlockKind `json:"kind,omitempty"` // "" is a text
	Content   string         `json:"content"`
	Trust     schema.Trust   `json:"trust"`
	Version   int64          `json:"version"`
	UpdatedAt schema.Time    `json:"updated_at"`
}

type blockVersionRecord struct {
	Agent   string       `json:"agent,omitempty"`
	Name    string       `json:"name"`
	Version int64        `json:"version"`
	Content string       `json:"content"`
	Trust   schema.Trust `json:"trust"`
	Actor   string       `json:"actor"`
	As      string       `json:"as,omitempty"` // the agent
	At      schema.Time  `json:"at"`
}

type proposalRecord struct {
	ID        string      `json:"id"`
	Run       string      `json:"run,omitempty"`
	Kind      string      `json:"kind"`
	Payload   string      `json:"payload"`
	Reason    string      `json:"reason,omitempty"`
	State     string      `json:"state"`
	CreatedAt schema.Time `json:"created_at"`
	DecidedAt schema.Time `json:"decided_at,omitzero"`
	DecidedBy string      `json:"decided_by,omitempty"`
}

type confirmationRecord struct {
	ID        string      `json:"id"`
	Memory    string      `json:"memory"`
	Shown     string      `json:"shown"`
	TokenHash string      `json:"token_hash,omitempty"`
	State     string      `json:"state"`
	CreatedAt schema.Time `json:"created_at"`
	DecidedAt schema.Time `json:"decided_at,omitzero"`
}

// opRecord is one entry of the audit. Before and After are JSON as text; a
// superseded_by in them is a public id here and a row id in the file.
type opRecord struct {
	Record    string      `json:"record"` // table name
	ID        string      `json:"id,omitempty"`
	Run       string      `json:"run,omitempty"`
	At        schema.Time `json:"at"`
	Actor     string      `json:"actor"`
	Operation string      `json:"operation"`
	Before    string      `json:"before,omitempty"`
	After     string      `json:"after,omitempty"`
}

type documentRecord struct {
	URI    string      `json:"uri"`
	Hash   string      `json:"hash"`
	ReadAt schema.Time `json:"read_at"`
}

// gapRecord is what a stage gave up on. Memories is JSON as text.
type gapRecord struct {
	ID        string      `json:"id"`
	Stage     string      `json:"stage"`
	Memories  string      `json:"memories"`
	Attempts  int64       `json:"attempts"`
	LastError string      `json:"last_error"`
	CreatedAt schema.Time `json:"created_at"`
}

// watermarkRecord is how far a stage of the nights has got: through this
// memory, with so many before and including it.
type watermarkRecord struct {
	Stage    string `json:"stage"`
	Memory   string `json:"memory"`
	Memories int64  `json:"memories"`
}

type endRecord struct {
	Records int64 `json:"records"` // without header and end
}

// opTables are those an audit entry can be about; each has a uid. Of a block,
// opBlocks, the agent and the name serve as one.
var opTables = []string{"memories", "entities", "runs", "proposals", "confirmations", "gaps"}

const opBlocks = "blocks"
