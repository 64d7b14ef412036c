package consolidate

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/ebbmem/ebb/consolidate/ask"
	"github.com/ebbmem/ebb/internal/claims"
	"github.com/ebbmem/ebb/internal/grounding"
	"github.com/ebbmem/ebb/internal/poison"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// temporals are the temporal types that the model may give ([schema.AttrTemporal]).
var temporals = []string{"state", schema.TemporalEvent, schema.TemporalPlan, "habit", "trait"}

// extractAnswer is the form of the model's answer.
type extractAnswer struct {
	Facts []extractedFact `json:"facts"`
}

// UnmarshalJSON also accepts a single fact, in the list's place or in that of the
// answer, as small models write it.
func (a *extractAnswer) UnmarshalJSON(b []byte) error {
	var form struct {
		Facts json.RawMessage `json:"facts"`
		Text  *string         `json:"text"`
	}
	if err := json.Unmarshal(b, &form); err != nil {
		return err
	}
	list := form.Facts
	switch {
	case list == nil && form.Text != nil:
		list = b
	case list == nil:
		return nil
	}
	if bytes.HasPrefix(bytes.TrimSpace(list), []byte("{")) {
		a.Facts = make([]extractedFact, 1)
		return json.Unmarshal(list, &a.Facts[0])
	}
	return json.Unmarshal(list, &a.Facts)
}

type extractedFact struct {
	Text       string     `json:"text"`
	Kind       string     `json:"kind"`
	Subject    string     `json:"subject"`
	Predicate  string     `json:"predicate"`
	Object     string     `json:"object"`
	Type       string     `json:"type"`
	When       string     `json:"when"`
	Confidence ask.Number `json:"confidence"`
	Importance ask.Number `json:"importance"`
	Sources    ask.Words  `json:"sources"`
	Quote      string     `json:"quote"`
}

// factsPerMessage limits the facts per message.
const factsPerMessage = 5

// check returns an error if the answer is unusable as a whole. The error is shown
// to the model.
func (a *extractAnswer) check() error {
	if a.Facts == nil {
		return errors.New(`it has no list "facts"; an empty one is fine`)
	}
	for i, f := range a.Facts {
		if strings.TrimSpace(f.Text) == "" {
			return fmt.Errorf("fact %d has no text", i+1)
		}
	}
	return nil
}

// leftOut counts facts that became no claims.
type leftOut struct {
	echoes   int // that only repeat shown memories
	noClaims int // that claim nothing, see [claimsNothing]
}

// claims turns the facts into claims that rest on the messages they cite.
func (a *extractAnswer) claims(turns []turn, in *Input, shown map[string][]showing) (claims []Claim, left leftOut) {
	byAlias := make(map[string]*turn, len(turns))
	for i := range turns {
		byAlias[turns[i].alias] = &turns[i]
	}
	speakers := speakersOf(turns)
	for _, f := range a.Facts[:min(len(a.Facts), factsPerMessage*len(turns))] {
		var cited []*turn
		for _, name := range f.Sources {
			if t := byAlias[strings.Trim(name, " []\"")]; t != nil && !slices.Contains(cited, t) {
				cited = append(cited, t)
			}
		}
		c := f.claim(cited, in, speakers)
		switch {
		case claimsNothing(c.Content, cited):
			left.noClaims++
		case isEcho(&c, cited, shown):
			left.echoes++
		default:
			claims = append(claims, c)
		}
	}
	return claims, left
}

// claimsNothing reports whether a fact is a question, or a copy of words of a message
// that hold no name and nothing that may stay true, such as a request. Small models
// write such facts.
func claimsNothing(content string, cited []*turn) bool {
	if text.EndsAsking(content) {
		return true
	}
	copied := slices.ContainsFunc(cited, func(t *turn) bool { return grounding.HoldsQuote(t.Content, content) })
	return copied && len(text.Mentions(content)) == 0 && claims.OwnSentence(content) == ""
}

