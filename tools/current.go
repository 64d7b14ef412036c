package tools

import (
	"context"
	"errors"
	"regexp"
	"strings"

	"github.com/ebbmem/ebb/schema"
)

// The ids of a memory wherever they stand in what a model wrote.
var (
	idShape    = regexp.MustCompile(`[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}`)
	shortShape = regexp.MustCompile(`\b[mM][0-9]{1,9}\b`)
)

// memoryID reads the memory_id parameter, a public id or one that was shown in
// this conversation, also with quotes or words around it.
func memoryID(d *Deps, args arguments) (string, error) {
	written, err := args.text("memory_id")
	if err != nil {
		return "", err
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

// unknownMemory is what an id gets that does not exist or is another user's.
func unknownMemory(args arguments, id string) error {
	return mistakef("%s: there is no memory with the id %s. Use search_memory and copy the id of the record you mean. Nothing was changed.",
		args.tool.name, quoted(clip(id, 60)))
}

// currentClaim checks that a memory can still be corrected or confirmed: a
// claim, not an episode, and not replaced or put away.
func currentClaim(d *Deps, args arguments, m *schema.Memory, replacement string) error {
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

// replacementOf is the id of the memory that superseded m; "" for none.
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

// readClaim reads the memory that args name, for a change.
func readClaim(ctx context.Context, d *Deps, s *schema.Snapshot, userID int64, args arguments, id string) (*schema.Memory, error) {
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

// quoted shows a text inside a sentence, as data.
func quoted(s string) string { return encode(clip(s, 300)) }
