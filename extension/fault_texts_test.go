package extension_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/consolidate/ask"
	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/extension/transfer"
	"github.com/ebbmem/ebb/schema"
)

// What may stand in no error, log or statistic: words of texts, and names.
const (
	wordOfText = "quokkaword"
	nameOfUser = "wombatname"
	numberSaid = "4242424242"
)

var wombat = extension.Scope{Tenant: "t-" + nameOfUser, User: nameOfUser, Agent: "a-" + nameOfUser, Session: "s-" + nameOfUser}

// overheard collects all that a host might log.
type overheard struct {
	mu  sync.Mutex
	all []string
}

func (o *overheard) hear(where string, what any) {
	if err, ok := what.(error); ok && err == nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.all = append(o.all, fmt.Sprintf("%s: %v", where, what))
}

func (o *overheard) quiet(t *testing.T) {
	t.Helper()
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, said := range o.all {
		for _, word := range []string{wordOfText, nameOfUser, numberSaid} {
			assert.NotContains(t, strings.ToLower(said), word)
		}
	}
}

// repeating is code of a host's that repeats in its errors what it was given.
type repeating struct {
	mode  string
	calls int
}

func (r *repeating) GenerateContent(_ context.Context, messages []llms.MessageContent, _ ...llms.CallOption) (*llms.ContentResponse, error) {
	r.calls++
	said := fmt.Sprintf("%v", messages)
	answer := func(text string) (*llms.ContentResponse, error) {
		return &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: text}}}, nil
	}
	switch r.mode {
	case "error":
		return nil, fmt.Errorf("API returned unexpected status code: 400: %s", said)
	case "wrapped":
		return nil, fmt.Errorf("of %s: %w", said, io.ErrUnexpectedEOF)
	case "panic":
		panic("cannot send " + said)
	case "prose":
		return answer("I would rather talk about " + wordOfText)
	case "broken":
		return answer(`{"facts": [{"text": "` + wordOfText + `", "quote": ` + wordOfText)
	case "form":
		return answer(`{"facts": "` + wordOfText + `", "` + wordOfText + `": 1}`)
	case "number":
		return answer(`{"facts": [{"text": 4242424242424242}]}`)
	case "overflow": // the decoder quotes the number
		return answer(`{"facts": [{"text": "x", "confidence": ` + numberSaid + `e4242}]}`)
	case "empty":
		return answer(`{"facts": [{"text": "", "quote": "` + wordOfText + `"}]}`)
	case "long":
		return answer(`{"facts": [{"text": "` + strings.Repeat(wordOfText, 1000) + `"}]}`)
	case "fine":
		return answer(`{"facts": [{"text": "` + wordOfText + ` is said", "sources": ["m1"], "quote": "` + wordOfText + `"}]}`)
	}
	return nil, errors.New(said)
}

func (r *repeating) Call(context.Context, string, ...llms.CallOption) (string, error) {
	return "", errors.New("not used")
}

// loudEmbedder fails with the texts it gets; with questions, only for queries.
type loudEmbedder struct{ panics, questions bool }

func (e loudEmbedder) EmbedDocuments(_ context.Context, texts []string) ([][]float32, error) {
	switch {
	case e.questions:
		return slices.Repeat([][]float32{{1, 2, 3}}, len(texts)), nil
	case e.panics:
		panic(texts[0])
	}
	return nil, fmt.Errorf("status 400: bad input %q", texts)
}

func (e loudEmbedder) EmbedQuery(_ context.Context, text string) ([]float32, error) {
	if e.panics {
		panic(text)
	}
	return nil, fmt.Errorf("bad query %q", text)
}

// loudStage is a host's own stage that tells what it has read.
type loudStage struct{ mode string }

func (loudStage) Name() string { return "loud" }

func (s loudStage) Propose(ctx context.Context, in *consolidate.Input, _ consolidate.Apply) error {
	switch s.mode {
	case "panic":
		panic("read " + wordOfText)
	case "complains":
		return in.Model.Ask(ctx, ask.Prompt{Name: "loud", Version: 1, System: "s", User: wordOfText}, func(decode func(any) error) error {
			return errors.New("cannot use " + wordOfText)
		})
	}
	return errors.New("read " + wordOfText + " of " + in.Scope.User)
}

