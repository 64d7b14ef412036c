package extension

import (
	"context"
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/consolidate/enrich"
	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/internal/clock"
	"github.com/ebbmem/ebb/internal/llmtest"
)

var (
	promptMessage = regexp.MustCompile(`\{"m":"(m\d+)".*"text":"(I live in (\w+) now|(\w+) works at (\w+)|I like (\w+))`)
	promptRecord  = regexp.MustCompile(`\{"r":"(r\d+)"`)
	promptPair    = regexp.MustCompile(`\{"pair":(\d+)`)
	promptEntity  = regexp.MustCompile(`\{"entity":(\d+),"name":"(\w+)"`)
)

// hears answers a night's prompts: what was said is a fact, of what may be
// compared nothing can be true beside the other.
// While it is deaf, static keeps it from understanding.
func hears(r llmtest.Request, deaf bool) llmtest.Reply {
	prompt := r.Prompt()
	var list []any
	switch {
	case strings.Contains(prompt, "write down what will still matter"):
		if deaf && strings.Contains(prompt, "static on the line") {
			return llmtest.Text("I could not make that out.")
		}
		for _, m := range promptMessage.FindAllStringSubmatch(prompt, -1) {
			fact := map[string]any{"kind": "fact", "type": "state", "confidence": .9, "importance": 5, "sources": []string{m[1]}, "quote": m[2]}
			switch {
			case m[3] != "":
				fact["text"], fact["subject"], fact["predicate"], fact["object"] = "The user lives in "+m[3], "the user", "lives_in", m[3]
			case m[4] != "":
				fact["text"], fact["subject"], fact["predicate"], fact["object"] = m[2], m[4], "works_at", m[5]
			default:
				fact["text"], fact["subject"], fact["predicate"], fact["object"], fact["kind"] = "The user likes "+m[6], "the user", "likes", m[6], "preference"
			}
			list = append(list, fact)
		}
		return llmtest.JSON(map[string]any{"facts": append([]any{}, list...)})
	case strings.Contains(prompt, "how the two stand to each other"):
		for _, m := range promptPair.FindAllStringSubmatch(prompt, -1) {
			list = append(list, map[string]any{"pair": json.Number(m[1]), "relation": "contradiction", "why": "it seems so"})
		}
		return llmtest.JSON(map[string]any{"pairs": append([]any{}, list...)})
	case strings.Contains(prompt, "high-level questions"):
		return llmtest.JSON(map[string]any{"questions": []string{"Where do people live and work?"}})
	case strings.Contains(prompt, "which one is meant"):
		return llmtest.JSON(map[string]any{"mentions": []any{}})
	case strings.Contains(prompt, "write who or what it is"):
		for _, m := range promptEntity.FindAllStringSubmatch(prompt, -1) {
			list = append(list, map[string]any{"entity": json.Number(m[1]), "text": m[2] + " matters to the user."})
		}
		return llmtest.JSON(map[string]any{"summaries": append([]any{}, list...)})
	}
	var sources []string
	for _, m := range promptRecord.FindAllStringSubmatch(prompt, 3) {
		sources = append(sources, m[1])
	}
	insight := "the user often speaks of where people are"
	if strings.Contains(prompt, "Oslo") {
		insight = "the user and those around have moved on"
	}
	return llmtest.JSON(map[string]any{"insights": []any{map[string]any{"question": 1, "text": insight, "importance": 9, "sources": sources}}})
}

// memoryOf is what an export says of the memory itself: not the ledger, the
// audit, what ebb announced, and the day that stays consolidated.
func memoryOf(t *testing.T, export string) (lines []string) {
	for line := range strings.Lines(export) {
		var l struct {
			Run, Op, End json.RawMessage
			Event        *struct{ Topic string }
		}
		require.NoError(t, json.Unmarshal([]byte(line), &l))
		if l.Run == nil && l.Op == nil && l.End == nil && (l.Event == nil || !strings.HasPrefix(l.Event.Topic, "memory.")) {
			lines = append(lines, line)
		}
	}
	slices.Sort(lines)
	return lines
}

func TestUndoAfterImport(t *testing.T) {
	t.Run("that counted a gap", func(t *testing.T) { undoneInAnotherFile(t, true) })
	t.Run("that closed a gap", func(t *testing.T) { undoneInAnotherFile(t, false) })
}

