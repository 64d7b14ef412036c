package markdown

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/records"
)

// Report counts what an export wrote.
type Report struct {
	Folder string `json:"folder"` // of the user
	Files  int    `json:"files"`
	Claims int    `json:"claims"`
	People int    `json:"people"`
	Days   int    `json:"days"`
}

// Export writes a user's memory to a new folder in dir, which it creates if needed.
// Times are shown in loc; nil is UTC. The user's folder appears when it is complete
// and is readable by its owner alone. The whole memory is held in RAM.
//
// Errors: [*extension.InvalidError] if the user's folder exists; those of
// [extension.Extension.Export] and of the file system.
func Export(ctx context.Context, x *extension.Extension, scope extension.Scope, dir string, loc *time.Location) (*Report, error) {
	loc = cmp.Or(loc, time.UTC)
	if err := scope.Validate(); err != nil {
		return nil, err
	}
	target := filepath.Join(dir, Slug(scope))
	if _, err := os.Lstat(target); !errors.Is(err, fs.ErrNotExist) {
		return nil, cmp.Or(err, error(&extension.InvalidError{Field: "dir", Reason: "holds " + filepath.Base(target) + " already, and nothing is overwritten; give another folder"}))
	}
	profile, err := x.Profile(ctx, scope)
	if err != nil {
		return nil, err
	}
	b := newBook(loc)
	if err := b.read(ctx, x, scope); err != nil {
		return nil, err
	}
	report := &Report{Folder: target}
	b.write(scope, profile, report)
	return report, b.save(dir, func(partial string) error { return os.Rename(partial, target) })
}

