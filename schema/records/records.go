// Package records has the rows of one user as the records of an export: their form in
// JSON, how they are read in one snapshot and how they are written again.
package records

import (
	"encoding/json"

	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/core"
)

// Version is the version of the format. Readers refuse newer ones.
const Version = 1

// Line is one line of an export: a record under its type's name. Records
// refer to each other by public ids, and stand after what they refer to.
type Line struct {
	Header       *Header        `json:"ebb,omitempty"` // first line
	Tombstone    *Tombstone     `json:"tombstone,omitempty"`
	Session      *Session       `json:"session,omitempty"`
	Run          *schema.Run    `json:"run,omitempty"`
	Entity       *schema.Entity `json:"entity,omitempty"`
	Merged       *Merged        `json:"merged,omitempty"`
	Alias        *Alias         `json:"alias,omitempty"`
	Event        *Event         `json:"event,omitempty"`
	Memory       *Memory        `json:"memory,omitempty"`
	Superseded   *Superseded    `json:"superseded,omitempty"`
	Source       *Source        `json:"source,omitempty"`
	Link         *Link          `json:"link,omitempty"`
	Block        *Block         `json:"block,omitempty"`
	BlockVersion *BlockVersion  `json:"block_version,omitempty"`
	Proposal     *Proposal      `json:"proposal,omitempty"`
	Gap          *Gap           `json:"gap,omitempty"`
	Op           *Op            `json:"op,omitempty"`
	Document     *Document      `json:"document,omitempty"`
	Watermark    *Watermark     `json:"watermark,omitempty"`
	End          *End           `json:"end,omitempty"` // last line
}

type Header struct {
	Export          int         `json:"export"` // version of the format
	Tenant          string      `json:"tenant,omitempty"`
	User            string      `json:"user"`
	TimeZone        string      `json:"time_zone,omitempty"`
	CreatedAt       schema.Time `json:"created_at"`
	WrittenAt       schema.Time `json:"written_at,omitzero"` // when the export began
	NightsThrough   string      `json:"nights_through,omitempty"`
	ImportanceSince float64     `json:"importance_since,omitempty"`
	Cycle           int64       `json:"cycle,omitempty"`
	ReflectedCycle  int64       `json:"reflected_cycle,omitempty"`
	ReflectedAt     schema.Time `json:"reflected_at,omitzero"`
}

type Tombstone struct {
	IDHash   string      `json:"id_hash"`
	ErasedAt schema.Time `json:"erased_at"`
}

type Session struct {
	Name      string      `json:"name"`
	CreatedAt schema.Time `json:"created_at"`
}

type Merged struct {
	Entity string `json:"entity"`
	Into   string `json:"into"`
}

type Alias struct {
	Entity     string  `json:"entity"`
	Alias      string  `json:"alias"`
	Surface    string  `json:"surface"`
	Confidence float64 `json:"confidence"`
}

// Event is an entry of the journal. Imports assign new positions in the order
// of the export.
type Event struct {
	ID         string          `json:"id"`
	Topic      string          `json:"topic"`
	Agent      string          `json:"agent,omitempty"`
	Session    string          `json:"session,omitempty"`
	Origin     schema.Origin   `json:"origin"`
	Trust      schema.Trust    `json:"trust"`
	Payload    json.RawMessage `json:"payload"`
	OccurredAt schema.Time     `json:"occurred_at"`
	RecordedAt schema.Time     `json:"recorded_at"`
	Injection  *Injection      `json:"injection,omitempty"` // what came of a memory.recalled
}

type Injection struct {
	Session string          `json:"session,omitempty"`
	Channel string          `json:"channel"`
	Query   string          `json:"query,omitempty"`
	Items   json.RawMessage `json:"items"`
	ShownAt schema.Time     `json:"shown_at"`
}

// Memory is a memory with its mentions, so that both are restored in one
// step.
type Memory struct {
	schema.Memory

	Run      string    `json:"run,omitempty"`
	Mentions []Mention `json:"mentions,omitempty"`
	Unlinked bool      `json:"unlinked,omitempty"` // it is yet to be looked through for mentions
}

type Mention struct {
	Entity     string  `json:"entity"`
	Surface    string  `json:"surface"`
	Confidence float64 `json:"confidence"`
}

type Superseded struct {
	Memory string `json:"memory"`
	By     string `json:"by"`
}

type Source struct {
	Memory string `json:"memory"`
	Source string `json:"source"`
	Quote  string `json:"quote,omitempty"`
}

type Link struct {
	From       string      `json:"from"`
	To         string      `json:"to"`
	Type       string      `json:"type"`
	Confidence float64     `json:"confidence"`
	CreatedAt  schema.Time `json:"created_at"`
	Run        string      `json:"run,omitempty"`
}

type Block struct {
	Agent     string         `json:"agent,omitempty"`
	Name      string         `json:"name"`
	Kind      core.BlockKind `json:"kind,omitempty"` // "" is text
	Content   string         `json:"content"`
	Trust     schema.Trust   `json:"trust"`
	Version   int64          `json:"version"`
	UpdatedAt schema.Time    `json:"updated_at"`
}

type BlockVersion struct {
	Agent   string       `json:"agent,omitempty"`
	Name    string       `json:"name"`
	Version int64        `json:"version"`
	Content string       `json:"content"`
	Trust   schema.Trust `json:"trust"`
	Actor   string       `json:"actor"`
	As      string       `json:"as,omitempty"` // the agent
	At      schema.Time  `json:"at"`
}

type Proposal struct {
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

// Op is one entry of the audit. Before and After are JSON as text, in which
// superseded_by is a public id instead of a row id.
type Op struct {
	Record    string      `json:"record"` // table name
	ID        string      `json:"id,omitempty"`
	Run       string      `json:"run,omitempty"`
	At        schema.Time `json:"at"`
	Actor     string      `json:"actor"`
	Operation string      `json:"operation"`
	Before    string      `json:"before,omitempty"`
	After     string      `json:"after,omitempty"`
}

type Document struct {
	URI    string      `json:"uri"`
	Hash   string      `json:"hash"`
	ReadAt schema.Time `json:"read_at"`
}

// Gap is a batch that a stage gave up on. Memories is JSON as text.
type Gap struct {
	ID        string      `json:"id"`
	Stage     string      `json:"stage"`
	Memories  string      `json:"memories"`
	Attempts  int64       `json:"attempts"`
	LastError string      `json:"last_error"`
	CreatedAt schema.Time `json:"created_at"`
}

// Watermark is a stage's position: the last memory it has processed, and how
// many memories there are up to and including it.
type Watermark struct {
	Stage    string `json:"stage"`
	Memory   string `json:"memory"`
	Memories int64  `json:"memories"`
}

type End struct {
	Records int64 `json:"records"` // without header and end
}

// opTables are the tables that audit entries refer to by uid. Blocks (opBlocks) are
// identified by agent and name instead.
var opTables = []string{"memories", "entities", "runs", "proposals", "gaps"}

const opBlocks = "blocks"
