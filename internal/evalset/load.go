package evalset

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/ebbmem/ebb/internal/text"
)

// Set is a folder of labelled conversations.
type Set struct {
	Conversations []Conversation // by name
	Queries       []Query        // in the order of queries.jsonl
}

// Next returns the name of the conversation after the named one, cyclically.
// Questions about one are mostly off topic in the other.
func (s *Set) Next(name string) string {
	at := slices.IndexFunc(s.Conversations, func(c Conversation) bool { return c.Name == name })
	return s.Conversations[(at+1)%len(s.Conversations)].Name
}

// Speakers returns the names of everyone who speaks in a conversation, by its name.
func (s *Set) Speakers() map[string][]string {
	all := make(map[string][]string)
	for _, c := range s.Conversations {
		for _, t := range c.Turns {
			if t.Speaker != "" && !slices.Contains(all[c.Name], t.Speaker) {
				all[c.Name] = append(all[c.Name], t.Speaker)
			}
		}
	}
	return all
}

// NamesAny reports whether a question holds a word of one of the names.
func NamesAny(question string, names []string) bool {
	words := strings.FieldsFunc(strings.ToLower(question), func(r rune) bool { return !unicode.IsLetter(r) })
	for _, name := range names {
		for part := range strings.FieldsSeq(strings.ToLower(name)) {
			if slices.Contains(words, part) {
				return true
			}
		}
	}
	return false
}

// Conversation is one file of turns.
type Conversation struct {
	Name  string // the file's name without .jsonl
	Path  string
	Turns []Turn // in the order of the file
}

// Turn is one message.
type Turn struct {
	ID      string    `json:"id"`
	Session string    `json:"session"`
	Time    time.Time `json:"time"`
	Speaker string    `json:"speaker"`
	Role    string    `json:"role"`
	Text    string    `json:"text"`
}

// Query is one question with the turns that answer it.
type Query struct {
	Conversation string    `json:"conversation"`
	ID           string    `json:"id"`
	Time         time.Time `json:"time"` // the now at which it is asked
	Category     string    `json:"category"`
	Question     string    `json:"question"`
	Answer       string    `json:"answer"`
	Evidence     []string  `json:"evidence"` // ids of turns of Conversation
}

// AnswerIn returns the share of the answer's terms, without those of the question, that a
// block of memories contains; 1 if there are none.
func (q *Query) AnswerIn(block string) float64 {
	asked, held := text.QueryTerms(q.Question, 0), text.Terms(block)
	wanted := slices.DeleteFunc(text.QueryTerms(q.Answer, 0), func(t string) bool { return slices.Contains(asked, t) })
	if len(wanted) == 0 {
		return 1
	}
	missing := slices.DeleteFunc(slices.Clone(wanted), func(t string) bool { return slices.Contains(held, t) })
	return 1 - float64(len(missing))/float64(len(wanted))
}

// Error is an unusable part of a set.
type Error struct {
	Path   string
	Line   int    // from 1; 0 for the whole file
	Field  string // of the line; "" for the whole line
	Reason string // what is wrong and what would be right
}

func (e *Error) Error() string {
	where := e.Path
	if e.Line > 0 {
		where = fmt.Sprintf("%s:%d", e.Path, e.Line)
	}
	if e.Field != "" {
		return where + ": " + e.Field + " " + e.Reason
	}
	return where + ": " + e.Reason
}

// Load reads the set in dir and checks it: ids are unique, times are set, and each
// question's conversation and evidence exist.
//
// Errors: [*Error], or that of the file system.
func Load(dir string) (*Set, error) {
	paths, err := conversationPaths(dir)
	if err != nil {
		return nil, err
	}
	set := new(Set)
	turns := make(map[string]map[string]bool, len(paths)) // conversation → ids
	for _, path := range paths {
		c := Conversation{Name: strings.TrimSuffix(filepath.Base(path), ".jsonl"), Path: path}
		seen := make(map[string]bool)
		err := readLines(path, func(line int, t Turn) error {
			if err := checkTurn(path, line, t, seen); err != nil {
				return err
			}
			c.Turns = append(c.Turns, t)
			return nil
		})
		if err != nil {
			return nil, err
		}
		if len(c.Turns) == 0 {
			return nil, &Error{Path: path, Reason: "holds no turns; remove it or put one turn on each line"}
		}
		turns[c.Name] = seen
		set.Conversations = append(set.Conversations, c)
	}
	path := filepath.Join(dir, "queries.jsonl")
	seen := make(map[string]bool)
	err = readLines(path, func(line int, q Query) error {
		if err := checkQuery(path, line, q, turns, seen); err != nil {
			return err
		}
		set.Queries = append(set.Queries, q)
		return nil
	})
	if errors.Is(err, os.ErrNotExist) {
		return nil, &Error{Path: path, Reason: "does not exist; a set has its questions there, one a line"}
	}
	if err == nil && len(set.Queries) == 0 {
		err = &Error{Path: path, Reason: "holds no questions; put one on each line"}
	}
	if err != nil {
		return nil, err
	}
	return set, nil
}

