package extension

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/internal/claims"
	"github.com/ebbmem/ebb/internal/grounding"
	"github.com/ebbmem/ebb/internal/memory"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// Decisions a person makes about the memory through a host's program or the command
// line. They count as the user's own words.

// Remembered is the result of stating a fact.
type Remembered struct {
	// Memory is the new fact, or the existing one if Known is set.
	Memory Record `json:"memory"`
	Known  bool   `json:"known,omitempty"`
	// Ended are the facts that it replaced.
	Ended []Record `json:"ended,omitempty"`
}

// maxStated is the maximum length of a stated fact, in characters.
const maxStated = 2000

// Remember stores a fact or preference as the user's own word: "I'm allergic to
// nuts", "Ada lives in Oslo". A known fact is not stored again. Facts that it
// replaces are superseded.
//
// Errors: [*InvalidError] for the scope and the content, [*RedactionError],
// [ErrReadOnly], the database's errors.
func (x *Extension) Remember(ctx context.Context, scope Scope, content string) (*Remembered, error) {
	return x.state(ctx, scope, content, nil)
}

// Correct replaces the text of a fact or preference, as the user's own word. The
// old text stays in the history. The replacement of a protected fact is protected.
//
// Errors: those of [Extension.Remember]; [ErrNotFound] for an id that is not this
// user's; [ErrConflict] for a fact that is no longer current; [*InvalidError] for a
// message, and for a text equal to the fact's.
func (x *Extension) Correct(ctx context.Context, scope Scope, id, content string) (*Remembered, error) {
	return x.state(ctx, scope, content, &id)
}

func validStated(content string) error {
	if err := schema.ValidContent("content", content); err != nil {
		return err
	}
	if utf8.RuneCountInString(content) > maxStated {
		return &InvalidError{Field: "content", Reason: "is longer than 2,000 characters; state one fact at a time"}
	}
	return nil
}

func (x *Extension) state(ctx context.Context, scope Scope, content string, instead *string) (r *Remembered, err error) {
	scope = x.db.Complete(scope)
	if err := scope.Validate(); err != nil {
		return nil, err
	}
	content = text.Clean(strings.TrimSpace(content))
	if err := validStated(content); err != nil {
		return nil, err
	}
	if content, err = x.redactor.Text(ctx, "content", content); err != nil {
		return nil, err
	}
	if err := validStated(content); err != nil {
		return nil, err
	}
	chunks := schema.PrepareChunks(content, "")
	reading, _ := claims.Parse(content, "", []string{scope.User})
	err = x.db.Write(ctx, func(ctx context.Context, tx *schema.Tx) error {
		r = &Remembered{}
		userID, err := tx.UserID(ctx, scope)
		if err != nil {
			return err
		}
		m := &schema.Memory{
			UserID: userID, Agent: scope.Agent, SessionName: scope.Session, Kind: schema.KindFact, Content: content,
			EventTime: schema.At(tx.Now), Confidence: 1, Importance: 0.5, DecayRate: schema.DefaultDecayRate, Utility: 0.5,
			Origin: schema.OriginUser, Trust: schema.MaxTrust,
		}
		if m.SessionID, err = tx.SessionID(ctx, userID, scope.Session); err != nil {
			return err
		}
		if grounding.IsPreference(content) || reading.Preference || reading.Wish {
			m.Kind = schema.KindPreference
		}
		claims.Label(m, reading, scope.User, "")
		c := claims.Claim{Memory: m, Chunks: chunks, Reading: reading, Outright: true, Location: x.cfg.Location}
		var old *schema.Memory
		if instead != nil {
			if old, err = toCorrect(ctx, tx, userID, *instead, content); err != nil {
				return err
			}
			m.Kind, m.Tags, m.Importance, c.Corrects = old.Kind, old.Tags, old.Importance, old.ID
		}
		out, err := claims.Add(ctx, tx, scope.User, c, memory.ByHost)
		if err != nil {
			return err
		}
		if old != nil {
			if err := supersedeOld(ctx, tx, old, &out); err != nil {
				return err
			}
		}
		now, err := tx.Memory(ctx, userID, out.Memory.UID)
		if err != nil {
			return err
		}
		r.Memory, r.Known = *now, out.Status != claims.Made
		for _, ended := range out.Ended {
			r.Ended = append(r.Ended, *ended)
		}
		if r.Known {
			return nil
		}
		return x.mem.Announce(ctx, tx, scope, m)
	})
	if err != nil {
		return nil, err
	}
	return r, nil
}

