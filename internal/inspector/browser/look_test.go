package browser

import (
	"bytes"
	"flag"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/inspector"
)

var screens = flag.String("screens", "", "a folder for the pictures of docs/screens")

// scheme has the browser prefer light or dark pages.
func (b *tab) scheme(name string) {
	b.t.Helper()
	_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}}})
	require.NoError(b.t, err)
}

// shoot writes a picture of the page as it is, or of all of it.
func (b *tab) shoot(name string, width, height int64, dark bool) {
	b.t.Helper()
	b.scheme(map[bool]string{true: "dark", false: "light"}[dark])
	b.run(chromedp.EmulateViewport(width, height))
	picture, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	require.NoError(b.t, err)
	require.NoError(b.t, os.WriteFile(filepath.Join(*screens, name+".png"), b.small(picture), 0o600))
}

// small is a picture in its 200 most frequent colours.
func (b *tab) small(picture []byte) []byte {
	b.t.Helper()
	full, err := png.Decode(bytes.NewReader(picture))
	require.NoError(b.t, err)
	frequent := make(map[color.Color]int)
	for y := range full.Bounds().Dy() {
		for x := range full.Bounds().Dx() {
			frequent[full.At(x, y)]++
		}
	}
	palette := slices.SortedFunc(maps.Keys(frequent), func(a, b color.Color) int { return frequent[b] - frequent[a] })
	paletted := image.NewPaletted(full.Bounds(), palette[:min(len(palette), 200)])
	draw.Draw(paletted, full.Bounds(), full, image.Point{}, draw.Src)
	var out bytes.Buffer
	require.NoError(b.t, (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, paletted))
	return out.Bytes()
}

// TestScreens makes the pictures of docs/screens.
func TestScreens(t *testing.T) {
	if *screens == "" {
		t.Skip("makes pictures with -screens DIR")
	}
	w := newWorld(t, inspector.Options{Scope: ada, Write: true})
	w.story()
	w.waiting()
	b := w.open()
	b.visit("/u/me/ask?q=what+should+a+cook+know+before+making+me+dinner%3F")
	b.shoot("ask", 1280, 900, false)
	b.visit("/u/me/entities")
	b.run(chromedp.Click(chromedp.CSS(".cloud a")), chromedp.WaitVisible(chromedp.CSS("main .over")))
	b.shoot("entity-dark", 1280, 900, true)
}
