package main

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/benchmarks/peer"
	"github.com/ebbmem/ebb/internal/evalset"
)

// made returns invented rows.
func made() results {
	r := results{Sections: map[string]course{}}
	add := func(section, what string, size int, who string, value float64, unit string) {
		r.Rows = append(r.Rows, row{section, what, size, who, value, unit, unit != "turns/s"})
		r.Sections[section] = course{Began: time.Date(2026, 1, 2, 3, 4, 0, 0, time.UTC), Seconds: 7, Command: "go run ./bench", Data: []string{"invented"}}
	}
	add("publish", "publish p50", 0, ebb.name, 9, "ms")
	add("publish", "publish p50", 1000, ebb.name, 0.3, "ms")
	add("publish", "publish p50", 1000, cSQLite.name, 0.2, "ms")
	add("publish", "publish p50", 5000, ebb.name, 0.5, "ms") // C is not there
	add("publish", "bulk load", 1000, ebb.name, 4000, "turns/s")
	add("publish", "bulk load", 1000, cSQLite.name, 10_000, "turns/s")
	add("publish", "1 publishers", 1000, ebb.name, 2000, "turns/s")
	add("publish", "64 publishers", 1000, ebb.name, 20_000, "turns/s")
	add("search", "resident", 100_000, ebbHybrid.name, 2000, "bytes/turn")
	add("search", "resident", 1_000_000, ebbHybrid.name, 560, "bytes/turn")
	add("tenants", "descriptors", 10_000, enough, 2560, "")
	add("binary", "packages of model providers", 0, ebb.name, 1, "")
	add("vectors", "dense clusters of 2,000, p50", 900, armName, 2, "ms")
	add("vectors", "dense clusters of 2,000, p50", 900, scanName, 40, "ms")
	r.leaveOut("publish", cSQLite.name, 5000, "it was invented")
	return r
}

func TestGoalsAreArithmetic(t *testing.T) {
	said := make(map[string]string)
	for _, v := range made().verdicts() {
		if v.measured {
			said[v.name+v.where] = number(v.value) + v.unit + " " + v.String()
		}
	}
	require.Equal(t, map[string]string{
		"Publish p50 beside C SQLite's same writes at 1,000":                 "1.50× met",
		"bulk load beside C SQLite's, turns a second at 1,000":               "0.400× **missed**",
		"64 publishers beside one, turns a second":                           "10× met",
		"resident memory of each further turn, 100,000 to 1,000,000, hybrid": "400 bytes met",
		"descriptors of each open file":                                      "10 met",
		"packages of model providers in a program that imports extension":    "1 **missed**",
		"plain float32 scan beside the vector arm, dense clusters":           "20× met",
	}, said)
}

func TestGoalsWithoutData(t *testing.T) {
	for _, v := range (results{}).verdicts() {
		require.False(t, v.measured, v.name)
		require.Equal(t, "not measured", v.String())
	}
}

func TestTableRatios(t *testing.T) {
	table := made().table("publish")
	require.Contains(t, table, "| | stored | ebb | C SQLite (mattn) |\n")
	require.Contains(t, table, "| publish p50, ms | 1,000 | 0.300 | 0.200 (0.667×) |\n")
	require.Contains(t, table, "| publish p50, ms | 5,000 | 0.500 | – |\n")
	require.Contains(t, table, "| bulk load, turns/s | 1,000 | 4,000 | 10,000 (2.50×) |\n")
	require.NotContains(t, made().table("vectors"), "recall@10 (")
	all := made().tables()
	require.Contains(t, all, "- Left out: C SQLite (mattn) at 5,000: it was invented.")
	require.Contains(t, all, "Measured 2026-01-02 03:04 UTC in 7 s by `go run ./bench` on invented")
	require.NotContains(t, all, "### tail", "it was not run")
}

func TestASectionIsReplacedAsAWhole(t *testing.T) {
	again := results{Sections: map[string]course{"publish": {Seconds: 8}}, Rows: []row{{"publish", "publish p50", 77, ebb.name, 1, "ms", true}}}
	all := made().with(again)
	require.Equal(t, 8, all.Sections["publish"].Seconds)
	require.Empty(t, all.LeftOut)
	require.Equal(t, 77, all.largest("publish", "publish p50", ebb.name))
	_, kept := all.value("search", "resident", 100_000, ebbHybrid.name)
	require.True(t, kept)
	require.Equal(t, made().Rows, results{}.with(made()).Rows)
}

