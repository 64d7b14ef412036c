package prompt

import (
	"cmp"
	"context"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/ebbmem/ebb/internal/claims"
	"github.com/ebbmem/ebb/internal/grounding"
	"github.com/ebbmem/ebb/internal/intent"
	"github.com/ebbmem/ebb/internal/orders"
	"github.com/ebbmem/ebb/internal/prefilter"
	"github.com/ebbmem/ebb/internal/said"
	"github.com/ebbmem/ebb/internal/series"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/internal/topics"
	"github.com/ebbmem/ebb/recall/lexicon"
	"github.com/ebbmem/ebb/schema"
)

// ownClaim is a current claim and the user's sentence that supports it.
type ownClaim struct {
	claim    schema.Memory
	text     string // "" if the claim has no line
	approved bool   // text is not the user's sentence, but a model's that was approved
	covered  bool   // the sentence contains most of the claim
	source   schema.Memory
	since    time.Time
	before   string
	ended    string
	over     []string // what else the message says that no longer holds, folded
	needs    []int64  // ids of the memories this was read from
	owner    string   // of the memory
	reading  said.Claim

	asks     bool      // a question, or what was said before one
	style    bool      // about how to answer
	wish     bool      // in the form of a wish
	forSome  bool      // a wish for answers to some questions
	free     bool      // a wish that no pattern parsed
	relative bool      // its dates depend on when it was said
	ofDay    bool      // it was so on its day, see readings
	passes   time.Time // end of an event or plan; zero for others
	ownEnd   time.Time // see [ownEnd]
	lapsed   bool      // the own end is over
	named    string    // by the message before, if the sentence dangles
	dangles  bool      // it begins with a word for what no message names
	days     []day     // those the sentence names, without the one on which it was said
	terms    []string  // distinct, of the sentence, the claim and its tags
	roots    []string  // of the terms
	topics   topics.Set
	phrases  []uint64 // of the sentence, see [text.Phrases]
	length   int      // in terms, of the sentence and the claim
	ends     float64  // probability that something no longer holds after it
	endings  []grounding.Ending
	wordings *wordings        // shared by copies
	reports  []series.Reading // of the message
	prepared bool
}

// claimReader reads claims and the sentences that support them.
type claimReader struct {
	s      *schema.Snapshot
	userID int64
	owner  string
	loc    *time.Location

	withdrawn map[int64][]string // by message: its sentences of which a claim was taken back, folded
}

// isCurrentClaim reports whether m is a claim that holds and may be shown.
func isCurrentClaim(m *schema.Memory) bool {
	return (m.Kind == schema.KindFact || m.Kind == schema.KindPreference) && (m.State == schema.StateActive || m.State == schema.StateDormant) &&
		m.ValidUntil.IsZero()
}

// isOwnSaying reports whether m is a message of the user's own that may be quoted.
func isOwnSaying(m *schema.Memory) bool {
	return m.Kind == schema.KindEpisode && m.Role == "user" && m.OwnWords() && (m.State == schema.StateActive || m.State == schema.StateDormant)
}

