package claims

import (
	"context"
	"errors"
	"slices"

	"github.com/ebbmem/ebb/internal/grounding"
	"github.com/ebbmem/ebb/internal/said"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// maxForgotten is how many of the memories that a user asked to forget a text is compared with, the
// newest.
const maxForgotten = 1000

// TellsForgotten reports whether a text, of a model's, tells what its user asked to forget and has
// not said since: whether it holds a word that no memory holds but forgotten ones, and that is a
// name, or its sentence has half of its words from one of those or tells most of one. Words of a
// request to forget are no such words.
func TellsForgotten(ctx context.Context, db *schema.DB, owner schema.Scope, content string) (tells bool, err error) {
	var near []forgotten
	err = db.ReadUser(ctx, owner, func(ctx context.Context, s *schema.Snapshot, userID int64) (err error) {
		near, err = forgottenLike(ctx, s, userID, owner.User, content)
		return err
	})
	if err != nil || len(near) == 0 {
		return false, err
	}
	err = db.WriteUser(ctx, owner, func(ctx context.Context, tx *schema.Tx, userID int64) error {
		tells = false
		living := make(map[string]bool)
		for i := range near {
			for _, term := range near[i].shared {
				if _, known := living[term]; !known {
					if living[term], err = isLiving(ctx, tx, userID, term); err != nil {
						return err
					}
				}
			}
			tells = tells || near[i].toldBy(content, owner.User, living)
		}
		return nil
	})
	return tells, err
}

// forgotten is a forgotten memory that has words in common with a text.
type forgotten struct {
	terms  []string
	names  map[string]bool // the terms of the names in it
	shared []string
}

func forgottenLike(ctx context.Context, s *schema.Snapshot, userID int64, owner, content string) (near []forgotten, err error) {
	terms := termsBut(owner, content)
	all, err := s.Forgotten(ctx, userID, maxForgotten)
	for i := range all {
		hidden := all[i].Content
		f := forgotten{terms: text.QueryTerms(hidden, 0)}
		for _, term := range f.terms {
			if slices.Contains(terms, term) {
				f.shared = append(f.shared, term)
			}
		}
		if len(f.shared) == 0 || isRequest(&all[i]) {
			continue
		}
		var names []string
		for _, m := range text.Mentions(hidden) {
			if m.Type != text.MentionDate {
				names = append(names, m.Text)
			}
		}
		f.names = text.TermsOf(names...)
		near = append(near, f)
	}
	return near, err
}

// termsBut returns the terms of a text without the name of its user, who is "I" in messages.
func termsBut(owner, s string) []string {
	called := text.TermsOf(owner)
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

// isLiving reports whether a memory that is not forgotten holds a term.
func isLiving(ctx context.Context, tx *schema.Tx, userID int64, term string) (bool, error) {
	if err := tx.IndexText(); err != nil {
		return false, err
	}
	rows, err := tx.Mentioning(ctx, userID, term)
	if err != nil {
		return false, err
	}
	living := rows.Next()
	return living, errors.Join(rows.Err(), rows.Close())
}

// toldBy reports whether a text tells a forgotten memory, given which terms others hold.
func (f *forgotten) toldBy(content, owner string, living map[string]bool) bool {
	only := slices.DeleteFunc(slices.Clone(f.shared), func(term string) bool { return living[term] })
	if slices.ContainsFunc(only, func(term string) bool { return f.names[term] }) {
		return true
	}
	for _, sentence := range grounding.Sentences(content) {
		terms, same, alone := termsBut(owner, sentence), 0, false
		for _, term := range terms {
			if slices.Contains(f.terms, term) {
				same++
			}
			alone = alone || slices.Contains(only, term)
		}
		if alone && (2*same >= len(terms) || 2*same > len(f.terms)) {
			return true
		}
	}
	return false
}
