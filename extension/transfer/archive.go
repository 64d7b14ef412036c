package transfer

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/internal/memory"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/tools"
)

// partSize is the approximate size of a document's parts, in characters.
const partSize = 900

// maxDocument is the size of the largest accepted file, in bytes.
const maxDocument = 4 << 20

// ArchiveOptions are the options of an import of documents. The zero value has the
// defaults.
type ArchiveOptions struct {
	// Type is the archival type of documents whose path does not imply one:
	// decision, research, spec, lesson or bank. Folders named decisions or adr,
	// research, design or specs, lessons and banks, and files named bank.md or
	// bank-*.md, imply theirs. Default lesson.
	Type string
	// Origin is the origin of the documents, which bounds their trust. Default
	// import (trust 1). Use tool_internal (trust 3) for documents that only the
	// host can change.
	Origin schema.Origin
	// Retire removes from search what was imported from files that no longer exist.
	// Default false: the report lists them.
	Retire bool
}

// ArchiveReport is the result of an import of documents.
type ArchiveReport struct {
	Documents int      `json:"documents"` // files read
	Unchanged int      `json:"unchanged"` // of these, unchanged since the last import
	Stored    int      `json:"stored"`    // new parts
	Retired   int      `json:"retired"`   // parts removed from search
	Erased    int      `json:"erased"`    // parts skipped because they were erased
	Gone      []string `json:"gone"`      // files that were imported before and no longer exist
}

// ImportArchive imports the Markdown files of a folder into the archive. It
// implements Extension.ImportArchive.
func ImportArchive(ctx context.Context, m *memory.Memory, scope schema.Scope, dir string, opts ArchiveOptions) (*ArchiveReport, error) {
	report := &ArchiveReport{Gone: []string{}}
	opts.Type, opts.Origin = cmp.Or(opts.Type, "lesson"), cmp.Or(opts.Origin, schema.OriginImport)
	switch {
	case m.ReadOnly:
		return report, schema.ErrReadOnly
	case !slices.Contains(tools.DocumentTypes, opts.Type):
		return report, &schema.InvalidError{Field: "Type", Reason: "is none of " + strings.Join(tools.DocumentTypes, ", ")}
	case opts.Origin.Validate() != nil:
		return report, opts.Origin.Validate()
	}
	if err := scope.Validate(); err != nil {
		return report, err
	}
	job := &archiving{m: m, scope: scope, opts: opts, report: report}
	return report, job.run(ctx, dir)
}

// archiving is one call of ImportArchive.
type archiving struct {
	m      *memory.Memory
	scope  schema.Scope
	userID int64
	opts   ArchiveOptions
	report *ArchiveReport
	known  map[string]string // URI → hash of all documents of the user
}