func (r *claimReader) read(ctx context.Context, ids []int64) ([]*ownClaim, error) {
	memories, err := r.byID(ctx, ids)
	if err != nil {
		return nil, err
	}
	var current []int64
	for id, m := range memories {
		if isCurrentClaim(&m) {
			current = append(current, id)
		}
	}
	slices.Sort(current)
	earlier, err := r.s.SupersededBy(ctx, current)
	if err != nil {
		return nil, err
	}
	var before []int64
	for _, ids := range earlier {
		before = append(before, ids...)
	}
	ended, err := r.byID(ctx, before)
	if err != nil {
		return nil, err
	}
	sources, err := r.s.SourcesOf(ctx, slices.Concat(current, before))
	if err != nil {
		return nil, err
	}
	var said []int64
	for _, of := range sources {
		for _, src := range of {
			said = append(said, src.SourceID)
		}
	}
	slices.Sort(said)
	messages, err := r.byID(ctx, slices.Compact(said))
	if err != nil {
		return nil, err
	}
	if r.withdrawn, err = r.withdrawnFrom(ctx, messages); err != nil {
		return nil, err
	}
	told := make([]*ownClaim, 0, len(current))
	for _, id := range current {
		c := &ownClaim{claim: memories[id], owner: r.owner}
		var share float64
		c.text, share, c.source = r.sentence(&c.claim, sources[id], messages)
		if c.claim.OwnWords() && len(sources[id]) == 0 { // a person stored it, so there is no message
			c.text, share, c.source = Shown(c.claim.Content), 1, c.claim
			c.approved = c.claim.Attributes[schema.AttrApproved] != ""
		} else if m, hidden := forgottenSource(&c.claim, sources[id], messages); hidden && c.text == "" {
			c.text, share, c.source = Shown(c.claim.Content), 1, c.claim
			c.source.Speaker = m.Speaker
		}
		c.covered = share >= 0.5
		c.readEndings()
		for _, src := range sources[id] {
			c.needs = append(c.needs, src.SourceID)
		}
		for _, old := range earlier[id] {
			c.needs = append(c.needs, old)
			m, there := ended[old]
			if !there || m.State != schema.StateSuperseded || stillSays(&m, &c.claim) {
				continue
			}
			before, _, _ := r.sentence(&m, sources[old], messages)
			before = cmp.Or(grounding.PartAbout(before, c.claim.Content), before)
			if at := m.ValidUntil.Time; at.After(c.since) && (before == "" || text.Fold(before) != text.Fold(c.text)) {
				c.since, c.before = at, before
			}
			for _, src := range sources[old] {
				c.needs = append(c.needs, src.SourceID)
			}
		}
		told = append(told, c)
	}
	if err := r.markEnded(ctx, told); err != nil {
		return nil, err
	}
	return told, r.nameFromTalk(ctx, told)
}

// markEnded sets, for each sentence, what else in it no longer holds.
func (r *claimReader) markEnded(ctx context.Context, told []*ownClaim) error {
	var said []int64
	for _, c := range told {
		if c.text != "" {
			said = append(said, c.source.ID)
		}
	}
	slices.Sort(said)
	said = slices.Compact(said)
	ended, err := r.s.EndedClaims(ctx, r.userID, said)
	if err != nil {
		return err
	}
	over := make(map[int64][][]string) // by message: the sentences of each of its ended claims that no longer hold
	for _, c := range told {
		if c.text == "" {
			continue
		}
		of := ended[c.source.ID]
		if _, known := over[c.source.ID]; !known {
			for _, e := range of {
				var sentences []string
				if e.By == nil || !stillSays(&e.Claim, e.By) {
					sentences = foldedSentences(&e, &c.source)
				}
				over[c.source.ID] = append(over[c.source.ID], sentences)
			}
		}
		c.over = append(c.over, r.withdrawn[c.source.ID]...)
		folded := text.Fold(c.text)
		for i, e := range of {
			if e.By != nil {
				c.needs = append(c.needs, e.By.ID)
			}
			sentences := over[c.source.ID][i]
			if len(sentences) > 0 && !slices.ContainsFunc(sentences, func(s string) bool { return !strings.Contains(folded, s) && !isCutFrom(c.text, s) }) {
				mark, part := MarkOf(e, r.loc), ""
				switch {
				case c.claim.Predicate == e.Claim.Predicate && c.claim.Subject == e.Claim.Subject:
				case c.claim.Predicate != "": // another clause states it, and holds
					part = claims.ClauseOf(&e.Claim, c.text)
				default:
					part = clauseOf(&e.Claim, c.text)
				}
				if part == "" && e.By != nil {
					part = grounding.PartAbout(c.text, e.By.Content)
				}
				if mark.of(part, c.text, c.source.EventTime.Time, e.By) {
					c.ended = cmp.Or(c.ended, mark.String())
				}
			} else {
				c.over = append(c.over, sentences...)
			}
		}
		if c.ended != "" && claims.Likely(&c.claim) < 1 {
			c.text = "" // it was stored only because it was likely to stay true
		}
	}
	return nil
}

