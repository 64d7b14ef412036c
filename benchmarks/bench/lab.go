package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/ebbmem/ebb/internal/evalset"
)

// rounds is the number of alternations between the contenders.
const rounds = 20

// scale is how much is measured.
type scale struct {
	sizes     []int         // turns stored before measuring
	turns     int           // inserted at each size
	asked     int           // questions at each size
	tail      int           // turns stored before the tail is measured
	published int           // turns for the tail
	rest      time.Duration // for the disk before it
	users     int           // of the memory of many users
	shared    int           // turns they share
	tenants   int           // files in a folder
	active    int           // of them in use
	near      int           // vectors compared
	stored    int           // turns in the memory of a model's turns
	model     time.Duration // what a model takes
	talks     int           // turns with it
	nights    int           // repeated
	vectors   string        // folder of an encoder's
}

var (
	full = scale{
		sizes: []int{10_000, 100_000}, turns: 2000, asked: 400, tail: 500_000, published: 20_000, rest: time.Minute,
		users: 1000, shared: 100_000, tenants: 10_000, active: 200, near: 100_000,
		stored: 100_000, model: 500 * time.Millisecond, talks: 40, nights: 5,
	}
	small = scale{
		sizes: []int{500, 2000}, turns: 100, asked: 60, tail: 2000, published: 400,
		users: 20, shared: 2000, tenants: 120, active: 20, near: 20_000,
		stored: 1000, model: 50 * time.Millisecond, talks: 5, nights: 1,
	}
)

// lab is the state that the sections share.
type lab struct {
	builder
	scale

	sets []*evalset.Set
	mem0 []contender // none when it is not there
	results
}

// section is a part of the bench that can be run by itself.
type section struct {
	name  string
	about string // what is asked, under its table's heading
	run   func(*lab, context.Context) error
}

// sections are in the order in which they are run and shown. The previous section
// measures those without a run of their own.
func sections() []section {
	return []section{
		{"publish", "One turn stored as in a conversation, bulk load, and 64 publishers at once.", (*lab).writing},
		{"growth", "The largest memory and an empty one, taking turns.", nil},
		{"tail", "Many turns stored one by one into a large memory, and the log beside the file after.", (*lab).tails},
		{"search", "The ten best of one user's turns, warm.", (*lab).reading},
		{"first", "A new process opens the file and is asked at once, again and again.", nil},
		{"users", "One file of many users beside one file of one user, the same number of turns.", (*lab).manyUsers},
		{"tenants", "A folder with a file for each tenant beside one file for all, the same turns.", (*lab).manyTenants},
		{"vectors", "The ten vectors most alike, of those compared.", (*lab).vectorArm},
		{"inject", "Turns with a model server that takes its time, with and without memory.", (*lab).injection},
		{"night", "A night over a thousand messages, without the model's time.", (*lab).night},
		{"binary", "A program that only imports extension.", (*lab).binary},
	}
}

func sectionNames() (names []string) {
	for _, s := range sections() {
		names = append(names, s.name)
	}
	return names
}

// measure runs the sections.
func measure(ctx context.Context, o options) (found results, err error) {
	l := lab{builder: builder{built: make(map[string]string)}, scale: o.scale}
	l.results = newResults(o)
	for _, dir := range o.dirs {
		set, err := evalset.Load(dir)
		if err != nil {
			return found, err
		}
		l.sets = append(l.sets, set)
	}
	if l.dir, err = os.MkdirTemp("", "ebb-bench-*"); err != nil {
		return found, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(l.dir)) }()
	if _, err := os.Stat("peer/mem0/node_modules"); err != nil {
		l.leaveOut("publish", mem0.name, 0, "its package is not there; sh peer/mem0/setup.sh fetches it")
	} else {
		l.mem0 = []contender{mem0}
	}
	wanted := func(name string) bool { return len(o.only) == 0 || slices.Contains(o.only, name) }
	all := sections()
	for i, s := range all {
		if s.run == nil {
			continue
		}
		names := []string{s.name} // with the sections that it measures too
		for _, on := range all[i+1:] {
			if on.run != nil {
				break
			}
			names = append(names, on.name)
		}
		if !slices.ContainsFunc(names, wanted) {
			continue
		}
		began := time.Now()
		if err := s.run(&l, ctx); err != nil {
			return found, fmt.Errorf("%s: %w", s.name, err)
		}
		for _, name := range names {
			l.ran(name, began)
		}
	}
	return l.results, nil
}

// among starts contenders, and ends them.
func (l *lab) among(ctx context.Context, contenders []contender, f func([]*client) error) (err error) {
	var all []*client
	defer func() {
		for _, c := range all {
			err = errors.Join(err, c.end())
		}
	}()
	for _, c := range contenders {
		started, err := l.start(ctx, c)
		if err != nil {
			return err
		}
		all = append(all, started)
	}
	return f(all)
}

// fresh returns a new folder of the lab.
func (l *lab) fresh(name string) (string, error) { return os.MkdirTemp(l.dir, filepath.Base(name)+"-") }
