package schema

import (
	"context"
	"strings"
	"unicode/utf8"
)

// Scope identifies the user of a memory. It is a required argument of every method that
// reads or writes memories, and never a parameter that a model can set.
//
// Only User is required. An empty Tenant is a tenant of its own; in a file of one tenant,
// see package tenants, it is that one. Session and Agent label what is written; they
// restrict a query only if it filters by them.
type Scope struct {
	Tenant  string `json:"tenant,omitempty"`
	User    string `json:"user"`
	Agent   string `json:"agent,omitempty"`
	Session string `json:"session,omitempty"`
}

// MaxLabel is the maximal length of a scope field, event id or tag, in bytes.
const MaxLabel = 512

// Validate returns an [*InvalidError] that names the first invalid field, or nil.
func (s Scope) Validate() error {
	if strings.TrimSpace(s.User) == "" {
		return &InvalidError{Field: "Scope.User", Reason: "is empty; a memory always belongs to a user"}
	}
	for _, f := range [...]struct{ name, value string }{
		{"Scope.Tenant", s.Tenant}, {"Scope.User", s.User}, {"Scope.Agent", s.Agent}, {"Scope.Session", s.Session},
	} {
		if err := ValidLabel(f.name, f.value); err != nil {
			return err
		}
	}
	return nil
}

// ValidLabel returns an [*InvalidError] for field unless value has at most [MaxLabel]
// bytes of valid UTF-8 without NUL.
func ValidLabel(field, value string) error {
	switch {
	case len(value) > MaxLabel:
		return &InvalidError{Field: field, Reason: "is longer than 512 bytes"}
	case strings.IndexByte(value, 0) >= 0:
		return &InvalidError{Field: field, Reason: "contains a NUL byte"}
	case !utf8.ValidString(value):
		return &InvalidError{Field: field, Reason: "is not valid UTF-8"}
	}
	return nil
}

// Operation is a call into a memory, as a host measures it.
type Operation struct {
	Name  string // publish, search, inject, night or tool
	Scope Scope
	Tool  string // name of the tool; "" for other operations
	Query string // text that is searched for; "" for other operations
}

// Observer is called when an operation begins. It returns the context of the
// operation, and a function that is called once when it ends: with the number of
// records that were stored, found, shown or changed, and the error, if any. An
// operation can be part of another, by ctx.
type Observer func(ctx context.Context, op Operation) (within context.Context, done func(records int, err error))

// Begin begins an operation. A nil Observer does nothing.
func (o Observer) Begin(ctx context.Context, op Operation) (within context.Context, done func(records int, err error)) {
	if o == nil {
		return ctx, unobserved
	}
	return o(ctx, op)
}

func unobserved(int, error) {}
