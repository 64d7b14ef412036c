package main

// tails measures the slowest of many inserts into a large memory, and how much
// of them is still in the log after.
func (w walk) tails(all []*client, size int) error {
	took, err := w.insert(all, w.published)
	if err != nil {
		return err
	}
	for _, c := range all {
		w.noteTimes("tail", c, "publish", size, took[c], 50, 99, 99.9, 100)
		logged, err := c.logged()
		if err != nil {
			return err
		}
		w.note("tail", c, "log after", size, "MB", float64(logged)/1e6, true)
	}
	return nil
}
