// Package peer is what the benchmark and the memories it compares say to each
// other. Each memory runs as a program of its own: two SQLite drivers cannot
// live in one, and its resident memory is its own. It reads one request a line
// from standard input and answers each with one line; it measures itself, so
// that the talk is in no number.
package peer

import (
	"context"
	"errors"
	"time"

	"github.com/ebbmem/ebb/benchmarks/workload"
)

// Request asks for one thing.
type Request struct {
	// Op is open, load, settle, insert, crowd, search, collect or close; of
	// some memories also turn, night, vectors and nearest.
	Op string `json:"op"`
	// Dir is an empty folder for the memory's files; of open.
	Dir string `json:"dir,omitempty"`
	// Path is a file of turns, one a line, of load, insert and crowd; of
	// vectors, of vectors and nearest. From and To are those to take, To
	// excluded.
	Path string `json:"path,omitempty"`
	From int    `json:"from,omitempty"`
	To   int    `json:"to,omitempty"`
	// Publishers is how many insert at once; of crowd.
	Publishers int `json:"publishers,omitempty"`
	// Users and Queries belong together; of search, turn and night. Each is
	// asked for the ten best.
	Users   []string `json:"users,omitempty"`
	Queries []string `json:"queries,omitempty"`
	// How a turn is had: see [Talker].
	How string `json:"how,omitempty"`
}

// Answer is what came of it.
type Answer struct {
	Error string `json:"error,omitempty"`
	// Took are the nanoseconds of each insert, search or turn, in order.
	Took []int64 `json:"took,omitempty"`
	// Model are those of them that a model took; of turn and night.
	Model []int64 `json:"model,omitempty"`
	// Total are the nanoseconds of the whole request.
	Total int64 `json:"total"`
	// Found is how many results the searches brought together, Degraded how
	// many of the searches were not whole.
	Found    int `json:"found,omitempty"`
	Degraded int `json:"degraded,omitempty"`
	// Nearest are the places of the vectors found, ten for each; of nearest.
	Nearest [][]int `json:"nearest,omitempty"`
	// Resident are the bytes of the process after the request, Descriptors the
	// files it holds open.
	Resident    int64 `json:"resident"`
	Descriptors int   `json:"descriptors"`
}

// Memory is one of those compared. What it does not offer it answers with
// [ErrNotOffered].
type Memory interface {
	Open(ctx context.Context, dir string) error
	// Load stores turns in whatever way is fastest. They must survive a crash
	// once it returns, if the memory promises that at all.
	Load(ctx context.Context, turns []workload.Turn) error
	// Insert stores one turn as a host does during a conversation.
	Insert(ctx context.Context, turn workload.Turn) error
	// Search looks for the ten best.
	Search(ctx context.Context, user, query string) (Found, error)
	Close(ctx context.Context) error
}

// Found is what a search brought.
type Found struct {
	Results int
	// Degraded says that a part of the memory could not be asked.
	Degraded bool
}

// Reader is a memory whose Load reads what a host's history is kept in. Written
// makes that of the turns that Load is given next; it is in no number.
type Reader interface {
	Written(turns []workload.Turn) error
}

// Settler is a memory that works behind its caller: Settle waits for it.
type Settler interface {
	Settle(ctx context.Context) error
}

// Talker is a memory that takes part in turns with a model.
type Talker interface {
	// Turn has one turn. How is "bare", the model alone; "wrapped", the model
	// with the memory before its eyes; "load" and "save", the memory's two
	// steps of a turn without any model. It returns what the model took.
	Turn(ctx context.Context, how, user, text string) (model time.Duration, err error)
}

// Sleeper is a memory that consolidates at night.
type Sleeper interface {
	// Night consolidates one user's memory. It returns what the model took.
	Night(ctx context.Context, user string) (model time.Duration, err error)
}

// Vectors is a memory that can be given vectors and asked by them.
type Vectors interface {
	AddVectors(ctx context.Context, vectors [][]float32) error
	// Nearest are the places, in the order they were added, of the ten most
	// alike.
	Nearest(ctx context.Context, query []float32) ([]int, error)
}

// ErrNotOffered is the answer of a memory that has no such thing.
var ErrNotOffered = errors.New("not offered")
