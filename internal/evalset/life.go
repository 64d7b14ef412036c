package evalset

import (
	"cmp"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/ebbmem/ebb/internal/text"
)

// Life is one labelled life: what a person says once over a year, and later
// questions about it in other words. docs/LIVES.md describes the file.
type Life struct {
	Name     string
	Language string
	User     string
	Speaker  string
	// Main is the agent that talks with the user, in a team: the others save what they
	// report, and it reviews that in the evening where the profile has it do so. "" if
	// reports are only said.
	Main  string
	Zone  *time.Location
	Start time.Time // local midnight of day 0
	Days  int

	Everyday   []SmallTalk
	Slots      map[string][]string
	Statements []Statement // in order of time
	Questions  []LifeQuestion

	byID map[string]*Statement
}

// SmallTalk is a template of an everyday message, with {slots}.
type SmallTalk struct {
	Text  string
	Reply string
}

// Statement is a message that is sent once.
type Statement struct {
	ID      string
	At      time.Time
	Session string
	Role    string // user or assistant
	Speaker string
	Agent   string
	Text    string
	Reply   string
	Keys    []string // texts that a line must contain to show it
	Fact    string   // what the agent saves with remember_fact; "" when it saves nothing
	Changes string   // the statement it replaces
	Forgets []string // the statements that the user asks to forget with it
	Keep    bool

	Everyday bool // it needs nothing, and is no matter to remember
}

// LifeQuestion is a question about statements.
type LifeQuestion struct {
	ID     string         `json:"id"`
	Kind   string         `json:"kind"`
	Ask    string         `json:"ask"`
	About  []string       `json:"about"`
	Day    int            `json:"day"` // when it is asked; 0 on each of [CheckDays]
	Before []LifeExchange `json:"before"`
}

// LifeExchange is said in the same conversation before a question.
type LifeExchange struct {
	Ask   string `json:"ask"`
	Reply string `json:"reply"`
}

// The kinds of questions.
const (
	AskTold      = "told"      // about a statement that the agent also saved
	AskSaid      = "said"      // about a statement alone
	AskChanged   = "changed"   // about a chain of statements; the last one holds
	AskAll       = "all"       // about several statements that all hold
	AskKept      = "kept"      // about something the user asked to keep
	AskForgotten = "forgotten" // about something the user asked to forget
	AskTime      = "time"      // about a time
	AskFollowUp  = "followup"  // means little without the conversation
	AskOff       = "off"       // about something else
	AskUnasked   = "unasked"   // no question: a message for which a statement matters
)

// Everyday is the kind of figures about everyday messages, which need nothing.
const Everyday = "everyday"

// AskKinds lists the kinds of questions.
var AskKinds = []string{AskTold, AskSaid, AskChanged, AskAll, AskKept, AskForgotten, AskTime, AskFollowUp, AskUnasked, AskOff}

// CheckDays are the days on which questions without a day are asked.
var CheckDays = []int{1, 30, 90, 365}

type lifeLine struct {
	Life     string `json:"life"`
	Language string `json:"language"`
	User     string `json:"user"`
	Main     string `json:"main"`
	Zone     string `json:"zone"`
	Start    string `json:"start"`
	Days     int    `json:"days"`

	Everyday string              `json:"everyday"`
	Slots    map[string][]string `json:"slots"`

	LifeQuestion

	Time    string   `json:"time"`
	Session string   `json:"session"`
	Role    string   `json:"role"`
	Speaker string   `json:"speaker"`
	Agent   string   `json:"agent"`
	Text    string   `json:"text"`
	Reply   string   `json:"reply"`
	Keys    []string `json:"keys"`
	Changes string   `json:"changes"`
	Forgets []string `json:"forgets"`
	Keep    bool     `json:"keep"`
	Tell    *struct {
		Fact string `json:"fact"`
	} `json:"tell"`
}

// Parts is into how many parts lives are divided, so that each can be measured with models that
// were fitted to the others: see [Part].
const Parts = 5

// Part returns the part of a life, 0 to Parts-1.
func Part(life string) int {
	h := fnv.New32a()
	h.Write([]byte(life))
	return int(h.Sum32() % Parts)
}

// LoadLives reads every *.jsonl of a folder, in order of name.
//
// Errors: [*Error], or that of the file system.
func LoadLives(dir string) ([]*Life, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, &Error{Path: dir, Reason: "has no *.jsonl; a folder of lives has one file a life"}
	}
	lives := make([]*Life, 0, len(paths))
	for _, path := range paths {
		life, err := LoadLife(path)
		if err != nil {
			return nil, err
		}
		lives = append(lives, life)
	}
	return lives, nil
}

