package plugin_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/agents"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/embeddings"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/fake"
	"github.com/tmc/langchaingo/llms/openai"

	"github.com/ebbmem/ebb/consolidate/fourstores"
	"github.com/ebbmem/ebb/encoder"
	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/extension/audit"
	"github.com/ebbmem/ebb/extension/transfer"
	"github.com/ebbmem/ebb/recall/retention"
)

// The functions below hold the Go blocks of README.md and docs/. They are compiled, and
// all but handle never run; TestGoCodeInTheDocumentsCompiles compares them with the documents.
var _ = []any{
	readmeQuickStart, readmeEmbedder, readmeNights, readmeCalls, profilesConsolidate, encoderOpen,
	profilesRetention, profilesDual, profilesBlocks, profilesThreeTier, profilesTeam, profilesCognitive, profilesStores, profilesReflection, profilesRules,
	hostsTeam, hostsTasks, hostsChanges,
}

func handle(ctx context.Context, ext *extension.Extension, llm llms.Model, user, conversation, said string) (string, error) {
	s, err := ext.Session(extension.Scope{User: user, Session: conversation})
	if err != nil {
		return "", err
	}
	return chains.Run(ctx, chains.NewConversation(llm, s.Memory(extension.WithStoredTurns(20))), said)
}

// A later process goes on with a conversation as docs/HOSTS.md says.
func TestConversationOverStatelessRequests(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	turns := [][2]string{{"Where is my order 4711?", "It left our warehouse this morning."}, {"And when does it come?", "On Thursday."}}
	var prompts []string
	for i, turn := range turns {
		ext, err := extension.Open(t.Context(), path, &extension.Config{Night: extension.NightConfig{NoSchedule: true}})
		require.NoError(t, err)
		llm := fake.NewFakeLLM([]string{turn[1]})
		answered, err := handle(t.Context(), ext, promptsOf{llm, &prompts}, "ada", "chat", turn[0])
		require.NoError(t, err)
		require.Equal(t, turn[1], answered)
		stored, err := ext.Timeline(t.Context(), extension.Scope{User: "ada"}, extension.TimelineQuery{Kinds: []extension.Kind{extension.KindEpisode}})
		require.NoError(t, err)
		require.Len(t, stored, 2*(i+1), "the stored turns are not stored again")
		require.NoError(t, ext.Close(t.Context()))
	}
	require.Len(t, prompts, 2)
	for _, said := range append(turns[0][:], turns[1][0]) {
		require.Equal(t, 1, strings.Count(prompts[1], said), prompts[1])
	}
}

// promptsOf is a model that keeps the prompts it gets.
type promptsOf struct {
	llms.Model
	seen *[]string
}

func (m promptsOf) GenerateContent(ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	*m.seen = append(*m.seen, fmt.Sprint(messages))
	return m.Model.GenerateContent(ctx, messages, options...)
}

func hostsTeam(ext *extension.Extension, llm llms.Model, chat string) ([]llms.Model, error) {
	team := extension.Scope{Tenant: "acme", User: "team", Session: chat, Agent: "planner"}
	own := extension.Scope{Tenant: "acme", User: "marek", Session: chat}
	ours, err := ext.Session(team)
	if err != nil {
		return nil, err
	}
	his, err := ext.Session(own)
	if err != nil {
		return nil, err
	}
	private := extension.WrapModel(extension.WrapModel(llm, ours), his)
	shared := extension.WrapModel(llm, ours)
	return []llms.Model{private, shared}, nil
}

func hostsTasks(ctx context.Context, ext *extension.Extension, user, conversation, task string) error {
	research := extension.Scope{User: user, Session: conversation, Agent: "research"}
	err := ext.Bus().Publish(ctx, eventbus.UserMessage(research, task, eventbus.From(eventbus.OriginAssistant), eventbus.Speaker("planner")))
	return err
}

