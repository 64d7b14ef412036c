package recall

import (
	"time"

	"github.com/ebbmem/ebb/recall/retention"
	"github.com/ebbmem/ebb/schema"
)

// How memories fade; package retention has the curves.
type (
	// A RetentionPolicy returns the share of a memory's strength that is left at now, 0–1.
	RetentionPolicy = retention.Policy
	// Exponential is the curve exp(−rate·days^power).
	Exponential = retention.Exponential
	// PowerLaw is the curve (1 + Factor·days/S)^−Exponent.
	PowerLaw = retention.PowerLaw
	// Standing keeps at least a floor of what another policy lets fade.
	Standing = retention.Standing
)

// StandingFloor is what [DefaultRetention] always leaves of a standing claim.
const StandingFloor = retention.StandingFloor

// Retention is [retention.Of].
func Retention(rate, days float64) float64 { return retention.Of(rate, days) }

// RetentionOf is [retention.Document].
func RetentionOf(m *schema.Memory, now time.Time) float64 { return retention.Document(m, now) }

// DefaultRetention is [retention.Default].
func DefaultRetention(m *schema.Memory, now time.Time) float64 { return retention.Default(m, now) }
