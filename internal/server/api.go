package server

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/ebbmem/ebb/consolidate/fourstores"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/mcpserver"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/inspect"
	"github.com/ebbmem/ebb/schema/undo"
	"github.com/ebbmem/ebb/tools"
)

// endpoint is a route of the API. The handlers and the OpenAPI document are made from
// it.
type endpoint struct {
	method, path, summary string
	hostOnly              bool // requires a host token
	slow                  bool // has no timeout
	limit                 bool // has the query parameter limit
	reflects              bool // requires a profile with reflections
	in, out               reflect.Type
	serve                 func(s *Server, w http.ResponseWriter, r *http.Request) error
}

// call is a request to an endpoint.
type call struct {
	*Server

	identity

	path  func(name string) string
	limit int
}

// body makes an endpoint with a JSON body.
func body[In, Out any](path, summary string, fn func(*call, context.Context, In) (Out, error)) endpoint {
	return endpoint{
		method: http.MethodPost, path: path, summary: summary, in: reflect.TypeFor[In](), out: reflect.TypeFor[Out](),
		serve: func(s *Server, w http.ResponseWriter, r *http.Request) error {
			var in In
			if err := errors.Join(readBody(r, &in), unhurried(w, r)); err != nil {
				return err
			}
			out, err := fn(s.call(r), r.Context(), in)
			if err == nil {
				answer(w, http.StatusOK, out)
			}
			return err
		},
	}
}

// plainly makes an endpoint without a body.
func plainly[Out any](method, path, summary string, fn func(*call, context.Context) (Out, error)) endpoint {
	return endpoint{
		method: method, path: path, summary: summary, out: reflect.TypeFor[Out](),
		serve: func(s *Server, w http.ResponseWriter, r *http.Request) error {
			c := s.call(r)
			if err := c.readLimit(r); err != nil {
				return err
			}
			out, err := fn(c, r.Context())
			if err == nil {
				answer(w, http.StatusOK, out)
			}
			return err
		},
	}
}

func (e endpoint) forHosts() endpoint  { e.hostOnly = true; return e }
func (e endpoint) unlimited() endpoint { e.slow = true; return e }
func (e endpoint) limited() endpoint   { e.limit = true; return e }
func (e endpoint) reflecting() endpoint {
	e.reflects = true
	return e
}

func (s *Server) call(r *http.Request) *call {
	return &call{Server: s, identity: identityOf(r.Context()), path: r.PathValue}
}

func (c *call) readLimit(r *http.Request) (err error) {
	if query := r.URL.Query(); query.Has("limit") {
		if c.limit, err = strconv.Atoi(query.Get("limit")); err != nil || c.limit < 1 || c.limit > 1000 {
			return &extension.InvalidError{Field: "limit", Reason: "must be a whole number from 1 to 1000"}
		}
	}
	return nil
}

// handler serves an endpoint, after checking that the token may use it.
func (e endpoint) handler(s *Server) http.Handler {
	h := http.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if e.hostOnly && !identityOf(r.Context()).token.Host {
			fail(w, http.StatusForbidden, "host", "only a token that speaks for the user may do that (ebb token add --as host)")
			return
		}
		if e.reflects && !s.o.Reflects {
			s.errorOf(w, &extension.InvalidError{Field: "profile", Reason: "has no reflections; start ebb serve with --profile fourstores"})
			return
		}
		switch err := e.serve(s, w, r); {
		case errors.Is(err, errContentType):
			fail(w, http.StatusUnsupportedMediaType, "content_type", err.Error())
		case err != nil:
			s.errorOf(w, err)
		}
	}))
	if e.slow {
		return h
	}
	return s.limitedTime(h)
}

