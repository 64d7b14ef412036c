package main

import (
	"errors"
	"image/color"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// palette is Okabe and Ito's, which the colour-blind tell apart.
var palette = []color.RGBA{
	{0, 114, 178, 255}, {213, 94, 0, 255}, {0, 158, 115, 255}, {204, 121, 167, 255},
	{230, 159, 0, 255}, {86, 180, 233, 255}, {0, 0, 0, 255},
}

// plots draws each measure over the number of turns stored, both on a
// logarithmic scale, as SVG.
func (l *lab) plots(dir string) error {
	var measures []string
	for _, r := range l.rows {
		if !slices.Contains(measures, r.What) {
			measures = append(measures, r.What)
		}
	}
	var errs []error
	for _, m := range measures {
		errs = append(errs, l.plot(m, filepath.Join(dir, strings.ReplaceAll(m, " ", "-")+".svg")))
	}
	return errors.Join(errs...)
}

func (l *lab) plot(measure, path string) error {
	p := plot.New()
	p.Title.Text, p.X.Label.Text = measure, "turns stored"
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.LogTicks{Prec: 0}, plot.LogTicks{Prec: 3}
	p.Legend.Top, p.Legend.Left = true, true
	lines := make(map[string]plotter.XYs)
	var who []string
	for _, r := range l.rows {
		if r.What != measure || r.Size == 0 || r.Value <= 0 {
			continue // a logarithm has no zero
		}
		p.Y.Label.Text = r.Unit
		if !slices.Contains(who, r.Who) {
			who = append(who, r.Who)
		}
		lines[r.Who] = append(lines[r.Who], plotter.XY{X: float64(r.Size), Y: r.Value})
	}
	if len(who) == 0 {
		return nil
	}
	for i, w := range who {
		line, points, err := plotter.NewLinePoints(lines[w])
		if err != nil {
			return err
		}
		line.Color, points.Color = palette[i%len(palette)], palette[i%len(palette)]
		p.Add(line, points)
		p.Legend.Add(w, line, points)
	}
	return p.Save(18*vg.Centimeter, 11*vg.Centimeter, path)
}
