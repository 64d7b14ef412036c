package claims

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/ebbmem/ebb/internal/orders"
	"github.com/ebbmem/ebb/internal/said"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/recall/reconcile"
	"github.com/ebbmem/ebb/schema"
)

// Claim is a fact or a preference to be stored.
type Claim struct {
	// Memory is the claim to be stored, with its owner, text, trust and times, and
	// with subject, predicate and object if they are known ([Label]).
	Memory *schema.Memory
	Chunks []schema.Chunk
	// Evidence lists the memories that support it.
	Evidence []Evidence
	// Reading is the parsed claim. If it is zero, the columns of Memory and the
	// quotes of Evidence are parsed instead.
	Reading said.Claim
	// Outright means that the user stated the claim explicitly. Only then can it
	// end another claim by itself.
	Outright bool
	// Wide also compares the claim's words with those of the newest claims about
	// its subject.
	Wide bool
	// Similar are known claims that are like it, with the policy that decides what
	// becomes of a claim that is neither known nor quarantined. Default nil: it is
	// stored.
	Similar *reconcile.Similar
	// Corrects is the row id of the known claim whose place it takes by request, 0 for
	// none. It counts as stated after that one.
	Corrects int64
	// Location is the time zone of users without their own, in which events of one
	// day are the same. Default UTC.
	Location *time.Location
}

// Evidence is a memory that supports a claim.
type Evidence struct {
	Memory *schema.Memory
	Quote  string
	// Holds means that the memory itself states the claim. Only then does it raise
	// the confidence of a known claim.
	Holds bool
}

// Status is the outcome of adding a claim.
type Status int

// The statuses of a claim.
const (
	Made        Status = iota + 1 // it is new
	Known                         // it was known, and nothing changed
	Surer                         // it was known, and has gained evidence
	Quarantined                   // it is stored and quarantined
	Refused                       // the user asked to forget it and has not said it since, it was undone, or it corrects no known claim
)

// Outcome is the result of adding a claim, with its effect on other claims.
type Outcome struct {
	Status Status
	// Memory is the claim that says it: the new or the known one, which may have been
	// superseded since it was stated. For a refused claim it is the forgotten one, or the
	// refused claim itself, which is not stored.
	Memory *schema.Memory
	// Ended are the claims that it superseded.
	Ended []*schema.Memory
	// Restated is the claim extracted by code from a message that this one replaces
	// in other words, or nil.
	Restated *schema.Memory
	// Used means that a use of a known claim has been counted.
	Used bool
}

// candidate is a stored claim that a new one is compared with.
type candidate struct {
	schema.Memory

	reading  said.Claim
	outright bool
	cited    []schema.Cited
	last     time.Time // when a source of at least its trust last stated it
	in       int64     // row id of that source, else of the claim
}

// addition is a claim that is being added.
type addition struct {
	Claim

	tx      *schema.Tx
	by      schema.Actor
	owner   string
	zone    *time.Location
	hash    string
	reading said.Claim
	near    []*candidate
	close   people // of the person whose claim it is
}

// newest is how many of the newest claims about its subject a wide claim is
// compared with.
const newest = 200

// Add stores a claim about the owner's world. If the claim is known, the known one
// gains its evidence instead. An earlier claim of the same subject and predicate is
// superseded at once if [said.Compare] says that the new one replaces it, the user
// stated the new one explicitly, and the earlier one has no higher trust and is not
// protected. A claim stated before one that replaces it is stored as superseded by
// that one, and a claim that was superseded is known: in which order claims are added
// makes no difference. In less certain cases both stay current.
//
// A claim that the user asked to forget is refused unless it was stated since.
//
// Errors: those of [schema.Tx.InsertMemory]; the database's.
func Add(ctx context.Context, tx *schema.Tx, owner string, c Claim, by schema.Actor) (Outcome, error) {
	a := &addition{Claim: c, tx: tx, by: by, owner: owner, reading: c.Reading, hash: schema.HashContent(c.Memory.Content)}
	if err := a.understand(ctx); err != nil {
		return Outcome{}, err
	}
	if of, err := a.refused(ctx); of != nil || err != nil {
		return Outcome{Status: Refused, Memory: of}, err
	}
	k := a.best()
	aside := c.Memory.State == schema.StateQuarantined
	switch of := a.readBefore(); {
	case k != nil && k.State == schema.StateSuperseded:
		return Outcome{Status: Known, Memory: &k.Memory}, nil
	case k == nil && of != nil:
		return Outcome{Status: Known, Memory: &of.Memory}, nil
	}
	var elaborated *reconcile.Near
	if k == nil && !aside && c.Similar != nil {
		switch verdict, n, of := a.gate(); verdict {
		case reconcile.Skip:
			return Outcome{Status: Known, Memory: &of.Memory}, nil
		case reconcile.Reinforce:
			k = of
		case reconcile.Update:
			elaborated = n
		case reconcile.Create, reconcile.Supersede:
		}
	}
	guarded, err := a.guarded(ctx, k)
	if err != nil {
		return Outcome{}, err
	}
	taken := k != nil && !aside && !guarded && a.takes(k)
	switch {
	case taken:
		a.take(k)
	case k != nil && k.State == schema.StateQuarantined && !aside:
		k = nil // a quarantined claim does not prevent this one
	case k != nil && aside:
		return Outcome{Status: Known, Memory: &k.Memory}, nil
	case k != nil && (c.Memory.Trust <= k.Trust || guarded || k.ContentHash == a.hash):
		return a.strengthen(ctx, k, guarded)
	}
	if err := a.store(ctx); err != nil || aside {
		return Outcome{Status: Quarantined, Memory: c.Memory}, err
	}
	return a.replace(ctx, k, taken, elaborated)
}

