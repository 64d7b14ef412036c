package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ebbmem/ebb/internal/evalset"
	"github.com/ebbmem/ebb/internal/intent"
	"github.com/ebbmem/ebb/internal/said"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/internal/topics"
)

// labelled is a labelled text.
type labelled struct {
	set     string
	life    string // "" if it is of none
	signals []uint32
	yes     bool
	held    bool // measured with a fit to the others
}

func labelledOf(set, message, s string, yes, fine bool) labelled {
	h := fnv.New32a()
	h.Write([]byte(message))
	return labelled{set: set, signals: intent.Signals(s, fine), yes: yes, held: h.Sum32()%10 == 0}
}

// row is a line of the labelled files.
type row struct {
	M    string   `json:"m"`    // a message
	Keep []string `json:"keep"` // its lasting sentences
	Ask  string   `json:"ask"`  // a later question that needs the first of them

	Q   string `json:"q"` // a question or a request
	Own bool   `json:"own"`

	Forget bool   `json:"forget"` // whether the message asks to forget something
	Verb   string `json:"verb"`   // the same, in internal/said/testdata/requests: "forget" or others
	About  string `json:"about"`  // the words of the message that name it
	Reply  string `json:"reply"`  // the answer to a message of testdata/forget

	Manner string `json:"manner"` // "manner": asks how to answer from now on; "once", "other"
	Was    string `json:"was"`    // an earlier message
	Change string `json:"change"` // what the message is to it: "replaces", "same", "both", "news", "passing"

	Asks *bool `json:"asks"` // whether the message only asks for something now
	Chat bool  `json:"chat"` // it asks to forget nothing, and is not labelled otherwise

	Confided *bool `json:"confided"` // whether the message may be asked to be forgotten one day

	Feigned  *bool `json:"feigned"`  // whether the message is not its writer's own truth
	Unstored *bool `json:"unstored"` // whether it says that it is not to be stored

	life    string
	changed bool // the message changes an earlier one of its life

	Statements []string `json:"statements"` // messages of one person
	Request    string   `json:"request"`    // to forget some of them
	Meant      []int    `json:"meant"`      // their places
}

// lasting gives the examples of [intent.Lasting]: the sentences of messages, and
// questions, which state nothing.
func (r *row) lasting(set string) (out []labelled) {
	units, keep := said.LastingUnits(r.M), r.keeps()
	if r.Reply+r.Verb != "" || r.Manner == "other" || r.Manner+r.Change != "" && len(keep) > 0 && len(units) > 1 {
		return nil // not labelled for it, or only as a whole
	}
	for _, u := range units {
		lasts := false
		for _, k := range keep {
			k = strings.TrimSpace(k)
			lasts = lasts || k != "" && (strings.Contains(u, k) || strings.Contains(k, u))
		}
		out = append(out, labelledOf(set, r.M, u, lasts, false))
	}
	if r.Q != "" {
		out = append(out, labelledOf(set, r.Q, r.Q, false, false))
	}
	if r.Ask != "" {
		out = append(out, labelledOf(set, r.Ask, r.Ask, false, false))
	}
	return out
}

// confided gives the examples of [intent.Confided].
func (r *row) confided(set string) (out []labelled) {
	few := held(r.M) && held(r.M+r.M) // a quarter
	if r.Confided != nil || r.Change == "passing" || r.Manner == "once" || r.M != "" && r.Reply+r.Verb+r.Manner+r.Change == "" && few {
		out = append(out, labelledOf(set, r.M, r.M, r.Confided != nil && *r.Confided, true))
	}
	for i, s := range r.Statements {
		if len(r.Meant) > 0 {
			out = append(out, labelledOf("scenarios", r.Request, s, slices.Contains(r.Meant, i), true))
		}
	}
	return out
}

// feigned gives the examples of [intent.Feigned]: whole messages.
func (r *row) feigned(set string) (out []labelled) {
	switch {
	case r.Feigned != nil:
		out = append(out, labelledOf("feigned "+set, r.M, intent.Layout(r.M), *r.Feigned, true))
	case r.Unstored == nil && r.Reply+r.Verb == "" && r.M != "":
		out = append(out, labelledOf("others", r.M, intent.Layout(r.M), false, true))
	}
	return out
}

// unstored gives the examples of [intent.Unstored]: whole messages.
func (r *row) unstored(set string) (out []labelled) {
	switch {
	case r.Unstored != nil:
		out = append(out, labelledOf("unstored "+set, r.M, r.M, *r.Unstored, true))
		if strings.HasSuffix(set, "-dev") {
			out = slices.Repeat(out, workWeight)
		}
	case r.Reply == "" && r.M+r.Q != "":
		out = append(out, labelledOf("others", r.M+r.Q, r.M+r.Q, false, true))
	}
	return out
}

