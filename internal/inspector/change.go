package inspector

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/ebbmem/ebb/consolidate/fourstores"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/memory"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/undo"
)

// maxReason is the longest reason, in characters.
const maxReason = 300

// action is a change that a form asks for.
type action struct {
	did string // what is said when it was done
	do  func(r *request, ctx context.Context, id string) error
}

var actions = map[string]action{
	"correct": {"Corrected.", func(r *request, ctx context.Context, id string) error {
		_, err := r.ext.Correct(ctx, r.scope, id, r.PostFormValue("text"))
		return err
	}},
	"protect": {"Protected: it no longer fades or changes.", func(r *request, ctx context.Context, id string) error {
		return r.ext.Protect(ctx, r.scope, id)
	}},
	"unprotect": {"No longer protected.", func(r *request, ctx context.Context, id string) error {
		return r.ext.Unprotect(ctx, r.scope, id)
	}},
	"forget": {"Forgotten, with the messages it comes from.", func(r *request, ctx context.Context, id string) error {
		_, err := r.ext.Forget(ctx, r.scope, id)
		return err
	}},
	"release": {"Released.", func(r *request, ctx context.Context, id string) error {
		return r.ext.Release(ctx, r.scope, id)
	}},
	"approve": {"Approved.", func(r *request, ctx context.Context, id string) error {
		return r.ext.Approve(ctx, r.scope, id)
	}},
	"keep": {"Decided.", func(r *request, ctx context.Context, id string) error {
		return r.ext.Keep(ctx, r.scope, id, r.PostFormValue("memory"))
	}},
	"reject": {"Rejected.", func(r *request, ctx context.Context, id string) error {
		return r.ext.Reject(ctx, r.scope, id)
	}},
	"raise": {"Taken as the user's own word.", func(r *request, ctx context.Context, _ string) error {
		return r.raise(ctx, r.PostForm["id"])
	}},
	"raise_all": {"Taken as the user's own word.", func(r *request, ctx context.Context, _ string) error {
		return r.raise(ctx, r.PostForm["listed"])
	}},

	"grant_reflection": {"Granted.", (*request).grantReflection},
	"approve_reflection": {"Recorded.", func(r *request, ctx context.Context, id string) error {
		_, err := r.ext.Reflections().Approve(ctx, r.scope, id)
		return err
	}},
	"reject_reflection": {"Rejected.", func(r *request, ctx context.Context, id string) error {
		return r.ext.Reflections().Reject(ctx, r.scope, id)
	}},
}

// change carries out what a form asks for, as one run of the ledger.
func change(r *request) (answer, error) {
	if err := r.ParseForm(); err != nil {
		return answer{}, &extension.InvalidError{Field: "form", Reason: "cannot be read"}
	}
	site := r.Header.Get("Sec-Fetch-Site")
	if !r.session.carries(r.PostFormValue("csrf")) || site != "" && site != "same-origin" {
		return answer{}, errForged
	}
	if !r.o.Write {
		return answer{}, extension.ErrReadOnly
	}
	back := answer{redirect: r.back()}
	id, name := r.PostFormValue("id"), r.PostFormValue("action")
	if name == "undo" {
		return back, r.undo(id)
	}
	if name == "dry" {
		return r.dryRun()
	}
	a, known := actions[name]
	if !known || !r.o.Reflects && strings.HasSuffix(name, "_reflection") {
		return answer{}, &extension.InvalidError{Field: "action", Reason: "is not one of this page"}
	}
	reason, err := r.redacted()
	if err != nil {
		return answer{}, err
	}
	c := &undo.Change{Kind: name, Memory: id, Reason: reason}
	if err := a.do(r, undo.Record(r.ctx, c), id); err != nil {
		return answer{}, err
	}
	d := &done{Text: a.did, Run: c.RunID}
	if c.RunID == "" {
		d.Text = "There was nothing to change."
	}
	r.session.show(d)
	return back, nil
}

// redacted is the reason of a form without secrets.
func (r *request) redacted() (string, error) {
	reason := strings.TrimSpace(r.PostFormValue("reason"))
	if reason == "" {
		return "", nil
	}
	if utf8.RuneCountInString(reason) > maxReason {
		return "", &extension.InvalidError{Field: "reason", Reason: fmt.Sprintf("is longer than %d characters", maxReason)}
	}
	if err := schema.ValidContent("reason", reason); err != nil {
		return "", err
	}
	return r.ext.Parts().Redactor.Text(r.ctx, "reason", reason)
}