// withdrawnFrom returns the sentences of messages of which a claim was taken back, folded.
func (r *claimReader) withdrawnFrom(ctx context.Context, messages map[int64]schema.Memory) (map[int64][]string, error) {
	of, err := r.s.WithdrawnClaims(ctx, r.userID, slices.Sorted(maps.Keys(messages)))
	withdrawn := make(map[int64][]string, len(of))
	for id, claims := range of {
		m := messages[id]
		for i := range claims {
			withdrawn[id] = append(withdrawn[id], foldedSentences(&claims[i], &m)...)
		}
	}
	return withdrawn, err
}

// foldedSentences returns the sentences of a message that support a claim.
func foldedSentences(e *schema.Ended, m *schema.Memory) (folded []string) {
	for _, part := range sentencesOf(wordsOfClaim(&e.Claim, m), e.Quote, m.Content, nil) {
		for _, s := range text.Sentences(part) {
			folded = append(folded, text.Fold(text.Line(s)))
		}
	}
	return folded
}

func (r *claimReader) byID(ctx context.Context, ids []int64) (map[int64]schema.Memory, error) {
	read, err := r.s.MemoriesByID(ctx, r.userID, ids)
	if err != nil {
		return nil, err
	}
	byID := make(map[int64]schema.Memory, len(read))
	for _, m := range read {
		byID[m.ID] = m
	}
	return byID, nil
}

// readEndings finds what the sentence says that is over.
func (c *ownClaim) readEndings() {
	if c.isLasting() && !c.claim.Protected && orders.Of(c.text) == orders.Now {
		c.text = "" // stored by an earlier version; it was over when it was done
	}
	if c.endings = grounding.Endings(c.text); len(c.endings) > 0 && c.isLasting() {
		c.withoutQuestion()
		c.endings = grounding.Endings(c.text)
	}
}

// isLasting reports whether no pattern parsed the sentence.
func (c *ownClaim) isLasting() bool { return c.claim.Attributes[schema.AttrSaid] == schema.SaidLasting }

// prepare computes what only the core section needs, once.
func (c *ownClaim) prepare(loc *time.Location) {
	if c.prepared {
		return
	}
	c.prepared, c.wordings = true, new(wordings)
	if c.isLasting() && !c.asks {
		c.withoutQuestion()
	}
	at := c.source.EventTime.In(loc)
	spans := text.TimeSpans(c.text, at)
	c.relative = isRelative(c.text, spans, at)
	c.ofDay = readings.MatchString(c.text)
	if c.source.ID != c.claim.ID {
		c.reports = series.Of(c.source.Content)
	}
	c.passes = c.passesAt(spans, at)
	if c.claim.Attributes[schema.AttrSaid] != "" {
		c.ownEnd = ownEnd(c.text, spans, at)
	}
	c.days = daysOf(spans, at)
	words := strings.Join(append([]string{c.text, c.claim.Content}, c.claim.Tags...), "\n")
	c.topics = topics.Of(words)
	c.phrases = text.Phrases(c.text)
	c.length = len(text.QueryTerms(c.text+"\n"+c.claim.Content, maxLikenessTerms))
	c.ends = intent.Changes.P(c.text)
	c.free = c.claim.Attributes[schema.AttrSaid] == claims.SaidWish && c.claim.Predicate == ""
	says := said.Claims(c.text, 0)
	c.reading = claims.ReadingOf(&c.claim, says, c.owner, c.source.Speaker)
	c.style, c.wish = saysHowToAnswer(c, says)
	c.forSome = c.wish && askedFor.MatchString(c.text)
	c.terms = text.Terms(words)
	slices.Sort(c.terms)
	c.terms = slices.Compact(c.terms)
	for _, term := range c.terms {
		c.roots = append(c.roots, lexicon.Roots(term)...)
	}
	slices.Sort(c.roots)
	c.roots = slices.Compact(c.roots)
}