// claim compares a fact with the messages it cites.
func (f *extractedFact) claim(cited []*turn, in *Input, speakers map[string][]string) Claim {
	c := Claim{
		Content: text.Clean(strings.TrimSpace(f.Text)), Kind: schema.KindFact,
		Subject: label(f.Subject), Predicate: predicate(f.Predicate), Object: label(f.Object),
		Confidence: unit(float64(f.Confidence)), Importance: unit(float64(f.Importance) / 10),
		Attributes: schema.Attributes{schema.AttrPrompt: fmt.Sprintf("%s@%d", extractStage, extractVersion)},
	}
	if f.Kind == string(schema.KindPreference) || grounding.IsPreference(c.Content) {
		c.Kind = schema.KindPreference
	}
	temporal := temporals[0]
	if slices.Contains(temporals, f.Type) {
		temporal = f.Type
	}
	c.Attributes[schema.AttrTemporal] = temporal
	if folded := text.Fold(c.Content); !heldIn(folded, c.Object) || c.Subject != theUser && !heldIn(folded, c.Subject) {
		c.Subject, c.Predicate, c.Object = "", "", "" // they say more than the sentence that was checked
	}
	if len(cited) == 0 {
		return c // the proposal will be rejected
	}
	first := cited[0]
	statement := grounding.Understand(c.Content, first.EventTime.In(in.Location))
	reworded := claims.Reworded(c.Content, first.EventTime.In(in.Location))
	quote := f.quoteIn(cited, statement)
	said := make([]grounding.Turn, len(cited))
	for i, t := range cited {
		said[i] = grounding.Turn{Text: t.Content, At: t.EventTime.In(in.Location), Speakers: namesFor(t, in.Scope.User, speakers)}
		citation := Citation{UID: t.UID, Holds: restated(reworded, said[i], quote)}
		if quote != "" && grounding.HoldsQuote(t.Content, quote) {
			citation.Quote, quote = quote, ""
		}
		c.Sources = append(c.Sources, citation)
	}
	c.EventTime = first.EventTime.Time
	if since, ok := f.since(cited, in.Location); ok {
		c.ValidFrom = since
		if temporal == schema.TemporalEvent && !since.After(first.EventTime.Time) {
			c.EventTime = since
		}
	}
	c.Doubt = doubt(&c, statement, said, first.Trust)
	if c.Doubt != "" {
		c.Attributes[schema.AttrQuarantine] = c.Doubt
	}
	return c
}

// restated reports whether a message, or its quoted sentence, states the claim.
func restated(c claims.Rewording, said grounding.Turn, quote string) bool {
	sentence := cmp.Or(grounding.Sentence(said.Text, quote), said.Text)
	return c.StatedBy(sentence, said.At, said.Speakers) != ""
}

// denies reports whether the closest sentence of a quote states a claim nearly
// word for word, with a negation in only one of the two.
func denies(c *Claim, s grounding.Statement, quote string) bool {
	sentence := s.Quote(quote)
	plain := notOnly.ReplaceAllString(sentence, "")
	return sentence != "" && s.Aligned(sentence) >= nearlyAll && grounding.Denial.MatchString(plain) != grounding.Denial.MatchString(notOnly.ReplaceAllString(c.Content, ""))
}

// nearlyAll is the share of a claim's words, 0–1, from which a quote is about the
// same statement.
const nearlyAll = 0.6

// notOnly matches phrases with a negation that negate nothing.
var notOnly = regexp.MustCompile(`(?i)\b(?:not only|not just|no problem|no doubt|why not)\b|不但|不仅|不错|特别|别人|差不多`)

// theUser is the subject of claims about the user.
const theUser = "the user"

// heldIn reports whether a folded text contains a label. An empty label is in any
// text.
func heldIn(folded, label string) bool {
	return label == "" || strings.Contains(folded, text.Fold(label))
}

