package jetstream

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/nats-io/nats.go"
	broker "github.com/nats-io/nats.go/jetstream"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/internal/strictjson"
	"github.com/ebbmem/ebb/schema"
)

// Message encodes an event as a message for the subject prefix + "." + topic, such as
// "ebb.user.message". Its Nats-Msg-Id is the same whenever the same event is encoded.
//
// It returns a [*schema.InvalidError] for an event that no memory would store: such an
// event needs an id, and must not be one of the memory.* reports unless it comes from a
// bus.
func Message(prefix string, e eventbus.Event) (*nats.Msg, error) {
	journalled := e.Seq > 0
	if !journalled {
		if e.ID == "" {
			return nil, &schema.InvalidError{Field: "ID", Reason: "is empty; without it, an event that is published again is stored again"}
		}
		if err := e.Validate(); err != nil {
			return nil, err
		}
	}
	body, err := json.Marshal(e)
	if err != nil {
		return nil, &schema.InvalidError{Field: "Payload", Reason: "is not valid JSON: it " + strictjson.Fault(err)}
	}
	identity := body // with Seq and RecordedAt: two memories may use the same ids
	if !journalled {
		if identity, err = json.Marshal([]string{e.Scope.Tenant, e.Scope.User, e.ID}); err != nil {
			return nil, err
		}
	}
	sum := sha256.Sum256(identity)
	return &nats.Msg{
		Subject: prefix + "." + e.Topic, Data: body,
		Header: nats.Header{broker.MsgIDHeader: {hex.EncodeToString(sum[:])}},
	}, nil
}

// defaultBackoff is the wait after a failed attempt, from 1: 100 ms, doubled each
// time, at most 10 s.
func defaultBackoff(attempt int) time.Duration {
	const first, most = 100 * time.Millisecond, 10 * time.Second
	if attempt > 7 { // 2^6 × 100 ms is under 10 s, 2^7 above
		return most
	}
	return first << (max(attempt, 1) - 1)
}

// guarded returns the host's Backoff, or defaultBackoff in place of none and of one that
// panics: a wait must not end the process, nor have an event given up.
func guarded(backoff func(attempt int) time.Duration, hook reporter) func(attempt int) time.Duration {
	if backoff == nil {
		return defaultBackoff
	}
	return func(attempt int) (wait time.Duration) {
		defer func() {
			if r := recover(); r != nil {
				wait = defaultBackoff(attempt)
				hook.report(schema.ForeignPanic("Backoff", r))
			}
		}()
		return backoff(attempt)
	}
}

// reporter calls the host's hook for errors, if there is one. A panic in it ends
// nothing.
type reporter func(error)

func (r reporter) report(err error) {
	if r == nil || err == nil {
		return
	}
	defer func() { _ = recover() }()
	r(err)
}
