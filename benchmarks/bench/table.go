package main

import (
	"fmt"
	"slices"
	"strings"
)

// tables are the goals, and a table for each section that was run.
func (r results) tables() string {
	var out strings.Builder
	out.WriteString(r.goalsTable() + r.machines())
	for _, s := range sections() {
		ran, measured := r.Sections[s.name]
		if !measured {
			continue
		}
		fmt.Fprintf(&out, "\n### %s\n\n%s\n\n%s", s.name, s.about, r.table(s.name))
		for _, a := range r.LeftOut {
			if a.Section == s.name {
				fmt.Fprintf(&out, "\n- Left out: %s%s: %s.", a.Who, at(a.Size), a.Why)
			}
		}
		for _, n := range notes[s.name] {
			fmt.Fprintf(&out, "\n- %s", n)
		}
		fmt.Fprintf(&out, "\n- %s\n", ran)
	}
	return out.String()
}

func at(size int) string {
	if size == 0 {
		return ""
	}
	return " at " + thousands(size)
}

// machines are those that it was measured on.
func (r results) machines() string {
	var all []string
	for _, s := range sections() {
		m := r.Sections[s.name].Machine
		line := fmt.Sprintf("\nMachine: %d cores (%s), %s of memory, %s, %s.\n", m.Cores, m.CPU, m.Memory, m.System, m.Go)
		if m.Cores > 0 && !slices.Contains(all, line) {
			all = append(all, line)
		}
	}
	return strings.Join(all, "")
}

// String says how it was measured.
func (c course) String() string {
	s := fmt.Sprintf("Measured %s in %d s by `%s`", c.Began.Format("2006-01-02 15:04 UTC"), c.Seconds, c.Command)
	if c.Commit != "" {
		s += " at " + c.Commit
	}
	s += " on " + strings.Join(c.Data, ", ")
	if c.Machine.CPU != "" { // sections can be of different days
		s += "; " + c.Machine.CPU
	}
	if c.Load != "" {
		s += "; load average " + c.Load
	}
	return s + "."
}

// notes say what is not equal, and what the names mean.
var notes = map[string][]string{
	"publish": {
		"The floor, C and Go SQLite, makes ebb's four writes under the same indexes by prepared SQL: journal row, episode, chunk, full-text row; `synchronous=FULL`, `secure_delete`. ebb adds a report of the new memory to the journal, the checks for messages stored twice or erased, redaction, and columns. The floor has SQLite's own checkpoint every 1,000 pages, ebb one behind.",
		"chromem-go writes a file for each turn without syncing it. langchaingo's history is one row in a rollback journal, without a text index. Mem0 embeds, here by words in its own process, and writes SQLite without `FULL`. None of the three can be compared for what a crash leaves.",
		"What works behind ebb after a turn has ended before the next contender's turn.",
	},
	"tail": {
		"After the loads, before the first turn, the disk is given a minute for what they have left to it.",
	},
	"search": {
		"The floor is FTS5's `bm25` over the question without stop-words, one SQL statement. ebb's is its whole search: arms, ranking, reasons. `ebb, hybrid` and chromem-go embed by hashing words, at no cost to speak of.",
		"Resident is the process after collecting garbage, divided by the turns: SQLite's cache is in it.",
	},
	"first": {
		"Full speed is when no search is degraded any more and the median of nine in a row is at most twice that at the end.",
		"Times are medians of as many openings as the table says, of one where it says nothing: each by a new process that is asked the same questions and nothing before them. The first search is degraded if it was after any of them. What the operating system has of the file in memory after one opening is there at the next.",
	},
	"users":   {"The first search of a user is timed once for each; C has nothing to load."},
	"tenants": {"As many turns for each tenant; a file is held for one turn or one search, and whose comes next is drawn at random, which suits a small number of open files least. Each has been asked once before."},
	"vectors": {"ebb's arm and the scan take turns in one process on one core; chromem-go follows, on all cores. The scan is the plain loop over float32 that keeps the ten best."},
	"inject":  {"Without the model is what the wrapped model's turn took besides the model's server: search, injection, the report of what was shown. A longer prompt costs a real model time; that is not in it."},
	"night":   {"The model that answers at once takes every fourth message for a fact; its own time is taken off."},
	"binary":  {"Built inside ebb's own module, with the versions hosts get."},
}

// table has a line for each measure and size, and a column for each contender:
// its value, and beside it how many times the first one's it is.
func (r results) table(section string) string {
	type line struct {
		what, unit string
		size       int
	}
	var who []string
	var lines []line
	for _, x := range r.Rows {
		if x.Section != section {
			continue
		}
		if l := (line{x.What, x.Unit, x.Size}); !slices.Contains(lines, l) {
			lines = append(lines, l)
		}
		if !slices.Contains(who, x.Who) {
			who = append(who, x.Who)
		}
	}
	var out strings.Builder
	fmt.Fprintf(&out, "| | stored | %s |\n|---|---:|%s\n", strings.Join(who, " | "), strings.Repeat("---:|", len(who)))
	for _, l := range lines {
		what := l.what
		if l.unit != "" {
			what += ", " + l.unit
		}
		fmt.Fprintf(&out, "| %s | %s |", what, thousands(l.size))
		first, _ := r.value(section, l.what, l.size, who[0])
		for i, w := range who {
			v, measured := r.value(section, l.what, l.size, w)
			switch {
			case !measured:
				out.WriteString(" – |")
			case i == 0 || first == 0 || !comparable(l.unit):
				fmt.Fprintf(&out, " %s |", number(v))
			default:
				fmt.Fprintf(&out, " %s (%s×) |", number(v), number(v/first))
			}
		}
		out.WriteByte('\n')
	}
	return out.String()
}

// comparable are the units for which a ratio is meaningful.
func comparable(unit string) bool {
	return slices.Contains([]string{"ms", "turns/s", "MB", "bytes/turn"}, unit)
}

// number formats three significant digits.
func number(v float64) string {
	switch {
	case v == float64(int(v)) || v >= 100:
		return thousands(int(v + 0.5))
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	case v >= 1:
		return fmt.Sprintf("%.2f", v)
	}
	return fmt.Sprintf("%.3f", v)
}

// thousands formats 1,234,567.
func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
