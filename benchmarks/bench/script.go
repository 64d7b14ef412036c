package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/ebbmem/ebb/benchmarks/workload"
)

// seed is the seed of all random data.
const seed = 1

// short is the number of turns for contenders that cannot hold more: Mem0 reads its
// script as a whole.
const short = 60_000

// script is a file of turns and questions about them.
type script struct {
	path  string
	asked map[int]questions // about the turns before so many
}

type questions struct{ users, queries []string }

// slice is a part of the questions.
func (q questions) slice(from, to int) questions {
	return questions{q.users[from:to], q.queries[from:to]}
}

// write makes turns of a number of users, and questions about the first sizes of
// them.
func (l *lab) write(turns, users int, sizes ...int) (script, error) {
	source := workload.New(l.sets, users, seed)
	return l.writeTurns(turns, sizes, source.Next, func(i int) (string, string) {
		return fmt.Sprintf("user-%05d", i%users), source.Question(i % users)
	})
}

// writeTurns writes the turns that next makes; question makes the i-th of a
// size.
func (l *lab) writeTurns(turns int, sizes []int, next func() workload.Turn, question func(i int) (user, query string)) (s script, err error) {
	s.asked = make(map[int]questions)
	dir, err := l.fresh("turns")
	if err != nil {
		return s, err
	}
	s.path = filepath.Join(dir, "all.jsonl")
	f, err := os.Create(s.path)
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	head, err := os.Create(s.head())
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, head.Close()) }()
	w, few := bufio.NewWriter(f), bufio.NewWriter(head)
	at := 0
	for i := range turns {
		line, err := json.Marshal(next())
		if err != nil {
			return s, err
		}
		line = append(line, '\n')
		if _, err := w.Write(line); err != nil {
			return s, err
		}
		if i < short {
			if _, err := few.Write(line); err != nil {
				return s, err
			}
		}
		if at < len(sizes) && i+1 == sizes[at] {
			s.asked[sizes[at]] = ask(l.asked, question)
			at++
		}
	}
	return s, errors.Join(w.Flush(), few.Flush())
}

func ask(n int, question func(i int) (user, query string)) (q questions) {
	for i := range n {
		user, query := question(i)
		q.users, q.queries = append(q.users, user), append(q.queries, query)
	}
	return q
}

func (s script) head() string { return filepath.Join(filepath.Dir(s.path), "head.jsonl") }

// of returns the file for a contender.
func (s script) of(c *client) string {
	if c.maxLoad > 0 && c.maxLoad <= short/2 {
		return s.head()
	}
	return s.path
}

func (s script) remove() error { return os.RemoveAll(filepath.Dir(s.path)) }
