package prompt

import (
	"sync"

	"github.com/ebbmem/ebb/internal/grounding"
	"github.com/ebbmem/ebb/internal/said"
)

// wording is what depends on a text alone, each computed on first use.
type wording struct {
	lean    func() grounding.Lean    // see leanOf
	frames  func() []grounding.Frame // see [grounding.FramesOf]
	changed func() [][]string        // see [grounding.Changed]
	value   func() []string          // see valueOf
	tells   func() bool              // see [said.TellsChange]
	cut     func() *cutMessage       // see cutOf
}

// wordings keep the wordings of a claim's texts, alone or with those of other claims, as long as the
// claim: when a message comes, those of most lines are known.
type wordings struct {
	mu sync.Mutex
	of map[string]*wording
}

// mostWordings is how many texts a claim keeps the wordings of.
const mostWordings = 8

// wording returns that of a text with the claim in it.
func (c *ownClaim) wording(s string) *wording {
	c.wordings.mu.Lock()
	defer c.wordings.mu.Unlock()
	w, known := c.wordings.of[s]
	if !known {
		if c.wordings.of == nil || len(c.wordings.of) >= mostWordings {
			c.wordings.of = make(map[string]*wording)
		}
		w = &wording{
			lean:    sync.OnceValue(func() grounding.Lean { return leanOf(s) }),
			frames:  sync.OnceValue(func() []grounding.Frame { return grounding.FramesOf(s) }),
			changed: sync.OnceValue(func() [][]string { return grounding.Changed(s) }),
			value:   sync.OnceValue(func() []string { return valueOf.FindStringSubmatch(s) }),
			tells:   sync.OnceValue(func() bool { return said.TellsChange(s) }),
			cut:     sync.OnceValue(func() *cutMessage { return cutOf(s) }),
		}
		c.wordings.of[s] = w
	}
	return w
}

// wording returns that of the line's text.
func (l *line) wording() *wording { return l.claims[0].wording(l.Text) }
