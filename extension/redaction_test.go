package extension_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/extension/transfer"
	"github.com/ebbmem/ebb/internal/llmtest"
	"github.com/ebbmem/ebb/internal/memtest"
	"github.com/ebbmem/ebb/internal/pgtest"
	"github.com/ebbmem/ebb/tools"
)

// A secret that the built-in patterns know, a word that only the host's hook
// knows, and a word that may be kept, by which a test sees that its text came
// as far as the file.
const (
	secretCore = "9xK2mQ7vL4pR8tW3nB6yH1jF5sD0aG"
	secret     = "ghp_" + secretCore + "cE2z"
	private    = "zanzibar7"
	marker     = "marigold"
	told       = "The " + marker + " key is " + secret + " and the word is " + private
	kept       = "The " + marker + " key is [redacted:github-token] and the word is [kept out]"
)

func keepOut(_ context.Context, _, text string) (string, error) {
	return strings.ReplaceAll(text, private, "[kept out]"), nil
}

// onDisk is all that is in the folder of a memory file, on a server all rows.
func onDisk(t *testing.T, dir string) []byte {
	t.Helper()
	if pgtest.Chosen() {
		return []byte(fmt.Sprint(pgtest.Rows(t, memtest.Located(filepath.Join(dir, "memory.db")))))
	}
	var all []byte
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		all = append(all, b...)
		return err
	}))
	return all
}

// entrance is one way by which a text reaches the file.
type entrance struct {
	name string
	// enter takes the text in. What it returns is the error a caller sees.
	enter func(t *testing.T, x *extension.Extension, s *extension.Session) error
	// silent entrances never return an error: a turn goes on, and the fault is
	// reported.
	silent bool
	// left is what must be in the file. Default the texts with placeholders.
	left []string
}

func publish(t *testing.T, x *extension.Extension, events ...eventbus.Event) error {
	t.Helper()
	return x.Bus().Publish(t.Context(), events...)
}

func callWith(t *testing.T, s *extension.Session, name string, fields map[string]any) error {
	t.Helper()
	input, err := json.Marshal(fields)
	require.NoError(t, err)
	answer, err := s.CallTool(t.Context(), llms.ToolCall{ID: "1", FunctionCall: &llms.FunctionCall{Name: name, Arguments: string(input)}})
	require.NoError(t, err, "a tool answers in words")
	if strings.Contains(answer.Content, "could not be checked for secrets") {
		return &extension.RedactionError{}
	}
	assert.NotContains(t, answer.Content, "failed inside", name)
	return nil
}

