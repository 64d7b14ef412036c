package eventbus

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// Attribute sets a named attribute of a message, such as "location". A name consists
// of lower-case letters, digits and underscores, at most [schema.MaxAttributeName]
// bytes; some names are reserved for ebb ([schema.OwnAttribute]). A value is one line
// of at most [schema.MaxLabel] bytes; an empty value removes the attribute. A message
// has at most [schema.MaxAttributes] attributes.
func Attribute(name, value string) MessageOption {
	return func(_ *Event, m *Message) {
		if m.Attributes == nil {
			m.Attributes = make(map[string]string)
		}
		m.Attributes[name] = value
	}
}

// Tags adds tags by which a message can be found: each one line of at most
// [schema.MaxLabel] bytes, at most [schema.MaxTags] per message.
func Tags(tags ...string) MessageOption {
	return func(_ *Event, m *Message) { m.Tags = append(m.Tags, tags...) }
}

// Importance rates a message from 1 (mundane) to 10 (crucial). Default 0: the memory
// computes a rating from the text.
func Importance(rating float64) MessageOption {
	return func(_ *Event, m *Message) { m.Importance = rating }
}

// Stamped returns the event with default attributes, as far as the message has room
// for them. The message's own attributes take precedence. Events that are not
// messages are unchanged.
func (e Event) Stamped(attributes map[string]string) Event {
	e.stamp = maps.Clone(attributes)
	return e
}

// cleanLabels normalises attributes and tags for storage. It removes empty ones and
// duplicate tags.
func (m *Message) cleanLabels() {
	for name, value := range m.Attributes {
		if value = strings.TrimSpace(text.Clean(value)); value == "" {
			delete(m.Attributes, name)
			continue
		}
		m.Attributes[name] = value
	}
	if m.Tags == nil {
		return
	}
	tags, there := make([]string, 0, len(m.Tags)), make(map[string]bool, len(m.Tags))
	for _, tag := range m.Tags {
		if tag = strings.TrimSpace(text.Clean(tag)); tag != "" && !there[tag] {
			tags, there[tag] = append(tags, tag), true
		}
	}
	m.Tags = tags
}

// stamped adds the attributes that the message does not have yet.
func (m *Message) stamped(attributes map[string]string) {
	if len(attributes) == 0 { // the common case; sorting an empty map allocates
		return
	}
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		if _, given := m.Attributes[name]; !given && len(m.Attributes) < schema.MaxAttributes {
			Attribute(name, attributes[name])(nil, m)
		}
	}
}

// redactLabels rewrites attribute values and tags. It returns an error if rewrite
// would change the name of an attribute.
func (m *Message) redactLabels(ctx context.Context, rewrite schema.Redact) (err error) {
	if len(m.Attributes) == 0 && len(m.Tags) == 0 {
		return nil
	}
	for name, value := range m.Attributes {
		kept, err := rewrite(ctx, "", name)
		if err != nil {
			return err
		}
		if kept != name {
			return &schema.InvalidError{Field: "attributes", Reason: "have a name that holds what is to be redacted; say it in the value"}
		}
		if m.Attributes[name], err = rewrite(ctx, name, value); err != nil {
			return err
		}
	}
	for i, tag := range m.Tags {
		if m.Tags[i], err = rewrite(ctx, "", tag); err != nil {
			return err
		}
	}
	m.cleanLabels()
	return nil
}

// validLabels returns a [*schema.InvalidError] that names the first invalid label.
func (m *Message) validLabels() error {
	if len(m.Attributes) == 0 && len(m.Tags) == 0 && m.Importance == 0 {
		return nil
	}
	if len(m.Attributes) > schema.MaxAttributes {
		return &schema.InvalidError{Field: "attributes", Reason: fmt.Sprintf("are more than %d", schema.MaxAttributes)}
	}
	for _, name := range slices.Sorted(maps.Keys(m.Attributes)) {
		if err := schema.ValidAttribute(name, m.Attributes[name]); err != nil {
			return err
		}
	}
	if len(m.Tags) > schema.MaxTags {
		return &schema.InvalidError{Field: "tags", Reason: fmt.Sprintf("are more than %d", schema.MaxTags)}
	}
	for _, tag := range m.Tags {
		if err := schema.ValidTag(tag); err != nil {
			return err
		}
	}
	if m.Importance != 0 && !(m.Importance >= 1 && m.Importance <= 10) {
		return &schema.InvalidError{Field: "importance", Reason: "must be from 1 to 10 (0 means not rated)"}
	}
	return nil
}

// finite replaces NaN and infinities, which JSON cannot encode, by a rating that
// validation rejects.
func finite(rating float64) float64 {
	if math.IsNaN(rating) || math.IsInf(rating, 0) {
		return -1
	}
	return rating
}