func (j *archiving) run(ctx context.Context, dir string) error {
	folder, files, err := markdownFiles(dir)
	if err != nil {
		return err // before the user is created
	}
	err = j.m.DB.Write(ctx, func(ctx context.Context, tx *schema.Tx) (err error) {
		j.userID, err = tx.UserID(ctx, j.scope)
		return err
	})
	if err != nil {
		return err
	}
	err = j.m.DB.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		documents, err := s.Documents(ctx, j.userID)
		j.known = make(map[string]string, len(documents))
		for _, d := range documents {
			j.known[d.URI] = d.Hash
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, uri := range slices.Sorted(maps.Keys(files)) {
		if err := j.file(ctx, uri, files[uri]); err != nil {
			return &ImportError{Where: uri, Err: err}
		}
	}
	return j.gone(ctx, files, folder+"/")
}

// markdownFiles maps the URIs of a folder's Markdown files to their paths and
// returns the folder's name. It skips hidden files and symbolic links.
func markdownFiles(dir string) (folder string, files map[string]string, err error) {
	dir = filepath.Clean(dir)
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs // "." has no name
	}
	files = make(map[string]string)
	err = filepath.WalkDir(dir, func(at string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case at != dir && strings.HasPrefix(d.Name(), "."):
			if d.IsDir() {
				return fs.SkipDir
			}
		case d.Type().IsRegular() && strings.EqualFold(filepath.Ext(at), ".md"):
			within, err := filepath.Rel(filepath.Dir(dir), at)
			if err != nil {
				return err
			}
			files[filepath.ToSlash(within)] = at
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil, &schema.InvalidError{Field: "dir", Reason: "is not there; name a folder of Markdown files, or one such file"}
	}
	if err == nil && len(files) == 0 {
		return "", nil, &schema.InvalidError{Field: "dir", Reason: "holds no Markdown files (*.md)"}
	}
	return filepath.Base(dir), files, err
}

// typeOf returns the archival type implied by a document's name or folders
// (ada-three-tier.md §3.3, which keeps earlier banks as archives/bank-*.md).
func (o *ArchiveOptions) typeOf(uri string) string {
	if name := strings.ToLower(path.Base(uri)); name == "bank.md" || strings.HasPrefix(name, "bank-") {
		return "bank"
	}
	byFolder := map[string]string{
		"decisions": "decision", "adr": "decision", "research": "research", "design": "spec", "specs": "spec", "lessons": "lesson", "banks": "bank",
	}
	folders := strings.Split(strings.ToLower(path.Dir(uri)), "/")
	for _, folder := range slices.Backward(folders) {
		if typ, ok := byFolder[folder]; ok {
			return typ
		}
	}
	return o.Type
}

func (j *archiving) file(ctx context.Context, uri, at string) error {
	if err := schema.ValidAttribute(schema.AttrSource, uri); err != nil {
		return err
	}
	if err := j.m.Redactor.Labels(j.scope, uri); err != nil {
		return err
	}
	info, err := os.Stat(at)
	if err != nil {
		return err
	}
	if info.Size() > maxDocument {
		return &schema.InvalidError{Field: "file", Reason: "is larger than 4 MiB; split it"}
	}
	content, err := os.ReadFile(at)
	if err != nil {
		return err
	}
	if !utf8.Valid(content) {
		return &schema.InvalidError{Field: "file", Reason: "is not UTF-8 text"}
	}
	sum := sha256.Sum256(content)
	hash := hex.EncodeToString(sum[:])
	j.report.Documents++
	if j.known[uri] == hash {
		j.report.Unchanged++
		return nil
	}
	events := j.parts(uri, strings.TrimPrefix(string(content), "\ufeff")) // byte order mark
	ready, err := j.m.Prepare(ctx, events...)
	if err != nil {
		return err
	}
	outcomes, err := ready.Publish(ctx, nil)
	if err != nil {
		return err
	}
	for _, outcome := range outcomes {
		switch outcome {
		case eventbus.Journalled:
			j.report.Stored++
		case eventbus.Erased:
			j.report.Erased++
		}
	}
	holds := make(map[string]bool, len(events))
	for _, e := range events {
		holds[e.ID] = true
	}
	return j.settle(ctx, uri, hash, holds)
}

// parts returns the events of a document's parts. The id of a part is derived from
// its document and text, so an unchanged part keeps its memory.
func (j *archiving) parts(uri, content string) []eventbus.Event {
	labels := j.m.Cycles.Stamp(j.scope, map[string]string{schema.AttrArchive: j.opts.typeOf(uri), schema.AttrSource: uri})
	scope := memory.Team(j.scope) // documents belong to no conversation
	seen := make(map[string]bool)
	var events []eventbus.Event
	for _, s := range text.Sections(content, partSize) {
		said := s.Text
		if len(s.Headings) > 0 {
			said = strings.Join(s.Headings, " › ") + "\n\n" + s.Text
		}
		sum := sha256.Sum256([]byte(fmt.Sprintf("%d:%s%s", len(uri), uri, said)))
		id := "part-" + hex.EncodeToString(sum[:16])
		if seen[id] {
			continue // repeated under one heading
		}
		seen[id] = true
		opts := []eventbus.MessageOption{eventbus.WithID(id), eventbus.From(j.opts.Origin)}
		for name, value := range labels {
			opts = append(opts, eventbus.Attribute(name, value))
		}
		events = append(events, eventbus.ToolResult(scope, schema.DocumentTool, said, opts...))
	}
	return events
}

// settle retires parts the document no longer holds, reactivates those it holds
// again, and records the document as read.
func (j *archiving) settle(ctx context.Context, uri, hash string, holds map[string]bool) error {
	parts, err := schema.Get(ctx, j.m.DB, func(ctx context.Context, s *schema.Snapshot) ([]schema.Memory, error) {
		return s.Parts(ctx, j.userID, uri)
	})
	if err != nil {
		return err
	}
	retired := 0
	err = j.m.DB.Write(ctx, func(ctx context.Context, tx *schema.Tx) error {
		retired = 0
		if err := tx.SameUser(ctx, j.scope, j.userID); err != nil {
			return err
		}
		for _, m := range parts {
			set := m.State != schema.StateActive && m.State != schema.StateRetired // quarantined, for example
			if set || m.Protected || holds[m.EventID] == (m.State == schema.StateActive) {
				continue
			}
			if err := tx.Withdraw(ctx, &m, holds[m.EventID], memory.ByHost); err != nil {
				return err
			}
			if m.State == schema.StateRetired {
				retired++
			}
		}
		return tx.PutDocument(ctx, j.userID, uri, hash)
	})
	j.report.Retired += retired
	return err
}

// gone handles documents of the folder that were imported before and no longer
// exist.
func (j *archiving) gone(ctx context.Context, files map[string]string, folder string) error {
	for _, uri := range slices.Sorted(maps.Keys(j.known)) {
		if _, there := files[uri]; there || j.known[uri] == "" || !strings.HasPrefix(uri, folder) {
			continue
		}
		j.report.Gone = append(j.report.Gone, uri)
		if j.opts.Retire {
			if err := j.settle(ctx, uri, "", nil); err != nil {
				return &ImportError{Where: uri, Err: err}
			}
		}
	}
	return nil
}
