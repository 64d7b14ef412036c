package main

import (
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

	"github.com/schollz/progressbar/v3"
)

// publishedEncoder is a model that can be downloaded by name.
type publishedEncoder struct {
	name, licence string
	source        string // the address of its files, without a slash at the end
	files         []encoderFile
}

func (p *publishedEncoder) bytes() (total int64) {
	for _, f := range p.files {
		total += f.Bytes
	}
	return total
}

// publishedEncoders are known by the content of their files: an address that
// serves anything else is refused.
var publishedEncoders = []publishedEncoder{{
	name:    "minilm",
	licence: "apache-2.0",
	source:  "https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2/resolve/1110a243fdf4706b3f48f1d95db1a4f5529b4d41",
	files: []encoderFile{
		{"config.json", 612, "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41"},
		{"modules.json", 349, "84e40c8e006c9b1d6c122e02cba9b02458120b5fb0c87b746c41e0207cf642cf"},
		{"1_Pooling/config.json", 190, "4be450dde3b0273bb9787637cfbd28fe04a7ba6ab9d36ac48e92b11e350ffc23"},
		{"sentence_bert_config.json", 53, "fc1993fde0a95c24ec6c022539d41cf6e2f7c9721e5415d6fb6897472a9cd4b7"},
		{"config_sentence_transformers.json", 116, "061ca9d39661d6c6d6de5ba27f79a1cd5770ea247f8d46412a68a498dc5ac9f3"},
		{"tokenizer.json", 466247, "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"},
		{"model.safetensors", 90868376, "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"},
	},
}}

func publishedNames() string {
	names := make([]string, len(publishedEncoders))
	for i, p := range publishedEncoders {
		names[i] = p.name
	}
	return strings.Join(names, ", ")
}

// download fetches the model's files into folder. What an earlier call left
// there is kept: whole files as they are, the last one is continued.
func (p *publishedEncoder) download(a *app, source, folder string) error {
	bar := a.bar(p.bytes(), "downloading", true)
	defer func() { _ = bar.Clear() }()
	// A transfer may take long, but an address must answer.
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.ResponseHeaderTimeout = 30 * time.Second
	client := &http.Client{Transport: transport}
	defer client.CloseIdleConnections()
	for _, f := range p.files {
		to := filepath.Join(folder, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		if err := f.download(a.ctx, client, source+"/"+f.Name, to, bar); err != nil {
			if a.ctx.Err() != nil {
				return &interruptedError{"what was downloaded is kept; the same command goes on with it"}
			}
			return fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	return nil
}

// download fetches one file, from the byte on at which to ends.
func (f *encoderFile) download(ctx context.Context, client *http.Client, from, to string, bar *progressbar.ProgressBar) (err error) {
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
		if have, err = f.fetch(ctx, client, from, file, have); err != nil {
			return err
		}
	}
	sum.Reset()
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if _, err := io.Copy(io.MultiWriter(sum, bar), file); err != nil {
		return err
	}
	if hash := hex.EncodeToString(sum.Sum(nil)); have != f.Bytes || hash != f.SHA256 {
		return errors.Join(fmt.Errorf("%d bytes with SHA-256 %s came, not the %d with %s that are expected", have, hash, f.Bytes, f.SHA256), file.Truncate(0))
	}
	return file.Sync()
}

// fetch asks for the bytes from have on, and returns how many there are then.
func (f *encoderFile) fetch(ctx context.Context, client *http.Client, from string, file *os.File, have int64) (int64, error) {
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
	n, err := io.Copy(file, io.LimitReader(response.Body, f.Bytes-have+1))
	if err != nil {
		err = fmt.Errorf("the transfer broke off: %w; the same command goes on with it", err)
	}
	return have + n, err
}

// installPublished downloads a model and installs it.
func (c *encoderInstallCmd) installPublished(a *app, p *publishedEncoder) error {
	name := c.Name
	if name == "" {
		name = p.name
	}
	source := p.source
	if c.Mirror != "" {
		u, err := url.Parse(c.Mirror)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			return &usageError{fmt.Sprintf("--mirror %q is not an address such as https://example.com/models/minilm", c.Mirror)}
		}
		source = strings.TrimRight(c.Mirror, "/")
	}
	folder, err := encodersFolder()
	if err != nil {
		return err
	}
	if there, err := readManifest(filepath.Join(folder, name)); err == nil {
		return c.alreadyThere(a, there, p)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	partial := filepath.Join(folder, ".downloading-"+p.name)
	if err := os.MkdirAll(partial, 0o755); err != nil {
		return err
	}
	if !a.json {
		page := a.page()
		page.say("Downloading %s, %s, licence %s, from %s", p.name, size(p.bytes()), p.licence, source)
		if page.err != nil {
			return page.err
		}
	}
	if err := p.download(a, source, partial); err != nil {
		return err
	}
	if err := c.installFrom(a, partial, name, p.licence); err != nil {
		return err
	}
	return os.RemoveAll(partial)
}

// alreadyThere reports the encoder that has the name already: this model, or
// another.
func (c *encoderInstallCmd) alreadyThere(a *app, there *installedEncoder, p *publishedEncoder) error {
	hashes := make(map[string]string)
	for _, f := range there.Files {
		hashes[f.Name] = f.SHA256
	}
	for _, f := range p.files {
		if hashes[f.Name] != f.SHA256 {
			return takenError(there)
		}
	}
	if _, err := there.open(); err != nil {
		return err
	}
	return there.show(a, "is installed already")
}

func takenError(there *installedEncoder) error {
	return &usageError{fmt.Sprintf("another encoder %s is installed; choose another --name, or remove %s", there.Name, there.Folder)}
}
