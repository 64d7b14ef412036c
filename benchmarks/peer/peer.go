// Package peer is what the benchmark and the memories it compares say to each
// other. Each memory runs as a program of its own: two SQLite drivers cannot
// live in one, and its resident memory is its own. It reads one request a line
// from standard input and answers each with one line; it measures itself, so
// that the talk is in no number.
package peer

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/ebbmem/ebb/benchmarks/workload"
)

// Request asks for one thing.
type Request struct {
	// Op is open, load, settle, insert, crowd, search or close.
	Op string `json:"op"`
	// Dir is an empty folder for the memory's files; of open.
	Dir string `json:"dir,omitempty"`
	// Path is a file of turns, one a line; of load and insert. From and To
	// are the lines to take, To excluded.
	Path string `json:"path,omitempty"`
	From int    `json:"from,omitempty"`
	To   int    `json:"to,omitempty"`
	// Publishers is how many insert at once; of crowd.
	Publishers int `json:"publishers,omitempty"`
	// Users and Queries belong together; of search. Each is asked for the ten
	// best.
	Users   []string `json:"users,omitempty"`
	Queries []string `json:"queries,omitempty"`
}

// Answer is what came of it.
type Answer struct {
	Error string `json:"error,omitempty"`
	// Took are the nanoseconds of each insert or search, in order.
	Took []int64 `json:"took,omitempty"`
	// Total are the nanoseconds of the whole request.
	Total int64 `json:"total"`
	// Found is how many results the searches brought together.
	Found int `json:"found,omitempty"`
	// Resident are the bytes of the process after the request.
	Resident int64 `json:"resident"`
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
	// Search returns how many of the ten best it found.
	Search(ctx context.Context, user, query string) (int, error)
	Close(ctx context.Context) error
}

// Settler is a memory that works behind its caller: Settle waits for it.
type Settler interface {
	Settle(ctx context.Context) error
}

// ErrNotOffered is the answer of a memory that has no such thing.
var ErrNotOffered = errors.New("not offered")

// batch is how many turns Load is given at once.
const batch = 20_000

// Serve answers requests until there are no more.
func Serve(m Memory) {
	ctx := context.Background()
	in := json.NewDecoder(bufio.NewReader(os.Stdin))
	out := json.NewEncoder(os.Stdout)
	for {
		var r Request
		if err := in.Decode(&r); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		a, err := serve(ctx, m, r)
		if err != nil {
			a.Error = err.Error()
		}
		a.Resident = resident()
		if err := out.Encode(a); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

func serve(ctx context.Context, m Memory, r Request) (a Answer, err error) {
	timed := func(f func() error) error {
		began := time.Now()
		err := f()
		took := time.Since(began)
		a.Took = append(a.Took, took.Nanoseconds())
		a.Total += took.Nanoseconds()
		return err
	}
	switch r.Op {
	case "open":
		return a, timed(func() error { return m.Open(ctx, r.Dir) })
	case "close":
		return a, timed(func() error { return m.Close(ctx) })
	case "settle":
		if s, works := m.(Settler); works {
			return a, timed(func() error { return s.Settle(ctx) })
		}
		return a, nil
	case "search":
		for i, q := range r.Queries {
			if err := timed(func() error {
				n, err := m.Search(ctx, r.Users[i], q)
				a.Found += n
				return err
			}); err != nil {
				return a, err
			}
		}
		return a, nil
	case "load":
		for from := r.From; from < r.To; from += batch {
			turns, err := Read(r.Path, from, min(from+batch, r.To))
			if err != nil {
				return a, err
			}
			if err := timed(func() error { return m.Load(ctx, turns) }); err != nil {
				return a, err
			}
		}
		return a, nil
	}
	turns, err := Read(r.Path, r.From, r.To)
	if err != nil {
		return a, err
	}
	switch r.Op {
	case "insert":
		for _, t := range turns {
			if err := timed(func() error { return m.Insert(ctx, t) }); err != nil {
				return a, err
			}
		}
		return a, nil
	case "crowd":
		return crowd(ctx, m, turns, r.Publishers)
	}
	return a, fmt.Errorf("no such request: %q", r.Op)
}

// crowd shares the turns among so many publishers at once.
func crowd(ctx context.Context, m Memory, turns []workload.Turn, publishers int) (a Answer, err error) {
	next := make(chan workload.Turn)
	failed := make(chan error, publishers)
	began := time.Now()
	for range publishers {
		go func() {
			var first error
			for t := range next {
				if err := m.Insert(ctx, t); err != nil && first == nil {
					first = err
				}
			}
			failed <- first
		}()
	}
	for _, t := range turns {
		next <- t
	}
	close(next)
	for range publishers {
		err = errors.Join(err, <-failed)
	}
	a.Total = time.Since(began).Nanoseconds()
	return a, err
}

// Read reads lines of a file of turns.
func Read(path string, from, to int) (turns []workload.Turn, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	lines := bufio.NewScanner(f)
	lines.Buffer(make([]byte, 1<<20), 1<<20)
	for i := 0; i < to && lines.Scan(); i++ {
		if i < from {
			continue
		}
		var t workload.Turn
		if err := json.Unmarshal(lines.Bytes(), &t); err != nil {
			return nil, fmt.Errorf("%s line %d: %w", path, i+1, err)
		}
		turns = append(turns, t)
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if len(turns) != to-from {
		return nil, fmt.Errorf("%s has no lines %d to %d", path, from+1, to)
	}
	return turns, nil
}

// resident is VmRSS of this process in bytes; 0 where /proc does not say.
func resident() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if rest, found := strings.CutPrefix(line, "VmRSS:"); found {
			kib, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			if err != nil {
				return 0
			}
			return kib << 10
		}
	}
	return 0
}
