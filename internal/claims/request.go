package claims

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/ebbmem/ebb/internal/intent"
	"github.com/ebbmem/ebb/internal/names"
	"github.com/ebbmem/ebb/internal/prefilter"
	"github.com/ebbmem/ebb/internal/said"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// ProposalForget is the kind of proposals to forget something that code cannot
// identify or may not hide without the host. The payload is a [Forgetting] as JSON.
const ProposalForget = "forget"

// Forgetting is the payload of a [ProposalForget]: the public id of the user's message
// that requests it, or of the memory that a model wanted to hide.
type Forgetting struct {
	Message string `json:"message,omitempty"`
	Memory  string `json:"memory_id,omitempty"`
}

// Limits of a request.
const (
	claimsRead  = 2000 // the newest claims searched for the object of a request
	mostBefore  = 12   // preceding messages searched if a message only refers to them
	maxKept     = 3    // claims that words alone may protect
	maxHidden   = 30   // claims or messages that words alone may hide; more are a whole subject
	vagueHidden = 3    // claims that a single common word may hide
)

// request carries out one request of the message.
func (w *reading) request(ctx context.Context, q said.Request, found []schema.Memory) error {
	if q.Verb == said.Keep {
		return w.keep(ctx, q)
	}
	if listed, err := w.ofList(ctx, &q); listed || err != nil {
		return err
	}
	each, err := w.each(ctx, q.About, found)
	if err != nil {
		return err
	}
	if len(each) < 2 || q.Loose {
		return w.forget(ctx, q, found)
	}
	for _, q.About = range each {
		if err := w.forget(ctx, q, found); err != nil {
			return err
		}
	}
	return nil
}

// ofList reports whether a request is of a list and not of the memory: it names what the assistant has
// just put on one or taken off it, and does not surely ask to forget. "Forget the milk." after "Removed milk
// from the shopping list." is not of an allergy.
func (w *reading) ofList(ctx context.Context, q *said.Request) (bool, error) {
	terms := telling(q.Object())
	if len(terms) == 0 || q.Itself || q.Back || intent.Forget.P(q.Sentence) >= surelyOfMemory {
		return false, nil
	}
	earlier, err := w.in.Known().Before(ctx, w.Memory, 1)
	return err == nil && len(earlier) > 0 && earlier[0].Role == "assistant" && lists.MatchString(earlier[0].Content) && (&targets{terms: terms}).holds(&earlier[0]), err
}

// surelyOfMemory is the probability, by [intent.Forget], from which a request is of the memory although
// the assistant has just spoken of a list.
const surelyOfMemory = 0.5

// lists matches what an assistant keeps for its user beside the memory.
var lists = prefilter.New(`(?i)\b(?:lists?|cart|basket|reminders?|timers?|alarms?|calendar|playlist|to-?dos?)\b`,
	`(?i)(?:liste|zettel|warenkorb|erinnerung|wecker|kalender)\b`, `(?i)(?:^|[^\pL])(?:listas?|carrito|recordatorios?|alarmas?|calendario|agenda)(?:[^\pL]|$)`, `清单|清單|列表|购物车|購物車|提醒|日历|日曆|闹钟`)

// each returns the clauses of a request that is of several people, "that Tom drinks and Anna is in debt", or
// the names of one that lists several, "Tom and Anna", if one of them is spoken of
// without the others; else they may name one thing: "Marks and Spencer".
func (w *reading) each(ctx context.Context, about string, found []schema.Memory) ([]string, error) {
	listed := namesIn(about)
	if len(listed) < 2 {
		return clausesIn(about), nil
	}
	all, err := w.claimed(ctx)
	var together bool
	apart := make(map[string]bool) // spoken of without another of them
	for _, m := range slices.Concat(all, found) {
		if m.ID == w.ID {
			continue
		}
		together = together || strings.Contains(text.Fold(m.Content), text.Fold(about))
		holds := func(name string) bool { return (&targets{terms: text.QueryTerms(name, 0)}).holds(&m) }
		if slices.ContainsFunc(listed, func(name string) bool { return !holds(name) }) {
			for _, name := range listed {
				apart[name] = apart[name] || holds(name)
			}
		}
	}
	surname := func(name string) bool { return !apart[name] && !names.IsGiven(text.Fold(name)) } // "Simon and Garfunkel"
	if !slices.Contains(slices.Collect(maps.Values(apart)), true) || together && slices.ContainsFunc(listed, surname) {
		return nil, err
	}
	return listed, err
}

