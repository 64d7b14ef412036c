package markdown

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ebbmem/ebb/consolidate/fourstores"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/recall/stores"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/records"
	"github.com/ebbmem/ebb/tools"
)

// StoresOptions are the options of [Stores].
type StoresOptions struct {
	Location *time.Location // in which times are shown; nil is UTC
	// Git commits the folder after each export. Its history begins again after an
	// erasure, so that what was erased is in no commit.
	Git bool
}

// StoresReport says what an export of stores wrote.
type StoresReport struct {
	Folder string `json:"folder"`
	Files  int    `json:"files"`
	// Commit is the commit that was made; "" without Git, and if nothing has changed.
	Commit string `json:"commit,omitempty"`
	Note   string `json:"note,omitempty"` // why there is no commit
}

// stamp is the file by which an export knows its own folders. It holds a hash of what
// was erased so far.
const stamp = ".ebb-stores"

// Stores writes a user's memory to a folder in dir in the layout of
// four-stores-skill.md: MEMORY.md, IDENTITY.md, SOUL.md, and memory/ with episodes,
// graph, procedures, vault and meta. A folder that it wrote before is replaced; nothing
// is ever read from it. The whole memory is held in RAM.
//
// Errors: [*extension.InvalidError] if the folder is not one of its own; those of
// [extension.Extension.Export], of the file system and of git.
func Stores(ctx context.Context, x *extension.Extension, scope extension.Scope, dir string, o StoresOptions) (*StoresReport, error) {
	o.Location = cmp.Or(o.Location, time.UTC)
	if err := scope.Validate(); err != nil {
		return nil, err
	}
	target := filepath.Join(dir, Slug(scope))
	last, err := os.ReadFile(filepath.Join(target, stamp))
	if _, there := os.Lstat(target); err != nil && !errors.Is(there, fs.ErrNotExist) {
		return nil, &extension.InvalidError{Field: "dir", Reason: "holds a folder " + filepath.Base(target) + " that ebb did not write; give another folder"}
	}
	s := &storesBook{book: newBook(o.Location), now: x.Parts().Now()}
	s.other = s.line
	if err := s.read(ctx, x, scope); err != nil {
		return nil, err
	}
	s.write()
	erased := hex.EncodeToString(s.erased())
	s.files[stamp] = []byte(erased + "\n")
	var removal error
	err = s.save(dir, func(partial string) error {
		old := partial + ".old"
		err := replaceFolder(partial, target, old, strings.TrimSpace(string(last)) == erased)
		if err == nil {
			removal = os.RemoveAll(old)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	report := &StoresReport{Folder: target, Files: len(s.files) - 1}
	if o.Git {
		err = report.commit(ctx)
	}
	return report, errors.Join(err, removal)
}

// replaceFolder renames the folder target to old and partial to target, and with history
// moves the history of git. After an error the folders have their names again.
func replaceFolder(partial, target, old string, history bool) error {
	existing := func(err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	if err := existing(os.Rename(target, old)); err != nil {
		return err
	}
	err := os.Rename(partial, target)
	if err == nil && history {
		if err = existing(os.Rename(filepath.Join(old, ".git"), filepath.Join(target, ".git"))); err != nil {
			err = errors.Join(err, os.Rename(target, partial))
		}
	}
	if err != nil {
		return errors.Join(err, existing(os.Rename(old, target)))
	}
	return nil
}

// AllStores writes a folder for each scope, of all users without any, as [Stores] does.
func AllStores(ctx context.Context, x *extension.Extension, dir string, o StoresOptions, scopes ...extension.Scope) ([]*StoresReport, error) {
	if len(scopes) == 0 {
		users, err := x.Users(ctx)
		if err != nil {
			return nil, err
		}
		for _, u := range users {
			scopes = append(scopes, extension.Scope{Tenant: u.Tenant, User: u.Name})
		}
	}
	reports := make([]*StoresReport, len(scopes))
	for i, scope := range scopes {
		var err error
		if reports[i], err = Stores(ctx, x, scope, dir, o); err != nil {
			return reports[:i], err
		}
	}
	return reports, nil
}

// commit commits the folder, by git alone: no configuration and no hook takes part.
func (r *StoresReport) commit(ctx context.Context) error {
	git, err := exec.LookPath("git")
	if err != nil {
		r.Note = "git was not found, so the files are not committed"
		return nil
	}
	run := func(args ...string) (string, error) {
		cmd := exec.CommandContext(ctx, git, append([]string{"-c", "user.name=ebb", "-c", "user.email=ebb@localhost", "-c", "commit.gpgsign=false", "-c", "core.hooksPath=/dev/null", "-c", "core.autocrlf=false", "-c", "gc.auto=0"}, args...)...)
		cmd.Dir = r.Folder
		cmd.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GIT_") }), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
		out, err := cmd.CombinedOutput()
		if err != nil {
			err = fmt.Errorf("git %s: %w", args[0], err)
		}
		return strings.TrimSpace(string(out)), err
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}} {
		if _, err := run(args...); err != nil {
			return err
		}
	}
	changed, err := run("status", "--porcelain")
	if err != nil || changed == "" {
		r.Note = "nothing has changed"
		return err
	}
	if _, err := run("commit", "-q", "-m", "memory: export of the stores"); err != nil {
		return err
	}
	r.Commit, err = run("rev-parse", "--short", "HEAD")
	return err
}

// storesBook is what is written of a memory by stores.
type storesBook struct {
	*book

	now        time.Time
	blocks     []*records.Block
	links      []*records.Link
	proposals  []*records.Proposal
	ops        []*records.Op
	tombstones []string
}

func (s *storesBook) line(l *records.Line) {
	switch {
	case l.Tombstone != nil:
		s.tombstones = append(s.tombstones, l.Tombstone.IDHash)
	case l.Block != nil && l.Block.Agent == "":
		s.blocks = append(s.blocks, l.Block)
	case l.Link != nil:
		s.links = append(s.links, l.Link)
	case l.Proposal != nil:
		s.proposals = append(s.proposals, l.Proposal)
	case l.Op != nil:
		s.ops = append(s.ops, l.Op)
	}
}

// erased is a hash of what was erased, which changes with each erasure.
func (s *storesBook) erased() []byte {
	slices.Sort(s.tombstones)
	sum := sha256.Sum256([]byte(strings.Join(s.tombstones, "\n")))
	return sum[:]
}

func (s *storesBook) put(name, format string, args ...any) {
	s.files[name] = append(s.files[name], fmt.Sprintf(format, args...)...)
}

func (s *storesBook) write() {
	for _, f := range [][3]string{{"MEMORY.md", "Core memory", fourstores.BlockCore}, {"SOUL.md", "Soul", fourstores.BlockSoul}, {"IDENTITY.md", "Identity", fourstores.BlockIdentity}, {"memory/meta/evolution.md", "Evolution", fourstores.BlockEvolution}} {
		s.put(f[0], "# %s\n", f[1])
		for _, b := range s.blocks {
			if b.Name == f[2] {
				s.block(f[0], b)
			}
		}
	}
	var out bytes.Buffer
	for day, messages := range s.days {
		out.Reset()
		slices.SortStableFunc(messages, func(x, y *records.Memory) int {
			return cmp.Or(x.EventTime.Compare(y.EventTime.Time), cmp.Compare(x.UID, y.UID))
		})
		s.day(&out, day, messages)
		s.put("memory/episodes/"+slugOf(day)+".md", "%s", out.String())
	}
	s.claimsByStore()
	s.graph()
	s.reflections()
	s.put("memory/meta/audit.log", "")
	for _, op := range s.ops {
		if op.At.Before(s.now.AddDate(0, 0, -90)) {
			continue
		}
		s.put("memory/meta/audit.log", "%s %s %s %s %s\n", op.At.UTC().Format(time.RFC3339), label(op.Actor), label(op.Operation), op.Record, label(op.ID))
	}
}

// label keeps a value on its line.
func label(s string) string { return strings.Join(strings.Fields(s), "_") }

// block writes a block's content: a list, or a section for each field.
func (s *storesBook) block(file string, b *records.Block) {
	var v any
	if json.Unmarshal([]byte(b.Content), &v) != nil {
		v = b.Content
	}
	section := func(v any) {
		switch v := v.(type) {
		case string:
			s.put(file, "\n%s\n", Escape(v))
		case []any:
			s.put(file, "\n")
			for _, one := range v {
				s.put(file, "- %s\n", Escape(fmt.Sprint(one)))
			}
		}
	}
	fields, ok := v.(map[string]any)
	if !ok {
		section(v)
		return
	}
	title := make(map[string]string)
	for _, of := range fourstores.Sections {
		title[of.Field] = of.Title
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		s.put(file, "\n## %s\n", Escape(cmp.Or(title[name], name)))
		section(fields[name])
	}
}

// claimsByStore writes procedures and the vault, a file each, and the bands of all.
func (s *storesBook) claimsByStore() {
	set, curve := stores.Document(), stores.Curve{}
	type score struct {
		Store string      `json:"store"`
		Uses  int64       `json:"uses"`
		Band  stores.Band `json:"band"`
	}
	scores := make(map[string]score)
	var out bytes.Buffer
	for _, m := range s.claims {
		if m.State == schema.StateSuperseded {
			continue
		}
		of := set.Of(&m.Memory)
		scores[m.UID] = score{of.Name, m.AccessCount, stores.BandOf(set.Retention(curve).Of(&m.Memory, s.now))}
		folder := map[string]string{stores.Procedural: "procedures", stores.Vault: "vault"}[of.Name]
		if folder == "" {
			continue
		}
		out.Reset()
		s.claim(&out, m)
		if of.Name == stores.Procedural {
			fmt.Fprintf(&out, "- helped %s, failed %s\n", Escape(cmp.Or(m.Attributes[schema.AttrSuccesses], "0")), Escape(cmp.Or(m.Attributes[schema.AttrFailures], "0")))
		}
		s.put("memory/"+folder+"/"+slugOf(m.UID)+".md", "%s", out.String())
	}
	raw, err := json.MarshalIndent(scores, "", "  ")
	if err == nil { // texts and numbers
		s.put("memory/meta/decay-scores.json", "%s\n", raw)
	}
}

// graph writes the entities, what is known of none of them, and what relates memories.
func (s *storesBook) graph() {
	named := make(map[string]bool)
	for _, e := range s.entities {
		for _, m := range e.claims {
			named[m.UID] = true
		}
	}
	set := stores.Document()
	var facts bytes.Buffer
	for _, m := range s.claims {
		if store := set.Of(&m.Memory).Name; !named[m.UID] && store != stores.Procedural && store != stores.Vault {
			s.claim(&facts, m)
		}
	}
	if facts.Len() > 0 {
		s.put("memory/graph/facts.md", "# Facts without an entity\n\n%s", facts.String())
	}
	s.put("memory/graph/index.md", "# Entities\n\n")
	s.put("memory/graph/relations.md", "# Relations\n\n")
	var uids []string
	for uid, e := range s.entities {
		if _, merged := s.merged[uid]; !merged && len(e.claims)+len(e.mentions) > 0 {
			uids = append(uids, uid)
		}
	}
	slices.Sort(uids)
	var out bytes.Buffer
	for _, uid := range uids {
		out.Reset()
		s.person(&out, s.entities[uid])
		s.put("memory/graph/entities/"+slugOf(uid)+".md", "%s", strings.ReplaceAll(out.String(), "](../days/", "](../../episodes/"))
		s.put("memory/graph/index.md", "- [%s](entities/%s.md)\n", Escape(s.entities[uid].Name), slugOf(uid))
	}
	for _, l := range s.links {
		s.put("memory/graph/relations.md", "- `%s` %s `%s`\n", slugOf(l.From), Escape(l.Type), slugOf(l.To))
	}
}

// reflections writes the archives of reflections and rewards, and what waits.
func (s *storesBook) reflections() {
	s.put("memory/meta/pending-reflection.md", "# Pending reflection\n")
	s.put("memory/meta/pending-memories.md", "# Pending memories\n")
	for number, p := range s.proposals {
		day := p.CreatedAt.In(s.loc).Format(time.DateOnly)
		var request fourstores.Request
		var draft fourstores.Draft
		var offer tools.Offer
		switch {
		case p.Kind == fourstores.KindRequest && json.Unmarshal([]byte(p.Payload), &request) == nil:
			file := "memory/meta/rewards/" + day + ".md"
			if p.State == "pending" {
				file = "memory/meta/pending-reflection.md"
			}
			s.put(file, "\n## Reward request %s\n\n- baseline %d, extra %d, penalty %d: %d tokens\n- %s\n- %s\n- %s\n", day, request.Baseline, request.Extra, request.Penalty, request.Tokens,
				Escape(request.ExtraReason), Escape(request.PenaltyReason), Escape(p.State))
		case p.Kind == fourstores.KindDraft && json.Unmarshal([]byte(p.Payload), &draft) == nil:
			file := "memory/meta/reflections/" + day + ".md"
			if p.State == "pending" {
				file = "memory/meta/pending-reflection.md"
			}
			s.put(file, "\n# Reflection %s (%s)\n", day, Escape(p.State))
			for _, e := range draft.Elements {
				s.put(file, "\n%s\n", Escape(e.Text))
			}
			for _, one := range draft.Awareness {
				s.put(file, "\n- [Self-Awareness] %s\n", Escape(one))
			}
			if p.State == "applied" {
				s.put("memory/meta/reflection-log.md", "- %s: %s\n", day, Escape(draft.Summary))
				s.put("memory/meta/reward-log.md", "- %s: %s, %d tokens. %s\n", day, Escape(string(draft.Granted.Verdict)), draft.Granted.Tokens, Escape(draft.Granted.Reason))
			}
		case p.Kind == tools.ProposalMemory && p.State == "pending" && json.Unmarshal([]byte(p.Payload), &offer) == nil:
			s.put("memory/meta/pending-memories.md", "\n## Proposal #%d\n\n- **From**: %s\n- **Timestamp**: %s\n- **Suggested store**: %s\n- **Content**: %s\n- **Confidence**: %s\n- **Status**: pending\n",
				number+1, Escape(offer.Agent), offer.At.UTC().Format(time.RFC3339), Escape(offer.Store), Escape(offer.Content), offer.Level())
		}
	}
}
