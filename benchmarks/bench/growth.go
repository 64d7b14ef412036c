package main

import "context"

// growth alternates between full memories and empty ones.
func (w walk) growth(ctx context.Context, full []*client, size int) error {
	var contenders []contender
	for _, c := range full {
		contenders = append(contenders, c.contender)
	}
	return w.among(ctx, contenders, func(empty []*client) error {
		took, err := w.insert(append(empty, full...), w.turns)
		if err != nil {
			return err
		}
		for _, c := range empty {
			w.noteTimes("growth", c, "publish", 0, took[c], 50, 99)
		}
		for _, c := range full {
			w.noteTimes("growth", c, "publish", size, took[c], 50, 99)
		}
		return nil
	})
}
