package main

import (
	"bufio"
	"bytes"
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
	"strings"

	"github.com/ebbmem/ebb/encoder"
)

type encoderCmd struct {
	Install encoderInstallCmd `cmd:"" help:"Install a model from a folder, or download a known one."`
	List    encoderListCmd    `cmd:"" help:"List the installed encoders."`
}

type encoderInstallCmd struct {
	Model  string `arg:"" name:"dir|name" help:"A folder in Hugging Face's layout (config.json, model.safetensors, tokenizer.json or vocab.txt), or the name of a model to download: minilm."`
	Name   string `placeholder:"NAME" help:"Name for --encoder (default: the name of the folder or model)."`
	Mirror string `placeholder:"URL" help:"Download the same files from this address instead."`
}

// Help says which models can be used, and documents the JSON.
func (encoderInstallCmd) Help() string {
	return `Supports static embeddings (Model2Vec) and sentence encoders of the BERT family (MiniLM, bge, e5, gte). Copies the files that the model needs, its README and its licence. Read the model's licence before you use it.

A folder is copied without any download. minilm is all-MiniLM-L6-v2 (English, apache-2.0, 87 MiB) from huggingface.co. Its files are checked against built-in SHA-256 sums. Run the same command again to resume an interrupted download.

With --json: {"name", "model", "dims", "licence", "folder", "bytes", "files": [{"name", "bytes", "sha256"}]}; model is the name under which vectors are stored.`
}

type encoderListCmd struct{}

// Help documents the JSON.
func (encoderListCmd) Help() string {
	return `With --json: {"encoders": [{"name", "model", "dims", "licence", "folder", "bytes", "files": [{"name", "bytes", "sha256"}]}]}.`
}

// installedEncoder is an encoder in the user's data folder, as encoderManifest
// there describes it.
type installedEncoder struct {
	Name    string        `json:"name"`
	Model   string        `json:"model"`
	Dims    int           `json:"dims"`
	Licence string        `json:"licence,omitempty"`
	Folder  string        `json:"folder"`
	Bytes   int64         `json:"bytes"`
	Files   []encoderFile `json:"files"`
}

