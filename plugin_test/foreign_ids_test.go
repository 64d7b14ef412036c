package plugin_test

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/consolidate/fourstores"
	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/extension/transfer"
)

// belongings are ids and names of one user.
type belongings struct {
	memory, fact, episodeEvent, run, proposal, question, entity, session, agent, tag string
}

// furnish gives a user one of everything that has an id.
func furnish(t *testing.T, w *world, scope extension.Scope, entity string) (b belongings) {
	t.Helper()
	p := w.person(scope)
	b.entity, b.session, b.agent, b.tag = entity, scope.Session, scope.Agent, "tag-of-"+entity
	b.episodeEvent = uuid.NewString()
	require.NoError(t, w.x.Bus().Publish(t.Context(), eventbus.UserMessage(scope, "I live in Oslo with "+entity, eventbus.WithID(b.episodeEvent))))
	p.tool("remember_fact", map[string]any{"content": "I live in Oslo with " + entity, "entity_names": []string{entity}, "tags": []string{b.tag}})
	p.tool("confirm_fact", map[string]any{"memory_id": p.claims()[0].UID})
	p.tool("correct_fact", map[string]any{"memory_id": p.claims()[0].UID, "new_content": "I live in Rome with " + entity})
	w.settle()
	_, err := w.x.SetBlock(t.Context(), scope, "notes", `["lives in Oslo with `+entity+`"]`, 0)
	require.NoError(t, err)
	_, err = w.x.Consolidate(t.Context(), scope)
	require.NoError(t, err)
	w.settle()
	records, err := w.x.Timeline(t.Context(), scope, extension.TimelineQuery{Kinds: []extension.Kind{extension.KindEpisode}})
	require.NoError(t, err)
	b.memory, b.fact = records[0].UID, p.claims()[0].UID
	runs, err := w.x.Runs(t.Context(), scope, 1)
	require.NoError(t, err)
	proposals, err := w.x.Proposals(t.Context(), scope)
	require.NoError(t, err)
	for _, one := range proposals {
		switch one.Kind {
		case extension.ProposalCorrect:
			b.proposal = one.ID
		case extension.ProposalProtect:
			b.question = one.ID
		}
	}
	require.NotEmpty(t, b.proposal, "a correction that nobody said waits")
	require.NotEmpty(t, b.question)
	b.run = runs[0].UID
	return b
}

// idCall is a call with an id or name in it, made as one user.
type idCall struct {
	method string // of Extension or Session, or a tool and its parameter
	of     func(belongings) string
	call   func(p *person, own belongings, id string) string
}

func said(p *person, v any, err error) string { return fmt.Sprint(inJSON(p.w.t, v), " ", err) }

var (
	ofMemory   = func(b belongings) string { return b.memory }
	ofEvent    = func(b belongings) string { return b.episodeEvent }
	ofFact     = func(b belongings) string { return b.fact }
	ofRun      = func(b belongings) string { return b.run }
	ofProposal = func(b belongings) string { return b.proposal }
	ofQuestion = func(b belongings) string { return b.question }
	ofEntity   = func(b belongings) string { return b.entity }
	ofSession  = func(b belongings) string { return b.session }
	ofTag      = func(b belongings) string { return b.tag }
	ofAgent    = func(b belongings) string { return b.agent }
)

// as is a scope with another agent.
func as(scope extension.Scope, agent string) extension.Scope {
	scope.Agent = agent
	return scope
}

