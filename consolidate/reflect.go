package consolidate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ebbmem/ebb/consolidate/ask"
	"github.com/ebbmem/ebb/internal/poison"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/recall"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/core"
)

// Reflect is the stage that draws insights from several memories together (Park et
// al. 2023, Generative Agents; dual-memory.md). The model writes questions that the
// recent important memories can answer, each question is searched for, and the
// model answers from the results: two calls in all.
//
// It is due when the importance gathered since the last reflection exceeds
// Threshold, or after Sessions conversations, if there are at least two memories to
// compare. Parts of documents count for neither, but are searched.
//
// An insight cites at least two memories, none of which rests on a reflection that
// rests on one. An insight with a name, number or date that none of them contains is
// quarantined.
//
// Counts: due (0 or 1); unusable answers, which are tried again next time; thin,
// insights without two sources; missing, insights fewer than Insights asks for.
type Reflect struct {
	// Threshold of the gathered importance, at 1–10 a message. Default 100.
	Threshold float64
	// Sessions is the number of new conversations after which it is due anyway.
	// Default 5; negative for never.
	Sessions int
	// Questions is the number of questions, PerQuestion of memories for each.
	// Default 3 and 10.
	Questions, PerQuestion int
	// Insights is the minimum number of insights to ask for, and Questions then the
	// maximum. If fewer are usable, the model is asked for more, once; there may
	// still be fewer, since none is made up. Default 0: at most one a question.
	Insights int
	// Newest selects the newest 100 messages of all roles for the questions, even if
	// they were reflected on before, as Generative Agents do. Default false: the 100
	// most important of the user's messages and derived memories since the last
	// reflection.
	Newest bool

	// Cycles is the number of cycles after which it is due anyway
	// ([schema.AttrCycle]). Default 0: never.
	Cycles int64
	// Boundary is a field of a shared block of core memory. A reflection is due when
	// the field has changed since the last one. Default none.
	Boundary BlockField
	// OnDemand reflects in every manual run ([CauseManual]). Default false.
	OnDemand bool
	// Everyone includes the messages of all roles. Default false: the user's.
	Everyone bool
	// MinImportance leaves out memories rated lower, 1–10. Default 0.
	MinImportance float64
	// Least is the minimum rating of an insight, 1–10. Default 8.
	Least float64
	// Lessons is a shared list of core memory that models may write
	// ([core.ModelWrites]), to which insights rated 10 are added. An extension
	// takes all but its name from Config.CoreMemory.Blocks. Default nil.
	Lessons *core.BlockSpec
	// Focus is added to the instructions for the questions. Default none.
	Focus string
}

// Defaults of [Reflect] (dual-memory.md, ReflectionConfig).
const (
	DefaultReflectThreshold   = 100
	DefaultReflectSessions    = 5
	DefaultReflectQuestions   = 3
	DefaultReflectPerQuestion = 10
	DefaultReflectRecent      = 100
	DefaultReflectLeast       = 8
)

const (
	reflectStage   = "reflect"
	reflectVersion = 1
	recordTokens   = 80 // of one memory in a prompt
)

// Name implements [Stage].
func (Reflect) Name() string { return reflectStage }

func (r Reflect) withDefaults() Reflect {
	if r.Threshold <= 0 {
		r.Threshold = DefaultReflectThreshold
	}
	r.Sessions = cmp.Or(r.Sessions, DefaultReflectSessions)
	if r.Questions <= 0 {
		r.Questions = DefaultReflectQuestions
	}
	if r.PerQuestion <= 0 {
		r.PerQuestion = DefaultReflectPerQuestion
	}
	if r.Least <= 0 {
		r.Least = DefaultReflectLeast
	}
	return r
}

// Due implements [Trigger].
func (r Reflect) Due(ctx context.Context, s *schema.Snapshot, userID int64) (Urgency, error) {
	r = r.withDefaults()
	urgency, err := r.reason(ctx, s, userID)
	if err != nil || urgency == NotDue {
		return NotDue, err
	}
	if recent, err := r.material(ctx, s, userID); err != nil || len(recent) < 2 {
		return NotDue, err
	}
	return urgency, nil
}

// reason returns how urgent a reflection is, whatever there is to reflect on.
// Cycles and Boundary are the host's own rhythm, so they do not wait.
func (r *Reflect) reason(ctx context.Context, s *schema.Snapshot, userID int64) (Urgency, error) {
	if turned, err := r.turned(ctx, s, userID); err != nil || turned {
		return DueNow, err
	}
	gathered, sessions, err := s.SinceReflection(ctx, userID, reflectStage)
	const rounding = 1e-9 // of a sum of tenths
	if err == nil && (10*gathered > r.Threshold+rounding || r.Sessions > 0 && sessions >= r.Sessions) {
		return DueLater, nil
	}
	return NotDue, err
}

// Propose implements [Stage].
func (r Reflect) Propose(ctx context.Context, in *Input, apply Apply) error {
	if in.Model == nil {
		return nil
	}
	r = r.withDefaults()
	x := &reflection{Reflect: r, in: in}
	due, err := x.read(ctx)
	if err != nil || !due {
		return err
	}
	in.Count("due", 1)
	proposals, err := x.reflect(ctx)
	if ask.Unusable(err) {
		in.Count("unusable", 1)
		return nil
	}
	if err != nil {
		return err
	}
	_, err = apply(ctx, append(proposals, x.done()...)...)
	return err
}

// reflection is a run of the stage.
type reflection struct {
	Reflect

	in       *Input
	recent   []schema.Memory // in order of time
	through  int64
	gathered float64
	records  []schema.Memory // found for the questions; the i-th is named "r<i+1>"
}

