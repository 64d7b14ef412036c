package main

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/extension/transfer"
	"github.com/ebbmem/ebb/internal/evalset"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/recall"
)

// question is a question that is asked of several memories.
type question struct {
	evalset.Query
	kind string // "labelled", "paraphrase", "general"
	held bool   // never fitted to
}

// asked is one question asked of one memory.
type asked struct {
	Set    string
	Of     string // the conversation it belongs to; "" for a general question
	Memory string // the conversation that was asked
	Young  bool   // the memory holds only a few turns of it
	Named  bool   // the question names a speaker of it
	Kind   string
	Held   bool        // never fitted to
	Needed int         // turns that answer it, found or not; 0 off topic
	Found  bool        // a result has a ground other than its speaker
	About  []float64   // grounds of the answer
	Rows   [][]float64 // grounds of each result
	Right  []bool      // by result, whether it answers the question
	Tokens []int       // by result
}

// own reports whether the memory answers the question.
func (a *asked) own() bool { return a.Needed > 0 }

// relevanceDepth is the number of results considered for a question.
const relevanceDepth = 15

//go:embed testdata/general.jsonl
var generalQuestions []byte

// relevanceData is every question with the memories it was asked of.
type relevanceData struct {
	options
	sets           []string
	about, answers model
	asked          []asked
}

// model is one logistic regression's grounds, with the weights in the code.
type model struct {
	names   []string
	present []float64
}

func modelOf(grounds []recall.Signal) (m model) {
	for _, s := range grounds {
		m.names, m.present = append(m.names, s.Name), append(m.present, s.Weight)
	}
	return m
}

// options are the training data beside the sets.
type options struct {
	paraphrases string // folder of further questions of the sets, "" for none
	encoder     encoder
}

func optionsOf(flags *flag.FlagSet) *options {
	o := new(options)
	flags.StringVar(&o.paraphrases, "paraphrases", "", "folder of further questions, SET.jsonl with a split: only \"fit\" is fitted to")
	flags.StringVar(&o.encoder.url, "embedder", "", "address of a server of OpenAI's embeddings API: fit with vectors")
	flags.StringVar(&o.encoder.model, "embed-model", "text-embedding-3-small", "the embedding model's name")
	flags.StringVar(&o.encoder.folder, "encoder", "", "folder of an embedding model: fit with its vectors, without a server")
	return o
}

// eachSet loads sets.
func eachSet(ctx context.Context, dirs []string, load func(context.Context, string) error) error {
	if len(dirs) == 0 {
		return errors.New("no set given; name the folders of one or more")
	}
	for _, dir := range dirs {
		if err := load(ctx, dir); err != nil {
			return err
		}
	}
	return nil
}

func relevanceCommand(flags *flag.FlagSet) command {
	o := optionsOf(flags)
	return func(ctx context.Context, w io.Writer, dirs []string) error {
		d := &relevanceData{options: *o}
		if err := eachSet(ctx, dirs, d.load); err != nil {
			return err
		}
		return d.report(w)
	}
}

// report fits and prints the weights and what is injected by them.
func (d *relevanceData) report(w io.Writer) error {
	all := func(*asked) bool { return true }
	fitted := d.fit(all)
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, part := range []struct {
		name string
		model
		fitted []float64
	}{{"about", d.about, fitted.about}, {"answers", d.answers, fitted.answers}} {
		fmt.Fprintf(out, "%s\tpresent\tfitted\t\n", part.name)
		for j, name := range part.names {
			fmt.Fprintf(out, "%s\t%.2f\t%.2f\t\n", name, part.present[j], part.fitted[j])
		}
		fmt.Fprintln(out, "\t\t\t")
	}
	present := weights{d.about.present, d.answers.present}
	fmt.Fprintln(out, "weights\tset\tquestions\tevidence %\ttokens\tmemories\toff topic %\t")
	d.print(out, "present", func(*asked) weights { return present })
	d.print(out, "fitted", func(*asked) weights { return fitted })
	if len(d.sets) > 1 {
		d.print(out, "set left out", d.leaveOut(d.sets, func(a *asked) []string { return []string{a.Set} }))
	}
	d.print(out, "conversation left out", d.leaveOut(d.conversations(), func(a *asked) []string { return []string{a.Of, a.Memory} }))
	return out.Flush()
}

