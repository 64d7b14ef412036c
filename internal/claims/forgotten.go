package claims

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/ebbmem/ebb/internal/names"
	"github.com/ebbmem/ebb/internal/said"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/internal/topics"
	"github.com/ebbmem/ebb/schema"
)

// maxForgotten is how many of the memories that a user asked to forget a text is compared with, the
// newest.
const maxForgotten = 1000

// TellsForgotten reports whether a text, of a model's, tells what its user asked to forget and has
// not said since: whether it holds a word that no memory holds but forgotten ones, and that is a
// name, though not that of its subject, of a place or one that everybody knows, or its sentence has
// half of its words from one of those or tells most of one, and nothing that was said since: "Ada
// lives in Oslo" tells nothing of a forgotten address once she has said Oslo. Words of a request to
// forget are no such words.
func TellsForgotten(ctx context.Context, db *schema.DB, owner schema.Scope, content string) (tells bool, err error) {
	err = db.ReadUser(ctx, owner, func(ctx context.Context, s *schema.Snapshot, userID int64) error {
		near, last, err := forgottenLike(ctx, s, userID, owner.User, content)
		newest := make(map[string]int64) // memory with a term
		find := func(term string) (id int64, err error) {
			id, known := newest[term]
			if !known {
				id, err = newestWith(ctx, s, userID, term)
				newest[term] = id
			}
			return id, err
		}
		for i := 0; i < len(near) && !tells && err == nil; i++ {
			tells, err = near[i].toldBy(content, owner.User, last, find)
		}
		return err
	})
	return tells, err
}

// forgotten is a forgotten memory that has words in common with a text.
type forgotten struct {
	terms  []string        // but those of its subject
	names  map[string]bool // the terms of the names in it
	places map[string]bool // and of those that everybody knows, or of where something was
	shared []string
}

func forgottenLike(ctx context.Context, s *schema.Snapshot, userID int64, owner, content string) (near []forgotten, last int64, err error) {
	terms := termsBut(owner, content)
	all, err := s.Forgotten(ctx, userID, maxForgotten)
	for i := range all {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		last = max(last, all[i].ID)
		hidden := all[i].Content
		var subjects, others, places []string
		for _, m := range text.Mentions(hidden) {
			switch {
			case m.Type == text.MentionDate:
			case strings.Count(hidden[:m.Start], " ") < subjectWords && names.IsGiven(text.Fold(m.Text)):
				subjects = append(subjects, m.Text)
			case names.Parse(m.Text).Person() < names.KnownName && (!topics.Of(m.Text).Empty() || atPlace.MatchString(hidden[:m.Start])):
				places = append(places, m.Text) // much else may be said of "Google" or of where something was
			default:
				others = append(others, m.Text)
			}
		}
		f, of := forgotten{names: text.TermsOf(others...), places: text.TermsOf(places...)}, text.TermsOf(subjects...)
		f.terms = slices.DeleteFunc(text.QueryTerms(hidden, 0), func(term string) bool { return of[term] })
		f.shared = slices.DeleteFunc(slices.Clone(f.terms), func(term string) bool { return !slices.Contains(terms, term) })
		if len(f.shared) == 0 || isRequest(&all[i]) {
			continue
		}
		near = append(near, f)
	}
	return near, last, err
}

// atPlace matches what ends before the name of a place or an organisation: "my boss at".
var atPlace = regexp.MustCompile(`(?i)(?:^|[^\pL])(?:at|in|near|from|bei|beim|im|aus|nahe|en|cerca de)(?: (?:the|el|la))? $|[在从從]$`)

// subjectWords is how many words at most stand before a name that is the subject: "My brother Ben is in prison".
const subjectWords = 3

// termsBut returns the terms of a text without the name of its user and "user", who is "I" in messages.
func termsBut(owner, s string) []string {
	called := text.TermsOf(owner, "user Nutzer Nutzerin usuario usuaria 用户")
	return slices.DeleteFunc(text.QueryTerms(s, 0), func(term string) bool { return called[term] })
}

// isRequest reports whether a forgotten message is the request, which hides itself too, when
// it is carried out.
func isRequest(m *schema.Memory) bool {
	if !m.ForgottenAt().Equal(m.EventTime.Time) || len(ToForget(m.Content)) == 0 {
		return false
	}
	unstored, _ := said.Unstored(m.Content)
	return !unstored
}

// newestWith returns the row id of the newest memory that is not forgotten and holds a term, zero without one.
func newestWith(ctx context.Context, s *schema.Snapshot, userID int64, term string) (newest int64, err error) {
	rows, err := s.Known().Mentioning(ctx, userID, term)
	if err != nil {
		return 0, err
	}
	for err == nil && rows.Next() {
		var id int64
		err = rows.Scan(&id)
		newest = max(newest, id)
	}
	return newest, errors.Join(err, rows.Err(), rows.Close())
}

// ownPlace reports whether a sentence about the user has a place that only the forgotten memory names:
// "Ada lost her job at Siemens" for "I got fired from Siemens".
func (f *forgotten) ownPlace(sentence, owner string, only map[string]bool) bool {
	return len(termsBut(owner, sentence)) < len(text.QueryTerms(sentence, 0)) && slices.ContainsFunc(text.Mentions(sentence), func(m text.Mention) bool {
		return toPlace.MatchString(sentence[:m.Start]) && slices.ContainsFunc(text.Terms(m.Text), func(term string) bool { return f.places[term] && only[term] })
	})
}

// toPlace matches like [atPlace], also what ends before where somebody goes: "Ada flies to".
var toPlace = regexp.MustCompile(`(?i)(?:^|[^\pL])(?:at|in|near|from|to|through|on|by|with|bei|beim|im|aus|nahe|zu|zur|zum|nach|en|cerca de|por)(?: (?:the|der|dem|el|la))? $|[在从從去到]\pZ*$`)

// toldBy reports whether a text tells a forgotten memory. find returns the newest memory that is not
// forgotten and holds a term, zero for none; what is newer than last was said since.
func (f *forgotten) toldBy(content, owner string, last int64, find func(term string) (int64, error)) (bool, error) {
	only := make(map[string]bool) // of its terms those that it alone holds
	for _, term := range f.shared {
		id, err := find(term)
		if err != nil {
			return false, err
		}
		if only[term] = id == 0; only[term] && f.names[term] {
			return true, nil
		}
	}
	for _, sentence := range text.Sentences(content) {
		if f.ownPlace(sentence, owner, only) {
			return true, nil
		}
		var beside []string
		terms, alone := termsBut(owner, sentence), false
		for _, term := range terms {
			if !slices.Contains(f.terms, term) {
				beside = append(beside, term)
			}
			alone = alone || only[term]
		}
		same := len(terms) - len(beside)
		if !alone || 2*same < len(terms) && 2*same <= len(f.terms) {
			continue
		}
		since := false
		for _, term := range beside {
			id, err := find(term)
			if err != nil {
				return false, err
			}
			since = since || id > last
		}
		if !since {
			return true, nil
		}
	}
	return false, nil
}
