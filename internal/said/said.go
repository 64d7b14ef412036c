// Package said reads what a message says outright about the person who wrote
// it: standing facts, preferences, wishes, changes, and requests to keep or
// forget something. It is a leaf, pure, and asks no model.
package said

// Temporal says how a claim stands in time; the words are those of
// schema.AttrTemporal.
type Temporal string

// The temporal types.
const (
	State Temporal = "state" // holds until it changes
	Event Temporal = "event" // happened, or is about to at a date
	Plan  Temporal = "plan"  // will happen
	Habit Temporal = "habit" // happens again and again
	Trait Temporal = "trait" // always
)

// Claim is what one sentence says about its subject.
type Claim struct {
	// Sentence is the sentence as it stands in the text.
	Sentence string
	// Subject is "I" for the speaker, else what is spoken of, folded: "my sister".
	Subject string
	// Predicate names what is said of the subject, in snake_case: a canonical
	// English name where the form is known ("lives_in", "works_at",
	// "allergic_to"), else made from the words ("favourite_colour", "dentist").
	Predicate string
	// Object is the value, in the words of the sentence.
	Object string
	// Preference is true for likes, dislikes and wishes, false for facts.
	Preference bool
	// Wish is true for how the assistant should behave.
	Wish bool
	// Temporal is State unless the form says otherwise.
	Temporal Temporal
	// Functional is true when the form admits one object at a time: "my dentist
	// is X", not "my sister is X".
	Functional bool
	// Change is true when the sentence says that this is new: "I've moved to",
	// "is now", "no longer", "from now on", "my new".
	Change bool
	// Ended is the object that it says has ended, "" for none: X in "not X but
	// Y", "I left X and joined Y".
	Ended string
	// Denied is true when it only says what is not, or no longer, so: "I don't
	// have a car any more".
	Denied bool
}

// Claims reads a user's own message, at most max claims of it in order; 0 is no
// bound. Quoted and pasted text and code claim nothing.
func Claims(message string, max int) []Claim { return nil }

// Reported reads a sentence that somebody else, such as an assistant, wrote
// about a person: "Ada lives in Oslo", "The user is allergic to nuts". Names are
// the person's names; "user" and its translations are always understood. The
// subject of a claim about the person is "I", as in [Claims].
func Reported(sentence string, names []string) (c Claim, ok bool) { return Claim{}, false }

// Verdict is how a later claim stands to an earlier one.
type Verdict int

// The verdicts.
const (
	Unrelated Verdict = iota // about something else
	Adds                     // both hold
	Same                     // it says the same
	Replaces                 // the earlier one has ended
	Unsure                   // they may exclude each other: show both
)

// Compare says how a later claim stands to an earlier one about the same
// person. It is judged by form: equal predicate, functional or said to be
// changed, other object.
func Compare(later, earlier Claim) Verdict { return Unrelated }

// Verb is what a [Request] asks for.
type Verb int

// The verbs.
const (
	Keep   Verb = iota + 1 // "never forget that …", "remember for good: …"
	Forget                 // "forget that …", "please forget my old address"
)

// Request is what a user asks of the memory itself.
type Request struct {
	Verb Verb
	// Sentence is the sentence that asks.
	Sentence string
	// About is what it names: the words after "forget …", "" when it only points
	// at what was said just before ("forget that", "never forget this").
	About string
}

// Requests reads the requests in a user's own message. Quoted and pasted text
// and code ask for nothing.
func Requests(message string) []Request { return nil }