// The bodies of requests and responses.
type (
	turnsIn struct {
		Session string `json:"session,omitempty" jsonschema:"the conversation"`
		Turns   []turn `json:"turns" jsonschema:"oldest first; all are stored, or none"`
	}
	turn struct {
		Role    string    `json:"role" jsonschema:"user, assistant or tool"`
		Text    string    `json:"text"`
		ID      string    `json:"id,omitempty" jsonschema:"an idempotency key, unique among all messages of the user; with a client token it only recognises the same text in the same session"`
		Speaker string    `json:"speaker,omitempty" jsonschema:"a display name"`
		Tool    string    `json:"tool,omitempty" jsonschema:"of role tool: its name"`
		At      time.Time `json:"at,omitzero" jsonschema:"when it was said; default now"`
	}
	turnsOut struct {
		Accepted   int `json:"accepted" jsonschema:"all messages of the request"`
		Stored     int `json:"stored"`
		Duplicates int `json:"duplicates" jsonschema:"not stored: their ids are known, or were erased"`
	}
	contextIn struct {
		Question string `json:"question" jsonschema:"what the user says now"`
		Session  string `json:"session,omitempty"`
	}
	contextOut struct {
		Block    string   `json:"block" jsonschema:"the fenced text to put before the model; empty when nothing may help"`
		Tokens   int      `json:"tokens" jsonschema:"about what the block takes"`
		Memories []string `json:"memories" jsonschema:"ids of the memories in it, best first"`
	}
	searchIn struct {
		Query   string           `json:"query"`
		Limit   int              `json:"limit,omitempty" jsonschema:"from 1 to 1000; default 10"`
		Kinds   []extension.Kind `json:"kinds,omitempty" jsonschema:"episode, fact, preference, reflection"`
		Tag     string           `json:"tag,omitempty"`
		Session string           `json:"session,omitempty"`
		Since   time.Time        `json:"since,omitzero"`
		Until   time.Time        `json:"until,omitzero"`
		AsOf    time.Time        `json:"as_of,omitzero" jsonschema:"what was true then"`
		KnownAt time.Time        `json:"known_at,omitzero" jsonschema:"what was known then"`
		Dormant bool             `json:"dormant,omitempty" jsonschema:"also what has faded"`
	}
	searchOut struct {
		Results  []result             `json:"results"`
		Degraded []mcpserver.Degraded `json:"degraded" jsonschema:"search arms that did not answer fully"`
	}
	result struct {
		Rank      int              `json:"rank"`
		Score     float64          `json:"score"`
		Relevance float64          `json:"relevance"`
		Memory    extension.Record `json:"memory"`
		Why       string           `json:"why,omitempty"`

		mcpserver.Shares
	}
	factIn struct {
		Content string `json:"content" jsonschema:"one full sentence"`
	}
	changeOut struct {
		Change   tools.Change `json:"change" jsonschema:"saved, known, quarantined, corrected, forgotten, proposed (it waits for the operator) or none"`
		MemoryID string       `json:"memory_id,omitempty"`
		RunID    string       `json:"run_id,omitempty" jsonschema:"what takes a forgetting back"`
		Message  string       `json:"message,omitempty"`
	}
	nightIn struct {
		DryRun bool `json:"dry_run,omitempty"`
	}
	nightsOut struct {
		Nights []extension.Run `json:"nights"`
	}
	reflectionsOut struct {
		Reflections []fourstores.Status `json:"reflections"`
	}
	reflectionIn struct {
		Extra         int    `json:"extra,omitempty" jsonschema:"tokens above the baseline of 8000"`
		ExtraReason   string `json:"extra_reason,omitempty"`
		Penalty       int    `json:"penalty,omitempty" jsonschema:"tokens less, for mistakes"`
		PenaltyReason string `json:"penalty_reason,omitempty"`
	}
	grantIn struct {
		Verdict fourstores.Verdict `json:"verdict,omitempty" jsonschema:"approve (the default), bonus, reduce, forgive or penalty"`
		Amount  int                `json:"amount,omitempty" jsonschema:"tokens of a bonus, a reduction or a penalty"`
		Reason  string             `json:"reason,omitempty"`
	}
)

// endpoints are the routes below /v1.
func endpoints() []endpoint {
	return []endpoint{
		body("/v1/turns", "Store messages of a conversation.", (*call).turns),
		body("/v1/context", "What to put before a model for what the user says now; it is recorded as shown.", (*call).context),
		body("/v1/search", "Search, with the reasons for each result.", (*call).search),
		plainly(http.MethodGet, "/v1/memories/{id}", "One memory with its sources, entities and history.", (*call).memory),
		plainly(http.MethodDelete, "/v1/memories/{id}", "Forget a memory, with the messages it comes from.", (*call).forget),
		body("/v1/facts", "Remember a fact.", (*call).remember),
		body("/v1/facts/{id}/correct", "Put another text in the place of a fact.", (*call).correct),
		plainly(http.MethodGet, "/v1/profile", "What the user has said of themselves, as each context begins with it.", (*call).profile),
		plainly(http.MethodGet, "/v1/nights", "The runs that changed the memory, newest first.", (*call).nights).limited(),
		body("/v1/nights", "Run a night now.", (*call).night).forHosts().unlimited(),
		plainly(http.MethodPost, "/v1/nights/{id}/undo", "Take back what a run did.", (*call).undo).forHosts(),
		plainly(http.MethodGet, "/v1/reflections", "The reflections of the profile fourstores, newest first: what each asked for, what was granted and written.", (*call).reflections).limited(),
		body("/v1/reflections", "Ask for a reflection and its tokens; it waits for the user's decision.", (*call).reflect).reflecting(),
		body("/v1/reflections/{id}/grant", "Grant the tokens that are asked for; ebb reflect draft then has it written.", (*call).grantReflection).forHosts().reflecting(),
		plainly(http.MethodPost, "/v1/reflections/{id}/approve", "Record what was written.", (*call).approveReflection).forHosts().reflecting(),
		plainly(http.MethodPost, "/v1/reflections/{id}/reject", "End a reflection that waits, without recording it.", (*call).rejectReflection).forHosts().reflecting(),
		{method: http.MethodGet, path: "/v1/export", summary: "Everything of the user, as JSON lines that ebb import reads.", hostOnly: true, slow: true, serve: export},
	}
}

