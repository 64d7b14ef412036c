package erase

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// statement is what a memory says, by column. The text index holds what it says in its
// text and its tags; its labels stand in their columns alone.
type statement struct {
	content, speaker string
	tags             schema.Strings
	subject, object  string
	attributes       schema.Attributes
}

// statementColumns are the columns of a statement, see fields.
const statementColumns = "content, speaker, tags, " + labelColumns

const labelColumns = "coalesce(subject, ''), coalesce(object, ''), attributes"

func (s *statement) fields() []any {
	return append([]any{&s.content, &s.speaker, &s.tags}, s.labelFields()...)
}

func (s *statement) labelFields() []any { return []any{&s.subject, &s.object, &s.attributes} }

func (s *statement) text() string {
	return strings.Join(append([]string{s.content, s.speaker}, s.tags...), "\n")
}

// theUser is the subject of most claims, a word of ebb's.
const theUser = "the user"

// labels are the subject, the object, and the attributes that are not in words of ebb.
func (s *statement) labels() string {
	labels := []string{s.object}
	if s.subject != theUser {
		labels = append(labels, s.subject)
	}
	for name, value := range s.attributes {
		if !ownWords(name) {
			labels = append(labels, value)
		}
	}
	return strings.Join(labels, "\n")
}

func (s *statement) all() string { return s.text() + "\n" + s.labels() }

// ownWords reports whether the values of an attribute are words of ebb: all of its own
// but for the questions of a reflection, which a model words.
func ownWords(attribute string) bool {
	return schema.OwnAttribute(attribute) && attribute != schema.AttrQuestions
}

// vocabulary holds the words and the public ids of what is being erased. A text that a
// model made from it, such as a summary, a proposal or a reason, reveals it by an id, or
// by a word that no remaining message or claim holds.
type vocabulary struct {
	batch *batch
	said  map[string]standing // by term
	uids  map[string]bool
	odd   []string        // those of uids that are no run of characters of an id
	saved map[int64]bool  // what models saved without a source
	only  map[asked]bool  // cache: whether no other memory of the user holds the term
	other map[string]bool // cache: the terms of said in the labels of other memories; nil before it is needed

	through [2]int64 // the user's last chunk and change when refresh looked last
}

// asked is a term that is looked for: among all messages and claims, or not in saved.
type asked struct {
	term         string
	withoutSaved bool
}

// standing is where a term of what is being erased stands.
type standing struct {
	claimed bool // in a message or a claim, not only in a conclusion
	indexed bool // in what the text index holds, not only in labels
	message bool // in a message
}

func newVocabulary(b *batch) *vocabulary {
	return &vocabulary{batch: b, said: make(map[string]standing), uids: make(map[string]bool), only: make(map[asked]bool)}
}

func (v *vocabulary) add(s string, in standing) {
	for _, term := range text.Terms(s) {
		at := v.said[term]
		v.said[term] = standing{at.claimed || in.claimed, at.indexed || in.indexed, at.message || in.message}
	}
}

func (v *vocabulary) addUID(uid string) {
	if !v.uids[uid] && strings.ContainsFunc(uid, betweenIDs) {
		v.odd = append(v.odd, uid)
	}
	v.uids[uid] = true
}

// addPayload adds the texts and numbers of a message's payload, not the names of its
// fields.
func (v *vocabulary) addPayload(payload string) {
	value, err := decode(payload)
	if err != nil {
		value = payload
	}
	v.addValue(value)
}

func (v *vocabulary) addValue(value any) {
	switch value := value.(type) {
	case string:
		v.add(value, standing{claimed: true, message: true})
	case json.Number:
		v.add(value.String(), standing{claimed: true, message: true})
	case []any:
		for _, in := range value {
			v.addValue(in)
		}
	case map[string]any:
		for _, in := range value {
			v.addValue(in)
		}
	}
}

// betweenIDs reports whether a character ends an id.
func betweenIDs(r rune) bool {
	return r != '-' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
}

// names reports whether a text holds a public id.
func (v *vocabulary) names(s string) bool {
	for id := range strings.FieldsFuncSeq(s, betweenIDs) {
		if v.uids[id] {
			return true
		}
	}
	return slices.ContainsFunc(v.odd, func(uid string) bool { return strings.Contains(s, uid) })
}

