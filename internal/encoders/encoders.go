// Package encoders installs sentence encoders in the user's data folder: from a
// folder, or by downloading a known model and checking it against its hashes.
package encoders

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/ebbmem/ebb/encoder"
)

// Installed is an encoder in the data folder, as its manifest describes it.
type Installed struct {
	Name    string `json:"name"`
	Model   string `json:"model"`
	Dims    int    `json:"dims"`
	Licence string `json:"licence,omitempty"`
	// QueryPrompt and DocumentPrompt precede queries and documents.
	QueryPrompt    string `json:"query_prompt,omitempty"`
	DocumentPrompt string `json:"document_prompt,omitempty"`
	Folder         string `json:"folder"`
	Bytes          int64  `json:"bytes"`
	Files          []File `json:"files"`
}

// File is a file of a model.
type File struct {
	Name   string `json:"name"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// manifest is the name of the file that describes an installed encoder.
const manifest = "ebb.json"

// RefusedError is a request that cannot be carried out as given.
type RefusedError struct{ reason string }

func (e *RefusedError) Error() string { return e.reason }

func refused(format string, args ...any) error {
	return &RefusedError{fmt.Sprintf(format, args...)}
}

// validName is the form of an encoder's name: one element of a path.
var validName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)

// Folder returns the folder in which encoders are installed.
func Folder() (string, error) {
	if data := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(data) {
		return filepath.Join(data, "ebb", "encoders"), nil
	}
	if data := os.Getenv("LocalAppData"); runtime.GOOS == "windows" && data != "" {
		return filepath.Join(data, "ebb", "encoders"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	if runtime.GOOS == "darwin" {
		return filepath.Join(home, "Library", "Application Support", "ebb", "encoders"), nil
	}
	return filepath.Join(home, ".local", "share", "ebb", "encoders"), nil
}

// Open opens an installed encoder by its name, or one in a folder.
func Open(what string, options ...encoder.Option) (*encoder.Encoder, error) {
	if validName.MatchString(what) {
		folder, err := Folder()
		if err != nil {
			return nil, err
		}
		installed, err := readManifest(filepath.Join(folder, what))
		if err == nil {
			return installed.open(options...)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	if info, err := os.Stat(what); err != nil || !info.IsDir() {
		return nil, refused("there is no encoder and no folder %q; see ebb encoder list, or install one with ebb encoder install", what)
	}
	e, err := encoder.Open(what, options...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	return e, nil
}

// open opens an installed encoder, unless its files have changed.
func (i *Installed) open(options ...encoder.Option) (*encoder.Encoder, error) {
	e, err := encoder.Open(i.Folder, options...)
	if err != nil {
		return nil, fmt.Errorf("encoder %s: %w", i.Name, err)
	}
	if strings.TrimSuffix(e.ID(), "-int8") != i.Model {
		return nil, refused("the files of the encoder %s have changed since it was installed; remove %s and install it again", i.Name, i.Folder)
	}
	return e, nil
}

// readManifest returns the encoder in a folder.
//
// Errors: [fs.ErrNotExist] if nothing is there, a file or a folder that is no encoder.
func readManifest(folder string) (*Installed, error) {
	if _, err := os.Lstat(folder); err != nil {
		return nil, err
	}
	installed := new(Installed)
	data, err := os.ReadFile(filepath.Join(folder, manifest))
	if err == nil {
		err = json.Unmarshal(data, installed)
	}
	if err != nil {
		return nil, fmt.Errorf("%s is no complete encoder: %v; remove it, and install the encoder again", folder, err)
	}
	installed.Name, installed.Folder = filepath.Base(folder), folder
	return installed, nil
}

// Options are the options of an installation.
type Options struct {
	Name   string // default: the name of the folder or model
	Mirror string // URL to download from instead
	// Progress returns a writer that is passed what is copied, and a function that
	// ends the display. Default none.
	Progress func(total int64, what string) (w io.Writer, done func())
	// Starting is called before a download. Default none.
	Starting func(p *Published, source string) error
}

func (o *Options) progress(total int64, what string) (w io.Writer, done func()) {
	if o.Progress == nil {
		return io.Discard, func() {}
	}
	return o.Progress(total, what)
}

func (o *Options) starting(p *Published, source string) error {
	if o.Starting == nil {
		return nil
	}
	return o.Starting(p, source)
}

// Install installs the model in a folder, or a known one by its name. installed is
// false if it was there before.
//
// Errors: [*RefusedError]; [*encoder.InvalidError]; [ErrPartial]; those of the file
// system and the network.
func Install(ctx context.Context, model string, o Options) (i *Installed, installed bool, err error) {
	if o.Name != "" && !validName.MatchString(o.Name) {
		return nil, false, badName(o.Name)
	}
	if info, err := os.Stat(model); err == nil && info.IsDir() {
		from, err := filepath.Abs(model)
		if err != nil {
			return nil, false, err
		}
		if o.Mirror != "" {
			return nil, false, refused("--mirror is for models that are downloaded; %s is a folder", model)
		}
		i, installed, err = installFolder(ctx, from, cmp.Or(o.Name, filepath.Base(from)), licenceOf(from), &o)
		if invalid, ok := errors.AsType[*encoder.InvalidError](err); ok {
			err = fmt.Errorf("%s: %w", model, invalid)
		}
		return i, installed, err
	}
	for n := range Known {
		if Known[n].Name == model {
			return installKnown(ctx, &Known[n], &o)
		}
	}
	return nil, false, refused("there is no folder %q, and no model of this name to download; known are: %s", model, knownNames())
}

func badName(name string) error {
	return refused("%q cannot be an encoder's name: letters, digits, '.', '_' and '-'; choose one with --name", name)
}

// installFolder installs the model in a folder.
func installFolder(ctx context.Context, from, name, licence string, o *Options) (i *Installed, installed bool, err error) {
	if !validName.MatchString(name) {
		return nil, false, badName(name)
	}
	e, err := encoder.Open(from)
	if err != nil {
		return nil, false, err
	}
	folder, err := Folder()
	if err != nil {
		return nil, false, err
	}
	target := filepath.Join(folder, name)
	switch there, err := readManifest(target); {
	case err == nil && there.Model == e.ID():
		_, err := there.open()
		return there, false, err
	case err == nil:
		return nil, false, there.taken()
	case !errors.Is(err, fs.ErrNotExist):
		return nil, false, err
	}
	i = describe(e, name, licence, folder)
	return i, true, i.copyFrom(ctx, from, e.Files(), o)
}

// describe returns the encoder as it will be installed in folder, without its files.
func describe(e *encoder.Encoder, name, licence, folder string) *Installed {
	i := &Installed{Name: name, Model: e.ID(), Dims: e.Dims(), Licence: licence, Folder: filepath.Join(folder, name)}
	i.QueryPrompt, i.DocumentPrompt = e.Prompts()
	return i
}

// copyFrom copies the model's files, its README and its licence into a folder
// that gets its name when all is there.
func (i *Installed) copyFrom(ctx context.Context, from string, files []encoder.File, o *Options) (err error) {
	if err := os.MkdirAll(filepath.Dir(i.Folder), 0o755); err != nil {
		return err
	}
	removeKilled(filepath.Dir(i.Folder))
	partial, err := os.MkdirTemp(filepath.Dir(i.Folder), ".installing-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(partial)) }()
	for _, name := range documentsOf(from) {
		files = append(files, encoder.File{Name: name})
	}
	total := int64(0)
	for _, f := range files {
		total += f.Size
	}
	progress, done := o.progress(total, "copying")
	defer done()
	for _, f := range files {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, hash, err := copyFile(filepath.Join(partial, filepath.FromSlash(f.Name)), filepath.Join(from, filepath.FromSlash(f.Name)), progress)
		if err != nil {
			return err
		}
		if f.SHA256 != "" && f.SHA256 != hash {
			return fmt.Errorf("%s changed while it was copied", f.Name)
		}
		i.Bytes += n
		i.Files = append(i.Files, File{Name: f.Name, Bytes: n, SHA256: hash})
	}
	return i.place(partial)
}

// removeKilled removes what installations that were killed have left in folder. One
// that runs is younger than a day.
func removeKilled(folder string) {
	left, _ := filepath.Glob(filepath.Join(folder, ".installing-*"))
	for _, dir := range left {
		if info, err := os.Stat(dir); err == nil && time.Since(info.ModTime()) > 24*time.Hour {
			_ = os.RemoveAll(dir) // the next installation tries again
		}
	}
}

// place describes the encoder in the folder that holds its files, and gives that its name.
func (i *Installed) place(partial string) error {
	description, err := json.MarshalIndent(i, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(partial, manifest), append(description, '\n'), 0o644); err != nil {
		return err
	}
	if err := os.Chmod(partial, 0o755); err != nil {
		return err
	}
	return os.Rename(partial, i.Folder)
}

// copyFile copies a file, makes the folder it goes to, and returns its SHA-256.
func copyFile(to, from string, progress io.Writer) (n int64, hash string, err error) {
	in, err := os.Open(from)
	if err != nil {
		return 0, "", err
	}
	defer in.Close()
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return 0, "", err
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return 0, "", err
	}
	sum := sha256.New()
	if n, err = io.Copy(io.MultiWriter(out, sum, progress), in); err == nil {
		err = out.Sync()
	}
	return n, hex.EncodeToString(sum.Sum(nil)), errors.Join(err, out.Close())
}

// licences are the names of files that hold a licence, without extension.
var licences = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice)([.-].*)?$`)