func TestResultsRoundTrip(t *testing.T) {
	dir := t.TempDir()
	page := filepath.Join(dir, "page.md")
	require.NoError(t, os.WriteFile(page, []byte("# Page\n"+pageFrom+"stale words\n"+pageTo+"end\n"), 0o600))
	out := filepath.Join(dir, "out")
	require.NoError(t, made().write(out, page))
	read, err := readResults(out)
	require.NoError(t, err)
	require.Equal(t, made(), read)
	renewed, err := os.ReadFile(page)
	require.NoError(t, err)
	require.Contains(t, string(renewed), "# Page\n"+pageFrom)
	require.Contains(t, string(renewed), made().tables())
	require.Contains(t, string(renewed), "![bulk load](out/bulk.svg)")
	require.NotContains(t, string(renewed), "stale words")
	require.True(t, strings.HasSuffix(string(renewed), pageTo+"end\n"))
	twice, err := made().onPage(string(renewed), "out")
	require.NoError(t, err)
	require.Equal(t, string(renewed), twice)

	_, err = made().onPage("# a page without marks", "out")
	require.ErrorContains(t, err, "to write between")
	require.ErrorContains(t, results{}.write(out, ""), "holds no numbers")
	none, err := readResults(t.TempDir())
	require.NoError(t, err)
	require.Empty(t, none.Rows)
}

func TestPlotsAreWholeAndHaveNoBackground(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, made().plots(dir))
	raw, err := os.ReadFile(filepath.Join(dir, "publish.svg"))
	require.NoError(t, err)
	for d := xml.NewDecoder(strings.NewReader(string(raw))); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else {
			require.NoError(t, err)
		}
	}
	require.NotContains(t, string(raw), "fill:#FFFFFF")
	require.NotContains(t, string(raw), "#000000", "it cannot be read on black")
	require.NoFileExists(t, filepath.Join(dir, "search.svg"), "nothing of it was measured")
}

func TestQuantile(t *testing.T) {
	all := []int64{5, 1, 4, 2, 3}
	for percent, want := range map[float64]int64{0: 1, 50: 3, 99: 5, 100: 5} {
		require.Equal(t, want, quantile(all, percent))
	}
	require.Equal(t, []int64{5, 1, 4, 2, 3}, all)
}

func TestNumber(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 3: "3", 0.12345: "0.123", 1.25: "1.25", 12.34: "12.3", 1234.5: "1,235", 1e6: "1,000,000"} {
		require.Equal(t, want, number(v))
	}
}

func TestFullSpeed(t *testing.T) {
	attempts := func(n int, of func(i int) attempt) (all []attempt) {
		at := time.Duration(0)
		for i := range n {
			a := of(i)
			a.at = at
			at += a.took
			all = append(all, a)
		}
		return all
	}
	const fast, slow = time.Millisecond, 100 * time.Millisecond
	for name, c := range map[string]struct {
		of   func(i int) attempt
		want time.Duration
	}{
		"at once":             {func(int) attempt { return attempt{took: fast} }, fast},
		"a first that waits":  {func(i int) attempt { return attempt{took: map[bool]time.Duration{true: slow, false: fast}[i == 0]} }, slow + fast},
		"degraded for thirty": {func(i int) attempt { return attempt{took: fast, degraded: i < 30} }, 31 * fast},
		"slow for ten":        {func(i int) attempt { return attempt{took: map[bool]time.Duration{true: slow, false: fast}[i < 10]} }, 10*slow + fast},
	} {
		require.Equal(t, c.want, fullSpeed(attempts(100, c.of)), name)
	}
	require.False(t, settled(attempts(10, func(int) attempt { return attempt{took: fast} }), time.Hour/60-1))
	require.True(t, settled(attempts(100, func(int) attempt { return attempt{took: fast} }), 2*time.Second))
	require.False(t, settled(attempts(100, func(i int) attempt { return attempt{took: fast, degraded: true} }), 100*time.Millisecond))
}