// entrances are all of them but imports and nights, which have tests of their
// own.
var entrances = []entrance{
	{name: "user.message", enter: func(t *testing.T, x *extension.Extension, _ *extension.Session) error {
		return publish(t, x, eventbus.UserMessage(ada, told, eventbus.Speaker("Ada "+secret)))
	}},
	{name: "agent.response", enter: func(t *testing.T, x *extension.Extension, _ *extension.Session) error {
		return publish(t, x, eventbus.AgentResponse(ada, told))
	}},
	{name: "tool.result", enter: func(t *testing.T, x *extension.Extension, _ *extension.Session) error {
		return publish(t, x, eventbus.ToolResult(ada, "vault "+secret+" "+private, told))
	}},
	{name: "several sessions at once", enter: func(t *testing.T, x *extension.Extension, _ *extension.Session) error {
		other := extension.Scope{User: "ada", Session: "tuesday"}
		return publish(t, x, eventbus.UserMessage(ada, told), eventbus.UserMessage(other, told))
	}},
	{name: "a topic of the host", enter: func(t *testing.T, x *extension.Extension, _ *extension.Session) error {
		e, err := eventbus.New("crm.note", ada, eventbus.OriginToolInternal, map[string]any{
			"note": told, "password": "plain" + marker, "deep": []any{map[string]any{secret: private}}, "card": 4111111111111111,
		})
		require.NoError(t, err)
		return publish(t, x, e)
	}, left: []string{kept, `"password":"[redacted:password]"`, `"card":"[redacted:payment-card]"`}},
	{name: "Memory", silent: true, enter: func(t *testing.T, _ *extension.Extension, s *extension.Session) error {
		m := s.Memory(extension.WithSpeakers("Ada "+secret, "Bot "+private))
		in := map[string]any{"input": told}
		_, err := m.LoadMemoryVariables(t.Context(), in)
		require.NoError(t, err)
		return m.SaveContext(t.Context(), in, map[string]any{"output": told})
	}},
	{name: "Context", enter: func(t *testing.T, x *extension.Extension, s *extension.Session) error {
		_ = publish(t, x, eventbus.UserMessage(ada, told)) // so that there is something to recall; refused by a hook that fails
		_, err := s.Context(t.Context(), told)
		return err
	}},
	{name: "Callbacks", silent: true, enter: func(t *testing.T, _ *extension.Extension, s *extension.Session) error {
		c := s.Callbacks()
		c.HandleChainStart(t.Context(), map[string]any{"input": told})
		c.HandleChainEnd(t.Context(), map[string]any{"output": told})
		return nil
	}},
	{name: "WrapModel", silent: true, enter: func(t *testing.T, x *extension.Extension, s *extension.Session) error {
		_ = publish(t, x, eventbus.UserMessage(ada, "My "+marker+" grows in the garden behind the house."))
		server := llmtest.New(t)
		server.On(llmtest.Any, llmtest.Text("In the garden."))
		question := "Where does my " + marker + " grow? " + told
		_, err := llms.GenerateFromSinglePrompt(t.Context(), extension.WrapModel(server.LLM(t), s), question)
		return err
	}, left: []string{"Where does my " + marker + " grow? " + kept}},
	{name: "WrapModel, a secret where a long prompt is cut", silent: true, enter: func(t *testing.T, x *extension.Extension, s *extension.Session) error {
		_ = publish(t, x, eventbus.UserMessage(ada, "My "+marker+" grows in the garden behind the house."))
		server := llmtest.New(t)
		server.On(llmtest.Any, llmtest.Text("In the garden."))
		end := " Where does my " + marker + " grow in the garden behind the house? "
		// The cut keeps 600 bytes: the secret's end, without what tells it.
		question := strings.Repeat("pale ", 500) + secret + strings.Repeat(end, 600/len(end)-1) + strings.Repeat("x", 600%len(end)-30+len(end))
		_, err := llms.GenerateFromSinglePrompt(t.Context(), extension.WrapModel(server.LLM(t), s), question)
		return err
	}, left: []string{" Where does my " + marker + " grow in the garden behind the house? "}},
	{name: "search_memory", enter: func(t *testing.T, x *extension.Extension, s *extension.Session) error {
		_ = publish(t, x, eventbus.UserMessage(ada, "My "+marker+" grows in the garden."))
		return callWith(t, s, "search_memory", map[string]any{"query": told})
	}},
	{name: "forget_memory", enter: func(t *testing.T, x *extension.Extension, s *extension.Session) error {
		_ = publish(t, x, eventbus.UserMessage(ada, "My "+marker+" grows in the garden."))
		return callWith(t, s, "forget_memory", map[string]any{"query": told})
	}},
	{name: "find_procedure", enter: func(t *testing.T, x *extension.Extension, s *extension.Session) error {
		_ = publish(t, x, eventbus.UserMessage(ada, "My "+marker+" grows in the garden.", eventbus.Attribute("store", "procedural")))
		return callWith(t, s, "find_procedure", map[string]any{"task": told})
	}},
	{name: "request_reflection", enter: func(t *testing.T, x *extension.Extension, s *extension.Session) error {
		_ = publish(t, x, eventbus.UserMessage(ada, "Let's reflect on my "+marker+"."))
		return callWith(t, s, "request_reflection", map[string]any{"extra_reason": told})
	}},
	{name: "remember_fact", enter: func(t *testing.T, _ *extension.Extension, s *extension.Session) error {
		return callWith(t, s, "remember_fact", map[string]any{"content": told, "tags": []string{"t-" + secret, private}, "entity_names": []string{secret, private}})
	}},
	{name: "correct_fact", enter: func(t *testing.T, x *extension.Extension, s *extension.Session) error {
		if err := callWith(t, s, "remember_fact", map[string]any{"content": "The " + marker + " is in the garden."}); err != nil {
			return err
		}
		answer, err := x.Recall(t.Context(), ada, extension.Query{Text: marker + " garden", Kinds: []extension.Kind{extension.KindFact}})
		require.NoError(t, err)
		require.NotEmpty(t, answer.Results)
		return callWith(t, s, "correct_fact", map[string]any{"memory_id": answer.Results[0].Memory.UID, "new_content": told})
	}},
	{name: "get_entity_info", enter: func(t *testing.T, x *extension.Extension, s *extension.Session) error {
		if err := publish(t, x, eventbus.UserMessage(ada, told)); err != nil {
			return err
		}
		return callWith(t, s, "get_entity_info", map[string]any{"name": told})
	}},
	{name: "memory_log", enter: func(t *testing.T, _ *extension.Extension, s *extension.Session) error {
		return callWith(t, s, "memory_log", map[string]any{"action": "Wrote " + secret, "importance": 5, "type": "action", "content": told, "tags": []string{"t-" + secret, private}})
	}},
	{name: "recall_search", enter: func(t *testing.T, x *extension.Extension, s *extension.Session) error {
		_ = publish(t, x, eventbus.UserMessage(ada, "My "+marker+" grows in the garden."))
		return callWith(t, s, "recall_search", map[string]any{"query": told})
	}},
	{name: "archival_search", enter: func(t *testing.T, x *extension.Extension, s *extension.Session) error {
		_ = publish(t, x, eventbus.UserMessage(ada, "My "+marker+" grows in the garden.", eventbus.Attribute("archive", "lesson")))
		return callWith(t, s, "archival_search", map[string]any{"query": told})
	}},
	{name: "archival_insert", enter: func(t *testing.T, _ *extension.Extension, s *extension.Session) error {
		return callWith(t, s, "archival_insert", map[string]any{"content": told, "type": "lesson", "roles": []string{private, "qa"}})
	}},
	{name: "SetBlock", enter: func(t *testing.T, x *extension.Extension, _ *extension.Session) error {
		_, err := x.SetBlock(t.Context(), ada, "notes", `["`+told+`"]`, 0)
		return err
	}},
	{name: "core_memory_update", enter: func(t *testing.T, _ *extension.Extension, s *extension.Session) error {
		return callWith(t, s, "core_memory_update", map[string]any{"section": "notes", "content": []string{told}})
	}},
	{name: "core_memory_append", enter: func(t *testing.T, _ *extension.Extension, s *extension.Session) error {
		return callWith(t, s, "core_memory_append", map[string]any{"section": "notes", "item": told})
	}},
	{name: "core_memory_append of an object", enter: func(t *testing.T, _ *extension.Extension, s *extension.Session) error {
		return callWith(t, s, "core_memory_append", map[string]any{"section": "notes", "item": map[string]any{secret: private, private: "x", "note": kept}})
	}},
}