// understand parses the claim and reads those that it is compared with.
func (a *addition) understand(ctx context.Context) (err error) {
	m := a.Memory
	if !known(a.reading) && !isLasting(m) { // a sentence is kept for what else it says
		var outright bool
		a.reading, outright = read(m, a.owner, a.quotes(), nil)
		a.Outright = a.Outright || outright
	}
	if m.Subject != "" {
		a.reading.Subject = spoken(m.Subject, a.owner) // "I" is the speaker
	}
	if m.Attributes[schema.AttrTemporal] == schema.TemporalEvent {
		if a.zone, err = schema.Zone(ctx, a.tx, m.UserID, cmp.Or(a.Location, time.UTC)); err != nil {
			return err
		}
	}
	if err := a.setProject(ctx); err != nil {
		return err
	}
	return a.find(ctx)
}

// refused returns the forgotten claim that the new one would restore, or the new one if it may not be
// stored for another reason, else nil.
func (a *addition) refused(ctx context.Context) (*schema.Memory, error) {
	if a.corrects() && !a.resolve() {
		return a.Memory, nil
	}
	if undone, err := a.undone(ctx); err != nil || undone {
		return a.Memory, err
	}
	if k := a.forgotten(); k != nil {
		return &k.Memory, nil
	}
	return nil, nil
}

// readBefore returns another stored reading of a sentence that no pattern parses, or nil.
func (a *addition) readBefore() *candidate {
	for _, k := range a.near {
		if isLasting(a.Memory) && a.sharesSentence(k) && !k.EventTime.Before(a.Memory.EventTime.Time) {
			return k
		}
	}
	return nil
}

// replace ends what the stored claim replaces: k, which says the same, unless that says more, and what
// it contradicts. If k is taken, the claim only has other words.
func (a *addition) replace(ctx context.Context, k *candidate, taken bool, elaborated *reconcile.Near) (Outcome, error) {
	out := Outcome{Status: Made, Memory: a.Memory}
	if k != nil && !a.saysLess(k) { // extracted by code only, or stated by a less trusted source
		if err := a.supersede(ctx, k, a.Memory, &out); err != nil {
			return Outcome{}, err
		}
	}
	err := a.change(ctx, &out)
	if err == nil && elaborated != nil && out.Memory.ID == a.Memory.ID && !out.Replaced(elaborated.Memory) {
		_, err = a.tx.Link(ctx, a.Memory, elaborated.Memory, schema.LinkElaborates, min(1, elaborated.Similarity), a.by)
	}
	if taken { // it has not ended: this one replaces its wording
		out.Ended = slices.DeleteFunc(out.Ended, func(m *schema.Memory) bool { return m.ID == k.ID })
		out.Restated = &k.Memory
	}
	return out, err
}

// saysLess reports whether a known claim of the same meaning holds more than the new one,
// so that both stay: "plays chess by post with Anselm in Graz", "I play chess by post".
func (a *addition) saysLess(k *candidate) bool {
	misses := func(parts, held []string) bool { return shared(parts, held) < len(parts) }
	return misses(text.Terms(k.Object), append(text.Terms(a.Memory.Object), text.Terms(a.Memory.Content)...)) ||
		misses(number.FindAllString(k.Content, -1), number.FindAllString(a.Memory.Content, -1))
}

