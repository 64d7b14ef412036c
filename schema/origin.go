package schema

// Origin says where a text came from. The host stamps it, never a model.
type Origin string

// The origins, with the trust level each starts from.
const (
	OriginUser         Origin = "user_direct"   // 4: the user typed it
	OriginToolInternal Origin = "tool_internal" // 3: a tool of the host's own
	OriginAssistant    Origin = "assistant"     // the minimum over what was in that turn's context
	OriginFederation   Origin = "federation"    // 2: another agent's memory
	OriginToolExternal Origin = "tool_external" // 1: the web, mail, documents
	OriginImport       Origin = "import"        // 1: a file taken in
	OriginUnknown      Origin = "unknown"       // 0
)

// Trust is how far a text may be believed, 0 (unknown) to 4 (the user's own
// words). A derived memory has the lowest level of its sources, and a lower
// level never supersedes a higher one.
type Trust int

// MaxTrust is the level of the user's own words.
const MaxTrust Trust = 4

// MaxConfidence is how sure a claim of this trust can be, 0–1, that a model drew
// from what was said: the user's own words bear more than what a page says.
func (t Trust) MaxConfidence() float64 {
	return [...]float64{0.5, 0.6, 0.7, 0.85, 0.95}[min(max(t, 0), MaxTrust)]
}

// Ceiling is the highest trust level this origin can carry. An assistant's
// text can reach [MaxTrust]; the turn it was written in lowers it.
func (o Origin) Ceiling() Trust {
	switch o {
	case OriginUser, OriginAssistant:
		return MaxTrust
	case OriginToolInternal:
		return 3
	case OriginFederation:
		return 2
	case OriginToolExternal, OriginImport:
		return 1
	case OriginUnknown:
		return 0
	}
	return 0
}

// Validate returns an [*InvalidError] for an origin that is not listed above.
func (o Origin) Validate() error {
	switch o {
	case OriginUser, OriginToolInternal, OriginAssistant, OriginFederation, OriginToolExternal, OriginImport, OriginUnknown:
		return nil
	}
	return &InvalidError{Field: "Origin", Reason: "is not one of user_direct, tool_internal, assistant, federation, tool_external, import, unknown"}
}
