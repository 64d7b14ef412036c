package transfer

import (
	"archive/zip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ebbmem/ebb/schema"
)

// companions are files beside the conversations.json of a data export of ChatGPT or
// Claude that hold no conversations: accounts, feedback, projects, summaries.
var companions = []string{
	"group_chats.json", "memories.json", "message_feedback.json", "model_comparisons.json", "projects.json",
	"shared_conversations.json", "shopping.json", "sora.json", "user.json", "user_settings.json", "users.json",
}

// IsArchive reports whether a path names a ZIP archive, as services pack their data
// exports.
func IsArchive(path string) bool { return strings.EqualFold(filepath.Ext(path), ".zip") }

// Folder lists the files of a folder or of a ZIP archive that an import reads, by name:
// *.jsonl and *.json. Beside a conversations.json, the other files of such an export are
// left out. [OpenFile] opens what it lists.
func Folder(path string) (files, leftOut []string, err error) {
	var names []string
	if IsArchive(path) {
		names, err = archived(path)
	} else {
		names, err = inFolder(path)
	}
	isExport := slices.ContainsFunc(names, func(name string) bool { return filepath.Base(name) == "conversations.json" })
	for _, name := range names {
		switch ext := filepath.Ext(name); {
		case ext != ".jsonl" && ext != ".json":
		case isExport && slices.Contains(companions, filepath.Base(name)):
			leftOut = append(leftOut, name)
		default:
			files = append(files, filepath.Join(path, name))
		}
	}
	return files, leftOut, err
}

func inFolder(path string) (names []string, err error) {
	entries, err := os.ReadDir(path)
	for _, e := range entries {
		if !e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names, err
}

func archived(path string) (names []string, err error) {
	r, err := zip.OpenReader(path)
	if err != nil {
		return nil, badArchive(err)
	}
	for _, f := range r.File {
		if !strings.HasSuffix(f.Name, "/") && filepath.IsLocal(f.Name) {
			names = append(names, f.Name)
		}
	}
	slices.Sort(names)
	return names, r.Close()
}

func badArchive(err error) error {
	if errors.Is(err, zip.ErrFormat) || errors.Is(err, zip.ErrAlgorithm) || errors.Is(err, zip.ErrChecksum) {
		return &schema.InvalidError{Field: "archive", Reason: "is damaged, or no ZIP file"}
	}
	return err
}

// OpenFile opens a file, or one in a ZIP archive as [Folder] names it. The size is −1
// where it is not known.
func OpenFile(path string) (file io.ReadCloser, size int64, err error) {
	for i := range path {
		if !os.IsPathSeparator(path[i]) || !IsArchive(path[:i]) {
			continue
		}
		if info, err := os.Stat(path[:i]); err == nil && info.Mode().IsRegular() {
			return openArchived(path[:i], filepath.ToSlash(path[i+1:]))
		}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	size = -1
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
		size = info.Size()
	}
	return f, size, nil
}

// inArchive is a file in an archive that is open for it alone.
type inArchive struct {
	io.ReadCloser

	archive io.Closer
}

func (f *inArchive) Close() error { return errors.Join(f.ReadCloser.Close(), f.archive.Close()) }

func openArchived(archive, name string) (file io.ReadCloser, size int64, err error) {
	r, err := zip.OpenReader(archive)
	if err != nil {
		return nil, 0, badArchive(err)
	}
	for _, f := range r.File {
		if f.Name != name {
			continue
		}
		in, err := f.Open()
		if err != nil {
			return nil, 0, errors.Join(badArchive(err), r.Close())
		}
		return &inArchive{in, r}, int64(min(f.UncompressedSize64, 1<<62)), nil
	}
	return nil, 0, errors.Join(os.ErrNotExist, r.Close())
}
