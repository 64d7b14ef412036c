package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// row is one number of one contender.
type row struct {
	What  string  `json:"what"`
	Size  int     `json:"size"` // turns stored before
	Who   string  `json:"who"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
	// LessIsBetter is false for rates.
	LessIsBetter bool `json:"less_is_better"`
}

func (l *lab) note(c *client, what string, size int, unit string, value float64, less bool) {
	l.rows = append(l.rows, row{what, size, c.name, value, unit, less})
	fmt.Fprintf(os.Stderr, "%-14s %8d  %-28s %10.3f %s\n", what, size, c.name, value, unit)
}

// noteTimes notes the median and the tail.
func (l *lab) noteTimes(c *client, what string, size int, took []int64) {
	took = slices.Clone(took)
	slices.Sort(took)
	l.note(c, what+" p50", size, "ms", ms(took[len(took)/2]), true)
	l.note(c, what+" p99", size, "ms", ms(took[len(took)*99/100]), true)
}

// report writes the table, the numbers and the plots.
func (l *lab) report(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	table := l.table()
	fmt.Print(table)
	numbers, err := json.MarshalIndent(l.rows, "", "  ")
	if err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(filepath.Join(dir, "table.md"), []byte(table), 0o644),
		os.WriteFile(filepath.Join(dir, "numbers.json"), append(numbers, '\n'), 0o644),
		l.plots(dir),
	)
}

// table has a line for each measure and size, and a column for each contender:
// its value, and beside it how many times ebb's it is.
func (l *lab) table() string {
	var who, what []string
	values := make(map[[2]string]row)
	for _, r := range l.rows {
		key := fmt.Sprintf("%s, %s|%d", r.What, r.Unit, r.Size)
		if !slices.Contains(what, key) {
			what = append(what, key)
		}
		if !slices.Contains(who, r.Who) {
			who = append(who, r.Who)
		}
		values[[2]string{key, r.Who}] = r
	}
	var out strings.Builder
	fmt.Fprintf(&out, "%s/%s, %d cores, %s. In brackets: how many times ebb's.\n\n| what | turns | %s |\n|---|---|%s\n",
		runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version(), strings.Join(who, " | "), strings.Repeat("---|", len(who)))
	for _, key := range what {
		name, size, _ := strings.Cut(key, "|")
		fmt.Fprintf(&out, "| %s | %s |", name, size)
		ours := values[[2]string{key, who[0]}].Value
		for i, w := range who {
			r, measured := values[[2]string{key, w}]
			switch {
			case !measured:
				out.WriteString(" – |")
			case i == 0 || ours == 0:
				fmt.Fprintf(&out, " %s |", number(r.Value))
			default:
				fmt.Fprintf(&out, " %s (%s×) |", number(r.Value), number(r.Value/ours))
			}
		}
		out.WriteByte('\n')
	}
	return out.String()
}

// number has three digits that count.
func number(v float64) string {
	switch {
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	case v >= 1:
		return fmt.Sprintf("%.2f", v)
	}
	return fmt.Sprintf("%.3f", v)
}
