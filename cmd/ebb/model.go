package main

import (
	"cmp"
	"fmt"
	"os"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/ollama"
	"github.com/tmc/langchaingo/llms/openai"
)

// provider says where the chat's model is. Keys come from the environment
// alone: a flag would show them to everybody who lists processes.
type provider struct {
	Provider string `enum:"auto,openai,ollama" default:"auto" help:"openai (any compatible server) or ollama; auto selects by environment variables."`
	Model    string `placeholder:"NAME" help:"The model (default: OPENAI_MODEL or gpt-4o-mini; required for ollama)."`
	BaseURL  string `name:"base-url" placeholder:"URL" help:"The server's address (default: OPENAI_BASE_URL, OLLAMA_HOST, or the provider's own)."`
}

const defaultOpenAIModel = "gpt-4o-mini"

const noModel = "there is no model to talk to: set OPENAI_API_KEY (with OPENAI_BASE_URL for a compatible server), " +
	"or OLLAMA_HOST with --model NAME, or give --base-url URL; ebb demo needs none"

// connect makes the model. Nothing is sent until the first turn.
func (p *provider) connect() (model llms.Model, name string, err error) {
	switch p.choose() {
	case "openai":
		return p.openAI()
	case "ollama":
		return p.ollama()
	}
	return nil, "", &usageError{noModel}
}

func (p *provider) choose() string {
	switch {
	case p.Provider != "auto" && p.Provider != "":
		return p.Provider
	case p.BaseURL != "", os.Getenv("OPENAI_API_KEY") != "", os.Getenv("OPENAI_BASE_URL") != "":
		return "openai"
	case os.Getenv("OLLAMA_HOST") != "":
		return "ollama"
	}
	return ""
}

func (p *provider) openAI() (llms.Model, string, error) {
	name := cmp.Or(p.Model, os.Getenv("OPENAI_MODEL"), defaultOpenAIModel)
	server := cmp.Or(p.BaseURL, os.Getenv("OPENAI_BASE_URL"))
	key := os.Getenv("OPENAI_API_KEY")
	if key == "" {
		if server == "" {
			return nil, "", &usageError{"OPENAI_API_KEY is not set; set it, or give --base-url for a server that needs no key"}
		}
		key = "none" // langchaingo wants one; local servers do not look at it
	}
	options := []openai.Option{openai.WithModel(name), openai.WithToken(key)}
	if server != "" {
		options = append(options, openai.WithBaseURL(server))
	}
	model, err := openai.New(options...)
	if err != nil {
		return nil, "", fmt.Errorf("model %s: %w", name, err)
	}
	return model, name, nil
}

func (p *provider) ollama() (llms.Model, string, error) {
	if p.Model == "" {
		return nil, "", &usageError{"--model is missing; name one that `ollama list` shows"}
	}
	options := []ollama.Option{ollama.WithModel(p.Model)}
	if p.BaseURL != "" {
		options = append(options, ollama.WithServerURL(p.BaseURL))
	}
	model, err := ollama.New(options...)
	if err != nil {
		return nil, "", fmt.Errorf("model %s: %w", p.Model, err)
	}
	return model, p.Model, nil
}
