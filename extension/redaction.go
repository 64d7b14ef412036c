package extension

import "context"

// Redaction configures what is removed from every text before it is written:
// messages, payloads of a host's own topics, arguments of tools, questions that
// memories were shown for, imports, and what models and the host's own stages
// produce at night. A placeholder such as [redacted:github-token] replaces it;
// hashes, vectors and the text index are made from the redacted text. The zero
// value removes secrets and keeps personal data.
//
// Texts already in the file are not changed. Labels are not rewritten, since hosts
// identify users and sessions by them: tenant, user, agent, session and event ids.
// A label that holds a credential is refused.
type Redaction struct {
	// KeepSecrets disables the built-in patterns for secrets: keys and tokens of
	// well-known providers, private keys, passwords, payment cards. Default false.
	KeepSecrets bool
	// PII also removes e-mail addresses, telephone numbers, IBANs, US social
	// security numbers and IP addresses. Default false.
	PII bool
	// Hook rewrites a text after the built-in patterns. name is the JSON object
	// member that holds the text, "" otherwise. It is called several times for one
	// message and while a turn waits, must be safe for concurrent use, and should
	// be idempotent. If it returns an error, panics, or does not return before the
	// call's context ends, which for a turn's message is 30 seconds whatever the turn's
	// context, nothing is written: the call fails with a [*RedactionError], or, where
	// memory must not break a turn, the turn continues and Hooks.OnError is called. A
	// message that it reduces to nothing is refused with an [*InvalidError]. Default none.
	Hook func(ctx context.Context, name, text string) (string, error)
}
