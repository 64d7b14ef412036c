// Package stores holds the stores of four-stores-skill.md as pure functions: which
// store a memory belongs to, how it fades there, the bands of its relevance, and where
// a new claim goes. docs/profiles/FOURSTORES.md says where they differ from the document.
package stores

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/ebbmem/ebb/recall"
	"github.com/ebbmem/ebb/recall/retention"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/core"
)

// The names of the document's stores.
const (
	Core       = "core"
	Episodic   = "episodic"
	Semantic   = "semantic"
	Procedural = "procedural"
	Vault      = "vault"
)

// Spec describes a store.
type Spec struct {
	// Name is the value of [schema.AttrStore] and what a model calls it.
	Name string
	// Kind is the kind of the memories that are there without an attribute. "" means
	// none.
	Kind schema.Kind
	// Weight is the factor of the relevance of its memories, above 0; +Inf for a
	// store whose memories do not fade.
	Weight float64
	// Fades says that its memories fade with time.
	Fades bool
	// Pins says that its memories are protected ([schema.Memory].Protected), and that
	// all protected memories are there. Only the host and the user's own words
	// protect.
	Pins bool
	// Writer is what a model may do to it: not name it, ask the host for each memory
	// there, or write. A model that names a store that pins asks to protect.
	Writer core.BlockWriter
}

// Set are the stores of a memory.
type Set []Spec

// Document returns the stores of four-stores-skill.md.
func Document() Set {
	return Set{
		{Name: Core, Weight: 1.5, Fades: true},
		{Name: Episodic, Kind: schema.KindEpisode, Weight: 0.8, Fades: true, Writer: core.ModelWrites},
		{Name: Semantic, Kind: schema.KindFact, Weight: 1.2, Fades: true, Writer: core.ModelWrites},
		{Name: Procedural, Weight: 1.0, Fades: true, Writer: core.ModelWrites},
		{Name: Vault, Weight: math.Inf(1), Pins: true, Writer: core.ModelProposes},
	}
}

