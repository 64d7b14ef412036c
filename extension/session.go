package extension

import (
	"context"
	"errors"
	"time"

	"github.com/tmc/langchaingo/callbacks"
	"github.com/tmc/langchaingo/llms"
	lctools "github.com/tmc/langchaingo/tools"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/internal/prompt"
	"github.com/ebbmem/ebb/recall"
	"github.com/ebbmem/ebb/recall/reconcile"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/core"
	"github.com/ebbmem/ebb/tools"
)

// Session is one user's memory as seen by one conversation. What it stores is
// labelled with the scope's session and agent; it recalls from all of the user's
// memories. It is safe for concurrent use and needs no closing.
type Session struct {
	ext   *Extension
	scope schema.Scope
	own   *conversation // use conversation()
	tools []*tools.Tool
	shown *blocks // use blocks()

	unnamed *talk     // use talk()
	began   time.Time // which separates sessions without a name
}

// Scope returns the scope the session was created with.
func (s *Session) Scope() Scope { return s.scope }

// conversation returns the conversation's state.
func (s *Session) conversation() *conversation { return s.ext.captures.conversation(s.scope, s.own) }

// Tools returns the memory tools for a langchaingo agent. Their calls are reported
// to the given handlers, which langchaingo's executor leaves to the tools.
func (s *Session) Tools(handlers ...callbacks.Handler) []lctools.Tool {
	all := make([]lctools.Tool, len(s.tools))
	for i, t := range s.tools {
		all[i] = t
		if len(handlers) > 0 {
			all[i] = reportedTool{t, s.ext, callbacks.CombiningHandler{Callbacks: handlers}}
		}
	}
	return all
}

// reportedTool reports its calls to a handler.
type reportedTool struct {
	*tools.Tool

	ext     *Extension
	handler callbacks.Handler
}

// Call implements langchaingo's tools.Tool.
func (t reportedTool) Call(ctx context.Context, input string) (string, error) {
	t.ext.ask("Handler.HandleToolStart", "hook HandleToolStart", func() { t.handler.HandleToolStart(ctx, input) })
	output, err := t.Tool.Call(ctx, input)
	if err != nil {
		t.ext.ask("Handler.HandleToolError", "hook HandleToolError", func() { t.handler.HandleToolError(ctx, err) })
		return "", err
	}
	t.ext.ask("Handler.HandleToolEnd", "hook HandleToolEnd", func() { t.handler.HandleToolEnd(ctx, output) })
	return output, nil
}

// LLMTools returns the same tools for a host with its own tool loop. Pass them with
// llms.WithTools and answer the model's calls with [Session.CallTool].
func (s *Session) LLMTools() []llms.Tool {
	all := make([]llms.Tool, len(s.tools))
	for i, t := range s.tools {
		all[i] = t.Definition()
	}
	return all
}

// CallTool executes a model's tool call. Errors that the model can correct, such as
// an unknown tool or a bad argument, are returned as the response's text. The
// returned error is the context's.
func (s *Session) CallTool(ctx context.Context, call llms.ToolCall) (llms.ToolCallResponse, error) {
	return tools.Call(ctx, s.tools, call)
}

// ProgramTools returns the named tools ([tools.Names]) with all their parameters,
// for programs that offer them to models they do not control, such as an MCP
// server. [tools.Tool.Run] returns their results as data. Such a model may have
// read anything, so what it writes is trusted like the output of an unknown tool,
// unless one of the user's messages says the same.
func (s *Session) ProgramTools(names ...string) []*tools.Tool {
	d := s.toolDeps()
	d.Extended, d.ForeignModel = true, true
	d.TurnTrust = func() schema.Trust { return foreignTool }
	return tools.New(d, names...)
}

// MemoryID resolves a short id such as m48213 that a model of this conversation was
// shown. known is false for any other.
func (s *Session) MemoryID(short string) (id string, known bool) {
	return s.conversation().ids.UID(short)
}

// recordShown records that a model was shown an answer's results. Access counts
// follow in the background.
func (s *Session) recordShown(ctx context.Context, channel string, answer *Answer) {
	s.startRecordShown(ctx, channel, answer, nil)()
}

// recordTime bounds the storing of a turn's message and the recording of what was shown,
// including the host's redaction hook. It is independent of the turn's context.
const recordTime = 30 * time.Second