// idCalls are all calls that take an id or a name.
var idCalls = []idCall{
	{"Get", ofMemory, func(p *person, _ belongings, id string) string {
		d, err := p.w.x.Get(p.w.t.Context(), p.scope, id)
		return said(p, d, err)
	}},
	{"Get", ofFact, func(p *person, _ belongings, id string) string {
		d, err := p.w.x.Get(p.w.t.Context(), p.scope, id)
		return said(p, d, err)
	}},
	{"Get", ofRun, func(p *person, _ belongings, id string) string {
		d, err := p.w.x.Get(p.w.t.Context(), p.scope, id)
		return said(p, d, err)
	}},
	{"PreviewErase", ofMemory, func(p *person, _ belongings, id string) string {
		receipt, err := p.w.x.PreviewErase(p.w.t.Context(), p.scope, extension.Erasure{Memories: []string{id}})
		return said(p, receipt, err)
	}},
	{"PreviewErase", ofEvent, func(p *person, _ belongings, id string) string {
		receipt, err := p.w.x.PreviewErase(p.w.t.Context(), p.scope, extension.Erasure{Events: []string{id}})
		return said(p, receipt, err)
	}},
	{"PreviewErase", ofSession, func(p *person, _ belongings, name string) string {
		receipt, err := p.w.x.PreviewErase(p.w.t.Context(), p.scope, extension.Erasure{Sessions: []string{name}})
		return said(p, receipt, err)
	}},
	{"Erase", ofMemory, func(p *person, _ belongings, id string) string {
		receipt, err := p.w.x.Erase(p.w.t.Context(), p.scope, extension.Erasure{Memories: []string{id}})
		return said(p, receipt, err)
	}},
	{"Erase", ofEvent, func(p *person, _ belongings, id string) string {
		receipt, err := p.w.x.Erase(p.w.t.Context(), p.scope, extension.Erasure{Events: []string{id}})
		return said(p, receipt, err)
	}},
	{"Erase", ofSession, func(p *person, _ belongings, name string) string {
		receipt, err := p.w.x.Erase(p.w.t.Context(), p.scope, extension.Erasure{Sessions: []string{name}})
		return said(p, receipt, err)
	}},
	{"Why", ofMemory, func(p *person, _ belongings, id string) string {
		why, err := p.s.Why(p.w.t.Context(), extension.Query{Text: "Oslo"}, id)
		return said(p, why, err)
	}},
	{"Undo", ofRun, func(p *person, _ belongings, id string) string {
		undone, err := p.w.x.Undo(p.w.t.Context(), p.scope, id)
		return said(p, undone, err)
	}},
	{"Approve", ofProposal, func(p *person, _ belongings, id string) string {
		return said(p, nil, p.w.x.Approve(p.w.t.Context(), p.scope, id))
	}},
	{"Reject", ofProposal, func(p *person, _ belongings, id string) string {
		return said(p, nil, p.w.x.Reject(p.w.t.Context(), p.scope, id))
	}},
	{"Keep", ofProposal, func(p *person, own belongings, id string) string {
		return said(p, nil, p.w.x.Keep(p.w.t.Context(), p.scope, id, own.fact))
	}},
	{"Keep", ofFact, func(p *person, own belongings, id string) string {
		return said(p, nil, p.w.x.Keep(p.w.t.Context(), p.scope, own.proposal, id))
	}},
	{"Approve", ofQuestion, func(p *person, _ belongings, id string) string {
		return said(p, nil, p.w.x.Approve(p.w.t.Context(), p.scope, id))
	}},
	{"Keep", ofQuestion, func(p *person, own belongings, id string) string {
		return said(p, nil, p.w.x.Keep(p.w.t.Context(), p.scope, id, own.fact))
	}},
	{"Release", ofMemory, func(p *person, _ belongings, id string) string {
		return said(p, nil, p.w.x.Release(p.w.t.Context(), p.scope, id))
	}},
	{"Reject", ofQuestion, func(p *person, _ belongings, id string) string {
		return said(p, nil, p.w.x.Reject(p.w.t.Context(), p.scope, id))
	}},
	{"Timeline", ofEntity, func(p *person, _ belongings, name string) string {
		records, err := p.w.x.Timeline(p.w.t.Context(), p.scope, extension.TimelineQuery{Entity: name})
		return said(p, records, err)
	}},
	{"Timeline", ofSession, func(p *person, _ belongings, name string) string {
		records, err := p.w.x.Timeline(p.w.t.Context(), p.scope, extension.TimelineQuery{Session: name})
		return said(p, records, err)
	}},
	{"Recall", ofEntity, func(p *person, _ belongings, name string) string {
		answer, err := p.w.x.Recall(p.w.t.Context(), p.scope, extension.Query{Text: "Where is " + name + "?"})
		return said(p, answer, err)
	}},
	{"Recall", ofSession, func(p *person, _ belongings, name string) string {
		answer, err := p.w.x.Recall(p.w.t.Context(), p.scope, extension.Query{Text: "Oslo", Session: name})
		return said(p, answer, err)
	}},
	{"Recall", ofAgent, func(p *person, _ belongings, name string) string {
		answer, err := p.w.x.Recall(p.w.t.Context(), p.scope, extension.Query{Text: "Oslo", Agent: name})
		return said(p, answer, err)
	}},
	{"Preview", ofEntity, func(p *person, _ belongings, name string) string {
		injection, err := p.s.Preview(p.w.t.Context(), "Where is "+name+"?")
		return said(p, []any{injection.Block, injection.Items}, err)
	}},
	{"Blocks", ofAgent, func(p *person, _ belongings, name string) string {
		blocks, err := p.w.x.Blocks(p.w.t.Context(), as(p.scope, name))
		return said(p, blocks, err)
	}},
	{"BlockHistory", ofAgent, func(p *person, _ belongings, name string) string {
		versions, err := p.w.x.BlockHistory(p.w.t.Context(), as(p.scope, name), "notes")
		return said(p, versions, err)
	}},
	{"SetBlock", ofAgent, func(p *person, _ belongings, name string) string {
		b, err := p.w.x.SetBlock(p.w.t.Context(), as(p.scope, name), "notes", `["x"]`, 1)
		return said(p, b, err)
	}},
	{"UndoBlock", ofAgent, func(p *person, _ belongings, name string) string {
		b, err := p.w.x.UndoBlock(p.w.t.Context(), as(p.scope, name), "notes", 1)
		return said(p, b, err)
	}},
	{"correct_fact.memory_id", ofFact, func(p *person, _ belongings, id string) string {
		return p.tool("correct_fact", map[string]any{"memory_id": id, "new_content": "I live in Rome"})
	}},
	{"correct_fact.memory_id", ofMemory, func(p *person, _ belongings, id string) string {
		return p.tool("correct_fact", map[string]any{"memory_id": id, "new_content": "I live in Rome"})
	}},
	{"forget_memory.memory_id", ofFact, func(p *person, _ belongings, id string) string {
		return p.tool("forget_memory", map[string]any{"memory_id": id})
	}},
	{"forget_memory.query", ofEntity, func(p *person, _ belongings, name string) string {
		return p.tool("forget_memory", map[string]any{"query": name})
	}},
	{"Correct", ofFact, func(p *person, _ belongings, id string) string {
		r, err := p.w.x.Correct(p.w.t.Context(), p.scope, id, "The kettle is green.")
		return said(p, r, err)
	}},
	{"Forget", ofFact, func(p *person, _ belongings, id string) string {
		f, err := p.w.x.Forget(p.w.t.Context(), p.scope, id)
		return said(p, f, err)
	}},
	{"Protect", ofFact, func(p *person, _ belongings, id string) string {
		return said(p, "", p.w.x.Protect(p.w.t.Context(), p.scope, id))
	}},
	{"Protect", ofEntity, func(p *person, _ belongings, name string) string {
		return said(p, "", p.w.x.Protect(p.w.t.Context(), p.scope, name))
	}},
	{"Reflections", ofProposal, func(p *person, _ belongings, id string) string {
		_, granted := p.w.x.Reflections().Grant(p.w.t.Context(), p.scope, id, fourstores.Grant{})
		_, approved := p.w.x.Reflections().Approve(p.w.t.Context(), p.scope, id)
		return said(p, "", errors.Join(granted, approved, p.w.x.Reflections().Reject(p.w.t.Context(), p.scope, id)))
	}},
	{"Outcome", ofFact, func(p *person, _ belongings, id string) string {
		return said(p, "", p.w.x.Outcome(p.w.t.Context(), p.scope, id, true))
	}},
	{"Unprotect", ofFact, func(p *person, _ belongings, id string) string {
		return said(p, "", p.w.x.Unprotect(p.w.t.Context(), p.scope, id))
	}},
	{"confirm_fact.memory_id", ofFact, func(p *person, _ belongings, id string) string {
		return p.tool("confirm_fact", map[string]any{"memory_id": id})
	}},
	{"confirm_fact.memory_id", ofMemory, func(p *person, _ belongings, id string) string {
		return p.tool("confirm_fact", map[string]any{"memory_id": id})
	}},
	{"get_entity_info.name", ofEntity, func(p *person, _ belongings, name string) string {
		return p.tool("get_entity_info", map[string]any{"name": name})
	}},
	{"search_memory.query", ofEntity, func(p *person, _ belongings, name string) string {
		return p.tool("search_memory", map[string]any{"query": name})
	}},
	{"search_memory.tag", ofTag, func(p *person, _ belongings, tag string) string {
		return p.tool("search_memory", map[string]any{"query": "Oslo", "tag": tag})
	}},
	{"CallTool", ofFact, func(p *person, _ belongings, id string) string { // a bare text where an id belongs
		answer, err := p.s.CallTool(p.w.t.Context(), toolCall("confirm_fact", map[string]any{"__arg1": id}))
		return said(p, answer.Content, err)
	}},
}