// toCorrect returns the fact to be replaced, or an error if it cannot be.
func toCorrect(ctx context.Context, tx *schema.Tx, userID int64, id, content string) (*schema.Memory, error) {
	old, err := tx.Memory(ctx, userID, id)
	switch {
	case err != nil:
		return nil, err
	case old.Kind == schema.KindEpisode:
		return nil, &InvalidError{Field: "memory_id", Reason: "names a message, and what was said stays as it was; state what is true with Remember"}
	case old.State != schema.StateActive && old.State != schema.StateDormant:
		return nil, notCurrent(ctx, tx, old)
	case old.ContentHash == schema.HashContent(content):
		return nil, &InvalidError{Field: "content", Reason: "is what the fact says already"}
	}
	return old, nil
}

// supersedeOld supersedes the old fact by the stored one, which inherits its protection.
func supersedeOld(ctx context.Context, tx *schema.Tx, old *schema.Memory, out *claims.Outcome) error {
	if out.Memory.ID == old.ID {
		return &InvalidError{Field: "content", Reason: "says what the fact says already"}
	}
	if out.Replaced(old) {
		return nil
	}
	if old.Protected {
		if err := tx.Unprotect(ctx, old, memory.ByHost); err != nil {
			return err
		}
		if err := tx.Protect(ctx, out.Memory, memory.ByHost); err != nil {
			return err
		}
	}
	if err := tx.Supersede(ctx, old, out.Memory, memory.ByHost); err != nil {
		return err
	}
	out.Ended = append(out.Ended, old)
	return nil
}

// Forgotten lists what [Extension.Forget] has hidden.
type Forgotten struct {
	// RunID reverts it, see [Extension.Undo]. It is "" if everything was hidden
	// before.
	RunID  string   `json:"run_id,omitempty"`
	Hidden []Record `json:"hidden,omitempty"`
}

// Forget hides memories at the user's request, with the messages they come from and
// the conclusions drawn from them. Searches do not find them, nights do not read
// them, and earlier messages do not recreate them. If the user states them again
// later, they are remembered again. [Extension.Erase] deletes data from the file;
// Forget does not.
//
// Errors: [*InvalidError] for the scope and if there is no id, [ErrNotFound] for an
// id that is not this user's, [ErrReadOnly], the database's errors.
func (x *Extension) Forget(ctx context.Context, scope Scope, ids ...string) (*Forgotten, error) {
	if len(ids) == 0 {
		return nil, &InvalidError{Field: "memory_id", Reason: "is missing; say what to forget"}
	}
	var f *Forgotten
	err := x.db.WriteUser(ctx, scope, func(ctx context.Context, tx *schema.Tx, userID int64) error {
		changes, err := claims.Forget(ctx, tx, userID, ids...)
		f = &Forgotten{RunID: changes.Run, Hidden: changes.Hidden}
		return err
	})
	if err != nil {
		return nil, err
	}
	return f, nil
}

// Protect protects a fact, given by its id, from fading and from changes by nights
// and models. Given the name or id of an entity (a person, place, project or
// thing), it protects all facts that mention it.
//
// Errors: [ErrNotFound] for what is not this user's; [ErrConflict] for a fact that
// is no longer current; [*InvalidError] for a message, and for an ambiguous name;
// [ErrReadOnly].
func (x *Extension) Protect(ctx context.Context, scope Scope, idOrName string) error {
	return x.protect(ctx, scope, idOrName, true)
}

// Unprotect reverts [Extension.Protect].
//
// Errors: those of [Extension.Protect].
func (x *Extension) Unprotect(ctx context.Context, scope Scope, idOrName string) error {
	return x.protect(ctx, scope, idOrName, false)
}

func (x *Extension) protect(ctx context.Context, scope Scope, what string, protected bool) error {
	if strings.TrimSpace(what) == "" {
		return &InvalidError{Field: "idOrName", Reason: "is empty; give the id of a fact, or the name or id of an entity"}
	}
	if err := schema.ValidLabel("idOrName", what); err != nil {
		return err
	}
	return x.db.WriteUser(ctx, scope, func(ctx context.Context, tx *schema.Tx, userID int64) error {
		if !text.IsID(what) {
			return protectEntity(ctx, tx, userID, what, protected)
		}
		m, err := tx.Memory(ctx, userID, what)
		switch {
		case errors.Is(err, ErrNotFound):
			e, err := tx.Entity(ctx, userID, what)
			if err != nil {
				return err
			}
			return tx.ProtectEntity(ctx, e, protected, memory.ByHost)
		case err != nil:
			return err
		case m.Kind == schema.KindEpisode:
			return &InvalidError{Field: "memory_id", Reason: "names a message, which neither fades nor changes"}
		case m.Protected == protected:
			return nil
		case !protected:
			return tx.Unprotect(ctx, m, memory.ByHost)
		case m.State != schema.StateActive && m.State != schema.StateDormant:
			return notCurrent(ctx, tx, m)
		}
		if err := tx.Protect(ctx, m, memory.ByHost); err != nil {
			return err
		}
		return tx.EndQuestions(ctx, m, memory.ByHost)
	})
}