// weights are those of both models.
type weights struct{ about, answers []float64 }

// share is the weight of a question in a fit, relative to a labelled one.
func (a *asked) share() float64 {
	share := map[string]float64{"labelled": 1, "paraphrase": 0.3, "general": 0.3}[a.Kind]
	if a.Young {
		share *= 0.3
	}
	return share
}

// fitted reports whether a question may be used in a fit. A young memory takes no
// questions about other conversations, which its owner would not ask.
func (a *asked) fitted() bool {
	return !a.Held && len(a.Rows) > 0 && (a.own() || !a.Young || a.Kind == "general")
}

// fit returns the weights of both models from the questions for which keep is
// true. All questions of one set, kind and age, on or off topic, count together as
// their share of 300 observations, with a ridge of 1.
func (d *relevanceData) fit(keep func(*asked) bool) weights {
	const prior = 300
	type class struct {
		set, kind  string
		own, young bool
	}
	of := func(a *asked) class { return class{a.Set, a.Kind, a.own(), a.Young} }
	count := make(map[class]float64)
	for i := range d.asked {
		if a := &d.asked[i]; a.fitted() && keep(a) {
			count[of(a)]++
		}
	}
	var about, answers []observation
	for i := range d.asked {
		a := &d.asked[i]
		if !a.fitted() || !keep(a) {
			continue
		}
		weight := prior * a.share() / count[of(a)]
		about = append(about, observation{a.About, a.own(), weight})
		for r := range a.Rows {
			if a.own() {
				answers = append(answers, observation{a.Rows[r], a.Right[r], weight})
			}
		}
	}
	return weights{d.about.fit(about), d.answers.fit(answers)}
}

// fit fits the grounds that vary.
func (m *model) fit(observed []observation) []float64 {
	free := make([]bool, len(m.names))
	for j := range free {
		free[j] = m.names[j] == "bias" || slices.ContainsFunc(observed, func(o observation) bool { return o.values[j] != observed[0].values[j] })
		free[j] = free[j] && m.names[j] != "echo"
	}
	w := logisticFit(observed, m.present, free)
	for j := range w {
		w[j] = math.Round(100*w[j]) / 100
	}
	return w
}

// leaveOut fits once for each part, without the questions that belong to it. The
// result gives each question the weights of a fit without it, by the first of its
// parts that is not empty.
func (d *relevanceData) leaveOut(parts []string, of func(*asked) []string) func(*asked) weights {
	found := make([]weights, len(parts))
	_ = inParallel(len(parts), func(i int) error {
		found[i] = d.fit(func(a *asked) bool { return !slices.Contains(of(a), parts[i]) })
		return nil
	})
	return func(a *asked) weights {
		for _, part := range of(a) {
			if i := slices.Index(parts, part); i >= 0 {
				return found[i]
			}
		}
		return weights{d.about.present, d.answers.present}
	}
}

func (d *relevanceData) conversations() (all []string) {
	for i := range d.asked {
		if of := d.asked[i].Of; of != "" && !slices.Contains(all, of) {
			all = append(all, of)
		}
	}
	return all
}

// relevances returns the relevance of the answer and of each result.
func (a *asked) relevances(w weights) (about float64, results []float64) {
	if len(a.Rows) == 0 || !a.Found {
		return 0, nil
	}
	about = probability(a.About, w.about)
	for _, row := range a.Rows {
		results = append(results, about*probability(row, w.answers))
	}
	return about, results
}