// passesAt returns the end of the event or plan that a sentence of that time states, zero
// for others. A sentence in a message is an appointment if it is short, since a longer one
// says more than that, and if each of its dates is a later day: what was over already is
// history, and what begins, ends or moves that day holds afterwards. A date without a year
// is the nearest one.
func (c *ownClaim) passesAt(spans []text.TimeSpan, said time.Time) (end time.Time) {
	temporal, only := c.claim.Attributes[schema.AttrTemporal], c.claim.Attributes[schema.AttrSaid] != ""
	if c.isLasting() {
		temporal = grounding.Temporal(c.text, said)
	}
	if temporal != schema.TemporalEvent && temporal != schema.TemporalPlan || only && (holdsAfter(c.text) || len(text.Terms(c.text)) > appointmentTerms) {
		return time.Time{}
	}
	for _, span := range spans {
		if only && !span.NextEnd.IsZero() && span.NextStart.Sub(said) < said.Sub(span.End) {
			span.Start, span.End = span.NextStart, span.NextEnd
		}
		if only && (span.Start.Before(said) || span.End.Sub(span.Start) > longestDay) {
			return time.Time{}
		}
		if span.End.After(end) {
			end = span.End
		}
	}
	return end
}

// withoutQuestion removes the question at the end of a sentence that no pattern parsed,
// and marks what leads to one: "Wife's supplies are ready. Where am I headed?" and "The
// nurse asks what I take" rarely tell anything that lasts.
func (c *ownClaim) withoutQuestion() {
	if c.asks = reportsQuestion.MatchString(c.text); !said.Asks(c.text) {
		return
	}
	sentences := text.Sentences(c.text)
	for len(sentences) > 1 && said.Asks(sentences[len(sentences)-1]) {
		sentences = sentences[:len(sentences)-1]
	}
	if at := strings.Index(c.text, sentences[len(sentences)-1]); at >= 0 && !said.Asks(sentences[len(sentences)-1]) {
		c.text = c.text[:at+len(sentences[len(sentences)-1])]
	}
	c.asks = true
}

// reportsQuestion matches a question in reported speech.
var reportsQuestion = regexp.MustCompile(`(?i)\b(?:asks?|is asking|are asking|wants? to know|needs? to know|fragt|fragen|will wissen|wollen wissen|pregunta[n]?|quiere[n]? saber)[, ]+(?:me |mich |me )?(?:if|whether|wh\pL+|how|ob|was|w[eio]\pL*|si|qué|cu\pL+|dónde|cómo|quién)\b|(?:客人|医院|公司|老师|买家|人)问`)

// saysHowToAnswer reports whether a claim is about the assistant's answers: by the form of
// its sentence, which is a wish, because a model takes the sentence or the claim for one,
// or because style is its main topic, of which it may tell a change.
func saysHowToAnswer(c *ownClaim, says []said.Claim) (style, wish bool) {
	sure := claims.Likely(&c.claim) == 1 // not merely likely to stay true
	if c.free || slices.ContainsFunc(says, func(c said.Claim) bool { return c.Wish }) ||
		sure && max(intent.Manner.P(c.text), intent.Manner.P(c.claim.Content)) >= claims.LeastManner ||
		c.claim.Attributes[schema.AttrSaid] == "" && intent.SavedManner.P(c.claim.Content) >= leastSavedManner {
		return true, true
	}
	about := c.topics.Names()
	style = sure && len(about) > 0 && about[0] == "style"
	return style, style && (said.TellsChange(c.text) || said.TellsChange(c.claim.Content))
}

// askedFor matches what limits a wish to some questions: "when I ask for a recipe".
var askedFor = regexp.MustCompile(`(?i)\b(?:when(?:ever)?|if|every time|where(?:ver)?)\b[^.!?]{0,20} (?:i|we|there's|there is)\b|\b(?:wenn|falls|sobald|sooft)\b[^.!?]{0,20} (?:ich|wir)\b` +
	`|\b(?:cuando|si|cada vez que)\b (?:te |me |os |le )?(?:pid|ped|pregunt|habl|explic|escrib|dig|cuent|des|quier)|(?:我|如果|要是|每次|当)[^。！？，,]{0,8}(?:问|要|说|让你|找你|写)[^。！？，,]{0,10}(?:时候|的话|时|就)`)

// leastSavedManner is the lowest probability at which what a model saved in its own words
// is a wish about how to answer. Of 80 such of authors whose others were not fitted it
// takes 47, and 8 of 80 that are none; [intent.Manner] took 6.
const leastSavedManner = 0.2