// notebook is core memory for the entrances that lead to it.
var notebook = []extension.BlockSpec{{Name: "notes", Kind: extension.BlockList, Writer: extension.ModelWrites}}

func TestSecretsReachNoFile(t *testing.T) {
	for _, e := range entrances {
		t.Run(e.name, func(t *testing.T) {
			path := fresh(t)
			var f faults
			x, err := extension.Open(t.Context(), path, &extension.Config{
				Redaction: extension.Redaction{Hook: keepOut}, Hooks: extension.Hooks{OnError: f.hook}, Night: extension.NightConfig{NoSchedule: true}, CoreMemory: extension.CoreMemoryConfig{Blocks: notebook}, Tools: extension.ToolsConfig{Names: tools.Names()},
			})
			require.NoError(t, err)
			require.NoError(t, e.enter(t, x, session(t, x, ada)))
			require.NoError(t, x.WaitIdle(t.Context()))
			live := onDisk(t, filepath.Dir(path))
			require.NoError(t, x.Close(context.Background()))
			require.Empty(t, f.all)
			closed := onDisk(t, filepath.Dir(path))
			for _, file := range [][]byte{live, closed} {
				assert.False(t, bytes.Contains(file, []byte(secretCore)), "the secret is on disk")
				assert.False(t, bytes.Contains(file, []byte(secretCore[12:])), "half of the secret is on disk")
				assert.False(t, bytes.Contains(bytes.ToLower(file), []byte(private)), "what the hook keeps out is on disk")
			}
			left := e.left
			if left == nil {
				left = []string{kept}
			}
			for _, want := range left {
				assert.True(t, bytes.Contains(live, []byte(want)) || bytes.Contains(closed, []byte(want)), "the text is not on disk: the test tests nothing: %s", want)
			}
		})
	}
}

