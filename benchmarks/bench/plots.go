package main

import (
	"errors"
	"image/color"
	"path/filepath"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
)

// plotted are the questions that a picture answers.
var plotted = []question{
	{"publish.svg", "one turn stored, median", "publish", "publish p50"},
	{"search.svg", "the ten best of one user, median", "search", "search p50"},
	{"bulk.svg", "bulk load", "publish", "bulk load"},
	{"memory.svg", "resident memory", "search", "resident"},
}

type question struct{ file, title, section, what string }

// palette is Okabe and Ito's without black and yellow. Colour-blind people can
// distinguish its colours, on light and dark backgrounds.
var palette = []color.RGBA{
	{0, 114, 178, 255}, {213, 94, 0, 255}, {0, 158, 115, 255}, {204, 121, 167, 255},
	{230, 159, 0, 255}, {86, 180, 233, 255}, {128, 128, 128, 255},
}

// ink of axes and letters can be read on white and on black.
var ink = color.RGBA{128, 128, 128, 255}

// plots draws each question's measure over the number of turns stored, both on
// a logarithmic scale, as SVG without a background.
func (r results) plots(dir string) error {
	var errs []error
	for _, q := range plotted {
		if r.drawn(q) {
			errs = append(errs, r.plot(q, filepath.Join(dir, q.file)))
		}
	}
	return errors.Join(errs...)
}

// points of a question; a logarithm has no zero.
func (r results) points(q question) (who []string, lines map[string]plotter.XYs, unit string) {
	lines = make(map[string]plotter.XYs)
	for _, x := range r.Rows {
		if x.Section != q.section || x.What != q.what || x.Size == 0 || x.Value <= 0 {
			continue
		}
		unit = x.Unit
		if !slices.Contains(who, x.Who) {
			who = append(who, x.Who)
		}
		lines[x.Who] = append(lines[x.Who], plotter.XY{X: float64(x.Size), Y: x.Value})
	}
	return who, lines, unit
}

func (r results) drawn(q question) bool {
	who, _, _ := r.points(q)
	return len(who) > 0
}

func (r results) plot(q question, path string) error {
	p := plot.New()
	p.BackgroundColor = color.Transparent
	who, lines, unit := r.points(q)
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = q.title, "turns stored", unit
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.LogTicks{Prec: 0}, plot.LogTicks{Prec: 3}
	p.Legend.Top, p.Legend.Left = true, true
	p.Title.TextStyle.Color, p.Legend.TextStyle.Color = ink, ink
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Color, a.Label.TextStyle.Color, a.Tick.Color, a.Tick.Label.Color = ink, ink, ink, ink
	}
	for _, style := range []*font.Font{&p.Title.TextStyle.Font, &p.Legend.TextStyle.Font, &p.X.Label.TextStyle.Font, &p.Y.Label.TextStyle.Font, &p.X.Tick.Label.Font, &p.Y.Tick.Label.Font} {
		style.Variant = "Sans"
	}
	for i, w := range who {
		line, points, err := plotter.NewLinePoints(lines[w])
		if err != nil {
			return err
		}
		line.Color, points.Color = palette[i%len(palette)], palette[i%len(palette)]
		line.Width = vg.Points(1.5)
		line.Dashes = plotutil.Dashes(i / len(palette)) // when colours come round again
		p.Add(line, points)
		p.Legend.Add(w, line, points)
	}
	return p.Save(18*vg.Centimeter, 11*vg.Centimeter, path)
}
