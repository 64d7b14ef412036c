package claims

import (
	"slices"
	"strings"

	"github.com/ebbmem/ebb/internal/grounding"
	"github.com/ebbmem/ebb/internal/said"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// theUser is the subject of stored claims about the user.
const theUser = "the user"

// speaker is the subject in [said.Claim] of statements about the writer. mine is
// the prefix for people close to the writer, as in "my sister".
const (
	speaker = "I"
	mine    = "my "
)

// Stored returns the stored subject for a claim that somebody named by made about
// subject. by is "" for owner, the owner of the memory.
func Stored(subject, owner, by string) string {
	who := theUser
	if by != "" && !isOwner(by, owner) {
		who = by
	}
	if subject == speaker {
		return who
	}
	if of, ok := strings.CutPrefix(subject, mine); ok {
		return who + "'s " + of
	}
	return subject
}

// subject converts the subject of a statement in the message to that which spoken gives for a
// stored one.
func (w *reading) subject(said string) string {
	return spoken(Stored(said, w.owner.User, w.Speaker), w.owner.User)
}

// isOwner reports whether a display name is the owner's: "Ada Lovelace" is Ada.
func isOwner(name, owner string) bool {
	name, owner = text.Fold(name), text.Fold(owner)
	return name == owner || slices.Contains(strings.Fields(name), owner)
}

// SpeakersOf returns the names that "I" stands for in a memory of owner's: the speaker's
// and, where that is the owner, the owner's. A claim has the speaker that its subject names.
// It returns none for what an assistant said, and for a sentence whose speaker is unknown.
func SpeakersOf(m *schema.Memory, owner string) []string {
	who := m.Speaker
	if who == "" && m.Kind != schema.KindEpisode {
		if who = ownerOf(m.Subject); who == "" && m.Attributes[schema.AttrSaid] != "" {
			return nil
		}
	}
	switch {
	case who == "" && m.Role != "" && m.Role != "user":
		return nil
	case who == "" || who == theUser:
		return []string{owner}
	case isOwner(who, owner):
		return []string{who, owner}
	}
	return []string{who}
}

// spoken converts a stored subject to that of [said.Claim].
func spoken(subject, owner string) string {
	if subject == theUser || subject == speaker {
		return speaker // most claims
	}
	folded := text.Fold(subject)
	for _, who := range []string{theUser, "user", text.Fold(owner)} {
		switch {
		case who == "":
		case folded == who:
			return speaker
		case strings.HasPrefix(folded, who+"'s "):
			return mine + strings.TrimPrefix(folded, who+"'s ")
		}
	}
	if folded == "i" {
		return speaker
	}
	return folded
}

// spelling normalises American to British spelling in predicates.
var spelling = strings.NewReplacer("favorite", "favourite", "color", "colour", "neighbor", "neighbour")

// key returns a predicate in the form used for comparison.
func key(predicate string) string {
	p := Predicate(spelling.Replace(text.Fold(predicate)))
	if of, ok := strings.CutPrefix(p, "has_"); ok {
		return of
	}
	return strings.TrimSuffix(p, "_is")
}

// known reports whether a reading can be compared.
func known(c said.Claim) bool { return c.Predicate != "" && (c.Object != "" || c.Denied) }

// like reports whether two readings have the same subject, predicate and object.
func like(a, b said.Claim) bool {
	return a.Subject == b.Subject && key(a.Predicate) == key(b.Predicate) && alike(a.Object, b.Object)
}

// alike reports whether one object contains the words of the other.
func alike(a, b string) bool {
	if a != b {
		a, b = text.Fold(a), text.Fold(b)
	}
	return a != "" && b != "" && (a == b || grounding.HoldsWord(a, b) || grounding.HoldsWord(b, a))
}

// Parse parses a claim from content, a text that a model wants to remember. It
// parses the user's sentence that supports content or, if that fails, content
// itself. outright reports whether the claim was parsed from the sentence or the
// sentence contains all of it. names are the user's names.
func Parse(content, sentence string, names []string) (c said.Claim, outright bool) {
	reported, ok := said.Reported(content, names)
	if !ok {
		if own := said.Claims(content, 2); len(own) == 1 { // some models write "I live in Oslo"
			reported, ok = own[0], true
		}
	}
	var meant []said.Claim
	for _, c := range said.Claims(sentence, 0) {
		if ok && (said.Compare(c, reported) == said.Same || like(c, reported)) {
			return c, true
		}
		if grounding.HoldsWord(text.Fold(content), text.Fold(c.Object)) && c.Denied == grounding.Denial.MatchString(content) {
			meant = append(meant, c)
		}
	}
	if ok {
		return reported, sentence != ""
	}
	if len(meant) == 1 {
		return meant[0], true
	}
	return said.Claim{}, false
}

// StatesOutright reports whether a sentence states a claim with this normalised predicate and
// object about its speaker, by the patterns of [said.Claims]: "I moved to Oslo in May" states
// lives_in Oslo; "my brother moved to Oslo" and "I would never move to Oslo" do not.
func StatesOutright(sentence, predicate, object string) bool {
	object = strings.TrimSpace(text.Fold(object))
	return object != "" && slices.ContainsFunc(said.Claims(sentence, 0), func(c said.Claim) bool {
		return c.Subject == "I" && !c.Denied && Predicate(c.Predicate) == predicate && grounding.HoldsWord(text.Fold(c.Object), object)
	})
}

// OwnSentence returns the first sentence of a user's message about themselves, else
// the one that most likely stays true, or "" if none may.
func OwnSentence(message string) (sentence string) {
	if all := said.Claims(message, 1); len(all) > 0 {
		return all[0].Sentence
	}
	likeliest := leastSaved
	for _, s := range said.LastingOf(message) {
		if s.P >= likeliest {
			sentence, likeliest = s.Sentence, s.P
		}
	}
	return sentence
}

// leastSaved is the lowest probability of staying true at which a sentence counts as
// what a model means that saves a claim in words of its own. It is low: that the model
// saves something says much more than the form of the sentence.
const leastSaved = 0.1

// Label sets a memory's subject, predicate, object and temporal type from a
// reading. by is the name of the person who said it, "" for the owner.
func Label(m *schema.Memory, c said.Claim, owner, by string) {
	if !known(c) {
		return
	}
	m.Subject, m.Predicate, m.Object = Stored(c.Subject, owner, by), c.Predicate, c.Object
	if m.Attributes == nil {
		m.Attributes = make(schema.Attributes)
	}
	m.Attributes[schema.AttrTemporal] = string(c.Temporal)
}

// labelled returns the reading stored in the columns of a claim.
func labelled(m *schema.Memory, owner string) said.Claim {
	c := ofKey(schema.ClaimKey{
		Kind: m.Kind, Subject: m.Subject, Predicate: m.Predicate, Object: m.Object, Temporal: m.Attributes[schema.AttrTemporal],
		Drawn: m.RunID != 0 && m.Attributes[schema.AttrSaid] == "",
	}, owner)
	c.Sentence, c.Denied = m.Content, grounding.Denial.MatchString(m.Content)
	return c
}

func ofKey(k schema.ClaimKey, owner string) said.Claim {
	c := said.Claim{
		Subject: spoken(k.Subject, owner), Predicate: k.Predicate, Object: k.Object,
		Preference: k.Kind == schema.KindPreference, Temporal: said.Temporal(k.Temporal),
	}
	if k.Drawn { // worded by a model
		c.Predicate = key(k.Predicate)
	}
	return c
}

// read completes a claim's columns from the sentences that support it and reports
// whether one of them, or a person without a message, states it explicitly. Such a
// person's claim, and one without columns, is parsed from its own words. close are the
// people that memory knows.
func read(m *schema.Memory, owner string, cited []schema.Cited, close people) (c said.Claim, outright bool) {
	c = labelled(m, owner)
	for i := range cited {
		s := &cited[i]
		if !known(c) || !s.OwnWords() || s.Trust < m.Trust || s.Quote == "" {
			continue
		}
		if stated, ok := stating(c, said.Claims(s.Quote, 0, close.of(c)...), owner, s.Speaker); ok {
			return stated, true
		}
	}
	outright = len(cited) == 0 && m.OwnWords()
	if m.Predicate != "" && !outright {
		return c, false
	}
	if own, _ := Parse(m.Content, "", []string{owner}); m.Predicate == "" || like(own, c) {
		c = own
	}
	return c, outright
}

// stating returns the one of a speaker's statements that says what c does.
func stating(c said.Claim, statements []said.Claim, owner, speaker string) (said.Claim, bool) {
	for _, stated := range statements {
		stated.Subject = spoken(Stored(stated.Subject, owner, speaker), owner)
		if like(stated, c) {
			return stated, true
		}
	}
	return said.Claim{}, false
}

// ReadingOf returns the reading of a stored claim that one sentence supports, of which
// statements are what it says, else of its own words.
func ReadingOf(m *schema.Memory, statements []said.Claim, owner, speaker string) said.Claim {
	c := labelled(m, owner)
	if !known(c) {
		return c
	}
	if stated, ok := stating(c, statements, owner, speaker); ok {
		return stated
	}
	if own, _ := Parse(m.Content, "", []string{owner, speaker}); like(own, c) {
		return own
	}
	return c
}