var storeName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,39}$`)

// Validate returns an [*schema.InvalidError] for stores that cannot be used together.
func (s Set) Validate() error {
	for i, one := range s {
		wrong := func(reason string) error {
			return &schema.InvalidError{Field: "Config.Stores", Reason: reason}
		}
		switch {
		case !storeName.MatchString(one.Name):
			return wrong("have a name that is not of 1 to 40 lower-case letters, digits and underscores")
		case slices.ContainsFunc(s[:i], func(other Spec) bool { return other.Name == one.Name }):
			return wrong("name " + one.Name + " twice")
		case !(one.Weight > 0):
			return wrong("give " + one.Name + " a weight that is not above 0")
		}
	}
	return nil
}

// Names lists the stores that a model can name.
func (s Set) Names() (names []string) {
	for _, one := range s {
		if one.Writer != core.HostWrites {
			names = append(names, one.Name)
		}
	}
	return names
}

// Open lists the stores that a model may sort memories into: those that it writes to
// and that do not pin.
func (s Set) Open() (names []string) {
	for _, one := range s {
		if one.Writer == core.ModelWrites && !one.Pins {
			names = append(names, one.Name)
		}
	}
	return names
}

// Named returns a store; nil for an unknown name.
func (s Set) Named(name string) *Spec {
	if i := slices.IndexFunc(s, func(one Spec) bool { return one.Name == name }); i >= 0 {
		return &s[i]
	}
	return nil
}

// Of returns the store of a memory: one that pins if it is protected, else that of its
// attribute, else that of its kind. Facts, preferences and reflections share a store.
func (s Set) Of(m *schema.Memory) *Spec {
	kind := m.Kind
	if kind == schema.KindPreference || kind == schema.KindReflection {
		kind = schema.KindFact
	}
	var byKind *Spec
	for i := range s {
		one := &s[i]
		switch {
		case one.Pins && m.Protected:
			return one
		case !one.Pins && !m.Protected && one.Name == m.Attributes[schema.AttrStore]:
			return one
		case one.Kind == kind && byKind == nil:
			byKind = one
		}
	}
	if byKind == nil {
		byKind = &Spec{Name: string(m.Kind), Weight: 1}
	}
	return byKind
}

// Curve is the document's relevance base·e^(−Rate·days)·log2(uses + 2)·weight with base
// 1, limited to 1. The document's log2(uses + 1) is 0 for what was never used.
type Curve struct {
	// Rate is λ, per day. Default 0: 0.03.
	Rate float64
	// Messages lets messages fade too. Default false.
	Messages bool
}

// DefaultRate is the document's λ: half is left after 23 days.
const DefaultRate = 0.03

// At is the relevance, 0–1, after days without use. Negative days count as 0. A weight
// of +Inf gives 1.
func (c Curve) At(days float64, uses int64, weight float64) float64 {
	if math.IsInf(weight, 1) {
		return 1
	}
	rate := cmp.Or(c.Rate, DefaultRate)
	return min(1, math.Exp(-rate*max(0, days))*math.Log2(float64(max(0, uses))+2)*weight)
}

// Relevance is that of a memory in its store at now. What is pinned, protected or
// waits to be protected has 1.
func (s Set) Relevance(c Curve, m *schema.Memory, now time.Time) float64 {
	one := s.Of(m)
	days := now.Sub(retention.LastUse(m)).Hours() / 24
	switch {
	case m.Pinned || m.Protected:
		return 1
	case m.Kind == schema.KindEpisode && !c.Messages, !one.Fades:
		days = 0
	case m.Kind != schema.KindEpisode && m.DecayRate <= 0:
		return 1
	}
	return c.At(days, m.AccessCount, one.Weight)
}

// Retention is the relevance as a policy. Messages that do not fade have 1.
func (s Set) Retention(c Curve) retention.Policy {
	return func(m *schema.Memory, now time.Time) float64 {
		if m.Kind == schema.KindEpisode && !c.Messages {
			return 1
		}
		return s.Relevance(c, m, now)
	}
}

// Band is what a relevance means for searches.
type Band string

// The bands, half open: each includes its lower bound.
const (
	Active   Band = "active"   // from .5: fully searchable
	Fading   Band = "fading"   // from .2: deprioritised
	Dormant  Band = "dormant"  // from .05: explicit search only
	Archived Band = "archived" // hidden from search
)

// The lower bounds of the bands.
const (
	ActiveFrom  = 0.5
	FadingFrom  = 0.2
	DormantFrom = 0.05
)

// BandOf returns the band of a relevance. NaN is archived.
func BandOf(relevance float64) Band {
	switch {
	case relevance >= ActiveFrom:
		return Active
	case relevance >= FadingFrom:
		return Fading
	case relevance >= DormantFrom:
		return Dormant
	}
	return Archived
}

// Hidden reports a memory that no search shows: one that has faded out of default
// search and is archived by now.
func (s Set) Hidden(c Curve, now func() time.Time) func(*schema.Memory) bool {
	fades := s.Retention(c)
	return func(m *schema.Memory) bool {
		return m.State == schema.StateDormant && BandOf(fades.Of(m, now())) == Archived
	}
}

// DefaultShare is the weight of decay in an additive score.
const DefaultShare = 0.1

// Scorer orders results by relevance + share·decay, decay being the relevance of a
// memory in its store, 0–1.
func (s Set) Scorer(c Curve, share float64) recall.Scorer {
	return func(t recall.Terms) []recall.Signal {
		return []recall.Signal{
			{Name: "relevance", Value: t.Relevance, Weight: 1},
			{Name: "decay", Value: s.Relevance(c, t.Memory, t.Now), Weight: share},
		}
	}
}

// Product orders results by relevance × decay, the document's letter.
func (s Set) Product(c Curve) recall.Scorer {
	return func(t recall.Terms) []recall.Signal {
		decay := s.Relevance(c, t.Memory, t.Now)
		return []recall.Signal{
			{Name: "relevance × decay", Value: t.Relevance * decay, Weight: 1},
			{Name: "relevance", Value: t.Relevance}, {Name: "decay", Value: decay},
		}
	}
}

// Tried returns the attributes that count one more outcome of a procedure, nil for
// any other memory.
func (s Set) Tried(m *schema.Memory, helped bool) map[string]string {
	if s.Of(m).Name != Procedural && m.Attributes[schema.AttrStore] != Procedural {
		return nil
	}
	name := schema.AttrFailures
	if helped {
		name = schema.AttrSuccesses
	}
	n, _ := strconv.ParseInt(m.Attributes[name], 10, 64)
	return map[string]string{name: strconv.FormatInt(max(0, n)+1, 10)}
}