// tables are those that hold errors.
var tables = []string{
	"SELECT 'failure ' || error FROM failures", "SELECT 'run ' || error || stages FROM runs", "SELECT 'gap ' || last_error FROM gaps",
	"SELECT 'delivery ' || last_error FROM deliveries",
	"SELECT 'report ' || payload FROM events WHERE topic = 'memory.consolidated'",
}

// Nothing of users' texts, and no names of users, tenants, agents or sessions,
// stands in what a host may log by itself: errors, hooks, health, the ledger.
func TestFaultsContainNoText(t *testing.T) {
	var o overheard
	var logged bytes.Buffer
	log.SetOutput(&logged)
	defer log.SetOutput(os.Stderr)
	restore := capture(t)

	for _, mode := range []string{"error", "wrapped", "panic", "prose", "broken", "form", "number", "overflow", "empty", "long", "fine", "other"} {
		night(t, &o, mode, extension.Config{Model: &repeating{mode: mode}})
	}
	for _, mode := range []string{"error", "panic", "complains"} {
		night(t, &o, "stage "+mode, extension.Config{
			Model: &repeating{mode: "fine"},
			Night: extension.NightConfig{Stages: func([]consolidate.Stage) []consolidate.Stage { return []consolidate.Stage{loudStage{mode}} }},
		})
	}
	for _, e := range []loudEmbedder{{}, {panics: true}, {questions: true}, {questions: true, panics: true}} {
		night(t, &o, "embedder", extension.Config{Embedding: extension.EmbeddingConfig{Embedder: e, Model: "loud"}})
	}
	handlers(t, &o)
	badInput(t, &o)

	stdout := restore()
	o.hear("log", logged.String())
	o.hear("stdout and stderr", stdout)
	require.Greater(t, len(o.all), 100, "the test provokes no faults")
	o.quiet(t)
}

// capture gives what was written to the standard streams meanwhile.
func capture(t *testing.T) (restore func() string) {
	t.Helper()
	file, err := os.CreateTemp(t.TempDir(), "streams")
	require.NoError(t, err)
	stdout, stderr := os.Stdout, os.Stderr
	os.Stdout, os.Stderr = file, file
	t.Cleanup(func() { os.Stdout, os.Stderr = stdout, stderr })
	return func() string {
		os.Stdout, os.Stderr = stdout, stderr
		said, err := os.ReadFile(file.Name())
		require.NoError(t, err)
		return string(said)
	}
}

// night says something and has a night that goes wrong in one way.
func night(t *testing.T, o *overheard, mode string, cfg extension.Config) {
	t.Helper()
	path := fresh(t)
	cfg.Night.NoSchedule, cfg.Hooks.OnError = true, func(source string, err error) { o.hear("hook "+mode+" "+source, err) }
	x, err := extension.Open(t.Context(), path, &cfg)
	require.NoError(t, err)
	require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(wombat, "I like the "+wordOfText+" of Lisbon.", eventbus.Speaker(nameOfUser))))
	wait := 10 * time.Second
	if e, ok := cfg.Embedding.Embedder.(loudEmbedder); ok && !e.questions {
		wait = 500 * time.Millisecond // it is down, and would be waited for
	}
	ctx, cancel := context.WithTimeout(t.Context(), wait)
	o.hear(mode, x.WaitIdle(ctx))
	cancel()
	_, err = x.Consolidate(t.Context(), wombat)
	o.hear("night "+mode, err)
	answer, err := x.Recall(t.Context(), wombat, extension.Query{Text: "which " + wordOfText})
	o.hear(mode, err)
	o.hear(mode, answer.Degraded)
	if e, ok := cfg.Embedding.Embedder.(loudEmbedder); ok && e.questions {
		require.NotEmpty(t, answer.Degraded, "the embedder was not asked")
	}
	listen(t, o, x, mode)
	closing, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	o.hear(mode, x.Close(closing))
	o.hear("closed", x.Bus().Publish(t.Context(), eventbus.UserMessage(wombat, wordOfText)))
	rows(t, o, path)
}

// listen takes what the memory says of its health.
func listen(t *testing.T, o *overheard, x *extension.Extension, mode string) {
	t.Helper()
	stats, err := x.Stats(context.Background(), wombat)
	require.NoError(t, err)
	encoded, err := json.Marshal(stats)
	require.NoError(t, err)
	o.hear("stats "+mode, string(encoded))
}

