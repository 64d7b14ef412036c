package memory

import (
	"context"
	"encoding/json"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/internal/redact"
	"github.com/ebbmem/ebb/schema"
)

// RedactOptions say what a [Redactor] takes out of texts.
type RedactOptions struct {
	KeepSecrets bool // leave secrets in
	PII         bool // take personal data out as well
	// Hook rewrites a text after the built-in patterns. Default none.
	Hook func(ctx context.Context, name, text string) (string, error)
}

// Redactor takes secrets and personal data out of texts before they are written.
type Redactor struct {
	builtin *redact.Redactor
	hook    func(ctx context.Context, name, text string) (string, error)
}

// NewRedactor makes a redactor.
func NewRedactor(o RedactOptions) *Redactor {
	return &Redactor{redact.New(redact.Options{Secrets: !o.KeepSecrets, PII: o.PII}), o.Hook}
}

// BuiltIn is [Redactor.Text] without the host's hook.
func (r *Redactor) BuiltIn(text string) string { return r.builtin.Redact(text) }

// Text redacts one text. It is a [schema.Redact]; name is the member of a JSON
// object that the text stands in, or "".
func (r *Redactor) Text(ctx context.Context, name, text string) (redacted string, err error) {
	redacted = r.builtin.Member(name, text)
	if r.hook == nil || redacted == "" {
		return redacted, nil
	}
	return r.ask(ctx, name, redacted)
}

// ask waits for the hook no longer than ctx lasts, so that a hook that ignores
// the context does not hold up a turn.
func (r *Redactor) ask(ctx context.Context, name, text string) (string, error) {
	type answer struct {
		redacted string
		err      error
	}
	answered := make(chan answer, 1)
	go func() {
		got := answer{err: &schema.RedactionError{Panicked: true}} // also what runtime.Goexit leaves
		defer func() {
			recover() //nolint:errcheck // its value may hold the text
			answered <- got
		}()
		redacted, err := r.hook(ctx, name, text)
		if err != nil {
			got = answer{err: schema.NewRedactionError(err)}
			return
		}
		got = answer{redacted: redacted}
	}()
	select {
	case got := <-answered:
		return got.redacted, got.err
	case <-ctx.Done():
		return "", schema.NewRedactionError(ctx.Err())
	}
}

// Labels returns an [*schema.InvalidError] for a scope or an event id that holds
// a credential: labels are stored unredacted.
func (r *Redactor) Labels(scope schema.Scope, eventIDs ...string) error {
	check := func(field, value string) error {
		if err := schema.ValidLabel(field, value); err != nil {
			return err // before it is searched for secrets
		}
		if kind, found := r.builtin.Credential(value); found {
			return &schema.InvalidError{Field: field, Reason: "holds a secret (" + kind + ") and would be stored as it is; use a name that lets nobody in"}
		}
		return nil
	}
	for _, f := range [...]struct{ name, value string }{
		{"Scope.Tenant", scope.Tenant}, {"Scope.User", scope.User}, {"Scope.Agent", scope.Agent}, {"Scope.Session", scope.Session},
	} {
		if err := check(f.name, f.value); err != nil {
			return err
		}
	}
	for _, id := range eventIDs {
		if err := check("ID", id); err != nil {
			return err
		}
	}
	return nil
}

// EventLabels is [Redactor.Labels] for the events that a host publishes.
func (r *Redactor) EventLabels(events []eventbus.Event) error {
	for _, e := range events {
		if err := r.Labels(e.Scope, e.ID); err != nil {
			return err
		}
	}
	return nil
}

// JSON redacts an encoded JSON value. Text that is not JSON is redacted as text.
func (r *Redactor) JSON(ctx context.Context, raw []byte) ([]byte, error) {
	if !json.Valid(raw) {
		redacted, err := r.Text(ctx, "", string(raw))
		return []byte(redacted), err
	}
	return redact.JSON(raw, func(name, value string) (string, error) { return r.Text(ctx, name, value) })
}

// Value redacts every text in a decoded JSON value.
func (r *Redactor) Value(ctx context.Context, name string, v any) (_ any, err error) {
	switch v := v.(type) {
	case string:
		return r.Text(ctx, name, v)
	case json.Number: // of a card, for instance
		if s, err := r.Text(ctx, name, v.String()); err != nil || s != v.String() {
			return s, err
		}
	case []any:
		for i := range v {
			if v[i], err = r.Value(ctx, name, v[i]); err != nil {
				return nil, err
			}
		}
	case map[string]any:
		for inner := range v {
			if v[inner], err = r.Value(ctx, inner, v[inner]); err != nil {
				return nil, err
			}
		}
	}
	return v, nil
}