// A hook that fails keeps everything out.
func TestFailingRedactionHookRefusesWrite(t *testing.T) {
	failures := map[string]func(context.Context, string, string) (string, error){
		"error": func(_ context.Context, _, text string) (string, error) {
			return text, errors.New("no service for " + text)
		},
		"panic":  func(_ context.Context, _, text string) (string, error) { panic("no service for " + text) },
		"goexit": func(context.Context, string, string) (string, error) { runtime.Goexit(); return "", nil },
	}
	for name, fail := range failures {
		for _, e := range entrances {
			if name == "goexit" && e.name != "user.message" {
				continue // it ends the caller
			}
			t.Run(name+"/"+e.name, func(t *testing.T) {
				path := fresh(t)
				var f faults
				var failing atomic.Bool
				x, err := extension.Open(t.Context(), path, &extension.Config{
					Redaction: extension.Redaction{Hook: func(ctx context.Context, name, text string) (string, error) {
						if failing.Load() || strings.Contains(text, marker) {
							failing.Store(true)
							return fail(ctx, name, text)
						}
						return text, nil
					}},
					Hooks: extension.Hooks{OnError: f.hook}, Night: extension.NightConfig{NoSchedule: true}, CoreMemory: extension.CoreMemoryConfig{Blocks: notebook}, Tools: extension.ToolsConfig{Names: tools.Names()},
				})
				require.NoError(t, err)
				done := make(chan struct{})
				go func() { // which a hook can end
					defer close(done)
					err = e.enter(t, x, session(t, x, ada))
				}()
				<-done
				if name != "goexit" {
					var refused *extension.RedactionError
					if e.silent {
						require.NoError(t, err, "a turn goes on")
					} else {
						require.ErrorAs(t, err, &refused)
						assert.NotContains(t, err.Error(), marker)
					}
				}
				require.NoError(t, x.WaitIdle(context.Background()))
				health, err := x.Health(context.Background())
				require.NoError(t, err)
				if e.silent {
					require.NotEmpty(t, f.all, "and the host hears of it")
					require.NotEmpty(t, health.Failures, "and the health shows it")
				}
				assert.NotContains(t, strings.Join(f.all, "\n"), marker, "no text in what is reported")
				stats, err := x.Stats(context.Background(), ada)
				require.NoError(t, err)
				assert.Zero(t, stats.Memories["episode"]+stats.Memories["fact"])
				require.NoError(t, x.Close(context.Background()))
				assert.False(t, bytes.Contains(onDisk(t, filepath.Dir(path)), []byte(marker)), "something of the text is on disk")
			})
		}
	}
}

func TestRedactionOptions(t *testing.T) {
	say := func(t *testing.T, r extension.Redaction, text string) string {
		t.Helper()
		x, err := extension.Open(t.Context(), fresh(t), &extension.Config{Redaction: r, NoBackground: true})
		require.NoError(t, err)
		require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(ada, text)))
		texts := recalled(t, x, ada, "words kept here")
		require.NoError(t, x.Close(t.Context()))
		require.Len(t, texts, 1)
		return texts[0]
	}
	const text = "words kept here: " + secret + ", ada@example.com"
	assert.Equal(t, "words kept here: [redacted:github-token], ada@example.com", say(t, extension.Redaction{}, text), "the default")
	assert.Equal(t, text, say(t, extension.Redaction{KeepSecrets: true}, text))
	assert.Equal(t, "words kept here: [redacted:github-token], [redacted:email]", say(t, extension.Redaction{PII: true}, text))
	assert.Equal(t, "words kept here: "+secret+", [redacted:email]", say(t, extension.Redaction{KeepSecrets: true, PII: true}, text))
}