// gate asks the policy about the claim, and returns what it decided and about which
// known one.
func (a *addition) gate() (reconcile.Verdict, *reconcile.Near, *candidate) {
	var near []reconcile.Near
	known := make(map[int64]*candidate)
	for _, k := range a.near {
		there, back := said.Compare(a.reading, k.reading), said.Compare(k.reading, a.reading)
		n, found := a.Similar.Near(&k.Memory, there == said.Replaces || there == said.Unsure || back == said.Replaces || back == said.Unsure)
		if found && isCurrent(&k.Memory) && !a.happenedApart(k) && !OfOthers(a.reading.Subject, k.reading.Subject) {
			near, known[k.ID] = append(near, n), k
		}
	}
	verdict := a.Similar.Ask(a.Memory, near)
	if len(near) == 0 {
		return reconcile.Create, nil, nil
	}
	return verdict, &near[0], known[near[0].Memory.ID]
}

// quotes returns the claim's evidence in the form that [read] takes.
func (a *addition) quotes() []schema.Cited {
	cited := make([]schema.Cited, len(a.Evidence))
	for i, e := range a.Evidence {
		m := e.Memory
		cited[i] = schema.Cited{SourceID: m.ID, Quote: e.Quote, Origin: m.Origin, Trust: m.Trust, Role: m.Role, Speaker: m.Speaker, Time: m.EventTime}
	}
	return cited
}

// find reads the claims to compare the new one with.
func (a *addition) find(ctx context.Context) error {
	var keys []schema.ClaimKey
	err := a.loadPeople(ctx)
	if err != nil {
		return err
	}
	if a.Wide || known(a.reading) {
		if keys, err = a.tx.ClaimKeys(ctx, a.Memory.UserID); err != nil {
			return err
		}
	}
	var near, sources []int64
	if a.Similar != nil {
		near = a.Similar.IDs()
	}
	left := newest
	for _, k := range keys {
		c := ofKey(k, a.owner)
		switch {
		case a.mayBear(c):
			near = append(near, k.ID)
		case a.Wide && left > 0 && a.reading.Subject != "" && a.reading.Subject == c.Subject:
			near = append(near, k.ID)
			left--
		}
	}
	for _, e := range a.Evidence {
		sources = append(sources, e.Memory.ID)
	}
	found, err := a.tx.ClaimsAlike(ctx, a.Memory.UserID, a.hash, near, sources)
	if err != nil {
		return err
	}
	cited, err := citedBy(ctx, a.tx.Known(), found)
	if err != nil {
		return err
	}
	for i := range found {
		if apart := found[i].Attributes[schema.AttrProject] != a.Memory.Attributes[schema.AttrProject]; apart && found[i].State != schema.StateForgotten && found[i].ID != a.Corrects {
			continue
		}
		k := &candidate{Memory: found[i], last: found[i].EventTime.Time, in: found[i].ID, cited: cited[found[i].ID]}
		for _, c := range k.cited {
			if c.Trust >= k.Trust && !c.Time.Before(k.last) {
				k.last, k.in = c.Time.Time, c.SourceID
			}
		}
		k.reading, k.outright = read(&k.Memory, a.owner, k.cited, a.closeTo(k))
		a.near = append(a.near, k)
	}
	return nil
}

// setProject sets the project of a claim about it: that of the claim it corrects, or of the message
// that states it.
func (a *addition) setProject(ctx context.Context) error {
	project := ""
	if a.Corrects != 0 {
		corrected, err := a.tx.ByID(ctx, a.Memory.UserID, []int64{a.Corrects})
		if err != nil {
			return err
		}
		for i := range corrected {
			project = corrected[i].Attributes[schema.AttrProject]
		}
	}
	for _, e := range a.Evidence {
		if of := e.Memory.Attributes[schema.AttrProject]; project == "" && of != "" && orders.Here(cmp.Or(e.Quote, a.Memory.Content)) {
			project = of
		}
	}
	if project != "" {
		if a.Memory.Attributes == nil {
			a.Memory.Attributes = make(schema.Attributes)
		}
		a.Memory.Attributes[schema.AttrProject] = project
	}
	return nil
}