func protectEntity(ctx context.Context, tx *schema.Tx, userID int64, name string, protected bool) error {
	named, err := tx.EntitiesByName(ctx, userID, name)
	switch {
	case err != nil:
		return err
	case len(named) == 0:
		return fmt.Errorf("no entity has that name: %w", ErrNotFound)
	case len(named) > 1:
		return &InvalidError{Field: "name", Reason: fmt.Sprintf("is borne by %d; give the id of the one that is meant", len(named))}
	}
	return tx.ProtectEntity(ctx, &named[0].Entity, protected, memory.ByHost)
}

// ApproveOption is an option of [Extension.Approve].
type ApproveOption func(*approval)

type approval struct{ anyway bool }

// Anyway approves a proposal even if the user has said something newer since.
func Anyway() ApproveOption { return func(o *approval) { o.anyway = true } }

// NewerError means that the user has said something newer since a proposal was
// made. It is an [ErrConflict].
type NewerError struct {
	// Newer are the current facts that were stored after the proposal.
	Newer []Record
}

func (e *NewerError) Error() string {
	ids := make([]string, len(e.Newer))
	for i := range e.Newer {
		ids[i] = e.Newer[i].UID
	}
	return "the user has said something newer since it was proposed: " + strings.Join(ids, ", ") + "; approve it anyway, or reject it"
}

// Unwrap returns [ErrConflict].
func (e *NewerError) Unwrap() error { return ErrConflict }

// unchanged returns a [*NewerError] if a newer fact concerns one of the proposal's
// claims.
func (o *approval) unchanged(ctx context.Context, tx *schema.Tx, scope Scope, r *schema.PendingChange, about ...*schema.Memory) error {
	if o.anyway {
		return nil
	}
	e := &NewerError{}
	for _, m := range about {
		if m.State == schema.StateSuperseded {
			now, err := current(ctx, tx, m)
			if err == nil && now.CreatedAt.After(r.CreatedAt.Time) {
				e.Newer = append(e.Newer, *now)
			}
			if err != nil && !errors.Is(err, ErrConflict) {
				return err
			}
			continue
		}
		newer, err := claims.Newer(ctx, tx, scope.User, m, r.CreatedAt.Time)
		if err != nil {
			return err
		}
		for _, n := range newer {
			if !slices.ContainsFunc(about, func(m *schema.Memory) bool { return m.ID == n.ID }) {
				e.Newer = append(e.Newer, n)
			}
		}
	}
	if len(e.Newer) == 0 {
		return nil
	}
	return e
}

// current follows supersessions from m to the fact that holds now.
func current(ctx context.Context, tx *schema.Tx, m *schema.Memory) (*schema.Memory, error) {
	for range 32 { // bounded, since a damaged file may contain a cycle
		switch m.State {
		case schema.StateActive, schema.StateDormant:
			return m, nil
		case schema.StateSuperseded:
			next, err := tx.ByID(ctx, m.UserID, []int64{m.SupersededBy})
			if err != nil {
				return nil, err
			}
			if len(next) == 1 {
				m = &next[0]
				continue
			}
		case schema.StateQuarantined, schema.StateRetired, schema.StateForgotten:
		}
		break
	}
	return nil, &staleError{id: m.UID}
}

// staleError means that a fact does not hold any more. It is an [ErrConflict].
type staleError struct {
	id, by string // by: the fact that holds instead, "" for none
}

func (e *staleError) Error() string {
	if e.by != "" {
		return "memory " + e.id + " is no longer current; " + e.by + " replaced it"
	}
	return "memory " + e.id + " is no longer current"
}

// Unwrap returns [ErrConflict].
func (e *staleError) Unwrap() error { return ErrConflict }

// notCurrent returns the error for a fact that does not hold any more.
func notCurrent(ctx context.Context, tx *schema.Tx, m *schema.Memory) error {
	now, err := current(ctx, tx, m)
	if err != nil {
		return err
	}
	return &staleError{m.UID, now.UID}
}

// announceWaiting publishes, in the transaction that stores it, that something
// waits for a person to decide. It calls the host's hook after the commit.
func (x *Extension) announceWaiting(ctx context.Context, tx *schema.Tx, w schema.Waiting) error {
	tenant, user, err := tx.UserByID(ctx, w.UserID)
	if err != nil {
		return err
	}
	scope, waiting := Scope{Tenant: tenant, User: user}, eventbus.Proposed{ID: w.UID, Kind: w.Kind, MemoryID: w.Memory}
	event, err := eventbus.New(eventbus.TopicMemoryProposed, scope, schema.OriginUnknown, waiting)
	if err != nil {
		return err
	}
	event.ID = ""
	tx.OnCommit(func() { x.hook("OnProposal", func() { x.cfg.Hooks.OnProposal(scope, waiting) }) })
	return x.bus.AppendTx(ctx, tx, event)
}
