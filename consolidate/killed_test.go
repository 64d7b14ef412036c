package consolidate_test

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/internal/llmtest"
	"github.com/ebbmem/ebb/internal/pgtest"
	"github.com/ebbmem/ebb/internal/racing"
	"github.com/ebbmem/ebb/recall"
	"github.com/ebbmem/ebb/schema"
)

var kills = flag.Int("kills", 0, "kill so many nights; 0 means 10")

// killedNight is the day whose night is killed; it runs a year after start, so
// that what was known before has faded.
const killedNight = "2027-03-01"

// listener is a model that says the same about the same records, in whatever
// batches they come.
func listener(prompt string) string {
	var answer any
	switch {
	case strings.Contains(prompt, "write down what will still matter"):
		if strings.Contains(prompt, "static on the line") {
			return "I could not make that out."
		}
		answer = map[string]any{"facts": heardIn(prompt)}
	case strings.Contains(prompt, "how the two stand to each other"):
		answer = map[string]any{"pairs": judged(prompt)}
	case strings.Contains(prompt, "high-level questions"):
		answer = map[string]any{"questions": []string{"What does the user like?", "Where do people work?"}}
	case strings.Contains(prompt, "write who or what it is"):
		answer = map[string]any{"summaries": summariesOf(prompt)}
	default:
		answer = map[string]any{"insights": insightsOf(prompt)}
	}
	text, err := json.Marshal(answer)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// promptLine is any line of JSON in a prompt.
type promptLine struct {
	M, R, Record, Text, New, Known, Name string
	Pair, Question, Entity               int
}

func linesOf(prompt string) (list []promptLine) {
	for line := range strings.Lines(prompt) {
		var l promptLine
		if strings.HasPrefix(line, "{") && json.Unmarshal([]byte(line), &l) == nil {
			list = append(list, l)
		}
	}
	return list
}

// sayings are what the messages say, and what is drawn from each.
var sayings = []struct {
	said                                   *regexp.Regexp
	text, kind, subject, predicate, object string
}{
	{regexp.MustCompile(`I live in (\w+) now`), "The user lives in $1", "fact", "the user", "lives_in", "$1"},
	{regexp.MustCompile(`(\w+) works at (\w+)`), "$1 works at $2", "fact", "$1", "works_at", "$2"},
	{regexp.MustCompile(`I like (\w+)`), "The user likes $1", "preference", "the user", "likes", "$1"},
	{regexp.MustCompile(`My cousin visited (\w+)`), "The user's cousin Zebulon visited $1", "fact", "Zebulon", "visited", "$1"},
}

func heardIn(prompt string) []factJSON {
	facts := []factJSON{}
	for _, l := range linesOf(prompt) {
		for _, s := range sayings {
			at := s.said.FindStringSubmatchIndex(l.Text)
			if l.M == "" || at == nil {
				continue
			}
			expand := func(template string) string { return string(s.said.ExpandString(nil, template, l.Text, at)) }
			facts = append(facts, claimed(expand(s.text), []string{l.M}, expand("$0"), set("kind", s.kind),
				set("subject", expand(s.subject)), set("predicate", s.predicate), set("object", expand(s.object))))
		}
	}
	return facts
}

func judged(prompt string) (pairs []map[string]any) {
	texts := make(map[string]string)
	for _, l := range linesOf(prompt) {
		texts[l.Record] = l.Text
		if l.Pair > 0 {
			h := fnv.New32()
			fmt.Fprint(h, texts[l.New], "|", texts[l.Known])
			relation := []string{"same", "update", "contradiction", "compatible", "compatible"}[h.Sum32()%5]
			pairs = append(pairs, map[string]any{"pair": l.Pair, "relation": relation, "why": "it seems so"})
		}
	}
	return pairs
}

func summariesOf(prompt string) []map[string]any {
	list := []map[string]any{}
	for _, l := range linesOf(prompt) {
		if l.Entity > 0 {
			list = append(list, map[string]any{"entity": l.Entity, "text": l.Name + " matters to the user."})
		}
	}
	return list
}

func insightsOf(prompt string) (list []map[string]any) {
	var sources []string
	question := 0
	for _, l := range linesOf(prompt) {
		switch {
		case l.Question > 0:
			question, sources = l.Question, nil
		case l.R != "" && len(sources) < 3:
			if sources = append(sources, l.R); len(sources) == 3 {
				list = append(list, map[string]any{"question": question, "text": []string{"the user often speaks of what is liked", "the user knows well where people work"}[question-1], "importance": 8, "sources": sources})
			}
		}
	}
	return list
}

// conversation stores what the night is about: sixty messages, and facts of
// long ago.
func conversation(t *testing.T, path string) {
	now := &clock{}
	now.set(start)
	db, err := schema.Open(t.Context(), path, &schema.Options{Now: now.time})
	require.NoError(t, err)
	for i := range 30 {
		derived(t, db, fmt.Sprintf("The user once owned %d umbrellas", i+2), func(m *schema.Memory) { m.Confidence = .3 + float64(i)/50 })
	}
	now.set(start.AddDate(1, 0, -6))
	people, places, things := []string{"Noor", "Milo", "Ottilie"}, []string{"Ghent", "Oslo", "Lyon", "Graz"}, []string{"quinces", "medlars", "figs"}
	for i := range 60 {
		change := func(*schema.Memory) {}
		text := [...]string{
			fmt.Sprintf("I live in %s now, it is number %d.", places[i/6%4], i),
			fmt.Sprintf("%s works at %s, since week %d.", people[i%3], []string{"Fjordbank", "Tramworks"}[i/20%2], i),
			fmt.Sprintf("I like %s more than ever on day %d.", things[i/6%3], i),
			"Thanks!",
			fmt.Sprintf("Noted, that was message %d.", i),
			fmt.Sprintf("My cousin visited %s %d times.", places[i%4], i),
		}[i%6]
		switch i {
		case 27:
			text = "There was static on the line."
		case 4, 10, 16, 22, 28, 34, 40, 46, 52, 58:
			change = func(m *schema.Memory) { m.Role, m.Origin, m.Trust = "assistant", schema.OriginAssistant, 2 }
		}
		said(t, db, fmt.Sprintf("session %d", i/10), "", text, start.AddDate(1, 0, -6).Add(time.Duration(i)*time.Hour), change)
	}
	require.NoError(t, db.Close())
}

// nightOver opens a file at the time of its night.
func nightOver(ctx context.Context, path string, progress func()) (*schema.DB, *recall.Searcher, *consolidate.Runner, error) {
	now := start.AddDate(1, 0, 0)
	db, err := schema.Open(ctx, path, &schema.Options{Now: func() time.Time { return now }})
	if err != nil {
		return nil, nil, nil, err
	}
	cap := .2
	searcher := recall.New(db, recall.Options{})
	r, err := consolidate.NewRunner(db, searcher, consolidate.RunnerOptions{
		Model: llmtest.Model(listener), RetirementCap: &cap, Progress: func(consolidate.Progress) { progress() },
		Stages: []consolidate.Stage{consolidate.Extract{Page: 3}, consolidate.Conflict{Pairs: 5}, consolidate.Entities{}, consolidate.Reflect{Threshold: 1}, consolidate.Prune{}},
	})
	return db, searcher, r, err
}

// nightUntilKilled is the child: it says when it is ready, when the night has
// begun and, when it is done, how long it took.
func nightUntilKilled(path string) {
	var begun time.Time
	_, _, r, err := nightOver(context.Background(), path, func() {
		if begun.IsZero() {
			fmt.Println("begun")
			begun = time.Now()
		}
	})
	if err == nil {
		fmt.Println("ready")
		_, err = r.RunNight(context.Background(), ada, killedNight)
	}
	if err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
	fmt.Println(time.Since(begun))
}

// killed runs a child on the file and kills it some time after it said a word,
// or lets it end. It returns the last that it said.
func killed(t *testing.T, path, word string, after time.Duration) (last string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), "EBB_NIGHT="+path)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewScanner(out)
	for lines.Scan() && lines.Text() != word {
		require.NotContains(t, lines.Text(), "error:")
	}
	if after >= 0 {
		time.Sleep(after)
		require.NoError(t, cmd.Process.Kill())
	}
	for lines.Scan() {
		last = lines.Text()
		require.NotContains(t, last, "error:")
	}
	_ = cmd.Wait() // reports the kill
	return last
}

