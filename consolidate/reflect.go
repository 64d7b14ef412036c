package consolidate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ebbmem/ebb/internal/poison"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/recall"
	"github.com/ebbmem/ebb/schema"
)

// Reflect is the stage that draws insights out of several memories at once
// (Park et al. 2023, Generative Agents; dual-memory.md): it lets the model ask
// what the recent important memories can answer together, looks each question
// up, and lets the model answer from what was found. Two calls in all.
//
// It is due when enough that matters has happened since the last time: when the
// importance gathered passes Threshold, or after Sessions conversations, and at
// least two records are there to compare. Documents are looked up like all else, but
// they are nothing that happened.
//
// An insight cites at least two memories, none of which rests on a reflection
// itself; a name, number or date that none of them holds sets it aside.
//
// Counts: due (0 or 1), unusable (answers of no use: it is tried again next
// time), thin (insights without two sources), missing (insights that Insights
// asks for and that were not drawn).
type Reflect struct {
	// Threshold is what the importance gathered must exceed, on the scale of 1–10
	// for each message. Default 100.
	Threshold float64
	// Sessions is after how many new conversations it is due anyway. Default 5;
	// below 0 never.
	Sessions int
	// Questions asked, and memories looked up for each. Default 3 and 10.
	Questions, PerQuestion int
	// Insights is how many are to be drawn at least, and Questions then the most,
	// whichever questions they answer. Of an answer with fewer that can be used the
	// model is asked for others, once more: what the records do not say is not
	// made up, so fewer may be all there is. Default 0: one a question at most, and
	// as many as follow.
	Insights int
	// Recent is how many memories the questions are about. Default 100.
	Recent int
	// Newest takes for these the newest messages, of whatever side and reflected
	// on before or not, as Generative Agents do. Default false: what matters most
	// of what the user said and what was learnt since the last time.
	Newest bool

	// Cycles is after how many cycles it is due anyway ([schema.AttrCycle]).
	// Default 0: never.
	Cycles int64
	// Boundary is a field of a block of core memory that agents share; it is due
	// when that says something else than at the last time. Default none.
	Boundary BlockField
	// OnDemand reflects whenever somebody asks for a run ([CauseManual]), whether
	// it is due or not. Default false.
	OnDemand bool
	// Everyone takes in what every side said since the last time, not the user
	// alone. Default false.
	Everyone bool
	// MinImportance leaves out what is rated lower, on the scale of 1–10. Default
	// 0: nothing.
	MinImportance float64
	// Least is what an insight is rated at least, on the scale of 1–10. Default 8.
	Least float64
	// Lessons is a list of core memory that agents share, and that a model may
	// write ([schema.ModelWrites]): insights rated 10 are added to it. An extension
	// takes all but the name from its Config.Blocks. Default nil: none are.
	Lessons *schema.BlockSpec
	// Focus is added to what the model is told to ask about. Default none.
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
	recordTokens   = 80 // of one record in a prompt
)

// Name implements [Stage].
func (Reflect) Name() string { return reflectStage }

func (r Reflect) withDefaults() Reflect {
	if r.Threshold <= 0 {
		r.Threshold = DefaultReflectThreshold
	}
	if r.Sessions == 0 {
		r.Sessions = DefaultReflectSessions
	}
	if r.Questions <= 0 {
		r.Questions = DefaultReflectQuestions
	}
	if r.PerQuestion <= 0 {
		r.PerQuestion = DefaultReflectPerQuestion
	}
	if r.Least <= 0 {
		r.Least = DefaultReflectLeast
	}
	if r.Recent <= 0 {
		r.Recent = DefaultReflectRecent
	}
	return r
}

// Due implements [Trigger]. Fewer than two records that a reflection could be
// about are not enough, however much else was said: it is due when there are more.
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

// reason says whether one of its reasons to reflect has come. Cycles and the
// boundary are the host's own rhythm, which no pause delays.
func (r *Reflect) reason(ctx context.Context, s *schema.Snapshot, userID int64) (Urgency, error) {
	if turned, err := r.turned(ctx, s, userID); err != nil || turned {
		return DueNow, err
	}
	var gathered float64
	var sessions int
	err := s.Row(ctx, `SELECT u.importance_since, (SELECT count(DISTINCT m.session_id) FROM memories m WHERE m.user_id = u.id AND m.kind = 'episode'
			AND m.id > coalesce((SELECT through FROM watermarks w WHERE w.user_id = u.id AND w.name = ?), 0))
		FROM users u WHERE u.id = ?`, []any{reflectStage, userID}, &gathered, &sessions)
	const rounding = 1e-9 // what a sum of tenths may be beyond
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
	if givesUp(err) {
		in.Count("unusable", 1)
		return nil
	}
	if err != nil {
		return err
	}
	_, err = apply(ctx, append(proposals, x.done()...)...)
	return err
}

