package extension

import (
	"context"
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
