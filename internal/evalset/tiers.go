package evalset

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ebbmem/ebb/internal/text"
)

// TieredSet is a team's stream with questions about it: stream.jsonl,
// queries.jsonl, and optionally the documents in docs and bank.md.
type TieredSet struct {
	Dir     string
	Entries []TieredEntry
	Queries []TieredQuery // in order of time
}

// TieredEntry is a line of the stream, with its decoded fields.
type TieredEntry struct {
	Line      []byte    `json:"-"`
	ID        string    `json:"id"`
	Cycle     int64     `json:"cycle"`
	Time      time.Time `json:"timestamp"`
	Role      string    `json:"role"`
	Action    string    `json:"action"`
	Content   string    `json:"content"`
	Tags      []string  `json:"tags"`
	IssueRefs []int64   `json:"issueRefs"`
}

// UnmarshalJSON keeps the line beside its fields.
func (e *TieredEntry) UnmarshalJSON(line []byte) error {
	type fields TieredEntry
	e.Line = slices.Clone(line)
	return json.Unmarshal(line, (*fields)(e))
}

// Plain returns the text of an entry for a plain search, with all fields that the
// memory searches.
func (e *TieredEntry) Plain() PlainText {
	return PlainText{
		ID: e.ID, Text: e.Action + "\n\n" + e.Content + "\n" + strings.Join(e.Tags, " "),
		Role: e.Role, Cycle: e.Cycle, Issues: e.IssueRefs,
	}
}

// TieredQuery is a question at a moment, with the entries and files that answer
// it.
type TieredQuery struct {
	ID         string    `json:"id"`
	Query      string    `json:"query"`
	Role       string    `json:"role"`
	Issue      int64     `json:"issue"`
	CycleRange *[2]int64 `json:"cycleRange"`
	At         struct {
		Cycle int64     `json:"cycle"`
		Time  time.Time `json:"timestamp"`
	} `json:"at"`
	Evidence []string `json:"evidence"`
	Category string   `json:"category"`
}

// whole is the category that needs all of its evidence.
const whole = "cross-cycle"

// Answered reports whether the results answer the question. A cross-cycle question
// needs all of its evidence, another one any of it.
func (q *TieredQuery) Answered(found []string) bool {
	missing := func(id string) bool { return !slices.Contains(found, id) }
	if q.Category == whole {
		return !slices.ContainsFunc(q.Evidence, missing)
	}
	return slices.ContainsFunc(q.Evidence, func(id string) bool { return !missing(id) })
}

// IsTiered reports whether a folder holds a stream.
func IsTiered(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "stream.jsonl"))
	return err == nil
}

// LoadTiered reads a set. Errors name the file and the line.
func LoadTiered(dir string) (*TieredSet, error) {
	set := &TieredSet{Dir: dir}
	err := readLines(filepath.Join(dir, "stream.jsonl"), func(_ int, e TieredEntry) error {
		set.Entries = append(set.Entries, e)
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = readLines(filepath.Join(dir, "queries.jsonl"), func(_ int, q TieredQuery) error {
		set.Queries = append(set.Queries, q)
		return nil
	})
	slices.SortStableFunc(set.Queries, func(a, b TieredQuery) int { return a.At.Time.Compare(b.At.Time) })
	return set, err
}

// documentPart is the approximate size in characters of a document's parts.
const documentPart = 900

// Documents returns the set's files for a plain search, named as in the questions'
// evidence and cut like those of the archive.
func (s *TieredSet) Documents() (parts []PlainText, err error) {
	err = filepath.WalkDir(s.Dir, func(at string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(at) != ".md" || d.Name() == "README.md" {
			return err
		}
		content, err := os.ReadFile(at)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(s.Dir, at)
		for _, section := range text.Sections(string(content), documentPart) {
			parts = append(parts, PlainText{ID: filepath.ToSlash(name), Text: strings.Join(section.Headings, " › ") + "\n\n" + section.Text})
		}
		return err
	})
	return parts, err
}