// print writes what is injected at the default thresholds.
func (d *relevanceData) print(w io.Writer, name string, of func(*asked) weights) {
	type figures struct{ own, evidence, tokens, memories, off, injected float64 }
	for _, set := range d.sets {
		byKind := make(map[string]*figures)
		for i := range d.asked {
			a := &d.asked[i]
			if a.Set != set || !a.own() && a.Named {
				continue
			}
			kind := a.Kind
			if a.Held {
				kind += ", held"
			}
			if a.Young {
				kind = "young " + kind
			}
			f := byKind[kind]
			if f == nil {
				f = new(figures)
				byKind[kind] = f
			}
			about, results := a.relevances(of(a))
			shown := 0
			for r, relevance := range results {
				if about >= extension.DefaultMinRelevance && relevance >= extension.DefaultMinResultRelevance {
					shown++
					f.tokens += float64(a.Tokens[r]) * target(a.own())
					if a.Right[r] {
						f.evidence += 1 / float64(a.Needed)
					}
				}
			}
			if a.own() {
				f.own++
				f.memories += float64(shown)
			} else {
				f.off++
				f.injected += target(shown > 0)
			}
		}
		for _, kind := range slices.Sorted(maps.Keys(byKind)) {
			f := byKind[kind]
			own, off := max(1, f.own), max(1, f.off)
			fmt.Fprintf(w, "%s\t%s\t%s\t%.1f\t%.0f\t%.1f\t%.1f\t\n", name, set, kind, 100*f.evidence/own, f.tokens/own, f.memories/own, 100*f.injected/off)
		}
	}
}

const (
	// youngTurns are the sizes of the young memories that are cut from every
	// conversation, youngCuts of each.
	youngCuts = 4
)

var youngTurns = [...]int{6, 30}

// young is a memory of a few turns of a conversation.
type young struct {
	conversation, user string
	turns              []evalset.Turn
	lines              []byte
}

// youngOf cuts young memories from a conversation.
func youngOf(c evalset.Conversation) ([]young, error) {
	raw, err := os.ReadFile(c.Path)
	if err != nil {
		return nil, err
	}
	var lines [][]byte
	for line := range bytes.Lines(raw) {
		if len(bytes.TrimSpace(line)) > 0 {
			lines = append(lines, line)
		}
	}
	if len(lines) != len(c.Turns) {
		return nil, fmt.Errorf("%s: %d lines hold %d turns", c.Path, len(lines), len(c.Turns))
	}
	var all []young
	for _, n := range youngTurns {
		for cut := range youngCuts {
			from := cut * len(lines) / youngCuts
			to := min(len(lines), from+n)
			all = append(all, young{
				conversation: c.Name, user: fmt.Sprintf("%s from %d, %d turns", c.Name, from, n),
				turns: c.Turns[from:to], lines: bytes.Join(lines[from:to], nil),
			})
		}
	}
	return all, nil
}

// holds reports whether the memory has all evidence of a question.
func (y *young) holds(q *question) bool {
	return !slices.ContainsFunc(q.Evidence, func(id string) bool {
		return !slices.ContainsFunc(y.turns, func(t evalset.Turn) bool { return t.ID == id })
	})
}

