package recall

import (
	"cmp"
	"reflect"
	"slices"

	"github.com/ebbmem/ebb/schema"
)

// Weights of the linear ranker, one per signal. A signal without data is 0, which is
// neutral. A host may set its own; see [DefaultWeights] for the origin of the defaults.
type Weights struct {
	// What the text itself says.
	Text     float64 // BM25 of the best chunk / the best in this search, 0–1
	Related  float64 // the same for relatives of the words: "painter" for "paint", 0–1
	Phrase   float64 // share of the question whose neighbouring words stand together, 0–1
	Feedback float64 // terms shared with the ten best texts, by the best, 0–1

	// The facts and preferences that rest on it.
	Key         float64 // text score of the best of them, 0–1
	KeyCoverage float64 // share of the question that they hold and it does not, 0–1

	// Its surroundings: its session or, if it refers to an issue
	// ([schema.AttrIssues]), all texts that refer to the same issue.
	Before          float64 // text score of the turn before, 0–1
	After           float64 // text score of the turn after, 0–1
	Window          float64 // share of the question that it and two turns to either side hold, 0–1
	Session         float64 // mean of the session's three best text scores, 0–1
	SessionCoverage float64 // share of the question that the session holds, 0–1

	// Who says it, and how.
	Speaker     float64 // 1 when the question names the speaker, −1 when it names others
	FirstPerson float64 // 1 when the named speaker uses the first person
	User        float64 // 1 for the user's own words and what was derived from them; if the assistant's are asked for, for those
	Asks        float64 // 1 when it opens with a question word
	Question    float64 // 1 when it asks and states nothing
	Echo        float64 // the share of the question that such a text holds, if .6 or more, 0–1: the question itself, asked before
	NoAnswer    float64 // 1 when it says that it has no answer: "I do not know that, sorry."
	You         float64 // 1 when it speaks to someone
	Wish        float64 // 1 when the user states a standing wish or preference
	Length      float64 // ln(1 + words)/ln(1 + 100), capped at 1
	Governs     float64 // of the user's standing instruction that is nearest to the question, 0–1; see [index.govern]

	// Whether it is the kind of answer that the question asks for.
	Date   float64 // 1 when the question asks when and the text holds a date
	Number float64 // 1 when it asks how many and the text holds a number
	Name   float64 // names in the text / 3 when it asks who, a third of that for which, what or where

	// Other arms.
	Time   float64 // 1 in the time the question names, falling by 1/e in ten days
	Entity float64 // 1 when it mentions an entity the question names

	// The similarity of its vector to the question's, relative to that of the user's
	// other texts; see [VectorOptions].
	Vector       float64 // deviation of the cosine from the usual / 5 standard deviations, 0–2
	VectorBeside float64 // the same of the turns before and after, their mean, −1–1
	VectorAlone  float64 // Vector times the share of the question that no single text holds, 0–2

	// Everyday topics that it shares with the question, or topics related to those;
	// see internal/topics.
	Topic       float64 // how near its topics are, 0–1
	TopicBeside float64 // the same of the turns before and after, their mean, 0–1

	// Of derived memories only.
	Retention  float64 // retention − 1, −1–0
	Confidence float64 // confidence − 1, −1–0
	Importance float64 // importance − ½, −½–½
}

// DefaultWeights were fitted by benchmarks/fit on three sets of real conversations.
// Set by hand are those of Governs, Echo, NoAnswer, Retention, Confidence and Importance,
// for which these sets hold no example, and of Topic and TopicBeside, which were chosen
// with questions that share no word with their answers. That of Time is twice the fitted
// one. Those of vectors are not fitted either: [VectorWeights] replaces them as far as the
// vectors can be trusted. The scale is free; Text is 1.
func DefaultWeights() Weights {
	return Weights{
		Text: 1, Related: 0.57, Phrase: 0.62, Feedback: 0.19,
		Key: 0.45, KeyCoverage: 1, // fitted on one of the sets, the only one with facts
		Before: 0.22, After: 0.27, Window: 0.81, Session: 0.44, SessionCoverage: 0.41,
		Speaker: 0.43, FirstPerson: 0.58, User: 0.99, Asks: -0.32, Echo: -3, NoAnswer: -3, You: -0.12, Wish: 0.44, Length: -0.51, Governs: 1.5,
		Date: 0.64, Number: 0.27, Name: 0.77,
		Time: 1.55, Entity: 0.44,
		Vector: 1, VectorBeside: 0.5,
		Topic: 1, TopicBeside: 0.5,
		Retention: 0.2, Confidence: 0.2, Importance: 0.1,
	}
}