func undoneInAnotherFile(t *testing.T, staysDeaf bool) {
	var hearing atomic.Bool
	server := llmtest.New(t)
	server.On(llmtest.Any, llmtest.Answer(func(r llmtest.Request) llmtest.Reply { return hears(r, !hearing.Load()) }))
	now := clock.At(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	everything := func([]consolidate.Stage) []consolidate.Stage {
		return []consolidate.Stage{consolidate.Extract{Page: 4}, consolidate.Conflict{}, consolidate.Entities{}, consolidate.Reflect{Threshold: 1}, consolidate.Prune{}}
	}
	opened := func() *Extension {
		x, err := Open(t.Context(), filepath.Join(t.TempDir(), "memory.db"), &Config{
			NoBackground: true, Model: server.LLM(t), Night: NightConfig{Stages: everything}, Now: now.Now,
		})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, x.Close(context.Background())) })
		return x
	}
	x := opened()
	w := &world{t: t, x: x, scope: ada}
	enricher := enrich.New(x.db, enrich.Options{})
	say := func(id, text string) {
		w.say(id, "session "+id, text)
		require.NoError(t, enricher.Enrich(t.Context(), ada, w.uids[len(w.uids)-1]))
	}
	night := func() *Report {
		report, err := x.Consolidate(t.Context(), ada)
		require.NoError(t, err)
		require.Equal(t, "done", report.State)
		return report
	}
	// A first night to stand on, with a gap that the second closes or counts.
	for i, text := range []string{"I live in Ghent now.", "Noor works at Fjordbank.", "I like quinces.", "I like figs.", "There was static on the line.", "I like pears."} {
		say("a"+string(rune('0'+i)), text)
	}
	night()
	w.fact("The kettle is old", .2)
	w.exec("UPDATE memories SET trust = 2, origin = 'assistant' WHERE user_id = ? AND content = 'The kettle is old'")
	now.Set(now.Now().AddDate(0, 6, 0))
	for i, text := range []string{"I live in Oslo now.", "Noor works at Tramworks.", "I like quinces.", "I like medlars.", "Milo works at Tramworks, Tramworks is fine.", "Tramworks again.", "Tramworks once more."} {
		say("b"+string(rune('0'+i)), text)
	}

	hearing.Store(!staysDeaf)
	before := exported(t, x, ada)
	second := night()
	after := exported(t, x, ada)
	t.Log(second.Summary())
	did := strings.Join(without(memoryOf(t, after), memoryOf(t, before)), "")
	for _, change := range []string{
		`"state":"superseded"`, `"state":"retired"`, `"kind":"reflection"`, `{"link"`, `{"proposal"`, `{"source"`, `{"watermark"`, `matters to the user`, `"access_count"`,
	} {
		require.Contains(t, did, change, "the night does too little: %s", second.Summary())
	}

	require.Contains(t, before, `{"gap"`)
	require.Equal(t, staysDeaf, strings.Contains(after, `{"gap"`))

	y := opened()
	// Others in the file, so that no row id is what it was.
	require.NoError(t, y.mem.Publish(t.Context(), eventbus.UserMessage(Scope{User: "bo"}, "Mine.")))
	_, err := y.Consolidate(t.Context(), Scope{User: "bo"})
	require.NoError(t, err)
	restored(t, y, after)
	require.Equal(t, after, exported(t, y, ada))
	for _, at := range []*Extension{x, y} {
		undone, err := at.Undo(t.Context(), ada, second.RunID)
		require.NoError(t, err)
		require.Empty(t, undone.Kept)
		left := memoryOf(t, exported(t, at, ada))
		require.Empty(t, without(memoryOf(t, before), left), "not brought back")
		require.Empty(t, without(left, memoryOf(t, before)), "not taken back")
	}
	require.NoError(t, checkTextIndex(t.Context(), y))
	again, err := y.Consolidate(t.Context(), ada)
	require.NoError(t, err)
	require.Positive(t, again.Changes(), "what was undone can be done again")
}

// without are the rows of a that b has not.
func without(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(row string) bool { _, has := slices.BinarySearch(b, row); return has })
}