// reset clears the caches, after more targets were added.
func (v *vocabulary) reset() {
	clear(v.only)
	v.other = nil
}

// refresh clears the caches if the user has said or changed anything since it was called
// last: in a sweep, whose transactions let others write, targets alone hold a term no
// longer once it is said again.
func (v *vocabulary) refresh(ctx context.Context) error {
	var now [2]int64
	first, last := schema.ChunkRange(v.batch.userID)
	err := v.batch.tx.Row(ctx, `SELECT coalesce((SELECT max(id) FROM chunks WHERE id BETWEEN ? AND ?), 0), coalesce((SELECT max(id) FROM ops WHERE user_id = ?), 0)`,
		[]any{first, last, v.batch.userID}, &now[0], &now[1])
	if now != v.through {
		v.reset()
		v.through = now
	}
	return err
}

// reveals reports whether s holds a term of the targets that no remaining message or
// claim holds. Function words do not count.
func (v *vocabulary) reveals(ctx context.Context, s string) (bool, error) {
	return v.holdsTermOf(ctx, s, false, func(standing) bool { return true })
}

// revealsClaim is reveals for conclusions: terms that they share with other
// conclusions are the model's own.
func (v *vocabulary) revealsClaim(ctx context.Context, s string) (bool, error) {
	return v.holdsTermOf(ctx, s, false, func(in standing) bool { return in.claimed })
}

// revealsMessage is reveals for what models saved without a source, this and others like
// it left aside.
func (v *vocabulary) revealsMessage(ctx context.Context, s string) (bool, error) {
	return v.holdsTermOf(ctx, s, true, func(in standing) bool { return in.message })
}

func (v *vocabulary) holdsTermOf(ctx context.Context, s string, withoutSaved bool, counts func(standing) bool) (bool, error) {
	for _, term := range text.Terms(s) {
		if in, known := v.said[term]; !known || !counts(in) || text.IsStopWord(term) {
			continue
		}
		only, err := v.onlySaidThere(ctx, asked{term, withoutSaved})
		if only || err != nil {
			return only, err
		}
	}
	return false, nil
}

func (v *vocabulary) onlySaidThere(ctx context.Context, of asked) (bool, error) {
	if only, known := v.only[of]; known {
		return only, nil
	}
	only, err := v.notIndexed(ctx, of)
	if only && err == nil && !v.said[of.term].indexed {
		err = v.readLabels(ctx)
		only = !v.other[of.term]
	}
	if err == nil {
		v.only[of] = only
	}
	return only, err
}

func (v *vocabulary) notIndexed(ctx context.Context, of asked) (bool, error) {
	if err := v.batch.tx.IndexText(); err != nil {
		return false, err
	}
	rows, err := v.batch.tx.Known().Mentioning(ctx, v.batch.userID, of.term)
	if err != nil {
		return false, err
	}
	defer rows.Close()
	for rows.Next() {
		var memory int64
		if err := rows.Scan(&memory); err != nil {
			return false, err
		}
		if v.batch.targets[memory] == nil && !(of.withoutSaved && v.saved[memory]) {
			return false, nil
		}
	}
	return true, rows.Err()
}

// readLabels finds the terms that the labels of remaining messages and claims hold.
func (v *vocabulary) readLabels(ctx context.Context) error {
	if v.other != nil {
		return nil
	}
	other := make(map[string]bool)
	var id int64
	var s statement
	err := schema.Each(ctx, v.batch.tx.Query, append([]any{&id}, s.labelFields()...), func() error {
		if v.batch.targets[id] == nil {
			for _, term := range text.Terms(s.labels()) {
				if _, known := v.said[term]; known {
					other[term] = true
				}
			}
		}
		s = statement{}
		return nil
	}, `SELECT id, `+labelColumns+` FROM memories m WHERE user_id = ? AND kind <> 'reflection' AND state <> 'forgotten' AND (attributes <> '{}' OR subject <> '' OR object <> '')
		AND NOT EXISTS (SELECT 1 FROM erasing x WHERE x.record = 'memories' AND x.id = m.id)`, v.batch.userID)
	if err == nil {
		v.other = other
	}
	return err
}
