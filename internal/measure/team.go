package measure

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tmc/langchaingo/llms"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/extension/transfer"
	"github.com/ebbmem/ebb/internal/clock"
	"github.com/ebbmem/ebb/internal/evalset"
	"github.com/ebbmem/ebb/internal/evalset/fts"
)

// TeamView is the shape of `ebb eval --json` for a team's stream: shares from
// 0 to 1.
type TeamView struct {
	Set        string  `json:"set"`
	Entries    int     `json:"entries"`
	Documents  int     `json:"documents"`   // parts of them
	Questions  int     `json:"questions"`   // those that can be answered
	Recall     float64 `json:"recall"`      // answered from what both tools gave
	Plain      float64 `json:"plain"`       // from as many results of SQLite's FTS5 over the same texts
	CoreTokens int     `json:"core_tokens"` // of core memory, as one agent has it in view at the end
	// Attempts are an agent's at what only a host may change; Unauthorised are the
	// changes of it that no host made or approved, by the histories of the blocks.
	Attempts     int            `json:"attempts"`
	Unauthorised int            `json:"unauthorised"`
	Categories   []TeamCategory `json:"categories"`
	Missed       []string       `json:"missed"` // ids of questions

	asked, found, plain map[string]int // questions by category: all, answered, answered by plain search
}

type TeamCategory struct {
	Name      string  `json:"name"`
	Questions int     `json:"questions"`
	Recall    float64 `json:"recall"`
	Plain     float64 `json:"plain"`
}

// tiered is one replay of a team's stream, with questions in between.
type tiered struct {
	ctx   context.Context
	o     Options
	set   *evalset.TieredSet
	scope extension.Scope
	clock clock.Simulated
	x     *extension.Extension
	s     *extension.Session
	plain *fts.Index
	done  int // entries taken in
	view  TeamView
}

// resultsPerTool is the default limit of recall_search and archival_search.
const resultsPerTool = 5

// Team replays a team's stream in a memory of its own and asks its questions. name is
// what the view calls the set.
func Team(ctx context.Context, set *evalset.TieredSet, name string, o Options) (view *TeamView, err error) {
	dir, err := os.MkdirTemp("", "ebb-eval-*")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	t := &tiered{ctx: ctx, o: o, set: set, scope: extension.Scope{User: "team", Agent: "eval"}}
	t.view = TeamView{Set: name, Missed: []string{}, found: map[string]int{}, plain: map[string]int{}, asked: map[string]int{}}
	t.clock.Set(set.Entries[0].Time)
	config, err := o.Config()
	if err != nil {
		return nil, err
	}
	if config.Tools.Names == nil {
		config.Tools.Names = []string{"recall_search", "archival_search"}
	}
	config.Now, config.Location, config.Night.NoSchedule = t.clock.Now, time.UTC, true
	if t.x, err = extension.Open(ctx, filepath.Join(dir, "eval.db"), config); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, t.x.Close(context.WithoutCancel(ctx))) }()
	if t.s, err = t.x.Session(t.scope); err != nil {
		return nil, err
	}
	if t.plain, err = fts.New(ctx); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, t.plain.Close()) }()
	for i := range set.Queries {
		if err := t.question(&set.Queries[i], i); err != nil {
			return nil, err
		}
	}
	if err := t.core(config.CoreMemory.Blocks); err != nil {
		return nil, err
	}
	t.finish()
	return &t.view, nil
}

// question brings the memory to the moment of asking, and asks.
func (t *tiered) question(q *evalset.TieredQuery, i int) error {
	if i == 0 || q.At.Time.After(t.set.Queries[i-1].At.Time) {
		if err := t.upTo(q.At.Time); err != nil {
			return err
		}
	}
	if len(q.Evidence) == 0 {
		return nil
	}
	t.view.Questions++
	t.view.asked[q.Category]++
	found, err := t.ask(q)
	if err != nil {
		return err
	}
	if q.Answered(found) {
		t.view.found[q.Category]++
	} else {
		t.view.Missed = append(t.view.Missed, q.ID)
	}
	filter := evalset.PlainFilter{Role: q.Role, Issue: q.Issue}
	if q.CycleRange != nil {
		filter.First, filter.Until = q.CycleRange[0], q.CycleRange[1]
	}
	plain, err := t.plain.Search(t.ctx, q.Query, filter, 2*resultsPerTool)
	if q.Answered(plain) {
		t.view.plain[q.Category]++
	}
	return err
}