// LoadLife reads one life.
//
// Errors: [*Error], or that of the file system.
func LoadLife(path string) (*Life, error) {
	life := &Life{Slots: map[string][]string{}, byID: map[string]*Statement{}}
	err := readLines(path, func(line int, l lifeLine) error {
		reason := life.add(&l)
		if reason == "" {
			return nil
		}
		return &Error{Path: path, Line: line, Reason: reason}
	})
	if err != nil {
		return nil, err
	}
	if reason := life.check(); reason != "" {
		return nil, &Error{Path: path, Reason: reason}
	}
	slices.SortStableFunc(life.Statements, func(a, b Statement) int { return a.At.Compare(b.At) })
	for i := range life.Statements {
		life.byID[life.Statements[i].ID] = &life.Statements[i]
	}
	return life, nil
}

// add adds one line. It returns the reason why a line is invalid, else "".
func (life *Life) add(l *lifeLine) string {
	switch {
	case life.Zone == nil:
		return life.head(l)
	case l.Everyday != "":
		life.Everyday = append(life.Everyday, SmallTalk{l.Everyday, l.Reply})
	case l.Slots != nil:
		for name, values := range l.Slots {
			life.Slots[name] = values
		}
	case l.Ask != "":
		if !slices.Contains(AskKinds, l.Kind) {
			return fmt.Sprintf("kind %q is none of %s", l.Kind, strings.Join(AskKinds, ", "))
		}
		life.Questions = append(life.Questions, l.LifeQuestion)
	case l.Text != "":
		at, err := time.Parse("15:04", l.Time)
		if err != nil || l.ID == "" {
			return "a statement needs an id and a time such as \"09:10\""
		}
		s := Statement{
			ID: l.ID, Session: l.Session, Role: l.Role, Speaker: l.Speaker, Agent: l.Agent, Text: l.Text, Reply: l.Reply,
			Keys: l.Keys, Changes: l.Changes, Forgets: l.Forgets, Keep: l.Keep,
			At: life.at(l.Day, at.Hour(), at.Minute()),
		}
		s.Speaker = cmp.Or(s.Speaker, life.Speaker)
		if l.Tell != nil {
			s.Fact = l.Tell.Fact
		}
		life.Statements = append(life.Statements, s)
		life.byID[s.ID] = &s
	default:
		return "is no everyday template, slots, statement or question"
	}
	return ""
}

func (life *Life) head(l *lifeLine) string {
	zone, err := time.LoadLocation(l.Zone)
	if err != nil || l.Zone == "" {
		return "the first line needs a zone such as \"Europe/Oslo\""
	}
	start, err := time.ParseInLocation(time.DateOnly, l.Start, zone)
	if err != nil {
		return "the first line needs a start such as \"2025-03-03\""
	}
	if l.User == "" || l.Days <= 0 {
		return "the first line needs a user and days"
	}
	life.Name, life.Language, life.User, life.Speaker, life.Main = l.Life, l.Language, l.User, l.Speaker, l.Main
	life.Zone, life.Start, life.Days = zone, start, l.Days
	return ""
}

func (life *Life) check() string {
	if life.Zone == nil {
		return "is empty"
	}
	for _, q := range life.Questions {
		for _, id := range q.About {
			if life.byID[id] == nil {
				return fmt.Sprintf("question %s is about %q, which is no statement", q.ID, id)
			}
		}
		if (q.Kind == AskOff) != (len(q.About) == 0) {
			return fmt.Sprintf("question %s: about is for all kinds but off", q.ID)
		}
	}
	return ""
}

// at returns a local time of day.
func (life *Life) at(day, hour, minute int) time.Time {
	return time.Date(life.Start.Year(), life.Start.Month(), life.Start.Day()+day, hour, minute, 0, 0, life.Zone)
}

// Midnight returns the local start of a day.
func (life *Life) Midnight(day int) time.Time { return life.at(day, 0, 0) }