func TestCredentialsInLabelsAreRefused(t *testing.T) {
	x := open(t, fresh(t))
	for _, scope := range []extension.Scope{
		{User: secret}, {User: "ada", Session: "s-" + secret}, {User: "ada", Agent: secret}, {User: "ada", Tenant: secret},
	} {
		var invalid *extension.InvalidError
		_, err := x.Session(scope)
		require.ErrorAs(t, err, &invalid)
		assert.NotContains(t, err.Error(), secretCore)
		require.ErrorAs(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(scope, "hello there")), &invalid)
		_, err = x.Import(t.Context(), strings.NewReader(`{"id":"1","time":"2026-03-01T18:00:00Z","text":"hello there"}`), transfer.ImportOptions{Scope: scope})
		require.ErrorAs(t, err, &invalid)
	}
	require.Error(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(ada, "hello there", eventbus.WithID(secret))))
	_, err := x.Session(extension.Scope{User: "ada@example.com", Session: "4111111111111111"})
	require.NoError(t, err, "a name that lets nobody in is a host's own business")
}

// An import is one more entrance, whatever its format.
func TestImportsAreRedacted(t *testing.T) {
	export := exported(t)
	require.Contains(t, export, secretCore, "the export holds what must not be kept here")
	turn, err := json.Marshal(map[string]any{"session": "s", "time": "2026-03-01T18:00:00Z", "speaker": "Ada " + private, "text": told})
	require.NoError(t, err)
	entry, err := json.Marshal(map[string]any{"id": "e", "timestamp": "2026-03-01T18:00:00Z", "role": "qa", "action": "Wrote " + secret, "importance": 5, "type": "action", "tags": []string{private}, "content": told})
	require.NoError(t, err)
	chat, err := json.Marshal([]any{map[string]any{"id": "c", "create_time": 1, "current_node": "a", "mapping": map[string]any{
		"a": map[string]any{"message": map[string]any{"author": map[string]any{"role": "user", "name": "Ada " + private}, "content": map[string]any{"content_type": "text", "parts": []string{told}}}},
	}}})
	require.NoError(t, err)
	for name, input := range map[string]string{"turns": string(turn), "stream": string(entry), "chatgpt": string(chat), "ebb": export, "ebb, restored": export} {
		t.Run(name, func(t *testing.T) {
			path := fresh(t)
			x, err := extension.Open(t.Context(), path, &extension.Config{Redaction: extension.Redaction{Hook: keepOut}, Night: extension.NightConfig{NoSchedule: true}})
			require.NoError(t, err)
			opts := transfer.ImportOptions{Scope: extension.Scope{User: "ada"}, Restore: name == "ebb, restored"}
			if name == "stream" {
				opts.Format = transfer.FormatStream
			}
			report, err := x.Import(t.Context(), strings.NewReader(input), opts)
			require.NoError(t, err)
			require.Positive(t, report.Stored)
			again, err := x.Import(t.Context(), strings.NewReader(input), opts)
			require.NoError(t, err)
			assert.Zero(t, again.Stored, "importing again stores nothing twice")
			require.NoError(t, x.WaitIdle(t.Context()))
			require.NoError(t, x.Close(context.Background()))
			file := onDisk(t, filepath.Dir(path))
			assert.False(t, bytes.Contains(file, []byte(secretCore)), "the secret is on disk")
			assert.False(t, bytes.Contains(bytes.ToLower(file), []byte(private)), "what the hook keeps out is on disk")
			assert.True(t, bytes.Contains(file, []byte(kept)))

			x, err = extension.Open(t.Context(), fresh(t), &extension.Config{NoBackground: true, Redaction: extension.Redaction{
				Hook: func(context.Context, string, string) (string, error) { return "", errors.New("down") },
			}})
			require.NoError(t, err)
			_, err = x.Import(t.Context(), strings.NewReader(input), opts)
			var refused *extension.RedactionError
			require.ErrorAs(t, err, &refused)
			require.NoError(t, x.Close(context.Background()))
		})
	}
}

// The id that an import makes for a turn without one tells nothing of what was
// kept out of it.
func TestImportIdentifiesTurnsByRedactedText(t *testing.T) {
	x := open(t, fresh(t))
	say := func(text string) *transfer.ImportReport {
		turn, err := json.Marshal(map[string]any{"time": "2026-03-01T18:00:00Z", "text": text})
		require.NoError(t, err)
		report, err := x.Import(t.Context(), bytes.NewReader(turn), transfer.ImportOptions{Scope: ada})
		require.NoError(t, err)
		return report
	}
	require.Equal(t, 1, say("my card is 4111 1111 1111 1111").Stored)
	require.Equal(t, 1, say("my card is 5555 5555 5555 4444").Duplicates, "nothing in the file tells the numbers apart")
}

