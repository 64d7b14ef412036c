package encoders

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/ebbmem/ebb/encoder"
)

// Published is a model that can be downloaded by name.
type Published struct {
	Name, Licence string
	Source        string // URL of its files, without a slash at the end
	Files         []File
}

// Bytes returns the size of the model's files.
func (p *Published) Bytes() (total int64) {
	for _, f := range p.Files {
		total += f.Bytes
	}
	return total
}

// Known lists the models that can be downloaded. Each file is identified by its
// hash; other content is refused.
var Known = []Published{{
	Name:    "minilm",
	Licence: "apache-2.0",
	Source:  "https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2/resolve/1110a243fdf4706b3f48f1d95db1a4f5529b4d41",
	Files: []File{
		{"config.json", 612, "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41"},
		{"modules.json", 349, "84e40c8e006c9b1d6c122e02cba9b02458120b5fb0c87b746c41e0207cf642cf"},
		{"1_Pooling/config.json", 190, "4be450dde3b0273bb9787637cfbd28fe04a7ba6ab9d36ac48e92b11e350ffc23"},
		{"sentence_bert_config.json", 53, "fc1993fde0a95c24ec6c022539d41cf6e2f7c9721e5415d6fb6897472a9cd4b7"},
		{"config_sentence_transformers.json", 116, "061ca9d39661d6c6d6de5ba27f79a1cd5770ea247f8d46412a68a498dc5ac9f3"},
		{"tokenizer.json", 466247, "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"},
		{"model.safetensors", 90868376, "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"},
	},
}}

func knownNames() string {
	names := make([]string, len(Known))
	for i, p := range Known {
		names[i] = p.Name
	}
	return strings.Join(names, ", ")
}

// ErrPartial means that a download was interrupted. The same call resumes it.
var ErrPartial = errors.New("the download was interrupted")

