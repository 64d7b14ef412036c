package tools

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/core"
)

// coreMemoryNames are the tools for core memory.
var coreMemoryNames = []string{"core_memory_update", "core_memory_append"}

// coreMemory makes the tools for core memory for which there is something that a
// model may write: none, one or both.
func coreMemory(blocks []core.BlockSpec) (all []*Tool) {
	if t := coreMemoryUpdate(blocks); t != nil {
		all = append(all, t)
	}
	if t := coreMemoryAppend(blocks); t != nil {
		all = append(all, t)
	}
	return all
}

// section is a place in core memory that a model can name.
type section struct {
	block *core.BlockSpec
	field string // the list in it; "" for the block itself
}

// describe explains the sections to a model.
func describe(sections []string, of func(name string) section) string {
	var b strings.Builder
	for i, name := range sections {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(name)
		s := of(name)
		var notes []string
		if about := strings.TrimRight(s.block.About, ". "); about != "" && s.field == "" {
			notes = append(notes, about)
		}
		if s.block.Writer == core.ModelProposes {
			notes = append(notes, "a change waits for the host's approval")
		}
		if len(notes) > 0 {
			b.WriteString(" (" + strings.ReplaceAll(strings.Join(notes, ", "), ";", ",") + ")")
		}
	}
	return b.String()
}

// unknownSection answers an unknown name with the existing ones.
func unknownSection(d *Deps, args *arguments, name string, sections []string) error {
	if slices.ContainsFunc(d.Blocks, func(s core.BlockSpec) bool { return s.Name == name }) && !slices.Contains(sections, name) {
		return mistakef("%s: section %s cannot be changed by this tool. It takes %s. Nothing was changed.", args.tool.name, name, strings.Join(sections, ", "))
	}
	return mistakef("%s: there is no section %s. Write one of %s, exactly. Nothing was changed.", args.tool.name, quoted(clip(name, 60)), strings.Join(sections, ", "))
}

// coreWrite is one change in progress.
type coreWrite struct {
	d       *Deps
	args    *arguments
	spec    *core.BlockSpec
	edit    func(seen any) core.BlockEdit
	turns   []schema.Memory // the user's, of this session
	verdict Verdict
	reason  string       // of the verdict
	review  bool         // the main agent may allow it
	trust   schema.Trust // of the new text
	before  *core.Block
	after   string
}

// attempts is the maximum number of tries of a change, when other writes come
// between the gate's decision and the write.
const attempts = 50

// write applies the change, or proposes it, or answers why not.
func (w *coreWrite) write(ctx context.Context) (answer string, err error) {
	if w.turns, err = readUserTurns(ctx, w.d); err != nil {
		return "", err
	}
	for range attempts {
		if err := w.prepare(ctx); err != nil {
			return "", w.explain(err)
		}
		if w.after == w.before.Content {
			return fmt.Sprintf("%s holds exactly that already. Nothing was changed.", w.spec.Name), nil
		}
		if err := w.judge(ctx); err != nil {
			return "", err
		}
		err = w.d.DB.Write(ctx, func(ctx context.Context, tx *schema.Tx) error {
			answer, err = w.apply(ctx, tx)
			return err
		})
		if !errors.Is(err, schema.ErrConflict) {
			return answer, err
		}
	}
	return "", err
}

// prepare reads the block and computes its new content.
func (w *coreWrite) prepare(ctx context.Context) error {
	owner := w.spec.Owner(w.d.Scope.Agent)
	w.before = &core.Block{Agent: owner, Name: w.spec.Name, Kind: w.spec.Kind, Trust: schema.MaxTrust}
	if err := w.d.DB.ReadUser(ctx, w.d.Scope, func(ctx context.Context, s *schema.Snapshot, userID int64) (err error) {
		w.before, err = core.ReadOrNew(ctx, s, userID, owner, w.spec.Name, w.spec.Kind)
		return err
	}); err != nil {
		return err
	}
	if w.before.Kind != w.spec.Kind {
		return mistakef("%s: %s has another form in the file than this host describes. Only the host can mend that; tell the user so. Nothing was changed.", w.args.tool.name, w.spec.Name)
	}
	var err error
	w.after, err = w.spec.Next(w.before.Content, w.edit(w.d.BlockSeen(w.spec.Name)), w.d.DB.Now())
	return err
}

// apply writes the change, if the block is still as it was read.
func (w *coreWrite) apply(ctx context.Context, tx *schema.Tx) (string, error) {
	userID, err := tx.UserID(ctx, w.d.Scope)
	if err != nil {
		return "", err
	}
	if w.verdict == VerdictPropose {
		return w.propose(ctx, tx, userID)
	}
	b := *w.before
	b.UserID = userID
	trust := w.trust
	if len(w.spec.Pieces(b.Content)) > 0 {
		trust = min(trust, b.Trust)
	}
	if err := core.Set(ctx, tx, &b, w.after, trust, w.d.Scope.Agent, byModel); err != nil {
		return "", err
	}
	if seen := w.d.BlockSeen(w.spec.Name); seen != nil {
		if believed, err := w.edit(seen)(seen); err == nil {
			tx.OnCommit(func() { w.d.BlockShown(w.spec.Name, believed) })
		}
	}
	return w.spec.Name + " is changed. " + w.left(), nil
}

// left reports the parts of the input that the change did not keep.
func (w *coreWrite) left() string {
	kept := w.spec.Pieces(w.after)
	gone := slices.DeleteFunc(w.spec.Pieces(w.before.Content), func(piece string) bool {
		_, err := time.Parse(time.RFC3339, piece) // a record's stamp
		return err == nil || slices.Contains(kept, piece)
	})
	if len(gone) == 0 {
		return "It is before you from the next turn on."
	}
	return "It is before you from the next turn on. No longer in it: " + quoted(clip(strings.Join(gone, " | "), 200)) + "."
}

// explain describes a conflict to the model: another agent has changed the same
// text.
func (w *coreWrite) explain(err error) error {
	if !errors.Is(err, schema.ErrConflict) {
		return err
	}
	now, _ := w.before.Value()
	w.d.BlockShown(w.spec.Name, now)
	if w.d.Seen != nil {
		w.d.Seen(w.before.Trust)
	}
	return mistakef("%s: %v. %s now holds %s. If your change should still be made, send it again. Nothing was changed.",
		w.args.tool.name, err, w.spec.Name, encode(clipContent(now)))
}

// clipContent limits the content of a block that an answer shows.
func clipContent(v any) any {
	const most = 4000
	if s := encode(v); len(s) > most {
		return clip(s, most)
	}
	return v
}
