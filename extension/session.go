package extension

import (
	"context"
	"time"

	"github.com/tmc/langchaingo/callbacks"
	"github.com/tmc/langchaingo/llms"
	lctools "github.com/tmc/langchaingo/tools"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/recall"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/core"
	"github.com/ebbmem/ebb/tools"
)

// Session is the memory of one user as one conversation sees it: what it
// stores carries the scope's session and agent, what it recalls is all of the
// user's. It is safe for concurrent use and needs no closing.
type Session struct {
	ext   *Extension
	scope schema.Scope
	own   *turn // see turn
	tools []*tools.Tool
	shown *blocks
	talk  *talk
}

// Scope is the scope the session was opened with.
func (s *Session) Scope() Scope { return s.scope }

// turn is what is under way in the conversation.
func (s *Session) turn() *turn { return s.ext.captures.turn(s.scope, s.own) }

// Recall searches the user's memory. It is [Extension.Recall] in this scope.
func (s *Session) Recall(ctx context.Context, q Query) (*Answer, error) {
	return s.ext.Recall(ctx, s.scope, q)
}

// Tools are the memory tools for a langchaingo agent. Their calls are reported
// to the handlers given: langchaingo's executor leaves that to the tools.
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

// reportedTool tells a handler of its calls.
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

// LLMTools are the same tools for a host with a tool loop of its own: pass
// them with llms.WithTools and answer the model's calls with [Session.CallTool].
func (s *Session) LLMTools() []llms.Tool {
	all := make([]llms.Tool, len(s.tools))
	for i, t := range s.tools {
		all[i] = t.Definition()
	}
	return all
}

// CallTool runs one tool call of a model. What the model can mend, an unknown
// tool or a bad argument, comes back as the response's text; the error is the
// context's own.
func (s *Session) CallTool(ctx context.Context, call llms.ToolCall) (llms.ToolCallResponse, error) {
	return tools.Call(ctx, s.tools, call)
}

// ProgramTools makes the named tools ([tools.Names]) with all their parameters,
// for a program that offers them to the models of others, such as an MCP server.
// [tools.Tool.Run] gives their answers with the data in them. Such a model can have
// read anything, so that what it writes is as untrusted as the answer of an unknown
// tool, unless a message of the user's says it.
func (s *Session) ProgramTools(names ...string) []*tools.Tool {
	d := s.toolDeps()
	d.Extended, d.ForeignModel = true, true
	d.TurnTrust = func() schema.Trust { return foreignTool }
	return tools.New(d, names...)
}

// MemoryID is the id of the memory that a model of this conversation was shown
// under a short id, such as m48213; known is false for one it was not shown.
func (s *Session) MemoryID(short string) (id string, known bool) { return s.turn().ids.UID(short) }

// announceShown records what a model was shown: access counts and the
// injection record follow in the background.
func (s *Session) announceShown(ctx context.Context, door string, answer *Answer) {
	s.announceShownBeside(ctx, door, answer, nil)()
}

// recordTime is how long the record of what was shown may take, with a host's
// Redact in it: the end of a turn does not end it.
const recordTime = 30 * time.Second

// announceShownBeside is announceShown that waits for the disk only when
// recorded is called, which it must be, and no longer than ctx lasts. A turn that
// is cancelled has shown it nevertheless. quoted are the public ids of messages
// that the core section quotes: they were seen, which is no access.
func (s *Session) announceShownBeside(ctx context.Context, door string, answer *Answer, quoted []string) (recorded func()) {
	report := eventbus.Recalled{Channel: door, Query: answer.Query, Items: make([]eventbus.RecalledItem, len(answer.Results)), Core: quoted}
	for i, r := range answer.Results {
		report.Items[i] = eventbus.RecalledItem{ID: r.Memory.UID, Rank: r.Rank, Score: r.Score}
		s.turn().shown(r.Memory.Trust)
	}
	if len(answer.Results) > 0 {
		s.ext.hook("OnRecall", func() { s.ext.cfg.Hooks.OnRecall(s.scope, door, answer) })
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
		s.ext.outcome(s.scope, door, showing, err)
	}()
	return func() {
		select {
		case <-done:
		case <-ctx.Done():
		}
	}
}

// seen is what the session has shown of a block of core memory: at first nothing.
func (s *Session) seen(block string) any {
	if content, ok := s.shown.core(block); ok {
		return content
	}
	return core.NoContent(s.ext.spec(block).Kind)
}

// toolDeps is what the session's tools work on.
func (s *Session) toolDeps() tools.Deps {
	return tools.Deps{
		DB: s.ext.db, Scope: s.scope, Location: s.ext.cfg.Location,
		Search: s.recallPlanned,
		Shown: func(ctx context.Context, query string, results []recall.Result) {
			s.announceShown(ctx, "tool", &Answer{Query: query, Results: results})
		},
		Seen: func(level schema.Trust) { s.turn().shown(level) },
		Stored: func(ctx context.Context, tx *schema.Tx, m *schema.Memory) error {
			return s.ext.mem.Announce(ctx, tx, s.scope, m)
		},
		Render: func(ctx context.Context, results []recall.Result) (string, error) {
			whole := make([]entry, len(results))
			for i, r := range results {
				whole[i].Result, whole[i].asked = r, true
			}
			whole, err := s.ext.markSuperseded(ctx, s.scope, whole)
			return render(blockHead{}, whole, BestFirst, 0, s.ext.cfg.Location, s.turn().ids.Of).text, err
		},
		Short:     func(uid string) string { return s.turn().ids.Of(uid) },
		Full:      func(short string) (uid string, known bool) { return s.turn().ids.UID(short) },
		Redact:    s.ext.redactor.Text,
		TurnTrust: func() schema.Trust { return s.ext.captures.trust(context.Background(), s.turn(), s.scope) },
		Log:       s.log, Archive: s.archive, OnlyRequests: s.ext.cfg.NoClaims,
		Blocks: s.ext.cfg.CoreMemory.Blocks, Gate: s.ext.cfg.CoreMemory.WriteGate, AllowUntrusted: s.ext.cfg.Injection.Untrusted,
		BlockSeen: s.seen, BlockShown: s.shown.told,
		Consolidate: s.ext.consolidateForTool(s.scope),
		Stats:       s.ext.statsForTool(s.scope),
		Recent: func(ctx context.Context, since, until time.Time, session string, limit int) ([]Record, error) {
			return s.ext.Timeline(ctx, s.scope, TimelineQuery{Kinds: []Kind{KindEpisode}, Session: session, Since: since, Until: until, Limit: limit})
		},
		Report: func(_ context.Context, tool string, err error) { s.ext.fault(s.scope, "tool "+tool, calling, err) },
		Worked: func(tool string) { s.ext.worked(s.scope, "tool "+tool, calling) },
	}
}
