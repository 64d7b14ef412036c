package recall

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/ebbmem/ebb/internal/topics"
	"github.com/ebbmem/ebb/recall/background"
	"github.com/ebbmem/ebb/recall/diverse"
	"github.com/ebbmem/ebb/recall/planner"
	"github.com/ebbmem/ebb/recall/retention"
	"github.com/ebbmem/ebb/recall/together"
	"github.com/ebbmem/ebb/recall/users"
	"github.com/ebbmem/ebb/schema"
)

// Options say how a [Searcher] ranks. The zero value is the default.
type Options struct {
	// Weights of the ranker. Default [DefaultWeights] and, as far as there are
	// vectors that can be trusted, [VectorWeights].
	Weights *Weights
	// Scorer gives the score that results are ordered by. Default nil: the
	// ranker's own, the sum of its weighted signals.
	Scorer Scorer
	// CandidateFactor is how many candidates a Scorer orders per requested result:
	// the most relevant, and then as many again. With 1, relevance decides which
	// candidates are returned and the Scorer decides their order. Default 0: the
	// Scorer orders all candidates it scores ([ScoreDepth]).
	CandidateFactor float64
	// Rerank reorders the best results. Default nil: it does not.
	Rerank Reranker
	// Retention computes how memories fade. Default nil: [retention.Default].
	Retention retention.Policy
	// Vectors say how the vector arm works. Default: there is none.
	Vectors VectorOptions
	// Planner takes questions apart before they are searched for. What it does wrong is
	// reported as [Degraded]; the question itself is always searched for. Default nil:
	// nothing else is.
	Planner planner.Func
}

// Searcher finds memories. It is safe for concurrent use and only reads. It caches
// the text indexes of the users searched last.
type Searcher struct {
	degraded *users.Degradations

	db              *schema.DB
	opts            Options
	weights         Weights
	meanings        Weights // where there are vectors
	scorer          Scorer  // nil: the ranker's order
	candidateFactor float64
	retention       retention.Policy
	arms            []Arm
	indexes         *indexes
	vectors         *vectorArm // nil without an embedder
	background      *background.Reads
	shown           together.Cache
}

// New makes a searcher over db.
func New(db *schema.DB, opts Options) *Searcher {
	bg := background.New()
	s := &Searcher{
		db: db, opts: opts, weights: DefaultWeights(), meanings: VectorWeights(), scorer: opts.Scorer, candidateFactor: opts.CandidateFactor, retention: opts.Retention,
		indexes: newIndexes(db, bg), background: bg, degraded: users.NewDegradations(),
	}
	if opts.Weights != nil {
		s.weights, s.meanings = *opts.Weights, *opts.Weights
	}
	if s.scorer != nil {
		for _, w := range []*Weights{&s.weights, &s.meanings} {
			w.Retention, w.Importance = 0, 0 // the scorer weighs them
		}
	}
	s.arms = []Arm{textArm{}, timeArm{}, entityArm{}, instructionArm{}}
	if s.usesThemes() {
		s.arms = append(s.arms, themeArm{})
		// Loading takes some 45 ms once in a process. Neither searches nor Close wait
		// for it.
		go topics.Load()
	}
	if s.vectors = newVectorArm(db, opts.Vectors, bg); s.vectors != nil {
		s.arms = append(s.arms, s.vectors)
		s.indexes.removed = s.vectors.sets.forget
	}
	return s
}

// usesThemes reports whether everyday topics count in the ranking.
func (s *Searcher) usesThemes() bool { return s.weights.Topic != 0 || s.weights.TopicBeside != 0 }

// Close stops the background reads and waits for them. The searcher can still
// search. Closing again has no effect.
func (s *Searcher) Close() { s.background.Stop() }

// Over returns a Searcher with the same options on db, or nil if s is nil.
func (s *Searcher) Over(db *schema.DB) *Searcher {
	if s == nil {
		return nil
	}
	return New(db, s.opts)
}

// Search answers a query from one user's memory, in the stages that the package lists.
// It never writes. The answer for an unknown user is empty.
//
// Errors: [*schema.InvalidError] for an invalid scope or query, the database's
// errors, the context's error. An arm that fails is reported in [Answer.Degraded]
// instead.
func (s *Searcher) Search(ctx context.Context, scope schema.Scope, q Query) (*Answer, error) {
	if err := s.complete(scope, &q); err != nil {
		return nil, err
	}
	wide := q
	if s.opts.Rerank != nil {
		wide.Limit, wide.Budget = max(q.Limit, RerankDepth), 0
	}
	answer, userID, err := s.search(ctx, scope, wide)
	if err == nil && s.opts.Rerank != nil {
		err = s.rerank(ctx, q, answer)
	}
	if err != nil {
		return nil, err
	}
	s.noteDegraded(userID, answer.Degraded)
	return answer, nil
}

