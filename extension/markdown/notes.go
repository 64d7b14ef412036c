package markdown

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// IsNote reports whether a file is Markdown by its name.
func IsNote(file string) bool {
	ext := strings.ToLower(filepath.Ext(file))
	return ext == ".md" || ext == ".markdown"
}

// Notes lists the Markdown files of a folder and its subfolders, without hidden and
// empty ones.
func Notes(folder string) (files []string, err error) {
	err = filepath.WalkDir(folder, func(at string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case at != folder && strings.HasPrefix(d.Name(), "."):
			if d.IsDir() {
				return fs.SkipDir
			}
		case d.Type().IsRegular() && IsNote(at):
			if info, err := d.Info(); err != nil || info.Size() > 0 {
				files = append(files, at)
			}
		}
		return nil
	})
	return files, err
}

// NameOf is how a note is named in its memories: by its path in the folder.
func NameOf(folder, file string) string {
	name, err := filepath.Rel(folder, file)
	if err != nil || name == "." {
		name = filepath.Base(file)
	}
	return strings.TrimSuffix(filepath.ToSlash(name), filepath.Ext(name))
}

var dateInName = regexp.MustCompile(`(?:^|[^0-9])([0-9]{4}-[0-9]{2}-[0-9]{2})(?:[^0-9]|$)`)

// TimeOf is when a note was written: noon of the date in its name, or else its
// last change. Zero if neither is known.
func TimeOf(file string, zone *time.Location) time.Time {
	if found := dateInName.FindStringSubmatch(filepath.Base(file)); found != nil {
		if day, err := time.ParseInLocation(time.DateOnly, found[1], zone); err == nil {
			return day.Add(12 * time.Hour)
		}
	}
	info, err := os.Stat(file)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}
