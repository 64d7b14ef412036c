package claims

import (
	"context"
	"slices"

	"github.com/ebbmem/ebb/internal/orders"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// claimed returns the user's claims that a request of the message may mean.
func (w *reading) claimed(ctx context.Context) ([]schema.Memory, error) {
	all, err := w.in.Known().Claims(ctx, w.UserID, claimsRead)
	if err != nil {
		return nil, err
	}
	return w.withoutOthers(ctx, all)
}

// withoutOthers leaves out what a request cannot mean: what was said after it, or again since, as
// in a history that is imported late, what only other people in the conversation have said, and
// what is about another project, unless it names that.
// The owner of the memory may also mean what was said by those that she names.
func (w *reading) withoutOthers(ctx context.Context, memories []schema.Memory) ([]schema.Memory, error) {
	cited, err := citedBy(ctx, w.in.Known(), memories)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(memories, func(m schema.Memory) bool {
		if m.EventTime.After(w.EventTime.Time) || w.ofOtherProject(&m) {
			return true
		}
		var speakers []string
		if m.Kind == schema.KindEpisode && m.Role == "user" {
			speakers = []string{m.Speaker}
		}
		for _, c := range cited[m.ID] {
			if w.saidSince(&c) {
				return true
			}
			if c.Role == "user" {
				speakers = append(speakers, c.Speaker)
			}
		}
		return len(speakers) > 0 && !slices.ContainsFunc(speakers, w.mayName)
	}), nil
}

// citedBy returns the sources of memories, by memory.
func citedBy(ctx context.Context, known schema.KnownReads, memories []schema.Memory) (map[int64][]schema.Cited, error) {
	ids := make([]int64, len(memories))
	for i := range memories {
		ids[i] = memories[i].ID
	}
	all, err := known.Cited(ctx, ids)
	cited := make(map[int64][]schema.Cited, len(memories))
	for _, c := range all {
		cited[c.MemoryID] = append(cited[c.MemoryID], c)
	}
	return cited, err
}

// ofOtherProject reports whether a memory is about a project that the message neither is written in
// nor names.
func (w *reading) ofOtherProject(m *schema.Memory) bool {
	project, here := m.Attributes[schema.AttrProject], w.Attributes[schema.AttrProject]
	if here == "" || project == "" || project == here || m.Kind == schema.KindEpisode && !orders.Here(m.Content) {
		return false
	}
	said, name := text.TermsOf(w.Content), text.Terms(project)
	return len(name) == 0 || slices.ContainsFunc(name, func(term string) bool { return !said[term] })
}

// saidSince reports whether a source of a claim is a message after this one that the request may
// mean: what others have said since takes nothing back.
func (w *reading) saidSince(c *schema.Cited) bool {
	return c.Role == "user" && c.Time.After(w.EventTime.Time) && w.mayName(c.Speaker)
}

// speaks reports whether a name is that of the message's speaker, "Ada" that of "Ada Lovelace".
func (w *reading) speaks(name string) bool {
	owner := func(name string) bool { return name == "" || isOwner(name, w.owner.User) }
	if owner(name) || owner(w.Speaker) {
		return owner(name) && owner(w.Speaker)
	}
	return isOwner(name, w.Speaker) || isOwner(w.Speaker, name)
}

// mayName reports whether a request of the message may mean what somebody of that name said.
func (w *reading) mayName(name string) bool {
	if w.speaks(name) {
		return true
	}
	words := text.Terms(w.Content)
	return w.speaks("") && slices.ContainsFunc(text.Terms(name), func(part string) bool { return slices.Contains(words, part) })
}