// search is Search for a query with its defaults, without a [Reranker].
func (s *Searcher) search(ctx context.Context, scope schema.Scope, q Query) (answer *Answer, userID int64, err error) {
	s.embed(ctx, scope, &q)
	defer q.meaning.done()
	answer = &Answer{Query: q.Text, Planned: q.divided}
	err = s.db.Read(ctx, func(ctx context.Context, snap *schema.Snapshot) (err error) {
		userID, err = snap.UserID(ctx, scope)
		if err != nil || userID == 0 {
			return err
		}
		first, err := s.indexes.startsPartly(ctx, snap, userID)
		if err != nil {
			return err
		}
		if first && !q.Wait {
			defer s.background.Begin()()
		}
		ranked, err := s.rank(ctx, snap, userID, q)
		if err != nil {
			return err
		}
		answer.Note, answer.Order = ranked.note, ranked.order
		answer.Degraded, answer.Considered = ranked.degraded, len(ranked.candidates)+len(ranked.weak)
		results, err := s.read(ctx, snap, userID, q, ranked)
		if err != nil {
			return err
		}
		answer.Results = cut(results, q)
		if len(ranked.faded) > 0 {
			ranked.candidates = ranked.faded
			if results, err = s.read(ctx, snap, userID, q, ranked); err != nil {
				return err
			}
			answer.Results = append(answer.Results, cut(results, q)...)
		}
		answer.Relevance, answer.Grounds = ranked.topic.judge(answer.Results)
		var ids []int64
		for i := range answer.Results {
			answer.Results[i].Rank = i + 1
			ids = append(ids, answer.Results[i].Memory.ID)
		}
		if q.AsOf.IsZero() && (q.Plan == nil || len(q.Plan.Spans) == 0) {
			answer.Ended, err = snap.EndedClaims(ctx, userID, ids)
		}
		return err
	})
	return answer, userID, cmp.Or(err, q.skipFault.get())
}

// complete validates a query and fills in its defaults.
func (s *Searcher) complete(scope schema.Scope, q *Query) error {
	if err := scope.Validate(); err != nil {
		return err
	}
	if strings.TrimSpace(q.Text) == "" {
		return &schema.InvalidError{Field: "query", Reason: "is empty; say what to look for"}
	}
	if err := q.Validate(); err != nil {
		return err
	}
	if q.Now.IsZero() {
		q.Now = s.db.Now()
	}
	s.takeApart(q)
	q.Limit = cmp.Or(q.Limit, DefaultLimit)
	q.picks = q.Limit
	if skip := q.Skip; skip != nil {
		q.skipFault = new(skipFault)
		q.Skip = func(m *schema.Memory) bool { return q.skipFault.call(skip, m) }
	}
	return nil
}

// skipFault holds the panic of a query's Skip as an error. The search returns the
// error after its goroutines have ended and its locks are released.
type skipFault struct{ err atomic.Pointer[error] }

func (f *skipFault) call(skip func(*schema.Memory) bool, m *schema.Memory) (skipped bool) {
	defer func() {
		if r := recover(); r != nil {
			err := schema.ForeignPanic("Query.Skip", r)
			f.err.Store(&err)
			skipped = true
		}
	}()
	return skip(m)
}

func (f *skipFault) get() error {
	if f == nil || f.err.Load() == nil {
		return nil
	}
	return *f.err.Load()
}

// ranked holds all candidates in order, before limit, diversity and budget.
type ranked struct {
	candidates []scored
	weak       []scored // not relevant enough for the scorer
	faded      []scored // dormant ones, which rank after all others
	derived    map[int64]*schema.Memory
	degraded   []Degraded
	topic      *topic
	weights    Weights
	note       string
	order      string // what the plan that changed the order is about
	relevant   bool   // by its words alone, the question is likely about what the memory holds
}

// rank calls order and returns its panic as an error.
func (s *Searcher) rank(ctx context.Context, snap *schema.Snapshot, userID int64, q Query) (all *ranked, err error) {
	if broken := schema.Guard(func() {
		if all, err = s.order(ctx, snap, userID, q); err == nil {
			err = s.addParts(ctx, snap, userID, q, all)
		}
	}); broken != nil {
		return nil, broken
	}
	return all, err
}

