package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// results are the numbers of a run, or of several that were merged.
type results struct {
	Sections map[string]course `json:"sections"`
	Rows     []row             `json:"rows"`
	LeftOut  []absence         `json:"left_out"`
	now      course            // of this run
}

// course is how a section was measured.
type course struct {
	Began   time.Time `json:"began"`
	Seconds int       `json:"seconds"`
	Commit  string    `json:"commit,omitempty"`
	Command string    `json:"command"`
	Data    []string  `json:"data"`
	Machine machine   `json:"machine"`
	// Load is the machine's load average, over five minutes, when it ended;
	// the bench itself makes about one of it.
	Load string `json:"load,omitempty"`
}

// machine is where it was measured.
type machine struct {
	System string `json:"system"`
	CPU    string `json:"cpu,omitempty"`
	Cores  int    `json:"cores"`
	Memory string `json:"memory,omitempty"`
	Go     string `json:"go"`
}

// row is one number of one contender.
type row struct {
	Section string  `json:"section"`
	What    string  `json:"what"`
	Size    int     `json:"size"` // turns stored before
	Who     string  `json:"who"`
	Value   float64 `json:"value"`
	Unit    string  `json:"unit"`
	// LessIsBetter is false for rates.
	LessIsBetter bool `json:"less_is_better"`
}

// absence is a missing number with the reason.
type absence struct {
	Section string `json:"section"`
	Who     string `json:"who"`
	Size    int    `json:"size,omitempty"`
	Why     string `json:"why"`
}

func newResults(o options) results {
	r := results{Sections: make(map[string]course)}
	r.now = course{Command: o.command(), Commit: commit(), Machine: thisMachine()}
	for _, dir := range o.dirs {
		r.now.Data = append(r.now.Data, filepath.Base(dir))
	}
	return r
}

// command is the one that makes these numbers, without paths.
func (o options) command() string {
	sizes := make([]string, len(o.sizes))
	for i, n := range o.sizes {
		sizes[i] = fmt.Sprint(n)
	}
	c := "go run ./bench --sizes " + strings.Join(sizes, ",")
	if o.model == small.model {
		c = "go run ./bench --quick"
	}
	if o.vectors != "" {
		c += " --vectors FOLDER"
	}
	return c
}

func (r *results) note(section string, c *client, what string, size int, unit string, value float64, less bool) {
	r.Rows = append(r.Rows, row{section, what, size, c.name, value, unit, less})
	fmt.Fprintf(os.Stderr, "%-8s %-26s %8d  %-28s %10.3f %s\n", section, what, size, c.name, value, unit)
}

// noteTimes notes percentiles, 100 being the slowest.
func (r *results) noteTimes(section string, c *client, what string, size int, took []int64, percentiles ...float64) {
	for _, p := range percentiles {
		name := fmt.Sprintf("%s p%v", what, p)
		if p == 100 {
			name = what + " slowest"
		}
		r.note(section, c, name, size, "ms", ms(quantile(took, p)), true)
	}
}

func (r *results) leaveOut(section, who string, size int, why string) {
	r.LeftOut = append(r.LeftOut, absence{section, who, size, why})
	fmt.Fprintf(os.Stderr, "%-8s left out: %s at %d: %s\n", section, who, size, why)
}

// ran records the end of a section.
func (r *results) ran(section string, began time.Time) {
	run := r.now
	run.Began, run.Seconds, run.Load = began.UTC().Truncate(time.Second), int(time.Since(began).Seconds()), load()
	r.Sections[section] = run
}

// with returns these results with the sections of others replacing their own.
func (r results) with(others results) results {
	all := results{Sections: maps.Clone(r.Sections)}
	if all.Sections == nil {
		all.Sections = make(map[string]course)
	}
	maps.Copy(all.Sections, others.Sections)
	again := func(section string) bool { _, ran := others.Sections[section]; return ran }
	for _, old := range r.Rows {
		if !again(old.Section) {
			all.Rows = append(all.Rows, old)
		}
	}
	for _, old := range r.LeftOut {
		if !again(old.Section) {
			all.LeftOut = append(all.LeftOut, old)
		}
	}
	all.Rows, all.LeftOut = append(all.Rows, others.Rows...), append(all.LeftOut, others.LeftOut...)
	return all
}

// value is one number.
func (r results) value(section, what string, size int, who string) (float64, bool) {
	i := slices.IndexFunc(r.Rows, func(x row) bool {
		return x.Section == section && x.What == what && x.Size == size && x.Who == who
	})
	if i < 0 {
		return 0, false
	}
	return r.Rows[i].Value, true
}

// largest is the greatest size at which all of them were measured; 0 for none.
func (r results) largest(section, what string, who ...string) (size int) {
	for _, x := range r.Rows {
		if x.Section != section || x.What != what || x.Size <= size {
			continue
		}
		if !slices.ContainsFunc(who, func(w string) bool { _, measured := r.value(section, what, x.Size, w); return !measured }) {
			size = x.Size
		}
	}
	return size
}

const (
	numbersFile = "numbers.json"
	tablesFile  = "tables.md"
)

func readResults(dir string) (r results, err error) {
	raw, err := os.ReadFile(filepath.Join(dir, numbersFile))
	if errors.Is(err, os.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return r, err
	}
	return r, json.Unmarshal(raw, &r)
}

// write writes the numbers, the tables, the plots and the page, and prints the
// tables.
func (r results) write(dir, page string) error {
	if len(r.Rows) == 0 {
		return fmt.Errorf("%s holds no numbers: run the bench without --show first", dir)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	raw, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	tables := r.tables()
	fmt.Print(tables)
	err = errors.Join(
		os.WriteFile(filepath.Join(dir, numbersFile), append(raw, '\n'), 0o644),
		os.WriteFile(filepath.Join(dir, tablesFile), []byte(tables), 0o644),
		r.plots(dir),
	)
	if err == nil && page != "" {
		err = r.renewPage(page, dir)
	}
	return err
}

// quantile returns the value at or below which a percentage of the values lies.
func quantile(all []int64, percent float64) int64 {
	all = slices.Sorted(slices.Values(all))
	return all[min(len(all)-1, int(float64(len(all))*percent/100))]
}

func ms(nanoseconds int64) float64 { return float64(nanoseconds) / 1e6 }

func thisMachine() machine {
	return machine{
		System: runtime.GOOS + "/" + runtime.GOARCH, Cores: runtime.NumCPU(), Go: runtime.Version(),
		CPU: field("/proc/cpuinfo", "model name"), Memory: field("/proc/meminfo", "MemTotal"),
	}
}

// field returns the value of a name in a file of /proc, or "".
func field(path, name string) string {
	raw, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(raw)) {
		if key, value, found := strings.Cut(line, ":"); found && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// load returns the load average of five minutes, or "" without /proc.
func load() string {
	raw, err := os.ReadFile("/proc/loadavg")
	if words := strings.Fields(string(raw)); err == nil && len(words) > 1 {
		return words[1]
	}
	return ""
}

// commit returns the commit of the work tree, or "" outside of one.
func commit() string {
	out, err := exec.Command("git", "rev-parse", "--short=10", "HEAD").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}