// withoutIDs are what takes no id of a record, and why it needs no row.
var withoutIDs = map[string]string{
	"AcknowledgeLosses": "the operator's", "AllBlocks": "a scope", "Backup": "the operator's; a file", "BackupWithKey": "the operator's; a file",
	"Capabilities": "nothing", "Search": "a scope and a question", "Bus": "the host's: it stamps the scope; the ids of events are below", "Close": "nothing",
	"Consolidate": "a scope", "Profile": "a scope", "Turns": "a scope", "Superseded": "records that were read before, whose ids in the file are compared with the scope", "MemoryID": "an id of this conversation, from its own table", "ConsolidateDry": "a scope", "Erasures": "a scope", "Export": "a scope", "Health": "the operator's",
	"Import": "the ids in it are below", "ImportBank": "a file that holds no ids", "Proposals": "a scope", "Quarantined": "a scope and a number", "Runs": "a scope and a number", "Session": "a scope",
	"Stats": "a scope", "Users": "the operator's", "WaitIdle": "nothing",
	"RunDueNights": "the operator's", "Parts": "the module's own", "Cycle": "a scope", "SetCycle": "a scope and a number", "SetTimeZone": "a scope and a time zone", "ResetCycle": "a scope and a number", "ExportStream": "a scope", "ImportArchive": "a folder",
	"Callbacks": "nothing", "Context": "a question", "ProgramTools": "names of tools; internal/mcpserver calls them with ids", "LLMTools": "nothing", "Memory": "options", "Scope": "nothing", "Tools": "handlers",
	"remember_fact.content": "a text", "remember_fact.entity_names": "names that are written",
	"remember_fact.confidence": "a number", "remember_fact.tags": "written",
	"search_memory.limit": "a number", "search_memory.kind": "a kind", "search_memory.since": "a time", "search_memory.until": "a time",
	"correct_fact.new_content": "a text", "Remember": "a scope and a text",
}

