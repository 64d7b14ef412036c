package main

import (
	"context"
	"errors"
	"os/exec"
	"time"
)

// tails measures the slowest of many inserts into a large memory, and how much
// of them is still in the log after.
func (l *lab) tails(ctx context.Context) error {
	s, err := l.write(l.tail+l.published, 1)
	if err != nil {
		return err
	}
	w := walk{lab: l, script: s, at: make(map[*client]int)}
	err = l.among(ctx, []contender{ebb, cSQLite}, func(all []*client) error {
		for _, c := range all {
			if err := w.load("tail", c, l.tail); err != nil {
				return err
			}
		}
		l.restDisk(ctx)
		took, err := w.insert(all, l.published)
		if err != nil {
			return err
		}
		for _, c := range all {
			w.noteTimes("tail", c, "publish", l.tail, took[c], 50, 99, 99.9, 100)
			logged, err := c.logged()
			if err != nil {
				return err
			}
			w.note("tail", c, "log after", l.tail, "MB", float64(logged)/1e6, true)
		}
		return nil
	})
	return errors.Join(err, s.remove())
}

// restDisk has the disk write what the loads have left to it: for some seconds
// after a gigabyte every sync takes longer, whoever's it is.
func (l *lab) restDisk(ctx context.Context) {
	_ = exec.CommandContext(ctx, "sync").Run() // where there is none, the time must do
	time.Sleep(l.rest)
}
