package claims

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/ebbmem/ebb/internal/grounding"
	"github.com/ebbmem/ebb/internal/intent"
	"github.com/ebbmem/ebb/internal/orders"
	"github.com/ebbmem/ebb/internal/said"
	"github.com/ebbmem/ebb/internal/series"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// Reader extracts explicit claims and requests from users' messages and carries
// them out. It is safe for concurrent use.
type Reader struct {
	DB *schema.DB
	// Find searches the user's memory for the object of a request. It is called
	// outside any transaction.
	Find func(ctx context.Context, owner schema.Scope, about string) ([]schema.Memory, error)
	// Stored is called in the transaction that stores a new claim. Nil: claims are
	// not announced.
	Stored func(ctx context.Context, tx *schema.Tx, owner schema.Scope, m *schema.Memory) error
	// Label, if set, adds attributes to a new claim.
	Label func(m *schema.Memory)
	// OnlyForms disables keeping sentences that no pattern parses but that are likely
	// to stay true.
	OnlyForms bool
	// OnlyRequests disables claims: only requests to keep and to forget are carried out.
	OnlyRequests bool
	// Location is the time zone of users without their own. Nil: UTC.
	Location *time.Location
}

// Confidence is the confidence of a claim that code parsed from a message, which may
// have been meant otherwise.
const Confidence = 0.6

// Values of [schema.AttrSaid], beside [schema.SaidLasting].
const (
	saidClaim = "claim"
	SaidWish  = "wish" // how the assistant should answer
)

// leastLasting is the lowest probability of staying true at which a sentence that no
// pattern parses is kept verbatim as a claim. The claim's confidence is the probability
// times Confidence. Below LikelyLasting it is dormant from the beginning: outside of
// default searches, and in the core section only where there is room.
const leastLasting = 0.05

// LikelyLasting is the probability from which such a sentence is more likely to stay
// true than not.
const LikelyLasting = 0.5

// LeastManner is the lowest probability, see [said.MannerOf], at which a sentence is kept
// as a wish about how to answer. Of 1,200 such messages of nine authors, most of them
// complaints, reasons and habits, patterns parse 4 %; of those left out of the fit, .3 takes
// 36 %, and 80 % of what it takes is one.
const LeastManner = 0.3

// leastChange is leastLasting for a sentence with a word of change: if it is missed, the
// claim that it ends stays.
const leastChange = 0.03

// likelyEnds is the probability, by [intent.Changes], from which a sentence ends something, and so is
// kept however unlikely it is to stay true: "kestrel was renamed to osprey".
const likelyEnds = 0.5

func isLasting(m *schema.Memory) bool { return m.Attributes[schema.AttrSaid] == schema.SaidLasting }

// Likely returns the probability, 0–1, that a claim stays true: 1 unless it is a sentence
// that no pattern parsed and that the user did not ask to keep.
func Likely(m *schema.Memory) float64 {
	if !isLasting(m) || m.Protected {
		return 1
	}
	return min(1, m.Confidence/Confidence)
}

// Limits for one message.
const (
	maxClaims    = 32
	maxLasting   = 4000 // bytes of a message; longer ones are mostly pasted
	maxSentence  = 500  // characters of a claim
	maxSubject   = 60   // tokens of a sentence with those that name its subject
	wholeMessage = 40   // tokens of a message that is kept whole
)

// Message is a user's message with its parsed claims and requests.
type Message struct {
	*schema.Memory

	owner    schema.Scope
	claims   []said.Claim
	requests []said.Request
	found    [][]schema.Memory // by request

	confirmed bool   // the requests are confirmed by an answer
	rated     string // the text whose sentences are rated
	sentences []said.Lasting
}

// Own reports whether m is a message that the user typed and that is neither
// quarantined nor forgotten.
func Own(m *schema.Memory) bool {
	return m.Kind == schema.KindEpisode && m.Role == "user" && m.OwnWords() && m.State == schema.StateActive
}

// understand parses a message, with the people whose names it may contain. Most messages
// yield nothing.
func (r *Reader) understand(owner schema.Scope, m *schema.Memory, known ...said.Person) *Message {
	return r.parse(&Message{Memory: m, owner: owner}, known)
}

