package peer

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/ebbmem/ebb/benchmarks/workload"
)

// batch is how many turns Load is given at once.
const batch = 20_000

// Serve answers requests until there are no more.
func Serve(m Memory) {
	s := server{memory: m}
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
		a, err := s.serve(ctx, r)
		if err != nil {
			a.Error = err.Error()
		}
		a.Resident, a.Descriptors = resident(), descriptors()
		if err := out.Encode(a); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

type server struct {
	memory Memory
	turns  turns
}

func (s *server) serve(ctx context.Context, r Request) (a Answer, err error) {
	m := s.memory
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
	case "collect":
		collect()
		return a, nil
	case "settle":
		if w, works := m.(Settler); works {
			return a, timed(func() error { return w.Settle(ctx) })
		}
		return a, nil
	case "search":
		for i, q := range r.Queries {
			if err := timed(func() error {
				found, err := m.Search(ctx, r.Users[i], q)
				a.Found += found.Results
				if found.Degraded {
					a.Degraded++
				}
				return err
			}); err != nil {
				return a, err
			}
		}
		return a, nil
	case "turn", "night":
		return a, s.withModel(ctx, r, &a, timed)
	case "vectors", "nearest":
		return a, s.withVectors(ctx, r, &a, timed)
	case "load":
		for from := r.From; from < r.To; from += batch {
			some, err := s.turns.read(r.Path, from, min(from+batch, r.To))
			if err != nil {
				return a, err
			}
			if reads, ok := m.(Reader); ok {
				if err := reads.Written(some); err != nil {
					return a, err
				}
			}
			if err := timed(func() error { return m.Load(ctx, some) }); err != nil {
				return a, err
			}
		}
		return a, nil
	}
	some, err := s.turns.read(r.Path, r.From, r.To)
	if err != nil {
		return a, err
	}
	switch r.Op {
	case "insert":
		for _, t := range some {
			if err := timed(func() error { return m.Insert(ctx, t) }); err != nil {
				return a, err
			}
		}
		return a, nil
	case "crowd":
		return crowd(ctx, m, some, r.Publishers)
	}
	return a, fmt.Errorf("no such request: %q", r.Op)
}

func (s *server) withModel(ctx context.Context, r Request, a *Answer, timed func(func() error) error) error {
	for i, user := range r.Users {
		err := timed(func() error {
			var model time.Duration
			err := ErrNotOffered
			if t, talks := s.memory.(Talker); talks && r.Op == "turn" {
				model, err = t.Turn(ctx, r.How, user, r.Queries[i])
			} else if n, sleeps := s.memory.(Sleeper); sleeps && r.Op == "night" {
				model, err = n.Night(ctx, user)
			}
			a.Model = append(a.Model, model.Nanoseconds())
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *server) withVectors(ctx context.Context, r Request, a *Answer, timed func(func() error) error) error {
	m, offers := s.memory.(Vectors)
	if !offers {
		return ErrNotOffered
	}
	all, err := ReadVectors(r.Path)
	if err != nil {
		return err
	}
	if r.Op == "vectors" {
		return timed(func() error { return m.AddVectors(ctx, all) })
	}
	for _, v := range all[r.From:r.To] {
		err := timed(func() error {
			found, err := m.Nearest(ctx, v)
			a.Nearest = append(a.Nearest, found)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// crowd distributes the turns among concurrent publishers.
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