// workWeight is how often what is said of storing at work is taken, as its words are those of the
// others: "don't store this in git".
const workWeight = 4

// changes gives the examples of [intent.Changes].
func (r *row) changes(set string) (out []labelled) {
	switch {
	case r.Change != "":
		out = append(out, labelledOf("changes "+set, r.M, r.M, r.Change == "replaces", true), labelledOf("before", r.Was, r.Was, false, true))
	case r.life != "" && r.M != "":
		out = append(out, labelledOf("lives", r.M, r.M, r.changed, true))
	}
	return out
}

// keeps returns the lasting sentences, or the whole message.
func (r *row) keeps() []string {
	if r.Manner == "manner" || r.Change == "replaces" || r.Change == "news" || r.Change == "both" || r.Change == "same" {
		return []string{r.M}
	}
	return r.Keep
}

// manner gives the examples of [intent.Manner].
func (r *row) manner(set string) (out []labelled) {
	switch {
	case r.Manner != "":
		out = append(out, labelledOf(set+" manner", r.M, r.M, r.Manner == "manner", true))
	case r.Q != "":
		out = append(out, labelledOf("questions", r.Q, r.Q, false, true))
	case r.M != "" && !slices.Contains(topics.Of(r.M).Names(), "style"): // the others hold few wishes
		out = append(out, labelledOf("others", r.M, r.M, false, true))
	}
	return out
}

// own gives the examples of [intent.Own].
func (r *row) own(set string) (out []labelled) {
	if r.Reply+r.Verb != "" {
		return nil
	}
	if r.Q != "" {
		out = append(out, labelledOf(set, r.Q, r.Q, r.Own, true))
		out[0].life = r.life
	}
	if r.Ask != "" {
		out = append(out, labelledOf(set, r.Ask, r.Ask, true, true))
	}
	if r.Manner+r.Change+r.life == "" && len(r.Keep) == 0 && text.IsGeneral(r.M) {
		out = append(out, labelledOf(set, r.M, r.M, false, true))
	}
	if r.life != "" {
		out = slices.Repeat(out, lifeWeight)
	}
	return out
}

// lifeWeight is how often the questions of lives are taken, which only hint at what they need:
// else those that authors wrote beside general tasks would outweigh them. See benchmarks/NOTES.md.
const lifeWeight = 9

// asks gives the examples of [intent.Asks].
func (r *row) asks(set string) (out []labelled) {
	for _, s := range []string{r.Q, r.Ask} {
		if s != "" {
			out = append(out, labelledOf("questions", s, s, true, true))
		}
	}
	switch {
	case r.Asks != nil:
		out = append(out, labelledOf("asks "+set, r.M, r.M, *r.Asks, true))
	case r.Manner == "once":
		out = append(out, labelledOf(set+" manner", r.M, r.M, true, true))
	case r.Manner == "manner", r.Change != "", r.Confided != nil:
		out = append(out, labelledOf(set+" statements", r.M, r.M, false, true))
	case r.Reply+r.Verb == "":
		for _, k := range r.Keep {
			out = append(out, labelledOf(set, r.M, k, false, true))
		}
	}
	for _, s := range r.Statements {
		out = append(out, labelledOf("scenarios", s, s, false, true))
	}
	return out
}

// forget gives the examples of [intent.Forget]: whole messages. Of the requests of
// internal/said, the tests there have the other half.
func (r *row) forget(set string) (out []labelled) {
	if r.Verb != "" {
		if !held(r.M) {
			out = append(out, labelledOf("requests", r.M, r.M, r.Verb == "forget", true))
		}
		return out
	}
	for _, s := range []string{r.M, r.Q, r.Ask} {
		if s != "" {
			out = append(out, labelledOf(set, s, s, r.Forget, true))
		}
	}
	if r.Request != "" {
		out = append(out, labelledOf("scenarios", r.Request, r.Request, len(r.Meant) > 0, true))
	}
	for _, s := range r.Statements {
		out = append(out, labelledOf("statements", s, s, false, true))
	}
	return out
}

// done gives the examples of [intent.Done]: answers.
func (r *row) done(set string) (out []labelled) {
	if r.Reply != "" {
		out = append(out, labelledOf(set, r.M, r.Reply, r.Forget, true))
	}
	return out
}

// object gives the examples of [intent.Word.P]: the words of requests to forget.
func (r *row) object(set string) (out []labelled) {
	at := strings.Index(r.M, r.About)
	if r.About == "" || at < 0 || !r.Forget && (r.Verb != "forget" || held(r.M)) {
		return nil
	}
	for _, w := range intent.WordsOf(r.M) {
		e := labelledOf(set, r.M, "", w.Lo >= at && w.Hi <= at+len(r.About), true)
		e.signals = w.Signals
		out = append(out, e)
	}
	return out
}

