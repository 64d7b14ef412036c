package main

import (
	"context"
	"fmt"
	"time"

	"github.com/tmc/langchaingo/embeddings"
	"github.com/tmc/langchaingo/llms/openai"

	local "github.com/ebbmem/ebb/encoder"
	"github.com/ebbmem/ebb/extension"
)

// encoder is the folder of a model that this process runs, or else a server of OpenAI's
// embeddings API. Without a folder and a URL there is none.
type encoder struct{ folder, url, model string }

// given reports whether there is an encoder.
func (e encoder) given() bool { return e.folder != "" || e.url != "" }

// connect adds the encoder to a configuration.
func (e encoder) connect(cfg *extension.Config) error {
	if e.folder != "" {
		own, err := local.Open(e.folder)
		if err != nil {
			return err
		}
		cfg.Embedding.Model, cfg.Embedding.Embedder = own.ID(), own
		return nil
	}
	if e.url == "" {
		return nil
	}
	client, err := openai.New(openai.WithBaseURL(e.url), openai.WithModel(e.model), openai.WithEmbeddingModel(e.model), openai.WithToken("none"))
	if err != nil {
		return err
	}
	cfg.Embedding.Model = e.model
	cfg.Embedding.Embedder, err = embeddings.NewEmbedder(client)
	return err
}

// ask repeats a search until the encoder has answered in time.
func (e encoder) ask(ctx context.Context, x *extension.Extension, user string, q extension.Query) (*extension.Answer, error) {
	const tries, pause = 600, 100 * time.Millisecond
	for try := 1; ; try++ {
		answer, err := x.Recall(ctx, extension.Scope{User: user}, q)
		if err != nil || len(answer.Degraded) == 0 {
			return answer, err
		}
		if try == tries {
			return nil, fmt.Errorf("the %s arm did not answer: %s", answer.Degraded[0].Arm, answer.Degraded[0].Reason)
		}
		time.Sleep(pause)
	}
}