func TestOpeningOutliers(t *testing.T) {
	usual := opening{open: 10 * time.Millisecond, first: 40 * time.Millisecond, fullSpeed: 800 * time.Millisecond}
	hiccup := opening{open: 90 * time.Millisecond, first: 350 * time.Millisecond, fullSpeed: 2 * time.Second, degraded: true}
	luck := opening{open: 1, first: 1, fullSpeed: 1}
	want := usual
	want.degraded = true
	require.Equal(t, want, ofOpenings([]opening{hiccup, usual, luck}))
	require.Equal(t, hiccup, ofOpenings([]opening{hiccup}))
	require.Equal(t, usual, ofOpenings([]opening{luck, usual, usual, usual, luck}))
	for _, size := range []int{500, 100_000, 1_000_000} {
		require.Equal(t, 1, openings(size)%2, size)
	}
}

func TestProviders(t *testing.T) {
	listed := `fmt
github.com/ebbmem/ebb/extension github.com/ebbmem/ebb
github.com/tmc/langchaingo/llms github.com/tmc/langchaingo
github.com/tmc/langchaingo/llms/openai github.com/tmc/langchaingo
github.com/tmc/langchaingo/tools github.com/tmc/langchaingo
cloud.google.com/go/vertexai/genai cloud.google.com/go/vertexai
`
	packages, modules, providers := dependencies(listed)
	require.Equal(t, 5, packages)
	require.Equal(t, []string{"github.com/tmc/langchaingo", "cloud.google.com/go/vertexai"}, modules)
	require.Equal(t, []string{"github.com/tmc/langchaingo/llms/openai", "cloud.google.com/go/vertexai/genai"}, providers)
}

func TestBenchmarkMetrics(t *testing.T) {
	found, err := metrics("goos: linux\nBenchmarkVectorArm-2   \t 1\t9206605536 ns/op\t 4806280 arm-p50-ns\t 0.9840 recall@10\nPASS\n")
	require.NoError(t, err)
	require.Equal(t, map[string]float64{"ns/op": 9206605536, "arm-p50-ns": 4806280, "recall@10": 0.984}, found)
	_, err = metrics("PASS\n")
	require.ErrorContains(t, err, "no result")
}

func TestMostAlike(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	all := clusters(random, 3, 50, 16)
	require.Len(t, all, 150)
	for _, q := range all[:5] {
		best := mostAlike(all, q, 10)
		require.Len(t, best, 10)
		cosine := func(at int) (c float64) {
			for i, x := range all[at] {
				c += float64(x) * float64(q[i])
			}
			return c
		}
		require.InDelta(t, 1, cosine(best[0]), 1e-5, "itself")
		for i, at := range best[1:] {
			require.LessOrEqual(t, cosine(at), cosine(best[i])+1e-6)
		}
		better := 0
		for at := range all {
			if cosine(at) > cosine(best[9])+1e-6 {
				better++
			}
		}
		require.LessOrEqual(t, better, 9)
	}
}

func TestVectorsRoundTrip(t *testing.T) {
	dir := t.TempDir()
	s, err := writeSet(dir, "some", [][]float32{{1, 0}, {0, 1}, {.6, .8}}, [][]float32{{0, 1}})
	require.NoError(t, err)
	found, err := shared([][]int{{1, 2, 0}}, s)
	require.NoError(t, err)
	require.InDelta(t, .3, found, 1e-9, "three of ten: there are no more")
	require.ErrorContains(t, peer.WriteVectors(filepath.Join(dir, "x"), [][]float32{{1}, {1, 2}}), "vector 1 has 2 numbers")
	_, err = peer.ReadVectors(filepath.Join(dir, "nothing"))
	require.ErrorIs(t, err, os.ErrNotExist)
	for _, n := range multiplied(rand.New(rand.NewPCG(1, 1)), [][]float32{{1, 0, 0}}, 5, 0.3) {
		require.InDelta(t, 1, math.Sqrt(float64(n[0]*n[0]+n[1]*n[1]+n[2]*n[2])), 1e-5)
	}
	require.Len(t, spread(make([][]float32, 7), 3), 3)
}