// mayBear reports whether, by its columns, a claim may repeat, end or be ended by
// the new one.
func (a *addition) mayBear(k said.Claim) bool {
	if !known(a.reading) || k.Predicate == "" {
		return false
	}
	for _, v := range []said.Verdict{said.Compare(a.reading, k), said.Compare(k, a.reading)} {
		if v == said.Same || v == said.Replaces || v == said.Unsure {
			return true
		}
	}
	return a.reading.Subject == k.Subject && alike(a.reading.Object, k.Object) || a.reading.Denied && strings.HasSuffix(k.Subject, " "+a.reading.Predicate)
}

// forgotten returns the claim that the user asked to forget and that the new one
// would restore, or nil.
func (a *addition) forgotten() *candidate {
	for _, k := range a.near {
		if k.State != schema.StateForgotten || !(a.same(k) || a.resembles(k)) {
			continue
		}
		if last, _ := a.lastSaid(); a.Memory.Trust < schema.MaxTrust || !last.After(k.ForgottenAt()) {
			return k
		}
	}
	return nil
}

// lastSaid returns when the claim was last stated, and the row id of its source of
// that time. A claim without one is stated now, after all that is stored.
func (a *addition) lastSaid() (last time.Time, in int64) {
	last = a.Memory.EventTime.Time
	for _, e := range a.Evidence {
		switch c := e.Memory.EventTime.Compare(last); {
		case c > 0:
			last, in = e.Memory.EventTime.Time, e.Memory.ID
		case c == 0:
			in = max(in, e.Memory.ID)
		}
	}
	return last, cmp.Or(in, math.MaxInt64)
}

// corrects reports whether the claim is a correction without a subject: "it's Dr
// Lind, not Dr Rao".
func (a *addition) corrects() bool {
	return (a.reading.Subject == "it" || a.reading.Subject == "she") && a.reading.Ended != ""
}

// resolve finds the claim that a correction refers to, the last one stated, and
// reports whether there is one.
func (a *addition) resolve() bool {
	var of *candidate
	for _, k := range a.near {
		if isCurrent(&k.Memory) && !a.before(k) && said.Compare(a.reading, k.reading) == said.Replaces && (of == nil || k.last.After(of.last)) {
			of = k
		}
	}
	if of == nil {
		return false
	}
	a.reading.Subject, a.reading.Predicate = of.reading.Subject, of.reading.Predicate
	a.Memory.Subject, a.Memory.Predicate, a.Memory.Kind = of.Subject, of.Predicate, of.Kind
	return true
}

// undone reports whether code had extracted the claim from the same message and
// that was undone.
func (a *addition) undone(ctx context.Context) (bool, error) {
	for _, e := range a.Evidence {
		if !e.Memory.OwnWords() {
			continue
		}
		_, state, err := a.tx.RunState(ctx, a.Memory.UserID, RunOf(e.Memory.UID))
		if errors.Is(err, schema.ErrNotFound) || err == nil && state != "undone" {
			continue
		}
		if err != nil {
			return false, err
		}
		for _, c := range new(Reader).understand(schema.Scope{User: a.owner}, e.Memory, a.close.of(a.reading)...).claims {
			if c.Lasting > 0 {
				if overlap(c.Sentence, e.Quote) {
					return true, nil
				}
				continue
			}
			c.Subject = spoken(Stored(c.Subject, a.owner, e.Memory.Speaker), a.owner)
			if like(c, a.reading) || said.Compare(a.reading, c) == said.Same {
				return true, nil
			}
		}
	}
	return false, nil
}

// best returns the stored claim that says the same. It prefers current claims, then
// superseded ones, then the most trusted, then the oldest.
func (a *addition) best() (best *candidate) {
	for _, k := range a.near {
		if k.State == schema.StateForgotten || k.State == schema.StateSuperseded && a.mayHold(k) || !a.same(k) {
			continue
		}
		if best == nil || cmp.Or(cmp.Compare(standing(best), standing(k)), cmp.Compare(k.Trust, best.Trust), cmp.Compare(best.ID, k.ID)) > 0 {
			best = k
		}
	}
	return best
}

// mayHold reports whether the claim may hold although a superseded one says the same:
// it was stated later, is trusted more than what ended that one may be, or takes the
// place of another by request.
func (a *addition) mayHold(superseded *candidate) bool {
	return a.Corrects != 0 || a.Memory.Trust > superseded.Trust || a.compare(superseded) > 0
}

// standing orders known claims by whether they hold.
func standing(k *candidate) int {
	switch k.State {
	case schema.StateSuperseded:
		return 1
	case schema.StateQuarantined:
		return 2
	default:
		return 0
	}
}

