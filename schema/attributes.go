package schema

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// The attributes that are ebb's own. A host cannot set them.
const (
	AttrTool       = "tool"       // of an episode: the name of the tool that answered
	AttrPartial    = "partial"    // of an episode: its text may be only a beginning
	AttrTemporal   = "temporal"   // of a claim: state, event, plan, habit or trait
	AttrDepth      = "depth"      // of a reflection: 2 when it rests on reflections
	AttrPrompt     = "prompt"     // of what a model derived: what it was asked by
	AttrQuestions  = "questions"  // of a reflection: what it answers, one a line
	AttrQuarantine = "quarantine" // why a memory was set aside
	AttrReleased   = "released"   // who let it out; how it reads is not asked again
	AttrSaid       = "said"       // of a claim that code read in a message: claim, wish or lasting
	AttrForgotten  = "forgotten"  // when its user asked to forget it, RFC 3339

	AttrTier    = "tier"         // working, episodic or semantic
	AttrTagged  = "tagged_until" // RFC 3339: until when a strong memory of its session strengthens it
	AttrValence = "valence"      // of its words, −1 to 1
	AttrArousal = "arousal"      // of its words, 0–1
	AttrEmotion = "emotion"      // the basic emotion of its words
)

// ruledAttributes are those of ebb's own that a rule may change.
var ruledAttributes = []string{AttrTier, AttrTagged, AttrValence, AttrArousal, AttrEmotion}

// SaidLasting is the [AttrSaid] of a sentence of no known form that is kept in its
// own words, because it likely lasts.
const SaidLasting = "lasting"

var ownAttributes = append([]string{AttrTool, AttrPartial, AttrTemporal, AttrDepth, AttrPrompt, AttrQuestions, AttrQuarantine, AttrReleased, AttrSaid, AttrForgotten}, ruledAttributes...)

// Bounds of what a host may say about a memory beside its text.
const (
	MaxAttributes    = 32 // of one memory
	MaxAttributeName = 64 // in bytes
	MaxTags          = 32 // of one memory
)

// OwnAttribute reports a name that only ebb itself gives to an attribute.
func OwnAttribute(name string) bool { return slices.Contains(ownAttributes, name) }

// ValidAttribute checks an attribute as a host may set it. The name is made of
// lower-case letters, digits and underscores, begins with a letter and is not
// one of ebb's own. The value is a label ([ValidLabel]) in one line, and not
// empty. It returns an [*InvalidError] naming the attribute.
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

// ValidTag checks a tag as a host may set it: a label in one line, not blank.
// It returns an [*InvalidError].
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