var plainName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,39}$`)

// Slug returns the name of a user's folder: the user's name if it is short and plain
// on every file system, else one derived from it.
func Slug(scope extension.Scope) string {
	if scope.Tenant == "" && plainName.MatchString(scope.User) && !reserved.MatchString(scope.User) {
		return scope.User
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%d:%s%s", len(scope.Tenant), scope.Tenant, scope.User))
	return "user-" + hex.EncodeToString(sum[:6])
}

// reserved are names of devices on Windows, and names that Slug derives.
var reserved = regexp.MustCompile(`^(con|prn|aux|nul|com[0-9]|lpt[0-9]|user-[0-9a-f]{12})$`)

// book is what is written of a memory.
type book struct {
	files    map[string][]byte // by path, with slashes
	loc      *time.Location
	claims   []*records.Memory
	days     map[string][]*records.Memory // messages by date
	entities map[string]*entity           // by public id
	merged   map[string]string            // entity → the one it was merged into
	by       map[string]string            // superseded claim → its successor
	other    func(*records.Line)          // gets every line, if set
}

func newBook(loc *time.Location) *book {
	return &book{files: make(map[string][]byte), loc: loc, entities: make(map[string]*entity), merged: make(map[string]string), days: make(map[string][]*records.Memory), by: make(map[string]string)}
}

// save writes the files to a new folder in dir and calls rename with its path. The
// folder is readable by its owner alone; what rename leaves of it is removed.
func (b *book) save(dir string, rename func(partial string) error) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	partial, err := os.MkdirTemp(dir, ".ebb-export-*") // mode 0700
	if err != nil {
		return err
	}
	defer os.RemoveAll(partial) // it never holds the history of git
	for name, content := range b.files {
		path := filepath.Join(partial, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(path, content, 0o600); err != nil {
			return err
		}
	}
	return rename(partial)
}

type entity struct {
	schema.Entity

	names    []string
	claims   []*records.Memory
	mentions map[string]int // of messages, by date
}

// read reads the memory from its lossless export, one consistent snapshot.
func (b *book) read(ctx context.Context, x *extension.Extension, scope extension.Scope) error {
	r, w := io.Pipe()
	exported := make(chan error, 1)
	go func() {
		_, err := x.Export(ctx, w, scope)
		_ = w.CloseWithError(err) // never fails
		exported <- err
	}()
	err := b.lines(r)
	_ = r.CloseWithError(err) // never fails
	return cmp.Or(<-exported, err)
}

func (b *book) lines(r io.Reader) error {
	lines := bufio.NewReader(r)
	dec := json.NewDecoder(lines)
	for {
		var l records.Line
		if err := dec.Decode(&l); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if b.other != nil {
			b.other(&l)
		}
		switch {
		case l.Entity != nil:
			b.entities[l.Entity.UID] = &entity{Entity: *l.Entity, mentions: make(map[string]int)}
		case l.Merged != nil:
			b.merged[l.Merged.Entity] = l.Merged.Into
		case l.Alias != nil:
			if e := b.entity(l.Alias.Entity); e != nil && !slices.Contains(e.names, l.Alias.Surface) && l.Alias.Surface != e.Name {
				e.names = append(e.names, l.Alias.Surface)
			}
		case l.Superseded != nil:
			b.by[l.Superseded.Memory] = l.Superseded.By
		case l.Memory != nil:
			b.memory(l.Memory)
		}
	}
}

// entity returns an entity, or the one it was merged into.
func (b *book) entity(uid string) *entity {
	for range len(b.merged) + 1 {
		into, merged := b.merged[uid]
		if !merged {
			break
		}
		uid = into
	}
	return b.entities[uid]
}

// memory sorts a memory into the book unless it was quarantined, forgotten or
// retired.
func (b *book) memory(m *records.Memory) {
	if m.State != schema.StateActive && m.State != schema.StateDormant && m.State != schema.StateSuperseded {
		return
	}
	day := m.EventTime.In(b.loc).Format(time.DateOnly)
	if m.Kind == schema.KindEpisode {
		b.days[day] = append(b.days[day], m)
	} else {
		b.claims = append(b.claims, m)
	}
	for _, mention := range m.Mentions {
		e := b.entity(mention.Entity)
		switch {
		case e == nil:
		case m.Kind == schema.KindEpisode:
			e.mentions[day]++
		default:
			e.claims = append(e.claims, m)
		}
	}
}

func (b *book) write(scope extension.Scope, profile *extension.Profile, report *Report) {
	byTime := func(x, y *records.Memory) int {
		return cmp.Or(x.EventTime.Compare(y.EventTime.Time), cmp.Compare(x.UID, y.UID))
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "# Profile of %s\n\nWhat the user said of themselves and has not taken back.\n\n", Escape(scope.User))
	for _, l := range profile.Lines {
		fmt.Fprintf(&out, "- %s (said %s)\n", Escape(l.Text), l.Said.In(b.loc).Format(time.DateOnly))
	}
	b.files["profile.md"] = bytes.Clone(out.Bytes())

	slices.SortFunc(b.claims, byTime)
	report.Claims = len(b.claims)
	out.Reset()
	out.WriteString("# Facts\n")
	for _, part := range [...]struct {
		title string
		ended bool
	}{{"Current", false}, {"Ended", true}} {
		fmt.Fprintf(&out, "\n## %s\n\n", part.title)
		for _, m := range b.claims {
			if (m.State == schema.StateSuperseded) == part.ended {
				b.claim(&out, m)
			}
		}
	}
	b.files["facts.md"] = bytes.Clone(out.Bytes())
	for _, uid := range slices.Sorted(maps.Keys(b.entities)) {
		e := b.entities[uid]
		if _, merged := b.merged[uid]; merged || e.Type != schema.EntityPerson && e.Type != schema.EntityName {
			continue
		}
		out.Reset()
		slices.SortFunc(e.claims, byTime)
		b.person(&out, e)
		b.files["people/"+slugOf(uid)+".md"] = bytes.Clone(out.Bytes())
		report.People++
	}
	for _, day := range slices.Sorted(maps.Keys(b.days)) {
		out.Reset()
		slices.SortStableFunc(b.days[day], byTime)
		b.day(&out, day, b.days[day])
		b.files["days/"+slugOf(day)+".md"] = bytes.Clone(out.Bytes())
		report.Days++
	}
	report.Files = len(b.files)
}

// slugOf returns a public id or a date as a file name. Exports of other hosts may
// bring ids of any form.
func slugOf(id string) string {
	if plainName.MatchString(id) && !reserved.MatchString(id) {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return "id-" + hex.EncodeToString(sum[:8])
}

func (b *book) claim(out *bytes.Buffer, m *records.Memory) {
	about := []string{string(m.Kind), "from " + cmp.Or(m.ValidFrom, m.EventTime).In(b.loc).Format(time.DateOnly)}
	if !m.ValidUntil.IsZero() {
		about = append(about, "until "+m.ValidUntil.In(b.loc).Format(time.DateOnly))
	}
	if by := b.by[m.UID]; by != "" {
		about = append(about, "replaced by `"+slugOf(by)+"`")
	}
	if m.Protected {
		about = append(about, "protected")
	}
	about = append(about, fmt.Sprintf("trust %d", m.Trust), "`"+slugOf(m.UID)+"`")
	fmt.Fprintf(out, "- %s  \n  %s\n", Escape(m.Content), strings.Join(about, ", "))
}

func (b *book) person(out *bytes.Buffer, e *entity) {
	fmt.Fprintf(out, "# %s\n", Escape(e.Name))
	if len(e.names) > 0 {
		fmt.Fprintf(out, "\nAlso: %s\n", Escape(strings.Join(e.names, ", ")))
	}
	if e.Summary != "" {
		fmt.Fprintf(out, "\n%s\n", Escape(e.Summary))
	}
	if len(e.claims) > 0 {
		out.WriteString("\n## Facts\n\n")
		for _, m := range e.claims {
			b.claim(out, m)
		}
	}
	if len(e.mentions) > 0 {
		out.WriteString("\n## Mentioned\n\n")
		for _, day := range slices.Sorted(maps.Keys(e.mentions)) {
			fmt.Fprintf(out, "- [%s](../days/%s.md): %d\n", day, slugOf(day), e.mentions[day])
		}
	}
}

func (b *book) day(out *bytes.Buffer, day string, messages []*records.Memory) {
	fmt.Fprintf(out, "# %s\n", day)
	session, first := "", true
	for _, m := range messages {
		if first || m.SessionName != session {
			session, first = m.SessionName, false
			fmt.Fprintf(out, "\n## %s\n\n", Escape(cmp.Or(session, "No session")))
		}
		trust := ""
		if m.Trust <= schema.OriginImport.Ceiling() {
			trust = fmt.Sprintf(" (trust %d)", m.Trust)
		}
		fmt.Fprintf(out, "- %s **%s**%s: %s\n", m.EventTime.In(b.loc).Format("15:04"), Escape(cmp.Or(m.Speaker, m.Role)), trust, Escape(m.Content))
	}
}

// Escape returns a text that Markdown shows as it is: no heading, link, image or
// HTML of the text takes effect. Lines after the first are indented and keep their
// breaks.
func Escape(s string) string {
	s = marks.Replace(strings.TrimSpace(strings.ReplaceAll(s, "\r", "")))
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		line = strings.TrimSpace(line)
		if i > 0 {
			line = starts.ReplaceAllString(line, `$1\$2`)
		}
		lines[i] = line
	}
	return strings.Join(lines, "  \n  ")
}

var (
	marks  = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", `\<`, ">", `\>`, "#", `\#`, "|", `\|`, "~", `\~`, "&", `\&`, "!", `\!`, "$", `\$`, "^", `\^`)
	starts = regexp.MustCompile(`^([0-9]*)([-+=.):])`)
)
