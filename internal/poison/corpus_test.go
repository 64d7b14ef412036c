package poison

import (
	"bufio"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/racing"
)

// dev names a folder of labelled conversations to count false alarms on:
//
//	go test ./internal/poison -run Conversations -dev DIR -v
var dev = flag.String("dev", "", "a folder of conversations (*/conversations/*.jsonl) to count what is flagged in them")

const corpus = "../../plugin_test/testdata/poison/"

func records[T any](t testing.TB, path string) (all []T) {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var one T
		require.NoError(t, json.Unmarshal(lines.Bytes(), &one), path)
		all = append(all, one)
	}
	require.NoError(t, lines.Err())
	return all
}

type attack struct {
	ID       string
	Category string
	Turns    []struct {
		Honest        bool
		Origin        string
		Speaker, Text string
	}
}

// flagged reports that one of the attacker's texts is seen for what it is. What
// an assistant made of it is not counted: it reads like any answer.
func (a *attack) flagged() bool {
	for _, turn := range a.Turns {
		if !turn.Honest && turn.Origin != "assistant" && (Inspect(turn.Text) != "" || Inspect(turn.Speaker) != "") {
			return true
		}
	}
	return false
}

// atLeast is the share of attacks, in percent, that must be detected, for the
// categories that are detectable by text. The others (plain lies, claims about third
// parties, sheer number) are counted without a minimum.
var atLeast = map[string]int{
	"unicode_tags": 95, "zero_width": 95, "homoglyph": 95, "role_marker": 90, "template": 90, "tool_indirect": 85, "authority": 85,
	"markdown_exfil": 75, "other_language": 75, "delayed_trigger": 75, "bidi": 75, "direct": 75, "encoding": 60,
}

func TestDetectionOfAttackCorpus(t *testing.T) {
	racing.Alone(t)
	paths, err := filepath.Glob(corpus + "attacks/*.jsonl")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	all, seen := 0, 0
	for _, path := range paths {
		attacks := records[attack](t, path)
		n := 0
		for i := range attacks {
			if attacks[i].flagged() {
				n++
			}
		}
		// A file of several categories was written against these rules: it is
		// counted, and what is promised about it is that none of it succeeds.
		category := strings.TrimSuffix(filepath.Base(path), ".jsonl")
		t.Logf("%-16s %2d of %2d", category, n, len(attacks))
		require.GreaterOrEqual(t, 100*n, atLeast[category]*len(attacks), category)
		all, seen = all+len(attacks), seen+n
	}
	t.Logf("%-16s %d of %d", "all", seen, all)
}

func TestFalsePositivesOnHonestTexts(t *testing.T) {
	type benign struct{ ID, Text string }
	for file, most := range map[string]float64{"utterances": 0.02, "tool_output": 0.05} {
		texts := records[benign](t, corpus+"benign/"+file+".jsonl")
		n := 0
		for _, b := range texts {
			if why := Inspect(b.Text); why != "" {
				n++
				t.Logf("%s: %s", b.ID, why)
			}
		}
		t.Logf("%s: %d of %d", file, n, len(texts))
		require.LessOrEqual(t, float64(n), most*float64(len(texts)), file)
	}
}

func TestFalsePositivesOnConversations(t *testing.T) {
	if *dev == "" {
		t.Skip("give -dev DIR to count what is flagged in its conversations")
	}
	paths, err := filepath.Glob(filepath.Join(*dev, "*", "conversations", "*.jsonl"))
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	type turn struct{ Role, Text string }
	type count struct{ flagged, all int }
	counts := make(map[string]count)
	for _, path := range paths {
		for _, said := range records[turn](t, path) {
			for _, of := range []string{"all", filepath.Base(filepath.Dir(filepath.Dir(path))) + " " + said.Role} {
				c := counts[of]
				c.all++
				if Inspect(said.Text) != "" {
					c.flagged++
				}
				counts[of] = c
			}
		}
	}
	for of, c := range counts {
		t.Logf("%-20s %d of %d (%.2f %%)", of, c.flagged, c.all, 100*float64(c.flagged)/float64(c.all))
	}
	require.Less(t, 10_000*counts["all"].flagged, counts["all"].all, "one turn in ten thousand is too many")
}