// startRecordShown is recordShown without waiting for the disk. The caller
// must call recorded, which waits for it until ctx ends; a cancelled turn is
// recorded nevertheless. quoted are the public ids of messages quoted in the core
// section: they count as seen, not as accessed.
func (s *Session) startRecordShown(ctx context.Context, channel string, answer *Answer, quoted []string) (recorded func()) {
	report := eventbus.Recalled{Channel: channel, Query: answer.Query, Items: make([]eventbus.RecalledItem, len(answer.Results)), Core: quoted}
	for i, r := range answer.Results {
		report.Items[i] = eventbus.RecalledItem{ID: r.Memory.UID, Rank: r.Rank, Score: r.Score}
	}
	s.conversation().expose(s.ext.exposes(answer.Results))
	if len(answer.Results) > 0 {
		s.ext.hook("OnRecall", func() { s.ext.cfg.Hooks.OnRecall(s.scope, channel, answer) })
	}
	if s.ext.cfg.ReadOnly {
		return func() {}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		within, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTime)
		defer cancel()
		event, err := eventbus.New(eventbus.TopicMemoryRecalled, s.scope, schema.OriginUnknown, report)
		if err == nil {
			err = s.ext.bus.Report(within, event)
		}
		s.ext.outcome(s.scope, channel, recordShown, err)
	}()
	return func() {
		select {
		case <-done:
		case <-ctx.Done():
		}
	}
}

// seen returns the content of a block of core memory that the session's model was
// last shown, initially none.
func (s *Session) seen(block string) any {
	if content, ok := s.blocks().core(block); ok {
		return content
	}
	return core.NoContent(s.ext.spec(block).Kind)
}

// toolDeps returns the dependencies of the session's tools.
func (s *Session) toolDeps() tools.Deps {
	return tools.Deps{
		DB: s.ext.db, Scope: s.scope, Location: s.ext.cfg.Location,
		Zone:   func(ctx context.Context) (*time.Location, error) { return s.ext.location(ctx, s.scope) },
		Search: s.Search, Observe: s.ext.mem.Observe,
		Similar: func(ctx context.Context, content string) *reconcile.Similar {
			similar, _ := reconcile.Find(ctx, s.ext.searcher, s.ext.cfg.Ranking.Reconcile, s.scope, content)
			return similar // a turn stores what it could not compare
		},
		Shown: func(ctx context.Context, query string, results []recall.Result) {
			s.recordShown(ctx, "tool", &Answer{Query: query, Results: results})
		},
		Seen: func(level schema.Trust) { s.conversation().expose(level) },
		Stored: func(ctx context.Context, tx *schema.Tx, m *schema.Memory) error {
			return s.ext.mem.Announce(ctx, tx, s.scope, m)
		},
		Render: func(ctx context.Context, results []recall.Result) (string, error) {
			whole := make([]prompt.Entry, len(results))
			for i, r := range results {
				whole[i].Result, whole[i].Asked = r, true
			}
			whole, err := s.ext.mark(ctx, s.scope, whole)
			loc, unplaced := s.ext.location(ctx, s.scope)
			return prompt.Render(prompt.Head{}, whole, prompt.OrderBest, 0, loc, s.conversation().ids.Of).Text, errors.Join(err, unplaced)
		},
		Short:     func(uid string) string { return s.conversation().ids.Of(uid) },
		Full:      func(short string) (uid string, known bool) { return s.conversation().ids.UID(short) },
		Redact:    s.ext.redactor.Text,
		TurnTrust: func() schema.Trust { return s.ext.captures.trust(context.Background(), s.conversation(), s.scope) },
		Stores:    s.ext.cfg.Stores, MainAgent: s.ext.cfg.Tools.MainAgent, Reflect: s.ext.requestReflection(s.scope),
		Outcome: func(ctx context.Context, id string, helped bool) error {
			return s.ext.Outcome(ctx, s.scope, id, helped)
		},
		Log: s.log, Archive: s.archive, OnlyRequests: s.ext.cfg.NoClaims,
		Blocks: s.ext.cfg.CoreMemory.Blocks, Gate: s.ext.cfg.CoreMemory.WriteGate, AllowUntrusted: s.ext.cfg.Injection.Untrusted,
		BlockSeen: s.seen, BlockShown: func(block string, content any) { s.blocks().setCore(block, content) },
		Consolidate: s.ext.consolidateForTool(s.scope),
		Stats:       s.ext.statsForTool(s.scope),
		Recent: func(ctx context.Context, since, until time.Time, session string, limit int) ([]Record, error) {
			return s.ext.Timeline(ctx, s.scope, TimelineQuery{Kinds: []Kind{KindEpisode}, Session: session, Since: since, Until: until, Limit: limit, WithoutQuarantined: true})
		},
		Report: func(_ context.Context, tool string, err error) { s.ext.fault(s.scope, "tool "+tool, runTool, err) },
		Worked: func(tool string) { s.ext.worked(s.scope, "tool "+tool, runTool) },
	}
}
