package schema

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Reserved attributes, which only ebb writes.
const (
	AttrTool       = "tool"       // of an episode: the name of the tool that answered
	AttrPartial    = "partial"    // of an episode: its text may be incomplete, as of an aborted answer
	AttrTemporal   = "temporal"   // of a claim: state, event, plan, habit or trait
	AttrDepth      = "depth"      // of a reflection: 2 when it rests on reflections
	AttrPrompt     = "prompt"     // of a memory that a model derived: the version of the prompt
	AttrQuestions  = "questions"  // of a reflection: what it answers, one a line
	AttrQuarantine = "quarantine" // the reason for the quarantine
	AttrReleased   = "released"   // who released it from quarantine; it is not inspected again
	AttrSaid       = "said"       // of a claim that code parsed from a message: claim, wish or lasting
	AttrApproved   = "approved"   // of a claim: who made another's text the user's word by decision
	AttrForgotten  = "forgotten"  // when its user asked to forget it, RFC 3339

	AttrSeen      = "seen"      // of a claim that an agent saved: [SeenUser], or none
	AttrStore     = "store"     // of a claim: the store that it is in, such as procedural
	AttrSuccesses = "successes" // of a procedure: how often it helped, an integer
	AttrFailures  = "failures"  // and how often it did not

	AttrTier     = "tier"         // working, episodic or semantic
	AttrTagged   = "tagged_until" // RFC 3339: until when a strong memory of its session strengthens it
	AttrValence  = "valence"      // of its words, −1 to 1
	AttrArousal  = "arousal"      // of its words, 0–1
	AttrEmotion  = "emotion"      // the basic emotion of its words
	AttrChannels = "channels"     // of a message: what its importance was rated by
)

// AttrProject is the attribute by which a host names the project that a message was written in,
// such as a repository. A claim about it ("we use tabs here") gets it too: it is shown with that
// name, and replaces nothing of another project.
const AttrProject = "project"

// ruledAttributes are those of ebb's own that a rule may change.
var ruledAttributes = []string{AttrTier, AttrTagged, AttrValence, AttrArousal, AttrEmotion}

// SaidLasting is the value of [AttrSaid] of a sentence that no pattern parses and
// that is kept verbatim because it is likely to stay true.
const SaidLasting = "lasting"

var ownAttributes = append([]string{AttrTool, AttrPartial, AttrTemporal, AttrDepth, AttrPrompt, AttrQuestions, AttrQuarantine, AttrReleased, AttrSaid, AttrApproved, AttrForgotten, AttrSeen, AttrChannels}, ruledAttributes...)

// Limits of a memory's metadata.
const (
	MaxAttributes    = 32 // of one memory
	MaxAttributeName = 64 // in bytes
	MaxTags          = 32 // of one memory
)

// OwnAttribute reports whether an attribute's name is reserved.
func OwnAttribute(name string) bool { return slices.Contains(ownAttributes, name) }

// ValidAttribute validates an attribute that a host sets. The name consists of
// lower-case letters, digits and underscores, begins with a letter, has at most
// [MaxAttributeName] bytes and is not reserved. The value is a label ([ValidLabel])
// without control characters, and not blank. The error is an [*InvalidError] that
// names the attribute.
func ValidAttribute(name, value string) error {
	if !attributeName(name) {
		return &InvalidError{Field: "attributes", Reason: fmt.Sprintf("have a name that is not of lower-case letters, digits and underscores, beginning with a letter, at most %d bytes", MaxAttributeName)}
	}
	if OwnAttribute(name) {
		return &InvalidError{Field: "attributes." + name, Reason: "is written by ebb alone; use another name"}
	}
	return oneLine("attributes."+name, value)
}

func attributeName(name string) bool {
	if name == "" || len(name) > MaxAttributeName || name[0] < 'a' || name[0] > 'z' {
		return false
	}
	return strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == ""
}

// ValidTag validates a tag that a host sets: a label ([ValidLabel]) without control
// characters, and not blank. The error is an [*InvalidError].
func ValidTag(tag string) error { return oneLine("tags", tag) }

func oneLine(field, value string) error {
	switch {
	case strings.TrimSpace(value) == "":
		return &InvalidError{Field: field, Reason: "is empty"}
	case strings.ContainsFunc(value, unicode.IsControl):
		return &InvalidError{Field: field, Reason: "holds a line break or another control character; use one line"}
	}
	return ValidLabel(field, value)
}
