package tools

import (
	"context"
	"errors"
	"regexp"
	"strings"

	"github.com/ebbmem/ebb/schema"
)

// The ids of a memory, anywhere in a model's text.
var (
	idShape    = regexp.MustCompile(`[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}`)
	shortShape = regexp.MustCompile(`\b[mM][0-9]{1,9}\b`)
)

// memoryID reads the memory_id parameter, a public id or one that was shown in
// this conversation, also with quotes or words around it.
func memoryID(d *Deps, args *arguments) (string, error) {
	written := args.text("memory_id")
	if args.err != nil {
		return "", args.err
	}
	if found := idShape.FindAllString(written, 2); len(found) == 1 {
		return strings.ToLower(found[0]), nil
	}
	if found := shortShape.FindAllString(written, 2); len(found) == 1 {
		uid, known := d.Full(strings.ToLower(found[0]))
		if !known {
			return "", mistakef("%s: no record was shown as %s in this conversation; ids from other conversations do not count. Use search_memory and copy the id of the record you mean. Nothing was changed.",
				args.tool.name, found[0])
		}
		return uid, nil
	}
	return written, nil
}

// unknownMemory answers an id that does not exist or belongs to another user.
func unknownMemory(args *arguments, id string) error {
	return mistakef("%s: there is no memory with the id %s. Use search_memory and copy the id of the record you mean. Nothing was changed.",
		args.tool.name, quoted(clip(id, 60)))
}

// currentClaim checks that a memory can still be corrected or confirmed: a claim,
// not an episode, and neither replaced nor dormant.
func currentClaim(d *Deps, args *arguments, m *schema.Memory, replacement string) error {
	switch {
	case m.Kind == schema.KindEpisode:
		return mistakef("%s: %s is an episode, a message as it was said, and what was said stays as it was. "+
			"If it led to a fact, use that fact's id; if not, use remember_fact to state what is true. Nothing was changed.", args.tool.name, d.Short(m.UID))
	case m.State == schema.StateForgotten:
		return mistakef("%s: the user asked to forget what %s says. Do not bring it up. Nothing was changed.", args.tool.name, d.Short(m.UID))
	case m.State == schema.StateSuperseded && replacement != "":
		return mistakef("%s: %s is no longer current; %s replaced it. Use that id. Nothing was changed.", args.tool.name, d.Short(m.UID), d.Short(replacement))
	case m.State == schema.StateSuperseded || m.State == schema.StateRetired || !m.ValidUntil.IsZero():
		return mistakef("%s: %s is no longer current. Search for the record that is. Nothing was changed.", args.tool.name, d.Short(m.UID))
	}
	return nil
}

// replacementOf returns the id of the memory that superseded m, "" for none.
func replacementOf(ctx context.Context, s *schema.Snapshot, m *schema.Memory) (string, error) {
	if m.SupersededBy == 0 {
		return "", nil
	}
	found, err := s.MemoriesByID(ctx, m.UserID, []int64{m.SupersededBy})
	if err != nil || len(found) == 0 {
		return "", err
	}
	return found[0].UID, nil
}

// readClaim reads the memory of an id in order to change it.
func readClaim(ctx context.Context, d *Deps, s *schema.Snapshot, args *arguments, id string) (*schema.Memory, error) {
	userID, err := s.UserID(ctx, d.Scope)
	if err != nil {
		return nil, err
	}
	if userID == 0 {
		return nil, unknownMemory(args, id)
	}
	m, err := s.Memory(ctx, userID, id)
	if errors.Is(err, schema.ErrNotFound) {
		return nil, unknownMemory(args, id)
	}
	if err != nil {
		return nil, err
	}
	replacement, err := replacementOf(ctx, s, m)
	if err != nil {
		return nil, err
	}
	return m, currentClaim(d, args, m, replacement)
}

// quoted returns a text as data for use inside a sentence.
func quoted(s string) string { return encode(clip(s, 300)) }

// readCorrected is readClaim for a claim to correct. The user's latest message may
// have ended it already; then the claim extracted from that message is corrected.
func readCorrected(ctx context.Context, d *Deps, s *schema.Snapshot, args *arguments, id string) (*schema.Memory, error) {
	m, err := readClaim(ctx, d, s, args, id)
	if err == nil || m == nil || m.State != schema.StateSuperseded || m.SupersededBy == 0 {
		return m, err
	}
	next, reading := s.MemoriesByID(ctx, m.UserID, []int64{m.SupersededBy})
	if reading != nil {
		return nil, reading
	}
	if len(next) == 1 && next[0].State == schema.StateActive && next[0].Attributes[schema.AttrSaid] != "" {
		return &next[0], nil
	}
	return m, err
}