// namesIn returns the names of a text that consists of several names and nothing else.
func namesIn(s string) (listed []string) {
	for _, name := range betweenNames.Split(s, -1) {
		name = strings.TrimSpace(name)
		if !names.IsGiven(text.Fold(name)) && !nickname.MatchString(name) && !slices.ContainsFunc(text.Mentions(name), func(m text.Mention) bool { return m.Type == text.MentionName && m.Text == name }) {
			return nil
		}
		listed = append(listed, name)
	}
	return listed
}

// nickname matches what people are called in Chinese: 小李, 老王, 阿梅.
var nickname = regexp.MustCompile(`^[小老阿]\p{Han}$`)

// clausesIn returns the clauses of a text if each begins with somebody else's name, and says something of them.
func clausesIn(s string) (clauses []string) {
	var named []string
	for _, p := range partsOf(s) {
		clause := leading.ReplaceAllString(p.text, "")
		words := strings.Fields(clause)
		at := slices.IndexFunc(words[:min(subjectWords, len(words))], func(w string) bool { return names.IsGiven(text.Fold(w)) })
		if at < 0 || at+1 == len(words) || slices.Contains(named, words[at]) {
			return nil
		}
		named, clauses = append(named, words[at]), append(clauses, clause)
	}
	return clauses
}

// betweenNames matches what joins names in a list.
var betweenNames = regexp.MustCompile(`\s*[,，、]\s*(?:(?:and|und|y)\s+)?|\s+(?:and|und|y|&)\s+|\s*[和跟与]\s*`)

// keep protects the object of a request, and stores it first if it is not known.
func (w *reading) keep(ctx context.Context, q said.Request) error {
	targets := w.madeIn(q.Sentence)
	if len(targets) == 0 && q.About != "" {
		named, err := w.named(ctx, q.About)
		if err != nil {
			return err
		}
		if current := slices.DeleteFunc(named.claims, func(m schema.Memory) bool { return !isCurrent(&m) }); len(current) <= maxKept {
			for i := range current {
				targets = append(targets, &current[i])
			}
		}
	}
	if len(targets) == 0 && q.About == "" {
		targets = w.madeBefore(q.Sentence)
	}
	if len(targets) == 0 {
		from, sentence := w.Memory, q.Sentence
		if q.About == "" && w.onlyAsks() {
			previous, err := w.previous(ctx)
			if err != nil || len(previous) == 0 {
				return err
			}
			from = &previous[0]
			sentence = from.Content
			rest, err := w.tx.Resting(ctx, w.UserID, []int64{from.ID})
			if err != nil {
				return err
			}
			for i := range rest {
				if isCurrent(&rest[i]) {
					targets = append(targets, &rest[i])
				}
			}
		} else if q.About == "" {
			sentence = strings.TrimSpace(strings.Replace(w.Content, q.Sentence, "", 1))
		}
		if len(targets) == 0 {
			kept, err := w.add(ctx, from, truncated(sentence), said.Claim{})
			if err != nil || kept == nil {
				return err
			}
			targets = append(targets, kept)
		}
	}
	for _, m := range targets {
		if err := w.protect(ctx, m); err != nil {
			return err
		}
	}
	return nil
}

// truncated shortens a text to the length of a claim.
func truncated(s string) string {
	if runes := []rune(s); len(runes) > maxSentence {
		return string(runes[:maxSentence])
	}
	return s
}

// madeIn returns the claims of a sentence of the message; "" is any sentence.
func (w *reading) madeIn(sentence string) (made []*schema.Memory) {
	for s, claims := range w.made {
		if sentence == "" || overlap(s, sentence) {
			made = append(made, claims...)
		}
	}
	slices.SortFunc(made, func(a, b *schema.Memory) int { return int(a.ID - b.ID) })
	return slices.CompactFunc(made, func(a, b *schema.Memory) bool { return a.ID == b.ID })
}