func rows(t *testing.T, o *overheard, path string) {
	t.Helper()
	db, err := schema.Open(context.Background(), path, &schema.Options{ReadOnly: true})
	require.NoError(t, err)
	defer db.Close()
	require.NoError(t, db.Read(context.Background(), func(ctx context.Context, s *schema.Snapshot) error {
		for _, query := range tables {
			rows, err := s.Query(ctx, query)
			if err != nil {
				return err
			}
			for rows.Next() {
				var said string
				if err := rows.Scan(&said); err != nil {
					return err
				}
				o.hear("row", said)
			}
			if err := errors.Join(rows.Err(), rows.Close()); err != nil {
				return err
			}
		}
		return nil
	}))
}

// handlers runs handlers that fail with the text of their event, which is reported to
// the host.
func handlers(t *testing.T, o *overheard) {
	t.Helper()
	path := fresh(t)
	x, err := extension.Open(t.Context(), path, &extension.Config{Night: extension.NightConfig{NoSchedule: true}, Hooks: extension.Hooks{
		OnError: func(source string, err error) { o.hear("hook "+source, err) },
	}})
	require.NoError(t, err)
	for name, fail := range map[string]func(eventbus.Event) error{
		"fails":     func(e eventbus.Event) error { return fmt.Errorf("cannot send %s of %v", e.Payload, e.Scope) },
		"parks":     func(e eventbus.Event) error { return eventbus.Permanent(fmt.Errorf("cannot send %s", e.Payload)) },
		"panics":    func(e eventbus.Event) error { panic(string(e.Payload)) },
		"misreads":  func(e eventbus.Event) error { var n struct{ Text int }; return e.Decode(&n) },
		"complains": func(e eventbus.Event) error { return &schema.InvalidError{Field: "text", Reason: string(e.Payload)} },
	} {
		_, err := x.Bus().Subscribe(t.Context(), name, func(_ context.Context, e eventbus.Event) error { return fail(e) },
			eventbus.MaxAttempts(2), eventbus.Backoff(func(int) time.Duration { return time.Millisecond }))
		require.NoError(t, err)
	}
	require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(wombat, wordOfText)))
	require.NoError(t, x.WaitIdle(t.Context()))
	require.Eventually(t, func() bool {
		health, err := x.Health(t.Context())
		return err == nil && !slices.ContainsFunc(health.Consumers, func(c eventbus.ConsumerStats) bool { return c.Retrying > 0 })
	}, 10*time.Second, 10*time.Millisecond)
	listen(t, o, x, "handlers")
	require.NoError(t, x.Close(context.Background()))
	rows(t, o, path)
}