func hostsChanges(ctx context.Context, ext *extension.Extension, scope extension.Scope, now time.Time) error {
	changes, err := audit.Changes(ctx, ext, scope, audit.ChangeFilter{Since: now.AddDate(0, 0, -1), Until: now})
	if err != nil {
		return err
	}
	for _, c := range changes {
		if c.Record != "memories" {
			continue
		}
		d, err := ext.Get(ctx, scope, c.ID)
		if errors.Is(err, extension.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		fmt.Println(c.At, c.Actor, c.Operation, d.Memory.Content)
	}
	return nil
}

func readmeQuickStart(ctx context.Context, llm llms.Model) error {
	ext, err := extension.Open(ctx, "memory.db", nil)
	if err != nil {
		return err
	}
	defer ext.Close(ctx)

	s, err := ext.Session(extension.Scope{User: "ada", Session: "2026-03-01"})
	if err != nil {
		return err
	}
	agent := agents.NewConversationalAgent(llm, s.Tools())
	exec := agents.NewExecutor(agent, agents.WithMemory(s.Memory()))
	_ = exec
	return nil
}

func readmeEmbedder() error {
	client, err := openai.New(openai.WithEmbeddingModel("text-embedding-3-large"))
	if err != nil {
		return err
	}
	embedder, err := embeddings.NewEmbedder(client)
	if err != nil {
		return err
	}
	cfg := &extension.Config{Embedding: extension.EmbeddingConfig{Embedder: embedder, Model: "text-embedding-3-large", Dims: 256}}
	_ = cfg
	return nil
}

func readmeNights(llm llms.Model, mine extension.Stage) {
	cfg := &extension.Config{
		Model: llm,
		Night: extension.NightConfig{
			Budget: extension.Budget{Calls: 100, Time: 10 * time.Minute},
			Stages: func(list []extension.Stage) []extension.Stage { return slices.Insert(list, len(list)-1, mine) },
		},
	}
	_ = cfg
}

func readmeCalls(ctx context.Context, ext *extension.Extension, s *extension.Session) error {
	scope := s.Scope()
	answer, err := s.Search(ctx, extension.Query{Text: "Where did I live in March?"})
	if err != nil {
		return err
	}
	stated, err := ext.Remember(ctx, scope, "I live in Oslo.")
	if err != nil {
		return err
	}
	corrected, err := ext.Correct(ctx, scope, stated.Memory.UID, "I live in Bergen.")
	if err != nil {
		return err
	}
	hidden, err := ext.Forget(ctx, scope, corrected.Memory.UID)
	if err != nil {
		return err
	}
	shown, err := ext.Undo(ctx, scope, hidden.RunID)
	if err != nil {
		return err
	}
	receipt, err := ext.Erase(ctx, scope, extension.Erasure{Sessions: []string{"2026-03-01"}})
	_, _, _ = answer, shown, receipt
	return err
}

func profilesConsolidate(ctx context.Context, ext *extension.Extension, scope extension.Scope) error {
	report, err := ext.Consolidate(ctx, scope)
	if err != nil {
		return err
	}
	undone, err := ext.Undo(ctx, scope, report.RunID)
	_ = undone
	return err
}

func encoderOpen() error {
	e, err := encoder.Open("/models/all-MiniLM-L6-v2")
	if err != nil {
		return err
	}
	cfg := &extension.Config{Embedding: extension.EmbeddingConfig{Embedder: e, Model: e.ID()}}
	_ = cfg
	return nil
}

func profilesRetention(cfg *extension.Config) {
	cfg.Ranking.Retention = extension.DocumentRetention
	cfg.Ranking.Retention = retention.Standing{Floor: .7, Of: retention.Exponential{Rate: .05, Power: 1}.Left}.Left
}

func profilesDual(llm llms.Model, embedder embeddings.Embedder) {
	cfg := extension.Dual()
	lite := extension.DualOptions{Lite: true}.Config()
	fast := extension.DualOptions{Tau: 200 * time.Hour}.Config()
	cfg.Model = llm
	cfg.Embedding = extension.EmbeddingConfig{Embedder: embedder, Model: "text-embedding-3-small"}
	_, _ = lite, fast
}

func profilesBlocks(cfg *extension.Config) {
	cfg.CoreMemory.Blocks = []extension.BlockSpec{
		{Name: "rules", Kind: extension.BlockText, Writer: extension.ModelProposes},
		{Name: "status", Kind: extension.BlockFields, Writer: extension.ModelWrites,
			Fields: []extension.BlockField{{Name: "goal"}, {Name: "shipped", List: true, Items: 5, Newest: true}}},
		{Name: "roleState", Kind: extension.BlockFields, PerAgent: true, Writer: extension.ModelWrites,
			Fields: []extension.BlockField{{Name: "workingOn"}}},
	}
}

func profilesThreeTier() {
	cfg := extension.ThreeTier()
	short := extension.ThreeTierOptions{Keep: 50}.Config()
	_, _ = cfg, short
}

func profilesCognitive(ctx context.Context, ext *extension.Extension, scope extension.Scope, id string) error {
	cfg := extension.Cognitive()
	fsrs := extension.CognitiveOptions{Factor: 19.0 / 81, Exponent: .5}.Config()
	_, _ = cfg, fsrs
	err := ext.Outcome(ctx, scope, id, true)
	return err
}

func profilesStores(alert func(user, block string)) []*extension.Config {
	cfg := extension.FourStores()                                                     // the document's numbers, added
	letter := extension.FourStoresOptions{Product: true, FadeEpisodes: true}.Config() // multiplied, as the document says
	team := extension.FourStoresOptions{MainAgent: "main"}.Config()                   // other agents propose
	cfg.Hooks.OnCritical = func(s extension.Scope, c extension.CriticalChange) { alert(s.User, c.Block) }
	return []*extension.Config{cfg, letter, team}
}

func profilesReflection(ctx context.Context, ext *extension.Extension, scope extension.Scope) error {
	r := ext.Reflections()
	asked, err := r.Request(ctx, scope, fourstores.Request{Extra: 2000, ExtraReason: "a long week"})
	if err != nil {
		return err
	}
	granted, err := r.Grant(ctx, scope, asked.ID, fourstores.Grant{Verdict: "bonus", Amount: 500}) // or reduce, forgive, penalty
	if err != nil {
		return err
	}
	draft, err := r.Draft(ctx, scope, granted.ID) // calls Config.Model; nothing before does
	if err != nil {
		return err
	}
	recorded, err := r.Approve(ctx, scope, draft.ID) // or Reject; ext.Undo(ctx, scope, recorded.RunID) takes it back
	_ = recorded
	return err
}

func profilesRules() {
	tickets := extension.Rules{Stage: "tickets", List: []extension.Rule{{
		Name: "closed", Where: extension.Conditions{Is: map[string]string{"status": "closed"}},
		When: func(m *extension.Record, now time.Time) (extension.Revision, bool) {
			return extension.Revision{State: extension.StateDormant}, now.Sub(m.CreatedAt.Time) > 90*24*time.Hour
		},
	}, {
		Name: "capacity", Where: extension.Conditions{Kind: extension.KindReflection}, Above: 500, To: 450, // the oldest go first
	}}}
	_ = tickets
}

func profilesTeam(ctx context.Context, ext *extension.Extension, scope extension.Scope, stream, bank io.Reader) error {
	if err := ext.SetCycle(ctx, scope, 188); err != nil {
		return err
	}
	if _, err := ext.Import(ctx, stream, transfer.ImportOptions{Scope: scope, Format: transfer.FormatStream}); err != nil {
		return err
	}
	if _, err := ext.ImportBank(ctx, scope, bank); err != nil {
		return err
	}
	_, err := ext.ImportArchive(ctx, scope, "docs", transfer.ArchiveOptions{})
	return err
}