// Another user's id is answered as one that does not exist, byte for byte, and
// does nothing.
func TestForeignIDsAreUnknownIDs(t *testing.T) {
	other := extension.Scope{Tenant: "acme", User: "bob", Session: "theirs", Agent: "their-agent"}
	for _, who := range []struct {
		name  string
		scope extension.Scope
		known bool
	}{
		{"a user of the same tenant", extension.Scope{Tenant: "acme", User: "ada", Session: "own", Agent: "own"}, true},
		{"a user of that name elsewhere", extension.Scope{Tenant: "globex", User: "bob", Session: "own", Agent: "own"}, true},
		{"somebody unknown", extension.Scope{Tenant: "acme", User: "eve", Session: "own", Agent: "own"}, false},
	} {
		t.Run(who.name, func(t *testing.T) {
			w := newWorld(t, func(c *extension.Config) { c.Embedding = extension.EmbeddingConfig{} }) // other words have another vector
			defer w.close()
			theirs := furnish(t, w, other, "Ottoline")
			own := belongings{proposal: uuid.NewString(), question: uuid.NewString(), fact: uuid.NewString()}
			if who.known {
				own = furnish(t, w, who.scope, "Tancredi")
			}
			p, ids := w.person(who.scope), named{}
			before := ids.normalise(w.person(other).view())
			for _, c := range idCalls {
				foreign := c.of(theirs)
				unknown := uuid.NewString()
				if !strings.Contains(foreign, "-") || len(foreign) < 30 { // a name
					unknown = "Zeb" + foreign[3:]
				}
				answer := func(id string) string {
					text := ids.normalise(strings.ReplaceAll(c.call(p, own, id), id, "THE ID"))
					return strings.ReplaceAll(strings.ReplaceAll(text, strings.ToLower(id), "THE ID"), strings.ToUpper(id), "THE ID")
				}
				require.Equal(t, answer(unknown), answer(foreign), "%s", c.method)
			}
			w.settle()
			require.Equal(t, before, ids.normalise(w.person(other).view()), "nothing of theirs has changed")
		})
	}
}