// Small returns the n-th everyday message of a day. It is deterministic.
func (life *Life) Small(day, n int) (at time.Time, message, reply string) {
	if len(life.Everyday) == 0 {
		return time.Time{}, "", ""
	}
	k := day*4 + n
	template := life.Everyday[(k*7+k/len(life.Everyday))%len(life.Everyday)]
	message = template.Text
	for name, values := range life.Slots {
		if len(values) > 0 {
			h := k*31 + len(name)*17 + int(name[0])
			message = strings.ReplaceAll(message, "{"+name+"}", values[(h+h/len(values))%len(values)])
		}
	}
	hours := [...]int{8, 12, 16, 20}
	return life.at(day, hours[n%len(hours)], (k*13)%55), message, template.Reply
}

// Asked is a question with the statements that hold when it is asked.
type Asked struct {
	LifeQuestion

	Day     int
	Wanted  []*Statement // all of them should be shown
	Stale   []*Statement // held before
	Harmful []*Statement // must not be shown
}

// Due lists the questions of a day, with the statements that hold at that moment.
// A question without an earlier statement is not due.
func (life *Life) Due(day int, now time.Time) (due []Asked) {
	for _, q := range life.Questions {
		asked := q.Day == day && day != 0
		if q.Day == 0 {
			asked = slices.Contains(CheckDays, day)
		}
		if !asked {
			continue
		}
		a := Asked{LifeQuestion: q, Day: day}
		var known []*Statement
		forgotten := false
		for _, id := range q.About {
			s := life.byID[id]
			if s.At.Before(now) || q.Kind == AskTime { // questions may be about a planned event
				known = append(known, s)
			}
			forgotten = forgotten || life.forgottenBy(id, now)
		}
		switch {
		case q.Kind == AskOff:
		case len(known) == 0:
			continue
		case q.Kind == AskForgotten:
			if !forgotten {
				continue
			}
			a.Harmful = known
		case q.Kind == AskChanged:
			a.Wanted, a.Stale = known[len(known)-1:], known[:len(known)-1]
		default:
			if len(known) < len(q.About) {
				continue
			}
			a.Wanted = known
			for _, s := range known {
				if later := life.replaced(s.ID, now); later != nil { // a statement outside of the question
					a.Wanted = nil
				}
			}
			if a.Wanted == nil || forgotten {
				continue
			}
		}
		due = append(due, a)
	}
	return due
}

// replaced returns the statement that has replaced another by now.
func (life *Life) replaced(id string, now time.Time) *Statement {
	for i := range life.Statements {
		if s := &life.Statements[i]; s.Changes == id && s.At.Before(now) {
			return s
		}
	}
	return nil
}

func (life *Life) forgottenBy(id string, now time.Time) bool {
	return slices.ContainsFunc(life.Statements, func(s Statement) bool { return slices.Contains(s.Forgets, id) && s.At.Before(now) })
}

// Shown reports whether one of the lines holds all keys of a statement.
func (s *Statement) Shown(lines []string) bool { return s.line(lines) >= 0 }

func (s *Statement) line(lines []string) int {
	return slices.IndexFunc(lines, func(line string) bool {
		return len(s.Keys) > 0 && !slices.ContainsFunc(s.Keys, func(key string) bool { return !holds(line, text.Fold(key)) })
	})
}

// holds reports whether a line contains a key that is no part of a longer number.
func holds(line, key string) bool {
	digit := func(s string, at int) bool { return at >= 0 && at < len(s) && s[at] >= '0' && s[at] <= '9' }
	for from := 0; key != ""; {
		at := strings.Index(line[from:], key)
		if at < 0 {
			return false
		}
		start, end := from+at, from+at+len(key)
		if !(digit(key, 0) && digit(line, start-1)) && !(digit(key, len(key)-1) && digit(line, end)) {
			return true
		}
		from = start + 1
	}
	return true
}

// shortID matches the short id of a record in a block, which differs from run to run.
var shortID = regexp.MustCompile(`\[m\d+\]`)

// Lines returns the folded lines of a block without short ids.
func Lines(block string) []string {
	var lines []string
	for line := range strings.Lines(block) {
		lines = append(lines, text.Fold(unescape(shortID.ReplaceAllString(line, ""))))
	}
	return lines
}

// unescape decodes JSON escapes in a line, if there are any.
func unescape(line string) string {
	if !strings.Contains(line, `\`) {
		return line
	}
	var s string
	if json.Unmarshal([]byte(`"`+strings.ReplaceAll(strings.ReplaceAll(strings.TrimSpace(line), `\"`, "'"), `"`, `'`)+`"`), &s) != nil {
		return line
	}
	return s
}