// guarded reports whether only a person may change the claim.
func (a *addition) guarded(ctx context.Context, k *candidate) (bool, error) {
	if k == nil || k.Protected || k.Pinned {
		return k != nil, nil
	}
	return a.tx.Night().IsGuarded(ctx, k.ID, false)
}

func (a *addition) store(ctx context.Context) error {
	quotes := make(map[int64]string, len(a.Evidence))
	for _, e := range a.Evidence {
		quotes[e.Memory.ID] = e.Quote
	}
	return a.tx.AddDerived(ctx, a.Memory, a.Chunks, quotes, a.by)
}

// takes reports whether the claim replaces one that code extracted from a message: a
// model or a person has stated it too, in words that can be read alone.
func (a *addition) takes(k *candidate) bool {
	return k.Attributes[schema.AttrSaid] != "" && a.Memory.Attributes[schema.AttrSaid] == "" && a.Memory.Trust >= k.Trust && k.State != schema.StateQuarantined
}

// take copies from k the start of validity, the evidence, and the subject,
// predicate and object if both agree. A plan keeps the later start: code does not resolve
// when it begins.
func (a *addition) take(k *candidate) {
	m := a.Memory
	if k.Predicate != "" {
		m.Subject, m.Predicate, m.Object = k.Subject, k.Predicate, k.Object
		a.reading = k.reading
	}
	if m.Attributes == nil {
		m.Attributes = make(schema.Attributes)
	}
	if temporal := k.Attributes[schema.AttrTemporal]; temporal != "" {
		m.Attributes[schema.AttrTemporal] = temporal
	}
	if m.EventTime = k.EventTime; m.Attributes[schema.AttrTemporal] != schema.TemporalPlan || k.ValidFrom.After(m.ValidFrom.Time) {
		m.ValidFrom = k.ValidFrom
	}
	m.Confidence = max(m.Confidence, k.Confidence)
	for _, c := range k.cited {
		if !slices.ContainsFunc(a.Evidence, func(e Evidence) bool { return e.Memory.ID == c.SourceID }) {
			a.Evidence = append(a.Evidence, Evidence{Memory: &schema.Memory{ID: c.SourceID, EventTime: c.Time}, Quote: c.Quote})
		}
	}
}

// strengthen adds the new claim's evidence to a known one, and its trust if the words
// are the same.
func (a *addition) strengthen(ctx context.Context, k *candidate, guarded bool) (out Outcome, err error) {
	out = Outcome{Status: Known, Memory: &k.Memory}
	was := k.Memory
	for _, e := range a.Evidence {
		m, s := out.Memory, e.Memory
		if e.Holds && k.ContentHash == a.hash && !guarded && (s.Trust > m.Trust || s.Trust == m.Trust && s.OwnWords() && !m.OwnWords()) {
			if err := a.tx.SetTrust(ctx, m, s.Origin, s.Trust, a.by); err != nil {
				return Outcome{}, err
			}
		}
	}
	if out.Memory, out.Used, err = Strengthen(ctx, a.tx, out.Memory, a.Evidence, a.by); err != nil {
		return Outcome{}, err
	}
	if out.Memory.Confidence > was.Confidence || out.Memory.Trust > was.Trust {
		out.Status = Surer
	}
	return out, a.change(ctx, &out)
}

// Strengthen adds evidence to a claim and returns the updated claim. added reports
// whether some of the evidence was new, which counts as a use.
func Strengthen(ctx context.Context, tx *schema.Tx, m *schema.Memory, evidence []Evidence, by schema.Actor) (now *schema.Memory, added bool, err error) {
	for _, e := range evidence {
		if !e.Holds {
			continue
		}
		fresh, err := tx.Reinforce(ctx, m, e.Memory, e.Quote, weight(e.Memory, m), by)
		if err != nil {
			return nil, false, err
		}
		if fresh {
			added = true
			if m, err = tx.Memory(ctx, m.UserID, m.UID); err != nil {
				return nil, false, err
			}
		}
	}
	return m, added, nil
}

// weight returns how much one more source raises a claim's confidence, 0–1, from
// the trust of both. Repetition never makes a claim certain.
func weight(source, known *schema.Memory) float64 {
	room := (known.Trust.MaxConfidence() - known.Confidence) / (schema.EvidenceShare * (1 - min(known.Confidence, 0.999)))
	return max(0, min(float64(source.Trust)/float64(schema.MaxTrust), room))
}
