package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/openai"

	"github.com/ebbmem/ebb/extension"
)

// talk runs turns with a server of OpenAI's API that delays its answers, through
// langchaingo's client.
type talk struct{ model *timedModel }

// timedModel sums the model's time.
type timedModel struct {
	llms.Model

	took time.Duration
}

func (m *timedModel) GenerateContent(ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	began := time.Now()
	defer func() { m.took += time.Since(began) }()
	return m.Model.GenerateContent(ctx, messages, options...)
}

func newTalk(takes time.Duration) (*talk, error) {
	answer, err := json.Marshal(map[string]any{
		"object": "chat.completion", "model": "slow",
		"choices": []any{map[string]any{"index": 0, "finish_reason": "stop", "message": map[string]string{"role": "assistant", "content": "I see."}}},
	})
	if err != nil {
		return nil, err
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(takes)
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(answer)
	}))
	client, err := openai.New(openai.WithBaseURL(server.URL), openai.WithToken("none"), openai.WithModel("slow"))
	if err != nil {
		return nil, err
	}
	return &talk{&timedModel{Model: client}}, nil
}

// Turn implements peer.Talker.
func (m *memory) Turn(ctx context.Context, how, user, said string) (time.Duration, error) {
	s, err := m.x.Session(extension.Scope{User: user, Session: "talk"})
	if err != nil {
		return 0, err
	}
	inner := m.talk.model
	before := inner.took
	messages := []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, said)}
	switch how {
	case "bare":
		_, err = inner.GenerateContent(ctx, messages)
	case "wrapped":
		_, err = extension.WrapModel(inner, s).GenerateContent(ctx, messages)
	case "load":
		_, err = s.Memory().LoadMemoryVariables(ctx, map[string]any{"input": said})
	case "save":
		err = s.Memory().SaveContext(ctx, map[string]any{"input": said}, map[string]any{"output": "I see: " + said})
	default:
		err = fmt.Errorf("no such turn: %q", how)
	}
	return inner.took - before, err
}