func (r *Reader) parse(msg *Message, known []said.Person) *Message {
	m := msg.Memory
	if unstored, surely := said.Unstored(m.Content); unstored {
		if whole := strings.TrimSpace(m.Content); surely {
			msg.requests = []said.Request{{Verb: said.Forget, Sentence: whole, Itself: true}}
		}
		return msg
	}
	msg.requests = said.Requests(m.Content)
	if orders.Task(m.Content) { // by another agent than the user
		msg.requests = slices.DeleteFunc(msg.requests, func(q said.Request) bool { return q.Verb != said.Forget })
		return msg
	}
	msg.withBareKeep()
	if _, pure := series.Bare(m.Content); !pure && said.Feigned(m.Content) && !slices.ContainsFunc(msg.requests, isSure) {
		return msg
	}
	if !r.OnlyRequests || len(msg.requests) > 0 {
		msg.claims = said.Claims(m.Content, maxClaims, known...)
	}
	if !r.OnlyRequests && !r.OnlyForms && len(m.Content) <= maxLasting {
		msg.claims = append(msg.claims, msg.wishes()...)
		msg.claims = append(msg.claims, msg.lasting()...)
		msg.readReading()
	}
	return msg
}

// wishes returns what a message says about how to answer from now on and no pattern
// parses: the sentences that do, or a short message whole.
func (m *Message) wishes() (more []said.Claim) {
	if slices.ContainsFunc(m.claims, func(c said.Claim) bool { return c.Wish }) || slices.ContainsFunc(m.requests, isSure) {
		return nil
	}
	likeliest := 0.0
	for _, s := range said.MannerOf(m.Content) {
		if noWish(s.Sentence) {
			continue
		}
		if likeliest = max(likeliest, s.P); s.P >= LeastManner {
			more = append(more, said.Claim{Sentence: s.Sentence, Temporal: said.State, Lasting: s.P, Wish: true})
		}
	}
	if whole := strings.TrimSpace(m.Content); likeliest >= LeastManner && len(m.claims) == 0 && text.Tokens(whole) <= wholeMessage {
		return []said.Claim{{Sentence: whole, Temporal: said.State, Lasting: likeliest, Wish: true}}
	}
	return more
}

// leastAsked is the least probability of staying true of what reads like a task for the
// assistant: "write it for listening then, numbers spelt out".
const leastAsked = 0.55

// namesAfterColon reports whether a request says in its own sentence what it is about: "Keep this
// for good, I'll ask in years: the deed is in the biscuit tin".
func namesAfterColon(sentence string) bool {
	_, after, _ := strings.Cut(strings.ReplaceAll(sentence, "：", ":"), ":")
	return len(text.Terms(after)) >= leastNamedTerms
}

const leastNamedTerms = 4

// lasting returns the sentences of a message that no pattern parses and that may stay
// true. A short message without a parsed claim is kept whole: of "Sent my soup back, it
// was full of coriander. It's genetic, I checked" the last sentence alone is useless.
func (m *Message) lasting() (more []said.Claim) {
	whole := strings.TrimSpace(m.Content)
	likeliest, asked := 0.0, false
	if m.rated != m.Content { // it may have been redacted since
		m.rated, m.sentences = m.Content, said.LastingOf(m.Content)
		for _, brief := range briefly(m.Content) {
			if !slices.ContainsFunc(m.sentences, func(s said.Lasting) bool { return strings.Contains(s.Sentence, brief.Sentence) }) {
				m.sentences = append(m.sentences, brief)
			}
		}
	}
	for _, s := range m.sentences {
		s.P = likely(s.Sentence, s.P)
		least := leastLasting
		if said.TellsChange(s.Sentence) {
			least = leastChange
		}
		if len(grounding.Endings(s.Sentence)) > 0 || intent.Changes.P(s.Sentence) >= likelyEnds {
			least = 0 // what it ends is kept
		}
		if keepsOther(s.Sentence) {
			asked = true
			continue // what it asks to keep stands in another sentence
		}
		if s.P < least || m.ofText(s.Sentence) || orders.Task(s.Sentence) || s.P < leastAsked && text.IsGeneral(s.Sentence) || slices.ContainsFunc(m.claims, func(c said.Claim) bool { return overlap(c.Sentence, s.Sentence) }) {
			continue
		}
		if slices.ContainsFunc(m.requests, func(q said.Request) bool {
			return q.About == "" && q.Sentence == s.Sentence && !namesAfterColon(s.Sentence) && !pointsElsewhere(s.Sentence) ||
				q.Verb == said.Forget && !q.Loose && strings.Contains(q.Sentence, s.Sentence) ||
				q.Loose && forgets.MatchString(s.Sentence) && strings.Contains(q.Sentence, s.Sentence) // nothing to keep, even if it is not carried out
		}) {
			asked = true
			continue
		}
		likeliest = max(likeliest, s.P)
		more = append(more, said.Claim{Sentence: s.Sentence, Temporal: said.State, Lasting: s.P})
	}
	if len(more) > 0 && len(m.claims) == 0 && !asked && text.Tokens(whole) <= wholeMessage {
		return []said.Claim{{Sentence: whole, Temporal: said.State, Lasting: likeliest}}
	}
	return more
}

