package extension

import (
	"context"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/internal/redact"
	"github.com/ebbmem/ebb/schema"
)

// Redaction says what is taken out of every text before anything of it is
// written: messages, payloads of a host's own topics, what tools are given,
// questions that memories were shown for, imports, what a model answers at night
// and what a host's own stages propose then. A placeholder such as [redacted:github-token] takes its place, and
// what is found later, hashed and embedded is the text with the placeholder.
// The zero value is right for most hosts: secrets are taken out, personal data
// is kept.
//
// Texts that are in the file already stay as they are. Labels are not
// rewritten, since they are what a host knows its users and sessions by: tenant,
// user, agent, session and event ids. One that holds a credential is refused.
type Redaction struct {
	// KeepSecrets switches the built-in patterns for secrets off: keys and
	// tokens of the well-known providers, private keys, passwords, payment
	// cards. Default false.
	KeepSecrets bool
	// PII takes e-mail addresses, telephone numbers, IBAN, US social security
	// numbers and IP addresses out as well. Default false.
	PII bool
	// Hook rewrites a text after the built-in patterns. name is the member of a
	// JSON object that the text stands in, "" elsewhere. It is called several
	// times for one message and while a turn waits, must be safe for concurrent
	// use, and should change nothing when it is given its own result. When it
	// returns an error, panics or has not answered by the time the context of the
	// call ends, nothing is written: the call fails with a [*RedactionError], or
	// where memory must not break a turn, the turn goes on without it and
	// Hooks.OnError is told. A message of which it leaves nothing is refused with
	// an [*InvalidError]. Default none.
	Hook func(ctx context.Context, name, text string) (string, error)
}

// redactor carries a host's [Redaction] out.
type redactor struct {
	builtin *redact.Redactor
	hook    func(ctx context.Context, name, text string) (string, error)
}

func newRedactor(c Redaction) *redactor {
	return &redactor{redact.New(redact.Options{Secrets: !c.KeepSecrets, PII: c.PII}), c.Hook}
}

// text is a [schema.Redact].
func (r *redactor) text(ctx context.Context, name, text string) (redacted string, err error) {
	redacted = r.builtin.Member(name, text)
	if r.hook == nil || redacted == "" {
		return redacted, nil
	}
	return r.ask(ctx, name, redacted)
}

// ask waits for the hook no longer than ctx lasts: one that does not listen to
// it must not hold up a turn for ever.
func (r *redactor) ask(ctx context.Context, name, text string) (string, error) {
	type answer struct {
		redacted string
		err      error
	}
	answered := make(chan answer, 1)
	go func() {
		got := answer{err: &RedactionError{Panicked: true}} // also what runtime.Goexit leaves
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

// labels refuses names that let somebody in: they are kept as they are.
func (r *redactor) labels(scope Scope, eventIDs ...string) error {
	check := func(field, value string) error {
		if err := schema.ValidLabel(field, value); err != nil {
			return err // before it is searched for secrets
		}
		if kind, found := r.builtin.Credential(value); found {
			return &InvalidError{Field: field, Reason: "holds a secret (" + kind + ") and would be stored as it is; use a name that lets nobody in"}
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

// eventLabels is labels for what a host publishes.
func (r *redactor) eventLabels(events []eventbus.Event) error {
	for _, e := range events {
		if err := r.labels(e.Scope, e.ID); err != nil {
			return err
		}
	}
	return nil
}