// picture is what a file holds, without the ids that differ from run to run.
func picture(t *testing.T, db *schema.DB) (rows []string) {
	require.NoError(t, db.Read(t.Context(), func(ctx context.Context, s *schema.Snapshot) error {
		names, err := texts(ctx, s, "SELECT uid || char(0) || content FROM memories UNION ALL SELECT uid || char(0) || name FROM entities")
		require.NoError(t, err)
		var pairs []string
		for _, n := range names {
			uid, name, _ := strings.Cut(n, "\x00")
			pairs = append(pairs, uid, "<"+name+">")
		}
		named := strings.NewReplacer(pairs...)
		for _, query := range []string{
			`SELECT json_array('memory', content, kind, state, subject, predicate, object, confidence, importance, valid_from, valid_until, expired_at, event_time, created_at,
				access_count, last_accessed, decay_rate, origin, trust, tags, attributes, version, (SELECT content FROM memories n WHERE n.id = m.superseded_by)) FROM memories m`,
			`SELECT json_array('source', m.content, s.content, quote) FROM memory_sources JOIN memories m ON m.id = memory_id JOIN memories s ON s.id = source_id`,
			`SELECT json_array('link', f.content, t.content, type, l.confidence) FROM links l JOIN memories f ON f.id = from_id JOIN memories t ON t.id = to_id`,
			`SELECT json_array('mention', m.content, e.name, surface, me.confidence) FROM memory_entities me JOIN memories m ON m.id = memory_id JOIN entities e ON e.id = entity_id`,
			`SELECT json_array('entity', name, type, summary, confidence, mention_count, protected, (SELECT name FROM entities n WHERE n.id = e.merged_into)) FROM entities e`,
			`SELECT json_array('alias', e.name, alias, surface, a.confidence) FROM entity_aliases a JOIN entities e ON e.id = entity_id`,
			`SELECT json_array('chunk', m.content, text, c.speaker) FROM chunks c JOIN memories m ON m.id = memory_id`,
			`SELECT json_array('watermark', name, content) FROM watermarks LEFT JOIN memories m ON m.id = through`,
			`SELECT json_array('proposal', kind, payload, reason, state) FROM proposals`,
			`SELECT json_array('gap', stage, memories, attempts, last_error) FROM gaps`,
			`SELECT json_array('user', name, importance_since, nights_through) FROM users`,
			`SELECT json_array('op', operation, record, actor, at, CASE operation WHEN 'supersede' THEN '' ELSE after END) FROM ops`,
			`SELECT json_array('run', cause, local_day, state, error) FROM runs`,
		} {
			part, err := texts(ctx, s, query)
			require.NoError(t, err)
			for _, row := range part {
				rows = append(rows, named.Replace(row))
			}
		}
		return nil
	}))
	slices.Sort(rows)
	return rows
}