// readReading keeps a message that reports a number and little else, "138/87 :)", however unlikely it
// is to matter in months: with others it tells how a quantity developed, see [series]. Two of
// different days are two events, even in the same words.
func (m *Message) readReading() {
	if bare, _ := series.Bare(m.Content); !bare || len(m.requests) > 0 && slices.ContainsFunc(m.requests, isSure) {
		return
	}
	whole := strings.TrimSpace(m.Content)
	for i := range m.claims {
		c := &m.claims[i]
		if c.Lasting == 0 || c.Wish {
			return // a pattern parsed what it says
		}
		if c.Sentence == whole {
			c.Temporal = said.Event
			return
		}
	}
	m.claims = append(m.claims, said.Claim{Sentence: whole, Temporal: said.Event, Lasting: leastLasting})
}

// Says parses a message of owner's. It returns nil if that contains no claim or request
// that would be carried out, whichever names memory knows.
func (r *Reader) Says(owner schema.Scope, m *schema.Memory) *Message {
	if !Own(m) {
		return nil
	}
	msg := r.understand(owner, m)
	if says := msg.dropUnsure(r.OnlyRequests); says || !r.OnlyRequests && len(m.Content) <= maxLasting {
		return msg
	}
	return nil
}

// dropUnsure drops the unsure requests in free words, unless the message says nothing but an order to
// forget, which the host decides about, and reports whether something is to be carried out.
func (m *Message) dropUnsure(onlyRequests bool) bool {
	m.requests = slices.DeleteFunc(m.requests, func(q said.Request) bool {
		return q.Unsure && q.Loose && !(q.Verb == said.Forget && len(m.claims) == 0 && ordersToForget.MatchString(q.Sentence))
	})
	return len(m.requests) > 0 || !onlyRequests && len(m.claims) > 0
}

func isSure(q said.Request) bool { return !q.Unsure }

// Confirmed carries out the unsure requests of a user's message after a sign that they are
// requests: the assistant's answer says that something was forgotten, or it calls a tool
// for it. Other messages change nothing.
//
// Errors: those of [Reader.Read].
func (r *Reader) Confirmed(ctx context.Context, owner schema.Scope, m *schema.Memory) (changes Changes, err error) {
	if !Own(m) {
		return Changes{}, nil
	}
	msg := r.understand(owner, m)
	msg.requests = slices.DeleteFunc(msg.requests, func(q said.Request) bool { return !q.Unsure && !q.Loose })
	states := slices.ContainsFunc(msg.claims, func(c said.Claim) bool { return c.Lasting == 0 || c.Wish }) // "scrap the short answers, I prefer long ones"
	if len(msg.requests) == 0 || states {
		return Changes{}, nil
	}
	for i := range msg.requests {
		msg.requests[i].Unsure = false
	}
	msg.confirmed = true
	return r.carryOut(ctx, msg)
}

// Unstored reports whether a message says that it is not to be stored.
func (m *Message) Unstored() bool {
	return slices.ContainsFunc(m.requests, func(q said.Request) bool { return q.Itself })
}

// leastDone is the probability, by [intent.Done], from which the answer to a request that was carried
// out says so, and so names what was forgotten.
const leastDone = 0.2

// Answered hides an assistant's answer to a forgotten message that said it was not to be
// stored, or the answer that says that what the message asked to forget is forgotten ("Done, I've
// forgotten your salary"), in the run that hid the message.
//
// Errors: those of [Reader.Read].
func (r *Reader) Answered(ctx context.Context, owner schema.Scope, m, answer *schema.Memory) error {
	if m.State != schema.StateForgotten || !m.OwnWords() {
		return nil
	}
	if _, surely := said.Unstored(m.Content); !surely && (intent.Done.P(answer.Content) < leastDone || len(ToForget(m.Content)) == 0) {
		return nil
	}
	_, err := r.carryOut(ctx, &Message{Memory: m, owner: owner}, Request{Verb: said.Forget, Memories: []string{answer.UID}})
	return err
}

// Request is a request in a user's message that the caller, such as a model with a
// tool, has resolved to public ids of memories.
type Request struct {
	Verb     said.Verb
	Memories []string
	// Asked is a request in the message that a model chose the memory for: it counts if the
	// message may mean that.
	Asked *said.Request

	found  []schema.Memory
	answer *schema.Memory // which asked whether that is meant, and the user agreed
}