// back is the page that a form is on: a path of this user's, or what is to be
// decided.
func (r *request) back() string {
	to, err := url.Parse(r.PostFormValue("back"))
	if err != nil || to.IsAbs() || to.Host != "" || !strings.HasPrefix(to.Path, r.base()+"/") {
		return r.base() + "/decide"
	}
	return (&url.URL{Path: to.Path, RawQuery: to.RawQuery}).String()
}

// grantReflection grants the tokens of a request.
func (r *request) grantReflection(ctx context.Context, id string) error {
	g := fourstores.Grant{Verdict: fourstores.Verdict(r.PostFormValue("verdict")), Reason: r.PostFormValue("reason")}
	if amount := strings.TrimSpace(r.PostFormValue("amount")); amount != "" {
		var err error
		if g.Amount, err = strconv.Atoi(amount); err != nil {
			return &extension.InvalidError{Field: "amount", Reason: "must be a whole number"}
		}
	}
	_, err := r.ext.Reflections().Grant(ctx, r.scope, id, g)
	return err
}

// raise takes claims as the user's own word.
func (r *request) raise(ctx context.Context, ids []string) error {
	if len(ids) == 0 || len(ids) > maxWaiting {
		return &extension.InvalidError{Field: "selection", Reason: fmt.Sprintf("must have 1 to %d claims", maxWaiting)}
	}
	return r.ext.Parts().DB.Write(ctx, func(ctx context.Context, tx *schema.Tx) error {
		for _, id := range slices.Compact(slices.Sorted(slices.Values(ids))) {
			m, err := tx.Memory(ctx, r.userID, id)
			switch {
			case err != nil:
				return err
			case m.Kind != schema.KindFact && m.Kind != schema.KindPreference:
				return &extension.InvalidError{Field: "selection", Reason: "names something that is no fact or preference"}
			case m.State != schema.StateActive:
				return fmt.Errorf("memory %s is not current: %w", id, extension.ErrConflict)
			}
			if err := tx.SetTrust(ctx, m, schema.OriginUser, schema.MaxTrust, memory.ByHost); err != nil {
				return err
			}
		}
		return nil
	})
}

// undo takes a run back.
func (r *request) undo(run string) error {
	result, err := r.ext.Undo(r.ctx, r.scope, run)
	if err != nil {
		return err
	}
	d := &done{Text: fmt.Sprintf("Undone: %d changes taken back.", result.Changes)}
	if result.Changes == 1 {
		d.Text = "Undone: one change taken back."
	}
	for _, k := range result.Kept {
		d.Kept = append(d.Kept, fmt.Sprintf("%s in %s stayed: %s", k.Operation, k.Record, k.Reason))
	}
	r.session.show(d)
	return nil
}

// rehearsal is the page of a dry run.
type rehearsal struct {
	outcomes

	Text string
}

// dryRun shows what a night would do now. It works on a copy of the file, which takes
// longer than a page may if the file is large: only the browser ends it.
func (r *request) dryRun() (answer, error) {
	r.ctx = r.Context()
	connection := http.NewResponseController(r.w)
	_, _ = connection.SetReadDeadline(time.Time{}), connection.SetWriteDeadline(time.Time{}) // a recorder of tests has none
	report, err := r.ext.ConsolidateDry(r.ctx, r.scope)
	if err != nil {
		return answer{}, err
	}
	says, _ := summary(report.Stages)
	return answer{page: "dry", title: "Dry run of a night", data: rehearsal{newOutcomes(report.Stages), says}}, nil
}

// errTried takes back a write that was only tried.
var errTried = errors.New("tried")

// tryUndo says what undoing a run would do, and does nothing.
func (r *request) tryUndo(run string) (result *undo.Result, err error) {
	err = r.ext.Parts().DB.Write(r.ctx, func(ctx context.Context, tx *schema.Tx) (err error) {
		if result, err = undo.Run(ctx, tx, r.userID, run, memory.ByHost); err == nil {
			err = errTried
		}
		return err
	})
	if errors.Is(err, errTried) {
		err = nil
	}
	return result, err
}
