package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/ebbmem/ebb/internal/cells"
	"github.com/ebbmem/ebb/internal/encoders"
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

With --json: {"name", "model", "dims", "licence", "query_prompt", "document_prompt", "folder", "bytes", "files": [{"name", "bytes", "sha256"}]}; model is the name under which vectors are stored.`
}

type encoderListCmd struct{}

// Help documents the JSON.
func (encoderListCmd) Help() string {
	return `With --json: {"encoders": [{"name", "model", "dims", "licence", "query_prompt", "document_prompt", "folder", "bytes", "files": [{"name", "bytes", "sha256"}]}]}.`
}

// Run installs a model from a folder or by its name.
func (c *encoderInstallCmd) Run(a *app) error {
	e, installed, err := encoders.Install(a.ctx, c.Model, encoders.Options{
		Name: c.Name, Mirror: c.Mirror,
		Progress: func(total int64, what string) (io.Writer, func()) {
			bar := a.bar(total, what, true)
			return bar, func() { _ = bar.Clear() }
		},
		Starting: func(e *encoders.Published, source string) error {
			if a.json {
				return nil
			}
			p := a.page()
			p.Say("Downloading %s, %s, licence %s, from %s", e.Name, cells.Size(e.Bytes()), e.Licence, source)
			return p.Err
		},
	})
	switch {
	case errors.Is(err, encoders.ErrPartial):
		return &interruptedError{"what was downloaded is kept; the same command goes on with it"}
	case err != nil:
		return err
	case a.json:
		return a.printJSON(e)
	}
	done := "is installed already"
	if installed {
		done = "installed"
	}
	p := a.page()
	p.Say("Encoder %s %s: %s, vectors of %d numbers, %s.", e.Name, done, e.Model, e.Dims, cells.Size(e.Bytes))
	p.Line("Licence: %s", licence(e))
	p.Line("Prompts: %s", prompts(e))
	rows := make([][]string, len(e.Files))
	for n, f := range e.Files {
		rows[n] = []string{f.SHA256, f.Name}
	}
	p.Line("SHA-256:")
	p.Table("", rows)
	p.Say("In %s; use it with --encoder %s.", e.Folder, e.Name)
	return p.Err
}

// prompts says what precedes texts. A model that was trained with prompts is worse without.
func prompts(e *encoders.Installed) string {
	if e.QueryPrompt+e.DocumentPrompt == "" {
		return "none (e5 models need \"query: \" and \"passage: \"; add a model's prompts to its config_sentence_transformers.json before you install it)"
	}
	return fmt.Sprintf("%.60q before questions, %.60q before texts", e.QueryPrompt, e.DocumentPrompt)
}

func licence(e *encoders.Installed) string {
	if e.Licence == "" {
		return "not stated"
	}
	return cells.OneLine(e.Licence, 60)
}

// Run lists what is installed.
func (*encoderListCmd) Run(a *app) error {
	all, faults, err := encoders.List()
	if err != nil {
		return err
	}
	if a.json {
		return errors.Join(a.printJSON(struct {
			Encoders []*encoders.Installed `json:"encoders"`
		}{append([]*encoders.Installed{}, all...)}), errors.Join(faults...))
	}
	p := a.page()
	if len(all) == 0 {
		p.Say("No encoder is installed; `ebb encoder install DIR` takes one from a folder, `ebb encoder install minilm` downloads one.")
	} else {
		rows := [][]string{{"name", "size", "licence", "model"}}
		for _, e := range all {
			rows = append(rows, []string{e.Name, cells.Size(e.Bytes), licence(e), e.Model})
		}
		p.Table("", rows)
	}
	return errors.Join(append(faults, p.Err)...)
}
