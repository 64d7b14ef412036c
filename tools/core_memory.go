package tools

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ebbmem/ebb/internal/poison"
	"github.com/ebbmem/ebb/schema"
)

// ProposalBlock is the kind of a proposal to change a block of core memory; its
// payload is a [BlockChange].
const ProposalBlock = "block"

// BlockChange is a change of a block that waits for the host.
type BlockChange struct {
	Block      string           `json:"block"`
	Owner      string           `json:"owner,omitempty"` // the agent whose block it is
	Kind       schema.BlockKind `json:"kind"`
	Content    string           `json:"content"` // as it was when the change was proposed
	NewContent string           `json:"new_content"`
	Agent      string           `json:"agent,omitempty"` // as which the model asked
}

// BlockWrite is a change of core memory that a model asks for.
type BlockWrite struct {
	Scope  schema.Scope
	Block  schema.BlockSpec
	Before string // the whole content
	After  string
	// Trust is the lowest of what the new text can come from.
	Trust schema.Trust
}

// Verdict is what becomes of a write.
type Verdict string

// The verdicts, from the mildest. What is none of them refuses.
const (
	VerdictAllow   Verdict = "allow"
	VerdictPropose Verdict = "propose" // wait for the host's approval
	VerdictRefuse  Verdict = "refuse"
)

// stricter is the stricter of two verdicts.
func stricter(a, b Verdict) Verdict {
	order := []Verdict{VerdictAllow, VerdictPropose, VerdictRefuse}
	at := func(v Verdict) int {
		if i := slices.Index(order, v); i >= 0 {
			return i
		}
		return len(order) - 1
	}
	return order[max(at(a), at(b))]
}

// coreMemoryNames are the tools for core memory.
var coreMemoryNames = []string{"core_memory_update", "core_memory_append"}

// coreMemory makes the tools for core memory, as far as there is something that
// a model may write: none, one or both.
func coreMemory(blocks []schema.BlockSpec) (all []*Tool) {
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
	block *schema.BlockSpec
	field string // the list in it; "" for the block itself
}

// describe says for a model what the sections are for.
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
		if s.block.Writer == schema.ModelProposes {
			notes = append(notes, "a change waits for the host's approval")
		}
		if len(notes) > 0 {
			b.WriteString(" (" + strings.ReplaceAll(strings.Join(notes, ", "), ";", ",") + ")")
		}
	}
	return b.String()
}

// unknownSection answers a name that is none, by what there is.
func unknownSection(d *Deps, args arguments, name string, sections []string) error {
	if slices.ContainsFunc(d.Blocks, func(s schema.BlockSpec) bool { return s.Name == name }) && !slices.Contains(sections, name) {
		return mistakef("%s: section %s cannot be changed by this tool. It takes %s. Nothing was changed.", args.tool.name, name, strings.Join(sections, ", "))
	}
	return mistakef("%s: there is no section %s. Write one of %s, exactly. Nothing was changed.", args.tool.name, quoted(clip(name, 60)), strings.Join(sections, ", "))
}

// coreWrite is one change on its way.
type coreWrite struct {
	d       *Deps
	args    arguments
	spec    *schema.BlockSpec
	edit    func(seen any) schema.BlockEdit
	turns   []schema.Memory // the user's, of this session
	verdict Verdict
	reason  string       // of the verdict
	trust   schema.Trust // of what is new
	before  *schema.Block
	after   string
}

// attempts bounds how often a change is made anew since another one came
// between what the gate was asked and the write.
const attempts = 50

// write carries the change out, or proposes it, or says why not.
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

