package peer

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	"github.com/ebbmem/ebb/benchmarks/workload"
)

// turns reads a file of turns. It keeps its position, so that the next read
// continues there.
type turns struct {
	path string
	file *os.File
	in   *bufio.Scanner
	at   int // the next line
}

// read reads lines of the file, to excluded.
func (t *turns) read(path string, from, to int) ([]workload.Turn, error) {
	if path != t.path || from < t.at {
		if err := t.open(path); err != nil {
			return nil, err
		}
	}
	all := make([]workload.Turn, 0, to-from)
	for t.at < to && t.in.Scan() {
		t.at++
		if t.at <= from {
			continue
		}
		var turn workload.Turn
		if err := json.Unmarshal(t.in.Bytes(), &turn); err != nil {
			return nil, fmt.Errorf("%s line %d: %w", path, t.at, err)
		}
		all = append(all, turn)
	}
	if err := t.in.Err(); err != nil {
		return nil, err
	}
	if len(all) != to-from {
		return nil, fmt.Errorf("%s has no lines %d to %d", path, from+1, to)
	}
	return all, nil
}

func (t *turns) open(path string) (err error) {
	if t.file != nil {
		if err := t.file.Close(); err != nil {
			return err
		}
	}
	if t.file, err = os.Open(path); err != nil {
		*t = turns{}
		return err
	}
	t.path, t.at, t.in = path, 0, bufio.NewScanner(t.file)
	t.in.Buffer(make([]byte, 1<<20), 1<<20)
	return nil
}