// held reports whether a request is left to the tests of internal/said.
func held(message string) bool {
	h := fnv.New32a()
	h.Write([]byte(message))
	return h.Sum32()%2 == 0
}

// ofLife reads the questions and the messages of a life.
func ofLife(path string, file []byte) (rows []row, err error) {
	type line struct{ Life, Ask, Kind, Text, Everyday, Role, Changes string }
	lines, err := linesOf[line](path, file)
	for _, l := range lines {
		r := row{Q: l.Ask, Own: l.Kind != "off", life: lines[0].Life, changed: l.Changes != ""}
		if r.M = l.Text + l.Everyday; l.Role == "assistant" {
			r.M = ""
		}
		rows = append(rows, r)
	}
	return rows, err
}

// lifeFolders are the folders of lives with questions about their people's affairs and about others.
var lifeFolders = []string{people, "../cmd/ebb/testdata/lives", "../cmd/ebb/testdata/more", "../cmd/ebb/testdata/later", "../cmd/ebb/testdata/latest",
	"../cmd/ebb/testdata/newest", "../cmd/ebb/testdata/neighbours", "../cmd/ebb/testdata/fresh", "../cmd/ebb/testdata/plain", "../cmd/ebb/testdata/strangers"}

// serves reports whether the texts of a set are labelled for a model.
func serves(set, model string) bool {
	requests := []string{"forget", "unstored", "object"} // orders, too, of which the answers sound like those to requests
	switch {
	case strings.HasSuffix(set, "-c"), strings.HasSuffix(set, "-dev"):
		return slices.Contains(requests, model)
	case strings.HasPrefix(set, "technical-"):
		return slices.Contains(append(requests, "own"), model)
	case strings.HasPrefix(set, "own-"):
		return slices.Contains([]string{"own", "forget", "unstored"}, model)
	case strings.HasPrefix(set, "saved-"), strings.HasPrefix(set, "changes-"):
		return strings.HasPrefix(set, model+"-")
	}
	return true
}

// fit fits one model to the files of a folder, measures every tenth text with a fit to
// the others, and writes it.
func fitIntent(w io.Writer, path, name string, fine bool, at pace, leaveOut bool, examples func(*row, string) []labelled) error {
	var files []string
	patterns := []string{"fit/testdata/intent/*/*.jsonl", "../internal/said/testdata/requests/*.jsonl"}
	if slices.Contains([]string{"own", "feigned", "unstored", "changes"}, name) {
		for _, dir := range lifeFolders {
			patterns = append(patterns, filepath.Join(dir, "*.jsonl"))
		}
	}
	for _, pattern := range patterns {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			return fmt.Errorf("nothing matches %s: %w", pattern, err)
		}
		files = append(files, found...)
	}
	var all, fitted []labelled
	for _, path := range files {
		file, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		read := linesOf[row]
		if bytes.HasPrefix(file, []byte(`{"life"`)) {
			read = ofLife
		}
		rows, err := read(path, file)
		if err != nil {
			return err
		}
		for i := range rows {
			r := &rows[i]
			if (r.Feigned != nil || r.Unstored != nil) && name != "feigned" && name != "unstored" {
				continue
			}
			if name != "forget" && name != "unstored" && (r.Chat && (name != "done" || r.Reply == "") || (r.Confided != nil || r.Request != "") && name != "confided" && name != "asks" && name != "feigned" || r.Asks != nil && name != "asks" && name != "feigned") {
				continue // not labelled for the others
			}
			set := strings.TrimSuffix(filepath.Base(path), ".jsonl")
			if !serves(set, name) {
				continue
			}
			all = append(all, examples(r, set)...)
		}
	}
	for _, e := range all {
		if !e.held {
			fitted = append(fitted, e)
		}
	}
	fmt.Fprintln(w, name)
	weights, bias := fitLinear(fitted, at)
	reportIntent(w, all, weights, bias)
	if leaveOut && name == "own" {
		for k := range evalset.Parts {
			without := slices.DeleteFunc(slices.Clone(all), func(e labelled) bool { return e.life != "" && evalset.Part(e.life) == k })
			if err := writeIntent(fmt.Sprintf("%s.%d", path, k), without, fine, at); err != nil {
				return err
			}
		}
	}
	return writeIntent(path, all, fine, at)
}

// write fits a model and writes it.
func writeIntent(path string, to []labelled, fine bool, at pace) error {
	weights, bias := fitLinear(to, at)
	if !fine {
		weights = weights[:intent.Buckets]
	}
	return os.WriteFile(path, pack(weights, bias), 0o644)
}