type encoderFile struct {
	Name   string `json:"name"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

const encoderManifest = "ebb.json"

// encoderName is what an encoder may be called: one element of a path.
var encoderName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)

// encodersFolder is where encoders are installed.
func encodersFolder() (string, error) {
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

// openEncoder opens the encoder that --encoder means: an installed one by its
// name, or one in a folder.
func openEncoder(what string) (*encoder.Encoder, error) {
	if encoderName.MatchString(what) {
		folder, err := encodersFolder()
		if err != nil {
			return nil, err
		}
		installed, err := readManifest(filepath.Join(folder, what))
		if err == nil {
			return installed.open()
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	if info, err := os.Stat(what); err != nil || !info.IsDir() {
		return nil, &usageError{fmt.Sprintf("there is no encoder and no folder %q; see ebb encoder list, or install one with ebb encoder install", what)}
	}
	e, err := encoder.Open(what)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	return e, nil
}

// open opens an installed encoder, unless its files have changed.
func (i *installedEncoder) open() (*encoder.Encoder, error) {
	e, err := encoder.Open(i.Folder)
	if err != nil {
		return nil, fmt.Errorf("encoder %s: %w", i.Name, err)
	}
	if e.ID() != i.Model {
		return nil, &usageError{fmt.Sprintf("the files of the encoder %s have changed since it was installed; remove %s and install it again", i.Name, i.Folder)}
	}
	return e, nil
}

func readManifest(folder string) (*installedEncoder, error) {
	data, err := os.ReadFile(filepath.Join(folder, encoderManifest))
	if err != nil {
		return nil, err
	}
	installed := new(installedEncoder)
	if err := json.Unmarshal(data, installed); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(folder, encoderManifest), err)
	}
	installed.Name, installed.Folder = filepath.Base(folder), folder
	return installed, nil
}

// Run installs a model from a folder or by its name.
func (c *encoderInstallCmd) Run(a *app) error {
	if c.Name != "" && !encoderName.MatchString(c.Name) {
		return badEncoderName(c.Name)
	}
	if info, err := os.Stat(c.Model); err == nil && info.IsDir() {
		from, err := filepath.Abs(c.Model)
		if err != nil {
			return err
		}
		name := c.Name
		if name == "" {
			name = filepath.Base(from)
		}
		if c.Mirror != "" {
			return &usageError{"--mirror is for models that are downloaded; " + c.Model + " is a folder"}
		}
		return c.installFrom(a, from, name, licenceOf(from))
	}
	for i := range publishedEncoders {
		if publishedEncoders[i].name == c.Model {
			return c.installPublished(a, &publishedEncoders[i])
		}
	}
	return &usageError{fmt.Sprintf("there is no folder %q, and no model of this name to download; known are: %s", c.Model, publishedNames())}
}

func badEncoderName(name string) error {
	return &usageError{fmt.Sprintf("%q cannot be an encoder's name: letters, digits, '.', '_' and '-'; choose one with --name", name)}
}

// installFrom installs the model in a folder.
func (c *encoderInstallCmd) installFrom(a *app, from, name, licence string) error {
	if !encoderName.MatchString(name) {
		return badEncoderName(name)
	}
	e, err := encoder.Open(from)
	if err != nil {
		return fmt.Errorf("%s: %w", c.Model, err)
	}
	folder, err := encodersFolder()
	if err != nil {
		return err
	}
	target := filepath.Join(folder, name)
	switch there, err := readManifest(target); {
	case err == nil && there.Model == e.ID():
		if _, err := there.open(); err != nil {
			return err
		}
		return there.show(a, "is installed already")
	case err == nil:
		return takenError(there)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	installed := &installedEncoder{Name: name, Model: e.ID(), Dims: e.Dims(), Licence: licence, Folder: target}
	if err := installed.copyFrom(a, from, e.Files()); err != nil {
		return err
	}
	return installed.show(a, "installed")
}

// copyFrom copies the model's files, its README and its licence into a folder
// that gets its name when all is there.
func (i *installedEncoder) copyFrom(a *app, from string, files []encoder.File) (err error) {
	if err := os.MkdirAll(filepath.Dir(i.Folder), 0o755); err != nil {
		return err
	}
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
	bar := a.bar(total, "copying", true)
	defer func() { _ = bar.Clear() }()
	for _, f := range files {
		if err := a.ctx.Err(); err != nil {
			return err
		}
		n, hash, err := copyFile(filepath.Join(partial, filepath.FromSlash(f.Name)), filepath.Join(from, filepath.FromSlash(f.Name)), bar)
		if err != nil {
			return err
		}
		if f.SHA256 != "" && f.SHA256 != hash {
			return fmt.Errorf("%s changed while it was copied", f.Name)
		}
		i.Bytes += n
		i.Files = append(i.Files, encoderFile{Name: f.Name, Bytes: n, SHA256: hash})
	}
	manifest, err := json.MarshalIndent(i, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(partial, encoderManifest), append(manifest, '\n'), 0o644); err != nil {
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
	readme, err := os.ReadFile(filepath.Join(dir, "README.md"))
	if err == nil && bytes.HasPrefix(readme, []byte("---")) {
		lines := bufio.NewScanner(bytes.NewReader(readme))
		for lines.Scan(); lines.Scan() && strings.TrimRight(lines.Text(), " ") != "---"; {
			if value, ok := strings.CutPrefix(lines.Text(), "license:"); ok && strings.TrimSpace(value) != "" {
				return oneLine(strings.Trim(strings.TrimSpace(value), `"'`), 60)
			}
		}
	}
	for _, name := range documentsOf(dir) {
		if licences.MatchString(name) {
			return "see " + name
		}
	}
	return ""
}

// show prints one encoder.
func (i *installedEncoder) show(a *app, done string) error {
	if a.json {
		return a.printJSON(i)
	}
	p := a.page()
	p.say("Encoder %s %s: %s, vectors of %d numbers, %s.", i.Name, done, i.Model, i.Dims, size(i.Bytes))
	p.line("Licence: %s", i.licence())
	rows := make([][]string, len(i.Files))
	for n, f := range i.Files {
		rows[n] = []string{f.SHA256, f.Name}
	}
	p.line("SHA-256:")
	p.table("", rows)
	p.say("In %s; use it with --encoder %s.", i.Folder, i.Name)
	return p.err
}

func (i *installedEncoder) licence() string {
	if i.Licence == "" {
		return "not stated"
	}
	return i.Licence
}

// Run lists what is installed.
func (*encoderListCmd) Run(a *app) error {
	folder, err := encodersFolder()
	if err != nil {
		return err
	}
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	all, faults := []*installedEncoder{}, []error(nil)
	for _, e := range entries {
		if !encoderName.MatchString(e.Name()) {
			continue // an installation that was cut short
		}
		installed, err := readManifest(filepath.Join(folder, e.Name()))
		if err != nil {
			faults = append(faults, err)
			continue
		}
		all = append(all, installed)
	}
	if a.json {
		return errors.Join(a.printJSON(struct {
			Encoders []*installedEncoder `json:"encoders"`
		}{all}), errors.Join(faults...))
	}
	p := a.page()
	if len(all) == 0 {
		p.say("No encoder is installed; `ebb encoder install DIR` takes one from a folder, `ebb encoder install minilm` downloads one.")
	} else {
		rows := [][]string{{"name", "size", "licence", "model"}}
		for _, i := range all {
			rows = append(rows, []string{i.Name, size(i.Bytes), i.licence(), i.Model})
		}
		p.table("", rows)
	}
	return errors.Join(append(faults, p.err)...)
}