// prepare reads the block and works out what it would become.
func (w *coreWrite) prepare(ctx context.Context) error {
	owner := w.spec.Owner(w.d.Scope.Agent)
	w.before = &schema.Block{Agent: owner, Name: w.spec.Name, Kind: w.spec.Kind, Trust: schema.MaxTrust}
	if err := w.d.DB.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		userID, err := s.UserID(ctx, w.d.Scope)
		if err != nil || userID == 0 {
			return err
		}
		b, err := s.Block(ctx, userID, owner, w.spec.Name)
		if errors.Is(err, schema.ErrNotFound) {
			return nil
		}
		if err == nil {
			w.before = b
		}
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

// judge decides what becomes of the change: what the block lets a model do, what
// nobody vouches for, what the host's gate says. The strictest holds.
func (w *coreWrite) judge(ctx context.Context) error {
	w.verdict, w.reason = VerdictAllow, ""
	tighten := func(v Verdict, reason string) {
		if strict := stricter(w.verdict, v); strict != w.verdict {
			w.verdict, w.reason = strict, reason
		}
	}
	if w.spec.Writer != schema.ModelWrites {
		tighten(VerdictPropose, "only the host changes "+w.spec.Name)
	}
	fresh := w.fresh()
	w.trust = w.d.TurnTrust()
	if own := w.ownWords(fresh); own {
		w.trust = schema.MaxTrust
	}
	hearsay := schema.Memory{Origin: schema.OriginAssistant, Trust: w.trust}
	if hearsay.Hearsay() && !w.d.Hearsay {
		tighten(VerdictPropose, "the conversation has seen texts that nobody vouches for")
	}
	if w.verdict == VerdictAllow {
		if order := w.order(fresh); order != "" {
			return mistakef("%s: %s reads like an instruction, and no message of the user's in this session says it. "+
				"Core memory is before every later turn, so orders do not go there. Write what happened and what was learnt from it, not what to do. Nothing was changed.",
				w.args.tool.name, quoted(clip(order, 80)))
		}
	}
	if w.d.Gate != nil {
		v, reason := w.d.Gate(ctx, BlockWrite{Scope: w.d.Scope, Block: *w.spec, Before: w.before.Content, After: w.after, Trust: w.trust})
		tighten(v, reason)
	}
	if w.verdict == VerdictRefuse {
		return mistakef("%s: the host does not allow this change of %s%s. Nothing was changed.", w.args.tool.name, w.spec.Name, because(w.reason))
	}
	return nil
}

func because(reason string) string {
	if reason = strings.TrimRight(reason, ". "); reason != "" {
		return " (" + reason + ")"
	}
	return ""
}

// fresh are the texts that the change brings.
func (w *coreWrite) fresh() []string {
	old := w.spec.Pieces(w.before.Content)
	return slices.DeleteFunc(w.spec.Pieces(w.after), func(piece string) bool { return slices.Contains(old, piece) })
}

// ownWords reports that the user has said all that is new.
func (w *coreWrite) ownWords(fresh []string) bool {
	return len(fresh) > 0 && !slices.ContainsFunc(fresh, func(piece string) bool { return back(piece, w.turns, w.d) == nil })
}

// order is a text that reads like an instruction and is not the user's own; ""
// for none. What is new is looked at together, too, and together with what is
// there: an order could come in two halves.
func (w *coreWrite) order(fresh []string) string {
	var own, others []string
	for _, piece := range fresh {
		b := back(piece, w.turns, w.d)
		switch {
		case b != nil && poison.InspectClaim(b.quote) != "":
			own = append(own, piece)
		case poison.InspectClaim(piece) != "":
			return piece
		default:
			others = append(others, piece)
		}
	}
	if together := strings.Join(others, " "); len(others) > 1 && poison.InspectClaim(together) != "" {
		return together
	}
	all := slices.DeleteFunc(w.spec.Pieces(w.after), func(piece string) bool { return slices.Contains(own, piece) })
	if len(others) > 0 && poison.InspectClaim(strings.Join(all, " ")) != "" && poison.InspectClaim(strings.Join(w.spec.Pieces(w.before.Content), " ")) == "" {
		return others[len(others)-1]
	}
	return ""
}

// apply is the write, for the block as it was read.
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
	if err := tx.SetBlock(ctx, &b, w.after, trust, w.d.Scope.Agent, byModel); err != nil {
		return "", err
	}
	if seen := w.d.BlockSeen(w.spec.Name); seen != nil {
		if believed, err := w.edit(seen)(seen); err == nil {
			tx.OnCommit(func() { w.d.BlockTold(w.spec.Name, believed) })
		}
	}
	return w.spec.Name + " is changed. " + w.left(), nil
}

// left says what the change did not keep of what it was given.
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

// maxProposals is how many changes of one block can wait.
const maxProposals = 16

// propose leaves the change for the host to decide; once is enough.
func (w *coreWrite) propose(ctx context.Context, tx *schema.Tx, userID int64) (string, error) {
	change := BlockChange{
		Block: w.spec.Name, Owner: w.before.Agent, Kind: w.spec.Kind, Content: w.before.Content, NewContent: w.after, Agent: w.d.Scope.Agent,
	}
	var waiting, same, rejected int64
	if err := tx.Row(ctx, `SELECT count(*) FILTER (WHERE state = 'pending'),
			count(*) FILTER (WHERE state = 'pending' AND json_extract(payload, '$.new_content') = ?4),
			count(*) FILTER (WHERE state = 'rejected' AND json_extract(payload, '$.new_content') = ?4 AND json_extract(payload, '$.content') = ?5)
		FROM proposals WHERE user_id = ?1 AND kind = '`+ProposalBlock+`' AND json_extract(payload, '$.block') = ?2
			AND coalesce(json_extract(payload, '$.owner'), '') = ?3`,
		[]any{userID, change.Block, change.Owner, change.NewContent, change.Content}, &waiting, &same, &rejected); err != nil {
		return "", err
	}
	waits := fmt.Sprintf("%s is not changed: the change waits for the host's approval, since %s. Do not say that it holds.", w.spec.Name, w.reason)
	switch {
	case rejected > 0:
		return "", mistakef("%s: the host has rejected exactly this change of %s. Do not propose it again. Nothing was changed.", w.args.tool.name, w.spec.Name)
	case same > 0:
		return "The same change was proposed before. " + waits, nil
	case waiting >= maxProposals:
		return "", mistakef("%s: %d changes of %s wait for the host already. Wait until some are decided. Nothing was changed.", w.args.tool.name, waiting, w.spec.Name)
	}
	reason := "a model asked for it: " + w.reason
	if w.order(w.fresh()) != "" {
		reason += "; it reads like an instruction"
	}
	if w.trust < schema.MaxTrust {
		reason += fmt.Sprintf("; of trust %d", w.trust)
	}
	_, _, err := tx.Propose(ctx, userID, ProposalBlock, change, reason, byModel)
	return waits, err
}

// explain puts a conflict into words: somebody else has changed the same text.
func (w *coreWrite) explain(err error) error {
	if !errors.Is(err, schema.ErrConflict) {
		return err
	}
	now, _ := w.before.Value()
	w.d.BlockTold(w.spec.Name, now)
	if w.d.Seen != nil {
		w.d.Seen(w.before.Trust)
	}
	return mistakef("%s: %v. %s now holds %s. If your change should still be made, send it again. Nothing was changed.",
		w.args.tool.name, err, w.spec.Name, encode(clipContent(now)))
}

// clipContent keeps what a model is told of a block to a size that it can read.
func clipContent(v any) any {
	const most = 4000
	if s := encode(v); len(s) > most {
		return clip(s, most)
	}
	return v
}