// reflection is the stage at work.
type reflection struct {
	Reflect

	in       *Input
	recent   []schema.Memory // in order of time
	through  int64
	gathered float64
	records  []schema.Memory // shown under the questions; the i-th is "r<i+1>"
}

// read collects the recent memories. It is due when somebody asked, too.
func (x *reflection) read(ctx context.Context) (due bool, err error) {
	err = x.in.DB.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		urgency, err := x.reason(ctx, s, x.in.UserID)
		if due = urgency != NotDue || x.OnDemand && x.in.Cause == CauseManual; err != nil || !due {
			return err
		}
		err = s.Row(ctx, "SELECT importance_since, (SELECT coalesce(max(id), 0) FROM memories WHERE user_id = users.id) FROM users WHERE id = ?",
			[]any{x.in.UserID}, &x.gathered, &x.through)
		if err != nil {
			return err
		}
		x.recent, err = x.material(ctx, s, x.in.UserID)
		return err
	})
	return due && len(x.recent) >= 2, err
}

// material reads what the questions are to be about, in order of time.
func (r *Reflect) material(ctx context.Context, s *schema.Snapshot, userID int64) (recent []schema.Memory, err error) {
	after, err := s.Watermark(ctx, userID, reflectStage)
	if err != nil {
		return nil, err
	}
	q := s.NewSelect().Model(&recent).Where("user_id = ? AND state = ?", userID, schema.StateActive).
		Where("NOT " + schema.PartOfDocument).Limit(int64(r.Recent))
	switch {
	case r.Newest:
		q = q.Where("kind = ?", schema.KindEpisode).OrderExpr("id DESC")
	case r.Everyone:
		q = q.Where("id > ? AND kind <> ?", after, schema.KindReflection).OrderExpr("importance DESC, id DESC")
	default:
		q = q.Where("id > ? AND kind <> ? AND (kind <> ? OR role = 'user')", after, schema.KindReflection, schema.KindEpisode).
			OrderExpr("importance DESC, id DESC")
	}
	if r.MinImportance > 0 && !r.Newest {
		q = q.Where("importance >= ?", r.MinImportance/10-1e-9)
	}
	if err := q.Scan(ctx); err != nil {
		return nil, err
	}
	recent = slices.DeleteFunc(recent, func(m schema.Memory) bool { return !showable(&m) })
	slices.SortFunc(recent, func(a, b schema.Memory) int {
		return cmp.Or(a.EventTime.Compare(b.EventTime.Time), cmp.Compare(a.ID, b.ID))
	})
	return recent, nil
}

// showable leaves out of prompts what may be an attack: what nobody vouches for,
// and what gives orders without being the user's own.
func showable(m *schema.Memory) bool {
	return m.State == schema.StateActive && !m.Hearsay() && (m.OwnWords() || m.Attributes[schema.AttrReleased] != "" || poison.Inspect(m.Content) == "")
}

func (x *reflection) reflect(ctx context.Context) ([]Proposal, error) {
	questions, err := x.ask(ctx)
	if err != nil || len(questions) == 0 {
		return nil, err
	}
	found := make([][]int, len(questions)) // places in x.records
	for i, q := range questions {
		if found[i], err = x.lookUp(ctx, q); err != nil {
			return nil, err
		}
	}
	return x.answer(ctx, questions, found)
}

// ask lets the model ask.
func (x *reflection) ask(ctx context.Context) ([]string, error) {
	var b strings.Builder
	b.WriteString("Records:\n")
	for i := range x.recent {
		b.WriteString(jsonLine(recordOf(&x.recent[i], "", x.in)))
	}
	var answer struct {
		Questions []string `json:"questions"`
	}
	p := Prompt{
		own:  true,
		Name: "reflect_questions", Version: reflectVersion, User: b.String(),
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

// lookUp finds what may answer a question; without a searcher, the newest.
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
	for _, m := range found {
		if !showable(&m) || m.Attributes[schema.AttrDepth] != "" && m.Attributes[schema.AttrDepth] != "1" {
			continue
		}
		at := slices.IndexFunc(x.records, func(r schema.Memory) bool { return r.ID == m.ID })
		if at < 0 {
			at = len(x.records)
			x.records = append(x.records, m)
		}
		places = append(places, at)
	}
	return places, nil
}