// documentsOf lists the README and licence files of a model.
func documentsOf(dir string) (names []string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if info, err := os.Stat(filepath.Join(dir, e.Name())); err == nil && info.Mode().IsRegular() && info.Size() <= 1<<20 &&
			(e.Name() == "README.md" || licences.MatchString(e.Name())) {
			names = append(names, e.Name())
		}
	}
	return names
}

// licenceOf is the licence that a model states: in its README's header, as
// Hugging Face has it, or in a file of its own. Empty if it states none.
func licenceOf(dir string) string {
	documents := documentsOf(dir)
	var readme []byte
	if slices.Contains(documents, "README.md") {
		readme, _ = os.ReadFile(filepath.Join(dir, "README.md")) // without it, no licence is stated
	}
	if bytes.HasPrefix(readme, []byte("---")) {
		lines := bufio.NewScanner(bytes.NewReader(readme))
		for lines.Scan(); lines.Scan() && strings.TrimRight(lines.Text(), " ") != "---"; {
			if value, ok := strings.CutPrefix(lines.Text(), "license:"); ok && strings.TrimSpace(value) != "" {
				return strings.Trim(strings.TrimSpace(value), `"'`)
			}
		}
	}
	for _, name := range documents {
		if licences.MatchString(name) {
			return "see " + name
		}
	}
	return ""
}

// List returns the installed encoders. faults are those that cannot be read.
func List() (all []*Installed, faults []error, err error) {
	folder, err := Folder()
	if err != nil {
		return nil, nil, err
	}
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	for _, e := range entries {
		path := filepath.Join(folder, e.Name())
		if info, err := os.Stat(path); err != nil || !info.IsDir() || !validName.MatchString(e.Name()) {
			continue // a stray file, or an interrupted installation
		}
		installed, err := readManifest(path)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		all = append(all, installed)
	}
	return all, faults, nil
}
