package main

import (
	"fmt"
	"strings"
)

// goal is a limit for a number of a run.
type goal struct {
	name    string
	limit   float64
	atLeast bool   // else at most
	unit    string // "×" for ratios
	measure func(results) (value float64, where string, measured bool)
}

// verdict is a goal with the measured number.
type verdict struct {
	goal
	value    float64
	where    string
	measured bool
}

func (v verdict) met() bool {
	if v.atLeast {
		return v.value >= v.limit
	}
	return v.value <= v.limit
}

// String is "met", "missed" or "not measured".
func (v verdict) String() string {
	switch {
	case !v.measured:
		return "not measured"
	case v.met():
		return "met"
	}
	return "**missed**"
}

// enough is the folder of files that are all open.
const enough = "ebb, a file each, 256 open"

// goals in the order of the page.
func goals() []goal {
	return []goal{
		{"Publish p50 beside C SQLite's same writes", 1.5, false, "×", beside("publish", "publish p50", ebb.name, cSQLite.name)},
		{"Publish p50, a million turns beside none", 1.2, false, "×", func(r results) (float64, string, bool) {
			return r.ratio("growth", "publish p50", 1_000_000, ebb.name, "growth", "publish p50", 0, ebb.name)
		}},
		{"64 publishers beside one, turns a second", 10, true, "×", func(r results) (float64, string, bool) {
			size := r.largest("publish", "64 publishers", ebb.name)
			return r.ratio("publish", "64 publishers", size, ebb.name, "publish", "1 publishers", size, ebb.name)
		}},
		{"bulk load beside C SQLite's, turns a second", 0.5, true, "×", beside("publish", "bulk load", ebb.name, cSQLite.name)},
		{"hybrid search at 100,000 beside C SQLite's text search, p50", 1, false, "×", func(r results) (float64, string, bool) {
			return r.ratio("search", "search p50", 100_000, ebbHybrid.name, "search", "search p50", 100_000, cSQLite.name)
		}},
		{"hybrid search at 100,000, p99 beside its p50", 4, false, "×", func(r results) (float64, string, bool) {
			return r.ratio("search", "search p99", 100_000, ebbHybrid.name, "search", "search p50", 100_000, ebbHybrid.name)
		}},
		{"hybrid search at 1,000,000 beside 100,000, p50", 5, false, "×", func(r results) (float64, string, bool) {
			return r.ratio("search", "search p50", 1_000_000, ebbHybrid.name, "search", "search p50", 100_000, ebbHybrid.name)
		}},
		{"resident memory of each further turn, 100,000 to 1,000,000, hybrid", 400, false, " bytes", marginal},
		{"first answer after opening 100,000, hybrid", 300, false, " ms", one("first", "first search", 100_000, ebbHybrid.name)},
		{"full speed after opening 100,000, hybrid", 1000, false, " ms", one("first", "until full speed", 100_000, ebbHybrid.name)},
		{"first answer after opening 1,000,000, hybrid", 300, false, " ms", one("first", "first search", 1_000_000, ebbHybrid.name)},
		{"full speed after opening 1,000,000, hybrid", 10_000, false, " ms", one("first", "until full speed", 1_000_000, ebbHybrid.name)},
		{"plain float32 scan beside the vector arm, an encoder's vectors", 15, true, "×", vectorRatio("an encoder's vectors")},
		{"the arm's recall@10 there", 0.99, true, "", vectorRecall("an encoder's vectors")},
		{"plain float32 scan beside the vector arm, dense clusters", 15, true, "×", vectorRatio("dense clusters of 2,000")},
		{"the arm's recall@10 there", 0.95, true, "", vectorRecall("dense clusters of 2,000")},
		{"Publish at 500,000 turns, p99 beside p50", 5, false, "×", func(r results) (float64, string, bool) {
			return r.ratio("tail", "publish p99", 500_000, ebb.name, "tail", "publish p50", 500_000, ebb.name)
		}},
		{"context injection on a turn of a model that takes 500 ms", 1, false, " %", func(r results) (float64, string, bool) {
			const what = "wrapped model, share of the model's time"
			return one("inject", what, r.largest("inject", what, ebb.name), ebb.name)(r)
		}},
		{"publish p50, 10,000 files with 200 active beside one file (unchanged: within a fifth)", 1.2, false, "×", inFiles("publish p50")},
		{"search p50, the same", 1.2, false, "×", inFiles("search p50")},
		{"descriptors of each open file", 20, false, "", perFile("descriptors")},
		{"resident memory of each open file", 2, false, " MB", perFile("resident")},
		{"night over 1,000 messages, a model that answers at once", 2000, false, " ms", one("night", "night p50", messages, "ebb, a model that answers at once")},
		{"packages of model providers in a program that imports extension", 0, false, "", one("binary", "packages of model providers", 0, ebb.name)},
	}
}