func (w *reading) protect(ctx context.Context, m *schema.Memory) error {
	fresh, err := w.tx.Memory(ctx, w.UserID, m.UID)
	if err != nil || fresh.Protected || !isCurrent(fresh) {
		return err
	}
	if err := w.tx.Protect(ctx, fresh, w.run.by); err != nil {
		return err
	}
	w.run.did("protect", fresh)
	return nil
}

// isCurrent reports whether a claim holds now.
func isCurrent(m *schema.Memory) bool {
	return m.Kind != schema.KindEpisode && (m.State == schema.StateActive || m.State == schema.StateDormant) && m.ValidUntil.IsZero()
}

// onlyAsks reports whether a message contains only requests and courtesies, so that it
// refers to earlier messages.
func (w *reading) onlyAsks() bool {
	rest := w.Content
	for _, q := range w.requests {
		rest = strings.Replace(rest, q.Sentence, " ", 1)
	}
	return text.IsSmallTalk(rest) || len(text.QueryTerms(rest, 0)) == 0
}

// previous returns the exchange before the message: the user's last message, then the
// answer to it; none if somebody else has spoken last.
func (w *reading) previous(ctx context.Context) (exchange []schema.Memory, err error) {
	earlier, err := w.in.Known().Before(ctx, w.Memory, mostBefore)
	if err != nil {
		return nil, err
	}
	last := slices.IndexFunc(earlier, func(m schema.Memory) bool { return m.Role == "user" })
	if last < 0 || !Own(&earlier[last]) || !w.speaks(earlier[last].Speaker) {
		return nil, nil
	}
	exchange = []schema.Memory{earlier[last]}
	for _, m := range earlier[:last] {
		if m.State == schema.StateActive {
			exchange = append(exchange, m)
		}
	}
	return exchange, nil
}

// forget hides what a request names or points at, and the requesting message. If that is
// ambiguous, it makes a proposal to the host.
func (w *reading) forget(ctx context.Context, q said.Request, found []schema.Memory) error {
	if of := wishOf(q.About); of.named && of.wanted != "" {
		q.About = of.wanted
	}
	found, err := w.withoutOthers(ctx, found)
	if err != nil {
		return err
	}
	t, err := w.targetsOf(ctx, &q, found)
	if err != nil {
		return err
	}
	switch asked := wishOf(w.Content); {
	case t.spare(&asked):
		t.pointed = t.pointed && len(t.claims)+len(t.episodes) > 0
	case asked.excepts:
		q.Unsure = true // what it excepts may stand in other words among what it means
	}
	switch {
	case !t.clear():
		return w.propose(ctx, "the user asked to forget something, and nothing that is remembered is clearly meant")
	case q.Unsure || q.Loose && !w.confirmed && !forgets.MatchString(w.Content):
		return w.propose(ctx, "the user may have asked to forget something")
	}
	if t.request = q.Sentence; !q.Loose {
		t.object = q.About
	}
	t.episodes = append(t.episodes, *w.Memory)
	if w.confirmed {
		if err := w.tx.EndProposals(ctx, w.UserID, ProposalForget, Forgetting{Message: w.UID}, w.run.by); err != nil {
			return err
		}
	}
	return w.hide(ctx, &t)
}

// propose asks the host what the message means.
func (w *reading) propose(ctx context.Context, reason string) error {
	_, added, err := w.tx.Propose(ctx, w.UserID, ProposalForget, Forgetting{Message: w.UID}, reason, w.run.by)
	if err == nil && added {
		w.run.outcomes = append(w.run.outcomes, outcome{Kind: ProposalForget, Memory: w.UID, Status: waiting})
	}
	return err
}

