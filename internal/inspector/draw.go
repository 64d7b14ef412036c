package inspector

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/schema/inspect"
)

// curve is how a memory fades, for a drawing of 640 by 160.
type curve struct {
	Fades    bool
	Line     string // points of the path until the horizon
	Area     string
	NowX     float64
	NowY     float64
	Left     float64 // 0–1 now
	From, To time.Time
	Half     time.Time // when half is left, zero if that is beyond
}

const (
	curveWidth  = 640
	curveHeight = 160
	curvePoints = 80
)

// curve draws the share that is left from the last use until as long after now,
// at least 90 days.
func (r *request) curve(m *extension.Record) curve {
	now := r.now()
	from := m.EventTime.Time
	if m.LastAccessed.After(from) {
		from = m.LastAccessed.Time
	}
	if from.After(now) {
		from = now
	}
	span := max(2*now.Sub(from), 90*24*time.Hour)
	c := curve{From: from, To: from.Add(span), Left: r.o.Retention.Of(m, now)}
	at := func(share float64) (x, y, left float64) {
		left = r.o.Retention.Of(m, from.Add(time.Duration(share*float64(span))))
		return curveWidth * share, curveHeight * (1 - left), left
	}
	var points []string
	for i := range curvePoints + 1 {
		share := float64(i) / curvePoints
		x, y, left := at(share)
		points = append(points, fmt.Sprintf("%.1f,%.1f", x, y))
		c.Fades = c.Fades || left < 0.995
		if left < 0.5 && c.Half.IsZero() {
			c.Half = from.Add(time.Duration(share * float64(span)))
		}
	}
	c.Line = "M" + strings.Join(points, " L")
	c.Area = fmt.Sprintf("%s L%d,%d L0,%d Z", c.Line, curveWidth, curveHeight, curveHeight)
	share := float64(now.Sub(from)) / float64(span)
	c.NowX, c.NowY = curveWidth*share, curveHeight*(1-c.Left)
	return c
}

// graph is an entity among those mentioned beside it, for a drawing 520 wide.
type graph struct {
	Nodes       []node
	Edges       []edge
	Top, Height float64 // of the part that is drawn on
}

type node struct {
	X, Y, R          float64
	LabelX, LabelY   float64
	Anchor           string // of the label
	Name, Type, ID   string
	Together         int64
	Centre, Labelled bool
}

type edge struct{ X1, Y1, X2, Y2, Width float64 }

const (
	graphSize  = 520
	labelSpace = 40 // around the outermost
)

// newGraph places the entity in the middle and the others around it: the more often
// they are mentioned together, the nearer.
func newGraph(e *inspect.Entity) graph {
	const middle = graphSize / 2.0
	g := graph{}
	n := len(e.Related)
	if n == 0 {
		return g
	}
	most, reach := float64(e.Related[0].Together), 0.0
	for i, other := range e.Related {
		share := math.Sqrt(float64(other.Together) / most)
		// Neighbours in rank stand apart: the golden angle.
		angle := float64(i)*2.399963 - math.Pi/2
		if n <= 12 {
			angle = 2*math.Pi*float64(i)/float64(n) - math.Pi/2
		}
		distance := 125 + 75*(1-share)
		if n > 12 {
			distance = 75 + 150*math.Sqrt(float64(i+1)/float64(n))
		}
		reach = max(reach, distance+labelSpace)
		size := 5 + 11*share
		nd := node{
			X: middle + distance*math.Cos(angle), Y: middle + distance*math.Sin(angle), R: size,
			Name: other.Name, Type: other.Type, ID: other.UID, Together: other.Together, Labelled: i < 24, Anchor: "middle",
		}
		nd.LabelX, nd.LabelY = nd.X, nd.Y+size+15
		if nd.Y < middle-distance/2 {
			nd.LabelY = nd.Y - size - 6
		}
		g.Nodes = append(g.Nodes, nd)
		g.Edges = append(g.Edges, edge{middle, middle, nd.X, nd.Y, 0.75 + 2.5*share})
	}
	g.Top, g.Height = middle-reach, 2*reach
	for _, l := range e.Links[:min(len(e.Links), 120)] {
		a, b := g.Nodes[l.A], g.Nodes[l.B]
		g.Edges = append(g.Edges, edge{a.X, a.Y, b.X, b.Y, 0.5})
	}
	g.Nodes = append(g.Nodes, node{X: middle, Y: middle, R: 22, LabelX: middle, LabelY: middle + 42, Anchor: "middle", Name: e.Name, Type: e.Type, Centre: true, Labelled: true})
	return g
}