// ratio divides one number by another.
func (r results) ratio(section, what string, size int, who, section2, what2 string, size2 int, who2 string) (float64, string, bool) {
	a, ok := r.value(section, what, size, who)
	b, ok2 := r.value(section2, what2, size2, who2)
	if !ok || !ok2 || b == 0 {
		return 0, "", false
	}
	return a / b, "", true
}

// beside divides ours by theirs at the largest size that both have.
func beside(section, what, ours, theirs string) func(results) (float64, string, bool) {
	return func(r results) (float64, string, bool) {
		size := r.largest(section, what, ours, theirs)
		value, _, measured := r.ratio(section, what, size, ours, section, what, size, theirs)
		return value, at(size), measured
	}
}

func one(section, what string, size int, who string) func(results) (float64, string, bool) {
	return func(r results) (float64, string, bool) {
		value, measured := r.value(section, what, size, who)
		return value, "", measured
	}
}

// marginal returns the memory that each turn from 100,000 on adds. SQLite's cache
// and the program itself are in both numbers.
func marginal(r results) (float64, string, bool) {
	const few, many = 100_000, 1_000_000
	a, ok := r.value("search", "resident", many, ebbHybrid.name)
	b, ok2 := r.value("search", "resident", few, ebbHybrid.name)
	return (a*many - b*few) / (many - few), "", ok && ok2
}

func vectorRatio(set string) func(results) (float64, string, bool) {
	return func(r results) (float64, string, bool) {
		size := r.largest("vectors", set+", p50", armName, scanName)
		return r.ratio("vectors", set+", p50", size, scanName, "vectors", set+", p50", size, armName)
	}
}

func vectorRecall(set string) func(results) (float64, string, bool) {
	return func(r results) (float64, string, bool) {
		value, measured := r.value("vectors", set+", recall@10", r.largest("vectors", set+", recall@10", armName), armName)
		return value, "", measured
	}
}

func inFiles(what string) func(results) (float64, string, bool) {
	return func(r results) (float64, string, bool) {
		return r.ratio("tenants", what, 10_000, enough, "tenants", what, 10_000, "ebb, one file")
	}
}

func perFile(what string) func(results) (float64, string, bool) {
	return func(r results) (float64, string, bool) {
		value, measured := r.value("tenants", what, 10_000, enough)
		return value / 256, "", measured
	}
}

func (r results) verdicts() (all []verdict) {
	for _, g := range goals() {
		v := verdict{goal: g}
		v.value, v.where, v.measured = g.measure(r)
		all = append(all, v)
	}
	return all
}

func (r results) goalsTable() string {
	var out strings.Builder
	out.WriteString("### goals\n\n| goal | limit | measured | |\n|---|---:|---:|---|\n")
	for _, v := range r.verdicts() {
		limit, measured := "≤ ", "–"
		if v.atLeast {
			limit = "≥ "
		}
		if v.measured {
			measured = number(v.value) + v.unit
		}
		fmt.Fprintf(&out, "| %s%s | %s | %s | %s |\n", v.name, v.where, limit+number(v.limit)+v.unit, measured, v)
	}
	return out.String()
}
