// Site writes the documents of ebb as a static site:
//
//	go run ./site -o ../site
//
// It lives in this module so that ebb itself needs no Markdown library.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"html/template"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

const source = "https://github.com/ebbmem/ebb/blob/main/"

func main() {
	root := flag.String("root", "..", "the repository")
	out := flag.String("o", "../site", "the folder to write to")
	flag.Parse()
	n, err := build(*root, *out)
	if err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
	fmt.Printf("%d pages in %s\n", n, *out)
}

// page is one document.
type page struct {
	From, To string // paths in the repository and on the site
	Title    string
	Body     template.HTML
	Pages    []*page
}

var markdown = goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithParserOptions(parser.WithAutoHeadingID()))

// build writes the site and returns the number of its pages.
func build(root, out string) (int, error) {
	docs, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		return 0, err
	}
	profiles, err := filepath.Glob(filepath.Join(root, "docs", "profiles", "*.md"))
	if err != nil {
		return 0, err
	}
	pages := []*page{{From: "README.md", To: "index.html"}, {From: "SECURITY.md"}, {From: "CHANGELOG.md"}}
	for _, doc := range docs {
		pages = slices.Insert(pages, len(pages)-2, &page{From: "docs/" + filepath.Base(doc)})
	}
	for _, doc := range profiles {
		pages = slices.Insert(pages, len(pages)-2, &page{From: "docs/profiles/" + filepath.Base(doc)})
	}
	to := make(map[string]string, len(pages))
	for _, p := range pages {
		if p.To == "" {
			p.To = strings.ToLower(strings.TrimSuffix(path.Base(p.From), ".md")) + ".html"
		}
		to[p.From] = p.To
	}
	images := make(map[string]bool)
	for _, p := range pages {
		if err := p.read(root, to, images); err != nil {
			return 0, err
		}
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return 0, err
	}
	for _, p := range pages {
		p.Pages = pages
		var html bytes.Buffer
		if err := layout.Execute(&html, p); err != nil {
			return 0, err
		}
		if err := os.WriteFile(filepath.Join(out, p.To), html.Bytes(), 0o644); err != nil {
			return 0, err
		}
	}
	for image := range images {
		if err := copyFile(filepath.Join(root, image), filepath.Join(out, path.Base(image))); err != nil {
			return 0, err
		}
	}
	return len(pages), nil
}

// read renders a document, with its links changed to those of the site.
func (p *page) read(root string, to map[string]string, images map[string]bool) error {
	content, err := os.ReadFile(filepath.Join(root, p.From))
	if err != nil {
		return err
	}
	doc := markdown.Parser().Parse(text.NewReader(content))
	err = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			if p.Title == "" {
				p.Title = string(n.Lines().Value(content))
			}
		case *ast.Link:
			n.Destination = []byte(p.link(string(n.Destination), to))
		case *ast.Image:
			image := path.Join(path.Dir(p.From), string(n.Destination))
			images[image], n.Destination = true, []byte(path.Base(image))
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		return err
	}
	var html bytes.Buffer
	err = markdown.Renderer().Render(&html, content, doc)
	p.Body = template.HTML(html.String())
	return err
}

// link is a link of the site: to a page of it, or to the repository.
func (p *page) link(link string, to map[string]string) string {
	file, anchor, found := strings.Cut(link, "#")
	if file == "" || strings.Contains(file, "://") || strings.HasPrefix(file, "mailto:") {
		return link
	}
	in := path.Join(path.Dir(p.From), file)
	target, ok := to[in]
	if !ok {
		target = source + in
	}
	if found {
		target += "#" + anchor
	}
	return target
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	if _, err = io.Copy(out, in); err != nil {
		_ = out.Close()
		return err
	}
	return out.Close()
}

var layout = template.Must(template.New("").Parse(`<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{.Title}}{{if ne .To "index.html"}} – ebb{{end}}</title>
<style>
:root { color-scheme: light dark }
body { font: 16px/1.55 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 1rem }
nav { border-bottom: 1px solid #8888; padding-bottom: .5rem } nav a { margin-right: .8rem; white-space: nowrap }
pre { overflow-x: auto; padding: .8rem; background: #8882 } code { font-size: .92em }
table { border-collapse: collapse; display: block; overflow-x: auto } th, td { border: 1px solid #8888; padding: .25rem .5rem; text-align: left; vertical-align: top }
img { max-width: 100% }
</style>
<nav>{{$to := .To}}{{range .Pages}}<a href="{{.To}}"{{if eq .To $to}} aria-current="page"{{end}}>{{.Title}}</a> {{end}}</nav>
<main>
{{.Body}}
</main>
</html>
`))
