package main

import (
	"cmp"
	"context"
	"fmt"
	"os"

	"github.com/tmc/langchaingo/embeddings"
	"github.com/tmc/langchaingo/llms/openai"

	"github.com/ebbmem/ebb/encoder"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/encoders"
)

// localEncoder is the flag of commands that work with vectors made here.
type localEncoder struct {
	Encoder     string `placeholder:"DIR|NAME" help:"Search by meaning too, with the encoder in this folder or an installed one (see ebb encoder; default: words only)."`
	EncoderInt8 bool   `name:"encoder-int8" help:"Hold the weights of --encoder in 8 bits: a quarter of the memory, vectors of their own."`
}

// connect puts the encoder into a configuration; without one it changes
// nothing.
func (l *localEncoder) connect(cfg *extension.Config) error {
	var options []encoder.Option
	switch {
	case l.EncoderInt8 && l.Encoder == "":
		return &usageError{"--encoder-int8 needs --encoder"}
	case l.Encoder == "":
		return nil
	case l.EncoderInt8:
		options = append(options, encoder.Int8())
	}
	e, err := encoders.Open(l.Encoder, options...)
	if err != nil {
		return err
	}
	cfg.Embedding.Embedder, cfg.Embedding.Model = e, e.ID()
	return nil
}

// encoderFlags say who makes vectors for a measurement: an encoder on this machine or
// a server. The server's key comes from the environment alone, as a model's does.
type encoderFlags struct {
	localEncoder

	Embedder   string `placeholder:"URL" help:"Measure with vectors from a server with OpenAI's embeddings API, such as http://127.0.0.1:8089/v1 (default: words only). The key is read from OPENAI_API_KEY."`
	EmbedModel string `name:"embed-model" placeholder:"NAME" help:"The embedding model (default: text-embedding-3-small)."`
}

const defaultEmbedModel = "text-embedding-3-small"

// check refuses flags that contradict each other.
func (e *encoderFlags) check() error {
	if e.Embedder != "" && (e.Encoder != "" || e.EncoderInt8) {
		return &usageError{"--embedder and --encoder both say who makes vectors; give one of them"}
	}
	if e.EmbedModel != "" && e.Embedder == "" {
		return &usageError{"--embed-model names a model, but no --embedder URL says where it is"}
	}
	return nil
}

// connect puts the embedder into a configuration; without one it changes
// nothing. Nothing is sent until there is a text.
func (e *encoderFlags) connect(cfg *extension.Config) error {
	if e.Embedder == "" {
		return e.localEncoder.connect(cfg)
	}
	name := cmp.Or(e.EmbedModel, defaultEmbedModel)
	client, err := openai.New(openai.WithBaseURL(e.Embedder), openai.WithModel(name), openai.WithEmbeddingModel(name),
		openai.WithToken(cmp.Or(os.Getenv("OPENAI_API_KEY"), "none"))) // local servers do not look at it
	if err != nil {
		return fmt.Errorf("embedding model %s: %w", name, err)
	}
	if cfg.Embedding.Embedder, err = embeddings.NewEmbedder(client); err != nil {
		return fmt.Errorf("embedding model %s: %w", name, err)
	}
	cfg.Embedding.Model = name
	return nil
}

// await has the embedder answer a question before it is measured. A search goes
// on without after 300 ms, and finds the answer of a slower one when it is asked
// again.
func (e *encoderFlags) await(ctx context.Context, x *extension.Extension, scope extension.Scope, question string) error {
	if e.Embedder == "" && e.Encoder == "" {
		return nil
	}
	const tries = 100
	for try := 1; ; try++ {
		answer, err := x.Recall(ctx, scope, extension.Query{Text: question, Limit: 1, Wait: true})
		if err != nil || len(answer.Degraded) == 0 {
			return err
		}
		if try == tries {
			return fmt.Errorf("the %s arm did not answer: %s", answer.Degraded[0].Arm, answer.Degraded[0].Reason)
		}
	}
}
