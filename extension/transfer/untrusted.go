package transfer

import (
	"encoding/json"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/internal/poison"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/records"
)

// Anyone can write a file in the format of an export, including origins, trust,
// protection and audits. Unless the host trusts it (ImportOptions.Restore), it is
// read like any other file: only messages and claims are imported.

// importTrust is the highest trust of an untrusted file's records.
var importTrust = schema.OriginImport.Ceiling()

// taken are the attributes that an untrusted file may set: they describe a text and
// have no effect on decisions.
var taken = []string{schema.AttrTool, schema.AttrPartial, schema.AttrTemporal}

// distrust rewrites a line of an untrusted file for storage. It returns false for a
// line to be skipped.
func distrust(l *records.Line) bool {
	switch {
	case l.Header != nil:
		h := l.Header
		h.TimeZone, h.NightsThrough, h.ImportanceSince = "", "", 0
		h.Cycle, h.ReflectedCycle, h.ReflectedAt = 0, 0, schema.Time{}
	case l.Session != nil, l.End != nil:
	case l.Event != nil:
		return distrustEvent(l.Event)
	case l.Memory != nil:
		distrustMemory(l.Memory)
	case l.Link != nil:
		l.Link.Run = "" // and only between memories of the file, see [records.Writer]
	case l.Superseded != nil, l.Source != nil:
	default:
		return false
	}
	return true
}

// distrustEvent keeps messages. It skips ebb's own events and those of hosts, which only
// they may publish.
func distrustEvent(r *records.Event) bool {
	if !isMessage(r.Topic) {
		return false
	}
	r.Origin, r.Trust = schema.OriginImport, min(r.Trust, importTrust)
	r.Injection = nil
	r.Payload = withoutLabels(r.Payload)
	return true
}

// isMessage reports whether the events of a topic are messages, and not of ebb or a host.
func isMessage(topic string) bool {
	return topic == eventbus.TopicUserMessage || topic == eventbus.TopicAgentResponse || topic == eventbus.TopicToolResult
}

// withoutLabels reduces a message to its text and speaker.
func withoutLabels(payload json.RawMessage) json.RawMessage {
	var m eventbus.Message
	if json.Unmarshal(payload, &m) != nil || m.Attributes == nil && m.Tags == nil && m.Importance == 0 {
		return payload
	}
	m.Attributes, m.Tags, m.Importance = nil, nil, 0
	plain, err := json.Marshal(m)
	if err != nil {
		return payload // validated as JSON before
	}
	return plain
}

func distrustMemory(r *records.Memory) {
	r.Origin, r.Trust = schema.OriginImport, min(r.Trust, importTrust)
	r.Protected, r.Pinned = false, false
	r.Run, r.Mentions, r.Unlinked = "", nil, true // mentions are found in the text, as in every import
	r.Importance = 0                              // rated from the text
	r.Tags = nil                                  // only the host sets labels
	r.AccessCount, r.LastAccessed, r.Utility, r.Stability = 0, schema.Time{}, 0.5, 1
	r.DecayRate, r.Version = 0, 1
	if r.Kind != schema.KindEpisode {
		r.DecayRate, r.Confidence = schema.DefaultDecayRate, min(r.Confidence, untrustedConfidence)
	}
	kept := make(schema.Attributes)
	for _, name := range taken {
		if value, ok := r.Attributes[name]; ok {
			kept[name] = value
		}
	}
	r.Attributes = kept
	if doubt := poison.InspectAll(r.Content, r.Speaker, r.Subject, r.Object); doubt != "" && r.State == schema.StateActive {
		r.State, r.Attributes[schema.AttrQuarantine] = schema.StateQuarantined, string(doubt)
	}
}

// untrustedConfidence is the highest confidence, 0–1, of a claim of an untrusted
// file: that of a claim of the same trust extracted at night.
const untrustedConfidence = 0.6

// claimedTrust returns the trust that a line claims, 0 for none.
func claimedTrust(l *records.Line) schema.Trust {
	switch {
	case l.Event != nil:
		return l.Event.Trust
	case l.Memory != nil:
		return l.Memory.Trust
	}
	return 0
}