// exported is the export of a memory that kept everything.
func exported(t *testing.T) string {
	t.Helper()
	x, err := extension.Open(t.Context(), fresh(t), &extension.Config{Redaction: extension.Redaction{KeepSecrets: true}, Night: extension.NightConfig{NoSchedule: true}, CoreMemory: extension.CoreMemoryConfig{Blocks: notebook}, Tools: extension.ToolsConfig{Names: tools.Names()}})
	require.NoError(t, err)
	s := session(t, x, ada)
	for _, e := range entrances {
		if !strings.Contains(e.name, "cut") && !strings.Contains(e.name, "WrapModel") {
			require.NoError(t, e.enter(t, x, s), e.name)
		}
	}
	require.NoError(t, x.WaitIdle(t.Context()))
	var b bytes.Buffer
	_, err = x.Export(t.Context(), &b, ada)
	require.NoError(t, err)
	require.NoError(t, x.Close(context.Background()))
	return b.String()
}

// What a model answers at night is one more.
func TestNightsAreRedacted(t *testing.T) {
	server := llmtest.New(t)
	server.On(llmtest.Contains("Messages:"), llmtest.JSON(map[string]any{"facts": []any{map[string]any{
		"text": told, "kind": "fact", "subject": "Vault " + secret, "predicate": "holds " + private, "object": secret, "type": "state", "when": "",
		"confidence": 0.9, "importance": 8, "sources": []string{"m1"}, "quote": "My " + marker + " grows",
	}}}))
	server.On(llmtest.Any, llmtest.JSON(map[string]any{"facts": []any{}, "pairs": []any{}, "questions": []string{told}, "insights": []any{map[string]any{
		"question": 1, "text": told, "importance": 9, "sources": []string{"r1", "r2"},
	}}, "summaries": []any{map[string]any{"entity": 1, "text": told}}, "mentions": []any{}}))
	path := fresh(t)
	cfg := &extension.Config{Redaction: extension.Redaction{Hook: keepOut}, Night: extension.NightConfig{NoSchedule: true}, Model: server.LLM(t), Location: time.UTC}
	x, err := extension.Open(t.Context(), path, cfg)
	require.NoError(t, err)
	heard(t, x, "My "+marker+" grows in the garden of Noor.", "Noor waters it.", "Noor likes the "+marker+" too.")
	require.NoError(t, x.WaitIdle(t.Context()))
	_, err = x.Consolidate(t.Context(), ada)
	require.NoError(t, err)
	require.NoError(t, x.WaitIdle(t.Context()))
	require.NoError(t, x.Close(context.Background()))
	file := onDisk(t, filepath.Dir(path))
	assert.False(t, bytes.Contains(file, []byte(secretCore)), "the secret is on disk")
	assert.False(t, bytes.Contains(bytes.ToLower(file), []byte(private)), "what the hook keeps out is on disk")
	assert.True(t, bytes.Contains(file, []byte(kept)), "the fact was set aside, without them")
}

func TestFailingRedactionHookFailsStage(t *testing.T) {
	server := llmtest.New(t)
	server.On(llmtest.Any, llmtest.JSON(map[string]any{"facts": []any{map[string]any{"text": "the model says " + marker, "sources": []string{"m1"}}}}))
	path := fresh(t)
	x, err := extension.Open(t.Context(), path, &extension.Config{Night: extension.NightConfig{NoSchedule: true}, Model: server.LLM(t), Redaction: extension.Redaction{
		Hook: func(_ context.Context, _, text string) (string, error) {
			if strings.Contains(text, marker) {
				return "", errors.New("cannot check " + text)
			}
			return text, nil
		},
	}})
	require.NoError(t, err)
	heard(t, x, "The garden is behind the house.")
	_, err = x.Consolidate(t.Context(), ada)
	var refused *extension.RedactionError
	require.ErrorAs(t, err, &refused)
	assert.NotContains(t, err.Error(), marker)
	health, err := x.Health(t.Context())
	require.NoError(t, err)
	assert.True(t, health.NightFailed)
	require.NoError(t, x.Close(context.Background()))
	assert.False(t, bytes.Contains(onDisk(t, filepath.Dir(path)), []byte(marker)))
}