// read collects the recent memories and reports whether to reflect on them.
func (x *reflection) read(ctx context.Context) (due bool, err error) {
	err = x.in.DB.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		urgency, err := x.reason(ctx, s, x.in.UserID)
		if due = urgency != NotDue || x.OnDemand && x.in.Cause == CauseManual; err != nil || !due {
			return err
		}
		if x.gathered, _, err = s.SinceReflection(ctx, x.in.UserID, reflectStage); err != nil {
			return err
		}
		if x.through, err = s.LastMemoryID(ctx, x.in.UserID); err != nil {
			return err
		}
		x.recent, err = x.material(ctx, s, x.in.UserID)
		return err
	})
	return due && len(x.recent) >= 2, err
}

// material returns the memories for the questions, in order of time.
func (r *Reflect) material(ctx context.Context, s *schema.Snapshot, userID int64) (recent []schema.Memory, err error) {
	after, err := s.Watermark(ctx, userID, reflectStage)
	if err != nil {
		return nil, err
	}
	recent, err = s.Recent(ctx, userID, schema.RecentFilter{
		Newest: r.Newest, Everyone: r.Everyone, After: after, MinImportance: r.MinImportance / 10, Limit: DefaultReflectRecent,
	})
	if err != nil {
		return nil, err
	}
	recent = slices.DeleteFunc(recent, func(m schema.Memory) bool { return !Showable(&m) })
	slices.SortFunc(recent, func(a, b schema.Memory) int {
		return cmp.Or(a.EventTime.Compare(b.EventTime.Time), cmp.Compare(a.ID, b.ID))
	})
	return recent, nil
}

// Showable reports whether prompts may contain a memory. Untrusted ones, and those
// that read like instructions and are not the user's own, may be an attack.
func Showable(m *schema.Memory) bool {
	return m.State == schema.StateActive && !m.Untrusted() && (m.OwnWords() || m.Attributes[schema.AttrReleased] != "" || poison.Inspect(m.Content) == "")
}

func (x *reflection) reflect(ctx context.Context) ([]Proposal, error) {
	questions, err := x.ask(ctx)
	for errors.Is(err, ask.ErrTooLong) && len(x.recent) >= 4 {
		x.recent = x.recent[len(x.recent)/2:]
		questions, err = x.ask(ctx)
	}
	if err != nil || len(questions) == 0 {
		return nil, err
	}
	found := make([][]int, len(questions)) // places in x.records
	for i, q := range questions {
		if found[i], err = x.lookUp(ctx, q); err != nil {
			return nil, err
		}
	}
	if len(x.records) < 2 { // no insight can follow: the questions share hardly a word with what is stored
		recent := x.places(x.recent[max(0, len(x.recent)-x.PerQuestion):])
		for i := range found {
			found[i] = recent
		}
	}
	return x.answer(ctx, questions, found)
}

// ask asks the model for questions.
func (x *reflection) ask(ctx context.Context) ([]string, error) {
	var b strings.Builder
	b.WriteString("Records:\n")
	for i := range x.recent {
		b.WriteString(jsonLine(recordOf(&x.recent[i], "", x.in)))
	}
	var answer struct {
		Questions ask.Words `json:"questions"`
	}
	p := ask.Prompt{
		SafeErrors: true,
		Name:       "reflect_questions", Version: reflectVersion, User: b.String(),
		System: strings.TrimSpace(reflectQuestions) + x.focus() + fmt.Sprintf("\n\nAsk %d.", x.Questions),
		Schema: object(map[string]any{"questions": map[string]any{"type": "array", "items": map[string]any{"type": "string"}}}, "questions"),
	}
	err := x.in.Model.Ask(ctx, p, func(decode func(any) error) error {
		answer.Questions = nil
		if err := decode(&answer); err != nil {
			return err
		}
		if len(answer.Questions) == 0 {
			return errors.New(`it has no list "questions"`)
		}
		return nil
	})
	questions := slices.DeleteFunc(answer.Questions, func(q string) bool {
		return len(text.QueryTerms(q, 1)) == 0 || len(q) > 500 || !validQuestion(q)
	})
	return questions[:min(len(questions), x.Questions)], err
}

func validQuestion(q string) bool { return schema.ValidContent("question", text.Clean(q)) == nil }

// lookUp returns the memories that may answer a question: the newest without a
// searcher.
func (x *reflection) lookUp(ctx context.Context, question string) (places []int, err error) {
	found := x.recent[max(0, len(x.recent)-x.PerQuestion):]
	if x.in.Searcher != nil {
		answer, err := x.in.Searcher.Search(ctx, x.in.Scope, recall.Query{Text: text.Clean(question), Limit: x.PerQuestion, Now: x.in.Now, Unquarantined: true, Wait: true})
		if err != nil {
			return nil, err
		}
		found = nil
		for _, r := range answer.Results {
			found = append(found, r.Memory)
		}
	}
	return x.places(found), nil
}

// places adds those of the memories that insights may rest on to the records, and returns where they are.
func (x *reflection) places(found []schema.Memory) (places []int) {
	for _, m := range found {
		if !Showable(&m) || m.Attributes[schema.AttrDepth] != "" && m.Attributes[schema.AttrDepth] != "1" {
			continue
		}
		at := slices.IndexFunc(x.records, func(r schema.Memory) bool { return r.ID == m.ID })
		if at < 0 {
			at = len(x.records)
			x.records = append(x.records, m)
		}
		places = append(places, at)
	}
	return places
}
