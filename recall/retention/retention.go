// Package retention holds the curves by which memories fade, as pure functions of a
// memory and a time.
package retention

import (
	"cmp"
	"math"
	"time"

	"github.com/ebbmem/ebb/schema"
)

// A Policy returns the share of a memory's strength that is left at now, 0–1.
// It must be fast, safe for concurrent use, and a function of its arguments alone:
// searches call it whenever they need the value, and nothing is stored. The memory
// comes without its text. NaN counts as 0.
type Policy func(m *schema.Memory, now time.Time) float64

// Of applies the policy; nil is [Default]. A plan begins to fade when it begins: until then
// it counts as used.
func (p Policy) Of(m *schema.Memory, now time.Time) float64 {
	if m.Attributes[schema.AttrTemporal] == schema.TemporalPlan && m.ValidFrom.After(LastUse(m)) {
		begun := *m
		begun.LastAccessed = m.ValidFrom
		m = &begun
	}
	if p == nil {
		return Default(m, now)
	}
	if left := p(m, now); left > 0 {
		return min(1, left)
	}
	return 0
}

// Scaled is the policy with the time since the last use divided by a factor: a
// memory of factor 2 fades half as fast. A factor that is not above 0 counts as 1.
func (p Policy) Scaled(by func(*schema.Memory) float64) Policy {
	return func(m *schema.Memory, now time.Time) float64 {
		since, factor := LastUse(m), by(m)
		if elapsed := now.Sub(since); elapsed > 0 && factor > 0 {
			now = since.Add(time.Duration(float64(elapsed) / factor))
		}
		return p.Of(m, now)
	}
}

// Exponential is the curve exp(−rate·days^power), after Ebbinghaus. The zero value is that of
// simplified-memory.md §3.
type Exponential struct {
	// Rate is per day^Power. Default 0: each memory's own decay_rate.
	Rate float64
	// Power is the exponent of the days. Default 0: 0.8.
	Power float64
}

// At is the share that is left after days without use, 0–1; 1 for days below 0.
func (e Exponential) At(days float64) float64 {
	if !(e.Rate > 0 && days > 0) {
		return 1
	}
	power := cmp.Or(e.Power, 0.8)
	return math.Exp(-e.Rate * math.Pow(days, power))
}

// Left is the curve as a [Policy]. A memory of decay_rate 0, such as a
// message or a protected claim, does not fade whatever Rate is.
func (e Exponential) Left(m *schema.Memory, now time.Time) float64 {
	if m.DecayRate <= 0 {
		return 1
	}
	e.Rate = cmp.Or(e.Rate, m.DecayRate)
	return e.At(now.Sub(LastUse(m)).Hours() / 24)
}

// PowerLaw is the curve (1 + Factor·days/S)^−Exponent, S being the memory's stability.
// The zero value is cognitive-v9.md's, 1/9 and 2, by which .81 is left at S days; that
// of FSRS-4.5 is {19.0 / 81, 0.5}, by which .9 is.
type PowerLaw struct{ Factor, Exponent float64 }

// At is the share that is left after days without use, 0–1; 1 for days below 0. A
// stability that is not above 0 counts as 1.
func (p PowerLaw) At(days, stability float64) float64 {
	if p == (PowerLaw{}) {
		p = PowerLaw{Factor: 1.0 / 9, Exponent: 2}
	}
	if !(days > 0) {
		return 1
	}
	if !(stability > 0) {
		stability = 1
	}
	return math.Pow(1+p.Factor*days/stability, -p.Exponent)
}

// Left is the curve as a [Policy]. A memory of decay_rate 0 does not fade.
func (p PowerLaw) Left(m *schema.Memory, now time.Time) float64 {
	if m.DecayRate <= 0 {
		return 1
	}
	return p.At(now.Sub(LastUse(m)).Hours()/24, m.Stability)
}

// Standing keeps at least Floor, 0–1, of what another policy lets fade entirely:
// Floor + (1 − Floor)·Of.
type Standing struct {
	Floor float64
	Of    Policy
}

// Left is the [Policy].
func (s Standing) Left(m *schema.Memory, now time.Time) float64 {
	return s.Floor + (1-s.Floor)*s.Of.Of(m, now)
}

// StandingFloor is what [Default] always leaves of a standing claim:
// ten times [the strength] below which nights take a memory out of search.
//
// [the strength]: https://pkg.go.dev/github.com/ebbmem/ebb/consolidate#FadedBelow
const StandingFloor = 0.5

// Document is simplified-memory.md's curve: a memory's [Exponential] at now.
// Forgetting starts at the last use, or when the memory was stored; an event of long
// ago that was stored today is fresh.
func Document(m *schema.Memory, now time.Time) float64 { return Exponential{}.Left(m, now) }

// Default keeps the user's standing claims, and lets the rest fade as
// [Document] does, but more slowly the greater their [Strength]:
//
//   - a standing claim ([schema.Memory.Stands]) in the user's own words never
//     falls below [StandingFloor]: it ends by being superseded, forgotten or erased;
//   - an event, a plan, an assistant's claim and a reflection fade by the curve,
//     with the time divided by their [Strength].
//
// By the curve alone, an allergy mentioned once fades out after 70 days.
func Default(m *schema.Memory, now time.Time) float64 {
	if m.OwnWords() && m.Stands() {
		return Standing{StandingFloor, Document}.Left(m, now)
	}
	return Policy(Document).Scaled(Strength)(m, now)
}

// Strength is the factor by which a memory fades more slowly than the curve, at least
// 1: its stability, 1–10, which further sources and use raise
// ([schema.MaxStability]), times 2·importance, limited to 1–2.
func Strength(m *schema.Memory) float64 {
	stability := 1.0
	if m.Stability > 1 {
		stability = min(m.Stability, schema.MaxStability)
	}
	return stability * min(2, max(1, 2*m.Importance))
}

// LastUse is when a memory was used last, or stored: when forgetting begins.
func LastUse(m *schema.Memory) time.Time {
	if m.LastAccessed.After(m.CreatedAt.Time) {
		return m.LastAccessed.Time
	}
	return m.CreatedAt.Time
}