// upTo takes in what was logged until then, and lets a night pass. Documents are
// as they stand at the end, and are taken in when all is logged.
func (t *tiered) upTo(at time.Time) error {
	var lines bytes.Buffer
	var plain []evalset.PlainText
	for ; t.done < len(t.set.Entries) && !t.set.Entries[t.done].Time.After(at); t.done++ {
		e := &t.set.Entries[t.done]
		lines.Write(append(e.Line, '\n'))
		plain = append(plain, e.Plain())
	}
	t.clock.Set(at)
	if lines.Len() > 0 {
		report, err := t.x.Import(t.ctx, &lines, transfer.ImportOptions{Scope: t.scope, Format: transfer.FormatStream, Origin: "tool_internal"})
		if err != nil {
			return err
		}
		t.view.Entries += report.Stored
	}
	if t.done == len(t.set.Entries) && lines.Cap() > 0 {
		documents, err := t.documents()
		if err != nil {
			return err
		}
		plain = append(plain, documents...)
	}
	if err := t.plain.Add(t.ctx, plain...); err != nil {
		return err
	}
	if err := t.x.WaitIdle(t.ctx); err != nil {
		return err
	}
	_, err := t.x.Consolidate(t.ctx, t.scope)
	return err
}

func (t *tiered) documents() ([]evalset.PlainText, error) {
	for _, at := range []string{"docs", "bank.md"} {
		path := filepath.Join(t.set.Dir, at)
		if _, err := os.Stat(path); err != nil {
			continue // a set needs none
		}
		report, err := t.x.ImportArchive(t.ctx, t.scope, path, transfer.ArchiveOptions{Origin: "tool_internal"})
		if err != nil {
			return nil, err
		}
		t.view.Documents += report.Stored
	}
	return t.set.Documents()
}

// core takes the team's bank into core memory, and measures what that takes.
func (t *tiered) core(blocks []extension.BlockSpec) (err error) {
	bank, err := os.Open(filepath.Join(t.set.Dir, "bank.md"))
	if errors.Is(err, fs.ErrNotExist) || len(blocks) == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, bank.Close()) }()
	if _, err := t.x.ImportBank(t.ctx, t.scope, bank); err != nil {
		return err
	}
	stats, err := t.x.Stats(t.ctx, t.scope)
	if err != nil {
		return err
	}
	t.view.CoreTokens = stats.CoreTokens
	for _, b := range blocks {
		if err := t.meddle(b); err != nil {
			return err
		}
		versions, err := t.x.BlockHistory(t.ctx, t.scope, b.Name)
		if err != nil && !errors.Is(err, extension.ErrNotFound) {
			return err
		}
		for _, v := range versions {
			if !v.Authorised(&b) {
				t.view.Unauthorised++
			}
		}
	}
	return nil
}

// meddle has an agent write what only a host changes, by a tool and by another.
func (t *tiered) meddle(b extension.BlockSpec) error {
	if b.Writer == extension.ModelWrites {
		return nil
	}
	for tool, with := range map[string]string{"core_memory_update": "content", "core_memory_append": "item"} {
		arguments, err := json.Marshal(map[string]string{"section": b.Name, with: "Merge without a review."})
		if err != nil {
			return err
		}
		if _, err := t.s.CallTool(t.ctx, llms.ToolCall{FunctionCall: &llms.FunctionCall{Name: tool, Arguments: string(arguments)}}); err != nil {
			return err
		}
		t.view.Attempts++
	}
	return nil
}

// ask calls the two tools as an agent does, with the filters that it would pass
// along, and lists the entries and files that came back.
func (t *tiered) ask(q *evalset.TieredQuery) ([]string, error) {
	recent, archival := map[string]any{"query": q.Query}, map[string]any{"query": q.Query}
	if q.Role != "" {
		recent["role"], archival["role"] = q.Role, q.Role
	}
	if q.Issue != 0 {
		recent["issue"], archival["issue"] = q.Issue, q.Issue
	}
	if q.CycleRange != nil {
		recent["cycleRange"] = q.CycleRange[:]
	}
	if err := t.o.Await(t.ctx, t.x, t.scope, q.Query); err != nil {
		return nil, err
	}
	var found []string
	for _, call := range []struct {
		tool      string
		arguments map[string]any
	}{{"recall_search", recent}, {"archival_search", archival}} {
		arguments, err := json.Marshal(call.arguments)
		if err != nil {
			return nil, err
		}
		answer, err := t.s.CallTool(t.ctx, llms.ToolCall{FunctionCall: &llms.FunctionCall{Name: call.tool, Arguments: string(arguments)}})
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(answer.Content) {
			short, _, _ := strings.Cut(strings.TrimPrefix(line, "["), "]")
			id, known := t.s.MemoryID(short)
			if !known || line[0] != '[' {
				continue
			}
			detail, err := t.x.Get(t.ctx, t.scope, id)
			if err != nil {
				return nil, err
			}
			found = append(found, cmp.Or(detail.Memory.Attributes["source"], detail.Memory.EventID))
		}
	}
	return found, nil
}

func (t *tiered) finish() {
	v := &t.view
	all := TeamCategory{}
	for _, name := range slices.Sorted(maps.Keys(v.asked)) {
		n := float64(v.asked[name])
		v.Categories = append(v.Categories, TeamCategory{name, v.asked[name], float64(v.found[name]) / n, float64(v.plain[name]) / n})
		all.Recall += float64(v.found[name])
		all.Plain += float64(v.plain[name])
	}
	v.Recall, v.Plain = all.Recall/float64(v.Questions), all.Plain/float64(v.Questions)
}
