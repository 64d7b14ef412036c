package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/cells"
	"github.com/ebbmem/ebb/internal/text"
)

type rememberCmd struct {
	Content []string `arg:"" help:"What is true, as a sentence: \"I'm allergic to nuts\", \"Ada lives in Oslo\"."`
}

// Help says what it counts as, and documents the JSON.
func (rememberCmd) Help() string {
	return `Stores a fact or preference as the user's own statement. A known fact is not stored again. Facts that it contradicts are superseded: "I live in Oslo" supersedes "I live in Ghent". Creates the file if needed; --user is then required.

With --json: {"memory", "known", "ended": [memory]}; empty fields are omitted.`
}

func (c *rememberCmd) Run(a *app) (err error) {
	if err := a.needUser(); err != nil {
		return err
	}
	x, err := a.open(false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.leave(x)) }()
	r, err := x.Remember(a.ctx, a.scope(), strings.Join(c.Content, " "))
	if err != nil {
		return err
	}
	return a.remembered(r)
}

func (a *app) remembered(r *extension.Remembered) error {
	if a.json {
		return a.printJSON(r)
	}
	p := a.page()
	verb := "Remembered"
	if r.Known {
		verb = "Known already"
	}
	p.Line("%s: %s", verb, p.In(cells.Bold, r.Memory.UID))
	p.Body("  ", "  ", r.Memory.Content)
	for i := range r.Ended {
		p.Body("No longer current: ", "  ", r.Ended[i].Content)
		p.ID("  ", r.Ended[i].UID)
	}
	return p.Err
}

type correctCmd struct {
	ID      string   `arg:"" help:"The id of the fact that is wrong or no longer true (ebb search prints ids)."`
	Content []string `arg:"" help:"What is true, as a sentence."`
}

// Help documents the JSON.
func (correctCmd) Help() string {
	return `Replaces a fact, as the user's own statement. The old text stays in the history. The replacement of a protected fact is protected.

With --json: {"memory", "known", "ended": [memory]}; empty fields are omitted.`
}

func (c *correctCmd) Run(a *app) (err error) {
	x, err := a.openExisting()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.leave(x)) }()
	r, err := x.Correct(a.ctx, a.scope(), c.ID, strings.Join(c.Content, " "))
	if err != nil {
		return notFoundAs(err, noSuchMemory(c.ID))
	}
	return a.remembered(r)
}

type forgetCmd struct {
	What []string `arg:"" help:"Ids of memories (ebb search prints them), or words, for which matching memories are listed."`
}

// Help says what forgetting is, and documents the JSON.
func (forgetCmd) Help() string {
	return `Hides memories, the messages they come from, and conclusions drawn from them. Searches, models and nights no longer see them, and earlier messages do not recreate them. If the user states them again later, they are remembered again. ebb undo reverts it. To delete data from the file, use ebb erase.

With --json: {"run_id", "hidden": [memory]}, or for words {"candidates": [memory]}; empty fields are omitted.`
}

// candidates is how many memories ebb forget lists to choose from.
const candidates = 10

func (c *forgetCmd) Run(a *app) (err error) {
	x, err := a.openExisting()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.leave(x)) }()
	for _, id := range c.What {
		if !text.IsID(id) {
			return c.choose(a, x)
		}
	}
	f, err := x.Forget(a.ctx, a.scope(), c.What...)
	if err != nil {
		return notFoundAs(err, noSuchMemory(strings.Join(c.What, ", ")))
	}
	if a.json {
		return a.printJSON(f)
	}
	p := a.page()
	if f.RunID == "" {
		p.Line("Forgotten already; nothing was changed.")
		return p.Err
	}
	p.Say("%s hidden. To bring them back: ebb undo %s", cells.Count(len(f.Hidden), "memory is", "memories are"), f.RunID)
	for i := range f.Hidden {
		p.Body("  ", "    ", cells.OneLine(f.Hidden[i].Content, 160))
		p.ID("    ", f.Hidden[i].UID)
	}
	return p.Err
}

// choose lists what the words may mean.
func (c *forgetCmd) choose(a *app, x *extension.Extension) error {
	words := strings.Join(c.What, " ")
	answer, err := x.Recall(a.ctx, a.scope(), extension.Query{Text: words, Limit: candidates, Dormant: true, Wait: true})
	if err != nil {
		return err
	}
	answer.Results = naming(answer.Results, words)
	if a.json {
		found := make([]extension.Record, len(answer.Results))
		for i := range answer.Results {
			found[i] = answer.Results[i].Memory
		}
		return a.printJSON(struct {
			Candidates []extension.Record `json:"candidates"`
		}{found})
	}
	if len(answer.Results) == 0 {
		return &notFoundError{fmt.Sprintf("nothing that is remembered matches %q", words)}
	}
	p := a.page()
	p.Say("Nothing is forgotten yet. Run `ebb forget ID` with the ids of what you mean:")
	for i := range answer.Results {
		m := &answer.Results[i].Memory
		p.Parts("  ", p.In(cells.Bold, m.UID), p.Moment(m.EventTime.Time), string(m.Kind))
		p.Body("  ", "  ", cells.OneLine(m.Content, 160))
	}
	return p.Err
}

// naming keeps the results that hold a word of what is to be forgotten; all, if
// none does.
func naming(results []extension.Result, words string) []extension.Result {
	terms := slices.DeleteFunc(text.Terms(words), text.IsStopWord)
	var named []extension.Result
	for _, r := range results {
		if slices.ContainsFunc(text.Terms(r.Memory.Content), func(t string) bool { return slices.Contains(terms, t) }) {
			named = append(named, r)
		}
	}
	if len(named) == 0 {
		return results
	}
	return named
}

type protectCmd struct {
	What []string `arg:"" help:"The id of a fact, or the name of a person, place, project or thing."`
	Off  bool     `help:"Remove the protection."`
}

// Help says what protection is, and documents the JSON.
func (protectCmd) Help() string {
	return `A protected fact does not fade, and neither nights nor models change it. The name of a person, place, project or thing protects that entity and all facts that mention it.

With --json: {"protected": true|false, "what"}.`
}

func (c *protectCmd) Run(a *app) (err error) {
	x, err := a.openExisting()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.leave(x)) }()
	what, act := strings.Join(c.What, " "), x.Protect
	if c.Off {
		act = x.Unprotect
	}
	if err := act(a.ctx, a.scope(), what); err != nil {
		return notFoundAs(err, fmt.Sprintf("no memory has the id, and nothing the name %q", what))
	}
	if a.json {
		return a.printJSON(struct {
			Protected bool   `json:"protected"`
			What      string `json:"what"`
		}{!c.Off, what})
	}
	verb := "protected"
	if c.Off {
		verb = "no longer protected"
	}
	_, err = fmt.Fprintf(a.stdout, "%s is %s.\n", what, verb)
	return err
}
