package transfer

import (
	"encoding/json"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/internal/poison"
	"github.com/ebbmem/ebb/schema"
)

// Anyone can write a file in the form of an export, with origins, levels of trust,
// protections and audits of its own. Unless the host trusts it
// (ImportOptions.Restore) it is read like any other file: messages and claims in it
// are imported, and nothing else.

// importTrust is the most that an untrusted file is trusted.
var importTrust = schema.OriginImport.Ceiling()

// taken are the attributes that an untrusted file may set: they describe a text and
// decide nothing.
var taken = []string{schema.AttrTool, schema.AttrPartial, schema.AttrTemporal}

// distrust brings a line of an untrusted file into the form in which it is stored.
// It reports false for a line that is skipped.
func (l *exportLine) distrust() bool {
	switch {
	case l.Header != nil:
		h := l.Header
		h.TimeZone, h.NightsThrough, h.ImportanceSince = "", "", 0
		h.Cycle, h.ReflectedCycle, h.ReflectedAt = 0, 0, schema.Time{}
	case l.Session != nil, l.End != nil:
	case l.Event != nil:
		return l.Event.distrust()
	case l.Memory != nil:
		l.Memory.distrust()
	case l.Link != nil:
		l.Link.Run = "" // and only between memories of the file, see [restoring.imported]
	case l.Superseded != nil, l.Source != nil:
	default:
		return false
	}
	return true
}

// distrust keeps messages. Reports of ebb's and a host's own events are the work
// of those who would have published them.
func (r *eventRecord) distrust() bool {
	switch r.Topic {
	case eventbus.TopicUserMessage, eventbus.TopicAgentResponse, eventbus.TopicToolResult:
		r.Origin, r.Trust = schema.OriginImport, min(r.Trust, importTrust)
		r.Injection = nil
		r.Payload = withoutLabels(r.Payload)
		return true
	}
	return false
}

// withoutLabels leaves of a message what was said, by whom.
func withoutLabels(payload json.RawMessage) json.RawMessage {
	var m eventbus.Message
	if json.Unmarshal(payload, &m) != nil || m.Attributes == nil && m.Tags == nil && m.Importance == 0 {
		return payload
	}
	m.Attributes, m.Tags, m.Importance = nil, nil, 0
	plain, err := json.Marshal(m)
	if err != nil {
		return payload // it was JSON before
	}
	return plain
}

func (r *memoryRecord) distrust() {
	r.Origin, r.Trust = schema.OriginImport, min(r.Trust, importTrust)
	r.Protected, r.Pinned = false, false
	r.Run, r.Mentions, r.Unlinked = "", nil, true // found in the text, as with every import
	r.Importance = 0                              // rated by the text
	r.Tags = nil                                  // labels are the host's to give
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

// untrustedConfidence is the highest confidence of a claim of such a file, 0–1:
// what a night gives a claim of that trust.
const untrustedConfidence = 0.6

// trust is the level that a line claims, 0 for one that claims none.
func (l *exportLine) trust() schema.Trust {
	switch {
	case l.Event != nil:
		return l.Event.Trust
	case l.Memory != nil:
		return l.Memory.Trust
	}
	return 0
}