func (c *call) session(name string) extension.Scope {
	scope := c.scope
	scope.Session = name
	return scope
}

func (c *call) context(ctx context.Context, in contextIn) (contextOut, error) {
	s, err := c.ext.Session(c.session(in.Session))
	if err != nil {
		return contextOut{}, err
	}
	found, err := s.Context(ctx, in.Question)
	if err != nil {
		return contextOut{}, err
	}
	out := contextOut{Block: found.Block, Tokens: found.Tokens, Memories: []string{}}
	for i := range found.Items {
		out.Memories = append(out.Memories, found.Items[i].Memory.UID)
	}
	return out, nil
}

func (c *call) search(ctx context.Context, in searchIn) (searchOut, error) {
	q := extension.Query{
		Text: in.Query, Limit: in.Limit, Kinds: in.Kinds, Tag: in.Tag, Session: in.Session, Since: in.Since, Until: in.Until,
		AsOf: extension.AsOf{Valid: in.AsOf, Known: in.KnownAt}, Dormant: in.Dormant,
	}
	session, err := c.ext.Session(c.scope)
	if err != nil {
		return searchOut{}, err
	}
	found, err := session.Search(ctx, q)
	if err != nil {
		return searchOut{}, err
	}
	out := searchOut{Results: make([]result, len(found.Results)), Degraded: mcpserver.DegradedOf(found.Degraded)}
	for i := range found.Results {
		r := &found.Results[i]
		out.Results[i] = result{Rank: r.Rank, Score: r.Score, Relevance: r.Relevance, Memory: r.Memory, Why: r.Why, Shares: mcpserver.SharesOf(r)}
	}
	return out, nil
}

// memory returns a memory. A client sees of it what get_memory would show its model:
// nothing that is forgotten or quarantined.
func (c *call) memory(ctx context.Context) (*extension.Detail, error) {
	d, err := c.ext.Get(ctx, c.scope, c.path("id"))
	if err != nil || c.token.Host {
		return d, err
	}
	hidden := func(m extension.Record) bool {
		return m.State == schema.StateForgotten || m.State == schema.StateQuarantined
	}
	if hidden(d.Memory) {
		return nil, extension.ErrNotFound
	}
	d.Event = nil
	d.Sources = slices.DeleteFunc(d.Sources, func(s inspect.SourceText) bool { return hidden(s.Memory) })
	d.Relations = slices.DeleteFunc(d.Relations, func(r inspect.Relation) bool { return hidden(r.Memory) })
	for _, list := range []*[]extension.Record{&d.Derived, &d.Replaces, &d.ReplacedBy} {
		*list = slices.DeleteFunc(*list, hidden)
	}
	return d, nil
}

func (c *call) profile(ctx context.Context) (*extension.Profile, error) {
	return c.ext.Profile(ctx, c.scope)
}

// clientTool runs a tool that changes the memory, with the rights of a client's model.
func (c *call) clientTool(ctx context.Context, tool string, arguments map[string]string) (changeOut, error) {
	conversation, err := c.conversation(c.identity, "api "+c.token.Name)
	if err != nil {
		return changeOut{}, err
	}
	if id, given := arguments["memory_id"]; given {
		if _, err := c.ext.Get(ctx, c.scope, id); err != nil {
			return changeOut{}, err
		}
	}
	out, err := conversation.Run(ctx, tool, arguments)
	if err = cmp.Or(err, out.Fault); err != nil {
		return changeOut{}, err
	}
	if out.Failed {
		return changeOut{}, &extension.InvalidError{Field: "body", Reason: out.Text}
	}
	answered := changeOut{Change: out.Change, Message: out.Text}
	if out.Changed != nil {
		answered.MemoryID = out.Changed.UID
	}
	return answered, nil
}