// without are the rows of a that b has not.
func without(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(row string) bool { _, has := slices.BinarySearch(b, row); return has })
}

// agrees checks that the ledger tells what is there, no more and no less. It
// says whether the night was begun and is not done.
func agrees(t *testing.T, db *schema.DB) (cut bool) {
	t.Helper()
	sound(t, db)
	// Not in a read: FTS5 keeps the structure of its index for each connection,
	// and this pragma, unlike a search, does not ask whether it is still so.
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
		var whole string
		require.NoError(t, tx.Row(ctx, "PRAGMA integrity_check", nil, &whole))
		require.Equal(t, "ok", whole)
		return nil
	}))
	require.NoError(t, db.Read(t.Context(), func(ctx context.Context, s *schema.Snapshot) error {
		runs, err := s.Runs(ctx, 1, 0)
		require.NoError(t, err)
		told := map[string][]string{"add": nil, "retire": nil}
		for i := range runs {
			report, err := consolidate.Recorded(&runs[i])
			require.NoError(t, err)
			cut = cut || runs[i].State == "running"
			for _, stage := range report.Stages {
				for _, o := range stage.Outcomes {
					switch {
					case o.Kind == "retire" && o.Status == consolidate.Applied:
						told["retire"] = append(told["retire"], o.Memory)
					case strings.HasPrefix(o.Kind, "add_") && (o.Status == consolidate.Applied || o.Status == consolidate.Quarantined):
						told["add"] = append(told["add"], o.Memory)
					}
				}
			}
		}
		for operation, want := range told {
			slices.Sort(want)
			did, err := texts(ctx, s, "SELECT uid FROM ops o JOIN memories m ON m.id = record_id WHERE o.run_id = 1 AND operation = '"+operation+"' AND record = 'memories' ORDER BY uid")
			require.NoError(t, err)
			require.Equal(t, want, did, "the ledger and the audit on %s", operation)
		}
		are, err := texts(ctx, s, "SELECT uid FROM memories WHERE run_id = 1 ORDER BY uid")
		require.NoError(t, err)
		require.Equal(t, told["add"], are, "each memory of the run is in the ledger and the other way round")
		bare, err := texts(ctx, s, "SELECT content FROM memories m WHERE run_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM memory_sources WHERE memory_id = m.id)")
		require.NoError(t, err)
		require.Empty(t, bare, "derived memories without sources")
		var through int64
		require.NoError(t, s.Row(ctx, "SELECT coalesce(max(through), 0) FROM watermarks WHERE name = 'extract'", nil, &through))
		ahead, err := texts(ctx, s, fmt.Sprintf("SELECT content FROM memories e WHERE kind = 'episode' AND id > %d AND EXISTS (SELECT 1 FROM memory_sources WHERE source_id = e.id)", through))
		require.NoError(t, err)
		require.Empty(t, ahead, "messages beyond the watermark that were drawn from")
		passed, err := texts(ctx, s, fmt.Sprintf(`SELECT content FROM memories e WHERE kind = 'episode' AND id <= %d AND role = 'user'
			AND NOT EXISTS (SELECT 1 FROM memory_sources WHERE source_id = e.id) AND NOT EXISTS (SELECT 1 FROM gaps, json_each(memories) WHERE value = e.uid)`, through))
		require.NoError(t, err)
		for _, text := range passed {
			require.False(t, slices.ContainsFunc(heardIn(`{"m":"m1","text":"`+text+`"}`), func(f factJSON) bool { return !strings.Contains(f["text"].(string), "Zebulon") }), "passed over: %s", text)
		}
		return nil
	}))
	return cut
}

