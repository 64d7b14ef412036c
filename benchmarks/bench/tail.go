package main

import (
	"context"
	"errors"
	"os/exec"
	"time"
)

// tails measures the slowest of many inserts into a large memory, and the size of
// the log afterwards.
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

// restDisk waits until the disk has written the data of the loads: for some seconds
// after a gigabyte every sync of any process takes longer.
func (l *lab) restDisk(ctx context.Context) {
	_ = exec.CommandContext(ctx, "sync").Run() // without the command, the pause must suffice
	time.Sleep(l.rest)
}