// targetsOf returns what a request names or points at, or else what it most likely means.
func (w *reading) targetsOf(ctx context.Context, q *said.Request, found []schema.Memory) (t targets, err error) {
	switch {
	case q.Itself:
		t.pointed, t.itself = true, true
	case q.Loose: // see below
	case q.Back:
		t, err = w.before(ctx, q)
	case q.About != "":
		t, err = w.namedOrNearest(ctx, q, found)
	case w.onlyAsks():
		t.episodes, err = w.previous(ctx)
		t.pointed, t.whole = len(t.episodes) > 0, true
	default: // it refers to text beside it in the message
		t, err = w.named(ctx, strings.TrimSpace(strings.Replace(w.Content, q.Sentence, " ", 1)))
		// what the message says only of the request is no target
		t.claims = slices.DeleteFunc(t.claims, func(m schema.Memory) bool { return isLasting(&m) && m.EventTime.Equal(w.EventTime.Time) })
		t.pointed, t.whole = len(t.claims) > 0, true
	}
	owner := ownedBy.FindStringSubmatch(q.About)
	if err != nil || t.clear() || q.Exact && (owner == nil || q.Unsure) || q.Terms == nil && q.About == "" {
		return t, err
	}
	t, err = w.likeliest(ctx, *q, found)
	if likely := slices.Concat(t.claims, t.episodes); q.Exact && !slices.ContainsFunc(likely, func(m schema.Memory) bool { return slices.Contains(text.Terms(m.Content), text.Terms(owner[1])[0]) }) {
		t = targets{} // it is somebody else's
	}
	return t, err
}

// before returns the message before that a request refers to, or the last sentence of it.
func (w *reading) before(ctx context.Context, q *said.Request) (t targets, err error) {
	if t.episodes, err = w.previous(ctx); err != nil || len(t.episodes) == 0 {
		return t, err
	}
	if text.IsGeneral(t.episodes[0].Content) {
		return targets{}, nil // "delete that" is of what the assistant was asked to do
	}
	t.pointed = true
	if all := text.Sentences(t.episodes[0].Content); q.LastSentence && len(all) > 1 {
		t.only = all[len(all)-1]
	}
	return t, nil
}

// namedOrNearest returns what a request of a known form names, or what is nearest to that.
func (w *reading) namedOrNearest(ctx context.Context, q *said.Request, found []schema.Memory) (targets, error) {
	t, err := w.named(ctx, q.About)
	if err != nil {
		return t, err
	}
	t.addEpisodes(found, w.ID)
	if q.Single && q.Unsure {
		q.Exact, q.Unsure = true, !t.single() // "forget the thing about the last commit" is an order, or one of many
	}
	if len(t.claims)+len(t.episodes) == 0 && !q.Exact {
		if err := w.nearest(ctx, &t, found); err != nil {
			return t, err
		}
	}
	if t.reading.Predicate != "" && len(t.claims) == 0 && len(t.episodes) > 0 {
		// otherwise the messages would become a claim later
		m := claimOf(w.owner.User, w.Memory, q.About, t.reading)
		if err := w.tx.AddDerived(ctx, m, schema.PrepareChunks(m.Content, ""), map[int64]string{w.ID: q.About}, w.run.by); err != nil {
			return t, err
		}
		t.claims = append(t.claims, *m)
	}
	return t, nil
}

// ownedBy matches whose something is: "Dana's birthday", "Danas Geburtstag".
var ownedBy = regexp.MustCompile(`^(\p{Lu}\pL+?)(?:['’]s|s) \pL`)

// forgets matches words for forgetting. What asks to forget without one, in free words, waits
// for a sign that it is a request: in five lives by others 42 messages were forgotten by mistake,
// most of them for "it quit, for now" and "it's gone. No. Gone."
var forgets = prefilter.New(`(?i)\b(?:forget|delete|remove|erase|wipe|scrub|get rid|vergess|vergiss|lösch|streich|entfern|tilg)`,
	`(?i)(?:^|[^\pL])(?:olvid|borr|elimin|suprim|quit(?:a|á|e[ns]?|ar)(?:l[oae]|[^\pL]|$))`, `忘|删|刪|抹|清[掉除空了]|去掉|划掉`)

// ordersToForget matches a message that begins with a verb of forgetting.
var ordersToForget = prefilter.New(`(?i)^[\s\pP]*(?:(?:please|ok|okay|and|bitte|und|por favor|y),? )*(?:forget|vergiss|vergessen sie|olvida)[ ,]`, `^[\s\pP]*(?:请|請)?忘[掉了记記]`)

