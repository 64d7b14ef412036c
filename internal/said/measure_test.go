package said

import (
	"bufio"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ebbmem/ebb/internal/text"
)

var (
	dataDir  = flag.String("data", "", "directory of the development conversations")
	labelDir = flag.String("labels", "testdata", "directory of the label files")
	misses   = flag.String("misses", "", "file that gets the errors on even lines")
)

// label is a claim that somebody read in a text, in her own words.
type label struct {
	Kind      string `json:"kind"`
	Subject   string `json:"subject"`
	Predicate string `json:"predicate"`
	Object    string `json:"object"`
}

// counts are of claims and labels.
type counts struct{ claims, right, labels, found int }

func (t *counts) add(o counts) {
	t.claims += o.claims
	t.right += o.right
	t.labels += o.labels
	t.found += o.found
}

func (t counts) precision() float64 { return ratio(t.right, t.claims) }
func (t counts) recall() float64    { return ratio(t.found, t.labels) }

func ratio(a, b int) float64 {
	if b == 0 {
		return 1
	}
	return float64(a) / float64(b)
}

// fits reports whether a claim is what a label says: their objects share a
// word or, where the claim has none, the sentence holds the label's object.
func fits(c Claim, l label) bool {
	if sharesWord(c.Object, l.Object) || sharesWord(c.Ended, l.Object) {
		return true
	}
	if c.Predicate == "schedule" && strings.Contains(text.Fold(c.Sentence), text.Fold(l.Object)) {
		return true
	}
	return sharesWord(c.Subject+" "+c.Predicate, l.Object) || l.Object == "" ||
		c.Object == "" && strings.Contains(text.Fold(c.Sentence), text.Fold(l.Object)) ||
		c.Wish && strings.Contains(text.Fold(c.Sentence), text.Fold(l.Object))
}

func sharesWord(a, b string) bool {
	if a == "" || b == "" {
		return false
	}
	fa, fb := text.Fold(a), text.Fold(b)
	if strings.Contains(fa, fb) || strings.Contains(fb, fa) {
		return true
	}
	for _, x := range text.QueryTerms(a, 0) {
		for _, y := range text.QueryTerms(b, 0) {
			if x == y {
				return true
			}
		}
	}
	return false
}

func judge(claims []Claim, labels []label) (t counts, wrong []Claim, missed []label) {
	t.claims, t.labels = len(claims), len(labels)
	found := make([]bool, len(labels))
	for _, c := range claims {
		right := false
		for i, l := range labels {
			if fits(c, l) {
				right, found[i] = true, true
			}
		}
		if right {
			t.right++
		} else {
			wrong = append(wrong, c)
		}
	}
	for i, ok := range found {
		if ok {
			t.found++
		} else {
			missed = append(missed, labels[i])
		}
	}
	return t, wrong, missed
}

// lines decodes a file of one JSON value a line.
func lines[T any](t *testing.T, path string) (out []T) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<24)
	for in.Scan() {
		var v T
		if err := json.Unmarshal(in.Bytes(), &v); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		out = append(out, v)
	}
	if err := in.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// report writes the errors of an even line, which may be looked at; those of
// odd lines stay unseen, so that they measure what is new.
func report(t *testing.T, out *os.File, source string, wrong []Claim, missed []label) {
	if out == nil || len(wrong)+len(missed) == 0 {
		return
	}
	b := &strings.Builder{}
	b.WriteString("» " + source + "\n")
	for _, c := range wrong {
		j, _ := json.Marshal(c)
		b.WriteString("   WRONG  " + string(j) + "\n")
	}
	for _, l := range missed {
		b.WriteString("   MISSED " + l.Kind + " | " + l.Subject + " | " + l.Predicate + " | " + l.Object + "\n")
	}
	if _, err := out.WriteString(b.String()); err != nil {
		t.Fatal(err)
	}
}

func missesFile(t *testing.T, name string) *os.File {
	if *misses == "" {
		return nil
	}
	f, err := os.Create(*misses + "." + name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// TestLabelledSentences measures the claims of sentences written without
// knowledge of the rules.
func TestLabelledSentences(t *testing.T) {
	for _, lang := range []string{"en", "de", "es", "zh"} {
		t.Run(lang, func(t *testing.T) {
			type row struct {
				Text   string  `json:"text"`
				Claims []label `json:"claims"`
			}
			out := missesFile(t, lang)
			var half [2]counts
			for i, r := range lines[row](t, filepath.Join(*labelDir, "sentences_"+lang+".jsonl")) {
				tally, wrong, missed := judge(Claims(r.Text, 0), r.Claims)
				half[(i+1)%2].add(tally)
				if (i+1)%2 == 0 {
					report(t, out, r.Text, wrong, missed)
				}
			}
			all := half[0]
			all.add(half[1])
			for k, h := range []counts{half[0], half[1], all} {
				t.Logf("%-5s %3d claims, precision %.3f, %3d labels, recall %.3f", []string{"even", "odd", "all"}[k], h.claims, h.precision(), h.labels, h.recall())
			}
			if all.precision() < .9 {
				t.Errorf("precision %.3f, want .9", all.precision())
			}
		})
	}
}

// TestLabelledTurns measures the claims of turns of the development
// conversations, which are not part of the repository.
func TestLabelledTurns(t *testing.T) {
	if *dataDir == "" {
		t.Skip("the conversations are not here: -data DIR measures their labelled turns")
	}
	type turn struct{ ID, Text string }
	texts := make(map[string]string)
	files, err := filepath.Glob(filepath.Join(*dataDir, "*-dev", "conversations", "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no conversations in %s: %v", *dataDir, err)
	}
	for _, f := range files {
		name := strings.TrimSuffix(filepath.Base(f), ".jsonl")
		for _, tr := range lines[turn](t, f) {
			texts[name+"/"+tr.ID] = tr.Text
		}
	}
	type row struct {
		Set, Conversation, ID string
		Claims                []label
	}
	out := missesFile(t, "turns")
	var half [2]counts
	sets := make(map[string]*counts)
	for i, r := range lines[row](t, filepath.Join(*labelDir, "turns.jsonl")) {
		s, ok := texts[r.Conversation+"/"+r.ID]
		if !ok {
			t.Fatalf("turn %s of %s is missing", r.ID, r.Conversation)
		}
		tally, wrong, missed := judge(Claims(s, 0), r.Claims)
		half[(i+1)%2].add(tally)
		if sets[r.Set] == nil {
			sets[r.Set] = new(counts)
		}
		sets[r.Set].add(tally)
		if (i+1)%2 == 0 {
			report(t, out, s, wrong, missed)
		}
	}
	all := half[0]
	all.add(half[1])
	for k, h := range []counts{half[0], half[1], all} {
		t.Logf("%-5s %3d claims, precision %.3f, %3d labels, recall %.3f", []string{"even", "odd", "all"}[k], h.claims, h.precision(), h.labels, h.recall())
	}
	for set, h := range sets {
		t.Logf("%-8s %3d claims, precision %.3f, %3d labels, recall %.3f", set, h.claims, h.precision(), h.labels, h.recall())
	}
	if all.precision() < .9 {
		t.Errorf("precision %.3f, want .9", all.precision())
	}
}