// The id of a message belongs to its user: another user's is no duplicate, and
// does not tell that there is one.
func TestMessageIDsArePerUser(t *testing.T) {
	w := newWorld(t)
	defer w.close()
	ada, bob := extension.Scope{User: "ada"}, extension.Scope{User: "bob"}
	for _, scope := range []extension.Scope{ada, bob, ada} {
		require.NoError(t, w.x.Bus().Publish(t.Context(), eventbus.UserMessage(scope, "tea for "+scope.User, eventbus.WithID("m1"))))
	}
	turn := `{"id":"t1","session":"s","time":"2026-03-01T18:00:00Z","speaker":"Ada","role":"user","text":"The kettle is blue."}` + "\n"
	for _, scope := range []extension.Scope{ada, bob} {
		report, err := w.x.Import(t.Context(), strings.NewReader(turn), transfer.ImportOptions{Scope: scope})
		require.NoError(t, err)
		require.Equal(t, 1, report.Stored)
	}
	for _, scope := range []extension.Scope{ada, bob} {
		records, err := w.x.Timeline(t.Context(), scope, extension.TimelineQuery{})
		require.NoError(t, err)
		require.Len(t, records, 2)
	}
}

// A method or a tool's parameter that is new needs a row above.
func TestEveryIDHasARow(t *testing.T) {
	rows := map[string]bool{}
	for _, c := range idCalls {
		rows[c.method] = true
	}
	unused := maps.Clone(withoutIDs)
	check := func(name string) {
		_, exempt := withoutIDs[name]
		if rows[name] == exempt {
			t.Errorf("%s: give it rows in idCalls if it takes an id or a name of a record, else say in withoutIDs why not", name)
		}
		delete(rows, name)
		delete(unused, name)
	}
	var names []string
	for _, of := range []reflect.Type{reflect.TypeFor[*extension.Extension](), reflect.TypeFor[*extension.Session]()} {
		for i := range of.NumMethod() {
			names = append(names, of.Method(i).Name)
		}
	}
	w := newWorld(t)
	defer w.close()
	for _, tool := range w.person(extension.Scope{User: "ada"}).s.LLMTools() {
		schema, ok := tool.Function.Parameters.(map[string]any)
		require.True(t, ok)
		properties, _ := schema["properties"].(map[string]any)
		for parameter := range properties {
			names = append(names, tool.Function.Name+"."+parameter)
		}
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		check(name)
	}
	require.Empty(t, rows, "rows of what is gone")
	require.Empty(t, unused, "exceptions for what is gone")
}

// A file that names another user's records is read as if nobody had them.
func TestForeignExportIsUntrusted(t *testing.T) {
	bob, ada := extension.Scope{Tenant: "acme", User: "bob", Session: "theirs"}, extension.Scope{Tenant: "acme", User: "ada"}
	home := newWorld(t)
	defer home.close()
	furnish(t, home, bob, "Ottoline")
	var export strings.Builder
	_, err := home.x.Export(t.Context(), &export, bob)
	require.NoError(t, err)
	before := named{}.normalise(home.person(bob).view())
	elsewhere := newWorld(t)
	defer elsewhere.close()
	for _, again := range []bool{false, true} {
		read := func(w *world) string {
			report, err := w.x.Import(t.Context(), strings.NewReader(export.String()), transfer.ImportOptions{Scope: ada})
			w.settle()
			return said(w.person(ada), report, err) + named{}.normalise(w.person(ada).view())
		}
		require.Equal(t, read(elsewhere), read(home), "again: %v", again)
	}
	require.Equal(t, before, named{}.normalise(home.person(bob).view()))
}
