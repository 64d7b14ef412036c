package extension

import (
	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/internal/memory"
	"github.com/ebbmem/ebb/schema"
)

// stamp adds the attributes of the host and the current cycle to messages.
func (x *Extension) stamp(events []eventbus.Event) {
	for i := range events {
		if attributes := x.mem.Cycles.Stamp(events[i].Scope, x.attributes(events[i].Scope)); len(attributes) > 0 {
			events[i] = events[i].Stamped(attributes)
		}
	}
}

// attributes returns the host's attributes for messages of a scope. Invalid ones
// are reported and left out, since a faulty callback must not cost the message.
func (x *Extension) attributes(scope Scope) map[string]string {
	if x.cfg.Attributes == nil {
		return nil
	}
	var given map[string]string
	err := memory.CallHost("Config.Attributes", func() error { given = x.cfg.Attributes(scope); return nil })
	usable := make(map[string]string, len(given))
	for name, value := range given {
		if value == "" {
			continue
		}
		if invalid := schema.ValidAttribute(name, value); invalid != nil {
			err = invalid
			continue
		}
		usable[name] = value
	}
	x.outcome(scope, "attributes", stamping, err)
	return usable
}