// ages matches what is true on its day only, and tells what holds later if the day is known:
// durations, ages and what is so for the time being, in the languages of [said.LastingOf].
var ages = prefilter.New(`(?i)\b(?:\d{1,2}|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|couple of|few|half an?)[ -](?:days?|weeks?|wks?|months?|mos?|years?|yrs?|decades?)\b`+
	`|\b(?:i['’]?m|i am|(?:he|she|it)(?:['’]s| is)|(?:my|our) (?:\pL+ ){1,3}(?:is|has turned|turned)|who(?:['’]s| is)) (?:only |just |already |nearly |almost )?\d{1,2}(?:\s*[,.;!]|$| now\b| and\b)|\b(?:for now|for the moment|at the moment|for the time being|currently|temporarily|until further notice)\b`,
	`(?i)\b(?:\d{1,2}\.?|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|paar|halbe[ns]?) (?:tag|woche|monat|jahr)\pL*|\b(?:im moment|momentan|zurzeit|zur zeit|derzeit|vorerst|vorübergehend|vorläufig|fürs erste|einstweilen|(?:bin|ist|sind|hab|habe) (?:gerade|grad))\b|\bist (?:jetzt |gerade |schon )?\d{1,2}(?:\s*[,.;!]|$)`,
	`(?i)(?:^|[^\pL])(?:\d{1,2}|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|doce|medio|un par de) (?:d[ií]as?|semanas?|mes(?:es)?|a[ñn]os?)(?:[^\pL]|$)|(?:^|[^\pL])(?:de momento|por ahora|por el momento|actualmente|temporalmente|provisionalmente|de forma temporal)(?:[^\pL]|$)`,
	`(?:[\d二两三四五六七八九十半几]+)(?:个?(?:多)?(?:月|星期|礼拜)|周|週|年|天|岁|歲)|暂时|暫時|目前|眼下|这阵子|这段时间`)

// readings matches what was so on its day and may be otherwise on another: measurements, doses,
// symptoms and what is so again, still or no more, in the languages of [said.LastingOf].
var readings = prefilter.New(`(?i)\b\d{2,3}/\d{2,3}\b|^\W*\d[\d.,/ ]*\W*$|\d ?(?:mg|mcg|µg|ml|mmol|kg|lbs?|mmhg|bpm)\b`+
	`|\b(?:sugar|glucose|fasting|weight|weigh(?:s|ed)?|bp|blood pressure|pulse|temperature|cholesterol|hba1c|nüchtern|blutzucker|zucker|gewicht|wiege|blutdruck|puls|temperatur|peso|pulso|glucosa|ayunas)\b[^.!?]{0,20}\d`,
	`(?i)\b(?:again|still|no more|take (?:\pL+ ){0,2}back|scrap|dizz\pL+|migraine|headaches?|cough(?:ing)?|nause\pL+|fever|rash|hives|sore|swollen|numb|vomit\pL*)\b`,
	`(?i)\b(?:wieder|immer noch|noch immer|schwindlig|schwindel|migräne|kopfschmerz\pL*|kopfweh|husten?|übelkeit|fieber|ausschlag|geschwollen)\b`,
	`(?i)(?:^|[^\pL])(?:otra vez|de nuevo|todavía|sigo|ya no|mare[ao]\pL*|migraña|dolor de cabeza|tos|náuseas?|fiebre|hinchad[oa]|presión|tensión)(?:[^\pL]|$)`,
	`又|还在|還在|头晕|頭暈|偏头痛|头[疼痛]|咳嗽|恶心|发烧|發燒|皮疹|(?:血糖|空腹|体重|血压|心率|体温)\D{0,6}\d`)

// isRelative reports whether what a text of that time says, with these time expressions,
// depends on its day: relative dates, ages and the like.
func isRelative(s string, now []text.TimeSpan, said time.Time) bool {
	const apart = 400 * 24 * time.Hour
	switch {
	case ages.MatchString(s):
		return true
	case len(now) == 0:
		return false
	}
	then := text.TimeSpans(s, said.Add(-apart))
	return !slices.EqualFunc(now, then, func(a, b text.TimeSpan) bool { return a.Start.Equal(b.Start) && a.End.Equal(b.End) })
}
