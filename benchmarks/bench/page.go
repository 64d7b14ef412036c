package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// The bench writes its results on a page between these markers.
const (
	pageFrom = "<!-- results: written by the bench -->\n"
	pageTo   = "<!-- /results -->\n"
)

// checkPage returns an error for a page that cannot be updated: it is missing, not
// writable, or has no markers.
func checkPage(page string) error {
	f, err := os.OpenFile(page, os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("--page: %w", err)
	}
	defer f.Close()
	raw, err := io.ReadAll(f)
	if err != nil {
		return fmt.Errorf("--page: %w", err)
	}
	if _, err := (results{}).onPage(string(raw), ""); err != nil {
		return fmt.Errorf("--page: %s: %w", page, err)
	}
	return nil
}

// renewPage replaces the results on a page; dir holds the plots.
func (r results) renewPage(page, dir string) error {
	raw, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	to, err := filepath.Rel(filepath.Dir(page), dir)
	if err != nil {
		return err
	}
	renewed, err := r.onPage(string(raw), filepath.ToSlash(to))
	if err != nil {
		return fmt.Errorf("%s: %w", page, err)
	}
	return os.WriteFile(page, []byte(renewed), 0o644)
}

// onPage returns the page with the results; plots are links into dir.
func (r results) onPage(page, dir string) (string, error) {
	head, rest, found := strings.Cut(page, pageFrom)
	_, tail, ends := strings.Cut(rest, pageTo)
	if !found || !ends {
		return "", fmt.Errorf("has no lines %q and %q to write between", strings.TrimSpace(pageFrom), strings.TrimSpace(pageTo))
	}
	var links strings.Builder
	for _, p := range plotted {
		if r.drawn(p) {
			fmt.Fprintf(&links, "\n![%s](%s/%s)\n", p.title, dir, p.file)
		}
	}
	return head + pageFrom + "\n" + r.tables() + "\n### plots\n" + links.String() + "\n" + pageTo + tail, nil
}
