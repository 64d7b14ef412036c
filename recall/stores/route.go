package stores

import (
	"regexp"
	"slices"
	"strings"

	"github.com/ebbmem/ebb/schema"
)

var (
	// howTo matches what tells how something is done.
	howTo = regexp.MustCompile(`(?i)^\s*(?:(?:please )?(?:remember|note|don['’]?t forget|keep in mind|save this|for future reference)(?:,? that\b|[,:])? )?(?:how to\b|to [a-z]+\b[^.?!]{0,80}?[,:]\s|steps?\b[^.?!]{0,40}:|(?:the )?(?:procedure|workflow|recipe|checklist|runbook)\b)`)
	// steps matches an order of two steps and more.
	steps = regexp.MustCompile(`(?is)\bfirst\b.{2,200}?\b(?:then|next|afterwards|finally)\b|(?:^|\s)1[.)]\s.{2,400}?\s2[.)]\s|(?:->|→).+(?:->|→)`)
	// whenever matches a rule of work.
	whenever = regexp.MustCompile(`(?i)\b(?:always|never)\b[^.?!]{2,80}\b(?:before|after|when|whenever|unless)\b|^\s*(?:before|after|whenever) [a-z]+ing\b`)
)

// Route returns the store for a new claim, by its words and its temporal type
// ([schema.AttrTemporal]): procedural for how something is done, episodic for an
// event, "" if they do not decide. A claim never goes to a store that pins.
func Route(content, temporal string) string {
	switch {
	case howTo.MatchString(content), steps.MatchString(content), whenever.MatchString(content):
		return Procedural
	case temporal == schema.TemporalEvent:
		return Episodic
	}
	return ""
}

// Label gives a new fact without a store the one that its words decide.
func (s Set) Label(m *schema.Memory) {
	if m.Kind != schema.KindFact || m.Attributes[schema.AttrStore] != "" {
		return
	}
	if route := Route(m.Content, m.Attributes[schema.AttrTemporal]); slices.Contains(s.Open(), route) {
		if m.Attributes == nil {
			m.Attributes = make(schema.Attributes)
		}
		m.Attributes[schema.AttrStore] = route
	}
}

// Trigger says whether a message asks for a reflection.
type Trigger int

// The triggers.
const (
	NoTrigger   Trigger = iota
	SoftTrigger         // the user leaves: ask whether to reflect
	Immediate           // the user asks for it
)

var (
	asksToReflect = regexp.MustCompile(`(?i)^\W*(?:(?:please|ok(?:ay)?|yes|so|now|and|hey|(?:can|could|would|will|shall|may|should) (?:you|we)|(?:i think |maybe )?we should|(?:it'?s |it is )?time to|go ahead and)[\s,]+)*(?:let'?s |let us |i'?d like (?:you )?to |i want (?:you )?to )?(?:reflect\b(?:\s+(?:on|now|please|about)\b|\W*$)|consolidate (?:your |the |our |my )?memor(?:y|ies)\b|review (?:your |the |our |my )?memor(?:y|ies)\b)`)
	leaves        = regexp.MustCompile(`(?i)\b(?:going to (?:sleep|bed)|logging off|signing off|good ?night|off to bed)\b`)
)

// TriggerOf reads the trigger of a message of the user's: "reflect on …", "let's
// reflect", "consolidate memories", "review memories" ask; "going to sleep" and
// "logging off" are soft. A question about reflecting, and a negation, are none.
func TriggerOf(message string) Trigger {
	for _, sentence := range strings.FieldsFunc(message, func(r rune) bool { return strings.ContainsRune(".!\n;", r) }) {
		if asksToReflect.MatchString(sentence) {
			return Immediate
		}
	}
	if leaves.MatchString(message) {
		return SoftTrigger
	}
	return NoTrigger
}

var (
	agrees = regexp.MustCompile(`(?i)^\W*(?:yes|yeah|yep|sure|ok(?:ay)?|of course|please do|go ahead|do it|now)\b[^.?!\n]{0,40}[.! ]*$`)
	delays = regexp.MustCompile(`(?i)\b(?:but|not|no|don'?t|later|wait|tomorrow|another|first)\b`)
)

// Agrees reports whether a message only agrees: the answer to "Want me to reflect now, or
// wait?".
func Agrees(message string) bool { return agrees.MatchString(message) && !delays.MatchString(message) }
