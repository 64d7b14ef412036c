package measure

import (
	"regexp"
	"slices"
	"strings"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/evalset"
)

// Forgetting counts the requests to forget in a life, and what was forgotten for them.
type Forgetting struct {
	Requests int `json:"requests"`
	// Words of them were carried out for the user's message alone, Agent when the agent then
	// called forget_memory, and chose what is meant if it was among the memories to choose from.
	Words int `json:"words"`
	Agent int `json:"agent"`
	// Mistaken are other messages of the user's that were forgotten.
	Mistaken int `json:"mistaken"`
}

func (f *Forgetting) Add(other Forgetting) {
	f.Requests += other.Requests
	f.Words += other.Words
	f.Agent += other.Agent
	f.Mistaken += other.Mistaken
}

// candidate matches the id of a memory that a tool offers.
var candidate = regexp.MustCompile(`^\[(\w+)\]`)

// forget is what an agent does after a request to forget.
func (r *lifeRun) forget(s evalset.Statement, scope extension.Scope) error {
	meant := slices.DeleteFunc(slices.Clone(r.life.Statements), func(of evalset.Statement) bool { return !slices.Contains(s.Forgets, of.ID) })
	r.forgetting.Requests++
	stands, err := r.standing(meant)
	if err != nil || !stands {
		r.forgetting.Words++
		return err
	}
	offered, err := r.call(scope, "forget_memory", map[string]string{"query": s.Text})
	if err != nil {
		return err
	}
	for line := range strings.Lines(offered) {
		id := candidate.FindStringSubmatch(line)
		if id == nil || !slices.ContainsFunc(meant, func(m evalset.Statement) bool { return m.Shown(evalset.Lines(line)) }) {
			continue
		}
		if _, err := r.call(scope, "forget_memory", map[string]string{"memory_id": id[1]}); err != nil {
			return err
		}
	}
	if stands, err = r.standing(meant); err == nil && !stands {
		r.forgetting.Agent++
	}
	return err
}

// standing reports whether one of the statements is still known, as it was said or saved.
func (r *lifeRun) standing(statements []evalset.Statement) (bool, error) {
	known, err := r.known()
	return slices.ContainsFunc(statements, func(s evalset.Statement) bool { return known[s.Text] > 0 || s.Fact != "" && known[s.Fact] > 0 }), err
}

// known counts the memories by their texts.
func (r *lifeRun) known() (map[string]int, error) {
	known := make(map[string]int)
	for day := range r.life.Days {
		q := extension.TimelineQuery{Since: r.life.Midnight(day), Until: r.life.Midnight(day + 1), Limit: mostInADay}
		memories, err := r.x.Timeline(r.ctx, r.scope("", ""), q)
		if err != nil {
			return nil, err
		}
		for _, m := range memories {
			known[m.Content]++
		}
	}
	return known, nil
}

// mostInADay is more memories than a day of a life has.
const mostInADay = 1000

// countMistaken counts what was said and is no longer known, although the user did not ask for that.
func (r *lifeRun) countMistaken() error {
	known, err := r.known()
	for text, n := range r.said {
		r.forgetting.Mistaken += max(0, n-known[text])
	}
	return err
}
