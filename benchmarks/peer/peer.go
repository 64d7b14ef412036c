// Package peer is the protocol between the benchmark and the memories it compares.
// Each memory runs as a program of its own, since two SQLite drivers cannot share
// one and resident memory is per process. It reads one request per line from
// standard input and answers each with one line. It measures itself, so that the
// protocol is not part of any number.
package peer

import (
	"context"
	"errors"
	"time"

	"github.com/ebbmem/ebb/benchmarks/workload"
)

// Request is one operation.
type Request struct {
	// Op is open, load, settle, insert, crowd, search, collect or close; of
	// some memories also turn, night, vectors and nearest.
	Op string `json:"op"`
	// Dir is an empty folder for the memory's files; of open.
	Dir string `json:"dir,omitempty"`
	// Path is a file of turns, one per line, for load, insert and crowd; of
	// vectors for vectors and nearest. From and To select its entries, To
	// excluded.
	Path string `json:"path,omitempty"`
	From int    `json:"from,omitempty"`
	To   int    `json:"to,omitempty"`
	// Publishers is the number of concurrent publishers; of crowd.
	Publishers int `json:"publishers,omitempty"`
	// Users and Queries belong together; of search, turn and night. Each is
	// asked for the ten best.
	Users   []string `json:"users,omitempty"`
	Queries []string `json:"queries,omitempty"`
	// How is the kind of a turn: see [Talker].
	How string `json:"how,omitempty"`
}

// Answer is the result of a request.
type Answer struct {
	Error string `json:"error,omitempty"`
	// Took are the nanoseconds of each insert, search or turn, in order.
	Took []int64 `json:"took,omitempty"`
	// Model are the nanoseconds spent in a model; of turn and night.
	Model []int64 `json:"model,omitempty"`
	// Total are the nanoseconds of the whole request.
	Total int64 `json:"total"`
	// Found is the number of results of all searches, Degraded the number of
	// degraded searches.
	Found    int `json:"found,omitempty"`
	Degraded int `json:"degraded,omitempty"`
	// Nearest are the places of the vectors found, ten for each; of nearest.
	Nearest [][]int `json:"nearest,omitempty"`
	// Resident are the bytes of the process after the request, Descriptors the
	// files it holds open.
	Resident    int64 `json:"resident"`
	Descriptors int   `json:"descriptors"`
}

// Memory is one of the compared memories. It answers operations that it lacks with
// [ErrNotOffered].
type Memory interface {
	Open(ctx context.Context, dir string) error
	// Load stores turns in the fastest way. They must survive a crash once it
	// returns, if the memory promises that.
	Load(ctx context.Context, turns []workload.Turn) error
	// Insert stores one turn as a host does during a conversation.
	Insert(ctx context.Context, turn workload.Turn) error
	// Search looks for the ten best.
	Search(ctx context.Context, user, query string) (Found, error)
	Close(ctx context.Context) error
}

// Found is the result of a search.
type Found struct {
	Results int
	// Degraded is true when a part of the memory was not searched.
	Degraded bool
}

// Reader is a memory with a Load that reads the format of a host's history. Written
// converts the turns for the next Load; it is not measured.
type Reader interface {
	Written(turns []workload.Turn) error
}

// Settler is a memory with background work. Settle waits for it.
type Settler interface {
	Settle(ctx context.Context) error
}

// Talker is a memory that takes part in turns with a model.
type Talker interface {
	// Turn runs one turn. How is "bare", the model alone; "wrapped", the model with
	// injected memories; "load" and "save", the memory's two steps of a turn without
	// a model. It returns the model's time.
	Turn(ctx context.Context, how, user, text string) (model time.Duration, err error)
}

// Sleeper is a memory that consolidates at night.
type Sleeper interface {
	// Night consolidates one user's memory. It returns the model's time.
	Night(ctx context.Context, user string) (model time.Duration, err error)
}

// Vectors is a memory that can be given vectors and asked by them.
type Vectors interface {
	AddVectors(ctx context.Context, vectors [][]float32) error
	// Nearest returns the indexes, in order of insertion, of the ten most similar
	// vectors.
	Nearest(ctx context.Context, query []float32) ([]int, error)
}

// ErrNotOffered is the answer of a memory that lacks an operation.
var ErrNotOffered = errors.New("not offered")
