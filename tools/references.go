package tools

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/ebbmem/ebb/schema"
)

// References by number in a question: "cycle 150", "cycles 180 to 185", "since
// cycle 12", "#95", "PR #59". The text of an entry need not contain them.
var (
	namedCycles = regexp.MustCompile(`(?i)(?:\b(before|after|since|until)\s+)?\bcycles?\s+#?(\d{1,9})(?:\s*(?:-|–|to|through|and|until)\s*(?:cycle\s+)?#?(\d{1,9}))?\b`)
	namedNumber = regexp.MustCompile(`(?i)(\b(?:PR|pull request|merge request)\s+)?#(\d{1,9})\b`)
)

// references returns the restrictions that a question names, in the order in which
// to try them. They replace the caller's own restrictions.
func references(question string, given *schema.Conditions) (all []*schema.Conditions) {
	refine := func(change func(*schema.Conditions)) {
		c := *given
		if len(c.Lacks) > 0 { // a reference by number means entries of any age
			c.Lacks, c.AnyOf = nil, happened()
		}
		change(&c)
		all = append(all, &c)
	}
	if m := namedCycles.FindStringSubmatch(question); m != nil && given.Between == nil {
		first, _ := strconv.ParseInt(m[2], 10, 64)
		last := first
		if m[3] != "" {
			last, _ = strconv.ParseInt(m[3], 10, 64)
		}
		switch strings.ToLower(m[1]) {
		case "before":
			first, last = 1, first-1
		case "until":
			first = 1
		case "after":
			first, last = last+1, schema.MaxCycle
		case "since":
			last = schema.MaxCycle
		}
		if first <= last {
			refine(func(c *schema.Conditions) { c.Between = map[string][2]int64{schema.AttrCycle: {first, last}} })
		}
	}
	if m := namedNumber.FindStringSubmatch(question); m != nil && given.Has == nil {
		issue := func(c *schema.Conditions) { c.Has = map[string]string{schema.AttrIssues: m[2]} }
		pull := func(c *schema.Conditions) { c.Has = map[string]string{schema.AttrPulls: m[2]} }
		if m[1] != "" {
			issue, pull = pull, issue
		}
		refine(issue)
		refine(pull)
	}
	return all
}

// actor matches the subject of a question about an action: "What did QA find?",
// "Has the CEO decided?"
var actor = regexp.MustCompile(`(?i)\b(?:did|does|do|has|have|had|is|was)\s+(?:the\s+)?([\pL\d_-]+)`)

// rolesAsked returns that word as written and in lower case, the usual form of
// roles. The search finds out whether there is such a role.
func rolesAsked(question string) (forms []string) {
	m := actor.FindStringSubmatch(question)
	if m == nil {
		return nil
	}
	forms = append(forms, m[1])
	if lower := strings.ToLower(m[1]); lower != m[1] {
		forms = append(forms, lower)
	}
	return forms
}