// meant carries out a request of the message for memories that the caller has
// identified.
func (w *reading) meant(ctx context.Context, q Request) error {
	if q.answer != nil {
		return w.affirmed(ctx, &q)
	}
	t, err := w.these(ctx, q.Memories)
	if err != nil {
		return err
	}
	if q.Verb == said.Keep {
		for i := range t.claims {
			if err := w.protect(ctx, &t.claims[i]); err != nil {
				return err
			}
		}
		return nil
	}
	if q.Asked != nil {
		t.request, w.requests = q.Asked.Sentence, append(w.requests, *q.Asked)
		t.whole = q.Asked.Back
		for _, m := range slices.Concat(t.claims, t.episodes) {
			if meant, err := w.concerns(ctx, q.Asked, &m, q.found); err != nil || !meant {
				return err
			}
		}
		if len(t.episodes) > 0 {
			if t.claims, err = w.namedIn(ctx, q.Asked, &t); err != nil {
				return err
			}
			t.parsed = len(t.claims) == 0
		}
		if err := w.addSavedFor(ctx, &t); err != nil {
			return err
		}
	}
	t.episodes = append(t.episodes, *w.Memory)
	return w.hide(ctx, &t)
}

// addSavedFor adds the messages for which an agent saved the chosen claims in its own words, without
// naming them: hidden alone, a claim would leave what the user said.
func (w *reading) addSavedFor(ctx context.Context, t *targets) error {
	for i := range t.claims {
		if !isRestated(&t.claims[i]) {
			continue
		}
		earlier, err := w.in.Known().Before(ctx, &t.claims[i], mostBefore)
		if err != nil {
			return err
		}
		at := slices.IndexFunc(earlier, func(m schema.Memory) bool { return m.Role == "user" })
		if at >= 0 && Own(&earlier[at]) && w.mayName(earlier[at].Speaker) && (gists{gistOf(earlier[at].Content)}).near(&t.claims[i], t.claims[i].Content) {
			t.episodes = append(t.episodes, earlier[at])
		}
	}
	return nil
}

// namedIn returns the chosen claims with those of the chosen messages that a request names.
func (w *reading) namedIn(ctx context.Context, q *said.Request, t *targets) ([]schema.Memory, error) {
	if len(t.claims) > 0 || q.Object() == "" {
		return t.claims, nil
	}
	var ids []int64
	for i := range t.episodes {
		ids = append(ids, t.episodes[i].ID)
	}
	named, err := w.named(ctx, q.Object())
	if err != nil {
		return nil, err
	}
	resting, err := w.tx.Resting(ctx, w.UserID, ids)
	return slices.DeleteFunc(named.claims, func(m schema.Memory) bool {
		return !slices.ContainsFunc(resting, func(r schema.Memory) bool { return r.ID == m.ID })
	}), err
}

// Forget hides a user's memories at the host's request, with everything that would
// reveal them, in a run of cause [schema.CauseHost].
//
// Errors: [schema.ErrNotFound] for an id that is not the user's; the database's.
func Forget(ctx context.Context, tx *schema.Tx, userID int64, uids ...string) (changes Changes, err error) {
	uid, err := uuid.NewV7()
	if err != nil {
		return changes, err
	}
	w := &reading{Message: &Message{Memory: &schema.Memory{UserID: userID, EventTime: schema.At(tx.Now)}}, tx: tx, in: tx}
	if w.run, err = open(ctx, tx, userID, uid.String(), schema.CauseHost, "host"); err != nil {
		return changes, err
	}
	t, err := w.these(ctx, uids)
	if err != nil {
		return changes, err
	}
	t.quarantined, t.pointed, t.whole = true, len(t.episodes) > 0, len(t.episodes) > 0
	if err := w.hide(ctx, &t); err != nil {
		return changes, err
	}
	if changes.Hidden = w.hidden; len(w.hidden) > 0 {
		changes.Run = uid.String()
	}
	return changes, w.run.close(ctx)
}

// these returns the memories of the given ids as targets.
func (w *reading) these(ctx context.Context, uids []string) (t targets, err error) {
	t.certain = true
	for _, uid := range uids {
		m, err := w.tx.Memory(ctx, w.UserID, uid)
		if err != nil {
			return t, err
		}
		t.add(m)
	}
	return t, nil
}