func conversationPaths(dir string) ([]string, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, &Error{Path: dir, Reason: "is not a folder; name the one that holds conversations/ and queries.jsonl"}
	}
	folder := filepath.Join(dir, "conversations")
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	var paths []string
	for _, e := range entries { // sorted by name
		if !e.IsDir() && filepath.Ext(e.Name()) == ".jsonl" {
			paths = append(paths, filepath.Join(folder, e.Name()))
		}
	}
	if len(paths) == 0 {
		return nil, &Error{Path: folder, Reason: "has no *.jsonl; a set has its conversations there, one a file"}
	}
	return paths, nil
}

// maxLine is the longest accepted line, in bytes.
const maxLine = 4 << 20

// readLines decodes each line of a file that is not blank.
func readLines[T any](path string, visit func(line int, v T) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return decodeLines(path, f, visit)
}

func decodeLines[T any](path string, r io.Reader, visit func(line int, v T) error) error {
	scanner := bufio.NewScanner(r)
	scanner.Buffer(nil, maxLine)
	line := 0
	for scanner.Scan() {
		line++
		text := bytes.TrimSpace(scanner.Bytes())
		if len(text) == 0 {
			continue
		}
		var v T
		if err := json.Unmarshal(text, &v); err != nil {
			return &Error{Path: path, Line: line, Reason: "is not the JSON object it should be: " + err.Error()}
		}
		if err := visit(line, v); err != nil {
			return err
		}
	}
	if errors.Is(scanner.Err(), bufio.ErrTooLong) {
		return &Error{Path: path, Line: line + 1, Reason: "is longer than 4 MiB"}
	}
	return scanner.Err()
}

func checkTurn(path string, line int, t Turn, seen map[string]bool) error {
	fault := func(field, reason string) error { return &Error{Path: path, Line: line, Field: field, Reason: reason} }
	switch {
	case t.ID == "":
		return fault("id", "is missing; evidence names turns by it")
	case strings.ContainsAny(t.ID, " \t\n"):
		return fault("id", "holds white space, which a run file cannot carry")
	case seen[t.ID]:
		return fault("id", fmt.Sprintf("%q is used twice; ids are unique in a conversation", t.ID))
	case t.Time.IsZero():
		return fault("time", "is missing; give RFC 3339 such as 2026-03-01T18:00:00Z")
	case strings.TrimSpace(t.Text) == "":
		return fault("text", "is empty")
	}
	seen[t.ID] = true
	return nil
}

func checkQuery(path string, line int, q Query, turns map[string]map[string]bool, seen map[string]bool) error {
	fault := func(field, reason string) error { return &Error{Path: path, Line: line, Field: field, Reason: reason} }
	switch {
	case q.ID == "":
		return fault("id", "is missing")
	case strings.ContainsAny(q.ID, " \t\n"):
		return fault("id", "holds white space, which a run file cannot carry")
	case seen[q.ID]:
		return fault("id", fmt.Sprintf("%q is used twice", q.ID))
	case turns[q.Conversation] == nil:
		return fault("conversation", fmt.Sprintf("%q has no file in conversations/", q.Conversation))
	case q.Time.IsZero():
		return fault("time", "is missing; give RFC 3339 such as 2026-03-01T18:00:00Z")
	case strings.TrimSpace(q.Question) == "":
		return fault("question", "is empty")
	case len(q.Evidence) == 0:
		return fault("evidence", "is empty; a question without it cannot be scored")
	}
	for i, id := range q.Evidence {
		if !turns[q.Conversation][id] {
			return fault("evidence", fmt.Sprintf("names %q, which is no turn of %s", id, q.Conversation))
		}
		if slices.Contains(q.Evidence[:i], id) {
			return fault("evidence", fmt.Sprintf("names %q twice", id))
		}
	}
	seen[q.ID] = true
	return nil
}