// quoteIn returns the fact's quote if a cited message contains it, else "". For a
// fact without a quote it returns the closest sentence.
func (f *extractedFact) quoteIn(cited []*turn, s grounding.Statement) string {
	if strings.TrimSpace(f.Quote) != "" {
		for _, t := range cited {
			if grounding.HoldsQuote(t.Content, f.Quote) {
				return cleanQuote(f.Quote)
			}
		}
		return ""
	}
	best, most := "", minAligned
	for _, t := range cited {
		if q := s.Quote(t.Content); s.Aligned(q) >= most {
			best, most = q, s.Aligned(q)
		}
	}
	return cleanQuote(best)
}

// minAligned is the share of a fact's words, 0–1, that a sentence must contain to
// be used as the quote.
const minAligned = 0.25

// doubt returns the reason to quarantine a claim, without text of it, or "".
func doubt(c *Claim, s grounding.Statement, said []grounding.Turn, trust schema.Trust) string {
	quoted := slices.ContainsFunc(c.Sources, func(c Citation) bool { return c.Quote != "" })
	switch {
	case !quoted:
		return "its quote does not occur in its sources"
	case s.MissingFrom(said) != "":
		return "a name, number or date of it does not occur in its sources"
	case !slices.ContainsFunc(said, func(t grounding.Turn) bool { return s.Aligned(t.Text) > 0 }):
		return "none of its words occurs in its sources"
	case slices.ContainsFunc(c.Sources, func(cited Citation) bool { return denies(c, s, cited.Quote) }):
		return "its quote says the opposite"
	case poison.InspectClaim(c.Content) != "" && (trust < schema.MaxTrust || !slices.ContainsFunc(c.Sources, func(cited Citation) bool {
		return poison.InspectClaim(cited.Quote) != ""
	})):
		return "it reads like an instruction and is not the user's own"
	}
	return ""
}

// since resolves when a claim begins to hold, from the model's quoted time
// expression and the time of the message that contains it: a plan for June is for the next
// one.
func (f *extractedFact) since(cited []*turn, loc *time.Location) (time.Time, bool) {
	if strings.TrimSpace(f.When) == "" {
		return time.Time{}, false
	}
	for _, t := range cited {
		if !grounding.HoldsQuote(t.Content, f.When) {
			continue
		}
		spans := text.TimeSpans(f.When, t.EventTime.In(loc))
		switch {
		case len(spans) > 0 && f.Type == schema.TemporalPlan && !spans[0].NextStart.IsZero():
			return spans[0].NextStart, true
		case len(spans) > 0 && spans[0].Start.Year() > 1:
			return spans[0].Start, true
		}
	}
	return time.Time{}, false
}

// speakersOf returns the speakers of each session.
func speakersOf(turns []turn) map[string][]string {
	names := make(map[string][]string)
	for _, t := range turns {
		if t.Speaker != "" && !slices.Contains(names[t.SessionName], t.Speaker) {
			names[t.SessionName] = append(names[t.SessionName], t.Speaker)
		}
	}
	return names
}

// namesFor returns the names that "I" and "you" of a message may stand for.
func namesFor(t *turn, user string, speakers map[string][]string) []string {
	names := []string{t.Speaker}
	if t.Trust == schema.MaxTrust && t.Speaker == "" {
		names = append(names, user)
	}
	folded := text.Fold(t.Content)
	if grounding.HoldsWord(folded, "you") || grounding.HoldsWord(folded, "your") {
		names = append(names, speakers[t.SessionName]...)
	}
	return names
}

// label normalises a subject or object: one line, and theUser for the user.
func label(s string) string {
	s = strings.Join(strings.Fields(text.Clean(s)), " ")
	if text.Fold(s) == "user" || text.Fold(s) == "the user" {
		return theUser
	}
	return s
}

// predicate normalises a predicate to snake_case.
func predicate(s string) string {
	return strings.ReplaceAll(text.Fold(text.Clean(s)), " ", "_")
}

// unit clamps a number of the model to 0–1; NaN is 0.
func unit(v float64) float64 {
	if !(v > 0) {
		return 0
	}
	return min(1, v)
}
