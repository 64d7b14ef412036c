package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/ebbmem/ebb/benchmarks/peer"
	"github.com/ebbmem/ebb/benchmarks/workload"
)

// before is the number of turns of an active tenant before the measurement. longer
// is the factor by which a round is longer than elsewhere, so that the background
// work of a turn, a tenth of a second later, falls into the round.
const (
	before = 30
	longer = 3
)

// manyTenants compares a folder of files, with few and with enough of them open, and
// one file with the same turns. Only some tenants are active; the next one is drawn
// at random. Each of them is asked once before the measurement.
func (l *lab) manyTenants(ctx context.Context) error {
	source := workload.New(l.sets, 1, seed)
	random := rand.New(rand.NewPCG(seed, seed))
	var (
		made   int
		loaded = l.tenants + before*l.active
	)
	active := random.Perm(l.tenants)[:l.active]
	next := func() workload.Turn {
		t := source.Next()
		tenant := made // each tenant has one turn first
		if made >= l.tenants {
			tenant = active[random.IntN(len(active))]
		}
		made++
		t.User = fmt.Sprintf("user-%05d", tenant)
		return t
	}
	question := func(int) (string, string) {
		return fmt.Sprintf("user-%05d", active[random.IntN(len(active))]), source.Question(0)
	}
	turns := longer * l.turns
	s, err := l.writeTurns(loaded+turns, []int{loaded}, next, question)
	if err != nil {
		return err
	}
	var each questions
	for _, tenant := range active {
		each.users, each.queries = append(each.users, fmt.Sprintf("user-%05d", tenant)), append(each.queries, source.Question(0))
	}
	files := func(of contender, n int) contender {
		return of.as(fmt.Sprintf("%s, a file each, %d open", of.name, n), "-files", fmt.Sprint(n))
	}
	few, enough := l.active*64/200, l.active*256/200 // the default of 64 beside 200 active ones, and more than they are
	c := cSQLite.as("C SQLite")
	err = l.among(ctx, []contender{ebb.as("ebb, one file"), files(ebb, enough), files(ebb, few), c.as("C SQLite, one file"), files(c, enough)}, func(all []*client) error {
		w := walk{lab: l, script: s, at: make(map[*client]int)}
		for _, c := range all {
			a, err := c.ask(peer.Request{Op: "load", Path: w.path(c), To: loaded})
			if err != nil {
				return err
			}
			l.note("tenants", c, "bulk load", l.tenants, "turns/s", rate(loaded, a.Total), false)
			if _, err := c.ask(peer.Request{Op: "settle"}); err != nil {
				return err
			}
			w.at[c] = loaded
			for _, r := range []peer.Request{{Op: "search", Users: each.users, Queries: each.queries}, {Op: "settle"}} {
				if _, err := c.ask(r); err != nil {
					return err
				}
			}
		}
		took, err := w.insert(all, turns)
		if err != nil {
			return err
		}
		asked, err := searches(all, true, func(*client) questions { return s.asked[loaded] })
		if err != nil {
			return err
		}
		for _, c := range all {
			l.noteTimes("tenants", c, "publish", l.tenants, took[c], 50, 99)
			l.noteTimes("tenants", c, "search", l.tenants, asked[c], 50, 99)
			a, err := c.ask(peer.Request{Op: "collect"})
			if err != nil {
				return err
			}
			l.note("tenants", c, "descriptors", l.tenants, "", float64(a.Descriptors), true)
			l.note("tenants", c, "resident", l.tenants, "MB", float64(a.Resident)/1e6, true)
		}
		return nil
	})
	return errors.Join(err, s.remove())
}
