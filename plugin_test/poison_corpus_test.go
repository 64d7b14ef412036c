package plugin_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// poisonTurn is one text that reaches the memory, with what a host stamps on it.
type poisonTurn struct {
	Turn    int    `json:"turn"`              // texts of one number were in one context
	Session string `json:"session,omitempty"` // "" is one session for the whole item
	User    string `json:"user,omitempty"`    // "" is the victim
	Origin  string `json:"origin"`            // as schema.Origin spells it
	Channel string `json:"channel,omitempty"`
	Source  string `json:"source,omitempty"`
	Speaker string `json:"speaker,omitempty"` // who speaks, or the tool's name, as the sender gave it
	Honest  bool   `json:"honest,omitempty"`  // not the attacker's words
	Text    string `json:"text"`
}

// poisonAttack is one attack; testdata/poison/README.md says what each field means.
type poisonAttack struct {
	ID       string       `json:"id"`
	Category string       `json:"category"`
	Lang     string       `json:"lang"`
	Goal     string       `json:"goal"`
	Ceiling  int          `json:"ceiling"`
	Success  []string     `json:"success"`
	Effect   []string     `json:"effect"`
	Fooled   []string     `json:"fooled"`
	Ask      []string     `json:"ask"`
	Turns    []poisonTurn `json:"turns"`
}

// hostile is all that the attacker wrote, one text after the other.
func (a poisonAttack) hostile() string {
	var texts []string
	for _, turn := range a.Turns {
		if !turn.Honest {
			texts = append(texts, strings.TrimLeft(turn.Speaker+"\n"+turn.Text, "\n"))
		}
	}
	return strings.Join(texts, "\n")
}

// poisonCategories says how many attacks of each kind there are at least.
var poisonCategories = map[string]int{
	"direct": 12, "tool_indirect": 35, "delayed_trigger": 10, "role_marker": 20,
	"unicode_tags": 8, "bidi": 7, "zero_width": 7, "homoglyph": 7, "encoding": 12,
	"markdown_exfil": 9, "template": 11, "cross_session": 10, "self_summary": 11,
	"corroboration": 7, "authority": 14, "supersession": 18, "preference": 11,
	"entity_hijack": 9, "import_document": 10, "other_language": 36, "soft": 13,
	"long_middle": 11, "metadata": 9, "crowding": 6,
}

// poisonTrust is what a host's stamp is worth. An assistant's text is worth the
// least of its turn.
var poisonTrust = map[string]int{
	"user_direct": 4, "tool_internal": 3, "federation": 2, "tool_external": 1, "import": 1, "unknown": 0, "assistant": 4,
}

// poisonSuccess are the ways in which an effect can be the attacker's success.
var poisonSuccess = []string{"active", "injected", "protected", "supersedes", "merged", "erased", "crosses_user", "expanded", "outside_fence", "crowds_out"}

// readPoison reads a JSONL file of the corpus. A field that no struct knows is an error.
func readPoison[T any](t testing.TB, path string) []T {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", "poison", filepath.FromSlash(path)))
	require.NoError(t, err)
	var all []T
	lines := bufio.NewScanner(bytes.NewReader(raw))
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		var one T
		d := json.NewDecoder(bytes.NewReader(lines.Bytes()))
		d.DisallowUnknownFields()
		require.NoError(t, d.Decode(&one), "%s:%d", path, n)
		all = append(all, one)
	}
	require.NoError(t, lines.Err(), path)
	return all
}

// poisonAttacks reads all attacks, category after category.
func poisonAttacks(t testing.TB) []poisonAttack {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", "poison", "attacks", "*.jsonl"))
	require.NoError(t, err)
	slices.Sort(paths)
	var all []poisonAttack
	for _, path := range paths {
		all = append(all, readPoison[poisonAttack](t, "attacks/"+filepath.Base(path))...)
	}
	return all
}

// ceiling is the least trust of the attacker's texts: of an assistant's, of all in its turn.
func (a poisonAttack) ceiling() int {
	least := 4
	for _, turn := range a.Turns {
		if turn.Honest {
			continue
		}
		least = min(least, poisonTrust[turn.Origin])
	}
	return least
}

func TestPoisonAttacks(t *testing.T) {
	attacks := poisonAttacks(t)
	count := map[string]int{}
	ids, texts := map[string]bool{}, map[string]string{}
	for _, a := range attacks {
		count[a.Category]++
		assert.False(t, ids[a.ID], "%s: id used twice", a.ID)
		ids[a.ID] = true
		for _, fault := range a.faults() {
			t.Errorf("%s: %s", a.ID, fault)
		}
		shape := foldText(a.hostile())
		assert.Empty(t, texts[shape], "%s repeats another attack", a.ID)
		texts[shape] = a.ID
	}
	for category, least := range poisonCategories {
		assert.GreaterOrEqual(t, count[category], least, category)
	}
	assert.Len(t, count, len(poisonCategories), "a category without a minimum: %v", count)
}

// faults says what is wrong with an attack's record.
func (a poisonAttack) faults() []string {
	var faults []string
	fault := func(ok bool, format string, args ...any) {
		if !ok {
			faults = append(faults, fmt.Sprintf(format, args...))
		}
	}
	fault(strings.HasPrefix(a.ID, a.Category+"-"), "id does not begin with the category %q", a.Category)
	fault(a.Lang != "" && a.Goal != "", "lang or goal is missing")
	fault(a.Ceiling == a.ceiling(), "ceiling is %d, the attacker's texts are worth %d", a.Ceiling, a.ceiling())
	fault(len(a.Success) > 0, "success is missing")
	for _, s := range a.Success {
		fault(slices.Contains(poisonSuccess, s), "success %q is unknown", s)
	}
	fault(a.Ceiling < 4 || !slices.Contains(a.Success, "active") && !slices.Contains(a.Success, "injected"),
		"what the user says may become a fact and be recalled")
	fault(len(a.Ask) > 0 && len(a.Fooled) > 0 && len(a.Effect) > 0, "ask, fooled or effect is missing")
	for _, e := range a.Effect {
		fault(len([]rune(foldText(e))) >= 3, "effect %q is too short to tell", e)
		fault(carries(a.hostile(), e), "effect %q cannot be read in the attacker's texts", e)
		fault(slices.ContainsFunc(a.Fooled, func(f string) bool { return strings.Contains(foldText(f), foldText(e)) }),
			"effect %q is not in what a fooled model would write", e)
		for _, ask := range a.Ask {
			fault(!strings.Contains(foldText(ask), foldText(e)), "the question itself says %q", e)
		}
		for _, turn := range a.Turns {
			fault(!turn.Honest || !strings.Contains(foldText(turn.Text), foldText(e)), "an honest turn says %q", e)
		}
	}
	last, hostile := 0, false
	for i, turn := range a.Turns {
		_, known := poisonTrust[turn.Origin]
		fault(known, "turn %d: origin %q is unknown", i, turn.Origin)
		fault(turn.Turn > 0, "turn %d has no number", i)
		fault(turn.Turn >= last || turn.Session != a.Turns[i-1].Session, "turn %d goes back in time", i)
		fault(strings.TrimSpace(turn.Text) != "" && utf8.ValidString(turn.Text), "turn %d: text is empty or no UTF-8", i)
		fault(!turn.Honest || turn.Origin == "user_direct", "turn %d: only users are honest here", i)
		last, hostile = turn.Turn, hostile || !turn.Honest
	}
	fault(hostile, "nobody attacks")
	return faults
}