// VectorWeights are the weights for memories with vectors, as far as the vectors can be
// trusted. They were fitted like [DefaultWeights], with a small English encoder and also
// on questions that share no words with their answers. Texts with a high cosine tend
// to be short, so length counts in favour of a text here.
func VectorWeights() Weights {
	return Weights{
		Text: 0.36, Related: 0.64, Phrase: 3.34, Feedback: 0.58,
		Key: 0.45, KeyCoverage: 1,
		Before: -0.16, After: -0.02, Window: 1.55, Session: 0.59, SessionCoverage: 0.9,
		Speaker: 1.06, FirstPerson: 1.49, User: 3.3, Asks: -0.67, Question: -0.58, Echo: -10, NoAnswer: -10, You: -0.29, Wish: 0.99, Length: 1.13, Governs: 3,
		Date: 1.05, Number: 0.82, Name: 1.06,
		Time: 5.5, Entity: -0.11,
		Vector: 4, VectorBeside: 1.79, VectorAlone: 2.8,
		Topic: 1, TopicBeside: 0.5, // as without vectors, not fitted
		Retention: 0.6, Confidence: 0.6, Importance: 0.3,
	}
}

// between interpolates from w to other by a share, 0–1.
func (w Weights) between(other Weights, share float64) Weights {
	if share == 0 {
		return w
	}
	from, to := reflect.ValueOf(&w).Elem(), reflect.ValueOf(&other).Elem()
	for i := range from.NumField() {
		f := from.Field(i)
		f.SetFloat(f.Float() + share*(to.Field(i).Float()-f.Float()))
	}
	return w
}

// signals are the values that the weights multiply, under the same names.
type signals Weights

// weighed appends the signals with their weights.
func (s *signals) weighed(all []Signal, w *Weights) []Signal {
	return append(all, []Signal{
		{"text", s.Text, w.Text},
		{"related", s.Related, w.Related},
		{"phrase", s.Phrase, w.Phrase},
		{"feedback", s.Feedback, w.Feedback},
		{"key", s.Key, w.Key},
		{"key coverage", s.KeyCoverage, w.KeyCoverage},
		{"before", s.Before, w.Before},
		{"after", s.After, w.After},
		{"window", s.Window, w.Window},
		{"session", s.Session, w.Session},
		{"session coverage", s.SessionCoverage, w.SessionCoverage},
		{"speaker", s.Speaker, w.Speaker},
		{"first person", s.FirstPerson, w.FirstPerson},
		{"user", s.User, w.User},
		{"asks", s.Asks, w.Asks},
		{"question", s.Question, w.Question},
		{"echo", s.Echo, w.Echo},
		{"no answer", s.NoAnswer, w.NoAnswer},
		{"you", s.You, w.You},
		{"wish", s.Wish, w.Wish},
		{"length", s.Length, w.Length},
		{"governs", s.Governs, w.Governs},
		{"date", s.Date, w.Date},
		{"number", s.Number, w.Number},
		{"name", s.Name, w.Name},
		{"time", s.Time, w.Time},
		{"entity", s.Entity, w.Entity},
		{"vector", s.Vector, w.Vector},
		{"vector beside", s.VectorBeside, w.VectorBeside},
		{"topic", s.Topic, w.Topic},
		{"topic beside", s.TopicBeside, w.TopicBeside},
		{"vector alone", s.VectorAlone, w.VectorAlone},
		{"retention", s.Retention, w.Retention},
		{"confidence", s.Confidence, w.Confidence},
		{"importance", s.Importance, w.Importance},
	}...)
}

// scored is a candidate with its signals and score.
type scored struct {
	proposal
	doc      uint32
	interest float32 // of the text arm
	echo     bool    // see [index.echoes]
	holds    float64 // share of the question that it holds, 0–1
	alike    float64 // see [similar.alike]
	signals  signals
	score    float64
	lifted   float64  // part of score that it has by its relations
	relevant float64  // its relevance for the scorer, 0–1
	terms    []Signal // of the scorer, if there is one
	passage  passage
	picked   *pick   // by a plan; nil
	least    float64 // relevance to a part of the question, 0–1
}

// rank orders candidates by the sum of their weighted signals; ties go to the
// older. It is a pure function of its arguments.
func rank(candidates []scored, w Weights) {
	var all []Signal
	for i := range candidates {
		all = candidates[i].signals.weighed(all[:0], &w)
		candidates[i].score = odds(all)
	}
	order(candidates, func(c *scored) float64 { return c.score })
}

// order sorts distinct candidates by a value, the largest first; ties go to the older.
// They are large, so it moves each once.
func order(candidates []scored, value func(c *scored) float64) {
	type key struct {
		value float64
		id    int64
		from  int // its place before
	}
	keys := make([]key, len(candidates))
	for i := range candidates {
		keys[i] = key{value(&candidates[i]), candidates[i].memoryID, i}
	}
	slices.SortFunc(keys, func(a, b key) int {
		if a.value != b.value {
			return cmp.Compare(b.value, a.value)
		}
		return cmp.Compare(a.id, b.id)
	})
	for start := range keys { // a cycle of moves
		first, to := candidates[start], start
		for keys[to].from != start {
			from := keys[to].from
			candidates[to], keys[to].from = candidates[from], to
			to = from
		}
		candidates[to], keys[to].from = first, to
	}
}

// derive adds the signals that only derived memories have.
func (s *signals) derive(m *schema.Memory, retention float64) {
	s.Retention = retention - 1
	s.Confidence = m.Confidence - 1
	s.Importance = m.Importance - 0.5
}

func bit(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