// Changes describes the changes made by a message.
type Changes struct {
	// Run is the public id of the run to undo, "" if nothing changed.
	Run string
	// Undone means that the run was undone before and is not repeated.
	Undone bool
	// Hidden lists the memories that were forgotten.
	Hidden []schema.Memory
}

// Read carries out a message of owner's in one transaction: its claims, its
// requests to keep and to forget, and meant, requests that the caller resolved. The
// changes form one run of cause [schema.CauseSaid]. If the message was read before,
// only meant is carried out; if its run was undone, nothing is.
//
// Errors: those of the database, of Find and of Stored.
func (r *Reader) Read(ctx context.Context, owner schema.Scope, m *schema.Memory, meant ...Request) (changes Changes, err error) {
	if !Own(m) && len(meant) == 0 {
		return Changes{}, nil
	}
	msg := r.understand(owner, m)
	msg.dropUnsure(r.OnlyRequests)
	return r.carryOut(ctx, msg, meant...)
}

// ReadAll is [Reader.Read] of parsed messages, in order. Those without requests share a
// transaction.
func (r *Reader) ReadAll(ctx context.Context, messages []*Message) error {
	messages, err := r.dropPlain(ctx, messages)
	if err != nil {
		return err
	}
	for len(messages) > 0 {
		if len(messages[0].requests) > 0 {
			if _, err := r.carryOut(ctx, messages[0]); err != nil {
				return err
			}
			messages = messages[1:]
			continue
		}
		var done int
		err = r.DB.Write(ctx, func(ctx context.Context, tx *schema.Tx) error {
			began := time.Now()
			for done = 0; done < len(messages) && len(messages[done].requests) == 0 && (done == 0 || tx.GoesOn(began)); done++ {
				w := &reading{r: r, Message: messages[done], tx: tx, in: tx}
				if err := w.carryOut(ctx, nil, &Changes{}); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		messages = messages[done:]
	}
	return nil
}

func (r *Reader) carryOut(ctx context.Context, msg *Message, meant ...Request) (changes Changes, err error) {
	for _, q := range msg.requests {
		var found []schema.Memory
		if found, err = r.find(ctx, msg.owner, &q); err != nil {
			return Changes{}, err
		}
		msg.found = append(msg.found, found)
	}
	for i := range meant {
		if q := &meant[i]; q.Asked != nil {
			if q.found, err = r.find(ctx, msg.owner, q.Asked); err != nil {
				return Changes{}, err
			}
		}
	}
	err = r.DB.Write(ctx, func(ctx context.Context, tx *schema.Tx) error {
		changes = Changes{}
		w := &reading{r: r, Message: msg, tx: tx, in: tx}
		return w.carryOut(ctx, meant, &changes)
	})
	return changes, err
}

// find searches the user's memory for the object of a request.
func (r *Reader) find(ctx context.Context, owner schema.Scope, q *said.Request) ([]schema.Memory, error) {
	object := q.Object()
	if object == "" || r.Find == nil {
		return nil, nil
	}
	return r.Find(ctx, owner, object)
}

// snapshot is a [schema.Snapshot] or, within a write, a [schema.Tx].
type snapshot interface {
	Known() schema.KnownReads
	Query(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	Row(ctx context.Context, query string, args []any, dest ...any) error
}

// reading is a message that is being carried out.
type reading struct {
	*Message

	r   *Reader
	in  snapshot
	tx  *schema.Tx // in, unless it only reads
	run *run

	made   map[string][]*schema.Memory // claims in the message, new or known, by sentence
	hidden []schema.Memory
}

func (w *reading) carryOut(ctx context.Context, meant []Request, changes *Changes) (err error) {
	// the message, or the whole user, may have been erased since it was read
	user, err := w.tx.KnownUserID(ctx, w.owner)
	var m *schema.Memory
	if err == nil {
		m, err = w.tx.Memory(ctx, user, w.UID)
	}
	if errors.Is(err, schema.ErrNotFound) {
		return nil
	} else if err != nil {
		return err
	}
	w.Memory = m
	if err := w.recognise(ctx); err != nil {
		return err
	}
	if len(w.claims) == 0 && len(w.requests) == 0 && len(meant) == 0 {
		return nil
	}
	uid := RunOf(w.UID)
	if w.run, err = open(ctx, w.tx, w.UserID, uid, schema.CauseSaid, "user"); err != nil {
		return err
	}
	if w.run.undone {
		changes.Undone = true
		return nil
	}
	w.made = make(map[string][]*schema.Memory)
	if (w.run.fresh || w.confirmed) && Own(w.Memory) {
		if w.run.fresh {
			if err := w.claim(ctx); err != nil {
				return err
			}
		}
		for i, q := range w.requests {
			if err := w.request(ctx, q, w.found[i]); err != nil {
				return err
			}
		}
	}
	for _, q := range meant {
		if err := w.meant(ctx, q); err != nil {
			return err
		}
	}
	changes.Hidden = w.hidden
	if len(w.run.outcomes) > 0 || !w.run.fresh {
		changes.Run = uid
	}
	return w.run.close(ctx)
}

// claim stores the message's claims, except those that it asks to forget.
func (w *reading) claim(ctx context.Context) error {
	for _, c := range w.claims {
		for _, q := range w.requests {
			if rest := strings.TrimSpace(strings.Replace(c.Sentence, q.Sentence, "", 1)); q.Unsure && rest != "" {
				c.Sentence = rest // "I live in Kiel. Forget Bonn."
			}
		}
		if slices.ContainsFunc(w.requests, func(q said.Request) bool { return q.Verb == said.Forget && overlap(q.Sentence, c.Sentence) }) {
			continue
		}
		if w.r.OnlyRequests && !slices.ContainsFunc(w.requests, func(q said.Request) bool { return q.Verb == said.Keep && overlap(q.Sentence, c.Sentence) }) {
			continue
		}
		if utf8.RuneCountInString(c.Sentence) > maxSentence || c.Lasting > 0 && !c.Wish && w.namesForgotten(c.Sentence) {
			continue
		}
		sentence := c.Sentence
		if c.Lasting == 0 { // about "him", with the sentence that names him; of the others each sentence stands once
			sentence = grounding.WithSubject(w.Content, sentence, maxSubject)
		}
		held, err := w.add(ctx, w.Memory, sentence, c)
		if err != nil {
			return err
		}
		asked := slices.ContainsFunc(w.requests, func(q said.Request) bool { return overlap(q.Sentence, sentence) })
		if held != nil && isCurrent(held) && c.Lasting == 0 && !asked && saysMore(sentence, held.Content) { // "I'm pregnant. – Since I'm pregnant I can't sleep."
			for _, more := range said.LastingOf(sentence) {
				if more.P < leastLasting {
					continue
				}
				if _, err := w.add(ctx, w.Memory, more.Sentence, said.Claim{Sentence: more.Sentence, Temporal: said.State, Lasting: more.P}); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// saysMore reports whether a sentence says more than a claim that it repeats.
func saysMore(sentence, claim string) bool {
	terms := text.QueryTerms(sentence, 0)
	return len(terms)-shared(terms, text.Terms(claim)) >= leastMore
}

const leastMore = 2

// namesForgotten reports whether a sentence stands before a request that only refers to it:
// "What I said of Ann and the money. Forget that."
func (m *Message) namesForgotten(sentence string) bool {
	return slices.ContainsFunc(m.requests, func(q said.Request) bool {
		return q.Verb == said.Forget && q.About == "" && strings.Index(m.Content, sentence) < strings.Index(m.Content, q.Sentence)
	})
}

func overlap(a, b string) bool {
	return a != "" && b != "" && (strings.Contains(a, b) || strings.Contains(b, a))
}

// add stores the claim of a sentence.
func (w *reading) add(ctx context.Context, from *schema.Memory, sentence string, c said.Claim) (*schema.Memory, error) {
	m := claimOf(w.owner.User, from, sentence, c)
	if w.r.Label != nil {
		w.r.Label(m)
	}
	out, err := Add(ctx, w.tx, w.owner.User, Claim{
		Memory: m, Chunks: schema.PrepareChunks(m.Content, ""), Reading: c, Outright: c.Lasting == 0,
		Evidence: []Evidence{{Memory: from, Quote: sentence, Holds: true}}, Location: w.r.Location,
	}, w.run.by)
	if err != nil || out.Status == Refused {
		return nil, err
	}
	if out.Status == Made {
		w.run.did("add_"+string(m.Kind), m)
		if w.r.Stored != nil {
			if err := w.r.Stored(ctx, w.tx, w.owner, m); err != nil {
				return nil, err
			}
		}
	} else if out.Used {
		w.run.did("reinforce", out.Memory)
	}
	for _, ended := range out.Ended {
		w.run.did("supersede", ended)
	}
	w.made[sentence] = append(w.made[sentence], out.Memory)
	return out.Memory, nil
}