func TestOptionsAreChecked(t *testing.T) {
	for args, want := range map[string]string{
		"--sizes 10,x":   "no number of turns",
		"--sizes 100,10": "must grow",
		"--only growl":   `no section "growl"`,
		"--turns 5":      "20 at least",
	} {
		_, err := parse(strings.Fields(args))
		require.ErrorContains(t, err, want, args)
	}
	o, err := parse(strings.Fields("--quick --sizes 100,200 --vectors somewhere a b"))
	require.NoError(t, err)
	require.Equal(t, small.turns, o.turns)
	require.Equal(t, []int{100, 200}, o.sizes)
	require.Equal(t, "somewhere", o.vectors)
	require.Equal(t, []string{"a", "b"}, o.dirs)
	require.NotEqual(t, []int{100, 200}, small.sizes)
}

// What a run of hours would fail on at its end is refused before it.
func TestPathsAreCheckedBeforeMeasuring(t *testing.T) {
	dir := t.TempDir()
	page, bare, file := filepath.Join(dir, "page.md"), filepath.Join(dir, "bare.md"), filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(page, []byte("# Page\n"+pageFrom+pageTo), 0o600))
	require.NoError(t, os.WriteFile(bare, []byte("# Page\n"), 0o600))
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	good := options{page: page, out: filepath.Join(dir, "results"), dirs: []string{dir}}
	require.NoError(t, good.check())
	for name, o := range map[string]options{
		"no page":          {page: filepath.Join(dir, "none.md"), out: good.out, dirs: good.dirs},
		"a page of others": {page: bare, out: good.out, dirs: good.dirs},
		"a file for out":   {out: filepath.Join(file, "results"), dirs: good.dirs},
		"no data":          {out: good.out, dirs: []string{filepath.Join(dir, "none")}},
		"no vectors":       {out: good.out, dirs: good.dirs, scale: scale{vectors: filepath.Join(dir, "none")}},
	} {
		require.Error(t, o.check(), name)
	}
	require.ErrorContains(t, run(t.Context(), []string{"--page", bare, "--out", good.out, dir}), "to write between")
}

func TestScriptsAreTheSameEachTime(t *testing.T) {
	set, err := evalset.Load("../" + fixture)
	require.NoError(t, err)
	var texts []string
	for range 2 {
		l := lab{builder: builder{dir: t.TempDir()}, scale: small, sets: []*evalset.Set{set}}
		s, err := l.write(100, 3, 40, 100)
		require.NoError(t, err)
		require.Len(t, s.asked[40].queries, small.asked)
		raw, err := os.ReadFile(s.path)
		require.NoError(t, err)
		head, err := os.ReadFile(s.head())
		require.NoError(t, err)
		require.Equal(t, raw, head, "it is short")
		texts = append(texts, string(raw)+strings.Join(s.asked[100].queries, "\n"))
		require.Equal(t, s.head(), s.of(&client{contender: mem0}))
		require.Equal(t, s.path, s.of(&client{contender: ebb}))
		require.NoError(t, s.remove())
	}
	require.Equal(t, texts[0], texts[1])
}

// TestThePageShowsTheNumbers fails when somebody edits the results on the page
// by hand, or commits numbers without the page.
func TestThePageShowsTheNumbers(t *testing.T) {
	r, err := readResults("../published")
	require.NoError(t, err)
	require.NotEmpty(t, r.Rows, "no numbers are committed")
	page, err := os.ReadFile("../RESULTS.md")
	require.NoError(t, err)
	renewed, err := r.onPage(string(page), "published")
	require.NoError(t, err)
	require.Equal(t, renewed, string(page), "go run ./bench --show --out published --page RESULTS.md")
}

// TestASectionIsMeasured runs the real thing where it needs no other module's
// C: a night.
func TestASectionIsMeasured(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	o, err := parse([]string{"--quick", "--only", "night", "../" + fixture})
	require.NoError(t, err)
	t.Chdir("..")
	o.dirs = []string{fixture}
	found, err := measure(context.Background(), o)
	require.NoError(t, err)
	require.Len(t, found.Rows, 2)
	for _, r := range found.Rows {
		require.Positive(t, r.Value, r)
	}
	_, err = json.Marshal(found)
	require.NoError(t, err)
}