// intentModels are the models in the order in which they are fitted.
var intentModels = []struct {
	name     string
	fine     bool
	at       pace
	examples func(*row, string) []labelled
}{
	{"lasting", false, slow, (*row).lasting},
	{"own", true, usual, (*row).own},
	{"forget", true, usual, (*row).forget},
	{"done", true, usual, (*row).done},
	{"object", true, usual, (*row).object},
	{"manner", true, usual, (*row).manner},
	{"saved", true, usual, (*row).manner},
	{"confided", true, usual, (*row).confided},
	{"asks", true, usual, (*row).asks},
	{"feigned", true, usual, (*row).feigned},
	{"unstored", true, usual, (*row).unstored},
	{"changes", true, usual, (*row).changes},
}

func intentCommand(flags *flag.FlagSet) command {
	leaveOut := flags.Bool("leave-out", false, "also fit own without each part of the lives")
	out := flags.String("o", "../internal/intent", "folder for the models")
	return func(_ context.Context, w io.Writer, names []string) error {
		for _, m := range intentModels {
			if len(names) > 0 && !slices.Contains(listed(names[0]), m.name) {
				continue
			}
			if err := fitIntent(w, filepath.Join(*out, m.name+".bin"), m.name, m.fine, m.at, *leaveOut, m.examples); err != nil {
				return err
			}
		}
		return nil
	}
}

// pace is how long and how fast a model is fitted. With slow the probabilities of
// [intent.Lasting] of authors left out are right (logarithmic loss .40 → .37), and it tells
// what eighteen lives ask for later from their everyday messages with an area under the curve
// of .915 instead of .897. Half of the examples, at the usual pace, have .893. Slow gains
// nothing for the others, whose thresholds were chosen at the usual pace.
type pace struct {
	rounds       int
	rate, shrink float64
}

var usual, slow = pace{30, 0.3, 3e-5}, pace{15, 0.1, 3e-4}

// fitLinear runs a regularised logistic regression over hashed signals by Adagrad.
func fitLinear(all []labelled, as pace) (weights []float64, bias float64) {
	weights = make([]float64, intent.FineBuckets)
	seen := make([]float64, intent.FineBuckets)
	biasSeen := 1.0
	random := rand.New(rand.NewPCG(1, 2))
	order := random.Perm(len(all))
	for range as.rounds {
		random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for _, at := range order {
			t := &all[at]
			each := 1 / math.Sqrt(float64(len(t.signals)))
			z := bias
			for _, s := range t.signals {
				z += weights[s] * each
			}
			miss := target(t.yes) - 1/(1+math.Exp(-z))
			for _, s := range t.signals {
				g := miss*each - as.shrink*weights[s]
				seen[s] += g * g
				weights[s] += as.rate * g / math.Sqrt(seen[s]+1e-2)
			}
			biasSeen += miss * miss
			bias += as.rate * miss / math.Sqrt(biasSeen)
		}
	}
	return weights, bias
}

// report prints precision and recall at several probabilities for the held-out
// messages of each set.
func reportIntent(w io.Writer, all []labelled, weights []float64, bias float64) {
	type scored struct {
		p   float64
		yes bool
	}
	sets := make(map[string][]scored)
	for _, t := range all {
		if !t.held {
			continue
		}
		z := bias
		for _, s := range t.signals {
			z += weights[s] / math.Sqrt(float64(len(t.signals)))
		}
		for _, set := range []string{t.set, "all"} {
			sets[set] = append(sets[set], scored{1 / (1 + math.Exp(-z)), t.yes})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(sets)) {
		fmt.Fprintf(w, "%-10s %4d sentences left out; precision/recall", name, len(sets[name]))
		for _, least := range []float64{.3, .4, .5, .6, .7, .8, .9} {
			var taken, right, lasts float64
			for _, s := range sets[name] {
				if s.yes {
					lasts++
				}
				if s.p >= least {
					taken++
					if s.yes {
						right++
					}
				}
			}
			fmt.Fprintf(w, "  at %.1f %3.0f/%3.0f", least, 100*right/math.Max(1, taken), 100*right/math.Max(1, lasts))
		}
		fmt.Fprintln(w)
	}
}

// pack encodes a model in the format that internal/intent reads.
func pack(weights []float64, bias float64) []byte {
	most := 1e-9
	for _, w := range weights {
		most = max(most, math.Abs(w))
	}
	unit := most / 127
	var out bytes.Buffer
	binary.Write(&out, binary.LittleEndian, []float32{float32(bias), float32(unit)})
	for _, w := range weights {
		out.WriteByte(byte(int8(math.Round(w / unit))))
	}
	return out.Bytes()
}