// A night that is killed at any point leaves whole steps, and the next run of
// it ends where it would have ended. With -year 200 kills,
// with -kills as many as asked for.
func TestKilledNightGoesOnWhereItStopped(t *testing.T) {
	pgtest.FileOnly(t, "copies of it")
	racing.Alone(t)
	dir := t.TempDir()
	original := filepath.Join(dir, "memory.db")
	conversation(t, original)
	file, err := os.ReadFile(original)
	require.NoError(t, err)
	fresh := func(name string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, file, 0o600))
		return path
	}
	look := func(path string, fn func(*schema.DB, *consolidate.Runner)) {
		db, searcher, r, err := nightOver(t.Context(), path, func() {})
		require.NoError(t, err)
		fn(db, r)
		searcher.Close()
		require.NoError(t, db.Close())
	}
	whole := fresh("whole.db")
	length, err := time.ParseDuration(killed(t, whole, "begun", -1))
	require.NoError(t, err)
	var want []string
	look(whole, func(db *schema.DB, _ *consolidate.Runner) {
		require.False(t, agrees(t, db))
		want = picture(t, db)
		for _, needed := range []string{`"active"`, `"quarantined"`, `"superseded"`, `"retired"`, `"reflection","active"`, `["gap"`, `["proposal"`, `["link"`, `matters to the user`} {
			require.Contains(t, strings.Join(want, "\n"), needed, "the night does too little")
		}
	})

	groups, files, rounds := 1, 5, 2
	switch {
	case testing.Short():
		files, rounds = 3, 1
	case *year:
		groups = 20
	case *kills > 0:
		groups = (*kills + files*rounds - 1) / (files * rounds)
	}
	kills, cut, waited := 0, 0, time.Duration(0)
	for group := range groups {
		var paths []string
		for i := range files {
			paths = append(paths, fresh(fmt.Sprintf("%d-%d.db", group, i)))
		}
		for round := range rounds { // a file in its turn, so that the lease of the one killed has run out
			for _, path := range paths {
				word := "begun"
				if kills%8 == 7 {
					word = "ready"
				}
				took, err := time.ParseDuration(killed(t, path, word, time.Duration(rand.Int64N(int64(length)))))
				if err == nil && round == 0 {
					length = min(length, max(took, 20*time.Millisecond)) // a whole night, and faster: the machine was busy before
				}
				kills++
				look(path, func(db *schema.DB, _ *consolidate.Runner) {
					if agrees(t, db) {
						cut++
					}
				})
			}
		}
		slices.Reverse(paths) // the last was killed just now: its lease is waited for
		for _, path := range paths {
			look(path, func(db *schema.DB, r *consolidate.Runner) {
				wasCut, begun := agrees(t, db), time.Now()
				report, err := r.RunNight(t.Context(), ada, killedNight)
				require.NoError(t, err)
				require.Equal(t, "done", report.State)
				require.Equal(t, wasCut, report.Resumed)
				waited = max(waited, time.Since(begun))
				agrees(t, db)
				got := picture(t, db)
				require.Empty(t, without(want, got), "lost")
				require.Empty(t, without(got, want), "more than a night that was not killed")
				require.Len(t, got, len(want))
			})
		}
	}
	require.Positive(t, cut, "no kill hit a night")
	t.Logf("a night of %s; %d kills, %d of them inside it; the longest run after a kill took %s", length, kills, cut, waited)
}