// order ranks the candidates: arms → score → relations → rescore → ration → plan.
func (s *Searcher) order(ctx context.Context, snap *schema.Snapshot, userID int64, q Query) (*ranked, error) {
	ix, err := s.indexes.current(ctx, snap, userID, q.Wait)
	if err != nil {
		return nil, err
	}
	defer ix.mu.RUnlock()
	filter, err := newFilter(ctx, snap, ix.index, userID, q)
	if err != nil {
		return nil, err
	}
	m := borrow(ix.index)
	defer func() {
		if r := recover(); r != nil {
			panic(r) // m may be inconsistent: no other search gets it
		}
		m.release()
	}()
	r := &Request{
		Query: q, UserID: userID, Snapshot: snap,
		index: ix.index, question: ix.understand(q.Text, q.Now), filter: filter, matches: m,
	}
	if err := r.addTalk(ctx); err != nil {
		return nil, err
	}
	if s.usesThemes() {
		r.themes = ix.themes.Ask(q.Text)
	}
	rankings, degraded := s.ask(ctx, r)
	if ix.skipped > 0 {
		degraded = append(degraded, Degraded{"text", ix.unread()})
	}
	defer r.similar.done()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	all, err := s.score(ctx, r, union(rankings))
	if err != nil {
		return nil, err
	}
	all.degraded = degraded
	if all.candidates, err = r.follow(ctx, all.candidates); err != nil {
		all.degraded = append(all.degraded, Degraded{"links", err.Error()})
	}
	if s.scorer != nil {
		if all.candidates, all.weak, err = s.rescore(ctx, snap, userID, q, r.similar, all.candidates); err != nil {
			return nil, err
		}
	}
	if q.Faded && !q.Dormant {
		all.setFadedAside(ix.index)
	}
	all.candidates = diverse.Ration(all.candidates, func(c *scored) bool { return !ix.meta[c.doc].said() })
	if q.Plan.Active() {
		all.relevant = s.aboutMemory(all)
		if err := r.applyPlan(ctx, all); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// score computes the signals of the proposed memories and ranks them.
func (s *Searcher) score(ctx context.Context, r *Request, proposed []proposal) (*ranked, error) {
	ix := r.index
	candidates := r.matches.signal(ix, r.question, proposed)
	trust := r.similar.signal(ix, r.Text, candidates)
	r.signalThemes(candidates)
	derived, err := readDerived(ctx, r.Snapshot, r.UserID, ix, candidates)
	if err != nil {
		return nil, err
	}
	for i := range candidates {
		if memory := derived[candidates[i].memoryID]; memory != nil {
			candidates[i].signals.derive(memory, s.retention.Of(memory, r.Now))
		}
	}
	weights := s.weights.between(s.meanings, trust)
	rank(candidates, weights)
	candidates = ix.govern(candidates, weights, trust > 0)
	topic := newTopic(ix, r.matches, r.question, candidates)
	topic.vectors = trust
	return &ranked{candidates: candidates, derived: derived, topic: topic, weights: weights}, nil
}

// setFadedAside moves the dormant candidates to those that rank after all others.
func (all *ranked) setFadedAside(ix *index) {
	all.candidates = slices.DeleteFunc(all.candidates, func(c scored) bool {
		dormant := ix.meta[c.doc].state == dormantBit
		if dormant {
			all.faded = append(all.faded, c)
		}
		return dormant
	})
}

// aboutMemory reports whether, by its words alone, the question is likely about what the memory
// holds.
func (s *Searcher) aboutMemory(all *ranked) bool {
	best := make([]Result, min(len(all.candidates), topicDepth))
	for i := range best {
		best[i] = s.result(&all.candidates[i], new(schema.Memory), &all.weights)
	}
	about, _ := all.topic.judge(best)
	return about >= aboutIt
}

// ask runs the arms concurrently. The first, which has the most to do, runs in the
// calling goroutine.
func (s *Searcher) ask(ctx context.Context, r *Request) ([]ranking, []Degraded) {
	rankings := make([]ranking, len(s.arms))
	errs := make([]error, len(s.arms))
	var wg sync.WaitGroup
	for i, arm := range slices.Backward(s.arms) {
		rankings[i] = ranking{arm: arm.Name()}
		propose := func() {
			if err := schema.Guard(func() { rankings[i].candidates, errs[i] = arm.Candidates(ctx, r) }); err != nil {
				errs[i] = err
			}
		}
		if i > 0 {
			wg.Go(propose)
		} else {
			propose()
		}
	}
	wg.Wait()
	var degraded []Degraded
	for i, err := range errs {
		if err != nil {
			rankings[i].candidates = nil
			degraded = append(degraded, Degraded{Arm: rankings[i].arm, Reason: err.Error()})
		}
	}
	return rankings, degraded
}

// readDerived reads the candidates that fade or carry a confidence.
func readDerived(ctx context.Context, snap *schema.Snapshot, userID int64, ix *index, candidates []scored) (map[int64]*schema.Memory, error) {
	var ids []int64
	for i := range candidates {
		if c := &candidates[i]; !ix.meta[c.doc].said() {
			ids = append(ids, c.memoryID)
		}
	}
	return readByID(ctx, snap, userID, ids)
}

// readByID reads memories into a map by id.
func readByID(ctx context.Context, snap *schema.Snapshot, userID int64, ids []int64) (map[int64]*schema.Memory, error) {
	memories, err := snap.MemoriesByID(ctx, userID, ids)
	if err != nil {
		return nil, err
	}
	byID := make(map[int64]*schema.Memory, len(memories))
	for i := range memories {
		byID[memories[i].ID] = &memories[i]
	}
	return byID, nil
}

// read fetches the memories that the answer needs, in order of rank, and drops
// those that the query's Agent, AsOf or Skip excludes. A repetition of a speaker's text above
// it moves to the end; a claim by a claim of the same sentence is dropped. So is a kept sentence if
// its message is in the answer.
func (s *Searcher) read(ctx context.Context, snap *schema.Snapshot, userID int64, q Query, all *ranked) ([]Result, error) {
	want := q.Limit
	if q.Diversity > 0 || q.Budget > 0 {
		want = 3 * q.Limit // spare results replace those that are dropped
	}
	left := all.candidates
	results := make([]Result, 0, min(want, len(left)))
	said := sayings{known: make(map[schema.Saying]bool, 3*min(want, len(left)))}
	var repeated []Result // the text of one above
	for len(left) > 0 && len(results) < want {
		batch := left[:min(len(left), want-len(results))]
		left = left[len(batch):]
		var ids []int64
		for _, c := range batch {
			if all.derived[c.memoryID] == nil {
				ids = append(ids, c.memoryID)
			}
		}
		episodes, err := readByID(ctx, snap, userID, ids)
		if err != nil {
			return nil, err
		}
		for _, c := range batch {
			m := episodes[c.memoryID]
			if m == nil {
				m = all.derived[c.memoryID]
			}
			if m == nil {
				continue
			}
			switch q.excludes(m) {
			case "":
				again, same := false, false
				if !isKeptSentence(m) {
					again, same = said.add(m)
				}
				switch {
				case same:
				case again:
					repeated = append(repeated, s.result(&c, m, &all.weights))
				default:
					results = append(results, s.result(&c, m, &all.weights))
				}
			case "skip":
				all.topic.forget(m, &c)
			}
		}
	}
	results = slices.DeleteFunc(results, func(r Result) bool { return isKeptSentence(&r.Memory) && said.hold(&r.Memory) })
	return append(results, repeated[:min(len(repeated), want-len(results))]...), nil
}

// sayings are the texts of an answer's results.
type sayings struct {
	known map[schema.Saying]bool // with the time and the speaker, with either
	texts []schema.Saying
}

// add adds a memory. again reports a text that its speaker, or for a claim somebody at the same time,
// says above it. A claim of the same sentence as another is the same and is not added.
func (s *sayings) add(m *schema.Memory) (again, same bool) {
	says, claim := m.Saying(), m.Kind != schema.KindEpisode
	ofOne := schema.Saying{Text: says.Text, Speaker: says.Speaker}
	atOnce, sentence := schema.Saying{Text: says.Text, At: says.At}, says
	sentence.Speaker = "" // one may state two things, of several people
	if claim && s.known[sentence] {
		return false, true
	}
	again = s.known[ofOne] || claim && s.known[atOnce]
	s.known[ofOne], s.known[atOnce], s.known[sentence] = true, true, true
	s.texts = append(s.texts, says)
	return again, false
}

// hold reports whether a kept sentence is part of one of the texts.
func (s *sayings) hold(sentence *schema.Memory) bool {
	says := sentence.Saying()
	return slices.ContainsFunc(s.texts, func(t schema.Saying) bool { return says.IsOf(&t) })
}

// isKeptSentence reports a memory that is a sentence of a message, kept verbatim.
func isKeptSentence(m *schema.Memory) bool {
	return m.Attributes[schema.AttrSaid] == schema.SaidLasting
}

// excludes names the field of the query that excludes a memory, "" for none.
func (q *Query) excludes(m *schema.Memory) string {
	switch {
	case q.Agent != "" && m.Agent != q.Agent:
		return "agent"
	case !q.AsOf.IsZero() && !m.HeldAt(q.AsOf.Valid, q.AsOf.Known): // in the present, its state has decided
		return "as of"
	case q.Skip != nil && q.Skip(m):
		return "skip"
	}
	return ""
}

// cut runs diversify → ration → budget → limit and numbers the results. Ration runs
// again because diversify may move derived memories up.
func cut(results []Result, q Query) []Result {
	first := 0 // what a plan ranks first stays there
	for first < len(results) && results[first].Why != "" {
		first++
	}
	rest := diversify(results[first:], q.Diversity)
	if q.Diversity > 0 {
		rest = diverse.Ration(rest, func(r *Result) bool { return r.Memory.Kind != schema.KindEpisode })
	}
	results = append(results[:first:first], rest...)
	results = withinBudget(results, q.Budget)
	results = results[:min(len(results), q.Limit)]
	for i := range results {
		results[i].Rank = i + 1
	}
	return results
}