// download fetches the model's files into folder. Files that an earlier call left
// there are kept, and an incomplete one is resumed.
func (p *Published) download(ctx context.Context, source, folder string, progress io.Writer) error {
	// A transfer may take long, but a server must answer.
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.ResponseHeaderTimeout = 30 * time.Second
	client := &http.Client{Transport: transport}
	defer client.CloseIdleConnections()
	for _, f := range p.Files {
		to := filepath.Join(folder, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		if err := f.download(ctx, client, source+"/"+f.Name, to, progress); err != nil {
			if ctx.Err() != nil {
				return fmt.Errorf("%w: %w", ErrPartial, ctx.Err())
			}
			return fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	return nil
}

// download fetches one file and continues where to ends.
func (f *File) download(ctx context.Context, client *http.Client, from, to string, progress io.Writer) (err error) {
	file, err := os.OpenFile(to, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	sum := sha256.New()
	have, err := io.Copy(sum, io.LimitReader(file, f.Bytes+1))
	if err != nil {
		return err
	}
	if have > f.Bytes || have == f.Bytes && hex.EncodeToString(sum.Sum(nil)) != f.SHA256 {
		have = 0 // not this file
	}
	if have < f.Bytes {
		if have, err = f.fetch(ctx, client, from, file, have, progress); err != nil {
			return err
		}
	} else if err := count(progress, file, have); err != nil {
		return err
	}
	sum.Reset()
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if _, err := io.Copy(sum, file); err != nil {
		return err
	}
	if hash := hex.EncodeToString(sum.Sum(nil)); have != f.Bytes || hash != f.SHA256 {
		return errors.Join(fmt.Errorf("%d bytes with SHA-256 %s came, not the %d with %s that are expected", have, hash, f.Bytes, f.SHA256), file.Truncate(0))
	}
	return file.Sync()
}

// count shows the first bytes of a file as downloaded.
func count(progress io.Writer, file *os.File, bytes int64) error {
	_, err := io.Copy(progress, io.NewSectionReader(file, 0, bytes))
	return err
}

// maxSilence is how long a transfer may stand still.
var maxSilence = time.Minute

// meter shows the bytes that arrive, and postpones the end of a transfer that stands
// still. A display that fails, such as one of too many bytes, ends no transfer.
type meter struct {
	progress io.Writer
	silence  *time.Timer
}

func (m meter) Write(p []byte) (int, error) {
	m.silence.Reset(maxSilence)
	_, _ = m.progress.Write(p)
	return len(p), nil
}

// fetch asks for the bytes from have on, and returns how many there are then.
func (f *File) fetch(ctx context.Context, client *http.Client, from string, file *os.File, have int64, progress io.Writer) (int64, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, from, nil)
	if err != nil {
		return have, err
	}
	if have > 0 {
		request.Header.Set("Range", fmt.Sprintf("bytes=%d-", have))
	}
	response, err := client.Do(request)
	if err != nil {
		return have, err
	}
	defer response.Body.Close()
	switch {
	case response.StatusCode == http.StatusPartialContent && have > 0 &&
		strings.HasPrefix(response.Header.Get("Content-Range"), fmt.Sprintf("bytes %d-", have)):
	case response.StatusCode == http.StatusOK:
		have = 0
	default:
		return have, fmt.Errorf("%s answers %s", from, response.Status)
	}
	if err := file.Truncate(have); err != nil {
		return have, err
	}
	if _, err := file.Seek(have, io.SeekStart); err != nil {
		return have, err
	}
	if err := count(progress, file, have); err != nil {
		return have, err
	}
	silence := time.AfterFunc(maxSilence, func() { cancel(fmt.Errorf("no byte came for %s", maxSilence)) })
	defer silence.Stop()
	n, err := io.Copy(io.MultiWriter(file, meter{progress, silence}), io.LimitReader(response.Body, f.Bytes-have+1))
	if err != nil {
		err = fmt.Errorf("the transfer broke off: %w; the same command goes on with it", cmp.Or(context.Cause(ctx), err))
	}
	return have + n, err
}

// installKnown downloads a model and installs it.
func installKnown(ctx context.Context, p *Published, o *Options) (i *Installed, installed bool, err error) {
	name, source := cmp.Or(o.Name, p.Name), p.Source
	if o.Mirror != "" {
		u, err := url.Parse(o.Mirror)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			return nil, false, refused("--mirror %q is not an address such as https://example.com/models/minilm", o.Mirror)
		}
		source = strings.TrimRight(o.Mirror, "/")
	}
	folder, err := Folder()
	if err != nil {
		return nil, false, err
	}
	if there, err := readManifest(filepath.Join(folder, name)); err == nil {
		return there, false, there.holds(p)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, false, err
	}
	partial := filepath.Join(folder, ".downloading-"+p.Name)
	if err := os.MkdirAll(partial, 0o755); err != nil {
		return nil, false, err
	}
	if err := o.starting(p, source); err != nil {
		return nil, false, err
	}
	progress, done := o.progress(p.Bytes(), "downloading")
	err = p.download(ctx, source, partial, progress)
	done()
	if err != nil {
		return nil, false, err
	}
	e, err := encoder.Open(partial)
	if err != nil {
		return nil, false, err
	}
	i = describe(e, name, p.Licence, folder)
	i.Files, i.Bytes = p.Files, p.Bytes()
	return i, true, i.place(partial)
}

// holds returns an error unless the encoder is p, unchanged.
func (i *Installed) holds(p *Published) error {
	hashes := make(map[string]string)
	for _, f := range i.Files {
		hashes[f.Name] = f.SHA256
	}
	for _, f := range p.Files {
		if hashes[f.Name] != f.SHA256 {
			return i.taken()
		}
	}
	_, err := i.open()
	return err
}

func (i *Installed) taken() error {
	return refused("another encoder %s is installed; choose another --name, or remove %s", i.Name, i.Folder)
}
