package transfer

import (
	"context"
	"encoding/json"

	"github.com/ebbmem/ebb/internal/memory"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/records"
)

// keepLine returns a function that redacts a record of an export, which may come
// from a host with less redaction. Identifiers are not rewritten; one that holds a
// credential is refused.
func keepLine(ctx context.Context, r *memory.Redactor) func(*records.Line) error {
	return func(l *records.Line) error {
		if err := labels(l, r); err != nil {
			return err
		}
		for _, field := range texts(l) {
			redacted, err := r.Text(ctx, "", *field)
			if err != nil {
				return err
			}
			*field = redacted
		}
		for _, field := range objects(l) {
			redacted, err := r.JSON(ctx, *field)
			if err != nil {
				return err
			}
			*field = redacted
		}
		for _, field := range objectTexts(l) {
			redacted, err := r.JSON(ctx, []byte(*field))
			if err != nil {
				return err
			}
			*field = string(redacted)
		}
		if l.Memory != nil {
			for name, value := range l.Memory.Attributes {
				redacted, err := r.Text(ctx, name, value)
				if err != nil {
					return err
				}
				l.Memory.Attributes[name] = redacted
			}
		}
		return nil
	}
}

// labels checks the labels of a record for credentials.
func labels(l *records.Line, r *memory.Redactor) error {
	var scope schema.Scope
	var id string
	switch {
	case l.Header != nil:
		scope = schema.Scope{Tenant: l.Header.Tenant, User: l.Header.User}
	case l.Session != nil:
		scope.Session = l.Session.Name
	case l.Event != nil:
		scope, id = schema.Scope{Agent: l.Event.Agent, Session: l.Event.Session}, l.Event.ID
		if i := l.Event.Injection; i != nil && scope.Session == "" {
			scope.Session = i.Session
		}
	case l.Memory != nil:
		scope, id = schema.Scope{Agent: l.Memory.Agent, Session: l.Memory.SessionName}, l.Memory.UID
	case l.Block != nil:
		scope.Agent, id = l.Block.Agent, l.Block.Name
	case l.BlockVersion != nil:
		scope = schema.Scope{Agent: l.BlockVersion.Agent, Session: l.BlockVersion.As}
		id = l.BlockVersion.Name
	}
	return r.Labels(scope, id)
}

// texts returns the fields that hold text of users, models or tools.
func texts(l *records.Line) (fields []*string) {
	switch {
	case l.Run != nil:
		fields = append(fields, &l.Run.Error)
	case l.Entity != nil:
		fields = append(fields, &l.Entity.Name, &l.Entity.Summary)
	case l.Alias != nil:
		fields = append(fields, &l.Alias.Alias, &l.Alias.Surface)
	case l.Event != nil && l.Event.Injection != nil:
		fields = append(fields, &l.Event.Injection.Query)
	case l.Memory != nil:
		m := l.Memory
		fields = append(fields, &m.Content, &m.Speaker, &m.Subject, &m.Predicate, &m.Object)
		for i := range m.Tags {
			fields = append(fields, &m.Tags[i])
		}
		for i := range m.Mentions {
			fields = append(fields, &m.Mentions[i].Surface)
		}
	case l.Source != nil:
		fields = append(fields, &l.Source.Quote)
	case l.Block != nil:
		fields = append(fields, &l.Block.Content)
	case l.BlockVersion != nil:
		fields = append(fields, &l.BlockVersion.Content)
	case l.Proposal != nil:
		fields = append(fields, &l.Proposal.Reason)
	case l.Gap != nil:
		fields = append(fields, &l.Gap.LastError)
	case l.Document != nil:
		fields = append(fields, &l.Document.URI)
	}
	return fields
}

// objects returns the fields that hold JSON.
func objects(l *records.Line) (fields []*json.RawMessage) {
	switch {
	case l.Run != nil:
		fields = append(fields, &l.Run.Stages)
	case l.Event != nil:
		fields = append(fields, &l.Event.Payload)
		if l.Event.Injection != nil {
			fields = append(fields, &l.Event.Injection.Items)
		}
	}
	return fields
}

// objectTexts returns the fields that hold JSON as text.
func objectTexts(l *records.Line) []*string {
	switch {
	case l.Proposal != nil:
		return []*string{&l.Proposal.Payload}
	case l.Op != nil:
		return []*string{&l.Op.Before, &l.Op.After}
	}
	return nil
}