func (d *relevanceData) load(ctx context.Context, dir string) error {
	set := filepath.Base(dir)
	d.sets = append(d.sets, set)
	return withMemory(ctx, dir, false, d.encoder, func(x *extension.Extension, of *evalset.Set, clock func(time.Time)) error {
		questions := make([]question, len(of.Queries))
		for i, q := range of.Queries {
			questions[i] = question{Query: q, kind: "labelled"}
		}
		more, err := readParaphrases(d.paraphrases, set)
		if err != nil {
			return err
		}
		general, err := readGeneral()
		if err != nil {
			return err
		}
		speakers := of.Speakers()
		var cuts []young
		last := make(map[string]time.Time)
		for _, c := range of.Conversations {
			last[c.Name] = c.Turns[len(c.Turns)-1].Time
			if d.encoder.given() {
				continue // embedding them would take too long
			}
			some, err := youngOf(c)
			if err != nil {
				return err
			}
			cuts = append(cuts, some...)
		}
		for _, q := range more {
			if _, known := last[q.Conversation]; known {
				questions = append(questions, q)
			}
		}
		for _, y := range cuts {
			if _, err := x.Import(ctx, bytes.NewReader(y.lines), transfer.ImportOptions{Scope: extension.Scope{User: y.user}, Clock: clock}); err != nil {
				return err
			}
		}
		if err := x.WaitIdle(ctx); err != nil {
			return err
		}
		ask := func(q *question, memory, user string, a asked) error {
			now := q.Time
			if now.IsZero() {
				now = last[memory].Add(time.Hour)
			}
			clock(now)
			a.Set, a.Memory, a.Kind, a.Held = set, set+"/"+memory, q.kind, q.held
			if q.Conversation != "" {
				a.Of = set + "/" + q.Conversation
			}
			a.Named = evalset.NamesAny(q.Question, speakers[memory])
			depth := relevanceDepth
			if a.Needed > 0 {
				depth *= 4
			}
			answer, err := d.encoder.ask(ctx, x, user, extension.Query{Text: q.Question, Now: now, Limit: depth, Wait: true, Small: true})
			if err != nil {
				return err
			}
			d.add(a, q.Evidence, answer)
			return nil
		}
		for i := range questions {
			q := &questions[i]
			next := of.Next(q.Conversation)
			if err := ask(q, q.Conversation, q.Conversation, asked{Needed: len(q.Evidence)}); err != nil {
				return err
			}
			if err := ask(q, next, next, asked{}); err != nil {
				return err
			}
			for k := range cuts {
				y := &cuts[k]
				switch {
				case y.conversation == q.Conversation && y.holds(q):
					err = ask(q, y.conversation, y.user, asked{Needed: len(q.Evidence), Young: true})
				case y.conversation == next && (i+k)%(2*youngCuts) == 0:
					err = ask(q, y.conversation, y.user, asked{Young: true})
				}
				if err != nil {
					return err
				}
			}
		}
		for i := range general {
			for k, c := range of.Conversations {
				if (i+k)%youngCuts != 0 {
					continue
				}
				if err := ask(&general[i], c.Name, c.Name, asked{}); err != nil {
					return err
				}
			}
			for k, y := range cuts {
				if (i+k)%(2*youngCuts) == 0 {
					if err := ask(&general[i], y.conversation, y.user, asked{Young: true}); err != nil {
						return err
					}
				}
			}
		}
		return nil
	})
}

func (d *relevanceData) add(a asked, evidence []string, answer *extension.Answer) {
	if len(answer.Results) > 0 && d.about.names == nil {
		r := &answer.Results[0]
		d.about, d.answers = modelOf(answer.Grounds), modelOf(r.Grounds)
	}
	a.Found, a.About = answer.Relevance > 0, values(answer.Grounds)
	for _, r := range answer.Results {
		a.Rows = append(a.Rows, values(r.Grounds))
		a.Right = append(a.Right, a.own() && slices.Contains(evidence, r.Memory.EventID))
		a.Tokens = append(a.Tokens, text.Tokens(r.Memory.Content))
	}
	d.asked = append(d.asked, a)
}

func values(grounds []recall.Signal) []float64 {
	all := make([]float64, len(grounds))
	for i, s := range grounds {
		all[i] = s.Value
	}
	return all
}

// readParaphrases reads FOLDER/SET.jsonl, with SET without its "-dev".
func readParaphrases(folder, set string) ([]question, error) {
	if folder == "" {
		return nil, nil
	}
	raw, err := os.ReadFile(filepath.Join(folder, strings.TrimSuffix(set, "-dev")+".jsonl"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	type line struct {
		evalset.Query
		Split string `json:"split"`
	}
	lines, err := linesOf[line](folder, raw)
	var all []question
	for _, l := range lines {
		all = append(all, question{Query: l.Query, kind: "paraphrase", held: l.Split == "held"})
	}
	return all, err
}

// readGeneral reads questions that are about no conversation.
func readGeneral() ([]question, error) {
	lines, err := linesOf[struct{ Question, Split string }]("general.jsonl", generalQuestions)
	var all []question
	for _, l := range lines {
		all = append(all, question{Query: evalset.Query{Question: l.Question}, kind: "general", held: l.Split == "held"})
	}
	return all, err
}