func (c *call) remember(ctx context.Context, in factIn) (changeOut, error) {
	if !c.token.Host {
		return c.clientTool(ctx, "remember_fact", map[string]string{"content": in.Content})
	}
	r, err := c.ext.Remember(ctx, c.scope, in.Content)
	return changed(tools.ChangeSaved, r, err)
}

func (c *call) correct(ctx context.Context, in factIn) (changeOut, error) {
	if !c.token.Host {
		return c.clientTool(ctx, "correct_fact", map[string]string{"memory_id": c.path("id"), "new_content": in.Content})
	}
	r, err := c.ext.Correct(ctx, c.scope, c.path("id"), in.Content)
	return changed(tools.ChangeCorrected, r, err)
}

func changed(as tools.Change, r *extension.Remembered, err error) (changeOut, error) {
	if err != nil {
		return changeOut{}, err
	}
	if as == tools.ChangeSaved && r.Known {
		as = tools.ChangeKnown
	}
	return changeOut{Change: as, MemoryID: r.Memory.UID}, nil
}

func (c *call) forget(ctx context.Context) (changeOut, error) {
	id := c.path("id")
	if !c.token.Host {
		return c.clientTool(ctx, "forget_memory", map[string]string{"memory_id": id})
	}
	f, err := c.ext.Forget(ctx, c.scope, id)
	if err != nil {
		return changeOut{}, err
	}
	return changeOut{Change: tools.ChangeForgotten, MemoryID: id, RunID: f.RunID}, nil
}

func (c *call) nights(ctx context.Context) (nightsOut, error) {
	runs, err := c.ext.Runs(ctx, c.scope, cmp.Or(c.limit, 50))
	for i := range runs {
		if !c.token.Host { // they hold the operator's reasons, and what was forgotten
			runs[i].Stages, runs[i].Error = nil, ""
		}
	}
	return nightsOut{append([]extension.Run{}, runs...)}, err
}

func (c *call) night(ctx context.Context, in nightIn) (*extension.Report, error) {
	if in.DryRun {
		return c.ext.ConsolidateDry(ctx, c.scope)
	}
	return c.ext.Consolidate(ctx, c.scope)
}

func (c *call) undo(ctx context.Context) (*undo.Result, error) {
	return c.ext.Undo(ctx, c.scope, c.path("id"))
}

func (c *call) reflections(ctx context.Context) (reflectionsOut, error) {
	all, err := c.ext.Reflections().History(ctx, c.scope, cmp.Or(c.limit, 20))
	return reflectionsOut{append([]fourstores.Status{}, all...)}, err
}

func (c *call) reflect(ctx context.Context, in reflectionIn) (*fourstores.Status, error) {
	return c.ext.Reflections().Request(ctx, c.scope, fourstores.Request{Extra: in.Extra, ExtraReason: in.ExtraReason, Penalty: in.Penalty, PenaltyReason: in.PenaltyReason})
}

func (c *call) grantReflection(ctx context.Context, in grantIn) (*fourstores.Status, error) {
	return c.ext.Reflections().Grant(ctx, c.scope, c.path("id"), fourstores.Grant{Verdict: in.Verdict, Amount: in.Amount, Reason: in.Reason})
}

func (c *call) approveReflection(ctx context.Context) (*fourstores.Status, error) {
	return c.ext.Reflections().Approve(ctx, c.scope, c.path("id"))
}

func (c *call) rejectReflection(ctx context.Context) (*fourstores.Status, error) {
	if err := c.ext.Reflections().Reject(ctx, c.scope, c.path("id")); err != nil {
		return nil, err
	}
	return c.ext.Reflections().Status(ctx, c.scope)
}

// export streams all data of a user as JSON lines. An error after the first line
// truncates the stream; readers detect that by the missing last line.
func export(s *Server, w http.ResponseWriter, r *http.Request) error {
	if err := unhurried(w, r); err != nil {
		return err
	}
	c := s.call(r)
	out := &stream{w: w}
	_, err := s.ext.Export(r.Context(), out, c.scope)
	if err != nil && out.begun {
		s.o.Report(err)
		panic(http.ErrAbortHandler)
	}
	return err
}

// stream sets the header before the first byte.
type stream struct {
	w     http.ResponseWriter
	begun bool
}

func (s *stream) Write(p []byte) (int, error) {
	if !s.begun {
		s.begun = true
		s.w.Header().Set("Content-Type", "application/x-ndjson")
	}
	return s.w.Write(p)
}