// badInput passes invalid input to every entry point that can reject it.
func badInput(t *testing.T, o *overheard) {
	t.Helper()
	x, err := extension.Open(t.Context(), fresh(t), &extension.Config{Night: extension.NightConfig{NoSchedule: true}, Hooks: extension.Hooks{
		OnError: func(source string, err error) { o.hear("hook "+source, err) },
	}})
	require.NoError(t, err)
	ctx := t.Context()
	refused := func(where string, err error) {
		t.Helper()
		if assert.Error(t, err, where) {
			o.hear(where, err)
		}
	}
	for i, payload := range []string{
		`{"text": "` + wordOfText, `{"` + wordOfText + `": 1, "text": "x"}`, `{"text": 4242424242424242}`, `{"text":"x","role":"` + wordOfText + `"}`,
		`["` + wordOfText + `"]`, `{"text":"x"} "` + wordOfText + `"`, wordOfText, `{"text":"  "}`, `{"text":"x","speaker":"` + strings.Repeat(wordOfText, 60) + `"}`,
	} {
		e := eventbus.UserMessage(wombat, "x")
		e.Payload = json.RawMessage(payload)
		refused(fmt.Sprint("payload ", i), x.Bus().Publish(ctx, e))
	}
	note, err := eventbus.New("crm.note", wombat, eventbus.OriginUnknown, "x")
	require.NoError(t, err)
	note.Payload = json.RawMessage(`{"` + wordOfText)
	refused("note", x.Bus().Publish(ctx, note))
	_, err = eventbus.New("crm.note", wombat, eventbus.OriginUnknown, unencodable{})
	refused("unencodable", err)
	long := wombat
	long.Session = strings.Repeat(nameOfUser, 60)
	refused("label", x.Bus().Publish(ctx, eventbus.UserMessage(long, wordOfText)))
	refused("text", x.Bus().Publish(ctx, eventbus.UserMessage(wombat, strings.Repeat(wordOfText+" ", 120_000))))

	turn := func(fields map[string]any) string {
		line := map[string]any{"id": "1", "session": wombat.Session, "time": "2026-03-01T18:00:00Z", "speaker": nameOfUser, "text": wordOfText}
		for name, value := range fields {
			line[name] = value
		}
		encoded, err := json.Marshal(line)
		require.NoError(t, err)
		return string(encoded) + "\n"
	}
	for i, input := range []string{
		turn(nil) + turn(map[string]any{"text": wordOfText + " again"}), turn(map[string]any{"role": wordOfText}), turn(map[string]any{"time": wordOfText}),
		turn(map[string]any{"text": 4242424242424242}), `{"text": "` + wordOfText, wordOfText,
		`[{"id":"` + wordOfText + `","mapping":{"a":{"parent":"` + wordOfText + `","message":{"id":"` + wordOfText + `"}}},"current_node":"a"}]`,
		`[{"mapping":{"a":{"parent":"a"}},"current_node":"a"}]`, `[{"create_time":1,"mapping":{"a":{"message":{"id":"` + wordOfText + `","create_time":9e99,"author":{"role":"user"},"content":{"content_type":"text","parts":["` + wordOfText + `"]}}}},"current_node":"a"}]`,
		`{"ebb":{"export":1,"user":"` + nameOfUser + `","` + wordOfText + ` was said":1}}`, `{"ebb":{"export":1,"user":"` + nameOfUser + `"}}` + "\n" + `{"` + wordOfText + ` was said":1}`,
		`{"ebb":{"export":1,"user":"` + nameOfUser + `"}}` + "\n" + `{"source":{"memory":"` + wordOfText + `","source":"` + wordOfText + `"}}` + "\n" + `{"end":{"records":1}}`,
		`{"ebb":{"export":1,"user":"` + nameOfUser + `"}}` + "\n" + `{"op":{"record":"` + wordOfText + `","at":"2026-01-01T00:00:00Z","actor":"x","operation":"x"}}` + "\n" + `{"end":{"records":1}}`,
	} {
		_, err := x.Import(ctx, strings.NewReader(input), transfer.ImportOptions{Scope: extension.Scope{User: nameOfUser}, Restore: strings.HasPrefix(input, `{"ebb"`)})
		refused(fmt.Sprint("import ", i), err)
	}

	unknown := wombat
	unknown.User += "x"
	_, err = x.Export(ctx, io.Discard, unknown)
	refused("export", err)
	_, err = session(t, x, wombat).Why(ctx, extension.Query{Text: wordOfText}, "01890a5d-ac96-774b-bcce-b302099a8057")
	refused("why", err)
	_, err = x.Undo(ctx, wombat, "01890a5d-ac96-774b-bcce-b302099a8057")
	refused("undo", err)
	refused("approve", x.Approve(ctx, wombat, "01890a5d-ac96-774b-bcce-b302099a8057"))
	refused("reject", x.Reject(ctx, wombat, "01890a5d-ac96-774b-bcce-b302099a8057"))
	s := session(t, x, wombat)
	m := s.Memory()
	_, err = m.LoadMemoryVariables(ctx, map[string]any{"one": wordOfText, "two": wordOfText})
	require.NoError(t, err)
	require.NoError(t, m.SaveContext(ctx, map[string]any{"input": strings.Repeat(wordOfText+" ", 120_000)}, map[string]any{"output": " \x00"}))
	listen(t, o, x, "input")
	require.NoError(t, x.Close(context.Background()))
	for _, tool := range s.Tools() {
		_, _ = tool.Call(ctx, wordOfText) // the model's own words may go back to it; the host hears of the fault
	}
	listenFaults(t, o, x)
}

func listenFaults(t *testing.T, o *overheard, x *extension.Extension) {
	t.Helper()
	_, err := x.Health(context.Background())
	o.hear("health of a closed file", err)
}

type unencodable struct{}

func (unencodable) MarshalJSON() ([]byte, error) {
	return nil, errors.New("cannot encode " + wordOfText)
}
