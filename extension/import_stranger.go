package extension

import (
	"encoding/json"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/schema"
)

// An export can be written by anybody, and names origins, levels of trust,
// protections and audits of its own. Unless the host says that it is the
// memory's own (ImportOptions.Restore), it is read like any other file: what
// was said and claimed in it is taken, as an import, and nothing else.

// importTrust is how far a file may be believed.
var importTrust = schema.OriginImport.Ceiling()

// taken are the attributes that a stranger may set: they describe a text and
// decide nothing.
var taken = []string{schema.AttrTool, schema.AttrPartial, schema.AttrTemporal}

// strange brings a line of a file that nobody vouches for into the form in
// which it is stored. It reports false for one that is not taken.
func (l *exportLine) strange() bool {
	switch {
	case l.Header != nil:
		h := l.Header
		h.TimeZone, h.NightsThrough, h.ImportanceSince = "", "", 0
		h.Cycle, h.ReflectedCycle, h.ReflectedAt = 0, 0, schema.Time{}
	case l.Session != nil, l.End != nil:
	case l.Event != nil:
		return l.Event.strange()
	case l.Memory != nil:
		l.Memory.strange()
	case l.Link != nil:
		l.Link.Run = "" // and only between memories of the file, see [restoring.imported]
	case l.Superseded != nil, l.Source != nil:
	default:
		return false
	}
	return true
}

// strange keeps messages. Reports of ebb's and a host's own events are the work
// of those who would have published them.
func (r *eventRecord) strange() bool {
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

func (r *memoryRecord) strange() {
	r.Origin, r.Trust = schema.OriginImport, min(r.Trust, importTrust)
	r.Protected, r.Pinned = false, false
	r.Run, r.Mentions, r.Unlinked = "", nil, true // found in the text, as with every import
	r.Importance = 0                              // rated by the text
	r.Tags = nil                                  // labels are the host's to give
	r.AccessCount, r.LastAccessed, r.Utility, r.Stability = 0, schema.Time{}, 0.5, 1
	r.DecayRate, r.Version = 0, 1
	if r.Kind != schema.KindEpisode {
		r.DecayRate, r.Confidence = schema.DefaultDecayRate, min(r.Confidence, strangerConfidence)
	}
	kept := make(schema.Attributes)
	for _, name := range taken {
		if value, ok := r.Attributes[name]; ok {
			kept[name] = value
		}
	}
	r.Attributes = kept
	if doubt := inspect(r.Content, r.Speaker, r.Subject, r.Object); doubt != "" && r.State == schema.StateActive {
		r.State, r.Attributes[schema.AttrQuarantine] = schema.StateQuarantined, string(doubt)
	}
}

// strangerConfidence is the most that a claim of such a file is believed, 0–1:
// what a night gives a claim of that trust.
const strangerConfidence = 0.6

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
